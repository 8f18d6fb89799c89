"""Reports of one shape put together as they are: nothing of a case gets lost that evalgate does not know."""

from collections.abc import Sequence
from typing import Any

from evalgate.errors import ReportError
from evalgate.formats.source import Source
from evalgate.report import Report, Status
from evalgate.strict_json import decode


def join(sources: Sequence[Source], report: Report) -> dict[str, Any]:
    """
    Return the document that the checked files make together; `report` holds the facts of all of them.

    A single file comes out as it is. In others an instant that nobody knows is null. Raises `ReportError` when a file
    has changed since it was checked.
    """
    changed = [source for source in sources if source.changed()]
    if changed:
        raise ReportError([f"{source.label}: has changed while it was read" for source in changed])
    documents: list[dict[str, Any]] = [decode(source.label, source.read()).value for source in sources]
    if len(documents) == 1:
        return documents[0]
    return {
        **documents[0],
        "startedAt": report.started_at or None,
        "finishedAt": report.finished_at or None,
        "durationMs": report.duration_ms,
        "cases": [case for document in documents for case in document["cases"]],
        "summary": summary_of([case.status.value for case in report.cases]),
    }


def summary_of(statuses: Sequence[str]) -> dict[str, int]:
    """Return the summary of cases with these statuses, as reports spell them."""
    return {
        "total": len(statuses),
        "passed": statuses.count(Status.PASS.value),
        "failed": statuses.count(Status.FAIL.value),
        "errored": statuses.count(Status.ERROR.value),
    }
