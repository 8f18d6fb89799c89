"""`evalgate play`, without a browser: exit codes, lines, files."""

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from evalgate.__main__ import main
from evalgate.errors import CannotJudgeError
from evalgate.loop.rounds import Round
from evalgate.play import run as module
from evalgate.play.components import Missing, MissingComponentError
from evalgate.play.gates import verdict_of
from evalgate.play.ports import PortPair
from evalgate.play.run import Outcome
from evalgate.play.verdict_file import write_verdict
from tests.play.games import copy_of, variants
from tests.play.seen import GOOD, SPEC, but


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return copy_of(tmp_path / "game")


def comes_to(monkeypatch: pytest.MonkeyPatch, result: Any) -> list[PortPair]:
    """Let a round come to this verdict, or raise this; return the ports that it is given."""
    given: list[PortPair] = []

    def play_round(folder: Path, ports: Any, *, run_id: str, watch: Any) -> Outcome:
        with nullcontext(ports) if isinstance(ports, PortPair) else ports as pair:
            given.append(pair)
        watch("stage")
        if isinstance(result, BaseException):
            raise result
        about = {
            "started_at": "2026-08-01T00:00:00Z",
            "seconds": 7.0,
            "stage": "play",
            "stderr_tail": "src/a.js:1:2: no",
        }
        return Outcome(result, Round(round=1, run=run_id, verdict=result, **about), folder / "1.json")  # type: ignore[arg-type]

    monkeypatch.setattr(module, "play_round", play_round)
    return given


@pytest.mark.parametrize(
    ("result", "code", "first"),
    [
        (verdict_of(GOOD, SPEC), 0, "OVERALL=PASS\nEXIT_CODE=0\n"),
        (verdict_of(but(played={"inputs": 0}), SPEC), 1, "OVERALL=FAIL\nEXIT_CODE=1\n"),
        ({}, 2, "OVERALL=N/A\nEXIT_CODE=2\n"),
        (CannotJudgeError(["chromium: is on\nfire"]), 3, "OVERALL=ERROR\nEXIT_CODE=3\nERROR chromium: is on\\nfire\n"),
        (
            MissingComponentError([Missing("chromium", "not found", "apt-get install chromium")]),
            3,
            "OVERALL=ERROR\nEXIT_CODE=3\nERROR chromium: not found; to install it: apt-get install chromium\n",
        ),
    ],
)
def test_exit_codes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: Path, result: Any, code: int, first: str
) -> None:
    comes_to(monkeypatch, result)
    place = game / "evidence" / "verdict.json"
    write_verdict(place, {"pass": True, "guards": {"A_boot": {"pass": True}}})
    assert main(["play", str(game)]) == code
    assert capsys.readouterr().out.startswith(first)
    # An older verdict is never left to be read as this one's.
    assert json.loads(place.read_text()) == ({} if isinstance(result, Exception) else result)


def test_lines_of_a_red_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: Path) -> None:
    comes_to(monkeypatch, verdict_of(but(played={"inputs": 0}), SPEC))
    main(["play", str(game)])
    lines = capsys.readouterr().out.splitlines()
    assert "FAILED_GATES=2" in lines
    assert [line.split(":")[0] for line in lines if line.startswith("GATE_FAILED")] == [
        "GATE_FAILED G_input",
        "GATE_FAILED H_progress",
    ]


def test_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: Path) -> None:
    comes_to(monkeypatch, verdict_of(but(played={"inputs": 0}), SPEC))
    assert main(["play", str(game), "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["failedGates"]) == ("FAIL", ["G_input", "H_progress"])


def test_what_the_bundler_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: Path) -> None:
    comes_to(monkeypatch, {})
    main(["play", str(game)])
    assert "evalgate: src/a.js:1:2: no" in capsys.readouterr().err


def test_ports(monkeypatch: pytest.MonkeyPatch, game: Path) -> None:
    given = comes_to(monkeypatch, {})
    main(["play", str(game), "--port", "5001", "--cdp-port", "5002"])
    main(["play", str(game), "--port", "5001"])
    main(["play", str(game)])
    assert given[0] == PortPair(5001, 5002)
    assert given[1].port == 5001
    assert given[1].cdp_port != 5002
    assert given[2].port != 5001


def test_another_place(monkeypatch: pytest.MonkeyPatch, game: Path, tmp_path: Path) -> None:
    comes_to(monkeypatch, verdict_of(GOOD, SPEC))
    assert main(["play", str(game), "--out", str(tmp_path / "new" / "v.json")]) == 0
    assert json.loads((tmp_path / "new" / "v.json").read_text())["pass"] is True
    assert not (game / "evidence" / "verdict.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [""],
        ["nowhere"],
        [".", "--out", ""],
        [".", "--port", "0"],
        [".", "--port", "65536"],
        [".", "--port", "x"],
        [".", "--port", "4400", "--cdp-port", "4400"],
    ],
)
def test_bad_usage_is_no_verdict(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["play", *arguments]) == 3


def test_a_place_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    given = comes_to(monkeypatch, verdict_of(GOOD, SPEC))
    assert main(["play", str(game), "--out", str(game / "gatespec.json" / "v.json")]) == 3
    assert "cannot be written" in capsys.readouterr().out
    assert given == []


def test_what_is_missing_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    monkeypatch.setenv("EVALGATE_CHROMIUM", "no-such-browser")
    monkeypatch.setenv("EVALGATE_NODE", "no-such-node")
    assert main(["play", str(game)]) == 3
    out = capsys.readouterr().out
    assert "ERROR chromium: " in out
    assert "ERROR node: " in out


def test_nothing_is_imported_before_it_is_needed() -> None:
    """Every other command starts without the player, and the help of this one, too."""
    code = (
        "import sys\nfrom evalgate.__main__ import main\nmain(['play', '--help'])\n"
        "sys.stderr.write(str([m for m in sys.modules if m.startswith(('websockets', 'evalgate.play'))]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]"
    assert "Exit codes:" in done.stdout


def test_a_variant_fits_the_example_and_says_what_it_is(tmp_path: Path) -> None:
    """A replacement that no longer fits would make a variant of the good game, green and unnoticed."""
    found = variants()
    assert len(found) == 7
    good = (copy_of(tmp_path / "good") / "src/game.js").read_text()
    for variant in found:
        assert (copy_of(tmp_path / variant.name, variant) / "src/game.js").read_text() != good


def test_where_no_player_can_tap_nobody_taps():
    from types import SimpleNamespace

    from evalgate.play.driver import _one_input
    from evalgate.play.gate_spec import TAP_TARGETS, Driver
    from evalgate.play.observations import Sample

    tapped = []
    recorder: Any = SimpleNamespace(inputs=0, page=SimpleNamespace(tap=lambda x, y: tapped.append((x, y))))
    driver = Driver(type=TAP_TARGETS, targets="targets")
    for spots in ([(1500, 10), (20, 30), (-1, 5), (20, 600)], [(1500, 10)]):
        state = {"targets": [{"x": x, "y": y} for x, y in spots]}
        _one_input(recorder, driver, Sample(0.0, 1, state))
    # The second time nothing can be reached: the middle of the page, as where there is no target.
    assert tapped == [(20, 30), (400, 300)]


@pytest.mark.parametrize("place", ["src/game.js", "gatespec.json", "evidence/rounds/9.json", "new.json"])
def test_a_verdict_takes_no_place_of_the_game(tmp_path, place):
    from evalgate.errors import OutputError
    from evalgate.play.verdict_file import check_place

    (tmp_path / "src").mkdir()
    (tmp_path / "src/game.js").write_text("game")
    with pytest.raises(OutputError, match="is a part of the game"):
        check_place(tmp_path / place, tmp_path)
    check_place(tmp_path / "evidence/other.json", tmp_path)
    check_place(tmp_path.parent / "verdict.json", tmp_path)


def test_a_verdict_takes_no_place_of_a_device(tmp_path):
    """As root, `--out /dev/null` would leave a machine without it."""
    from evalgate.errors import OutputError
    from evalgate.play.verdict_file import check_place

    with pytest.raises(OutputError, match="is not a regular file"):
        check_place(Path(os.devnull), tmp_path)
