"""
Step 4 of the grammar: a frame of a JavaScript stack, and whether it names a place.

The form is V8's (src/objects/call-site-info.cc, SerializeJSStackFrame; https://v8.dev/docs/stack-trace-api), which
Bun imitates: `at [async ][new ]Receiver.function [as alias] (location)`, or only the location for code without a name.
"""

import re
from typing import NamedTuple

from evalgate.stack.lists import DRIVER, HELPER, NONAME, PLATFORM
from evalgate.stack.naming import is_place
from evalgate.stack.reading import Skip

_DIGITS = "0123456789"
_INDEX = re.compile("index [0-9]++")
_INTERNAL_STARTS = ("node:", "internal/", "bun:", "ext:", "native", "wasm://")


class RawFrame(NamedTuple):
    """A frame as printed."""

    name: str
    """Without `async`, `new` and alias; empty for a bare location."""
    location: str
    constructs: bool
    """`new` stands before the name."""
    opens_dump: bool


def parse_frame(text: str) -> RawFrame | None:
    """
    Return the frame that `text` is, or None (step 4).

    The name ends at the first ` (`: a name may hold one (`my tool (v2)`), and so may a path, which then has no name
    before it; only the name with its own parenthesis ends in `)`. Plain string search: a line may be a megabyte long.
    """
    body = text.lstrip(" \t")
    if not body.startswith("at "):
        return None
    rest = body[3:]
    opens_dump = rest.endswith(" {")
    if opens_dump:
        rest = rest[:-2]
    rest = rest.removeprefix("async ")
    if rest.endswith(")"):
        name, found, location = rest[:-1].partition(" (")
        constructs = name.startswith("new ")
        name = _without_alias(name.removeprefix("new "))
        if found and name and _is_location(location):
            return RawFrame(name, location, constructs, opens_dump)
    if _is_bare_location(rest):
        return RawFrame("", rest, constructs=False, opens_dump=opens_dump)
    return None


def _without_alias(name: str) -> str:
    """Drop ` [as alias]`: how a function was reached says nothing on which function it is."""
    if not name.endswith("]"):
        return name
    before, found, _ = name.rpartition(" [as ")
    return before if found else name


def _is_location(text: str) -> bool:
    """Whether `text` is what V8 prints between parentheses: `…:L[:C]` or one of its words for "no file"."""
    if text in ("<anonymous>", "native") or text.startswith("wasm://"):
        return True
    return _INDEX.fullmatch(text) is not None or _before_number(text) is not None


def _is_bare_location(text: str) -> bool:
    """Whether `text` is a location that stands alone: here line and column are both needed, `a:1` is any text."""
    if text in ("<anonymous>", "native") or text.startswith("wasm://"):
        return True
    before = _before_number(text)
    return before is not None and _before_number(before) is not None


def _before_number(text: str) -> str | None:
    """Return what stands before a final `:N`, or None."""
    before = text.rstrip(_DIGITS)
    if len(before) == len(text) or not before.endswith(":") or len(before) == 1:
        return None
    return before[:-1]


def is_internal(location: str) -> bool:
    """
    Whether the frame is the runtime's own (step 4).

    node_modules is application: dsh itself is installed there, and a fault in a dependency is a place too.
    """
    return location == "<anonymous>" or location.startswith(_INTERNAL_STARTS) or _INDEX.fullmatch(location) is not None


def is_generator_step(frame: RawFrame) -> bool:
    """Whether the frame is the built-in that resumes a generator: `Generator.next (<anonymous>)`."""
    return frame.location == "<anonymous>" and frame.name.endswith((".next", ".throw", ".return"))


def why_skipped(frame: RawFrame, *, own_names: tuple[str, str], driven: bool) -> Skip:
    """
    Return why the frame does not name the place, empty if it does (step 4, *internal* and *unnamed*).

    `own_names` are class and tag of the error: with captureStackTrace(this) its constructor stands on top. `driven`
    says that the frame stands directly below a generator's resumption, or below a driver that does: Babel puts two
    of them there (`asyncGeneratorStep`, `_next`).
    """
    if is_internal(frame.location):
        return "internal to the runtime"
    if not frame.name:
        return "bare location, no name"
    return _why_unnamed(frame, own_names=own_names, driven=driven)


def _why_unnamed(frame: RawFrame, *, own_names: tuple[str, str], driven: bool) -> Skip:
    name = frame.name
    reason: Skip = ""
    if name in NONAME:
        reason = "no name of its own"
    elif name in HELPER:
        reason = "helper of a compiler"
    elif name.startswith("[Symbol.") and name.endswith("]"):
        reason = "protocol method without its class"
    elif _is_platform_callback(name):
        reason = "unnamed callback of the platform"
    elif driven and name in DRIVER:
        reason = "driver of a generator"
    elif frame.constructs and name in own_names:
        reason = "constructor of the error itself"
    elif is_place(name):
        reason = "name is a path or ends in a line number"
    return reason


def _is_platform_callback(name: str) -> bool:
    """Whether the name is `T.<anonymous>` with a receiver that belongs to the platform."""
    receiver = name.removesuffix(".<anonymous>")
    return receiver != name and receiver.rpartition(".")[2] in PLATFORM
