"""Loading what a command was pointed at."""

from collections.abc import Iterable
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Any

from evalgate.cli._output import note
from evalgate.errors import MissingReportError, ReportError
from evalgate.progress import ReadingProgress

if TYPE_CHECKING:
    from evalgate.formats import Loaded
    from evalgate.formats.found import ReadOptions


def load_both(
    before: str | None,
    after: str,
    stack: ExitStack,
    progress: ReadingProgress,
    options: "ReadOptions | None",
    shards: int | None,
) -> "tuple[Loaded | None, Loaded]":
    """
    Return both reports, None for a baseline that is not there or was not given; raise with the faults of both.

    `shards` is the number of files that the after report must have.
    """
    from evalgate.formats import load

    faults: list[str] = []
    loaded: list[Loaded | None] = []
    for place, may_be_missing in ((before, True), (after, False)):
        if place is None:
            loaded.append(None)
            continue
        wanted = None if may_be_missing else shards
        try:
            loaded.append(stack.enter_context(load(place, progress, options=options, shards=wanted)))
        except MissingReportError as fault:
            if not may_be_missing:
                faults.extend(fault.faults)
            else:
                note(fault.faults)
            loaded.append(None)
        except ReportError as fault:
            faults.extend(fault.faults)
            loaded.append(None)
    if faults:
        raise ReportError(faults)
    assert loaded[1] is not None, "an after report that was not loaded is a fault"
    return loaded[0], loaded[1]


def text_of(loaded: "Loaded") -> Iterable[str]:
    """Return the text of report.json for a report of any format, in pieces; raise `ReportError` for a loop report."""
    if loaded.kept_as_is and not loaded.native:
        raise ReportError(
            [
                f"{loaded.label}: is a report of {loaded.report.format}, which has no conversion: its rounds depend on "
                "each other, and as retries they would read as flaky; evalgate compares it as it is"
            ]
        )
    if loaded.native:
        import json

        from evalgate.formats.dsh_eval_harness.joined import join

        document = join(loaded.sources, loaded.report)
        return chain(json.JSONEncoder(indent=2).iterencode(document), ["\n"])
    from evalgate.formats.instants import in_order
    from evalgate.render import dsh_report

    report = loaded.report
    return dsh_report.render(report, loaded.evidence, started=in_order(report.started_at, report.finished_at))


def document_of(loaded: "Loaded") -> dict[str, Any]:
    """Return a report of any format as the decoded document that may become a baseline."""
    import json

    if loaded.native:
        from evalgate.formats.dsh_eval_harness.joined import join

        return join(loaded.sources, loaded.report)
    if loaded.kept_as_is:
        from evalgate.formats.joined import join as join_as_is

        return join_as_is(loaded.sources, loaded.report)
    document: dict[str, Any] = json.loads("".join(text_of(loaded)))
    return document
