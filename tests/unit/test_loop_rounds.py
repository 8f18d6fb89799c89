"""The rounds of a run: written in one step, read by number, and never an old green for a new round that died."""

import json
import os
import re
from pathlib import Path

import pytest

from evalgate.errors import OutputError, ReportError
from evalgate.loop.judging import judge
from evalgate.loop.rounds import (
    FOLDER,
    LONGEST_STDERR,
    Round,
    latest_verdict,
    next_round,
    read_rounds,
    write_round,
)

GREEN = {"pass": True, "guards": {"A_boot": {"pass": True}}}
RED = {"pass": False, "guards": {"A_boot": {"pass": False}}}


def _round(number=1, **changes):
    fields = {
        "round": number,
        "run": "tap-7",
        "started_at": "2026-12-01T04:31:00Z",
        "seconds": 7.25,
        "stage": "play",
        "verdict": RED,
    }
    return Round(**{**fields, **changes})


def _begun(number):
    return _round(number, seconds=0, stage="stage", verdict={})


def _put(run, name, text):
    (run / FOLDER).mkdir(parents=True, exist_ok=True)
    (run / FOLDER / name).write_text(text)


WHOLE = {
    "schema": "evalgate-round/1",
    "round": 1,
    "run": "tap-7",
    "startedAt": "2026-12-01T04:31:00Z",
    "seconds": 7,
    "stage": "play",
    "verdict": RED,
    "stderrTail": "",
    "screenshot": None,
}


def test_what_is_written_is_read(tmp_path):
    rounds = [
        _round(1, stderr_tail="TypeError: x\n    at f (game.js:1:2)\ud83d", screenshot="1.png"),
        _round(2, verdict=GREEN, seconds=0, started_at="2026-12-01T04:31:00.123456+00:00"),
        _begun(3),
    ]
    paths = [write_round(tmp_path, one) for one in rounds]
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [f"evidence/rounds/{n}.json" for n in (1, 2, 3)]
    assert read_rounds(tmp_path) == rounds
    assert json.loads(paths[1].read_text()) == {**WHOLE, "round": 2, "verdict": GREEN, "seconds": 0} | {
        "startedAt": "2026-12-01T04:31:00.123456+00:00"
    }


def test_the_tenth_round_comes_after_the_ninth(tmp_path):
    """By name it would come after the first, and the ninth would be the newest."""
    for number in range(1, 11):
        assert next_round(tmp_path) == number
        write_round(tmp_path, _round(number, verdict=GREEN if number == 9 else RED))
    assert [one.round for one in read_rounds(tmp_path)] == list(range(1, 11))
    assert latest_verdict(tmp_path) == RED


def test_a_run_without_rounds(tmp_path):
    for run in (tmp_path, tmp_path / "nowhere"):
        assert read_rounds(run) == []
        assert latest_verdict(run) == {}
        assert next_round(run) == 1


def _naive_write(run, number, verdict):
    """Write a round at its end only, as one would at first."""
    if verdict is not None:
        write_round(run, _round(number, verdict=verdict))


def _stamped_write(run, number, verdict):
    """Write a round at its start, and again at its end."""
    write_round(run, _begun(number))
    if verdict is not None:
        write_round(run, _round(number, verdict=verdict))


@pytest.mark.parametrize(("write", "hides"), [(_stamped_write, False), (_naive_write, True)])
def test_a_round_that_dies_leaves_no_older_green_as_the_newest(tmp_path, write, hides):
    """Two rounds, the second dies: it has no verdict. The naive way is here to show that the test can tell."""
    write(tmp_path, 1, GREEN)
    write(tmp_path, 2, None)
    assert judge(latest_verdict(tmp_path)).passed is hides
    assert next_round(tmp_path) == (2 if hides else 3)


def test_a_write_that_fails_leaves_the_stamp_and_nothing_half_written(tmp_path, monkeypatch):
    write_round(tmp_path, _begun(1))

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError) as caught:
        write_round(tmp_path, _round(1, verdict=GREEN))
    assert caught.value.faults == (f"{tmp_path / FOLDER / '1.json'}: cannot be written (No space left on device)",)
    assert latest_verdict(tmp_path) == {}
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == ["1.json"]


def test_a_reader_never_sees_half_a_round(tmp_path, monkeypatch):
    """At the moment before the rename, the old round is there as a whole."""
    write_round(tmp_path, _begun(1))
    seen = []
    monkeypatch.setattr(os, "fsync", lambda handle: seen.append(latest_verdict(tmp_path)))
    write_round(tmp_path, _round(1, verdict=GREEN))
    assert seen == [{}]
    assert latest_verdict(tmp_path) == GREEN


def test_what_a_machine_that_stopped_left_behind_is_no_round(tmp_path):
    write_round(tmp_path, _round(1))
    _put(tmp_path, ".2.json.0123456789abcdef.tmp", '{"schema": "eval')
    _put(tmp_path, "1.png", "")
    assert [one.round for one in read_rounds(tmp_path)] == [1]
    assert next_round(tmp_path) == 2


def test_of_a_long_stderr_the_end_is_kept(tmp_path):
    write_round(tmp_path, _round(1, stderr_tail="x" * 10_000 + "end"))
    (found,) = read_rounds(tmp_path)
    assert len(found.stderr_tail) == LONGEST_STDERR
    assert found.stderr_tail.endswith("xend")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"verdict": {"f0": float("nan")}}, "verdict.f0: must be a finite number (got NaN)"),
        ({"verdict": {"a": {1, 2}}}, "cannot be written (the verdict is no JSON: "),
        ({"verdict": {"a": 1, 1: 1, "1": 2}}, 'must not have a key twice in one object (got "1")'),
        ({"seconds": -1}, "seconds: must be a number from 0 to 100000000 (got -1)"),
        ({"run": " "}, 'run: must be a text that is not blank (got " ")'),
        ({"started_at": "2026-12-01T04:31:00"}, "startedAt: must be an ISO 8601 instant in UTC"),
        ({"stage": "end"}, 'stage: must be stage, smoke or play (got "end")'),
        ({"screenshot": "../x.png"}, "screenshot: must be null or the name of the picture beside it, <n>.png"),
        ({"round": 0}, "round: must be a whole number >= 1 (got 0)"),
    ],
)
def test_what_could_not_be_read_is_not_written(tmp_path, changes, fault):
    write_round(tmp_path, _begun(1))
    before = {path.name: path.read_bytes() for path in (tmp_path / FOLDER).iterdir()}
    with pytest.raises(OutputError) as caught:
        write_round(tmp_path, _round(**changes))
    path = tmp_path / FOLDER / f"{changes.get('round', 1)}.json"
    assert caught.value.faults[0].startswith(f"{path}: {fault}")
    assert {path.name: path.read_bytes() for path in (tmp_path / FOLDER).iterdir()} == before


def test_a_verdict_that_no_writer_can_spell_is_not_written(tmp_path):
    deep: dict[str, object] = {}
    for _ in range(50_000):
        deep = {"a": deep}
    circle: dict[str, object] = {}
    circle["a"] = circle
    for verdict in (deep, circle):
        with pytest.raises(OutputError, match="cannot be written"):
            write_round(tmp_path, _round(verdict=verdict))
    assert not (tmp_path / FOLDER).exists()


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("schema", "evalgate-round/2", 'schema: must be "evalgate-round/1" (got "evalgate-round/2")'),
        ("schema", ..., 'schema: must be "evalgate-round/1" (missing)'),
        ("round", 2, "round: must be 1, as the file is named (got 2)"),
        ("round", True, "round: must be a whole number >= 1 (got true)"),
        ("round", "1", 'round: must be a whole number >= 1 (got "1")'),
        ("run", "", 'run: must be a text that is not blank (got "")'),
        ("run", None, "run: must be a text that is not blank (got null)"),
        ("startedAt", "2026-12-01", 'startedAt: must be an ISO 8601 instant in UTC (got "2026-12-01")'),
        (
            "startedAt",
            "2026-12-01T04:31:00+08:00",
            'startedAt: must be an ISO 8601 instant in UTC (got "2026-12-01T04:31:00+08:00")',
        ),
        ("startedAt", 5, "startedAt: must be an ISO 8601 instant in UTC (got 5)"),
        ("seconds", True, "seconds: must be a number from 0 to 100000000 (got true)"),
        ("seconds", "7", 'seconds: must be a number from 0 to 100000000 (got "7")'),
        ("seconds", ..., "seconds: must be a number from 0 to 100000000 (missing)"),
        ("stage", "Play", 'stage: must be stage, smoke or play (got "Play")'),
        ("stage", ["play"], "stage: must be stage, smoke or play (got an array of 1)"),
        ("verdict", None, "verdict: must be an object, {} where there is none (got null)"),
        ("verdict", [], "verdict: must be an object, {} where there is none (got an array of 0)"),
        ("stderrTail", None, "stderrTail: must be a text (got null)"),
        ("stderrTail", "x" * 8001, 'stderrTail: must have at most 8000 characters (got "a text of 8001")'),
        ("screenshot", ..., "screenshot: must be null or the name of the picture beside it, <n>.png (missing)"),
        ("screenshot", "2.png", 'screenshot: must be null or the name of the picture beside it, <n>.png (got "2.png")'),
    ],
)
def test_a_round_of_another_shape_is_refused(tmp_path, field, value, fault):
    document = {**WHOLE, field: value}
    if value is ...:
        del document[field]
    _put(tmp_path, "1.json", json.dumps(document))
    for read in (read_rounds, latest_verdict):
        with pytest.raises(ReportError) as caught:
            read(tmp_path)
        assert caught.value.faults == (f"{tmp_path / FOLDER / '1.json'}: {fault}",)
    assert next_round(tmp_path) == 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ('{"schema": "evalgate-round/1", "rou', "line 1 column 32: must be valid JSON (Unterminated string"),
        ("[]", "must be an object (got an array of 0)"),
        (json.dumps(WHOLE)[:-1] + ', "verdict": {}}', 'must not have a key twice in one object (got "verdict")'),
        (json.dumps({**WHOLE, "verdict": {"a": [float("inf")]}}), "verdict.a[0]: must be a finite number"),
        ('{"a":' * 100_000, "is nested too deeply"),
    ],
    ids=range(6),
)
def test_a_round_that_is_no_json_object_is_refused(tmp_path, text, fault):
    write_round(tmp_path, _round(1, verdict=GREEN))
    _put(tmp_path, "2.json", text)
    for read in (read_rounds, latest_verdict):
        with pytest.raises(ReportError) as caught:
            read(tmp_path)
        assert caught.value.faults[0].startswith(f"{tmp_path / FOLDER / '2.json'}: {fault}")


def test_the_round_in_the_documentation_is_one(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "loop.md").read_text(encoding="utf-8")
    (block,) = [one for one in re.findall(r"^```json\n(.*?)^```$", text, re.M | re.S) if "evalgate-round" in one]
    _put(tmp_path, "2.json", block)
    assert latest_verdict(tmp_path) == GREEN


def test_unknown_fields_are_left_alone(tmp_path):
    _put(tmp_path, "1.json", json.dumps({**WHOLE, "newer": 1}))
    assert read_rounds(tmp_path) == [_round(1, seconds=7)]


@pytest.mark.parametrize(
    "name", ["01.json", "0.json", "1.json.bak", "notes.txt", "two.json", "1.JSON", "-1.json", "1.png.json"]
)
def test_a_stray_file_is_named(tmp_path, name):
    """It may be a round that somebody renamed: left out in silence, an older green would be the newest."""
    write_round(tmp_path, _round(1, verdict=GREEN))
    _put(tmp_path, name, json.dumps(WHOLE))
    for read in (read_rounds, latest_verdict):
        with pytest.raises(ReportError) as caught:
            read(tmp_path)
        assert caught.value.faults == (
            f'{tmp_path / FOLDER}: must hold rounds, 1.json, and their screenshots, 1.png, only (got "{name}")',
        )
    assert next_round(tmp_path) == 2


def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path):
    """An agent works where the rounds lie: a pipe without a writer would be waited for, a device never ends."""
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    for put, fault in (
        (os.mkfifo, "must be a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "must be a regular file"),
        (lambda path: path.symlink_to("nowhere"), "no such file"),
        (lambda path: path.mkdir(), "cannot be read (Is a directory)"),
    ):
        path = folder / "1.json"
        put(path)
        with pytest.raises(ReportError) as caught:
            read_rounds(tmp_path)
        assert caught.value.faults == (f"{path}: {fault}",)
        path.rmdir() if path.is_dir() else path.unlink()


def test_a_folder_that_is_none_is_refused(tmp_path):
    (tmp_path / "evidence").write_text("")
    with pytest.raises(ReportError, match="cannot be read"):
        read_rounds(tmp_path)
    with pytest.raises(OutputError, match="cannot be written"):
        write_round(tmp_path, _round())


def test_a_round_does_not_follow_a_link(tmp_path):
    """A link in the place of a round leads out of the run's folder: it is replaced, and what it leads to stays."""
    (tmp_path / "far.json").write_text("mine")
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "1.json").symlink_to(tmp_path / "far.json")
    write_round(tmp_path, _round(verdict=GREEN))
    assert (tmp_path / "far.json").read_text() == "mine"
    assert latest_verdict(tmp_path) == GREEN
