"""What a reader of rendered Markdown sees: blocks, table cells, plain text. For tests."""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

OWN_HTML = re.compile(r"</?code>|<!-- -->")
"""The only tags that the section may hold."""


class View(NamedTuple):
    """A rendered document."""

    headings: list[tuple[str, str]]
    """(tag, text) of each heading."""
    tables: list[list[list[str]]]
    """Rows of cells of each table, the header first."""
    blocks: list[str]
    """Content of each indented code block."""
    items: list[str]
    """Text of each list item."""
    html: list[str]
    """Every piece of HTML."""
    kinds: set[str]
    """Every kind of token."""


def _text(token: Token) -> str:
    """Return what a browser shows of an inline token."""
    shown = ""
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            shown += "\n"
        elif child.type != "html_inline":
            shown += child.content
    return shown


def view(text: str) -> View:
    """Parse as GitHub does: CommonMark with tables and strikethrough."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    found = View([], [], [], [], [], set())
    opened = ""
    for token in tokens:
        found.kinds.add(token.type)
        if token.type == "heading_open":
            opened = token.tag
        elif token.type == "table_open":
            found.tables.append([])
        elif token.type == "tr_open":
            found.tables[-1].append([])
        elif token.type in ("th_open", "td_open"):
            opened = "cell"
        elif token.type == "list_item_open":
            opened = "item"
        elif token.type in ("code_block", "fence"):
            found.blocks.append(token.content)
        elif token.type == "html_block":
            found.html.append(token.content)
        elif token.type == "inline":
            for child in token.children or ():
                found.kinds.add(child.type)
                if child.type == "html_inline":
                    found.html.append(child.content)
            shown = _text(token)
            if opened.startswith("h"):
                found.headings.append((opened, shown))
            elif opened == "cell":
                found.tables[-1][-1].append(shown)
            elif opened == "item":
                found.items.append(shown)
            opened = ""
    return found
