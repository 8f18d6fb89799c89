"""
The bytes of one input: a file, a folder that holds report.json, stdin or a pipe; plain, gzip or zstd.

An input is opened once and read once, so a pipe works. Compression is recognised by content, never by name.
"""

import gzip
import os
import stat
import sys
import zlib
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, Protocol

from evalgate.errors import MissingReportError, ReportError

STDIN = "-"
REPORT_NAME = "report.json"

UNPACKED_LIMIT = 2 * 1024**3
"""Unit: bytes. A megabyte of gzip can hold a gigabyte of blanks; a build machine must survive reading it."""

_DEVICES = (("dev",), ("proc",))
_CHUNK = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = tuple(bytes([byte]) + b"\x2a\x4d\x18" for byte in range(0x50, 0x60))
"""RFC 8878, section 3.1.2: pzstd begins its output with such a frame."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""
        ...


class Source(NamedTuple):
    """What was read."""

    label: str
    """How messages call it: the path as the user gave it, with report.json behind a folder."""
    data: bytes
    path: Path | None
    """The file it came from; None for stdin and pipes, which have no place beside them."""


def read_source(place: str | os.PathLike[str]) -> Source:
    """
    Read and unpack the whole input at `place`.

    Raises `MissingReportError` when there is nothing at the path, `ReportError` when it cannot be read or unpacked.
    """
    if os.fspath(place) == STDIN:
        return Source("<stdin>", _unpacked("<stdin>", read_stdin()), None)
    path = Path(place)
    try:
        if path.is_dir():
            path /= REPORT_NAME
        with path.open("rb") as stream:
            regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            data = stream.read()
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise MissingReportError([f"{path}: no such file"]) from fault
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise ReportError([f"{path}: cannot be read ({reason})"]) from fault
    # A redirected file behind /dev/stdin or <(...) is regular and still has no place of its own beside it.
    beside = regular and not (path.is_absolute() and path.parts[1:2] in _DEVICES)
    return Source(str(path), _unpacked(str(path), data), path if beside else None)


def read_stdin() -> bytes:
    """Return all of stdin; raise `ReportError` when it is closed or cannot be read."""
    try:
        if sys.stdin is None:
            raise ReportError(["<stdin>: cannot be read (it is closed)"])
        return sys.stdin.buffer.read()
    except OSError as fault:
        raise ReportError([f"<stdin>: cannot be read ({fault.strerror})"]) from fault


def _unpacked(label: str, data: bytes) -> bytes:
    """Return the content of a gzip or zstd archive, all its members or frames; other bytes as they are."""
    if data.startswith(_GZIP_MAGIC):
        return _read_archive(label, "gzip", gzip.GzipFile(fileobj=BytesIO(data)))
    if data.startswith((_ZSTD_MAGIC, *_ZSTD_SKIPPABLE)):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        return _read_archive(label, "zstd", zstd.ZstdFile(BytesIO(data)), (zstd.ZstdError,))
    return data


def _read_archive(label: str, kind: str, archive: _Readable, errors: tuple[type[Exception], ...] = ()) -> bytes:
    broken: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, *errors)
    parts, size = [], 0
    try:
        while part := archive.read(_CHUNK):
            size += len(part)
            if size > UNPACKED_LIMIT:
                raise ReportError(
                    [
                        f"{label}: unpacks to more than {UNPACKED_LIMIT // 1024**3} GiB: "
                        f"if that is no accident, unpack it and pass the file itself"
                    ]
                )
            parts.append(part)
    # A truncated archive ends in EOFError, which is no OSError.
    except broken as fault:
        raise ReportError([f"{label}: is a broken {kind} archive ({fault})"]) from fault
    return b"".join(parts)
