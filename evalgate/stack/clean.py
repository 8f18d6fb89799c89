r"""
Step 1 of the grammar: from the text of a report to the lines that are read.

The text is the tail of a stream: it may begin in the middle of a line, be coloured, come from Windows, or hold bytes
that are no text at all. Nothing here may depend on the order of growth of what is in it, so the line ends are split
by hand: the obvious pattern for `\r*\n` is quadratic in a run of carriage returns.
"""

import re
from typing import NamedTuple

CUT_LENGTH = 8000
"""UTF-16 units from which a text counts as cut: the harness keeps the last 8192 and trims them."""

# ECMA-48, 5.4 and 8.3.89: CSI with parameters, intermediates and a final byte; OSC up to BEL or ST; any other escape
# sequence. An OSC ends with its line: one that is never closed must not swallow the crash below it. What an OSC may
# hold excludes ESC, so that a thousand unclosed ones are each read once.
_ANSI = re.compile(
    "\x1b(?:"
    r"\[[0-?]*+[ -/]*+[@-~]"
    "|\\][^\x07\x1b\n\r]*+(?:\x07|\x1b\\\\)"
    "|[ -/]*+[0-~]"
    ")"
)
_OTHER_ENDS = re.compile("[\r\u2028\u2029]")


class Page(NamedTuple):
    """The lines of one text and what is known about its beginning."""

    lines: list[str]
    cut: bool
    """The text is as long as a tail that was cut at its start; its first line is then not in `lines`."""
    first_number: int
    """The number, counted from 1, that the first of `lines` has in the text."""
    indented: int
    """How many lines at the start are indented and not blank: the rest of a block whose beginning is missing."""


def read_page(text: str) -> Page:
    """
    Return the lines of `text` without colours, line ends and trailing blanks (step 1).

    A cut text loses its first line: what is left of `TypeError: x` may read `Error: x` or `ypeError: x`, which would
    join every error of a function or invent a class. A line of nothing but blanks keeps them, it is an indented line
    for Python (the source line under a SyntaxError at the end of a file).
    """
    cut = utf16_length(text) >= CUT_LENGTH
    lines = [line.rstrip(" \t") or line for line in _split(remove_ansi(text))]
    if cut:
        del lines[0]
    return Page(lines, cut, 2 if cut else 1, _count_indented(lines))


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, the unit in which the harness (JavaScript) cuts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def remove_ansi(text: str) -> str:
    """Return `text` without escape sequences: a coloured crash and a plain one are one crash."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def _split(text: str) -> list[str]:
    r"""Split at `\r*\n`, lone `\r` (progress bars), U+2028 and U+2029 (line ends for JavaScript)."""
    parts = text.split("\n")
    last = parts.pop()
    parts = [part.rstrip("\r") for part in parts]
    parts.append(last)
    if not _OTHER_ENDS.search(text):
        return parts
    return [line for part in parts for line in _OTHER_ENDS.split(part)]


def _count_indented(lines: list[str]) -> int:
    for count, line in enumerate(lines):
        if line[:1] != " " or is_blank(line):
            return count
    return len(lines)


def is_blank(line: str) -> bool:
    """Whether there is nothing on the line."""
    return not line or line.isspace()
