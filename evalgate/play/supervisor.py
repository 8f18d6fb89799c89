"""
The small process that stands between us and a program, so that nothing of the program outlives us.

It is run as a file (`python -I -S supervisor.py LIFELINE STATUS GRACE MARK ARGV...`), uses the standard library alone
and holds the reading end of a pipe, the lifeline. When that pipe closes, because its group was ended or because we are
gone by whatever means (SIGKILL too: the kernel closes the pipe), it ends the program and every process that came of it:
SIGTERM, `GRACE` seconds, SIGKILL. Killing the program alone would leave its children, and killing its process group
would leave those that made a session of their own, so what came of it is found in three ways:

- descent: on Linux the supervisor is a subreaper (prctl(2), PR_SET_CHILD_SUBREAPER), so an orphan becomes its child;
- the process group of the program;
- the mark, a variable of the environment with a value that nobody else has. A program may wipe its environment
  (Chromium writes its titles over it), so the mark alone would not do either.

Lines of JSON on the status pipe say how it goes: `{"started": pid}` once the program runs, `{"failed": errno}` when it
could not be run, `{"ended": code}` (negative: the signal that ended it), `{"left": [pid, ...]}` as the last one, with
the processes that even SIGKILL did not end, and `{"fault": text}` when the supervisor itself broke.

POSIX only. Linux reads /proc; elsewhere `ps` is asked.
"""

import contextlib
import errno
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, NoReturn

MARK = "EVALGATE_PLAY_ID"
"""The variable of the environment that all processes of a group carry."""

KILL_SECONDS = 5.0
"""How long SIGKILL is repeated. A process in an uninterruptible wait of the kernel may outlast it."""

_LOOK_SECONDS = 0.02
"""Between two looks at what is still there while a group ends."""
_ORPHAN_SECONDS = 1.0
"""Between two looks whether our parent is still there: should the lifeline have leaked, that ends the group too."""
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


class Seen(NamedTuple):
    """One process of this machine."""

    pid: int
    parent: int
    group: int
    marked: bool
    """It carries the mark that was looked for."""


def processes(mark: str) -> list[Seen]:
    """Return the processes that run now, without those that have ended, and whether each carries `mark`."""
    return _from_proc(mark) if os.path.exists("/proc/self/stat") else _from_ps(mark)


def _from_proc(mark: str) -> list[Seen]:
    wanted = os.fsencode(f"{MARK}={mark}")
    seen = []
    for name in os.listdir("/proc"):
        if not name.isascii() or not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stream:
                # The name of the program stands in parentheses, and may hold some.
                fields = stream.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if len(fields) < 18 or fields[0] == b"X" or (fields[0] == b"Z" and int(fields[17]) <= 1):
            # Ended. One of which only the first thread has ended is shown as a zombie too, but its others run on.
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as stream:
                marked = wanted in stream.read().split(b"\0")
        except OSError:
            # Somebody else's, or gone by now.
            marked = False
        seen.append(Seen(int(name), int(fields[1]), int(fields[2]), marked))
    return seen


def _from_ps(mark: str) -> list[Seen]:
    import subprocess

    # -E: with the environment, as far as the processes are ours (macOS).
    listing = subprocess.run(
        ["ps", "-axwwE", "-o", "pid=,ppid=,pgid=,stat=,command="], capture_output=True, check=False
    ).stdout
    return parse_ps(listing.decode("utf-8", "replace"), mark)


def parse_ps(listing: str, mark: str) -> list[Seen]:
    """Return the processes of what `ps -o pid=,ppid=,pgid=,stat=,command=` wrote; other lines are passed over."""
    wanted = f"{MARK}={mark}"
    seen = []
    for line in listing.splitlines():
        fields = line.split(None, 4)
        if len(fields) < 4 or not all(field.isascii() and field.isdigit() for field in fields[:3]):
            continue
        if not fields[3].startswith("Z"):
            marked = len(fields) == 5 and wanted in fields[4].split()
            seen.append(Seen(int(fields[0]), int(fields[1]), int(fields[2]), marked))
    return seen


def family(seen: Iterable[Seen], roots: Sequence[int], *, spare: Sequence[int]) -> list[int]:
    """
    Return the pids of what came of the processes `roots`: their descendants, their process groups, all that is marked.

    The descendants of those count as well. `spare` are never part of it, and lead to others only if they are roots.
    """
    children: dict[int, list[int]] = {}
    found = set()
    for one in seen:
        children.setdefault(one.parent, []).append(one.pid)
        if one.marked or one.pid in roots or one.group in roots:
            found.add(one.pid)
    open_ends = [*found.difference(spare), *roots]
    while open_ends:
        for child in children.get(open_ends.pop(), ()):
            if child not in found and child not in spare:
                found.add(child)
                open_ends.append(child)
    return sorted(found.difference(spare))


def end(roots: Sequence[int], mark: str, grace: float, *, reap: Callable[[], bool] | None = None) -> list[int]:
    """
    End what came of `roots` or carries `mark`: SIGTERM, `grace` seconds, SIGKILL until nothing is left.

    Never ends the caller, its parent or the first process. `reap` is called before each look: who has children takes
    leave of them there, and returns whether there are some yet, which is waited for as well. Returns the pids that are
    still there after `KILL_SECONDS` of SIGKILL.
    """
    kill_at = time.monotonic() + max(grace, 0.0)
    give_up_at = kill_at + KILL_SECONDS
    asked: set[int] = set()
    while True:
        children = reap is not None and reap()
        left = family(processes(mark), roots, spare=(os.getpid(), os.getppid(), 0, 1))
        now = time.monotonic()
        if not (left or children) or now >= give_up_at:
            return left
        for pid in left:
            if now >= kill_at:
                _send(pid, signal.SIGKILL)
            elif pid not in asked:
                _send(pid, signal.SIGTERM)
                # One that was stopped would not hear it.
                _send(pid, signal.SIGCONT)
        asked.update(left)
        time.sleep(_LOOK_SECONDS)


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


class _Supervisor:
    """The life of the process: start, watch, end."""

    def __init__(self, lifeline: int, status: int, grace: float, mark: str) -> None:
        self._lifeline = lifeline
        self._status = status
        self._grace = grace
        self._mark = mark
        self._program = 0
        self._stopped = False

    def run(self, argv: list[str]) -> None:
        """Run `argv` until it is to be ended, end it and what came of it, and say so."""
        try:
            self._run(argv)
        except Exception as fault:
            self._say({"fault": f"{type(fault).__name__}: {fault}"})
            raise

    def _run(self, argv: list[str]) -> None:
        parent = os.getppid()
        wake, wake_write = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(wake_write, False)
        for asked in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(asked, self._stop)
        # Without a handler of its own nothing would be written to the pipe that wakes the wait below.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        adopts = prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self._program, fault = _start(argv)
        # Our copies of the program's pipes would keep them open for ever.
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        if fault:
            self._say({"failed": fault})
            return
        self._say({"started": self._program})
        while not self._stopped and os.getppid() == parent:
            self._reap()
            ready, _, _ = select.select([self._lifeline, wake], [], [], _ORPHAN_SECONDS)
            if self._lifeline in ready:
                break
            if wake in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(wake, 4096)
        # Who adopts orphans has all of the family below it. Who does not goes by the group as well; its number may have
        # been given to somebody else by now, if nothing of the family is left, which is why it is not asked otherwise.
        roots = [os.getpid()] if adopts else [os.getpid(), self._program]
        left = end(roots, self._mark, self._grace, reap=self._reap)
        self._say({"left": left})

    def _reap(self) -> bool:
        """Take leave of the children that have ended, say so when it was the program; return whether there are more."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._program:
                self._say({"ended": os.waitstatus_to_exitcode(status)})

    def _stop(self, *_: object) -> None:
        self._stopped = True

    def _say(self, message: dict[str, object]) -> None:
        # Whom it was for may be gone.
        with contextlib.suppress(OSError):
            os.write(self._status, json.dumps(message).encode("ascii") + b"\n")


def _start(argv: list[str]) -> tuple[int, int]:
    """Start `argv` in a session of its own; return its pid, and the errno when it could not be run (else 0)."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(argv, tell)
    os.close(tell)
    with os.fdopen(told, "rb") as stream:
        fault = stream.read()
    return pid, int(fault or 0)


def _become(argv: list[str], tell: int) -> NoReturn:
    """Be the program; the pipe `tell` closes when it runs, and has the errno when it does not."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        # Python ignores these two, and what is ignored is inherited: a writer into a closed pipe would never end.
        for name in ("SIGPIPE", "SIGXFSZ"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        # Should the supervisor itself be killed, the program at least goes with it.
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execvp(argv[0], argv)
    except OSError as fault:
        os.write(tell, str(fault.errno or errno.EIO).encode("ascii"))
    except BaseException:
        os.write(tell, str(errno.EIO).encode("ascii"))
    finally:
        os._exit(127)


def prctl(option: int, value: int) -> bool:
    """Ask the kernel for something and return whether it does it; only Linux has this call."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        # A Python without ctypes.
        return False


def main(arguments: Sequence[str]) -> None:
    """Be the supervisor. `arguments`: two file descriptors, seconds, the mark, and the program with its arguments."""
    lifeline, status, grace, mark, *argv = arguments
    for descriptor in (int(lifeline), int(status)):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - it takes no name
    _Supervisor(int(lifeline), int(status), float(grace), mark).run(argv)


if __name__ == "__main__":
    main(sys.argv[1:])
