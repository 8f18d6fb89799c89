"""One case on both sides, for a person at a terminal and as JSON: the output of `evalgate explain`."""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from evalgate.evidence import AttemptEvidence, CaseEvidence
from evalgate.explanation import Explanation, RuleOnCase
from evalgate.numbers import half_away, number_text
from evalgate.plain import escape, shorten

_LONGEST = 300
_EXCERPT = 12
"""Lines shown of a text that has no signature."""


def render(found: Explanation) -> Iterator[str]:
    """Yield the lines, each ending in a newline; everything out of a report is escaped."""
    return (f"{line}\n" for line in _lines(found))


def _lines(found: Explanation) -> Iterator[str]:
    # Not alone on its line: a name may look like a command to a CI.
    yield f"case {escape(found.name)}"
    for title, side in (("before", found.before), ("after", found.after)):
        yield ""
        if side is None:
            known = found.has_before or title == "after"
            yield f"{title}: {'not in the report' if known else 'no report was given'}"
            continue
        yield f"{title}: {_summary(side)}"
        for one in side.attempts:
            yield from _attempt(one)
    yield ""
    yield from _rules("fired", found.fired)
    yield from _rules("nearly fired", found.nearly)


def _summary(side: CaseEvidence) -> str:
    number = len(side.attempts)
    text = f"{side.status.value}, {number} {'attempt' if number == 1 else 'attempts'}"
    if side.trials is not None:
        text += f", {side.trials.passes} of {side.trials.trials} trials passed"
    tokens = "tokens not recorded" if side.total_tokens is None else f"{number_text(side.total_tokens)} tokens"
    return f"{text}, {tokens}"


def _attempt(one: AttemptEvidence) -> Iterator[str]:
    how = [one.status.value, f"{half_away(Fraction(one.duration_ms) / 1000, 1)} s"]
    if one.ended_by_signal:
        how.append("ended by a signal")
    elif one.exit_code is not None:
        how.append(f"exit code {one.exit_code}")
    how += ["timed out"] if one.timed_out else []
    how += ["retried"] if one.retried else []
    yield f"  attempt {one.number}: {', '.join(how)}"
    if one.error is not None:
        yield f"    error: {_short(one.error)}"
    for text in one.failures:
        yield f"    failed: {_short(text)}"
    for tool, text in one.tool_errors:
        yield f"    tool {_short(tool)}: {_short(text)}"
    if one.stderr is None or not one.stderr.strip():
        return
    if one.signature is not None:
        yield from _signature(one.signature, one.stderr)
        return
    yield "    it said:"
    # The end of a text tells most.
    for line in one.stderr.strip("\n").split("\n")[-_EXCERPT:]:
        yield f"    | {_short(line)}"


def _signature(name: str, text: str) -> Iterator[str]:
    """Yield the signature and the lines of the text that it was read from."""
    from evalgate.stack import explain

    reading = explain(text)
    yield f"    signature: {escape(name)}: {_short(reading.why)}"
    if reading.chosen is None:
        return
    block = reading.blocks[reading.chosen]
    while block.embedded is not None or block.cause is not None:
        inner = reading.blocks[block.embedded if block.embedded is not None else block.cause or 0]
        if inner.signature != name:
            break
        block = inner
    yield f"    | {_short(block.header)}"
    for frame in block.frames:
        if frame.used:
            yield f"    | at {_short(frame.name)} ({_short(frame.location)})"


def _rules(title: str, rules: Sequence[RuleOnCase]) -> Iterator[str]:
    yield f"{title}: {'nothing' if not rules else ''}".rstrip()
    for one in rules:
        yield f"  {one.severity.name:<4}  {one.title}{': ' if one.text else ''}{escape(one.text)}"


def _short(text: str) -> str:
    return escape(shorten(text, _LONGEST))


def render_json(found: Explanation) -> Iterator[str]:
    """Yield one JSON object on one line."""
    value = {
        "name": found.name,
        "before": _side(found.before),
        "after": _side(found.after),
        "fired": [_rule(one) for one in found.fired],
        "nearly": [_rule(one) for one in found.nearly],
    }
    yield json.dumps(value, allow_nan=False).replace("##[", "\\u0023#[") + "\n"


def _rule(one: RuleOnCase) -> dict[str, str]:
    return {"key": one.key, "title": one.title, "severity": one.severity.name, "text": one.text}


def _side(side: CaseEvidence | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "status": side.status.value,
        "flaky": side.flaky,
        "totalTokens": side.total_tokens,
        "trials": None if side.trials is None else side.trials._asdict(),
        "attempts": [
            {
                "number": one.number,
                "status": one.status.value,
                "exitCode": one.exit_code,
                "endedBySignal": one.ended_by_signal,
                "timedOut": one.timed_out,
                "retried": one.retried,
                "error": one.error,
                "failures": list(one.failures),
                "toolErrors": [{"name": name, "error": error} for name, error in one.tool_errors],
                "signature": one.signature,
                "stderr": one.stderr,
                "totalTokens": one.total_tokens,
                "durationMs": one.duration_ms,
            }
            for one in side.attempts
        ],
    }
