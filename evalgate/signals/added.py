"""
Added cases.

Fires when a case that passes is not in the before report.
Stays quiet for a new case that does not pass: that is a new failure.
Blind spot: a rename; it shows as one added and one removed case.
"""

from collections.abc import Iterable, Sequence

from evalgate.options import GateOptions
from evalgate.signals._signal import Page, Pair, Signal, count, itself, name_some, named
from evalgate.verdict import Severity


def find(pair: Pair) -> list[str]:
    """Return the names of the new cases that pass, in the order of the after report."""
    return [case.name for case in pair.added() if not case.failing]


def _reasons(names: Sequence[str], options: GateOptions) -> Iterable[str]:
    del options
    are = "is" if len(names) == 1 else "are"
    yield f"{count(len(names), 'passing case')} {are} not in the baseline: {name_some(names)}"


SIGNAL = Signal[str](
    key="ADDED",
    json_field="added",
    severity=Severity.WARN,
    relative=True,
    find=find,
    encode=named,
    reasons=_reasons,
    word="ADDED_CASE",
    detail=named,
    cases=lambda name: (),
    row=itself,
    page=Page(
        title="Added cases",
        fires_when="A case that passes is in the after report and not in the before report.",
        stays_quiet="A new case that fails or errors is a [new failure](#new-failures) instead.",
        missed="""\
Which cases belong together across a rename: names are compared exactly, so a rename is one added and one
removed case.""",
        why="""\
The set that is compared has moved, and the baseline does not hold the new case yet: if it breaks in the next
run before the baseline is refreshed, it will be called new again.""",
        to_do="Check that the case was meant to be added, then make a run that has it the new baseline.",
        next_step="Check that the case was meant to be added, then refresh the baseline.",
    ),
)
