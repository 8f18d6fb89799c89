"""The signals that end us, as exceptions of the main thread, and never in the middle of what must not be half done."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Terminated(SystemExit):
    """
    SIGTERM or SIGHUP came while programs were running: raised in their place, so that the programs are ended first.

    No `Exception`, as `KeyboardInterrupt` is none: a gate that treats every exception as a red one must not go on. Left
    alone it ends the process in 128 + the signal's number, as a shell reports it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.signal = signal.Signals(number)
        """Which it was."""


class Signals:
    """
    The signals that end us, turned into exceptions of the main thread, and held back where one would leave a mess.

    Used from the main thread alone; elsewhere all of it does nothing.
    """

    def __init__(self) -> None:
        self._before: dict[int, object] = {}
        self._held = 0
        self._came: int | None = None

    def take(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGHUP):
            before = signal.getsignal(number)
            # Ignored on purpose (nohup), or not Python's to give back.
            if before is not signal.SIG_IGN and before is not None:
                self._before[number] = signal.signal(number, self._handle)
        before = signal.getsignal(signal.SIGINT)
        # Somebody else's Ctrl-C (asyncio's) stays theirs. One block inside another has to hold it back as well.
        if before is signal.default_int_handler or getattr(before, "__func__", None) is Signals._handle:
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, self._handle)

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Hold back what comes inside of the block until it is left."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            self._raise_what_came()

    @contextlib.contextmanager
    def giving_back(self) -> Iterator[None]:
        """Hold back what comes inside of the block, and give the signals back to who had them before."""
        with self.waiting():
            try:
                yield
            finally:
                for number, before in self._before.items():
                    signal.signal(number, before)  # type: ignore[arg-type]
                self._before.clear()

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        # The first one counts, but a Ctrl-C does not hide that the machine wants to be shut down.
        if self._came is None or number != signal.SIGINT:
            self._came = number
        if not self._held:
            self._raise_what_came()

    def _raise_what_came(self) -> None:
        number, self._came = self._came, None
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        if number is not None:
            raise Terminated(number)
