"""The bulk reader and the reference reader: the same facts or the same refusal, whatever the file."""

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from evalgate.errors import ReportError
from evalgate.formats import _read_whole, dsh_eval_harness, load
from evalgate.formats.dsh_eval_harness import bulk
from evalgate.formats.dsh_eval_harness.common import CasesRead
from evalgate.formats.source import Source, open_source
from tests import builders
from tests.property.strategies import json_values, texts

LAYOUTS: dict[str, dict[str, Any]] = {
    "indented": {"indent": 2, "ensure_ascii": False},
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "spaced": {},
    "wide": {"indent": 4},
    "tabs": {"indent": "\t"},
}


def _bulk(source: Source, head=64 * 1024):
    stream = source.open()
    return dsh_eval_harness.read_bulk(source, stream.read(head), stream)


_NOT_READ = (None, None)


def _outcome(read):
    """Return the report and its evidence, or the faults."""
    try:
        report, evidence = read()
    except ReportError as fault:
        return fault.faults
    if report is None:
        return _NOT_READ
    return report, dict(evidence.fetch([case.name for case in report.cases]))


def _encode(document, layout) -> bytes:
    return json.dumps(document, **LAYOUTS[layout]).encode("utf-8", "surrogatepass")


def _compare(tmp_path, data: bytes) -> bool:
    """Assert that both readers agree on the file; return whether the bulk reader read it by itself."""
    path = tmp_path / "report.json"
    path.write_bytes(data)
    with open_source(path) as source:
        expected = _outcome(lambda: _read_whole(source))
        by_itself = _outcome(lambda: _bulk(source) or _NOT_READ)
        assert by_itself in (expected, _NOT_READ)
    assert _outcome_of_load(path) == expected
    return bool(by_itself != _NOT_READ)


def _outcome_of_load(path):
    try:
        loaded = load(path)
    except ReportError as fault:
        return fault.faults
    with loaded:
        return _outcome(lambda: (loaded.report, loaded.evidence))


def _document(number: int, **header):
    """Return a valid report in which every kind of case stands."""
    crash = builders.node_crash("ENOENT", "ensureSymlink")
    cases = []
    for position in range(number):
        name = f"case-{position}-读取"
        if position % 4 == 1:
            cases.append(builders.retried(name, "error", "pass", stderr=crash))
        elif position % 4 == 2:
            cases.append(builders.case(name, "fail"))
        else:
            cases.append(builders.case(name, total_tokens=position))
    return {**builders.report(*cases), **header}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("number", [1, 2, 3, 60, 200])
def test_valid_reports_are_read_in_slices(tmp_path, monkeypatch, layout, number):
    """In every layout that a JSON writer has, from two cases on; small chunks, so that there are many slices."""
    monkeypatch.setattr(bulk, "CHUNK", 3000)
    by_itself = _compare(tmp_path, _encode(_document(number), layout))
    assert by_itself or (number == 1 and layout != "indented")


PLACES = st.lists(st.integers(0, 10**6), min_size=1, max_size=8)
WRONG = st.one_of(
    json_values,
    texts,
    st.sampled_from([3.0, -1, 1.5, 10**400, 2**53 + 1, True, None, "", "\ud83d", {"a": 1}, [1], float("1e308")]),
)


def _put(document, steps, value):
    """Change one value somewhere in the document; the steps choose where, whatever the shape."""
    here = document
    for step in steps:
        children = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else []
        if not children:
            return
        key = list(children)[step % len(children)]
        if step == steps[-1] or not isinstance(here[key], dict | list) or not here[key]:
            here[key] = copy.deepcopy(value)
            return
        here = here[key]


@given(
    layout=st.sampled_from(list(LAYOUTS)),
    changes=st.lists(st.tuples(PLACES, WRONG), max_size=3),
    extra=st.booleans(),
    number=st.integers(0, 9),
)
@example(layout="indented", changes=[], extra=True, number=9)
def test_changed_reports_are_read_alike(tmp_path_factory, layout, changes, extra, number):
    document = copy.deepcopy(_document(number))
    if extra:
        document["cases"] = [{**case, "notKnownHere": {"cases": [1e300]}} for case in document["cases"]]
    for steps, value in changes:
        _put(document, steps, value)
    folder = tmp_path_factory.mktemp("bulk")
    event("bulk by itself" if _compare(folder, _encode(document, layout)) else "reference")


@given(
    data=st.data(), layout=st.sampled_from(["indented", "compact"]), kind=st.sampled_from(["cut", "insert", "replace"])
)
def test_damaged_texts_are_read_alike(tmp_path_factory, data, layout, kind):
    """Bytes lost, added and changed: what is no longer JSON, and what still is."""
    text = _encode(_document(6), layout)
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 400)))
    pieces = [b",", b"}", b"]", b"[", b"{", b'"', b"\n    },\n    {", b"1e999", b"\xff", b"\\", b"NaN", b"0" * 400, b""]
    piece = data.draw(st.sampled_from(pieces))
    damaged = {
        "cut": text[:begin] + text[end:],
        "insert": text[:begin] + piece + text[begin:],
        "replace": text[:begin] + piece + text[end:],
    }[kind]
    _compare(tmp_path_factory.mktemp("bulk"), damaged)


TRICKS = {
    "cases twice": lambda text: text.replace('"profile"', '"cases": [],\n  "profile"'),
    "cases twice, the other last": lambda text: re.sub(r"\}\s*$", ',\n  "cases": []\n}', text),
    "cases inside a string": lambda text: text.replace('"headless"', json.dumps('"cases": [')),
    "cases inside an object": lambda text: text.replace('"profile"', '"x": {"cases": []},\n  "profile"'),
    "schema behind the cases": lambda text: re.sub(r"\}\s*$", ',\n  "schemaVersion": 0\n}', text),
    "an array of objects behind the cases": lambda text: re.sub(
        r"\}\s*$", ',\n  "x": [\n    {\n      "a": 1\n    },\n    {\n      "a": 2\n    }\n  ]\n}', text
    ),
    "the end of the cases inside a name": lambda text: text.replace("case-3", "case-3\\n    },\\n    {"),
    "a second document": lambda text: text + text,
    "no end": lambda text: text.rstrip()[:-1],
    "a marker of ours": lambda text: text.replace(
        '"profile"', '"cases": ["evalgate: here stand the cases"],\n  "profile"'
    ),
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "a blank before each end": lambda text: text.replace("\n    },\n    {", "\n    } ,\n    {"),
    "one case in another layout": lambda text: text.replace("\n    },\n    {", "\n    }, {", 1),
    "a byte order mark": lambda text: "\ufeff" + text,
    "the last name taken": lambda text: text.replace("case-9-", "case-0-"),
    "names taken early": lambda text: re.sub(r"case-[123]-", "case-0-", text),
    "null for an array": lambda text: text.replace('"attemptResults": [', '"attemptResults": null, "y": [', 1),
    "a number of a thousand digits": lambda text: text.replace(
        '"durationMs": ', '"durationMs": 0.' + "1" * 1100 + ', "z": ', 2
    ),
    "an empty array": lambda text: re.sub(
        r'"cases": \[.*\],\n  "summary"', '"cases": [],\n  "summary"', text, flags=re.S
    ),
    "a comma too many": lambda text: text.replace("\n    }\n  ],", "\n    },\n  ],"),
    "half a character": lambda text: text.replace("case-2-读取", "case-2-\\ud83d"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_what_a_slice_might_be_fooled_by(tmp_path, monkeypatch, trick):
    monkeypatch.setattr(bulk, "CHUNK", 3000)
    text = _encode(_document(12), "indented").decode("utf-8")
    changed = TRICKS[trick](text)
    assert changed != text
    _compare(tmp_path, changed.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("broken", [0, 30, 59])
def test_one_unusual_case_sends_one_slice_to_the_reference(tmp_path, monkeypatch, broken):
    """Not the whole file: a million cases with one half emoji must not need a hundred times the memory."""
    monkeypatch.setattr(bulk, "CHUNK", 3000)
    document = _document(60)
    document["cases"][broken]["finalText"] = "\ud83d"
    counted = []
    original = CasesRead.add

    def add(self, case):
        counted.append(case.name)
        return original(self, case)

    monkeypatch.setattr(CasesRead, "add", add)
    path = tmp_path / "report.json"
    path.write_bytes(json.dumps(document, indent=2).encode())
    with open_source(path) as source:
        assert _bulk(source, head=3000) is not None
    assert 1 <= len(counted) <= 6
