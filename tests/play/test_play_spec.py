"""How a game is played, when it does not say: derived, kept, replaced."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalgate.play.gate_spec import Driver, SpecError
from evalgate.play.play_spec import FROM_NOTHING, FROM_STATE, PlaySpec, ensure_play_spec, read_play_spec, settle
from tests.play.seen import SPEC

TAPS = Driver(type="tap-targets")
KEYS = Driver(type="key-cycle")
WITH_TARGETS: dict[str, object] = {"score": 0, "targets": [{"x": 1, "y": 2}]}
WITHOUT: dict[str, object] = {"score": 0, "targets": []}
PERSON = PlaySpec(Driver(type="key-cycle", keys=("KeyA",)), None)


@pytest.mark.parametrize(
    ("there", "state", "expected"),
    [
        (None, WITH_TARGETS, PlaySpec(TAPS, FROM_STATE)),
        (None, WITHOUT, PlaySpec(KEYS, FROM_STATE)),
        (None, {"targets": [{"x": "1", "y": 2}, {"x": True, "y": 1}, 7]}, PlaySpec(KEYS, FROM_STATE)),
        (None, None, PlaySpec(KEYS, FROM_NOTHING)),
        # Trap 9: derived without a state, and replaced as soon as there is one.
        (PlaySpec(KEYS, FROM_NOTHING), WITH_TARGETS, PlaySpec(TAPS, FROM_STATE)),
        (PlaySpec(KEYS, FROM_NOTHING), WITHOUT, PlaySpec(KEYS, FROM_STATE)),
        (PlaySpec(KEYS, FROM_NOTHING), None, PlaySpec(KEYS, FROM_NOTHING)),
        # What a real state made stays, whatever is seen later.
        (PlaySpec(TAPS, FROM_STATE), WITHOUT, PlaySpec(TAPS, FROM_STATE)),
        (PlaySpec(TAPS, FROM_STATE), None, PlaySpec(TAPS, FROM_STATE)),
        # And what a person wrote.
        (PERSON, WITH_TARGETS, PERSON),
        (PERSON, None, PERSON),
    ],
)
def test_what_holds(there: PlaySpec | None, state: dict[str, Any] | None, expected: PlaySpec) -> None:
    assert settle(there, state) == expected


def test_one_failed_smoke_settles_nothing(tmp_path: Path) -> None:
    """The naive way, keeping what is there, plays a game of targets with keys for ever after one bad start."""

    def naive(folder: Path, state: dict[str, object] | None) -> Driver:
        there = read_play_spec(folder / "play-spec.json")
        return there.driver if there is not None else settle(None, state).driver

    assert ensure_play_spec(tmp_path, SPEC, None) == KEYS
    assert json.loads((tmp_path / "play-spec.json").read_text())["derived"] == "nothing"
    assert naive(tmp_path, WITH_TARGETS) == KEYS
    assert ensure_play_spec(tmp_path, SPEC, WITH_TARGETS) == TAPS
    assert json.loads((tmp_path / "play-spec.json").read_text())["derived"] == "state"
    assert ensure_play_spec(tmp_path, SPEC, None) == TAPS


def test_a_persons_file_stays_as_it_is(tmp_path: Path) -> None:
    text = '{"schema": "evalgate-play-spec/1",\n\n "driver": {"type": "key-cycle", "keys": ["KeyA"]}}'
    (tmp_path / "play-spec.json").write_text(text)
    assert ensure_play_spec(tmp_path, SPEC, WITH_TARGETS) == PERSON.driver
    assert (tmp_path / "play-spec.json").read_text() == text


def test_what_the_game_says_comes_first(tmp_path: Path) -> None:
    from dataclasses import replace

    said = Driver(type="tap-targets", targets="world.lamps")
    assert ensure_play_spec(tmp_path, replace(SPEC, driver=said), WITHOUT) == said
    assert not (tmp_path / "play-spec.json").exists()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{", "valid JSON"),
        ("[]", "must be an object"),
        ('{"driver": {"type": "key-cycle"}}', "schema: must be"),
        ('{"schema": "evalgate-play-spec/1"}', "driver: must be an object"),
        ('{"schema": "evalgate-play-spec/1", "driver": {"type": "key-cycle"}, "derived": "luck"}', "derived: must be"),
        ('{"schema": "evalgate-play-spec/1", "driver": {"type": "key-cycle"}, "derived": null}', "derived: must be"),
        ('{"schema": "evalgate-play-spec/1", "driver": {"type": "key-cycle"}, "derived": ["state"]}', "derived: must"),
    ],
)
def test_a_broken_one_is_an_error_and_stays(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "play-spec.json").write_text(text)
    with pytest.raises(SpecError, match=rule):
        ensure_play_spec(tmp_path, SPEC, WITH_TARGETS)
    assert (tmp_path / "play-spec.json").read_text() == text
