"""
The input contract of dsh-eval-harness reports as pydantic models.

This is the one place that says which fields there are, of which type, and what an absent one means. `evalgate schema
report` prints it as JSON Schema, and the reference reader validates with it; rules that span fields are in
consistency.py.
"""

from collections.abc import Callable
from math import isfinite
from typing import Annotated, Any, Literal, TypeGuard

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from evalgate.formats.instants import instant


def _fault(rule: str) -> PydanticCustomError:
    # pydantic formats the text with str.format: a brace would be a placeholder, and no rule has one
    return PydanticCustomError("rule", "{rule}", {"rule": rule})


def _string(value: object) -> str:
    # Checked by hand: pydantic's own string refuses a lone surrogate, which a harness that cuts texts does write.
    if not isinstance(value, str):
        raise _fault("must be a string")
    return value


def _non_blank(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _fault("must be a non-blank string")
    return value


def _instant(value: object) -> str:
    if not isinstance(value, str) or instant(value) is None:
        raise _fault("must be an ISO 8601 instant with a zone, such as 2026-08-13T00:00:00.000Z")
    return value


def _number(value: object) -> int | float:
    if not _is_number(value) or not isfinite(value) or value < 0:
        raise _fault("must be a finite number >= 0")
    return int(value) if value == int(value) else value


def _whole(at_least: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if not _is_number(value) or not isfinite(value) or value != int(value) or value < at_least:
            raise _fault(f"must be a whole number >= {at_least}")
        return int(value)

    return check


def _share(value: object) -> int | float:
    if not _is_number(value) or not 0 <= value <= 1:
        raise _fault("must be a number between 0 and 1")
    return value


def _status(value: object) -> str:
    if not isinstance(value, str) or value not in {"pass", "fail", "error"}:
        raise _fault('must be "pass", "fail" or "error"')
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _fault("must be true or false")
    return value


def _exit_code(value: object) -> int | None:
    if value is None:
        return None
    if not _is_number(value) or not isfinite(value) or value != int(value) or value < 0:
        raise _fault("must be a whole number >= 0, or null for a process that a signal ended")
    return int(value)


def _is_number(value: object) -> TypeGuard[int | float]:
    # true is not 1, "3" is not 3
    return isinstance(value, int | float) and not isinstance(value, bool)


def _object(value: object) -> object:
    # An optional field may be absent; null is no absence.
    if not isinstance(value, dict):
        raise _fault("must be an object")
    return value


def _absent() -> None:
    """Stand for an absent field, without printing a default of null in the schema, where null is refused."""
    return None


def _without_null(schema: dict[str, Any]) -> None:
    schema.update(schema.pop("anyOf")[0])


Text = Annotated[str, PlainValidator(_string), WithJsonSchema({"type": "string"})]
NonBlank = Annotated[str, PlainValidator(_non_blank), WithJsonSchema({"type": "string", "pattern": r"\S"})]
Instant = Annotated[str, PlainValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"})]
Amount = Annotated[int | float, PlainValidator(_number), WithJsonSchema({"type": "number", "minimum": 0})]
Count = Annotated[int, PlainValidator(_whole(0)), WithJsonSchema({"type": "integer", "minimum": 0})]
Positive = Annotated[int, PlainValidator(_whole(1)), WithJsonSchema({"type": "integer", "minimum": 1})]
Share = Annotated[int | float, PlainValidator(_share), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
MaybeText = Annotated[str | None, PlainValidator(_string), WithJsonSchema({"type": "string"})]
MaybeInstant = Annotated[
    str | None, PlainValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"})
]
MaybeAmount = Annotated[int | float | None, PlainValidator(_number), WithJsonSchema({"type": "number", "minimum": 0})]
MaybeCount = Annotated[int | None, PlainValidator(_whole(0)), WithJsonSchema({"type": "integer", "minimum": 0})]
MaybeFlag = Annotated[bool | None, PlainValidator(_boolean), WithJsonSchema({"type": "boolean"})]
ExitStatus = Annotated[
    int | None,
    PlainValidator(_exit_code),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]}),
]
StatusName = Annotated[
    Literal["pass", "fail", "error"],
    PlainValidator(_status),
    WithJsonSchema({"enum": ["pass", "fail", "error"], "type": "string"}),
]


class _Model(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        use_attribute_docstrings=True,
        # field names are the harness's: `model_...` is none of pydantic's business
        protected_namespaces=(),
    )


class TokenUsage(_Model):
    """The tokens of one run of a case."""

    input: Amount
    """Unit: tokens. Uncached input only."""
    output: Amount
    """Unit: tokens."""
    cache_read: Amount
    """Unit: tokens. Not part of the total: a long session reads the same cache again at every step."""
    cache_write: Amount
    """Unit: tokens. Not part of the total."""
    reasoning: Amount
    """Unit: tokens."""
    total: Amount
    """Unit: tokens. input + output + reasoning."""


class ToolError(_Model):
    """One tool call that returned a hard error."""

    name: Text
    """The tool."""
    error: Text
    """What the tool said."""


class Run(_Model):
    """What a case and each of its attempts have in common."""

    status: StatusName
    """How the run ended. "error": the run itself broke; it counts as failing."""
    failures: list[Text]
    """The assertions that did not hold."""
    error: MaybeText = Field(default_factory=_absent)
    """Why the run broke. Absent when it did not."""
    turn_end: Any = Field(default_factory=_absent)
    """How the agent's turn ended. Absent when it did not end."""
    tools_called: list[Text]
    """Names of the tools, in the order of the calls."""
    tool_calls: list[Any]
    """The calls with their ids and arguments."""
    tool_results: list[Any]
    """What the tools returned."""
    final_text: Text
    """The agent's last message."""
    steps: Count
    """Model calls."""
    tokens: TokenUsage
    """Tokens of this run."""
    tool_errors: list[ToolError]
    """Tool calls that returned a hard error."""
    events: MaybeCount = Field(default_factory=_absent)
    """Lines of the trace. Only a legacy report may lack it: 0."""
    skipped_lines: MaybeCount = Field(default_factory=_absent)
    """Trace lines that could not be read. Only a legacy report may lack it: 0."""
    exit_code: ExitStatus = Field(default_factory=_absent)
    """Exit code of the process; null when a signal ended it."""
    timed_out: MaybeFlag = Field(default_factory=_absent)
    """Whether the harness ended the process. Absent: no."""
    stderr_tail: MaybeText = Field(default_factory=_absent)
    """The last 8192 characters (UTF-16 units) of the process's stderr. Absent: none kept."""
    duration_ms: Amount
    """Unit: milliseconds."""


class Attempt(Run):
    """One attempt at a case: a retry, or a trial where the case has a reliability."""

    index: Positive
    """1, 2, 3 ... in the order of the list."""


class Reliability(_Model):
    """Written when a case was run as independent trials."""

    trials: Positive
    """How many trials were run."""
    passes: Count
    """How many of them passed."""
    k: Positive
    """The k of passAtK and passPowK."""
    success_rate: Share
    """passes / trials."""
    pass_at_k: Share
    """Estimated chance that at least one of k trials passes."""
    pass_pow_k: Share
    """Estimated chance that all of k trials pass; its estimator changed with harness 0.3, so do not compare it."""


class CaseModel(Run):
    """One case of the evaluation."""

    name: NonBlank
    """Unique in the report; compared exactly."""
    attempts: Positive = 1
    """The number of attemptResults. Without attemptResults it reads 1: no history is invented."""
    attempt_results: list[Attempt] = Field(default_factory=list, json_schema_extra={"minItems": 1})
    """Every attempt in order. Absent in reports from before attempt history."""
    flaky: MaybeFlag = Field(default_factory=_absent)
    """Whether the harness saw it pass only after a retry. Absent: no."""
    reliability: Annotated[Reliability | None, BeforeValidator(_object)] = Field(
        default_factory=_absent, json_schema_extra=_without_null
    )
    """The outcome of trials. Absent: the case was not run as trials."""


class Summary(_Model):
    """Counts over the cases; each must agree with them."""

    total: Count
    """All cases."""
    passed: Count
    """Cases of status pass."""
    failed: Count
    """Cases of status fail."""
    errored: Count
    """Cases of status error."""


class Header(_Model):
    """A report without its cases."""

    schema_version: Literal[0, 1] = 0
    """1; absent or 0 is a legacy report, which may lack some fields."""
    tool: Literal["dsh-eval-harness"]
    """The program that wrote the report."""
    version: NonBlank
    """Version of the harness."""
    profile: NonBlank
    """The dsh profile the cases ran under."""
    started_at: Instant
    """When the run began."""
    finished_at: MaybeInstant = Field(default_factory=_absent)
    """When the run ended, not before startedAt. Only a legacy report may lack it: startedAt."""
    duration_ms: MaybeAmount = Field(default_factory=_absent)
    """Unit: milliseconds. Only a legacy report may lack it: 0."""
    dsh_version: MaybeText = Field(default_factory=_absent)
    """First line of `dsh --version`. Absent: the harness did not say."""
    summary: Summary
    """Counts over the cases."""


def _schema_one(schema: dict[str, Any]) -> None:
    schema["if"] = {"properties": {"schemaVersion": {"const": 1}}, "required": ["schemaVersion"]}
    schema["then"] = {"required": ["finishedAt", "durationMs"]}


class ReportModel(Header):
    """The report.json of dsh-eval-harness, schema 0 (legacy) and 1, as evalgate reads it."""

    model_config = ConfigDict(json_schema_extra=_schema_one)

    cases: list[CaseModel]
    """Every case of the run."""
