"""Baseline flaky cases: what the gate has been made blind to."""

import pytest

from evalgate.signals.baseline_flaky import SIGNAL, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([facts("j", flaky=True)], [], ["j"]),
        ([facts("j", flaky=True)], [facts("j")], ["j"]),
        ([facts("j", flaky=True)], [facts("j", flaky=True)], ["j"]),
        ([facts("j")], [facts("j", flaky=True)], []),
        ([facts("z", flaky=True), facts("b"), facts("a", flaky=True)], [facts("a"), facts("z")], ["z", "a"]),
    ],
)
def test_find_baseline_flaky(before, after, found):
    assert find(pair(before, after)) == found


def test_baseline_flaky_outputs():
    assert SIGNAL.severity is Severity.INFO
    assert SIGNAL.encode("j") == "j"
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail('j')}" == "BASELINE_FLAKY_CASE j"
    assert (SIGNAL.key, SIGNAL.json_field) == ("BASELINE_FLAKY", "baselineFlakyCases")
