"""
From a path to the facts of a report.

One format, one file or folder in here, each behind the same seam: `recognise(value)` and `read(label, value)`.
"""

import os
from pathlib import Path
from typing import NamedTuple

from evalgate.errors import ReportError
from evalgate.evidence import Evidence
from evalgate.formats import foreign
from evalgate.formats.source import read_source
from evalgate.plain import shorten
from evalgate.report import Report


class Loaded(NamedTuple):
    """One report that was read."""

    report: Report
    evidence: Evidence
    label: str
    """How messages call it."""
    path: Path | None
    """The file it came from; None for stdin and pipes."""


def load(place: str | os.PathLike[str]) -> Loaded:
    """
    Read the report at `place`: a file, a folder that holds report.json, `-` for stdin, or a pipe.

    Raises `MissingReportError` when there is none, `ReportError` when it cannot be read or breaks a rule.
    """
    from evalgate.formats import dsh_eval_harness
    from evalgate.formats.strict_json import decode

    source = read_source(place)
    label = source.label
    kind = foreign.name_of_bytes(source.data)
    if kind is not None:
        raise ReportError([f"{label}: must be a report of {dsh_eval_harness.NAME}, and is {kind}"])
    document = decode(label, source.data)
    if not isinstance(document.value, dict):
        found = "an array" if isinstance(document.value, list) else "a single value"
        raise ReportError([f"{label}: must be one JSON object (got {found})"])
    if not dsh_eval_harness.recognise(document.value):
        found = foreign.name_of_object(document.value) or "names no tool"
        found = f"is {found}" if found != "names no tool" else found
        raise ReportError([f'{label}: tool: must be "{dsh_eval_harness.NAME}", and the file {shorten(found, 100)}'])
    report, evidence = dsh_eval_harness.read(label, document.value)
    if document.bad_numbers:
        raise ReportError(
            [f"{label}: must hold finite numbers only (got {document.bad_numbers[0]} in a field not read)"]
        )
    return Loaded(report, evidence, label, source.path)


def load_report(place: str | os.PathLike[str]) -> Report:
    """
    Return the facts of the report at `place`: a file, a folder that holds report.json, `-` for stdin, or a pipe.

    Raises `MissingReportError` when there is none, `ReportError` when it cannot be read or breaks a rule of the input
    contract; its `faults` hold one line each.
    """
    return load(place).report
