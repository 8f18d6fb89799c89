"""
The section of report.md: what an engineer who was stopped by the gate reads.

Findings by signal, then the evidence of the cases that have one, then where both runs came from. Nothing in here knows
a rule by name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evalgate.evidence import AttemptEvidence, CaseEvidence
from evalgate.gate import GateResult, status_by_policy
from evalgate.numbers import half_away, number_text
from evalgate.render._markdown_text import block, code
from evalgate.render.catalogue import Words
from evalgate.render.scene import Scene, Side
from evalgate.report import Report, Status
from evalgate.verdict import exit_code

if TYPE_CHECKING:
    from jinja2 import Template

LIMIT = 60_000
"""Unit: characters. A comment on GitHub ends at 65,536, and the section may not be alone in it."""

DOCS = "docs/signals.md"

# How the characters are shared out, so that nothing a report says can push the rest out: every text is cut by what it
# takes in the section, not by what it is long, and each signal and each case has a share of its own.
_ROWS = (24_000, 8_000, 0)
"""Of all findings' tables together; a smaller one is tried when the section gets too long, and one row always stays."""
_CASE_ATTEMPTS = 4_000
_CASE_STDERR = 3_000
_ATTEMPT_STDERR = 1_500
_WHAT_HAPPENED = 600
_CASES = 40
"""Cases with evidence at the most."""
_REASONS, _INCIDENTS = 10, 3
_POLICY = 20
_ATTEMPTS = 12
"""Of one case and one side."""
_TEXT = 150
"""Characters shown of a name or a message."""
_LONG_TEXT = 300
_STDERR_LINES = 30


class _Told(NamedTuple):
    """All that the section is made of."""

    scene: Scene
    words: Words
    names: Sequence[str]
    """Cases with a finding, one more than are ever shown."""
    evidence_before: Mapping[str, CaseEvidence]
    evidence_after: Mapping[str, CaseEvidence]


def render(scene: Scene) -> str:
    """Return the section without its markers, at most `LIMIT` characters, lines ending in a line feed."""
    names = _cases_to_show(scene.result, _CASES + 1)
    told = _Told(
        scene=scene,
        words=Words(scene.lang),
        names=names,
        evidence_before={} if scene.before is None else scene.before.evidence.fetch(names),
        evidence_after=scene.after.evidence.fetch(names),
    )
    text = ""
    for rows in _ROWS:
        without = _shown(told, rows, [])
        cases = _cases_that_fit(told, LIMIT - len(without))
        text = _shown(told, rows, cases) if cases else without
        if len(text) <= LIMIT:
            break
    return text


def _shown(told: _Told, rows: int, cases: Sequence[Mapping[str, Any]]) -> str:
    return _template().render(_view(told, rows, cases), words=told.words).strip("\n")


def _cases_that_fit(told: _Told, room: int) -> list[dict[str, Any]]:
    """Return the views of the first cases with a finding that fit into `room` characters."""
    views = []
    for name in told.names[:_CASES]:
        before, after = told.evidence_before.get(name), told.evidence_after.get(name)
        if before is None and after is None:
            continue
        view = _case_view(name, _judged(before, told.scene), _judged(after, told.scene), told.words)
        room -= _size(view)
        if room < 0:
            break
        views.append(view)
    return views


def _judged(case: CaseEvidence | None, scene: Scene) -> CaseEvidence | None:
    """Return the case with the status that the trial policy gives it, which is the one that was judged."""
    if case is None:
        return None
    return case._replace(status=status_by_policy(case.status, case.trials, scene.result.options.trial_policy))


def _size(view: object) -> int:
    """Return at least as many characters as a part of the view takes, table rules and blank lines included."""
    if isinstance(view, str):
        return len(view) + 8
    values = view.values() if isinstance(view, dict) else view if isinstance(view, list | tuple) else ()
    return 60 + sum(map(_size, values))


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


def _view(told: _Told, rows: int, cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the template shows: texts that are safe Markdown, and lists of them."""
    scene, words = told.scene, told.words
    result = scene.result
    runs = [(result.before, scene.before), (result.after, scene.after)]
    incidents = [story for fired in result.by_severity() for story in words.stories(fired)]
    reasons = words.reasons(result)
    return {
        "verdict": result.verdict.value,
        "headline": words(f"headline_{result.verdict.value}"),
        "meaning": words(f"meaning_{result.verdict.value}"),
        "exit": words(
            "exit",
            code=int(exit_code(result.verdict, strict=scene.strict)),
            strict=words("with_strict") if scene.strict else "",
            n=result.compared,
        ),
        "unavailable": _unavailable(result, words),
        "mixed": [code(difference, _LONG_TEXT) for difference in words.mixed(result)],
        "incidents": [code(story, 2 * _LONG_TEXT) for story in incidents[:_INCIDENTS]],
        "reasons": [code(reason, _LONG_TEXT) for reason in reasons[:_REASONS]],
        "more_reasons": max(0, len(reasons) - _REASONS),
        "policy": [code(one, _LONG_TEXT) for one in scene.policy[:_POLICY]],
        "signals": list(_signal_views(result, rows, words)),
        "cases": cases,
        "some_left_out": len(cases) < len(told.names),
        "origin": [
            (
                words(title),
                *(
                    words("none") if report is None or side is None else cell(report, side, words)
                    for report, side in runs
                ),
            )
            for title, cell in _ORIGIN.items()
        ],
    }


def _unavailable(result: GateResult, words: Words) -> str:
    """Return which rules did not run for lack of facts, empty when all did."""
    titles = [words.signal(one.signal).title for one in result.fired if not one.ran]
    return words("unavailable", titles=", ".join(titles).lower()) if titles else ""


def _signal_views(result: GateResult, room: int, words: Words) -> Iterator[dict[str, Any]]:
    """Yield the signals that fired, each with as many rows as fit into its share; what it leaves goes to the next."""
    fired = result.by_severity()
    for position, one in enumerate(fired):
        signal = one.signal
        text = words.signal(signal)
        share = room // (len(fired) - position)
        rows: list[list[str]] = []
        for finding in one.findings:
            row = [code(cell, _TEXT) for cell in signal.row(finding)]
            size = sum(len(cell) + 3 for cell in row) + 2
            if rows and size > share:
                break
            rows.append(row)
            share -= size
            room -= size
        yield {
            "title": text.title,
            "count": len(one.findings),
            "severity": f"{signal.severity.name}, {words(f'severity_{signal.severity.name}')}",
            "columns": text.columns,
            "rows": rows,
            "more": len(one.findings) - len(rows),
            "next_step": text.next_step,
            "link": f"{DOCS}#{signal.page.anchor}",
            "key": signal.key,
        }


def _case_view(name: str, before: CaseEvidence | None, after: CaseEvidence | None, words: Words) -> dict[str, Any]:
    runs = [(side, case) for side, case in (("before", before), ("after", after)) if case is not None]
    attempts: list[tuple[str, ...]] = []
    left = dict.fromkeys(("before", "after"), 0)
    room = _CASE_ATTEMPTS
    # The after run first: if there is no room for both, it is the one that matters.
    for side, case in reversed(runs):
        shown: list[tuple[str, ...]] = []
        for one in _telling(case.attempts):
            row = (
                words(side),
                str(one.number),
                one.status.value,
                _exit(one, words),
                f"{_seconds(one)} s",
                _what_happened(one, words),
            )
            room -= sum(map(len, row)) + 20
            if room < 0 and shown:
                break
            shown.append(row)
        left[side] = len(case.attempts) - len(shown)
        attempts[:0] = shown
    return {
        "name": code(name, _TEXT),
        "summary": [f"{words(side)}: {_summary(case, words)}" for side, case in runs],
        "attempts": attempts,
        "more_attempts": [
            words("more_attempts_of", n=number, side=words(side)) for side, number in left.items() if number
        ],
        "stderr": [] if after is None else list(_stderr_blocks(after)),
    }


def _stderr_blocks(case: CaseEvidence) -> Iterator[tuple[int, str]]:
    """Yield the end of the stderr of each attempt that did not pass, while the case's share lasts."""
    room = _CASE_STDERR
    for one in _telling(case.attempts):
        if one.status is Status.PASS or not one.stderr or room <= 0:
            continue
        text = block(one.stderr, _STDERR_LINES, min(room, _ATTEMPT_STDERR))
        room -= len(text)
        if text:
            yield one.number, text


def _telling(attempts: Sequence[AttemptEvidence]) -> list[AttemptEvidence]:
    """Return the attempts to show, in order: the last one, those that did not pass, and others while there is room."""
    ranked = sorted(attempts, key=lambda one: (one is not attempts[-1], one.status is Status.PASS))
    return sorted(ranked[:_ATTEMPTS], key=lambda one: one.number)


def _summary(case: CaseEvidence, words: Words) -> str:
    trials = case.trials
    return words(
        "summary",
        status=case.status.value,
        n=len(case.attempts),
        trials="" if trials is None else words("trials", passes=trials.passes, trials=trials.trials),
        tokens=words("no_tokens") if case.total_tokens is None else words("tokens", n=number_text(case.total_tokens)),
    )


def _exit(attempt: AttemptEvidence, words: Words) -> str:
    text = "" if attempt.exit_code is None else str(attempt.exit_code)
    text = words("signal") if attempt.ended_by_signal else text
    return f"{text} {words('timed_out')}".strip() if attempt.timed_out else text


def _seconds(attempt: AttemptEvidence) -> str:
    from fractions import Fraction

    return half_away(Fraction(attempt.duration_ms) / 1000, 1)


def _what_happened(attempt: AttemptEvidence, words: Words) -> str:
    """Return the signature, the error, the failed assertions and the tool errors, as many as have room."""
    parts = [] if attempt.signature is None else [words("signature", name=code(attempt.signature, _TEXT))]
    said = attempt.failures if attempt.error is None else (attempt.error, *attempt.failures)
    texts = [code(text, _TEXT) or words("empty_text") for text in said[:_REASONS]]
    tools = [
        words("tool_failed", name=code(name, _TEXT), error=code(error, _TEXT))
        for name, error in attempt.tool_errors[:_REASONS]
    ]
    total = len(parts) + len(said) + len(attempt.tool_errors)
    room = _WHAT_HAPPENED
    for part in (*texts, *tools):
        room -= len(part)
        if room < 0 and parts:
            break
        parts.append(part)
    more = total - len(parts)
    return "; ".join([*parts, words("and_more", n=more)] if more > 0 else parts)


def _counts(report: Report) -> str:
    number = dict.fromkeys(Status, 0)
    for case in report.cases:
        number[case.status] += 1
    parts = ", ".join(f"{count} {status.value}" for status, count in number.items())
    return f"{len(report.cases)} ({parts})"


_ORIGIN: dict[str, Callable[[Report, Side, Words], str]] = {
    "origin_report": lambda report, side, words: code(side.label, 300),
    "origin_harness": lambda report, side, words: code(f"{report.tool} {report.harness_version}", 120),
    "origin_version": lambda report, side, words: code(report.dsh_version or "", 120) or words("not_said"),
    "origin_profile": lambda report, side, words: code(report.profile or report.suite, 120) or words("none"),
    "origin_started": lambda report, side, words: code(report.started_at, 60) or words("not_said"),
    "origin_cases": lambda report, side, words: _counts(report),
}
"""Where a run came from: the heading of each row, and its cell for one report."""
