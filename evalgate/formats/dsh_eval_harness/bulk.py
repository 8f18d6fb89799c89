"""
The bulk reader: slices, typed shapes, facts; a report of gigabytes in a few megabytes.

It decides nothing. A slice that it cannot read exactly goes to the reference reader, and a file whose layout it does
not know goes there whole; tests hold that both readers give the same facts or the same refusal.

Where one case ends and the next begins is guessed, not parsed: a raw line feed cannot stand inside a JSON string, so in
the layout that the harness writes the text between two cases is a good guess, and in others it is learnt from the first
case. Every slice must parse as an array, and what is left around them must parse with a marker as the one element of
`cases`. JSON's grammar is free of context, so valid pieces make a valid document, and the same one: a wrong guess costs
time and never an answer.

Memory: one slice and the facts. Work: each byte is looked at a fixed number of times.
"""

import json
import os
import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from evalgate.errors import ReportError
from evalgate.evidence import CaseEvidence
from evalgate.formats.dsh_eval_harness.common import CasesInMemory, CasesRead, is_legacy, recognise, signature_of
from evalgate.formats.dsh_eval_harness.converted import FIELD
from evalgate.formats.dsh_eval_harness.shapes import Attempt, CaseShape, HeaderShape, Run
from evalgate.formats.instants import instant
from evalgate.formats.source import Reader, Source
from evalgate.report import Case, Report, Status, Trials
from evalgate.strict_json import decode, has_long_digits

CHUNK = 64 * 1024
"""Unit: bytes. Slices of this size stay in the processor's cache."""

_CASES = re.compile(rb'"cases"[ \t\r\n]*:[ \t\r\n]*\[')
_INDENTED = re.compile(rb'\n    \{\n      "')
_GAP = re.compile(rb"[ \t\r\n]*,[ \t\r\n]*(?=\{)")
_RATE_TOLERANCE = 1e-9
_STATUSES = {status.value: status for status in Status}
_DECODER = msgspec.json.Decoder(list[CaseShape])


class Slice(NamedTuple):
    """A run of whole cases in the file, for a second look at some of them."""

    offset: int
    """Unit: bytes of the unpacked text."""
    length: int
    first: int
    """Position of its first case in the report."""


class _UnknownError(Exception):
    """The guess was wrong, or the message is the reference's to give: read the whole file there."""


def read(source: Source, head: bytes, stream: Reader) -> "tuple[Report, SlicedEvidence] | None":
    """
    Return the facts of a report and where its evidence is, None when the reference reader has to read the file.

    `head` is what was already read from `stream`. Raises `ReportError` when cases break rules.
    """
    try:
        return _Reading(source, head).run(stream)
    except _UnknownError:
        return None


class _Reading:
    """One file being read."""

    def __init__(self, source: Source, head: bytes) -> None:
        opened = _CASES.search(head)
        if opened is None:
            raise _UnknownError
        self.source = source
        # Nobody who writes a report can know it, and so put it where the cases are not.
        self.marker = os.urandom(16).hex()
        self.start = head[: opened.end()]
        self.buffer = bytearray(head[opened.end() :])
        self.offset = opened.end()
        """Where the buffer stands in the unpacked text."""
        self.legacy = self.is_legacy(self.outside(b"}"))
        self.between, self.cut = _learn(bytes(self.buffer))
        self.skip = self.between.rindex(b"{")
        self.cases = CasesRead(source.label)
        self.slices: list[Slice] = []

    def outside(self, rest: bytes) -> dict[str, Any]:
        """Return the document with the marker in the place of its cases; `rest` follows the bracket behind them."""
        document = self.decode(self.start + json.dumps(self.marker).encode() + b"]" + rest)
        if not isinstance(document, dict) or document.get("cases") != [self.marker] or not recognise(document):
            raise _UnknownError
        if FIELD in document:
            # A conversion is no large report of the harness.
            raise _UnknownError
        return document

    def is_legacy(self, document: dict[str, Any]) -> bool:
        try:
            return is_legacy(self.source.label, document)
        except ReportError:
            raise _UnknownError from None

    def decode(self, text: bytes) -> Any:  # noqa: ANN401 (any JSON value)
        """Return the value of a piece of the document by the reference's own parser."""
        try:
            document = decode(self.source.label, text)
        except ReportError:
            raise _UnknownError from None
        if document.bad_numbers:
            raise _UnknownError
        return document.value

    def run(self, stream: Reader) -> "tuple[Report, SlicedEvidence]":
        """Read slice after slice, then what is left."""
        searched = 0
        while True:
            found = self.buffer.rfind(self.between, searched)
            if found >= 0:
                self.read_slice(found + self.cut)
                del self.buffer[: found + self.skip]
                self.offset += found + self.skip
            searched = max(0, len(self.buffer) - len(self.between) + 1)
            chunk = stream.read(CHUNK)
            if not chunk:
                break
            self.buffer += chunk
        document = self.outside(self.read_last())
        if self.is_legacy(document) is not self.legacy:
            raise _UnknownError
        report = self.finish(document)
        return report, SlicedEvidence(self.source, self.slices, report)

    def finish(self, document: dict[str, Any]) -> Report:
        """Return the report, by the fast way when header and summary are as usual."""
        header = None if self.cases.faults else _header(document, legacy=self.legacy)
        number = self.cases.statuses()
        counts = (number.total(), number["pass"], number["fail"], number["error"])
        if header is None or header.summary.counts != counts:
            from evalgate.formats.dsh_eval_harness import reference

            return reference.finish(self.source.label, document, self.cases)
        return Report(
            cases=tuple(self.cases.facts),
            tool=header.tool,
            harness_version=header.version,
            profile=header.profile,
            dsh_version=None if header.dsh_version is UNSET else header.dsh_version,
            started_at=header.started_at,
            finished_at=header.started_at if header.finished_at is UNSET else header.finished_at,
            duration_ms=0 if header.duration_ms is UNSET else header.duration_ms,
        )

    def read_slice(self, length: int) -> None:
        """Enter the facts of the cases in the first bytes of the buffer, by the fast way or by the reference's."""
        self.slices.append(Slice(self.offset, length, len(self.cases.facts)))
        with memoryview(self.buffer) as view:
            array = b"".join((b"[", view[:length], b"]"))
        facts = _fast_facts(array, legacy=self.legacy)
        if facts is not None and self.cases.add_all(facts):
            return
        value = self.decode(array)
        assert isinstance(value, list), "what begins with a bracket and is JSON is an array"
        from evalgate.formats.dsh_eval_harness import reference

        reference.read_cases(value, self.cases, legacy=self.legacy)

    def read_last(self) -> bytes:
        """Read the cases that are left in the buffer; return what stands behind the bracket that closes the array."""
        text = bytes(self.buffer)
        end = _end_of_array(text)
        self.read_slice(end)
        return text[end + 1 :]


def _learn(rest: bytes) -> tuple[bytes, int]:
    """
    Return what most likely stands between two cases, from the end of one into the next, and how much of it is the end.

    In the indented layout that is known; in others the closing brackets of the first case and the first key of the
    second are long enough not to stand in many other places.
    """
    if _INDENTED.match(rest):
        return b"\n    },\n    {", len(b"\n    }")
    end = _end_of_value(rest)
    gap = None if end is None else _GAP.match(rest, end)
    if end is None or gap is None:
        raise _UnknownError
    key = re.compile(rb'\{[ \t\r\n]*"[^"\\]*"').match(rest, gap.end())
    if key is None:
        raise _UnknownError
    closing = re.compile(rb"[\]} \t\r\n]*\Z").search(rest[:end])
    cut = min(3, end - closing.start()) if closing else 1
    return rest[end - cut : key.end()], cut


def _end_of_value(text: bytes) -> int | None:
    """Return the offset behind the first JSON value, None when it does not end in the text."""
    begin = len(text) - len(text.lstrip(b" \t\r\n"))
    if text[begin : begin + 1] != b"{":
        return None
    # Bytes for characters: a cut character at the end must not move the offsets.
    characters = text.decode("latin-1")
    try:
        return json.JSONDecoder().raw_decode(characters, begin)[1]
    except (ValueError, RecursionError):
        return None


def _end_of_array(text: bytes) -> int:
    """Return the offset of the bracket that closes the array whose elements begin at the start of the text."""
    try:
        end = json.JSONDecoder().raw_decode("[" + text.decode("latin-1"))[1]
    except (ValueError, RecursionError):
        raise _UnknownError from None
    return end - 2


def _fast_facts(array: bytes, *, legacy: bool) -> list[Case] | None:
    """Return the facts of a slice, None when the reference has to look at it."""
    if has_long_digits(array):
        return None
    try:
        shapes = _DECODER.decode(array)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    facts = []
    for shape in shapes:
        fact = _fact(shape, legacy=legacy)
        if fact is None:
            return None
        facts.append(fact)
    return facts


def _fact(case: CaseShape, *, legacy: bool) -> Case | None:
    """Return the facts of a case in which everything agrees, None for the reference to say what does not."""
    history = () if case.attempt_results is UNSET else case.attempt_results
    runs = history or (case,)
    trials = None if case.reliability is UNSET else Trials(case.reliability.trials, case.reliability.passes)
    if not (
        case.name.strip()
        and _run_agrees(case, legacy=legacy)
        and (case.attempt_results is UNSET or _history_agrees(case, history, legacy=legacy))
        and (trials is not None or runs[-1].status == case.status)
        and (trials is None or _trials_agree(case, trials, history))
    ):
        return None
    failed = [run for run in runs if run.status != "pass"]
    read = [signature_of(run.stderr_tail) for run in failed if run.stderr_tail is not UNSET] if failed else ()
    # In retry mode the last attempt has the case's status, so the failed attempts of a passing case are earlier ones.
    retried = trials is None and bool(failed)
    # By position, in the order of the fields: this is done for every case of every report.
    return Case(
        case.name,
        _STATUSES[case.status],
        case.status == "pass" and bool(history) and (case.flaky is True or retried),
        len(runs),
        case.tokens.total,
        0 if case.skipped_lines is UNSET else case.skipped_lines,
        len(case.tool_errors),
        trials,
        tuple([one for one in read if one is not None]) if read else (),
    )


def _run_agrees(run: Run, *, legacy: bool) -> bool:
    tokens = run.tokens
    return tokens.total == tokens.input + tokens.output + tokens.reasoning and (
        legacy or not (run.events is UNSET or run.skipped_lines is UNSET)
    )


def _history_agrees(case: CaseShape, history: Sequence[Attempt], *, legacy: bool) -> bool:
    number = 0
    for attempt in history:
        number += 1
        if attempt.index != number or not _run_agrees(attempt, legacy=legacy):
            return False
    return number == case.attempts


def _header(document: dict[str, Any], *, legacy: bool) -> HeaderShape | None:
    """Return the header when everything in it agrees, None for the reference to say what does not."""
    try:
        header = msgspec.convert(document, HeaderShape)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    if not legacy and (header.finished_at is UNSET or header.duration_ms is UNSET):
        return None
    begin = instant(header.started_at)
    end = begin if header.finished_at is UNSET else instant(header.finished_at)
    agrees = (
        begin is not None and end is not None and begin <= end and header.version.strip() and header.profile.strip()
    )
    return header if agrees else None


def _trials_agree(case: CaseShape, trials: Trials, history: Sequence[Attempt]) -> bool:
    assert case.reliability is not UNSET
    if trials.passes > trials.trials or (case.status == "pass") != (trials.passes > 0):
        return False
    if abs(case.reliability.success_rate - trials.passes / trials.trials) > _RATE_TOLERANCE:
        return False
    # One attempt beside several trials is no history.
    if not history or (len(history) == 1 and trials.trials != 1):
        return True
    return trials == (len(history), sum(attempt.status == "pass" for attempt in history))


class SlicedEvidence:
    """The evidence of a report that is still where it was: only the slices that hold a wanted case are read again."""

    def __init__(self, source: Source, slices: Sequence[Slice], report: Report) -> None:
        self._source = source
        self._slices = slices
        self._report = report

    def fetch(self, names: Collection[str]) -> Mapping[str, CaseEvidence]:
        """Return the evidence of the named cases; a name that the report lacks is left out."""
        if self._source.changed():
            # The verdict was reached on what the file held; what it holds now is no evidence for it.
            return {}
        wanted = frozenset(names)
        firsts = [one.first for one in self._slices]
        numbers = dict.fromkeys(
            bisect_right(firsts, position) - 1
            for position, case in enumerate(self._report.cases)
            if case.name in wanted
        )
        stream, at = self._source.open(), 0
        evidence: dict[str, CaseEvidence] = {}
        for number in numbers:
            one = self._slices[number]
            _skip(stream, one.offset - at)
            array = b"[" + _read_exactly(stream, one.length) + b"]"
            at = one.offset + one.length
            evidence.update(CasesInMemory(decode(self._source.label, array).value).fetch(wanted))
        return evidence


def _skip(stream: Reader, size: int) -> None:
    while size > 0:
        size -= len(stream.read(min(size, CHUNK))) or size


def _read_exactly(stream: Reader, size: int) -> bytes:
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
