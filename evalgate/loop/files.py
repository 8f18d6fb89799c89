"""Small files that somebody else wrote, read with an end: an agent works where they lie."""

import os
import stat
import sys
from pathlib import Path

from evalgate.errors import MissingReportError, ReportError

STDIN = "-"


def read_bounded(path: Path, largest: int, what: str, *, regular: bool = False) -> bytes:
    """
    Return the bytes of a file; a pipe such as `<(...)` is read, too, unless it must be a `regular` file.

    `largest` is in bytes, `what` says what is larger: "a verdict". Raises `MissingReportError` when nothing is there,
    `ReportError` when it cannot be read, is a folder, or is too large. A regular file is opened without waiting: a pipe
    that an agent put in its place has no writer, and would be waited for for ever.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | (getattr(os, "O_NONBLOCK", 0) if regular else 0))

    try:
        # `Path.open` takes no opener.
        with open(path, "rb", opener=opener) as stream:
            if regular and not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ReportError([f"{path}: must be a regular file"])
            data = stream.read(largest + 1)
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise MissingReportError([f"{path}: no such file"]) from fault
    except (OSError, ValueError) as fault:
        raise ReportError([f"{path}: cannot be read ({reason(fault)})"]) from fault
    return _checked(str(path), data, largest, what)


def read_stdin(largest: int, what: str) -> bytes:
    """Return all of stdin; as `read_bounded` otherwise."""
    if sys.stdin is None:
        raise ReportError(["<stdin>: cannot be read (it is closed)"])
    try:
        data = sys.stdin.buffer.read(largest + 1)
    except (OSError, ValueError) as fault:
        raise ReportError([f"<stdin>: cannot be read ({reason(fault)})"]) from fault
    return _checked("<stdin>", data, largest, what)


def reason(fault: OSError | ValueError) -> str:
    """Return why a file could not be read or written, without its name."""
    return (fault.strerror if isinstance(fault, OSError) else None) or str(fault)


def _checked(label: str, data: bytes, largest: int, what: str) -> bytes:
    if len(data) > largest:
        raise ReportError([f"{label}: is longer than {_size(largest)}, and not {what}"])
    return data


def _size(number: int) -> str:
    return f"{number >> 20} MiB" if number >= 1 << 20 else f"{number >> 10} KiB"
