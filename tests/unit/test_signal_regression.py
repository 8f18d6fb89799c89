"""Regressions: passed before, does not pass now."""

import pytest

from evalgate.report import Status
from evalgate.signals.regression import SIGNAL, Regression, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("before", "after", "fires"),
    [
        ("pass", "fail", True),
        ("pass", "error", True),
        ("pass", "pass", False),
        ("fail", "fail", False),
        ("fail", "error", False),
        ("error", "fail", False),
        ("error", "error", False),
        ("fail", "pass", False),
        ("error", "pass", False),
    ],
)
def test_regression_by_status(before, after, fires):
    found = find(pair([facts("a", before)], [facts("a", after)]))
    assert found == ([Regression("a", Status(before), Status(after))] if fires else [])


@pytest.mark.parametrize("name", ["b", "A", " a", "a ", "a\u0301", "á", "ａ"])
def test_regression_matches_names_exactly(name):
    """No trimming, no case folding, no normalisation: a rename is never half matched."""
    assert find(pair([facts("á" if name == "a\u0301" else "a")], [facts(name, "fail")])) == []


def test_regressions_come_in_the_order_of_the_after_report():
    before = [facts("a"), facts("b"), facts("c")]
    after = [facts("c", "fail"), facts("b"), facts("a", "error")]
    assert [one.name for one in find(pair(before, after))] == ["c", "a"]


def test_regression_outputs():
    found = Regression("a", Status.PASS, Status.ERROR)
    assert SIGNAL.severity is Severity.FAIL
    assert SIGNAL.encode(found) == {"name": "a", "before": "pass", "after": "error"}
    assert SIGNAL.detail is not None
    assert f"{SIGNAL.word} {SIGNAL.detail(found)}" == "REGRESSION a: pass -> error"
    assert (SIGNAL.key, SIGNAL.json_field) == ("REGRESSIONS", "regressions")
