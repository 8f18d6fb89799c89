r"""
Report text made safe for one line of a terminal, a log or a grep.

A name, a version or an error text comes from a file that an agent may have influenced.
Written raw, a newline in it forges an output line, an escape sequence drives the terminal
and a bidirectional control shows text that is not there.
"""

import re

# Cc, the line and paragraph separators, lone surrogates (no UTF-8 form), the bidirectional controls of UAX #9
# (https://www.unicode.org/reports/tr9/) and their deprecated companions, interlinear annotation, and the invisible
# tag characters. ZERO WIDTH JOINER and NON-JOINER stay: emoji and Persian names need them.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def escape(text: str) -> str:
    r"""
    Return `text` with every character that could act spelled out: `\n`, `\x1b`, `\u2028`, `\U000e0041`.

    A backslash stays one backslash: names are shown as they are, the line is for reading and grepping,
    and the JSON output is there for who needs the exact characters back.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_spell, text)


def _spell(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def shorten(text: str, limit: int) -> str:
    """Return `text`, or its first characters and how many follow when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit} more characters)"
