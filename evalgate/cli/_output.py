"""
What a command says: stdout for programs, stderr for people, and nothing that a report could use to say something else.

This is the only place that prints.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from types import ModuleType

from evalgate.errors import OutputError
from evalgate.gate import GateResult
from evalgate.plain import escape
from evalgate.verdict import ExitCode


class Format(Enum):
    """What stdout carries."""

    TEXT = "text"
    JSON = "json"


def on_github() -> bool:
    """Whether this is a step of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def stdout_is_file() -> bool:
    """Whether what is printed goes into a regular file, and so into no log."""
    import stat

    try:
        return sys.stdout is not None and stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def renderer_of(output: Format) -> ModuleType:
    if output is Format.JSON:
        from evalgate.render import json as renderer

        return renderer
    from evalgate.render import text

    return text


def summarise(result: GateResult, *, strict: bool, lang: str) -> None:
    """Print the summary for a person, when a person is there."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    from evalgate.render import console

    dumb = os.environ.get("TERM") == "dumb"
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        width = 80
    color = not (dumb or os.environ.get("NO_COLOR"))
    say([console.render(result, strict=strict, width=width, color=color, lang=lang).rstrip("\n")])


def out(chunks: Iterable[str]) -> None:
    """
    Write to stdout, as UTF-8 whatever the locale.

    A reader that closes the pipe early has had what it wanted, and the exit code stays; any other failure is a
    `OutputError`: a disk that is full must not look like a verdict.
    """
    if sys.stdout is None:
        raise OutputError(["stdout: cannot be written (it is closed)"])
    stream = sys.stdout.buffer
    try:
        for chunk in chunks:
            stream.write(chunk.encode("utf-8", "backslashreplace"))
        stream.flush()
    except OSError as fault:
        if not isinstance(fault, BrokenPipeError):
            raise OutputError([f"stdout: cannot be written ({fault.strerror or fault})"]) from fault


def fenced(pieces: Iterable[str]) -> Iterator[str]:
    """Return the pieces between lines that keep GitHub from obeying any of them."""
    import secrets

    from evalgate.render.github import fence

    begin, end = fence(secrets.token_hex(16))
    yield begin
    piece = ""
    for piece in pieces:
        yield piece
    # Behind anything else on its line it would not be obeyed.
    yield end if piece.endswith("\n") or not piece else f"\n{end}"


def out_lines(lines: Iterable[str]) -> None:
    """Print lines that may quote a report: escaped, and on GitHub so that none of them is obeyed."""
    pieces = (f"{escape(line)}\n" for line in lines)
    out(fenced(pieces) if on_github() else pieces)


def out_json(chunks: Iterable[str]) -> None:
    """Print JSON in pieces, none of which ends inside a string: on GitHub with `##[` in them as an escape."""
    out(chunk.replace("##[", "\\u0023#[") for chunk in chunks) if on_github() else out(chunks)


def refuse(faults: Sequence[str], output: Format, *, github: bool | None = None) -> ExitCode:
    """
    Say why nothing was judged, to a person and to a program, and return the exit code for it.

    github: whether this is a step of GitHub Actions, None to look. What keeps stdout from being written is told, too.
    """
    note(faults)
    lines = renderer_of(output).render_error(faults)
    github = on_github() if github is None else github
    try:
        out(fenced(lines) if github and output is Format.TEXT else lines)
    except OutputError as broken:
        note(line for line in broken.faults if line not in faults)
    return ExitCode.CANNOT_JUDGE


def note(lines: Iterable[str]) -> None:
    """Tell a person on stderr; the lines may quote a report."""
    say([f"evalgate: {escape(line)}" for line in lines])


def say(lines: Iterable[str]) -> None:
    if sys.stderr is None:
        return
    try:
        for line in lines:
            # GitHub Actions obeys `##[command]` anywhere in a line of a log.
            print(line.replace("##[", "## ["), file=sys.stderr)
        sys.stderr.flush()
    except (OSError, ValueError):
        # Nobody is listening: the verdict is on stdout and in the exit code.
        return
