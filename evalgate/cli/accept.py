"""`evalgate accept`: the new run becomes the baseline, or is told why it must not."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from evalgate.cli._app import app
from evalgate.cli._arguments import (
    PLACES,
    Config,
    ExpectShards,
    MaxTokenIncrease,
    MinTrialRate,
    PassThreshold,
    RewardKey,
    Scorer,
    WhichTrials,
)
from evalgate.cli._output import note, out_lines
from evalgate.cli._places import check_output
from evalgate.cli._policy import Policy
from evalgate.cli._reports import document_of, load_both
from evalgate.errors import CannotJudgeError, MissingReportError, NotComparableError, OutputError, ReportError
from evalgate.formats.places import would_bury
from evalgate.formats.source import REPORT_NAME, packed
from evalgate.gate import by_policy
from evalgate.gate import compare as judge
from evalgate.options import GateOptions
from evalgate.progress import ReadingProgress
from evalgate.report_file import Writes
from evalgate.verdict import ExitCode

if TYPE_CHECKING:
    from evalgate.acceptance import Plan
    from evalgate.formats import Loaded
    from evalgate.gate import GateResult

_FILES = (".json", ".json.gz", ".json.zst")
"""How the name of a baseline ends."""
_NO_FOLDERS = (".xml", ".eval", ".gz", ".zst")
"""How no folder is called: a slip."""

ACCEPT_EXIT_CODES = """\
\b
Exit codes:
  0    the baseline was written, or would be with --dry-run
  1    refused: the run holds what must not become a baseline
  3    bad usage, or something could not be read or written
  130  interrupted
"""


@app.command(epilog=ACCEPT_EXIT_CODES)
def accept(
    after: Annotated[str, typer.Argument(metavar="AFTER", help=f"The run to accept: {PLACES}")],
    into: Annotated[
        str, typer.Option(metavar="BASELINE", help="The baseline to write: report.json, or the folder it lies in.")
    ],
    case: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Take this case only, and keep the rest of the baseline. Repeatable."),
    ] = None,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why; kept in the baseline.")] = None,
    keep_known: Annotated[
        bool, typer.Option("--keep-known", help="Keep the baseline's entry for refused cases, and take the rest.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen and write nothing.")] = False,
    max_token_increase_pct: MaxTokenIncrease = None,
    min_trial_success_rate: MinTrialRate = None,
    trial_policy: WhichTrials = None,
    expect_shards: ExpectShards = None,
    scorer: Scorer = None,
    pass_threshold: PassThreshold = None,
    reward_key: RewardKey = None,
    config: Config = None,
) -> int:
    """
    Make a run the baseline.

    Refuses what must not become one: flaky cases, errors, cases that newly fail, a run that is not whole or not
    comparable. Each is named, with what would have to happen. It reads and judges by the policy file, as compare does.
    """
    for name, value in (("AFTER", after), ("--into", into), *(("--case", one) for one in case or ())):
        if not value.strip():
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    if into == "-":
        raise typer.BadParameter("--into takes the path of a file.")
    typed = {
        "max-token-increase-pct": max_token_increase_pct,
        "min-trial-success-rate": min_trial_success_rate,
        "trial-policy": trial_policy,
        "expect-shards": expect_shards,
        "scorer": scorer,
        "pass-threshold": pass_threshold,
        "reward-key": reward_key,
    }
    try:
        return _accept(
            after, _target(into), Policy(typed, config), case or (), reason, keep_known=keep_known, dry_run=dry_run
        )
    except OSError as fault:
        return _failed([f"{fault.filename or into}: cannot be used ({fault.strerror or fault})"])
    except CannotJudgeError as fault:
        return _failed(fault.faults)


def _failed(faults: Sequence[str]) -> int:
    """Say why nothing could be done."""
    note(faults)
    lines = ("ACCEPTED=false", f"EXIT_CODE={ExitCode.CANNOT_JUDGE:d}", *(f"ERROR {one}" for one in faults))
    try:
        out_lines(lines)
    except OutputError as broken:
        note(line for line in broken.faults if line not in faults)
    return ExitCode.CANNOT_JUDGE


def _target(into: str) -> Path:
    """
    Return the file that is meant, there or not: of a folder the one that is the baseline in it.

    What is not there and has no file name of JSON is a folder. Raises `ReportError` for a folder that holds something
    else: report.json beside it would take its place, and nothing would be compared with it.
    """
    from evalgate.formats.places import places

    path = Path(into)
    if not path.exists() and "*" in into:
        raise typer.BadParameter(f"--into takes one file or folder, and {into} is a pattern.")
    if path.is_file() or (not path.exists() and path.name.endswith(_FILES) and not into.endswith(("/", os.sep))):
        return path
    if path.exists() and not path.is_dir():
        raise typer.BadParameter(f"--into takes the path of a file, and {into} is none.")
    if not path.exists():
        if path.name.endswith(_NO_FOLDERS):
            raise typer.BadParameter(f"--into takes {', '.join(_FILES)}, or a folder: {into} is none.")
        return path / REPORT_NAME
    try:
        found = places(path).paths
    except MissingReportError:
        return path / REPORT_NAME
    if len(found) == 1 and isinstance(found[0], Path) and found[0].is_file():
        return found[0]
    raise ReportError([f"{into}: holds a baseline that is not one report.json: convert it first"])


def _accept(
    after: str,
    target: Path,
    policy: Policy,
    only: Sequence[str],
    reason: str | None,
    *,
    keep_known: bool,
    dry_run: bool,
) -> int:
    from evalgate.acceptance import plan

    # A run of another kind is no new baseline, whatever may be compared.
    options = policy.gate_options(allow_mixed=False)
    with ExitStack() as stack:
        with ReadingProgress() as progress:
            baseline, run = load_both(str(target), after, stack, progress, policy.reading(), policy.shards)
        if baseline is not None and not baseline.kept_as_is:
            raise ReportError([f"{target}: is a report of {baseline.report.format}: convert it to report.json first"])
        if target.exists() and any(path.exists() and target.samefile(path) for path in run.paths):
            raise ReportError([f"{target}: is the run itself: a run that is its own baseline has no new failure"])
        if would_bury(target):
            why = f"{target.parent} stands for other files now, which it would take the place of"
            raise ReportError([f"{target}: {why}: choose another folder"])
        check_output(target, [after], run.paths)
        found = plan(
            None if baseline is None else by_policy(baseline.report, options.trial_policy),
            by_policy(run.report, options.trial_policy),
            frozenset(only),
            keep_known=keep_known,
        )
        result, faults = _judged(baseline, run, options)
        if result is not None and result.before is not None and result.before.cases and not result.compared:
            faults = ("no case is in both: for another suite, or renamed cases, make a new baseline and drop this one",)
        if keep_known and not found.taken and not found.unknown:
            faults = (*faults, "nothing of the run would be taken")
        found = found._replace(run_faults=(*found.run_faults, *faults))
        refused = bool(found.run_faults or found.unknown or (found.refused and not keep_known))
        written = (*found.taken, *found.kept)
        if not refused and not written:
            found = found._replace(run_faults=("no case is left: a baseline without one could judge nothing",))
            refused = True
        code = ExitCode.FAIL if refused else ExitCode.OK
        lines = _lines(found, result, code, accepted=not refused, dry_run=dry_run, policy=policy)
        with Writes([*run.paths, *policy.files], make_folders=True) as writes:
            if not refused:
                new = _document(target, found, result, baseline, run, _Said(reason, policy))
                if not dry_run:
                    writes.file(target, [packed(target.name, new)])
            with _alone(target.parent):
                _check_unchanged(target, baseline)
                # A baseline that was written without a word about it is worse than one that was not.
                out_lines(lines)
                writes.commit()
    if not refused and not dry_run:
        number = len(found.taken) + len(found.kept)
        note([f"{target}: {number} {'case' if number == 1 else 'cases'}"])
        if found.kept:
            note([f"{target}: is as old as the entries of the baseline that stay in it"])
    return code


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep others from accepting into a folder for the moment; where there is no such lock, nothing."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        # It is not there, in a dry run, or cannot be written either.
        yield
        return
    try:
        with suppress(OSError):
            # Some file systems of networks have none.
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _check_unchanged(target: Path, baseline: "Loaded | None") -> None:
    """Raise when somebody else has written the baseline since it was read: what they accepted would be lost."""
    sources = () if baseline is None else baseline.sources
    # One that was replaced is another file, and the one that was read is as it was.
    there = all(source.path is not None and source.is_at(source.path) for source in sources)
    if any(source.changed() for source in sources) or not there or (baseline is None and target.exists()):
        raise ReportError([f"{target}: was written by somebody else in the meantime: accept again"])


def _judged(
    baseline: "Loaded | None", run: "Loaded", options: GateOptions
) -> "tuple[GateResult | None, tuple[str, ...]]":
    """Return the comparison, or why there is none."""
    try:
        return judge(None if baseline is None else baseline.report, run.report, options), ()
    except NotComparableError as fault:
        return None, fault.faults[:-1]


class _Said(NamedTuple):
    """What the operator said about it."""

    reason: str | None
    policy: Policy


def _document(
    target: Path,
    found: "Plan",
    result: "GateResult | None",
    baseline: "Loaded | None",
    run: "Loaded",
    said: _Said,
) -> bytes:
    """Return the text of the new baseline, read back as any reader will."""
    import json

    from evalgate.formats import check_document
    from evalgate.formats.accepted import PROVENANCE, merged

    old = None if baseline is None else document_of(baseline)
    new = merged(document_of(run), old, found.taken, found.kept, older=_is_older(run, baseline))
    new[PROVENANCE] = {**_provenance(found, result, run, said), **new[PROVENANCE]}
    text = (json.dumps(new, indent=2) + "\n").encode()
    check_document(str(target), text)
    return text


def _is_older(run: "Loaded", baseline: "Loaded | None") -> bool:
    """Tell whether the run ended before that of the baseline."""
    from evalgate.formats.instants import instant

    if baseline is None:
        return False
    first, second = (instant(one.report.finished_at or one.report.started_at) for one in (run, baseline))
    # An entry of which nobody knows when it was made is as old as can be.
    return second is not None and (first is None or first < second)


def _provenance(found: "Plan", result: "GateResult | None", run: "Loaded", said: _Said) -> dict[str, Any]:
    import datetime
    import hashlib

    from evalgate._version import __version__

    digest = hashlib.sha256()
    for source in run.sources:
        digest.update(source.read())
    fields: dict[str, Any] = {
        "by": f"evalgate {__version__}",
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "source": run.label,
        "sourceSha256": digest.hexdigest() if run.sources else None,
        "verdict": None if result is None else result.verdict.value,
        "reason": said.reason,
        "policy": list(said.policy.acting) or None,
        "taken": len(found.taken),
        "takenCases": list(found.taken) if found.kept else None,
        "kept": list(found.kept),
        "dropped": list(found.dropped),
    }
    return {key: value for key, value in fields.items() if value is not None}


def _lines(
    found: "Plan", result: "GateResult | None", code: ExitCode, *, accepted: bool, dry_run: bool, policy: Policy
) -> list[str]:
    """Return one line per fact, in the manner of `compare`."""
    from evalgate.render.text import policy_line

    left_out = [one.name for one in found.refused if one.name not in found.kept]
    return [
        f"ACCEPTED={str(accepted).lower()}",
        f"EXIT_CODE={code:d}",
        f"DRY_RUN={str(dry_run).lower()}",
        f"VERDICT={'ERROR' if result is None else result.verdict.value}",
        f"TAKEN={len(found.taken)}",
        f"KEPT={len(found.kept)}",
        f"REFUSED={len(found.refused)}",
        f"DROPPED={len(found.dropped)}",
        *policy_line(policy.acting),
        *(f"REASON {fault}" for fault in found.run_faults),
        *(f"REASON there is no case {name} in the run" for name in found.unknown),
        *(f"REFUSED_CASE {one.name}: {one.why}; {one.to_do}" for one in found.refused),
        *(f"KEPT_CASE {name}" for name in found.kept),
        *(f"LEFT_OUT_CASE {name}" for name in (left_out if accepted else ())),
        *(f"DROPPED_CASE {name}" for name in found.dropped),
    ]
