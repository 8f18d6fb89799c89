"""
From a path to the facts of a report.

One format, one file or folder in here, each behind the same seam: `recognise(value)` and `read(label, value)`.
"""

import os
from pathlib import Path
from typing import Self

from evalgate.errors import ReportError
from evalgate.evidence import Evidence
from evalgate.formats import foreign
from evalgate.formats.source import Source, Watch, open_source
from evalgate.plain import shorten
from evalgate.report import Report

HEAD = 64 * 1024
"""Unit: bytes. Enough to tell what a file is and how it is laid out."""


class Loaded:
    """One report that was read, and its source, which stays open for the evidence."""

    def __init__(self, report: Report, evidence: Evidence, source: Source) -> None:
        self.report = report
        self.evidence = evidence
        self.source = source

    @property
    def label(self) -> str:
        """How messages call it."""
        return self.source.label

    @property
    def path(self) -> Path | None:
        """The file it came from; None for stdin and pipes."""
        return self.source.path

    def __enter__(self) -> Self:
        """Return the report; its source is closed at the end of the block."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the source: there is no evidence from here on."""
        self.source.__exit__(*exception)


def load(place: str | os.PathLike[str], watch: Watch | None = None) -> Loaded:
    """
    Read the report at `place`: a file, a folder that holds report.json, `-` for stdin, or a pipe.

    `watch` is told how far the reading is.

    Raises `MissingReportError` when there is none, `ReportError` when it cannot be read or breaks a rule.
    """
    source = open_source(place) if watch is None else open_source(place, watch)
    try:
        return Loaded(*_read(source), source)
    except BaseException:
        source.__exit__()
        raise


def _read(source: Source) -> tuple[Report, Evidence]:
    from evalgate.formats import dsh_eval_harness

    stream = source.open()
    head = stream.read(HEAD)
    kind = foreign.name_of_bytes(head)
    if kind is not None:
        raise ReportError([f"{source.label}: must be a report of {dsh_eval_harness.NAME}, and is {kind}"])
    read = dsh_eval_harness.read_bulk(source, head, stream)
    return read if read is not None else _read_whole(source)


def _read_whole(source: Source) -> tuple[Report, Evidence]:
    """Read the report in memory: small ones, unusual ones, and those that are refused."""
    from evalgate.formats import dsh_eval_harness
    from evalgate.formats.strict_json import decode

    label = source.label
    document = decode(label, source.read())
    if not isinstance(document.value, dict):
        found = "an array" if isinstance(document.value, list) else "a single value"
        raise ReportError([f"{label}: must be one JSON object (got {found})"])
    if not dsh_eval_harness.recognise(document.value):
        kind = foreign.name_of_object(document.value)
        found = "names no tool" if kind is None else f"is {shorten(kind, 100)}"
        raise ReportError([f'{label}: tool: must be "{dsh_eval_harness.NAME}", and the file {found}'])
    report, evidence = dsh_eval_harness.read(label, document.value)
    if document.bad_numbers:
        found = f"got {document.bad_numbers[0]} in a field not read"
        raise ReportError([f"{label}: must hold finite numbers only ({found})"])
    return report, evidence


def load_report(place: str | os.PathLike[str]) -> Report:
    """
    Return the facts of the report at `place`: a file, a folder that holds report.json, `-` for stdin, or a pipe.

    Raises `MissingReportError` when there is none, `ReportError` when it cannot be read or breaks a rule of the input
    contract; its `faults` hold one line each.
    """
    with load(place) as loaded:
        return loaded.report
