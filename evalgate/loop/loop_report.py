"""
Finished runs as one report that `compare` reads. Pure: runs in, the text of report.json out; no clock, no file.

The shape is that of a harness's report.json with `"tool": "evalgate-loop"`: a case is a run, an attempt a gate round.
The same runs give the same bytes, whoever names them in which order: the caller sorts by run id, and nothing of the
machine or the moment enters.
"""

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from evalgate.formats.evalgate_loop import NO_ROUND, SCHEMA, broke_off
from evalgate.formats.instants import UNIX_EPOCH, instant
from evalgate.loop.gate_set import GateSet
from evalgate.loop.judging import GateJudgment, judge
from evalgate.loop.rounds import Round
from evalgate.loop.runs import Run
from evalgate.loop.wording import Lang
from evalgate.numbers import exact, plain_number
from evalgate.plain import shorten
from evalgate.report import LOOP_FORMAT, Status

_LANG: Lang = "en"
"""A report is compared for months, and by programs: its texts are in one language, whatever the agent's was."""


def pieces(runs: Iterable[Run], gates: GateSet, *, version: str) -> Iterator[str]:
    """
    Yield the text of the report in pieces, a line feed at its end.

    runs: by run id; each is needed only while its case is made. version: of evalgate. What is known after the last run
    (dates, counts) stands behind the cases, so that no run has to be kept. Raises what iterating over `runs` raises.
    """
    header = {"schemaVersion": SCHEMA, "tool": LOOP_FORMAT, "version": version, "profile": gates.name}
    yield json.dumps(header, indent=2)[: -len("\n}")]
    yield ',\n  "cases": ['
    statuses: list[str] = []
    begins: list[Fraction] = []
    ends: list[Fraction] = []
    for run in runs:
        case = case_of(run, gates)
        yield (",\n    " if statuses else "\n    ") + json.dumps(case, allow_nan=False)
        statuses.append(case["status"])
        begins += [begin for begin in (_begin(run),) if begin is not None]
        ends += [end for end in (_end(run),) if end is not None]
    begin, end = min(begins, default=None), max(ends, default=None)
    footer = {
        "startedAt": None if begin is None else _spelled(begin),
        "finishedAt": None if end is None else _spelled(end),
        "durationMs": 0 if begin is None or end is None else _milliseconds(end - begin),
        "summary": {
            "total": len(statuses),
            "passed": statuses.count(Status.PASS.value),
            "failed": statuses.count(Status.FAIL.value),
            "errored": statuses.count(Status.ERROR.value),
        },
    }
    yield "\n  ],\n" + json.dumps(footer, indent=2)[len("{\n") :] + "\n"


def case_of(run: Run, gates: GateSet) -> dict[str, Any]:
    """
    Return the case of one run.

    Its status is that of the last round: pass, fail (judged red), error (no verdict). A run that died or timed out is
    an error whatever its last round said: nobody saw it end.
    """
    attempts = [_attempt(one, index, judge(one.verdict, gates, _LANG)) for index, one in enumerate(run.rounds, 1)]
    reason = None if run.summary is None else run.summary.stopped_reason
    status = Status.ERROR.value if broke_off(reason) or not attempts else attempts[-1]["status"]
    failures = attempts[-1]["failures"] if attempts else list(judge({}, gates, _LANG).feedback)
    case: dict[str, Any] = {"name": run.id, "status": status, "failures": failures}
    if status == Status.ERROR.value:
        case["error"] = _error(run, reason)
    if reason is not None:
        case["stoppedReason"] = reason
    notes = list(_notes(run))
    return {
        **case,
        **_usage(run),
        "durationMs": _duration(run),
        "flaky": False,
        "attempts": len(attempts),
        "attemptResults": attempts,
        **({"notes": notes} if notes else {}),
    }


def _attempt(one: Round, index: int, judgment: GateJudgment) -> dict[str, Any]:
    """Return one gate round."""
    attempt: dict[str, Any] = {
        "index": index,
        "status": _status(one.verdict, judgment).value,
        "failures": [] if judgment.passed else list(judgment.feedback),
        "failedGates": list(judgment.failed_gates),
        "stage": one.stage,
        "startedAt": one.started_at,
        "durationMs": _milliseconds(exact(one.seconds)),
        "verdict": dict(one.verdict),
    }
    if one.stderr_tail:
        attempt["stderrTail"] = one.stderr_tail
    if one.screenshot is not None:
        attempt["screenshot"] = one.screenshot
    return attempt


def _status(verdict: Mapping[str, Any], judgment: GateJudgment) -> Status:
    if judgment.passed:
        return Status.PASS
    # Red is what somebody judged; without a guard nobody did.
    return Status.FAIL if isinstance(verdict.get("guards"), dict) and verdict["guards"] else Status.ERROR


def _error(run: Run, reason: str | None) -> str:
    if reason is not None and broke_off(reason):
        return f"the run did not end by itself: {shorten(reason, 500)}"
    if not run.rounds:
        return NO_ROUND
    last = run.rounds[-1]
    return f"no verdict: round {last.round} got as far as {last.stage}"


def _usage(run: Run) -> dict[str, Any]:
    """Return repairs, budget, tokens and tools: from the trace, from the summary where there is no trace."""
    summary, trace = run.summary, run.trace
    # A trace that was cut tells less than all: then the larger number counts.
    told = [one for one in (trace, summary if trace is None or trace.cut else None) if one is not None]
    tokens = None
    if told:
        input_tokens, output_tokens = (max(one.input_tokens for one in told), max(one.output_tokens for one in told))
        tokens = {
            "input": input_tokens,
            "output": output_tokens,
            "cacheRead": 0,
            "cacheWrite": 0,
            "reasoning": 0,
            "total": input_tokens + output_tokens,
        }
    errors = trace.tool_errors if trace is not None else ()
    number = max(len(errors), 0 if summary is None or summary not in told else summary.tool_errors)
    return {
        "repairs": _repairs(run),
        "budgetSoftTripped": summary is not None and summary.budget_soft_tripped,
        "costGate": "degraded" if summary is None else summary.cost_gate,
        "cost": None if summary is None else summary.cost,
        "steps": max((one.model_calls for one in told), default=0),
        "models": [] if trace is None else sorted(trace.models),
        "tokens": tokens,
        "toolErrors": [{"name": name, "error": error} for name, error in errors],
        "toolErrorCount": number,
    }


def _repairs(run: Run) -> int:
    """
    Return how often the agent was sent back: what the summary counts, and at least one between two rounds.

    There may be one more than that: a run can die while it repairs, before the next round.
    """
    between = max(len(run.rounds) - 1, 0)
    return between if run.summary is None else max(run.summary.repairs, between)


def _notes(run: Run) -> Iterator[str]:
    summary, trace = run.summary, run.trace
    if summary is None:
        yield "has no run-summary.json: its repairs are counted from its rounds, and its cost is not known"
    if trace is None:
        source = "are not known" if summary is None else "are those of its summary"
        yield f"has no trace.jsonl: its tokens and tool errors {source}"
    elif trace.cut:
        yield "the last line of its trace is half-written"
    if summary is not None and trace is not None:
        for what, counted, said in (
            ("input tokens", trace.input_tokens, summary.input_tokens),
            ("output tokens", trace.output_tokens, summary.output_tokens),
            ("tool errors", len(trace.tool_errors), summary.tool_errors),
        ):
            if counted != said:
                taken = "the larger, since the trace was cut," if trace.cut else "the trace"
                yield f"its trace holds {counted} {what} and its summary counts {said}: {taken} is taken"
    if summary is not None:
        # A run may die while it repairs, before the next round.
        lost = summary.repairs - max(len(run.rounds) - 1, 0) - broke_off(summary.stopped_reason)
        if lost > 0:
            yield f"its summary counts {summary.repairs} repairs and it has {len(run.rounds)} rounds: some are missing"
    if summary is not None and run.rounds and summary.repairs < len(run.rounds) - 1:
        yield (
            f"its summary counts {summary.repairs} repairs and it has {len(run.rounds)} rounds: "
            f"{len(run.rounds) - 1} are taken"
        )
    if run.rounds and run.rounds[0].run != run.id:
        yield f"its rounds name the run {shorten(run.rounds[0].run, 200)!r}"


def _begin(run: Run) -> Fraction | None:
    known = [_moment(one.started_at) for one in run.rounds]
    if run.trace is not None and run.trace.first_at is not None:
        known.append(_moment(run.trace.first_at))
    return min((one for one in known if one is not None), default=None)


def _end(run: Run) -> Fraction | None:
    known: list[Fraction | None] = []
    for one in run.rounds:
        begin = _moment(one.started_at)
        known.append(None if begin is None else begin + exact(one.seconds))
    if run.trace is not None and run.trace.last_at is not None:
        known.append(_moment(run.trace.last_at))
    return max((one for one in known if one is not None), default=None)


def _duration(run: Run) -> int:
    """Return how long a run took, in milliseconds: as its summary says, else from its first to its last event."""
    if run.summary is not None and run.summary.wall_seconds is not None:
        return _milliseconds(exact(run.summary.wall_seconds))
    begin, end = _begin(run), _end(run)
    return 0 if begin is None or end is None else _milliseconds(end - begin)


def _milliseconds(seconds: Fraction) -> int:
    return int(plain_number(Fraction(int(seconds * 1000))))


def _moment(text: str) -> Fraction | None:
    """Return seconds since 1970, None for what is no instant or lies outside the years that can be spelled again."""
    found = instant(text)
    if found is None:
        return None
    digits = found[1][:9]
    moment = Fraction(found[0] - UNIX_EPOCH) + (Fraction(int(digits), 10 ** len(digits)) if digits else 0)
    return moment if _FIRST <= moment <= _LAST else None


_FIRST = Fraction(-62135596800)
"""0001-01-01T00:00:00Z. Unit: seconds since 1970."""
_LAST = Fraction(253402300799)
"""9999-12-31T23:59:59Z."""


def _spelled(moment: Fraction) -> str:
    """Return an ISO 8601 instant in UTC with milliseconds, rounded down; beyond the year 9999, its last second."""
    milliseconds = int(min(moment, _LAST) * 1000 // 1)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    spelled = (epoch + datetime.timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
    return spelled.replace("+00:00", "Z")
