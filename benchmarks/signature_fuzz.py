"""
Mutated stderr tails through `signature`: it never raises, stays linear, and never says what no text of that kind may.

    python benchmarks/signature_fuzz.py [COUNT [SEED]]

tests/unit/stack/test_stack_fuzz.py runs a few hundred of the same.
"""

import json
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from evalgate.stack import Reading, explain
from evalgate.stack.explanation import render

_DATA = Path(__file__).parent.parent / "tests" / "data"

_TOKENS = [
    "Error: ", "TypeError: x", "Error", "[Error: x]", "[Error: x] {", "FooError [ERR_X]: y",
    "    at f (/a/b.js:1:2)", "    at <anonymous>", " {", "}", "  code: 'E_CODE',", "  [cause]: Error: z",
    "  cause: [Error: q] { code: 'EBUSY' }", "      at g (node:fs:1:2) {", "Node.js v20.1.0",
    "(node:1) Warning: x", "Trace: x", "Thrown at:", "Emitted 'error' event on X instance at:",
    "Traceback (most recent call last):", '  File "/a.py", line 3, in f', '  File "/a.py", line 3',
    "ValueError: x", "  + Exception Group Traceback (most recent call last):", "  | ",
    "The above exception was the direct cause of the following exception:", "dsh: AUTH: x", "<ref *1> ",
    "dsh: fatal load failure: ", "    ... 3 lines matching cause stack trace ...", "async ", "new ", " [as x]",
    "\r", "\n", "\r\n", "\u2028", "\x1b[31m", "\x1b]8;;", "\x07", "\x1b", "\x00", "\ud800", "\U0001f600", "\xe9",
    " (", ")", ":1:1", " ", "\t",
]  # fmt: skip

_BAD = re.compile(r"[\s\x00-\x1f\x7f-\x9f]|://|:[0-9]+\Z")


def load() -> list[str]:
    """Return the texts of all vectors."""
    lines = [
        line
        for name in ("signature_vectors.jsonl", "signature_vectors_own.jsonl")
        for line in (_DATA / name).read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line)["stderr"] for line in lines]


def mutate(texts: list[str], rng: random.Random) -> str:
    """Return a text with one to six changes: lines moved, cut, doubled, joined with another's, tokens put in."""
    lines = rng.choice(texts).split("\n")
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(len(lines))
        kind = rng.randrange(9)
        line = lines[place]
        column = rng.randint(0, len(line))
        if kind == 0:
            del lines[place : place + rng.randint(1, 4)]
        elif kind == 1:
            lines[place:place] = lines[place : place + rng.randint(1, 5)]
        elif kind == 2:
            other = rng.choice(texts).split("\n")
            start = rng.randrange(len(other))
            lines[place:place] = other[start : start + rng.randint(1, 12)]
        elif kind == 3:
            lines[place] = line[:column] + rng.choice(_TOKENS) + line[column:]
        elif kind == 4:
            lines.insert(place, rng.choice(_TOKENS))
        elif kind == 5:
            lines[place] = line[column:] if rng.random() < 0.5 else line[:column]
        elif kind == 6:
            lines = lines[place:] if rng.random() < 0.5 else lines[: place + 1]
        elif kind == 7:
            step = " " * rng.choice([1, 2, 4])
            lines[place:] = [step + below for below in lines[place:]]
        else:
            lines.insert(place, "")
        lines = lines or [""]
    return "\n".join(lines)


def complaints(text: str, reading: Reading) -> Iterator[str]:
    """Yield what is wrong with a reading of a text."""
    found = reading.signature
    used = [frame for block in reading.blocks for frame in block.frames if frame.used]
    if found is not None:
        code, at, name = found.partition("@")
        if _BAD.search(found):
            yield "a blank, a control character or a place in the signature"
        if not re.fullmatch(r"[\w$]+", code):
            yield "the code is no word"
        if at and (len(used) != 1 or not name or used[0].location in found):
            yield "the function has not one frame"
        if not at and used:
            yield "a frame was used and is not in the signature"
    if any(frame.used and (frame.skipped or not frame.application) for frame in used):
        yield "a frame was used that names no place"
    if not reading.why.endswith("."):
        yield "no reason"
    if any(not line.isprintable() for line in render(reading).splitlines()):
        yield "the explanation has an unprintable character"


def main(count: int, seed: int) -> int:
    texts, rng = load(), random.Random(seed)
    slowest, characters, spent, answered, failures = (0.0, 0), 0, 0.0, 0, 0
    for number in range(count):
        text = mutate(texts, rng)
        start = time.process_time()
        reading = explain(text)
        took = time.process_time() - start
        spent, characters = spent + took, characters + len(text)
        answered += reading.signature is not None
        slowest = max(slowest, (took / max(len(text), 1000), len(text)))
        for complaint in complaints(text, reading):
            failures += 1
            print(f"{number}: {complaint}: {reading.signature!r}\n{text!r}"[:2000])
    print(
        f"{count:,} texts, {characters:,} characters, {answered:,} with a signature, {failures} complaints; "
        f"{spent / characters * 1e9:.0f} ns per character, slowest text {slowest[0] * 1e9:.0f} (of {slowest[1]:,})"
    )
    return min(failures, 1)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(arguments + [100_000, 1][len(arguments) :])))
