"""
How long a play of the example game takes: ten in a row, then two side by side, each with what it came to.

Needs Chromium, node and the packages of examples/littlejs; see tests/play/README.md.
"""

import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from evalgate.play.ports import pool, run_leased
from evalgate.play.run import play_round
from tests.play.games import EXAMPLE, copy_of

IN_A_ROW = 10
SIDE_BY_SIDE = 2


def play(folder: Path) -> tuple[float, str]:
    """Return how long a round took, in seconds, and what was red."""
    start = time.perf_counter()
    verdict = run_leased(pool(), lambda ports: play_round(folder, ports, run_id="benchmark")).verdict
    red = [name for name, guard in verdict.get("guards", {}).items() if guard["pass"] is not True]
    return time.perf_counter() - start, "green" if verdict.get(
        "pass"
    ) is True else f"red: {', '.join(red) or 'no verdict'}"


def main() -> int:
    """Print a line per play; return 1 when one was not green."""
    os.environ.setdefault("EVALGATE_NODE_MODULES", str(EXAMPLE / "node_modules"))
    with tempfile.TemporaryDirectory() as place:
        game = copy_of(Path(place) / "game")
        rows = [play(game) for _ in range(IN_A_ROW)]
        for number, (seconds, told) in enumerate(rows, 1):
            print(f"{number:2d}  {seconds:5.2f} s  {told}")
        times = [seconds for seconds, _ in rows]
        print(f"    {min(times):.2f} to {max(times):.2f} s, {sum(times):.1f} s in all")
        games = [copy_of(Path(place) / f"side{number}") for number in range(SIDE_BY_SIDE)]
        with ThreadPoolExecutor(SIDE_BY_SIDE) as workers:
            side = list(workers.map(play, games))
        for seconds, told in side:
            print(f"side by side  {seconds:5.2f} s  {told}")
    return 0 if all(told == "green" for _, told in (*rows, *side)) else 1


if __name__ == "__main__":
    sys.exit(main())
