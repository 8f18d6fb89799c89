"""Token regressions: more than pct percent more tokens, decided exactly."""

from fractions import Fraction

import pytest

from evalgate.signals.token_regression import SIGNAL, TokenRegression, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


def _find(before, after, **options):
    return find(pair([facts("a", total_tokens=before)], [facts("a", total_tokens=after)], **options))


@pytest.mark.parametrize(
    ("before", "after", "pct", "fires"),
    [
        (1000, 1500, 50, False),
        (1000, 1501, 50, True),
        (1000, 1499, 50, False),
        (1000, 1600, 50, True),
        (1000, 1000, 50, False),
        (1000, 10, 50, False),
        (1000, 10**9, 0, False),  # 0 switches it off
        (1000, 1001, Fraction(1, 1000), True),
        (0, 1000, 50, False),
        (0.0, 1000, 50, False),
        (0.5, 0.75, 50, False),
        (0.5, 0.7500001, 50, True),
        (0.1, 0.15, 50, False),  # in floats the increase is 49.99... or 50.00...
        (0.1, 0.3, 200, False),  # 0.3 / 0.1 is 2.9999999999999996 in floats
        (0.7, 0.77, 10, False),
        (3, 4, 33, True),
        (3, 4, Fraction(100, 3), False),
        (3, 4, Fraction("33.3"), True),
        (10**30, 15 * 10**29, 50, False),
        (10**30, 15 * 10**29 + 1, 50, True),  # one token more, far beyond a double's digits
        (100, 101, 1, False),
        (5e-324, 1e308, 50, True),
    ],
)
def test_token_regression_by_threshold(before, after, pct, fires):
    found = _find(before, after, max_token_increase_pct=pct)
    assert found == ([TokenRegression("a", before, after)] if fires else [])


def test_token_regression_is_held_against_50_by_default():
    assert _find(1000, 1500) == []
    assert len(_find(1000, 1501)) == 1


@pytest.mark.parametrize(
    ("before", "after", "fires"),
    [
        ("pass", "pass", True),
        ("fail", "fail", True),
        ("error", "error", True),
        ("pass", "fail", False),
        ("fail", "pass", False),
        ("fail", "error", False),
        ("error", "fail", False),
    ],
)
def test_token_regression_needs_the_same_status(before, after, fires):
    found = find(pair([facts("a", before, total_tokens=10)], [facts("a", after, total_tokens=100)]))
    assert bool(found) is fires


def test_token_regressions_leave_unmatched_cases_out_and_keep_the_order_of_the_after_report():
    before = [facts(name, total_tokens=10) for name in ("a", "b", "c", "gone")]
    after = [facts(name, total_tokens=100) for name in ("c", "new", "b", "a")]
    assert [one.name for one in find(pair(before, after))] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [(1000, 1600, "+60%"), (1000, 1125, "+13%"), (1000, 1124, "+12%"), (1, 3, "+200%"), (1000, 1004, "+0%")],
)
def test_token_regression_is_shown_rounded_half_away(before, after, shown):
    found = TokenRegression("f", before, after)
    assert found.shown_pct == shown
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail(found)}" == f"TOKEN_REGRESSION f: total {before} -> {after} ({shown})"


def test_token_regression_outputs():
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode(TokenRegression("f", 1000, 1600)) == {
        "name": "f",
        "before": 1000,
        "after": 1600,
        "increasePct": 60,
    }
    assert SIGNAL.encode(TokenRegression("f", 8, 9)) == {"name": "f", "before": 8, "after": 9, "increasePct": 12.5}
    assert (SIGNAL.key, SIGNAL.json_field) == ("TOKEN_REGRESSIONS", "tokenRegressions")


def test_token_regression_reason_names_the_worst():
    found = [TokenRegression("a", 10, 20), TokenRegression("b", 10, 40), TokenRegression("c", 10, 30)]
    (reason,) = SIGNAL.reasons(found, pair([], []).options)
    assert "50%" in reason
    assert reason.endswith("+300% (b)")
