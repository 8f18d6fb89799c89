"""
Cost gate degraded.

Fires when nobody could say what a case of the loop report cost, and the baseline could, or does not have the case.
Stays quiet for a case whose cost gate was degraded in the baseline as well; it never moves the verdict.
Blind spot: a price that is known and wrong.

Only for reports of `evalgate loop report`: no other format has a cost gate.
"""

from evalgate.report import LOOP_FORMAT, Case
from evalgate.signals._signal import Page, Pair, Signal, itself, named
from evalgate.verdict import Severity


def find(pair: Pair) -> list[str]:
    """Return the names of the cases whose cost gate is newly degraded, in the order of the after report."""
    known = pair.before_by_name
    return [
        case.name
        for case in pair.after.cases
        if _degraded(case) and (case.name not in known or not _degraded(known[case.name]))
    ]


def _degraded(case: Case) -> bool:
    return case.loop is not None and case.loop.cost_degraded


def _near(pair: Pair, name: str) -> str | None:
    both = pair.both(name)
    known = both is not None and _degraded(both[0]) and _degraded(both[1])
    return f"nobody knows what {name} cost, as in the baseline" if known else None


SIGNAL = Signal[str](
    key="COST_GATE_DEGRADED",
    json_field="costGateDegraded",
    severity=Severity.INFO,
    relative=True,
    format=LOOP_FORMAT,
    find=find,
    near=_near,
    encode=named,
    word="COST_GATE_DEGRADED_CASE",
    detail=named,
    cases=itself,
    row=itself,
    page=Page(
        title="Cost gate degraded",
        fires_when="""\
A case of a loop report ran without anybody knowing its cost (`costGate: degraded`, or no run summary at all), and in
the baseline its cost was known, or the case is new.""",
        stays_quiet="""\
It was degraded in the baseline as well. Reports of every other tool have no cost gate: there the rule does not exist,
and has no line.""",
        missed="A price that is known and wrong.",
        why="""\
A budget that nobody watches cannot trip, so [Soft budget tripped](#soft-budget-tripped) is silent about such a case,
and whoever reads that silence has to know. It says nothing about the result, so it moves no verdict.""",
        to_do="Find out why the service had no price for the model, or why the run ended without a summary.",
        next_step="Find out why the service had no price for the model, or why the run ended without a summary.",
    ),
)
