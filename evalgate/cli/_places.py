"""Where an output must not go: what it would do to the runs that are named the next time."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from evalgate.errors import OutputError
from evalgate.formats.places import would_bury, would_take


def check_output(output: Path, places: Sequence[str], inputs: Iterable[Path]) -> None:
    """
    Raise `OutputError` for an output that would be read in place of a run, or as a part of it.

    places: the runs as they were named. inputs: the files that were read: report.json beside one of them would be all
    that its folder stands for.
    """
    for place in places:
        if would_take(place, output):
            why = f"would be read as a part of the run {place} the next time"
            raise OutputError([f"{output}: {why}: write it elsewhere"])
    if would_bury(output) and os.path.realpath(output.parent) in {os.path.realpath(path.parent) for path in inputs}:
        raise OutputError([f"{output}: would be read in place of what lies beside it: write it elsewhere"])
