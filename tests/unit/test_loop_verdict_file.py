"""A verdict out of a file, a round file, a pipe or stdin."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from evalgate.errors import MissingReportError, ReportError
from evalgate.loop import verdict_file
from evalgate.loop.verdict_file import read_verdict

ROUND = {
    "schema": "evalgate-round/1",
    "round": 4,
    "run": "r",
    "startedAt": "2026-12-01T04:31:00Z",
    "seconds": 1,
    "stage": "play",
    "verdict": {"pass": False, "guards": {"A": {"pass": False}}},
    "stderrTail": "",
    "screenshot": None,
}


@pytest.mark.parametrize(
    ("document", "verdict"),
    [
        (None, None),
        ([], []),
        ("x", "x"),
        ({}, {}),
        ({"pass": True, "guards": {}}, {"pass": True, "guards": {}}),
        ({"schema": "mine", "pass": True}, {"schema": "mine", "pass": True}),
        ({"schema": 1, "verdict": {}}, {"schema": 1, "verdict": {}}),
        (ROUND, ROUND["verdict"]),
        ({**ROUND, "verdict": {}}, {}),
    ],
)
def test_any_json_is_returned_and_of_a_round_its_verdict(tmp_path, document, verdict):
    """The name of the file says nothing: a round may have been copied."""
    path = tmp_path / "v.json"
    path.write_text("\ufeff" + json.dumps(document), encoding="utf-8")
    assert read_verdict(str(path)) == verdict


@pytest.mark.parametrize("change", [{"schema": "evalgate-round/2"}, {"verdict": None}, {"run": 1}, {"round": 0}])
def test_a_broken_round_is_no_verdict(tmp_path, change):
    path = tmp_path / "v.json"
    path.write_text(json.dumps({**ROUND, **change}))
    with pytest.raises(ReportError, match=rf"^{path}: {next(iter(change))}: must be "):
        read_verdict(str(path))


def test_what_cannot_be_read_is_told_from_what_is_not_there(tmp_path):
    (tmp_path / "file").write_text("{}")
    for place in ("nowhere", "nowhere/v.json", "file/v.json"):
        with pytest.raises(MissingReportError):
            read_verdict(str(tmp_path / place))
    for place in (str(tmp_path), f"{tmp_path}/a\0b", str(tmp_path / ("x" * 300))):
        with pytest.raises(ReportError) as caught:
            read_verdict(place)
        assert not isinstance(caught.value, MissingReportError)


@pytest.mark.parametrize("place", ["v.json", "-"])
def test_a_verdict_has_an_end(place, tmp_path, monkeypatch):
    monkeypatch.setattr(verdict_file, "LARGEST", 1 << 20)
    monkeypatch.chdir(tmp_path)
    text = b"{" + b" " * (1 << 20)
    (tmp_path / "v.json").write_bytes(text)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    label = "<stdin>" if place == "-" else place
    with pytest.raises(ReportError, match=f"^{label}: is longer than 1 MiB, and not a verdict$"):
        read_verdict(place)


def test_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(ROUND).encode())))
    assert read_verdict("-") == ROUND["verdict"]
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ReportError, match=r"^<stdin>: cannot be read \(it is closed\)$"):
        read_verdict("-")
