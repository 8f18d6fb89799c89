"""Rounding and the Wilson bound against independent implementations."""

from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, localcontext
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from evalgate.numbers import decimal_text, exact, half_away, number_text, plain_number, rounded_down
from evalgate.wilson import Z, lower_bound, trials_needed

WIDE = Context(prec=900)
decimals = st.decimals(-(10**20), 10**20, allow_nan=False, allow_infinity=False, places=6)
floats = st.floats(allow_nan=False, allow_infinity=False)


def _quantized(value, digits, rounding):
    with localcontext(WIDE):
        found = value.quantize(Decimal(1).scaleb(-digits), rounding=rounding)
        return f"{abs(found):f}" if found == 0 else f"{found:f}"


@given(decimals, st.integers(0, 4))
def test_half_away_as_decimal_rounds(value, digits):
    assert half_away(Fraction(value), digits) == _quantized(value, digits, ROUND_HALF_UP)


@given(decimals, st.integers(0, 4))
def test_rounded_down_as_decimal_rounds(value, digits):
    assert rounded_down(Fraction(value), digits) == _quantized(value, digits, ROUND_FLOOR)


@given(floats, st.integers(0, 4))
def test_floats_are_rounded_as_they_are_written(value, digits):
    assert half_away(value, digits) == _quantized(Decimal(repr(value)), digits, ROUND_HALF_UP)
    assert rounded_down(value, digits) == _quantized(Decimal(repr(value)), digits, ROUND_FLOOR)


@given(floats)
def test_exact_reads_back(value):
    assert exact(value) == Fraction(Decimal(repr(value)))
    assert float(exact(value)) == value


@given(st.integers(-(10**25), 10**25) | floats)
def test_number_text_reads_back(value):
    assert float(number_text(value)) == float(value)


@given(st.fractions() | st.integers(-(10**23), 10**23).map(Fraction))
def test_plain_number_is_the_nearest(value):
    found = plain_number(value)
    whole = value.denominator == 1
    assert isinstance(found, int) is whole
    assert found == (value if whole else float(value))


@given(decimals)
def test_a_threshold_is_printed_as_it_was_typed(value):
    assert Decimal(decimal_text(Fraction(value))) == value


def _textbook(passes, trials):
    """Return the bound as the books have it, with 60 digits and the same z."""
    with localcontext(Context(prec=60)):
        n, z = Decimal(trials), Decimal(Z)
        p = Decimal(passes) / n
        root = (p * (1 - p) / n + z * z / (4 * n * n)).sqrt()
        return max(Decimal(0), (p + z * z / (2 * n) - z * root) / (1 + z * z / n))


@st.composite
def trials_and_passes(draw, largest):
    trials = draw(st.integers(1, largest))
    return draw(st.integers(0, trials)), trials


@given(trials_and_passes(1000) | trials_and_passes(10**12))
def test_the_bound_is_the_textbooks(counts):
    passes, trials = counts
    expected = _textbook(passes, trials)
    assert abs(Decimal(lower_bound(passes, trials)) - expected) <= Decimal("1e-14") * expected + Decimal("1e-40")


def test_z_is_the_quantile():
    from statistics import NormalDist

    assert abs(NormalDist().cdf(Z) - 0.95) < 1e-15


@given(trials_and_passes(10**6))
def test_the_bound_is_a_share_below_the_rate(counts):
    passes, trials = counts
    bound = lower_bound(passes, trials)
    assert 0 <= bound <= passes / trials
    assert (bound == 0) is (passes == 0)


@given(trials_and_passes(3000))
def test_one_more_pass_raises_the_bound(counts):
    passes, trials = counts
    if passes < trials:
        assert lower_bound(passes, trials) < lower_bound(passes + 1, trials)


@given(st.integers(1, 3000), st.integers(2, 5))
def test_more_evidence_for_the_same_rate_raises_the_bound(trials, times):
    assert lower_bound(trials, trials) < lower_bound(times * trials, times * trials)


@given(st.fractions(0, Fraction(9999, 10000), max_denominator=10**6))
def test_trials_needed_is_the_smallest_number_that_reaches(threshold):
    needed = trials_needed(threshold)
    assert needed is not None
    assert lower_bound(needed, needed) >= threshold
    assert needed == 1 or lower_bound(needed - 1, needed - 1) < threshold


@given(st.fractions(0, 1, max_denominator=1000), trials_and_passes(300))
def test_a_reason_never_says_that_a_bound_is_below_itself(threshold, counts):
    """The printed bound is floored, so that it stays below a threshold with as many digits."""
    bound = lower_bound(*counts)
    if Fraction(bound) < threshold:
        assert Fraction(rounded_down(bound, 4)) < threshold
