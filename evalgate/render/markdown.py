"""
The section of report.md: what an engineer who was stopped by the gate reads.

Findings by signal, then the evidence of the cases that have one, then where both runs came from. Nothing in here knows
a rule by name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evalgate.evidence import AttemptEvidence, CaseEvidence, Evidence
from evalgate.gate import GateResult
from evalgate.numbers import half_away, number_text
from evalgate.render._markdown_text import block, code
from evalgate.report import Report, Status
from evalgate.signals import Fired, stories
from evalgate.verdict import Severity, Verdict, exit_code

if TYPE_CHECKING:
    from jinja2 import Template

LIMIT = 60_000
"""Unit: characters. A comment on GitHub ends at 65,536, and the section may not be alone in it."""

DOCS = "docs/signals.md"

_HEADLINES = {
    Verdict.PASS: "nothing got worse",
    Verdict.WARN: "look before you merge",
    Verdict.FAIL: "do not merge",
    Verdict.NOT_APPLICABLE: "nothing was judged",
}
_MEANINGS = {
    Verdict.PASS: "No case got worse against the baseline: as far as this evaluation sees, the change may go in.",
    Verdict.WARN: "No case broke, but something changed that a person should look at before the change goes in.",
    Verdict.FAIL: "At least one case that worked, or is new, does not pass: the change should not go in as it is.",
    Verdict.NOT_APPLICABLE: "There was nothing to judge, so this is no statement about the change: it has not passed.",
}
_SEVERITIES = {
    Severity.FAIL: "stops the merge",
    Severity.WARN: "to be looked at",
    Severity.INFO: "for information",
}


class Side(NamedTuple):
    """One of the two runs: how the user called it and where its evidence is."""

    label: str
    evidence: Evidence


class _Detail(NamedTuple):
    """How much is shown. The first one that keeps the section below the limit is taken."""

    rows: int
    """Findings of each kind."""
    cases: int
    """Cases with evidence."""
    reasons: int
    lines: int
    """Of stderr, for each attempt."""
    text: int
    """Characters of one name or message."""


_DETAILS = (
    _Detail(rows=500, cases=40, reasons=20, lines=30, text=300),
    _Detail(rows=200, cases=20, reasons=20, lines=20, text=300),
    _Detail(rows=100, cases=10, reasons=10, lines=20, text=200),
    _Detail(rows=30, cases=5, reasons=10, lines=20, text=200),
    _Detail(rows=10, cases=3, reasons=10, lines=10, text=100),
    _Detail(rows=3, cases=1, reasons=5, lines=10, text=80),
    _Detail(rows=1, cases=0, reasons=3, lines=0, text=40),
)
_LONGEST_STDERR_LINE = 300
_ATTEMPTS_SHOWN = 12


class _Scene(NamedTuple):
    """All that the section is made of."""

    result: GateResult
    strict: bool
    before: Side | None
    after: Side
    names: Sequence[str]
    """Cases with a finding, one more than are ever shown."""
    evidence_before: Mapping[str, CaseEvidence]
    evidence_after: Mapping[str, CaseEvidence]


def render(result: GateResult, *, strict: bool, before: Side | None, after: Side) -> str:
    """Return the section without its markers, at most `LIMIT` characters, lines ending in a line feed."""
    names = _cases_to_show(result, _DETAILS[0].cases + 1)
    scene = _Scene(
        result=result,
        strict=strict,
        before=before,
        after=after,
        names=names,
        evidence_before={} if before is None else before.evidence.fetch(names),
        evidence_after=after.evidence.fetch(names),
    )
    text = ""
    for detail in _DETAILS:
        text = _template().render(_view(scene, detail)).strip("\n")
        if len(text) <= LIMIT:
            break
    return text


def _cases_to_show(result: GateResult, limit: int) -> list[str]:
    """Return the first cases that have a finding, the most severe findings first."""
    names: dict[str, None] = {}
    for fired in result.by_severity():
        for finding in fired.findings:
            for name in fired.signal.cases(finding):
                if len(names) >= limit:
                    return list(names)
                names[name] = None
    return list(names)


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # No autoescape: that is for HTML. Every value that comes from a report went through code() or block().
    environment = Environment(
        loader=PackageLoader("evalgate.render"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    return environment.get_template("report.md.j2")


def _view(scene: _Scene, detail: _Detail) -> dict[str, Any]:
    """Return what the template shows: texts that are safe Markdown, and lists of them."""
    result = scene.result
    cases = [
        _case_view(name, scene.evidence_before.get(name), scene.evidence_after.get(name), detail)
        for name in scene.names[: detail.cases]
    ]
    runs = [(result.before, scene.before), (result.after, scene.after)]
    return {
        "verdict": result.verdict.value,
        "headline": _HEADLINES[result.verdict],
        "meaning": _MEANINGS[result.verdict],
        "exit_code": int(exit_code(result.verdict, strict=scene.strict)),
        "strict": scene.strict,
        "compared": result.compared,
        "incidents": [code(story, 4 * detail.text) for fired in result.by_severity() for story in stories(fired)][
            : detail.reasons
        ],
        "reasons": [code(reason, 2 * detail.text) for reason in result.reasons[: detail.reasons]],
        "more_reasons": max(0, len(result.reasons) - detail.reasons),
        "signals": [_signal_view(fired, detail) for fired in result.by_severity()],
        "cases": cases,
        "some_left_out": 0 < len(cases) < len(scene.names),
        "origin": [
            (title, *("none" if report is None or side is None else cell(report, side) for report, side in runs))
            for title, cell in _ORIGIN.items()
        ],
    }


def _signal_view(fired: Fired[Any], detail: _Detail) -> dict[str, Any]:
    signal = fired.signal
    return {
        "title": signal.page.title,
        "count": len(fired.findings),
        "severity": f"{signal.severity.name}, {_SEVERITIES[signal.severity]}",
        "columns": signal.columns,
        "rows": [[code(cell, detail.text) for cell in signal.row(one)] for one in fired.findings[: detail.rows]],
        "more": max(0, len(fired.findings) - detail.rows),
        "next_step": signal.page.next_step,
        "link": f"{DOCS}#{signal.page.anchor}",
        "key": signal.key,
    }


def _case_view(name: str, before: CaseEvidence | None, after: CaseEvidence | None, detail: _Detail) -> dict[str, Any]:
    runs = [(side, case) for side, case in (("before", before), ("after", after)) if case is not None]
    return {
        "name": code(name, detail.text),
        "summary": [f"{side}: {_summary(case)}" for side, case in runs],
        "attempts": [
            (side, str(one.number), one.status.value, _exit(one), f"{_seconds(one)} s", _what_happened(one, detail))
            for side, case in runs
            for one in _telling(case.attempts)
        ],
        "more_attempts": [
            f"{len(case.attempts) - _ATTEMPTS_SHOWN} more attempts {side}"
            for side, case in runs
            if len(case.attempts) > _ATTEMPTS_SHOWN
        ],
        "stderr": [
            (side, one.number, block(one.stderr, detail.lines, _LONGEST_STDERR_LINE))
            for side, case in runs
            for one in _telling(case.attempts)
            if side == "after" and one.status is not Status.PASS and one.stderr and one.stderr.strip()
        ],
    }


def _telling(attempts: Sequence[AttemptEvidence]) -> list[AttemptEvidence]:
    """Return the attempts to show, in order: the last one, those that did not pass, and others while there is room."""
    ranked = sorted(attempts, key=lambda one: (one is not attempts[-1], one.status is Status.PASS))
    return sorted(ranked[:_ATTEMPTS_SHOWN], key=lambda one: one.number)


def _summary(case: CaseEvidence) -> str:
    text = f"{case.status.value}, {len(case.attempts)} {'attempt' if len(case.attempts) == 1 else 'attempts'}"
    if case.trials is not None:
        text += f", {case.trials.passes} of {case.trials.trials} trials passed"
    return f"{text}, {number_text(case.total_tokens)} tokens"


def _exit(attempt: AttemptEvidence) -> str:
    text = "" if attempt.exit_code is None else str(attempt.exit_code)
    text = "ended by a signal" if attempt.ended_by_signal else text
    return f"{text} (timed out)".strip() if attempt.timed_out else text


def _seconds(attempt: AttemptEvidence) -> str:
    from fractions import Fraction

    return half_away(Fraction(attempt.duration_ms) / 1000, 1)


def _what_happened(attempt: AttemptEvidence, detail: _Detail) -> str:
    parts = []
    if attempt.signature is not None:
        parts.append(f"signature {code(attempt.signature, detail.text)}")
    if attempt.error:
        parts.append(code(attempt.error, detail.text))
    parts.extend(_some((code(failure, detail.text) for failure in attempt.failures), len(attempt.failures)))
    tools = (
        f"tool {code(name, detail.text)} failed: {code(error, detail.text)}" for name, error in attempt.tool_errors
    )
    parts.extend(_some(tools, len(attempt.tool_errors)))
    return "; ".join(part for part in parts if part)


def _some(parts: Iterable[str], number: int, limit: int = 3) -> list[str]:
    shown = [part for part, _ in zip(parts, range(limit), strict=False)]
    return [*shown, f"and {number - limit} more"] if number > limit else shown


def _counts(report: Report) -> str:
    number = dict.fromkeys(Status, 0)
    for case in report.cases:
        number[case.status] += 1
    parts = ", ".join(f"{count} {status.value}" for status, count in number.items())
    return f"{len(report.cases)} ({parts})"


_ORIGIN: dict[str, Callable[[Report, Side], str]] = {
    "report": lambda report, side: code(side.label, 300),
    "harness": lambda report, side: code(f"{report.tool} {report.harness_version}", 120),
    "dsh": lambda report, side: "not said" if report.dsh_version is None else code(report.dsh_version, 120),
    "profile": lambda report, side: code(report.profile, 120),
    "started": lambda report, side: code(report.started_at, 60),
    "cases": lambda report, side: _counts(report),
}
"""Where a run came from: the heading of each row, and its cell for one report."""
