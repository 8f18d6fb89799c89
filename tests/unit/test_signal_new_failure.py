"""New failures: absent before, does not pass now."""

import pytest

from evalgate.report import Status
from evalgate.signals.new_failure import SIGNAL, NewFailure, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([], [facts("a", "fail")], [NewFailure("a", Status.FAIL)]),
        ([], [facts("a", "error")], [NewFailure("a", Status.ERROR)]),
        ([], [facts("a")], []),
        ([facts("a")], [facts("a", "fail")], []),
        ([facts("a", "fail")], [facts("a", "fail")], []),
        ([facts("a", "fail")], [], []),
        ([facts("a")], [facts("A", "fail")], [NewFailure("A", Status.FAIL)]),
    ],
)
def test_find_new_failures(before, after, found):
    assert find(pair(before, after)) == found


def test_new_failures_come_in_the_order_of_the_after_report():
    after = [facts("z", "fail"), facts("m"), facts("a", "error")]
    assert [one.name for one in find(pair([], after))] == ["z", "a"]


def test_new_failure_outputs():
    found = NewFailure("b", Status.ERROR)
    assert SIGNAL.severity is Severity.FAIL
    assert SIGNAL.encode(found) == {"name": "b", "before": "absent", "after": "error"}
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail(found)}" == "NEW_FAILURE b: error"
    assert (SIGNAL.key, SIGNAL.json_field) == ("NEW_FAILURES", "newFailures")
