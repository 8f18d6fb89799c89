"""Added cases: absent before, passes now."""

import pytest

from evalgate.signals.added import SIGNAL, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([], [facts("a")], ["a"]),
        ([], [facts("a", "fail")], []),
        ([], [facts("a", "error")], []),
        ([facts("a")], [facts("a")], []),
        ([facts("a", "fail")], [facts("a")], []),
        ([facts("a")], [facts("a "), facts("a")], ["a "]),
        ([facts("m")], [facts("z"), facts("m"), facts("b", "fail"), facts("a")], ["z", "a"]),
    ],
)
def test_find_added(before, after, found):
    assert find(pair(before, after)) == found


def test_added_outputs():
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode("d") == "d"
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail('d')}" == "ADDED_CASE d"
    assert (SIGNAL.key, SIGNAL.json_field) == ("ADDED", "added")
