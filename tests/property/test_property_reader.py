"""Whatever the bytes: a report, or a ReportError. Never another exception."""

import copy
import gzip
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalgate.errors import ReportError
from evalgate.formats import load
from evalgate.gate import compare
from evalgate.render import text
from tests.property.strategies import json_values, valid_report

WHOLE = valid_report()


def _load(folder, data):
    """Load the bytes; a report that is read must also be judged and shown, and its evidence fetched."""
    path = folder / "report.json"
    path.write_bytes(data)
    faults: tuple[str, ...] = ()
    try:
        found = load(path)
    except ReportError as fault:
        faults = fault.faults
    if faults:
        assert len(faults) <= 21
        assert all(line.startswith(str(path)) for line in faults)
        assert all("\n" not in line for line in faults)
        return None
    with found:
        report = found.report
        assert len({case.name for case in report.cases}) == len(report.cases)
        list(text.render(compare(report, report), strict=False))
        names = [case.name for case in report.cases]
        assert list(found.evidence.fetch(names)) == names
    return report


def _places(value, place=()):
    """Yield the path of every value in a document."""
    yield place
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _places(child, (*place, key))


PLACES = [place for place in _places(WHOLE) if place]


@given(json_values)
def test_any_json_value_is_a_report_or_a_fault(tmp_path, value):
    _load(tmp_path, json.dumps(value).encode())


@given(st.dictionaries(st.sampled_from(sorted(WHOLE)), json_values))
def test_any_object_with_the_fields_of_a_report(tmp_path, fields):
    _load(tmp_path, json.dumps({"tool": "dsh-eval-harness", **fields}).encode())


@given(st.sampled_from(PLACES), json_values)
@example(("cases", 0, "tokens", "input"), 1.2e308)
@example(("cases", 0, "status"), "\ud83d")
def test_any_value_in_any_place_of_a_report(tmp_path, place, value):
    document = copy.deepcopy(WHOLE)
    target = document
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = value
    _load(tmp_path, json.dumps(document).encode())


@given(st.lists(st.tuples(st.sampled_from(PLACES), json_values), min_size=2, max_size=5))
def test_several_values_in_several_places(tmp_path, changes):
    document = copy.deepcopy(WHOLE)
    for place, value in changes:
        target = document
        for step in place[:-1]:
            try:
                target = target[step]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if isinstance(target, dict):
                target[place[-1]] = value
    _load(tmp_path, json.dumps(document).encode())


@given(st.sampled_from(PLACES))
def test_any_field_taken_out(tmp_path, place):
    document = copy.deepcopy(WHOLE)
    target = document
    for step in place[:-1]:
        target = target[step]
    del target[place[-1]]
    _load(tmp_path, json.dumps(document).encode())


@pytest.mark.parametrize(
    "numbers",
    [
        (1.2e308, 1.2e308, 0.5, 1),
        (1.7e308, 1.7e308, 1.7e308, 1.7e308),
        (1.2e308, 1.2e308, 0, 0.5),
        (5e-324, 5e-324, 5e-324, 5e-324),
        (0.1, 0.2, 0.3, 0.6),
        (10**300, 0.5, 0, 10**300),
    ],
)
def test_token_counts_at_the_ends_of_what_a_double_holds(tmp_path, numbers):
    document = copy.deepcopy(WHOLE)
    tokens = document["cases"][0]["tokens"]
    tokens["input"], tokens["output"], tokens["reasoning"], tokens["total"] = numbers
    _load(tmp_path, json.dumps(document).encode())


@given(st.binary(max_size=200))
def test_any_bytes(tmp_path, data):
    _load(tmp_path, data)


@given(
    st.sampled_from(
        [b"", b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"PK\x03\x04", b"{"]
    ),
    st.binary(max_size=100),
)
def test_any_bytes_behind_the_first_ones_of_an_archive(tmp_path, magic, data):
    _load(tmp_path, magic + data)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(["cut", "flip", "twice", "drop"]), st.booleans())
def test_a_report_damaged_on_the_way(tmp_path, position, other, how, packed):
    data = json.dumps(WHOLE).encode()
    data = gzip.compress(data, mtime=0) if packed else data
    position %= len(data)
    damaged = {
        "cut": data[:position],
        "flip": data[:position] + bytes([data[position] ^ (1 << other % 8)]) + data[position + 1 :],
        "twice": data + data[:position],
        "drop": data[:position] + data[position + 1 :],
    }[how]
    _load(tmp_path, damaged)


@given(st.sampled_from(["[", '{"a":', '{"tool":"dsh-eval-harness","cases":[', "[["]), st.integers(1, 3000))
def test_any_depth(tmp_path, opening, depth):
    _load(tmp_path, (opening * depth).encode())


@given(st.integers(1, 3000))
def test_any_depth_where_nobody_looks(tmp_path, depth):
    data = json.dumps({**WHOLE, "new": "DEEP"}).replace('"DEEP"', "[" * depth + "]" * depth)
    _load(tmp_path, data.encode())


@given(
    st.from_regex(r"-?(0|[1-9][0-9]{0,400})(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,5})?", fullmatch=True),
    st.sampled_from(["durationMs", "steps", "exitCode", "new", "turnEnd"]),
)
def test_any_number(tmp_path, literal, field):
    document = copy.deepcopy(WHOLE)
    document["cases"][0][field] = "NUMBER"
    _load(tmp_path, json.dumps(document).replace('"NUMBER"', literal).encode())


def test_the_whole_report_is_valid(tmp_path):
    """If it were not, the mutations above would say nothing."""
    assert _load(tmp_path, json.dumps(WHOLE).encode()) is not None
