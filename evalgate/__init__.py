r"""
evalgate: the gate between two runs of an agent evaluation.

    from evalgate import compare, load_report

    result = compare(load_report("before"), load_report("after"))
    print(result.verdict.value, *result.reasons, sep="\n")

A name is imported when it is used: importing this package costs nothing, and neither the command line nor what renders
reports is ever loaded by it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from evalgate._version import __version__

if TYPE_CHECKING:
    from evalgate.errors import CannotJudgeError, MissingReportError, NotComparableError, ReportError
    from evalgate.formats import load_report
    from evalgate.formats.found import ReadOptions
    from evalgate.gate import GateResult, compare
    from evalgate.loop.judging import GateJudgment, judge
    from evalgate.options import GateOptions, TrialPolicy
    from evalgate.report import Case, Report, Status, Trials
    from evalgate.verdict import ExitCode, Severity, Verdict, exit_code

__all__ = [
    "CannotJudgeError",
    "Case",
    "ExitCode",
    "GateJudgment",
    "GateOptions",
    "GateResult",
    "MissingReportError",
    "NotComparableError",
    "ReadOptions",
    "Report",
    "ReportError",
    "Severity",
    "Status",
    "TrialPolicy",
    "Trials",
    "Verdict",
    "__version__",
    "compare",
    "exit_code",
    "judge",
    "load_report",
]

_HOMES = {
    "errors": ("CannotJudgeError", "MissingReportError", "NotComparableError", "ReportError"),
    "formats": ("load_report",),
    "formats.found": ("ReadOptions",),
    "gate": ("GateResult", "compare"),
    "loop.judging": ("GateJudgment", "judge"),
    "options": ("GateOptions", "TrialPolicy"),
    "report": ("Case", "Report", "Status", "Trials"),
    "verdict": ("ExitCode", "Severity", "Verdict", "exit_code"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"evalgate.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
