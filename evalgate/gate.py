"""The judgement: facts of two reports in, verdict and findings out. Pure: no clock, no file, no terminal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from evalgate.errors import NotComparableError
from evalgate.options import DEFAULTS, GateOptions, TrialPolicy
from evalgate.report import LOOP_FORMAT, Case, Fact, Report, Status, Trials
from evalgate.signals import SIGNALS, Fired, Pair, Signal, name_some
from evalgate.verdict import Severity, Verdict, verdict_of


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """
    What one comparison came to.

    `fired` holds every registered rule that concerns the format, in the registry's order, also those that found
    nothing, so that a renderer can print a count for each.
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
    cleared: tuple[str, ...] | None = None
    """Cases that failed and passed when they were run again, so that they count as flaky; None without a rerun."""
    mixed: "tuple[Difference, ...]" = ()
    """In what the two reports differ that makes them hard to compare; empty unless that was allowed."""

    @property
    def unavailable(self) -> tuple[Fact, ...]:
        """The facts for lack of which a rule did not run."""
        missed = {one.signal.needs for one in self.fired if not one.ran}
        return tuple(fact for fact in Fact if fact in missed)

    def by_severity(self) -> list[Fired[Any]]:
        """Return the rules that found something, most severe first, within one severity in the registry's order."""
        return by_severity(self.fired)


def by_severity(fired: Iterable[Fired[Any]]) -> list[Fired[Any]]:
    """Return the rules that found something, most severe first; the sort is stable, so the registry's order remains."""
    return sorted((one for one in fired if one.findings), key=lambda one: -one.signal.severity)


def compare(
    before: Report | None, after: Report, options: GateOptions = DEFAULTS, rerun: Report | None = None
) -> GateResult:
    """
    Judge `after` against `before`.

    `before` is None when there is no baseline yet: then, and when `after` has no case, the verdict is N/A. `rerun` is a
    second run of cases that failed: one that passes in it becomes a flaky case, all others stay what they are.

    Raises `NotComparableError` for reports of two formats, producers or tasks, unless the options allow it; a report of
    `evalgate loop` and one of another tool are never compared, whatever they allow.
    """
    after = by_policy(after, options.trial_policy)
    if before is None:
        alone = Pair(after, after, options)
        return GateResult(
            verdict=Verdict.NOT_APPLICABLE,
            reasons=("there is no before report: nothing was compared",),
            fired=tuple(Fired(signal, (), signal.can_tell(alone)) for signal in SIGNALS if signal.concerns(alone)),
            compared=0,
            before=None,
            after=after,
            options=options,
        )
    mixed = tuple(differences(before, after))
    if LOOP_FORMAT in (before.format, after.format) and before.format != after.format:
        # A pass of the one is a game that was repaired until its gates held, a pass of the other one answer. No option
        # makes these the same thing, and the rules about repairs would be gone without a word.
        raise NotComparableError(
            [f"the reports cannot be compared: {difference}" for difference in mixed]
            + [f"a report of {LOOP_FORMAT} is compared with none of another tool, with --allow-mixed neither"]
        )
    if mixed and not options.allow_mixed:
        raise NotComparableError(
            [f"the reports cannot be compared: {difference}" for difference in mixed]
            + ["pass two reports of one kind; --allow-mixed compares them as far as they go"]
        )
    before = by_policy(before, options.trial_policy)
    cleared = None
    if rerun is not None:
        after, cleared = _confirmed(before, after, by_policy(rerun, options.trial_policy))
    pair = Pair(before, after, options)
    fired = tuple(_fired(signal, pair) for signal in SIGNALS if signal.concerns(pair))
    highest = max((one.signal.severity for one in fired if one.findings), default=None)
    if cleared:
        # Also where the baseline has the flake, so that the rule for new ones is silent: it did fail in this run.
        highest = max(highest or Severity.INFO, Severity.WARN)
    verdict = verdict_of(highest) if after.cases else Verdict.NOT_APPLICABLE
    return GateResult(
        verdict=verdict,
        reasons=tuple(_reasons(verdict, fired, pair, cleared or ())),
        fired=fired,
        compared=pair.compared,
        before=pair.before,
        after=after,
        options=options,
        cleared=cleared,
        mixed=mixed,
    )


def _confirmed(before: Report, after: Report, rerun: Report) -> tuple[Report, tuple[str, ...]]:
    """
    Return the after report in which the failures that a rerun did not confirm are flaky cases, and their names.

    Only what would be a FAIL is looked at: a failure that the baseline has is accepted, and luck in a rerun does not
    make an improvement of it.
    """
    different = [f"the rerun cannot confirm anything: {one}" for one in differences(after, rerun)]
    if different:
        raise NotComparableError(
            [one.replace("before", "the run", 1).replace("after", "its rerun") for one in different]
        )
    for what, first, second in (
        ("version under test", after.dsh_version, rerun.dsh_version),
        ("version of the harness", after.harness_version, rerun.harness_version),
        ("profile", after.profile, rerun.profile),
    ):
        if first != second:
            both = f"{first or 'none'} in the run, {second or 'none'} in its rerun"
            raise NotComparableError([f"the rerun cannot confirm anything: the {what} is {both}"])
    known = {case.name: case for case in before.cases}
    passed = {case.name for case in rerun.cases if not case.failing}
    cleared = {
        case.name
        for case in after.cases
        if case.failing and case.name in passed and not (case.name in known and known[case.name].failing)
    }
    if not cleared:
        return after, ()
    cases = tuple(_shaken(case) if case.name in cleared else case for case in after.cases)
    # The rerun is what tells of the retry, whatever the format can say.
    shaken = replace(after, cases=cases, carries=after.carries | {Fact.FLAKY})
    if not Pair(before, shaken).tell(Fact.FLAKY, before=True, after=True):
        # Then the rule for flaky cases stays silent, and what it cannot warn of must go on failing.
        return after, ()
    return shaken, tuple(case.name for case in cases if case.name in cleared)


def _shaken(case: Case) -> Case:
    traits = case.traits._replace(status=Status.PASS, flaky=True, attempts=case.traits.attempts + 1)
    return Case(case.name, total_tokens=case.total_tokens, **traits._asdict())


def _fired(signal: Signal[Any], pair: Pair) -> Fired[Any]:
    return Fired(signal, tuple(signal.find(pair))) if signal.can_tell(pair) else Fired(signal, (), ran=False)


class Difference(NamedTuple):
    """One thing in which two reports differ, so that they measure different things."""

    what: str
    """`format`, `tool` or `suite`."""
    before: str
    """Empty where a report does not say."""
    after: str

    def __str__(self) -> str:
        """Return it as a clause."""
        if self.what == "format":
            return f"before is a report of the format {self.before}, after of {self.after}"
        if self.what == "tool":
            return f"before was written by {self.before}, after by {self.after}"
        unsaid = "what it does not name"
        return f"before measured {self.before or unsaid}, after {self.after or unsaid}"


def differences(before: Report, after: Report) -> Iterator[Difference]:
    """Yield in what two reports differ that makes them measure different things."""
    if before.format != after.format:
        yield Difference("format", before.format, after.format)
    elif before.tool != after.tool:
        yield Difference("tool", before.tool, after.tool)
    elif before.suite != after.suite:
        yield Difference("suite", before.suite, after.suite)


def status_by_policy(status: Status, trials: Trials | None, policy: TrialPolicy) -> Status:
    """Return the status of a case: that of its report, unless it was run as trials and the policy says otherwise."""
    if trials is None or policy is TrialPolicy.ANY:
        # The readers go by it: a report in which it did not hold would have been refused.
        return status
    if policy.holds(trials.passes, trials.trials):
        return Status.PASS
    return Status.FAIL if status is Status.PASS else status


def by_policy(report: Report, policy: TrialPolicy) -> Report:
    """Return the report with the status that the policy gives to each case; see `status_by_policy`."""
    if policy is TrialPolicy.ANY:
        return report
    return replace(report, cases=tuple(_case_by_policy(case, policy) for case in report.cases))


def _case_by_policy(case: Case, policy: TrialPolicy) -> Case:
    status = status_by_policy(case.status, case.trials, policy)
    if status is case.status:
        return case
    traits = case.traits._replace(status=status, flaky=case.flaky and status is Status.PASS)
    return Case(case.name, total_tokens=case.total_tokens, **traits._asdict())


def _reasons(verdict: Verdict, fired: tuple[Fired[Any], ...], pair: Pair, cleared: tuple[str, ...]) -> Iterator[str]:
    """Yield what stands above the rules first, then what each rule says, most severe first."""
    if verdict is Verdict.NOT_APPLICABLE:
        yield "the after report holds no case: nothing was judged"
    elif not pair.before.cases:
        yield "the before report holds no case: nothing was compared"
    elif pair.compared == 0:
        yield "no case is in both reports, so nothing was compared: were cases renamed, or is it another suite?"
    elif verdict is Verdict.PASS:
        worse = any(one.findings and one.signal.worse for one in fired)
        what = "nothing that stops the merge" if worse else "nothing got worse"
        yield f"{what} in {pair.compared} compared {'case' if pair.compared == 1 else 'cases'}"
    if cleared:
        number = f"{len(cleared)} {'case' if len(cleared) == 1 else 'cases'}"
        yield f"{number} failed and passed when run again, which is flakiness and no pass: {name_some(cleared)}"
    for one in by_severity(fired):
        yield from one.reasons(pair.options)
