"""A Reading as plain text, for `evalgate signature --explain FILE`."""

from collections.abc import Iterator

from evalgate.plain import escape, shorten
from evalgate.stack.reading import Block, Frame, Reading

_WIDTH = 160


def render(reading: Reading) -> str:
    """
    Return the lines that show how a text was read, each ended by a newline.

    Everything that comes from the text is escaped and cut: it is the output of a program that may have been told what
    to print.
    """
    return "".join(f"{line}\n" for line in _lines(reading))


def _lines(reading: Reading) -> Iterator[str]:
    yield f"signature: {escape(reading.signature) if reading.signature is not None else 'none'}"
    yield f"why: {escape(reading.why)}"
    if reading.cut:
        yield "the text is as long as a cut tail: its first line was not read"
    if reading.trailer is not None:
        yield f"process ended by an exception: trailer in line {reading.trailer}"
    for index, block in enumerate(reading.blocks):
        yield ""
        yield from _block_lines(reading, index, block)


def _block_lines(reading: Reading, index: int, block: Block) -> Iterator[str]:
    chosen = ", the one that counts" if index == reading.chosen else ""
    yield f"block {index + 1}: {block.runtime}, line {block.number}{chosen}"
    yield f"  header: {_show(block.header)}"
    yield f"  code: {_show(block.code)} ({block.code_source})"
    for frame in block.frames:
        yield f"  frame: line {frame.number}: {_frame(frame)}"
    if block.owner is not None:
        yield f"  printed inside block {block.owner + 1}"
    if block.cause is not None:
        yield f"  caused by block {block.cause + 1}"
    if block.embedded is not None:
        yield f"  has block {block.embedded + 1} in its message"
    signature = _show(block.signature) if block.signature is not None else "none"
    yield f"  signature: {signature} ({escape(block.why)})"


def _frame(frame: Frame) -> str:
    name = _show(frame.name) if frame.name else "(no name)"
    if frame.used:
        note = "used"
    elif frame.skipped:
        note = f"skipped: {frame.skipped}"
    else:
        note = "application"
    return f"{name} ({_show(frame.location)}): {note}"


def _show(text: str) -> str:
    return shorten(escape(text), _WIDTH)
