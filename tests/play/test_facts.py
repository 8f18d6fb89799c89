"""The small pure parts: places in a state, checks, targets, what a page says, where a browser listens."""

import json
from typing import Any

import pytest

from evalgate.faults import MISSING
from evalgate.play.browser import WrongPortError, address_of, flags
from evalgate.play.driver import boot_of
from evalgate.play.gate_spec import Check
from evalgate.play.page import Reading, reading_of
from evalgate.play.paths import changed, distinct, leaves, value_at
from evalgate.play.ports import PortPair
from evalgate.play.progress_checks import holds, why_not
from evalgate.play.stacks import joined
from evalgate.play.targets import Target, targets_at

STATE: dict[str, Any] = {"frame": 9, "a": {"b": [10, {"c": None}]}, "t": True}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b.0", 10),
        ("a.b.1.c", None),
        ("frame", 9),
        ("a.b.2", MISSING),
        ("a.b.-1", MISSING),
        ("a.b.²", MISSING),
        ("a.b.99999999999999999999", MISSING),
        ("t.x", MISSING),
        ("", MISSING),
    ],
)
def test_places(path: str, expected: object) -> None:
    assert value_at(STATE, path) == expected


def test_leaves_and_what_changes() -> None:
    assert leaves(STATE) == {"a.b.length": 2, "a.b.0": 10, "a.b.1.c": None, "t": True}
    assert changed([STATE, {**STATE, "frame": 10}]) == frozenset()
    assert changed([STATE, {**STATE, "t": 1}, STATE]) == {"t"}
    assert changed([{"a": 1}, {"b": 1}]) == {"a", "b"}
    assert changed([]) == frozenset()
    assert distinct([STATE, {**STATE, "frame": 10}, {**STATE, "t": 1}]) == 2


def test_a_state_may_be_huge_or_deep() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert len(leaves({"a": deep, "b": list(range(100_000))})) <= 100_001 * 2
    assert why_not(Check("a", "unchanged"), {"a": deep}, {"a": deep}) == ""


@pytest.mark.parametrize(
    ("op", "value", "before", "after", "expected"),
    [
        (">", MISSING, 1, 2, True),
        (">", MISSING, 2, 2, False),
        (">=", MISSING, 2, 2, True),
        ("<", MISSING, 2, 1, True),
        ("<=", 5, 2, 5, True),
        (">", 5, 0, 5, False),
        ("==", "won", "night", "won", True),
        ("==", 1, 0, True, False),
        ("==", None, 0, None, True),
        ("!=", "night", "night", "won", True),
        ("changed", MISSING, [1, {"a": 2}], [1, {"a": 2}], False),
        ("changed", MISSING, [1, {"a": 2}], [1, {"a": 3}], True),
        ("unchanged", MISSING, {"a": [1]}, {"a": [1]}, True),
        ("unchanged", MISSING, 1, 1.0, True),
        (">", MISSING, "1", "2", False),
        (">", MISSING, False, True, False),
        (">", MISSING, None, 2, False),
    ],
)
def test_checks(op: str, value: object, before: object, after: object, expected: bool) -> None:
    assert holds(Check("x", op, value), {"x": before}, {"x": after}) is expected


def test_a_check_without_a_value_to_look_at_fails() -> None:
    assert why_not(Check("x", "unchanged"), {}, {}) == "the state has no such path"
    assert why_not(Check("x", "changed"), {}, {"x": 1}) == "there is no value before"
    assert why_not(Check("x", "unchanged"), None, None) == "no state was seen"


def test_targets() -> None:
    listed = [{"x": 1, "y": 2.5}, {"x": 1}, {"x": "1", "y": 2}, 7, {"x": True, "y": 1}, {"x": 1e9, "y": 0}]
    assert targets_at({"a": {"t": listed}}, "a.t") == [Target(1.0, 2.5)]
    assert targets_at({"a": 1}, "a") == []


@pytest.mark.parametrize("text", [None, 7, "", "nonsense", "[]", "null", "[" * 100_000, '{"a":' * 100_000])
def test_a_page_that_says_nonsense_says_nothing(text: object) -> None:
    assert reading_of(text) == Reading()


def test_a_page_is_not_believed() -> None:
    told = {
        "loaded": "yes",
        "exported": 1,
        "canvas": True,
        "frame": True,
        "state": '{"a": NaN',
        "stateFault": ["x"],
        "uncaught": -1,
        "stacks": ["s" * 9000, 7],
        "calls": {"drawRect": "many"},
        "unknown": "all",
        "sample": None,
    }
    found = reading_of(json.dumps(told))
    assert found == Reading(canvas=True, stacks=("s" * 8000,), calls={"drawRect": 0})


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        (Reading(), "did not finish loading"),
        (Reading(loaded=True), "does not export"),
        (Reading(loaded=True, exported=True), "no canvas"),
        (Reading(loaded=True, exported=True, canvas=True, state_fault="oh"), "state() did not answer: oh"),
        (Reading(loaded=True, stacks=("TypeError: x\n    at f",)), "TypeError: x"),
    ],
)
def test_what_is_in_the_way_of_a_start(reading: Reading, why: str) -> None:
    assert not boot_of(reading).done
    assert why in boot_of(reading).why


def test_a_start() -> None:
    assert boot_of(Reading(loaded=True, exported=True, canvas=True, state={})).done


WS = "DevTools listening on ws://127.0.0.1:9400/devtools/browser/0e0c-1f"


def test_the_browser_listens_where_it_was_told() -> None:
    assert address_of(WS, 9400) == WS.removeprefix("DevTools listening on ")


@pytest.mark.parametrize(
    "line",
    [
        # What Chromium says when another one has the port.
        WS.replace("127.0.0.1", "[::1]"),
        WS.replace("9400", "9401"),
        WS.replace("127.0.0.1", "127.0.0.1.example.org"),
        WS.replace("127.0.0.1", "user@127.0.0.1"),
        WS.replace("/devtools/browser/0e0c-1f", ""),
        "DevTools listening on ",
    ],
)
def test_a_browser_elsewhere_is_refused(line: str) -> None:
    """Trap 8: the naive way, talking to the port, reaches the other browser, and plays its game."""
    with pytest.raises(WrongPortError, match=r"127\.0\.0\.1:9400"):
        address_of(line, 9400)


def test_flags(tmp_path: Any) -> None:
    given = flags(tmp_path, PortPair(4400, 9400))
    assert {"--headless=new", "--no-sandbox", f"--user-data-dir={tmp_path}", "--remote-debugging-port=9400"} <= set(
        given
    )
    assert any(flag.startswith("--proxy-server=http://127.0.0.1:") for flag in given)


def test_the_first_error_is_the_last_in_the_text() -> None:
    """As Node ends with the error that ended the process; what is cut off is the beginning."""
    from evalgate.stack import signature

    text = joined(["TypeError: a\n    at first (src/game.js:1:2)", "RangeError: b\n    at later (src/game.js:3:4)"] * 2)
    assert text.count("first") == 1
    assert signature(text) == "TypeError@first"
