"""`evalgate loop report`: finished runs of the loop as one report."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalgate.cli._app import app
from evalgate.cli._output import note, out_json
from evalgate.errors import OutputError
from evalgate.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

REPORT_EXIT_CODES = """\
\b
Exit codes:
  0    the report was written, whatever the runs came to: compare judges
  3    bad usage, or something could not be read or written
  130  interrupted
"""

loop = typer.Typer(
    name="loop", help="Work with the gate inside the agent's loop.", rich_markup_mode=None, no_args_is_help=True
)
app.add_typer(loop)


@loop.callback()
def _loop() -> None:
    """Work with the gate inside the agent's loop."""


@loop.command(epilog=REPORT_EXIT_CODES)
def report(
    run_dirs: Annotated[
        list[str], typer.Argument(metavar="RUN_DIR...", help="Folders of finished runs, such as runs/*.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="The report.json to write, or - for stdout.")
    ],
    gates: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="The gate set that words the failures.")
    ] = "littlejs-nine",
) -> int:
    """
    Make finished runs a report that compare reads.

    A case is a run, named by its folder; its attempts are its gate rounds, each judged again from its own verdict. A
    run without a round is an error, and never left out. The same folders give the same bytes, in any order.
    """
    from evalgate._version import __version__
    from evalgate.loop.gate_set import find
    from evalgate.loop.loop_report import pieces
    from evalgate.loop.runs import check_folders, files_of, read_runs
    from evalgate.report_file import write_file

    for name, value in (*(("RUN_DIR", one) for one in run_dirs), ("--output", output), ("--gates", gates)):
        if value == "":
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    if output.endswith(("/", os.sep)) or (output != "-" and Path(output).is_dir()):
        raise typer.BadParameter("--output takes the path of a file.")
    gate_set = find(gates)
    folders = check_folders([Path(one) for one in run_dirs])
    _check_output(output, folders)
    text = pieces(read_runs(folders), gate_set, version=__version__)
    if output == "-":
        # As a whole: the fault of the last folder must not follow half a report.
        out_json([*text])
        return ExitCode.OK
    inputs = (*(path for folder in folders for path in files_of(folder)), Path(gates))
    write_file(Path(output), (piece.encode() for piece in text), never=inputs)
    note([f"{output}: {len(folders)} {'run' if len(folders) == 1 else 'runs'}"])
    return ExitCode.OK


def _check_output(output: str, folders: "Sequence[Path]") -> None:
    """Raise `OutputError` for a place inside a run folder: a file in there is evidence, or would be read as it."""
    from evalgate.loop.runs import ROUNDS

    if output == "-":
        return
    target = Path(os.path.realpath(output))
    for folder in folders:
        # What is evidence may lie behind a link.
        homes = (folder, folder / "evidence", folder / ROUNDS)
        if any(target.is_relative_to(os.path.realpath(home)) for home in homes):
            raise OutputError([f"{output}: cannot be written: lies in the run folder {folder}"])
