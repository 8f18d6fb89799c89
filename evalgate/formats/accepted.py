"""
A new baseline out of a run and the old one. Pure: decoded documents in, one out.

Where entries of the old baseline stay, the new one is as old as they are: it keeps the dates and versions. With
those of the run a stale entry would look fresh, and a change of the version under test would never be told again.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from evalgate.formats.dsh_eval_harness.converted import FIELD
from evalgate.formats.joined import summary_of

PROVENANCE = "acceptedBy"
"""The field, ignored by readers, that says where a baseline came from."""

_DATES = ("startedAt", "finishedAt", "durationMs")


def merged(
    new: Mapping[str, Any],
    old: Mapping[str, Any] | None,
    taken: Collection[str],
    kept: Collection[str],
    *,
    older: bool = False,
) -> dict[str, Any]:
    """
    Return the document with the run's entry for the cases `taken` and the old one's for those `kept`.

    older: whether the run is older than the old baseline, so that the dates are the run's.

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
    head = dict(new)
    provenance: dict[str, Any] = {}
    history = _history(new)
    if kept and old is not None:
        head = dict(old)
        provenance = {"keptFrom": _origin(old), "takenFrom": _origin(new)}
        history += _history(old)
        dated = new if older else old
        head |= {name: dated[name] for name in _DATES if name in dated}
        if FIELD in old and FIELD in new:
            head[FIELD] = _converted(new[FIELD], old[FIELD], kept, {case["name"] for case in cases})
            head[FIELD] |= {name: dated[FIELD][name] for name in _DATES if name in dated[FIELD]}
    if history:
        provenance["history"] = history
    summary = summary_of([case["status"] for case in cases])
    return {**head, "summary": summary, "cases": cases, PROVENANCE: provenance}


def _origin(document: Mapping[str, Any]) -> dict[str, Any]:
    known = document.get(FIELD, {})
    return {
        name: known.get(name, document[name]) if name in _DATES else document[name]
        for name in (*_DATES[:2], "version", "dshVersion", "profile")
        if name in document
    }


def _history(document: Mapping[str, Any]) -> list[Any]:
    """Return how a document came to be, the latest first: flat, and with every entry that may still be in it."""
    provenance = document.get(PROVENANCE)
    if not isinstance(provenance, dict):
        return [] if provenance is None else [provenance]
    earlier = provenance.get("history")
    latest = {name: value for name, value in provenance.items() if name != "history"}
    return [latest, *(earlier if isinstance(earlier, list) else [])]


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
