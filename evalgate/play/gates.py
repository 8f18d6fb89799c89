"""
The nine gates: what was seen of a game, held against what it promises. Pure.

A gate without evidence fails: with no boot, "the score did not move" proves nothing. So when the game did not start,
every gate is red, with the values that there are and a `why`.
"""

from collections.abc import Mapping, Sequence

from evalgate.faults import MISSING
from evalgate.play.gate_spec import Check, GateSpec
from evalgate.play.observations import Boot, Observations, Sample, Visit
from evalgate.play.paths import changed, distinct, same, value_at
from evalgate.play.progress_checks import why_not

Guard = dict[str, object]

BRIGHT_PIXELS = 100
"""So many must be bright: a dozen letters have more, noise and a cursor have not."""
OTHER_PIXELS = 100
"""So many must have another colour than the most frequent one: a page of one bright colour shows nothing."""
FRAMES = 10
"""So many must pass while nobody plays, of some 120: a slow machine draws few, a dead loop none or a few."""
_SHOWN = 10
_NOT_BOOTED = "no evidence: the game did not boot"


def verdict_of(seen: Observations, spec: GateSpec) -> dict[str, object]:
    """Return `{"pass": ..., "guards": {"A_boot": {"pass": ..., ...}, ...}}`; it passes when all nine do."""
    guards: dict[str, Guard] = {
        "A_boot": _boot(seen),
        "B_uncaught": _uncaught(seen),
        "C_frame": _frame(seen.control),
        "D_render": _render(seen.control),
        "E_live": _live(seen),
        "F_wiring": _wiring(seen.played, spec),
        "G_input": _input(seen),
        "H_progress": _progress(seen, spec),
        "I_control": _control(seen.control, spec),
    }
    if not seen.control.boot.done:
        for guard in guards.values():
            guard["pass"] = False
            guard.setdefault("why", _NOT_BOOTED)
    return {"pass": all(guard["pass"] is True for guard in guards.values()), "guards": guards}


def _guard(why: str, **values: object) -> Guard:
    """Return a guard that passes when there is nothing to say against it."""
    guard: Guard = {"pass": why == "", **values}
    if why:
        guard["why"] = why
    return guard


def _boot(seen: Observations) -> Guard:
    boots = (seen.control.boot, seen.played.boot)
    first = next((boot for boot in boots if not boot.done), boots[0])
    guard = _guard(
        "" if first.done else _what_is_missing(first),
        loaded=first.loaded,
        exported=first.exported,
        canvas=first.canvas,
        state=first.state,
    )
    if first.why:
        guard["error"] = first.why
    if any(visit.tampered for visit in (seen.control, seen.played)):
        guard |= {"pass": False, "why": "the game called what the gates count by"}
    return guard


def _what_is_missing(boot: Boot) -> str:
    parts = {"page": boot.loaded, "exports": boot.exported, "canvas": boot.canvas, "state": boot.state}
    return f"not there: {', '.join(name for name, there in parts.items() if not there)}"


def _uncaught(seen: Observations) -> Guard:
    visits = (seen.control, seen.played)
    count = sum(visit.uncaught for visit in visits)
    stacks = [stack for visit in visits for stack in visit.stacks]
    ended = [visit.ended for visit in visits if visit.ended]
    # A page that hangs or dies has thrown nothing, and is no better for it.
    unread = sum(sample.state is None for visit in visits if visit.boot.done for sample in visit.samples)
    why = ""
    if stacks:
        why = stacks[0].partition("\n")[0]
    elif ended:
        why = ended[0]
    elif count:
        why = "an error was thrown"
    elif unread:
        # A state that comes and goes would keep from the gates what they look for.
        why = f"state() did not answer {unread} times"
    errors = list(dict.fromkeys(stack.partition("\n")[0] for stack in stacks))[:_SHOWN]
    guard = _guard(why, uncaught=count, errors=errors)
    return {**guard, "unreadStates": unread} if unread else guard


def _frame(control: Visit) -> Guard:
    frames = [sample.frame for sample in control.samples if sample.frame is not None]
    if len(frames) < 2:
        return _guard("no evidence: the engine counted no frames", f0=None, f1=None, delta=None)
    delta = frames[-1] - frames[0]
    why = "" if delta >= FRAMES else f"fewer than {FRAMES} frames"
    return _guard(why, f0=frames[0], f1=frames[-1], delta=delta, seconds=_seconds(control.samples))


def _render(control: Visit) -> Guard:
    picture = control.picture
    if picture is None:
        return _guard("no evidence: there is no picture", bright=None, maxCh=None)
    why = ""
    if picture.bright < BRIGHT_PIXELS:
        why = f"fewer than {BRIGHT_PIXELS} bright pixels"
    elif picture.other < OTHER_PIXELS:
        why = "all of one colour"
    return _guard(why, bright=picture.bright, maxCh=picture.max_channel, otherColour=picture.other)


def _live(seen: Observations) -> Guard:
    states = (*seen.control.states, *seen.played.states)
    count = distinct(states)
    why = "" if count >= 2 else "always the same state" if states else "no evidence: there is no state"
    return _guard(
        why, distinctStates=count, overTime=distinct(seen.control.states), withInput=distinct(seen.played.states)
    )


def _wiring(played: Visit, spec: GateSpec) -> Guard:
    calls = {name: played.calls.get(name, 0) for name in spec.expected}
    missing = [name for name, count in calls.items() if count == 0]
    why = ""
    if played.unknown:
        why = f"the engine has no {', '.join(played.unknown)}"
    elif missing:
        why = f"never called: {', '.join(missing)}"
    return _guard(
        why,
        expected=list(spec.expected),
        callCount=sum(calls.values()),
        calls=calls,
        missing=missing,
        sample=list(played.sample[:_SHOWN]),
    )


def _input(seen: Observations) -> Guard:
    """
    Judge whether input did what time alone does not.

    Both visits start alike, with the same dice. What moved while nobody played moves by itself; the played visit is
    looked at for as many frames as the control lasted and no longer, or what a game does by itself later would look
    like an effect. So a place of the state that changes both by itself and by input is no evidence, on purpose.
    """
    last = seen.control.samples[-1] if seen.control.samples else None
    if last is None or seen.played.inputs == 0:
        return _guard("no evidence: nothing was put in", inputs=seen.played.inputs, changed=[])
    played = [sample for sample in seen.played.samples if _no_later(sample, last)]
    states = [sample.state for sample in played if sample.state is not None]
    if len(states) < 2:
        return _guard("no evidence: no state was seen after input", inputs=seen.played.inputs, changed=[])
    by_itself = changed(seen.control.states)
    effects = sorted(changed(states) - by_itself)
    why = "" if effects else "nothing changed that does not change by itself"
    guard = _guard(why, inputs=seen.played.inputs, changed=effects[:_SHOWN], byItself=sorted(by_itself)[:_SHOWN])
    if effects:
        guard |= {"before": _shown(states[0], effects[0]), "after": _shown(states[-1], effects[0])}
    return guard


def _no_later(sample: Sample, last: Sample) -> bool:
    if sample.frame is not None and last.frame is not None:
        return sample.frame <= last.frame
    return sample.seconds <= last.seconds


def _progress(seen: Observations, spec: GateSpec) -> Guard:
    states = seen.played.states
    before = states[0] if states else None
    after = states[-1] if states else None
    checks: list[Guard] = []
    for check in spec.checks:
        entry = _guard(
            why_not(check, before, after),
            **_named(check),
            before=_shown(before, check.path),
            after=_shown(after, check.path),
        )
        checks.append(entry)
    reached = next(
        (s for s in seen.played.samples if s.state is not None and why_not(spec.latch, before, s.state) == ""), None
    )
    latch = {
        **_named(spec.latch),
        "reached": reached is not None,
        "last": _shown(after, spec.latch.path),
        "seconds": None if reached is None else round(reached.seconds, 2),
    }
    why = ""
    if not states:
        why = "no evidence: there is no state"
    elif seen.played.inputs == 0:
        why = "no evidence: nothing was put in"
    elif any(entry["pass"] is False for entry in checks):
        why = "a measure did not move as it should"
    elif reached is None:
        why = "the end state was not reached"
    return _guard(why, checks=checks, latch=latch, inputs=seen.played.inputs, driver=seen.driver.type)


def _named(check: Check) -> dict[str, object]:
    named: dict[str, object] = {"path": check.path, "op": check.op}
    if check.value is not MISSING:
        named["value"] = check.value
    return named


def _control(control: Visit, spec: GateSpec) -> Guard:
    values = [value_at(state, spec.score) for state in control.states]
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < 2 or len(numbers) < len(values):
        why = f"no evidence: {spec.score} is not a number in every state"
        return _guard(why, path=spec.score, before=None, after=None, delta=None)
    # Up and down again is moving, too.
    moved = [number for number in numbers if not same(number, numbers[0])]
    why = "the score moved by itself" if moved else ""
    after = moved[-1] if moved else numbers[-1]
    return _guard(
        why,
        path=spec.score,
        before=numbers[0],
        after=after,
        delta=after - numbers[0],
        seconds=_seconds(control.samples),
    )


def _seconds(samples: Sequence[Sample]) -> float:
    return round(samples[-1].seconds - samples[0].seconds, 2) if samples else 0.0


def _shown(state: Mapping[str, object] | None, path: str) -> object:
    """Return what stands there, short enough for a verdict; None when nothing does."""
    value = MISSING if state is None else value_at(state, path)
    if value is MISSING:
        return None
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return f"an object of {len(value)}"
    return value[:200] if isinstance(value, str) else value
