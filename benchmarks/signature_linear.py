"""
Time per character of `signature` on the worst inputs known, at three sizes: it must not grow.

    python benchmarks/signature_linear.py [SIZE ...]
"""

import sys
import time
from collections.abc import Callable

from evalgate.stack import signature

_CRASH = "TypeError: x\n    at f (/a/b.js:1:2)\n"
_TRACEBACK = 'Traceback (most recent call last):\n  File "/a/b.py", line 1, in f\n    g()\nValueError: x\n'
_DIRECT = "\nThe above exception was the direct cause of the following exception:\n\n"


def _repeat(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece) + 1)


def _deep_causes(size: int) -> str:
    """Causes in causes: two more blanks each, so the depth is the square root of the size."""
    lines, depth, length = ["Error: 0", "    at f0 (/a.js:1:1) {"], 0, 0
    while length < size:
        margin = "  " * depth
        lines += [f"{margin}  [cause]: Error: {depth}", f"{margin}      at f{depth} (/a.js:1:1) {{"]
        length += 4 * depth + 50
        depth += 1
    return "\n".join(lines)


def _closed_causes(size: int) -> str:
    """As above, with every dump closed."""
    text = _deep_causes(size // 2)
    depth = text.count("[cause]")
    return text + "".join("\n" + "  " * margin + "}" for margin in range(depth, -1, -1))


def _nested_exec(size: int) -> str:
    """Return a thousand waiting headers, then their frames."""
    count = size // 70 + 1
    outer = "Error: Command failed: node child.mjs\n" * count
    return f"{outer}{_CRASH}" + "\n    at run (/a/b.js:1:2)\n" * count


WORST: dict[str, Callable[[int], str]] = {
    "blank lines": _repeat("\n"),
    "lines of blanks": _repeat("   \n"),
    "one line of blanks": _repeat(" "),
    "carriage returns": _repeat("\r"),
    "one word": _repeat("a"),
    "one line of `at`": _repeat(" at"),
    "lines of `at `": _repeat("    at \n"),
    "one line of ` (`": lambda size: "Error: x\n    at " + "f (" * (size // 3) + ":1:1)",
    "lines of `at f (`": _repeat("    at f (\n"),
    "one line of ` [as `": lambda size: "Error: x\n    at f" + " [as f]" * (size // 7) + " (/a.js:1:1)",
    "one line of `:1`": lambda size: "Error: x\n    at " + ":1" * (size // 2) + "x",
    "one line of digits": lambda size: "Error: x\n    at f (a:" + "1" * size + "x)",
    "one line of slashes": lambda size: "Error: x\n    at f" + "/a.j" * (size // 4) + " (/a.js:1:1)",
    "headers": _repeat("Error: x\n"),
    "headers alone": _repeat("Error\n"),
    "headers with long messages": _repeat("FooError: x\n" + "m\n" * 199),
    "headers with endless messages": _repeat("FooError: x\n" + "m\n" * 250),
    "indented start, then headers": lambda size: "    x\n" * (size // 16) + "FooError: x\n" * (size // 20),
    "brackets on one line": _repeat("[Error: x] { "),
    "bracket headers": _repeat("[Error: x] { code: 'A' }\n"),
    "braces in a bracket header": lambda size: "[Error: x] { " + "{ } " * (size // 4) + " }",
    "escaped quotes in a bracket header": lambda size: "[Error: x] { a: " + "'\\" * (size // 2) + " }",
    "quotes in a bracket header": lambda size: "[Error: x] { a: " + "\"'`" * (size // 3) + " }",
    "codes in a bracket header": lambda size: "[Error: x] { a: 1" + ", code: 'x'" * (size // 11) + " }",
    "tags": _repeat("Error ["),
    "crashes": _repeat(_CRASH),
    "frames": lambda size: "Error: x\n" + "    at f (node:x:1:2)\n" * (size // 22),
    "long frame names": _repeat("Error: x\n    at " + "f" * 990 + " (/a.js:1:1)\n"),
    "emitted runs": _repeat(_CRASH + "Emitted 'error' event at:\n    at g (/a.js:1:1)\n"),
    "causes in causes": _deep_causes,
    "causes in causes, closed": _closed_causes,
    "causes side by side": lambda size: "Error: x\n    at f (/a.js:1:1) {\n" + "  [cause]: Error: y\n" * (size // 20),
    "[cause] at column 0": _repeat("[cause]: Error: x\n"),
    "dump without end": lambda size: "Error: x\n    at f (/a.js:1:1) {\n" + "  code: 'x',\n" * (size // 13),
    "quoted keys": lambda size: "Error: x\n    at f (/a.js:1:1) {\n  '" + "\\'" * (size // 2),
    "errors in a dump": lambda size: "Error: x\n    at f (/a.js:1:1) {\n" + "  a: Error: y\n" * (size // 14),
    "embedded errors": _repeat("Error: Command failed\n" + _CRASH + "\nNode.js v20.1.0\n\n    at run (/a.js:1:1)\n"),
    "nested embedded errors": _nested_exec,
    "dsh lines in messages": _repeat("Error: x\n" + "dsh: AUTH: y\n" * 50),
    "tracebacks": _repeat(_TRACEBACK),
    "traceback openers": _repeat("Traceback (most recent call last):\n"),
    "traceback without end": lambda size: _TRACEBACK[:35] + '  File "/a.py", line 1, in f\n' * (size // 30),
    "File lines": _repeat('x\n  File "/a.py", line 1, in f\n'),
    "File lines without in": _repeat('x\n  File "/a.py", line 1\n'),
    "one File line": lambda size: 'x\n  File "' + '", line 1' * (size // 9),
    "traceback chain": _repeat(_DIRECT + _TRACEBACK),
    "chain lines": lambda size: _TRACEBACK + _DIRECT * (size // len(_DIRECT)),
    "exception groups": _repeat("  + Exception Group Traceback (most recent call last):\n  |   x\n"),
    "dotted class": lambda size: "Traceback (most recent call last):\n  x\n" + "a." * (size // 2) + ".",
    "Python\\Lib": lambda size: _TRACEBACK.replace("/a/b.py", "\\Python" * (size // 7)),
    "unclosed OSC": _repeat("\x1b]"),
    "unclosed OSC with text": _repeat("\x1b]8;;x"),
    "unclosed CSI": _repeat("\x1b["),
    "long CSI": lambda size: "\x1b[" + "1;" * (size // 2) + "\x00",
    "lone ESC": _repeat("\x1b"),
    "charset ESC": _repeat("\x1b("),
    "surrogates": _repeat("\ud800"),
    "astral": _repeat("\U0001f600"),
    "line separators": _repeat("\u2028"),
    "trailers": _repeat("Node.js v20.1.0\n"),
    "warnings": _repeat("(node:1) Warning: x\n"),
    "NUL": _repeat("\0"),
}


def worst(name: str, size: int) -> str:
    """Return the input of that name, about `size` characters below a first line that a cut text loses."""
    return f"log\n{WORST[name](size)}"


def seconds(text: str) -> float:
    """Return the CPU time of one reading."""
    start = time.process_time()
    signature(text)
    return time.process_time() - start


def main(sizes: list[int]) -> None:
    print(f"{'ns per character at':34}" + "".join(f"{size:>12,}" for size in sizes))
    slowest = 0.0
    for name in WORST:
        per_char = [min(seconds(worst(name, size)) for _ in range(3)) / size * 1e9 for size in sizes]
        slowest = max(slowest, *per_char)
        print(f"{name:34}" + "".join(f"{value:12.1f}" for value in per_char))
    print(f"slowest: {slowest:.0f} ns per character")


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
