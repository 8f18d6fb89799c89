"""
What is wrong with a baseline by itself. Pure: its facts and its age in, findings out.

The gate stays silent about what the baseline has, so somebody has to look at it: this is that look.
"""

from collections.abc import Iterator
from typing import NamedTuple

from evalgate.numbers import decimal_text, exact, rounded_down
from evalgate.options import GateOptions
from evalgate.report import Report
from evalgate.verdict import Verdict
from evalgate.wilson import lower_bound, trials_needed


class Check(NamedTuple):
    """One baseline, looked at."""

    verdict: Verdict
    """PASS, WARN when there is any finding, N/A without a case."""
    flaky: tuple[str, ...]
    """Cases that are flaky in it: their flakiness is not announced any more."""
    failing: tuple[str, ...]
    """Cases that do not pass in it, errors too."""
    too_few_trials: tuple["TooFew", ...]
    incomplete: tuple[str, ...]
    age_days: float | None
    """Since its run ended; None when it does not say."""
    too_old: bool
    in_future: bool
    """Whether it is dated more than a day ahead, so that its age says nothing."""
    reasons: tuple[str, ...]


class TooFew(NamedTuple):
    """A case whose number of trials cannot show the demanded success rate, even if all pass."""

    name: str
    trials: int
    needed: int | None
    """None when no number of trials can."""


def check(report: Report, options: GateOptions, *, age_days: float | None, max_age_days: float | None) -> Check:
    """Return what is wrong with a baseline of this age; `max_age_days` is None for any age."""
    flaky = tuple(case.name for case in report.cases if case.flaky)
    failing = tuple(case.name for case in report.cases if case.failing)
    few = tuple(_too_few(report, options))
    too_old = max_age_days is not None and (age_days is None or age_days > max_age_days)
    in_future = age_days is not None and age_days < -1
    found = flaky or failing or few or report.incomplete or too_old or in_future
    verdict = Verdict.NOT_APPLICABLE if not report.cases else Verdict.WARN if found else Verdict.PASS
    known = Check(verdict, flaky, failing, few, report.incomplete, age_days, too_old, in_future, ())
    return known._replace(reasons=tuple(_reasons(known, len(report.cases), max_age_days)))


def _too_few(report: Report, options: GateOptions) -> Iterator[TooFew]:
    threshold = options.success_rate
    if threshold is None:
        return
    needed = trials_needed(threshold)
    for case in report.cases:
        if case.trials is not None and lower_bound(case.trials.trials, case.trials.trials) < threshold:
            yield TooFew(case.name, case.trials.trials, needed)


def _reasons(found: Check, cases: int, max_age_days: float | None) -> Iterator[str]:
    if not cases:
        yield "the baseline holds no case: nothing can be compared with it"
    if found.flaky:
        yield f"{len(found.flaky)} flaky, which is not announced any more: repair them and accept a clean run"
    if found.failing:
        yield f"{len(found.failing)} not passing, which is not announced any more: repair them and accept a clean run"
    if found.too_few_trials:
        yield f"{len(found.too_few_trials)} with too few trials to show the threshold even if all pass: run more"
    if found.incomplete:
        yield f"the run was not whole: {found.incomplete[0]}"
    if found.too_old and found.age_days is None:
        yield "it does not say when it was made, so nobody can tell whether it is too old"
    elif found.too_old and found.age_days is not None and max_age_days is not None:
        age = rounded_down(found.age_days, 1)
        yield f"it is {age} days old, more than {decimal_text(exact(max_age_days))}: run it again"
    if found.in_future:
        yield "it is dated in the future: a clock is wrong, so nobody can tell whether it is too old"
    if found.verdict is Verdict.PASS:
        yield f"nothing is wrong with its {cases} {'case' if cases == 1 else 'cases'}"
