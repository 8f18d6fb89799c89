"""
Repeated error signatures.

Fires when one signature stands in two or more failing attempts of the after report, across cases and attempts.
Stays quiet for a signature that occurs once, and for crashes that have no signature.
Blind spot: one cause under two signatures; the grammar prefers silence to a wrong grouping.

Not relative: a fault that two attempts share is shared state now, whether or not the baseline had it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalgate.options import GateOptions
from evalgate.report import Case, Fact
from evalgate.signals._signal import Page, Pair, Signal, count, name_some
from evalgate.verdict import Severity

_REPEATED = 2
"""Fixed by design: two is exactly the size at which the incident was caught."""


class RepeatedSignature(NamedTuple):
    """One signature and where it stands."""

    signature: str
    occurrences: int
    """Failing attempts that have it."""
    cases: tuple[str, ...]
    """The cases of those attempts, in the order of the after report."""
    in_baseline: int
    """Failing attempts of the before report that have it."""
    recovered: int
    """How many of the cases pass now since a retry did; trials are no retries."""
    newly_flaky: int
    """How many of the cases are flaky now and were not before."""
    versions: tuple[str, str] | None
    """The version under test before and after, where it changed."""
    subject: str = "dsh"
    """What has that version."""
    repaired: int = 0
    """How many of the cases pass now since the loop repaired them."""

    @property
    def incident(self) -> str | None:
        """
        The whole story in one line, when the signature comes with new flakiness: that is what the incident looked like.

        Told from the facts, not from what other rules found: no rule falls silent because another one speaks.
        """
        if not self.newly_flaky:
            return None
        if self.recovered == len(self.cases):
            outcome = "recovered on retry"
        else:
            outcome = f"{self.recovered} of {len(self.cases)} cases recovered on retry"
        text = (
            f"{self.signature}: {count(self.occurrences, 'attempt')} in {count(len(self.cases), 'case')} "
            f"[{', '.join(self.cases)}], {self.in_baseline} in baseline, {outcome}"
        )
        return text if self.versions is None else f"{text}, {self.subject} {self.versions[0]} -> {self.versions[1]}"


def find(pair: Pair) -> list[RepeatedSignature]:
    """Return the repeated signatures: most occurrences first, then by code point."""
    occurrences: dict[str, int] = {}
    cases: dict[str, list[Case]] = {}
    for case in pair.after.cases:
        for signature in case.signatures:
            occurrences[signature] = occurrences.get(signature, 0) + 1
            holders = cases.setdefault(signature, [])
            if not holders or holders[-1] is not case:
                holders.append(case)
    in_baseline = dict.fromkeys(occurrences, 0)
    for case in pair.before.cases:
        for signature in case.signatures:
            if signature in in_baseline:
                in_baseline[signature] += 1
    repeated = [
        RepeatedSignature(
            signature=signature,
            occurrences=number,
            cases=tuple(case.name for case in cases[signature]),
            in_baseline=in_baseline[signature],
            recovered=sum(
                not case.failing and case.trials is None and not _repaired(case) for case in cases[signature]
            ),
            repaired=sum(map(_repaired, cases[signature])),
            newly_flaky=sum(case.flaky and not pair.was_flaky(case.name) for case in cases[signature]),
            versions=pair.version_change,
            subject=pair.subject,
        )
        for signature, number in occurrences.items()
        if number >= _REPEATED
    ]
    return sorted(repeated, key=lambda found: (-found.occurrences, found.signature))


def _repaired(case: Case) -> bool:
    """Tell whether a case passes since its agent was sent back; one that a rerun cleared is flaky."""
    return case.loop is not None and not case.failing and not case.flaky


def _reasons(found: Sequence[RepeatedSignature], options: GateOptions) -> Iterable[str]:
    del options
    for repeated in found:
        recovered = f", {repeated.recovered} recovered on retry" if repeated.recovered else ""
        # Nobody ran these again: the agent was sent back, and changed what crashed.
        recovered += f", {repeated.repaired} recovered by a repair" if repeated.repaired else ""
        change = (
            f", after {repeated.subject} {repeated.versions[0]} -> {repeated.versions[1]}" if repeated.versions else ""
        )
        yield (
            f"{repeated.occurrences} failing attempts in {count(len(repeated.cases), 'case')} died of "
            f"{repeated.signature} ({name_some(repeated.cases)}), {repeated.in_baseline} in the baseline{recovered}"
            f"{change}: look for one shared cause"
        )


def _near(pair: Pair, name: str) -> str | None:
    case = pair.after_by_name.get(name)
    if case is None or not case.signatures:
        return None
    return f"{case.signatures[0]} occurs once; it takes {_REPEATED} to be a pattern"


SIGNAL = Signal[RepeatedSignature](
    key="REPEATED_ERROR_SIGNATURES",
    json_field="repeatedErrorSignatures",
    severity=Severity.WARN,
    relative=False,
    find=find,
    near=_near,
    needs=Fact.SIGNATURES,
    looks_before=False,
    encode=lambda found: {
        "signature": found.signature,
        "occurrences": found.occurrences,
        "cases": list(found.cases),
        "baselineOccurrences": found.in_baseline,
        "incident": found.incident,
    },
    reasons=_reasons,
    word="ERROR_SIGNATURE",
    detail=lambda found: f"{found.signature}: x{found.occurrences} across [{', '.join(found.cases)}]",
    story=lambda found: found.incident,
    cases=lambda found: found.cases,
    columns=("signature", "failing attempts", "in the baseline", "cases"),
    row=lambda found: (
        found.signature,
        str(found.occurrences),
        str(found.in_baseline),
        name_some(found.cases, 20),
    ),
    page=Page(
        title="Repeated error signatures",
        fires_when="""\
One error signature, `<error code>@<function of the topmost application frame>`, was read from the stderr of two
or more failing attempts of the after report, across cases and attempts.""",
        stays_quiet="""\
Each signature occurs once, or the crashes have none: a generic class without an application frame (`TypeError`)
and output that is not an error report are no signature. `evalgate signature FILE` shows what a stderr text
reads as.""",
        missed="""\
One cause that dies under two signatures. Two causes under one name would send an engineer the wrong way, a
missing group only leaves him where he was, so the grammar prefers silence.""",
        why="""\
Flaky says that something shakes; the signature says that it shakes in one place, so the cause is shared: a race
upstream, a broken machine, a full disk. It looks at the after report alone, since a shared fault that was there
before is still one. The two is not configurable: it is the size at which the incident was caught. It is
computed when a report is read and never stored in one, so a better grammar reads old reports better, and may
read them differently.""",
        to_do="""\
Look for what the cases share, not at the cases: a folder, a port, a cache, an upgrade of the agent. The
attempts in report.md show how close together they died. Run the suite once with one case at a time: a race then
disappears.""",
        next_step="Look for what these cases share (a folder, a port, a cache, an upgrade), not at each case.",
    ),
)
