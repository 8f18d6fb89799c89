"""Tool-error recoveries: a state (passes, with tool errors), and whether it is new."""

import pytest

from evalgate.signals.tool_error_recovery import SIGNAL, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([facts("h")], [facts("h", tool_errors=1)], ["h"]),
        ([], [facts("h", tool_errors=1)], ["h"]),
        # It failed with the same tool error before: it was not in the state of passing over one.
        ([facts("h", "fail", tool_errors=1)], [facts("h", tool_errors=1)], ["h"]),
        ([facts("h", "error", tool_errors=2)], [facts("h", tool_errors=2)], ["h"]),
        ([facts("h", tool_errors=1)], [facts("h", tool_errors=1)], []),
        ([facts("h", tool_errors=1)], [facts("h", tool_errors=5)], []),
        ([facts("h", tool_errors=1)], [facts("h")], []),
        ([facts("h")], [facts("h", "fail", tool_errors=1)], []),
        ([facts("h")], [facts("h", "error", tool_errors=1)], []),
        ([], [facts("h", "fail", tool_errors=1)], []),
        ([facts("h", tool_errors=1)], [facts("H", tool_errors=1)], ["H"]),
        (
            [facts("a"), facts("b", tool_errors=1)],
            [facts("z", tool_errors=1), facts("b", tool_errors=1), facts("a", tool_errors=2)],
            ["z", "a"],
        ),
    ],
)
def test_find_tool_error_recoveries(before, after, found):
    assert find(pair(before, after)) == found


def test_tool_error_recovery_outputs():
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode("h") == "h"
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail('h')}" == "TOOL_ERROR_RECOVERY h"
    assert (SIGNAL.key, SIGNAL.json_field) == ("TOOL_ERROR_RECOVERIES", "toolErrorRecoveries")
