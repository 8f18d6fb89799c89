"""
From the stderr tail of a failed attempt to an error signature: `ENOENT@ensureSymlink`.

A signature answers one question: did several attempts die in the same place? So it prefers silence to a wrong answer.
docs/signals.md tells the grammar to a person; each step of it is one function here, whose docstring gives the rule and
the reason:

    clean.py         step 1       text to lines
    lists.py         steps 2, 10  tokens, closed lists
    node_header.py   step 3       the line that names a JavaScript error
    node_frame.py    step 4       a frame, and whether it names a place
    node.py          step 5       the JavaScript block: message, frames, property dump
    python.py        step 6       the Python traceback
    dsh_line.py      step 7       `dsh: CODE: message`
    scan.py          steps 5, 9   what stands inside what, which block ended the process
    choose.py        steps 8, 9   the signature of a block, and which block counts
    naming.py        step 8       the form of a function's name
"""

from evalgate.stack.choose import read
from evalgate.stack.clean import read_page
from evalgate.stack.reading import Block, Frame, Reading
from evalgate.stack.scan import find_blocks

__all__ = ["SIGNATURE_RULES", "Block", "Frame", "Reading", "explain", "signature"]

SIGNATURE_RULES = 1
"""Version of the grammar. A change that regroups anything raises it."""


def signature(text: str | None) -> str | None:
    """Return the error signature of a text, or None if it has none. Never raises; linear in the length."""
    return explain(text).signature


def explain(text: str | None) -> Reading:
    """Return how a text is read: its signature, why, and all that was found on the way."""
    if text is None or not text.strip():
        return Reading(None, "The text is empty.", (), None, None, cut=False)
    page = read_page(text)
    return read(page, find_blocks(page))
