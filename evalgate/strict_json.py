"""
JSON as RFC 8259 has it, finite numbers only, out of bytes.

Python's decoder accepts more (NaN, Infinity, 1e999 as infinity) and gives up in its own ways on deep nesting and on
numbers of thousands of digits; here each of these is a fault with a name.
"""

import json
from math import inf, isfinite, nan
from typing import Any, NamedTuple

from evalgate.errors import ReportError

_LONGEST_NUMBER = 1000
"""Unit: characters. A finite double has at most 309 digits before the point; what is longer was not written by one."""

_TEXT_ENCODINGS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


class NotFinite(float):
    """A number that is refused, with what the file says."""

    # Small: a file may hold nothing else.
    __slots__ = ("literal",)

    literal: str


class Document(NamedTuple):
    """One JSON value."""

    value: Any
    """Numbers that are not finite stand in it as `NotFinite`, so that the place of each can be named."""
    bad_numbers: tuple[str, ...]
    """The literals of those numbers, wherever they stand, in order."""


def decode(label: str, data: bytes, *, unique_keys: bool = False) -> Document:
    """
    Return the JSON value that `data` holds; raise `ReportError` when it is not exactly one JSON value in UTF-8.

    With `unique_keys` an object that has a key twice is a fault, too: the later one wins in Python as in JavaScript,
    so a `"pass": false` can hide in front of a `"pass": true`.
    """
    bad: list[str] = []

    def not_finite(literal: str) -> NotFinite:
        number = NotFinite(nan if literal == "NaN" else -inf if literal.startswith("-") else inf)
        number.literal = literal if len(literal) <= _SHOWN else f"{literal[:_SHOWN]}... ({len(literal)} characters)"
        bad.append(number.literal)
        return number

    def integer(literal: str) -> int | float:
        if len(literal) > _PLAIN_DIGITS and (len(literal) > _LONGEST_NUMBER or not _fits_double(literal)):
            return not_finite(literal)
        return int(literal)

    def real(literal: str) -> float:
        value = float(literal)
        return value if isfinite(value) and len(literal) <= _LONGEST_NUMBER else not_finite(literal)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise ReportError([f"{label}: must not have a key twice in one object (got {json.dumps(twice[:_SHOWN])})"])
        return found

    text = _text(label, data)
    hook = unique if unique_keys else None
    try:
        value = json.loads(text, parse_int=integer, parse_float=real, parse_constant=not_finite, object_pairs_hook=hook)
    except json.JSONDecodeError as fault:
        raise ReportError([f"{label}: line {fault.lineno} column {fault.colno}: {_meaning(fault)}"]) from fault
    except RecursionError as fault:
        raise ReportError([f"{label}: is nested too deeply to be a report"]) from fault
    return Document(value, tuple(bad))


_SHOWN = 40
_PLAIN_DIGITS = 300
"""Every integer of so many digits is a finite double."""


def _fits_double(literal: str) -> bool:
    return isfinite(float(literal))


_STRIDE = 30
_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))


def has_long_digits(text: bytes) -> bool:
    """
    Tell whether the text may hold a number that is refused for its length; False is certain, True is not.

    Every thirtieth byte is looked at: 300 digits in a row show as ten digits in a row, and hardly anything else does.
    """
    return b"0" * (_PLAIN_DIGITS // _STRIDE - 1) in text[::_STRIDE].translate(_DIGITS)


def _text(label: str, data: bytes) -> str:
    if not data.strip():
        raise ReportError([f"{label}: is empty"])
    for mark, encoding in _TEXT_ENCODINGS:
        if data.startswith(mark):
            raise ReportError([f"{label}: must be UTF-8 text (found {encoding})"])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise ReportError(
            [f"{label}: must be UTF-8 text (found byte 0x{data[fault.start]:02x} at offset {fault.start})"]
        ) from fault


def _meaning(fault: json.JSONDecodeError) -> str:
    """Return what the decoder's complaint means for the writer of the file."""
    if fault.msg == "Extra data":
        return "must be one JSON value and nothing after it (JSON Lines?)"
    if fault.msg.startswith("Unexpected UTF-8 BOM"):
        return "must be valid JSON (a second byte order mark)"
    if fault.pos >= len(fault.doc.rstrip()):
        return f"must be valid JSON, but the text ends here: was the file cut off? ({fault.msg})"
    return f"must be valid JSON ({fault.msg})"
