"""
Baseline failing cases.

Fires when a case of the before report fails or errors.
Stays quiet otherwise; it never moves the verdict.
Blind spot: whether it still fails for the same reason.
"""

from evalgate.signals._signal import Page, Pair, Signal, itself, named
from evalgate.verdict import Severity


def find(pair: Pair) -> list[str]:
    """Return the names of the cases that do not pass in the baseline, in the order of the before report."""
    return [case.name for case in pair.before.cases if case.failing]


SIGNAL = Signal[str](
    key="BASELINE_FAILING",
    json_field="baselineFailingCases",
    severity=Severity.INFO,
    relative=False,
    find=find,
    encode=named,
    word="BASELINE_FAILING_CASE",
    detail=named,
    cases=lambda name: (),
    row=itself,
    page=Page(
        title="Baseline failing cases",
        fires_when="A case fails or errors in the before report: a failure that the gate has been told to accept.",
        stays_quiet="Every case of the baseline passes. The after report plays no part.",
        missed="Whether the case still fails for the same reason, and whether it fails worse.",
        why="""\
A failure that the baseline already has passes by design, since it is not what this change did. It is counted in
sight, so that a green gate over a broken baseline does not look like a green gate over a working one.""",
        to_do="Repair the case or take it out on purpose, then refresh the baseline.",
        next_step="Repair it, then refresh the baseline: until then the gate accepts its failure.",
    ),
)
