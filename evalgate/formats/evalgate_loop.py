"""
The report of `evalgate loop report`: one case a run folder, one attempt a gate round.

We write it ourselves, so it is read strictly: what does not follow from its own rounds was changed by hand or cut. The
rounds of a run depend on each other. Therefore the last one decides, a case that is green after repairs is not flaky,
and a signature that survives a repair counts once a run: two of them are two runs that died in one place.

The rule of a verdict stands here a second time, beside `evalgate.loop.judging`, on purpose: a reader that asked the
writer would believe it. A test holds the two together.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from evalgate.errors import ReportError
from evalgate.evidence import AttemptEvidence, CaseEvidence, Evidence, Tokens
from evalgate.faults import MISSING, Fault, Faults
from evalgate.formats import found
from evalgate.formats.content import Content
from evalgate.formats.format import Format
from evalgate.formats.found import ReadOptions
from evalgate.formats.instants import instant
from evalgate.numbers import Number
from evalgate.plain import shorten
from evalgate.report import LOOP_FORMAT, Case, Fact, Loop, Report, Status
from evalgate.strict_json import Document, decode

SCHEMA = 1
COST_GATES = ("active", "degraded")
STAGES = ("stage", "smoke", "play")
LONGEST_STDERR = 8000
"""Unit: characters. Of a longer stack a round keeps the end."""
NO_ROUND = "no gate round was run: there is no verdict"
_STATUSES = {status.value: status for status in Status}
_NOTES_SHOWN = 20
MOST_REPAIRS = 1_000_000
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+")


def broke_off(reason: str | None) -> bool:
    """
    Tell whether a `stoppedReason` says that a run did not end by itself: `died`, `wall_timeout`, `timed out`.

    Everything else (`max_repairs`, `max_iters`, a cap of the breaker) is an end that somebody decided on: then the last
    round counts.
    """
    # Word by word, also in `wallTimeout`: a `lifetime_outdated` is none.
    words = [word.lower() for word in _WORD.findall(reason or "")]
    timed = {*words, *(first + second for first, second in pairwise(words))}
    return words[:1] == ["died"] or bool(timed & {"timeout", "timedout"})


def status_of(verdict: Mapping[str, Any]) -> Status:
    """Return what a gate verdict says of a round: without a guard there is none, and nobody judged anything."""
    guards = verdict.get("guards")
    if not isinstance(guards, dict) or not guards:
        return Status.ERROR
    # A guard that is anything else than an object with a true `pass` proves nothing.
    proven = all(isinstance(guard, dict) and guard.get("pass") is True for guard in guards.values())
    return Status.PASS if verdict.get("pass") is True and proven else Status.FAIL


def _sniff(content: Content) -> bool:
    return content.object.get("tool") == LOOP_FORMAT


def _read(content: Content, _options: ReadOptions) -> tuple[Report, Evidence]:
    # A key twice could hide a red verdict in front of a green one.
    document = decode(content.label, content.data, unique_keys=True)
    return _report(content.label, found.object_of(content.label, "", document.value), document.bad_numbers)


def _report(label: str, document: Mapping[str, Any], bad_numbers: Sequence[str]) -> tuple[Report, found.Kept]:
    schema = document.get("schemaVersion", MISSING)
    if isinstance(schema, bool) or schema != SCHEMA:
        raise found.fault(label, "schemaVersion", f"this evalgate reads {SCHEMA}", schema)
    if bad_numbers:
        raise ReportError([f"{label}: must hold finite numbers only (got {bad_numbers[0]})"])
    version, profile = (_name(label, name, document.get(name, MISSING)) for name in ("version", "profile"))
    begin, end = (_instant(label, name, document.get(name)) for name in ("startedAt", "finishedAt"))
    if begin and end and (instant(end) or (0, "")) < (instant(begin) or (0, "")):
        raise found.fault(label, "finishedAt", f"must not be before startedAt, {begin}", end)
    raw_cases = found.list_of(label, "cases", document.get("cases", MISSING))
    faults = Faults(label)
    read: list[_Read] = []
    for position, raw in enumerate(raw_cases):
        try:
            one = _Read(label, f"cases[{position}]", raw)
        except ReportError as fault:
            faults.take(fault)
        else:
            read.append(one)
    faults.raise_if_any()
    evidence = [one.evidence for one in read]
    found.checked(label, evidence)
    _check_summary(label, document.get("summary", MISSING), read)
    models = sorted({model for one in read for model in one.models})
    counted = sum(one.evidence.tokens is not None for one in read)
    report = Report(
        format=FORMAT.name,
        tool=LOOP_FORMAT,
        harness_version=version,
        profile=profile,
        dsh_version=", ".join(models) or None,
        started_at=begin,
        finished_at=end,
        duration_ms=found.number(label, "durationMs", document.get("durationMs", MISSING)),
        cases=tuple(one.facts for one in read),
        carries=frozenset(_carried(counted=bool(counted), versioned=bool(models))),
        notes=tuple(_notes(read, counted)),
    )
    return report, found.Kept(evidence)


class _Read:
    """One case, checked against itself."""

    def __init__(self, label: str, place: str, value: object) -> None:
        self.label, self.place = label, place
        self.raw = raw = found.object_of(label, place, value)
        name = _name(label, f"{place}.name", raw.get("name", MISSING))
        status = self._status(place, raw)
        self.stopped = self._optional(place, raw, "stoppedReason")
        self.error = self._optional(place, raw, "error")
        self.models = tuple(self._texts(f"{place}.models", raw.get("models", MISSING)))
        self.notes = tuple(self._texts(f"{place}.notes", raw.get("notes", [])))
        repairs = found.count(label, f"{place}.repairs", raw.get("repairs", MISSING))
        tokens = self._tokens(f"{place}.tokens", raw.get("tokens", MISSING))
        errors = self._tool_errors(raw)
        number = found.count(label, f"{place}.toolErrorCount", raw.get("toolErrorCount", MISSING))
        if number < len(errors):
            raise found.fault(
                label, f"{place}.toolErrorCount", f"must be at least the number of toolErrors, {len(errors)}", number
            )
        if repairs > MOST_REPAIRS:
            raise found.fault(label, f"{place}.repairs", f"must be at most {MOST_REPAIRS}", repairs)
        gate = raw.get("costGate", MISSING)
        if gate not in COST_GATES:
            raise found.fault(label, f"{place}.costGate", f"must be {' or '.join(COST_GATES)}", gate)
        if raw.get("cost", MISSING) is not None:
            found.number(label, f"{place}.cost", raw.get("cost", MISSING))
        elif gate == "active":
            raise found.fault(label, f"{place}.cost", "must be a number where costGate is active", None)
        tripped = self._flag(f"{place}.budgetSoftTripped", raw.get("budgetSoftTripped", MISSING))
        if raw.get("flaky", False) is not False:
            raise found.fault(
                label, f"{place}.flaky", "must be false, for rounds are no retries", raw.get("flaky", MISSING)
            )
        duration = found.number(label, f"{place}.durationMs", raw.get("durationMs", MISSING))
        attempts = self._attempts(raw)
        self._agree(status, attempts, repairs)
        self.evidence = CaseEvidence(
            name=name,
            status=status,
            attempts=self._shown(attempts, status, errors, number),
            total_tokens=None if tokens is None else tokens.total,
            tool_errors=tuple(errors),
            duration_ms=duration,
            tokens=tokens,
        )
        self.facts = Case(
            name=name,
            status=status,
            attempts=max(len(attempts), 1),
            total_tokens=0 if tokens is None else tokens.total,
            tool_errors=number,
            signatures=tuple(dict.fromkeys(one.signature for one in attempts if one.signature is not None)),
            loop=Loop(repairs, tripped, gate == "degraded"),
        )

    def _agree(self, status: Status, attempts: Sequence[AttemptEvidence], repairs: int) -> None:
        """Raise unless status, rounds, repairs and reason tell one story."""
        place, label = self.place, self.label
        last = attempts[-1].status if attempts else Status.ERROR
        broken = broke_off(self.stopped)
        expected = Status.ERROR if broken else last
        if status is not expected:
            why = "the status of its last round"
            if broken:
                why = f"since the run stopped with {shorten(self.stopped or '', 100)!r}"
            raise found.fault(label, f"{place}.status", f'must be "{expected.value}", {why}', self.raw["status"])
        if (self.error is not None) is not (status is Status.ERROR):
            rule = (
                "must say why nothing was measured"
                if self.error is None
                else "must not stand in a case that was judged"
            )
            raise found.fault(label, f"{place}.error", rule, self.raw.get("error", MISSING))
        if repairs < len(attempts) - 1:
            raise found.fault(
                label,
                f"{place}.repairs",
                f"must be at least the number of rounds but one, {len(attempts) - 1}",
                repairs,
            )
        failures = self._texts(f"{place}.failures", self.raw.get("failures", MISSING))
        if attempts and tuple(failures) != attempts[-1].failures:
            raise found.fault(label, f"{place}.failures", "must be those of the last round", failures)

    def _attempts(self, raw: Mapping[str, Any]) -> list[AttemptEvidence]:
        where = f"{self.place}.attemptResults"
        listed = found.list_of(self.label, where, raw.get("attemptResults", MISSING))
        attempts = [self._attempt(f"{where}[{position}]", position + 1, one) for position, one in enumerate(listed)]
        said = found.count(self.label, f"{self.place}.attempts", raw.get("attempts", MISSING))
        if said != len(attempts):
            raise found.fault(
                self.label, f"{self.place}.attempts", f"must be the number of attemptResults, {len(attempts)}", said
            )
        return attempts

    def _attempt(self, place: str, number: int, value: object) -> AttemptEvidence:
        label, raw = self.label, found.object_of(self.label, place, value)
        said = found.count(label, f"{place}.index", raw.get("index", MISSING))
        if said != number:
            raise found.fault(label, f"{place}.index", f"must be {number}: 1, 2, 3 in order", said)
        status = self._status(place, raw)
        expected = status_of(found.object_of(label, f"{place}.verdict", raw.get("verdict", MISSING)))
        if status is not expected:
            raise found.fault(
                label, f"{place}.status", f'must be "{expected.value}", which is what its verdict says', raw["status"]
            )
        stage = raw.get("stage", MISSING)
        if stage not in STAGES:
            raise found.fault(label, f"{place}.stage", f"must be among {', '.join(STAGES)}", stage)
        if status is not Status.ERROR and stage != STAGES[-1]:
            raise found.fault(label, f"{place}.stage", f"must be {STAGES[-1]}, for there is a verdict", stage)
        red = [name for name, guard in _guards(raw).items() if isinstance(guard, dict) and guard.get("pass") is False]
        said_red = self._texts(f"{place}.failedGates", raw.get("failedGates", MISSING))
        if said_red != red:
            raise found.fault(label, f"{place}.failedGates", "must be the guards that failed", said_red)
        if not _instant(label, f"{place}.startedAt", raw.get("startedAt", MISSING)):
            raise found.fault(label, f"{place}.startedAt", "must be an ISO 8601 instant", None)
        if raw.get("screenshot") not in (None, f"{number}.png"):
            raise found.fault(label, f"{place}.screenshot", f"must be {number}.png", raw["screenshot"])
        failures = self._texts(f"{place}.failures", raw.get("failures", MISSING))
        if (status is Status.PASS) is bool(failures):
            rule = (
                "must be empty, for the round passed"
                if failures
                else "must say what is wrong, for the round did not pass"
            )
            raise found.fault(label, f"{place}.failures", rule, failures)
        error = f"no verdict: the round got as far as {stage}" if status is Status.ERROR else None
        return found.attempt(
            number,
            status,
            [_from_a_whole_line(self._optional(place, raw, "stderrTail"))],
            failures=failures,
            error=error,
            duration_ms=found.number(label, f"{place}.durationMs", raw.get("durationMs", MISSING)),
        )

    def _shown(
        self,
        attempts: Sequence[AttemptEvidence],
        status: Status,
        errors: Sequence[tuple[str, str]],
        number: int,
    ) -> tuple[AttemptEvidence, ...]:
        """Return the attempts as a person sees them: why a run broke off, and its tool errors, stand with the last."""
        more = number - len(errors)
        told = (*errors, *([("?", f"{more} more, of which the run keeps only the number")] if more else []))
        if not attempts:
            failures = tuple(self._texts(f"{self.place}.failures", self.raw.get("failures", MISSING)))
            return (found.attempt(1, status, failures=failures, error=self.error or NO_ROUND, tool_errors=told),)
        last = attempts[-1]._replace(tool_errors=told)
        if broke_off(self.stopped):
            last = last._replace(error=self.error)
        return (*attempts[:-1], last)

    def _status(self, place: str, raw: Mapping[str, Any]) -> Status:
        said = raw.get("status", MISSING)
        if not isinstance(said, str) or said not in _STATUSES:
            raise found.fault(self.label, f"{place}.status", f"must be among {', '.join(_STATUSES)}", said)
        return _STATUSES[said]

    def _tokens(self, place: str, value: object) -> Tokens | None:
        if value is None:
            return None
        raw = found.object_of(self.label, place, value)
        numbers: list[Number] = [
            found.number(self.label, f"{place}.{name}", raw.get(name, MISSING)) for name in ("input", "output", "total")
        ]
        if numbers[2] != numbers[0] + numbers[1]:
            raise found.fault(
                self.label, f"{place}.total", f"must be input + output, {numbers[0] + numbers[1]}", numbers[2]
            )
        return Tokens(input=numbers[0], output=numbers[1])

    def _tool_errors(self, raw: Mapping[str, Any]) -> list[tuple[str, str]]:
        where = f"{self.place}.toolErrors"
        errors = []
        for position, value in enumerate(found.list_of(self.label, where, raw.get("toolErrors", MISSING))):
            one = found.object_of(self.label, f"{where}[{position}]", value)
            name, error = (
                found.text_of(self.label, f"{where}[{position}].{key}", one.get(key, MISSING))
                for key in ("name", "error")
            )
            errors.append((name, error))
        return errors

    def _texts(self, place: str, value: object) -> list[str]:
        listed = found.list_of(self.label, place, value)
        return [found.text_of(self.label, f"{place}[{position}]", one) for position, one in enumerate(listed)]

    def _flag(self, place: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise found.fault(self.label, place, "must be true or false", value)
        return value

    def _optional(self, place: str, raw: Mapping[str, Any], name: str) -> str | None:
        return None if raw.get(name) is None else found.text_of(self.label, f"{place}.{name}", raw[name])


def _guards(attempt: Mapping[str, Any]) -> Mapping[str, Any]:
    guards = attempt["verdict"].get("guards")
    return guards if isinstance(guards, dict) else {}


def _from_a_whole_line(text: str | None) -> str | None:
    """Return a text without the first line where it is one that was cut: half of `TypeError: x` is another error."""
    if text is None or len(text) < LONGEST_STDERR:
        return text
    return text.partition("\n")[2] or text


def _name(label: str, place: str, value: object) -> str:
    text = found.text_of(label, place, value)
    if not text.strip():
        raise found.fault(label, place, "must not be blank", text)
    return text


def _instant(label: str, place: str, value: object) -> str:
    """Return an instant as the file spells it, empty for one that nobody knows (null)."""
    if value is None:
        return ""
    text = found.text_of(label, place, value)
    if instant(text) is None:
        raise found.fault(label, place, "must be an ISO 8601 instant", text)
    return text


def _check_summary(label: str, value: object, read: Sequence[_Read]) -> None:
    summary = found.object_of(label, "summary", value)
    statuses = [one.evidence.status for one in read]
    faults = Faults(label)
    for name, what, counted in (
        ("total", "of cases", len(statuses)),
        ("passed", "of passing cases", statuses.count(Status.PASS)),
        ("failed", "of failing cases", statuses.count(Status.FAIL)),
        ("errored", "of errored cases", statuses.count(Status.ERROR)),
    ):
        said = found.count(label, f"summary.{name}", summary.get(name, MISSING))
        if said != counted:
            faults.add([Fault(f"summary.{name}", f"must be the number {what}, {counted}", said)])
    faults.raise_if_any()


def _carried(*, counted: bool, versioned: bool) -> Iterator[Fact]:
    # Flaky: a run of the loop is made once, and its report says so of every case.
    yield from (Fact.TOOL_ERRORS, Fact.FLAKY, Fact.SIGNATURES)
    if counted:
        yield Fact.TOKENS
    if versioned:
        yield Fact.VERSION


def _notes(read: Sequence[_Read], counted: int) -> Iterator[str]:
    noted = [f"{one.facts.name}: {note}" for one in read for note in one.notes]
    yield from noted[:_NOTES_SHOWN]
    if len(noted) > _NOTES_SHOWN:
        yield f"and {len(noted) - _NOTES_SHOWN} more notes on single runs"
    if 0 < counted < len(read):
        yield f"{counted} of {len(read)} runs say how many tokens they used; the others count as 0"


def check_document(label: str, document: Document) -> None:
    """Raise `ReportError` unless a decoded document that is about to be written breaks no rule."""
    _report(label, found.object_of(label, "", document.value), document.bad_numbers)


FORMAT = Format(
    name=LOOP_FORMAT,
    title="evalgate loop",
    sniff=_sniff,
    read=_read,
    carries=frozenset({Fact.TOKENS, Fact.TOOL_ERRORS, Fact.FLAKY, Fact.SIGNATURES, Fact.VERSION}),
    recognised='`"tool": "evalgate-loop"`; `evalgate loop report` writes it. Schema 1.',
    losses=(
        "The screenshots and the trace stay in the run folders. A signature counts once a run, however many of its "
        "rounds died of it. It is compared with no report of another tool, and `evalgate convert` refuses it: a round "
        "is no retry."
    ),
)
