"""
The rules of the input contract that span fields: what a valid field can still get wrong together with another.

Each function takes what the models have checked and yields faults; none of them changes anything.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from evalgate.faults import MISSING, Fault
from evalgate.formats.dsh_eval_harness.model import Attempt, CaseModel, Header, Reliability, Run, TokenUsage
from evalgate.formats.instants import instant
from evalgate.numbers import Number, exact, number_text, plain_number

_RATE_TOLERANCE = 1e-9
_SUM_TOLERANCE = Fraction(1, 10**9)
"""Relative; only totals with a fraction need it, since the harness adds doubles in an order of its own."""


def has_history(case: CaseModel) -> bool:
    """Whether the report kept the case's attempts. Reports from before attempt history did not."""
    return "attempt_results" in case.model_fields_set


def header_faults(header: Header, *, legacy: bool) -> Iterator[Fault]:
    """Check the times, and that only a legacy report lacks some of them."""
    if not legacy:
        for name, value in (("finishedAt", header.finished_at), ("durationMs", header.duration_ms)):
            if value is None:
                yield Fault(name, "is required in schemaVersion 1")
    begin, end = instant(header.started_at), instant(header.finished_at or header.started_at)
    if begin is not None and end is not None and end < begin:
        yield Fault("finishedAt", f"must not be before startedAt, {header.started_at}", header.finished_at)


def summary_faults(header: Header, number: Counter[str]) -> Iterator[Fault]:
    """Check that the summary counts what the cases say."""
    summary = header.summary
    counts = (
        ("total", "of cases", summary.total, number.total()),
        ("passed", "of passing cases", summary.passed, number["pass"]),
        ("failed", "of failing cases", summary.failed, number["fail"]),
        ("errored", "of errored cases", summary.errored, number["error"]),
    )
    for name, what, said, counted in counts:
        if said != counted:
            yield Fault(f"summary.{name}", f"must be the number {what}, {counted}", said)


def case_faults(case: CaseModel, place: str, *, legacy: bool) -> Iterator[Fault]:
    """Check one case: its runs, its attempts, its trials, and that status and history agree."""
    yield from _run_faults(case, place, legacy=legacy)
    if has_history(case):
        attempts = case.attempt_results
        for position, attempt in enumerate(attempts):
            yield from _run_faults(attempt, f"{place}.attemptResults[{position}]", legacy=legacy)
            if attempt.index != position + 1:
                yield Fault(
                    f"{place}.attemptResults[{position}].index",
                    f"must be {position + 1}: 1, 2, 3 in order",
                    attempt.index,
                )
        if case.attempts != len(attempts):
            yield Fault(f"{place}.attempts", f"must be the number of attemptResults, {len(attempts)}", case.attempts)
        elif case.reliability is None:
            yield from _retry_faults(case, attempts[-1], place)
        elif len(attempts) > 1 or case.reliability.trials == 1:
            # One attempt beside several trials is no history: it was made from the case when its trials were not kept.
            yield from _history_faults(case, case.reliability, place)
    if case.reliability is not None:
        yield from _trial_faults(case, case.reliability, place)


def _run_faults(run: Run, place: str, *, legacy: bool) -> Iterator[Fault]:
    if not legacy:
        for name, value in (("events", run.events), ("skippedLines", run.skipped_lines)):
            if value is None:
                yield Fault(f"{place}.{name}", "is required in schemaVersion 1", MISSING)
    yield from _total_faults(run.tokens, f"{place}.tokens.total")


def _total_faults(tokens: TokenUsage, place: str) -> Iterator[Fault]:
    parts: tuple[Number, ...] = (tokens.input, tokens.output, tokens.reasoning)
    if all(isinstance(number, int) for number in (tokens.total, *parts)):
        counted, allowed = Fraction(sum(parts)), Fraction(0)
    else:
        # As fractions: the sum of two finite doubles need not be one.
        counted = sum(map(exact, parts), Fraction(0))
        allowed = _SUM_TOLERANCE * counted
    if abs(exact(tokens.total) - counted) > allowed:
        yield Fault(place, f"must be input + output + reasoning, {number_text(plain_number(counted))}", tokens.total)


def _retry_faults(case: CaseModel, last: Attempt, place: str) -> Iterator[Fault]:
    """Check retry mode: the last attempt is the one that counts."""
    if case.status != last.status:
        yield Fault(f"{place}.status", f'must be the status of the last attempt, "{last.status}"', case.status)


def _history_faults(case: CaseModel, reliability: Reliability, place: str) -> Iterator[Fault]:
    """Check that the trials are the attempts."""
    trials = len(case.attempt_results)
    passes = sum(attempt.status == "pass" for attempt in case.attempt_results)
    if reliability.trials != trials:
        yield Fault(
            f"{place}.reliability.trials", f"must be the number of attemptResults, {trials}", reliability.trials
        )
    if reliability.passes != passes:
        rule = f"must be the number of passing attemptResults, {passes}"
        yield Fault(f"{place}.reliability.passes", rule, reliability.passes)


def _trial_faults(case: CaseModel, reliability: Reliability, place: str) -> Iterator[Fault]:
    """Check trials mode: the case passes if and only if any trial passed, whichever came last."""
    trials, passes = reliability.trials, reliability.passes
    if passes > trials:
        yield Fault(f"{place}.reliability.passes", f"must not be more than the trials, {trials}", passes)
        return
    if (case.status == "pass") != (passes > 0):
        rule = 'must be "pass", since a trial passed' if passes else 'must not be "pass", since no trial passed'
        yield Fault(f"{place}.status", rule, case.status)
    if abs(reliability.success_rate - passes / trials) > _RATE_TOLERANCE:
        rule = f"must be passes / trials, {passes / trials}"
        yield Fault(f"{place}.reliability.successRate", rule, reliability.success_rate)
