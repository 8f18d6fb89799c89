"""
The run report of SWE-bench: lists of instance ids by outcome (schema 2), and nothing else.

An id may stand in several lists: what ended in an error was completed, too. The worst of them counts. The counters
beside the lists are their lengths, and each instance of the data set is in one of the lists (SWE-bench 09749dc,
swebench/harness/reporting.py), so a list that was lost or cut does not agree with them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalgate.evidence import Evidence
from evalgate.faults import MISSING
from evalgate.formats import found
from evalgate.formats.content import Content
from evalgate.formats.format import Format
from evalgate.formats.found import ReadOptions
from evalgate.plain import shorten
from evalgate.report import Report, Status

_SCHEMA = 2
_OUTCOMES: tuple[tuple[str, Status, str], ...] = (
    ("error_ids", Status.ERROR, "the instance ended in an error"),
    ("empty_patch_ids", Status.ERROR, "the patch is empty"),
    ("unresolved_ids", Status.FAIL, "the instance is not resolved"),
    ("resolved_ids", Status.PASS, ""),
)
"""The lists, the worst outcome first."""
_WITH_OUTCOME = tuple(name for name, _, _ in _OUTCOMES)
_NEEDED = ("resolved_ids", "unresolved_ids")
"""Without the second, what failed would be missing, and a missing case is no failing one."""
_OF_OTHERS = ("n_resolved", "results", "reportFormat")
"""Terminal-Bench 0.2 lists `resolved_ids`, too, an id as often as it was tried; it is refused by its own name."""
_COUNTS = {
    "resolved_ids": "resolved_instances",
    "unresolved_ids": "unresolved_instances",
    "error_ids": "error_instances",
    "empty_patch_ids": "empty_patch_instances",
    "completed_ids": "completed_instances",
    "submitted_ids": "submitted_instances",
}


def _sniff(content: Content) -> bool:
    document = content.object
    others = ("unresolved_ids", "total_instances", "schema_version")
    return (
        isinstance(document.get("resolved_ids"), list)
        and any(name in document for name in others)
        and not any(name in document for name in _OF_OTHERS)
    )


def _read(content: Content, _options: ReadOptions) -> tuple[Report, Evidence]:
    label, document = content.label, content.object
    schema = document.get("schema_version", _SCHEMA)
    if schema != _SCHEMA:
        raise found.fault(label, "schema_version", f"this evalgate reads {_SCHEMA}", schema)
    lists = {name: _ids(label, document, name) for name in (*_COUNTS, "incomplete_ids")}
    _check_counts(label, document, lists)
    outcomes: dict[str, tuple[Status, str]] = {}
    for name, status, text in _OUTCOMES:
        for one in lists[name]:
            outcomes.setdefault(one, (status, text))
    cases = [
        found.case(
            name,
            status,
            [
                found.attempt(
                    1,
                    status,
                    failures=[text] if status is Status.FAIL else [],
                    error=text if status is Status.ERROR else None,
                )
            ],
        )
        for name, (status, text) in sorted(outcomes.items())
    ]
    not_run = tuple(name for name in lists["incomplete_ids"] if name not in outcomes)
    found.checked(label, cases, not_run, what="instance")
    total = _total(label, document, len(cases) + len(not_run))
    report = Report(
        format=FORMAT.name,
        tool="swe-bench",
        cases=tuple(map(found.facts_of, cases)),
        not_run=not_run,
        carries=frozenset(),
        incomplete=tuple(_incomplete(lists, outcomes, total)),
        notes=tuple(_notes(lists)),
    )
    return report, found.Kept(cases)


def _ids(label: str, document: Mapping[str, Any], name: str) -> dict[str, None]:
    """Return the ids of a list, each once; an absent list has none, unless it is one of those that have to be there."""
    raw = found.list_of(label, name, document.get(name, MISSING if name in _NEEDED else []))
    ids: dict[str, None] = {}
    for position, value in enumerate(raw):
        one = found.text_of(label, f"{name}[{position}]", value)
        if one in ids:
            raise found.fault(label, f"{name}[{position}]", "must hold every id once", one)
        ids[one] = None
    return ids


def _check_counts(label: str, document: Mapping[str, Any], lists: Mapping[str, dict[str, None]]) -> None:
    """Raise `ReportError` when a counter is not the length of its list, which is 0 for an absent list of outcomes."""
    for name, counter in _COUNTS.items():
        if document.get(counter) is None or (name not in document and name not in _WITH_OUTCOME):
            continue
        said = found.count(label, counter, document[counter])
        if said != len(lists[name]):
            raise found.fault(label, counter, f"must be the length of {name}, {len(lists[name])}", said)


def _total(label: str, document: Mapping[str, Any], known: int) -> int:
    """Return how many instances the report says there are, as many as it names where it does not say."""
    if document.get("total_instances") is None:
        return known
    total = found.count(label, "total_instances", document["total_instances"])
    if total < known:
        raise found.fault(label, "total_instances", f"must be at least the number of ids in the lists, {known}", total)
    return total


def _incomplete(lists: Mapping[str, dict[str, None]], outcomes: Mapping[str, object], total: int) -> Iterator[str]:
    for name in ("completed_ids", "submitted_ids"):
        lost = [one for one in lists[name] if one not in outcomes and one not in lists["incomplete_ids"]]
        if lost:
            yield f"{len(lost)} of {name} have no outcome, {_shown(lost)} for one"
    known = len(outcomes) + sum(one not in outcomes for one in lists["incomplete_ids"])
    if total > known:
        yield f"total_instances is {total}, and the lists hold {known}"


def _notes(lists: Mapping[str, dict[str, None]]) -> Iterator[str]:
    failed = {one for name, status, _ in _OUTCOMES if status is not Status.PASS for one in lists[name]}
    both = [one for one in lists["resolved_ids"] if one in failed]
    if both:
        yield f"{len(both)} ids are resolved and not resolved at once, {_shown(both)} for one; they count as failed"


def _shown(ids: Sequence[str]) -> str:
    return shorten(ids[0], 200)


FORMAT = Format(
    name="swe-bench",
    title="SWE-bench",
    sniff=_sniff,
    read=_read,
    carries=frozenset(),
    recognised="a list `resolved_ids` beside `unresolved_ids`, `total_instances` or `schema_version`; schema 2.",
    losses=(
        "Everything but the outcome: resolved passes, unresolved fails, an error or an empty patch is an error, an "
        "incomplete instance was not run."
    ),
)
