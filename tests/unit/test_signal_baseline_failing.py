"""Baseline failing cases: failures that the gate has been told to accept."""

import pytest

from evalgate.signals.baseline_failing import SIGNAL, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([facts("k", "fail")], [], ["k"]),
        ([facts("k", "error")], [facts("k")], ["k"]),
        ([facts("k")], [facts("k", "fail")], []),
        ([], [facts("k", "fail")], []),
        ([facts("z", "fail"), facts("b"), facts("a", "error")], [facts("a"), facts("z")], ["z", "a"]),
    ],
)
def test_find_baseline_failing(before, after, found):
    assert find(pair(before, after)) == found


def test_baseline_failing_outputs():
    assert SIGNAL.severity is Severity.INFO
    assert SIGNAL.encode("k") == "k"
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail('k')}" == "BASELINE_FAILING_CASE k"
    assert (SIGNAL.key, SIGNAL.json_field) == ("BASELINE_FAILING", "baselineFailingCases")
