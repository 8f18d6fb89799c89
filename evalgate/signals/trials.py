"""
Changed trials.

Fires when a case was run as trials and the outcome is another one than before.
Stays quiet for the same outcome, and for a case that was run once in both reports; it never moves the verdict.
Blind spot: trials that influence one another; the test takes them as independent.
"""

from fractions import Fraction
from typing import NamedTuple

from evalgate.fisher import MOST_TRIALS, holm, one_sided
from evalgate.numbers import half_away
from evalgate.report import Case, Fact, Trials
from evalgate.signals._signal import Page, Pair, Signal
from evalgate.verdict import Severity


class ChangedTrials(NamedTuple):
    """A case whose trials came out differently."""

    name: str
    before: Trials
    after: Trials
    p: Fraction | None
    """Chance of so few passes after, or fewer, if nothing had changed; one-sided, exact. None for too many trials."""
    adjusted: Fraction | None
    """The same after Holm, over all cases of the run with trials on both sides."""


def find(pair: Pair) -> list[ChangedTrials]:
    """Return the cases whose trials came out differently, in the order of the after report."""
    both = [(after.name, *_counts(before, after)) for before, after in pair.matched() if before.trials or after.trials]
    values = [
        None
        if before.trials + after.trials > MOST_TRIALS
        else one_sided(before.passes, before.trials, after.passes, after.trials)
        for _, before, after in both
    ]
    adjusted = iter(holm([value for value in values if value is not None]))
    return [
        ChangedTrials(name, before, after, p, q)
        for (name, before, after), p in zip(both, values, strict=True)
        # Each p has its own adjusted value, also that of a case whose outcome is the same.
        for q in [None if p is None else next(adjusted)]
        if before != after
    ]


def _counts(before: Case, after: Case) -> tuple[Trials, Trials]:
    """Return the trials of both sides; a case that was run once had one trial."""
    first, second = (case.trials or Trials(1, int(not case.failing)) for case in (before, after))
    return first, second


def _text(value: Fraction | None) -> str:
    return "not computed" if value is None else half_away(value, 3)


def _share(trials: Trials) -> str:
    return f"{trials.passes}/{trials.trials}"


SIGNAL = Signal[ChangedTrials](
    key="TRIALS",
    json_field="trials",
    severity=Severity.INFO,
    relative=True,
    find=find,
    needs=Fact.TRIALS,
    encode=lambda case: {
        "name": case.name,
        "before": {"passes": case.before.passes, "trials": case.before.trials},
        "after": {"passes": case.after.passes, "trials": case.after.trials},
        "p": None if case.p is None else float(case.p),
        "pHolm": None if case.adjusted is None else float(case.adjusted),
    },
    optional=True,
    worse=True,
    word="TRIALS",
    detail=lambda case: (
        f"{case.name}: {_share(case.before)} -> {_share(case.after)} (one-sided Fisher p={_text(case.p)})"
    ),
    cases=lambda case: (case.name,),
    columns=("case", "passed before", "passed after", "p", "p after Holm"),
    row=lambda case: (
        case.name,
        _share(case.before),
        _share(case.after),
        _text(case.p),
        _text(case.adjusted),
    ),
    page=Page(
        title="Changed trials",
        fires_when="""\
A case was run as independent trials, and passed another number of them than before; a case that was run once in the
other report had one trial. The line gives the exact
one-sided p of Fisher's test: how likely so few passes, or fewer, would be if nothing had changed. JSON adds the value
after Holm's correction over all cases of the run with trials on both sides.""",
        stays_quiet="The outcome is the same, or the case was run once in both reports.",
        missed="""\
Dependence. Trials on one machine share its load, its network and its cache, so a bad hour hits many at once: p is
then too small, and the change looks surer than it is.""",
        why="""\
A case with trials passes when any of them passed, so 9 of 10 that become 5 of 10 change no status. The p value says
whether that can be luck: 9 of 10 and then 5 of 10 gives 0.070. It is information and no verdict, since a threshold on
p over hundreds of cases would fire by chance in every run. No normal approximation: with ten trials it is wrong.""",
        to_do="If p stays small after Holm's correction, treat it as a regression; otherwise run more trials.",
        next_step="If p stays small after Holm's correction, treat it as a regression; otherwise run more trials.",
    ),
)
