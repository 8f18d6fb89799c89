"""Improvements: did not pass before, passes now."""

import pytest

from evalgate.report import Status
from evalgate.signals.improvement import SIGNAL, Improvement, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "fires"),
    [
        ("fail", "pass", True),
        ("error", "pass", True),
        ("pass", "pass", False),
        ("fail", "error", False),
        ("error", "fail", False),
        ("fail", "fail", False),
        ("pass", "fail", False),
    ],
)
def test_improvement_by_status(before, after, fires):
    found = find(pair([facts("a", before)], [facts("a", after)]))
    assert found == ([Improvement("a", Status(before), Status(after))] if fires else [])


def test_improvements_come_in_the_order_of_the_after_report():
    before = [facts("a", "fail"), facts("b", "fail"), facts("c", "error")]
    assert [one.name for one in find(pair(before, [facts("c"), facts("new"), facts("a")]))] == ["c", "a"]


def test_improvement_outputs():
    found = Improvement("c", Status.FAIL, Status.PASS)
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode(found) == {"name": "c", "before": "fail", "after": "pass"}
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail(found)}" == "IMPROVEMENT c: fail -> pass"
    assert (SIGNAL.key, SIGNAL.json_field) == ("IMPROVEMENTS", "improvements")
