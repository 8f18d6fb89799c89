r"""
Say where the start of `evalgate compare` goes: the share of imports in its wall time, on the fixtures.

    python benchmarks/startup.py --runs 30

Each round runs the command as it is, the command with Python's import clock, an empty interpreter, and an empty
interpreter with the clock. The clock itself costs some time, so the share is taken within the clocked runs.
"""

import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

_LINE = re.compile(r"import time: +(\d+) \| +(\d+) \| ( *)(\S+)$")


class Clocked(NamedTuple):
    """One run with the import clock. Unit: seconds."""

    wall: float
    imports: float
    """Everything that was imported, by the interpreter itself too."""
    own: Mapping[str, float]
    """Time in a package's own modules, without what they import."""
    total: Mapping[str, float]
    """Time of the outermost import of a package, with everything that only then had to be loaded for it."""


def _run(command: Sequence[str], *, clock: bool = False) -> tuple[float, str]:
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"} if clock else None
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    spent = time.perf_counter() - begin
    if done.returncode not in (0, 1, 2) or "OVERALL=ERROR" in done.stdout:
        telling = [line for line in done.stderr.splitlines() if not line.startswith("import time:")]
        sys.exit(f"{command[0]}: exit {done.returncode}: {(telling or ['no message'])[-1]}")
    return spent, done.stderr


def read_clock(wall: float, text: str) -> Clocked:
    """Return the figures of what the import clock printed: children first, each level indented by two more."""
    own: dict[str, float] = defaultdict(float)
    total: dict[str, float] = defaultdict(float)
    imports = 0.0
    # Backwards, a module stands before what it imports, so the packages around it are known.
    around: list[str] = []
    for line in reversed(text.splitlines()):
        match = _LINE.match(line)
        if match is None:
            continue
        level, package = len(match[3]) // 2, match[4].partition(".")[0]
        del around[level:]
        own[package] += int(match[1]) / 1e6
        if package not in around:
            total[package] += int(match[2]) / 1e6
        if level == 0:
            imports += int(match[2]) / 1e6
        around.append(package)
    return Clocked(wall, imports, own, total)


def _ms(values: Sequence[float]) -> str:
    return f"{statistics.median(values) * 1000:.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, metavar="K", help="rounds (default: %(default)s)")
    parser.add_argument("--evalgate", metavar="CMD", help="another evalgate command (default: this Python's)")
    parser.add_argument("--top", type=int, default=15, metavar="N", help="packages to list (default: %(default)s)")
    parser.add_argument(
        "--options", default="--no-report", help="of compare, as --options='...' (default: %(default)s)"
    )
    arguments = parser.parse_args()
    gate = shlex.split(arguments.evalgate) if arguments.evalgate else [sys.executable, "-m", "evalgate"]
    pair = [str(FIXTURES / name) for name in ("v0.3.2-candidate", "v0.3.2-candidate2")]
    command = [*gate, "compare", *pair, *shlex.split(arguments.options)]
    empty = [sys.executable, "-c", "pass"]

    for warm in (command, empty):
        _run(warm)
    plain, nothing, clocked, clocked_nothing = [], [], [], []
    for _ in range(arguments.runs):
        plain.append(_run(command)[0])
        nothing.append(_run(empty)[0])
        clocked.append(read_clock(*_run(command, clock=True)))
        clocked_nothing.append(read_clock(*_run(empty, clock=True)))

    share = statistics.median(one.imports / one.wall for one in clocked)
    interpreter = statistics.median(one.imports for one in clocked_nothing)
    beyond = statistics.median((one.imports - interpreter) / one.wall for one in clocked)
    print(f"`compare` on the fixtures, medians of {arguments.runs} runs, wall time:\n")
    print(f"- an empty interpreter: {_ms(nothing)}")
    print(f"- the whole command: {_ms(plain)} ({statistics.median(plain) / statistics.median(nothing):.1f} of them)")
    print(f"- the whole command under the import clock: {_ms([one.wall for one in clocked])}")
    print(f"- of that, imports: {_ms([one.imports for one in clocked])} = {share:.0%}; without those that an empty")
    print(f"  interpreter does too ({interpreter * 1000:.1f} ms): {beyond:.0%}\n")
    print("| package | its own modules | with what it brings in |")
    print("| --- | ---: | ---: |")
    names = {name for one in clocked for name in one.own}
    by_own = {name: [one.own.get(name, 0.0) for one in clocked] for name in names}
    for name in sorted(names, key=lambda name: -statistics.median(by_own[name]))[: arguments.top]:
        print(f"| {name} | {_ms(by_own[name])} | {_ms([one.total.get(name, 0.0) for one in clocked])} |")


if __name__ == "__main__":
    main()
