"""What is found, what is missing, and that all of it is said at once."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evalgate.errors import CannotJudgeError
from evalgate.play import components
from evalgate.play.components import (
    CHROMIUM_NAMES,
    Missing,
    MissingComponentError,
    find_chromium,
    find_node,
    find_packages,
    missing,
    require,
)

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs are shell scripts here")


@pytest.fixture(name="path")
def _path(tmp_path, monkeypatch):
    """Return an empty folder that is all of the PATH, on a machine where nothing is named and nothing is installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(components, "_mac_apps", list)
    for name in ("EVALGATE_CHROMIUM", "EVALGATE_NODE", "EVALGATE_NODE_MODULES"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(name="game")
def _game(tmp_path):
    folder = tmp_path / "games" / "one"
    folder.mkdir(parents=True)
    return folder


def _program(place, script=""):
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    return place


def _package(modules, name, content='{"version": "1.2.3"}'):
    folder = modules / name
    folder.mkdir(parents=True)
    (folder / "package.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def _faults(call, *arguments):
    with pytest.raises(MissingComponentError) as caught:
        call(*arguments)
    return list(caught.value.missing)


# --- Chromium


def test_chromium_by_its_usual_names_in_their_order(path):
    for name in reversed(CHROMIUM_NAMES):
        program = _program(path / name)
        assert find_chromium() == program


def test_chromium_as_it_is_named_comes_first(path, tmp_path, monkeypatch):
    _program(path / "chromium")
    other = _program(tmp_path / "other browser")
    monkeypatch.setenv("EVALGATE_CHROMIUM", str(other))
    assert find_chromium() == other
    chosen = _program(path / "google-chrome")
    monkeypatch.setenv("EVALGATE_CHROMIUM", "google-chrome")
    assert find_chromium() == chosen


def test_a_relative_name_is_kept_for_a_start_in_another_folder(path, tmp_path, monkeypatch):
    program = _program(tmp_path / "browser")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALGATE_CHROMIUM", "./browser")
    assert find_chromium() == program


@pytest.mark.parametrize("named", ["", "/nonexistent/chrome", "no-such-chrome", "/etc/passwd", "/tmp", "a\nb"])
def test_a_name_that_leads_nowhere_is_no_reason_to_take_another(path, monkeypatch, named):
    _program(path / "chromium")
    monkeypatch.setenv("EVALGATE_CHROMIUM", named)
    (fault,) = _faults(find_chromium)
    assert fault.found == f"EVALGATE_CHROMIUM is {json.dumps(named)}, which is no program that can be run"
    assert "set EVALGATE_CHROMIUM" in fault.install


def test_a_machine_without_chromium(path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    (path / "chromium").write_text("not a program")
    assert _faults(find_chromium) == [
        Missing(
            "chromium",
            "not found (EVALGATE_CHROMIUM is not set, none of chromium, chromium-headless-shell, chromium-browser, "
            "google-chrome, google-chrome-stable, chrome-headless-shell is on the PATH)",
            "apt-get install chromium (or chromium-headless-shell)",
        )
    ]


def test_chromium_as_an_app(path, tmp_path, monkeypatch):
    app = tmp_path / "Chrome.app"
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(components, "_mac_apps", lambda: [tmp_path / "none.app", app])
    (fault,) = _faults(find_chromium)
    assert f"no {tmp_path / 'none.app'} or {app}" in fault.found
    assert fault.install == "brew install --cask google-chrome"
    _program(app)
    assert find_chromium() == app


# --- node


@pytest.mark.parametrize("version", ["v18.0.0", "v20.11.1", "v22.0.0-nightly2024", "v100.1.0"])
def test_node_that_is_new_enough(path, version):
    program = _program(path / "node", f"echo {version}")
    assert find_node() == program


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo v17.9.1", "{node} is v17.9.1, and 18 or later is needed"),
        ("echo v9.0.0", "{node} is v9.0.0, and 18 or later is needed"),
        ("echo hello", "{node} is hello, and 18 or later is needed"),
        ("echo 18.0.0", "{node} is 18.0.0, and 18 or later is needed"),
        ("echo v18", "{node} is v18, and 18 or later is needed"),
        ("echo v20.0.0; exit 3", "{node} ended with exit code 3 ()"),
        ("echo 'no library' >&2; exit 127", "{node} ended with exit code 127 (no library)"),
    ],
)
def test_node_that_is_none(path, script, found):
    node = _program(path / "node", script)
    assert _faults(find_node)[0].found == found.format(node=node)


def test_node_that_does_not_answer(path, monkeypatch):
    monkeypatch.setattr(components, "_ASK_SECONDS", 0.2)
    node = _program(path / "node", "while :; do :; done")
    assert _faults(find_node)[0].found == f"{node} did not answer within 0.2 s"


def test_node_that_cannot_be_started(path):
    node = path / "node"
    node.write_bytes(b"\x7fELF but not really")
    node.chmod(0o755)
    assert _faults(find_node)[0].found == "node: cannot be started (Exec format error)"


def test_node_as_it_is_named(path, tmp_path, monkeypatch):
    _program(path / "node", "echo v20.0.0")
    old = _program(tmp_path / "old", "echo v16.0.0")
    monkeypatch.setenv("EVALGATE_NODE", str(old))
    assert _faults(find_node)[0].found == f"{old} is v16.0.0, and 18 or later is needed"


def test_a_machine_without_node(path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    (fault,) = _faults(find_node)
    assert fault == Missing(
        "node", "not found (EVALGATE_NODE is not set, no node is on the PATH)", "apt-get install nodejs npm"
    )


# --- npm packages


def test_packages_are_found_upwards_the_nearest_first(path, game):
    far = _package(game.parent.parent / "node_modules", "esbuild", '{"version": "0.1.0"}')
    engine = _package(game.parent / "node_modules", "littlejsengine", '{"version": "1.20.0"}')
    assert find_packages(game) == (far, engine, "0.1.0", "1.20.0")
    near = _package(game / "node_modules", "esbuild", '{"version": "0.2.0"}')
    assert find_packages(game) == (near, engine, "0.2.0", "1.20.0")


def test_packages_of_the_named_folder_come_first(path, game, tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    esbuild, engine = _package(shared, "esbuild"), _package(shared, "littlejsengine")
    monkeypatch.setenv("EVALGATE_NODE_MODULES", str(shared))
    assert find_packages(game)[:2] == (esbuild, engine)
    _package(game / "node_modules", "esbuild")
    # The game's folder may be an agent's, and its bundler is run.
    assert find_packages(game)[:2] == (esbuild, engine)
    monkeypatch.delenv("EVALGATE_NODE_MODULES")
    _package(game / "node_modules", "littlejsengine")
    assert find_packages(game)[0] == game / "node_modules/esbuild"


def test_packages_of_a_game_that_is_a_link_are_those_of_where_it_is(path, game, tmp_path):
    esbuild, engine = (_package(game / "node_modules", name) for name in ("esbuild", "littlejsengine"))
    link = tmp_path / "link"
    link.symlink_to(game)
    assert find_packages(link)[:2] == (esbuild, engine)


def test_both_packages_are_missing_at_once(path, game):
    faults = _faults(find_packages, game)
    assert [fault.what for fault in faults] == ["esbuild", "littlejsengine"]
    assert f"looked in {game / 'node_modules'}, {game.parent / 'node_modules'}, " in faults[0].found
    assert faults[0].found.endswith("EVALGATE_NODE_MODULES, which is not set)")
    assert faults[0].install == f"npm install esbuild, in {game}"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        (b"\xff\xfe\xfa", "is not JSON"),
        ("[]", "version: must be a non-blank string"),
        ("{}", "version: must be a non-blank string"),
        ('{"version": 1}', "version: must be a non-blank string"),
        ('{"version": " "}', "version: must be a non-blank string"),
        (" " * 1_000_001, "is larger than 1000000 bytes"),
    ],
)
def test_a_package_that_is_broken_is_not_passed_over(path, game, content, rule):
    _package(game.parent / "node_modules", "esbuild")
    engine = _package(game.parent / "node_modules", "littlejsengine")
    broken = _package(game / "node_modules", "esbuild", content)
    (fault,) = _faults(find_packages, game)
    assert (fault.what, fault.found) == ("esbuild", f"{broken / 'package.json'}: {rule}")
    assert engine.exists()


def test_a_package_that_cannot_be_read(path, game):
    (game / "node_modules" / "esbuild" / "package.json").mkdir(parents=True)
    _package(game / "node_modules", "littlejsengine")
    (fault,) = _faults(find_packages, game)
    assert fault.found.endswith("package.json: cannot be read (Is a directory)")


# --- all of it


def _without_websockets(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "websockets" else find(name, *more)
    )


def _with_websockets(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: find("json") if name == "websockets" else find(name, *more)
    )


def test_all_that_is_missing_is_said_at_once(path, game, monkeypatch):
    _without_websockets(monkeypatch)
    expected = ["chromium", "node", "esbuild", "littlejsengine", "websockets"]
    assert [one.what for one in missing(game)] == expected
    with pytest.raises(MissingComponentError) as caught:
        require(game)
    assert [one.what for one in caught.value.missing] == expected
    assert caught.value.faults == tuple(one.text() for one in missing(game))
    assert caught.value.faults[-1] == (
        "websockets: this Python has no such package; to install it: pip install 'evalgate-compare[play]'"
    )
    assert isinstance(caught.value, CannotJudgeError)


def test_all_that_is_there(path, game, monkeypatch):
    _with_websockets(monkeypatch)
    chromium = _program(path / "chromium")
    node = _program(path / "node", "echo v20.0.0")
    esbuild, engine = (_package(game / "node_modules", name) for name in ("esbuild", "littlejsengine"))
    assert missing(game) == []
    found = require(game)
    assert (found.chromium, found.node) == (chromium, node)
    assert found.packages == (esbuild, engine, "1.2.3", "1.2.3")


def test_an_esbuild_that_does_not_run_is_missing_and_no_broken_game(path, game, monkeypatch):
    _with_websockets(monkeypatch)
    _program(path / "chromium")
    said = (
        '/x/main.js:1\n    throw new Error(1)\n\nError: The package "@esbuild/linux-x64" could not be found\n'
        "    at x (y)\n\nNode.js v20.0.0"
    )
    node = _program(
        path / "node", f'case "$1" in --version) echo v20.0.0; exit;; esac\n/bin/cat >&2 <<END\n{said}\nEND\nexit 1'
    )
    esbuild = _package(game / "node_modules", "esbuild")
    _package(game / "node_modules", "littlejsengine")
    (fault,) = missing(game)
    assert fault.what == "esbuild"
    assert fault.found == (
        f"{esbuild} does not run: {node} ended with exit code 1 "
        '(Error: The package "@esbuild/linux-x64" could not be found)'
    )


@pytest.mark.parametrize("place", ["nowhere", "a file"])
def test_a_game_that_is_no_folder(path, tmp_path, place):
    if place == "a file":
        (tmp_path / place).write_text("x")
    for call in (missing, require):
        with pytest.raises(CannotJudgeError, match="there is no such folder") as caught:
            call(tmp_path / place)
        assert not isinstance(caught.value, MissingComponentError)


def test_importing_the_machinery_loads_nothing_heavy():
    heavy = ("websockets", "asyncio", "typer", "rich", "jinja2", "pydantic", "http.client", "ssl")
    code = (
        "import json, sys; import evalgate.play.components, evalgate.play.ports, evalgate.play.processes\n"
        f"print(json.dumps([name for name in {heavy!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert json.loads(done.stdout) == []
