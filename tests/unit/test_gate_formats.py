"""The judgement of reports that do not carry everything, differ in kind, or hold trials."""

import pytest

from evalgate import compare
from evalgate.errors import NotComparableError
from evalgate.gate import status_by_policy
from evalgate.options import GateOptions, TrialPolicy
from evalgate.render import json as json_output
from evalgate.render import text as text_output
from evalgate.report import ALL_FACTS, Fact, Status, Trials
from tests.builders import facts, facts_report

NOTHING = frozenset[Fact]()


def _foreign(*cases, **fields):
    return facts_report(*cases, **{"format": "ctrf", "tool": "pytest", **fields})


def _lines(result):
    return "".join(text_output.render(result, strict=False)).splitlines()


def test_a_rule_without_its_facts_does_not_run():
    before = _foreign(facts("a", total_tokens=100), carries=NOTHING)
    after = _foreign(
        facts("a", total_tokens=900, flaky=True, tool_errors=1, signatures=("S", "S"), trials=Trials(2, 1)),
        carries=NOTHING,
    )
    result = compare(before, after, GateOptions(min_trial_success_rate=1))
    assert result.verdict.value == "PASS"
    assert result.unavailable == tuple(Fact)
    assert {one.signal.key: one.findings for one in result.fired if not one.ran} == dict.fromkeys(
        [
            "TOKEN_REGRESSIONS",
            "SKIPPED_LINE_INCREASES",
            "FLAKY",
            "TOOL_ERROR_RECOVERIES",
            "REPEATED_ERROR_SIGNATURES",
            "BASELINE_FLAKY",
            "UNRELIABLE",
            "DSH_VERSION_CHANGED",
            "FLAKY_WORSENED",
            "TRIALS",
        ],
        (),
    )
    lines = _lines(result)
    assert "TOKEN_REGRESSIONS=N/A" in lines
    assert "SIGNALS_UNAVAILABLE=tokens,tool_errors,skipped_lines,flaky,signatures,trials,version" in lines
    assert "REGRESSIONS=0" in lines


@pytest.mark.parametrize("fact", Fact)
@pytest.mark.parametrize("lacking", ["before", "after", "both", "none"])
def test_what_a_side_lacks(fact, lacking):
    some = ALL_FACTS - {fact}
    before = _foreign(facts("a"), carries=some if lacking in ("before", "both") else ALL_FACTS)
    after = _foreign(facts("a"), carries=some if lacking in ("after", "both") else ALL_FACTS)
    if fact is Fact.FLAKY:
        expected = lacking == "both"
    elif fact is Fact.SIGNATURES:
        expected = lacking in ("after", "both")
    else:
        expected = lacking != "none"
    assert compare(before, after).unavailable == ((fact,) if expected else ())


def test_retries_that_only_the_new_run_tells_of_are_new():
    """Surefire writes a flaky element when there is one: a file without any is one in which nothing was flaky."""
    before = _foreign(facts("a"), carries=NOTHING)
    after = _foreign(facts("a", flaky=True), carries=frozenset({Fact.FLAKY}))
    assert "FLAKY=1" in _lines(compare(before, after))
    other = _foreign(facts("a"), carries=NOTHING, tool="surefire")
    assert "FLAKY=N/A" in _lines(compare(other, after, GateOptions(allow_mixed=True)))


def test_tokens_of_two_formats_are_never_compared():
    before, after = facts_report(facts("a", total_tokens=10)), _foreign(facts("a", total_tokens=1000))
    result = compare(before, after, GateOptions(allow_mixed=True))
    assert result.unavailable == (Fact.TOKENS,)
    assert "TOKEN_REGRESSIONS=N/A" in _lines(result)


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ({"format": "junit"}, {}, "before is a report of the format junit, after of ctrf"),
        ({"tool": "jest"}, {}, "before was written by jest, after by pytest"),
        ({"suite": "x by match"}, {"suite": "x by f1"}, "before measured x by match, after x by f1"),
        ({}, {"suite": "x"}, "before measured what it does not name, after x"),
    ],
)
def test_reports_that_measure_different_things(before, after, difference):
    one, other = _foreign(facts("a"), **before), _foreign(facts("a"), **after)
    with pytest.raises(NotComparableError) as caught:
        compare(one, other)
    assert caught.value.faults[0] == f"the reports cannot be compared: {difference}"
    assert "--allow-mixed" in caught.value.faults[-1]
    result = compare(one, other, GateOptions(allow_mixed=True))
    assert tuple(map(str, result.mixed)) == (difference,)
    assert f"MIXED={difference}" in _lines(result)


def test_a_newer_harness_is_no_other_producer():
    assert compare(facts_report(facts("a")), facts_report(facts("a"), harness_version="9")).mixed == ()


@pytest.mark.parametrize(
    ("policy", "passes", "holds"),
    [
        ("any", 0, False),
        ("any", 1, True),
        ("majority", 1, False),
        ("majority", 2, False),
        ("majority", 3, True),
        ("all", 3, False),
        ("all", 4, True),
    ],
)
def test_a_policy(policy, passes, holds):
    assert TrialPolicy(policy).holds(passes, 4) is holds


@pytest.mark.parametrize("policy", TrialPolicy)
@pytest.mark.parametrize("status", Status)
def test_a_policy_is_about_trials_only(policy, status):
    assert status_by_policy(status, None, policy) is status


def test_a_policy_judges_both_reports():
    before = facts_report(facts("a", trials=Trials(3, 3)), facts("b", trials=Trials(3, 1)))
    after = facts_report(facts("a", trials=Trials(3, 2), flaky=True), facts("b", trials=Trials(3, 1)))
    assert compare(before, after).verdict.value == "WARN"
    result = compare(before, after, GateOptions(trial_policy=TrialPolicy.ALL))
    lines = _lines(result)
    assert "REGRESSION a: pass -> fail" in lines
    assert "BASELINE_FAILING_CASE b" in lines
    assert "FLAKY=0" in lines, "a failing case is never flaky"
    assert "OVERALL=WARN" in _lines(compare(before, after, GateOptions(trial_policy=TrialPolicy.MAJORITY)))


def test_an_error_stays_one():
    before = facts_report(facts("a", trials=Trials(2, 2)))
    after = facts_report(facts("a", "error", trials=Trials(2, 0)))
    lines = _lines(compare(before, after, GateOptions(trial_policy=TrialPolicy.ALL)))
    assert "REGRESSION a: pass -> error" in lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ((100, 1), (300, 3), None),
        ((100, 1), (451, 3), "total 300 -> 451 (+50%)"),
        ((300, 3), (100, 1), None),
        ((300, 3), (151, 1), "total 100 -> 151 (+51%)"),
        ((100, None), (300, 3), None),
        ((100, 3), (151, 3), "total 100 -> 151 (+51%)"),
        ((0, 1), (300, 3), None),
    ],
)
def test_tokens_of_more_trials_are_compared_per_trial(before, after, found):
    def run(total, trials):
        return _foreign(
            facts("a", total_tokens=total, trials=None if trials is None else Trials(trials, trials)),
            tokens_summed=True,
        )

    lines = [line for line in _lines(compare(run(*before), run(*after))) if line.startswith("TOKEN_REGRESSION ")]
    assert lines == ([] if found is None else [f"TOKEN_REGRESSION a: {found}"])


def test_a_part_of_a_run_is_never_a_pass():
    whole = _foreign(facts("a"))
    part = _foreign(facts("a"), incomplete=("status is cancelled", "2 of 3\nOVERALL=PASS"))
    lines = _lines(compare(whole, part))
    assert lines[0] == "OVERALL=WARN"
    assert "INCOMPLETE_AFTER=status is cancelled" in lines
    assert r"INCOMPLETE_AFTER=2 of 3\nOVERALL=PASS" in lines
    reversed_lines = _lines(compare(part, whole))
    assert reversed_lines[0] == "OVERALL=PASS"
    assert "INCOMPLETE_BEFORE=status is cancelled" in reversed_lines


def test_a_case_that_is_skipped_now_is_gone_and_said_to_be_skipped():
    lines = _lines(compare(_foreign(facts("a"), facts("b")), _foreign(facts("a"), not_run=("b",))))
    assert {"OVERALL=WARN", "REMOVED_CASE b", "NOT_RUN=1", "NOT_RUN b"} <= set(lines)


def test_nothing_but_skipped_cases_is_nothing_judged():
    lines = _lines(compare(_foreign(facts("a")), _foreign(not_run=("a",))))
    assert lines[:2] == ["OVERALL=N/A", "EXIT_CODE=2"]


def test_without_a_baseline_it_is_said_what_could_not_be_judged():
    result = compare(None, _foreign(facts("a"), carries=NOTHING))
    assert result.unavailable == tuple(Fact)
    assert "FLAKY=N/A" in _lines(result)


def test_json_tells_the_same():
    import json

    after = _foreign(facts("a"), carries=NOTHING, incomplete=("cut",), not_run=("z",), notes=("n",), shards=3)
    result = compare(_foreign(facts("a"), shards=2), after)
    found = json.loads("".join(json_output.render(result, strict=True)))
    assert found["signalsUnavailable"] == ["tokens", "tool_errors", "skipped_lines", "signatures", "trials", "version"]
    assert found["tokenRegressions"] is None
    assert found["flakyCases"] == []
    assert (found["incompleteAfter"], found["notRun"], found["notes"]) == (["cut"], ["z"], ["n"])
    assert (found["shardsBefore"], found["shards"]) == (2, 3)
    assert "mixed" not in found
