"""The commands that explain: `evalgate signature`, `evalgate schema`, `evalgate signals`."""

import sys
from enum import Enum
from typing import Annotated

import typer

from evalgate.cli._app import OTHER_EXIT_CODES, app
from evalgate.cli._output import fenced, note, on_github, out
from evalgate.plain import escape
from evalgate.verdict import ExitCode


class SchemaName(Enum):
    """Which schema to print."""

    REPORT = "report"
    GATE = "gate"
    JUDGE = "judge"


@app.command(epilog=OTHER_EXIT_CODES)
def signature(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="A stderr text, or - for stdin.")] = "-",
    explanation: Annotated[
        bool,
        typer.Option(
            "--explain", help="Print how the text was read: blocks, frames, what the code was taken from, and why."
        ),
    ] = False,
) -> int:
    """
    Print what the gate would call a crash.

    Reads the end of the stderr text of a process, as a report keeps it, and prints its error signature, such as
    ENOENT@ensureSymlink. When there is none, stdout stays empty and stderr says why.
    """
    from evalgate.formats.stderr_text import KEPT, read_stderr
    from evalgate.stack import explain

    if not file:
        raise typer.BadParameter("FILE is empty: is a variable not set?")
    if file == "-" and sys.stdin is not None and sys.stdin.isatty():
        note(["reading a stderr text from the terminal; end it with Ctrl-D"])
    stderr = read_stderr(file)
    if stderr.shortened:
        note([f"only the last {KEPT} characters are read: a report keeps no more"])
    reading = explain(stderr.text)
    if explanation:
        from evalgate.stack.explanation import render

        shown = [render(reading)]
        out(fenced(shown) if on_github() else shown)
    elif reading.signature is None:
        note([f"no signature: {reading.why}"])
    else:
        # On GitHub `##[` is a command anywhere in a line; a name that a script keeps cannot stand between fences.
        name = escape(reading.signature)
        out([f"{name.replace('##[', '## [') if on_github() else name}\n"])
    return ExitCode.OK


@app.command(epilog=OTHER_EXIT_CODES)
def schema(
    name: Annotated[
        SchemaName,
        typer.Argument(
            metavar="report|gate|judge",
            help="report: what compare reads; gate: what compare --format json prints; judge: what judge prints so.",
        ),
    ],
) -> int:
    """Print the JSON Schema of the input or of the output."""
    import json

    from evalgate.schemas import gate_schema, judge_schema, report_schema

    schemas = {SchemaName.REPORT: report_schema, SchemaName.GATE: gate_schema, SchemaName.JUDGE: judge_schema}
    value = schemas[name]()
    out([json.dumps(value, indent=2, ensure_ascii=False) + "\n"])
    return ExitCode.OK


@app.command(epilog=OTHER_EXIT_CODES)
def signals(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A rule: FLAKY, flakyCases or new-flaky-cases.")
    ] = None,
) -> int:
    """
    List the rules, or explain one.

    The page of a rule says when it fires, when it stays quiet, what it knowingly misses, why, and what to do.
    """
    from evalgate.render.page import listing, page
    from evalgate.signals import SIGNALS

    if name is None:
        out([listing(SIGNALS), "\nMore: evalgate signals NAME\n"])
        return ExitCode.OK
    wanted = {alias.lower(): signal for signal in SIGNALS for alias in signal.names}
    if name.lower() not in wanted:
        import difflib

        near = difflib.get_close_matches(name.lower(), wanted, 1)
        hint = f" Did you mean {wanted[near[0]].key}?" if near else " `evalgate signals` lists them."
        raise typer.BadParameter(f'there is no rule "{name}".{hint}')
    out([page(wanted[name.lower()])])
    return ExitCode.OK
