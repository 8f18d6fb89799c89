"""`evalgate explain`."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from evalgate.cli._app import OTHER_EXIT_CODES, app
from evalgate.cli._arguments import (
    PLACES,
    Config,
    MaxTokenIncrease,
    MinTrialRate,
    PassThreshold,
    RewardKey,
    Scorer,
    WhichTrials,
)
from evalgate.cli._output import Format, fenced, on_github, out
from evalgate.cli._policy import Policy
from evalgate.cli._reports import load_both
from evalgate.errors import ReportError
from evalgate.gate import compare as judge
from evalgate.plain import escape
from evalgate.progress import ReadingProgress
from evalgate.verdict import ExitCode

if TYPE_CHECKING:
    from evalgate.report import Case


@app.command(epilog=OTHER_EXIT_CODES)
def explain(
    after: Annotated[str, typer.Argument(metavar="AFTER", help=f"The new run: {PLACES}")],
    case: Annotated[str, typer.Argument(metavar="CASE", help="The name of the case.")],
    before: Annotated[str | None, typer.Option(metavar="BEFORE", help="The baseline.")] = None,
    output: Annotated[
        Format, typer.Option("--format", help="For people, or one JSON object on one line.")
    ] = Format.TEXT,
    max_token_increase_pct: MaxTokenIncrease = None,
    min_trial_success_rate: MinTrialRate = None,
    trial_policy: WhichTrials = None,
    scorer: Scorer = None,
    pass_threshold: PassThreshold = None,
    reward_key: RewardKey = None,
    config: Config = None,
) -> int:
    """
    Explain one case on both sides.

    Its attempts in a row with failures, exit codes, tool errors and signatures with the text they were read from,
    tokens, which rules fired on it and which nearly did. It reads and judges by the policy file, as compare does.
    """
    from evalgate.explanation import explain as explained
    from evalgate.render import case as renderer

    for name, value in (("AFTER", after), ("CASE", case), ("--before", before)):
        if value == "":
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    typed = {
        "max-token-increase-pct": max_token_increase_pct,
        "min-trial-success-rate": min_trial_success_rate,
        "trial-policy": trial_policy,
        "scorer": scorer,
        "pass-threshold": pass_threshold,
        "reward-key": reward_key,
    }
    policy = Policy(typed, config)
    # It explains and decides nothing, so runs of two kinds may stand side by side.
    options = policy.gate_options(allow_mixed=True)
    with ExitStack() as stack:
        with ReadingProgress() as progress:
            baseline, run = load_both(before, after, stack, progress, policy.reading(), None)
        result = judge(None if baseline is None else baseline.report, run.report, options)
        case = _typed(case, run.report.cases if baseline is None else (*run.report.cases, *baseline.report.cases))
        sides = [None if one is None else one.evidence.fetch([case]).get(case) for one in (baseline, run)]
        if sides == [None, None]:
            raise ReportError([_not_there(case, run.report.cases, run.report.not_run, run.label)])
        explanation = explained(case, result, sides[0], sides[1])
    if output is Format.JSON:
        out(renderer.render_json(explanation))
        return ExitCode.OK
    from evalgate.render.text import policy_line

    lines = [*renderer.render(explanation), *(f"{escape(line)}\n" for line in policy_line(policy.acting))]
    out(fenced(lines) if on_github() else lines)
    return ExitCode.OK


def _typed(name: str, cases: "Sequence[Case]") -> str:
    """Return the name that was meant: one with a line break cannot be typed but as the outputs spell it."""
    if any(case.name == name for case in cases):
        return name
    return next((case.name for case in cases if escape(case.name) == name), name)


def _not_there(name: str, cases: "Sequence[Case]", not_run: tuple[str, ...], label: str) -> str:
    import difflib

    if name in not_run:
        return f"{label}: the case {name} was skipped"
    near = difflib.get_close_matches(name, [case.name for case in cases], 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{label}: has no case {name}{hint}"
