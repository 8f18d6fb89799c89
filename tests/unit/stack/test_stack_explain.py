"""The reading is what the answer comes from, and its text is safe to print."""

import pytest

from evalgate.stack import SIGNATURE_RULES, explain, signature
from evalgate.stack.explanation import render

F = "    at f (/a/b.js:1:2)\n"


def test_version_of_the_grammar():
    assert SIGNATURE_RULES == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "The text is empty."),
        ("log\nlog", "No error header line."),
        ("log\nlog" + "x" * 8000, "No error header line below the first, incomplete one."),
        ("TypeError: x", "A generic class alone (TypeError) with no named application frame is no signature."),
        ("AException: x", "AException without a single frame may be any program's message."),
        (
            "TypeError: x\n\nNode.js v20.1.0",
            "The block that ended the process has no signature: a generic class alone (TypeError) with no named "
            "application frame is no signature.",
        ),
        (
            f"TypeError: x\n{F}text\n\nNode.js v20.1.0",
            "The process was ended by something that is not read: no error block stands directly above the trailer in "
            "line 5.",
        ),
        (
            f"log\nTypeError: x\n{F}",
            "TypeError (class name) in f, the topmost named application frame (line 3); taken from the last block "
            "with a signature.",
        ),
        (
            f"TypeError: x\n{F[:-1]} {{\n  [cause]: [Error: ENOENT: y]\n}}\n\nNode.js v20.1.0",
            "ENOENT (errno in the message) in f, the topmost named application frame of an error around it (line 2); "
            "taken from the block that ended the process.",
        ),
        ("dsh: AUTH: x", "AUTH (code of the dsh line), no named application frame; taken from the last block with a "
         "signature."),
        (
            'Traceback (most recent call last):\n  File "/a.py", line 1, in f\nKeyboardInterrupt',
            "KeyboardInterrupt is a request to stop, not a fault.",
        ),
    ],
)  # fmt: skip
def test_why(text, why):
    assert explain(text).why == why


def test_blocks():
    text = f"log\nError: x\n{INTERNAL}{F}    at g (/a/b.js:3:4) {{\n  [cause]: [Error: y] {{ code: 'EBUSY' }}\n}}\n"
    reading = explain(text + "\nNode.js v20.1.0")
    outer, inner = reading.blocks
    assert reading.signature == "EBUSY@f"
    assert (reading.chosen, reading.trailer, reading.cut) == (0, 9, False)
    assert (outer.runtime, outer.number, outer.header, outer.code) == ("JavaScript", 2, "Error: x", "Error")
    assert (outer.cause, outer.owner, inner.cause, inner.owner) == (1, None, None, 0)
    assert inner.number == 6
    assert inner.code_source == "own code property"
    assert [(frame.number, frame.name, frame.skipped, frame.used) for frame in outer.frames] == [
        (3, "open", "internal to the runtime", False),
        (4, "f", "", True),
        (5, "g", "", False),
    ]


INTERNAL = "    at open (node:fs:1:2)\n"


def test_line_numbers_of_a_cut_text():
    reading = explain(f"cut\nFooError: x\n{F}[log] " + "x" * 8000)
    assert reading.cut
    assert reading.blocks[0].number == 2
    assert reading.blocks[0].frames[0].number == 3


def test_python_frames_have_the_topmost_first():
    text = (
        'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n  File "/a.py", line 2, in g\nFooError: x\n'
    )
    block = explain(text).blocks[0]
    assert [frame.name for frame in block.frames] == ["g", "f"]
    assert block.header == "FooError: x"
    assert block.number == 1


def test_the_embedded_block_is_named():
    reading = explain(f"Error: a\nFooError: b\n{F}\n    at g (/a/b.js:1:2)\n")
    assert reading.blocks[0].embedded == 1
    assert "has block 2 in its message" in render(reading)


def test_a_reading_is_immutable_and_comparable():
    text = f"FooError: x\n{F}"
    assert explain(text) == explain(text)
    assert hash(explain(text)) == hash(explain(text))
    with pytest.raises(AttributeError):
        explain(text).signature = "x"  # type: ignore[misc]


def test_render():
    text = f"FooError: x\n{INTERNAL}{F}    at /a/b.js:9:9\n"
    assert render(explain(text)) == (
        "signature: FooError@f\n"
        "why: FooError (class name) in f, the topmost named application frame (line 3); taken from the last block with "
        "a signature.\n"
        "\n"
        "block 1: JavaScript, line 1, the one that counts\n"
        "  header: FooError: x\n"
        "  code: FooError (class name)\n"
        "  frame: line 2: open (node:fs:1:2): skipped: internal to the runtime\n"
        "  frame: line 3: f (/a/b.js:1:2): used\n"
        "  frame: line 4: (no name) (/a/b.js:9:9): skipped: bare location, no name\n"
        "  signature: FooError@f (FooError (class name) in f, the topmost named application frame (line 3))\n"
    )


def test_render_is_safe():
    text = "FooError: \x1b x \u202e\x00\ud800\n    at f\u202e\x00 (/a/\x07.js:1:2)\n"
    lines = render(explain(text)).splitlines()
    assert all(line.isprintable() for line in lines)
    assert signature(text) == "FooError@f\u202e_"


def test_render_of_nothing():
    assert render(explain(None)) == "signature: none\nwhy: The text is empty.\n"


def test_render_shows_trailer_cut_cause_and_owner():
    cause = "  [cause]: Error: y\n      at g (/a/b.js:1:2)\n}\n"
    page = render(explain(f"cut\nError: x\n    at f (/a/b.js:1:2) {{\n{cause}\nNode.js v20.1.0\n" + "x" * 8000))
    assert "the text is as long as a cut tail: its first line was not read" in page
    assert "process ended by an exception: trailer in line 8" in page
    assert "  caused by block 2\n" in page
    assert "  printed inside block 1\n" in page
