"""Severity, verdict and exit code: the three scales of the gate and the only places where one becomes another."""

from enum import Enum, IntEnum
from typing import assert_never


class Severity(IntEnum):
    """How much one fired signal weighs. The verdict is the highest one that fired; INFO never moves it."""

    INFO = 0
    WARN = 1
    FAIL = 2


class Verdict(Enum):
    """The judgement of one comparison, spelled as the outputs print it."""

    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"
    NOT_APPLICABLE = "N/A"
    """There was nothing to judge. A gate over an empty set must not be green."""


class ExitCode(IntEnum):
    """What the process returns. CI jobs branch on it: changing a number is a breaking change."""

    OK = 0
    FAIL = 1
    NOT_OK = 2
    """A WARN under --strict, or nothing to judge."""
    CANNOT_JUDGE = 3
    """Bad usage, an unreadable report, an output that could not be written: a broken run is never a verdict."""
    INTERRUPTED = 130
    """Ctrl-C, as a shell reports it: 128 + SIGINT."""


def verdict_of(highest: Severity | None) -> Verdict:
    """Return the verdict for the highest severity that fired, None when nothing fired."""
    match highest:
        case Severity.FAIL:
            return Verdict.FAIL
        case Severity.WARN:
            return Verdict.WARN
        case Severity.INFO | None:
            return Verdict.PASS
        case _:
            assert_never(highest)


def exit_code(verdict: Verdict, *, strict: bool) -> ExitCode:
    """Map a verdict to the exit code of the table in docs/signals.md#verdict-and-exit-code."""
    match verdict:
        case Verdict.PASS:
            return ExitCode.OK
        case Verdict.WARN:
            return ExitCode.NOT_OK if strict else ExitCode.OK
        case Verdict.FAIL:
            return ExitCode.FAIL
        case Verdict.NOT_APPLICABLE:
            return ExitCode.NOT_OK
        case _:
            assert_never(verdict)
