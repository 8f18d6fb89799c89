"""Games played for real. See README.md for what it takes."""

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

import pytest

from evalgate.__main__ import main
from evalgate.loop.rounds import latest_verdict, read_rounds
from evalgate.play.browser import WrongPortError, started
from evalgate.play.components import find_chromium
from evalgate.play.ports import PortPair, pool, run_leased
from evalgate.play.run import play_round
from evalgate.play.screenshot import look
from evalgate.stack import signature
from tests.play.conftest import processes_of
from tests.play.games import Variant, copy_of, variants

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
NINE = [
    "A_boot",
    "B_uncaught",
    "C_frame",
    "D_render",
    "E_live",
    "F_wiring",
    "G_input",
    "H_progress",
    "I_control",
]


def played(game: Path) -> dict[str, Any]:
    return run_leased(pool(), lambda ports: play_round(game, ports, run_id="r1")).verdict


def red(verdict: dict[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, guard in verdict["guards"].items() if guard["pass"] is not True)


def change(game: Path, old: str, new: str) -> Path:
    source = game / "src" / "game.js"
    text = source.read_text(encoding="utf-8")
    assert text.count(old) == 1
    source.write_text(text.replace(old, new), encoding="utf-8")
    return game


def test_the_example_is_green(arena: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = copy_of(arena / "game")
    assert main(["play", str(game)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["OVERALL=PASS", "EXIT_CODE=0"]
    assert "GATES=9" in lines
    # The transcript of the documentation, which no test without a browser can run.
    shown = (ROOT / "docs/loop.md").read_text(encoding="utf-8").partition("$ evalgate play examples/littlejs\n")[2]
    assert lines == shown.partition("```")[0].splitlines()
    verdict = json.loads((game / "evidence/verdict.json").read_text())
    assert list(verdict["guards"]) == NINE
    assert red(verdict) == ()
    assert verdict == latest_verdict(game)
    (found,) = read_rounds(game)
    assert (found.stage, found.stderr_tail, found.screenshot) == ("play", "", "1.png")
    picture = look((game / "evidence/rounds/1.png").read_bytes())
    assert (picture.width, picture.height) == (800, 600)
    assert picture.bright == verdict["guards"]["D_render"]["bright"]


def test_variants_are_told_apart(arena: Path) -> None:
    """All seven, two at a time: the end of a broken game never comes, so each takes as long as it may."""
    broken = variants()
    assert len(broken) == 7

    def look_at(variant: Variant) -> tuple[list[str], tuple[str, ...], str]:
        game = copy_of(arena / variant.name, variant)
        verdict = played(game)
        seen = (list(verdict["guards"]), red(verdict)) if verdict else ([], ())
        return *seen, read_rounds(game)[-1].stage

    with ThreadPoolExecutor(2) as pool_of_two:
        found = dict(zip([one.name for one in broken], pool_of_two.map(look_at, broken), strict=True))
    assert found == {
        # Without a bundle there is no verdict, and smoke never ran.
        one.name: (NINE, one.failed, "play") if one.staged else ([], (), "stage")
        for one in broken
    }


def test_a_stack_is_the_games_own(arena: Path) -> None:
    (variant,) = [one for one in variants() if one.name == "throws-after-boot"]
    game = copy_of(arena / "game", variant)
    played(game)
    stderr = read_rounds(game)[-1].stderr_tail
    assert stderr.splitlines()[0] == "ReferenceError: lastTap is not defined"
    assert "    at tap (src/game.js:" in stderr.splitlines()[1]
    assert signature(stderr) == "ReferenceError@tap"


def test_without_a_driver_it_is_derived(arena: Path) -> None:
    game = copy_of(arena / "game")
    spec = json.loads((game / "gatespec.json").read_text())
    del spec["driver"]
    (game / "gatespec.json").write_text(json.dumps(spec))
    assert red(played(game)) == ()
    told = json.loads((game / "play-spec.json").read_text())
    assert told["driver"] == {"type": "tap-targets", "targets": "targets"}
    assert told["derived"] == "state"


def test_keys_are_pressed(arena: Path) -> None:
    """A game that is played with the keyboard: space lights whichever firefly is first."""
    game = copy_of(arena / "game")
    change(game, "LJS.mouseWasPressed(0)) tap(LJS.mousePos)", "LJS.keyWasPressed('Space')) tap(fireflies[0].pos)")
    spec = json.loads((game / "gatespec.json").read_text())
    spec["driver"] = {"type": "key-cycle", "keys": ["Space"]}
    spec["wiring"]["expected"][1] = "keyWasPressed"
    (game / "gatespec.json").write_text(json.dumps(spec))
    assert red(played(game)) == ()


def test_another_browser_has_the_port(arena: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Trap 8: that gave nine green gates for a game that ignores input. Now it gives none."""
    (dead,) = [one for one in variants() if one.name == "dead-input"]
    game = copy_of(arena / "game", dead)
    (game / "evidence").mkdir()
    (game / "evidence/verdict.json").write_text('{"pass": true, "guards": {"A_boot": {"pass": true}}}')
    with pool().lease() as pair, started(find_chromium(), pair) as first:
        with pytest.raises(WrongPortError), started(find_chromium(), pair):
            pass
        # The naive way asks the port who is there, and is sent to the first browser, whoever asks.
        with build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{pair.cdp_port}/json/version") as answer:
            assert json.load(answer)["webSocketDebuggerUrl"] == first
        with pool().lease() as other:
            code = main(["play", str(game), "--port", str(other.port), "--cdp-port", str(pair.cdp_port)])
    assert code == 3
    out = capsys.readouterr().out
    assert out.startswith("OVERALL=ERROR\nEXIT_CODE=3\nERROR chromium: listens on ")
    assert json.loads((game / "evidence/verdict.json").read_text()) == {}
    assert latest_verdict(game) == {}


def test_somebody_has_the_games_port(arena: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = copy_of(arena / "game")
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as taken:
        assert main(["play", str(game), "--port", str(taken.server_port)]) == 3
    assert "Address already in use" in capsys.readouterr().out
    assert latest_verdict(game) == {}


def test_two_side_by_side(arena: Path) -> None:
    """Each plays its own game, though one of them is broken."""
    (dead,) = [one for one in variants() if one.name == "dead-input"]
    games = [copy_of(arena / "good"), copy_of(arena / "dead", dead)]
    with ThreadPoolExecutor(2) as workers:
        found = list(workers.map(played, games))
    assert [red(verdict) for verdict in found] == [(), dead.failed]


def test_a_game_that_hangs(arena: Path) -> None:
    game = copy_of(arena / "game")
    change(game, "  if (phase !== 'night') return;\n", "  if (LJS.frame > 40) for (;;);\n")
    verdict = played(game)
    assert "B_uncaught" in red(verdict)
    assert "no answer within" in verdict["guards"]["B_uncaught"]["why"]
    assert "H_progress" in red(verdict)


@pytest.mark.parametrize(
    "hide",
    [
        "addEventListener('error', (e) => { e.preventDefault(); e.stopImmediatePropagation(); }, true);",
        "globalThis.ErrorEvent = class {};",
        "Object.defineProperty(ErrorEvent, Symbol.hasInstance, { value: () => false });",
        "Object.prototype.toJSON = function () { return 'uncaught' in this ? { ...this, uncaught: 0 } : this; };",
    ],
    ids=["handled", "another class", "no instance", "another answer"],
)
def test_a_game_hides_no_error(arena: Path, hide: str) -> None:
    game = copy_of(arena / "game")
    change(
        game, "export function start() {\n", f"export function start() {{\n  {hide}\n  window.onerror = () => true;\n"
    )
    change(game, "function light(firefly) {\n", "function light(firefly) {\n  setTimeout(() => firefly.none.at);\n")
    verdict = played(game)
    assert red(verdict) == ("B_uncaught",)
    assert verdict["guards"]["B_uncaught"]["uncaught"] == 10


def test_a_game_does_not_count_for_the_gates(arena: Path) -> None:
    """What they count by is in the page, where the game is as well."""
    game = copy_of(arena / "game")
    claim = "globalThis.__evalgate?.engine('x', {}, () => 1e6);"
    change(game, "export function start() {\n", f"export function start() {{\n  {claim}\n")
    verdict = played(game)
    assert red(verdict) == ("A_boot",)
    assert verdict["guards"]["A_boot"]["why"] == "the game called what the gates count by"


def test_a_state_that_comes_and_goes(arena: Path) -> None:
    """A gate would look at the samples that are there, and at those alone."""
    game = copy_of(arena / "game")
    now_and_then = "let asked = 0;\nexport function state() {\n  if (++asked % 3 === 0) return [];\n"
    change(game, "export function state() {\n", now_and_then)
    verdict = played(game)
    assert "B_uncaught" in red(verdict)
    assert verdict["guards"]["B_uncaught"]["unreadStates"] > 0


def test_a_port_that_the_browser_refuses_is_no_verdict(arena: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ERR_UNSAFE_PORT: nine red gates of a game that nobody saw."""
    game = copy_of(arena / "game")
    assert main(["play", str(game), "--port", "6666"]) == 3
    assert "ERR_UNSAFE_PORT" in capsys.readouterr().err
    assert latest_verdict(game) == {}


def test_a_game_that_asks_is_answered(arena: Path) -> None:
    game = copy_of(arena / "game")
    change(
        game,
        "export function start() {\n",
        "export function start() {\n  if (confirm('Ready?')) throw new Error('yes');\n",
    )
    assert red(played(game)) == ()


@contextmanager
def canary() -> Iterator[tuple[str, list[str]]]:
    """Give the address of a server that is none of the game's business, and what is asked of it."""
    asked: list[str] = []

    class Canary(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Canary) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


def test_a_game_reaches_nobody(arena: Path) -> None:
    """Neither another service of this machine nor an address beyond it; asked for in each way that a page has."""
    with canary() as (there, asked):
        ways = f"""
  const quiet = () => undefined;
  fetch('http://{there}/fetch', {{ mode: 'no-cors' }}).catch(quiet);
  navigator.sendBeacon('http://{there}/beacon', 'x');
  new Image().src = 'http://{there}/image';
  new WebSocket('ws://{there}/socket').onerror = quiet;
  const frame = document.createElement('iframe');
  frame.src = 'http://{there}/frame';
  document.body.append(frame);
  const script = document.createElement('script');
  script.src = 'http://{there}/script';
  document.body.append(script);
  const rules = document.createElement('script');
  rules.type = 'speculationrules';
  rules.textContent = '{{"prefetch": [{{"source": "list", "urls": ["http://{there}/rules"]}}]}}';
  document.body.append(rules);
  window.open('http://{there}/window');
  navigator.serviceWorker.register('/bundle.js').then(() => {{ throw new Error('a worker of its own'); }}, quiet);
  if (globalThis.RTCPeerConnection) throw new Error('a way past the proxy');
  fetch('http://192.0.2.1/').then(() => {{ throw new Error('out'); }}, quiet);
"""
        game = change(copy_of(arena / "game"), "export function start() {\n", f"export function start() {{{ways}")
        verdict = played(game)
    assert asked == []
    assert red(verdict) == ()


def test_a_game_that_goes_elsewhere_arrives_nowhere(arena: Path) -> None:
    with canary() as (there, asked):
        leave = f"setTimeout(() => {{ location.href = 'http://{there}/left'; }}, 300);"
        game = change(
            copy_of(arena / "game"), "export function start() {\n", f"export function start() {{\n  {leave}\n"
        )
        verdict = played(game)
    assert asked == []
    assert verdict["pass"] is False


def test_a_bundle_holds_the_game_and_nothing_else(arena: Path) -> None:
    """The bundle leaves the machine: what lies beside the game must not get into it."""
    (arena / "secret.json").write_text('{"key": "very secret"}')
    game = copy_of(arena / "game")
    (game / "src/link.json").symlink_to(arena / "secret.json")
    for place in ("../../secret.json", "./link.json", str(arena / "secret.json")):
        source = game / "src" / "game.js"
        text = source.read_text(encoding="utf-8")
        source.write_text(f"import secret from '{place}';\nconsole.log(secret);\n{text}", encoding="utf-8")
        assert played(game) == {}
        assert "is outside the game" in read_rounds(game)[-1].stderr_tail
        source.write_text(text, encoding="utf-8")


def test_visits_share_nothing(arena: Path) -> None:
    """What the first visit stored must not be found by the next one."""
    game = copy_of(arena / "game")
    body = "  if (localStorage.seen || document.cookie) throw new Error('seen');\n"
    body += "  localStorage.seen = document.cookie = 'seen=1';\n"
    change(game, "export function start() {\n", f"export function start() {{\n{body}")
    assert red(played(game)) == ()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ended_in_the_middle(arena: Path, number: signal.Signals, code: int) -> None:
    """Nothing is left, and no verdict: see the fixture."""
    game = copy_of(arena / "game")
    command = [sys.executable, "-m", "evalgate", "play", str(game)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    give_up_at = time.monotonic() + 60
    while not any("remote-debugging-port" in line for line in processes_of(arena)):
        assert time.monotonic() < give_up_at
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(60) == code
    assert latest_verdict(game) == {}
    assert json.loads((game / "evidence/verdict.json").read_text()) == {}


def test_ports_that_are_the_same() -> None:
    assert PortPair(1, 2) != PortPair(2, 1)
    assert main(["play", ".", "--port", "4400", "--cdp-port", "4400"]) == 3
