"""
Flaky cases that got worse.

Fires when a case is flaky in both reports and needs more attempts now than in the baseline.
Stays quiet for a case that is newly flaky or needs no more attempts than before; it never moves the verdict.
Blind spot: luck; one run says little about how often a case has to be repeated.
"""

from typing import NamedTuple

from evalgate.report import Case, Fact
from evalgate.signals._signal import Page, Pair, Signal
from evalgate.verdict import Severity


class Worsened(NamedTuple):
    """A case that was retried more often than before."""

    name: str
    before: int
    """Attempts that did not pass."""
    after: int


def find(pair: Pair) -> list[Worsened]:
    """Return the cases that needed more retries, in the order of the after report."""
    return [
        Worsened(after.name, _retries(before), _retries(after))
        for before, after in pair.changed
        if before.flaky and after.flaky and _retries(after) > _retries(before)
    ]


def _retries(case: Case) -> int:
    """Return the attempts that did not pass: of a passing case all but the last, or all but one a trial."""
    return case.attempts - (1 if case.trials is None else case.trials.trials)


SIGNAL = Signal[Worsened](
    key="FLAKY_WORSENED",
    json_field="flakyWorsened",
    severity=Severity.INFO,
    relative=True,
    find=find,
    needs=Fact.FLAKY,
    encode=lambda case: {"name": case.name, "before": case.before, "after": case.after},
    optional=True,
    worse=True,
    word="FLAKY_WORSENED",
    detail=lambda case: f"{case.name}: {case.before} -> {case.after} failed attempts",
    cases=lambda case: (case.name,),
    columns=("case", "failed attempts before", "failed attempts after"),
    row=lambda case: (case.name, str(case.before), str(case.after)),
    page=Page(
        title="Flaky cases that got worse",
        fires_when="A case is flaky in both reports, and more of its attempts failed than in the baseline.",
        stays_quiet="The case is newly flaky ([New flaky cases](#new-flaky-cases)), or not more attempts failed.",
        missed="How often a case fails in truth: one run is one draw. Trials measure it.",
        why="""\
[New flaky cases](#new-flaky-cases) stays silent about a flake that the baseline has, so one that goes from one retry
to three is invisible to it. That is the price of a WARN that is read; this line makes the price visible and moves
no verdict.""",
        to_do="Repair the case, or run it as trials to see how often it passes.",
        next_step="Repair it, or run it as trials to see how often it passes.",
    ),
)
