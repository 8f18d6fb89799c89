"""The names of the cases behind FAIL and WARN, one a line, for a harness that is to run only these again."""

from typing import NamedTuple

from evalgate.gate import GateResult
from evalgate.plain import escape
from evalgate.verdict import Severity


class RerunList(NamedTuple):
    """The list and what could not be in it."""

    text: str
    """One name a line, exactly as the report spells it, the most severe findings first; empty without any."""
    left_out: tuple[str, ...]
    """Names with a line break, which would be two lines, or a control character, on which a terminal would act."""


def render(result: GateResult) -> RerunList:
    """Return the names of the cases of the after report that have a FAIL or WARN finding, each once."""
    present = {case.name for case in result.after.cases}
    names: dict[str, None] = {}
    for fired in result.by_severity():
        if fired.signal.severity is not Severity.INFO:
            for finding in fired.findings:
                names.update(dict.fromkeys(fired.signal.cases(finding)))
    wanted = [name for name in names if name in present]
    return RerunList(
        "".join(f"{name}\n" for name in wanted if _is_plain(name)),
        tuple(name for name in wanted if not _is_plain(name)),
    )


def _is_plain(name: str) -> bool:
    return bool(name) and escape(name) == name
