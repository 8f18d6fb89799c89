"""
A judgement as lines to grep, and as one JSON object. Order and spelling are contract: see tests/golden/judge.

Every line is escaped, so that no gate of a verdict can forge one; the first words are the same in every language.
"""

import json
from collections.abc import Iterator

from evalgate.loop.judging import Examination
from evalgate.plain import escape, shorten
from evalgate.verdict import exit_code

_LONGEST_NAME = 100
"""Unit: characters, as in the line of a failed gate; the JSON has names as they are."""


def render(found: Examination) -> Iterator[str]:
    """Yield the transcript line by line, each ending in a newline."""
    # GitHub Actions obeys `##[command]` anywhere in a line of a log.
    return (f"{escape(line)}\n".replace("##[", "## [") for line in _lines(found))


def _lines(found: Examination) -> Iterator[str]:
    yield f"OVERALL={found.verdict.value}"
    yield f"EXIT_CODE={exit_code(found.verdict, strict=False):d}"
    yield f"GATE_SET={found.gate_set}"
    yield f"GATES={found.guards}"
    yield f"FAILED_GATES={len(found.failed)}"
    yield f"GATES_UNPROVEN={len(found.unproven)}"
    yield f"GATES_MISSING={len(found.missing)}"
    yield from (f"REASON {reason}" for reason in found.reasons)
    count = len(found.failed)
    yield from (f"GATE_FAILED {line}" for line in found.lines[:count])
    yield from (f"GATE_UNPROVEN {line}" for line in found.lines[count:])
    if found.guards:
        # Without a verdict all of them are, and the reason says that.
        yield from (f"GATE_MISSING {shorten(key, _LONGEST_NAME)}" for key in found.missing)


def render_json(found: Examination) -> Iterator[str]:
    """Yield the object of `--format json` on one line, in ASCII; schemas.py holds it as a model."""
    value = {
        "verdict": found.verdict.value,
        "exitCode": int(exit_code(found.verdict, strict=False)),
        "passed": found.judgment.passed,
        "gateSet": found.gate_set,
        "gates": found.guards,
        "failedGates": list(found.failed),
        "unprovenGates": list(found.unproven),
        "missingGates": list(found.missing),
        "reasons": list(found.reasons),
        "feedback": list(found.judgment.feedback),
    }
    # As in `render`; such characters stand in strings only, where an escape means the same.
    yield json.dumps(value, allow_nan=False).replace("##[", "\\u0023#[") + "\n"
