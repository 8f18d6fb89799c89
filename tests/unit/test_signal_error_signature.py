"""Repeated error signatures: grouping, threshold and order."""

import pytest

from evalgate.report import Trials
from evalgate.signals import Pair
from evalgate.signals.error_signature import SIGNAL, RepeatedSignature, find
from evalgate.verdict import Severity
from tests.builders import facts, facts_report, pair


def _repeated(signature, occurrences, cases, **fields):
    """Return a finding of cases that all pass now and were not in the baseline."""
    known = {"in_baseline": 0, "recovered": len(cases), "newly_flaky": 0, "versions": None}
    return RepeatedSignature(signature, occurrences, cases, **{**known, **fields})


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ([], []),
        ([facts("a", signatures=("S",))], []),
        ([facts("a", signatures=("S",)), facts("b", signatures=("T",))], []),
        ([facts("a", signatures=("S",)), facts("b", signatures=("s",))], []),
        ([facts("a", signatures=("S",)), facts("b", signatures=("S",))], [_repeated("S", 2, ("a", "b"))]),
        ([facts("b", signatures=("S",)), facts("a", signatures=("S",))], [_repeated("S", 2, ("b", "a"))]),
        # Two attempts of one case: twice, in one case.
        ([facts("a", signatures=("S", "S"))], [_repeated("S", 2, ("a",))]),
        (
            [facts("a", signatures=("S", "T", "S")), facts("b"), facts("c", signatures=("S",))],
            [_repeated("S", 3, ("a", "c"))],
        ),
        # It does not matter whether the case passed in the end.
        (
            [facts("a", signatures=("S",)), facts("b", "error", signatures=("S",))],
            [_repeated("S", 2, ("a", "b"), recovered=1)],
        ),
    ],
)
def test_find_repeated_signatures(after, found):
    assert find(pair([], after)) == found


def test_repeated_signatures_come_by_occurrences_then_by_code_point():
    after = [
        facts("a", signatures=("b", "Z", "é", "a")),
        facts("b", signatures=("b", "Z", "é", "a")),
        facts("c", signatures=("q", "q", "q")),
        facts("d", signatures=("\U0001f600", "\uffff", "\U0001f600", "\uffff")),
    ]
    assert [one.signature for one in find(pair([], after))] == ["q", "Z", "a", "b", "é", "\uffff", "\U0001f600"]


def test_a_repeated_signature_fires_whatever_the_baseline_had():
    run = [facts("a", signatures=("S", "S"))]
    assert find(pair([], run)) == [_repeated("S", 2, ("a",))]
    assert find(pair(run, run)) == [_repeated("S", 2, ("a",), in_baseline=2)]
    assert find(pair(run, [facts("a")])) == []


def test_repeated_signature_outputs():
    found = _repeated("ENOENT@ensureSymlink", 2, ("bash-tool", "fs-write-read"))
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode(found) == {
        "signature": "ENOENT@ensureSymlink",
        "occurrences": 2,
        "cases": ["bash-tool", "fs-write-read"],
        "baselineOccurrences": 0,
        "incident": None,
    }
    assert SIGNAL.detail is not None
    line = f"{SIGNAL.word} {SIGNAL.detail(found)}"
    assert line == "ERROR_SIGNATURE ENOENT@ensureSymlink: x2 across [bash-tool, fs-write-read]"
    assert (SIGNAL.key, SIGNAL.json_field) == ("REPEATED_ERROR_SIGNATURES", "repeatedErrorSignatures")


def _found(before, after, versions=(None, None)):
    sides = (facts_report(*before, dsh_version=versions[0]), facts_report(*after, dsh_version=versions[1]))
    return find(Pair(*sides))


STABLE = [facts("a"), facts("b")]
SHAKEN = [facts("a", flaky=True, signatures=("S@f",)), facts("b", flaky=True, signatures=("S@f",))]


@pytest.mark.parametrize(
    ("before", "after", "versions", "incident"),
    [
        (STABLE, SHAKEN, (None, None), "S@f: 2 attempts in 2 cases [a, b], 0 in baseline, recovered on retry"),
        (
            STABLE,
            SHAKEN,
            ("1", "2"),
            "S@f: 2 attempts in 2 cases [a, b], 0 in baseline, recovered on retry, dsh 1 -> 2",
        ),
        (STABLE, SHAKEN, ("1", "1"), "S@f: 2 attempts in 2 cases [a, b], 0 in baseline, recovered on retry"),
        (
            [facts("a", "error", signatures=("S@f", "S@f", "T@g"))],
            SHAKEN,
            (None, "2"),
            "S@f: 2 attempts in 2 cases [a, b], 2 in baseline, recovered on retry",
        ),
        (
            STABLE,
            [SHAKEN[0], facts("b", "error", signatures=("S@f", "S@f"))],
            (None, None),
            "S@f: 3 attempts in 2 cases [a, b], 0 in baseline, 1 of 2 cases recovered on retry",
        ),
        # one that was flaky already, and one that is new
        ([SHAKEN[0]], SHAKEN, (None, None), "S@f: 2 attempts in 2 cases [a, b], 1 in baseline, recovered on retry"),
        # no new flakiness: no incident
        (SHAKEN, SHAKEN, ("1", "2"), None),
        (STABLE, [facts("a", "error", signatures=("S@f", "S@f"))], ("1", "2"), None),
    ],
)
def test_an_incident_is_a_repeated_signature_with_new_flakiness(before, after, versions, incident):
    (found,) = _found(before, after, versions)
    assert found.incident == incident
    assert SIGNAL.story(found) == incident


def test_trials_are_not_retries():
    """A case that passed one of its independent trials has not recovered from the others."""
    runs = [facts(name, trials=Trials(2, 1), attempts=2, signatures=("S@f",)) for name in ("a", "b")]
    found = _found([], runs)
    (reason,) = SIGNAL.reasons(found, pair([], []).options)
    assert "retry" not in reason


def test_the_reason_of_a_repeated_signature_tells_the_circumstances():
    found = _found(STABLE, SHAKEN, ("1", "2"))
    (reason,) = SIGNAL.reasons(found, pair([], []).options)
    assert "2 failing attempts in 2 cases died of S@f (a, b), 0 in the baseline" in reason
    assert "2 recovered on retry" in reason
    assert "dsh 1 -> 2" in reason
