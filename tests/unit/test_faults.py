"""The wording of a fault."""

import pytest

from evalgate.errors import ReportError
from evalgate.faults import MISSING, Fault, Faults, place_of


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (MISSING, "missing"),
        (None, "got null"),
        (-5, "got -5"),
        (True, "got true"),
        (1.5, "got 1.5"),
        ("3", 'got "3"'),
        ("a\nb", 'got "a\\nb"'),
        ("é", 'got "é"'),
        ([], "got an array of 0"),
        ([1, 2], "got an array of 2"),
        ({}, "got an object of 0 fields"),
        ({"a": 1}, "got an object of 1 field"),
        ("x" * 60, f'got "{"x" * 60}"'),
        ("x" * 61, f'got "{"x" * 60}… (1 more characters)"'),
    ],
)
def test_fault_text(found, shown):
    fault = Fault("cases[3].tokens.total", "must be a finite number >= 0", found)
    assert fault.text("before/report.json") == (
        f"before/report.json: cases[3].tokens.total: must be a finite number >= 0 ({shown})"
    )


def test_fault_text_without_a_place():
    assert Fault("", "is wrong").text("r.json") == "r.json: is wrong (missing)"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("cases", 3, "tokens", "total"), "cases[3].tokens.total"),
        (("cases", 0, "attemptResults", 1, "status"), "cases[0].attemptResults[1].status"),
        (("version",), "version"),
        ((), ""),
    ],
)
def test_place_of(path, place):
    assert place_of(path) == place


@pytest.mark.parametrize(
    ("number", "last"),
    [
        (1, "r.json: f[0]: is wrong (missing)"),
        (20, "r.json: f[19]: is wrong (missing)"),
        (21, "r.json: and 1 more fault"),
        (22, "r.json: and 2 more faults"),
        (100_000, "r.json: and 99980 more faults"),
    ],
)
def test_at_most_twenty_faults_are_listed_and_all_counted(number, last):
    faults = Faults("r.json")
    faults.add(Fault(f"f[{position}]", "is wrong") for position in range(number))
    assert bool(faults)
    with pytest.raises(ReportError) as caught:
        faults.raise_if_any()
    found = caught.value.faults
    assert len(found) == min(number, 21)
    assert found[: min(number, 20)] == tuple(f"r.json: f[{n}]: is wrong (missing)" for n in range(min(number, 20)))
    assert found[-1] == last


def test_no_fault_raises_nothing():
    faults = Faults("r.json")
    faults.add([])
    assert not faults
    faults.raise_if_any()
