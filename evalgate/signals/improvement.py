"""
Improvements.

Fires when a case failed or errored before and passes now.
Stays quiet for a case that passes on both sides.
Blind spot: why it passes; a case whose assertions were weakened improves as well.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalgate.options import GateOptions
from evalgate.report import Status
from evalgate.signals._signal import Page, Pair, Signal, count, name_some
from evalgate.verdict import Severity


class Improvement(NamedTuple):
    """A case that was repaired: its name and its status on both sides."""

    name: str
    before: Status
    after: Status


def find(pair: Pair) -> list[Improvement]:
    """Return the cases that pass now and did not before, in the order of the after report."""
    return [
        Improvement(after.name, before.status, after.status)
        for before, after in pair.changed
        if before.failing and not after.failing
    ]


def _reasons(found: Sequence[Improvement], options: GateOptions) -> Iterable[str]:
    del options
    verb = "passes" if len(found) == 1 else "pass"
    yield (
        f"{count(len(found), 'case')} {verb} now that failed in the baseline: "
        f"{name_some([case.name for case in found])}; the baseline no longer says what works"
    )


SIGNAL = Signal[Improvement](
    key="IMPROVEMENTS",
    json_field="improvements",
    severity=Severity.WARN,
    relative=True,
    find=find,
    encode=lambda case: {"name": case.name, "before": case.before.value, "after": case.after.value},
    reasons=_reasons,
    word="IMPROVEMENT",
    detail=lambda case: f"{case.name}: {case.before.value} -> {case.after.value}",
    cases=lambda case: (case.name,),
    columns=("case", "before", "after"),
    row=lambda case: (case.name, case.before.value, case.after.value),
    page=Page(
        title="Improvements",
        fires_when="A case failed or errored in the before report and passes in the after report.",
        stays_quiet="The case passes on both sides, or fails on both sides.",
        missed="Why the case passes. A case whose assertions were loosened improves in the same way.",
        why="""\
Good news is a WARN because the ground of the comparison has moved: until the baseline is refreshed, the same
case may break again and the gate will call that "failing in the baseline", which passes.""",
        to_do="Check that the case passes for the right reason, then make a run that has it the new baseline.",
        next_step="Check that it passes for the right reason, then refresh the baseline.",
    ),
)
