"""Every rule of the input contract: one field changed, exactly one fault line."""

import copy
import json
from math import inf

import pytest

from evalgate.errors import ReportError
from evalgate.formats import dsh_eval_harness
from evalgate.report import Case, Status, Trials
from tests.builders import attempt, case, legacy, node_crash, reliability, report, retried, tried

ABSENT = object()
"""Stands for a field that is taken out."""

TEXT = "must be a string"
NON_BLANK = "must be a non-blank string"
NUMBER = "must be a finite number >= 0"
COUNT = "must be a whole number >= 0"
POSITIVE = "must be a whole number >= 1"
SHARE = "must be a number between 0 and 1"
FLAG = "must be true or false"
ARRAY = "must be an array"
OBJECT = "must be an object"
INSTANT = "must be an ISO 8601 instant with a zone, such as 2026-08-13T00:00:00.000Z"
EXIT = "must be a whole number >= 0, or null for a process that a signal ended"
STATUS = 'must be "pass", "fail" or "error"'
SCHEMA = "this evalgate reads schema 1, and 0 or none for legacy reports"
REQUIRED = "is required (missing)"


def _whole():
    """Return a report with everything in it: a retried case, a case with trials, a tool error."""
    return report(
        retried("a", "error", "pass", stderr=node_crash("ENOENT", "ensureSymlink")),
        tried("b", "pass", "fail", toolErrors=[{"name": "bash", "error": "exit 1"}]),
    )


def _changed(document, place, value):
    """Set (or take out) the field at `cases[0].tokens.total`; all that leads to it is there already."""
    document = copy.deepcopy(document)
    steps = [int(step) if step.isdigit() else step for step in place.replace("[", ".").replace("]", "").split(".")]
    target = document
    for step in steps[:-1]:
        target = target[step]
    if value is ABSENT:
        del target[steps[-1]]
    else:
        target[steps[-1]] = value
    return document


def _read(document):
    return dsh_eval_harness.read("r.json", json.loads(json.dumps(document)))[0]


def _faults(document):
    with pytest.raises(ReportError) as caught:
        _read(document)
    return caught.value.faults


def test_the_report_with_everything_is_valid():
    found = _read(_whole())
    assert [one.name for one in found.cases] == ["a", "b"]


# ------------------------------------------------------------------------------------------------ fields that must be

RUN_FIELDS = (
    "status",
    "failures",
    "toolsCalled",
    "toolCalls",
    "toolResults",
    "finalText",
    "steps",
    "tokens",
    "toolErrors",
    "durationMs",
)
TOKEN_FIELDS = ("input", "output", "cacheRead", "cacheWrite", "reasoning", "total")


@pytest.mark.parametrize(
    "place",
    [
        *("version", "profile", "startedAt", "summary", "cases"),
        *(f"summary.{field}" for field in ("total", "passed", "failed", "errored")),
        *(f"cases[1].{field}" for field in ("name", *RUN_FIELDS)),
        *(f"cases[1].tokens.{field}" for field in TOKEN_FIELDS),
        *(f"cases[1].toolErrors[0].{field}" for field in ("name", "error")),
        *(f"cases[0].attemptResults[1].{field}" for field in ("index", *RUN_FIELDS)),
        *(f"cases[0].attemptResults[1].tokens.{field}" for field in TOKEN_FIELDS),
        *(f"cases[1].reliability.{field}" for field in ("trials", "passes", "k", "successRate", "passAtK", "passPowK")),
    ],
)
def test_a_required_field_is_missed(place):
    rule = "must be an array (missing)" if place == "cases" else REQUIRED
    assert _faults(_changed(_whole(), place, ABSENT)) == (f"r.json: {place}: {rule}",)


@pytest.mark.parametrize(
    "place",
    [
        "finishedAt",
        "durationMs",
        *(f"cases[1].{field}" for field in ("events", "skippedLines")),
        *(f"cases[0].attemptResults[0].{field}" for field in ("events", "skippedLines")),
    ],
)
def test_a_field_that_only_a_legacy_report_may_lack(place):
    broken = _changed(_whole(), place, ABSENT)
    assert _faults(broken) == (f"r.json: {place}: is required in schemaVersion 1 (missing)",)
    for old in ({**broken, "schemaVersion": 0}, _changed(broken, "schemaVersion", ABSENT)):
        _read(old)


@pytest.mark.parametrize(
    "place",
    [
        "schemaVersion",
        "dshVersion",
        *(f"cases[0].{field}" for field in ("turnEnd", "exitCode", "timedOut", "flaky", "attemptResults")),
        "cases[0].attemptResults[0].error",
        "cases[0].attemptResults[0].stderrTail",
        "cases[0].attemptResults[0].exitCode",
    ],
)
def test_a_field_that_may_be_absent(place):
    _read(_changed(_whole(), place, ABSENT))


def test_attempts_is_one_unless_said():
    _read(_changed(report(case()), "cases[0].attempts", ABSENT))
    assert _faults(_changed(_whole(), "cases[0].attempts", ABSENT)) == (
        "r.json: cases[0].attempts: must be the number of attemptResults, 2 (got 1)",
    )


# ------------------------------------------------------------------------------------------------ what a field may hold

BAD_TEXTS: list[tuple[object, str]] = [
    (5, "5"),
    (None, "null"),
    (True, "true"),
    ([], "an array of 0"),
    ({}, "an object of 0 fields"),
]
BAD_NUMBERS: list[tuple[object, str]] = [
    (-1, "-1"),
    (-0.5, "-0.5"),
    (None, "null"),
    (True, "true"),
    (False, "false"),
    ("3", '"3"'),
    ([], "an array of 0"),
    (inf, "Infinity"),
]
BAD_COUNTS = [*BAD_NUMBERS, (1.5, "1.5")]

KINDS: dict[str, tuple[list[str], list[tuple[object, str]]]] = {
    NON_BLANK: (["version", "profile", "cases[1].name"], [*BAD_TEXTS, ("", '""'), (" \t", '" \\t"')]),
    TEXT: (
        [
            "dshVersion",
            *(f"cases[1].{field}" for field in ("finalText", "stderrTail", "error")),
            *(f"cases[1].{field}[0]" for field in ("failures", "toolsCalled")),
            *(f"cases[1].toolErrors[0].{field}" for field in ("name", "error")),
            "cases[0].attemptResults[0].stderrTail",
        ],
        BAD_TEXTS,
    ),
    INSTANT: (
        ["startedAt", "finishedAt"],
        [*BAD_TEXTS, ("2026-08-12", '"2026-08-12"'), ("2026-08-12T06:14:05", '"2026-08-12T06:14:05"')],
    ),
    NUMBER: (
        [
            "durationMs",
            "cases[1].durationMs",
            "cases[0].attemptResults[0].durationMs",
            *(f"cases[1].tokens.{field}" for field in TOKEN_FIELDS),
        ],
        BAD_NUMBERS,
    ),
    COUNT: (
        [
            "summary.total",
            "summary.errored",
            *(f"cases[1].{field}" for field in ("steps", "events", "skippedLines")),
            "cases[0].attemptResults[0].skippedLines",
            "cases[1].reliability.passes",
        ],
        BAD_COUNTS,
    ),
    POSITIVE: (
        [
            "cases[1].attempts",
            "cases[0].attemptResults[0].index",
            "cases[1].reliability.trials",
            "cases[1].reliability.k",
        ],
        [*BAD_COUNTS, (0, "0")],
    ),
    SHARE: (
        [f"cases[1].reliability.{field}" for field in ("successRate", "passAtK", "passPowK")],
        [*BAD_NUMBERS, (1.0001, "1.0001"), (2, "2")],
    ),
    FLAG: (["cases[1].timedOut", "cases[0].flaky"], [(0, "0"), (1, "1"), (None, "null"), ("true", '"true"')]),
    EXIT: (
        ["cases[1].exitCode", "cases[0].attemptResults[0].exitCode"],
        [(-1, "-1"), (1.5, "1.5"), (True, "true"), ("0", '"0"'), (inf, "Infinity")],
    ),
    STATUS: (
        ["cases[1].status", "cases[0].attemptResults[0].status"],
        [
            ("PASS", '"PASS"'),
            ("passed", '"passed"'),
            ("pass ", '"pass "'),
            ("", '""'),
            (None, "null"),
            (1, "1"),
            ([], "an array of 0"),
        ],
    ),
    ARRAY: (
        [
            "cases",
            *(
                f"cases[1].{field}"
                for field in ("failures", "toolsCalled", "toolCalls", "toolResults", "toolErrors", "attemptResults")
            ),
        ],
        [(None, "null"), ({}, "an object of 0 fields"), ("x", '"x"'), (5, "5")],
    ),
    OBJECT: (
        [
            "summary",
            "cases[1]",
            "cases[1].tokens",
            "cases[1].toolErrors[0]",
            "cases[0].attemptResults[0]",
            "cases[1].reliability",
        ],
        [(None, "null"), ([], "an array of 0"), ("x", '"x"'), (5, "5"), (True, "true")],
    ),
}


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        pytest.param(place, value, f"r.json: {place}: {rule} (got {shown})", id=f"{place}-{shown}")
        for rule, (places, values) in KINDS.items()
        for place in places
        for value, shown in values
    ],
)
def test_a_field_of_the_wrong_kind(place, value, fault):
    document = _whole()
    for name in ("failures", "toolsCalled"):
        document["cases"][1][name] = ["x"]
    assert _faults(_changed(document, place, value)) == (fault,)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2, "2"),
        (-1, "-1"),
        (1.5, "1.5"),
        ("1", '"1"'),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ([], "an array of 0"),
        ([1], "an array of 1"),
        ({}, "an object of 0 fields"),
        (inf, "Infinity"),
    ],
)
def test_another_schema_is_refused_and_nothing_else_is_said(value, shown):
    broken = {**_whole(), "schemaVersion": value, "profile": ""}
    assert _faults(broken) == (f"r.json: schemaVersion: {SCHEMA} (got {shown})",)


# ------------------------------------------------------------------------------------------------ fields that agree


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        ("summary.total", 3, "summary.total: must be the number of cases, 2 (got 3)"),
        ("summary.passed", 1, "summary.passed: must be the number of passing cases, 2 (got 1)"),
        ("summary.failed", 1, "summary.failed: must be the number of failing cases, 0 (got 1)"),
        ("summary.errored", 1, "summary.errored: must be the number of errored cases, 0 (got 1)"),
        (
            "finishedAt",
            "2026-08-12T06:14:05.901Z",
            'finishedAt: must not be before startedAt, 2026-08-12T06:14:05.902Z (got "2026-08-12T06:14:05.901Z")',
        ),
        (
            "startedAt",
            "2026-08-12T06:15:00.0910001Z",
            'finishedAt: must not be before startedAt, 2026-08-12T06:15:00.0910001Z (got "2026-08-12T06:15:00.091Z")',
        ),
        ("cases[1].name", "a", 'cases[1].name: must be unique, cases[0] has it too (got "a")'),
        ("cases[1].tokens.total", 101, "cases[1].tokens.total: must be input + output + reasoning, 100 (got 101)"),
        ("cases[1].tokens.reasoning", 1, "cases[1].tokens.total: must be input + output + reasoning, 101 (got 100)"),
        ("cases[1].tokens.output", 0.5, "cases[1].tokens.total: must be input + output + reasoning, 100.5 (got 100)"),
        (
            "cases[0].attemptResults[0].tokens.total",
            140,
            "cases[0].attemptResults[0].tokens.total: must be input + output + reasoning, 100 (got 140)",
        ),
        ("cases[0].attempts", 3, "cases[0].attempts: must be the number of attemptResults, 2 (got 3)"),
        ("cases[0].attempts", 1, "cases[0].attempts: must be the number of attemptResults, 2 (got 1)"),
        (
            "cases[0].attemptResults[0].index",
            2,
            "cases[0].attemptResults[0].index: must be 1: 1, 2, 3 in order (got 2)",
        ),
        (
            "cases[0].attemptResults[1].index",
            1,
            "cases[0].attemptResults[1].index: must be 2: 1, 2, 3 in order (got 1)",
        ),
        (
            "cases[0].attemptResults[1].status",
            "fail",
            'cases[0].status: must be the status of the last attempt, "fail" (got "pass")',
        ),
        (
            "cases[1].reliability.successRate",
            0.6,
            "cases[1].reliability.successRate: must be passes / trials, 0.5 (got 0.6)",
        ),
        (
            "cases[1].reliability.successRate",
            0.5 + 2e-9,
            "cases[1].reliability.successRate: must be passes / trials, 0.5 (got 0.500000002)",
        ),
        (
            "cases[1].reliability",
            reliability(2, 4),
            "cases[1].reliability.trials: must be the number of attemptResults, 2 (got 4)",
        ),
        (
            "cases[1].reliability",
            reliability(2, 2),
            "cases[1].reliability.passes: must be the number of passing attemptResults, 1 (got 2)",
        ),
        (
            "cases[1].attemptResults[0].status",
            "fail",
            "cases[1].reliability.passes: must be the number of passing attemptResults, 0 (got 1)",
        ),
        ("cases[1].attemptResults", [], "cases[1].attempts: must be the number of attemptResults, 0 (got 2)"),
    ],
)
def test_fields_that_do_not_agree(place, value, fault):
    found = _faults(_changed(_whole(), place, value))
    expected: tuple[str, ...] = (f"r.json: {fault}",)
    if place == "cases[1].reliability" and value == reliability(2, 4):
        expected += ("r.json: cases[1].reliability.passes: must be the number of passing attemptResults, 1 (got 2)",)
    assert found == expected


def test_more_passes_than_trials():
    broken = _changed(_whole(), "cases[1].reliability", {**reliability(1, 2), "passes": 3})
    assert _faults(broken) == (
        "r.json: cases[1].reliability.passes: must be the number of passing attemptResults, 1 (got 3)",
        "r.json: cases[1].reliability.passes: must not be more than the trials, 2 (got 3)",
    )


@pytest.mark.parametrize(
    ("status", "statuses", "rule"),
    [
        ("fail", ("pass", "fail"), 'must be "pass", since a trial passed (got "fail")'),
        ("error", ("error", "pass"), 'must be "pass", since a trial passed (got "error")'),
        ("pass", ("fail", "error"), 'must not be "pass", since no trial passed (got "pass")'),
    ],
)
def test_trials_and_status_that_do_not_agree(status, statuses, rule):
    broken = report(tried("a", *statuses, status=status))
    assert _faults(broken) == (f"r.json: cases[0].status: {rule}",)


def test_the_summary_is_held_against_whole_cases_only():
    """A case that is broken itself would make every count wrong as well: noise around the one fault."""
    broken = _changed(_changed(_whole(), "cases[1].steps", -1), "summary.total", 7)
    assert _faults(broken) == ("r.json: cases[1].steps: must be a whole number >= 0 (got -1)",)


def test_all_faults_are_found_in_one_pass_in_the_order_of_the_file():
    document = _whole()
    for place, value in (
        ("version", ""),
        ("cases[0].steps", -1),
        ("cases[1].tokens.total", 7),
        ("cases[1].attempts", 5),
    ):
        document = _changed(document, place, value)
    assert _faults(document) == (
        'r.json: version: must be a non-blank string (got "")',
        "r.json: cases[0].steps: must be a whole number >= 0 (got -1)",
        "r.json: cases[1].tokens.total: must be input + output + reasoning, 100 (got 7)",
        "r.json: cases[1].attempts: must be the number of attemptResults, 2 (got 5)",
    )


@pytest.mark.parametrize(("number", "last"), [(20, None), (21, "and 1 more fault"), (57, "and 37 more faults")])
def test_twenty_faults_are_listed_and_the_rest_is_counted(number, last):
    document = report(*(case(f"c{one}") for one in range(number)))
    for one in document["cases"]:
        one["steps"] = -1
    found = _faults(document)
    assert len(found) == 20 + (last is not None)
    assert found[19] == "r.json: cases[19].steps: must be a whole number >= 0 (got -1)"
    assert last is None or found[-1] == f"r.json: {last}"


# ------------------------------------------------------------------------------------------------ what is accepted


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("schemaVersion", 1.0),
        ("schemaVersion", 0),
        ("schemaVersion", 0.0),
        ("cases[0].steps", 3.0),
        ("cases[0].steps", 1e3),
        ("cases[0].attempts", 2.0),
        ("cases[0].attemptResults[0].index", 1.0),
        ("summary.total", 2.0),
        ("cases[0].exitCode", None),
        ("cases[0].exitCode", 0.0),
        ("cases[0].exitCode", 4294967295),
        ("cases[0].attemptResults[0].exitCode", None),
        ("cases[0].finalText", "\ud83d"),
        ("cases[0].finalText", "\0\x1b\u2028"),
        ("cases[0].name", "\udc00 half"),
        ("cases[0].stderrTail", "x" * 100_000),
        ("cases[0].turnEnd", {"reason": ["any", None, 1.5]}),
        ("cases[0].toolCalls", [None, 5, "x", {}]),
        ("cases[0].toolResults", [[[[]]]]),
        ("cases[0].durationMs", 0.001),
        ("cases[0].flaky", False),
        ("finishedAt", "2026-08-12T06:14:05.902Z"),
        ("finishedAt", "2026-08-12T08:14:05.902+02:00"),
        ("finishedAt", "2026-08-12T06:15:00.123456789Z"),
        ("dshVersion", ""),
        ("cases[1].reliability.successRate", 0.5 + 9e-10),
        ("cases[1].reliability.passPowK", 0),
        ("cases[1].reliability.k", 5),
    ],
)
def test_odd_and_valid(place, value):
    _read(_changed(_whole(), place, value))


def _objects(value):
    if isinstance(value, dict):
        yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(child)


def test_unknown_fields_are_ignored_at_every_level():
    document = _whole()
    for one in list(_objects(document)):
        one.update({"zNew": {"status": "fail"}, "total_tokens": 5, "": None, "\ud800": 1, "model_config": {}})
    assert _read(document) == _read(_whole())


def test_the_names_of_the_models_are_not_names_of_the_format():
    """`final_text` is how Python spells a field: in a file it is an unknown one, and finalText is missing."""
    document = _changed(_whole(), "cases[0].finalText", ABSENT)
    document["cases"][0]["final_text"] = "x"
    assert _faults(document) == (f"r.json: cases[0].finalText: {REQUIRED}",)


def test_names_that_differ_only_for_a_computer_are_two_names():
    document = report(*(case(name) for name in ("a", "A", "a ", " a", "\u00e1", "a\u0301", "ａ")))
    assert len(_read(document).cases) == 7


def test_a_sum_of_doubles_may_be_off_by_its_rounding():
    """The harness adds 0.1 + 0.2 + 0.3 in an order of its own."""
    for total in (0.6, 0.6000000000000001):
        document = report(
            case(tokens={**case()["tokens"], "input": 0.1, "output": 0.2, "reasoning": 0.3, "total": total})
        )
        assert _read(document).cases[0].total_tokens == total


@pytest.mark.parametrize("total", [10**17 + 1, 10**30])
def test_whole_totals_are_compared_exactly(total):
    _read(report(case(total_tokens=total)))
    broken = _changed(report(case(total_tokens=total)), "cases[0].tokens.total", total + 1)
    assert len(_faults(broken)) == 1


def test_cache_reads_stay_out_of_the_total():
    _read(_changed(_whole(), "cases[0].tokens.cacheRead", 10**9))


def test_numbers_that_only_together_are_too_large():
    """Each is a finite double and their sum is none: a wrong total, and no OverflowError."""
    huge = {**case()["tokens"], "input": 1.2e308, "output": 1.2e308, "reasoning": 0.5}
    for total in (0.5, 1, 1.5e308):
        (fault,) = _faults(report(case(attempts=[attempt()], tokens={**huge, "total": total})))
        assert fault.startswith("r.json: cases[0].tokens.total: must be input + output + reasoning")


def test_a_status_that_is_no_text_at_all():
    """Half an emoji is a string like any other: the wrong status, in the words of the contract."""
    (fault,) = _faults(_changed(_whole(), "cases[0].status", "\ud83d"))
    assert fault == f'r.json: cases[0].status: {STATUS} (got "\ud83d")'


# ------------------------------------------------------------------------------------------------ facts


def _case(document):
    (found,) = _read(report(document)).cases
    return found


def test_facts_of_the_header():
    found = _read(_whole())
    assert (found.tool, found.harness_version, found.profile, found.dsh_version) == (
        "dsh-eval-harness",
        "0.3.2",
        "headless",
        "0.1.0-rc.6",
    )
    assert (found.started_at, found.finished_at, found.duration_ms) == (
        "2026-08-12T06:14:05.902Z",
        "2026-08-12T06:15:00.091Z",
        54189,
    )


def test_facts_of_a_legacy_report():
    found = _read(legacy(_whole()))
    assert (found.finished_at, found.duration_ms, found.dsh_version) == (found.started_at, 0, None)
    assert [one.skipped_lines for one in found.cases] == [0, 0]


def test_facts_of_a_case():
    found = _case(
        case("a", total_tokens=7, skippedLines=3, toolErrors=[{"name": "x", "error": "y"}] * 2, extra="ignored")
    )
    assert found == Case("a", Status.PASS, False, 1, 7, 3, 2, None, ())


def test_an_integral_number_is_an_integer():
    assert repr(_case(case(total_tokens=7.0)).total_tokens) == "7"
    assert repr(_case(case(total_tokens=-0.0)).total_tokens) == "0"
    assert repr(_case(case(total_tokens=7.5)).total_tokens) == "7.5"


@pytest.mark.parametrize(
    ("document", "flaky"),
    [
        (case(), False),
        (case(flaky=True), True),
        (case(status="fail", flaky=True), False),
        (case(status="error", flaky=True), False),
        (retried("a", "fail", "pass"), True),
        (retried("a", "fail", "pass", flaky=False), True),
        (retried("a", "error", "error", "pass", flaky=False), True),
        (retried("a", "pass", "pass", flaky=False), False),
        (retried("a", "pass", "pass"), True),
        (retried("a", "fail", "fail", flaky=True), False),
        (tried("a", "fail", "pass"), False),
        (tried("a", "pass", "fail"), False),
        (tried("a", "pass", "fail", flaky=True), True),
        (tried("a", "fail", "fail", flaky=True), False),
    ],
)
def test_flaky_by_history_and_flag(document, flaky):
    assert _case(document).flaky is flaky


def test_retry_mode_takes_the_last_attempt_and_trials_mode_any():
    """A passing case whose last trial failed is valid; in retry mode the same history is refused."""
    assert _case(tried("a", "pass", "fail")).status is Status.PASS
    assert _case(tried("a", "pass", "error", "fail")).trials == Trials(3, 1)
    document = report(_changed({"c": tried("a", "pass", "fail")}, "c.reliability", ABSENT)["c"])
    assert _faults(document) == (
        'r.json: cases[0].status: must be the status of the last attempt, "fail" (got "pass")',
    )


@pytest.mark.parametrize("statuses", [("fail", "error"), ("error", "fail")])
def test_a_case_whose_trials_all_failed_may_fail_either_way(statuses):
    for status in ("fail", "error"):
        assert _case(tried("a", *statuses, status=status)).status is Status(status)


def test_without_attempt_history_there_is_one_attempt_and_no_flake():
    """Its retries were not recorded: no history is invented."""
    document = case("a", flaky=True)
    del document["attemptResults"]
    document["attempts"] = 3
    found = _case(document)
    assert (found.attempts, found.flaky) == (1, False)


def test_without_attempt_history_the_case_is_its_own_attempt():
    document = case("a", "error", stderr=node_crash("ENOENT", "ensureSymlink"))
    del document["attemptResults"]
    assert _case(document).signatures == ("ENOENT@ensureSymlink",)


@pytest.mark.parametrize(("passes", "status"), [(2, "pass"), (0, "fail")])
def test_one_attempt_beside_several_trials_is_no_history(passes, status):
    """It was made from the case, when its trials were not kept."""
    found = _case(case("a", status, reliability=reliability(passes, 3)))
    assert (found.trials, found.attempts) == (Trials(3, passes), 1)


def test_one_attempt_that_is_the_one_trial_is_history():
    _read(report(tried("a", "pass")))
    broken = case("a", "fail", attempts=[attempt("fail")], reliability=reliability(1, 1))
    assert "r.json: cases[0].reliability.passes: must be the number of passing attemptResults, 0 (got 1)" in _faults(
        report(broken)
    )


def test_signatures_are_those_of_the_attempts_that_did_not_pass():
    crash, other = node_crash("ENOENT", "ensureSymlink"), node_crash("EACCES", "openStore")
    runs = [
        attempt("error", stderr=crash),
        attempt("error"),
        attempt("fail", stderr=other),
        attempt("error", stderr="killed"),
        attempt("error", stderr=crash),
        attempt("pass", stderr=crash),
    ]
    found = _case(case("a", attempts=runs, flaky=True, stderr=crash))
    assert found.signatures == ("ENOENT@ensureSymlink", "EACCES@openStore", "ENOENT@ensureSymlink")


# ------------------------------------------------------------------------------------------------ evidence


def test_evidence_of_the_cases_that_are_asked_for():
    runs = [
        attempt("error", stderr=node_crash("ENOENT", "boot"), exitCode=None, timedOut=True, durationMs=12.5),
        attempt("fail", failures=["one", "two"], toolErrors=[{"name": "bash", "error": "exit 1"}]),
    ]
    document = report(case("a", "fail", attempts=runs), case("b"), tried("c", "pass", "fail"))
    evidence = dsh_eval_harness.read("r.json", document)[1]
    assert set(evidence.fetch([])) == set()
    found = evidence.fetch(["c", "a", "nobody"])
    assert list(found) == ["a", "c"]
    first, second = found["a"].attempts
    assert (first.number, first.status, first.exit_code, first.ended_by_signal, first.timed_out) == (
        1,
        Status.ERROR,
        None,
        True,
        True,
    )
    assert (first.signature, first.duration_ms, first.error) == (
        "ENOENT@boot",
        12.5,
        "dsh exited with code 1 before the turn ended",
    )
    assert (second.number, second.failures, second.tool_errors) == (2, ("one", "two"), (("bash", "exit 1"),))
    assert (second.exit_code, second.ended_by_signal, second.signature) == (0, False, None)
    assert found["c"].trials == Trials(2, 1)


def test_evidence_of_a_case_without_history():
    document = case("a", "error", stderr="boom")
    del document["attemptResults"]
    del document["exitCode"]
    found = dsh_eval_harness.read("r.json", report(document))[1].fetch(["a"])["a"]
    assert [(one.number, one.stderr, one.exit_code, one.ended_by_signal) for one in found.attempts] == [
        (1, "boom", None, False)
    ]
