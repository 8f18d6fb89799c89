"""
One case on both sides, with what the rules say about it. Pure: facts and evidence in.

A rule "nearly fired" when it has something to say about the case although it did not fire: an increase below the
threshold, a flake that the baseline had already. Each rule knows its own near misses (`Signal.near`).
"""

from typing import NamedTuple

from evalgate.evidence import CaseEvidence
from evalgate.gate import GateResult, status_by_policy
from evalgate.signals import Pair
from evalgate.verdict import Severity


class RuleOnCase(NamedTuple):
    """What one rule says about the case."""

    key: str
    title: str
    severity: Severity
    text: str
    """How it fired, as its detail line says it, or why it nearly did."""


class Explanation(NamedTuple):
    """One case, explained."""

    name: str
    has_before: bool
    """Whether there is a before report."""
    before: CaseEvidence | None
    """None when the before report lacks the case, or there is none."""
    after: CaseEvidence | None
    fired: tuple[RuleOnCase, ...]
    nearly: tuple[RuleOnCase, ...]


def explain(name: str, result: GateResult, before: CaseEvidence | None, after: CaseEvidence | None) -> Explanation:
    """Return what happened to a case, and what the rules that were run said about it."""
    fired, nearly = [], []
    pair = Pair(result.before or result.after, result.after, result.options)
    for one in result.fired:
        signal = one.signal
        hits = [finding for finding in one.findings if _about(signal.row(finding), signal.cases(finding), name)]
        for finding in hits:
            text = signal.detail(finding) if signal.detail is not None else ""
            fired.append(RuleOnCase(signal.key, signal.page.title, signal.severity, text))
        if not hits and one.ran and result.before is not None:
            near = signal.near(pair, name)
            if near is not None:
                nearly.append(RuleOnCase(signal.key, signal.page.title, signal.severity, near))
    policy = result.options.trial_policy
    facts = (None if result.before is None else pair.before_by_name.get(name), pair.after_by_name.get(name))
    sides = [
        None
        if side is None
        else side._replace(
            # As it was judged: the facts know more about retries than one field of the report.
            flaky=side.flaky if judged is None else judged.flaky,
            status=status_by_policy(side.status, side.trials, policy),
        )
        for side, judged in zip((before, after), facts, strict=True)
    ]
    return Explanation(name, result.before is not None, sides[0], sides[1], tuple(fired), tuple(nearly))


def _about(row: tuple[str, ...], cases: object, name: str) -> bool:
    return name in cases or (bool(row) and row[0] == name)  # type: ignore[operator]
