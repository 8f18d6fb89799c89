"""Run folders of the loop for tests: valid as built, so that a test changes the one thing it is about."""

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalgate.__main__ import main

Json = dict[str, Any]

USUAL = object()
"""For what a test does not say."""
GATES = ("A_boot", "B_uncaught", "C_frame", "D_render", "E_live", "F_wiring", "G_input", "H_progress", "I_control")
BEGIN = datetime.datetime(2026, 8, 12, 6, 0, tzinfo=datetime.UTC)
CRASH = (
    "TypeError: Cannot read properties of undefined (reading 'pos')\n"
    "    at spawnWave (game.js:41:9)\n"
    "    at gameUpdate (game.js:12:3)\n"
    "    at engineObjectsUpdate (engine.js:900:5)"
)
"""The stack of an uncaught error, as a browser writes it: its signature is `TypeError@spawnWave`."""


def verdict(*red: str) -> Json:
    """Return the verdict of nine gates, of which the named ones are red."""
    values: Mapping[str, Json] = {"B_uncaught": {"uncaught": 1 if "B_uncaught" in red else 0}}
    guards = {gate: {"pass": gate not in red, **values.get(gate, {})} for gate in GATES}
    return {"pass": not red, "guards": guards}


def at(seconds: float) -> str:
    """Return the instant so long after the run began."""
    moment = BEGIN + datetime.timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def round_(number: int, run: str, *red: str, **fields: Any) -> Json:
    """Return a round file; any field of it can be set."""
    return {
        "schema": "evalgate-round/1",
        "round": number,
        "run": run,
        "startedAt": at(60 * number),
        "seconds": 7.25,
        "stage": "play",
        "verdict": verdict(*red),
        "stderrTail": CRASH if "B_uncaught" in red else "",
        "screenshot": None,
        **fields,
    }


def summary(repairs: int = 0, **fields: Any) -> Json:
    """Return a run summary that agrees with `events`."""
    totals = {"modelCalls": 2, "toolCalls": 2, "toolErrors": 0, "inputTokens": 3000, "outputTokens": 500}
    return {
        "cost": 0.75,
        "costGate": "active",
        "repairs": repairs,
        "budgetSoftTripped": False,
        "traceSummary": totals,
        "wallS": 90.5,
        **fields,
    }


def model_call(seconds: float = 5, **fields: Any) -> Json:
    """Return the event of a model call."""
    usual = {"at": at(seconds), "type": "model_call_end", "model": "m-1", "inputTokens": 1500, "outputTokens": 250}
    return {**usual, **fields}


def tool_result(seconds: float = 6, **fields: Any) -> Json:
    """Return the event of a tool call."""
    return {"at": at(seconds), "type": "tool_result", "tool": "write", "ok": True, **fields}


def events() -> list[Json]:
    """Return a trace: two calls of each kind."""
    return [
        model_call(5),
        tool_result(6),
        {"type": "text", "at": "later"},
        model_call(50),
        tool_result(51, tool="check"),
    ]


def run_folder(
    root: Path,
    name: str,
    rounds: Sequence[Sequence[str] | Json] = ((),),
    *,
    summed: object = USUAL,
    trace: object = USUAL,
) -> Path:
    """
    Write a run folder and return it.

    rounds: the red gates of each round, or the whole of a round file. summed: the run summary; unless given it counts a
    repair between two rounds, None for none. trace: its events, or its text; None for none.
    """
    folder = root / name
    home = folder / "evidence" / "rounds"
    home.mkdir(parents=True)
    for number, one in enumerate(rounds, 1):
        value = one if isinstance(one, dict) else round_(number, name, *one)
        (home / f"{number}.json").write_text(json.dumps(value), encoding="utf-8")
    if summed is USUAL:
        summed = summary(max(len(rounds) - 1, 0), wallS=60 * len(rounds) + 10.5)
    if summed is not None:
        (folder / "evidence" / "run-summary.json").write_text(json.dumps(summed), encoding="utf-8")
    told = events() if trace is USUAL else trace
    if told is not None:
        lines = told if isinstance(told, list) else []
        text = told if isinstance(told, str) else "".join(json.dumps(event) + "\n" for event in lines)
        (folder / "trace.jsonl").write_text(text, encoding="utf-8", errors="surrogatepass")
    return folder


def loop_report(target: Path, *folders: Path) -> Path:
    """Write the report of run folders and return its path."""
    assert main(["loop", "report", *map(str, folders), "-o", str(target)]) == 0
    return target
