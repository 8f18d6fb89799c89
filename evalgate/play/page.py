"""One page with a game in it: what it says of itself, what is put into it, and a picture of it."""

import base64
import binascii
import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from evalgate.errors import CannotJudgeError
from evalgate.play.cdp import Cdp, CdpError

WIDTH = 800
HEIGHT = 600
"""Unit: CSS pixels, which are pixels of the picture, too."""

_CALL_SECONDS = 15.0
"""A page that does not answer for so long hangs: a game has 60 turns a second."""
_EVALUATE_MS = 5000
_HOLD_SECONDS = 0.03
"""Between press and release: two frames."""
_READ = "globalThis.__evalgate ? globalThis.__evalgate.read() : null"
_MOST_STACKS = 20
_LARGEST_EXACT = 2**53
_STACK_CHARACTERS = 8000


class Deadline:
    """A point in time that all waits of one step end at."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def left(self, most: float = float("inf")) -> float:
        """Return how many seconds are left, `most` at most and never less than 0."""
        return max(0.0, min(most, self._at - time.monotonic()))

    @property
    def over(self) -> bool:
        """Tell whether the time is over."""
        return self.left() <= 0


class Reading(NamedTuple):
    """What the probe in the page knows at one moment; see page/probe.js."""

    loaded: bool = False
    exported: bool = False
    canvas: bool = False
    frame: int | None = None
    state: Mapping[str, object] | None = None
    state_fault: str = ""
    tampered: bool = False
    uncaught: int = 0
    stacks: tuple[str, ...] = ()
    calls: Mapping[str, int] = {}
    unknown: tuple[str, ...] = ()
    sample: tuple[str, ...] = ()


class GamePage:
    """A page. Calls raise `CdpError` when the page does not answer, `BrowserGoneError` when there is no browser."""

    def __init__(self, cdp: Cdp, session: str, deadline: Deadline, thrown: list[str], dead: list[str]) -> None:
        self._cdp = cdp
        self._session = session
        self._deadline = deadline
        self._thrown = thrown
        self._dead = dead

    def open(self, url: str) -> None:
        """Ask for a page; does not wait until it is there. Raises `CannotJudgeError` when the browser refuses."""
        refused = self._call("Page.navigate", {"url": url}).get("errorText")
        if refused:
            raise CannotJudgeError([f"chromium: does not open {url} ({refused}): name another port with --port"])

    def read(self) -> Reading:
        """Return what the probe knows; an empty `Reading` where there is no probe (yet)."""
        answer = self._call(
            "Runtime.evaluate",
            {"expression": _READ, "returnByValue": True, "silent": True, "timeout": _EVALUATE_MS},
        )
        result = answer.get("result")
        return self._with_thrown(reading_of(result.get("value") if isinstance(result, dict) else None))

    def tap(self, x: float, y: float) -> None:
        """Move the mouse there, press and release it."""
        place = {"x": x, "y": y}
        self._call("Input.dispatchMouseEvent", {"type": "mouseMoved", **place})
        button = {**place, "button": "left", "clickCount": 1}
        self._call("Input.dispatchMouseEvent", {"type": "mousePressed", "buttons": 1, **button})
        self.wait(_HOLD_SECONDS)
        self._call("Input.dispatchMouseEvent", {"type": "mouseReleased", "buttons": 0, **button})

    def press(self, code: str) -> None:
        """Press and release a key, by its `KeyboardEvent.code`."""
        key = {"code": code, **_key(code)}
        self._call("Input.dispatchKeyEvent", {"type": "keyDown", **key})
        self.wait(_HOLD_SECONDS)
        self._call("Input.dispatchKeyEvent", {"type": "keyUp", **{k: v for k, v in key.items() if k != "text"}})

    def screenshot(self) -> bytes:
        """Return a PNG of the page."""
        answer = self._call("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        try:
            return base64.b64decode(str(answer.get("data")), validate=True)
        except binascii.Error as fault:
            raise CdpError(f"Page.captureScreenshot: {fault}") from fault

    def wait(self, seconds: float) -> None:
        """Let the page go on for so long, and hear what it says."""
        self._cdp.listen(self._deadline.left(seconds))
        self._alive()

    def _call(self, method: str, params: Mapping[str, object]) -> Mapping[str, Any]:
        self._alive()
        seconds = self._deadline.left(_CALL_SECONDS)
        if seconds <= 0:
            raise CdpError("the time for this step is over")
        try:
            return self._cdp.call(method, params, session=self._session, timeout=seconds)
        except CdpError:
            self._alive()
            raise

    def _alive(self) -> None:
        if self._dead:
            raise CdpError(self._dead[0])

    def _with_thrown(self, reading: Reading) -> Reading:
        """Add what the browser says was thrown: the probe does not see all of it, nor the browser what was handled."""
        if len(self._thrown) <= reading.uncaught:
            return reading
        return reading._replace(uncaught=len(self._thrown), stacks=reading.stacks or tuple(self._thrown[:_MOST_STACKS]))


@contextlib.contextmanager
def opened(address: str, probe: str, deadline: Deadline) -> Iterator[GamePage]:
    """
    Give an empty page in a browser profile of its own, with the probe in it: what one visit stores no other one finds.

    Raises `CdpError`, `BrowserGoneError`.
    """
    thrown: list[str] = []
    dead: list[str] = []
    sessions: list[str] = []

    def hear(method: str, params: Mapping[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            thrown.append(_thrown(params))
        elif method == "Inspector.targetCrashed":
            dead.append("the page has crashed")
        elif method == "Page.javascriptDialogOpening" and sessions:
            # A game that asks something is answered "no", or it would wait for ever.
            leaving = params.get("type") == "beforeunload"
            cdp.send("Page.handleJavaScriptDialog", {"accept": leaving}, session=sessions[0])

    with Cdp(address, hear) as cdp:

        def ask(method: str, params: Mapping[str, object] | None = None) -> Mapping[str, Any]:
            session = sessions[0] if sessions else None
            return cdp.call(method, params, session=session, timeout=deadline.left(_CALL_SECONDS))

        context = str(ask("Target.createBrowserContext").get("browserContextId"))
        where = {"url": "about:blank", "browserContextId": context, "width": WIDTH, "height": HEIGHT}
        target = str(ask("Target.createTarget", where).get("targetId"))
        sessions.append(str(ask("Target.attachToTarget", {"targetId": target, "flatten": True}).get("sessionId")))
        for domain in ("Page", "Runtime", "Inspector"):
            ask(f"{domain}.enable")
        metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        ask("Emulation.setDeviceMetricsOverride", metrics)
        # A page in the background gets no frames.
        ask("Emulation.setFocusEmulationEnabled", {"enabled": True})
        ask("Page.addScriptToEvaluateOnNewDocument", {"source": probe})
        ask("Page.setDownloadBehavior", {"behavior": "deny"})
        yield GamePage(cdp, sessions[0], deadline, thrown, dead)
        sessions.clear()
        with contextlib.suppress(CdpError):
            ask("Target.disposeBrowserContext", {"browserContextId": context})


def reading_of(text: object) -> Reading:
    """Return what a probe's answer says; whatever does not have its form reads as "not there". Pure."""
    told = _object(text)
    if told is None:
        return Reading()
    calls = told.get("calls")
    frame = told.get("frame")
    state_fault = told.get("stateFault")
    return Reading(
        loaded=told.get("loaded") is True,
        exported=told.get("exported") is True,
        canvas=told.get("canvas") is True,
        frame=frame if isinstance(frame, int) and not isinstance(frame, bool) else None,
        state=_object(told.get("state")),
        state_fault=state_fault if isinstance(state_fault, str) else "",
        tampered=told.get("tampered") is True,
        uncaught=_count(told.get("uncaught")),
        stacks=tuple(stack[:_STACK_CHARACTERS] for stack in _texts(told.get("stacks"))),
        calls={name: _count(count) for name, count in calls.items()} if isinstance(calls, dict) else {},
        unknown=_texts(told.get("unknown")),
        sample=_texts(told.get("sample")),
    )


def _object(text: object) -> dict[str, Any] | None:
    if not isinstance(text, str):
        return None
    try:
        value = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _number(literal: str) -> int | float:
    """Return a number; raise `ValueError` for one that no double holds, which no verdict could hold either."""
    number = float(literal)
    if not isfinite(number):
        raise ValueError(literal[:20])
    return int(literal) if number.is_integer() and abs(number) < _LARGEST_EXACT and "." not in literal else number


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value[:_MOST_STACKS] if isinstance(one, str)) if isinstance(value, list) else ()


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _thrown(params: Mapping[str, Any]) -> str:
    """Return the stack of an error as V8 writes it, or what there is of it."""
    details = params.get("exceptionDetails")
    details = details if isinstance(details, dict) else {}
    exception = details.get("exception")
    told = exception.get("description") if isinstance(exception, dict) else None
    text = told if isinstance(told, str) else str(details.get("text", "Uncaught"))
    return text[:_STACK_CHARACTERS]


_NAMED_KEYS = {
    "ArrowLeft": ("ArrowLeft", 37),
    "ArrowUp": ("ArrowUp", 38),
    "ArrowRight": ("ArrowRight", 39),
    "ArrowDown": ("ArrowDown", 40),
    "Enter": ("Enter", 13),
    "Escape": ("Escape", 27),
    "Tab": ("Tab", 9),
    "ShiftLeft": ("Shift", 16),
    "ControlLeft": ("Control", 17),
}
"""`KeyboardEvent.key` and the virtual key code, https://w3c.github.io/uievents/#fixed-virtual-key-codes."""


def _key(code: str) -> dict[str, object]:
    if code in _NAMED_KEYS:
        key, number = _NAMED_KEYS[code]
        return {"key": key, "windowsVirtualKeyCode": number}
    if code == "Space":
        return {"key": " ", "windowsVirtualKeyCode": 32, "text": " "}
    letter = code[-1]
    return {"key": letter.lower(), "windowsVirtualKeyCode": ord(letter), "text": letter.lower()}
