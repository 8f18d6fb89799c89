"""The text, JSON and terminal outputs."""

import json

import pytest

from evalgate.gate import compare
from evalgate.options import GateOptions
from evalgate.render import console, text
from evalgate.render import json as json_output
from evalgate.render.page import listing, page
from evalgate.report import Trials
from evalgate.signals import SIGNALS
from tests.builders import GENERAL, facts, facts_report

BEFORE = facts_report(
    facts("a"),
    facts("c", "fail"),
    facts("e"),
    facts("f", total_tokens=1000),
    facts("g"),
    facts("j", flaky=True),
    facts("k", "error"),
    dsh_version="0.1.0-rc.6",
)
AFTER = facts_report(
    facts("a", "fail"),
    facts("b", "error", signatures=("ENOENT@ensureSymlink",)),
    facts("c"),
    facts("d"),
    facts("f", total_tokens=1600),
    facts("g", skipped_lines=3),
    facts("h", tool_errors=1),
    facts("bash-tool", flaky=True, signatures=("ENOENT@ensureSymlink",)),
    facts("i", trials=Trials(10, 9)),
    facts("j"),
    facts("k", "error"),
    dsh_version="0.1.1-rc.2",
)
ALL = compare(BEFORE, AFTER, GateOptions(min_trial_success_rate=0.8))
QUIET = compare(facts_report(facts()), facts_report(facts()))
NOTHING = compare(None, facts_report(facts()))
EVERY_LINE = """\
OVERALL=FAIL
EXIT_CODE=1
STRICT=false
REGRESSIONS=1
NEW_FAILURES=1
IMPROVEMENTS=1
ADDED=4
REMOVED=1
TOKEN_REGRESSIONS=1
SKIPPED_LINE_INCREASES=1
FLAKY=1
TOOL_ERROR_RECOVERIES=1
REPEATED_ERROR_SIGNATURES=1
BASELINE_FLAKY=1
UNRELIABLE=1
BASELINE_FAILING=2
COMPARED=6
DSH_VERSION_CHANGED=0.1.0-rc.6 -> 0.1.1-rc.2
CASE_SET_CHANGED=7 -> 11 (+5 -1)
REASON ...
REGRESSION a: pass -> fail
NEW_FAILURE b: error
IMPROVEMENT c: fail -> pass
ADDED_CASE d
ADDED_CASE h
ADDED_CASE bash-tool
ADDED_CASE i
REMOVED_CASE e
TOKEN_REGRESSION f: total 1000 -> 1600 (+60%)
SKIPPED_LINE_INCREASE g: 0 -> 3
FLAKY_CASE bash-tool
TOOL_ERROR_RECOVERY h
ERROR_SIGNATURE ENOENT@ensureSymlink: x2 across [b, bash-tool]
INCIDENT ENOENT@ensureSymlink: 2 attempts in 2 cases [b, bash-tool], 0 in baseline, \
1 of 2 cases recovered on retry, dsh 0.1.0-rc.6 -> 0.1.1-rc.2
UNRELIABLE_CASE i: successRate 0.90 (Wilson lower 0.65, n=10)
BASELINE_FLAKY_CASE j
BASELINE_FAILING_CASE c
BASELINE_FAILING_CASE k
"""


def _lines(result, *, strict=False):
    return "".join(text.render(result, strict=strict))


def test_every_line_of_the_text_output_in_the_order_of_the_contract():
    lines = _lines(ALL).splitlines()
    reasons = [line for line in lines if line.startswith("REASON ")]
    assert len(reasons) == sum(1 for one in ALL.fired if one.findings) - 3, "not all give one"
    first = lines.index(reasons[0])
    shown = [*lines[:first], "REASON ...", *lines[first + len(reasons) :]]
    assert "\n".join(shown) + "\n" == EVERY_LINE


def test_lines_that_stand_also_when_nothing_fired():
    assert _lines(QUIET).splitlines()[:3] == ["OVERALL=PASS", "EXIT_CODE=0", "STRICT=false"]
    assert _lines(QUIET).splitlines()[3:-2] == [
        f"{one.key}=0" for one in GENERAL if one.scalar is None and not one.optional
    ]
    assert _lines(QUIET).splitlines()[-2:] == ["COMPARED=1", "REASON nothing got worse in 1 compared case"]


def test_the_exit_code_in_the_output_is_that_of_the_mode():
    warn = compare(facts_report(facts()), facts_report(facts(flaky=True)))
    assert _lines(warn, strict=True).splitlines()[:3] == ["OVERALL=WARN", "EXIT_CODE=2", "STRICT=true"]
    assert _lines(warn).splitlines()[:3] == ["OVERALL=WARN", "EXIT_CODE=0", "STRICT=false"]
    assert _lines(NOTHING).splitlines()[:2] == ["OVERALL=N/A", "EXIT_CODE=2"]


def test_the_text_of_an_error():
    assert "".join(text.render_error(["a.json: is empty", "x\nOVERALL=PASS"])) == (
        "OVERALL=ERROR\nEXIT_CODE=3\nERROR a.json: is empty\nERROR x\\nOVERALL=PASS\n"
    )


@pytest.mark.parametrize(
    "name",
    ["x\nOVERALL=PASS", "x\rOVERALL=PASS", "x\u2028OVERALL=PASS", "x\x85OVERALL=PASS", "x\x0cOVERALL=PASS", "\x1b[2J"],
)
def test_a_name_cannot_forge_a_line(name):
    result = compare(
        facts_report(facts("a"), dsh_version=f"1{name}"),
        facts_report(
            facts("a"), facts(name, "error", signatures=(name, name), trials=Trials(2, 0)), dsh_version=f"2{name}"
        ),
        GateOptions(min_trial_success_rate=0.5),
    )
    lines = _lines(result).splitlines()
    assert [line for line in lines if line.startswith("OVERALL")] == ["OVERALL=FAIL"]
    assert all(line.isprintable() for line in lines)
    assert len(lines) == _lines(result).count("\n")


def _json(result, *, strict=False):
    line = "".join(json_output.render(result, strict=strict))
    assert line.endswith("}\n")
    assert len(line.splitlines()) == 1
    assert line.isascii()
    return json.loads(line)


def test_every_field_of_the_json_output():
    found = _json(ALL, strict=True)
    assert found.pop("reasons") == list(ALL.reasons)
    assert found == {
        "verdict": "FAIL",
        "exitCode": 1,
        "strict": True,
        "compared": 6,
        "regressions": [{"name": "a", "before": "pass", "after": "fail"}],
        "newFailures": [{"name": "b", "before": "absent", "after": "error"}],
        "improvements": [{"name": "c", "before": "fail", "after": "pass"}],
        "added": ["d", "h", "bash-tool", "i"],
        "removed": ["e"],
        "tokenRegressions": [{"name": "f", "before": 1000, "after": 1600, "increasePct": 60}],
        "skippedLineIncreases": [{"name": "g", "before": 0, "after": 3}],
        "flakyCases": ["bash-tool"],
        "toolErrorRecoveries": ["h"],
        "repeatedErrorSignatures": [
            {
                "signature": "ENOENT@ensureSymlink",
                "occurrences": 2,
                "cases": ["b", "bash-tool"],
                "baselineOccurrences": 0,
                "incident": "ENOENT@ensureSymlink: 2 attempts in 2 cases [b, bash-tool], 0 in baseline, "
                "1 of 2 cases recovered on retry, dsh 0.1.0-rc.6 -> 0.1.1-rc.2",
            }
        ],
        "baselineFlakyCases": ["j"],
        "unreliableCases": [
            {"name": "i", "successRate": 0.9, "lowerBound": pytest.approx(0.652281, abs=1e-6), "trials": 10}
        ],
        "baselineFailingCases": ["c", "k"],
        "dshVersionChange": {"before": "0.1.0-rc.6", "after": "0.1.1-rc.2"},
        "signatureRules": 1,
        "caseSetChange": {"added": 5, "removed": 1, "before": 7, "after": 11},
        "flakyWorsened": [],
        "trials": [],
        "signalsUnavailable": [],
        "incompleteAfter": [],
        "incompleteBefore": [],
        "notRun": [],
        "casesChanged": [],
        "notes": [],
    }


def test_json_has_every_list_also_when_it_is_empty():
    found = _json(QUIET)
    assert {one.json_field: found[one.json_field] for one in GENERAL if not one.single} == {
        one.json_field: [] for one in GENERAL if not one.single
    }
    assert "dshVersionChange" not in found


@pytest.mark.parametrize("name", ["\ud83d", "\u2028", '"', "é", "\x00", "\\", "\U0001f600"])
def test_json_gives_the_exact_characters_back(name):
    result = compare(facts_report(), facts_report(facts(name)))
    assert _json(result)["added"] == [name]


def test_the_json_of_an_error():
    line = "".join(json_output.render_error(["a", "b\n\u2028"]))
    assert (len(line.splitlines()), json.loads(line)) == (
        1,
        {"verdict": "ERROR", "exitCode": 3, "errors": ["a", "b\n\u2028"]},
    )


@pytest.mark.parametrize("result", [ALL, QUIET, NOTHING], ids=["all", "quiet", "nothing"])
@pytest.mark.parametrize("width", [1, 5, 40, 80, 200])
@pytest.mark.parametrize("color", [True, False])
def test_the_summary_for_a_terminal(result, width, color):
    shown = console.render(result, strict=True, width=width, color=color)
    assert ("\x1b[" in shown) is color
    assert result.verdict.value.split("/")[0][0] in shown
    if not color:
        assert all(len(line) <= width for line in shown.splitlines())


def test_the_summary_for_a_terminal_says_what_to_look_at_first():
    shown = console.render(ALL, strict=False, width=100, color=False)
    assert shown.startswith("FAIL: do not merge (exit 1)\n")
    assert "More: evalgate signals REGRESSIONS" in shown
    assert "Look first: " in shown
    assert "nothing got worse in 1 compared case" in console.render(QUIET, strict=False, width=100, color=False)


def test_names_are_no_markup_and_no_escape_on_a_terminal():
    names = ["[red]x[/red]", ":tada:", "\x1b[31mred", "a\nb", "[link=http://x]y[/link]"]
    result = compare(facts_report(), facts_report(*(facts(name) for name in names)))
    shown = console.render(result, strict=False, width=200, color=False)
    for name in ("[red]x[/red]", ":tada:", r"\x1b[31mred", r"a\nb", "[link=http://x]y[/link]"):
        assert name in shown
    assert "\x1b" not in shown


def test_the_summary_for_a_terminal_is_short():
    result = compare(facts_report(), facts_report(*(facts(f"c{n}") for n in range(1000))))
    shown = console.render(result, strict=False, width=80, color=False)
    assert "... and 995 more" in shown
    assert len(shown.splitlines()) < 20


def test_the_listing_has_a_line_for_each_rule():
    lines = listing(SIGNALS).splitlines()
    assert [line.split()[:2] for line in lines] == [[one.severity.name, one.key] for one in SIGNALS]
    assert [line.rsplit("  ", 1)[-1] for line in lines] == [one.page.title for one in SIGNALS]


def test_a_page_says_how_the_rule_is_spelled_in_every_output():
    pages = {one.key: page(one) for one in SIGNALS}
    assert "Text: `FLAKY=N`, one `FLAKY_CASE ...` line per finding. JSON: `flakyCases`." in pages["FLAKY"]
    assert "WARN: exit code 0, and 2 with `--strict`." in pages["FLAKY"]
    assert "FAIL: exit code 1." in pages["REGRESSIONS"]
    assert "INFO: never moves the verdict." in pages["BASELINE_FAILING"]
    assert "`DSH_VERSION_CHANGED=BEFORE -> AFTER`, only when it fires" in pages["DSH_VERSION_CHANGED"]


def test_the_terminal_points_at_the_incident_first():
    """Two cases flaky by one crash: the shared cause is where to look, not either case."""
    after = [facts(name, flaky=True, attempts=2, signatures=("ENOENT@ensureSymlink",)) for name in ("a", "b")]
    result = compare(facts_report(facts("a"), facts("b")), facts_report(*after))
    shown = console.render(result, strict=False, width=200, color=False)
    assert "Incident: ENOENT@ensureSymlink: 2 attempts in 2 cases [a, b], 0 in baseline, recovered on retry" in shown
    assert "Look first: Look for what these cases share" in shown
