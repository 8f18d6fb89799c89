"""
The reports of dsh-eval-harness, schema 0 (legacy) and 1: the format that evalgate was made for.

`recognise` and `read` are the seam that every format has.
"""

from evalgate.evidence import Evidence
from evalgate.formats.dsh_eval_harness.reference import read as read
from evalgate.report import Report

__all__ = ["NAME", "Evidence", "Report", "read", "recognise"]

NAME = "dsh-eval-harness"


def recognise(value: object) -> bool:
    """Tell whether a JSON value says that it is such a report. Equality: other tools are called `dsh-eval`."""
    return isinstance(value, dict) and value.get("tool") == NAME
