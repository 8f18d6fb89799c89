"""Repeated error signatures: grouping, threshold and order."""

import pytest

from evalgate.signals.error_signature import SIGNAL, RepeatedSignature, find
from evalgate.verdict import Severity
from tests.builders import facts, pair


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ([], []),
        ([facts("a", signatures=("S",))], []),
        ([facts("a", signatures=("S",)), facts("b", signatures=("T",))], []),
        ([facts("a", signatures=("S",)), facts("b", signatures=("s",))], []),
        ([facts("a", signatures=("S",)), facts("b", signatures=("S",))], [RepeatedSignature("S", 2, ("a", "b"))]),
        ([facts("b", signatures=("S",)), facts("a", signatures=("S",))], [RepeatedSignature("S", 2, ("b", "a"))]),
        # Two attempts of one case: twice, in one case.
        ([facts("a", signatures=("S", "S"))], [RepeatedSignature("S", 2, ("a",))]),
        (
            [facts("a", signatures=("S", "T", "S")), facts("b"), facts("c", signatures=("S",))],
            [RepeatedSignature("S", 3, ("a", "c"))],
        ),
        # It does not matter whether the case passed in the end.
        (
            [facts("a", signatures=("S",)), facts("b", "error", signatures=("S",))],
            [RepeatedSignature("S", 2, ("a", "b"))],
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
    assert find(pair(run, run)) == find(pair([], run)) != []
    assert find(pair(run, [facts("a")])) == []


def test_repeated_signature_outputs():
    found = RepeatedSignature("ENOENT@ensureSymlink", 2, ("bash-tool", "fs-write-read"))
    assert SIGNAL.severity is Severity.WARN
    assert SIGNAL.encode(found) == {
        "signature": "ENOENT@ensureSymlink",
        "occurrences": 2,
        "cases": ["bash-tool", "fs-write-read"],
    }
    assert SIGNAL.detail is not None
    line = f"{SIGNAL.word} {SIGNAL.detail(found)}"
    assert line == "ERROR_SIGNATURE ENOENT@ensureSymlink: x2 across [bash-tool, fs-write-read]"
    assert (SIGNAL.key, SIGNAL.json_field) == ("REPEATED_ERROR_SIGNATURES", "repeatedErrorSignatures")
