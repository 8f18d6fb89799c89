"""A gate verdict out of a file: the verdict itself, or that of a round file."""

import os
from pathlib import Path

from evalgate.errors import ReportError
from evalgate.faults import Faults
from evalgate.loop.files import STDIN, read_bounded, read_stdin
from evalgate.loop.rounds import SCHEMA, decode_whole, round_of

LARGEST = 8 << 20
"""Unit: bytes."""
_FAMILY = "evalgate-round/"


def read_verdict(place: str) -> object:
    """
    Return the decoded verdict at `place`: a file, a pipe, or `-` for stdin. What has the schema of a round is one.

    Any JSON value is returned as it is, to be judged; what is no strict JSON (a number that is not finite, a key twice
    in one object, a text that was cut off) proves neither the one nor the other. Raises `MissingReportError` when there
    is no such file, `ReportError` with file, place, rule and what was found for one that cannot be read.
    """
    if place == STDIN:
        label, data = "<stdin>", read_stdin(LARGEST, "a verdict")
    else:
        # Asked first, for a message that helps; `Path.is_dir` may raise.
        if os.path.isdir(place):  # noqa: PTH112
            raise ReportError([f"{place}: must be a file, and is a folder: name the verdict or a round in it"])
        label, data = place, read_bounded(Path(place), LARGEST, "a verdict")
    document = decode_whole(label, data)
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str) or not schema.startswith(_FAMILY):
        return document
    faults = Faults(label)
    found = round_of(document, None, faults)
    faults.raise_if_any()
    assert found is not None, f"a document of {SCHEMA} without a fault is a round"
    return found.verdict
