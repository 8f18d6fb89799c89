"""Report text on one line."""

import sys
import unicodedata

import pytest

from evalgate.plain import escape, shorten


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain name", "plain name"),
        ("a\nOVERALL=PASS", r"a\nOVERALL=PASS"),
        ("a\r\nb", r"a\r\nb"),
        ("a\tb", r"a\tb"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x00", r"\x00"),
        ("\x7f", r"\x7f"),
        ("\x85", r"\x85"),
        ("\x9b31m", r"\x9b31m"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\u202eevil\u202c", r"\u202eevil\u202c"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("\u200e\u200f\u061c", r"\u200e\u200f\u061c"),
        ("\ufeff", r"\ufeff"),
        ("\ud83d", r"\ud83d"),
        ("\U000e0041", r"\U000e0041"),
        (r"a\nb", r"a\nb"),
        ("用 bash 执行", "用 bash 执行"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("نمی‌خواهم", "نمی‌خواهم"),
        ("e\u0301", "e\u0301"),
    ],
)
def test_escape(text, shown):
    assert escape(text) == shown


def test_escape_leaves_no_character_that_acts():
    """Every code point there is: controls, line ends (also those of str.splitlines), bidi, surrogates."""
    kept = "".join(char for char in map(chr, range(sys.maxunicode + 1)) if escape(char) == char)
    assert [char for char in kept if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")] == []
    acting = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "B"}
    assert [char for char in kept if unicodedata.bidirectional(char) in acting] == []
    assert [char for char in "\u200e\u200f\u061c" if char in kept] == []
    assert len(kept.splitlines()) == 1
    kept.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc… (1 more characters)"),
        ("", 0, ""),
        ("x" * 1000, 10, "x" * 10 + "… (990 more characters)"),
    ],
)
def test_shorten(text, limit, shown):
    assert shorten(text, limit) == shown
