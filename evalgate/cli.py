"""
The command line: parse, load, judge, render, exit.

Thin on purpose: no rule, no wording of a finding and no format of an output is in here. What a command needs is
imported when it runs, since `compare` is started on every pull request.
"""

import errno
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from evalgate._version import __version__
from evalgate.errors import CannotJudgeError, MissingReportError, OutputError, ReportError
from evalgate.gate import GateResult
from evalgate.gate import compare as judge
from evalgate.numbers import decimal_text
from evalgate.options import DEFAULTS, GateOptions
from evalgate.plain import escape
from evalgate.progress import ReadingProgress
from evalgate.verdict import ExitCode, exit_code

if TYPE_CHECKING:
    from evalgate.formats import Loaded

EXIT_CODES = """\
\b
Exit codes:
  0    PASS, or WARN without --strict
  1    FAIL: a case broke, or a new one does not pass
  2    WARN with --strict, or N/A: there was nothing to judge
  3    the gate could not judge: bad usage, an unreadable or invalid report,
       an output that could not be written
  130  interrupted
"""

OTHER_EXIT_CODES = """\
\b
Exit codes:
  0    printed; for signature also when there is none
  3    bad usage, or something could not be read or written
  130  interrupted
"""

app = typer.Typer(
    name="evalgate",
    help="The gate between two runs of an agent evaluation.\n\n"
    "It compares a baseline report with a new one, tells CI by its exit code whether the change may go in, "
    "and tells an engineer why.",
    epilog=f"Start with: evalgate compare BEFORE AFTER --strict\n\n{EXIT_CODES}",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(Enum):
    """What stdout carries."""

    TEXT = "text"
    JSON = "json"


class SchemaName(Enum):
    """Which schema to print."""

    REPORT = "report"
    GATE = "gate"


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})")
"""No exponents: a fraction would be as long as 1e999999999 says."""


def _exact(option: str, text: str) -> Fraction:
    """Return the number that was typed, exactly: a float would turn 0.1 into its neighbour."""
    if not _DECIMAL.fullmatch(text):
        raise typer.BadParameter(f"{option}: {text!r} is not a number such as 50 or 0.8.")
    return Fraction(text)


def _print_version(value: bool) -> None:  # noqa: FBT001 (typer calls it with the value)
    if value:
        _out([f"evalgate {__version__}\n"])
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command(epilog=EXIT_CODES)
def compare(
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="The baseline: report.json, a folder that holds it, or - for stdin.")
    ],
    after: Annotated[
        str, typer.Argument(metavar="AFTER", help="The new run: report.json, a folder that holds it, or - for stdin.")
    ],
    strict: Annotated[bool, typer.Option("--strict", help="Let a WARN end in exit code 2.")] = False,
    output: Annotated[
        Format, typer.Option("--format", help="Lines to grep, or one JSON object on one line.")
    ] = Format.TEXT,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Write the section for people into this file.  [default: report.md beside AFTER]"
        ),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.md.")] = False,
    max_token_increase_pct: Annotated[
        str,
        typer.Option(metavar="PCT", help="WARN when a case uses more than PCT percent more tokens; 0 switches it off."),
    ] = decimal_text(DEFAULTS.token_pct),
    min_trial_success_rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="WARN when the Wilson lower bound of a case's trials is below RATE, such as 0.8.  [default: off]",
        ),
    ] = None,
) -> int:
    """
    Judge AFTER against BEFORE.

    Prints one line per fact (OVERALL=WARN, FLAKY=2, FLAKY_CASE name), writes a section for people into report.md
    beside AFTER, and ends with the verdict's exit code.
    """
    for name, value in (("BEFORE", before), ("AFTER", after), ("--report", report)):
        if value == "":
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    if before == after == "-":
        raise typer.BadParameter("Only one of BEFORE and AFTER can be stdin.")
    if report == "-" or (report or "").endswith(("/", os.sep)):
        raise typer.BadParameter("--report takes the path of a file.")
    if report is not None and no_report:
        raise typer.BadParameter("--report and --no-report exclude each other.")
    options = _options(max_token_increase_pct, min_trial_success_rate)
    try:
        with ExitStack() as stack:
            with ReadingProgress() as progress:
                baseline, run = _load_both(before, after, stack, progress)
            result = judge(None if baseline is None else baseline.report, run.report, options)
            if not no_report:
                _write_report(result, baseline, run, report, strict=strict)
        code = exit_code(result.verdict, strict=strict)
    except CannotJudgeError as fault:
        _note(fault.faults)
        _out(_renderer(output).render_error(fault.faults))
        return ExitCode.CANNOT_JUDGE
    _out(_renderer(output).render(result, strict=strict))
    _summarise(result, strict=strict)
    return code


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
        _note(["reading a stderr text from the terminal; end it with Ctrl-D"])
    stderr = read_stderr(file)
    if stderr.shortened:
        _note([f"only the last {KEPT} characters are read: a report keeps no more"])
    reading = explain(stderr.text)
    if explanation:
        from evalgate.stack.explanation import render

        _out([render(reading)])
    elif reading.signature is None:
        _note([f"no signature: {reading.why}"])
    else:
        _out([f"{escape(reading.signature)}\n"])
    return ExitCode.OK


@app.command(epilog=OTHER_EXIT_CODES)
def schema(
    name: Annotated[
        SchemaName,
        typer.Argument(metavar="report|gate", help="report: what compare reads; gate: what --format json prints."),
    ],
) -> int:
    """Print the JSON Schema of the input or of the output."""
    import json

    from evalgate.schemas import gate_schema, report_schema

    value = report_schema() if name is SchemaName.REPORT else gate_schema()
    _out([json.dumps(value, indent=2, ensure_ascii=False) + "\n"])
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
        _out([listing(SIGNALS), "\nMore: evalgate signals NAME\n"])
        return ExitCode.OK
    wanted = {alias.lower(): signal for signal in SIGNALS for alias in signal.names}
    if name.lower() not in wanted:
        import difflib

        near = difflib.get_close_matches(name.lower(), wanted, 1)
        hint = f" Did you mean {wanted[near[0]].key}?" if near else " `evalgate signals` lists them."
        raise typer.BadParameter(f'there is no rule "{name}".{hint}')
    _out([page(wanted[name.lower()])])
    return ExitCode.OK


def run(argv: Sequence[str]) -> int:
    """Run one command and return its exit code; 0, 1 and 2 stay reserved for verdicts."""
    try:
        code = app(args=list(argv), prog_name="evalgate", standalone_mode=False)
    except typer.TyperException as fault:
        context = getattr(fault, "ctx", None) or _context(argv)
        hint = f"Try '{context.command_path} --help' for help."
        _say([*context.get_usage().splitlines(), hint])
        _note(line.strip() for line in fault.format_message().splitlines())
        return ExitCode.CANNOT_JUDGE
    except CannotJudgeError as fault:
        _note(fault.faults)
        return ExitCode.CANNOT_JUDGE
    except OSError as fault:
        if fault.errno not in _NO_ROOM or fault.filename is not None:
            raise
        # typer prints its help itself.
        _note([f"stdout: cannot be written ({fault.strerror})"])
        return ExitCode.CANNOT_JUDGE
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except SystemExit as stop:
        # typer ends the process itself when the reader of its help has gone (1, which would read as FAIL), and after a
        # completion script.
        gone = isinstance(stop.__context__, BrokenPipeError)
        return ExitCode.OK if gone or stop.code in (None, 0) else ExitCode.CANNOT_JUDGE
    return int(code or ExitCode.OK)


def _options(max_token_increase_pct: str, min_trial_success_rate: str | None) -> GateOptions:
    pct = _exact("--max-token-increase-pct", max_token_increase_pct)
    rate = None if min_trial_success_rate is None else _exact("--min-trial-success-rate", min_trial_success_rate)
    try:
        return GateOptions(max_token_increase_pct=pct, min_trial_success_rate=rate)
    except ValueError as fault:
        raise typer.BadParameter(f"--{str(fault).replace('_', '-')}.") from fault


def _context(argv: Sequence[str]) -> typer.Context:
    """Return the context of the command that was called, for its usage: some of typer's errors come without one."""
    group = typer.main.get_command(app)
    root = typer.Context(group, info_name="evalgate")
    command = getattr(group, "commands", {}).get(argv[0] if argv else "")
    return root if command is None else typer.Context(command, info_name=argv[0], parent=root)


def _load_both(before: str, after: str, stack: ExitStack, progress: ReadingProgress) -> "tuple[Loaded | None, Loaded]":
    """Return both reports, None for a baseline that is not there; raise with the faults of both otherwise."""
    from evalgate.formats import load

    faults: list[str] = []
    loaded: list[Loaded | None] = []
    for place, may_be_missing in ((before, True), (after, False)):
        try:
            loaded.append(stack.enter_context(load(place, progress)))
        except MissingReportError as fault:
            if not may_be_missing:
                faults.extend(fault.faults)
            else:
                _note(fault.faults)
            loaded.append(None)
        except ReportError as fault:
            faults.extend(fault.faults)
            loaded.append(None)
    if faults:
        raise ReportError(faults)
    assert loaded[1] is not None, "an after report that was not loaded is a fault"
    return loaded[0], loaded[1]


def _write_report(
    result: GateResult, baseline: "Loaded | None", run: "Loaded", asked: str | None, *, strict: bool
) -> None:
    """Write the section of report.md; only a place that was asked for must be writable."""
    from evalgate.render import markdown
    from evalgate.report_file import write_section

    if asked is None and run.path is None:
        return
    path = Path(asked) if asked is not None else Path(run.path or "").parent / "report.md"
    before = None if baseline is None else markdown.Side(baseline.label, baseline.evidence)
    section = markdown.render(result, strict=strict, before=before, after=markdown.Side(run.label, run.evidence))
    inputs = tuple(one.path for one in (baseline, run) if one is not None and one.path is not None)
    try:
        write_section(path, section, never=inputs)
    except OutputError as fault:
        if asked is not None:
            raise
        _note([f"{line}; the verdict stands" for line in fault.faults])


def _renderer(output: Format) -> ModuleType:
    if output is Format.JSON:
        from evalgate.render import json as renderer

        return renderer
    from evalgate.render import text

    return text


def _summarise(result: GateResult, *, strict: bool) -> None:
    """Print the summary for a person, when a person is there."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    from evalgate.render import console

    dumb = os.environ.get("TERM") == "dumb"
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        width = 80
    color = not (dumb or os.environ.get("NO_COLOR"))
    _say([console.render(result, strict=strict, width=width, color=color).rstrip("\n")])


def _out(chunks: Iterable[str]) -> None:
    """
    Write to stdout, as UTF-8 whatever the locale.

    A reader that closes the pipe early has had what it wanted, and the exit code stays; any other failure is a
    `OutputError`: a disk that is full must not look like a verdict.
    """
    if sys.stdout is None:
        raise OutputError(["stdout: cannot be written (it is closed)"])
    stream = sys.stdout.buffer
    try:
        for chunk in chunks:
            stream.write(chunk.encode("utf-8", "backslashreplace"))
        stream.flush()
    except OSError as fault:
        if not isinstance(fault, BrokenPipeError):
            raise OutputError([f"stdout: cannot be written ({fault.strerror or fault})"]) from fault


def _note(lines: Iterable[str]) -> None:
    """Tell a person on stderr; the lines may quote a report."""
    _say([f"evalgate: {escape(line)}" for line in lines])


def _say(lines: Iterable[str]) -> None:
    if sys.stderr is None:
        return
    try:
        for line in lines:
            print(line, file=sys.stderr)
        sys.stderr.flush()
    except (OSError, ValueError):
        # Nobody is listening: the verdict is on stdout and in the exit code.
        return
