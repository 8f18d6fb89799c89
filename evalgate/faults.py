"""Faults of a report: where, which rule, what was found. At most 20 are shown, all are counted."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from evalgate.errors import ReportError
from evalgate.plain import shorten
from evalgate.strict_json import NotFinite

MISSING = object()
"""What was found where a field is required and absent."""

SHOWN = 20
"""Faults that are listed; the rest is counted."""
_LONGEST_VALUE = 60


class Fault(NamedTuple):
    """One broken rule."""

    place: str
    """`cases[3].tokens.total`; empty for the report as a whole."""
    rule: str
    """`must be a finite number >= 0`."""
    found: object = MISSING
    """The value that breaks the rule."""

    def text(self, label: str) -> str:
        """Return `before/report.json: cases[3].tokens.total: must be a finite number >= 0 (got -5)`."""
        found = "missing" if self.found is MISSING else f"got {_shown(self.found)}"
        return ": ".join(part for part in (label, self.place, f"{self.rule} ({found})") if part)


class Faults:
    """The faults of one report, in the order in which they were found."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._first: list[str] = []
        self._count = 0

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return self._count > 0

    def add(self, faults: Iterable[Fault]) -> None:
        """Take the faults in; only the first ones keep a text, since a report may have a million."""
        for fault in faults:
            self._count += 1
            if self._count <= SHOWN:
                self._first.append(fault.text(self._label))

    def extend(self, other: "Faults") -> None:
        """Take in the faults of another part of the same report."""
        self._first = (self._first + other._first)[:SHOWN]
        self._count += other._count

    def take(self, error: ReportError) -> None:
        """Take in the faults of an error, which are worded already, with the label."""
        for text in error.faults:
            self._count += 1
            if self._count <= SHOWN:
                self._first.append(text)

    def raise_if_any(self) -> None:
        """Raise `ReportError` with a line per fault and, past the twentieth, a count."""
        if self._count:
            raise self.error()

    def error(self) -> ReportError:
        """Return the error with a line per fault and, past the twentieth, a count."""
        more = self._count - len(self._first)
        rest = [f"{self._label}: and {more} more {'fault' if more == 1 else 'faults'}"] if more else []
        return ReportError([*self._first, *rest])


def place_of(path: Iterable[str | int]) -> str:
    """Return `cases[3].tokens.total` for ("cases", 3, "tokens", "total")."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _shown(value: object) -> str:
    if isinstance(value, NotFinite):
        return value.literal
    if isinstance(value, dict):
        return f"an object of {len(value)} {'field' if len(value) == 1 else 'fields'}"
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        value = shorten(value, _LONGEST_VALUE)
    return json.dumps(value, ensure_ascii=False)
