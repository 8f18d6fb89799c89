"""
The game bundled with esbuild into one script that holds its exports as `__GameBundle`.

A game that cannot be bundled is the game's fault and a `Staged` with faults; a bundler that cannot run is ours, and an
error.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from evalgate.errors import CannotJudgeError
from evalgate.plain import shorten
from evalgate.play.components import Components
from evalgate.play.gate_spec import GateSpec
from evalgate.play.processes import run, temporary_folder
from evalgate.play.server import Page

SECONDS = 90.0
"""How long staging may take."""
_PAGE = Path(__file__).resolve().with_name("page")
_MOST_FAULTS = 20
_LARGEST_BUNDLE = 64 << 20
"""Unit: bytes. The page is to load in seconds, and is kept in memory."""
_LONGEST_FAULT = 500


class Staged(NamedTuple):
    """What came of bundling: a script, or why there is none."""

    script: str | None
    """The bundle's text; None when the game cannot be bundled."""
    source_map: str
    """The map from the script to the game's files (https://tc39.es/ecma426/), empty when there is none."""
    faults: tuple[str, ...]
    """`src/game.js:12:3: Expected ";" but found "}"`, a line each."""

    token: str = ""
    """What the wrapper of the engine in the script shows to the probe: nothing else in the page has it."""

    def site(self) -> Mapping[str, Page]:
        """Return what is to be served."""
        return {
            "/": Page("text/html; charset=utf-8", (_PAGE / "index.html").read_bytes()),
            "/bundle.js": Page("text/javascript; charset=utf-8", (self.script or "").encode("utf-8", "replace")),
        }


def probe(token: str) -> str:
    """Return the script that runs in a page before the game; `token` as in `Staged`."""
    return (_PAGE / "probe.js").read_text(encoding="utf-8").replace("__EVALGATE_TOKEN__", token)


def stage(folder: Path, spec: GateSpec, components: Components, timeout: float = SECONDS) -> Staged:
    """
    Bundle the game in `folder`; `timeout` in seconds.

    Raises `CannotJudgeError` when the bundler itself fails. One that is not done in time is the game's fault: bundling
    is a matter of a second, and nothing but the game's own files differ.
    """
    import secrets

    token = secrets.token_hex(16)
    try:
        there = (folder / spec.entry).is_file()
    except OSError:
        # A name that no file can have.
        there = False
    if not there:
        return Staged(None, "", (f"{spec.entry}: there is no such file",))
    with temporary_folder() as out:
        job = {
            "esbuild": str(components.packages.esbuild.resolve()),
            "engine": str(components.packages.littlejsengine.absolute()),
            "folder": str(folder.resolve()),
            "entry": spec.entry,
            "out": str(out),
            "wired": list(spec.expected),
            "token": token,
        }
        done = run([components.node, _PAGE / "stage.cjs"], timeout=timeout, cwd=out, stdin=json.dumps(job).encode())
        if done.timed_out:
            return Staged(None, "", (f"{spec.entry}: was not bundled within {timeout:g} s",))
        result = out / "result.json"
        if done.returncode != 0 or not result.is_file():
            told = [line for line in done.stderr.splitlines() if line.strip()]
            raise CannotJudgeError(
                [f"esbuild: ended with exit code {done.returncode}"]
                + [f"esbuild: wrote: {shorten(line, _LONGEST_FAULT)}" for line in told[:_MOST_FAULTS]]
            )
        answer = json.loads(result.read_text(encoding="utf-8"))
        if not answer["ok"]:
            faults = [shorten(str(one), _LONGEST_FAULT) for one in answer["faults"]]
            return Staged(None, "", tuple(faults[:_MOST_FAULTS]) or (f"{spec.entry}: cannot be bundled",))
        size = (out / "bundle.js").stat().st_size
        if size > _LARGEST_BUNDLE:
            return Staged(None, "", (f"the bundle is larger than {_LARGEST_BUNDLE >> 20} MiB ({size} bytes)",))
        return Staged(
            (out / "bundle.js").read_text(encoding="utf-8"),
            (out / "bundle.js.map").read_text(encoding="utf-8"),
            (),
            token,
        )
