"""
From lines to blocks: which block begins where, what stands inside what, which one ended the process.

One pass over the lines, with a stack of levels for causes that are printed inside their owner. No recursion: a
hostile text nests thousands of causes. Every line is looked at a bounded number of times.
"""

from typing import NamedTuple

from evalgate.stack import node, python
from evalgate.stack.clean import Page, is_blank
from evalgate.stack.draft import Cursor, Draft, Found
from evalgate.stack.runtimes import RUNTIMES


class Scan(NamedTuple):
    """The blocks of a page, in the order of their headers, and the trailer."""

    drafts: list[Draft]
    trailer: int | None
    """Line of the last `Node.js vN` trailer."""
    ended: int | None
    """Index of the block that this trailer directly follows."""


class _Level:
    """The text itself, or one cause inside a property dump, seen from its column."""

    __slots__ = (
        "above",
        "cursor",
        "dump",
        "holds_error",
        "last_traceback",
        "link",
        "owner",
        "root",
        "touching",
        "waiting",
    )

    def __init__(self, cursor: Cursor, *, root: int | None = None, owner: int | None = None) -> None:
        self.cursor = cursor
        self.root = root
        """The cause that this level is about; None for the text itself."""
        self.owner = owner
        """The block in whose dump it is printed."""
        self.dump: int | None = None
        """The block whose property dump is being read."""
        self.holds_error = False
        """Inside the dump, the message of an error that is no cause is being passed."""
        self.waiting: list[int] = []
        """Headers without frames, the innermost last (step 5, embedded errors)."""
        self.above: int | None = None
        """The complete block above, with only blanks or a trailer since."""
        self.touching: int | None = None
        """The block above, with only blanks since (step 9)."""
        self.last_traceback: int | None = None
        self.link: int | None = None
        """After `direct cause` with only blanks since: the earlier traceback, or _LOST."""

    def pass_text(self) -> None:
        """Note that a line stands here that belongs to no block."""
        self.above = self.touching = self.link = None


_LOST = -1


class _Scanner:
    def __init__(self, page: Page) -> None:
        self.drafts: list[Draft] = []
        self.trailer: int | None = None
        self.ended: int | None = None
        self.levels = [_Level(Cursor(page, 0, RUNTIMES))]
        self.end = len(page.lines)

    def run(self) -> Scan:
        line = 0
        while line < self.end:
            level = self.levels[-1]
            text = level.cursor.text(line)
            if text is None or (level.root is not None and level.above == level.root):
                self.levels.pop()
            elif level.dump is not None:
                line = self.read_dump_line(level, level.dump, line, text)
            else:
                line = self.read_line(level, line, text)
        return Scan(self.drafts, self.trailer, self.ended)

    def read_line(self, level: _Level, line: int, text: str) -> int:
        """Read what begins at a line outside of any block; return the next line to read."""
        if is_blank(text):
            return line + 1
        if node.is_trailer(text):
            if level.root is None:
                self.trailer, self.ended = line, level.touching
            level.touching = level.link = None
            return line + 1
        if level.above is not None and level.waiting and node.is_frame(text):
            return self.resume(level, line)
        runtime = level.cursor.runtime_at(line)
        if runtime is None:
            link = level.last_traceback if level.last_traceback is not None else _LOST
            level.pass_text()
            if python.says_cause(text):
                level.link = link
            return line + 1
        found = runtime.read(level.cursor, line)
        if runtime is python.RUNTIME:
            self.chain(level, found)
        return self.take(level, found)

    def take(self, level: _Level, found: Found) -> int:
        """Enter what a runtime found; return the next line to read."""
        level.pass_text()
        if found.draft is None:
            return found.next_line
        index = self.add(level, found.draft)
        embedded = None
        for inner in found.inside:
            place = self.add(level, inner)
            if inner is found.embedded:
                embedded = place
        self.leave(level, index, found)
        if embedded is not None and found.state == "waiting":
            level.above = level.touching = embedded
        elif found.state in ("done", "dump"):
            found.draft.embedded = embedded
        return found.next_line

    def leave(self, level: _Level, index: int, found: Found) -> None:
        """Note how a block was left, see State."""
        if found.state == "dump":
            level.dump, level.holds_error = index, False
        elif found.state == "done":
            level.above = level.touching = index
        elif found.state == "waiting":
            level.waiting.append(index)
            below = range(self.drafts[index].line + 1, found.next_line)
            if all(is_blank(level.cursor.text(line) or "") for line in below):
                level.touching = index

    def add(self, level: _Level, draft: Draft) -> int:
        draft.owner = level.owner
        self.drafts.append(draft)
        return len(self.drafts) - 1

    def chain(self, level: _Level, found: Found) -> None:
        """
        Link a traceback to the one that caused it (step 6, chain).

        If the earlier one is not there, because the text begins below it or it could not be read, the later one is a
        wrapper whose cause is not known: its own name would join all that it wraps.
        """
        if found.draft is None:
            level.last_traceback = None
            return
        if level.link == _LOST:
            found.draft.silent = found.draft.silent or "the traceback of its direct cause is cut off"
        else:
            found.draft.cause = level.link
        level.last_traceback = len(self.drafts)

    def resume(self, level: _Level, line: int) -> int:
        """
        Read frames that follow a complete block inside the message of a header that has none yet (step 5, embedded).

        `execFileSync` puts the whole stderr of a child into the message of its error: the child's crash stands between
        that error's header and its frames. What is said about the child is the answer if there is one.
        """
        index = level.waiting.pop()
        draft = self.drafts[index]
        draft.embedded = level.above
        if level.root is None and self.ended == level.above:
            self.ended = index
        after, opens_dump = node.read_frames(draft, level.cursor, line)
        level.pass_text()
        self.leave(level, index, Found(after, "dump" if opens_dump else "done", draft))
        return after

    def read_dump_line(self, level: _Level, index: int, line: int, text: str) -> int:
        """Read a line of a property dump (step 5); return the next line to read."""
        if text[:1] not in ("", " ", "\t"):
            # The end, or an output that was mixed in: then the rest of the dump is text.
            level.dump = None
            level.above = level.touching = index
            return line + 1 if text == "}" else line
        if level.holds_error:
            level.holds_error = not node.is_frame(text)
            return line + 1
        found = node.read_property(level.cursor, line)
        draft = self.drafts[index]
        if found is None:
            return line + 1
        draft.own_code = draft.own_code or found.code
        if found.error is None or not found.is_cause or draft.cause is not None:
            level.holds_error = found.error is not None and found.error.form != "brackets"
            return line + 1
        draft.cause = len(self.drafts)
        inner = _Level(level.cursor.at_column(level.cursor.column + 2), root=draft.cause, owner=index)
        self.levels.append(inner)
        return self.take(inner, node.read_block(found.error, found.text, inner.cursor, line))


def find_blocks(page: Page) -> Scan:
    """Return the blocks of a page (steps 3 to 7) and the one that its last trailer follows (step 9)."""
    return _Scanner(page).run()
