"""
A new baseline out of a run and the old one. Pure: decoded documents in, one out.

Where entries of the old baseline stay, the new one is as old as they are: it keeps the dates and versions. With
those of the run a stale entry would look fresh, and a change of the version under test would never be told again.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from evalgate.formats.dsh_eval_harness.converted import FIELD

PROVENANCE = "acceptedBy"
"""The field, ignored by readers, that says where a baseline came from."""

_HEADER = ("startedAt", "finishedAt", "version", "dshVersion", "profile")
_NESTED = ("previous", "keptFrom")


def merged(
    new: Mapping[str, Any], old: Mapping[str, Any] | None, taken: Collection[str], kept: Collection[str]
) -> dict[str, Any]:
    """
    Return the document with the run's entry for the cases `taken` and the old one's for those `kept`.

    The summary is counted again, the order is that of the run, and behind it that of the old baseline. `PROVENANCE`
    holds what is known of both sources; the caller adds the rest.
    """
    taken, kept = frozenset(taken), frozenset(kept)
    known = {} if old is None else {case["name"]: case for case in old["cases"] if case["name"] in kept}
    cases = []
    for case in new["cases"]:
        if case["name"] in taken:
            cases.append(case)
        elif case["name"] in known:
            cases.append(known.pop(case["name"]))
    cases += known.values()
    head, provenance = dict(new), {}
    if PROVENANCE in new:
        # The run was a baseline itself.
        provenance["previous"] = _flat(new[PROVENANCE])
    if kept and old is not None:
        head = dict(old)
        provenance["keptFrom"] = _origin(old)
        provenance["takenFrom"] = _origin(new)
        if FIELD in old and FIELD in new:
            head[FIELD] = _converted(new[FIELD], old[FIELD], kept, {case["name"] for case in cases})
    statuses = [case["status"] for case in cases]
    summary = {
        "total": len(cases),
        "passed": statuses.count("pass"),
        "failed": statuses.count("fail"),
        "errored": statuses.count("error"),
    }
    return {**head, "summary": summary, "cases": cases, PROVENANCE: provenance}


def _origin(document: Mapping[str, Any]) -> dict[str, Any]:
    origin = {name: document[name] for name in _HEADER if name in document}
    if PROVENANCE in document:
        origin[PROVENANCE] = _flat(document[PROVENANCE])
    return origin


def _flat(provenance: object) -> object:
    """Return a provenance without those of its sources: else it would grow with every accepted run."""
    if not isinstance(provenance, dict):
        return provenance
    return {name: value for name, value in provenance.items() if name not in _NESTED}


def _converted(
    new: Mapping[str, Any], old: Mapping[str, Any], kept: Collection[str], present: Collection[str]
) -> dict[str, Any]:
    """Return what `convert` left, for entries of both: what only one of them carries is not carried."""

    def both(name: str) -> Iterable[str]:
        return dict.fromkeys([*old[name], *new[name]])

    revisions = {**new["revisions"], **{name: one for name, one in old["revisions"].items() if name in kept}}
    return {
        **old,
        "carries": sorted(set(old["carries"]) & set(new["carries"])),
        "incomplete": list(both("incomplete")),
        "notRun": [name for name in both("notRun") if name not in present],
        "notes": list(both("notes")),
        "revisions": {name: one for name, one in revisions.items() if name in present},
    }
