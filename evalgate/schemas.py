"""
The JSON Schemas of what evalgate reads and writes, out of the pydantic models.

The output is written without these models, to keep pydantic's import time out of every run; a test holds the two
together.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from evalgate.formats.dsh_eval_harness.model import ReportModel

Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Output(BaseModel):
    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)


class Effective(_Output):
    """What one option comes to."""

    value: bool | int | str | list[str] | None
    """Numbers as they are written; null for an option that is not set."""
    origin: str
    """`command line`, `default`, or the path of the policy file."""


class StatusChange(_Output):
    """A case whose status is another one now."""

    name: str
    before: Literal["pass", "fail", "error", "absent"]
    after: Literal["pass", "fail", "error"]


class TokenRegression(_Output):
    """A case that used more tokens than allowed. Unit: tokens, input + output + reasoning."""

    name: str
    before: Finite
    after: Finite
    increasePct: Finite
    """Unit: percent of the before total."""


class CountChange(_Output):
    """A count that grew."""

    name: str
    before: int
    after: int


class RepeatedSignature(_Output):
    """An error signature that several failing attempts share."""

    signature: str
    occurrences: int
    """Failing attempts that have it."""
    cases: list[str]
    baselineOccurrences: int
    """Failing attempts of the before report that have it."""
    incident: str | None
    """The whole story in one line, when the signature comes with new flakiness."""


class VersionChange(_Output):
    """A version on both sides."""

    before: str
    after: str


class CaseSetChange(_Output):
    """How many cases only one report has."""

    added: int
    removed: int
    before: int
    """Cases of the before report."""
    after: int


class Share(_Output):
    """How many trials of a case passed."""

    passes: int
    trials: int


class ChangedTrials(_Output):
    """A case whose trials came out differently."""

    name: str
    before: Share
    after: Share
    p: Finite | None
    """One-sided, Fisher's exact test: the chance of so few passes, or fewer, if nothing had changed."""
    pHolm: Finite | None
    """The same after Holm, over all cases of the run with trials on both sides."""


class Outage(_Output):
    """What most of the run died of."""

    cause: str
    """A signature; empty for errors without a common one."""
    cases: list[str]
    of: int
    """Cases of the run, or its failing cases."""
    failing: bool
    """Whether `of` counts failing cases."""


class UnreliableCase(_Output):
    """A case whose trials do not show the demanded success rate. Units: shares, 0 to 1."""

    name: str
    successRate: Finite
    lowerBound: Finite
    """One-sided 95 % Wilson lower bound."""
    trials: int


class Judged(_Output):
    """The output of `evalgate compare --format json` for a comparison that was judged. More fields may be added."""

    verdict: Literal["PASS", "WARN", "FAIL", "N/A"]
    exitCode: Literal[0, 1, 2]
    strict: bool
    reasons: list[str] = Field(min_length=1)
    """Sentences for a person."""
    compared: int
    """Cases that both reports have."""
    signalsUnavailable: list[str]
    """What the reports do not carry and a rule would have needed. The fields of those rules are null."""
    config: dict[str, Effective] = Field(default_factory=dict)
    """The options of the comparison by name."""
    mixed: list[str] = Field(default_factory=list)
    """In what the reports differ that makes them hard to compare. Only with --allow-mixed."""
    cleared: list[str] = Field(default_factory=list)
    """Cases that failed and passed in the rerun. Absent without one."""
    shards: int = 0
    """Files of one run that the after report was merged from. Absent for a single file."""
    shardsBefore: int = 0
    """As `shards`, of the before report."""
    signatureRules: int
    """Version of the signature grammar; a change that regroups anything raises it."""
    regressions: list[StatusChange]
    newFailures: list[StatusChange]
    improvements: list[StatusChange]
    added: list[str]
    removed: list[str]
    tokenRegressions: list[TokenRegression] | None
    skippedLineIncreases: list[CountChange] | None
    flakyCases: list[str] | None
    toolErrorRecoveries: list[str] | None
    repeatedErrorSignatures: list[RepeatedSignature] | None
    baselineFlakyCases: list[str] | None
    unreliableCases: list[UnreliableCase] | None
    baselineFailingCases: list[str]
    dshVersionChange: VersionChange = Field(default_factory=lambda: VersionChange(before="", after=""))
    """Absent when there is none."""
    harnessVersionChange: VersionChange = Field(default_factory=lambda: VersionChange(before="", after=""))
    """Absent when there is none."""
    profileChange: VersionChange = Field(default_factory=lambda: VersionChange(before="", after=""))
    """Absent when there is none."""
    caseSetChange: CaseSetChange = Field(default_factory=lambda: CaseSetChange(added=0, removed=0, before=0, after=0))
    """Absent when there is none."""
    flakyWorsened: list[CountChange] | None
    """Cases that are flaky in both reports and needed more retries."""
    trials: list[ChangedTrials] | None
    """Cases whose trials came out differently."""
    outage: Outage = Field(default_factory=lambda: Outage(cause="", cases=[], of=0, failing=False))
    """Absent when there is none."""
    incompleteAfter: list[str]
    """Why the after run is only a part of what was asked for."""
    incompleteBefore: list[str]
    """Why the baseline is only a part of what was asked for."""
    notRun: list[str]
    """Cases of the after report that were skipped."""
    casesChanged: list[str]
    """Cases that consist of something else than before."""
    notes: list[str]
    """What a person should know about how the after report was read."""
    repairIncreases: list[CountChange] = Field(default_factory=list)
    """Cases that needed more repairs. As the two below, only in a comparison of loop reports."""
    budgetSoftTripped: list[str] = Field(default_factory=list)
    """Cases that newly reached their soft budget."""
    costGateDegraded: list[str] = Field(default_factory=list)
    """Cases whose cost nobody could say, newly."""


class NotJudged(_Output):
    """The output when the gate could not judge."""

    verdict: Literal["ERROR"]
    exitCode: Literal[3]
    errors: list[str] = Field(min_length=1)
    """One line per fault."""


class GatesJudged(_Output):
    """The output of `evalgate judge --format json` for a verdict that was judged. More fields may be added."""

    verdict: Literal["PASS", "FAIL", "N/A"]
    """N/A: there is no verdict, or no guard in it."""
    exitCode: Literal[0, 1, 2]
    passed: bool
    gateSet: str
    """The name of the declared gates that the feedback is worded by."""
    gates: int = Field(ge=0)
    """Guards in the verdict."""
    failedGates: list[str]
    """Guards that are objects whose pass is false, in the order of the verdict."""
    unprovenGates: list[str]
    """Guards that are no object, or whose pass is neither true nor false: the run does not pass."""
    missingGates: list[str]
    """Declared gates that the verdict does not hold: nothing was proven of them."""
    reasons: list[str] = Field(min_length=1)
    """Sentences for a person."""
    feedback: list[str]
    """What the agent is told: a line per failed gate, the first 40 and a count. Empty exactly when the run passed."""


GATE: TypeAdapter[Judged | NotJudged] = TypeAdapter(Judged | NotJudged)
"""The output of `evalgate compare --format json`."""

JUDGE: TypeAdapter[GatesJudged | NotJudged] = TypeAdapter(GatesJudged | NotJudged)
"""The output of `evalgate judge --format json`."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema of a dsh-eval-harness report. Rules that span fields are in the contract, not in here."""
    return {"$schema": _DIALECT, **ReportModel.model_json_schema()}


def gate_schema() -> dict[str, Any]:
    """Return the JSON Schema of the JSON output."""
    return {"$schema": _DIALECT, "title": "evalgate compare --format json", **GATE.json_schema()}


def judge_schema() -> dict[str, Any]:
    """Return the JSON Schema of the JSON output of `evalgate judge`."""
    return {"$schema": _DIALECT, "title": "evalgate judge --format json", **JUDGE.json_schema()}
