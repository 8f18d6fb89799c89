"""
CTRF JSON, the Common Test Report Format: what reporters for pytest, Playwright, Jest, Vitest and others write.

Its writers do not keep to its schema (npm package ctrf 0.3.0), so it is read by what they write: `suite` is a list or a
text, `duration` in seconds in old files. A status that is not understood is an error: pytest-retry with
pytest-json-ctrf 0.6.1 writes a test that always fails as "other". A suite that could not be loaded is not in the file.
pytest-json-ctrf 0.3.5 loses reruns and counts the parameters of a test as `retries` (its README: "reported as 1 test
with multiple retries").
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalgate.evidence import AttemptEvidence, CaseEvidence, Evidence, Tokens
from evalgate.faults import MISSING, Fault
from evalgate.formats import found
from evalgate.formats.content import Content
from evalgate.formats.format import Format
from evalgate.formats.found import ReadOptions
from evalgate.numbers import Number
from evalgate.report import Fact, Report, Status, Trials

_NOT_RUN = ("skipped", "pending")
_NOT_RUN_RAW = ("todo", "skipped", "disabled", "pending")
_ERROR_RAW = ("setup_failed", "teardown_failed", "error", "timedOut", "interrupted", "broken")
_SECONDS_BELOW = 1e11
"""A `summary.start` below it is in seconds, and so is every duration: pytest-json-ctrf 0.3.5 wrote them so."""
_MOST_RETRIES = 100
_SHOWN = 20
_SEVERITY = {Status.PASS: 0, Status.FAIL: 1, Status.ERROR: 2}
_TOKENS = ("input", "output", "cacheRead", "cacheWrite", "reasoning")
_JOINED = " > "


def _sniff(content: Content) -> bool:
    """Older writers do not name the format, so the shape decides then."""
    document = content.object
    if document.get("reportFormat") == "CTRF":
        return True
    return (_are_results(document.get("results")) and "tool" not in document) or (
        _are_results(document) and "results" not in document and "eval" not in document
    )


def _are_results(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("tests"), list)
        and isinstance(value.get("tool"), dict)
        and isinstance(value.get("summary"), dict)
    )


def _read(content: Content, _options: ReadOptions) -> tuple[Report, Evidence]:
    document = content.object
    label = content.label
    # Some write what belongs into `results` at the top.
    bare = "results" not in document and "tests" in document
    within = "" if bare else "results."
    results = document if bare else found.object_of(label, "results", document.get("results", MISSING))
    summary = found.object_of(label, f"{within}summary", results.get("summary", MISSING))
    tool = found.object_of(label, f"{within}tool", results.get("tool", MISSING))
    tests = found.list_of(label, f"{within}tests", results.get("tests", MISSING))
    unit = 1000 if _in_seconds(summary) else 1
    tells_retries = "reportFormat" in document or any(map(_tells_retries, tests))
    reader = _Tests(label, unit, tells_retries=tells_retries)
    for position, raw in enumerate(tests):
        reader.take(f"{within}tests[{position}]", raw)
    cases = list(reader.cases())
    not_run = reader.skipped()
    found.checked(label, cases, not_run, what="test")
    environment = results.get("environment")
    environment = environment if isinstance(environment, dict) else {}
    version = _version(results, environment)
    report = Report(
        format=FORMAT.name,
        tool=found.text_of(label, f"{within}tool.name", tool.get("name", MISSING)),
        harness_version=found.optional_text(tool.get("version"))
        or found.optional_text(document.get("generatedBy"))
        or "",
        dsh_version=version,
        started_at=_instant(summary.get("start"), unit),
        finished_at=_instant(summary.get("stop"), unit),
        duration_ms=sum(one.duration_ms for one in cases),
        cases=tuple(map(found.facts_of, cases)),
        not_run=not_run,
        carries=frozenset(_carried(reader, version)),
        incomplete=tuple(_incomplete(label, f"{within}summary", summary, environment, tests)),
        notes=tuple(reader.notes()),
        tokens_summed=True,
    )
    return report, found.Kept(cases)


class _Tests:
    """The tests of one file, by name."""

    def __init__(self, label: str, unit: int, *, tells_retries: bool) -> None:
        self.label = label
        self.unit = unit
        """Unit of a duration: milliseconds."""
        self.tells_retries = tells_retries
        """Whether the writer knows of reruns, so that `retries` means them."""
        self.extras: set[Fact] = set()
        """What some test has in `extra`."""
        self._found: dict[str, list[CaseEvidence]] = {}
        self._skipped: dict[str, None] = {}

    def take(self, place: str, raw: object) -> None:
        """Enter one test."""
        test = found.object_of(self.label, place, raw)
        name = self._name(place, test)
        status = self._status(test)
        case = self._given_up(place, name, test) if status is None else self._case(place, name, status, test)
        if case is None:
            self._skipped[name] = None
        else:
            self._found.setdefault(name, []).append(case)

    def cases(self) -> Iterator[CaseEvidence]:
        """Yield one case a name: of several the worst, since nothing says that they are attempts at one."""
        for same in self._found.values():
            worst = max(same, key=lambda one: _SEVERITY[one.status])
            yield worst if len(same) == 1 else worst._replace(flaky=False, attempts=_without_retries(worst.attempts))

    def skipped(self) -> tuple[str, ...]:
        """Return the names of the tests that were not run at all."""
        return tuple(name for name in self._skipped if name not in self._found)

    def notes(self) -> Iterator[str]:
        """Yield a note for each of the first names that several tests have."""
        repeated = [(name, len(same)) for name, same in self._found.items() if len(same) > 1]
        for name, number in repeated[:_SHOWN]:
            yield found.Duplicates(name, number).note()
        if len(repeated) > _SHOWN:
            yield f"DUPLICATE_CASE: and {len(repeated) - _SHOWN} more names that several tests have"
        counted = [one.tokens is not None for same in self._found.values() for one in same]
        if Fact.TOKENS in self.extras and not all(counted):
            yield f"{sum(counted)} of {len(counted)} tests say how many tokens they used; the others count as 0"

    def _name(self, place: str, test: Mapping[str, Any]) -> str:
        name = found.text_of(self.label, f"{place}.name", test.get("name", MISSING))
        suite = test.get("suite")
        if "::" in name or suite is None:
            return name
        # A list in the schema and a text in half of the writers: to the same name, or an upgrade renames every case.
        parts = suite if isinstance(suite, list) else [suite]
        texts = [found.text_of(self.label, f"{place}.suite", part) for part in parts]
        return _JOINED.join([*(text for text in texts if text.strip()), name])

    @staticmethod
    def _status(test: Mapping[str, Any]) -> Status | None:
        """Return the status, None for a test that was not run."""
        said, raw = test.get("status"), test.get("rawStatus", test.get("raw_status"))
        if said == "passed":
            return Status.FAIL if _passed_unexpectedly(test) else Status.PASS
        if said == "failed":
            return Status.ERROR if raw in _ERROR_RAW else Status.FAIL
        if said in _NOT_RUN or (said == "other" and raw in _NOT_RUN_RAW):
            return None
        return Status.ERROR

    def _case(self, place: str, name: str, status: Status, test: Mapping[str, Any]) -> CaseEvidence:
        tokens, tool_errors, trials = self._extra(f"{place}.extra", test.get("extra"))
        extra = test.get("extra")
        if trials is not None and status is not Status.PASS and not (isinstance(extra, dict) and "evalgate" in extra):
            # Somebody else's counts: only who means us may turn what the reporter calls a failure into a pass.
            trials = None
        if trials is not None:
            if status is Status.PASS and not trials.passes:
                raise found.fault(self.label, f"{place}.extra", "must have a passing trial, since the test passed", 0)
            # As in the harness: a case passes when any of its trials does, whatever the reporter demanded. But a status
            # that is not understood stays an error, whatever is counted beside it.
            status = Status.PASS if trials.passes and self._unknown(test) is None else status
        attempts = [
            *self._retried(place, test),
            self._attempt(f"{place}", 0, status, test, tokens=tokens, tool_errors=tool_errors),
        ]
        # A list decides, not the flag: Playwright's reporter calls a test flaky that ran again since another failed.
        listed = isinstance(test.get("retryAttempts"), list)
        again = any(one.status is not Status.PASS for one in attempts[:-1])
        return found.case(
            name,
            status,
            [one._replace(number=position) for position, one in enumerate(attempts, 1)],
            flaky=again if listed else test.get("flaky") is True,
            trials=trials,
        )

    def _given_up(self, place: str, name: str, test: Mapping[str, Any]) -> CaseEvidence | None:
        """
        Return the case of a test that failed and was skipped when it ran again; None when no attempt failed.

        pytest-json-ctrf 0.6.1 calls it skipped, with the attempt that failed in `retryAttempts`: it was run, and it
        never passed.
        """
        told = self._told(place, test)
        while told and told[-1].status is Status.PASS:
            told.pop()
        if not told:
            return None
        attempts = [one._replace(retried=position < len(told)) for position, one in enumerate(told, 1)]
        return found.case(name, attempts[-1].status, attempts)

    def _told(self, place: str, test: Mapping[str, Any]) -> list[AttemptEvidence]:
        """Return the attempts before the last that the file describes."""
        listed = test.get("retryAttempts")
        told = []
        for position, raw in enumerate(listed if isinstance(listed, list) else []):
            where = f"{place}.retryAttempts[{position}]"
            one = found.object_of(self.label, where, raw)
            told.append(self._attempt(where, position + 1, self._status(one) or Status.PASS, one, retried=True))
        return told

    def _retried(self, place: str, test: Mapping[str, Any]) -> list[AttemptEvidence]:
        """Return the attempts before the last: those that are told, and those that are only counted."""
        told = self._told(place, test)
        number = found.count(self.label, f"{place}.retries", test["retries"]) if test.get("retries") is not None else 0
        if max(number, len(told)) > _MOST_RETRIES:
            raise found.fault(
                self.label, f"{place}.retries", f"must be at most {_MOST_RETRIES}", max(number, len(told))
            )
        if not self.tells_retries:
            return told
        # Only counted: a test is retried since it did not pass, and nothing says how it failed.
        unseen = found.attempt(
            0, Status.FAIL, failures=["the report does not say how this attempt failed"], retried=True
        )
        return [*told, *[unseen] * (number - len(told))]

    def _attempt(
        self,
        place: str,
        position: int,
        status: Status,
        raw: Mapping[str, Any],
        *,
        retried: bool = False,
        tokens: Tokens | None = None,
        tool_errors: Iterable[tuple[str, str]] = (),
    ) -> AttemptEvidence:
        message, trace = found.optional_text(raw.get("message")), found.optional_text(raw.get("trace"))
        stderr = raw.get("stderr")
        lines = [line for line in stderr if isinstance(line, str)] if isinstance(stderr, list) else []
        unknown = self._unknown(raw)
        said = ": ".join(text for text in (unknown, message or trace) if text) or None
        fails = status is not Status.PASS
        return found.attempt(
            position,
            status,
            # jest's reporter puts the name of the error into the message and only its frames into the trace.
            [trace, f"{message}\n{trace}" if message and trace else None, message, "\n".join(lines)],
            failures=[said] if status is Status.FAIL and said else [],
            error=said if status is Status.ERROR else None,
            tokens=tokens,
            tool_errors=tool_errors,
            duration_ms=self._duration(place, raw.get("duration")),
            timed_out=fails and raw.get("rawStatus") == "timedOut",
            retried=retried,
        )

    @staticmethod
    def _unknown(raw: Mapping[str, Any]) -> str | None:
        """Return why a status is not believed: it says neither pass nor fail, or says pass of an unexpected one."""
        said = raw.get("status", MISSING)
        if said == "passed" and _passed_unexpectedly(raw):
            return "it passed, and is marked as a test that has to fail"
        if said in ("passed", "failed"):
            return None
        return Fault("status", "is none that says pass or fail", said).text("")

    def _duration(self, place: str, value: object) -> Number:
        return 0 if value is None else found.number(self.label, f"{place}.duration", value) * self.unit

    def _extra(self, place: str, raw: object) -> tuple[Tokens | None, list[tuple[str, str]], Trials | None]:
        """Return what the convention of docs/formats.md has for a test: tokens, tool errors, trials."""
        if not isinstance(raw, dict):
            return None, [], None
        if "evalgate" in raw:
            place, raw = f"{place}.evalgate", found.object_of(self.label, f"{place}.evalgate", raw["evalgate"])
        tokens = None if raw.get("tokens") is None else self._tokens(f"{place}.tokens", raw["tokens"])
        errors = []
        if raw.get("toolErrors") is not None:
            self.extras.add(Fact.TOOL_ERRORS)
            for position, one in enumerate(found.list_of(self.label, f"{place}.toolErrors", raw["toolErrors"])):
                where = f"{place}.toolErrors[{position}]"
                error = found.object_of(self.label, where, one)
                errors.append(
                    (
                        found.text_of(self.label, f"{where}.name", error.get("name", MISSING)),
                        found.text_of(self.label, f"{where}.error", error.get("error", MISSING)),
                    )
                )
        return tokens, errors, self._trials(place, raw)

    def _tokens(self, place: str, value: object) -> Tokens:
        self.extras.add(Fact.TOKENS)
        raw = found.object_of(self.label, place, value)
        kinds = [found.number(self.label, f"{place}.{name}", raw[name]) if name in raw else 0 for name in _TOKENS]
        by_kind = any(name in raw for name in _TOKENS)
        if "total" in raw or not by_kind:
            total = found.number(self.label, f"{place}.total", raw.get("total", MISSING))
        # The sum of the kinds is ours: other totals hold the cache, too.
        return Tokens(*kinds) if by_kind else Tokens(input=total)

    def _trials(self, place: str, raw: Mapping[str, Any]) -> Trials | None:
        if raw.get("trials") is None and raw.get("passes") is None:
            return None
        self.extras.add(Fact.TRIALS)
        trials = found.count(self.label, f"{place}.trials", raw.get("trials", MISSING))
        passes = found.count(self.label, f"{place}.passes", raw.get("passes", MISSING))
        if not trials:
            raise found.fault(self.label, f"{place}.trials", "must be a whole number >= 1", trials)
        if passes > trials:
            raise found.fault(self.label, f"{place}.passes", f"must be at most the number of trials, {trials}", passes)
        return Trials(trials, passes)


def _without_retries(attempts: Sequence[AttemptEvidence]) -> tuple[AttemptEvidence, ...]:
    return tuple(one._replace(number=1) for one in attempts[-1:])


def _passed_unexpectedly(test: Mapping[str, Any]) -> bool:
    """
    Tell whether a test passed that has to fail (`test.fail()`), which Playwright counts as a failure.

    playwright-ctrf-json-reporter 0.0.29 writes it as passed; one that failed as expected has the `rawStatus` failed.
    """
    extra = test.get("extra")
    marks = extra.get("annotations") if isinstance(extra, dict) else None
    return (
        test.get("rawStatus") == "passed"
        and isinstance(marks, list)
        and any(isinstance(mark, dict) and mark.get("type") == "fail" for mark in marks)
    )


def _tells_retries(test: object) -> bool:
    return isinstance(test, dict) and ("retryAttempts" in test or "flaky" in test)


def _in_seconds(summary: Mapping[str, Any]) -> bool:
    start = summary.get("start")
    return found.is_finite(start) and 0 < float(str(start)) < _SECONDS_BELOW


def _instant(value: object, unit: int) -> str:
    """Return an ISO 8601 instant for a time since 1970, empty for none; a time that cannot be is none."""
    import datetime

    if not found.is_finite(value) or not isinstance(value, int | float) or not 0 < value * unit < _SECONDS_BELOW * 1000:
        return ""
    moment = datetime.datetime.fromtimestamp(value * unit / 1000, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _version(results: Mapping[str, Any], environment: Mapping[str, Any]) -> str | None:
    """Return the version of what is under test: what the application says first, then the commit."""
    extra = results.get("extra")
    said = [environment.get("appVersion"), environment.get("commit")]
    said.append(extra.get("dshVersion") if isinstance(extra, dict) else None)
    return next((text for text in map(found.optional_text, said) if text is not None), None)


def _carried(tests: _Tests, version: str | None) -> Iterator[Fact]:
    yield Fact.SIGNATURES
    # Writers from before the format named itself lose reruns: a flaky test has passed, with `retries` 0.
    if tests.tells_retries:
        yield Fact.FLAKY
    if version is not None:
        yield Fact.VERSION
    yield from tests.extras


def _incomplete(
    label: str,
    place: str,
    summary: Mapping[str, Any],
    environment: Mapping[str, Any],
    tests: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    if summary.get("tests") is not None:
        said = found.count(label, f"{place}.tests", summary["tests"])
        if said != len(tests):
            yield f"the summary counts {said} tests and the file holds {len(tests)}"
    if summary.get("failed") is not None:
        said, seen = found.count(label, f"{place}.failed", summary["failed"]), sum(map(_may_have_failed, tests))
        if said > seen:
            yield f"the summary counts {said} failed tests and the file shows {seen}"
    if environment.get("healthy") is False:
        yield "the environment calls itself not healthy"


def _may_have_failed(test: Mapping[str, Any]) -> bool:
    """Tell whether a summary may have counted a test as failed. Playwright's counts an expected failure, a pass."""
    said = test.get("status")
    return said not in ("passed", *_NOT_RUN) or test.get("rawStatus") == "failed"


FORMAT = Format(
    name="ctrf",
    title="CTRF JSON",
    sniff=_sniff,
    read=_read,
    carries=frozenset(Fact) - {Fact.SKIPPED_LINES},
    recognised=(
        '`"reportFormat": "CTRF"`, or an object `results` that holds `tests`, `tool` and `summary`: older writers do '
        "not name the format."
    ),
    losses=(
        "Tokens, tool errors and trials have no place in the format, only in `extra` (below). pytest-json-ctrf 0.3.5 "
        "loses reruns, so flakiness is not available there. Playwright's reporter writes an unexpected pass as passed; "
        "it is a failure where the annotation says so. "
        "Suites that could not be loaded are missing: look at the removed cases."
    ),
)
