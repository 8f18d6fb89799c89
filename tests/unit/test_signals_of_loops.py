"""The rules of loop reports: more repairs, a budget newly tripped, a cost that nobody knows any more."""

import pytest

from evalgate.report import LOOP_FORMAT, Loop
from evalgate.signals import SIGNALS, budget_soft_tripped, cost_gate_degraded, repair_increases
from evalgate.signals.repair_increases import RepairIncrease
from evalgate.verdict import Severity
from tests.builders import facts, pair


def _run(name="r", repairs=0, status="pass", *, tripped=False, degraded=False):
    return facts(name, status, loop=Loop(repairs, tripped, degraded))


@pytest.mark.parametrize(
    ("before", "after", "fires"), [(0, 2, True), (2, 3, True), (2, 2, False), (3, 1, False), (0, 0, False)]
)
@pytest.mark.parametrize("statuses", [("pass", "pass"), ("fail", "pass"), ("pass", "error")])
def test_repairs_by_count_whatever_the_statuses(before, after, fires, statuses):
    one, other = _run(repairs=before, status=statuses[0]), _run(repairs=after, status=statuses[1])
    assert repair_increases.find(pair([one], [other])) == ([RepairIncrease("r", before, after)] if fires else [])


@pytest.mark.parametrize(("before", "after", "fires"), [(0, 1, True), (1, 1, False), (1, 0, False), (0, 0, False)])
def test_a_budget_that_newly_tripped(before, after, fires):
    found = budget_soft_tripped.find(pair([_run(tripped=bool(before))], [_run(tripped=bool(after))]))
    assert found == (["r"] if fires else [])


@pytest.mark.parametrize(("before", "after", "fires"), [(0, 1, True), (1, 1, False), (1, 0, False), (0, 0, False)])
def test_a_cost_gate_that_is_newly_degraded(before, after, fires):
    found = cost_gate_degraded.find(pair([_run(degraded=bool(before))], [_run(degraded=bool(after))]))
    assert found == (["r"] if fires else [])


def test_a_new_case_has_no_before():
    """But nobody knows what it costs, and that is worth a line without a baseline, too."""
    both = pair([], [_run(repairs=6, tripped=True, degraded=True)])
    assert repair_increases.find(both) == []
    assert budget_soft_tripped.find(both) == []
    assert cost_gate_degraded.find(both) == ["r"]


@pytest.mark.parametrize("module", [repair_increases, budget_soft_tripped, cost_gate_degraded])
def test_findings_come_in_the_order_of_the_after_report(module):
    worse = [_run(name, 1, tripped=True, degraded=True) for name in "bca"]
    found = module.find(pair([_run(name) for name in "abc"], worse))
    assert [one if isinstance(one, str) else one.name for one in found] == ["b", "c", "a"]


@pytest.mark.parametrize("module", [repair_increases, budget_soft_tripped, cost_gate_degraded])
def test_cases_without_a_loop_are_not_looked_at(module):
    assert module.find(pair([facts("r", "fail")], [facts("r")])) == []
    assert module.SIGNAL.format == LOOP_FORMAT


@pytest.mark.parametrize(
    ("module", "finding", "line", "encoded"),
    [
        (
            repair_increases,
            RepairIncrease("r", 0, 2),
            "REPAIR_INCREASE r: 0 -> 2 repairs",
            {"name": "r", "before": 0, "after": 2},
        ),
        (
            repair_increases,
            RepairIncrease("r", 0, 1),
            "REPAIR_INCREASE r: 0 -> 1 repair",
            {"name": "r", "before": 0, "after": 1},
        ),
        (budget_soft_tripped, "r", "BUDGET_SOFT_TRIPPED_CASE r", "r"),
        (cost_gate_degraded, "r", "COST_GATE_DEGRADED_CASE r", "r"),
    ],
)
def test_the_outputs(module, finding, line, encoded):
    signal = module.SIGNAL
    assert f"{signal.word} {signal.detail(finding)}" == line
    assert signal.encode(finding) == encoded
    assert signal.cases(finding) == ("r",)


def test_what_they_weigh():
    assert {one.key: one.severity for one in SIGNALS if one.format == LOOP_FORMAT} == {
        "REPAIR_INCREASES": Severity.WARN,
        "BUDGET_SOFT_TRIPPED": Severity.WARN,
        "COST_GATE_DEGRADED": Severity.INFO,
    }


@pytest.mark.parametrize(
    ("module", "before", "after", "text"),
    [
        (repair_increases, _run(repairs=2), _run(repairs=2), "r needed 2 repairs, and 2 in the baseline"),
        (repair_increases, _run(repairs=2), _run(repairs=1), "r needed 1 repair, and 2 in the baseline"),
        (repair_increases, _run(repairs=2), _run(), None),
        (repair_increases, facts("r"), facts("r"), None),
        (repair_increases, facts("other"), _run(repairs=1), None),
        (
            budget_soft_tripped,
            _run(tripped=True),
            _run(tripped=True),
            "r reached the soft budget, and did in the baseline, too",
        ),
        (budget_soft_tripped, _run(tripped=True), _run(), None),
        (
            cost_gate_degraded,
            _run(degraded=True),
            _run(degraded=True),
            "nobody knows what r cost, as in the baseline",
        ),
        (cost_gate_degraded, _run(), _run(), None),
        (cost_gate_degraded, facts("other"), _run(), None),
    ],
)
def test_how_they_nearly_fire(module, before, after, text):
    assert module.SIGNAL.near(pair([before], [after]), "r") == text
