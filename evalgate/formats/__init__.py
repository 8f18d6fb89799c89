"""
From a place on the command line to the facts of a report.

One format, one file or folder in here, each behind the seam of format.py. dsh-eval-harness comes first and in slices;
the others are imported when a file is not of it.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from evalgate.errors import ReportError
from evalgate.evidence import Evidence
from evalgate.formats.source import Source, Watch, open_source
from evalgate.plain import shorten
from evalgate.report import LOOP_FORMAT, Report

if TYPE_CHECKING:
    from evalgate.formats.content import Content
    from evalgate.formats.found import ReadOptions

HEAD = 64 * 1024
"""Unit: bytes. Enough to tell what a file is and how it is laid out."""


class Loaded:
    """One report that was read, and its files, which stay readable for the evidence."""

    def __init__(
        self,
        label: str,
        report: Report,
        evidence: Evidence,
        sources: Sequence[Source],
        folder: Path | None,
        *,
        native: bool,
        folders: Sequence[Path] = (),
    ) -> None:
        self.label = label
        """How messages call it."""
        self.report = report
        self.evidence = evidence
        self.sources = tuple(sources)
        """The files that it was read from; empty for a folder that is a report as a whole."""
        self.folder = folder
        """The folder that it lies in; None for stdin and pipes."""
        self.folders = tuple(folders)
        """The folders that are a report as a whole."""
        self.native = native
        """Whether all its files have the shape of dsh-eval-harness."""

    @property
    def kept_as_is(self) -> bool:
        """
        Whether its documents can become a baseline as they are.

        A loop report can, and only so: the other shape has no place for repairs, and calls a round a retry.
        """
        return self.native or self.report.format == LOOP_FORMAT

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that must not be overwritten."""
        files = [source.path for source in self.sources if source.path is not None]
        for folder in self.folders:
            files += [*folder.glob("*.json"), *folder.glob("*/*.json")]
        return tuple(files)

    def __enter__(self) -> Self:
        """Return the report; its files are closed at the end of the block."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the files: there is no evidence from here on."""
        for source in self.sources:
            source.__exit__()


def load(
    place: str | os.PathLike[str],
    watch: Watch | None = None,
    *,
    options: "ReadOptions | None" = None,
    shards: int | None = None,
) -> Loaded:
    """
    Read the report at `place`.

    That is a file, a folder that holds report.json or is a report of its own, a folder or a glob pattern of the files
    of one run, `-` for stdin, or a pipe. `watch` is told how far the reading is, `options` say what a format leaves
    open, and `shards` is the number of files that the run must have.

    Raises `MissingReportError` when there is none, `ReportError` when it cannot be read or breaks a rule.
    """
    from evalgate.formats.places import places

    found = places(place)
    if shards is not None and len(found.paths) != shards:
        raise ReportError([f"{os.fspath(place)}: must be a run of {shards} files (found {len(found.paths)})"])
    sources: list[Source] = []
    try:
        if not found.several:
            label, report, evidence = _load_one(found.paths[0], watch, options, sources)
            folder = found.folder if not sources or sources[0].path is not None else None
            whole = [path for path in found.paths if isinstance(path, Path) and path.is_dir()]
            return Loaded(label, report, evidence, sources, folder, native=_native(evidence), folders=whole)
        from evalgate.formats.shards import Part, merge

        parts = []
        for path in found.paths:
            parts.append(Part(*_load_one(path, watch, options, sources)))
            if sources:
                # A thousand open files are more than most systems allow.
                sources[-1].rest()
        report, evidence = merge(os.fspath(place), parts)
        native = all(_native(part.evidence) for part in parts)
        whole = [path for path in found.paths if isinstance(path, Path) and path.is_dir()]
        return Loaded(os.fspath(place), report, evidence, sources, found.folder, native=native, folders=whole)
    except BaseException:
        for source in sources:
            source.__exit__()
        raise


def _native(evidence: Evidence) -> bool:
    from evalgate.formats.dsh_eval_harness import CasesInMemory, SlicedEvidence

    return isinstance(evidence, CasesInMemory | SlicedEvidence)


def _load_one(
    path: str | Path, watch: Watch | None, options: "ReadOptions | None", sources: list[Source]
) -> tuple[str, Report, Evidence]:
    """Return label, facts and evidence of one file, or of a folder that is a report; add the open file to `sources`."""
    if isinstance(path, Path) and path.is_dir():
        from evalgate.formats.content import Content

        return str(path), *_read_other(Content(str(path), folder=path), options)
    source = open_source(path) if watch is None else open_source(path, watch)
    sources.append(source)
    return source.label, *_read(source, options)


def _read(source: Source, options: "ReadOptions | None") -> tuple[Report, Evidence]:
    from evalgate.formats import dsh_eval_harness

    stream = source.open()
    head = stream.read(HEAD)
    read = dsh_eval_harness.read_bulk(source, head, stream)
    if read is not None:
        _refuse_options(source.label, options, dsh_eval_harness.NAME, frozenset())
        return read
    return _read_whole(source, options)


def _read_whole(source: Source, options: "ReadOptions | None" = None) -> tuple[Report, Evidence]:
    """Read the report in memory: small ones, unusual ones, those of other tools, and those that are refused."""
    from evalgate.formats import dsh_eval_harness
    from evalgate.formats.content import Content

    label = source.label
    content = Content(label, source=source)
    content.head = source.open().read(HEAD)
    if content.is_zip or content.is_xml:
        return _read_other(content, options)
    _refuse_lines(content)
    document = content.decoded
    if not isinstance(document.value, dict):
        found = "an array" if isinstance(document.value, list) else "a single value"
        raise ReportError([f"{label}: must be one JSON object (got {found})"])
    if not dsh_eval_harness.recognise(document.value):
        return _read_other(content, options)
    _refuse_options(label, options, dsh_eval_harness.NAME, frozenset())
    report, evidence = dsh_eval_harness.read(label, document.value)
    if document.bad_numbers:
        found = f"got {document.bad_numbers[0]} in a field not read"
        raise ReportError([f"{label}: must hold finite numbers only ({found})"])
    return report, evidence


def _read_other(content: "Content", options: "ReadOptions | None") -> tuple[Report, Evidence]:
    """Read a report of another tool, or refuse it by that tool's name."""
    from evalgate.formats.found import NO_OPTIONS
    from evalgate.formats.registry import format_of

    kind = format_of(content)
    if kind is None:
        raise _refusal(content)
    _refuse_options(content.label, options, kind.title, kind.options)
    return kind.read(content, NO_OPTIONS if options is None else options)


def _refuse_lines(content: "Content") -> None:
    """Raise for a file of several JSON values, with the name of what most likely wrote it."""
    from evalgate.formats.foreign import kind_of_lines

    if content.is_json:
        kind = kind_of_lines(content.data)
        if kind is not None:
            raise ReportError([f"{content.label}: is {kind.name}: {kind.advice}"])


def _refuse_options(label: str, options: "ReadOptions | None", title: str, taken: frozenset[str]) -> None:
    """Raise for an option that the format has no use for: who gave it believes that it does something."""
    refused = sorted(() if options is None else options.given - taken)
    if refused:
        raise ReportError([f"{label}: is a report of {title}, which has no use for {', '.join(refused)}"])


def _refusal(content: "Content") -> ReportError:
    from evalgate.formats import dsh_eval_harness, foreign

    if content.is_xml and b"<!DOCTYPE" in content.head[:4096].upper():
        return ReportError([f"{content.label}: is XML with a document type, which may name other files: it is refused"])
    if content.is_xml:
        root = foreign.root_of_xml(content.head)
        kind = None if root is None else foreign.kind_of_xml(root)
        named = "XML that is no JUnit report" if root is None else f"XML with the root {shorten(root, 60)!r}"
    elif content.is_zip:
        kind, named = None, "a zip archive that is no Inspect AI log"
    else:
        kind = foreign.kind_of_object(content.object)
        named = ""
    if kind is not None:
        return ReportError([f"{content.label}: is {kind.name}: {kind.advice}"])
    if named:
        return ReportError([f"{content.label}: is {named}, and no report that evalgate reads"])
    return ReportError([f'{content.label}: tool: must be "{dsh_eval_harness.NAME}", and the file names no tool'])


def check_document(label: str, data: bytes) -> None:
    """Raise `ReportError` unless the text of a baseline breaks no rule: what is written must be readable."""
    from evalgate.formats import dsh_eval_harness
    from evalgate.strict_json import decode

    document = decode(label, data)
    if isinstance(document.value, dict) and document.value.get("tool") == LOOP_FORMAT:
        from evalgate.formats import evalgate_loop

        evalgate_loop.check_document(label, document)
        return
    dsh_eval_harness.read(label, document.value)


def load_report(place: str | os.PathLike[str], options: "ReadOptions | None" = None) -> Report:
    """
    Return the facts of the report at `place`, which is what `load` takes.

    Raises `MissingReportError` when there is none, `ReportError` when it cannot be read or breaks a rule of the input
    contract; its `faults` hold one line each.
    """
    with load(place, options=options) as loaded:
        return loaded.report
