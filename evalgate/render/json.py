"""
One JSON object on one line, for programs. The field names are contract; schemas.py holds them as a model.

Only ASCII is written, everything else as a JSON escape: no terminal acts on it and no locale can break it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from evalgate.gate import GateResult
from evalgate.stack import SIGNATURE_RULES
from evalgate.verdict import ExitCode, exit_code


def _text(value: object) -> str:
    """
    Return a JSON text in which nothing is a command of a CI.

    GitHub Actions obeys `##[command]` anywhere in a line of a log. Such characters stand in strings only, where an
    escape means the same.
    """
    return json.dumps(value, allow_nan=False).replace("##[", "\\u0023#[")


def render(result: GateResult, *, strict: bool, config: Mapping[str, object] | None = None) -> Iterator[str]:
    """Yield the object in pieces, a newline at its end; `config` are the options with their origins."""
    head = {
        "verdict": result.verdict.value,
        "exitCode": int(exit_code(result.verdict, strict=strict)),
        "strict": strict,
        "reasons": list(result.reasons),
        "compared": result.compared,
        "signatureRules": SIGNATURE_RULES,
        "signalsUnavailable": [fact.value for fact in result.unavailable],
        **_about_the_reports(result),
        **({} if config is None else {"config": config}),
    }
    # Without its closing brace: the findings follow one by one, so that a million of them are never one string.
    yield _text(head)[:-1]
    for fired in result.fired:
        field = _text(fired.signal.json_field)
        encoded = (_text(fired.signal.encode(finding)) for finding in fired.findings)
        if fired.signal.single:
            yield from (f", {field}: {value}" for value in encoded)
            continue
        if not fired.ran:
            # An empty list would say that somebody looked.
            yield f", {field}: null"
            continue
        yield f", {field}: ["
        for position, value in enumerate(encoded):
            yield f", {value}" if position else value
        yield "]"
    yield "}\n"


def _about_the_reports(result: GateResult) -> dict[str, object]:
    """Return the fields that most comparisons do not have."""
    fields: dict[str, object] = {}
    if result.mixed:
        fields["mixed"] = [str(one) for one in result.mixed]
    if result.cleared is not None:
        fields["cleared"] = list(result.cleared)
    if result.before is not None and result.before.shards:
        fields["shardsBefore"] = result.before.shards
    if result.after.shards:
        fields["shards"] = result.after.shards
    return fields


def render_error(faults: Iterable[str]) -> Iterator[str]:
    """Yield the object of a comparison that could not be judged."""
    yield _text({"verdict": "ERROR", "exitCode": int(ExitCode.CANNOT_JUDGE), "errors": list(faults)}) + "\n"
