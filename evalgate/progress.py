"""
How far the reading of a large report is, or a play, for a person at a terminal.

A reading shows nothing for its first second; nothing at all is shown when stderr is no terminal. rich is imported when
something is to be shown, not before.
"""

import os
import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from evalgate.plain import escape, shorten

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_QUIET_SECONDS = 1.0
_REFRESH_SECONDS = 0.1
_LONGEST_LABEL = 40


class _Shown:
    """What is on a terminal while work goes on, and gone when it is done."""

    def __init__(self) -> None:
        self._visible = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        """Show nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take it away."""
        if self._bar is not None:
            self._bar.stop()


class ReadingProgress(_Shown):
    """A bar with bytes, rate and time left."""

    def __init__(self) -> None:
        super().__init__()
        self._next = time.monotonic() + _QUIET_SECONDS
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, label: str, done: int, total: int | None) -> None:
        """Note that `done` bytes of an input were read; a `Watch` of formats/source.py."""
        if not self._visible or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _REFRESH_SECONDS
        bar = self._shown()
        if label not in self._tasks:
            self._tasks[label] = bar.add_task(shorten(escape(label), _LONGEST_LABEL), total=total)
        bar.update(self._tasks[label], completed=done, refresh=True)

    def _shown(self) -> "Progress":
        if self._bar is None:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                DownloadColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
                TransferSpeedColumn,
            )

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,
            )
            self._bar.start()
        return self._bar


class StepProgress(_Shown):
    """One line that says which step of a play is under way and for how long."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts
        self._task: TaskID | None = None

    def __call__(self, step: str) -> None:
        """Say that a step begins."""
        if not self._visible:
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        text = escape(self._texts.get(step, step))
        if self._bar is None:
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(text, total=None)
            self._bar.start()
        elif self._task is not None:
            self._bar.update(self._task, description=text)
