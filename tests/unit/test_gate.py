"""From findings to a verdict, and the sentences above the rules."""

import pytest

from evalgate.errors import NotComparableError
from evalgate.gate import by_severity, compare
from evalgate.options import GateOptions
from evalgate.report import LOOP_FORMAT, Trials
from evalgate.signals import SIGNALS
from evalgate.verdict import Verdict
from tests.builders import GENERAL, facts, facts_report


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([facts()], [facts()], "PASS"),
        ([facts()], [facts("a", "fail")], "FAIL"),
        ([facts()], [facts("a", "error")], "FAIL"),
        ([facts("a", "fail")], [facts("a", "fail")], "PASS"),
        ([facts("a", "fail")], [facts("a", "error")], "PASS"),
        ([facts("a", "fail")], [facts()], "WARN"),
        ([facts()], [facts(), facts("b")], "WARN"),
        ([facts()], [facts(), facts("b", "fail")], "FAIL"),
        ([facts(), facts("b")], [facts()], "WARN"),
        ([facts()], [facts(total_tokens=151)], "WARN"),
        ([facts()], [facts(total_tokens=150)], "PASS"),
        ([facts()], [facts(skipped_lines=1)], "WARN"),
        ([facts()], [facts(flaky=True)], "WARN"),
        ([facts(flaky=True)], [facts(flaky=True)], "PASS"),
        ([facts()], [facts(tool_errors=1)], "WARN"),
        ([facts()], [facts(signatures=("S", "S"))], "WARN"),
        ([facts()], [facts(trials=Trials(10, 9))], "PASS"),
        ([facts()], [facts("a", "fail"), facts("b", flaky=True)], "FAIL"),
        ([], [facts()], "WARN"),
        ([], [facts("a", "fail")], "FAIL"),
        ([], [], "N/A"),
        ([facts()], [], "N/A"),
        ([facts("a", "fail")], [], "N/A"),
    ],
)
def test_verdict_of_a_comparison(before, after, verdict):
    assert compare(facts_report(*before), facts_report(*after)).verdict.value == verdict


def test_a_version_change_alone_passes():
    result = compare(facts_report(facts(), dsh_version="1"), facts_report(facts(), dsh_version="2"))
    assert result.verdict is Verdict.PASS
    assert [one.signal.key for one in result.fired if one.findings] == ["DSH_VERSION_CHANGED"]


def test_without_a_before_report_nothing_is_compared_not_even_a_failure():
    result = compare(None, facts_report(facts("a", "fail"), facts("b", flaky=True)))
    assert (result.verdict, result.compared, result.before) == (Verdict.NOT_APPLICABLE, 0, None)
    assert [one.signal for one in result.fired] == list(GENERAL)
    assert [one.findings for one in result.fired] == [()] * len(GENERAL)
    assert result.reasons == ("there is no before report: nothing was compared",)


def test_an_empty_after_report_still_lists_what_is_gone():
    result = compare(facts_report(facts("a"), facts("b", "fail")), facts_report())
    found = {one.signal.key: one.findings for one in result.fired if one.findings}
    assert found == {"REMOVED": ("a", "b"), "BASELINE_FAILING": ("b",), "CASE_SET_CHANGED": ((0, 2, 2, 0),)}
    assert result.reasons[0] == "the after report holds no case: nothing was judged"


@pytest.mark.parametrize(
    ("before", "after", "compared"),
    [("ab", "ab", 2), ("ab", "bc", 1), ("ab", "cd", 0), ("", "a", 0), ("a", "", 0), ("abc", "cxbya", 3)],
)
def test_compared_counts_the_cases_on_both_sides(before, after, compared):
    result = compare(facts_report(*map(facts, before)), facts_report(*map(facts, after)))
    assert result.compared == compared


@pytest.mark.parametrize(("number", "text"), [(1, "1 compared case"), (2, "2 compared cases")])
def test_a_pass_says_how_much_was_compared(number, text):
    run = facts_report(*(facts(str(one)) for one in range(number)))
    assert compare(run, run).reasons == (f"nothing got worse in {text}",)


def test_nothing_in_common_is_said_first():
    reasons = compare(facts_report(facts("a")), facts_report(facts("b"))).reasons
    assert reasons[0].startswith("no case is in both reports")
    assert len(reasons) == 3


def test_every_rule_is_in_the_result_in_the_order_of_the_registry():
    result = compare(facts_report(facts()), facts_report(facts()))
    assert [one.signal.key for one in result.fired] == [one.key for one in GENERAL]


def test_a_rule_of_one_format_is_in_no_other_result():
    """Not even as N/A: a report without a loop has not failed to count its repairs."""
    loop = facts_report(facts(), format=LOOP_FORMAT, tool=LOOP_FORMAT)
    assert [one.signal for one in compare(loop, loop).fired] == list(SIGNALS)
    assert [one.signal for one in compare(None, loop).fired] == list(SIGNALS)
    assert {one.format for one in SIGNALS} == {None, LOOP_FORMAT}


@pytest.mark.parametrize("allow_mixed", [True, False])
@pytest.mark.parametrize("other", [{}, {"format": "ctrf", "tool": LOOP_FORMAT}])
@pytest.mark.parametrize("turned", [True, False])
def test_a_loop_report_is_compared_with_none_of_another_tool(allow_mixed, other, turned):
    loop, foreign = facts_report(facts(), format=LOOP_FORMAT, tool=LOOP_FORMAT), facts_report(facts(), **other)
    before, after = (foreign, loop) if turned else (loop, foreign)
    with pytest.raises(NotComparableError) as caught:
        compare(before, after, GateOptions(allow_mixed=allow_mixed))
    assert caught.value.faults[-1] == (
        "a report of evalgate-loop is compared with none of another tool, with --allow-mixed neither"
    )


def test_fired_rules_come_most_severe_first_then_in_the_order_of_the_registry():
    before = facts_report(facts("a"), facts("gone"), facts("weak", flaky=True), facts("bad", "fail"), dsh_version="1")
    after = facts_report(
        facts("a", "fail"),
        facts("new", "error"),
        facts("weak"),
        facts("bad"),
        facts("shaky", flaky=True),
        dsh_version="2",
    )
    result = compare(before, after)
    order = [
        "REGRESSIONS",
        "NEW_FAILURES",
        "IMPROVEMENTS",
        "ADDED",
        "REMOVED",
        "FLAKY",
        "BASELINE_FLAKY",
        "BASELINE_FAILING",
        "DSH_VERSION_CHANGED",
        "CASE_SET_CHANGED",
    ]
    assert [one.signal.key for one in result.by_severity()] == order
    assert [one.signal.key for one in by_severity(result.fired)] == order


def test_the_options_reach_the_rules():
    before, after = facts_report(facts(total_tokens=100)), facts_report(facts(total_tokens=111, trials=Trials(3, 3)))
    strict = GateOptions(max_token_increase_pct=10, min_trial_success_rate=0.9)
    result = compare(before, after, strict)
    assert [one.signal.key for one in result.fired if one.findings] == ["TOKEN_REGRESSIONS", "UNRELIABLE", "TRIALS"]
    assert result.options is strict
    assert compare(before, after).verdict is Verdict.PASS
