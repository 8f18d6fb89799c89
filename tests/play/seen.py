"""Observations of a game that works, to be spoiled one by one."""

from dataclasses import replace
from typing import Any

from evalgate.play.gate_spec import TAP_TARGETS, Check, Driver, GateSpec
from evalgate.play.observations import Boot, Observations, Sample, Visit
from evalgate.play.screenshot import Picture

SPEC = GateSpec(
    entry="src/game.js",
    expected=("drawRect", "Sound.play"),
    score="score",
    checks=(Check("score", ">"), Check("lit", ">=", 2)),
    latch=Check("phase", "==", "won"),
)
BOOTED = Boot(loaded=True, exported=True, canvas=True, state=True)


def state(**values: Any) -> dict[str, Any]:
    return {"frame": 0, "phase": "night", "score": 0, "lit": 0, "clock": 60, "targets": [{"id": 1, "x": 5}], **values}


CONTROL = Visit(
    boot=BOOTED,
    samples=(
        Sample(0.5, 5, state(frame=5)),
        Sample(1.5, 65, state(frame=65, clock=59)),
        Sample(2.5, 125, state(frame=125, clock=58, targets=[{"id": 1, "x": 6}])),
    ),
    picture=Picture(800, 600, 8000, 255, 90000),
)
PLAYED = Visit(
    boot=BOOTED,
    samples=(
        Sample(0.5, 5, state(frame=5)),
        Sample(1.0, 35, state(frame=35, score=10, lit=1, targets=[{"id": 2, "x": 7}])),
        Sample(1.5, 65, state(frame=65, score=20, lit=2, clock=59, phase="won", targets=[])),
    ),
    inputs=2,
    calls={"drawRect": 130, "Sound.play": 2},
    sample=("drawRect(object)", "Sound.play(1)"),
)
GOOD = Observations(control=CONTROL, played=PLAYED, driver=Driver(type=TAP_TARGETS))


def but(*, control: dict[str, Any] | None = None, played: dict[str, Any] | None = None) -> Observations:
    """Return the good observations with some facts replaced."""
    return replace(GOOD, control=replace(CONTROL, **(control or {})), played=replace(PLAYED, **(played or {})))
