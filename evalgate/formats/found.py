"""
What the readers of other tools' formats share: from what one of them found in a file to facts and evidence.

A reader makes a `CaseEvidence` per case; the facts follow from it, here and nowhere else, so that comparing a report
and comparing its conversion come to the same. Numbers pass through `number` and `count`, which refuse what is none.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from evalgate.errors import ReportError
from evalgate.evidence import AttemptEvidence, CaseEvidence, Tokens
from evalgate.faults import MISSING, Fault, Faults
from evalgate.numbers import Number
from evalgate.plain import shorten
from evalgate.report import Case, Status, Trials
from evalgate.stack import signature

_LONGEST_REMEMBERED = 16_384
_LOOKS_CUT = 4000
"""Unit: characters; well below what the grammar takes for cut, which is counted in UTF-16."""
_LARGEST = 10**300
"""A sum of a million such numbers is a finite double."""
_remembered = lru_cache(maxsize=256)(signature)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What the operator has to say about a format that leaves it open. A format refuses what it does not use."""

    scorer: str | None = None
    """Inspect: the scorer that decides, `NAME` or `NAME.key`."""
    pass_threshold: Fraction | None = None
    """Inspect: a numeric score from here on is a pass."""
    reward_key: str | None = None
    """Harbor: the reward that decides."""

    @property
    def given(self) -> frozenset[str]:
        """The names of the options that were given, as the command line spells them."""
        return frozenset(
            f"--{name.replace('_', '-')}"
            for name in ("scorer", "pass_threshold", "reward_key")
            if getattr(self, name) is not None
        )


NO_OPTIONS = ReadOptions()


def signature_of(text: str) -> str | None:
    """Return the error signature of a text. When a machine breaks, every case dies with the same text."""
    return signature(text) if len(text) > _LONGEST_REMEMBERED else _remembered(text)


def _whole(text: str) -> str:
    """
    Return a text that the grammar will not take for the end of a longer one.

    The harness keeps the end of stderr, so the first line of a long text is dropped as cut; these texts are whole.
    """
    return text if len(text) < _LOOKS_CUT else f"\n{text}"


def attempt(
    number: int,
    status: Status,
    texts: Iterable[str | None] = (),
    *,
    failures: Iterable[str] = (),
    tool_errors: Iterable[tuple[str, str]] = (),
    tokens: Tokens | None = None,
    duration_ms: Number = 0,
    error: str | None = None,
    timed_out: bool = False,
    retried: bool = False,
) -> AttemptEvidence:
    """
    Return one attempt.

    texts: what the report says about an attempt that did not pass, the most telling first (trace, message, stderr). The
    signature is that of the first text that has one; that text, else the first that is not blank, is what people see.
    """
    told = [_whole(text) for text in texts if text is not None and text.strip()] if status is not Status.PASS else []
    named = next(((text, name) for text in told if (name := signature_of(text)) is not None), None)
    text, name = named or (told[0] if told else None, None)
    return AttemptEvidence(
        number=number,
        status=status,
        timed_out=timed_out,
        error=error,
        failures=tuple(failures),
        tool_errors=tuple(tool_errors),
        stderr=text,
        signature=name,
        total_tokens=None if tokens is None else tokens.total,
        duration_ms=duration_ms,
        tokens=tokens,
        retried=retried,
    )


def case(
    name: str,
    status: Status,
    attempts: Sequence[AttemptEvidence],
    *,
    flaky: bool = False,
    trials: Trials | None = None,
    tool_errors: Iterable[tuple[str, str]] | None = None,
    tokens: Tokens | None = None,
) -> CaseEvidence:
    """
    Return one case out of its attempts, at least one; `flaky` is dropped for a case that does not pass.

    tool_errors: those of the attempts that count; unless given, of all attempts that were not retried.
    tokens: of the case as a whole; unless given, the sum over the attempts that say theirs.
    """
    assert attempts, "a case without an attempt was not run: it belongs to not_run"
    if tokens is None:
        said = [one.tokens for one in attempts if one.tokens is not None]
        tokens = Tokens(*map(sum, zip(*said, strict=True))) if said else None
    if tool_errors is None:
        tool_errors = [error for one in attempts if not one.retried for error in one.tool_errors]
    return CaseEvidence(
        name=name,
        status=status,
        attempts=tuple(attempts),
        trials=trials,
        total_tokens=None if tokens is None else tokens.total,
        flaky=flaky and status is Status.PASS,
        tool_errors=tuple(tool_errors),
        duration_ms=sum(one.duration_ms for one in attempts),
        tokens=tokens,
    )


def facts_of(found: CaseEvidence, name: str | None = None) -> Case:
    """Return what the rules see of a case, under another name if one is given."""
    return Case(
        name=found.name if name is None else name,
        status=found.status,
        flaky=found.flaky,
        attempts=len(found.attempts),
        total_tokens=found.total_tokens or 0,
        tool_errors=len(found.tool_errors),
        trials=found.trials,
        signatures=tuple(one.signature for one in found.attempts if one.signature is not None),
    )


class Kept:
    """The evidence of a report whose cases are in memory."""

    def __init__(self, cases: Iterable[CaseEvidence]) -> None:
        self._cases = {one.name: one for one in cases}

    def fetch(self, names: Collection[str]) -> Mapping[str, CaseEvidence]:
        """Return the evidence of the named cases; a name that the report lacks is left out."""
        return {name: self._cases[name] for name in names if name in self._cases}


def checked(label: str, cases: Iterable[CaseEvidence], not_run: Iterable[str] = (), *, what: str = "case") -> None:
    """Raise `ReportError` unless there is a case, run or skipped, and every name is unique and not blank."""
    seen: set[str] = set()
    faults = Faults(label)
    for name in (*(one.name for one in cases), *not_run):
        if not name.strip():
            faults.add([Fault(what, "must have a name", name)])
        elif name in seen:
            faults.add([Fault(what, "must have a name of its own, and another one has it too", name)])
        seen.add(name)
    if not seen:
        raise ReportError([f"{label}: holds no {what}: nothing was run, or nothing could be loaded"])
    faults.raise_if_any()


def number(label: str, place: str, value: object) -> Number:
    """Return a finite number >= 0, whole ones as `int`; raise `ReportError` with the place otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise fault(label, place, "must be a finite number >= 0", value)
    return int(value) if value == int(value) else value


def count(label: str, place: str, value: object) -> int:
    """Return a whole number >= 0; raise `ReportError` with the place otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise fault(label, place, "must be a whole number >= 0", value)
    if value != int(value):
        raise fault(label, place, "must be a whole number >= 0", value)
    return int(value)


def is_finite(value: object) -> bool:
    """Tell whether a JSON value is a finite number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def text_of(label: str, place: str, value: object) -> str:
    """Return a string; raise `ReportError` with the place otherwise."""
    if not isinstance(value, str):
        raise fault(label, place, "must be a string", value)
    return value


def object_of(label: str, place: str, value: object) -> Mapping[str, Any]:
    """Return a JSON object; raise `ReportError` with the place otherwise."""
    if not isinstance(value, dict):
        raise fault(label, place, "must be an object", value)
    return value


def list_of(label: str, place: str, value: object) -> list[Any]:
    """Return a JSON array; raise `ReportError` with the place otherwise."""
    if not isinstance(value, list):
        raise fault(label, place, "must be an array", value)
    return value


def optional_text(value: object) -> str | None:
    """Return a string that is not blank, None for everything else: for what only people look at."""
    return value if isinstance(value, str) and value.strip() else None


def fault(label: str, place: str, rule: str, found: object = MISSING) -> ReportError:
    """Return the error for one broken rule: `before.json: results.tests[3].name: must be a string (got 5)`."""
    faults = Faults(label)
    faults.add([Fault(place, rule, found)])
    return faults.error()


class Duplicates(NamedTuple):
    """Cases of one name where nothing says that they are attempts at one."""

    name: str
    number: int

    def note(self) -> str:
        """Return the note about them."""
        return f"DUPLICATE_CASE {shorten(self.name, 200)}: {self.number} tests have this name; the worst of them counts"
