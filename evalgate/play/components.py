"""
What playing needs beside evalgate: a browser, node, two packages of npm and one of Python.

All that is missing is said at once, each with where it was looked for and the command that installs it. What is there
is asked whether it works, where that is quick: a bundler that cannot run would make each game look broken.

A version comes from a file or a program that we did not write: it is escaped where it leaves (plain.escape).
"""

import importlib.util
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evalgate.errors import CannotJudgeError
from evalgate.plain import shorten
from evalgate.play.processes import ProcessError, run

CHROMIUM_VARIABLE = "EVALGATE_CHROMIUM"
NODE_VARIABLE = "EVALGATE_NODE"
MODULES_VARIABLE = "EVALGATE_NODE_MODULES"

CHROMIUM_NAMES = (
    "chromium",
    "chromium-headless-shell",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome-headless-shell",
)
"""As the distributions and the vendors call it, in the order in which they are tried."""
OLDEST_NODE = 18
"""The oldest node that current esbuild runs on."""

_MAC_APPS = ("Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome")
_ASK_SECONDS = 30.0
_LONGEST_ANSWER = 200
_LARGEST_PACKAGE_JSON = 1_000_000
"""Unit: bytes. A real one has some thousand."""
_TRY_ESBUILD = "const e = require(process.argv[1]); e.transformSync('let a = 1'); console.log(e.version)"


class Missing(NamedTuple):
    """One thing that is not there, or not usable."""

    what: str
    """`chromium`, `node`, `esbuild`, `littlejsengine` or `websockets`."""
    found: str
    """What is wrong: that it was not found and where it was looked for, or what was found instead."""
    install: str
    """The command that helps."""

    def text(self) -> str:
        """Return it as one line for a person."""
        return f"{self.what}: {self.found}; to install it: {self.install}"


class MissingComponentError(CannotJudgeError):
    """Something that playing needs is not there; `missing` has all of it, `faults` a line for each."""

    def __init__(self, missing: list[Missing]) -> None:
        super().__init__([one.text() for one in missing])
        self.missing = tuple(missing)


class Packages(NamedTuple):
    """The folders of the npm packages, and the versions that their package.json names."""

    esbuild: Path
    littlejsengine: Path
    esbuild_version: str
    littlejsengine_version: str


@dataclass(frozen=True, kw_only=True)
class Components:
    """All that playing needs."""

    chromium: Path
    node: Path
    packages: Packages


def find_chromium() -> Path:
    """
    Return the browser: `EVALGATE_CHROMIUM` (a path, or a name on the PATH), else the first of the usual names.

    A variable that leads nowhere is an error, not a reason to take another browser. Raises `MissingComponentError`.
    """
    named = _named("chromium", CHROMIUM_VARIABLE, _install_chromium())
    if named is not None:
        return named
    for name in CHROMIUM_NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    apps = _mac_apps() if sys.platform == "darwin" else []
    for app in apps:
        if os.access(app, os.X_OK):
            return app
    places = ", ".join([f"{CHROMIUM_VARIABLE} is not set", f"none of {', '.join(CHROMIUM_NAMES)} is on the PATH"])
    if apps:
        places += f", no {' or '.join(map(str, apps))}"
    raise MissingComponentError([Missing("chromium", f"not found ({places})", _install_chromium())])


def find_node() -> Path:
    """
    Return node, 18 or later: `EVALGATE_NODE` (a path, or a name on the PATH), else `node` on the PATH.

    Asks it for its version. Raises `MissingComponentError`.
    """
    found = _named("node", NODE_VARIABLE, _install_node())
    if found is None:
        place = shutil.which("node")
        if place is None:
            where = f"not found ({NODE_VARIABLE} is not set, no node is on the PATH)"
            raise MissingComponentError([Missing("node", where, _install_node())])
        found = Path(place)
    said = _ask([found, "--version"])
    match = re.fullmatch(r"v([0-9]{1,4})\.[0-9]+\.[0-9]+\S*", said.answer)
    if said.fault is not None or match is None or int(match[1]) < OLDEST_NODE:
        wrong = (
            said.fault or f"{found} is {shorten(said.answer, _LONGEST_ANSWER)}, and {OLDEST_NODE} or later is needed"
        )
        raise MissingComponentError([Missing("node", wrong, _install_node())])
    return found


def find_packages(game_dir: Path) -> Packages:
    """
    Return the npm packages that the game is bundled with and from.

    Each is looked for in `EVALGATE_NODE_MODULES`, a folder of packages; then as node does, in the `node_modules` of the
    game's folder and of every folder above it. What is set comes first: the game's folder may be an agent's, and the
    bundler that lies there is run. Raises `MissingComponentError` with both when both are missing.
    """
    found: dict[str, tuple[Path, str]] = {}
    faults: list[Missing] = []
    for name in ("esbuild", "littlejsengine"):
        try:
            found[name] = _package(name, game_dir)
        except MissingComponentError as fault:
            faults += fault.missing
    if faults:
        raise MissingComponentError(faults)
    (esbuild, esbuild_version), (engine, engine_version) = found["esbuild"], found["littlejsengine"]
    return Packages(esbuild, engine, esbuild_version, engine_version)


def missing(game_dir: Path) -> list[Missing]:
    """Return all that is missing for playing the game in this folder; nothing when it can be played."""
    return list(_look(game_dir)[1])


def require(game_dir: Path) -> Components:
    """
    Return all that playing the game in this folder needs.

    Raises one `MissingComponentError` with all that is missing, and `CannotJudgeError` when there is no such folder.
    """
    components, faults = _look(game_dir)
    if components is None:
        raise MissingComponentError(faults)
    return components


def _look(game_dir: Path) -> tuple[Components | None, list[Missing]]:
    if not game_dir.is_dir():
        raise CannotJudgeError([f"{game_dir}: there is no such folder"])
    faults: list[Missing] = []
    chromium = node = packages = None
    try:
        chromium = find_chromium()
    except MissingComponentError as fault:
        faults += fault.missing
    try:
        node = find_node()
    except MissingComponentError as fault:
        faults += fault.missing
    try:
        packages = find_packages(game_dir)
    except MissingComponentError as fault:
        faults += fault.missing
    if node is not None and packages is not None:
        faults += _bundler_faults(node, packages.esbuild)
    if importlib.util.find_spec("websockets") is None:
        faults.append(Missing("websockets", "this Python has no such package", "pip install 'evalgate-compare[play]'"))
    if faults or chromium is None or node is None or packages is None:
        return None, faults
    return Components(chromium=chromium, node=node, packages=packages), []


def _named(what: str, variable: str, install: str) -> Path | None:
    """Return the program that a variable names, None when the variable is not there."""
    named = os.environ.get(variable)
    if named is None:
        return None
    found = shutil.which(named) if named else None
    if found is None:
        wrong = f"{variable} is {json.dumps(shorten(named, _LONGEST_ANSWER))}, which is no program that can be run"
        raise MissingComponentError([Missing(what, wrong, f"{install}, or set {variable} to the program")])
    # Not the folder of whoever starts it later.
    return Path(found).absolute()


def _package(name: str, game_dir: Path) -> tuple[Path, str]:
    """Return the folder of an npm package and its version. Raises `MissingComponentError`."""
    looked = []
    for modules in _module_folders(game_dir):
        folder = modules / name
        looked.append(str(modules))
        # A folder without it is passed over, as node does it; one that is there and broken is not: node would take it.
        if (folder / "package.json").exists():
            version = _version(folder / "package.json")
            if isinstance(version, Missing):
                raise MissingComponentError([version._replace(what=name)])
            return folder, version
    if MODULES_VARIABLE not in os.environ:
        looked.append(f"{MODULES_VARIABLE}, which is not set")
    where = f"not found (looked in {', '.join(looked)})"
    raise MissingComponentError([Missing(name, where, f"npm install {name}, in {game_dir}")])


def _module_folders(game_dir: Path) -> Iterator[Path]:
    named = os.environ.get(MODULES_VARIABLE)
    if named:
        yield Path(named).absolute()
    start = game_dir.resolve()
    for folder in (start, *start.parents):
        if folder.name != "node_modules":
            yield folder / "node_modules"


def _version(place: Path) -> str | Missing:
    """Return the version that a package.json names, or what is wrong with the file."""
    again = f"remove {place.parent} and run npm install again"
    try:
        with place.open("rb") as stream:
            content = stream.read(_LARGEST_PACKAGE_JSON + 1)
        if len(content) > _LARGEST_PACKAGE_JSON:
            return Missing("", f"{place}: is larger than {_LARGEST_PACKAGE_JSON} bytes", again)
        facts = json.loads(content)
    except OSError as fault:
        return Missing("", f"{place}: cannot be read ({fault.strerror or fault})", again)
    except (ValueError, RecursionError):
        return Missing("", f"{place}: is not JSON", again)
    version = facts.get("version") if isinstance(facts, dict) else None
    if not isinstance(version, str) or not version.strip():
        return Missing("", f"{place}: version: must be a non-blank string", again)
    return shorten(version, _LONGEST_ANSWER)


def _bundler_faults(node: Path, esbuild: Path) -> list[Missing]:
    """
    Return what is wrong with an esbuild that is there: it must bundle something.

    Its program is a package of its own, for one system and processor: installed without it, or on another machine, the
    folder looks complete.
    """
    said = _ask([node, "-e", _TRY_ESBUILD, esbuild])
    if said.fault is None:
        return []
    again = f"remove {esbuild.parent} and run npm install again, on this machine"
    return [Missing("esbuild", f"{esbuild} does not run: {said.fault}", again)]


class _Said(NamedTuple):
    answer: str
    fault: str | None


def _ask(argv: list[str | Path]) -> _Said:
    """Run a program that answers in a line; the fault is one line."""
    try:
        done = run(argv, timeout=_ASK_SECONDS)
    except ProcessError as fault:
        return _Said("", fault.faults[0])
    answer = done.stdout.strip()
    if done.timed_out:
        return _Said(answer, f"{argv[0]} did not answer within {_ASK_SECONDS:g} s")
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        # node puts the place of the throw first, the error after it and its own version last.
        error = next((line for line in lines if re.match(r"(\w*Error|Error)\b.*:", line)), lines[-1] if lines else "")
        return _Said(answer, f"{argv[0]} ended with exit code {done.returncode} ({shorten(error, _LONGEST_ANSWER)})")
    return _Said(answer, None)


def _mac_apps() -> list[Path]:
    return [folder / app for folder in (Path("/Applications"), Path.home() / "Applications") for app in _MAC_APPS]


def _install_chromium() -> str:
    if sys.platform == "darwin":
        return "brew install --cask google-chrome"
    return "apt-get install chromium (or chromium-headless-shell)"


def _install_node() -> str:
    return "brew install node" if sys.platform == "darwin" else "apt-get install nodejs npm"
