"""
Removed cases.

Fires when a case of the before report is not in the after report.
Stays quiet for a case that is there and fails, however badly.
Blind spot: why it is gone; a deleted case, a renamed one and a filter look the same.
"""

from collections.abc import Iterable, Sequence

from evalgate.options import GateOptions
from evalgate.signals._signal import Page, Pair, Signal, count, itself, name_some, named
from evalgate.verdict import Severity


def find(pair: Pair) -> list[str]:
    """Return the names of the cases that are gone, in the order of the before report."""
    return [case.name for case in pair.removed()]


def _reasons(names: Sequence[str], options: GateOptions) -> Iterable[str]:
    del options
    are = "is" if len(names) == 1 else "are"
    yield f"{count(len(names), 'case')} of the baseline {are} gone and {are} not judged: {name_some(names)}"


SIGNAL = Signal[str](
    key="REMOVED",
    json_field="removed",
    severity=Severity.WARN,
    relative=True,
    find=find,
    encode=named,
    reasons=_reasons,
    word="REMOVED_CASE",
    detail=named,
    cases=lambda name: (),
    row=itself,
    page=Page(
        title="Removed cases",
        fires_when="A case is in the before report and not in the after report.",
        stays_quiet="The case is still there, whatever its status.",
        missed="Why the case is gone. A deleted case, a renamed one and a run that was filtered look the same.",
        why="""\
A case that is not run cannot break: taking it out is the cheapest way to a green run. So it is said aloud. It
is not a FAIL, since suites do change, and whoever takes a case out should only have to say so.""",
        to_do="""\
Check that the cases were taken out on purpose, and that the run was not filtered to a part of the suite. Then
make this run the baseline.""",
        next_step="Check that it was taken out on purpose and the run was not filtered, then refresh the baseline.",
    ),
)
