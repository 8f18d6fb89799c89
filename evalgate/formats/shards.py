"""
Several files of one run, read as one report.

What belongs to one run has one producer, one task and one version, and no case twice: anything else is two runs in one
folder, and which of them was meant is not for a gate to guess.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from evalgate.errors import ReportError
from evalgate.evidence import CaseEvidence, Evidence
from evalgate.faults import SHOWN
from evalgate.formats.instants import instant
from evalgate.plain import shorten
from evalgate.report import Case, Fact, Report

_MUST_AGREE: tuple[tuple[str, Callable[[Report], str | None]], ...] = (
    ("format", lambda report: report.format),
    ("producer", lambda report: report.tool),
    ("task and scorer", lambda report: "" if report.task else report.suite),
    ("harness version", lambda report: report.harness_version),
    ("profile", lambda report: report.profile),
    ("version under test", lambda report: report.dsh_version),
)


class Part(NamedTuple):
    """One file of a run."""

    label: str
    report: Report
    evidence: Evidence


class Merged:
    """The evidence of a merged report: that of its parts, under the names that their cases have in the whole."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    def fetch(self, names: Collection[str]) -> Mapping[str, CaseEvidence]:
        """Return the evidence of the named cases; a name that no part has is left out."""
        wanted = frozenset(names)
        found: dict[str, CaseEvidence] = {}
        for part in self._parts:
            prefix = prefix_of(part.report)
            inside = {name.removeprefix(prefix) for name in wanted if name.startswith(prefix)}
            held = {case.name for case in part.report.cases if case.name in inside}
            for name, case in (part.evidence.fetch(held) if held else {}).items():
                found[prefix + name] = case._replace(name=prefix + name)
        return found


def prefix_of(report: Report) -> str:
    """Return what the names of a part's cases begin with in the whole: its task, where the format has several."""
    return f"{report.task}/" if report.task else ""


def merge(label: str, parts: Sequence[Part]) -> tuple[Report, Evidence]:
    """Return the parts of one run as one report; raise `ReportError` when they are not that."""
    if len(parts) == 1:
        return replace(parts[0].report, shards=1), parts[0].evidence
    reports = [part.report for part in parts]
    faults = [*_disagreements(label, parts), *_same_tasks(label, parts), *_duplicates(label, parts)]
    if faults:
        more = len(faults) - SHOWN
        raise ReportError(faults[:SHOWN] + ([f"{label}: and {more} more faults"] if more > 0 else []))
    cases = tuple(_renamed(case, prefix_of(report)) for report in reports for case in report.cases)
    ran = {case.name for case in cases}
    skipped = dict.fromkeys(prefix_of(report) + name for report in reports for name in report.not_run)
    several_tasks = sorted({report.suite for report in reports})
    return (
        replace(
            reports[0],
            cases=cases,
            suite="; ".join(several_tasks),
            task="",
            started_at=_extreme(min, (report.started_at for report in reports)),
            finished_at=_extreme(max, (report.finished_at for report in reports)),
            duration_ms=max(report.duration_ms for report in reports),
            carries=_carried(reports),
            incomplete=tuple(f"{part.label}: {reason}" for part in parts for reason in part.report.incomplete),
            # A case that one part skipped and another ran was run.
            not_run=tuple(name for name in skipped if name not in ran),
            notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
            revisions={prefix_of(one) + name: digest for one in reports for name, digest in one.revisions.items()},
            tokens_summed=all(report.tokens_summed for report in reports),
            shards=len(parts),
        ),
        Merged(parts),
    )


def _disagreements(label: str, parts: Sequence[Part]) -> Iterable[str]:
    first = parts[0]
    for what, value_of in _MUST_AGREE:
        expected = value_of(first.report)
        other = next((part for part in parts if value_of(part.report) != expected), None)
        if other is not None:
            yield (
                f"{label}: is not one run: the {what} is {_shown(expected)} in {first.label} "
                f"and {_shown(value_of(other.report))} in {other.label}"
            )


def _shown(value: str | None) -> str:
    return "not said" if not value else repr(shorten(value, 100))


def _same_tasks(label: str, parts: Sequence[Part]) -> Iterable[str]:
    """Yield a fault for a task that has two logs: a folder of logs keeps the earlier tries of a task as well."""
    seen: dict[str, str] = {}
    for part in parts:
        task = part.report.task
        if task and task in seen:
            yield f"{label}: the task {_shown(task)} is in {seen[task]} and in {part.label}: name the one that counts"
        elif task:
            seen[task] = part.label


def _duplicates(label: str, parts: Sequence[Part]) -> Iterable[str]:
    if any(part.report.task for part in parts):
        return
    homes: dict[str, str] = {}
    for part in parts:
        for case in part.report.cases:
            home = homes.setdefault(case.name, part.label)
            if home is not part.label:
                yield f"{label}: the case {shorten(case.name, 100)!r} is in {home} and in {part.label}"


def _renamed(case: Case, prefix: str) -> Case:
    return Case(prefix + case.name, total_tokens=case.total_tokens, **case.traits._asdict()) if prefix else case


def _carried(reports: Sequence[Report]) -> frozenset[Fact]:
    """Return what all parts carry; of retries, what any does: some producers write of them only when there are any."""
    common = frozenset.intersection(*(report.carries for report in reports))
    retries = {Fact.FLAKY} if any(Fact.FLAKY in report.carries for report in reports) else set()
    return common | retries


def _extreme(choose: Callable[..., str], times: Iterable[str]) -> str:
    known = [time for time in times if instant(time) is not None]
    return choose(known, key=instant) if known else ""
