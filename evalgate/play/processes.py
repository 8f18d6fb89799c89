"""
Programs that leave nothing behind: not when they are done, not on an error or a signal, not when we are killed.

Each program runs under a supervisor (supervisor.py, which says how the whole family of a program is found), in a
session of its own. What it writes is read all the time, so a full pipe never stops it, and only the beginning and the
end of it are kept, so a flood does not fill our memory.

What a program writes is hostile: it stands in `ProcessError.faults` and in what is returned as it came, decoded from
UTF-8 with U+FFFD for what is none, and is made safe where it leaves (plain.escape).

Linux and macOS. On other systems the module can be imported, and every start is a `CannotJudgeError`.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self

from evalgate.errors import CannotJudgeError
from evalgate.plain import shorten
from evalgate.play._kept import Kept, Lines, Wish
from evalgate.play._signals import Signals, Terminated

__all__ = [
    "Completed",
    "Process",
    "ProcessError",
    "ProcessGroups",
    "Terminated",
    "run",
    "temporary_folder",
]

KEPT_BYTES = 128 * 1024
"""Of each stream: so much of its beginning, and so much of its end."""

_GRACE_SECONDS = 2.0
_TAIL_CHARACTERS = 8000
_TAIL_LINES = 40
_CHUNK = 64 * 1024
_START_SECONDS = 60.0
_SETTLE_SECONDS = 5.0
_REMOVE_SECONDS = 10.0
_BETWEEN_TRIES_SECONDS = 0.05
_FOLDER_PREFIX = "evalgate-play-"
_STALE_SECONDS = 3600
_SUPERVISOR = Path(__file__).resolve().with_name("supervisor.py")


class ProcessError(CannotJudgeError):
    """A program could not be started, ended before it should, or did not say in time what it was waited for."""


class Completed(NamedTuple):
    """What a program that was waited for did."""

    returncode: int
    """As of `subprocess`: negative is the number of the signal that ended it."""
    stdout: str
    """The beginning and the end, with a line between them that says how much was left out, if something was."""
    stderr: str
    """As `stdout`."""
    timed_out: bool
    """It was ended because its time was over."""


class Process:
    """One running program and all that came of it; made by `ProcessGroups.start`."""

    def __init__(self, argv: Sequence[str], grace: float) -> None:
        self._name = shorten(Path(argv[0]).name, 100)
        self._argv = argv
        self._grace = grace
        self._mark = uuid.uuid4().hex
        # The predicate of a wish is called with it held, and may ask us something.
        self._lock = threading.RLock()
        self._ending = threading.Lock()
        self._streams = (Kept(KEPT_BYTES), Kept(KEPT_BYTES))
        self._both = Kept(KEPT_BYTES)
        self._wishes: list[Wish] = []
        self._told = threading.Event()
        self._over = threading.Event()
        self._silent = threading.Event()
        self._returncode: int | None = None
        self._failed: int | None = None
        self._left: list[int] | None = None
        self._orphaned = False
        self._fault = ""
        self._pid = 0
        self._lifeline: int | None = None
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []

    @property
    def pid(self) -> int:
        """The process id of the program itself, which is also its session's and its process group's."""
        return self._pid

    @property
    def mark(self) -> str:
        """The value of `EVALGATE_PLAY_ID` in the environment of the program and of what it starts."""
        return self._mark

    def poll(self) -> int | None:
        """
        Return the exit code (negative: the signal that ended it), None while the program runs.

        A program whose supervisor was killed counts as ended by SIGKILL: on Linux it is, and nobody could tell.
        """
        if not self._over.is_set():
            return None
        return -signal.SIGKILL if self._returncode is None else self._returncode

    def wait(self, timeout: float) -> int | None:
        """Wait at most `timeout` seconds for the program to end by itself; return as `poll`."""
        self._over.wait(timeout)
        return self.poll()

    def wait_for_line(self, predicate: Callable[[str], bool], timeout: float) -> str:
        """
        Return the first line of stdout or stderr, without its end, for which `predicate` is true.

        Lines that were written before the call count too, as far as they are kept. `timeout` in seconds. Raises
        `ProcessError`, with the end of the output, when the program ends first or the time is over; what `predicate`
        raises is raised here.
        """
        with self._lock:
            wish = Wish(predicate, self._streams)
            if self._over.is_set():
                wish.finish()
            if not wish.done.is_set():
                self._wishes.append(wish)
        try:
            in_time = wish.done.wait(timeout)
        finally:
            with self._lock:
                if wish in self._wishes:
                    self._wishes.remove(wish)
        if wish.fault is not None:
            raise wish.fault
        if wish.line is not None:
            return wish.line
        if in_time:
            raise ProcessError([f"{self._name}: {self._how_it_ended()}", *self._tail_lines()])
        raise ProcessError(
            [f"{self._name}: did not write the line that was waited for within {timeout:g} s", *self._tail_lines()]
        )

    def output_tail(self) -> str:
        """Return the last 8000 characters, at most, of stdout and stderr together, in the order of their arrival."""
        with self._lock:
            return self._both.end(_TAIL_CHARACTERS)

    def end(self) -> None:
        """
        End the program and all that came of it, and wait until it is gone; a second call does nothing.

        Raises `ProcessError` when something is left that even SIGKILL does not end.
        """
        self._let_go()
        with self._ending:
            if self._supervisor is None:
                return
            from evalgate.play import supervisor

            try:
                self._supervisor.wait(self._grace + supervisor.KILL_SECONDS + _SETTLE_SECONDS)
            except subprocess.TimeoutExpired:
                self._supervisor.kill()
                self._supervisor.wait()
            # What it said last is in the pipe.
            self._silent.wait(_SETTLE_SECONDS)
            if self._left is None and self._failed is None:
                # The supervisor was killed. The number of a program that has ended may be somebody else's by now.
                roots = [self._pid] if self._pid and self._orphaned else []
                self._left = supervisor.end(roots, self._mark, 0.0)
            for thread in self._threads:
                thread.join(_SETTLE_SECONDS)
            self._supervisor = None
        if self._left:
            raise ProcessError(
                [f"{self._name}: could not be ended: process {pid} is still there" for pid in self._left]
            )

    def outputs(self) -> tuple[str, str]:
        """Return stdout and stderr, each as `Completed` says."""
        with self._lock:
            return self._streams[0].text(), self._streams[1].text()

    def _begin(self, *, cwd: str | Path | None, env: Mapping[str, str] | None, stdin: bytes | None) -> None:
        """Start the supervisor and with it the program. Raises `ProcessError`."""
        from evalgate.play import supervisor

        read, self._lifeline = os.pipe()
        status_read, status_write = os.pipe()
        environment = {**(os.environ if env is None else env), supervisor.MARK: self._mark}
        command = [sys.executable, "-I", "-S", str(_SUPERVISOR)]
        command += [str(read), str(status_write), repr(self._grace), self._mark, *self._argv]
        try:
            self._supervisor = subprocess.Popen(
                command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(read, status_write),
                start_new_session=True,
            )
        except (OSError, ValueError) as fault:
            os.close(status_read)
            self._let_go()
            raise ProcessError([f"{self._name}: cannot be started ({_reason(fault)})"]) from fault
        finally:
            os.close(read)
            os.close(status_write)
        jobs: list[tuple[Callable[..., None], tuple[object, ...]]] = [
            (self._read, (self._supervisor.stdout, self._supervisor.stderr, status_read))
        ]
        if stdin is not None:
            jobs.append((_write, (self._supervisor.stdin, stdin)))
        for job, arguments in jobs:
            thread = threading.Thread(target=job, args=arguments, name=f"evalgate {self._name}", daemon=True)
            thread.start()
            self._threads.append(thread)
        if not self._told.wait(_START_SECONDS):
            self.end()
            raise ProcessError([f"{self._name}: cannot be started (nothing happened within {_START_SECONDS:g} s)"])
        if self._failed is not None or not self._pid:
            self.end()
            reason = "its supervisor ended" if self._failed is None else os.strerror(self._failed)
            raise ProcessError([f"{self._name}: cannot be started ({reason})", *self._tail_lines()])

    def _let_go(self) -> None:
        """Close the lifeline, on which the supervisor ends the program."""
        with self._lock:
            lifeline, self._lifeline = self._lifeline, None
        if lifeline is not None:
            os.close(lifeline)

    def _read(self, stdout: IO[bytes], stderr: IO[bytes], status: int) -> None:
        """Be the thread that reads what comes, until all three pipes are closed."""
        said = Lines()
        with stdout, stderr, os.fdopen(status, "rb", buffering=0) as news, selectors.DefaultSelector() as selector:
            sources: list[IO[bytes]] = [stdout, stderr]
            for position, source in enumerate((stdout, stderr, news)):
                os.set_blocking(source.fileno(), False)
                selector.register(source, selectors.EVENT_READ, position)
            while selector.get_map():
                for key, _ in selector.select():
                    try:
                        chunk = os.read(key.fd, _CHUNK)
                    except BlockingIOError:
                        # Read already, when the program ended.
                        continue
                    if not chunk:
                        selector.unregister(key.fileobj)
                    if key.data < len(sources):
                        self._take(key.data, chunk)
                        continue
                    for line in said.feed(chunk):
                        self._hear(json.loads(line), sources)
                    if not chunk:
                        # Killed before it could say how the program ended.
                        self._hear({}, sources)

    def _hear(self, news: dict[str, object], sources: Sequence[IO[bytes]]) -> None:
        """Note what the supervisor said; nothing means that it is gone."""
        match news:
            case {"started": int(pid)}:
                self._pid = pid
            case {"fault": str(text)}:
                self._fault = f"failed ({text})"
            case {"failed": int(number)}:
                self._failed = number
            case {"left": [*pids]}:
                self._left = [pid for pid in pids if isinstance(pid, int)]
            case {"ended": int(code)}:
                self._returncode = code
        if not news:
            self._orphaned = self._returncode is None
            self._silent.set()
        if "ended" in news or not news:
            # What it wrote before it ended is in the pipes; what others may still write is not waited for.
            for position, source in enumerate(sources):
                self._drain(position, source)
            with self._lock:
                if not self._over.is_set():
                    self._over.set()
                    for wish in self._wishes:
                        wish.finish()
        self._told.set()

    def _drain(self, position: int, source: IO[bytes]) -> None:
        # A pipe holds no more than this, unless somebody goes on writing.
        for _ in range(32):
            try:
                chunk = os.read(source.fileno(), _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                return
            self._take(position, chunk)

    def _take(self, position: int, chunk: bytes) -> None:
        with self._lock:
            self._streams[position].add(chunk)
            self._both.add(chunk)
            for wish in self._wishes:
                wish.feed(position, chunk)

    def _how_it_ended(self) -> str:
        code = self._returncode
        if code is None:
            return f"its supervisor {self._fault or 'was killed'}"
        return f"ended with exit code {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"

    def _tail_lines(self) -> list[str]:
        lines = [line for line in self.output_tail().splitlines() if line.strip()][-_TAIL_LINES:]
        return [f"{self._name}: wrote: {line}" for line in lines]


def _write(stream: IO[bytes], data: bytes) -> None:
    """Be the thread that feeds a program; one that does not want it all is free not to."""
    with contextlib.suppress(OSError), stream:
        view = memoryview(data)
        while view:
            view = view[stream.write(view) :]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _reason(fault: OSError | ValueError) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return f"{fault.strerror}: {fault.filename}" if fault.filename else fault.strerror
    return str(fault)


class ProcessGroups:
    """
    Programs that are ended, with all that came of them, when the `with` block is left, however it is left.

    In the main thread SIGTERM and SIGHUP raise `Terminated` inside the block, unless they were ignored before (nohup);
    while programs are started or ended they, and Ctrl-C, wait until that is done, since half of it would leave
    something behind. In another thread nobody can handle signals: there the supervisors see that we are gone.

    `grace` is in seconds: between SIGTERM and SIGKILL.
    """

    def __init__(self, grace: float = _GRACE_SECONDS) -> None:
        self._grace = grace
        self._lock = threading.Lock()
        self._running: list[Process] = []
        self._closed = False
        self._signals = Signals()

    def __enter__(self) -> Self:
        """Take over the signals. Raises `CannotJudgeError` on a system that is not POSIX."""
        _need_posix()
        self._signals.take()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all groups, side by side; raises `ProcessError` when something is left, as a note to what was raised."""
        with self._signals.giving_back(), self._lock:
            self._closed = True
            for process in self._running:
                process._let_go()
            faults: list[str] = []
            for process in self._running:
                try:
                    process.end()
                except ProcessError as fault:
                    faults += fault.faults
            self._running.clear()
        if faults and value is None:
            raise ProcessError(faults)
        if faults and value is not None:
            for line in faults:
                value.add_note(line)

    def start(
        self,
        argv: Sequence[str | Path],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
    ) -> Process:
        """
        Start a program in a session of its own and return when it runs.

        `env` replaces the environment (None: ours); the mark is added to it. `stdin` is what the program reads; without
        it, nothing. Raises `ProcessError` when it cannot be started, and once the block was left.
        """
        _need_posix()
        if not argv:
            raise ProcessError(["a program without a name cannot be started"])
        with self._signals.waiting(), self._lock:
            if self._closed:
                raise ProcessError([f"{argv[0]}: cannot be started (all programs are being ended)"])
            process = Process([os.fspath(part) for part in argv], self._grace)
            process._begin(cwd=cwd, env=env, stdin=stdin)
            self._running.append(process)
        return process


def run(
    argv: Sequence[str | Path],
    *,
    timeout: float,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> Completed:
    """
    Run a program to its end, `timeout` seconds at most, and end all that came of it.

    What it left running in the background is not waited for. Raises `ProcessError` when it cannot be started, or when
    something of it cannot be ended; an exit code other than 0 raises nothing.
    """
    with ProcessGroups() as groups:
        process = groups.start(argv, cwd=cwd, env=env, stdin=stdin)
        timed_out = process.wait(timeout) is None
        process.end()
        stdout, stderr = process.outputs()
    code = process.poll()
    # Ended in the very moment in which nothing of it could be asked any more.
    return Completed(-signal.SIGKILL if code is None else code, stdout, stderr, timed_out)


@contextlib.contextmanager
def temporary_folder(left: Callable[[str], None] | None = None) -> Iterator[Path]:
    """
    Give a new folder, for us alone, that is removed at the end with all that is in it.

    A browser that still writes while it is removed is outlasted, for 10 seconds. A symbolic link in it is removed, what
    it points to is not touched, even if the folder itself was replaced by one. A folder that cannot be removed is told
    to `left` in one line, and without `left` it is a `CannotJudgeError`, unless another exception is on its way.

    Who is killed by SIGKILL leaves a folder; the next one who asks for one removes it (see `_remove_stale`).
    """
    _need_posix()
    _remove_stale()
    try:
        folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX)).resolve()
        lock = _locked(folder)
    except OSError as fault:
        raise CannotJudgeError([f"{tempfile.gettempdir()}: no folder can be made there ({_reason(fault)})"]) from fault
    raised = True
    try:
        yield folder
        raised = False
    finally:
        reason = _removed(folder)
        os.close(lock)
        if reason is not None:
            line = f"{folder}: cannot be removed ({reason})"
            if left is not None:
                left(line)
            elif not raised:
                raise CannotJudgeError([line])


def _locked(folder: Path) -> int:
    """Return a descriptor of the folder that holds a lock on it, for as long as it is open and we live."""
    import fcntl

    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _remove_stale() -> None:
    """
    Remove our folders that nobody holds a lock on any more: those of processes that were killed.

    A folder is made before it is locked, so only one that nothing was written to for an hour counts. What cannot be
    removed now stays for the next one.
    """
    import shutil

    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if status.st_uid == os.getuid() and time.time() - status.st_mtime > _STALE_SECONDS:
                lock = _locked(folder)
                try:
                    shutil.rmtree(folder)
                finally:
                    os.close(lock)


def _removed(folder: Path) -> str | None:
    """Remove a folder; return what kept it from being removed."""
    import shutil

    give_up_at = time.monotonic() + _REMOVE_SECONDS
    while True:
        fault = ""
        try:
            if folder.is_symlink() or not folder.is_dir():
                folder.unlink()
            else:
                # Opens each folder before it looks into it, and follows no link (shutil.rmtree.avoids_symlink_attacks).
                shutil.rmtree(folder)
        except FileNotFoundError:
            # Something in it was removed by somebody else meanwhile, or it was itself.
            fault = "what is in it changes all the time"
        except OSError as error:
            fault = _reason(error)
        if not os.path.lexists(folder):
            return None
        if time.monotonic() >= give_up_at:
            return fault
        time.sleep(_BETWEEN_TRIES_SECONDS)


def _need_posix() -> None:
    if os.name != "posix":
        raise CannotJudgeError([f"playing needs a POSIX system, Linux or macOS (this one is {sys.platform})"])
