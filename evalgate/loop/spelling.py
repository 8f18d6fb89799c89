"""
Measured values as text, and the templates that say which of them are shown.

A template is data of a gate set, and what it shows comes from a page that an agent wrote. So it is never evaluated: a
placeholder is a path of field names that is looked up in JSON objects and nothing else, a missing value is no error,
and every text has an end, whatever the value is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, isnan

from evalgate.numbers import number_text
from evalgate.plain import escape, shorten

LONGEST_VALUE = 240
"""Unit: characters of one value as it is shown."""
_DEEPEST = 3
_MOST_ITEMS = 12
"""Elements of an array or object that are shown."""

MISSING_VALUE = "–"
"""What stands for a value that is missing beside one that is there."""

_FIELD = r"[A-Za-z_][A-Za-z0-9_-]*"
_PART = re.compile(rf"\{{\{{|\}}\}}|\{{({_FIELD}(?:\.{_FIELD})*)\}}|[{{}}]")
_ABSENT = object()


def paths_of(template: str) -> tuple[tuple[str, ...], ...]:
    """
    Return the paths that a template names, in order: `{a} of {b.c}` gives (("a",), ("b", "c")).

    Raises `ValueError` with the rule when a brace in it is neither part of a placeholder nor doubled.
    """
    found = []
    for part in _PART.finditer(template):
        if part[1] is not None:
            found.append(tuple(part[1].split(".")))
        elif len(part[0]) == 1:
            raise ValueError("must have braces around field names only, such as {uncaught}; {{ is one brace")
    return tuple(found)


def fill(template: str, fields: Mapping[str, object]) -> str | None:
    """
    Return the template with its values, None when none of them is there.

    A single missing one is shown as a dash: "–" beside a number says more than a sentence that is not there. A value
    is put in once and not looked at again, so a brace in it stays a brace.
    """
    known = 0

    def value(part: re.Match[str]) -> str:
        nonlocal known
        if part[1] is None:
            return part[0][0]
        found = _look_up(fields, part[1].split("."))
        if found is _ABSENT:
            return MISSING_VALUE
        known += 1
        return shown(found)

    text = _PART.sub(value, template)
    return text if known else None


def filled(templates: Iterable[str], fields: Mapping[str, object]) -> list[str]:
    """Return those of the templates that have a value."""
    return [text for one in templates if (text := fill(one, fields)) is not None]


def _look_up(fields: Mapping[str, object], path: Sequence[str]) -> object:
    found: object = fields
    for step in path:
        if not isinstance(found, Mapping) or step not in found:
            return _ABSENT
        found = found[step]
    return found


def shown(value: object) -> str:
    """
    Return a value as JSON spells it, a text without its quotes: one line, at most `LONGEST_VALUE` characters of it.

    Total for every object, not only for what JSON can hold: NaN is `NaN`, what JSON does not know is named by its type.
    No more of the value is read than is shown.
    """
    if isinstance(value, str):
        return escape(shorten(value, LONGEST_VALUE))
    text = ""
    for part in _spelled(value, 0):
        text += part
        if len(text) > LONGEST_VALUE:
            return f"{text[:LONGEST_VALUE]}…"
    return text


def _spelled(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping | list | tuple):
        yield from _container(value, depth)
    elif isinstance(value, str):
        yield f'"{escape(shorten(value, LONGEST_VALUE))}"'
    else:
        yield _scalar(value)


def _container(value: Mapping[object, object] | Sequence[object], depth: int) -> Iterator[str]:
    is_object = isinstance(value, Mapping)
    opening, closing = ("{", "}") if is_object else ("[", "]")
    yield opening
    if depth >= _DEEPEST and value:
        yield "…"
    else:
        for position, key in enumerate(value):
            if position:
                yield ", "
            if position == _MOST_ITEMS:
                yield f"… ({len(value) - position} more)"
                break
            if isinstance(value, Mapping):
                # JSON has no other keys; what a caller of the library has is not asked to spell itself.
                yield f"{shown(key if isinstance(key, str) else _scalar(key))}: "
                yield from _spelled(value[key], depth + 1)
            else:
                yield from _spelled(key, depth + 1)
    yield closing


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    return f"a value of type {escape(shorten(type(value).__name__, 40))}"


def _number(value: float) -> str:
    """Return a number as JavaScript spells it, those too that JSON cannot hold."""
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    try:
        return number_text(value)
    except OverflowError:
        # A whole number of hundreds of digits, which Python may refuse to spell.
        return "a number beyond 1e308"
