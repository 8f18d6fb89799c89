"""A file that is there as a whole or not at all: written beside its place, and moved there in one step."""

import os
from collections.abc import Iterable
from pathlib import Path

_LONGEST_KEPT = 50
"""Unit: characters of the target's name in that of the temporary file: a name has 255 bytes at most."""


def replace(target: Path, content: Iterable[bytes], mode: int | None = None) -> None:
    """
    Put `content` into the file at `target`: whoever reads sees the old file or the new one, and a crash leaves the old.

    `mode` are the permission bits; None for those that a plain `open` would give. A symbolic link at `target` is
    replaced, not followed: resolve it before, where it should stay one. The temporary file stays behind only where the
    machine itself stops. Raises `OSError`, and what `content` raises.
    """
    temporary = beside(target)
    try:
        fill(temporary, content, mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def beside(target: Path) -> Path:
    """Return the path of a temporary file in the folder of `target`: a rename does not cross file systems."""
    import secrets

    return target.parent / f".{target.name[:_LONGEST_KEPT]}.{secrets.token_hex(8)}.tmp"


def fill(temporary: Path, content: Iterable[bytes], mode: int | None) -> None:
    """
    Make a file that is not there yet, with its content on the disk.

    Not with `tempfile`: that makes files for their owner alone, and to ask for the umask is to change it for a moment,
    for every thread of a service.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(temporary, flags, 0o666 if mode is None else 0o600), "wb") as stream:
        stream.writelines(content)
        stream.flush()
        os.fsync(stream.fileno())
    if mode is not None:
        temporary.chmod(mode)
