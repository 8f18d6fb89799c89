"""
Step 3 of the grammar: the line that names a JavaScript error.

Node prints an uncaught error and `console.error(err)` with the same function (util.inspect, lib/internal/util/
inspect.js, formatError): the stack, in brackets when it has no frames, with the class put in front of the name when
they differ (`Quota [QuotaError]: used up`).
"""

import re
from typing import Literal, NamedTuple

from evalgate.stack.lists import IDENT, ends_as_error, is_code

# `dsh: fatal load failure: ` is dsh's own label before err.stack; `<ref *1> ` is util.inspect's mark of a circular
# object. Both stand before an error that is printed whole. A log prefix does not: what follows it may be anything.
_START = re.compile(rf"(?:dsh: fatal load failure: )?(?:<ref \*[0-9]+> )?(\[)?({IDENT})(?: \[([\w$]++)\])?")


class Header(NamedTuple):
    """A header line, read."""

    form: Literal["message", "alone", "brackets"]
    name: str
    tag: str
    message: str
    opens_dump: bool = False
    dump: str = ""
    """The property dump when it stands on the same line (form c)."""


def parse_header(text: str) -> Header | None:
    """
    Return the header that `text` is, or None (step 3).

    Form b (`NAME` alone) is returned too; the caller has to see that a frame follows. Only a class that ends in
    Error or Exception, or a tag that is a code or ends so, makes a header: `Warning: x`, `Summary: x` and every
    `word: text` of a log have the same shape.
    """
    match = _START.match(text)
    if match is None:
        return None
    bracket, name, tag = match[1], match[2], match[3] or ""
    if not (ends_as_error(name) or is_code(tag) or ends_as_error(tag)):
        return None
    rest = text[match.end() :]
    if bracket:
        return _in_brackets(name, tag, rest)
    if not rest:
        return Header("alone", name, tag, "")
    if rest == ":" or rest.startswith(": "):
        return Header("message", name, tag, rest[2:])
    return None


def _in_brackets(name: str, tag: str, rest: str) -> Header | None:
    """
    Read form c from its colon on: `: MESSAGE]`, `: MESSAGE] {` or `: MESSAGE] { … }`.

    The dump on the line is found by the brace that closes at its end: the message may hold `] { code: 'X' }` as well.
    """
    if not rest.startswith(":"):
        return None
    if rest.endswith("]"):
        return Header("brackets", name, tag, rest[2:-1])
    if rest.endswith("] {"):
        return Header("brackets", name, tag, rest[2:-3], opens_dump=True)
    start = _opening_brace(rest)
    if start is None or not rest[:start].endswith("] "):
        return None
    return Header("brackets", name, tag, rest[2 : start - 2], dump=rest[start:])


_BRACES = re.compile("[{}]")


def _opening_brace(text: str) -> int | None:
    """Return where the brace opens that closes at the end of `text`."""
    if not text.endswith(" }"):
        return None
    opened: list[int] = []
    start = None
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        else:
            start = opened.pop() if opened else None
    return start
