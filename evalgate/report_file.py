"""
One section inside a file that belongs to somebody else, replaced without touching another byte.

The core is `with_section`, bytes in and bytes out; `Writes` is what touches a disk.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Self

from evalgate.errors import OutputError
from evalgate.whole_file import beside, fill

BEGIN = b"<!-- evalgate:begin -->"
END = b"<!-- evalgate:end -->"

_IN_MEMORY = 8 << 20
"""Unit: bytes of an output that goes to a pipe; a longer one waits in a file."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
"""An opening or closing code fence (CommonMark 0.31, section 4.5)."""


def with_section(existing: bytes, section: str) -> bytes:
    """
    Return `existing` with the section set to `section`, which has neither the markers nor a final newline.

    The last complete section, a begin marker and the next end marker each alone on its line and outside code fences, is
    replaced; without one the section is appended. A begin without an end is not a boundary. The section takes the line
    ending that most lines of the rest of the file have.
    """
    mark = _BYTE_ORDER_MARK if existing.startswith(_BYTE_ORDER_MARK) else b""
    lines = _lines(existing.removeprefix(mark))
    found = _find(lines)
    before, after = (lines, []) if found is None else (lines[: found[0]], lines[found[1] + 1 :])
    ending = _line_ending([*before, *after]) or _line_ending(lines) or b"\n"
    body = section.encode("utf-8", "backslashreplace").replace(b"\n", ending)
    block = ending.join([BEGIN, body, END])
    head = mark + b"".join(before)
    if found is None:
        if before and not head.endswith(b"\n"):
            head += ending
        # A blank line, so that the marker is not part of the paragraph before it.
        return head + (ending if before else b"") + block + ending
    # The end marker may have been the last line, without a newline: what follows it stays as it was.
    last = lines[found[1]]
    return head + block + last[len(last.rstrip(b"\r\n")) :] + b"".join(after)


def _lines(data: bytes) -> list[bytes]:
    """Return the lines with their ends; only a line feed ends one, so that CR LF stays together."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _find(lines: list[bytes]) -> tuple[int, int] | None:
    """Return the positions of the markers of the last complete section, None when there is none."""
    begin: int | None = None
    found: tuple[int, int] | None = None
    fenced = _fenced(lines)
    for position, line in enumerate(lines):
        text = line.rstrip(b" \t\r\n")
        if fenced[position]:
            continue
        if text == BEGIN:
            begin = position
        elif text == END and begin is not None:
            found, begin = (begin, position), None
    return found


def _fenced(lines: list[bytes]) -> list[bool]:
    """
    Return for each line whether it stands inside a code fence that is closed further down.

    A fence that is never closed reaches to the end of the file and would hide our own section from the next run, which
    would then append another: it does not count.
    """
    inside = [False] * len(lines)
    opened: tuple[int, bytes] | None = None
    for position, line in enumerate(lines):
        match = _FENCE.match(line.rstrip(b"\r\n"))
        if match is None:
            continue
        fence, rest = match[1], match[2]
        if opened is None:
            if not (fence.startswith(b"`") and b"`" in rest):
                opened = (position, fence)
        elif fence[:1] == opened[1][:1] and len(fence) >= len(opened[1]) and not rest.strip():
            inside[opened[0] : position + 1] = [True] * (position + 1 - opened[0])
            opened = None
    return inside


def _line_ending(lines: list[bytes]) -> bytes | None:
    """Return the ending that most of the lines have, None when none has one."""
    crlf = sum(line.endswith(b"\r\n") for line in lines)
    ended = sum(line.endswith(b"\n") for line in lines)
    return None if not ended else b"\r\n" if 2 * crlf > ended else b"\n"


def write_section(path: Path, section: str, *, never: Sequence[Path] = ()) -> None:
    """Set the section of the file at `path`, creating it when it is not there; as `Writes.section`."""
    with Writes(never) as writes:
        writes.section(path, section)
        writes.commit()


def write_file(path: Path, chunks: Iterable[bytes], *, never: Sequence[Path] = (), make_folder: bool = False) -> None:
    """Write a file as a whole, in one step; as `Writes.file`. `make_folder`: make the folder where it is missing."""
    with Writes(never, make_folders=make_folder) as writes:
        writes.file(path, chunks)
        writes.commit()


class Writes:
    """
    Files that take their places together: none is touched before all of them are complete.

    Each is made beside its place, under a unique name in the same folder, and `commit` puts it there in one step, so a
    crash leaves the old file whole. The mode is kept, and a symbolic link stays one: the file that it points to is
    replaced. What was not committed at the end of the `with` is removed again.

    `never` are files that must not be written, such as the reports themselves, whether they are there or not.
    `make_folders`: make those that are missing; otherwise that is a fault, since most are a slip in a name. All methods
    raise `OutputError`.
    """

    def __init__(self, never: Sequence[Path] = (), *, make_folders: bool = False) -> None:
        self._never = tuple(never)
        self._make_folders = make_folders
        self._staged: list[tuple[Path, Path, Path]] = []
        self._direct: list[tuple[Path, IO[bytes]]] = []

    def __enter__(self) -> Self:
        """Return the collection, empty."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Remove what did not take its place."""
        while self._staged:
            self._drop()
        self._close()

    def section(self, path: Path, section: str) -> None:
        """Make the file in which the section is set to `section`; nothing where it says so already."""
        with _told(path):
            target, status = self._target(path)
            if status is not None and not stat.S_ISREG(status.st_mode):
                raise OutputError([f"{path}: cannot be written: is not a regular file"])
            existing = target.read_bytes() if status is not None else b""
            if existing.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise OutputError([f"{path}: cannot be written: is UTF-16 text, and a section is UTF-8"])
            content = with_section(existing, section)
            if status is None or content != existing:
                self._stage(path, target, status, [content])

    def file(self, path: Path, chunks: Iterable[bytes]) -> None:
        """Make a whole file. `/dev/stdout` and pipes are written to as they are, when all the files are made."""
        with _told(path):
            target, status = self._target(path)
            if status is not None and not stat.S_ISREG(status.st_mode):
                if stat.S_ISDIR(status.st_mode):
                    raise OutputError([f"{path}: cannot be written: is a folder"])
                self._direct.append((path, self._spooled(chunks)))
            else:
                self._stage(path, target, status, chunks)

    def send(self) -> None:
        """Write to what is no file: `commit` does it, unless it is to be done before."""
        for path, made in self._direct:
            with _told(path), path.open("wb") as stream:
                made.seek(0)
                copyfileobj(made, stream)
        self._close()

    def commit(self) -> None:
        """Put every file in its place."""
        self.send()
        while self._staged:
            path, temporary, target = self._staged[0]
            with _told(path):
                temporary.replace(target)
            del self._staged[0]

    def _target(self, path: Path) -> tuple[Path, os.stat_result | None]:
        """Return the file behind the links and its status, None when it is not there yet."""
        try:
            status = path.stat()
        except FileNotFoundError:
            status = None
        if status is not None and not stat.S_ISREG(status.st_mode):
            # The name of a pipe behind /dev/stdout is none that could be opened.
            return path, status
        target = Path(os.path.realpath(path))
        for one in self._never:
            if _same(status, one) if status is not None else os.path.realpath(one) == str(target):
                raise OutputError([f"{path}: cannot be written: is one of the files that are read"])
        return target, status

    def _stage(self, path: Path, target: Path, status: os.stat_result | None, content: Iterable[bytes]) -> None:
        if self._make_folders:
            target.parent.mkdir(parents=True, exist_ok=True)
        elif not target.parent.exists():
            raise OutputError([f"{path}: cannot be written: its folder is not there: make it first"])
        temporary = beside(target)
        # Before it is made: who ends us in between leaves nothing behind.
        self._staged.append((path, temporary, target))
        try:
            fill(temporary, content, None if status is None else stat.S_IMODE(status.st_mode))
        except BaseException:
            # A caller may do without this one, and what is incomplete must never take a place.
            self._drop()
            raise

    def _spooled(self, content: Iterable[bytes]) -> IO[bytes]:
        """Return all of the content: what fails half-way must not have sent its first half."""
        from tempfile import SpooledTemporaryFile

        # Closed with the collection.
        spool: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        try:
            spool.writelines(content)
        except BaseException:
            spool.close()
            raise
        return spool

    def _close(self) -> None:
        for _, made in self._direct:
            made.close()
        self._direct.clear()

    def _drop(self) -> None:
        """Remove the latest that was made; where that cannot be done it was not made either."""
        _, temporary, _ = self._staged.pop()
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raise what keeps a file from being written as an `OutputError` that names it."""
    try:
        yield
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise OutputError([f"{path}: cannot be written ({reason})"]) from fault


def append_to(path: Path, content: bytes) -> None:
    """
    Append to a file that others write to as well, creating it when it is not there. Raises `OutputError`.

    What stands in it gets a line end first where it has none: its last line is not ours to continue.
    """
    with _told(path), path.open("ab+") as stream:
        if stream.tell():
            stream.seek(-1, os.SEEK_END)
            content = content if stream.read(1) == b"\n" else b"\n" + content
        stream.write(content)


def _same(status: os.stat_result, other: Path) -> bool:
    try:
        return os.path.samestat(status, other.stat())
    except OSError:
        return False
