"""gatespec.json: what it may hold, and what is said of one that breaks a rule."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalgate.play.gate_spec import Check, Driver, SpecError, parse, read_gate_spec
from tests.play.games import EXAMPLE

GOOD: dict[str, Any] = {
    "schema": "evalgate-gatespec/1",
    "entry": "src/game.js",
    "wiring": {"expected": ["drawRect"]},
    "score": "score",
    "progress": {
        "checks": [{"path": "score", "op": ">"}],
        "latch": {"path": "phase", "op": "==", "value": "won"},
    },
}


def with_value(place: str, value: Any) -> dict[str, Any]:
    """Return the good spec with one field replaced; `...` takes it away."""
    spec: Any = json.loads(json.dumps(GOOD))
    *way, last = place.split(".")
    here = spec
    for step in way:
        here = here[int(step)] if step.isdigit() else here.setdefault(step, {})
    if value is ...:
        del here[last]
    else:
        here[int(last) if last.isdigit() else last] = value
    return spec  # type: ignore[no-any-return]


def read(spec: object) -> Any:
    return parse("gatespec.json", json.dumps(spec).encode())


def test_the_example_is_read() -> None:
    spec = read_gate_spec(EXAMPLE)
    assert spec.entry == "src/game.js"
    assert spec.expected == ("engineInit", "mouseWasPressed", "ParticleEmitter", "Sound.play")
    assert spec.checks[1] == Check("lit", ">=", 10)
    assert spec.driver == Driver(type="tap-targets", targets="targets")


def test_what_is_left_out() -> None:
    spec = read(GOOD)
    assert (spec.seconds, spec.driver) == (8.0, None)


FAULTS = [
    ("schema", "evalgate-gatespec/2", 'schema: must be "evalgate-gatespec/1" (got "evalgate-gatespec/2")'),
    ("schema", ..., 'schema: must be "evalgate-gatespec/1" (missing)'),
    ("entry", "../other/game.js", "entry: must be a path within the folder of the game"),
    ("entry", "/etc/passwd", "entry: must be a path within the folder of the game"),
    ("entry", "src\\..\\..\\game.js", "entry: must be a path within the folder of the game"),
    ("entry", " ", "entry: must be a text in one line"),
    ("entry", "a\u202eb.js", "entry: must be a text in one line"),
    ("wiring", ..., "wiring: must be an object (missing)"),
    ("wiring.expected", [], "wiring.expected: must be a list of 1 to 50"),
    ("wiring.expected", ["a.b.c"], "wiring.expected[0]: must name a function"),
    ("wiring.expected", ['x"];alert(1);["'], "wiring.expected[0]: must name a function"),
    ("wiring.expected", [7], "wiring.expected[0]: must name a function, a class or a method"),
    ("score", 7, "score: must be a text"),
    ("progress.checks", [], "progress.checks: must be a list of 1 to 50"),
    ("progress.checks.0.op", "=>", "progress.checks[0].op: must be one of ==, !=, >, >=, <, <=, changed, unchanged"),
    ("progress.checks.0.value", "5", "progress.checks[0].value: must be a finite number for >"),
    ("progress.checks.0.value", True, "progress.checks[0].value: must be a finite number for >"),
    ("progress.checks.0", {"path": "a", "op": "changed", "value": 1}, "does not belong to changed"),
    ("progress.checks.0", {"path": "a", "op": "==", "value": [1]}, "must be a text, a finite number, true, false"),
    ("progress.latch", ..., "progress.latch: must be an object (missing)"),
    ("progress.seconds", 0, "progress.seconds: must be a number of seconds from 1 to 120"),
    ("progress.seconds", 1e9, "progress.seconds: must be a number of seconds from 1 to 120"),
    ("progress.seconds", True, "progress.seconds: must be a number of seconds from 1 to 120"),
    ("driver", {"type": "ai"}, "driver.type: must be one of tap-targets, key-cycle"),
    ("driver", {"type": "tap-targets", "keys": ["Space"]}, "driver.keys: does not belong to tap-targets"),
    ("driver", {"type": "key-cycle", "keys": ["Spacebar"]}, "driver.keys[0]: must be a KeyboardEvent.code"),
    ("driver", {"type": "key-cycle", "keys": [["Space"]]}, "driver.keys[0]: must be a KeyboardEvent.code"),
    ("promise", "all is well", "promise: is not a field of this object"),
]


@pytest.mark.parametrize(("place", "value", "rule"), FAULTS)
def test_what_is_refused(place: str, value: Any, rule: str) -> None:
    with pytest.raises(SpecError) as caught:
        read(with_value(place, value))
    assert any(rule in fault for fault in caught.value.faults), caught.value.faults
    assert all(fault.startswith("gatespec.json: ") for fault in caught.value.faults)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "is empty"),
        (b"[]", "must be an object"),
        (b'{"schema": NaN}', "finite"),
        (b'{"a": 1, "a": 2}', "a"),
        (b"[" * 100_000, "nested"),
        (b"\xff\xfe{}", "UTF-8"),
    ],
)
def test_what_is_no_spec(data: bytes, rule: str) -> None:
    with pytest.raises(SpecError, match=rule):
        parse("gatespec.json", data)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        read({"schema": 1, "entry": 2, "score": 3})
    assert len(caught.value.faults) == 5


def test_none_is_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no such file"):
        read_gate_spec(tmp_path)
