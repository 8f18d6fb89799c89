"""
The entry point of `evalgate` and `python -m evalgate`.

Kept apart from the command line so that even a command line that cannot be imported ends in exit code 3: Python itself
would end in 1, and a CI job would read that as a FAIL.
"""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

_CANNOT_JUDGE = 3
_INTERRUPTED = 130
_ENDED = 143
"""128 + SIGTERM, as shells have it."""


class _EndedError(BaseException):
    """SIGTERM came: a CI ends a step that way. What was begun is tidied up, as on Ctrl-C."""


def _end(*_: object) -> NoReturn:
    # A second one must not break off what the first began.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _EndedError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command with `argv` (default: the process's) and return its exit code."""
    try:
        from evalgate.cli import run

        code = run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except _EndedError:
        code = _ENDED
    except Exception:
        _tell_fault()
        code = _CANNOT_JUDGE
    written = _settle(sys.stdout)
    _settle(sys.stderr)
    return code if written else _CANNOT_JUDGE


def _tell_fault() -> None:
    """Print the traceback of the exception that is being handled; nobody may be there to read it."""
    import traceback

    from evalgate.plain import escape

    if sys.stderr is None:
        return
    try:
        # Exception texts may quote a report.
        for line in traceback.format_exc().splitlines():
            print(escape(line), file=sys.stderr)
    except (OSError, ValueError):
        return


def _settle(stream: TextIO | None) -> bool:
    """
    Write what is left in a stream's buffer; return whether nothing was lost but to a reader that has gone.

    The interpreter would try again when it ends, and end in 120 whatever the verdict was.
    """
    if stream is None:
        return True
    try:
        stream.flush()
    except OSError as fault:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return isinstance(fault, BrokenPipeError)
    except ValueError:
        return True
    return True


def entry() -> NoReturn:
    """
    Be the process: run the command that was given to it and end with its exit code.

    A run is short and makes no cycles worth looking for, so the collector is off; and when all is written there is
    nothing left to tidy up, so the process ends at once, without taking the interpreter apart.
    """
    gc.disable()
    try:
        signal.signal(signal.SIGTERM, _end)
        code = main()
    except _EndedError:
        code = _ENDED
    os._exit(code)


if __name__ == "__main__":
    entry()
