"""
How numbers are rounded and printed, in one place.

Python rounds ties to even and a float carries its binary error; the contract rounds half away from zero, floors a
bound, and decides in exact arithmetic. Every number that reaches an output passes through here.
"""

from decimal import Decimal
from fractions import Fraction
from math import isfinite

Number = int | float
"""A finite JSON number. Integral ones are `int` whatever their spelling: `3.0` is 3."""

_LARGEST_DOUBLE = 1.7976931348623157e308
_LARGEST_PLAIN = 10**21
"""From here on JavaScript, which wrote the reports, prints an exponent (ECMA-262, Number::toString)."""


def exact(value: Number | Fraction | Decimal) -> Fraction:
    """
    Return the exact rational value; raise `ValueError` for infinities and NaN.

    A float counts as the shortest decimal that reads back as it, which is what the report or the person wrote:
    0.1 is one tenth here, not the double next to it, so "exactly 50 %" means what it says.
    """
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"must be finite, not {value}")
        return Fraction(repr(value))
    try:
        return Fraction(value)
    except OverflowError as fault:
        raise ValueError(f"must be finite, not {value}") from fault


def as_float(value: Fraction) -> float:
    """Return the nearest double, the largest finite one where the value lies beyond it: JSON has no infinity."""
    try:
        return float(value)
    except OverflowError:
        return _LARGEST_DOUBLE if value > 0 else -_LARGEST_DOUBLE


def plain_number(value: Fraction) -> Number:
    """Return an `int` for a whole number, else the nearest double."""
    return int(value) if value.denominator == 1 and abs(value) <= _LARGEST_DOUBLE else as_float(value)


def number_text(value: Number) -> str:
    """Return a token total or a count as a report's reader knows it: `1000`, `0.5`, `1e+21`."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_PLAIN:
        value = int(value)
    if isinstance(value, int):
        return str(value) if abs(value) < _LARGEST_PLAIN else f"{float(value)!r}"
    return repr(value)


def half_away(value: Number | Fraction, digits: int) -> str:
    """Return `value` with `digits` decimals, ties away from zero: 12.5 is 13, 0.625 is 0.63."""
    scaled = exact(value) * 10**digits
    size = (2 * abs(scaled.numerator) + scaled.denominator) // (2 * scaled.denominator)
    return _with_point(size if scaled >= 0 else -size, digits)


def rounded_down(value: Number | Fraction, digits: int) -> str:
    """Return `value` with `digits` decimals, never above it: a printed bound must not reach its threshold."""
    scaled = exact(value) * 10**digits
    return _with_point(scaled.numerator // scaled.denominator, digits)


def text_above(value: Fraction, bound: Fraction) -> str:
    """Return `value`, which lies above `bound`, with as few decimals as let it be seen to: 50.01 beside 50, not 50."""
    digits = 0
    while Fraction(half_away(value, digits)) <= bound:
        digits += 1
    return half_away(value, digits)


def _with_point(units: int, digits: int) -> str:
    """Spell an integer number of 10^-digits; integers throughout, so that no decimal context decides a digit."""
    sign, size = ("-" if units < 0 else ""), abs(units)
    if digits == 0:
        return f"{sign}{size}"
    whole, part = divmod(size, 10**digits)
    return f"{sign}{whole}.{part:0{digits}d}"


def decimal_text(value: Fraction) -> str:
    """Return a threshold as it was typed: `0.8`, `50`, `12.5`; one without a finite decimal to 6 places, rounded."""
    rest = value.denominator
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    if rest != 1:
        return half_away(value, 6)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    return half_away(value, digits)
