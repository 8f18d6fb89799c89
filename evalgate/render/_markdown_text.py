r"""
Report text made inert in GitHub-flavoured Markdown, and still shown as it is.

A renderer acts on more than the usual characters: `|` splits a table row, `@name` pings a person, `#12` links an issue,
`<` opens HTML, and all of these act in rendered text too, where a backslash before them is gone. Only code is left
alone by every one of these filters, so everything that a report says is shown as code.
"""

import re

from evalgate.plain import escape, shorten

_LONGEST_LINE = 300
_SLACK = 200
"""A short name is shown whole, whatever it is made of."""
_PLAIN_CODE = re.compile(r"(?! )[^`|\\<&]+(?<! )")
"""What a backtick code span shows unchanged, inside a table row too, and what is no HTML even to a careless reader."""


def code(text: str, limit: int) -> str:
    """
    Return `text` as inline code: at most its first `limit` characters, and in all hardly more than three times as many.

    A control character takes four characters to spell, and each of those up to seven to make inert: without the second
    bound a hostile name would take the room of twenty others. Empty text is nothing.
    """
    shown = text[: limit + 1]
    while True:
        result = _inert(shorten(text, limit))
        if len(result) <= 3 * len(shown) + _SLACK or limit <= 1:
            return result
        limit = limit * 2 // 3


def _inert(text: str) -> str:
    shown = escape(text)
    if not shown:
        return ""
    if _PLAIN_CODE.fullmatch(shown):
        return f"`{shown}`"
    # In the code tag Markdown is still read, so that each character that could mean something is a reference. GFM's
    # e-mail autolinks are found after references are resolved; the comment keeps the two halves of one apart.
    return "<code>" + "".join(_reference(char) for char in shown) + "</code>"


def _reference(char: str) -> str:
    if not char.isascii() or char.isalnum() or char == " ":
        return char
    return f"&#{ord(char)};<!-- -->" if char == "@" else f"&#{ord(char)};"


def block(text: str, lines: int, size: int) -> str:
    """
    Return the last `lines` lines of `text`, as many as fit into `size` characters, as an indented code block.

    Indented, not fenced: no content can close such a block, and in a file whose last fence was left open our own fence
    would close that one.
    """
    kept: list[str] = []
    for line in reversed(text.replace("\r\n", "\n").rstrip().rsplit("\n", lines)[-lines:]):
        shown = f"    {shorten(escape(line.expandtabs(4)), _LONGEST_LINE)}".rstrip()
        size -= len(shown) + 1
        if size < 0 and kept:
            break
        kept.append(shown)
    while kept and not kept[-1]:
        kept.pop()
    return "\n".join(reversed(kept))
