"""
Logs of Inspect AI: `.eval` (a zip) and `.json`, both of version 2.

A sample of the dataset is a case, its epochs are trials, what was retried after an error is an attempt. The traps: the
log's own accuracy leaves out samples that errored or were cancelled, its reducers are no statuses, graders' tokens
stand beside those of the model, and a killed run has no header. Measured with inspect-ai 0.3.285 and 0.3.70; what the
fields mean stands in inspect_ai/log/_log.py ("Eval Logs" in the documentation).
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping

from evalgate.errors import ReportError
from evalgate.evidence import CaseEvidence, Evidence
from evalgate.formats import found
from evalgate.formats.content import Content
from evalgate.formats.format import Format
from evalgate.formats.inspect_log.archive import HEADER, START, Archive, Sample, changed, is_log
from evalgate.formats.inspect_log.run import STARTED, Run, duration_ms, notes, reasons, run_of
from evalgate.formats.inspect_log.samples import Key, Samples, Trial, case_of
from evalgate.formats.inspect_log.scoring import Judge
from evalgate.plain import shorten
from evalgate.report import Fact, Report
from evalgate.strict_json import decode

TOOL = "inspect_ai"
_Trials = dict[Key, list[Trial]]


def _sniff(content: Content) -> bool:
    if content.is_zip:
        return is_log(content)
    document = content.object
    spec, version = document.get("eval"), document.get("version")
    return (
        isinstance(spec, dict)
        and isinstance(spec.get("task"), str)
        and "status" in document
        and isinstance(version, int)
        and not isinstance(version, bool)
    )


def _read(content: Content, options: found.ReadOptions) -> tuple[Report, Evidence]:
    return _read_zip(content, options) if content.is_zip else _read_json(content, options)


def _read_json(content: Content, options: found.ReadOptions) -> tuple[Report, Evidence]:
    label, log = content.label, content.object
    run = run_of(label, log, log.get("status"))
    judge = Judge(label, options, run.scorers, run.headline)
    reader = Samples(label, run.model, judge)
    samples = [] if log.get("samples") is None else found.list_of(label, "samples", log["samples"])
    trials = _grouped(label, (reader.trial(f"samples[{place}]", place, one) for place, one in enumerate(samples)))
    cases = [case_of(ran, asked=run.epochs) for ran in trials.values()]
    return _report(label, run, judge, trials, cases), found.Kept(cases)


def _read_zip(content: Content, options: found.ReadOptions) -> tuple[Report, Evidence]:
    label = content.label
    with Archive(content) as archive:
        archive.check()
        member = HEADER if HEADER in archive else START
        if member not in archive:
            raise ReportError([f"{label}: holds neither {HEADER} nor {START}: it is no whole log"])
        place = f"{label}: {member}"
        header = found.object_of(label, member, decode(place, archive.read(member)).value)
        run = run_of(label, header, header.get("status") if member == HEADER else STARTED)
        judge = Judge(label, options, run.scorers, run.headline)
        reader = Samples(label, run.model, judge)
        trials = _grouped(
            label,
            (_trial(label, reader, one).lean() for one in archive.samples()),
        )
    cases = [case_of(ran, asked=run.epochs) for ran in trials.values()]
    homes = {ran[0].key.name: tuple(trial.position for trial in ran) for ran in trials.values()}
    return _report(label, run, judge, trials, cases), _Archived(content, run, reader, homes)


def _trial(label: str, reader: Samples, member: Sample) -> Trial:
    place = shorten(member.name, 200)
    return reader.trial(place, member.position, _value(f"{label}: {place}", member.data))


def _value(label: str, data: bytes) -> object:
    """
    Return the JSON value of a sample.

    The decoder without the hooks of strict_json.py, which cost as much as all the rest: what uses a number of a sample
    looks at it. What it does not take is decoded again, for the message.
    """
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return decode(label, data).value


def _grouped(label: str, samples: Iterable[Trial]) -> _Trials:
    """Return the trials by id, in the order of the log."""
    trials: _Trials = {}
    epochs: set[tuple[Key, int]] = set()
    for trial in samples:
        place = (trial.key, trial.epoch)
        if place in epochs:
            raise ReportError(
                [f"{label}: holds sample {shorten(trial.key.name, 100)}, epoch {trial.epoch} more than once"]
            )
        epochs.add(place)
        trials.setdefault(trial.key, []).append(trial)
    return trials


class _Archived:
    """The evidence of a log in a zip, which is read again for it."""

    def __init__(self, content: Content, run: Run, reader: Samples, homes: Mapping[str, tuple[int, ...]]) -> None:
        self._content = content
        self._run = run
        self._reader = reader
        self._homes = homes
        """The places of the samples of each case."""

    def fetch(self, names: Collection[str]) -> Mapping[str, CaseEvidence]:
        """Return the evidence of the named cases; a name that the report lacks is left out."""
        wanted = [name for name in names if name in self._homes]
        if not wanted:
            return {}
        if self._content.source.changed():
            raise changed(self._content.label)
        with Archive(self._content) as archive:
            return {name: self._case(archive, name) for name in wanted}

    def _case(self, archive: Archive, name: str) -> CaseEvidence:
        label = self._content.label
        trials = [_trial(label, self._reader, archive.sample(position)) for position in self._homes[name]]
        if any(trial.key.name != name for trial in trials):
            raise changed(label)
        return case_of(trials, asked=self._run.epochs)


def _report(label: str, run: Run, judge: Judge, trials: _Trials, cases: list[CaseEvidence]) -> Report:
    if not trials:
        raise ReportError([f"{label}: {_why_empty(run)}"])
    found.checked(label, cases, what="sample")
    every = [trial for ran in trials.values() for trial in ran]
    choice = judge.settle()
    lasted = duration_ms(run)
    return Report(
        format=FORMAT.name,
        tool=TOOL,
        cases=tuple(map(found.facts_of, cases)),
        harness_version=run.tool_version,
        dsh_version=run.under_test,
        started_at=run.started_at or run.created,
        finished_at=run.finished_at,
        duration_ms=sum(one.duration_ms for one in cases) if lasted is None else lasted,
        suite=f"task {run.task}, scorer {choice.text}",
        task=run.task,
        carries=frozenset(_carried(run, every)),
        incomplete=tuple(reasons(run, trials)),
        notes=tuple(note for note in (judge.note(), *notes(run, trials)) if note is not None),
        tokens_summed=True,
    )


def _why_empty(run: Run) -> str:
    if not run.logs_samples:
        return "holds no samples, since the run was told --no-log-samples: run it without"
    return f"holds no samples (status is {shorten(run.status, 100)}): nothing was run, or nothing was finished"


def _carried(run: Run, trials: list[Trial]) -> Iterator[Fact]:
    """Yield what this log tells. Logs of early versions know no retries, and an agent may use no model."""
    yield from (Fact.SIGNATURES, Fact.TRIALS)
    if run.under_test is not None:
        yield Fact.VERSION
    if any(one.attempts[-1].tokens is not None for one in trials):
        yield Fact.TOKENS
    if run.retries or any(one.tells_retries for one in trials):
        yield Fact.FLAKY
    if all(one.tells_tools for one in trials):
        yield Fact.TOOL_ERRORS


FORMAT = Format(
    name="inspect",
    title="Inspect AI",
    sniff=_sniff,
    read=_read,
    carries=frozenset({Fact.TOKENS, Fact.TOOL_ERRORS, Fact.FLAKY, Fact.SIGNATURES, Fact.TRIALS, Fact.VERSION}),
    options=frozenset({"--scorer", "--pass-threshold"}),
    recognised=(
        "A zip archive with the member `_journal/start.json` (`.eval`), or a JSON object with `eval.task`, `status` "
        "and a whole number as `version` (`.json`). Only version 2 is read."
    ),
    losses=(
        "Partial credit, all scorers but the one that decides, and the tool calls and tokens of attempts that were "
        "retried. The tokens of a grader that is the evaluated model itself are counted with it. The version of the "
        "task is a note; the version under test is the model and the git commit. Logs of inspect-ai 0.3.70 and earlier "
        "say nothing about retries. A log with a sample of more than 200 MiB has to be converted with "
        "`inspect log convert` first."
    ),
)
