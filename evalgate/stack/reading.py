"""What is found in a text: the typed result of `explain`. Every part is immutable and flat, blocks refer by index."""

from typing import Literal, NamedTuple

Skip = Literal[
    "",
    "internal to the runtime",
    "bare location, no name",
    "no name of its own",
    "protocol method without its class",
    "unnamed callback of the platform",
    "helper of a compiler",
    "driver of a generator",
    "constructor of the error itself",
    "name is a path or ends in a line number",
]
"""Why a frame does not name the place; empty when it could."""

CodeSource = Literal[
    "tag in the header",
    "errno in the message",
    "own code property",
    "class name",
    "code of the dsh line",
]


class Frame(NamedTuple):
    """One frame of a stack, the topmost first."""

    number: int
    """Line of the text, from 1."""
    name: str
    """As printed, without `async`, `new` and alias; empty for a bare location."""
    location: str
    application: bool
    """Whether it is code of the application: not internal, named or not."""
    skipped: Skip
    used: bool = False
    """Whether this frame gave the signature its function."""


class Block(NamedTuple):
    """One error that the text reports: a header or opener with what belongs to it."""

    runtime: str
    number: int
    """Line in which the block begins, from 1: its header, or the opener of a traceback."""
    header: str
    """The line that names the error (for Python the exception line, which comes last)."""
    code: str
    code_source: CodeSource
    frames: tuple[Frame, ...]
    cause: int | None
    """Index of the block that caused this one."""
    owner: int | None
    """Index of the block in whose property dump this one is printed, as its cause or in the message of that."""
    embedded: int | None
    """Index of the block in this one's message that gives it its signature, if it has one."""
    signature: str | None
    why: str
    """How the signature came about, or why there is none; one clause."""


class Reading(NamedTuple):
    """A text, read: the signature, the reason, and all that was found."""

    signature: str | None
    why: str
    """One sentence for a person."""
    blocks: tuple[Block, ...]
    """In the order of their headers; causes in a property dump follow their owner."""
    chosen: int | None
    """Index of the block that the answer was taken from."""
    trailer: int | None
    """Line of the `Node.js vN` trailer that decided, from 1."""
    cut: bool
    """Whether the text was taken for a tail whose first line is incomplete."""
