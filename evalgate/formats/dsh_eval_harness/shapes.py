"""
The cases of a report as the harness writes them, for msgspec: the bulk reader's half of the input contract.

Narrower than the models on purpose. What is not exactly so (an unknown field, a count that is spelled 3.0, half an
emoji) is no fault: it only sends the slice that holds it to the reference reader, which decides. So nothing in here
may be wider than model.py, and everything may be narrower. Unknown fields are refused because msgspec skips them
without looking at their numbers and at their UTF-8.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

_LARGEST = 2**53
"""Up to here every double is exact: no writer of JSON can have rounded it."""

Count = Annotated[int, Meta(ge=0, le=_LARGEST)]
Positive = Annotated[int, Meta(ge=1, le=_LARGEST)]
Amount = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
StatusName = Literal["pass", "fail", "error"]


class _Shape(Struct, forbid_unknown_fields=True, rename="camel", gc=False):
    pass


class Tokens(_Shape, kw_only=True):
    """Whole tokens; a total with a fraction goes to the reference."""

    input: Count
    output: Count
    cache_read: Count
    cache_write: Count
    reasoning: Count
    total: Count


class ToolError(_Shape, kw_only=True):
    """One tool error."""

    name: str
    error: str


class ToolCall(_Shape, kw_only=True):
    """One call as the harness writes it; the contract would allow anything."""

    name: str
    call_id: str
    args_json: str


class ToolResult(_Shape, kw_only=True):
    """One result as the harness writes it."""

    name: str
    call_id: str
    text: str


class Run(_Shape, kw_only=True):
    """What a case and an attempt share."""

    status: StatusName
    failures: list[str]
    error: str | UnsetType = UNSET
    turn_end: str | UnsetType = UNSET
    tools_called: list[str]
    tool_calls: list[ToolCall]
    tool_results: list[ToolResult]
    final_text: str
    steps: Count
    tokens: Tokens
    tool_errors: list[ToolError]
    events: Count | UnsetType = UNSET
    skipped_lines: Count | UnsetType = UNSET
    exit_code: Count | UnsetType | None = UNSET
    timed_out: bool | UnsetType = UNSET
    stderr_tail: str | UnsetType = UNSET
    duration_ms: Amount


class Attempt(Run, kw_only=True):
    """One attempt."""

    index: Positive


class Reliability(_Shape, kw_only=True):
    """The outcome of trials."""

    trials: Positive
    passes: Count
    k: Positive
    success_rate: Share
    pass_at_k: Share
    pass_pow_k: Share


class CaseShape(Run, kw_only=True):
    """One case."""

    name: str
    attempts: Positive = 1
    attempt_results: list[Attempt] | UnsetType = UNSET
    flaky: bool | UnsetType = UNSET
    reliability: Reliability | UnsetType = UNSET


class SummaryShape(_Shape, kw_only=True):
    """Counts over the cases."""

    total: Count
    passed: Count
    failed: Count
    errored: Count

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All of them, in the order of the fields."""
        return self.total, self.passed, self.failed, self.errored


class HeaderShape(Struct, rename="camel", gc=False, kw_only=True):
    """A report without its cases. Unknown fields are no matter here: the whole of it was parsed strictly before."""

    tool: str
    version: str
    profile: str
    started_at: str
    finished_at: str | UnsetType = UNSET
    duration_ms: Count | UnsetType = UNSET
    dsh_version: str | UnsetType = UNSET
    summary: SummaryShape
