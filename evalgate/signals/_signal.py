"""
What a rule is. Read this first, then flaky.py: it is the rule to copy.

A rule is one frozen record and one pure function `find` over the facts of both reports. It prints nothing, reads
nothing and knows no other rule; renderers know no rule by name and use only what stands in the record.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from evalgate.options import DEFAULTS, GateOptions
from evalgate.report import DSH_FORMAT, Case, Fact, Report
from evalgate.verdict import Severity

F = TypeVar("F")
"""One finding: a case name, or a NamedTuple with the before and after of what changed."""

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True)
class Pair:
    """The facts of both reports, matched by case name, and the thresholds of the comparison."""

    before: Report
    after: Report
    options: GateOptions = DEFAULTS

    def tell(self, fact: Fact, *, before: bool, after: bool) -> bool:
        """Whether the named sides carry a fact, in a way that lets them be held against each other."""
        here, there = fact in self.after.carries, fact in self.before.carries
        if fact is Fact.TOKENS and self.before.format != self.after.format:
            # Every format counts them in its own way: with the cache or without, reasoning inside or beside.
            return False
        if fact is Fact.FLAKY and (self.before.format, self.before.tool) == (self.after.format, self.after.tool):
            # Some producers write about retries only when there were any: then a run without is one that says so.
            return here or there
        return (here or not after) and (there or not before)

    @property
    def subject(self) -> str:
        """What has the version that `version_change` tells of."""
        return "dsh" if self.after.format == DSH_FORMAT else "the version under test"

    @cached_property
    def before_by_name(self) -> Mapping[str, Case]:
        """The cases of the before report by name."""
        return {case.name: case for case in self.before.cases}

    @cached_property
    def after_by_name(self) -> Mapping[str, Case]:
        """The cases of the after report by name."""
        return {case.name: case for case in self.after.cases}

    def both(self, name: str) -> tuple[Case, Case] | None:
        """Return (before, after) of a case, None unless both reports have it."""
        before, after = self.before_by_name.get(name), self.after_by_name.get(name)
        return None if before is None or after is None else (before, after)

    @cached_property
    def compared(self) -> int:
        """How many cases both reports have."""
        known = self.before_by_name
        return sum(case.name in known for case in self.after.cases)

    def removed(self) -> Iterable[Case]:
        """Return the cases that only the before report has, in its order."""
        if self.compared == len(self.before.cases):
            # A set of a million names is not made to find that none is gone.
            return ()
        names = frozenset(case.name for case in self.after.cases)
        return (case for case in self.before.cases if case.name not in names)

    @property
    def version_change(self) -> tuple[str, str] | None:
        """The version of dsh before and after, None unless both reports say it and the two differ."""
        before, after = self.before.dsh_version, self.after.dsh_version
        return None if before is None or after is None or before == after else (before, after)

    def was_flaky(self, name: str) -> bool:
        """Whether the baseline has the case, and has it as flaky."""
        earlier = self.before_by_name.get(name)
        return earlier is not None and earlier.flaky

    def matched(self) -> Iterable[tuple[Case, Case]]:
        """Yield (before, after) of each case that both reports have, in the order of the after report."""
        known = self.before_by_name
        for case in self.after.cases:
            earlier = known.get(case.name)
            if earlier is not None:
                yield earlier, case

    @cached_property
    def changed(self) -> Sequence[tuple[Case, Case]]:
        """Those of `matched` in which anything but the tokens differs: equal traits are one object, and few differ."""
        return [
            (before, after)
            for before, after in self.matched()
            if before.traits is not after.traits and before.traits != after.traits
        ]

    def added(self) -> Iterable[Case]:
        """Yield the cases that only the after report has, in its order."""
        known = self.before_by_name
        return (case for case in self.after.cases if case.name not in known)


@dataclass(frozen=True, kw_only=True)
class Page:
    """
    What a person should know about a rule, in Markdown.

    docs/signals.md and `evalgate signals NAME` are both made from it.
    """

    title: str
    """The heading; its anchor in docs/signals.md follows from it."""
    fires_when: str
    stays_quiet: str
    missed: str
    """What the rule knowingly does not see, and what to use instead."""
    why: str
    """Why the rule is as it is, and the alternative that was not taken."""
    to_do: str
    """What the engineer who was stopped by it does next."""
    next_step: str
    """`to_do` in one sentence, for report.md and the terminal."""

    @property
    def anchor(self) -> str:
        """The fragment of the heading in docs/signals.md."""
        return "".join(c for c in self.title.lower().replace(" ", "-") if c.isalnum() or c == "-")


@dataclass(frozen=True, kw_only=True)
class Signal(Generic[F]):
    """
    One rule.

    `key`, the word of `detail` and `json_field` are each spelled out: they are contract, and do not follow from one
    another (`REPEATED_ERROR_SIGNATURES=`, `ERROR_SIGNATURE ...`, `repeatedErrorSignatures`).
    """

    key: str
    """The summary line, `FLAKY` in `FLAKY=2`."""
    json_field: str
    severity: Severity
    relative: bool
    """Whether it can only fire on a change against the baseline: then a report against itself is silent."""
    page: Page
    find: Callable[[Pair], Sequence[F]]
    """Return the findings, in the contract's order."""
    needs: Fact | None = None
    """What the rule looks at beside names and statuses. Where a report does not carry it, the rule does not run."""
    looks_before: bool = True
    """Whether it needs that fact of the before report."""
    looks_after: bool = True
    """Whether it needs that fact of the after report."""
    format: str | None = None
    """
    The one format whose reports the rule is about; None for all.

    Not a `Fact`: a fact that a format lacks is a gap, named in SIGNALS_UNAVAILABLE and as N/A. A report of single
    answers has no repairs that somebody failed to count, so there such a rule is no gap, it is absent.
    """
    optional: bool = False
    """Whether its summary line is printed only when it fires: a rule that most comparisons have no use for."""
    worse: bool = False
    """Whether its findings say that something got worse, although no verdict comes of it."""
    encode: Callable[[F], Json]
    """Return the JSON form of one finding."""
    reasons: Callable[[Sequence[F], GateOptions], Iterable[str]] = field(default=lambda findings, options: ())
    """Yield the sentences that explain the findings to a person; none for what is only listed."""
    word: str = ""
    """The first word of a detail line, `FLAKY_CASE` in `FLAKY_CASE name`; empty when the rule has none."""
    detail: Callable[[F], str] | None = None
    """Return what follows the word in the greppable line of one finding."""
    story: Callable[[F], str | None] = field(default=lambda finding: None)
    """Return the whole incident in one line, where a finding is one: `INCIDENT ...`, and the top of report.md."""
    near: Callable[[Pair, str], str | None] = field(default=lambda pair, name: None)
    """Return why the rule nearly fired on the case of this name, None when it was not near; for `evalgate explain`."""
    scalar: Callable[[F], str] | None = None
    """For a rule about the run as a whole: the value of its `KEY=` line, one per finding; none when it is silent."""
    single: bool = False
    """Whether there can be one finding at the most: then its JSON field is that finding, and absent without one."""
    cases: Callable[[F], Sequence[str]]
    """Return the names of the cases whose evidence belongs to the finding."""
    columns: tuple[str, ...] = ("case",)
    """The headings of the findings' table in report.md."""
    row: Callable[[F], tuple[str, ...]]
    """Return the cells of one finding, as many as there are columns."""

    def concerns(self, pair: Pair) -> bool:
        """Whether the rule is about reports of this format at all; the after report decides."""
        return self.format is None or self.format == pair.after.format

    def can_tell(self, pair: Pair) -> bool:
        """Whether the reports carry what the rule looks at."""
        return self.needs is None or pair.tell(self.needs, before=self.looks_before, after=self.looks_after)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that a person may know the rule by."""
        return tuple(dict.fromkeys(name for name in (self.key, self.json_field, self.page.anchor, self.word) if name))


@dataclass(frozen=True)
class Fired(Generic[F]):
    """One rule and what it found in one comparison; possibly nothing."""

    signal: Signal[F]
    findings: tuple[F, ...]
    ran: bool = True
    """Whether the reports carry what the rule looks at. If not, that it found nothing says nothing."""

    def reasons(self, options: GateOptions) -> Iterable[str]:
        """Yield the sentences for a person; none when the rule found nothing."""
        return self.signal.reasons(self.findings, options) if self.findings else ()


def stories(fired: Fired[F]) -> Iterable[str]:
    """Yield the incidents among the findings of a rule."""
    return (story for story in map(fired.signal.story, fired.findings) if story is not None)


def named(name: str) -> str:
    """Return the finding itself, where it is a case name: the `encode` and the `detail` of such a rule."""
    return name


def itself(name: str) -> tuple[str]:
    """Return the one case of a finding that is a case name: the `cases` and the `row` of such a rule."""
    return (name,)


def count(number: int, one: str, many: str | None = None) -> str:
    """Return `1 case`, `2 cases`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def name_some(names: Sequence[str], limit: int = 5) -> str:
    """Return the first names and how many more there are: a reason is read, the detail lines are complete."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
