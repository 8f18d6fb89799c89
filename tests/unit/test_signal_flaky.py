"""New flaky cases."""

import pytest

from evalgate.signals.flaky import SIGNAL, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([facts("a")], [facts("a", flaky=True)], ["a"]),
        ([], [facts("a", flaky=True)], ["a"]),
        ([facts("a", "fail")], [facts("a", flaky=True)], ["a"]),
        ([facts("a", flaky=True)], [facts("a", flaky=True)], []),
        ([facts("a", flaky=True, attempts=2)], [facts("a", flaky=True, attempts=4)], []),
        ([facts("a", flaky=True)], [facts("a")], []),
        ([facts("a", flaky=True)], [], []),
        ([facts("a", flaky=True)], [facts("A", flaky=True)], ["A"]),
        ([facts("a")], [facts("a")], []),
        (
            [facts("a"), facts("b", flaky=True)],
            [facts("c", flaky=True), facts("b", flaky=True), facts("a", flaky=True)],
            ["c", "a"],
        ),
    ],
)
def test_find_flaky(before, after, found):
    assert find(pair(before, after)) == found


def test_flaky_outputs():
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode("bash-tool") == "bash-tool"
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail('bash-tool')}" == "FLAKY_CASE bash-tool"
    assert (SIGNAL.key, SIGNAL.json_field) == ("FLAKY", "flakyCases")
