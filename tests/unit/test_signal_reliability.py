"""Unreliable cases: the Wilson lower bound against the operator's threshold."""

from fractions import Fraction

import pytest

from evalgate.report import Trials
from evalgate.signals.reliability import SIGNAL, Unreliable, find
from evalgate.verdict import Severity
from evalgate.wilson import lower_bound
from tests.builders import facts, pair


def _find(passes, trials, threshold):
    case = facts("i", "pass" if passes else "fail", trials=Trials(trials, passes))
    return find(pair([], [case], min_trial_success_rate=threshold))


@pytest.mark.parametrize(
    ("passes", "trials", "threshold", "fires"),
    [
        (9, 10, "0.8", True),
        (9, 10, "0.65", False),
        (9, 10, "0.6523", True),  # the bound is 0.65228...
        (9, 10, "0.6522", False),
        (10, 10, "0.8", True),  # out of reach with 10 trials
        (11, 11, "0.8", False),
        (24, 24, "0.9", True),
        (25, 25, "0.9", False),
        (51, 51, "0.95", True),
        (52, 52, "0.95", False),
        (10**6, 10**6, "1", True),
        (0, 10, "0", False),
        (0, 10, "0.0001", True),
    ],
)
def test_unreliable_by_threshold(passes, trials, threshold, fires):
    found = _find(passes, trials, Fraction(threshold))
    bound = lower_bound(passes, trials)
    assert found == ([Unreliable("i", Trials(trials, passes), bound)] if fires else [])


def test_a_bound_that_equals_the_threshold_has_reached_it():
    bound = Fraction(lower_bound(9, 10))
    assert _find(9, 10, bound) == []
    assert len(_find(9, 10, bound + Fraction(1, 10**30))) == 1


def test_unreliable_is_off_without_a_threshold():
    assert find(pair([], [facts("i", "fail", trials=Trials(10, 0))])) == []


def test_unreliable_needs_trials():
    assert find(pair([], [facts("i", "fail", attempts=3)], min_trial_success_rate=1)) == []


def test_unreliable_looks_at_the_after_report_alone_and_keeps_its_order():
    weak = Trials(10, 1)
    after = [facts("z", trials=weak), facts("good", trials=Trials(100, 100)), facts("a", trials=weak)]
    for before in ([], after, [facts("only-before", trials=weak)]):
        found = find(pair(before, after, min_trial_success_rate=Fraction("0.8")))
        assert [one.name for one in found] == ["z", "a"]


def test_unreliable_outputs():
    found = Unreliable("i", Trials(10, 9), lower_bound(9, 10))
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode(found) == {"name": "i", "successRate": 0.9, "lowerBound": lower_bound(9, 10), "trials": 10}
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail(found)}" == ("UNRELIABLE_CASE i: successRate 0.90 (Wilson lower 0.65, n=10)")
    assert (SIGNAL.key, SIGNAL.json_field) == ("UNRELIABLE", "unreliableCases")


def test_unreliable_rate_is_rounded_half_away_and_bound_down():
    found = Unreliable("i", Trials(8, 5), 0.6999)
    assert SIGNAL.detail is not None
    assert SIGNAL.detail(found) == "i: successRate 0.63 (Wilson lower 0.69, n=8)"


@pytest.mark.parametrize(
    ("passes", "trials", "threshold", "says", "never"),
    [
        (9, 10, "0.8", "it would take 11", "no number"),
        (20, 24, "0.9", "it would take 25", "no number"),
        (5, 30, "0.8", "below the threshold 0.8", "it would take"),
        (10, 10, "1", "no number of trials can reach", "it would take"),
        (11, 12, "0.8", "below the threshold 0.8", "it would take"),
        (10, 11, "0.8", "below the threshold 0.8", "it would take"),
    ],
)
def test_unreliable_reason(passes, trials, threshold, says, never):
    (found,) = _find(passes, trials, Fraction(threshold))
    options = pair([], [], min_trial_success_rate=Fraction(threshold)).options
    (reason,) = SIGNAL.reasons([found], options)
    assert f"passed {passes} of {trials} trials" in reason
    assert says in reason
    assert never not in reason


def test_unreliable_reason_never_prints_a_bound_that_reaches_its_threshold():
    """0.65228... is below 0.6523, and a rounded bound would read "0.6523 is below 0.6523"."""
    (found,) = _find(9, 10, Fraction("0.6523"))
    (reason,) = SIGNAL.reasons([found], pair([], [], min_trial_success_rate=Fraction("0.6523")).options)
    assert "Wilson lower bound 0.6522, below the threshold 0.6523" in reason
