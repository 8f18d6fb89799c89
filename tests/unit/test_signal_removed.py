"""Removed cases: present before, absent now."""

import pytest

from evalgate.signals.removed import SIGNAL, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([facts("a")], [], ["a"]),
        ([facts("a", "fail")], [facts("b")], ["a"]),
        ([facts("a")], [facts("a", "error")], []),
        ([facts("a")], [facts("A")], ["a"]),
        ([], [facts("a")], []),
        ([facts("z"), facts("m"), facts("a")], [facts("m")], ["z", "a"]),
    ],
)
def test_find_removed(before, after, found):
    assert find(pair(before, after)) == found


def test_removed_outputs():
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode("e") == "e"
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail('e')}" == "REMOVED_CASE e"
    assert (SIGNAL.key, SIGNAL.json_field) == ("REMOVED", "removed")
