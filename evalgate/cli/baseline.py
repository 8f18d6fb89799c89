"""`evalgate baseline check`."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from evalgate.cli._app import app
from evalgate.cli._arguments import PLACES, Config, PassThreshold, RewardKey, Scorer, WhichTrials, exact
from evalgate.cli._output import Format, out, out_lines, refuse
from evalgate.cli._policy import Policy
from evalgate.errors import CannotJudgeError
from evalgate.gate import by_policy
from evalgate.progress import ReadingProgress
from evalgate.verdict import ExitCode, exit_code

if TYPE_CHECKING:
    from evalgate.hygiene import Check
    from evalgate.report import Report

CHECK_EXIT_CODES = """\
\b
Exit codes:
  0    PASS, or WARN without --strict
  2    WARN with --strict, or N/A: the baseline holds no case
  3    bad usage, or something could not be read or written
  130  interrupted
"""

baseline = typer.Typer(name="baseline", help="Look after the baseline.", rich_markup_mode=None, no_args_is_help=True)
app.add_typer(baseline)


@baseline.callback()
def _baseline() -> None:
    """Look after the baseline."""


@baseline.command(epilog=CHECK_EXIT_CODES)
def check(
    place: Annotated[str, typer.Argument(metavar="BASELINE", help=f"The baseline: {PLACES}")],
    strict: Annotated[
        bool | None, typer.Option("--strict/--no-strict", help="Let a WARN end in exit code 2.", show_default=False)
    ] = None,
    output: Annotated[
        Format, typer.Option("--format", help="Lines to grep, or one JSON object on one line.")
    ] = Format.TEXT,
    max_age: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="WARN when its run ended more than DAYS days ago.  [default: any age]"),
    ] = None,
    min_trial_success_rate: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="WARN when a case has too few trials to show RATE, such as 0.8."),
    ] = None,
    trial_policy: WhichTrials = None,
    scorer: Scorer = None,
    pass_threshold: PassThreshold = None,
    reward_key: RewardKey = None,
    config: Config = None,
) -> int:
    """
    Say what is wrong with a baseline by itself.

    Flaky and failing entries, which the gate does not announce any more; its age and versions; trials too few for a
    threshold. It reads and judges by the policy file, as compare does.
    """
    from evalgate.formats import load
    from evalgate.hygiene import check as look

    if not place:
        raise typer.BadParameter("BASELINE is empty: is a variable not set?")
    days = None if max_age is None else exact("--max-age", max_age)
    if days is not None and days < 0:
        raise typer.BadParameter("--max-age must be 0 or more days.")
    typed = {
        "strict": strict,
        "min-trial-success-rate": min_trial_success_rate,
        "trial-policy": trial_policy,
        "scorer": scorer,
        "pass-threshold": pass_threshold,
        "reward-key": reward_key,
    }
    try:
        policy = Policy(typed, config)
        options = policy.gate_options()
        with ExitStack() as stack:
            with ReadingProgress() as progress:
                loaded = stack.enter_context(load(place, progress, options=policy.reading()))
            report = by_policy(loaded.report, options.trial_policy)
    except CannotJudgeError as fault:
        return refuse(fault.faults, output)
    strict = policy.flag("strict")
    found = look(report, options, age_days=_age(report), max_age_days=None if days is None else float(days))
    code = exit_code(found.verdict, strict=strict)
    if output is Format.JSON:
        out(_json(found, report, code, strict=strict))
    else:
        out_lines(_text(found, report, code, strict=strict, policy=policy.acting))
    return code


def _age(report: "Report") -> float | None:
    """Return the days since the run ended, None when the report does not say."""
    import time

    from evalgate.formats.instants import UNIX_EPOCH, instant

    # Parts of one run may be years apart: it is as old as the oldest.
    ended = None if report.shards else instant(report.finished_at)
    ended = ended or instant(report.started_at)
    return None if ended is None else (time.time() + UNIX_EPOCH - ended[0]) / 86400


def _text(found: "Check", report: "Report", code: ExitCode, *, strict: bool, policy: Sequence[str]) -> list[str]:
    from evalgate.numbers import rounded_down
    from evalgate.render.text import policy_line

    lines = [
        f"OVERALL={found.verdict.value}",
        f"EXIT_CODE={code:d}",
        f"STRICT={str(strict).lower()}",
        f"CASES={len(report.cases)}",
        f"FLAKY={len(found.flaky)}",
        f"FAILING={len(found.failing)}",
        f"TOO_FEW_TRIALS={len(found.too_few_trials)}",
        f"AGE_DAYS={'N/A' if found.age_days is None else rounded_down(found.age_days, 0)}",
        f"HARNESS={f'{report.tool} {report.harness_version}'.strip()}",
        f"VERSION={report.dsh_version or 'N/A'}",
        *(f"INCOMPLETE={reason}" for reason in found.incomplete),
        *policy_line(policy),
        *(f"REASON {reason}" for reason in found.reasons),
        *(f"FLAKY_CASE {name}" for name in found.flaky),
        *(f"FAILING_CASE {name}" for name in found.failing),
        *(
            f"TOO_FEW_TRIALS_CASE {one.name}: {one.trials} of {one.needed or 'no number'}"
            for one in found.too_few_trials
        ),
    ]
    return lines


def _json(found: "Check", report: "Report", code: ExitCode, *, strict: bool) -> list[str]:
    import json

    value = {
        "verdict": found.verdict.value,
        "exitCode": int(code),
        "strict": strict,
        "reasons": list(found.reasons),
        "cases": len(report.cases),
        "flakyCases": list(found.flaky),
        "failingCases": list(found.failing),
        "tooFewTrials": [one._asdict() for one in found.too_few_trials],
        "incomplete": list(found.incomplete),
        "ageDays": found.age_days,
        "tooOld": found.too_old,
        "inFuture": found.in_future,
        "harness": report.tool,
        "harnessVersion": report.harness_version,
        "version": report.dsh_version,
    }
    return [json.dumps(value, allow_nan=False).replace("##[", "\\u0023#[") + "\n"]
