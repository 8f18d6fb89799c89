r"""
Step 5 of the grammar: a JavaScript error, as Node, Bun and their relatives print it.

    TypeError: Cannot read properties of undefined      header      node_header.py
    (message, over several lines)
        at parse (file:///app/main.mjs:1:46)            frames      node_frame.py
        at ...  {
      code: 'E_PARSE',                                  property dump
      [cause]: Error: ...                               a cause: the same again, indented by two
    }

The frames are the hard part: whose are they? Only those that follow a header with nothing between that could own
them as well. A wrong owner joins two causes under one name.
"""

import re
from typing import NamedTuple

from evalgate.stack.clean import is_blank
from evalgate.stack.draft import Cursor, Draft, Found, Runtime, State
from evalgate.stack.lists import DRIVER, ERRNO, GENERIC, PYTHON_CAUSED, ends_as_error, is_code
from evalgate.stack.node_frame import RawFrame, is_generator_step, is_internal, parse_frame, why_skipped
from evalgate.stack.node_header import Header, parse_header
from evalgate.stack.reading import CodeSource, Frame

MESSAGE_LINES = 200
"""Lines between a header and its first frame at most; a message is not longer, a log is."""

# Lines that begin an output with frames of its own, or end the process: warnings, their hint, console.trace,
# --trace-uncaught, an error printed by another tool, an emitter's trace, the trailer, and the line between two
# tracebacks of Python.
_STOP_STARTS = ("(Use `", "Trace:", "Thrown at:", "Uncaught", "Emitted 'error' event", PYTHON_CAUSED)
_STOP_PATTERN = re.compile(r"\(node:[0-9]+\) |Node\.js v[0-9]")
_STOP_WORDS = ("Error: ", "Error [", "Exception: ", "Exception [")

_TRAILER = re.compile(r"Node\.js v[0-9]+\.[0-9]\S*+")
_EMITTED = re.compile(r"Emitted 'error' event(?: on .+ instance)? at:")
_ELIDED = re.compile(
    r"[ \t]*+(?:\.\.\. [0-9]+ lines matching cause stack trace \.\.\."
    # where an event was emitted synchronously, lib/events.js leaves out what both stacks have in common
    r"|\[\.\.\. lines matching original stack trace \.\.\.\])(?: \{)?"
)
_ARROW = re.compile(r"[ \t]*+-> ")
_KEY = re.compile(r"  ([\w$]++|'(?:[^'\\]|\\.)*+'|\[[^\]]*+\]): ")
_CODE_VALUE = re.compile(r"""(['"])([A-Z0-9_]++)\1,?""")


def is_trailer(text: str) -> bool:
    """Whether the line is what node 18 and later print last when an exception ends the process (step 9)."""
    return _TRAILER.fullmatch(text) is not None


def is_frame(text: str | None) -> bool:
    """Whether the line is a frame."""
    return text is not None and parse_frame(text) is not None


def _opens(cursor: Cursor, line: int) -> bool:
    """Whether an error header stands on the line (step 3)."""
    text = cursor.text(line)
    header = parse_header(text) if text else None
    return header is not None and _stands(header, cursor, line)


def _stands(header: Header, cursor: Cursor, line: int) -> bool:
    """Whether a header in form b is one: a bare word counts only directly above a frame."""
    return header.form != "alone" or is_frame(cursor.text(line + 1))


def _read(cursor: Cursor, line: int) -> Found:
    """Read the block whose header stands on the line."""
    text = cursor.text(line) or ""
    header = parse_header(text)
    if header is None:  # pragma: no cover - the caller has asked `opens`
        return Found(line + 1, "nothing")
    return read_block(header, text, cursor, line)


def read_block(header: Header, text: str, cursor: Cursor, line: int) -> Found:
    """
    Read a block from its header to its frames (step 5, first paragraph).

    A header in brackets is whole: util.inspect puts them around an error that has no frames, so frames further down
    are somebody else's.
    """
    draft = Draft(RUNTIME, line, text, header.name, tag=header.tag, message=header.message)
    if header.form == "brackets":
        draft.own_code = _code_on_line(header.dump)
        return Found(line + 1, "dump" if header.opens_dump else "done", draft)
    found = _search_frames(draft, cursor, line + 1)
    if header.form == "message" and not header.tag and _may_be_tail(draft, cursor):
        draft.silent = "its beginning is cut off, it may be the last line of a Python traceback"
    return found


def _may_be_tail(draft: Draft, cursor: Cursor) -> bool:
    """
    Whether the header may be the exception line of a traceback whose start is missing (step 6, headless).

    `ZeroDivisionError: division by zero` has the form of both. Below indented lines at the beginning of the text, other
    than frames, it is Python's; on the first line of a cut text nobody knows what stood above, only frames directly
    below the message are then its own.
    """
    if not cursor.start_missing(draft.line) or (draft.line and is_frame(cursor.text(draft.line - 1))):
        return False
    if draft.line or not draft.frames:
        return True
    below = range(draft.line + 1, draft.frames[0].number - cursor.number(0))
    return any(is_blank(cursor.text(line) or "") for line in below)


def _search_frames(draft: Draft, cursor: Cursor, start: int) -> Found:
    """
    Look for the first frame behind the message (step 5), and read the frames if there is one.

    The search ends, and the block stays without frames, at a line below which the frames would have an ambiguous
    owner. A `dsh:` line does not end it, it has no frames; if nothing but blanks stands between it and the frames it
    is an error embedded in the message.
    """
    inside: list[Draft] = []
    embedded: Draft | None = None
    line = start
    state: State = "waiting"
    while line - start <= MESSAGE_LINES:
        text = cursor.text(line)
        if text is None:
            break
        if is_frame(text):
            after, opens_dump = read_frames(draft, cursor, line)
            return Found(after, "dump" if opens_dump else "done", draft, tuple(inside), embedded)
        runtime = cursor.runtime_at(line)
        if runtime is not None and runtime.one_line:
            embedded = runtime.read(cursor, line).draft
            inside += [embedded] if embedded else []
        elif runtime is not None or _ends_search(text):
            break
        elif not is_blank(text):
            embedded = None
        line += 1
    else:
        state = "given up"
    return Found(line, state, draft, tuple(inside), embedded)


def _ends_search(text: str) -> bool:
    """Whether frames below this line may belong to what the line begins (step 5, the list of stops)."""
    return (
        text.startswith(_STOP_STARTS)
        or _STOP_PATTERN.match(text) is not None
        or any(word in text for word in _STOP_WORDS)
    )


def read_frames(draft: Draft, cursor: Cursor, line: int) -> tuple[int, bool]:
    """
    Read the frame run that begins at `line` into the draft; return the line after it and whether a dump opens there.

    An emitter's own trace below (`Emitted 'error' event at:`) is read past: it shows who emitted the error, not where
    it arose. The dump of the error comes after it.
    """
    line, opens_dump = _read_run(draft, cursor, line)
    text = cursor.text(line)
    if not opens_dump and text is not None and _EMITTED.fullmatch(text):
        line, opens_dump = _read_run(None, cursor, line + 1)
    draft.load_time = bool(draft.frames) and not any(frame.application for frame in draft.frames)
    return line, opens_dump


def _read_run(draft: Draft | None, cursor: Cursor, line: int) -> tuple[int, bool]:
    """Read frames and what may stand between them up to any other line, also a blank one (step 5)."""
    driven = False
    while True:
        text = cursor.text(line)
        if text is None:
            return line, False
        raw = parse_frame(text)
        if raw is None:
            if not (_ELIDED.fullmatch(text) or _ARROW.match(text)):
                return line, False
            opens_dump, driven = text.endswith(" {"), False
        else:
            opens_dump = raw.opens_dump
            if draft is not None:
                draft.frames.append(_frame(raw, draft, cursor.number(line), driven=driven))
            driven = is_generator_step(raw) or (driven and raw.name in DRIVER)
        line += 1
        if opens_dump:
            return line, True


def _frame(raw: RawFrame, draft: Draft, number: int, *, driven: bool) -> Frame:
    skipped = why_skipped(raw, own_names=(draft.name, draft.tag), driven=driven)
    return Frame(number, raw.name, raw.location, not is_internal(raw.location), skipped)


class Property(NamedTuple):
    """What a line of a property dump says, as far as it matters."""

    code: str = ""
    error: Header | None = None
    """The value is an error. If it is no cause, its message is passed over: its lines are indented like properties."""
    text: str = ""
    """The value, if it is an error."""
    is_cause: bool = False


def read_property(cursor: Cursor, line: int) -> Property | None:
    """
    Return what the line of a dump says, or None if it is no property of the error itself (step 5).

    Its own properties are indented by exactly two more than the header. Deeper ones belong to something else, as
    `info: { code: 'EISDIR' }` does. `[errors]` of an AggregateError is never entered: they are several, none of them
    is the cause.
    """
    text = cursor.text(line)
    key = _KEY.match(text) if text else None
    if text is None or key is None:
        return None
    value = text[key.end() :]
    if key[1] == "code":
        code = _CODE_VALUE.fullmatch(value)
        return Property(code=code[2]) if code and is_code(code[2]) else None
    error = parse_header(value)
    if error is None or not _stands(error, cursor, line):
        return None
    return Property(error=error, text=value, is_cause=key[1] in ("cause", "[cause]"))


# A string that is not closed runs to the end: tried again at each later quote it would cost the square of the length.
_PIECE = re.compile(r"""'(?:[^'\\]|\\.)*+'?+|"(?:[^"\\]|\\.)*+"?+|`(?:[^`\\]|\\.)*+`?+|[^'"`\[({]++|.""")


def _code_on_line(dump: str) -> str:
    """Return the own code in a dump on one line: a `code:` before any nested bracket (step 5)."""
    before = ""
    for match in _PIECE.finditer(dump, 1):
        piece = match[0]
        if piece in "[({":
            return ""
        if before == " code: " or before.endswith(", code: "):
            code = _CODE_VALUE.fullmatch(piece)
            if code is not None and is_code(code[2]):
                return code[2]
        before = piece
    return ""


def _code(draft: Draft) -> tuple[str, CodeSource]:
    """
    Return the code of an error and where it stands (step 8).

    The most specific first: a code in the header, then the errno that node puts before the message of a failed system
    call, then the error's own `code` property, then the class. A tag that only names a class (`Quota [QuotaError]`) is
    the `.name`, which `err.stack` prints too, so both renderings agree; a generic one (`TypeError [Error]`,
    `Timeout [Error]`) gives way to the class, or all classes that set no name would be one.
    """
    if is_code(draft.tag):
        return draft.tag, "tag in the header"
    errno, found, _ = draft.message.partition(": ")
    if found and errno in ERRNO:
        return errno, "errno in the message"
    if draft.own_code:
        return draft.own_code, "own code property"
    if ends_as_error(draft.tag) and draft.tag not in GENERIC:
        return draft.tag, "tag in the header"
    return draft.name, "class name"


RUNTIME = Runtime("JavaScript", _opens, _read, _code)
