"""
How long a fleet of loop runs takes, and how much memory: `loop report` over its folders, and `compare` of two reports.

    python benchmarks/loop_report.py [RUNS] [ROUNDS] [REPEATS]

Writes RUNS folders (1000) of ROUNDS rounds (7: six repairs, green at last) and 300 trace events each into a temporary
folder, and prints for each command the best wall time of REPEATS (3), its peak resident memory and what it read. The
folders are warm in the page cache: what is measured is the work, not the disk.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

GATES = ("A_boot", "B_uncaught", "C_frame", "D_render", "E_live", "F_wiring", "G_input", "H_progress", "I_control")
CALLS = 150
CRASH = "TypeError: Cannot read properties of undefined (reading 'pos')\n    at spawnWave (game.js:41:9)\n" + "".join(
    f"    at frame{number} (engine.js:{900 + number}:5)\n" for number in range(60)
)


class Cost(NamedTuple):
    """What a command took."""

    seconds: float
    peak_mib: float


def _verdict(*, green: bool) -> dict[str, Any]:
    checks = [
        {"path": f"score{n}", "op": ">", "before": n, "after": n + 3, "pass": True, "why": "moved"} for n in range(9)
    ]
    red = () if green else ("B_uncaught", "F_wiring", "H_progress")
    guards = {gate: {"pass": gate not in red, "checks": checks, "f0": 10, "f1": 200} for gate in GATES}
    return {"pass": green, "guards": guards}


def _write_run(folder: Path, rounds: int) -> None:
    home = folder / "evidence" / "rounds"
    home.mkdir(parents=True)
    for number in range(1, rounds + 1):
        green = number == rounds
        value = {
            "schema": "evalgate-round/1",
            "round": number,
            "run": folder.name,
            "startedAt": f"2026-08-12T06:{number:02}:00.000Z",
            "seconds": 7.25,
            "stage": "play",
            "verdict": _verdict(green=green),
            "stderrTail": "" if green else CRASH,
            "screenshot": None,
        }
        (home / f"{number}.json").write_text(json.dumps(value, indent=2))
    totals = {
        "modelCalls": CALLS,
        "toolCalls": CALLS,
        "toolErrors": 1,
        "inputTokens": 2000 * CALLS,
        "outputTokens": 300 * CALLS,
    }
    summary = {"cost": 1.5, "costGate": "active", "repairs": rounds - 1, "budgetSoftTripped": False, "wallS": 800}
    (folder / "evidence" / "run-summary.json").write_text(json.dumps({**summary, "traceSummary": totals}))
    lines = []
    for number in range(CALLS):
        at = f"2026-08-12T06:00:{number % 60:02}.000Z"
        call = {"at": at, "type": "model_call_end", "model": "m-1", "inputTokens": 2000, "outputTokens": 300}
        result = {"at": at, "type": "tool_result", "tool": "write", "ok": number > 0, "error": None}
        lines += [json.dumps(call), json.dumps(result)]
    (folder / "trace.jsonl").write_text("\n".join(lines) + "\n")


def _cost(arguments: list[str], repeats: int) -> Cost:
    """Return the best wall time and the peak memory of a command that has to end in 0."""
    best, peak = float("inf"), 0.0
    for _ in range(repeats):
        begin = time.perf_counter()
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-m", "evalgate", *arguments],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)],
        )
        _, status, usage = os.wait4(pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"{' '.join(arguments[:2])} ended in {os.waitstatus_to_exitcode(status)}")
        best = min(best, time.perf_counter() - begin)
        peak = max(peak, usage.ru_maxrss / 1024)
    return Cost(best, peak)


def main() -> None:
    """Measure and print."""
    runs, rounds, repeats = ([int(one) for one in sys.argv[1:]] + [1000, 7, 3][len(sys.argv) - 1 :])[:3]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folders = [root / "runs" / f"run-{number:06}" for number in range(runs)]
        for folder in folders:
            _write_run(folder, rounds)
        read = sum(path.stat().st_size for path in (root / "runs").rglob("*") if path.is_file())
        report = root / "report.json"
        made = _cost(["loop", "report", *map(str, folders), "-o", str(report)], repeats)
        (root / "before.json").write_bytes(report.read_bytes())
        compared = _cost(["compare", str(root / "before.json"), str(report), "--no-report"], repeats)
        size = report.stat().st_size
    print(f"{runs} runs of {rounds} rounds, {read / 2**20:.1f} MiB of evidence; the report: {size / 2**20:.1f} MiB")
    print(f"loop report  {made.seconds:6.2f} s  {made.peak_mib:6.0f} MiB")
    print(f"compare      {compared.seconds:6.2f} s  {compared.peak_mib:6.0f} MiB")


if __name__ == "__main__":
    main()
