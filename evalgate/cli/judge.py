"""`evalgate judge`: the gate verdict of one run."""

import sys
from typing import Annotated

import typer

from evalgate.cli._app import app
from evalgate.cli._arguments import Language
from evalgate.cli._output import Format, note, out, refuse
from evalgate.errors import CannotJudgeError, MissingReportError
from evalgate.verdict import exit_code

JUDGE_EXIT_CODES = """\
\b
Exit codes:
  0    PASS: every guard passed, and the verdict as a whole
  1    FAIL: a gate failed, a guard proves nothing, or the verdict is red
  2    N/A: there is no verdict (no such file, null, {}), or no guard in it
  3    the gate could not judge: bad usage, a file that cannot be read or is
       no strict JSON, a broken round file or gate set
  130  interrupted
\b
Examples:
  evalgate judge verdict.json
  evalgate judge run-7/evidence/rounds/2.json --lang zh
  evalgate judge verdict.json --gates my-gates.toml --format json
  play-the-game | evalgate judge -
"""


@app.command(epilog=JUDGE_EXIT_CODES)
def judge(
    verdict: Annotated[
        str, typer.Argument(metavar="VERDICT", help="A gate verdict, a round file of a run, or - for stdin.")
    ],
    gates: Annotated[
        str,
        typer.Option(
            metavar="FILE|NAME",
            help="The declared gates that word the feedback: a TOML or JSON file, or littlejs-nine.",
        ),
    ] = "littlejs-nine",
    lang: Annotated[Language, typer.Option(help="The language of the feedback and the reasons.")] = Language.ENGLISH,
    output: Annotated[
        Format, typer.Option("--format", help="Lines to grep, or one JSON object on one line.")
    ] = Format.TEXT,
) -> int:
    """
    Judge the gate verdict of one run.

    VERDICT is {"pass": bool, "guards": {GATE: {"pass": bool, ...}}}. It passes when its pass is true, it has a guard,
    and every guard passed: a verdict that proves nothing is never a pass.

    Prints one line per fact (OVERALL=FAIL, FAILED_GATES=2), and for each failed gate what is wrong, the measured values
    and the direction of the repair (GATE_FAILED F_wiring: ...).
    """
    from evalgate.loop import transcript
    from evalgate.loop.gate_set import find
    from evalgate.loop.judging import examine
    from evalgate.loop.verdict_file import read_verdict

    for name, value in (("VERDICT", verdict), ("--gates", gates)):
        if value == "":
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    if verdict == "-" and sys.stdin is not None and sys.stdin.isatty():
        note(["reading a verdict from the terminal; end it with Ctrl-D"])
    try:
        declared = find(gates)
        try:
            found: object = read_verdict(verdict)
        except MissingReportError as fault:
            # A run that died before its gates ran leaves none: there is nothing to judge, as without a baseline.
            note(fault.faults)
            found = None
    except CannotJudgeError as fault:
        return refuse(fault.faults, output)
    examined = examine(found, declared, lang.value)
    out(transcript.render_json(examined) if output is Format.JSON else transcript.render(examined))
    return exit_code(examined.verdict, strict=False)
