"""What must hold for every text, and what must not change the answer to one."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgate.stack import explain, signature
from evalgate.stack.clean import CUT_LENGTH, utf16_length
from evalgate.stack.lists import ERRNO

DATA = Path(__file__).parents[2] / "data"
VECTORS = [
    json.loads(line)
    for name in ("signature_vectors.jsonl", "signature_vectors_own.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]
ROOM = 600
SHORT = [vector for vector in VECTORS if len(vector["stderr"]) < CUT_LENGTH - ROOM]
"""Those that stay below the length of a cut text when a little is added."""

vectors = st.sampled_from(VECTORS)
short_vectors = st.sampled_from(SHORT)

# Pieces that mean something to the grammar, so that random texts reach its corners.
PIECES = [
    "Error: ", "TypeError", "FooError [ERR_X]: y", "[Error: x] {", "    at f (/a/b.js:1:2)", "    at <anonymous>",
    "    at async new T.f [as g] (node:fs:1:2) {", "}", "  code: 'E_CODE',", "  [cause]: Error: z", "Node.js v20.1.0",
    "(node:1) x", "Emitted 'error' event at:", "Traceback (most recent call last):", '  File "/a.py", line 3, in f',
    '  File "/a.py", line 3', "ValueError: x", "  + Exception Group Traceback (most recent call last):", "  | ",
    "The above exception was the direct cause of the following exception:", "dsh: AUTH: x", "<ref *1> ", "\n", "\r",
    "\u2028", "\x1b[31m", "\x1b]8;;", "\x07", "\0", "\ud800", " ", "\t", "(", ")", ":1", "{ code: 'A_B' }", "x" * 300,
]  # fmt: skip
texts = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=st.characters(min_codepoint=0, max_codepoint=0x10FFFF, exclude_categories=()), max_size=100),
    st.lists(st.one_of(st.sampled_from(PIECES), st.just("\n"), st.text(max_size=5)), max_size=60).map("".join),
)


@given(texts)
def test_never_raises_and_the_answer_is_one_clean_word(text):
    answer = signature(text)
    assert answer == explain(text).signature
    if answer is not None:
        assert re.search(r"[\s\x00-\x1f\x7f-\x9f]", answer) is None
        assert re.search(r"://|:[0-9]+\Z|[/\\][^/\\]*\.[cm]?[jt]sx?\Z", answer) is None
        assert re.fullmatch(r"[\w$]+(?:@.{1,120})?", answer, re.DOTALL)


@given(texts)
def test_reading_twice_is_reading_once(text):
    assert explain(text) == explain(text)


@given(vectors, st.integers(0, 3))
def test_line_ends_do_not_matter(vector, kind):
    text = vector["stderr"]
    other = text.replace("\r", "").replace("\n", ["\r\n", "\r\r\n", "\n", "\u2028"][kind])
    if (utf16_length(text) >= CUT_LENGTH) == (utf16_length(other) >= CUT_LENGTH) and "\r" not in text:
        assert signature(other) == vector["expected"]


@given(vectors, st.integers(0, 2**32))
def test_colours_do_not_matter(vector, seed):
    rng = random.Random(seed)
    colours = ["\x1b[31m", "\x1b[39m", "\x1b[1;38;5;12m", "\x1b[0m", "\x1b]8;;http://x\x07", "\x1b]8;;\x1b\\", "\x1b(B"]
    words = re.split(r"(?<=[\s(:'])(?=[\w$/])", vector["stderr"])
    coloured = "".join(word + (rng.choice(colours) if rng.random() < 0.2 else "") for word in words)
    if (utf16_length(vector["stderr"]) >= CUT_LENGTH) == (utf16_length(coloured) >= CUT_LENGTH):
        assert signature(coloured) == vector["expected"]


def to_windows(text: str) -> str:
    """Write the POSIX paths of a text as Windows would."""
    text = re.sub(r"/[\w./-]*?/lib/python([0-9])\.([0-9]+)/(\S*)", _library, text)
    text = re.sub(r"file:///(?=[a-z])", "file:///C:/", text)
    return re.sub(r"(?<![\w:/.\\-])/(?:opt|home|srv|app)/[^\s\"':()]*", _drive, text)


def _library(match: re.Match[str]) -> str:
    return f"C:\\Python{match[1]}{match[2]}\\Lib\\" + match[3].replace("/", "\\")


def _drive(match: re.Match[str]) -> str:
    return "C:" + match[0].replace("/", "\\")


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["id"]) for vector in SHORT])
def test_windows_paths_do_not_matter(vector):
    windows = to_windows(vector["stderr"])
    assert signature(windows) == vector["expected"]


LOGS = ["[dsh] turn 3: tool bash finished", "", "npm warn deprecated x@1", "12:30 INFO started", "{ a: 1 }", "Loading…"]


@given(short_vectors, st.lists(st.sampled_from(LOGS), min_size=1, max_size=10))
def test_log_lines_before_do_not_matter(vector, logs):
    # trim() may have taken the indentation of the first line, which is one of an error here and not of a log
    text = vector["stderr"]
    if text.startswith(("File ", "+ Exception")):
        text = f"  {text}"
    assert signature("\n".join([*logs, text])) == vector["expected"]


CUT_REST = "\n[dsh] " + "x" * CUT_LENGTH
LINKS = "The above exception was the direct cause", "Node.js v"


@given(short_vectors, st.integers(0, 2**32))
def test_a_missing_head_gives_the_same_answer_or_none(vector, place):
    text = vector["stderr"]
    start = place % max(len(text), 1)
    whole = signature(f"[dsh] start\nlog\n{text}{CUT_REST}")
    # Below a line that says what to do with what stands above it, nothing can tell that it is missing.
    if not any(link in text[: start + len(link)] for link in LINKS):
        assert signature(text[start:] + CUT_REST) in (whole, None)


MESSAGES = ["", "x", "other: text", "ENOSPC", "a [b] {c}", "'q' \"r\" `s`", "code: 'EVIL_CODE'", "(/a.js:1:2)"]
MESSAGES += ["] { code: 'EVIL_CODE' }", "x {", "x] {", "}", "{ a: 1 }"]
HEADER = re.compile(r"^((?:dsh: fatal load failure: )?\w+(?:Error|Exception)(?: \[\w+\])?: )(.+)$", re.MULTILINE)
JAVASCRIPT = [
    vector for vector in SHORT if not vector["runtime"].startswith("python") and HEADER.search(vector["stderr"])
]


@given(st.sampled_from(JAVASCRIPT), st.sampled_from(MESSAGES))
def test_the_message_does_not_matter(vector, message):
    def replace(match):
        return match[0] if match[2].partition(": ")[0] in ERRNO else match[1] + message

    assert signature(HEADER.sub(replace, vector["stderr"])) == vector["expected"]


@given(
    st.sampled_from(MESSAGES),
    st.sampled_from(
        [
            ("FooError: M\n    at f (/a.js:1:2)\n", "FooError@f"),
            ("[FooError: M]\n", "FooError"),
            ("[Error: M] { code: 'E_CODE' }\n", "E_CODE"),
            ("[Error: M] {\n  code: 'E_CODE'\n}\n", "E_CODE"),
            ("Error: x\n    at f (/a.js:1:2) {\n  [cause]: FooError: M\n      at g (/a.js:1:2)\n}\n", "FooError@g"),
            ("Error: x\n    at f (/a.js:1:2) {\n  [cause]: [Error: M] { code: 'E_CODE' }\n}\n", "E_CODE@f"),
            ("Error: x\n    at f (/a.js:1:2) {\n  a: Error: M\n  M\n      at g (/a.js:1:2)\n}\n", "Error@f"),
            ('Traceback (most recent call last):\n  File "/a.py", line 1, in f\nFooError: M\n', "FooError@f"),
            ("dsh: AUTH: M\n", "AUTH"),
        ]
    ),
)
def test_no_form_lets_the_message_in(message, form):
    text, expected = form
    assert signature(text.replace("M", message)) == expected
