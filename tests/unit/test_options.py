"""The two thresholds."""

from decimal import Decimal
from fractions import Fraction

import pytest

from evalgate.options import DEFAULTS, GateOptions


def test_the_defaults_are_those_of_the_contract():
    assert DEFAULTS.token_pct == 50
    assert DEFAULTS.success_rate is None


@pytest.mark.parametrize("value", [0.1, Decimal("0.1"), Fraction(1, 10)])
def test_any_number_becomes_the_exact_one(value):
    options = GateOptions(max_token_increase_pct=value, min_trial_success_rate=value)
    assert (options.token_pct, options.success_rate) == (Fraction(1, 10), Fraction(1, 10))


def test_zero_percent_is_allowed_and_switches_off():
    assert GateOptions(max_token_increase_pct=0).token_pct == 0


@pytest.mark.parametrize("rate", [0, 1, 0.5])
def test_a_rate_is_a_share(rate):
    assert GateOptions(min_trial_success_rate=rate).success_rate == Fraction(rate)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"max_token_increase_pct": -1}, "max_token_increase_pct"),
        ({"max_token_increase_pct": float("nan")}, "finite"),
        ({"max_token_increase_pct": float("inf")}, "finite"),
        ({"min_trial_success_rate": -0.1}, "min_trial_success_rate"),
        ({"min_trial_success_rate": 1.0001}, "share"),
        ({"min_trial_success_rate": 80}, "share"),
    ],
)
def test_a_threshold_out_of_range_is_refused(fields, word):
    with pytest.raises(ValueError, match=word):
        GateOptions(**fields)
