"""
A client of the Chrome DevTools Protocol, as much of it as playing needs.

One thread, one connection: a call is sent, and what comes until its answer is there are events, which are handed to
whoever waits for them. The page is hostile, so every wait has an end, and no answer is trusted to have its shape.

Protocol: https://chromedevtools.github.io/devtools-protocol/ (Page, Runtime, Input, Emulation, Target).
"""

import itertools
import json
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from evalgate.errors import CannotJudgeError
from evalgate.plain import shorten

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

Event = Callable[[str, Mapping[str, Any]], None]
"""Told the method and the parameters of each event."""

_LARGEST_MESSAGE = 64 * 1024 * 1024
"""Unit: bytes. A screenshot of 800 by 600 has some hundred thousand."""
_CONNECT_SECONDS = 10.0
_CLOSE_SECONDS = 1.0
_LONGEST_FAULT = 300


class CdpError(Exception):
    """The browser refused a call, or its answer did not come in time. What it means is for the caller to say."""


class BrowserGoneError(CannotJudgeError):
    """The browser's process has closed the connection: nothing can be said about the game."""


class Cdp:
    """A connection to a browser; `session` in `call` is the page that a call is for. Raises `BrowserGoneError`."""

    def __init__(self, url: str, on_event: Event) -> None:
        self._url = url
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Connect. Raises `BrowserGoneError`."""
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        place = urlsplit(self._url)
        try:
            # A socket of our own: no proxy that the environment names is asked.
            connection = socket.create_connection((place.hostname or "", place.port or 0), _CONNECT_SECONDS)
            self._connection: ClientConnection = self._open.enter_context(
                connect(
                    self._url,
                    sock=connection,
                    open_timeout=_CONNECT_SECONDS,
                    close_timeout=_CLOSE_SECONDS,
                    max_size=_LARGEST_MESSAGE,
                    compression=None,
                )
            )
        except (OSError, WebSocketException) as fault:
            raise BrowserGoneError([f"chromium: cannot be talked to at {self._url} ({fault})"]) from fault
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._open.close()

    def call(
        self, method: str, params: Mapping[str, object] | None = None, *, session: str | None = None, timeout: float
    ) -> Mapping[str, Any]:
        """
        Return the result of a call; `timeout` in seconds.

        Raises `CdpError` when the browser refuses it or does not answer in time, `BrowserGoneError`.
        """
        wanted = self.send(method, params, session=session)
        give_up_at = time.monotonic() + timeout
        while True:
            message = self._receive(give_up_at)
            if message is None:
                raise CdpError(f"{method}: no answer within {timeout:g} s")
            if message.get("id") != wanted:
                self._hear(message)
            elif "error" in message:
                raise CdpError(f"{method}: {shorten(json.dumps(message['error']), _LONGEST_FAULT)}")
            else:
                result = message.get("result")
                return result if isinstance(result, dict) else {}

    def send(self, method: str, params: Mapping[str, object] | None = None, *, session: str | None = None) -> int:
        """Send a call whose answer nobody waits for, and return its number. Raises `BrowserGoneError`."""
        from websockets.exceptions import ConnectionClosed

        number = next(self._ids)
        message: dict[str, object] = {"id": number, "method": method, "params": dict(params or {})}
        if session is not None:
            message["sessionId"] = session
        try:
            self._connection.send(json.dumps(message))
        except ConnectionClosed as fault:
            raise BrowserGoneError([f"chromium: has closed the connection ({fault})"]) from fault
        return number

    def listen(self, seconds: float) -> None:
        """Take in events for so long. Raises `BrowserGoneError`."""
        give_up_at = time.monotonic() + seconds
        while (message := self._receive(give_up_at)) is not None:
            self._hear(message)

    def _receive(self, give_up_at: float) -> Mapping[str, Any] | None:
        """Return the next message, None when the time is over."""
        from websockets.exceptions import ConnectionClosed

        try:
            text = self._connection.recv(timeout=max(0.0, give_up_at - time.monotonic()))
        except TimeoutError:
            return None
        except ConnectionClosed as fault:
            raise BrowserGoneError([f"chromium: has closed the connection ({fault})"]) from fault
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return {}
        return message if isinstance(message, dict) else {}

    def _hear(self, message: Mapping[str, Any]) -> None:
        method, params = message.get("method"), message.get("params")
        if isinstance(method, str):
            self._on_event(method, params if isinstance(params, dict) else {})
