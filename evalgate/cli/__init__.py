"""
The command line: parse, load, judge, render, exit. One command or family of commands, one file.

Thin on purpose: no rule, no wording of a finding and no format of an output is in here. What a command needs is
imported when it runs, since `compare` is started on every pull request.
"""

import errno
from collections.abc import Sequence

import typer

# The commands hang themselves on the application.
from evalgate.cli import accept, ask, baseline, compare, convert, explain, judge, loop, play  # noqa: F401
from evalgate.cli._app import app
from evalgate.cli._output import note, on_github, say
from evalgate.errors import CannotJudgeError
from evalgate.verdict import ExitCode

_ORDER = ("compare", "explain", "accept", "convert", "judge", "play", "signals", "signature", "schema")
"""In which the help lists the commands: the one that everybody needs first."""
app.registered_commands.sort(key=lambda command: _ORDER.index(command.callback.__name__ if command.callback else ""))

_BY_SIGNAL = (129, 143)
"""SIGHUP and SIGTERM, as `evalgate.play` ends for them when its processes are gone."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def run(argv: Sequence[str]) -> int:
    """Run one command and return its exit code; 0, 1 and 2 stay reserved for verdicts."""
    try:
        code = app(args=list(argv), prog_name="evalgate", standalone_mode=False)
    except typer.TyperException as fault:
        context = getattr(fault, "ctx", None) or _context(argv)
        hint = f"Try '{context.command_path} --help' for help."
        say([*context.get_usage().splitlines(), hint])
        faults = [line.strip() for line in fault.format_message().splitlines()]
        note(faults)
        if argv[:1] == ["compare"] and on_github():
            from evalgate.cli._publish import tell_github

            tell_github(faults, on_stdout=False)
        return ExitCode.CANNOT_JUDGE
    except CannotJudgeError as fault:
        note(fault.faults)
        return ExitCode.CANNOT_JUDGE
    except OSError as fault:
        if fault.filename is None and fault.errno not in _NO_ROOM:
            raise
        # A place that may not be looked at, or stdout: typer prints its help itself.
        where, what = (fault.filename, "used") if fault.filename is not None else ("stdout", "written")
        note([f"{where}: cannot be {what} ({fault.strerror})"])
        return ExitCode.CANNOT_JUDGE
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except SystemExit as stop:
        return _ended(stop)
    return int(code or ExitCode.OK)


def _ended(stop: SystemExit) -> int:
    """Return the exit code where somebody below ended the process."""
    if stop.code in _BY_SIGNAL:
        return int(stop.code)
    # typer does it when the reader of its help has gone (1, which would read as FAIL), and after a completion script.
    gone = isinstance(stop.__context__, BrokenPipeError)
    return ExitCode.OK if gone or stop.code in (None, 0) else ExitCode.CANNOT_JUDGE


def _context(argv: Sequence[str]) -> typer.Context:
    """Return the context of the command that was called, for its usage: some of typer's errors come without one."""
    group = typer.main.get_command(app)
    root = typer.Context(group, info_name="evalgate")
    command = getattr(group, "commands", {}).get(argv[0] if argv else "")
    return root if command is None else typer.Context(command, info_name=argv[0], parent=root)
