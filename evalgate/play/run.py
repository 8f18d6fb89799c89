"""
One gate round: stage, smoke, how to play, play. What comes of it is a verdict, and a record in the run's folder.

A round is written when it begins, with an empty verdict, then at each step, and at its end with the verdict: one that
dies, or cannot be staged, leaves no older verdict as the newest.
"""

import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from evalgate import whole_file
from evalgate.errors import CannotJudgeError, OutputError
from evalgate.loop.rounds import FOLDER, Round, next_round, write_round
from evalgate.play import driver as players
from evalgate.play import gates
from evalgate.play.browser import started
from evalgate.play.cdp import CdpError
from evalgate.play.components import Components, require
from evalgate.play.gate_spec import Driver, GateSpec, read_gate_spec
from evalgate.play.observations import Observations, Visit
from evalgate.play.page import Deadline, GamePage, opened
from evalgate.play.play_spec import ensure_play_spec
from evalgate.play.ports import PortPair
from evalgate.play.server import served
from evalgate.play.stacks import joined, placed
from evalgate.play.staging import Staged, probe, stage

STAGE_SECONDS = 90.0
SMOKE_SECONDS = 120.0
PLAY_SECONDS = 180.0
RUNS_ROOT_VARIABLE = "EVALGATE_RUNS_ROOT"

Watch = Callable[[str], None]
"""Told the step that begins: `stage`, `smoke`, `play`."""

_RUN_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}", re.ASCII)


class Outcome(NamedTuple):
    """What came of a round."""

    verdict: dict[str, Any]
    """`{}` when the game cannot be staged."""
    round: Round
    path: Path
    """The round's file."""


class _Shown(NamedTuple):
    """What a play came to."""

    seen: Observations
    png: bytes | None


def run_gates(run_id: str, port: int, cdp_port: int, *, runs_root: Path | None = None) -> dict[str, Any]:
    """
    Play one gate round of a run and return its verdict, `{}` when the game cannot be staged.

    The run's folder is `run_id` in `runs_root`, else in the folder that `EVALGATE_RUNS_ROOT` names. At most 90 s for
    staging, 120 for smoke, 180 for the play. Raises `CannotJudgeError` when something of ours fails: that is no
    verdict.
    """
    return play_round(run_folder(run_id, runs_root), PortPair(port, cdp_port), run_id=run_id).verdict


def run_folder(run_id: str, runs_root: Path | None = None) -> Path:
    """Return the folder of a run. Raises `CannotJudgeError` for an id that is no plain name, and without a root."""
    if not _RUN_ID.fullmatch(run_id):
        raise CannotJudgeError([f"run id: must be 1 to 128 letters, digits, points, - and _ (got {run_id!r:.60})"])
    root = runs_root if runs_root is not None else os.environ.get(RUNS_ROOT_VARIABLE)
    if not root:
        raise CannotJudgeError([f"{RUNS_ROOT_VARIABLE}: is not set, and nobody says where the runs are"])
    return Path(root) / run_id


def play_round(
    folder: Path,
    ports: PortPair | AbstractContextManager[PortPair],
    *,
    run_id: str,
    watch: Watch = lambda step: None,
) -> Outcome:
    """
    Play one gate round of the game in `folder`; as `run_gates` otherwise.

    ports: a pair, or a lease of one, which is waited for when the round is on record: whoever dies while waiting has
    left no older verdict as the newest.
    """
    if not folder.is_dir():
        raise CannotJudgeError([f"{folder}: there is no such folder"])
    record = _Record(folder, run_id, watch)
    spec = read_gate_spec(folder)
    components = require(folder)
    staged = stage(folder, spec, components, STAGE_SECONDS)
    if staged.script is None:
        return record.end({}, "\n".join(staged.faults), None)
    record.reach("smoke")
    with (
        _leased(ports) as pair,
        served(staged.site(), pair.port) as url,
        _Browser(components.chromium, pair, staged.token) as browser,
    ):
        state = _smoke(browser, url)
        driver = ensure_play_spec(folder, spec, state)
        record.reach("play")
        shown = _play(browser, url, spec, driver)
    seen = _placed(shown.seen, staged, components)
    stacks = (*seen.control.stacks, *seen.played.stacks)
    return record.end(gates.verdict_of(seen, spec), joined(stacks), shown.png)


def _leased(ports: PortPair | AbstractContextManager[PortPair]) -> AbstractContextManager[PortPair]:
    return nullcontext(ports) if isinstance(ports, PortPair) else ports


class _Record:
    """The file of a round, from its start to its end."""

    def __init__(self, folder: Path, run_id: str, watch: Watch) -> None:
        self._folder = folder
        self._watch = watch
        self._began = time.monotonic()
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        number = next_round(folder)
        self._round = Round(round=number, run=run_id, started_at=now, seconds=0.0, stage="stage", verdict={})
        write_round(folder, self._round)
        watch("stage")

    def reach(self, step: str) -> None:
        self._round = replace(self._round, stage=step, seconds=self._seconds())
        write_round(self._folder, self._round)
        self._watch(step)

    def end(self, verdict: dict[str, Any], stderr: str, png: bytes | None) -> Outcome:
        picture = None if png is None else f"{self._round.round}.png"
        if picture is not None and png is not None:
            path = self._folder / FOLDER / picture
            try:
                whole_file.replace(path, [png])
            except OSError as fault:
                raise OutputError([f"{path}: cannot be written ({fault.strerror or fault})"]) from fault
        self._round = replace(
            self._round, seconds=self._seconds(), verdict=verdict, stderr_tail=stderr, screenshot=picture
        )
        return Outcome(verdict, self._round, write_round(self._folder, self._round))

    def _seconds(self) -> float:
        return round(time.monotonic() - self._began, 3)


class _Browser:
    """The browser of a round: started when it is needed, and again when it was given up."""

    def __init__(self, chromium: Path, ports: PortPair, token: str) -> None:
        self._chromium = chromium
        self._token = token
        self._ports = ports
        self._running = ExitStack()
        self._address: str | None = None

    def __enter__(self) -> Self:
        """Start nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what runs."""
        self._running.__exit__(kind, value, trace)

    def page(self, deadline: Deadline) -> AbstractContextManager[GamePage]:
        """Open a page, in a profile of its own. Raises `CannotJudgeError` when there is no browser to be had."""
        if self._address is None:
            self._address = self._running.enter_context(started(self._chromium, self._ports))
        return opened(self._address, probe(self._token), deadline)

    def give_up(self) -> None:
        """End the browser; the next page gets a new one."""
        self._address = None
        self._running.close()


def _smoke(browser: _Browser, url: str) -> Mapping[str, object] | None:
    """
    Return the state that the game exposes at its start, None when it has none.

    Whatever goes wrong here goes wrong again when it is played, and is said then: smoke failing keeps nothing from
    playing, and what is played is played in a browser that smoke has not broken.
    """
    try:
        with browser.page(Deadline(SMOKE_SECONDS)) as page:
            visit = players.glance(page, url).visit
    except (CannotJudgeError, CdpError):
        with suppress(CannotJudgeError):
            browser.give_up()
        return None
    if visit.ended:
        browser.give_up()
    return visit.states[-1] if visit.boot.done and visit.states else None


def _play(browser: _Browser, url: str, spec: GateSpec, driver: Driver) -> _Shown:
    """Make both visits. Raises `CannotJudgeError` when the browser or a port is what fails."""
    deadline = Deadline(PLAY_SECONDS)
    try:
        with browser.page(deadline) as page:
            control = players.watch(page, url)
        if control.visit.ended:
            browser.give_up()
        with browser.page(deadline) as page:
            played = players.play(page, url, spec, driver)
    except CdpError as fault:
        # A visit keeps what becomes of its page to itself: this was the browser, before there was one.
        raise CannotJudgeError([f"chromium: {fault}"]) from fault
    return _Shown(Observations(control=control.visit, played=played.visit, driver=driver), control.png)


def _placed(seen: Observations, staged: Staged, components: Components) -> Observations:
    """Put the game's own files and lines into what was thrown."""

    def of(visit: Visit) -> Visit:
        stacks = placed(visit.stacks, staged.source_map, components.node)
        return replace(visit, stacks=stacks)

    return replace(seen, control=of(seen.control), played=of(seen.played))
