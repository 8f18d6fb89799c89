"""
Step 7 of the grammar: `dsh: CODE: message`, what dsh prints when a turn fails (AUTH, QUOTA, RATE_LIMIT, TIMEOUT ...).

It has no frames and needs none: the code is a structured one. Only at the start of a line, and only a code by its
shape: `dsh: model "x" is not configured` says nothing that could be counted.
"""

import re

from evalgate.stack.draft import Cursor, Draft, Found, Runtime
from evalgate.stack.lists import is_code
from evalgate.stack.reading import CodeSource

_LINE = re.compile(r"dsh: ([A-Z0-9_]++):(?: |\Z)")


def _code_in(text: str | None) -> str:
    match = _LINE.match(text) if text else None
    return match[1] if match and is_code(match[1]) else ""


def _opens(cursor: Cursor, line: int) -> bool:
    return _code_in(cursor.text(line)) != ""


def _read(cursor: Cursor, line: int) -> Found:
    text = cursor.text(line) or ""
    return Found(line + 1, "done", Draft(RUNTIME, line, text, _code_in(text)))


def _code(draft: Draft) -> tuple[str, CodeSource]:
    return draft.name, "code of the dsh line"


RUNTIME = Runtime("dsh", _opens, _read, _code, one_line=True)
