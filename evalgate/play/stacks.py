"""Stacks of a page with the game's own files and lines in them, for whoever repairs it and for error signatures."""

import json
from collections.abc import Sequence
from pathlib import Path

from evalgate.play.processes import ProcessError, run

_SECONDS = 20.0
_SCRIPT = Path(__file__).resolve().with_name("page") / "stacks.cjs"


def placed(stacks: Sequence[str], source_map: str, node: Path) -> tuple[str, ...]:
    """
    Return the stacks with places in the game's files instead of the bundle's, which is `src/game.js:12:3`.

    A stack is help and no evidence: what cannot be mapped stays as it is.
    """
    if not stacks or not source_map:
        return tuple(stacks)
    job = json.dumps({"map": source_map, "stacks": list(stacks)}).encode()
    try:
        done = run([node, _SCRIPT], timeout=_SECONDS, stdin=job)
        told = json.loads(done.stdout) if done.returncode == 0 else None
    except (ProcessError, ValueError, RecursionError):
        told = None
    if not isinstance(told, list) or len(told) != len(stacks) or not all(isinstance(one, str) for one in told):
        return tuple(stacks)
    return tuple(told)


def joined(stacks: Sequence[str]) -> str:
    """
    Return the different stacks as one text, the one that was thrown first at its end.

    As Node ends with the error that ended the process: a text that is too long loses its beginning, and the signature
    is that of the last error, and those that were thrown later are often only what came of the first.
    """
    return "\n".join(reversed(dict.fromkeys(stacks)))
