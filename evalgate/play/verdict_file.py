"""The verdict in a file of its own, for whoever asks what the last play came to."""

import json
from collections.abc import Mapping
from pathlib import Path

from evalgate.errors import OutputError
from evalgate.whole_file import replace


def write_verdict(path: Path, verdict: Mapping[str, object]) -> None:
    """Put a verdict into a file in one step, and make its folder. Raises `OutputError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, [f"{json.dumps(verdict, indent=2)}\n".encode()])
    except (OSError, ValueError) as fault:
        reason = (fault.strerror if isinstance(fault, OSError) else None) or fault
        raise OutputError([f"{path}: cannot be written ({reason})"]) from fault
