"""`evalgate convert`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from evalgate.cli._app import OTHER_EXIT_CODES, app
from evalgate.cli._arguments import PLACES, Config, PassThreshold, RewardKey, Scorer
from evalgate.cli._output import note, out_json
from evalgate.cli._places import check_output
from evalgate.cli._policy import Policy
from evalgate.cli._reports import text_of
from evalgate.progress import ReadingProgress
from evalgate.verdict import ExitCode


@app.command(epilog=OTHER_EXIT_CODES)
def convert(
    report: Annotated[str, typer.Argument(metavar="REPORT", help=f"What to convert: {PLACES}")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The report.json to write, or - for stdout.")
    ],
    scorer: Scorer = None,
    pass_threshold: PassThreshold = None,
    reward_key: RewardKey = None,
    config: Config = None,
) -> int:
    """
    Write a report as report.json of dsh-eval-harness.

    For tools that read only that. What the other format does not carry is named in the field convertedFrom, so that
    comparing two conversions comes to the same as comparing their originals. Several files of one run become one. It
    reads by the policy file, as compare does.
    """
    from evalgate.formats import load

    for name, value in (("REPORT", report), ("--output", output)):
        if value == "":
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    if output.endswith(("/", os.sep)) or (output != "-" and Path(output).is_dir()):
        raise typer.BadParameter("--output takes the path of a file.")
    typed = {"scorer": scorer, "pass-threshold": pass_threshold, "reward-key": reward_key}
    policy = Policy(typed, config)
    with ReadingProgress() as progress, load(report, progress, options=policy.reading()) as loaded:
        chunks = text_of(loaded)
        if output == "-":
            out_json(chunks)
        else:
            from evalgate.report_file import write_file

            check_output(Path(output), [report], loaded.paths)
            write_file(Path(output), (chunk.encode() for chunk in chunks), never=(*loaded.paths, *policy.files))
            cases = loaded.report.cases
            note([f"{output}: {len(cases)} {'case' if len(cases) == 1 else 'cases'} of {loaded.report.format}"])
    return ExitCode.OK
