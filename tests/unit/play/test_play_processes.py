"""
What the processes of a play leave behind: nothing, whatever ends them and us.

A program is recognised by a number that only this test uses, in its command line: its environment and its parent may be
gone. A timeout is a guard against a hang, never the thing that is measured.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from evalgate.errors import CannotJudgeError
from evalgate.play import processes, supervisor
from evalgate.play._kept import Kept, Lines
from evalgate.play.processes import ProcessError, ProcessGroups, Terminated, run, temporary_folder

ROOT = Path(__file__).parents[3]
GUARD = 60
"""Unit: seconds, after which something is taken to hang."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc to see what is left")


@pytest.fixture(name="number")
def _number():
    """Return a number that marks the programs of one test, and end what a failing test left."""
    number = str(random.SystemRandom().randrange(10**8, 10**9))
    yield number
    for pid in _alive(number):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _alive(number):
    """
    Return the pids of the programs `sleep NUMBER`, zombies left out.

    One that is `setsid sleep NUMBER` yet has no session of its own yet.
    """
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                state = (folder / "stat").read_bytes().rpartition(b")")[2].split()[0]
            except (OSError, IndexError):
                continue
            if words[:2] == [b"sleep", number.encode()] and state not in (b"Z", b"X"):
                found.append(int(folder.name))
    return found


def _until(condition):
    """Wait until `condition()` is true; return it, or its last value when it never is."""
    give_up_at = time.monotonic() + GUARD
    while not (value := condition()) and time.monotonic() < give_up_at:
        time.sleep(0.02)
    return value


SHAPES = {
    "a child": "sleep {n} & sleep {n}; true",
    "a launcher that waits": "sh -c 'sleep {n}; true' & wait; true",
    "a session of its own": "setsid sleep {n} & sleep {n}; true",
    "an orphan": "(setsid sleep {n} &) ; sleep {n}; true",
    "an orphan without the mark": "(env -i setsid sleep {n} &) ; sleep {n}; true",
    "a child that ignores SIGTERM": "trap '' TERM; sleep {n} & sleep {n}; true",
    "an orphan that ignores SIGTERM": "trap '' TERM HUP INT; (env -i setsid sleep {n} &) ; sleep {n}; true",
}
"""Each runs `sleep` with the number twice, or once where it is a launcher's."""


def _count(shape):
    return SHAPES[shape].count("{n}")


def _shell(shape, number):
    return ["sh", "-c", SHAPES[shape].format(n=number)]


# --- what a naive version leaves


def test_killing_the_program_alone_leaves_its_children(number):
    naive = subprocess.Popen(_shell("a child", number))
    assert _until(lambda: len(_alive(number)) == 2)
    naive.kill()
    naive.wait()
    assert len(_alive(number)) == 2


def test_killing_the_process_group_leaves_a_child_with_a_session_of_its_own(number):
    naive = subprocess.Popen(_shell("a session of its own", number), start_new_session=True)
    assert _until(lambda: len(_alive(number)) == 2)
    os.killpg(naive.pid, signal.SIGKILL)
    naive.wait()
    assert _until(lambda: len(_alive(number)) == 1)


def test_the_mark_alone_leaves_a_child_that_wiped_its_environment(number):
    with ProcessGroups() as groups:
        process = groups.start(_shell("an orphan without the mark", number))
        assert _until(lambda: len(_alive(number)) == 2)
        marked = {one.pid for one in supervisor.processes(process.mark) if one.marked}
        assert len(set(_alive(number)) - marked) == 1


# --- what ours leaves


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_left_when_the_block_is_left(number, shape):
    with ProcessGroups(grace=0.2) as groups:
        process = groups.start(_shell(shape, number))
        assert _until(lambda: len(_alive(number)) == _count(shape))
        assert process.poll() is None
    assert _alive(number) == []
    assert process.poll() is not None


@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_after_an_exception(number, raised):
    def play():
        with ProcessGroups(grace=0.2) as groups:
            groups.start(_shell("a session of its own", number))
            assert _until(lambda: len(_alive(number)) == 2)
            raise raised

    with pytest.raises(raised):
        play()
    assert _alive(number) == []


def test_a_program_that_was_stopped_hears_that_it_is_to_end(number):
    with ProcessGroups(grace=GUARD) as groups:
        process = groups.start(["sleep", number])
        os.kill(process.pid, signal.SIGSTOP)
    assert process.poll() == -signal.SIGTERM


def test_nothing_is_left_of_a_program_that_has_ended_before(number):
    with ProcessGroups() as groups:
        process = groups.start(["sh", "-c", f"setsid sleep {number} & exit 7"])
        assert process.wait(GUARD) == 7
        assert _until(lambda: len(_alive(number)) == 1)
        process.end()
        assert _alive(number) == []


def test_a_program_that_ignores_sigterm_is_killed_and_says_so(number):
    with ProcessGroups(grace=0.1) as groups:
        process = groups.start(["sh", "-c", f"trap '' TERM; echo ready; while :; do sleep {number}; done"])
        process.wait_for_line(lambda line: line == "ready", GUARD)
        process.end()
        assert process.poll() == -signal.SIGKILL
    assert _alive(number) == []


def test_a_program_of_which_only_the_first_thread_has_ended_is_no_zombie():
    script = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(3600,)).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)"
    )
    with ProcessGroups() as groups:
        process = groups.start([sys.executable, "-c", script])
        stat = Path(f"/proc/{process.pid}/stat")
        assert _until(lambda: stat.read_bytes().rpartition(b")")[2].split()[0] == b"Z")
        assert process.pid in [one.pid for one in supervisor.processes(process.mark)]
        assert process.poll() is None
    assert not stat.exists()
    assert process.poll() == -signal.SIGTERM


def test_a_program_has_time_to_end_by_itself(tmp_path):
    done = tmp_path / "done"
    with ProcessGroups(grace=GUARD) as groups:
        process = groups.start(
            ["sh", "-c", f"trap 'echo bye > {done}; exit 5' TERM; echo ready; while :; do sleep 0.05; done"]
        )
        process.wait_for_line(lambda line: line == "ready", GUARD)
    assert process.poll() == 5
    assert done.read_text() == "bye\n"


def test_nothing_is_left_when_the_supervisor_is_killed(number):
    with ProcessGroups() as groups:
        process = groups.start(_shell("a session of its own", number))
        assert _until(lambda: len(_alive(number)) == 2)
        (theirs,) = [one.parent for one in supervisor.processes(process.mark) if one.pid == process.pid]
        os.kill(theirs, signal.SIGKILL)
        with pytest.raises(ProcessError, match="its supervisor was killed"):
            process.wait_for_line(lambda _: False, GUARD)
        assert process.poll() == -signal.SIGKILL
    assert _alive(number) == []


def test_a_supervisor_that_is_asked_to_end_ends_its_group(number):
    with ProcessGroups(grace=0.2) as groups:
        process = groups.start(_shell("an orphan that ignores SIGTERM", number))
        assert _until(lambda: len(_alive(number)) == 2)
        (theirs,) = [one.parent for one in supervisor.processes(process.mark) if one.pid == process.pid]
        os.kill(theirs, signal.SIGTERM)
        assert process.wait(GUARD) is not None
        assert _until(lambda: _alive(number) == [])


def test_nothing_is_left_when_the_supervisor_hangs(number, monkeypatch):
    monkeypatch.setattr(supervisor, "KILL_SECONDS", 0.1)
    monkeypatch.setattr(processes, "_SETTLE_SECONDS", 0.5)
    with ProcessGroups(grace=0.1) as groups:
        process = groups.start(_shell("a session of its own", number))
        assert _until(lambda: len(_alive(number)) == 2)
        (theirs,) = [one.parent for one in supervisor.processes(process.mark) if one.pid == process.pid]
        os.kill(theirs, signal.SIGSTOP)
    assert _alive(number) == []
    assert process.poll() == -signal.SIGKILL


def test_what_even_sigkill_does_not_end_is_said(monkeypatch):
    """No process of a test is like that, so the supervisor's last words are changed on their way."""
    hear = processes.Process._hear
    monkeypatch.setattr(
        processes.Process,
        "_hear",
        lambda process, news, sources: hear(process, {"left": [4242]} if "left" in news else news, sources),
    )

    def play(divisor):
        with ProcessGroups() as groups:
            groups.start(["sleep", "3600"])
            _ = 1 / divisor

    with pytest.raises(ProcessError, match="sleep: could not be ended: process 4242 is still there"):
        play(1)
    with pytest.raises(ZeroDivisionError) as caught:
        play(0)
    assert caught.value.__notes__ == ["sleep: could not be ended: process 4242 is still there"]


def test_many_groups_end_side_by_side_and_none_keeps_another_alive(number):
    with ProcessGroups(grace=0.2) as groups:
        running = [groups.start(_shell("a child that ignores SIGTERM", number)) for _ in range(4)]
        assert _until(lambda: len(_alive(number)) == 8)
        running[1].end()
        assert len(_alive(number)) == 6
        assert running[0].poll() is None
    assert _alive(number) == []


def test_no_thread_and_no_descriptor_is_left():
    run(["true"], timeout=GUARD)
    before = (threading.active_count(), len(list(Path("/proc/self/fd").iterdir())))
    for _ in range(3):
        run(["sh", "-c", "cat; echo out; echo err >&2"], timeout=GUARD, stdin=b"in")
        with pytest.raises(ProcessError):
            run(["/nonexistent/program"], timeout=GUARD)
        with pytest.raises(ProcessError):
            run(["true"], timeout=GUARD, cwd="/nonexistent")
    assert (threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))) == before


# --- what ends us

PARENT = """
import signal, sys, time
from evalgate.play.processes import ProcessGroups
with ProcessGroups(grace=0.2) as groups:
    groups.start(["sh", "-c", sys.argv[1]])
    groups.start(["sh", "-c", sys.argv[1]])
    print("ready", flush=True)
    while True:
        time.sleep(60)
"""
IN_A_THREAD = f"""
import threading
code = {PARENT!r}
thread = threading.Thread(target=exec, args=(code, {{}}))
thread.start()
thread.join()
"""


def _parent(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )


@pytest.mark.parametrize("shape", ["a session of its own", "an orphan that ignores SIGTERM"])
@pytest.mark.parametrize(
    ("number_of_signal", "code", "whole_group", "returncode"),
    [
        pytest.param(signal.SIGKILL, PARENT, False, -9, id="SIGKILL"),
        pytest.param(signal.SIGKILL, PARENT, True, -9, id="SIGKILL to our whole process group"),
        pytest.param(signal.SIGTERM, PARENT, False, 143, id="SIGTERM"),
        pytest.param(signal.SIGHUP, PARENT, True, 129, id="SIGHUP to our whole process group"),
        pytest.param(signal.SIGINT, PARENT, True, -2, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, IN_A_THREAD, False, -15, id="SIGTERM while a thread plays"),
        pytest.param(signal.SIGKILL, IN_A_THREAD, False, -9, id="SIGKILL while a thread plays"),
    ],
)
def test_nothing_is_left_when_we_are_ended(number, shape, number_of_signal, code, whole_group, returncode):
    with _parent(code, SHAPES[shape].format(n=number)) as parent:
        try:
            assert parent.stdout.readline() == "ready\n"
            assert _until(lambda: len(_alive(number)) == 4)
            (os.killpg if whole_group else os.kill)(parent.pid, number_of_signal)
            assert parent.wait(GUARD) == returncode
            if returncode > 0:
                # Ended by us, in order: nothing is left by the time at which we are gone.
                assert _alive(number) == []
            assert _until(lambda: _alive(number) == [])
        finally:
            parent.kill()


def test_nothing_is_left_when_somebody_else_keeps_the_lifeline_open(number):
    """A fork of ours (multiprocessing) has all our descriptors: the pipe does not close when we are gone."""
    code = f"""
import os, sys, time
from evalgate.play.processes import ProcessGroups
with ProcessGroups(grace=0.2) as groups:
    groups.start(["sh", "-c", sys.argv[1]])
    groups.start(["sh", "-c", sys.argv[1]])
    if os.fork() == 0:
        for descriptor in range(3, 64):
            if os.path.exists(f"/dev/fd/{{descriptor}}"):
                os.set_inheritable(descriptor, True)
        os.execvp("sleep", ["sleep", "{number}1"])
    print("ready", flush=True)
    time.sleep(60)
"""
    with _parent(code, SHAPES["a child"].format(n=number)) as parent:
        try:
            assert parent.stdout.readline() == "ready\n"
            assert _until(lambda: len(_alive(number)) == 4)
            (holder,) = _until(lambda: _alive(number + "1"))
            parent.send_signal(signal.SIGKILL)
            parent.wait(GUARD)
            assert _until(lambda: _alive(number) == [])
            assert _alive(number + "1") == [holder]
        finally:
            parent.kill()
            for pid in _alive(number + "1"):
                os.kill(pid, signal.SIGKILL)


def test_no_supervisor_is_left_when_we_are_killed(number):
    with _parent(PARENT, SHAPES["a child"].format(n=number)) as parent:
        try:
            parent.stdout.readline()
            mine = [one.pid for one in supervisor.processes("") if one.parent == parent.pid]
            assert len(mine) == 2
        finally:
            parent.kill()
        assert _until(lambda: not set(mine) & {one.pid for one in supervisor.processes("")})


def test_a_signal_becomes_an_exception_that_no_gate_takes_for_a_red_one(number):
    def play(wanted):
        with ProcessGroups() as groups, contextlib.suppress(Exception):
            groups.start(_shell("a child", number))
            os.kill(os.getpid(), wanted)
            time.sleep(GUARD)

    before = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]
    for wanted in (signal.SIGTERM, signal.SIGHUP):
        with pytest.raises(Terminated) as caught:
            play(wanted)
        assert caught.value.signal is wanted
        assert caught.value.code == 128 + wanted
        assert _alive(number) == []
    assert [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)] == before


@pytest.mark.parametrize(
    ("number_of_signal", "expected"), [(signal.SIGTERM, Terminated), (signal.SIGINT, KeyboardInterrupt)]
)
@pytest.mark.parametrize("nested", [False, True])
def test_a_signal_while_a_program_is_started_or_ended_waits(number, monkeypatch, number_of_signal, expected, nested):
    begin, end, seen = processes.Process._begin, processes.Process.end, []

    def start_slowly(process, **more):
        begin(process, **more)
        os.kill(os.getpid(), number_of_signal)
        seen.append("started")

    def end_slowly(process):
        os.kill(os.getpid(), number_of_signal)
        seen.append("ending")
        end(process)
        seen.append("ended")

    monkeypatch.setattr(processes.Process, "_begin", start_slowly)
    monkeypatch.setattr(processes.Process, "end", end_slowly)

    def play():
        with ProcessGroups() as outer, ProcessGroups() if nested else contextlib.nullcontext(outer) as groups:
            groups.start(_shell("a child", number))
            seen.append("went on")

    with pytest.raises(expected):
        play()
    assert seen == ["started", "ending", "ended"]
    assert _alive(number) == []


def test_a_signal_that_was_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ProcessGroups():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_another_thread_signals_are_left_alone(number):
    seen = {}

    def play():
        with ProcessGroups() as groups:
            seen["handler"] = signal.getsignal(signal.SIGTERM)
            groups.start(_shell("a child", number))
            seen["running"] = _until(lambda: len(_alive(number)) == 2)

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=play)
    thread.start()
    thread.join(GUARD)
    assert seen == {"handler": before, "running": True}
    assert _alive(number) == []


def test_what_is_ignored_by_us_is_not_ignored_by_the_program():
    done = run(["sh", "-c", "yes | true; kill -PIPE $$; echo survived"], timeout=GUARD)
    assert (done.returncode, done.stdout) == (-signal.SIGPIPE, "")


# --- what a program writes


def test_a_flood_neither_stops_nor_is_kept():
    done = run(["sh", "-c", "echo first; yes | head -c 100000000; echo last; echo error >&2"], timeout=GUARD)
    assert (done.returncode, done.timed_out, done.stderr) == (0, False, "error\n")
    assert done.stdout.startswith("first\ny\n")
    assert done.stdout.endswith("y\nlast\n")
    assert len(done.stdout) < 2 * processes.KEPT_BYTES + 100
    assert f"\n... {100000000 + 11 - 2 * processes.KEPT_BYTES} bytes left out ...\n" in done.stdout


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param("yes | head -c 20000000", id="lines"),
        pytest.param("head -c 200000000 /dev/zero", id="one line without an end"),
    ],
)
def test_a_flood_does_not_fill_our_memory(flood):
    code = """
import resource, sys
from evalgate.play.processes import ProcessGroups, run
run(["true"], timeout=60)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with ProcessGroups() as groups:
    process = groups.start(["sh", "-c", sys.argv[1] + "; echo; echo last"])
    process.wait_for_line(lambda line: line == "last", 60)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    with _parent(code, flood) as parent:
        out, err = parent.communicate(timeout=GUARD)
    assert err == ""
    assert int(out) < 30_000, "more KiB than what is kept explains"


def test_a_program_that_floods_both_pipes_does_not_block():
    script = "import os\nfor _ in range(300):\n os.write(2, b'e' * 65536)\n os.write(1, b'o' * 65536)"
    done = run([sys.executable, "-c", script], timeout=GUARD)
    assert (done.returncode, done.timed_out) == (0, False)
    assert "bytes left out" in done.stdout
    assert "bytes left out" in done.stderr


def test_no_line_is_missed_in_a_flood():
    with ProcessGroups() as groups:
        process = groups.start(
            ["sh", "-c", "read go; yes | head -c 8000000; echo here; yes | head -c 8000000"], stdin=b"\n"
        )
        assert process.wait_for_line(lambda line: line == "here", GUARD) == "here"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("echo DevTools listening on ws://x", "DevTools listening on ws://x"),
        ("echo DevTools >&2", "DevTools"),
        ("echo a; echo DevTools; echo b; sleep 60", "DevTools"),
        ("printf 'Dev'; sleep 0.1; echo Tools; sleep 60", "DevTools"),
        ("printf 'DevTools'", "DevTools"),
        ("printf 'DevTools\\r\\n'", "DevTools"),
        ("printf 'DevTools \\377\\n'", "DevTools \ufffd"),
        ("printf 'a\\nb'; printf 'DevTools\\n' >&2; sleep 60", "DevTools"),
    ],
)
def test_the_line_that_is_waited_for(script, line):
    with ProcessGroups() as groups:
        process = groups.start(["sh", "-c", script])
        assert process.wait_for_line(lambda line: line.startswith("DevTools"), GUARD) == line


def test_a_line_that_was_written_before_counts():
    with ProcessGroups() as groups:
        process = groups.start(["sh", "-c", "echo first; echo second"])
        process.wait(GUARD)
        assert process.wait_for_line(lambda line: line == "second", 0) == "second"
        assert process.wait_for_line(lambda line: line == "first", 0) == "first"


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("echo why >&2; exit 4", "sh: ended with exit code 4"),
        ("echo why; kill -SEGV $$", "sh: was ended by SIGSEGV"),
        # Somebody holds the pipe, and still it is known at once that the program is gone.
        ("echo why; setsid sleep 3600 & exit 0", "sh: ended with exit code 0"),
    ],
)
def test_a_program_that_ends_before_the_line_is_an_error_with_what_it_wrote(script, fault):
    with ProcessGroups() as groups:
        process = groups.start(["sh", "-c", script])
        with pytest.raises(ProcessError) as caught:
            process.wait_for_line(lambda _: False, GUARD)
        assert caught.value.faults == (fault, "sh: wrote: why")
        assert process.output_tail() == "why\n"
    assert isinstance(caught.value, CannotJudgeError)


def test_a_line_that_does_not_come_in_time_is_an_error():
    with ProcessGroups() as groups:
        process = groups.start(["sh", "-c", "echo busy; sleep 3600"])
        process.wait_for_line(lambda line: line == "busy", GUARD)
        with pytest.raises(ProcessError) as caught:
            process.wait_for_line(lambda _: False, 0.01)
        assert process.poll() is None
    assert caught.value.faults == (
        "sh: did not write the line that was waited for within 0.01 s",
        "sh: wrote: busy",
    )


def test_what_a_predicate_raises_is_raised_where_it_is_waited_for():
    with ProcessGroups() as groups:
        process = groups.start(["sh", "-c", "read go; echo line; sleep 3600"], stdin=b"\n")
        with pytest.raises(ZeroDivisionError):
            process.wait_for_line(lambda _: 1 // 0 > 0, GUARD)
        assert process.wait_for_line(lambda line: line in process.output_tail(), GUARD) == "line"


def test_the_tail_has_both_streams_and_is_bounded():
    script = "import sys\nfor n in range(9000):\n print(n, flush=n > 8990)\nprint('err', file=sys.stderr)"
    with ProcessGroups() as groups:
        process = groups.start([sys.executable, "-c", script])
        process.wait(GUARD)
        tail = process.output_tail()
    assert len(tail) == 8000
    assert {"8999", "err"} < set(tail.splitlines())


# --- starting


def test_run_returns_what_there_was(tmp_path):
    script = 'echo "$0 $PWD $KNOWN ${HOME-none}"; cat; echo err >&2; exit 3'
    done = run(
        ["sh", "-c", script, "zero"],
        timeout=GUARD,
        cwd=tmp_path,
        env={"KNOWN": "1", "PATH": os.environ["PATH"]},
        stdin=b"in",
    )
    assert done == (3, f"zero {tmp_path} 1 none\nin", "err\n", False)


def test_run_ends_what_takes_too_long(number):
    done = run(["sh", "-c", f"echo begun; sleep {number} & sleep {number}"], timeout=0.5)
    assert done == (-signal.SIGTERM, "begun\n", "", True)
    assert _alive(number) == []


def test_run_does_not_wait_for_what_is_left_in_the_background(number):
    done = run(["sh", "-c", f"sleep {number} & echo done"], timeout=GUARD)
    assert done == (0, "done\n", "", False)
    assert _alive(number) == []


def test_input_that_nobody_reads_does_not_block():
    assert run(["true"], timeout=GUARD, stdin=b"x" * 10_000_000).returncode == 0
    assert run(["wc", "-c"], timeout=GUARD, stdin=b"x" * 10_000_000).stdout.strip() == "10000000"


@pytest.mark.parametrize(
    ("argv", "more", "fault"),
    [
        (
            ["evalgate-has-no-such-program"],
            {},
            "evalgate-has-no-such-program: cannot be started (No such file or directory)",
        ),
        (["/etc/passwd"], {}, "passwd: cannot be started (Permission denied)"),
        (["sh"], {"cwd": "/nonexistent"}, "sh: cannot be started (No such file or directory: /nonexistent)"),
        (["sh", "a\0b"], {}, "sh: cannot be started (embedded null byte)"),
        (["sh"], {"env": {"A=B": "c"}}, "sh: cannot be started (illegal environment variable name)"),
        ([], {}, "a program without a name cannot be started"),
    ],
)
def test_what_cannot_be_started_is_an_error(argv, more, fault):
    with pytest.raises(ProcessError) as caught:
        run(argv, timeout=GUARD, **more)
    assert caught.value.faults == (fault,)


def test_nothing_is_started_once_the_block_was_left():
    with ProcessGroups() as groups:
        pass
    with pytest.raises(ProcessError, match="all programs are being ended"):
        groups.start(["true"])


def test_a_program_has_a_session_of_its_own_and_the_mark():
    script = (
        "import os; print(os.getsid(0) == os.getpgrp() == os.getpid(), os.environ['EVALGATE_PLAY_ID'], os.getpid())"
    )
    with ProcessGroups() as groups:
        process = groups.start([sys.executable, "-c", script])
        process.wait(GUARD)
        assert process.output_tail() == f"True {process.mark} {process.pid}\n"


def test_elsewhere_than_on_posix_it_says_so(monkeypatch):
    monkeypatch.setattr(processes, "os", SimpleNamespace(name="nt"))
    with pytest.raises(CannotJudgeError, match="needs a POSIX system"):
        run(["true"], timeout=GUARD)


def test_the_modules_can_be_imported_where_there_is_no_posix():
    code = """
import os, signal, socket, subprocess, tempfile, threading, selectors, shutil, importlib.util
for module, names in (
    (os, "fork setsid killpg waitpid getppid set_blocking"),
    (signal, "SIGHUP SIGKILL SIGCHLD SIGCONT"),
    (socket, "AF_UNIX"),
):
    for name in names.split():
        delattr(module, name)
import evalgate.play.components, evalgate.play.ports, evalgate.play.processes
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stderr == ""


# --- the pure parts


@pytest.mark.parametrize(
    ("chunks", "text", "dropped"),
    [
        ([], "", 0),
        ([b"abc"], "abc", 0),
        ([b"abcd", b"efgh"], "abcdefgh", 0),
        ([b"abcdefghi"], "abcd\n... 1 bytes left out ...\nfghi", 1),
        ([b"a"] * 100, "aaaa\n... 92 bytes left out ...\naaaa", 92),
    ],
)
def test_the_beginning_and_the_end_are_kept(chunks, text, dropped):
    kept = Kept(4)
    for chunk in chunks:
        kept.add(chunk)
    assert (kept.text(), kept.dropped) == (text, dropped)
    assert kept.end(2) == text[-2:]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_lines_do_not_depend_on_how_they_arrive(size):
    data = b"one\r\ntwo\n\nthree"
    lines = Lines()
    found = [line for start in range(0, len(data), size) for line in lines.feed(data[start : start + size])]
    assert [*found, *lines.finish()] == ["one", "two", "", "three"]


def test_a_line_with_a_gap_in_it_is_no_line():
    lines = Lines()
    assert list(lines.feed(b"whole\nbro")) == ["whole"]
    lines.gap()
    assert list(lines.feed(b"ken\nwhole\n")) == ["whole"]


def test_what_ps_writes():
    listing = (
        "    1     0     1 Ss   /sbin/launchd\n"
        "  501     1   501 S    /bin/sleep 9 EVALGATE_PLAY_ID=abc HOME=/x\n"
        "  502   501   501 Z    (sleep)\n"
        "  503   501   503 R+   sleep EVALGATE_PLAY_ID=abcd\n"
        "  504   501   504 S\n"
        "ps: something went wrong\n"
    )
    assert [tuple(one) for one in supervisor.parse_ps(listing, "abc")] == [
        (1, 0, 1, False),
        (501, 1, 501, True),
        (503, 501, 503, False),
        (504, 501, 504, False),
    ]


@pytest.mark.parametrize(
    ("roots", "spare", "expected"),
    [
        ([], [], [50, 51, 52]),
        ([10], [], [10, 11, 12, 13, 50, 51, 52]),
        ([10], [10], [11, 12, 13, 50, 51, 52]),
        ([11], [], [11, 12, 50, 51, 52]),
        ([10], [11], [10, 13, 50, 51, 52]),
        ([], [50], []),
        ([99], [], [50, 51, 52]),
    ],
)
def test_what_belongs_to_a_family(roots, spare, expected):
    seen = [
        supervisor.Seen(pid, parent, group, marked)
        for pid, parent, group, marked in [
            (1, 0, 1, False),
            (10, 1, 10, False),
            (11, 10, 11, False),
            (12, 11, 11, False),
            (13, 1, 10, False),  # an orphan of the group
            (50, 1, 50, True),
            (51, 50, 51, False),
            (52, 51, 52, False),
            (60, 1, 60, False),
        ]
    ]
    assert supervisor.family(seen, roots, spare=spare) == expected


# --- temporary folders


def test_a_folder_for_us_alone_that_is_gone_afterwards():
    with temporary_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "a" / "b" / "file").write_text("x")
    assert not folder.exists()
    with pytest.raises(ZeroDivisionError), temporary_folder() as other:
        _ = 1 / 0
    assert not other.exists()
    assert other != folder


def test_a_browser_that_still_writes_is_outlasted(monkeypatch):
    """The naive version raises "Directory not empty" here, now and then; this writer makes it so each time."""
    remove = os.rmdir
    tries: list[object] = []

    def late(path, *arguments, **more):
        # A last write between the emptying of the folder and its removal.
        if len(tries) < 3:
            tries.append(path)
            (folder / "late").write_text("x")
        remove(path, *arguments, **more)

    with temporary_folder() as folder:
        monkeypatch.setattr(os, "rmdir", late)
    assert len(tries) == 3
    assert not folder.exists()


def test_a_real_writer_is_outlasted():
    stop = threading.Event()

    def write():
        count = 0
        while not stop.is_set() and count < 2000:
            count += 1
            with contextlib.suppress(OSError):
                place = folder / "cache" / str(count % 7)
                place.mkdir(parents=True, exist_ok=True)
                (place / str(count)).write_text("x")

    with temporary_folder() as folder:
        writer = threading.Thread(target=write)
        writer.start()
        _until((folder / "cache").exists)
        timer = threading.Timer(0.3, stop.set)
        timer.start()
    writer.join(GUARD)
    timer.join(GUARD)
    # The writer may have made it anew after the last look: what counts is that nothing was raised.
    shutil.rmtree(folder, ignore_errors=True)


def test_links_are_removed_and_not_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with temporary_folder() as folder:
        (folder / "out").symlink_to(tmp_path)
        (folder / "dangling").symlink_to(folder / "nowhere")
        (folder / "loop").symlink_to(folder)
    assert not folder.exists()
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_folder_that_became_a_link_is_not_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with temporary_folder() as folder:
        folder.rmdir()
        folder.symlink_to(tmp_path)
    assert not os.path.lexists(folder)
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_folder_that_is_gone_already_is_no_fault():
    with temporary_folder() as folder:
        folder.rmdir()
    assert not folder.exists()


def test_a_folder_that_cannot_be_removed_is_not_passed_over(monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    remove = shutil.rmtree
    monkeypatch.setattr(processes, "_REMOVE_SECONDS", 0)
    monkeypatch.setattr(shutil, "rmtree", refuse)
    told: list[str] = []
    left: list[Path] = []

    def play(more, raised=None):
        with temporary_folder(*more) as folder:
            left.append(folder)
            if raised is not None:
                raise raised

    with pytest.raises(CannotJudgeError, match="cannot be removed"):
        play([])
    play([told.append])
    with pytest.raises(ValueError, match="mine"):
        play([], ValueError("mine"))
    assert told == [f"{left[1]}: cannot be removed (Permission denied: {left[1]})"]
    for folder in left:
        remove(folder)


def test_the_folder_of_who_was_killed_is_removed_by_the_next_one(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "import time; from evalgate.play.processes import temporary_folder\n"
        f"with temporary_folder() as folder: print(folder, flush=True); time.sleep({GUARD})"
    )
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "evalgate-play-link").symlink_to(outside)
    fresh, strange = tmp_path / "evalgate-play-fresh", tmp_path / "strange"
    for folder in (fresh, strange):
        folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with _parent(code) as parent:
        theirs = Path(parent.stdout.readline().strip())
        for folder in (theirs, strange, outside):
            os.utime(folder, (0, 0))
        with temporary_folder():
            assert theirs.exists(), "it is in use"
        parent.kill()
    os.utime(theirs, (0, 0))
    with temporary_folder():
        assert not theirs.exists()
    assert sorted(place.name for place in tmp_path.iterdir()) == [
        "evalgate-play-fresh",
        "evalgate-play-link",
        "outside",
        "strange",
    ]
