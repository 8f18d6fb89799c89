r"""
evalgate: the gate between two runs of an agent evaluation.

    from evalgate import compare, load_report

    result = compare(load_report("before"), load_report("after"))
    print(result.verdict.value, *result.reasons, sep="\n")

Importing this package loads neither the command line nor what renders reports.
"""

from evalgate._version import __version__
from evalgate.errors import CannotJudgeError, MissingReportError, ReportError
from evalgate.formats import load_report
from evalgate.gate import GateResult, compare
from evalgate.options import GateOptions
from evalgate.report import Case, Report, Status, Trials
from evalgate.verdict import ExitCode, Severity, Verdict, exit_code

__all__ = [
    "CannotJudgeError",
    "Case",
    "ExitCode",
    "GateOptions",
    "GateResult",
    "MissingReportError",
    "Report",
    "ReportError",
    "Severity",
    "Status",
    "Trials",
    "Verdict",
    "__version__",
    "compare",
    "exit_code",
    "load_report",
]
