r"""
Report text made inert in GitHub-flavoured Markdown, and still shown as it is.

A renderer acts on more than the usual characters: `|` splits a table row, `@name` pings a person, `#12` links an issue,
`<` opens HTML, and all of these act in rendered text too, where a backslash before them is gone. Only code is left
alone by every one of these filters, so everything that a report says is shown as code.
"""

import re

from evalgate.plain import escape, shorten

_PLAIN_CODE = re.compile(r"(?! )[^`|\\<&]+(?<! )")
"""What a backtick code span shows unchanged, inside a table row too, and what is no HTML even to a careless reader."""


def code(text: str, limit: int) -> str:
    """Return `text` as inline code of at most about `limit` characters shown; empty text as nothing."""
    shown = escape(shorten(text, limit))
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


def block(text: str, lines: int, limit: int) -> str:
    """
    Return the last `lines` lines of `text` as an indented code block, each at most about `limit` characters.

    Indented, not fenced: no content can close such a block, and in a file whose last fence was left open our own fence
    would close that one.
    """
    kept = text.replace("\r\n", "\n").split("\n")
    while kept and not kept[-1].strip():
        kept.pop()
    cut = kept[-lines:]
    while cut and not cut[0].strip():
        cut.pop(0)
    return "\n".join(f"    {escape(shorten(line.expandtabs(4), limit))}".rstrip() for line in cut)
