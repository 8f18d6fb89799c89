"""The nine gates, fact by fact."""

import json
from dataclasses import replace
from typing import Any

import pytest

from evalgate.loop.judging import judge
from evalgate.play.gates import verdict_of
from evalgate.play.observations import Boot, Observations, Sample, Visit
from evalgate.play.screenshot import Picture
from tests.play.seen import BOOTED, CONTROL, GOOD, PLAYED, SPEC, but, state

ALL = tuple("ABCDEFGHI")


def red(seen: Observations) -> str:
    guards: Any = verdict_of(seen, SPEC)["guards"]
    return "".join(name[0] for name, guard in guards.items() if guard["pass"] is not True)


def guard(seen: Observations, name: str) -> dict[str, Any]:
    guards: Any = verdict_of(seen, SPEC)["guards"]
    found: dict[str, Any] = guards[name]
    return found


def states_of(visit: Visit, **values: Any) -> tuple[Sample, ...]:
    return tuple(
        one._replace(state={**one.state, **values} if one.state is not None else None) for one in visit.samples
    )


def test_a_good_game_passes_all_nine() -> None:
    verdict = verdict_of(GOOD, SPEC)
    assert verdict["pass"] is True
    assert [name[0] for name in verdict["guards"]] == list(ALL)  # type: ignore[attr-defined]
    assert judge(verdict).passed


STILL = tuple(Sample(one.seconds, one.frame, state()) for one in CONTROL.samples)

CASES = {
    "nothing was seen at all": (Observations(control=Visit(), played=Visit(), driver=GOOD.driver), "ABCDEFGHI"),
    "no canvas": (but(control={"boot": replace(BOOTED, canvas=False), "samples": ()}), "ABCDEFGHI"),
    "the second start fails": (
        but(played={"boot": Boot(loaded=True), "samples": (), "inputs": 0, "calls": {}}),
        "AFGH",
    ),
    "an error while nobody plays": (but(control={"uncaught": 1, "stacks": ("TypeError: x\n    at f",)}), "B"),
    "an error while it is played": (but(played={"uncaught": 1}), "B"),
    "the page hung": (but(played={"ended": "Runtime.evaluate: no answer within 15 s"}), "B"),
    "the loop stands still": (
        but(control={"samples": tuple(one._replace(frame=5) for one in CONTROL.samples)}),
        # What is compared with as many frames: one sample.
        "CG",
    ),
    "nine frames are not ten": (
        but(control={"samples": (CONTROL.samples[0], CONTROL.samples[2]._replace(frame=14))}),
        "CG",
    ),
    "no engine": (but(control={"samples": tuple(one._replace(frame=None) for one in CONTROL.samples)}), "C"),
    "black": (but(control={"picture": Picture(800, 600, 0, 25, 5000)}), "D"),
    "a few bright pixels": (but(control={"picture": Picture(800, 600, 99, 255, 99)}), "D"),
    "all white": (but(control={"picture": Picture(800, 600, 480000, 255, 0)}), "D"),
    "no picture": (but(control={"picture": None}), "D"),
    "one state only": (but(control={"samples": STILL}, played={"samples": STILL}), "EGH"),
    "an expected call never made": (but(played={"calls": {"drawRect": 130, "Sound.play": 0}}), "F"),
    "an expected call that nobody counted": (but(played={"calls": {"drawRect": 130}}), "F"),
    "a call that the engine does not have": (but(played={"unknown": ("Sound.play",)}), "F"),
    "input does nothing": (but(played={"samples": CONTROL.samples}), "GH"),
    "nothing was put in": (but(played={"inputs": 0}), "GH"),
    "no points": (but(played={"samples": states_of(PLAYED, score=0)}), "H"),
    "the end is never reached": (but(played={"samples": states_of(PLAYED, phase="night")}), "H"),
    "points for nothing": (
        but(control={"samples": (*CONTROL.samples, Sample(2.6, 130, state(frame=130, score=1)))}),
        "I",
    ),
    "points for nothing, and taken away again": (
        but(control={"samples": (CONTROL.samples[0], Sample(1, 30, state(score=1)), *CONTROL.samples[1:])}),
        "I",
    ),
    "no score in the state": (but(control={"samples": states_of(CONTROL, score=None)}), "I"),
    "a score that is a text": (but(control={"samples": states_of(CONTROL, score="0")}), "I"),
    "a score that is true": (but(control={"samples": states_of(CONTROL, score=True)}), "I"),
}


@pytest.mark.parametrize(("seen", "expected"), CASES.values(), ids=CASES)
def test_what_is_red(seen: Observations, expected: str) -> None:
    assert red(seen) == expected
    verdict = verdict_of(seen, SPEC)
    assert verdict["pass"] is False
    json.dumps(verdict, allow_nan=False)
    judgment = judge(verdict)
    assert [name[0] for name in judgment.failed_gates] == list(expected)
    assert len(judgment.feedback) == len(expected)
    for found in verdict["guards"].values():  # type: ignore[attr-defined]
        assert found["pass"] is True or found["why"], found


def test_a_gate_without_evidence_fails() -> None:
    """Trap 11: the naive gate is green for a game that never started, since nothing moved."""
    nothing = Observations(control=Visit(), played=Visit(), driver=GOOD.driver)

    def naive(control: Visit) -> bool:
        scores = [one["score"] for one in control.states]
        return all(score == scores[0] for score in scores)

    assert naive(nothing.control)
    assert guard(nothing, "I_control")["pass"] is False
    assert "no evidence" in guard(nothing, "I_control")["why"]


def test_time_alone_is_no_input() -> None:
    """The naive gate compares before and after: a clock makes it green for a game that ignores its player."""
    dead = but(played={"samples": CONTROL.samples})

    def naive(played: Visit) -> bool:
        return played.states[0] != played.states[-1]

    assert naive(dead.played)
    assert guard(dead, "G_input")["pass"] is False
    assert guard(dead, "G_input")["byItself"] == ["clock", "targets.0.x"]


def test_what_comes_later_than_the_control_is_no_effect() -> None:
    """Dawn comes by itself, and after the control had ended: it must not look like an effect of input."""
    late = (*CONTROL.samples, Sample(30.0, 1800, state(phase="dawn", clock=0)))
    assert guard(but(played={"samples": late}), "G_input")["pass"] is False


def test_the_end_state_counts_at_any_time() -> None:
    """The naive gate looks at the last state: a game that starts anew after it was won would never be won."""
    again = but(played={"samples": (*PLAYED.samples, Sample(2.0, 95, state(frame=95, score=30, lit=3)))})
    assert again.played.states[-1]["phase"] == "night"
    latch = guard(again, "H_progress")["latch"]
    assert latch["reached"] is True
    assert latch["seconds"] == 1.5
    assert guard(again, "H_progress")["pass"] is True


def test_values_are_those_that_were_measured() -> None:
    seen = but(control={"uncaught": 2, "stacks": ("TypeError: x\n    at f (a.js:1:2)",)})
    assert guard(seen, "B_uncaught") == {
        "pass": False,
        "uncaught": 2,
        "errors": ["TypeError: x"],
        "why": "TypeError: x",
    }
    assert guard(GOOD, "C_frame") == {"pass": True, "f0": 5, "f1": 125, "delta": 120, "seconds": 2.0}
    assert guard(GOOD, "D_render") == {"pass": True, "bright": 8000, "maxCh": 255, "otherColour": 90000}
    assert guard(GOOD, "E_live") == {"pass": True, "distinctStates": 5, "overTime": 3, "withInput": 3}
    assert guard(GOOD, "F_wiring")["callCount"] == 132
    assert guard(GOOD, "G_input")["changed"] == ["lit", "phase", "score", "targets.0.id", "targets.length"]
    assert guard(GOOD, "H_progress")["checks"] == [
        {"pass": True, "path": "score", "op": ">", "before": 0, "after": 20},
        {"pass": True, "path": "lit", "op": ">=", "value": 2, "before": 0, "after": 2},
    ]
    assert guard(GOOD, "I_control") == {
        "pass": True,
        "path": "score",
        "before": 0,
        "after": 0,
        "delta": 0,
        "seconds": 2.0,
    }
