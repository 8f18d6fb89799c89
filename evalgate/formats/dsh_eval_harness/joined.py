"""Reports of this shape put together as they are: nothing of a case gets lost that evalgate does not know."""

from collections.abc import Sequence
from typing import Any

from evalgate.errors import ReportError
from evalgate.formats.dsh_eval_harness.converted import FIELD
from evalgate.formats.source import Source
from evalgate.report import Report, Status
from evalgate.strict_json import decode


def join(sources: Sequence[Source], report: Report) -> dict[str, Any]:
    """
    Return the document that the checked files make together; `report` holds the facts of all of them.

    A single file comes out as it is. Raises `ReportError` when a file has changed since it was checked.
    """
    changed = [source for source in sources if source.changed()]
    if changed:
        raise ReportError([f"{source.label}: has changed while it was read" for source in changed])
    documents = [decode(source.label, source.read()).value for source in sources]
    if len(documents) == 1:
        return dict(documents[0])
    statuses = [case.status for case in report.cases]
    joined: dict[str, Any] = {
        **documents[0],
        "startedAt": report.started_at,
        "finishedAt": report.finished_at,
        "durationMs": report.duration_ms,
        "cases": [case for document in documents for case in document["cases"]],
        "summary": {
            "total": len(statuses),
            "passed": statuses.count(Status.PASS),
            "failed": statuses.count(Status.FAIL),
            "errored": statuses.count(Status.ERROR),
        },
    }
    if FIELD in joined:
        raise ReportError([f"{sources[0].label}: is a conversion already: convert the originals together"])
    return joined
