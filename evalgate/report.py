"""
The facts of one report: what the rules see, and nothing else.

A reader makes them out of a file of its format and vouches for them: by the time a `Report` exists, every rule of the
input contract holds. What only people look at (error texts, stderr) is evidence, see evidence.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Self

from evalgate.numbers import Number

DSH_FORMAT = "dsh-eval-harness"
"""The format that evalgate was made for, and the tool that writes it."""

LOOP_FORMAT = "evalgate-loop"
"""The format of `evalgate loop report`, and the tool that writes it. It is never compared with another one."""


class Status(Enum):
    """How a case or an attempt ended. An error (the run itself broke) counts as failing."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"


class Fact(Enum):
    """
    What a report may carry beside names and statuses; its value is its name in the outputs.

    A format that does not carry a fact has not measured 0 of it: the rules that need it do not run.
    """

    TOKENS = "tokens"
    TOOL_ERRORS = "tool_errors"
    SKIPPED_LINES = "skipped_lines"
    FLAKY = "flaky"
    SIGNATURES = "signatures"
    TRIALS = "trials"
    VERSION = "version"


ALL_FACTS = frozenset(Fact)


class Trials(NamedTuple):
    """The outcome of planned independent repeats of one case; not retries."""

    trials: int
    """>= 1."""
    passes: int
    """0 <= passes <= trials."""


class Loop(NamedTuple):
    """What only a run with the gate inside its loop has: it was judged, repaired and judged again."""

    repairs: int
    """>= 0: how often the agent was sent back by a red gate. The rounds depend on each other, they are no retries."""
    budget_soft_tripped: bool
    """Whether the run was asked to wrap up since its soft cost limit was reached."""
    cost_degraded: bool
    """Whether nobody could say what the run cost, so that its budget was not watched."""


class Traits(NamedTuple):
    """What most cases of a report have in common: all facts but the name and the tokens."""

    status: Status
    flaky: bool
    attempts: int
    skipped_lines: int
    tool_errors: int
    trials: Trials | None
    signatures: tuple[str, ...]
    loop: Loop | None = None


_SHARED_AT_MOST = 4096
_shared: dict[tuple[object, ...], Traits] = {}


class _Fields(NamedTuple):
    name: str
    total_tokens: Number
    traits: Traits


class Case(_Fields):
    """
    The facts of one case.

    A report may hold a million of them, so a case is a tuple of three, and the traits of equal cases are one object.

    name: unique in the report, compared exactly: no trimming, no case folding, no Unicode normalisation.
    status: how it ended.
    flaky: it passes, and either its flag says flaky or, without trials, an attempt before the last did not pass.
    attempts: >= 1; retries, or trials where the case has any.
    total_tokens: input + output + reasoning; cache reads stay out.
    skipped_lines: trace lines that the harness could not read: assertions may rest on partial data.
    tool_errors: how many tool calls returned a hard error in the run that counts.
    trials: None when the case was not run as trials.
    signatures: of each attempt that did not pass and has one, in the order of the attempts.
    loop: None in every format but that of `evalgate loop report`.
    """

    __slots__ = ()

    def __new__(  # noqa: PLR0917 (by position in the readers' inner loop)
        cls,
        name: str,
        status: Status,
        flaky: bool = False,  # noqa: FBT001, FBT002
        attempts: int = 1,
        total_tokens: Number = 0,
        skipped_lines: int = 0,
        tool_errors: int = 0,
        trials: Trials | None = None,
        signatures: tuple[str, ...] = (),
        loop: Loop | None = None,
    ) -> Self:
        """Return the facts of a case."""
        key = (status, flaky, attempts, skipped_lines, tool_errors, trials, signatures, loop)
        traits = _shared.get(key)
        if traits is None:
            if len(_shared) >= _SHARED_AT_MOST:
                _shared.clear()
            traits = _shared[key] = Traits(*key)
        return tuple.__new__(cls, (name, total_tokens, traits))

    @property
    def status(self) -> Status:
        """How the case ended."""
        return self.traits.status

    @property
    def flaky(self) -> bool:
        """Whether the case passes and is flaky."""
        return self.traits.flaky

    @property
    def attempts(self) -> int:
        """How many attempts it took."""
        return self.traits.attempts

    @property
    def skipped_lines(self) -> int:
        """Trace lines that were lost."""
        return self.traits.skipped_lines

    @property
    def tool_errors(self) -> int:
        """Hard tool errors in the run that counts."""
        return self.traits.tool_errors

    @property
    def trials(self) -> Trials | None:
        """The outcome of trials."""
        return self.traits.trials

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signatures of the attempts that did not pass."""
        return self.traits.signatures

    @property
    def loop(self) -> Loop | None:
        """Repairs and budget of a run with the gate inside its loop."""
        return self.traits.loop

    @property
    def failing(self) -> bool:
        """Whether the case fails or errors."""
        return self.traits.status is not Status.PASS

    @property
    def recovered(self) -> bool:
        """Whether the case passes although a tool returned a hard error."""
        return self.traits.status is Status.PASS and self.traits.tool_errors > 0


@dataclass(frozen=True, kw_only=True)
class Report:
    """The facts of one run. `cases` is in the order of the file."""

    cases: tuple[Case, ...] = field(repr=False)
    tool: str = DSH_FORMAT
    """The program that wrote the report."""
    harness_version: str = ""
    profile: str = ""
    dsh_version: str | None = None
    """Version of the agent under test; None when the report does not say."""
    started_at: str = ""
    """ISO 8601, as the file spells it; empty when it does not say."""
    finished_at: str = ""
    duration_ms: Number = 0
    """Unit: milliseconds."""
    format: str = DSH_FORMAT
    """The file format it was read from. Reports of two formats measure with two rulers."""
    suite: str = ""
    """What was measured and how, where the format says it: a task and its scorer. Empty where it does not."""
    task: str = ""
    """The task alone, in formats that keep one file per task: several files are then one run of several tasks."""
    carries: frozenset[Fact] = ALL_FACTS
    """What the report can tell. The rest is not 0, it is unknown."""
    incomplete: tuple[str, ...] = ()
    """Why the run is only a part of what was asked for, a sentence each; empty when nothing says so."""
    not_run: tuple[str, ...] = ()
    """Names of cases that are in the file and were skipped. They are not in `cases`."""
    notes: tuple[str, ...] = ()
    """What a person should know about how the file was read, a sentence each."""
    revisions: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Digest of what a case consists of, by case name, where the format says it: another one is another task."""
    tokens_summed: bool = False
    """Whether the tokens of a case are the sum over its trials, so that twice the trials cost twice as much."""
    shards: int = 0
    """How many files of one run were merged into it; 0 for a single file."""
