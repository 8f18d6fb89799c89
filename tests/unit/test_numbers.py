"""Rounding and printing of numbers."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import pytest

from evalgate.numbers import (
    as_float,
    decimal_text,
    exact,
    half_away,
    number_text,
    plain_number,
    rounded_down,
    text_above,
)

LARGEST = 1.7976931348623157e308


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(25, 2), 0, "13"),
        (12.5, 0, "13"),
        (Fraction(-25, 2), 0, "-13"),
        (2.5, 0, "3"),
        (0.5, 0, "1"),
        (0.4999, 0, "0"),
        (Fraction(1, 2) - Fraction(1, 10**40), 0, "0"),
        (0.625, 2, "0.63"),
        (Fraction(5, 8), 2, "0.63"),
        (0.615, 2, "0.62"),  # the double lies below 0.615: a float would round it down
        (1.005, 2, "1.01"),
        (0.9, 2, "0.90"),
        (1, 2, "1.00"),
        (0, 2, "0.00"),
        (-0.001, 2, "0.00"),
        (-0.005, 2, "-0.01"),
        (0.05, 1, "0.1"),
        (60, 0, "60"),
        (10**30, 1, f"{10**30}.0"),
    ],
)
def test_half_away(value, digits, text):
    assert half_away(value, digits) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.6523, 2, "0.65"),
        (0.7999999, 2, "0.79"),
        (0.8, 2, "0.80"),
        (0.29, 2, "0.29"),  # 0.29 * 100 is 28.999999999999996 in floats
        (1.0, 4, "1.0000"),
        (0.0, 2, "0.00"),
        (0.009, 2, "0.00"),
        (-0.001, 2, "-0.01"),
        (Fraction(2, 3), 4, "0.6666"),
    ],
)
def test_rounded_down(value, digits, text):
    assert rounded_down(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1000, "1000"),
        (3.0, "3"),
        (0.5, "0.5"),
        (1e20, "100000000000000000000"),
        (10**20, "100000000000000000000"),
        (10**21, "1e+21"),
        (1e21, "1e+21"),
        (int(LARGEST), "1.7976931348623157e+308"),
    ],
)
def test_number_text(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, Fraction(1, 10)),
        (1e-7, Fraction(1, 10**7)),
        (2.5e10, Fraction(25 * 10**9)),
        (7, Fraction(7)),
        (Decimal("0.3"), Fraction(3, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_exact_is_what_was_written(value, expected):
    assert exact(value) == expected


@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_exact_refuses_what_is_not_finite(value):
    with pytest.raises(ValueError, match="finite"):
        exact(value)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (Fraction(60), 60),
        (Fraction(1, 2), 0.5),
        (Fraction(-7), -7),
        (Fraction(1, 3), 1 / 3),
        (Fraction(10**21), 10**21),
        (Fraction(10**25 + 1), 10**25 + 1),
        (Fraction(10**400), LARGEST),
        (Fraction(-(10**400)), -LARGEST),
    ],
)
def test_plain_number(value, number):
    found = plain_number(value)
    assert (found, type(found)) == (number, type(number))


def test_as_float_stays_finite():
    assert as_float(Fraction(10**400)) == LARGEST
    assert as_float(Fraction(-(10**400), 3)) == -LARGEST
    assert as_float(Fraction(1, 4)) == 0.25


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(50), "50"),
        (Fraction("0.8"), "0.8"),
        (Fraction("12.5"), "12.5"),
        (Fraction("0.95"), "0.95"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(2, 3), "0.666667"),
        (Fraction(1, 1024), "0.0009765625"),
        (Fraction(0), "0"),
        (Fraction(1), "1"),
    ],
)
def test_decimal_text(value, text):
    assert decimal_text(value) == text


@pytest.mark.parametrize(
    ("value", "bound", "text"),
    [
        ("60", "50", "60"),
        ("50.01", "50", "50.01"),
        ("50.5", "50", "51"),
        ("50.4", "50", "50.4"),
        ("50.0004", "50", "50.0004"),
        ("12.51", "12.5", "13"),
        ("0.001", "0", "0.001"),
        ("0.6", "0", "1"),
    ],
)
def test_text_above_is_seen_to_be_above(value, bound, text):
    """No reason says that 50 is more than 50."""
    assert text_above(Fraction(value), Fraction(bound)) == text


@pytest.mark.parametrize(
    "value", [Decimal("Infinity"), Decimal("-Infinity"), Decimal("NaN"), float("inf"), float("nan")]
)
def test_exact_refuses_decimals_that_are_not_finite(value):
    with pytest.raises(ValueError, match=r"finite|NaN"):
        exact(value)
