"""Measured values as text, and the templates that show them."""

import pytest

from evalgate.loop.spelling import LONGEST_VALUE, fill, filled, paths_of, shown

DEEP: list[object] = []
for _ in range(50_000):
    DEEP = [DEEP]
CIRCLE: list[object] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-3, "-3"),
        (3.0, "3"),
        (0.5, "0.5"),
        (-0.0, "0"),
        (1e300, "1e+300"),
        (10**21, "1e+21"),
        (10**400, "a number beyond 1e308"),
        (10**5000, "a number beyond 1e308"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        ("", ""),
        ("a b", "a b"),
        ("a\nb\x1b\u202e", "a\\nb\\x1b\\u202e"),
        ([], "[]"),
        ({}, "{}"),
        (["a", 1, None], '["a", 1, null]'),
        (("a",), '["a"]'),
        ({"a": {"b": [1]}}, "{a: {b: [1]}}"),
        ({"a": {"b": {"c": {"d": 1}}}}, "{a: {b: {c: {…}}}}"),
        ({"a": {"b": {"c": {}}}}, "{a: {b: {c: {}}}}"),
        ({1: 2}, "{1: 2}"),
        ({10**5000: 2}, "{a number beyond 1e308: 2}"),
        ([0] * 13, "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, … (1 more)]"),
        (DEEP, "[[[[…]]]]"),
        (CIRCLE, "[[[[…]]]]"),
        ({1, 2}, "a value of type set"),
        (object(), "a value of type object"),
        (b"x", "a value of type bytes"),
    ],
    ids=lambda _: "",
)
def test_shown(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, ["x" * 10**6] * 12, {"k" * 10**6: 1}, [["y" * 100] * 12] * 12, "\x1b" * 1000, {"a": "\n" * 10**5}],
    ids=range(6),
)
def test_no_value_is_long(value):
    """A control character is four when spelled out, and what was cut off is counted."""
    assert len(shown(value)) <= 4 * LONGEST_VALUE + 40


@pytest.mark.parametrize(
    ("template", "fields", "text"),
    [
        ("uncaught {uncaught}", {"uncaught": 2}, "uncaught 2"),
        ("{a}", {}, None),
        ("{a} of {b}", {"b": 3}, "– of 3"),
        ("{a} of {b}", {"a": None}, "null of –"),
        ("{a.b}", {"a": {"b": 1}}, "1"),
        ("{a.b}", {"a": 1}, None),
        ("{a.b}", {"a": []}, None),
        ("{a.b}", {"a.b": 1}, None),
        ("{a.__class__}", {"a": "x"}, None),
        ("{{{a}}}", {"a": 1}, "{1}"),
        ("{a}", {"a": "{b} {0.__class__}", "b": "no"}, "{b} {0.__class__}"),
        ("{a}{a}", {"a": "{a}"}, "{a}{a}"),
        ("no value", {"a": 1}, None),
        ("{a-b_c}", {"a-b_c": 1}, "1"),
    ],
)
def test_fill(template, fields, text):
    """A value is put in as it is: nothing in it is a placeholder, and no attribute of it is ever looked at."""
    assert fill(template, fields) == text


def test_what_has_no_value_is_left_out():
    assert filled(["a {a}", "b {b}", "c {c}"], {"a": 1, "c": 3}) == ["a 1", "c 3"]


@pytest.mark.parametrize(
    ("template", "paths"),
    [
        ("", ()),
        ("x", ()),
        ("{{x}}", ()),
        ("{a}", (("a",),)),
        ("{b.c} {a} {a}", (("b", "c"), ("a",), ("a",))),
        ("{{{a}}}", (("a",),)),
    ],
)
def test_paths_of(template, paths):
    assert paths_of(template) == paths


@pytest.mark.parametrize(
    "template", ["{", "}", "{}", "{0}", "{a", "a}", "{a!r}", "{a:>9}", "{a[0]}", "{a b}", "{.a}", "{a.}"]
)
def test_other_braces_are_refused(template):
    """What Python's own formatting would obey (conversions, indices, attributes) is no template at all."""
    with pytest.raises(ValueError, match="must have braces around field names only"):
        paths_of(template)
