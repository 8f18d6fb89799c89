"""
What `evalgate convert` leaves in a report of this shape about the format that it came from, read back.

Without it a conversion would launder: a cancelled run would become a whole one, and what was never measured a 0. It is
text like all other text in a report, and checked like it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalgate.faults import MISSING, Fault, Faults
from evalgate.formats.dsh_eval_harness.common import TOOL
from evalgate.report import LOOP_FORMAT, Fact, Report

FIELD = "convertedFrom"

_TEXTS = ("format", "tool", "harnessVersion", "suite", "task", "startedAt", "finishedAt")
_LISTS = ("carries", "incomplete", "notRun", "notes")
_FACTS = {fact.value: fact for fact in Fact}


def restore(label: str, report: Report, raw: object) -> Report:
    """Return the report as its original said it; raise `ReportError` when `raw` is not what `convert` writes."""
    faults = Faults(label)
    if not isinstance(raw, dict):
        faults.add([Fault(FIELD, "must be an object", raw)])
        faults.raise_if_any()
        raise AssertionError
    faults.add(
        Fault(f"{FIELD}.{name}", "must be a string", raw.get(name, MISSING)) for name in _TEXTS if not _text(raw, name)
    )
    faults.add(
        Fault(f"{FIELD}.{name}", "must be an array of strings", raw.get(name, MISSING))
        for name in _LISTS
        if not _texts(raw.get(name))
    )
    revisions = raw.get("revisions")
    if not isinstance(revisions, dict) or not _texts(list(revisions.values())):
        faults.add([Fault(f"{FIELD}.revisions", "must be an object of strings", raw.get("revisions", MISSING))])
    if not isinstance(raw.get("tokensSummed"), bool):
        faults.add([Fault(f"{FIELD}.tokensSummed", "must be true or false", raw.get("tokensSummed", MISSING))])
    if raw.get("format") == TOOL:
        # A report of the harness carries everything. One that says of itself that it does not would switch rules off.
        faults.add([Fault(f"{FIELD}.format", "must be the format it was converted from", TOOL)])
    if raw.get("format") == LOOP_FORMAT:
        # `convert` refuses them: a round is no retry, and the shape has no place for a repair.
        faults.add([Fault(f"{FIELD}.format", "must be a format that has a conversion", LOOP_FORMAT)])
    faults.raise_if_any()
    unknown = [name for name in raw["carries"] if name not in _FACTS]
    faults.add(Fault(f"{FIELD}.carries", f"must be among {', '.join(_FACTS)}", name) for name in unknown)
    faults.raise_if_any()
    return replace(
        report,
        format=raw["format"],
        tool=raw["tool"],
        harness_version=raw["harnessVersion"],
        profile="",
        suite=raw["suite"],
        task=raw["task"],
        started_at=raw["startedAt"],
        finished_at=raw["finishedAt"],
        carries=frozenset(_FACTS[name] for name in raw["carries"]),
        incomplete=tuple(raw["incomplete"]),
        not_run=tuple(raw["notRun"]),
        notes=tuple(raw["notes"]),
        revisions=raw["revisions"],
        tokens_summed=raw["tokensSummed"],
    )


def carries_tokens(document: Mapping[str, Any]) -> bool:
    """Tell whether the original of a report carried tokens; true for one that was not converted."""
    raw = document.get(FIELD)
    return not isinstance(raw, dict) or Fact.TOKENS.value in (raw.get("carries") or ())


def _text(raw: Mapping[str, Any], name: str) -> bool:
    return isinstance(raw.get(name), str)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
