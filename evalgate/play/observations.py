"""What was seen of a game: facts, no judgement. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from evalgate.play.gate_spec import Driver
from evalgate.play.screenshot import Picture


class Sample(NamedTuple):
    """One look at the page."""

    seconds: float
    """Since the page was asked for."""
    frame: int | None
    """The engine's own count; None when there is no engine."""
    state: Mapping[str, object] | None
    """What `state()` returned; None when it did not."""


@dataclass(frozen=True, kw_only=True)
class Boot:
    """How far the start of a page came."""

    loaded: bool = False
    exported: bool = False
    """`__GameBundle` is there, with `start` and `state`."""
    canvas: bool = False
    """A canvas is there that is not empty."""
    state: bool = False
    """`state()` returned an object."""
    why: str = ""
    """What was in the way, as far as it is known."""

    @property
    def done(self) -> bool:
        """Tell whether the game has started."""
        return self.loaded and self.exported and self.canvas and self.state


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One load of the page, from the start to the end of what was done with it."""

    boot: Boot = field(default_factory=Boot)
    samples: tuple[Sample, ...] = ()
    """From the start of the game on, in order."""
    inputs: int = 0
    """Taps or keys that were given to it."""
    uncaught: int = 0
    stacks: tuple[str, ...] = ()
    """Of the first uncaught errors, as V8 writes them, each at most 8000 characters."""
    calls: Mapping[str, int] = field(default_factory=dict)
    """Of those the spec expects and the engine has: how often each was called since the page was loaded."""
    unknown: tuple[str, ...] = ()
    """Of those the spec expects: what the engine does not have."""
    sample: tuple[str, ...] = ()
    """The first calls, as they were made."""
    picture: Picture | None = None
    tampered: bool = False
    """Whether the game called what the gates count by."""
    ended: str = ""
    """Why the visit ended early: the page hung, or died."""

    @property
    def states(self) -> tuple[Mapping[str, object], ...]:
        """The states of the samples that have one."""
        return tuple(sample.state for sample in self.samples if sample.state is not None)


@dataclass(frozen=True, kw_only=True)
class Observations:
    """All that the gates judge."""

    control: Visit
    """Nobody played."""
    played: Visit
    """The driver played, from the same start with the same dice."""
    driver: Driver
