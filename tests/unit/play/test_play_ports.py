"""
One pair of ports, one play.

The pools here use ports far from the default ones, and the tests listen on 127.0.0.1 only.
"""

import asyncio
import contextlib
import itertools
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgate.errors import CannotJudgeError
from evalgate.play import ports
from evalgate.play.ports import PortPair, PortPool, PortsBusyError, pool, pool_of, run_leased

ROOT = Path(__file__).parents[3]
GUARD = 60
"""Unit: seconds, after which something is taken to hang."""
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the hold between processes is Linux's")

# A range for each pool, so that a test that failed cannot disturb the next one.
_RANGES = itertools.count(21000, 50)


@pytest.fixture(autouse=True)
def _give_back(monkeypatch):
    """Give back what a test holds: a pool that is no more gives nothing back by itself, on purpose."""
    made, make = [], PortPool.__init__

    def remember(made_pool, *arguments):
        make(made_pool, *arguments)
        made.append(made_pool)

    monkeypatch.setattr(PortPool, "__init__", remember)
    yield
    for one in made:
        for pair, _ in list(getattr(one, "_held", {}).values()):
            one.release(pair)


def _pool(size=4):
    base = next(_RANGES)
    return PortPool(base, base + 25, size)


def _take_all(pairs):
    """Take all that is free now."""
    taken = []
    with contextlib.suppress(PortsBusyError):
        while True:
            taken.append(pairs.acquire(0))
    return taken


@contextlib.contextmanager
def _listening(number, address="127.0.0.1"):
    kind = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if kind == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            listener.bind((address, number))
        except OSError as fault:
            pytest.skip(f"cannot listen on {address} here: {fault}")
        listener.listen()
        yield listener


# --- the pool


def test_the_pairs_of_the_pool():
    pairs = _pool(3)
    taken = _take_all(pairs)
    base = taken[0].port
    assert taken == [(base, base + 25), (base + 1, base + 26), (base + 2, base + 27)]


def test_the_pair_that_was_free_for_the_longest_time_comes_first():
    pairs = _pool(3)
    first, second = pairs.acquire(0), pairs.acquire(0)
    pairs.release(second)
    pairs.release(first)
    assert [pair.port - first.port for pair in _take_all(pairs)] == [2, 1, 0]


def test_no_pair_in_time_is_an_error_that_says_what_to_do():
    pairs = _pool(2)
    taken = _take_all(pairs)
    with pytest.raises(PortsBusyError) as caught:
        pairs.acquire(0.01)
    base = taken[0].port
    assert caught.value.faults == (
        f"no ports for a play became free within 0.01 s (2 pairs, {base} to {base + 1} and {base + 25} to {base + 26}: "
        "2 in use by plays of this process, 0 by other programs): wait for them or end them, or name other ports with "
        "EVALGATE_PORT_BASE, EVALGATE_CDP_BASE or more with EVALGATE_PORT_POOL_SIZE",
    )
    assert isinstance(caught.value, CannotJudgeError)


def test_who_waits_gets_what_is_released():
    pairs = _pool(1)
    pair = pairs.acquire(0)
    waiting, got = threading.Event(), []

    def wait():
        waiting.set()
        got.append(pairs.acquire(GUARD))

    thread = threading.Thread(target=wait)
    thread.start()
    waiting.wait(GUARD)
    assert got == []
    pairs.release(pair)
    thread.join(GUARD)
    assert got == [pair]


@pytest.mark.parametrize(
    "foreign", [None, "", 4400, (), (4400, 9400), ([], []), PortPair(1, 2), PortPair(4400, 9400), object()]
)
def test_what_is_no_pair_of_ours_is_ignored(foreign):
    pairs = _pool(2)
    pairs.release(foreign)
    assert len(_take_all(pairs)) == 2


def test_a_second_release_neither_doubles_a_pair_nor_takes_it_from_its_next_holder():
    pairs = _pool(1)
    mine = pairs.acquire(0)
    pairs.release(mine)
    pairs.release(mine)
    theirs = pairs.acquire(0)
    assert theirs == mine
    pairs.release(mine)
    assert _take_all(pairs) == []
    pairs.release(theirs)
    assert _take_all(pairs) == [theirs]


def test_a_lease_ends_with_its_block():
    pairs = _pool(1)
    with pairs.lease(0) as pair:
        assert _take_all(pairs) == []
    with pytest.raises(ZeroDivisionError), pairs.lease(0):
        _ = 1 / 0
    assert _take_all(pairs) == [pair]


def test_fifty_threads_never_share_a_pair():
    pairs = _pool(4)
    holders: dict[PortPair, int] = {}
    shared, most, served = [], [], []
    lock = threading.Lock()

    def play(pair):
        with lock:
            holders[pair] = holders.get(pair, 0) + 1
            if holders[pair] > 1:
                shared.append(pair)
            most.append(sum(holders.values()))
        time.sleep(0.001)
        with lock:
            holders[pair] -= 1
            served.append(pair)

    def worker():
        for _ in range(4):
            run_leased(pairs, play, GUARD)

    threads = [threading.Thread(target=worker) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
    assert shared == []
    assert len(served) == 200
    assert 2 <= max(most) <= 4
    assert len(_take_all(pairs)) == 4


@given(
    st.lists(st.tuples(st.sampled_from(["acquire", "release", "release foreign", "release twice"]), st.integers(0, 9)))
)
def test_whatever_is_done_in_whatever_order(steps):
    size = 3
    pairs = PortPool(20000, 20500, size)
    held: list[PortPair] = []
    given_back: list[PortPair] = []
    for what, pick in steps:
        if what == "acquire":
            if len(held) < size:
                held.append(pairs.acquire(GUARD))
            else:
                with pytest.raises(PortsBusyError):
                    pairs.acquire(0)
        elif what == "release" and held:
            given_back.append(held.pop(pick % len(held)))
            pairs.release(given_back[-1])
        elif what == "release twice" and given_back:
            pairs.release(given_back[pick % len(given_back)])
        elif what == "release foreign":
            pairs.release(PortPair(20000 + pick, 20500 + pick))
        assert len(set(held)) == len(held) <= size
    rest = _take_all(pairs)
    assert len({*rest, *held}) == len(rest) + len(held) == size
    for pair in [*rest, *held]:
        pairs.release(pair)


# --- other programs


@pytest.mark.parametrize("which", [0, 1], ids=["the game's port", "the browser's port"])
@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "::1"])
def test_a_port_on_which_somebody_listens_is_left_alone(which, address):
    pairs = _pool(2)
    first, second = _take_all(pairs)
    pairs.release(first)
    pairs.release(second)
    with _listening(first[which], address):
        assert _take_all(pairs) == [second]
        with pytest.raises(PortsBusyError, match="1 in use by plays of this process, 1 by other programs"):
            pairs.acquire(0)
    assert _take_all(pairs) == [first]


def test_a_port_that_somebody_gives_back_is_found_while_we_wait():
    pairs = _pool(1)
    pair = pairs.acquire(0)
    pairs.release(pair)
    got = []
    with _listening(pair.port):
        thread = threading.Thread(target=lambda: got.append(pairs.acquire(GUARD)))
        thread.start()
        assert got == []
    thread.join(GUARD)
    assert got == [pair]


@on_linux
def test_connections_that_wait_out_their_time_keep_no_port():
    pairs = _pool(1)
    pair = pairs.acquire(0)
    pairs.release(pair)
    with _listening(pair.port) as listener, socket.create_connection(("127.0.0.1", pair.port)) as client:
        served, _ = listener.accept()
        # Who closes first waits: here the server, on the port of the pair.
        served.close()
        assert client.recv(1) == b""
    with socket.socket() as naive, pytest.raises(OSError, match="in use"):
        naive.bind(("127.0.0.1", pair.port))
    assert pairs.acquire(0) == pair


@on_linux
def test_two_pools_never_give_the_same_pair():
    """Both look at the same time, nobody listens yet: the look alone gives one pair to both."""
    one = _pool(2)
    taken = one.acquire(0)
    assert ports._nobody_listens(taken.port)
    other = PortPool(taken.port, taken.cdp_port, 2)
    assert other.acquire(0) == (taken.port + 1, taken.cdp_port + 1)
    with pytest.raises(PortsBusyError):
        other.acquire(0)
    one.release(taken)
    assert other.acquire(0) == taken


@on_linux
def test_a_process_that_is_killed_gives_its_ports_back():
    pairs = _pool(1)
    pair = pairs.acquire(0)
    pairs.release(pair)
    code = (
        "import sys, time; from evalgate.play.ports import PortPool\n"
        f"pair = PortPool({pair.port}, {pair.cdp_port}, 1).acquire(0); print('taken', flush=True); time.sleep({GUARD})"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "taken\n"
            assert _take_all(pairs) == []
        finally:
            other.kill()
    assert pairs.acquire(GUARD) == pair


def test_a_pair_that_is_not_given_out_holds_no_descriptor():
    pairs = _pool(2)
    first, second = _take_all(pairs)
    pairs.release(first)
    pairs.release(second)
    with _listening(first.cdp_port), _listening(second.cdp_port):
        before = len(os.listdir("/dev/fd"))  # noqa: PTH208
        assert _take_all(pairs) == []
        assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208


# --- the trap of asyncio


class _Play:
    """A play that a thread goes on with whatever becomes of the coroutine; the test says when it is over."""

    def __init__(self):
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.pair = None

    def __call__(self, pair):
        self.pair = pair
        self.begun.set()
        assert self.may_end.wait(GUARD)
        return "played"


async def _naive(pairs, play):
    pair = await asyncio.to_thread(pairs.acquire, GUARD)
    try:
        return await asyncio.to_thread(play, pair)
    finally:
        pairs.release(pair)


async def _ours(pairs, play):
    return await asyncio.to_thread(run_leased, pairs, play, GUARD)


@pytest.mark.parametrize(("way", "given_away"), [(_naive, True), (_ours, False)], ids=["naive", "ours"])
def test_cancelling_a_play_does_not_give_its_ports_away_while_it_goes_on(way, given_away):
    pairs, play = _pool(1), _Play()

    async def scene():
        task = asyncio.create_task(way(pairs, play))
        await asyncio.to_thread(play.begun.wait, GUARD)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The thread still plays with this pair.
        try:
            return _take_all(pairs) == [play.pair]
        finally:
            play.may_end.set()

    assert asyncio.run(scene()) is given_away
    if not given_away:
        # asyncio.run waited for its threads: the play is over, and with it the lease.
        assert _take_all(pairs) == [play.pair]


def test_waiting_for_ports_does_not_block_the_event_loop():
    pairs, play, second = _pool(1), _Play(), _Play()
    second.may_end.set()

    async def scene():
        first = asyncio.create_task(_ours(pairs, play))
        await asyncio.to_thread(play.begun.wait, GUARD)
        waiting = asyncio.create_task(_ours(pairs, second))
        # The loop still turns while one thread plays and another waits: otherwise this line would never be reached.
        await asyncio.sleep(0)
        assert not second.begun.is_set()
        play.may_end.set()
        return await asyncio.gather(first, waiting)

    assert asyncio.run(scene()) == ["played", "played"]
    assert play.pair == second.pair


def test_what_a_play_raises_gives_the_ports_back():
    pairs = _pool(1)
    with pytest.raises(ZeroDivisionError):
        run_leased(pairs, lambda pair: pair.port / 0, 0)
    assert len(_take_all(pairs)) == 1


# --- the pool of the process


@pytest.mark.parametrize(
    ("environment", "faults"),
    [
        ({"EVALGATE_PORT_BASE": "x"}, ['EVALGATE_PORT_BASE: must be a whole number (got "x")']),
        ({"EVALGATE_PORT_BASE": ""}, ['EVALGATE_PORT_BASE: must be a whole number (got "")']),
        ({"EVALGATE_CDP_BASE": "-1"}, ['EVALGATE_CDP_BASE: must be a whole number (got "-1")']),
        ({"EVALGATE_CDP_BASE": "9400.0"}, ['EVALGATE_CDP_BASE: must be a whole number (got "9400.0")']),
        (
            {"EVALGATE_CDP_BASE": "٩٤٠٠"},
            ['EVALGATE_CDP_BASE: must be a whole number (got "\\u0669\\u0664\\u0660\\u0660")'],
        ),
        ({"EVALGATE_CDP_BASE": "9" * 5000}, None),
        ({"EVALGATE_PORT_POOL_SIZE": "1\n6"}, ['EVALGATE_PORT_POOL_SIZE: must be a whole number (got "1\\n6")']),
        ({"EVALGATE_PORT_POOL_SIZE": "0"}, ["EVALGATE_PORT_POOL_SIZE: must be at least 1 (got 0)"]),
        (
            {"EVALGATE_PORT_BASE": "a", "EVALGATE_CDP_BASE": "b"},
            [
                'EVALGATE_PORT_BASE: must be a whole number (got "a")',
                'EVALGATE_CDP_BASE: must be a whole number (got "b")',
            ],
        ),
        (
            {"EVALGATE_PORT_BASE": "0"},
            ["EVALGATE_PORT_BASE: 0 to 15 must lie within 1 to 65535 (EVALGATE_PORT_POOL_SIZE is 16)"],
        ),
        (
            {"EVALGATE_CDP_BASE": "65521"},
            ["EVALGATE_CDP_BASE: 65521 to 65536 must lie within 1 to 65535 (EVALGATE_PORT_POOL_SIZE is 16)"],
        ),
        (
            {"EVALGATE_PORT_BASE": "9385"},
            [
                "EVALGATE_PORT_BASE, EVALGATE_CDP_BASE: 9385 to 9400 and 9400 to 9415 must not overlap "
                "(EVALGATE_PORT_POOL_SIZE is 16)"
            ],
        ),
        (
            {"EVALGATE_PORT_POOL_SIZE": "5001"},
            [
                "EVALGATE_PORT_BASE, EVALGATE_CDP_BASE: 4400 to 9400 and 9400 to 14400 must not overlap "
                "(EVALGATE_PORT_POOL_SIZE is 5001)"
            ],
        ),
    ],
)
def test_a_bad_value_is_an_error_that_names_the_variable(environment, faults):
    with pytest.raises(CannotJudgeError) as caught:
        pool_of(environment)
    if faults is not None:
        assert list(caught.value.faults) == faults
    assert all(name in str(caught.value) for name in environment)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "environment",
    [
        {"EVALGATE_PORT_BASE": "9384"},
        {"EVALGATE_PORT_BASE": "9416"},
        {"EVALGATE_CDP_BASE": "65520"},
        {"EVALGATE_PORT_BASE": "1", "EVALGATE_CDP_BASE": "2", "EVALGATE_PORT_POOL_SIZE": "1"},
        {"EVALGATE_PORT_POOL_SIZE": "5000"},
    ],
)
def test_ranges_that_just_fit(environment):
    assert isinstance(pool_of(environment), PortPool)


@pytest.mark.parametrize("arguments", [(0, 9400, 1), (4400, 4400, 1), (4400, 9400, 0), (65535, 1, 2)])
def test_a_pool_of_bad_numbers_cannot_be_made(arguments):
    with pytest.raises(CannotJudgeError):
        PortPool(*arguments)


def test_the_process_has_one_pool_that_follows_the_environment(monkeypatch):
    monkeypatch.setattr(ports, "_POOL", [])
    base = next(_RANGES)
    monkeypatch.setenv("EVALGATE_PORT_POOL_SIZE", "none")
    with pytest.raises(CannotJudgeError, match="EVALGATE_PORT_POOL_SIZE"):
        pool()
    monkeypatch.setenv("EVALGATE_PORT_BASE", str(base))
    monkeypatch.setenv("EVALGATE_CDP_BASE", str(base + 25))
    monkeypatch.setenv("EVALGATE_PORT_POOL_SIZE", "2")
    found: list[PortPool] = []
    threads = [threading.Thread(target=lambda: found.append(pool())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
    assert len(found) == 8
    assert len(set(map(id, found))) == 1
    assert _take_all(pool()) == [(base, base + 25), (base + 1, base + 26)]
