"""The stderr of a process, as a report would keep it."""

import os
from pathlib import Path
from typing import NamedTuple

from evalgate.errors import CannotJudgeError
from evalgate.formats.source import STDIN, read_stdin

KEPT = 8192
"""Unit: UTF-16 code units, which is how the harness counts when it keeps the end of stderr."""


class StderrText(NamedTuple):
    """What the gate would see of it."""

    text: str
    shortened: bool
    """Whether the beginning was left out."""


def read_stderr(place: str | os.PathLike[str]) -> StderrText:
    """Return the end of the text in a file or on stdin, cut and trimmed as the harness does it."""
    try:
        data = read_stdin() if os.fspath(place) == STDIN else Path(place).read_bytes()
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise CannotJudgeError([f"{os.fspath(place)}: cannot be read ({reason})"]) from fault
    units = data.decode("utf-8", "replace").encode("utf-16-le", "surrogatepass")
    kept = units[-2 * KEPT :].decode("utf-16-le", "surrogatepass")
    return StderrText(kept.strip(), len(units) > 2 * KEPT)
