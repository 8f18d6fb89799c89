"""
Repair increases.

Fires when a case of a loop report needed more repairs than in the baseline.
Stays quiet for a case that needed as many or fewer, and for one that only one of the two reports has.
Blind spot: luck; one run of a task is one draw, and a model that writes a worse first version once is no worse model.

Only for reports of `evalgate loop report`: no other format has repairs, and a count of 0 would say that it had.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalgate.options import GateOptions
from evalgate.report import LOOP_FORMAT
from evalgate.signals._signal import Page, Pair, Signal, count, name_some
from evalgate.verdict import Severity


class RepairIncrease(NamedTuple):
    """A case that was sent back more often than before."""

    name: str
    before: int
    """Repairs, >= 0."""
    after: int


def find(pair: Pair) -> list[RepairIncrease]:
    """Return the cases that needed more repairs, in the order of the after report."""
    return [
        RepairIncrease(after.name, before.loop.repairs, after.loop.repairs)
        for before, after in pair.changed
        if before.loop is not None and after.loop is not None and after.loop.repairs > before.loop.repairs
    ]


def _reasons(found: Sequence[RepairIncrease], options: GateOptions) -> Iterable[str]:
    del options
    yield (
        f"{count(len(found), 'case')} needed more repairs than in the baseline: "
        f"{name_some([case.name for case in found])}"
    )


def _near(pair: Pair, name: str) -> str | None:
    both = pair.both(name)
    if both is None or both[0].loop is None or both[1].loop is None or not both[1].loop.repairs:
        return None
    return f"{name} needed {count(both[1].loop.repairs, 'repair')}, and {both[0].loop.repairs} in the baseline"


SIGNAL = Signal[RepairIncrease](
    key="REPAIR_INCREASES",
    json_field="repairIncreases",
    severity=Severity.WARN,
    relative=True,
    format=LOOP_FORMAT,
    find=find,
    near=_near,
    encode=lambda case: {"name": case.name, "before": case.before, "after": case.after},
    reasons=_reasons,
    word="REPAIR_INCREASE",
    detail=lambda case: f"{case.name}: {case.before} -> {count(case.after, 'repair')}",
    cases=lambda case: (case.name,),
    columns=("case", "repairs before", "repairs after"),
    row=lambda case: (case.name, str(case.before), str(case.after)),
    page=Page(
        title="Repair increases",
        fires_when="""\
A case of a loop report (`evalgate loop report`) is in both reports, and the gate sent the agent back more often than in
the baseline, whatever the status on either side.""",
        stays_quiet="""\
It needed as many repairs or fewer, or only one report has it. Reports of every other tool have no repairs: there the
rule does not exist, and has no line.""",
        missed="""\
How often a case needs a repair in truth: one run is one draw. A slow rise over several baselines that are each
refreshed.""",
        why="""\
A loop hides what a single answer would show: the game is green in the end, and what it took to get there is the first
sign that a model, a prompt or a template got worse. It is a WARN since the result is still right; green after repairs
is no flakiness, for the rounds depend on each other.""",
        to_do="""\
`evalgate explain AFTER CASE --before BEFORE` shows the rounds of both sides with their gates. Look at the gate that was
red in the first round and was green at once before; if most cases rose alike, look at the prompt, the scaffold or the
model before the cases.""",
        next_step="Look at the first red round of the case, and at the prompt or the model if most cases rose alike.",
    ),
)
