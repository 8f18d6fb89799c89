"""The loop report as its reader sees it: the facts, and that nothing is believed that its own rounds contradict."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgate import load_report
from evalgate.errors import ReportError
from evalgate.formats import load
from evalgate.formats.evalgate_loop import FORMAT, LONGEST_STDERR, STAGES
from evalgate.formats.found import NO_OPTIONS
from evalgate.loop import rounds
from evalgate.report import Fact, Loop, Status
from tests.builders import case as dsh_case
from tests.builders import converted, report
from tests.formats_help import SAMPLES, content_of, content_of_json
from tests.loop_help import CRASH, events, loop_report, model_call, round_, run_folder, summary, tool_result

CRASHED = ["B_uncaught", "F_wiring"]
NO_VERDICT = {"verdict": {}, "stage": "smoke"}


@pytest.fixture(name="document", scope="module")
def _document(tmp_path_factory):
    """Return a report of five runs: repaired, red, without a verdict, without a round, broken off when green."""
    root = tmp_path_factory.mktemp("runs")
    folders = [
        run_folder(root, "repaired", [CRASHED, CRASHED, []]),
        run_folder(root, "red", [["D_render"]], trace=[*events(), tool_result(ok=False, error="EACCES")]),
        run_folder(root, "unjudged", [round_(1, "unjudged", **NO_VERDICT)], trace=None),
        run_folder(root, "dead", [], summed=None, trace=None),
        run_folder(root, "cut", summed=summary(stoppedReason="died", budgetSoftTripped=True, costGate="degraded")),
    ]
    return json.loads(loop_report(root / "report.json", *folders).read_text())


def _read(tmp_path, document):
    return FORMAT.read(content_of_json(tmp_path, document), NO_OPTIONS)


def _changed(document, name, /, **fields):
    """Return the document with fields of a case set, `...` for one that is taken away."""
    changed = copy.deepcopy(document)
    (one,) = [case for case in changed["cases"] if case["name"] == name]
    for key, value in fields.items():
        if value is ...:
            one.pop(key, None)
        else:
            one[key] = value
    return changed


def _faults(tmp_path, document):
    with pytest.raises(ReportError) as caught:
        _read(tmp_path, document)
    return [fault.partition("report.json: ")[2] for fault in caught.value.faults]


def test_the_facts(tmp_path, document):
    read, _ = _read(tmp_path, document)
    facts = {one.name: one for one in read.cases}
    assert {name: one.status.value for name, one in facts.items()} == {
        "cut": "error",
        "dead": "error",
        "red": "fail",
        "repaired": "pass",
        "unjudged": "error",
    }
    assert {name: one.loop for name, one in facts.items()} == {
        "cut": Loop(0, True, True),
        "dead": Loop(0, False, True),
        "red": Loop(0, False, False),
        "repaired": Loop(2, False, False),
        "unjudged": Loop(0, False, False),
    }
    assert {name: one.attempts for name, one in facts.items()} == dict.fromkeys(facts, 1) | {"repaired": 3}
    assert not any(one.flaky for one in read.cases)
    assert facts["repaired"].signatures == ("TypeError@spawnWave",), (
        "a run that dies twice of one thing died of it once"
    )
    assert (facts["red"].total_tokens, facts["red"].tool_errors) == (3500, 1)
    assert (facts["dead"].total_tokens, facts["unjudged"].total_tokens) == (0, 3500)
    assert (read.format, read.tool, read.harness_version, read.profile) == (
        "evalgate-loop",
        "evalgate-loop",
        document["version"],
        "littlejs-nine",
    )
    assert (read.dsh_version, read.started_at, read.finished_at) == (
        "m-1",
        document["startedAt"],
        document["finishedAt"],
    )
    assert read.carries == {Fact.TOKENS, Fact.TOOL_ERRORS, Fact.FLAKY, Fact.SIGNATURES, Fact.VERSION} == FORMAT.carries
    assert read.notes[-1] == "4 of 5 runs say how many tokens they used; the others count as 0"
    assert "dead: has no trace.jsonl: its tokens and tool errors are not known" in read.notes


def test_the_evidence(tmp_path, document):
    found = _read(tmp_path, document)[1].fetch([case["name"] for case in document["cases"]])
    first, _, last = found["repaired"].attempts
    assert (first.number, first.status, first.signature, first.stderr) == (1, Status.FAIL, "TypeError@spawnWave", CRASH)
    assert first.failures != ()
    assert (last.status, last.stderr, last.failures) == (Status.PASS, None, ())
    assert found["red"].attempts[0].tool_errors == (("write", "EACCES"),)
    assert found["unjudged"].attempts[0].error == "no verdict: the round got as far as smoke"
    assert found["dead"].attempts[0].error == "no gate round was run: there is no verdict"
    assert found["dead"].total_tokens is None
    assert found["cut"].attempts[0].error == "the run did not end by itself: died"
    assert found["cut"].attempts[0].status is Status.PASS, "the round itself was green"


@pytest.mark.parametrize(
    ("begin", "length", "signature"),
    [
        (CRASH, None, "TypeError@spawnWave"),
        (CRASH.removeprefix("Type"), LONGEST_STDERR, None),
        (CRASH, LONGEST_STDERR, None),
        (f"noise\n{CRASH}", LONGEST_STDERR, "TypeError@spawnWave"),
        (f"noise\n{CRASH}", LONGEST_STDERR - 1, "TypeError@spawnWave"),
        (CRASH, LONGEST_STDERR - 1, "TypeError@spawnWave"),
    ],
)
def test_the_first_line_of_a_tail_that_was_cut_is_no_header(tmp_path, document, begin, length, signature):
    """`Type` cut away would leave an `Error` that nobody threw."""
    tail = begin if length is None else begin + "\n" + "x" * (length - len(begin) - 1)
    changed = copy.deepcopy(document)
    (red,) = [case for case in changed["cases"] if case["name"] == "red"]
    red["attemptResults"][0]["stderrTail"] = tail
    (facts,) = [case for case in _read(tmp_path, changed)[0].cases if case.name == "red"]
    assert facts.signatures == (() if signature is None else (signature,))


def test_the_length_of_a_tail_is_that_of_a_round():
    assert rounds.LONGEST_STDERR == LONGEST_STDERR
    assert rounds.STAGES == STAGES


def test_tool_errors_that_are_only_counted(tmp_path):
    totals = {"modelCalls": 0, "toolCalls": 0, "toolErrors": 3, "inputTokens": 0, "outputTokens": 0}
    folder = run_folder(tmp_path, "r", trace=None, summed=summary(traceSummary=totals))
    with load(loop_report(tmp_path / "report.json", folder)) as loaded:
        assert loaded.report.cases[0].tool_errors == 3
        (attempt,) = loaded.evidence.fetch(["r"])["r"].attempts
    assert attempt.tool_errors == (("?", "3 more, of which the run keeps only the number"),)


def test_without_a_model_call_there_is_no_version(tmp_path):
    read = load_report(loop_report(tmp_path / "report.json", run_folder(tmp_path, "r", trace=[])))
    assert (read.dsh_version, Fact.VERSION in read.carries, Fact.TOKENS in read.carries) == (None, False, True)
    read = load_report(loop_report(tmp_path / "x.json", run_folder(tmp_path / "x", "r", trace=None, summed=None)))
    assert Fact.TOKENS not in read.carries


def test_the_models_of_all_runs_are_the_version(tmp_path):
    one = run_folder(tmp_path, "a", trace=[model_call(model="m-2"), model_call(model="m-1")])
    read = load_report(
        loop_report(tmp_path / "report.json", one, run_folder(tmp_path, "b", trace=[model_call(model="m-3")]))
    )
    assert read.dsh_version == "m-1, m-2, m-3"


def test_notes_have_an_end(tmp_path):
    folders = [run_folder(tmp_path, f"{number:02}", trace=None, summed=None) for number in range(15)]
    notes = load_report(loop_report(tmp_path / "report.json", *folders)).notes
    assert (len(notes), notes[-1]) == (21, "and 10 more notes on single runs")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"schemaVersion": 2}, "schemaVersion: this evalgate reads 1 (got 2)"),
        ({"schemaVersion": True}, "schemaVersion: this evalgate reads 1 (got true)"),
        ({"version": " "}, 'version: must not be blank (got " ")'),
        ({"profile": None}, "profile: must be a string (got null)"),
        ({"startedAt": "now"}, 'startedAt: must be an ISO 8601 instant (got "now")'),
        ({"finishedAt": 5}, "finishedAt: must be a string (got 5)"),
        (
            {"startedAt": "2026-01-02T00:00:00Z", "finishedAt": "2026-01-01T00:00:00Z"},
            'finishedAt: must not be before startedAt, 2026-01-02T00:00:00Z (got "2026-01-01T00:00:00Z")',
        ),
        ({"durationMs": -1}, "durationMs: must be a finite number >= 0 (got -1)"),
        ({"cases": {}}, "cases: must be an array (got an object of 0 fields)"),
        ({"cases": []}, "holds no case: nothing was run, or nothing could be loaded"),
        ({"cases": [5]}, "cases[0]: must be an object (got 5)"),
        ({"summary": None}, "summary: must be an object (got null)"),
        (
            {"summary": {"total": 5, "passed": 2, "failed": 1, "errored": 3}},
            "summary.passed: must be the number of passing cases, 1 (got 2)",
        ),
        (
            {"summary": {"total": 4, "passed": 1, "failed": 1, "errored": 3}},
            "summary.total: must be the number of cases, 5 (got 4)",
        ),
    ],
)
def test_a_head_that_is_refused(tmp_path, document, fields, fault):
    assert _faults(tmp_path, {**document, **fields}) == [fault]


@pytest.mark.parametrize(
    ("name", "fields", "fault"),
    [
        ("red", {"status": "pass"}, 'status: must be "fail", the status of its last round (got "pass")'),
        ("repaired", {"status": "fail"}, 'status: must be "pass", the status of its last round (got "fail")'),
        ("dead", {"status": "pass"}, 'status: must be "error", the status of its last round (got "pass")'),
        ("unjudged", {"status": "fail"}, 'status: must be "error", the status of its last round (got "fail")'),
        ("cut", {"status": "pass"}, 'status: must be "error", since the run stopped with \'died\' (got "pass")'),
        ("cut", {"stoppedReason": ...}, 'status: must be "pass", the status of its last round (got "error")'),
        ("red", {"status": "green"}, 'status: must be among pass, fail, error (got "green")'),
        ("red", {"status": ["fail"]}, "status: must be among pass, fail, error (got an array of 1)"),
        ("red", {"error": "x"}, 'error: must not stand in a case that was judged (got "x")'),
        ("dead", {"error": ...}, "error: must say why nothing was measured (missing)"),
        ("repaired", {"repairs": 1}, "repairs: must be at least the number of rounds but one, 2 (got 1)"),
        ("repaired", {"repairs": -1}, "repairs: must be a whole number >= 0 (got -1)"),
        ("repaired", {"repairs": ...}, "repairs: must be a whole number >= 0 (missing)"),
        ("repaired", {"attempts": 2}, "attempts: must be the number of attemptResults, 3 (got 2)"),
        ("repaired", {"flaky": True}, "flaky: must be false, for rounds are no retries (got true)"),
        ("repaired", {"failures": ["x"]}, "failures: must be those of the last round (got an array of 1)"),
        ("red", {"failures": []}, "failures: must be those of the last round (got an array of 0)"),
        ("red", {"budgetSoftTripped": 1}, "budgetSoftTripped: must be true or false (got 1)"),
        ("red", {"budgetSoftTripped": ...}, "budgetSoftTripped: must be true or false (missing)"),
        ("red", {"costGate": "x"}, 'costGate: must be active or degraded (got "x")'),
        ("red", {"cost": -1}, "cost: must be a finite number >= 0 (got -1)"),
        ("red", {"cost": ...}, "cost: must be a finite number >= 0 (missing)"),
        ("red", {"tokens": ...}, "tokens: must be an object (missing)"),
        ("red", {"tokens": {"input": 1, "output": 2, "total": 4}}, "tokens.total: must be input + output, 3 (got 4)"),
        ("red", {"toolErrorCount": 0}, "toolErrorCount: must be at least the number of toolErrors, 1 (got 0)"),
        ("red", {"toolErrors": [{"name": 1, "error": ""}]}, "toolErrors[0].name: must be a string (got 1)"),
        ("red", {"models": None}, "models: must be an array (got null)"),
        ("red", {"notes": [1]}, "notes[0]: must be a string (got 1)"),
        ("red", {"durationMs": "1"}, 'durationMs: must be a finite number >= 0 (got "1")'),
        ("red", {"attemptResults": [1]}, "attemptResults[0]: must be an object (got 1)"),
        ("red", {"name": ""}, 'name: must not be blank (got "")'),
    ],
)
def test_a_case_that_is_refused(tmp_path, document, name, fields, fault):
    position = [case["name"] for case in document["cases"]].index(name)
    assert _faults(tmp_path, _changed(document, name, **fields)) == [f"cases[{position}].{fault}"]


@pytest.mark.parametrize(
    ("round_number", "fields", "fault"),
    [
        (1, {"status": "pass"}, '.status: must be "fail", which is what its verdict says (got "pass")'),
        (3, {"status": "fail"}, '.status: must be "pass", which is what its verdict says (got "fail")'),
        (3, {"verdict": {}}, '.status: must be "error", which is what its verdict says (got "pass")'),
        (3, {"verdict": {"pass": True, "guards": {"x": {"pass": False}}}}, '.status: must be "fail", which is what'),
        (1, {"verdict": None}, ".verdict: must be an object (got null)"),
        (2, {"index": 3}, ".index: must be 2: 1, 2, 3 in order (got 3)"),
        (1, {"failures": []}, ".failures: must say what is wrong, for the round did not pass (got an array of 0)"),
        (3, {"failures": ["x"]}, ".failures: must be empty, for the round passed (got an array of 1)"),
        (1, {"stage": "lunch"}, '.stage: must be among stage, smoke, play (got "lunch")'),
        (1, {"stderrTail": 5}, ".stderrTail: must be a string (got 5)"),
        (1, {"durationMs": -1}, ".durationMs: must be a finite number >= 0 (got -1)"),
    ],
)
def test_a_round_that_is_refused(tmp_path, document, round_number, fields, fault):
    position = [case["name"] for case in document["cases"]].index("repaired")
    changed = copy.deepcopy(document)
    changed["cases"][position]["attemptResults"][round_number - 1].update(fields)
    (found,) = _faults(tmp_path, changed)
    assert found.startswith(f"cases[{position}].attemptResults[{round_number - 1}]{fault}")


def test_a_round_that_was_cut_off_is_noticed(tmp_path, document):
    """Without its red rounds a case would look as if it had needed no repair; without its green one it is red."""
    rounds = next(case for case in document["cases"] if case["name"] == "repaired")["attemptResults"]
    changed = _changed(document, "repaired", attemptResults=rounds[:2], attempts=2)
    assert 'status: must be "fail"' in _faults(tmp_path, changed)[0]
    changed = _changed(document, "repaired", attemptResults=rounds[:2])
    assert "attempts: must be the number of attemptResults, 2 (got 3)" in _faults(tmp_path, changed)[0]


def test_two_cases_of_one_name(tmp_path, document):
    changed = _changed(document, "red", name="cut")
    assert _faults(tmp_path, changed) == ['case: must have a name of its own, and another one has it too (got "cut")']


def test_all_faults_are_told_up_to_a_count(tmp_path, document):
    many = {**document, "cases": [{**document["cases"][0], "repairs": -1}] * 25}
    faults = _faults(tmp_path, many)
    assert len(faults) == 21
    assert faults[-1] == "and 5 more faults"


@pytest.mark.parametrize("place", ["version", "cases"])
def test_a_number_that_is_not_finite_is_refused_wherever_it_stands(tmp_path, document, place):
    text = json.dumps({**document, "unknown": "X"} if place == "version" else _changed(document, "red", unknown="X"))
    (tmp_path / "report.json").write_text(text.replace('"X"', "NaN"))
    with pytest.raises(ReportError, match=r"must hold finite numbers only \(got NaN\)"):
        load_report(tmp_path / "report.json")


def test_unknown_fields_are_no_fault(tmp_path, document):
    changed = {**_changed(document, "red", newer={"x": 1}), "newer": [1]}
    assert _read(tmp_path, changed)[0].cases == _read(tmp_path, document)[0].cases


def test_a_conversion_of_a_loop_report_is_none(tmp_path):
    """By hand only: `convert` writes none. Its rounds would be retries and its repairs gone."""
    forged = converted(report(dsh_case()), format="evalgate-loop", tool="evalgate-loop")
    (tmp_path / "report.json").write_text(json.dumps(forged))
    with pytest.raises(ReportError, match=r"convertedFrom\.format: must be a format that has a conversion"):
        load_report(tmp_path)


@pytest.mark.parametrize("name", ["before.json", "after.json"])
def test_the_samples_are_read(name):
    read, _ = FORMAT.read(content_of(SAMPLES / "loop" / name), NO_OPTIONS)
    assert [one.name for one in read.cases] == ["asteroids", "breakout", "snake", "tetris"]
    expected = [0, 1, 0, 1] if name == "before.json" else [2, 1, 0, 1]
    assert [one.loop and one.loop.repairs for one in read.cases] == expected


HOSTILE: list[object] = [
    None,
    True,
    -1,
    0,
    3,
    1.5,
    10**400,
    "",
    "pass",
    "error",
    "\ud83d",
    [],
    {},
    ["x"],
    {"pass": True},
]
FIELDS = [
    "status",
    "error",
    "stoppedReason",
    "repairs",
    "attempts",
    "attemptResults",
    "failures",
    "tokens",
    "toolErrors",
]


@given(
    st.sampled_from(["repaired", "red", "unjudged", "dead", "cut"]),
    st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(HOSTILE), min_size=1),
)
def test_a_mutated_case_is_refused_or_no_better_than_it_was(tmp_path, document, name, fields):
    try:
        read, _ = _read(tmp_path, _changed(document, name, **fields))
    except ReportError:
        return
    statuses = {one.name: one.status.value for one in read.cases}
    assert name == "repaired" or statuses[name] != "pass"


def test_a_key_twice_hides_no_red_verdict(tmp_path):
    text = (SAMPLES / "loop/before.json").read_text(encoding="utf-8")
    green = '"verdict": {"pass": true'
    assert green in text
    forged = tmp_path / "forged.json"
    forged.write_text(text.replace(green, '"verdict": {"pass": false, "pass": true', 1), encoding="utf-8")
    with pytest.raises(ReportError, match="must not have a key twice"):
        load(forged)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stage": "smoke"}, "stage: must be play, for there is a verdict"),
        ({"failedGates": ["A_boot"]}, "failedGates: must be the guards that failed"),
        ({"failedGates": 5}, "failedGates: must be an array"),
        ({"startedAt": 5}, "startedAt: must be a string"),
        ({"startedAt": None}, "startedAt: must be an ISO 8601 instant"),
        ({"screenshot": "../../etc/passwd"}, "screenshot: must be 1.png"),
    ],
)
def test_a_round_is_one_story(tmp_path, change, said):
    document = json.loads((SAMPLES / "loop/before.json").read_text(encoding="utf-8"))
    document["cases"][0]["attemptResults"][0].update(change)
    (tmp_path / "x.json").write_text(json.dumps(document))
    with pytest.raises(ReportError, match=said):
        load(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"cost": None}, "cost: must be a number where costGate is active"), ({"repairs": 10**30}, "repairs: must be at")],
)
def test_a_case_is_one_story(tmp_path, change, said):
    document = json.loads((SAMPLES / "loop/before.json").read_text(encoding="utf-8"))
    document["cases"][0].update(change)
    (tmp_path / "x.json").write_text(json.dumps(document))
    with pytest.raises(ReportError, match=said):
        load(tmp_path / "x.json")
