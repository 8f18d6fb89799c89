r"""
A peer of `evalgate compare`: json.load and the same counts, the gate that a Python user would write in an hour.

    python json_load.py BEFORE.json AFTER.json

Less than evalgate does: no rule of the input format is checked, no findings are listed, no report.md is written, and
a signature is read by two patterns where evalgate has a grammar. Its reading of the generated stacks is the same one.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_HEADER = re.compile(r"^\w*(?:Error|Exception)(?: \[\w+\])?: (?:([A-Z][A-Z0-9_]{2,}): )?", re.MULTILINE)
_CODE = re.compile(r"^  code: '([A-Z][A-Z0-9_]+)'", re.MULTILINE)
_FRAME = re.compile(r"^    at (?:async )?([^ (]+) \((?!node:)", re.MULTILINE)
_ALLOWED_PCT = 50


def signature(stderr: str) -> str | None:
    """Return CODE@function of a Node crash."""
    header = _HEADER.search(stderr)
    if header is None:
        return None
    named = _CODE.search(stderr, header.end())
    code = header[1] or (named and named[1])
    frame = _FRAME.search(stderr, header.end())
    return f"{code}@{frame[1]}" if code and frame else code or None


def is_flaky(case: Json) -> bool:
    """Tell whether the case passed and its history, where it was recorded, is not clean."""
    history = case.get("attemptResults")
    if case["status"] != "pass" or not history:
        return False
    retried = "reliability" not in case and any(run["status"] != "pass" for run in history[:-1])
    return retried or case.get("flaky") is True


def recovered(case: Json) -> bool:
    """Tell whether the case passed over a tool error."""
    return case["status"] == "pass" and bool(case["toolErrors"])


def judge(before: Json, after: Json) -> dict[str, object]:
    """Return the count of every rule."""
    old = {case["name"]: case for case in before["cases"]}
    new = {case["name"]: case for case in after["cases"]}
    counts: Counter[str] = Counter()
    signatures: Counter[str] = Counter()
    for name, case in new.items():
        known = old.get(name)
        passes = case["status"] == "pass"
        if known is None:
            counts["ADDED" if passes else "NEW_FAILURES"] += 1
        else:
            counts["COMPARED"] += 1
            passed = known["status"] == "pass"
            counts["REGRESSIONS"] += passed and not passes
            counts["IMPROVEMENTS"] += passes and not passed
            total, total_before = case["tokens"]["total"], known["tokens"]["total"]
            counts["TOKEN_REGRESSIONS"] += (
                case["status"] == known["status"]
                and total_before > 0
                and (total - total_before) * 100 > _ALLOWED_PCT * total_before
            )
            counts["SKIPPED_LINE_INCREASES"] += case.get("skippedLines", 0) > known.get("skippedLines", 0)
        counts["FLAKY"] += is_flaky(case) and not (known and is_flaky(known))
        counts["TOOL_ERROR_RECOVERIES"] += recovered(case) and not (known and recovered(known))
        for run in case.get("attemptResults") or [case]:
            if run["status"] != "pass" and (found := signature(run.get("stderrTail", ""))):
                signatures[found] += 1
    for name, case in old.items():
        counts["REMOVED"] += name not in new
        counts["BASELINE_FLAKY"] += is_flaky(case)
        counts["BASELINE_FAILING"] += case["status"] != "pass"
    counts["REPEATED_ERROR_SIGNATURES"] = sum(times > 1 for times in signatures.values())
    return {"OVERALL": verdict(counts), **{key: counts[key] for key in KEYS}}


FAIL = ("REGRESSIONS", "NEW_FAILURES")
WARN = (
    "IMPROVEMENTS",
    "ADDED",
    "REMOVED",
    "TOKEN_REGRESSIONS",
    "SKIPPED_LINE_INCREASES",
    "FLAKY",
    "TOOL_ERROR_RECOVERIES",
    "REPEATED_ERROR_SIGNATURES",
)
KEYS = (*FAIL, *WARN, "BASELINE_FLAKY", "BASELINE_FAILING", "COMPARED")


def verdict(counts: Counter[str]) -> str:
    """Return what the counts amount to."""
    return "FAIL" if any(counts[key] for key in FAIL) else "WARN" if any(counts[key] for key in WARN) else "PASS"


def main() -> None:
    reports = []
    for path in sys.argv[1:3]:
        with Path(path).open(encoding="utf-8") as stream:
            reports.append(json.load(stream))
    for key, value in judge(*reports).items():
        print(f"{key}={value}")


if __name__ == "__main__":
    main()
