"""Several reports of this shape as one."""

from collections.abc import Sequence
from typing import Any

from evalgate.errors import ReportError
from evalgate.formats import joined
from evalgate.formats.dsh_eval_harness.converted import FIELD
from evalgate.formats.source import Source
from evalgate.report import Report


def join(sources: Sequence[Source], report: Report) -> dict[str, Any]:
    """Return the document that the checked files make together; as `formats.joined` otherwise."""
    document = joined.join(sources, report)
    if FIELD in document and len(sources) > 1:
        raise ReportError([f"{sources[0].label}: is a conversion already: convert the originals together"])
    return document
