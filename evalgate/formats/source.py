"""
The bytes of one input: a file, a folder that holds report.json, stdin or a pipe; plain, gzip or zstd.

An input is opened once and read once, so a pipe works. Compression is recognised by content, never by name.
"""

import io
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol, Self, cast

from evalgate.errors import MissingReportError, ReportError

STDIN = "-"
REPORT_NAME = "report.json"

UNPACKED_LIMIT = 2 * 1024**3
"""Unit: bytes. A megabyte of gzip can hold a gigabyte of blanks; a build machine must survive reading it."""

_DEVICES = (("dev",), ("proc",))
_CHUNK = 1 << 20
_KEPT_LIMIT = 8 << 30
"""Unit: bytes. Of a pipe: one that never ends must not fill the disk."""
_KEPT_IN_MEMORY = 64 << 20
"""Unit: bytes. Of a pipe; more goes to an unnamed temporary file, so that memory stays bounded."""

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = tuple(bytes([byte]) + b"\x2a\x4d\x18" for byte in range(0x50, 0x60))
"""RFC 8878, section 3.1.2: pzstd begins its output with such a frame."""


class Reader(Protocol):
    """A stream of unpacked bytes."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""
        ...


Watch = Callable[[str, int, int | None], None]
"""Called while an input is read, with its label, the bytes read so far and all of them, where that is known."""


def _unwatched(label: str, done: int, total: int | None) -> None:
    """Stand for nobody who watches."""


class Source:
    """
    One input, opened once: a regular file stays open, anything else is kept while it is read.

    `open` begins at the start each time, so that what a reader did not keep can be looked up again.
    """

    def __init__(self, label: str, raw: IO[bytes], path: Path | None, watch: Watch = _unwatched) -> None:
        self._watch = watch
        self.label = label
        """How messages call it: the path as the user gave it, with report.json behind a folder."""
        self.path = path
        """The file it came from; None for stdin and pipes, which have no place beside them."""
        self._raw: IO[bytes] | None = raw
        self._stamp = _stamp(raw)

    def __enter__(self) -> Self:
        """Return the source; it is closed at the end of the block."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the source."""
        if self._raw is not None:
            self._raw.close()

    def rest(self) -> None:
        """Give the file back to the system until it is read again; what has no path stays open."""
        if self._raw is not None and self.path is not None:
            self._raw.close()
            self._raw = None

    def changed(self) -> bool:
        """Tell whether somebody wrote to the file since it was opened, or took it away."""
        try:
            return self._stamp != _stamp(self._file())
        except ReportError:
            return True

    def is_at(self, path: Path) -> bool:
        """Tell whether the file that was read is the one at `path`: another one may have taken its place."""
        try:
            return os.path.samestat(os.fstat(self._file().fileno()), path.stat())
        except (OSError, ReportError):
            return False

    def _file(self) -> IO[bytes]:
        if self._raw is None:
            assert self.path is not None, "only a file with a path rests"
            try:
                self._raw = self.path.open("rb", buffering=0)
            except OSError as fault:
                raise _unreadable(self.label, fault) from fault
        return self._raw

    def open(self) -> Reader:
        """Return the unpacked content from its beginning. Reading raises `ReportError`."""
        raw = self._file()
        raw.seek(0)
        start = raw.read(len(_ZSTD_MAGIC))
        raw.seek(0)
        if start.startswith(_GZIP_MAGIC):
            import gzip

            return _Unpacked(self.label, "gzip", gzip.GzipFile(fileobj=self._watched(), mode="rb"))
        if start.startswith((_ZSTD_MAGIC, *_ZSTD_SKIPPABLE)):
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd

            return _Unpacked(self.label, "zstd", zstd.ZstdFile(cast("IO[bytes]", self._watched())), (zstd.ZstdError,))
        return self._watched()

    def _watched(self) -> "_File":
        raw = self._file()
        size = raw.seek(0, os.SEEK_END)
        raw.seek(0)
        return _File(self.label, raw, self._watch, size)

    def read(self) -> bytes:
        """Return the whole unpacked content."""
        stream = self.open()
        return b"".join(iter(lambda: stream.read(_CHUNK), b""))


def _stamp(raw: IO[bytes]) -> tuple[int, int] | None:
    """Return when a file was last written and its size, None for what is kept in memory."""
    if not isinstance(raw, io.RawIOBase):
        # To ask such a file for its number would put it on the disk.
        return None
    status = os.fstat(raw.fileno())
    return status.st_mtime_ns, status.st_size


def open_source(place: str | os.PathLike[str], watch: Watch = _unwatched) -> Source:
    """
    Open the input at `place`: a file, a folder that holds report.json, `-` for stdin, or a pipe.

    Raises `MissingReportError` when there is nothing at the path, `ReportError` when it cannot be read.
    """
    if os.fspath(place) == STDIN:
        return Source("<stdin>", _kept("<stdin>", _stdin(watch)), None, watch)
    path = Path(place)
    try:
        if path.is_dir():
            path /= REPORT_NAME
        raw = path.open("rb", buffering=0)
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise MissingReportError([f"{path}: no such file"]) from fault
    except (OSError, ValueError) as fault:
        raise _unreadable(str(path), fault) from fault
    # A redirected file behind /dev/stdin or <(...) is regular and still has no place of its own beside it.
    device = path.is_absolute() and path.parts[1:2] in _DEVICES
    if stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
        return Source(str(path), raw, None if device else path, watch)
    with raw:
        return Source(str(path), _kept(str(path), _File(str(path), raw, watch)), None, watch)


def read_stdin() -> bytes:
    """Return all of stdin; raise `ReportError` when it is closed or cannot be read."""
    stream = _stdin()
    return b"".join(iter(lambda: stream.read(_CHUNK), b""))


def _stdin(watch: Watch = _unwatched) -> Reader:
    if sys.stdin is None:
        raise ReportError(["<stdin>: cannot be read (it is closed)"])
    return _File("<stdin>", sys.stdin.buffer, watch)


def _kept(label: str, stream: Reader) -> IO[bytes]:
    """Return the content of a stream that can be read once, in memory or, when it is large, in an unnamed file."""
    import tempfile

    kept = tempfile.SpooledTemporaryFile(max_size=_KEPT_IN_MEMORY)  # noqa: SIM115 (the source closes it)
    try:
        size = 0
        while part := stream.read(_CHUNK):
            size += len(part)
            if size > _KEPT_LIMIT:
                raise ReportError([f"{label}: is longer than {_KEPT_LIMIT >> 30} GiB: pass a file, not a pipe"])
            kept.write(part)
    except OSError as fault:
        kept.close()
        raise ReportError([f"{label}: cannot be kept while it is read ({fault.strerror or fault})"]) from fault
    except BaseException:
        kept.close()
        raise
    return kept


def _unreadable(label: str, fault: OSError | ValueError) -> ReportError:
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return ReportError([f"{label}: cannot be read ({reason})"])


class _File:
    """A file as it is, with the fault of reading it and somebody who may watch."""

    def __init__(self, label: str, raw: IO[bytes], watch: Watch, total: int | None = None) -> None:
        self._label = label
        self._raw = raw
        self._watch = watch
        self._total = total
        self._done = 0

    def read(self, size: int = -1) -> bytes:
        try:
            part = self._raw.read(size)
        except OSError as fault:
            raise _unreadable(self._label, fault) from fault
        self._done += len(part)
        self._watch(self._label, self._done, self._total)
        return part

    # gzip and zstd go back to look again at what they read too much of.
    def seek(self, offset: int, whence: int = 0) -> int:
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        return self._raw.tell()


class _Unpacked:
    """The content of an archive, all its members or frames, up to a limit."""

    def __init__(self, label: str, kind: str, archive: Reader, errors: tuple[type[Exception], ...] = ()) -> None:
        self._label = label
        self._kind = kind
        self._archive = archive
        import zlib

        # A truncated archive ends in EOFError, which is no OSError.
        self._broken: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, *errors)
        self._size = 0

    def read(self, size: int) -> bytes:
        try:
            part = self._archive.read(size)
        except self._broken as fault:
            raise ReportError([f"{self._label}: is a broken {self._kind} archive ({fault})"]) from fault
        self._size += len(part)
        if self._size > UNPACKED_LIMIT:
            raise ReportError(
                [
                    f"{self._label}: unpacks to more than {UNPACKED_LIMIT // 1024**3} GiB: "
                    f"if that is no accident, unpack it and pass the file itself"
                ]
            )
        return part


def packed(name: str, data: bytes) -> bytes:
    """Return the bytes of a file of this name: packed as its ending says."""
    if name.endswith(".gz"):
        import gzip

        # Without a clock: the same report gives the same file.
        return gzip.compress(data, mtime=0)
    if name.endswith(".zst"):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return zstd.compress(data)
    return data
