"""What both readers of the format share. Imports no model: the bulk reader does without pydantic."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from evalgate.evidence import AttemptEvidence, CaseEvidence
from evalgate.faults import Fault, Faults
from evalgate.report import Case, Status, Trials
from evalgate.stack import signature

TOOL = "dsh-eval-harness"

_LONGEST_REMEMBERED = 16_384
"""Unit: characters. The harness keeps 8192; what is longer than it should be is not kept a second time."""
_remembered = lru_cache(maxsize=256)(signature)


def signature_of(text: str | None) -> str | None:
    """Return the error signature of a stderr text. When a machine breaks, every case dies with the same text."""
    return _remembered(text) if text is None or len(text) <= _LONGEST_REMEMBERED else signature(text)


_SCHEMAS = (0, 1)


def recognise(value: object) -> bool:
    """Tell whether a JSON value says that it is such a report. Equality: other tools are called `dsh-eval`."""
    return isinstance(value, dict) and value.get("tool") == TOOL


def is_legacy(label: str, document: Mapping[str, Any]) -> bool:
    """Tell whether the report is of schema 0, in which some fields may be absent; raise for an unknown schema."""
    schema = document.get("schemaVersion", 0)
    if isinstance(schema, bool) or schema not in _SCHEMAS:
        faults = Faults(label)
        faults.add([Fault("schemaVersion", "this evalgate reads schema 1, and 0 or none for legacy reports", schema)])
        faults.raise_if_any()
    return bool(schema == 0)


class CasesRead:
    """The facts of the cases that were read so far, and what is wrong with them."""

    def __init__(self, label: str) -> None:
        self.facts: list[Case] = []
        self.faults = Faults(label)
        self.count = 0
        """Cases read, those without facts included."""
        self.whole = True
        """Whether each of them has facts: only then can the summary be held against them."""
        self.converted = False
        """Whether the report is a conversion, see converted.py."""
        self._places: dict[str, int] = {}

    def add(self, case: Case) -> int | None:
        """Enter the next case; return the place of an earlier one that has its name."""
        first = self._places.setdefault(case.name, self.count)
        self.facts.append(case)
        self.count += 1
        return None if first == self.count - 1 else first

    def add_broken(self) -> None:
        """Count a case that has no facts."""
        self.whole = False
        self.count += 1

    def add_all(self, cases: Sequence[Case]) -> bool:
        """Enter the next cases, which break no rule by themselves; do nothing and return False if a name is taken."""
        places = {case.name: place for place, case in enumerate(cases, self.count)}
        if len(places) != len(cases) or not self._places.keys().isdisjoint(places):
            return False
        self._places.update(places)
        self.facts += cases
        self.count += len(cases)
        return True

    def statuses(self) -> Counter[str]:
        """Return how many cases have each status."""
        return Counter(case.status.value for case in self.facts)


class CasesInMemory:
    """The evidence of cases whose JSON is in memory and has been checked: what the contract promises is there."""

    def __init__(self, raw_cases: Sequence[Any], *, tokens: bool = True) -> None:
        self._raw = raw_cases
        self._tokens = tokens
        """Whether tokens were measured: a conversion has zeros where its original had none."""

    def fetch(self, names: Collection[str]) -> dict[str, CaseEvidence]:
        """Return the evidence of the named cases; a name that the report lacks is left out."""
        wanted = frozenset(names)
        found = {raw["name"]: _case_evidence(raw) for raw in self._raw if raw["name"] in wanted}
        return found if self._tokens else {name: _without_tokens(case) for name, case in found.items()}


def _without_tokens(case: CaseEvidence) -> CaseEvidence:
    attempts = tuple(one._replace(total_tokens=None) for one in case.attempts)
    return case._replace(total_tokens=None, attempts=attempts)


def _case_evidence(raw: Mapping[str, Any]) -> CaseEvidence:
    reliability = raw.get("reliability")
    return CaseEvidence(
        name=raw["name"],
        status=Status(raw["status"]),
        attempts=tuple(
            _attempt_evidence(run, number) for number, run in enumerate(raw.get("attemptResults", [raw]), 1)
        ),
        trials=None if reliability is None else Trials(int(reliability["trials"]), int(reliability["passes"])),
        total_tokens=raw["tokens"]["total"],
    )


def _attempt_evidence(raw: Mapping[str, Any], number: int) -> AttemptEvidence:
    exit_code = raw.get("exitCode")
    return AttemptEvidence(
        number=number,
        status=Status(raw["status"]),
        exit_code=None if exit_code is None else int(exit_code),
        ended_by_signal=exit_code is None and "exitCode" in raw,
        timed_out=raw.get("timedOut", False),
        error=raw.get("error"),
        failures=tuple(raw["failures"]),
        tool_errors=tuple((error["name"], error["error"]) for error in raw["toolErrors"]),
        stderr=raw.get("stderrTail"),
        signature=None if raw["status"] == "pass" else signature_of(raw.get("stderrTail")),
        total_tokens=raw["tokens"]["total"],
        duration_ms=raw["durationMs"],
    )
