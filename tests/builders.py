"""
Reports and facts for tests: valid as built, so that a test changes the one thing it is about.

The dicts have the fields and the spelling of the harness; `facts` and `facts_report` skip the file and build what the
rules see.
"""

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalgate.options import GateOptions
from evalgate.report import Case, Fact, Report, Status
from evalgate.signals import SIGNALS, Pair

Json = dict[str, Any]

STARTED = "2026-08-12T06:14:05.902Z"
FINISHED = "2026-08-12T06:15:00.091Z"

GENERAL = tuple(one for one in SIGNALS if one.format is None)
"""The rules that concern every format, the harness's too."""


def node_crash(code: str, function: str, message: str = "no such file or directory") -> str:
    """Return the stderr of a Node.js process that an uncaught system error ended: its signature is `code@function`."""
    return "\n".join(
        [
            "node:fs:1729",
            "  return binding.readlink(",
            "                 ^",
            "",
            f"Error: {code}: {message}, readlink '/profile/link'",
            "    at readlinkSync (node:fs:1729:18)",
            f"    at {function} (file:///app/dist/profile.js:189:9)",
            "    at boot (file:///app/dist/boot.js:65:3) {",
            "  errno: -2,",
            f"  code: '{code}',",
            "  syscall: 'readlink'",
            "}",
            "",
            "Node.js v20.20.2",
        ]
    )


def tokens(total: int | float = 100) -> Json:
    """Return token counts with that total, all of it input."""
    return {"input": total, "output": 0, "cacheRead": 40, "cacheWrite": 0, "reasoning": 0, "total": total}


def _run(status: str, fields: Json) -> Json:
    """Return what a case and an attempt have in common; `total_tokens` and `stderr` are shorthands."""
    total = fields.pop("total_tokens", 100)
    stderr = fields.pop("stderr", None)
    run = {
        "failures": ["the answer is wrong"] if status == "fail" else [],
        "toolsCalled": ["bash"],
        "toolCalls": [{"name": "bash", "callId": "call_1", "argsJson": "{}"}],
        "toolResults": [{"name": "bash", "callId": "call_1", "text": "done"}],
        "finalText": "done" if status != "error" else "",
        "steps": 2,
        "tokens": tokens(total),
        "toolErrors": [],
        "events": 22,
        "skippedLines": 0,
        "exitCode": 1 if status == "error" else 0,
        "timedOut": False,
        "status": status,
        "durationMs": 7477,
    }
    if status == "error":
        run["error"] = "dsh exited with code 1 before the turn ended"
    else:
        run["turnEnd"] = "completed"
    if stderr is not None:
        run["stderrTail"] = stderr
    return {**run, **fields}


def attempt(status: str = "pass", index: int = 1, **fields: Any) -> Json:
    """Return one attempt; any field of the format can be set."""
    return {**_run(status, fields), "index": index}


def case(name: str = "a", status: str = "pass", attempts: Sequence[Json] | None = None, **fields: Any) -> Json:
    """
    Return one case, with one attempt like itself unless `attempts` are given; these are numbered in their order.

    Any field of the format can be set; `total_tokens=` and `stderr=` are shorthands.
    """
    run = _run(status, fields)
    if attempts is None:
        shared = {key: value for key, value in run.items() if key not in ("flaky", "reliability", "attempts")}
        attempts = [shared]
    numbered = [{**copy.deepcopy(one), "index": number} for number, one in enumerate(attempts, 1)]
    return {"name": name, "attempts": len(numbered), "attemptResults": numbered, **run}


def retried(name: str, *statuses: str, stderr: str | None = None, **fields: Any) -> Json:
    """Return a case that was retried until the last of `statuses`; attempts that errored have the stderr."""
    runs = [attempt(one, stderr=stderr if one == "error" else None) for one in statuses]
    if statuses[-1] == "pass" and len(statuses) > 1:
        fields.setdefault("flaky", True)
    return case(name, statuses[-1], attempts=runs, **fields)


def reliability(passes: int, trials: int, **fields: Any) -> Json:
    """Return the outcome of trials, consistent with the counts."""
    rate = passes / trials
    return {
        "trials": trials,
        "passes": passes,
        "k": 1,
        "successRate": rate,
        "passAtK": rate,
        "passPowK": rate,
        **fields,
    }


def tried(name: str, *statuses: str, **fields: Any) -> Json:
    """Return a case that was run as one independent trial per status: unless told otherwise it passes when any did."""
    passes = statuses.count("pass")
    return case(
        name,
        fields.pop("status", "pass" if passes else statuses[-1]),
        attempts=[attempt(one) for one in statuses],
        **{"reliability": reliability(passes, len(statuses)), **fields},
    )


def summary(cases: Sequence[Json]) -> Json:
    """Return the counts over the cases."""
    statuses = [one["status"] for one in cases]
    return {
        "total": len(cases),
        "passed": statuses.count("pass"),
        "failed": statuses.count("fail"),
        "errored": statuses.count("error"),
    }


def report(*cases: Json, **fields: Any) -> Json:
    """Return a report of schema 1 with its summary computed; any field of the format can be set."""
    return {
        "schemaVersion": 1,
        "tool": "dsh-eval-harness",
        "version": "0.3.2",
        "startedAt": STARTED,
        "finishedAt": FINISHED,
        "durationMs": 54189,
        "profile": "headless",
        "cases": list(cases),
        "summary": summary(cases),
        "dshVersion": "0.1.0-rc.6",
        **fields,
    }


def converted(document: Json, **fields: Any) -> Json:
    """Return a report as `evalgate convert` would have made it out of one of another format that carries all."""
    origin = {
        "format": "harbor",
        "tool": "harbor",
        "harnessVersion": "0.26.0",
        "suite": "reward",
        "task": "",
        "startedAt": document["startedAt"],
        "finishedAt": document["finishedAt"],
        "carries": [fact.value for fact in Fact],
        "incomplete": [],
        "notRun": [],
        "notes": [],
        "revisions": {},
        "tokensSummed": True,
    }
    return {**document, "convertedFrom": {**origin, **fields}}


def legacy(document: Json) -> Json:
    """Return a copy of a report as a harness from before schema 1 wrote it: without the fields that came later."""
    old = copy.deepcopy(document)
    for name in ("schemaVersion", "finishedAt", "durationMs", "dshVersion"):
        old.pop(name, None)
    for one in old["cases"]:
        for run in (one, *one.get("attemptResults", [])):
            for name in ("events", "skippedLines", "exitCode", "timedOut", "stderrTail"):
                run.pop(name, None)
    return old


def write(path: Path, document: object) -> Path:
    """Write a document as JSON, a folder getting a report.json, and return the path of the file."""
    if path.is_dir() or not path.suffix:
        path.mkdir(parents=True, exist_ok=True)
        path /= "report.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def facts(name: str = "a", status: str | Status = "pass", **fields: Any) -> Case:
    """Return the facts of one case."""
    return Case(name, Status(status), **{"total_tokens": 100, **fields})


def facts_report(*cases: Case, **fields: Any) -> Report:
    """Return the facts of one run."""
    return Report(
        **{
            "cases": cases,
            "harness_version": "0.3.2",
            "profile": "headless",
            "started_at": STARTED,
            "finished_at": FINISHED,
            "duration_ms": 54189,
            **fields,
        }
    )


def pair(before: Sequence[Case], after: Sequence[Case], **options: Any) -> Pair:
    """Return what a rule's `find` is called with; the options are those of `GateOptions`."""
    return Pair(facts_report(*before), facts_report(*after), GateOptions(**options))
