r"""
Step 6 of the grammar: a Python traceback.

    Traceback (most recent call last):                  opener
      File "/app/main.py", line 5, in <module>          frames, the topmost LAST
        main()
      File "/app/main.py", line 2, in load
        return d["model"]
    KeyError: 'model'                                   the exception: `Class[: message]`

CPython's traceback module (Lib/traceback.py, TracebackException.format and StackSummary.format) prints it; the form of
these lines is the same from 2.7 to 3.13, up to marks under the source lines.
"""

import re
from typing import Literal

from evalgate.stack.draft import Cursor, Draft, Found, Runtime
from evalgate.stack.lists import IDENT, PYTHON_CAUSED, PYTHON_EXITS, ends_as_error
from evalgate.stack.naming import is_place
from evalgate.stack.reading import CodeSource, Frame, Skip

_OPENER = "Traceback (most recent call last):"
_GROUP_OPENER = "  + Exception Group Traceback (most recent call last):"
_GROUP_PREFIX = "  | "
_STACK_INFO = "Stack (most recent call last):"

_FILE = re.compile(r'  File "(.*)", line [0-9]++(?:, in (.+))?')
_CLASS = re.compile(rf"({IDENT}(?:\.(?:{IDENT}|<locals>))*+)(?::(?: .*)?)?")

# `lib/python3.11/`, `lib/python3/`; on Windows `…\Python311\Lib\` and `…\Python\3.11.7\x64\Lib\`.
_STDLIB = re.compile(r"(?:^|/)lib/python[0-9]++(?:\.[0-9]++)?/")
_SITE = re.compile(r"[/\\](?:site|dist)-packages[/\\]")

Form = Literal["traceback", "group", "headless"]


def _opens(cursor: Cursor, line: int) -> bool:
    return _form(cursor, line) is not None


def _form(cursor: Cursor, line: int) -> Form | None:
    """
    Return which opener stands on the line (step 6).

    A `File` line outside a block is the rest of a traceback whose start is missing, or a file that does not parse.
    It has exactly two blanks before it: an indented traceback in a log has more, and its exception line would be
    taken for a source line. On the first line `trim()` has taken them.
    """
    text = cursor.text(line)
    if not text:
        return None
    if text == _OPENER:
        return "traceback"
    if cursor.begins_text(line):
        text = "  " + text.lstrip(" ")
    if text == _GROUP_OPENER:
        return "group"
    if text.startswith('  File "') and _FILE.fullmatch(text):
        return "headless"
    return None


def _read(cursor: Cursor, line: int) -> Found:
    """
    Read the block that the opener on the line begins: indented lines up to the exception (step 6).

    What does not end in an exception line is no block: the process was killed while writing, or another output was
    mixed in. Its lines are not looked at again.
    """
    form = _form(cursor, line)
    if form is None:  # pragma: no cover - the caller has asked `opens`
        return Found(line + 1, "nothing")
    frames: list[Frame] = []
    at_load = False
    first = line
    line += form != "headless"
    while (text := _inside(cursor, line, form)) is not None and (text[:1] in (" ", "\t") or line == first):
        entry = _FILE.fullmatch("  " + text.lstrip(" ") if line == first else text)
        if entry is not None:
            at_load = entry[2] is None
            if entry[2] is not None:
                frames.append(_frame(entry[1], entry[2], cursor.number(line)))
        line += 1
    match = _CLASS.fullmatch(text) if text else None
    name = match[1].rpartition(".")[2] if match else ""
    if text is None or match is None or name == "<locals>":
        return Found(line, "nothing")
    if form == "headless" and not _plausible(name, cursor, first, load_only=not frames):
        return Found(line, "nothing")
    if not (frames or at_load or ends_as_error(name)):
        # an opener with a word below it: the traceback was cut off by another output
        return Found(line, "nothing")
    draft = Draft(RUNTIME, first, text, name)
    draft.frames = frames[::-1]
    draft.load_time = at_load
    draft.silent = _why_silent(draft, headless=form == "headless", start_missing=cursor.start_missing(first))
    return Found(line + 1, "done", draft)


def _inside(cursor: Cursor, line: int, form: Form) -> str | None:
    """Return the line as it stands in the block: in an exception group the margin is taken off."""
    text = cursor.text(line)
    if text is None or form != "group":
        return text
    if not text.startswith(_GROUP_PREFIX):
        return "" if text != _GROUP_PREFIX.rstrip() else " "
    return text.removeprefix(_GROUP_PREFIX)


def _plausible(name: str, cursor: Cursor, first: int, *, load_only: bool) -> bool:
    """
    Whether the line below a headless block is its exception.

    With a traceback opener above any class is one (`ToolTimeout`). Here the `File` lines may also be a printed stack
    (`traceback.print_stack()`, `logging` with `stack_info`), and the line below it anything (`done`): except at the
    beginning of a text that was cut, only a name that ends in Error or Exception counts, and there only one that is
    written like a class (`ToolTimeout`, not `INFO`).
    """
    if first and cursor.text(first - 1) == _STACK_INFO:
        return False
    if load_only:
        return name.endswith("Error")
    like_class = name[0].isupper() and not name.isupper()
    return ends_as_error(name) or (like_class and cursor.start_missing(first))


def _frame(path: str, function: str, number: int) -> Frame:
    internal = _is_internal(path)
    skipped: Skip = ""
    if internal:
        skipped = "internal to the runtime"
    elif function.startswith("<"):
        skipped = "no name of its own"
    elif function.startswith("__") and function.endswith("__"):
        skipped = "protocol method without its class"
    elif is_place(function):
        skipped = "name is a path or ends in a line number"
    return Frame(number, function, path, not internal, skipped)


def _is_internal(path: str) -> bool:
    """
    Whether a file is part of Python (step 6): frozen, or in its library folder but not installed there.

    `site-packages` is application, as `node_modules` is.
    """
    if path.startswith("<frozen "):
        return True
    if _SITE.search(path):
        return False
    python = path.find("Python")
    return _STDLIB.search(path) is not None or (python >= 0 and path.find("\\Lib\\", python) >= 0)


def _why_silent(draft: Draft, *, headless: bool, start_missing: bool) -> str:
    """
    Return why a block has no signature whatever its frames (step 6), or an empty text.

    A headless block without a named frame has lost it, or never had one: nobody knows. The same goes for a file that
    does not parse, if the text begins there: the function that imported it may have stood above.
    """
    if draft.name in PYTHON_EXITS:
        return f"{draft.name} is a request to stop, not a fault"
    lost = all(frame.skipped for frame in draft.frames) if draft.frames else start_missing
    return "its beginning is cut off and no application frame is left" if headless and lost else ""


def _code(draft: Draft) -> tuple[str, CodeSource]:
    """Return the class (step 8): an `OSError` keeps no errno, and a message is never looked into."""
    return draft.name, "class name"


def says_cause(text: str) -> bool:
    """Whether the line says that the traceback above it caused the one below (step 6, chain)."""
    return text == PYTHON_CAUSED


RUNTIME = Runtime("Python", _opens, _read, _code)
