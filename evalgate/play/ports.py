"""
Pairs of ports, one for the game and one for the browser, each for one play at a time.

Two browsers on one port do not fail: the second listens on another address, and the player of the first game drives the
second. So a pair is never with two holders: within the process the pool counts, between processes of evalgate on one
Linux machine a name is held (see `_Hold`), and a port on which anybody else listens is left alone.

Acquire and release in the thread that plays (`run_leased`). To acquire inside a coroutine blocks the event loop, and
with it who would release; to release in a coroutine's `finally` gives ports away which a thread still serves, since
cancelling the coroutine does not end the thread.
"""

import contextlib
import errno
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from evalgate.errors import CannotJudgeError
from evalgate.plain import shorten

T = TypeVar("T")

WAIT_SECONDS = 900.0
"""How long a play waits for its ports."""

_LOOK_SECONDS = 0.25
"""Between two looks at ports that somebody else has: who gives those back does not tell us."""
_LAST_PORT = 65535
_LONGEST_VALUE = 60
_VARIABLES = ("EVALGATE_PORT_BASE", "EVALGATE_CDP_BASE", "EVALGATE_PORT_POOL_SIZE")


class PortPair(NamedTuple):
    """What one play needs."""

    port: int
    """The game is served here."""
    cdp_port: int
    """The browser takes commands here (Chrome DevTools Protocol)."""


class PortsBusyError(CannotJudgeError):
    """No pair of ports became free in time."""


class PortPool:
    """
    `size` pairs, (`port_base`, `cdp_base`) and upwards; any thread may use it.

    Raises `CannotJudgeError` when the two ranges overlap or leave 1..65535.
    """

    def __init__(self, port_base: int = 4400, cdp_base: int = 9400, size: int = 16) -> None:
        faults = _faults(port_base, cdp_base, size, ("port_base", "cdp_base", "size"))
        if faults:
            raise CannotJudgeError(faults)
        self._changed = threading.Condition()
        self._free = [(port_base + step, cdp_base + step) for step in range(size)]
        self._held: dict[tuple[int, int], tuple[PortPair, _Hold]] = {}
        self._what = f"{size} pairs, {port_base} to {port_base + size - 1} and {cdp_base} to {cdp_base + size - 1}"

    def acquire(self, timeout: float = WAIT_SECONDS) -> PortPair:
        """
        Take a pair, the one that was free for the longest time first, and wait for one at most `timeout` seconds.

        A pair on which anybody listens is passed over as long as that is so. Raises `PortsBusyError`.
        """
        give_up_at = time.monotonic() + timeout
        with self._changed:
            while True:
                for place, numbers in enumerate(self._free):
                    hold = _Hold.of(numbers)
                    if hold is None:
                        continue
                    del self._free[place]
                    pair = PortPair(*numbers)
                    self._held[numbers] = (pair, hold)
                    return pair
                left = give_up_at - time.monotonic()
                if left <= 0:
                    raise PortsBusyError([self._busy(timeout)])
                self._changed.wait(min(left, _LOOK_SECONDS) if self._free else left)

    def release(self, pair: PortPair | None) -> None:
        """
        Give back what `acquire` returned, that very object; anything else is ignored, and nothing is ever raised.

        The object counts and not its numbers: a second release of a pair that meanwhile went to somebody else must not
        take it from them.
        """
        if not isinstance(pair, PortPair):
            return
        with self._changed:
            for numbers, (held, hold) in self._held.items():
                if held is pair:
                    del self._held[numbers]
                    hold.end()
                    self._free.append(numbers)
                    self._changed.notify()
                    return

    @contextlib.contextmanager
    def lease(self, timeout: float = WAIT_SECONDS) -> Iterator[PortPair]:
        """Hold a pair for the length of the block. Raises as `acquire`."""
        pair = self.acquire(timeout)
        try:
            yield pair
        finally:
            self.release(pair)

    def _busy(self, timeout: float) -> str:
        return (
            f"no ports for a play became free within {timeout:g} s ({self._what}: {len(self._held)} in use by plays of "
            f"this process, {len(self._free)} by other programs): wait for them or end them, or name other ports with "
            f"{', '.join(_VARIABLES[:2])} or more with {_VARIABLES[2]}"
        )


class _Hold:
    """
    A pair taken from everybody else on the machine who asks this way.

    A look at a port says nothing about who will listen on it in a moment, so two processes that look at the same time
    would take the same one. On Linux each port is held by a name in the abstract namespace of unix(7), which reaches
    exactly as far as the ports do and is free again when the process is gone, by whatever means. Elsewhere the look is
    all there is.
    """

    def __init__(self) -> None:
        # Descriptors, not sockets: a pool that is no more does not mean that nobody plays with its pairs.
        self._names: list[int] = []

    @classmethod
    def of(cls, numbers: tuple[int, int]) -> "_Hold | None":
        """Return the hold on both ports, None when somebody has one of them."""
        hold = cls()
        if all(hold._take(number) for number in numbers) and all(_nobody_listens(number) for number in numbers):
            return hold
        hold.end()
        return None

    def _take(self, number: int) -> bool:
        if not sys.platform.startswith("linux"):
            return True
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            name.bind(f"\0evalgate-port-{number}")
        except OSError as fault:
            name.close()
            # A sandbox may forbid such names: then the look at the port has to do.
            return fault.errno != errno.EADDRINUSE
        self._names.append(name.detach())
        return True

    def end(self) -> None:
        """Give the pair back."""
        while self._names:
            os.close(self._names.pop())


def _nobody_listens(number: int) -> bool:
    """Return whether `number` can be bound on 127.0.0.1 and, where there is IPv6, nobody has it on ::1."""
    for kind, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            with socket.socket(kind, socket.SOCK_STREAM) as probe:
                if sys.platform.startswith("linux"):
                    # Connections of the last play that wait out their time are no listener. Elsewhere this flag would
                    # also let us bind beside a listener on all addresses.
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((address, number))
        except OSError as fault:
            if kind == socket.AF_INET or fault.errno == errno.EADDRINUSE:
                return False
    return True


def run_leased(pool: PortPool, play: Callable[[PortPair], T], timeout: float = WAIT_SECONDS) -> T:
    """
    Play with a pair of ports that this thread takes before and gives back after, and return what `play` does.

    For `asyncio.to_thread` and the like, as a whole: the ports stay taken for as long as the thread really plays.
    Raises `PortsBusyError`, and what `play` raises.
    """
    with pool.lease(timeout) as pair:
        return play(pair)


def pool_of(environment: Mapping[str, str]) -> PortPool:
    """
    Make a pool from `EVALGATE_PORT_BASE` (4400), `EVALGATE_CDP_BASE` (9400) and `EVALGATE_PORT_POOL_SIZE` (16).

    Raises `CannotJudgeError`, which names the variables.
    """
    faults = []
    numbers = []
    for name, default in zip(_VARIABLES, (4400, 9400, 16), strict=True):
        text = environment.get(name, str(default))
        if text.isascii() and text.isdigit() and len(text) <= 9:
            numbers.append(int(text))
        else:
            faults.append(f"{name}: must be a whole number (got {json.dumps(shorten(text, _LONGEST_VALUE))})")
    if not faults:
        port_base, cdp_base, size = numbers
        faults = _faults(port_base, cdp_base, size, _VARIABLES)
    if faults:
        raise CannotJudgeError(faults)
    return PortPool(*numbers)


def _faults(port_base: int, cdp_base: int, size: int, names: tuple[str, str, str]) -> list[str]:
    """Return what is wrong with the ranges, a line each."""
    if size < 1:
        return [f"{names[2]}: must be at least 1 (got {size})"]
    faults = [
        f"{name}: {base} to {base + size - 1} must lie within 1 to {_LAST_PORT} ({names[2]} is {size})"
        for name, base in zip(names, (port_base, cdp_base), strict=False)
        if not 1 <= base <= base + size - 1 <= _LAST_PORT
    ]
    if not faults and abs(port_base - cdp_base) < size:
        faults.append(
            f"{names[0]}, {names[1]}: {port_base} to {port_base + size - 1} and {cdp_base} to {cdp_base + size - 1} "
            f"must not overlap ({names[2]} is {size})"
        )
    return faults


_POOL_LOCK = threading.Lock()
_POOL: list[PortPool] = []


def pool() -> PortPool:
    """Return the pool of this process, made from the environment when it is first asked for. Raises as `pool_of`."""
    with _POOL_LOCK:
        if not _POOL:
            _POOL.append(pool_of(os.environ))
        return _POOL[0]
