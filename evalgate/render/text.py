"""
Greppable lines, for CI. Their order and spelling are contract: see tests/golden.

Plain whatever the terminal or the environment says; every line is escaped, so that no name in a report can forge one.
"""

from collections.abc import Iterable, Iterator, Sequence

from evalgate.gate import GateResult
from evalgate.plain import escape
from evalgate.signals import stories
from evalgate.verdict import ExitCode, exit_code


def render(result: GateResult, *, strict: bool, policy: Sequence[str] = ()) -> Iterator[str]:
    """
    Yield the transcript line by line, each ending in a newline.

    policy: what a policy file decides, see `Scene.policy`: a gate that was made milder says so.
    """
    return (f"{escape(line)}\n" for line in _lines(result, strict=strict, policy=policy))


def render_error(faults: Iterable[str]) -> Iterator[str]:
    """Yield the transcript of a comparison that could not be judged."""
    yield "OVERALL=ERROR\n"
    yield f"EXIT_CODE={ExitCode.CANNOT_JUDGE:d}\n"
    yield from (f"ERROR {escape(fault)}\n" for fault in faults)


NOT_AVAILABLE = "N/A"
"""The count of a rule that did not run, since a report does not carry what it looks at."""


def _about_the_reports(result: GateResult) -> Iterator[str]:
    """Yield the lines that most comparisons do not have."""
    if result.unavailable:
        yield f"SIGNALS_UNAVAILABLE={','.join(fact.value for fact in result.unavailable)}"
    for difference in result.mixed:
        yield f"MIXED={difference}"
    if result.cleared is not None:
        yield f"CLEARED={len(result.cleared)}"
    if result.before is not None and result.before.shards:
        yield f"SHARDS_BEFORE={result.before.shards}"
    if result.after.shards:
        yield f"SHARDS={result.after.shards}"


def policy_line(policy: Sequence[str]) -> Iterator[str]:
    """Yield the line that says what a policy file decides: `POLICY=evalgate.toml: strict = true`."""
    if policy:
        yield f"POLICY={policy[0]}: {', '.join(policy[1:])}"


def _lines(result: GateResult, *, strict: bool, policy: Sequence[str]) -> Iterator[str]:
    yield f"OVERALL={result.verdict.value}"
    yield f"EXIT_CODE={exit_code(result.verdict, strict=strict):d}"
    yield f"STRICT={str(strict).lower()}"
    for fired in result.fired:
        if fired.signal.scalar is None and not fired.signal.optional:
            # A count of 0 would say that somebody counted.
            yield f"{fired.signal.key}={len(fired.findings) if fired.ran else NOT_AVAILABLE}"
    yield f"COMPARED={result.compared}"
    for fired in result.fired:
        if fired.signal.scalar is not None:
            for finding in fired.findings:
                yield f"{fired.signal.key}={fired.signal.scalar(finding)}"
        elif fired.signal.optional and fired.findings:
            yield f"{fired.signal.key}={len(fired.findings)}"
    yield from _about_the_reports(result)
    yield from policy_line(policy)
    for reason in result.reasons:
        yield f"REASON {reason}"
    for fired in result.by_severity():
        if fired.signal.detail is not None:
            for finding in fired.findings:
                yield f"{fired.signal.word} {fired.signal.detail(finding)}"
        yield from (f"INCIDENT {story}" for story in stories(fired))
    yield from (f"CLEARED_CASE {name}" for name in result.cleared or ())
