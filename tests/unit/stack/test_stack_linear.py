"""Time is linear in the text, whatever is in it: measured as a ratio and as a number of looks at a line."""

import pytest

from benchmarks.signature_linear import WORST, seconds, worst
from evalgate.stack import explain, signature
from evalgate.stack.draft import Cursor

SMALL, LARGE = 8_000, 64_000
GROWTH = 3.0
"""Per character, from the small to the large text. What is quadratic grows by 8; the rest is left to the machine."""


@pytest.mark.parametrize("name", WORST)
def test_time_per_character_does_not_grow(name):
    small, large = worst(name, SMALL), worst(name, LARGE)
    for _ in range(4):
        at_small = min(seconds(small) for _ in range(5)) / len(small)
        at_large = min(seconds(large) for _ in range(2)) / len(large)
        if at_large < GROWTH * at_small:
            return
    pytest.fail(f"{at_large / at_small:.1f} times as long per character in a text {LARGE / SMALL:.0f} times as long")


@pytest.mark.parametrize("name", WORST)
def test_each_line_is_looked_at_a_bounded_number_of_times(name, monkeypatch):
    looks = 0
    original = Cursor.text

    def count(self, line):
        nonlocal looks
        looks += 1
        return original(self, line)

    monkeypatch.setattr(Cursor, "text", count)
    text = worst(name, LARGE)
    signature(text)
    lines = text.count("\n") + text.count("\r") + text.count("\u2028") + 1
    assert looks <= 20 * lines + 100


def test_no_recursion_limit():
    depth = 3_000
    causes = "".join(f"{'  ' * n}  [cause]: Error: x\n{'  ' * n}      at f{n} (/a.js:1:1) {{\n" for n in range(depth))
    assert signature(f"log\nError: x\n    at f (/a.js:1:1) {{\n{causes}") == f"Error@f{depth - 1}"


def test_a_long_chain_of_tracebacks():
    block = 'Traceback (most recent call last):\n  File "/a.py", line 1, in f{}\nFooError: x\n'
    link = "\nThe above exception was the direct cause of the following exception:\n\n"
    reading = explain("log\n" + link.join(block.format(number) for number in range(5_000)))
    assert reading.signature == "FooError@f0"
    assert len(reading.blocks) == 5_000
