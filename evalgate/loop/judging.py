"""
One run's gate verdict, judged: passed or not, which gates failed, and what the agent is told.

A verdict is `{"pass": bool, "guards": {gate: {"pass": bool, ...}}}`. It passed exactly when its `pass` is true and its
guards are an object that is not empty, in which every guard is an object whose own `pass` is true. So none of these
passes: `{"pass": true, "guards": {}}` (without gates nothing was proven), a true verdict beside a failed guard, and one
beside a guard that is `"ok"` or `{"pass": "true"}`, which proves nothing. `true` is the JSON value and nothing like it.

A declared gate that the verdict does not hold is no failure: what must be in a verdict is for its producer to say, and
a set is texts. It is never silent either, see `Examination.missing`.

Pure, and total: any object is a verdict or none, and is judged. Everything in it comes from a page that an agent wrote;
what is said about it is one line of bounded length, control characters spelled out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evalgate.loop.gate_set import Gate, GateSet, shipped
from evalgate.loop.spelling import filled, shown
from evalgate.loop.wording import Lang, say
from evalgate.plain import escape, shorten
from evalgate.verdict import Verdict

MOST_LINES = 40
"""How many failed gates the feedback explains; the rest is counted. An agent reads it, and each token costs."""
_MOST_ELEMENTS = 6
"""Failed elements of one guard's list that are shown."""
_MOST_FIELDS = 8
"""Fields of a guard that are shown where no template knows it."""
_LONGEST_NAME = 100
_LONGEST_LINE = 2400
"""Unit: characters."""
_MOST_NAMES = 12


class GateJudgment(NamedTuple):
    """The judgement of one run."""

    passed: bool
    failed_gates: tuple[str, ...]
    """The keys of the guards that are objects with `pass` false, as the verdict spells them, in its order."""
    feedback: tuple[str, ...]
    """One line per failed gate, or the sentence that says why the run did not pass; empty exactly when it passed."""


class Examination(NamedTuple):
    """A judgement with all that it rests on."""

    verdict: Verdict
    """PASS, FAIL, or N/A when there is no verdict or no guard in it."""
    gate_set: str
    lang: Lang
    guards: int
    """Guards in the verdict."""
    failed: tuple[str, ...]
    unproven: tuple[str, ...]
    """Keys of the guards that are no object, or whose `pass` is neither true nor false."""
    missing: tuple[str, ...]
    """Declared gates that the verdict does not hold; all of them when there is no verdict."""
    reasons: tuple[str, ...]
    """Sentences for a person, at least one."""
    lines: tuple[str, ...]
    """`F_wiring: ...` for each of `failed`, then for each of `unproven`."""

    @property
    def judgment(self) -> GateJudgment:
        """The judgement alone, its feedback cut to what an agent can use."""
        if self.verdict is Verdict.PASS:
            return GateJudgment(passed=True, failed_gates=(), feedback=())
        feedback = self.lines[:MOST_LINES]
        more = len(self.lines) - len(feedback)
        if more:
            feedback = (*feedback, say(self.lang, "more_gates", n=more))
        # Red without a failed gate, or no verdict: the reason is all there is to say.
        return GateJudgment(passed=False, failed_gates=self.failed, feedback=feedback or self.reasons)


def judge(verdict: object, gates: GateSet | None = None, lang: Lang = "en") -> GateJudgment:
    """
    Return whether a run passed, which gates failed, and one line of feedback for each.

    `verdict` is the decoded JSON of a gate verdict; None or anything that is no verdict did not pass. `gates` words the
    feedback, None for littlejs-nine; it never changes the judgement. Never raises, whatever `verdict` is; `KeyError`
    for a language that is not "en" or "zh".
    """
    return examine(verdict, gates, lang).judgment


def examine(verdict: object, gates: GateSet | None = None, lang: Lang = "en") -> Examination:
    """Return the judgement with all that it rests on; as `judge` otherwise."""
    gates = shipped("littlejs-nine") if gates is None else gates
    guards = verdict.get("guards") if isinstance(verdict, Mapping) else None
    if not isinstance(verdict, Mapping) or not isinstance(guards, Mapping) or not guards:
        return Examination(
            verdict=Verdict.NOT_APPLICABLE,
            gate_set=gates.name,
            lang=lang,
            guards=0,
            failed=(),
            unproven=(),
            missing=tuple(gate.key for gate in gates.gates),
            reasons=(say(lang, "no_verdict", found=_why_none(verdict, lang)),),
            lines=(),
        )
    failed = tuple(key for key, guard in guards.items() if isinstance(guard, Mapping) and guard.get("pass") is False)
    unproven = tuple(key for key, guard in guards.items() if _proof(guard) is None)
    missing = tuple(gate.key for gate in gates.gates if gate.key not in guards)
    passed = verdict.get("pass") is True and not failed and not unproven
    lines = (
        *(_failed_line(key, guards[key], gates, lang) for key in failed),
        *(_unproven_line(key, guards[key], lang) for key in unproven),
    )
    draft = Examination(
        verdict=Verdict.PASS if passed else Verdict.FAIL,
        gate_set=gates.name,
        lang=lang,
        guards=len(guards),
        failed=tuple(_name(key) for key in failed),
        unproven=tuple(_name(key) for key in unproven),
        missing=missing,
        reasons=(),
        lines=lines,
    )
    return draft._replace(reasons=tuple(_reasons(draft, verdict.get("pass", _ABSENT), len(gates.gates))))


_ABSENT = object()


def _proof(guard: object) -> bool | None:
    """Return what a guard proves: that its gate passed, that it failed, or (None) nothing."""
    said = guard.get("pass") if isinstance(guard, Mapping) else None
    return said if isinstance(said, bool) else None


def _name(key: object) -> str:
    """Return a key of the verdict as it is; JSON has texts only, a caller's dict may have anything."""
    return key if isinstance(key, str) else shown(key)


def _why_none(verdict: object, lang: Lang) -> str:
    if verdict is None:
        return say(lang, "found_nothing")
    if not isinstance(verdict, Mapping):
        return say(lang, "found_other", what=_what(verdict, lang))
    if "guards" not in verdict:
        return say(lang, "found_no_guards")
    guards = verdict["guards"]
    if isinstance(guards, Mapping):
        return say(lang, "found_empty_guards")
    return say(lang, "found_other_guards", what=_what(guards, lang))


def _what(value: object, lang: Lang) -> str:
    """Return a value, and of what holds others, what it is."""
    if value is _ABSENT:
        return say(lang, "absent")
    if isinstance(value, Mapping):
        return say(lang, "an_object")
    if isinstance(value, list | tuple):
        return say(lang, "an_array")
    return f'"{escape(shorten(value, 60))}"' if isinstance(value, str) else shown(value)


def _reasons(found: Examination, said: object, declared: int) -> Iterator[str]:
    lang = found.lang
    if found.failed:
        yield say(lang, "failed", failed=len(found.failed), n=found.guards, gates=_names(found.failed, lang))
    if found.unproven:
        names = _names(found.unproven, lang)
        yield say(lang, "unproven_reason", unproven=len(found.unproven), n=found.guards, gates=names)
    if found.verdict is Verdict.PASS:
        yield say(lang, "passed", n=found.guards)
    elif not found.failed and not found.unproven:
        yield say(lang, "red", found=_what(said, lang))
    if found.missing:
        names = _names(found.missing, lang)
        yield say(
            lang,
            "lacking",
            missing=len(found.missing),
            declared=declared,
            gate_set=escape(found.gate_set),
            gates=names,
        )


def _names(keys: Sequence[str], lang: Lang) -> str:
    names = [escape(shorten(key, _LONGEST_NAME)) for key in keys[:_MOST_NAMES]]
    if len(keys) > _MOST_NAMES:
        names.append(say(lang, "more", n=len(keys) - _MOST_NAMES))
    return ", ".join(names)


def _line(key: object, sentences: Sequence[str], lang: Lang) -> str:
    """Return one line about one gate; its name comes first in every language, for who greps."""
    name = escape(shorten(_name(key), _LONGEST_NAME))
    return shorten(f"{name}: {say(lang, 'after_sentence').join(sentences)}", _LONGEST_LINE)


def _failed_line(key: object, guard: Mapping[str, object], gates: GateSet, lang: Lang) -> str:
    """Return what is wrong, what was measured, and the direction of the repair."""
    gate = gates.by_key.get(key) if isinstance(key, str) else None
    if gate is None:
        wrong, repair = say(lang, "undeclared", gate_set=escape(gates.name)), None
        values = _fields(guard)
    else:
        text = gate.texts[lang]
        wrong, repair = text.wrong, text.repair
        values = [*filled(text.values, guard), *_elements(gate, guard, lang)] or _fields(guard)
    measured = say(lang, "values", values=say(lang, "between").join(values)) if values else None
    return _line(key, [one for one in (wrong, measured, repair) if one is not None], lang)


def _unproven_line(key: object, guard: object, lang: Lang) -> str:
    found = _what(guard.get("pass", _ABSENT), lang) if isinstance(guard, Mapping) else _what(guard, lang)
    return _line(key, [say(lang, "unproven", found=found)], lang)


def _elements(gate: Gate, guard: Mapping[str, object], lang: Lang) -> list[str]:
    """Return the elements of the gate's list that did not pass; what is no object did not."""
    listed = guard.get(gate.list) if gate.list is not None else None
    if not isinstance(listed, list | tuple):
        return []
    failed = [one for one in listed if _proof(one) is not True]
    texts = []
    for one in failed[:_MOST_ELEMENTS]:
        parts = filled(gate.texts[lang].each, one) if isinstance(one, Mapping) else []
        texts.append(say(lang, "comma").join(parts) if parts else shown(one))
    if len(failed) > _MOST_ELEMENTS:
        texts.append(say(lang, "more", n=len(failed) - _MOST_ELEMENTS))
    return texts


def _fields(guard: Mapping[str, object]) -> list[str]:
    """Return the fields of a guard as they are: no text knows it, and its values may say all."""
    fields = [(name, value) for name, value in guard.items() if name != "pass"]
    return [f"{shown(name)} {shown(value)}" for name, value in fields[:_MOST_FIELDS]]
