"""The form that a function's name has in a signature (last sentences of step 8)."""

import re

NAME_LENGTH = 120

_SEPARATORS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]++")
# A bundler names the function around a module after its file (`Object../src/index.js`), and a name may be any text.
_PLACE = re.compile(r"://|[/\\][^/\\]*\.[cm]?[jt]sx?\Z|:[0-9]++\Z")


def function_name(raw: str) -> str:
    """
    Return the name as it stands in a signature: one word of at most 120 characters.

    A name is text from the program that crashed, `my tool` is one. Blanks become `_` since a signature is one word in
    a log line, and the length is cut since a name can be as long as its author likes.
    """
    return _SEPARATORS.sub("_", raw)[:NAME_LENGTH]


def is_place(raw: str) -> bool:
    """Whether a name is a path or ends in a line number: those never enter a signature, they split one cause."""
    return _PLACE.search(raw) is not None
