"""Skipped-line increases: the trace lost more than before."""

import pytest

from evalgate.signals.skipped_lines import SIGNAL, SkippedLineIncrease, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "fires"),
    [(0, 3, True), (0, 1, True), (2, 3, True), (3, 3, False), (3, 2, False), (3, 0, False), (0, 0, False)],
)
def test_skipped_lines_by_count(before, after, fires):
    found = find(pair([facts("g", skipped_lines=before)], [facts("g", skipped_lines=after)]))
    assert found == ([SkippedLineIncrease("g", before, after)] if fires else [])


def test_skipped_lines_whatever_the_statuses():
    found = find(pair([facts("g", "fail")], [facts("g", skipped_lines=1)]))
    assert found == [SkippedLineIncrease("g", 0, 1)]


def test_skipped_lines_of_a_new_case_have_no_before():
    assert find(pair([], [facts("g", skipped_lines=9)])) == []


def test_skipped_lines_come_in_the_order_of_the_after_report():
    after = [facts(name, skipped_lines=1) for name in ("b", "new", "a")]
    assert [one.name for one in find(pair([facts("a"), facts("b")], after))] == ["b", "a"]


def test_skipped_lines_outputs():
    found = SkippedLineIncrease("g", 0, 3)
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode(found) == {"name": "g", "before": 0, "after": 3}
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail(found)}" == "SKIPPED_LINE_INCREASE g: 0 -> 3"
    assert (SIGNAL.key, SIGNAL.json_field) == ("SKIPPED_LINE_INCREASES", "skippedLineIncreases")
