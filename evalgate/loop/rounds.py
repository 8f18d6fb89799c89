"""
The gate rounds of a run, one file each: `RUN_DIR/evidence/rounds/<n>.json`.

A round is written twice: at its start, with no verdict, and at its end, with all. So a round that dies (the machine
stops, the process is killed) is the newest one and has no verdict; were it written at its end only, the green verdict
of the round before would be the newest, and be taken for this one's. Each write is one step: nobody reads half a round.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from evalgate.errors import OutputError, ReportError
from evalgate.faults import MISSING, SHOWN, Fault, Faults, place_of
from evalgate.loop.files import read_bounded, reason
from evalgate.strict_json import NotFinite, decode
from evalgate.whole_file import replace

SCHEMA = "evalgate-round/1"
FOLDER = Path("evidence", "rounds")
STAGES = ("stage", "smoke", "play")
"""In the order in which a round goes through them."""
LONGEST_STDERR = 8000
"""Unit: characters; the end of the text is kept."""
LONGEST = 10**8
"""Unit: seconds of one round. Three years are a wrong clock."""
LARGEST = 8 << 20
"""Unit: bytes of one round file."""

_NUMBERED = re.compile(r"([1-9][0-9]{0,8})\.(json|png)")


@dataclass(frozen=True, kw_only=True)
class Round:
    """One gate round, as its file holds it."""

    round: int
    """1, 2, 3 ..., and the name of the file."""
    run: str
    """The run id; not blank."""
    started_at: str
    """ISO 8601, UTC: `2026-12-01T04:31:00Z`."""
    seconds: float
    """How long it took; 0 in what is written at its start."""
    stage: str
    """The last of `STAGES` that was reached."""
    verdict: Mapping[str, Any]
    """The gate verdict; empty when there is none: the round has only begun, died, or could not be staged."""
    stderr_tail: str = ""
    """The stack of the uncaught errors, or what the bundler said; at most `LONGEST_STDERR` characters."""
    screenshot: str | None = None
    """The name of the screenshot beside it, `<n>.png`."""


def write_round(run_dir: Path, round: Round) -> Path:
    """
    Write a round in one step and return its file; what was there of this round is replaced.

    Of a longer `stderr_tail` the end is kept. Raises `OutputError` when the file cannot be written, or `round` breaks a
    rule of its form: a number that is not finite, say. The round as it was written before then stands.
    """
    path = run_dir / FOLDER / f"{round.round}.json"
    document = {
        "schema": SCHEMA,
        "round": round.round,
        "run": round.run,
        "startedAt": round.started_at,
        "seconds": round.seconds,
        "stage": round.stage,
        "verdict": dict(round.verdict),
        "stderrTail": round.stderr_tail[-LONGEST_STDERR:],
        "screenshot": round.screenshot,
    }
    try:
        text = json.dumps(document, indent=1)
        # Read back as any reader will: what cannot be read must not take the place of what can.
        _read(str(path), text.encode(), round.round)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, [text.encode(), b"\n"])
    except ReportError as fault:
        raise OutputError(fault.faults) from fault
    except (TypeError, RecursionError) as fault:
        raise OutputError([f"{path}: cannot be written (the verdict is no JSON: {fault})"]) from fault
    except (OSError, ValueError) as fault:
        raise OutputError([f"{path}: cannot be written ({reason(fault)})"]) from fault
    return path


def next_round(run_dir: Path) -> int:
    """
    Return the number of the round that comes next: one above every file that has a number, whatever is in it.

    A broken round keeps its number: to use that again would be to lose what was found. Raises `ReportError` when the
    folder cannot be read.
    """
    return max((int(match[1]) for _, match in _names(run_dir) if match is not None), default=0) + 1


def read_rounds(run_dir: Path) -> list[Round]:
    """
    Return the rounds of a run by number, none for a run without any.

    Raises `ReportError` with file, place, rule and what was found for a file that breaks the form, and for one that
    is neither a round nor its screenshot: it may be a round that somebody renamed, and would be left out in silence.
    Names that begin with a dot do not count: a machine that stops leaves one of ours, half written.
    """
    return [_load(run_dir, number) for number in _rounds(run_dir)]


def latest_verdict(run_dir: Path) -> dict[str, Any]:
    """
    Return the verdict of the round with the highest number, `{}` when it has none or there is no round.

    The others are not looked at: an older verdict is about an older game. Raises `ReportError` as `read_rounds` does.
    """
    numbers = _rounds(run_dir)
    return dict(_load(run_dir, numbers[-1]).verdict) if numbers else {}


def decode_whole(label: str, data: bytes) -> object:
    """Return a strict JSON value with finite numbers and unique keys; raise `ReportError` for any other text."""
    document = decode(label, data, unique_keys=True)
    if document.bad_numbers:
        faults = Faults(label)
        # A file of nothing else would be walked through for ever to show the first ones.
        shown = islice(_not_finite(document.value), SHOWN)
        faults.add(Fault(place, "must be a finite number", value) for place, value in shown)
        faults.raise_if_any()
    value: object = document.value
    return value


def round_of(document: object, number: int | None, faults: Faults) -> Round | None:
    """
    Return the round of a decoded file, None (and at least one fault) when it breaks a rule.

    `number` is that of the file's name, None where the name says nothing. Unknown fields are left alone: newer writers
    add some.
    """
    if not isinstance(document, dict):
        faults.add([Fault("", "must be an object", document)])
        return None
    found = list(_faults(document, number))
    faults.add(found)
    if found:
        return None
    return Round(
        round=document["round"],
        run=document["run"],
        started_at=document["startedAt"],
        seconds=document["seconds"],
        stage=document["stage"],
        verdict=document["verdict"],
        stderr_tail=document["stderrTail"],
        screenshot=document["screenshot"],
    )


def _load(run_dir: Path, number: int) -> Round:
    path = run_dir / FOLDER / f"{number}.json"
    return _read(str(path), read_bounded(path, LARGEST, "a round", regular=True), number)


def _read(label: str, data: bytes, number: int) -> Round:
    faults = Faults(label)
    found = round_of(decode_whole(label, data), number, faults)
    faults.raise_if_any()
    assert found is not None, "a document without a fault is a round"
    return found


def _rounds(run_dir: Path) -> list[int]:
    """Return the numbers of the rounds, ascending; raise `ReportError` for what else lies in their folder."""
    faults = Faults(str(run_dir / FOLDER))
    found = []
    for name, match in _names(run_dir):
        if match is None and not name.startswith("."):
            faults.add([Fault("", "must hold rounds, 1.json, and their screenshots, 1.png, only", name)])
        elif match is not None and match[2] == "json":
            found.append(int(match[1]))
    faults.raise_if_any()
    return sorted(found)


def _names(run_dir: Path) -> list[tuple[str, re.Match[str] | None]]:
    """Return what lies in the folder of the rounds, with its number where it has one; nothing when there is none."""
    folder = run_dir / FOLDER
    try:
        return [(name, _NUMBERED.fullmatch(name)) for name in sorted(path.name for path in folder.iterdir())]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as fault:
        raise ReportError([f"{folder}: cannot be read ({reason(fault)})"]) from fault


def _faults(document: Mapping[str, Any], number: int | None) -> Iterator[Fault]:
    """Yield what breaks a rule, field by field."""

    def wrong(name: str, rule: str) -> Fault:
        return Fault(name, rule, document.get(name, MISSING))

    if document.get("schema") != SCHEMA:
        yield wrong("schema", f'must be "{SCHEMA}"')
    found = document.get("round")
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        yield wrong("round", "must be a whole number >= 1")
    elif number is not None and found != number:
        yield wrong("round", f"must be {number}, as the file is named")
    run = document.get("run")
    if not isinstance(run, str) or not run.strip():
        yield wrong("run", "must be a text that is not blank")
    if not _is_utc(document.get("startedAt")):
        yield wrong("startedAt", "must be an ISO 8601 instant in UTC")
    if not _is_duration(document.get("seconds")):
        yield wrong("seconds", f"must be a number from 0 to {LONGEST}")
    if document.get("stage") not in STAGES:
        yield wrong("stage", "must be stage, smoke or play")
    elif document.get("verdict") and document["stage"] != STAGES[-1]:
        yield wrong("stage", f"must be {STAGES[-1]} where there is a verdict: nothing else sees the gates")
    if not isinstance(document.get("verdict"), dict):
        yield wrong("verdict", "must be an object, {} where there is none")
    stderr = document.get("stderrTail")
    if not isinstance(stderr, str):
        yield wrong("stderrTail", "must be a text")
    elif len(stderr) > LONGEST_STDERR:
        yield Fault("stderrTail", f"must have at most {LONGEST_STDERR} characters", f"a text of {len(stderr)}")
    picture = document.get("screenshot", MISSING)
    if picture is not None and picture != f"{found}.png":
        yield wrong("screenshot", "must be null or the name of the picture beside it, <n>.png")


def _is_duration(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return is_number and 0 <= value <= LONGEST  # type: ignore[operator]


def _is_utc(value: object) -> bool:
    if not isinstance(value, str) or "T" not in value:
        return False
    try:
        return datetime.fromisoformat(value).utcoffset() == timedelta(0)
    except ValueError:
        return False


def _not_finite(value: object) -> Iterator[tuple[str, NotFinite]]:
    """Yield the place and value of each number that is none, in the order of the file; without recursion."""
    waiting: list[Iterator[tuple[tuple[str | int, ...], object]]] = [iter([((), value)])]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        path, one = entry
        if isinstance(one, NotFinite):
            yield place_of(path), one
        elif isinstance(one, dict | list):
            # An iterator and no list: there may be a million of them.
            waiting.append(_inside(path, one))


def _inside(
    path: tuple[str | int, ...], value: dict[str, object] | list[object]
) -> Iterator[tuple[tuple[str | int, ...], object]]:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    return (((*path, key), inner) for key, inner in members)
