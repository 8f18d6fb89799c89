"""
One run folder as facts: its gate rounds, its summary and its trace.

An agent worked in there, so nothing in it is believed: every file is regular, bounded and strict JSON, or the folder
is refused with file, place, rule and what was found. A file that is absent is no fault, a run may die at any time; one
that is there and broken is, since nobody could say what it would have told.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from evalgate.errors import ReportError
from evalgate.faults import MISSING, SHOWN
from evalgate.formats import found
from evalgate.formats.evalgate_loop import COST_GATES, MOST_REPAIRS
from evalgate.formats.instants import instant
from evalgate.loop.files import read_bounded, reason
from evalgate.loop.rounds import LONGEST, Round, decode_whole, read_rounds
from evalgate.numbers import Number

ROUNDS = Path("evidence", "rounds")
SUMMARY = Path("evidence", "run-summary.json")
TRACE = Path("trace.jsonl")

LARGEST_SUMMARY = 1 << 20
"""Unit: bytes."""
LARGEST_TRACE = 256 << 20
"""Unit: bytes. The caps of a run are 150 calls of each kind."""
LONGEST_LINE = 8 << 20
"""Unit: bytes."""
MOST_ROUNDS = 1000
MOST_TOOL_ERRORS = 10_000
_LARGEST_COUNT = 2**53
DEEPEST = 40
"""Levels of arrays and objects in a verdict. The standard library's writer gives up where its reader did not."""


class Summary(NamedTuple):
    """`evidence/run-summary.json`."""

    cost: Number
    """>= 0, in the currency of the service."""
    cost_gate: str
    """`active` or `degraded`."""
    repairs: int
    budget_soft_tripped: bool
    input_tokens: int
    output_tokens: int
    model_calls: int
    tool_calls: int
    tool_errors: int
    stopped_reason: str | None
    wall_seconds: Number | None


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What `trace.jsonl` comes to."""

    input_tokens: int
    output_tokens: int
    model_calls: int
    models: tuple[str, ...]
    """In the order of their first call."""
    tool_calls: int
    tool_errors: tuple[tuple[str, str], ...]
    """(tool, error text)."""
    first_at: str | None
    """ISO 8601; None for a trace without an event that is looked at."""
    last_at: str | None
    cut: bool
    """Whether its last line is half-written."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run folder, read and checked."""

    id: str
    """The name of the folder."""
    rounds: tuple[Round, ...]
    """Ascending, 1, 2, 3 ...; empty when the run did not get as far as a gate."""
    summary: Summary | None
    """None when the run ended without one."""
    trace: Trace | None


def run_id(folder: Path) -> str:
    """Return the name of a run folder, of `.` and of `x/..` too."""
    return Path(os.path.abspath(folder)).name  # noqa: PTH100 (a link keeps the name that was given)


def check_folders(folders: Sequence[Path]) -> list[Path]:
    """
    Return the run folders by run id, each once.

    Raises `ReportError` with a line for each that is none, and for two of one id: one of them would be left out.
    """
    faults: list[str] = []
    homes: dict[str, Path] = {}
    for folder in folders:
        fault = _no_run_folder(folder)
        name = run_id(folder)
        if fault is not None:
            faults.append(f"{folder}: {fault}")
        elif not name.strip():
            faults.append(f"{str(folder)!r}: must not have a blank name: it is that of a case")
        elif (same := _same(folder, homes.values())) is not None and run_id(same) != name:
            faults.append(f"{folder}: is {same} by another name, and would count as a second run")
        elif name in homes:
            faults.append(f"{folder}: is a second run folder of the id {name!r}, {homes[name]} is one too")
        else:
            homes[name] = folder
    raise_faults(faults)
    return [homes[name] for name in sorted(homes)]


def _same(folder: Path, others: Iterable[Path]) -> Path | None:
    """Return the one of the others that is this folder, behind a link such as `latest`."""
    return next((other for other in others if folder.samefile(other)), None)


def _no_run_folder(folder: Path) -> str | None:
    try:
        if not folder.is_dir():
            return "no such run folder" if not os.path.lexists(folder) else "is no folder, and a run is one"
        if _is_run_folder(folder):
            return None
        inside = sum(_is_run_folder(one) for one in folder.iterdir() if one.is_dir())
    except (OSError, ValueError) as fault:
        return f"cannot be read ({reason(fault)})"
    hint = f"; it holds {inside} of them, name these" if inside else ""
    return f"is no run folder: has neither evidence/ nor {TRACE}{hint}"


def _is_run_folder(folder: Path) -> bool:
    return (folder / "evidence").is_dir() or os.path.lexists(folder / TRACE)


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the files that are read of a run folder; what cannot be looked at is refused when it is read."""
    yield from (folder / SUMMARY, folder / TRACE)
    with suppress(OSError):
        yield from (path for path in (folder / ROUNDS).iterdir() if path.suffix == ".json")


def read_runs(folders: Sequence[Path]) -> Iterator[Run]:
    """
    Yield one run after the other, so that a thousand of them are never in memory together.

    Raises `ReportError` at the end with the faults of all folders: from the first broken one on, nothing is yielded.
    """
    faults: list[str] = []
    for folder in folders:
        try:
            run = read_run(folder)
        except ReportError as fault:
            faults.extend(fault.faults)
            continue
        if not faults:
            yield run
    raise_faults(faults)


def raise_faults(faults: Sequence[str]) -> None:
    """Raise `ReportError` if there is any, with the first ones and a count of the rest."""
    if faults:
        more = len(faults) - SHOWN
        rest = [f"and {more} more {'fault' if more == 1 else 'faults'}"] if more > 0 else []
        raise ReportError([*faults[:SHOWN], *rest])


def read_run(folder: Path) -> Run:
    """
    Return one run.

    Raises `ReportError` for a file that is no regular one, too large, no strict JSON or breaks a rule, and for rounds
    of which one is missing.
    """
    try:
        rounds = _rounds(folder)
        return Run(id=run_id(folder), rounds=rounds, summary=_summary(folder / SUMMARY), trace=_trace(folder / TRACE))
    except OSError as fault:
        place = fault.filename if isinstance(fault.filename, str) else str(folder)
        raise ReportError([f"{place}: cannot be read ({reason(fault)})"]) from fault


def _rounds(folder: Path) -> tuple[Round, ...]:
    home = folder / ROUNDS
    if os.path.lexists(home.parent) and not home.parent.is_dir():
        raise ReportError([f"{home.parent}: must be a folder"])
    if not os.path.lexists(home):
        return ()
    names = sorted(path.name for path in home.iterdir() if path.suffix == ".json")
    if len(names) > MOST_ROUNDS:
        raise ReportError([f"{home}: must hold at most {MOST_ROUNDS} rounds (found {len(names)})"])
    rounds = tuple(read_rounds(folder))
    for number, one in enumerate(rounds, 1):
        path = home / f"{one.round}.json"
        if one.round != number:
            raise ReportError([f"{home / f'{number}.json'}: is missing, and round {one.round} is there"])
        if one.run != rounds[0].run:
            raise found.fault(str(path), "run", f"must be that of round 1, {rounds[0].run!r}", one.run)
        _check_depth(str(path), one.verdict)
    return rounds


def _check_depth(label: str, verdict: object) -> None:
    """Raise for nesting that no writer of JSON could repeat."""
    level: list[object] = [verdict]
    for _ in range(DEEPEST):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
        if not below:
            return
        level = below
    raise ReportError([f"{label}: verdict: must be nested at most {DEEPEST} levels deep"])


def _check_trace(path: Path) -> None:
    """Raise for what is not to be opened: a pipe would never end, and a link may lead to a device."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ReportError([f"{path}: must be a regular file"])
    if status.st_size > LARGEST_TRACE:
        raise ReportError([f"{path}: must be at most {LARGEST_TRACE} bytes long (found {status.st_size})"])


def _summary(path: Path) -> Summary | None:
    if not os.path.lexists(path):
        return None
    label = str(path)
    data = read_bounded(path, LARGEST_SUMMARY, "a run summary", regular=True)
    raw = found.object_of(label, "", decode_whole(label, data))
    totals = found.object_of(label, "traceSummary", raw.get("traceSummary", MISSING))
    gate = raw.get("costGate", MISSING)
    if gate not in COST_GATES:
        raise found.fault(label, "costGate", f"must be {' or '.join(COST_GATES)}", gate)
    tripped = raw.get("budgetSoftTripped", MISSING)
    if not isinstance(tripped, bool):
        raise found.fault(label, "budgetSoftTripped", "must be true or false", tripped)
    stopped, wall = raw.get("stoppedReason"), raw.get("wallS")

    def total(name: str) -> int:
        return _count(label, f"traceSummary.{name}", totals.get(name, MISSING))

    repairs = found.count(label, "repairs", raw.get("repairs", MISSING))
    if repairs > MOST_REPAIRS:
        raise found.fault(label, "repairs", f"must be at most {MOST_REPAIRS}", repairs)
    seconds = None if wall is None else found.number(label, "wallS", wall)
    if seconds is not None and seconds > LONGEST:
        raise found.fault(label, "wallS", f"must be at most {LONGEST}", seconds)
    return Summary(
        cost=found.number(label, "cost", raw.get("cost", MISSING)),
        cost_gate=str(gate),
        repairs=repairs,
        budget_soft_tripped=tripped,
        input_tokens=total("inputTokens"),
        output_tokens=total("outputTokens"),
        model_calls=total("modelCalls"),
        tool_calls=total("toolCalls"),
        tool_errors=total("toolErrors"),
        stopped_reason=None if stopped is None else found.text_of(label, "stoppedReason", stopped),
        wall_seconds=seconds,
    )


def _count(label: str, place: str, value: object) -> int:
    """Return a count that every reader of the report keeps exactly."""
    number = found.count(label, place, value)
    if number > _LARGEST_COUNT:
        raise found.fault(label, place, f"must be at most {_LARGEST_COUNT}", number)
    return number


def _trace(path: Path) -> Trace | None:
    if not os.path.lexists(path):
        return None
    _check_trace(path)
    events = _Events(str(path))
    cut = False
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE + 1):
            number += 1
            whole = line.endswith(b"\n")
            if len(line) > LONGEST_LINE:
                raise ReportError([f"{path}: line {number}: must be at most {LONGEST_LINE} bytes long"])
            if not line.strip():
                continue
            try:
                value = decode_whole(f"{path}: line {number}", line)
            except ReportError:
                if whole:
                    raise
                # The tracer never blocks and the run may have died: an end without a line feed may be half a line.
                cut = True
                break
            events.take(number, value)
    return events.trace(cut=cut)


class _Events:
    """The events of one trace that are looked at, added up."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.input = self.output = self.model_calls = self.tool_calls = 0
        self.models: dict[str, None] = {}
        self.errors: list[tuple[str, str]] = []
        self.first: tuple[tuple[int, str], str] | None = None
        self.last: tuple[tuple[int, str], str] | None = None

    def take(self, number: int, value: object) -> None:
        """Enter one line; other types than the two are somebody else's."""
        place = f"line {number}"
        raw = found.object_of(self.label, place, value)
        kind = raw.get("type")
        if kind == "model_call_end":
            self._model_call(place, raw)
        elif kind == "tool_result":
            self._tool_result(place, raw)
        else:
            found.text_of(self.label, f"{place}: type", raw.get("type", MISSING))
            return
        self._time(place, raw)

    def _model_call(self, place: str, raw: Mapping[str, Any]) -> None:
        model = found.text_of(self.label, f"{place}: model", raw.get("model", MISSING))
        self.models.setdefault(model)
        self.model_calls += 1
        self.input += _count(self.label, f"{place}: inputTokens", raw.get("inputTokens", MISSING))
        self.output += _count(self.label, f"{place}: outputTokens", raw.get("outputTokens", MISSING))

    def _tool_result(self, place: str, raw: Mapping[str, Any]) -> None:
        tool = found.text_of(self.label, f"{place}: tool", raw.get("tool", MISSING))
        fine = raw.get("ok", MISSING)
        if not isinstance(fine, bool):
            raise found.fault(self.label, f"{place}: ok", "must be true or false", fine)
        self.tool_calls += 1
        if not fine:
            if len(self.errors) == MOST_TOOL_ERRORS:
                raise ReportError([f"{self.label}: {place}: must be at most {MOST_TOOL_ERRORS} tool errors"])
            error = raw.get("error")
            self.errors.append((tool, "" if error is None else found.text_of(self.label, f"{place}: error", error)))

    def _time(self, place: str, raw: Mapping[str, Any]) -> None:
        text = found.text_of(self.label, f"{place}: at", raw.get("at", MISSING))
        moment = instant(text)
        if moment is None:
            raise found.fault(self.label, f"{place}: at", "must be an ISO 8601 instant", text)
        if self.first is None or moment < self.first[0]:
            self.first = moment, text
        if self.last is None or moment > self.last[0]:
            self.last = moment, text

    def trace(self, *, cut: bool) -> Trace:
        """Return what was entered."""
        return Trace(
            input_tokens=self.input,
            output_tokens=self.output,
            model_calls=self.model_calls,
            models=tuple(self.models),
            tool_calls=self.tool_calls,
            tool_errors=tuple(self.errors),
            first_at=None if self.first is None else self.first[1],
            last_at=None if self.last is None else self.last[1],
            cut=cut,
        )
