"""
Soft budget tripped.

Fires when a case of a loop report reached its soft cost limit and did not in the baseline.
Stays quiet for a case that reached it in the baseline as well, and for one that the baseline does not have.
Blind spot: how far beyond the limit it went, and a case that stayed just below.

Only for reports of `evalgate loop report`: no other format has a budget that the run itself watches.
"""

from collections.abc import Iterable, Sequence

from evalgate.options import GateOptions
from evalgate.report import LOOP_FORMAT, Case
from evalgate.signals._signal import Page, Pair, Signal, count, itself, name_some, named
from evalgate.verdict import Severity


def find(pair: Pair) -> list[str]:
    """Return the names of the cases that newly tripped their budget, in the order of the after report."""
    return [after.name for before, after in pair.changed if _tripped(after) and not _tripped(before)]


def _tripped(case: Case) -> bool:
    return case.loop is not None and case.loop.budget_soft_tripped


def _reasons(found: Sequence[str], options: GateOptions) -> Iterable[str]:
    del options
    yield f"{count(len(found), 'case')} reached the soft budget and did not in the baseline: {name_some(found)}"


def _near(pair: Pair, name: str) -> str | None:
    both = pair.both(name)
    known = both is not None and _tripped(both[0]) and _tripped(both[1])
    return f"{name} reached the soft budget, and did in the baseline, too" if known else None


SIGNAL = Signal[str](
    key="BUDGET_SOFT_TRIPPED",
    json_field="budgetSoftTripped",
    severity=Severity.WARN,
    relative=True,
    format=LOOP_FORMAT,
    find=find,
    near=_near,
    encode=named,
    reasons=_reasons,
    word="BUDGET_SOFT_TRIPPED_CASE",
    detail=named,
    cases=itself,
    row=itself,
    page=Page(
        title="Soft budget tripped",
        fires_when="""\
A case of a loop report is in both reports, the run was asked to wrap up since its soft cost limit was reached, and it
was not in the baseline.""",
        stays_quiet="""\
The baseline tripped it as well, or does not have the case. Reports of every other tool have no such budget: there the
rule does not exist, and has no line.""",
        missed="""\
How far beyond the limit the run went; a case just below it. Where the cost gate is degraded
([Cost gate degraded](#cost-gate-degraded)), nobody watched the cost, so nothing could trip.""",
        why="""\
A run that is asked to wrap up delivers its best effort, which is not what the task was worth before. It is a WARN and
no FAIL: the gates say whether the result holds.""",
        to_do="""\
Look at cost, tokens and repairs of the case on both sides. If the growth is wanted, raise the limit of the service and
refresh the baseline.""",
        next_step="Look at cost, tokens and repairs of the case; if the growth is wanted, raise the limit.",
    ),
)
