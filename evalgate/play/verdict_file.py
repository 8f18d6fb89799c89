"""The verdict in a file of its own, for whoever asks what the last play came to."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from evalgate.errors import OutputError
from evalgate.loop.rounds import FOLDER
from evalgate.whole_file import replace


def write_verdict(path: Path, verdict: Mapping[str, object]) -> None:
    """Put a verdict into a file in one step, and make its folder. Raises `OutputError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, [f"{json.dumps(verdict, indent=2)}\n".encode()])
    except (OSError, ValueError) as fault:
        reason = (fault.strerror if isinstance(fault, OSError) else None) or fault
        raise OutputError([f"{path}: cannot be written ({reason})"]) from fault


def check_place(path: Path, game: Path) -> None:
    """
    Raise `OutputError` for a place that is none for the verdict of a game: no regular file, or a part of the game.

    In the game's folder it may lie among the evidence only, and not among the rounds: there it would be read as one.
    """
    target, home = Path(os.path.realpath(path)), Path(os.path.realpath(game))
    if target.exists() and not target.is_file():
        raise OutputError([f"{path}: cannot be written: is not a regular file"])
    evidence = home / "evidence"
    if target.is_relative_to(home) and (target.parent == home / FOLDER or not target.is_relative_to(evidence)):
        raise OutputError([f"{path}: cannot be written: is a part of the game; its own place is evidence/verdict.json"])
