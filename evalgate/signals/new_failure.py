"""
New failures.

Fires when a case that the before report does not have fails or errors.
Stays quiet for a new case that passes: that is an added case.
Blind spot: whether the case ever worked; nothing is known of it before this run.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalgate.options import GateOptions
from evalgate.report import Status
from evalgate.signals._signal import Page, Pair, Signal, count, name_some
from evalgate.verdict import Severity


class NewFailure(NamedTuple):
    """A case without a past that does not pass."""

    name: str
    after: Status


def find(pair: Pair) -> list[NewFailure]:
    """Return the new cases that do not pass, in the order of the after report."""
    return [NewFailure(case.name, case.status) for case in pair.added() if case.failing]


def _reasons(found: Sequence[NewFailure], options: GateOptions) -> Iterable[str]:
    del options
    do = "does" if len(found) == 1 else "do"
    yield f"{count(len(found), 'new case')} {do} not pass: {name_some([case.name for case in found])}"


SIGNAL = Signal[NewFailure](
    key="NEW_FAILURES",
    json_field="newFailures",
    severity=Severity.FAIL,
    relative=True,
    find=find,
    encode=lambda case: {"name": case.name, "before": "absent", "after": case.after.value},
    reasons=_reasons,
    word="NEW_FAILURE",
    detail=lambda case: f"{case.name}: {case.after.value}",
    cases=lambda case: (case.name,),
    columns=("case", "before", "after"),
    row=lambda case: (case.name, "absent", case.after.value),
    page=Page(
        title="New failures",
        fires_when="A case that is not in the before report fails or errors in the after report.",
        stays_quiet="A new case that passes is an [added case](#added-cases).",
        missed="""\
Whether the case could pass before this change: nothing is known of it. A case that is expected to fail at first
has to say so in its own assertions.""",
        why="""\
If new failures were let in, renaming a broken case would turn a FAIL into a WARN. Judging a new case as
strictly as an old one closes that door without guessing which two names belong together.""",
        to_do="""\
Look at the removed cases as well: a removed and a new case with similar names are usually a rename. Otherwise
fix the case or the change before the case becomes part of the baseline.""",
        next_step="Make the new case pass, or check whether it is a renamed one (see the removed cases).",
    ),
)
