"""
What a game promises: gatespec.json in its folder. Form: examples/littlejs/README.md.

It is read whole or not at all, and a fault in it is an error and no verdict: gates that hold a game against half of its
promise would be green for what nobody looked at.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from evalgate.errors import ReportError
from evalgate.faults import MISSING, Fault, Faults
from evalgate.loop.files import read_bounded
from evalgate.loop.rounds import decode_whole
from evalgate.plain import escape

FILE = "gatespec.json"
SCHEMA = "evalgate-gatespec/1"
TAP_TARGETS = "tap-targets"
KEY_CYCLE = "key-cycle"
DRIVERS = (TAP_TARGETS, KEY_CYCLE)
KEYS = (
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Space", "Enter", "Escape", "Tab"),
    *("ShiftLeft", "ControlLeft"),
    *(f"Key{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    *(f"Digit{digit}" for digit in range(10)),
)
"""What `key-cycle` can press, as `KeyboardEvent.code` spells it."""
DEFAULT_KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Space", "Enter")
ORDERS = (">", ">=", "<", "<=")
OPS = ("==", "!=", *ORDERS, "changed", "unchanged")
_WITHOUT_VALUE = ("changed", "unchanged")

_LARGEST = 1 << 20
_DEFAULT_SECONDS = 8.0
_LONGEST_SECONDS = 120.0
_MOST = 50
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,60}(\.[A-Za-z_$][A-Za-z0-9_$]{0,60})?", re.ASCII)
_LONGEST_TEXT = 200


class SpecError(ReportError):
    """A gatespec.json or play-spec.json is not there, cannot be read, or breaks a rule of its form."""


class Check(NamedTuple):
    """What one place of the state must do while the game is played."""

    path: str
    op: str
    """One of `OPS`."""
    value: object = MISSING
    """What the value after is compared with; `MISSING`: the value before."""


@dataclass(frozen=True, kw_only=True)
class Driver:
    """How a game is played."""

    type: str
    """One of `DRIVERS`."""
    targets: str = "targets"
    """The path of the list of targets, for `tap-targets`."""
    keys: tuple[str, ...] = DEFAULT_KEYS
    """For `key-cycle`."""

    def as_json(self) -> dict[str, object]:
        """Return it as the files hold it."""
        if self.type == TAP_TARGETS:
            return {"type": self.type, "targets": self.targets}
        return {"type": self.type, "keys": list(self.keys)}


@dataclass(frozen=True, kw_only=True)
class GateSpec:
    """What a game promises."""

    entry: str
    """A path within the game's folder."""
    expected: tuple[str, ...]
    """Calls into the engine: `drawRect`, `Sound.play`."""
    score: str
    """A path in the state."""
    checks: tuple[Check, ...]
    latch: Check
    seconds: float = _DEFAULT_SECONDS
    """How long the game is played at most."""
    driver: Driver | None = None
    """None: derived from the state."""


def read_gate_spec(folder: Path) -> GateSpec:
    """Return what the game in `folder` promises. Raises `SpecError` with file, place, rule and what was found."""
    return parse(str(folder / FILE), _bytes(folder / FILE))


def _bytes(path: Path) -> bytes:
    try:
        return read_bounded(path, _LARGEST, "a spec", regular=True)
    except ReportError as fault:
        raise SpecError(fault.faults) from fault


def parse(label: str, data: bytes) -> GateSpec:
    """Return the spec that a text holds. Raises `SpecError`, all faults of one pass at once."""
    faults = Faults(label)
    reader = Reader(faults)
    try:
        document = decode_whole(label, data)
        spec = reader.gate_spec(document)
        faults.raise_if_any()
    except ReportError as fault:
        raise SpecError(fault.faults) from fault
    assert spec is not None, "a document without a fault is a spec"
    return spec


class Reader:
    """Looks at one document and notes what is wrong with it."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def gate_spec(self, document: object) -> GateSpec | None:
        """Return the spec, or None and at least one fault."""
        table = self.table("", document, ("schema", "entry", "wiring", "score", "progress", "driver"))
        if table is None:
            return None
        self._must("schema", table.get("schema", MISSING), f'must be "{SCHEMA}"', lambda value: value == SCHEMA)
        entry = self._text("entry", table.get("entry", MISSING))
        if entry is not None and not _is_within(entry):
            self._fault("entry", "must be a path within the folder of the game", entry)
        score = self._text("score", table.get("score", MISSING))
        expected = self._expected(self.table("wiring", table.get("wiring", MISSING), ("expected",)))
        progress = self.table("progress", table.get("progress", MISSING), ("checks", "latch", "seconds"))
        checks: list[Check | None] = []
        latch = None
        seconds = _DEFAULT_SECONDS
        if progress is not None:
            for place, one in enumerate(self._list("progress.checks", progress.get("checks", MISSING), "checks")):
                checks.append(self._check(f"progress.checks[{place}]", one))
            latch = self._check("progress.latch", progress.get("latch", MISSING))
            seconds = self._seconds(progress.get("seconds", _DEFAULT_SECONDS))
        driver = self.driver("driver", table["driver"]) if "driver" in table else None
        good = tuple(check for check in checks if check is not None)
        if self._faults or entry is None or score is None or latch is None or len(good) < len(checks):
            return None
        return GateSpec(
            entry=entry, expected=expected, score=score, checks=good, latch=latch, seconds=seconds, driver=driver
        )

    def driver(self, place: str, raw: object) -> Driver | None:
        """Return the driver, or None and at least one fault."""
        table = self.table(place, raw, ("type", "targets", "keys"))
        if table is None:
            return None
        kind = table.get("type", MISSING)
        if not isinstance(kind, str) or kind not in DRIVERS:
            self._fault(f"{place}.type", f"must be one of {', '.join(DRIVERS)}", kind)
            return None
        own = "targets" if kind == TAP_TARGETS else "keys"
        for name in table:
            if name not in ("type", own):
                self._fault(f"{place}.{name}", f"does not belong to {kind}", table[name])
        if kind == TAP_TARGETS:
            path = self._text(f"{place}.targets", table.get("targets", "targets"))
            return None if path is None else Driver(type=kind, targets=path)
        keys = self._list(f"{place}.keys", table.get("keys", list(DEFAULT_KEYS)), "keys")
        for position, key in enumerate(keys):
            known = (
                "must be a KeyboardEvent.code, one of ArrowLeft, ArrowRight, ArrowUp, ArrowDown, Space, Enter, Escape, "
            )
            rule = f"{known}Tab, ShiftLeft, ControlLeft, KeyA to KeyZ, Digit0 to Digit9"
            self._must(f"{place}.keys[{position}]", key, rule, lambda value: isinstance(value, str) and value in KEYS)
        return Driver(type=kind, keys=tuple(str(key) for key in keys))

    def table(self, place: str, raw: object, known: tuple[str, ...]) -> Mapping[str, Any] | None:
        """Return an object with no keys but the known ones, or None and at least one fault."""
        if not isinstance(raw, dict):
            self._fault(place, "must be an object", raw)
            return None
        for name in raw:
            if name not in known:
                rule = f"is not a field of this object; its fields are {', '.join(known)}"
                self._fault(f"{place}.{name}" if place else name, rule, raw[name])
        return raw

    def _expected(self, wiring: Mapping[str, Any] | None) -> tuple[str, ...]:
        if wiring is None:
            return ()
        names = self._list("wiring.expected", wiring.get("expected", MISSING), "names of the engine")
        for place, name in enumerate(names):
            rule = "must name a function, a class or a method of the engine, such as drawRect or Sound.play"
            self._must(
                f"wiring.expected[{place}]",
                name,
                rule,
                lambda value: isinstance(value, str) and _NAME.fullmatch(value) is not None,
            )
        return tuple(dict.fromkeys(str(name) for name in names))

    def _check(self, place: str, raw: object) -> Check | None:
        table = self.table(place, raw, ("path", "op", "value"))
        if table is None:
            return None
        path = self._text(f"{place}.path", table.get("path", MISSING))
        op = table.get("op", MISSING)
        if not isinstance(op, str) or op not in OPS:
            self._fault(f"{place}.op", f"must be one of {', '.join(OPS)}", op)
            return None
        value = table.get("value", MISSING)
        if value is not MISSING and op in _WITHOUT_VALUE:
            self._fault(f"{place}.value", f"does not belong to {op}", value)
        elif value is not MISSING and op in ORDERS:
            self._must(f"{place}.value", value, f"must be a finite number for {op}", _is_number)
        elif value is not MISSING:
            rule = f"must be a text, a finite number, true, false or null for {op}"
            self._must(f"{place}.value", value, rule, _is_scalar)
        return None if path is None else Check(path, op, value)

    def _seconds(self, raw: object) -> float:
        rule = f"must be a number of seconds from 1 to {_LONGEST_SECONDS:g}"
        self._must("progress.seconds", raw, rule, lambda value: _is_number(value) and 1 <= value <= _LONGEST_SECONDS)
        return float(raw) if isinstance(raw, int | float) else _DEFAULT_SECONDS

    def _list(self, place: str, raw: object, what: str) -> list[object]:
        if not isinstance(raw, list) or not 1 <= len(raw) <= _MOST:
            self._fault(place, f"must be a list of 1 to {_MOST} {what}", raw)
            return []
        return raw

    def _text(self, place: str, raw: object) -> str | None:
        if isinstance(raw, str) and raw.strip() and len(raw) <= _LONGEST_TEXT and escape(raw) == raw:
            return raw
        self._fault(place, f"must be a text in one line of 1 to {_LONGEST_TEXT} characters", raw)
        return None

    def _must(self, place: str, raw: object, rule: str, holds: Callable[[Any], bool]) -> None:
        if not holds(raw):
            self._fault(place, rule, raw)

    def _fault(self, place: str, rule: str, found: object) -> None:
        self._faults.add([Fault(place, rule, found)])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | bool) or _is_number(value)


def _is_within(entry: str) -> bool:
    path = PurePosixPath(entry)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in entry and path.parts != ()
