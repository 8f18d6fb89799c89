"""
Files of other tools, refused by the name of the tool: "this is a CTRF report" helps, "tool: is required" does not.

Recognised by content, never by file name: half of them are called report.json or results.json.
"""

from collections.abc import Mapping
from typing import Any

_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("a CTRF report", ("reportFormat", "results")),
    ("an Inspect AI log", ("eval", "status", "version")),
    ("a promptfoo result", ("evalId", "results")),
    ("an lm-eval result", ("lm_eval_version",)),
    ("an lm-eval result", ("results", "n-shot")),
    ("a DeepEval test run", ("testCases", "testPassed")),
    ("a pytest-json-report", ("exitcode", "tests", "summary")),
    ("a Playwright JSON report", ("suites", "config", "stats")),
    ("a Jest or Vitest JSON report", ("numTotalTests", "testResults")),
    ("a Mocha JSON report", ("stats", "passes", "failures")),
    ("a SWE-bench run report", ("resolved_ids",)),
    ("a Terminal-Bench result", ("n_resolved", "results")),
    ("a Harbor job result", ("n_total_trials", "stats")),
    ("a Harbor trial result", ("trial_name", "task_name")),
    ("a dsh-eval run", ("benchmark", "cases", "trials")),
)
"""The keys that a file of each kind has at its top level, the more telling ones first."""


def name_of_bytes(data: bytes) -> str | None:
    """Return what a file that is no JSON object most likely is, None when nothing is recognised."""
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"PK\x03\x04"):
        return "a zip archive (an Inspect AI .eval log is one)"
    if start.startswith(b"<"):
        return "XML (JUnit reports are)"
    return None


def name_of_object(document: Mapping[str, Any]) -> str | None:
    """Return the kind of tool whose file this is, None when nothing is recognised."""
    tool = document.get("tool")
    if isinstance(tool, str) and tool.strip():
        return f"a report of the tool {tool!r}"
    results = document.get("results")
    if isinstance(results, dict) and "tests" in results and "summary" in results:
        # Older CTRF reporters write no reportFormat.
        return "a CTRF report"
    for name, keys in _SHAPES:
        if all(key in document for key in keys):
            return name
    return None
