"""One round, its steps in their order, and what it leaves behind; without a browser."""

import dataclasses
import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalgate.errors import CannotJudgeError
from evalgate.loop.rounds import Round, latest_verdict, read_rounds, write_round
from evalgate.play import driver as players
from evalgate.play import run as module
from evalgate.play.cdp import BrowserGoneError, CdpError
from evalgate.play.observations import Sample
from evalgate.play.ports import PortPair
from evalgate.play.run import play_round, run_folder, run_gates
from evalgate.play.staging import Staged
from tests.play.games import copy_of
from tests.play.seen import CONTROL, PLAYED, state

PORTS = PortPair(4400, 9400)
GREEN = {"pass": True, "guards": {"A_boot": {"pass": True}}}


class Fake:
    """Stands in for all that is outside: what each step gives or raises, and what was called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.called: list[str] = []
        self.staged: Any = Staged("script", "", ())
        self.smoke: Any = CONTROL
        self.control: Any = CONTROL
        self.played: Any = PLAYED
        monkeypatch.setattr(module, "require", lambda folder: _Components())
        monkeypatch.setattr(module, "stage", lambda *args: self.step("stage", self.staged))
        monkeypatch.setattr(module, "served", self.nothing("http://127.0.0.1:4400/"))
        monkeypatch.setattr(module, "started", self.nothing("ws://127.0.0.1:9400/"))
        monkeypatch.setattr(module, "opened", self.nothing(None))
        for name, key in (("glance", "smoke"), ("watch", "control"), ("play", "played")):
            monkeypatch.setattr(players, name, self.player(key))

    def step(self, name: str, result: Any) -> Any:
        self.called.append(name)
        if isinstance(result, BaseException):
            raise result
        return result

    def player(self, key: str) -> Any:
        return lambda *args: players.Watched(self.step(key, getattr(self, key)), b"picture")

    @staticmethod
    def nothing(value: object) -> Any:
        @contextmanager
        def manager(*args: object) -> Any:
            yield value

        return manager


class _Components:
    chromium = Path("chromium")
    node = Path("node")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    return Fake(monkeypatch)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return copy_of(tmp_path / "game")


def play(game: Path) -> dict[str, Any]:
    return play_round(game, PORTS, run_id="r1").verdict


def test_the_steps_and_what_is_left(fake: Fake, game: Path) -> None:
    steps: list[str] = []
    outcome = play_round(game, PORTS, run_id="r1", watch=steps.append)
    assert fake.called == ["stage", "smoke", "control", "played"]
    assert steps == ["stage", "smoke", "play"]
    (found,) = read_rounds(game)
    assert found == outcome.round
    assert (found.round, found.run, found.stage, found.screenshot) == (1, "r1", "play", "1.png")
    assert found.verdict == outcome.verdict == latest_verdict(game)
    assert (game / "evidence/rounds/1.png").read_bytes() == b"picture"


def test_a_game_that_cannot_be_bundled(fake: Fake, game: Path) -> None:
    """Trap 10: the naive way writes a verdict when there is one, so the old green one stays the newest."""
    write_round(game, _green(1))
    assert latest_verdict(game) == GREEN
    fake.staged = Staged(None, "", ("src/game.js:65:18: Expected a bracket",))
    assert play(game) == {}
    assert fake.called == ["stage"]
    assert latest_verdict(game) == {}
    newest = read_rounds(game)[-1]
    assert (newest.round, newest.stage, newest.stderr_tail) == (2, "stage", "src/game.js:65:18: Expected a bracket")


@pytest.mark.parametrize("step", ["staged", "control", "played"])
def test_a_round_that_dies_leaves_no_verdict(fake: Fake, game: Path, step: str) -> None:
    write_round(game, _green(1))
    setattr(fake, step, CannotJudgeError(["the machine is on fire"]))
    with pytest.raises(CannotJudgeError, match="on fire"):
        play(game)
    assert latest_verdict(game) == {}
    assert read_rounds(game)[-1].stage == ("stage" if step == "staged" else "play")


def test_a_broken_promise_leaves_no_verdict_either(fake: Fake, game: Path) -> None:
    write_round(game, _green(1))
    (game / "gatespec.json").write_text("{")
    with pytest.raises(CannotJudgeError, match=r"gatespec\.json"):
        play(game)
    assert latest_verdict(game) == {}
    assert fake.called == []


@pytest.mark.parametrize("fault", [CdpError("no answer"), BrowserGoneError(["gone"])])
def test_smoke_fails_and_it_is_played(fake: Fake, game: Path, fault: Exception) -> None:
    fake.smoke = fault
    assert play(game)["guards"]["A_boot"]["pass"] is True
    assert fake.called == ["stage", "smoke", "control", "played"]


def test_a_browser_that_dies_is_no_verdict(fake: Fake, game: Path) -> None:
    fake.played = BrowserGoneError(["chromium: has closed the connection"])
    with pytest.raises(BrowserGoneError):
        play(game)


def test_the_driver_is_what_smoke_saw(fake: Fake, game: Path) -> None:
    spec = json.loads((game / "gatespec.json").read_text())
    del spec["driver"]
    (game / "gatespec.json").write_text(json.dumps(spec))
    fake.smoke = CdpError("no answer")
    assert play(game)["guards"]["H_progress"]["driver"] == "key-cycle"
    assert json.loads((game / "play-spec.json").read_text())["derived"] == "nothing"
    targets = state(targets=[{"x": 5, "y": 6}])
    fake.smoke = dataclasses.replace(CONTROL, samples=(Sample(0.1, 1, targets),))
    assert play(game)["guards"]["H_progress"]["driver"] == "tap-targets"
    assert json.loads((game / "play-spec.json").read_text())["derived"] == "state"


@pytest.mark.parametrize("run_id", ["", "../x", "a/b", "/etc", ".", "..", ".hidden", "a\nb", "x" * 129, "é"])
def test_what_is_no_run_id(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(CannotJudgeError, match="run id: must be"):
        run_folder(run_id, tmp_path)


def test_where_runs_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALGATE_RUNS_ROOT", raising=False)
    with pytest.raises(CannotJudgeError, match="EVALGATE_RUNS_ROOT: is not set"):
        run_folder("r1")
    monkeypatch.setenv("EVALGATE_RUNS_ROOT", str(tmp_path))
    assert run_folder("r1.a-b_c") == tmp_path / "r1.a-b_c"
    with pytest.raises(CannotJudgeError, match="there is no such folder"):
        run_gates("r1", 4400, 9400)


def test_run_gates(fake: Fake, tmp_path: Path) -> None:
    copy_of(tmp_path / "r1")
    verdict = run_gates("r1", 4400, 9400, runs_root=tmp_path)
    assert len(verdict["guards"]) == 9
    assert read_rounds(tmp_path / "r1")[0].run == "r1"


def _green(number: int) -> Round:
    return Round(round=number, run="r1", started_at="2026-08-01T00:00:00Z", seconds=7.0, stage="play", verdict=GREEN)
