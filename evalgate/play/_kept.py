"""What a program wrote, without keeping all of it: the beginning, the end, and every line for who waits for one."""

import threading
from collections.abc import Callable, Iterator, Sequence

_LONGEST_LINE = 64 * 1024
"""Unit: bytes. The rest of a longer line is passed over."""


class Kept:
    """The beginning and the end of a stream of bytes, at most `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.head = bytearray()
        self._tail = bytearray()
        self._size = 0

    def add(self, chunk: bytes) -> None:
        room = self._limit - len(self.head)
        self.head += chunk[:room]
        self._tail += chunk[room:]
        self._size += len(chunk)
        # Cut now and then, not each time: each cut moves all that stays.
        if len(self._tail) > 2 * self._limit:
            del self._tail[: -self._limit]

    @property
    def tail(self) -> bytes:
        """What of the end does not stand in the head already."""
        return bytes(self._tail[-self._limit :])

    @property
    def dropped(self) -> int:
        """How many bytes between head and tail are gone."""
        return self._size - len(self.head) - len(self.tail)

    def text(self) -> str:
        if not self.dropped:
            return decoded(bytes(self.head) + self.tail)
        return f"{decoded(bytes(self.head))}\n... {self.dropped} bytes left out ...\n{decoded(self.tail)}"

    def end(self, characters: int) -> str:
        """Return the last characters, over the seam between head and tail where nothing is gone between them."""
        found = self.tail if self.dropped else bytes(self.head) + self.tail
        return decoded(found)[-characters:]


def decoded(data: bytes) -> str:
    """Return the text; what is no UTF-8 becomes U+FFFD."""
    return data.decode("utf-8", "replace")


class Lines:
    """Bytes in, whole lines out, without their ends; a line longer than `_LONGEST_LINE` is cut."""

    def __init__(self) -> None:
        self._open = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> Iterator[str]:
        first, ended, rest = chunk.partition(b"\n")
        self._extend(first)
        if not ended:
            return
        if not self._skipping:
            yield decoded(bytes(self._open)).removesuffix("\r")
        self._open.clear()
        self._skipping = False
        # The whole lines in one go: a flood has millions of them.
        whole, ended, last = rest.rpartition(b"\n")
        if ended:
            for line in decoded(whole).split("\n"):
                yield line.removesuffix("\r")
        self._extend(last)

    def gap(self) -> None:
        """Note that something is missing here: the line that it falls into is no line."""
        self._open.clear()
        self._skipping = True

    def finish(self) -> Iterator[str]:
        """Yield the last line, should it have no end."""
        if self._open and not self._skipping:
            yield decoded(bytes(self._open)).removesuffix("\r")
        self._open.clear()

    def _extend(self, part: bytes) -> None:
        if not self._skipping:
            self._open += part[: _LONGEST_LINE - len(self._open)]


class Wish:
    """Somebody waits for a line; the thread that reads looks at every line for it, so that none is missed."""

    def __init__(self, predicate: Callable[[str], bool], streams: Sequence[Kept]) -> None:
        self._predicate = predicate
        self._lines = [Lines() for _ in streams]
        self.done = threading.Event()
        self.line: str | None = None
        self.fault: Exception | None = None
        for position, kept in enumerate(streams):
            self.feed(position, bytes(kept.head))
            if kept.dropped:
                self._lines[position].gap()
            self.feed(position, kept.tail)

    def feed(self, position: int, chunk: bytes) -> None:
        self._look(self._lines[position].feed(chunk))

    def finish(self) -> None:
        for lines in self._lines:
            self._look(lines.finish())
        self.done.set()

    def _look(self, lines: Iterator[str]) -> None:
        if self.done.is_set():
            return
        try:
            for line in lines:
                if self._predicate(line):
                    self.line = line
                    self.done.set()
                    return
        except Exception as fault:
            # Raised where it belongs, in the thread that waits: this one has pipes to read.
            self.fault = fault
            self.done.set()
