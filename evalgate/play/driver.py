"""The visits: one in which nobody plays, and one that is played for real, with mouse and keys of the browser itself."""

import time
from collections.abc import Callable

from evalgate.play.cdp import CdpError
from evalgate.play.gate_spec import TAP_TARGETS, Driver, GateSpec
from evalgate.play.observations import Boot, Sample, Visit
from evalgate.play.page import HEIGHT, WIDTH, Deadline, GamePage, Reading
from evalgate.play.progress_checks import holds
from evalgate.play.screenshot import Picture, look
from evalgate.play.targets import Target, targets_at

CONTROL_SECONDS = 2.0
"""How long nobody plays. What a game does by itself after that is not seen."""

_BOOT_SECONDS = 15.0
_AFTER_ERROR_SECONDS = 0.7
"""A game that has thrown and has not started by then will not."""
_LOOK_SECONDS = 0.05
_BETWEEN_INPUTS_SECONDS = 0.07
_FALLBACK = Target(WIDTH / 2, HEIGHT / 2)
"""Tapped while there is no target: "tap to start"."""


class _Recorder:
    """What is seen of one visit, kept so that it is there when the page hangs or dies."""

    def __init__(self, page: GamePage) -> None:
        self.page = page
        self.boot = Boot()
        self.samples: list[Sample] = []
        self.inputs = 0
        self.picture: Picture | None = None
        self.png: bytes | None = None
        self._last = Reading()
        self._started_at = time.monotonic()

    def look(self) -> Reading:
        """Read the page, and keep what it says."""
        self._last = reading = self.page.read()
        return reading

    def sample(self) -> Sample:
        """Read the page as one of the samples."""
        reading = self.look()
        sample = Sample(time.monotonic() - self._started_at, reading.frame, reading.state)
        self.samples.append(sample)
        return sample

    def start(self, url: str) -> bool:
        """Open the page and wait until the game has started, or it is clear that it will not; return which."""
        self.page.open(url)
        waiting = Deadline(_BOOT_SECONDS)
        thrown: Deadline | None = None
        while True:
            reading = self.look()
            self.boot = boot_of(reading)
            if self.boot.done or waiting.over or (thrown is not None and thrown.over):
                return self.boot.done
            if reading.uncaught and thrown is None:
                thrown = Deadline(_AFTER_ERROR_SECONDS)
            if reading.loaded and not reading.exported:
                # The script has run: what it did not export by now it never will.
                return False
            self.page.wait(_LOOK_SECONDS)

    def visit(self, ended: str) -> Visit:
        """Return all that was seen."""
        last = self._last
        return Visit(
            boot=self.boot,
            samples=tuple(self.samples),
            inputs=self.inputs,
            uncaught=last.uncaught,
            stacks=last.stacks,
            calls=last.calls,
            unknown=last.unknown,
            sample=last.sample,
            picture=self.picture,
            tampered=last.tampered,
            ended=ended,
        )


def boot_of(reading: Reading) -> Boot:
    """Return how far the start came, and what is in its way. Pure."""
    why = ""
    if reading.stacks:
        why = reading.stacks[0].partition("\n")[0]
    elif not reading.loaded:
        why = "the page did not finish loading"
    elif not reading.exported:
        why = "the bundle does not export start and state"
    elif not reading.canvas:
        why = "there is no canvas"
    elif reading.state is None:
        why = f"state() did not answer: {reading.state_fault}"
    boot = Boot(
        loaded=reading.loaded, exported=reading.exported, canvas=reading.canvas, state=reading.state is not None
    )
    return boot if boot.done else Boot(**{**vars(boot), "why": why})


class Watched:
    """What came of a visit: the facts, and the picture that was taken."""

    def __init__(self, visit: Visit, png: bytes | None) -> None:
        self.visit = visit
        self.png = png


def _visit(page: GamePage, act: Callable[[_Recorder], None]) -> Watched:
    """Make a visit, whatever becomes of the page. Raises `BrowserGoneError`: that is no fact about the game."""
    recorder = _Recorder(page)
    ended = ""
    try:
        act(recorder)
    except CdpError as fault:
        ended = str(fault)
    return Watched(recorder.visit(ended), recorder.png)


def glance(page: GamePage, url: str) -> Watched:
    """Start the game and look at its first state."""

    def act(recorder: _Recorder) -> None:
        if recorder.start(url):
            recorder.sample()

    return _visit(page, act)


def watch(page: GamePage, url: str, seconds: float = CONTROL_SECONDS) -> Watched:
    """Start the game and touch nothing for so many seconds; take a picture at the end."""

    def act(recorder: _Recorder) -> None:
        if recorder.start(url):
            end = Deadline(seconds)
            recorder.sample()
            while not end.over:
                page.wait(_LOOK_SECONDS)
                recorder.sample()
        _take_picture(recorder)

    return _visit(page, act)


def play(page: GamePage, url: str, spec: GateSpec, driver: Driver) -> Watched:
    """Start the game and play it until its end state is reached, or for `spec.seconds`."""

    def act(recorder: _Recorder) -> None:
        if not recorder.start(url):
            return
        first = sample = recorder.sample()
        end = Deadline(spec.seconds)
        while not end.over and not holds(spec.latch, first.state, sample.state):
            _one_input(recorder, driver, sample)
            page.wait(_BETWEEN_INPUTS_SECONDS)
            sample = recorder.sample()

    return _visit(page, act)


def _one_input(recorder: _Recorder, driver: Driver, sample: Sample) -> None:
    turn = recorder.inputs
    recorder.inputs += 1
    if driver.type == TAP_TARGETS:
        # In turn: one that cannot be hit must not be all that is tried.
        targets = targets_at(sample.state, driver.targets) if sample.state is not None else []
        # Where no player can tap, we do not.
        targets = [one for one in targets if 0 <= one.x < WIDTH and 0 <= one.y < HEIGHT]
        target = targets[turn % len(targets)] if targets else _FALLBACK
        recorder.page.tap(*target)
    else:
        recorder.page.press(driver.keys[turn % len(driver.keys)])


def _take_picture(recorder: _Recorder) -> None:
    recorder.png = recorder.page.screenshot()
    recorder.picture = look(recorder.png)
