"""
The facts of one report: what the rules see, and nothing else.

A reader makes them out of a file of its format and vouches for them: by the time a `Report` exists, every rule of the
input contract holds. What only people look at (error texts, stderr) is evidence, see evidence.py.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from evalgate.numbers import Number


class Status(Enum):
    """How a case or an attempt ended. An error (the run itself broke) counts as failing."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"


class Trials(NamedTuple):
    """The outcome of planned independent repeats of one case; not retries."""

    trials: int
    """>= 1."""
    passes: int
    """0 <= passes <= trials."""


class Case(NamedTuple):
    """The facts of one case. A tuple, since a report may hold a million of them."""

    name: str
    """Unique in the report, compared exactly: no trimming, no case folding, no Unicode normalisation."""
    status: Status
    flaky: bool = False
    """It passes, and either its flag says flaky or, without trials, an attempt before the last did not pass."""
    attempts: int = 1
    """>= 1. Retries, or trials where the case has any."""
    total_tokens: Number = 0
    """Unit: tokens, input + output + reasoning; cache reads stay out."""
    skipped_lines: int = 0
    """Trace lines that the harness could not read: assertions may rest on partial data."""
    tool_errors: int = 0
    """How many tool calls returned a hard error in the run that counts."""
    trials: Trials | None = None
    """None when the case was not run as trials."""
    signatures: tuple[str, ...] = ()
    """The error signature of each attempt that did not pass and has one, in the order of the attempts."""

    @property
    def failing(self) -> bool:
        """Whether the case fails or errors."""
        return self.status is not Status.PASS

    @property
    def recovered(self) -> bool:
        """Whether the case passes although a tool returned a hard error."""
        return self.status is Status.PASS and self.tool_errors > 0


@dataclass(frozen=True, kw_only=True)
class Report:
    """The facts of one run. `cases` is in the order of the file."""

    cases: tuple[Case, ...] = field(repr=False)
    tool: str = "dsh-eval-harness"
    """The program that wrote the report."""
    harness_version: str = ""
    profile: str = ""
    dsh_version: str | None = None
    """Version of the agent under test; None when the report does not say."""
    started_at: str = ""
    """ISO 8601, as the file spells it."""
    finished_at: str = ""
    duration_ms: Number = 0
