"""The judgement: facts of two reports in, verdict and findings out. Pure: no clock, no file, no terminal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evalgate.options import DEFAULTS, GateOptions
from evalgate.report import Report
from evalgate.signals import SIGNALS, Fired, Pair
from evalgate.verdict import Verdict, verdict_of


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """
    What one comparison came to.

    `fired` holds every registered rule in the registry's order, also those that found nothing, so that a renderer can
    print a count for each.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    """Sentences for a person, at least one. They hold names out of the reports: escape them before printing."""
    fired: tuple[Fired[Any], ...]
    compared: int
    """Cases that are in both reports."""
    before: Report | None
    """None when there was no before report."""
    after: Report
    options: GateOptions = DEFAULTS

    def by_severity(self) -> list[Fired[Any]]:
        """Return the rules that found something, most severe first, within one severity in the registry's order."""
        return by_severity(self.fired)


def by_severity(fired: Iterable[Fired[Any]]) -> list[Fired[Any]]:
    """Return the rules that found something, most severe first; the sort is stable, so the registry's order remains."""
    return sorted((one for one in fired if one.findings), key=lambda one: -one.signal.severity)


def compare(before: Report | None, after: Report, options: GateOptions = DEFAULTS) -> GateResult:
    """
    Judge `after` against `before`.

    `before` is None when there is no baseline yet: then, and when `after` has no case, the verdict is N/A.
    """
    if before is None:
        return GateResult(
            verdict=Verdict.NOT_APPLICABLE,
            reasons=("there is no before report: nothing was compared",),
            fired=tuple(Fired(signal, ()) for signal in SIGNALS),
            compared=0,
            before=None,
            after=after,
            options=options,
        )
    pair = Pair(before, after, options)
    fired = tuple(Fired(signal, tuple(signal.find(pair))) for signal in SIGNALS)
    highest = max((one.signal.severity for one in fired if one.findings), default=None)
    verdict = verdict_of(highest) if after.cases else Verdict.NOT_APPLICABLE
    return GateResult(
        verdict=verdict,
        reasons=tuple(_reasons(verdict, fired, pair)),
        fired=fired,
        compared=pair.compared,
        before=before,
        after=after,
        options=options,
    )


def _reasons(verdict: Verdict, fired: tuple[Fired[Any], ...], pair: Pair) -> Iterator[str]:
    """Yield what stands above the rules first, then what each rule says, most severe first."""
    if verdict is Verdict.NOT_APPLICABLE:
        yield "the after report holds no case: nothing was judged"
    elif not pair.before.cases:
        yield "the before report holds no case: nothing was compared"
    elif pair.compared == 0:
        yield "no case is in both reports, so nothing was compared: were cases renamed, or is it another suite?"
    elif verdict is Verdict.PASS:
        yield f"nothing got worse in {pair.compared} compared {'case' if pair.compared == 1 else 'cases'}"
    for one in by_severity(fired):
        yield from one.reasons(pair.options)
