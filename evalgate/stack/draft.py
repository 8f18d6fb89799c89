"""
What the runtimes share: a block while it is read, where they read it, and what a runtime is.

A runtime is one file that knows how its crashes look, and one line in runtimes.py. It recognizes where its block
begins, reads it, and says which code it carries; what belongs to no runtime (which block decides, what stands inside
what) is in scan.py and choose.py.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from evalgate.stack.clean import Page
from evalgate.stack.reading import CodeSource, Frame


class Draft:
    """One error while it is read. Lines are counted from 0 in the page here."""

    __slots__ = (
        "cause",
        "embedded",
        "frames",
        "header",
        "line",
        "load_time",
        "message",
        "name",
        "own_code",
        "owner",
        "runtime",
        "silent",
        "tag",
    )

    def __init__(
        self, runtime: "Runtime", line: int, header: str, name: str, *, tag: str = "", message: str = ""
    ) -> None:
        self.runtime = runtime
        self.line = line
        self.header = header
        self.name = name
        """Class of the error."""
        self.tag = tag
        self.message = message
        self.own_code = ""
        self.frames: list[Frame] = []
        """Topmost first."""
        self.load_time = False
        """A file that could not be loaded, so that a SyntaxError alone says which kind of fault it is (step 8)."""
        self.silent = ""
        """Why this error has no signature whatever its frames are; empty if it may have one."""
        self.cause: int | None = None
        self.owner: int | None = None
        self.embedded: int | None = None


class Cursor:
    """
    The lines of a page, seen from a column.

    A cause is printed inside its owner like a block of its own, only indented; seen from its column it is read by the
    same rules. `None` is "no line here": the end of the text, or a line that is indented less and so belongs to an
    owner.
    """

    __slots__ = ("_runtimes", "column", "page")

    def __init__(self, page: Page, column: int, runtimes: "Sequence[Runtime]") -> None:
        self.page = page
        self.column = column
        self._runtimes = runtimes

    def text(self, line: int) -> str | None:
        """Return the line as seen from the column; a blank line belongs to every column."""
        if line >= len(self.page.lines):
            return None
        text = self.page.lines[line]
        if not self.column:
            return text
        if text[: self.column].strip(" "):
            return None
        return text[self.column :]

    def begins_text(self, line: int) -> bool:
        """Whether the line is the first of an uncut text: `trim()` may have taken its indentation."""
        return line == 0 and not self.page.cut and not self.column

    def start_missing(self, line: int) -> bool:
        """
        Whether the block that goes on at `line` may have begun above the text.

        So it is when nothing but indented lines stands above, or when the line is the first one of a cut text.
        """
        if self.column:
            return False
        return self.page.cut if line == 0 else line <= self.page.indented

    def runtime_at(self, line: int) -> "Runtime | None":
        """Return the runtime one of whose blocks begins at this line."""
        for runtime in self._runtimes:
            if runtime.opens(self, line):
                return runtime
        return None

    def at_column(self, column: int) -> "Cursor":
        """Return the same lines, seen from another column."""
        return Cursor(self.page, column, self._runtimes)

    def number(self, line: int) -> int:
        """Return the number of the line in the text, from 1."""
        return self.page.first_number + line


State = Literal["done", "waiting", "dump", "given up", "nothing"]
"""
How a block was left: all read; still without frames, which may come later (step 5, embedded errors); at the first
line of its property dump; without frames for good; not a block after all.
"""


class Found(NamedTuple):
    """What a runtime read at a line."""

    next_line: int
    state: State
    draft: Draft | None = None
    inside: tuple[Draft, ...] = ()
    """One-line blocks that were passed in the message."""
    embedded: Draft | None = None
    """The one of `inside` with only blanks below it, down to the frames or to the end of the search."""


class Runtime(NamedTuple):
    """A kind of program whose crashes are read."""

    name: str
    opens: Callable[[Cursor, int], bool]
    """Whether a block of this runtime begins at the line."""
    read: Callable[[Cursor, int], Found]
    """Read the block that begins at the line."""
    code: Callable[[Draft], tuple[str, CodeSource]]
    """Return the error code of a block and where it stands."""
    one_line: bool = False
    """A block is one line and may stand in the message of another without ending it."""
