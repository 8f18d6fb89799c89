"""Report text inside Markdown: shown as it is, and inert."""

import re

import pytest

from evalgate.plain import escape
from evalgate.render._markdown_text import block, code
from tests.markdown_view import OWN_HTML, view

HOSTILE = [
    "plain",
    "with space",
    " leading",
    "trailing ",
    "a  b",
    "a|b",
    r"a\|b",
    "`tick`",
    "``two``",
    "`",
    "\\",
    "trailing \\",
    "<b>bold</b>",
    "<!-- evalgate:end -->",
    "-->",
    "<code>",
    "</code><script>alert(1)</script>",
    "&lt;b&gt;",
    "&#124;",
    "@octocat",
    "me@example.com",
    "`@octocat`",
    "#12",
    "org/repo#12",
    "`#12`",
    "https://example.com/`",
    "www.example.com|",
    "[link](http://x)`",
    "![image](x)|",
    "**bold**|",
    "_a_ *b* ~~c~~|",
    "# heading|",
    "- item|",
    "1. item|",
    "> quote|",
    "```|",
    "~~~|",
    "    code|",
    "a\nOVERALL=PASS",
    "a\n\n# heading",
    "| --- |",
    "$math$|",
    ":tada:|",
    "\x1b[31m",
    "\u202eevil",
    "\ud83d",
    "用 bash|",
    "é`",
    "\u00a0nbsp\u00a0`",
    "[^1]|",
    "{{ 7 * 7 }}|{% raw %}",
    "x" * 50 + "`",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_code_shows_the_text_and_nothing_acts(text):
    shown = escape(text)
    for wrapped in ("{}", "- {}", "#### {}", "| a |\n| --- |\n| {} |"):
        seen = view(wrapped.format(code(text, 300)) + "\n")
        assert seen.kinds <= {
            *("paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close"),
            *("list_item_open", "list_item_close", "heading_open", "heading_close", "inline", "text", "code_inline"),
            *("html_inline", "text_special", "table_open", "table_close", "thead_open", "thead_close", "tbody_open"),
            *("tbody_close", "tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close"),
        }
        assert [piece for piece in seen.html if not OWN_HTML.fullmatch(piece)] == []
        if "---" in wrapped:
            assert seen.tables == [[["a"], [shown]]]
        elif wrapped.startswith("#"):
            assert seen.headings == [("h4", shown)]
        elif wrapped.startswith("-"):
            assert seen.items == [shown]


@pytest.mark.parametrize("text", HOSTILE)
def test_code_leaves_no_character_that_a_filter_could_act_on(text):
    """Mentions, references and addresses are looked for in rendered text too; only code is left alone."""
    made = code(text, 300)
    if made.startswith("<code>"):
        inside = re.sub(r"&#\d+;", "", made.removeprefix("<code>").removesuffix("</code>").replace("<!-- -->", ""))
        assert [char for char in inside if char.isascii() and not (char.isalnum() or char == " ")] == []
    else:
        assert re.fullmatch(r"`[^`|\\<&\n]+`", made)


@pytest.mark.parametrize(("text", "made"), [("", ""), ("a", "`a`"), ("a@b", "`a@b`"), ("a|b", "<code>a&#124;b</code>")])
def test_code_as_it_is_written(text, made):
    assert code(text, 300) == made


def test_an_address_in_html_is_taken_apart():
    """GFM looks for e-mail addresses after references were resolved."""
    assert "&#64;<!-- -->" in code("me@example.com|", 300)


def test_code_is_shortened():
    assert code("x" * 400, 300) == f"`{'x' * 300}… (100 more characters)`"
    assert len(code("`" * 10_000, 300)) < 300 * 6 + 300


@pytest.mark.parametrize(
    ("text", "lines", "made"),
    [
        ("a", 5, "    a"),
        ("a\nb", 5, "    a\n    b"),
        ("a\r\nb\r\n", 5, "    a\n    b"),
        ("a\n\nb", 5, "    a\n\n    b"),
        ("a\n \t\nb", 5, "    a\n\n    b"),
        ("\n\n  a\n    b\n\n\n", 9, "      a\n        b"),
        ("1\n2\n3\n4", 2, "    3\n    4"),
        ("1\n2\n\n4", 2, "    4"),
        ("1\n2\n3\n\n\n", 2, "    2\n    3"),
        ("\tx", 1, "        x"),
        ("ab\tx", 1, "    ab  x"),
        ("a\x1b[0m\rb", 1, r"    a\x1b[0m\rb"),
        ("a\u2028b\x0bc", 1, r"    a\u2028b\x0bc"),
        ("x" * 302, 1, f"    {'x' * 300}… (2 more characters)"),
    ],
)
def test_block(text, lines, made):
    assert block(text, lines, 2000) == made


@pytest.mark.parametrize(
    "line",
    [
        "```",
        "~~~",
        "</pre></code><script>",
        "# heading",
        "<!-- evalgate:end -->",
        "@octocat #12",
        "- item",
        "| a | b |",
        "&amp;",
        "\\",
        "---",
        "===",
        "[a]: http://x",
    ],
)
def test_block_cannot_be_left(line):
    seen = view(f"Before:\n\n{block(f'a{chr(10)}{line}{chr(10) * 2}{line}', 30, 300)}\n\nAfter\n")
    assert seen.blocks == [f"a\n{line}\n\n{line}\n"]
    assert (seen.headings, seen.html, seen.items, seen.tables) == ([], [], [], [])


def test_block_has_the_last_lines_that_fit():
    """Escaped control characters count as what they take: a process that wrote zeros does not fill the report."""
    assert block("aaaa\nbbbb\ncccc", 30, 19) == "    bbbb\n    cccc"
    assert block("aaaa\nbbbb\n\x00\x00", 30, 19) == r"    \x00\x00"
    assert len(block(("\x00" * 800 + "\n") * 30, 30, 1500)) <= 1500


@pytest.mark.parametrize("char", ["|", "\x1b", "\ud83d", "@", "<"])
def test_code_of_a_hostile_text_takes_little_more_room_than_of_another(char):
    assert len(code(char * 400, 150)) <= 3 * 151 + 200
    assert "more characters" in code(char * 400, 150)
