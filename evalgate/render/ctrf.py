"""
CTRF JSON: the new run with what the gate found, for dashboards and for whoever reads that format, evalgate too.

The fields are those of the format's schema (npm package ctrf 0.3.0, ctrf-schema-0.0.json); what it has no place for
stands in `extra.evalgate`, as docs/formats.md has it. No clock, no chance and no time zone of the machine: times and
ids follow from the reports. There is no `suite`: readers put it in front of the name, and a case is known by its name.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalgate._version import __version__
from evalgate.evidence import AttemptEvidence, CaseEvidence, Evidence
from evalgate.gate import GateResult
from evalgate.numbers import Number
from evalgate.plain import shorten
from evalgate.render.scene import Scene
from evalgate.report import Case, Fact, Report, Status
from evalgate.signals import Fired
from evalgate.verdict import exit_code

_BATCH, _BATCHES = 200, 32
"""Cases whose evidence is fetched at once, at the least; and fetches at the most: each may pass over the whole file."""
_LONGEST = 4_000
_LINE = 500
_TRACE = 10_000
"""Of the end of a stderr: the harness keeps 8192 characters, and a signature is read from all of them."""
_ELSEWHERE = 200
"""Findings that belong to no test of the document."""
_LARGEST = 2**53 - 1
"""The largest integer that JavaScript, which most readers of the format are written in, keeps."""
_STATUS = {Status.PASS: "passed", Status.FAIL: "failed", Status.ERROR: "failed"}
_RAW = {Status.PASS: "passed", Status.FAIL: "failed", Status.ERROR: "error"}


def render(scene: Scene) -> Iterator[str]:
    """Yield the document in pieces, ASCII on one line."""
    result = scene.result
    after = result.after
    told, elsewhere = _findings(result)
    head: dict[str, Any] = {
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "reportId": _identity(after),
        "generatedBy": f"evalgate {__version__}",
        "extra": {"evalgate": _verdict(scene, elsewhere)},
    }
    if result.before is not None:
        head["baseline"] = _baseline(result.before, "" if scene.before is None else scene.before.label)
        if result.before.cases and after.cases:
            head["insights"] = _insights(result.before, after)
    results = {
        "tool": {"name": after.tool or "evalgate", "version": after.harness_version or "unknown"},
        "summary": _summary(after),
        "environment": {
            **({"appVersion": after.dsh_version} if after.dsh_version else {}),
            **({"healthy": False} if after.incomplete else {}),
        },
    }
    yield f'{_json(head)[:-1]}, "results": {_json(results)[:-1]}, "tests": ['
    first = True
    for test in _tests(scene, told):
        yield _json(test) if first else f", {_json(test)}"
        first = False
    yield "]}}\n"


def _json(value: object) -> str:
    # GitHub Actions obeys `##[command]` anywhere in a line of a log; in a string an escape means the same.
    return json.dumps(value, allow_nan=False).replace("##[", "\\u0023#[")


def _identity(report: Report) -> str:
    """Return a UUID for a report: a baseline is named by one, and the same report has the same."""
    import uuid
    from hashlib import sha256

    digest = sha256()

    def enter(*texts: str) -> None:
        # As JSON, so that no text can pass for two.
        digest.update(json.dumps(texts).encode())

    enter(report.format, report.tool, report.harness_version, report.suite, report.dsh_version or "")
    enter(report.started_at, report.finished_at)
    for case in report.cases:
        enter(case.name, case.status.value, str(case.total_tokens))
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"evalgate:{digest.hexdigest()}"))


def _milliseconds(text: str) -> int:
    """Return the time since 1970, 0 for none: a time without a zone is another moment in every zone."""
    from datetime import UTC, datetime, timedelta

    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            return 0
        return max(0, (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1))
    except (ValueError, OverflowError):
        return 0


def _whole(value: Number) -> int:
    return min(round(value), _LARGEST)


def _baseline(before: Report, label: str) -> dict[str, str]:
    from datetime import UTC, datetime

    known = {"reportId": _identity(before), "source": shorten(label, _LONGEST)}
    moment = _milliseconds(before.finished_at)
    if moment:
        when = datetime.fromtimestamp(moment / 1000, UTC)
        known["timestamp"] = when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return known


def _insights(before: Report, after: Report) -> dict[str, Any]:
    """Return the rates of both runs, 0 to 1 as the format's own library has them."""

    def delta(current: int, earlier: int) -> dict[str, float]:
        now, then = current / len(after.cases), earlier / len(before.cases)
        return {"current": round(now, 6), "baseline": round(then, 6), "change": round(now - then, 6)}

    now, then = _failing(after), _failing(before)
    rates: dict[str, Any] = {
        "passRate": delta(len(after.cases) - now, len(before.cases) - then),
        "failRate": delta(now, then),
    }
    if Fact.FLAKY in after.carries & before.carries:
        rates["flakyRate"] = delta(_flaky(after), _flaky(before))
    return {**rates, "runsAnalyzed": 2}


def _failing(report: Report) -> int:
    return sum(case.failing for case in report.cases)


def _flaky(report: Report) -> int:
    return sum(case.flaky for case in report.cases)


def _verdict(scene: Scene, elsewhere: Sequence[str]) -> dict[str, Any]:
    result = scene.result
    return {
        "verdict": result.verdict.value,
        "exitCode": int(exit_code(result.verdict, strict=scene.strict)),
        "strict": scene.strict,
        "compared": result.compared,
        "reasons": [shorten(reason, _LONGEST) for reason in result.reasons[:20]],
        "signalsUnavailable": [fact.value for fact in result.unavailable],
        "carries": [fact.value for fact in Fact if fact in result.after.carries],
        "findings": {one.signal.key: len(one.findings) if one.ran else None for one in result.fired},
        "details": list(elsewhere),
    }


def _summary(report: Report) -> dict[str, int]:
    failed = _failing(report)
    start = _milliseconds(report.started_at)
    stop = _milliseconds(report.finished_at) or (start + _whole(report.duration_ms) if start else 0)
    return {
        "tests": len(report.cases) + len(report.not_run),
        "passed": len(report.cases) - failed,
        "failed": failed,
        "skipped": len(report.not_run),
        "pending": 0,
        "other": 0,
        # What the report does not tell is not 0.
        **({"flaky": _flaky(report)} if Fact.FLAKY in report.carries else {}),
        "start": start,
        "stop": max(start, stop),
        "duration": _whole(report.duration_ms),
    }


def _findings(result: GateResult) -> tuple[dict[str, list[str]], list[str]]:
    """Return the findings of each test, and those that belong to none of them."""
    names_here = {case.name for case in result.after.cases}
    told: dict[str, list[str]] = {}
    elsewhere: list[str] = []
    number = 0
    for one in result.by_severity():
        signal = one.signal
        for finding in one.findings:
            names = signal.cases(finding) or (signal.row(finding)[:1] if signal.columns == ("case",) else ())
            here = [name for name in dict.fromkeys(names) if name in names_here]
            if here:
                # One text for all its tests, and a short one: it may name them all.
                line = _line(one, finding)
                for name in here:
                    told.setdefault(name, []).append(line)
                continue
            number += 1
            if number <= _ELSEWHERE:
                elsewhere.append(_line(one, finding))
    if number > _ELSEWHERE:
        elsewhere.append(f"... and {number - _ELSEWHERE} more")
    return told, elsewhere


def _line(one: Fired[Any], finding: object) -> str:
    signal = one.signal
    if signal.detail is not None:
        text = f"{signal.word} {signal.detail(finding)}"
    else:
        text = f"{signal.key}={signal.scalar(finding)}" if signal.scalar is not None else signal.page.title
    return f"{signal.severity.name} {shorten(text, _LINE)}"


def _tests(scene: Scene, told: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    before, after = scene.result.before, scene.result.after
    earlier = {} if before is None else {case.name: case for case in before.cases}
    with_tokens = before is not None and Fact.TOKENS in before.carries & after.carries
    evidence = _evidence(scene.after.evidence, [case.name for case in after.cases])
    for case, known in zip(after.cases, evidence, strict=True):
        test = _test(case, known, after)
        extra = test["extra"]["evalgate"]
        extra["findings"] = list(told.get(case.name, ()))
        previous = earlier.get(case.name)
        if previous is not None:
            extra["previousStatus"] = _STATUS[previous.status]
            if with_tokens:
                extra["previousTokens"] = previous.total_tokens
        yield test
    for name in after.not_run:
        yield {"name": name, "status": "skipped", "duration": 0}


def _evidence(source: Evidence, names: Sequence[str]) -> Iterator[CaseEvidence | None]:
    """Yield the evidence of each case, in their order."""
    size = max(_BATCH, -(-len(names) // _BATCHES))
    for begin in range(0, len(names), size):
        batch = names[begin : begin + size]
        found = source.fetch(batch)
        yield from map(found.get, batch)


def _test(case: Case, evidence: CaseEvidence | None, report: Report) -> dict[str, Any]:
    test: dict[str, Any] = {"name": case.name, "status": _STATUS[case.status], "duration": 0}
    test["rawStatus"] = _RAW[case.status]
    if Fact.FLAKY in report.carries:
        test["flaky"] = case.flaky
        # A reader takes a failed retry of a passing test for flakiness; the rounds of a loop are no retries.
        if case.trials is None and case.loop is None:
            test["retries"] = case.attempts - 1
    if evidence is not None and evidence.attempts:
        retried = _retried(case, evidence) if "retries" in test else ()
        if retried:
            test["retryAttempts"] = [_retry(number, one) for number, one in enumerate(retried, 1)]
        test["duration"] = _duration(evidence, len(retried))
        if case.failing:
            test.update(_failure(evidence.attempts[-1]))
    extra: dict[str, Any] = {}
    if Fact.TOKENS in report.carries:
        extra["tokens"] = _tokens(case, evidence)
    if Fact.TOOL_ERRORS in report.carries:
        extra["toolErrors"] = _tool_errors(case, evidence)
    if case.trials is not None:
        extra["trials"], extra["passes"] = case.trials
    if case.loop is not None:
        extra["repairs"] = case.loop.repairs
    test["extra"] = {"evalgate": extra}
    return test


def _retried(case: Case, evidence: CaseEvidence) -> Sequence[AttemptEvidence]:
    """
    Return the attempts before the one that counts; none where they and the facts do not agree.

    A reader goes by this list and not by the flag. A case that a second run cleared has all its attempts in it: the
    one that counts is in another report.
    """
    earlier = evidence.attempts[: case.attempts - 1]
    failed = any(one.status is not Status.PASS for one in earlier)
    agrees = len(earlier) == case.attempts - 1 and (case.failing or failed == case.flaky)
    return earlier if agrees else ()


def _retry(number: int, one: AttemptEvidence) -> dict[str, Any]:
    return {
        "attempt": number,
        "status": _STATUS[one.status],
        "duration": _whole(one.duration_ms),
        **(_failure(one) if one.status is not Status.PASS else {}),
    }


def _duration(evidence: CaseEvidence, retried: int) -> int:
    """Return how long the attempt that counts took, or all of them where the others are not told."""
    if retried:
        return sum(_whole(one.duration_ms) for one in evidence.attempts[retried:])
    return _whole(evidence.duration_ms) or _whole(sum(one.duration_ms for one in evidence.attempts))


def _failure(one: AttemptEvidence) -> dict[str, str]:
    said = [*([] if one.error is None else [one.error]), *one.failures]
    fields = {"message": shorten("; ".join(said), _LONGEST), "trace": (one.stderr or "")[-_TRACE:]}
    return {name: text for name, text in fields.items() if text}


def _tokens(case: Case, evidence: CaseEvidence | None) -> dict[str, Number]:
    total = {"total": case.total_tokens}
    kinds = None if evidence is None else evidence.tokens
    if kinds is None or kinds.total != case.total_tokens:
        return total
    names = ("input", "output", "cacheRead", "cacheWrite", "reasoning")
    return {**dict(zip(names, kinds, strict=True)), **total}


def _tool_errors(case: Case, evidence: CaseEvidence | None) -> list[dict[str, str]]:
    """Return as many as the facts have: a rule looks at whether there are any."""
    known: Sequence[tuple[str, str]] = ()
    if evidence is not None and case.tool_errors:
        known = evidence.tool_errors or (evidence.attempts[-1].tool_errors if evidence.attempts else ())
    known = [*known[: case.tool_errors]] or [("unknown", "the report does not say")] * min(case.tool_errors, 1)
    return [{"name": shorten(name, _LINE), "error": shorten(error, _LONGEST)} for name, error in known]
