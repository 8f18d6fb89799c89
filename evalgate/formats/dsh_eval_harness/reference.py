"""
The reference reader: the whole document, the models, every rule, the exact messages.

It decides what a valid report is. A faster reader may exist beside it and must agree with it in everything.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evalgate.faults import MISSING, Fault, Faults, place_of
from evalgate.formats.dsh_eval_harness import converted
from evalgate.formats.dsh_eval_harness.common import CasesInMemory, CasesRead, is_legacy, signature_of
from evalgate.formats.dsh_eval_harness.consistency import case_faults, has_history, header_faults, summary_faults
from evalgate.formats.dsh_eval_harness.model import CaseModel, Header, Run
from evalgate.report import Case, Report, Status, Trials

M = TypeVar("M", bound=BaseModel)


def read(label: str, document: Mapping[str, Any]) -> tuple[Report, CasesInMemory]:
    """
    Return the facts of a decoded report and where its evidence comes from.

    Raises `ReportError` with all faults found in one pass.
    """
    legacy = is_legacy(label, document)
    cases = CasesRead(label)
    cases.converted = converted.FIELD in document
    raw_cases = document.get("cases", MISSING)
    if isinstance(raw_cases, list):
        read_cases(raw_cases, cases, legacy=legacy)
    else:
        cases.faults.add([Fault("cases", "must be an array", raw_cases)])
        cases.whole = False
    report = finish(label, document, cases)
    if cases.converted:
        report = converted.restore(label, report, document[converted.FIELD])
    tokens = converted.carries_tokens(document)
    return report, CasesInMemory(raw_cases if isinstance(raw_cases, list) else [], tokens=tokens)


def read_cases(raw_cases: Sequence[Any], cases: CasesRead, *, legacy: bool) -> None:
    """Check the next cases of a report against every rule, and enter their facts and faults into `cases`."""
    for raw in raw_cases:
        model = _validated(CaseModel, raw, ("cases", cases.count), cases.faults)
        if model is None:
            cases.add_broken()
            continue
        place = f"cases[{cases.count}]"
        first = cases.add(_facts(model) if not cases.converted else _converted_facts(model, raw, cases.faults, place))
        if first is not None:
            cases.faults.add([Fault(f"{place}.name", f"must be unique, cases[{first}] has it too", model.name)])
        cases.faults.add(case_faults(model, place, legacy=legacy))


def finish(label: str, document: Mapping[str, Any], cases: CasesRead) -> Report:
    """Return the report, given its cases; `document` is all the rest. Raises with the faults of both, header first."""
    faults = Faults(label)
    legacy = is_legacy(label, document)
    header = _validated(Header, {**document, "schemaVersion": 0 if legacy else 1}, (), faults)
    if header is not None:
        faults.add(header_faults(header, legacy=legacy))
    faults.extend(cases.faults)
    if header is not None and cases.whole:
        faults.add(summary_faults(header, cases.statuses()))
    faults.raise_if_any()
    assert header is not None, "a header that did not validate is a fault"
    return Report(
        cases=tuple(cases.facts),
        tool=header.tool,
        harness_version=header.version,
        profile=header.profile,
        dsh_version=header.dsh_version,
        started_at=header.started_at,
        finished_at=header.finished_at or header.started_at,
        duration_ms=header.duration_ms or 0,
    )


def _validated(model: type[M], raw: object, path: tuple[str | int, ...], faults: Faults) -> M | None:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        faults.add(_structural_faults(error, path))
        return None


def _structural_faults(error: ValidationError, path: tuple[str | int, ...]) -> Iterator[Fault]:
    """Put pydantic's findings into the words of the contract."""
    for found in error.errors(include_url=False):
        place = place_of((*path, *found["loc"]))
        match found["type"]:
            case "missing":
                yield Fault(place, "is required")
            case "rule":
                yield Fault(place, found["msg"], found["input"])
            case "model_type" | "model_attributes_type" | "dict_type":
                yield Fault(place, "must be an object", found["input"])
            case "list_type":
                yield Fault(place, "must be an array", found["input"])
            case _:
                yield Fault(place, f"is not as it must be: {found['msg']}", found["input"])


def _facts(case: CaseModel) -> Case:
    """Return what the rules need of a checked case."""
    history = has_history(case)
    runs: Sequence[Run] = case.attempt_results if history else [case]
    trials = _trials(case)
    retried = history and trials is None and any(run.status != "pass" for run in runs[:-1])
    read_signatures = (signature_of(run.stderr_tail) for run in runs if run.status != "pass")
    return Case(
        name=case.name,
        status=Status(case.status),
        # Without history the flag is dropped: what it rests on was not recorded.
        flaky=case.status == "pass" and history and (bool(case.flaky) or retried),
        attempts=len(runs),
        total_tokens=case.tokens.total,
        skipped_lines=case.skipped_lines or 0,
        tool_errors=len(case.tool_errors),
        trials=trials,
        signatures=tuple(one for one in read_signatures if one is not None),
    )


def _converted_facts(case: CaseModel, raw: Mapping[str, Any], faults: Faults, place: str) -> Case:
    """
    Return the facts of a case that was converted: its flag is the reader's of the original, who knows what is a retry.

    Retries within a trial stand beside the attempts, which are one a trial.
    """
    extra = raw.get(converted.FIELD, {})
    retried = extra.get("retried", []) if isinstance(extra, dict) else None
    if not isinstance(retried, list):
        faults.add([Fault(f"{place}.{converted.FIELD}.retried", "must be an array", extra)])
        retried = []
    path = (place, converted.FIELD, "retried")
    models = [_validated(Run, one, (*path, number), faults) for number, one in enumerate(retried)]
    traits = _facts(case)
    read = (signature_of(run.stderr_tail) for run in models if run is not None and run.status != "pass")
    return Case(
        name=case.name,
        total_tokens=case.tokens.total,
        **traits.traits._replace(
            flaky=case.status == "pass" and bool(case.flaky),
            attempts=traits.attempts + len(retried),
            signatures=(*traits.signatures, *(one for one in read if one is not None)),
        )._asdict(),
    )


def _trials(case: CaseModel) -> Trials | None:
    return None if case.reliability is None else Trials(case.reliability.trials, case.reliability.passes)
