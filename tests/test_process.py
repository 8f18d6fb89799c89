"""
The command as a process: pipes, terminals, signals, locales and what happens when an output cannot be written.

Each test starts real processes. A timeout is a guard against a hang, never the thing that is measured.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
EVALGATE = [sys.executable, "-m", "evalgate"]
GUARD = 120
"""Unit: seconds, after which a process is taken to hang."""
SETTINGS = ("COLUMNS", "COLORTERM", "FORCE_COLOR", "LC_ALL", "LANG", "NO_COLOR", "TERM")
"""What of the environment a terminal program listens to; each test says itself what it sets."""

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="the platform has no /dev/full")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")


def _environment(**more):
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS and name[:6] != "PYTHON"}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, "LC_ALL": "C.UTF-8", **more}


def _run(*argv, cwd, python=(), env=None, **more):
    """Run the command and return what `subprocess.run` does, with bytes."""
    command = [sys.executable, *python, "-m", "evalgate", *argv]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **more}
    if "input" in more:
        del more["stdin"]
    return subprocess.run(command, cwd=cwd, env=env or _environment(), timeout=GUARD, check=False, **more)


def _bash(script, cwd, **env):
    """Run a script in which $EVALGATE is the command."""
    command = " ".join(f"'{part}'" for part in EVALGATE)
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; evalgate() {{ {command} "$@"; }}; {script}'],
        cwd=cwd,
        env=_environment(**env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=GUARD,
        check=False,
    )


def _python(script, *argv, cwd, **more):
    """Run a Python script that may bend the program before it starts."""
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    command = [sys.executable, "-c", script, *argv]
    return subprocess.run(
        command, cwd=cwd, env=_environment(), stdin=subprocess.DEVNULL, timeout=GUARD, check=False, **more
    )


def _scene(folder, scenario):
    for name in ("before.json", "after.json"):
        shutil.copyfile(GOLDEN / scenario / name, folder / name)
    return folder


@pytest.fixture(name="warn")
def _warn(tmp_path):
    """Return a folder with before.json and after.json, which compare as WARN."""
    return _scene(tmp_path, "error-signature")


@pytest.fixture(name="fail")
def _fail(tmp_path):
    """Return a folder with before.json and after.json, which compare as FAIL."""
    return _scene(tmp_path, "fail-over-warn")


def _names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- who reads stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["compare", "before.json", "after.json", "--no-report"], 0),
        (["compare", "before.json", "after.json", "--no-report", "--strict"], 2),
        (["compare", "after.json", "nowhere.json"], 3),
        (["compare", "before.json", "after.json", "--no-report", "--strict", "--format", "json"], 2),
        (["--help"], 0),
        (["compare", "--help"], 0),
        (["signals"], 0),
        (["schema", "gate"], 0),
    ],
)
def test_exit_code_is_kept_when_nobody_reads(argv, code, unbuffered, warn):
    """The reader is gone before the first byte: `| head -0`, without the race."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = _run(*argv, cwd=warn, stdout=writer, env=_environment(PYTHONUNBUFFERED=unbuffered))
    finally:
        os.close(writer)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert b"Broken pipe" not in done.stderr


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["compare", "before.json", "after.json", "--no-report", "--strict"], 2),
        (["compare", "nowhere.json", "after.json", "--no-report"], 2),
        (["compare", "before.json", "nowhere.json"], 3),
        (["compare"], 3),
    ],
)
def test_exit_code_is_kept_when_nobody_reads_stderr_either(argv, code, warn):
    """As behind `2>&1 | head -0`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = _run(*argv, cwd=warn, stdout=writer, stderr=writer)
    finally:
        os.close(writer)
    assert done.returncode == code


@pytest.mark.parametrize(("option", "code"), [("", 1), ("--format json", 1)])
def test_exit_code_is_kept_behind_head(option, code, tmp_path):
    """`| head -1` under pipefail, with more output than a pipe holds."""
    report = json.loads((GOLDEN / "pass" / "before.json").read_text(encoding="utf-8"))
    (tmp_path / "before.json").write_text(json.dumps(report), encoding="utf-8")
    case = report["cases"][0]
    case["status"] = case["attemptResults"][0]["status"] = "fail"
    report["cases"] = [{**case, "name": f"{number} {'x' * 100}"} for number in range(2000)]
    report["summary"] = {"total": 2000, "passed": 0, "failed": 2000, "errored": 0}
    (tmp_path / "after.json").write_text(json.dumps(report), encoding="utf-8")

    done = _bash(
        f"evalgate compare before.json after.json --no-report {option} | head -c 14; "
        'statuses="${PIPESTATUS[*]}"; echo; echo "$statuses"',
        tmp_path,
    )

    assert done.stdout in (f"OVERALL=FAIL\nE\n{code} 0\n".encode(), f'{{"verdict": "F\n{code} 0\n'.encode())
    assert done.stderr == b""


@needs_full
@pytest.mark.parametrize(
    "argv",
    [
        ["compare", "before.json", "after.json", "--no-report"],
        ["compare", "before.json", "after.json", "--no-report", "--format", "json"],
        ["compare", "before.json", "nowhere.json"],
        ["signals"],
        ["signals", "FLAKY"],
        ["schema", "report"],
        ["--version"],
        ["--help"],
        ["compare", "--help"],
    ],
    ids=" ".join,
)
def test_full_disk_is_no_verdict(argv, warn):
    """What was asked for could not be written: 3, and said on stderr."""
    with FULL.open("wb") as full:
        done = _run(*argv, cwd=warn, stdout=full)
    assert done.returncode == 3
    assert b"No space left on device" in done.stderr


@needs_full
def test_full_disk_behind_stderr_changes_nothing(warn):
    """The verdict is on stdout and in the exit code; stderr is for a person."""
    with FULL.open("wb") as full:
        noted = _run("compare", "nowhere.json", "after.json", "--no-report", cwd=warn, stderr=full)
        usage = _run("compare", cwd=warn, stderr=full)
    assert noted.returncode == 2
    assert noted.stdout.startswith(b"OVERALL=N/A\nEXIT_CODE=2\n")
    assert (usage.returncode, usage.stdout) == (3, b"")


def test_closed_stderr_changes_nothing(warn):
    done = _bash("evalgate compare nowhere.json after.json --no-report 2>&-; echo $?", warn)
    assert done.stdout.startswith(b"OVERALL=N/A\nEXIT_CODE=2\n")
    assert done.stdout.endswith(b"\n2\n")
    assert b"no such file" not in done.stdout
    usage = _bash("evalgate compare 2>&-; echo $?", warn)
    assert usage.stdout == b"3\n"


def test_closed_stdout_is_an_output_that_could_not_be_written(warn):
    done = _bash("evalgate compare before.json after.json --no-report >&-; echo $?", warn)
    assert done.stdout == b"3\n"
    assert b"Traceback" not in done.stderr
    assert b"stdout: cannot be written" in done.stderr


# --- what comes from stdin and pipes


def test_stdin_as_before_or_after(warn):
    plain = _run("compare", "before.json", "after.json", "--no-report", cwd=warn)
    assert plain.stdout.startswith(b"OVERALL=WARN\n")
    for argv, name in ((("-", "after.json", "--no-report"), "before.json"), (("before.json", "-"), "after.json")):
        done = _run("compare", *argv, cwd=warn, input=(warn / name).read_bytes())
        assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, b"")
    assert _names(warn) == ["after.json", "before.json"]


def test_stdin_with_an_invalid_report(warn):
    done = _run("compare", "before.json", "-", cwd=warn, input=b"")
    assert done.returncode == 3
    assert done.stdout == b"OVERALL=ERROR\nEXIT_CODE=3\nERROR <stdin>: is empty\n"


@pytest.mark.parametrize("how", ["<&-", "0>after.json"])
@pytest.mark.parametrize("argv", ["- after.json", "before.json -"])
def test_stdin_that_cannot_be_read(how, argv, warn):
    """No stdin, or one that is open for writing only: an error like any other, no traceback."""
    (warn / "other").mkdir()
    _scene(warn / "other", "pass")
    done = _bash(f"cd other; evalgate compare {argv} --no-report {how.replace('after', '../scrap')}; echo $?", warn)
    assert b"Traceback" not in done.stderr
    assert done.stdout.startswith(b"OVERALL=ERROR\nEXIT_CODE=3\nERROR <stdin>: ")
    assert done.stdout.endswith(b"\n3\n")


def test_signature_without_a_stdin(tmp_path):
    done = _bash("evalgate signature <&-; echo $?", tmp_path)
    assert done.stdout == b"3\n"
    assert b"Traceback" not in done.stderr


def test_stdin_under_its_file_name(warn):
    """A redirected file is stdin all the same: there is no place beside it."""
    if not Path("/dev/fd/0").exists():
        pytest.skip("the platform has no /dev/fd")
    with (warn / "after.json").open("rb") as after:
        done = _run("compare", "before.json", "/dev/fd/0", cwd=warn, stdin=after)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _names(warn) == ["after.json", "before.json"]


@needs_pipes
def test_process_substitution(warn):
    """A pipe is read once, leaves no report behind, and has its evidence in the report that was asked for."""
    plain = _run("compare", "before.json", "after.json", "--no-report", cwd=warn)
    done = _bash("evalgate compare <(cat before.json) <(gzip -c after.json)", warn)
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, b"")
    assert _names(warn) == ["after.json", "before.json"]

    asked = _bash("evalgate compare <(cat before.json) <(cat after.json) --report sub.md", warn)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, plain.stdout, b"")
    assert _names(warn) == ["after.json", "before.json", "sub.md"]
    text = (warn / "sub.md").read_text(encoding="utf-8")
    assert "at ensureSymlink (file:///srv/eval/dist/profile.js:201:9)" in text
    assert "### Evidence" in text


@needs_pipes
def test_named_pipes(warn):
    for name in ("before", "after"):
        os.mkfifo(warn / f"{name}.pipe")
    done = _bash(
        "cat before.json > before.pipe & cat after.json > after.pipe & "
        "evalgate compare before.pipe after.pipe --strict; code=$?; wait; exit $code",
        warn,
    )
    assert done.returncode == 2
    assert done.stdout.startswith(b"OVERALL=WARN\nEXIT_CODE=2\nSTRICT=true\n")
    assert _names(warn) == ["after.json", "after.pipe", "before.json", "before.pipe"]


# A test run in the background of a shell ignores SIGINT, and its children would inherit that.
INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from evalgate.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def _open_writer(pipe, process):
    """Open the pipe as soon as the program has opened its end; a program that ended instead is an error."""
    while process.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.02)
    raise AssertionError(process.communicate())


@needs_pipes
def test_ctrl_c_while_reading(warn):
    """Ctrl-C ends in 130, without a verdict and without a traceback."""
    pipe = warn / "after.pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "compare", "before.json", "after.pipe"],
        cwd=warn,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        writer = _open_writer(pipe, process)
        os.write(writer, b"{")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=GUARD)
        os.close(writer)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert _names(warn) == ["after.json", "after.pipe", "before.json"]


@needs_pipes
def test_a_step_that_is_ended_leaves_nothing_behind(warn):
    """A CI ends a step with SIGTERM: that is no verdict, and the files that were not complete are gone."""
    os.mkfifo(warn / "pipe")
    names = _names(warn)
    with subprocess.Popen(
        [*EVALGATE, "compare", "before.json", "after.json", "--write", "html=page.html", "--write", "json=pipe"],
        cwd=warn,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        until = time.monotonic() + GUARD
        # It waits for a reader of the pipe, with the page and report.md made beside their places.
        while len([name for name in _names(warn) if name.endswith(".tmp")]) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=GUARD)
    assert process.returncode == 143
    assert (out, err) == (b"", b"")
    assert _names(warn) == names


# --- who looks at stderr


def _on_terminal(argv, cwd, columns=100, **env):
    """Run with a terminal as stderr; return (exit code, stdout, what the terminal was sent)."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(
        [*EVALGATE, *argv],
        cwd=cwd,
        env=_environment(**env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # how Linux says that the last one has closed the terminal
                break
            if not part:
                break
            shown += part
        assert process.stdout is not None
        out = process.stdout.read()
        process.wait(GUARD)
    os.close(ours)
    return process.returncode, out, shown.replace(b"\r\n", b"\n")


@pytest.mark.parametrize("option", ["text", "json"])
def test_a_terminal_changes_no_byte_of_stdout(option, fail):
    argv = ["compare", "before.json", "after.json", "--no-report", "--format", option]
    plain = _run(*argv, cwd=fail)
    code, out, shown = _on_terminal(argv, fail, TERM="xterm-256color", COLORTERM="truecolor")
    assert (code, out) == (plain.returncode, plain.stdout)
    assert plain.stderr == b""
    assert b"\x1b[" in shown
    assert b"do not merge" in shown
    assert b"edit-file" in shown


@pytest.mark.parametrize(
    "env", [{"NO_COLOR": "1", "TERM": "xterm-256color"}, {"TERM": "dumb"}], ids=["no-color", "dumb"]
)
def test_no_colour_where_none_is_wanted(env, fail):
    code, _, shown = _on_terminal(["compare", "before.json", "after.json", "--no-report"], fail, **env)
    assert code == 1
    assert b"do not merge" in shown
    assert b"\x1b" not in shown


def test_forced_colour_stays_out_of_stdout(fail):
    """Rich listens to FORCE_COLOR; the lines for CI do not, and without a terminal there is no summary."""
    plain = _run("compare", "before.json", "after.json", "--no-report", cwd=fail)
    forced = _run("compare", "before.json", "after.json", "--no-report", cwd=fail, env=_environment(FORCE_COLOR="1"))
    assert (forced.returncode, forced.stdout, forced.stderr) == (plain.returncode, plain.stdout, b"")


@pytest.mark.parametrize("columns", [0, 1, 8, 40])
def test_a_narrow_terminal_changes_no_exit_code(columns, fail):
    plain = _run("compare", "before.json", "after.json", "--no-report", cwd=fail)
    code, out, shown = _on_terminal(
        ["compare", "before.json", "after.json", "--no-report"], fail, columns, TERM="xterm"
    )
    assert (code, out) == (1, plain.stdout)
    assert b"Traceback" not in shown


def test_no_name_reaches_the_terminal_raw(tmp_path):
    """Only the colours that are ours may drive the terminal, and nothing in a name is markup."""
    _scene(tmp_path, "hostile-names")
    argv = ["compare", "before.json", "after.json", "--no-report"]
    code, _, shown = _on_terminal(argv, tmp_path, columns=200, TERM="xterm", NO_COLOR="1")
    text = shown.decode("utf-8")
    assert code == 0
    assert [char for char in text if char in "\x1b\x07\x00\r\u202e\u2066\u2028\u2029\x85"] == []
    assert r"\x1b[31mred\x1b[0m" in text
    assert "\nOVERALL=PASS" not in text


def test_errors_are_told_on_the_terminal_too(warn):
    code, out, shown = _on_terminal(["compare", "before.json", "nowhere.json"], warn, TERM="xterm")
    assert code == 3
    assert out == b"OVERALL=ERROR\nEXIT_CODE=3\nERROR nowhere.json: no such file\n"
    assert shown == b"evalgate: nowhere.json: no such file\n"


# --- the interpreter's settings


@pytest.mark.parametrize(
    ("option", "env"),
    [
        ("text", {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}),
        ("json", {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}),
        ("text", {"PYTHONIOENCODING": "ascii:strict"}),
        ("text", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
        ("text", {"LC_ALL": "POSIX"}),
        ("text", {"PYTHONHASHSEED": "0"}),
        ("text", {"PYTHONHASHSEED": "4242"}),
        ("json", {"PYTHONHASHSEED": "4242"}),
        ("text", {"PYTHONUNBUFFERED": "1"}),
        ("text", {"TZ": "Asia/Kathmandu", "COLUMNS": "20", "FORCE_COLOR": "1"}),
        ("text", {"PYTHONWARNINGS": "error"}),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(f"{key}={text}" for key, text in value.items()),
)
def test_the_environment_changes_no_byte(option, env, tmp_path):
    """Same stdout and same report.md whatever the locale, the hash seed or the terminal settings are."""
    _scene(tmp_path, "hostile-names")
    expected = (GOLDEN / "hostile-names" / f"{option}.transcript").read_bytes()
    done = _run("compare", "before.json", "after.json", "--format", option, cwd=tmp_path, env=_environment(**env))
    assert done.stderr == b""
    assert done.returncode == 0
    command, _, rest = expected.partition(b"\n")
    assert command.startswith(b"$ evalgate compare before.json after.json")
    assert done.stdout + b"? 0\n" == rest
    assert (tmp_path / "report.md").read_bytes() == (GOLDEN / "hostile-names" / "report.md.expected").read_bytes()


@pytest.mark.parametrize("env", [{"PYTHONIOENCODING": "ascii:strict"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
@pytest.mark.parametrize(
    "argv", [["--help"], ["compare", "--help"], ["signals"], ["signals", "FLAKY"], ["schema", "gate"]]
)
def test_help_in_an_ascii_locale(argv, env, tmp_path):
    done = _run(*argv, cwd=tmp_path, env=_environment(**env))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def test_file_names_that_are_no_text(tmp_path):
    """A path is bytes: one that is no UTF-8 is read like any other, and shown with its bytes spelled out."""
    _scene(tmp_path, "pass")
    odd = tmp_path / os.fsdecode(b"run-\xff\x1b[31m")
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("the file system takes only names that are text")
    shutil.copyfile(tmp_path / "after.json", odd / "report.json")
    done = _run("compare", "before.json", odd.name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _names(odd) == ["report.json", "report.md"]
    (odd / "report.json").unlink()
    gone = _run("compare", "before.json", odd.name, cwd=tmp_path)
    assert gone.returncode == 3
    assert b"\xff" not in gone.stdout
    assert b"\x1b" not in gone.stdout
    assert b"\\x1b[31m" in gone.stdout


@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_optimised_python(option, tmp_path):
    """Nothing rests on assert statements or docstrings that -O and -OO leave out."""
    for scenario, argv in (
        ("fail-over-warn", ["--format", "json"]),
        ("hostile-names", []),
        ("invalid", []),
    ):
        folder = tmp_path / scenario
        folder.mkdir()
        _scene(folder, scenario)
        plain = _run("compare", "before.json", "after.json", *argv, cwd=folder)
        report = (folder / "report.md").read_bytes() if (folder / "report.md").exists() else None
        done = _run("compare", "before.json", "after.json", *argv, cwd=folder, python=[option])
        assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
        assert ((folder / "report.md").read_bytes() if (folder / "report.md").exists() else None) == report
    for argv in (["signals", "FLAKY"], ["compare"], ["--version"]):
        plain, done = _run(*argv, cwd=tmp_path), _run(*argv, cwd=tmp_path, python=[option])
        assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    # -OO takes the docstrings and with them the descriptions of the types: it stays a schema.
    schema = _run("schema", "report", cwd=tmp_path, python=[option])
    assert json.loads(schema.stdout)["title"] == "ReportModel"


# --- what is loaded

LOADED = """
import sys
from evalgate.__main__ import main
code = main(sys.argv[1:])
names = ("typer", "rich", "typer.rich_utils", "jinja2", "pydantic", "unittest", "asyncio")
print(*(name for name in names if name in sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("argv", "never"),
    [
        (["--no-report"], {"rich", "typer.rich_utils", "jinja2"}),
        (["--no-report", "--format", "json"], {"rich", "typer.rich_utils", "jinja2"}),
        ([], {"rich", "typer.rich_utils"}),
    ],
    ids=["no-report", "json", "report"],
)
def test_compare_loads_only_what_it_uses(argv, never, warn):
    """A gate starts on every pull request: rich is for a terminal, jinja2 for a report.md that is written."""
    done = _python(LOADED, "compare", "before.json", "after.json", *argv, cwd=warn)
    assert done.returncode == 0
    loaded = set(done.stderr.decode().split())
    assert loaded & never == set()
    assert ("jinja2" in loaded) == ("--no-report" not in argv)


def test_import_loads_neither_command_line_nor_renderers(tmp_path):
    script = (
        "import sys, evalgate; "
        "print([name for name in ('typer', 'rich', 'jinja2', 'pydantic', 'click') if name in sys.modules]); "
        "print(all(hasattr(evalgate, name) for name in evalgate.__all__))"
    )
    done = _python(script, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (b"[]\nTrue\n", b"")


# --- faults of our own

RAISING = r"""
import sys
import evalgate.gate
def compare(*given):
    raise RuntimeError("a report said \x1b[31m\u202e and\nOVERALL=PASS")
evalgate.gate.compare = compare
from evalgate.__main__ import main
sys.exit(main(["compare", "before.json", "after.json"]))
"""
UNIMPORTABLE = """
import sys
sys.modules["evalgate.cli"] = None
from evalgate.__main__ import main
sys.exit(main(["compare", "before.json", "after.json"]))
"""


def test_internal_fault_is_no_verdict(warn):
    """A crash ends in 3 with a traceback on stderr, in which nothing from a report acts on the terminal."""
    done = _python(RAISING, cwd=warn)
    assert (done.returncode, done.stdout) == (3, b"")
    text = done.stderr.decode("utf-8")
    assert text.startswith("Traceback (most recent call last):\n")
    assert "RuntimeError: a report said \\x1b[31m\\u202e and" in text
    assert "\x1b" not in text
    assert _names(warn) == ["after.json", "before.json"]


def test_import_failure_is_no_verdict(warn):
    done = _python(UNIMPORTABLE, cwd=warn)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"Traceback" in done.stderr


@needs_full
@pytest.mark.parametrize("script", [RAISING, UNIMPORTABLE], ids=["raising", "unimportable"])
def test_internal_fault_that_cannot_be_told(script, warn):
    """With stderr full the exit code must still not be 1, which reads as FAIL."""
    with FULL.open("wb") as full:
        done = _python(script, cwd=warn, stderr=full)
    assert (done.returncode, done.stdout) == (3, b"")


@pytest.mark.parametrize("script", [RAISING, UNIMPORTABLE], ids=["raising", "unimportable"])
def test_internal_fault_with_a_closed_stderr(script, warn):
    """A traceback never goes to stdout, where a program reads."""
    (warn / "bent.py").write_text(script, encoding="utf-8")
    done = _bash(f"'{sys.executable}' bent.py 2>&-; echo $?", warn)
    assert done.stdout == b"3\n"


# --- where report.md goes


def test_default_report_that_cannot_be_written_is_a_note(warn):
    (warn / "report.md").mkdir()
    plain = _run("compare", "before.json", "after.json", "--no-report", "--strict", cwd=warn)
    done = _run("compare", "before.json", "after.json", "--strict", cwd=warn)
    assert (done.returncode, done.stdout) == (2, plain.stdout)
    assert done.stderr == b"evalgate: report.md: cannot be written: is not a regular file; the verdict stands\n"
    assert _names(warn / "report.md") == []


@pytest.mark.parametrize("place", ["folder", "nowhere/report.md", "before.json/report.md", "after.json"])
@pytest.mark.parametrize("option", ["text", "json"])
def test_asked_for_report_that_cannot_be_written_is_no_verdict(place, option, fail):
    (fail / "folder").mkdir()
    names, after = _names(fail), (fail / "after.json").read_bytes()
    done = _run("compare", "before.json", "after.json", "--report", place, "--format", option, cwd=fail)
    assert done.returncode == 3
    if option == "text":
        first, second, error = done.stdout.decode().splitlines()
        assert (first, second) == ("OVERALL=ERROR", "EXIT_CODE=3")
        message = error.removeprefix("ERROR ")
    else:
        value = json.loads(done.stdout)
        assert (value["verdict"], value["exitCode"]) == ("ERROR", 3)
        (message,) = value["errors"]
    assert message.startswith(f"{place}: cannot be written")
    assert done.stderr.decode() == f"evalgate: {message}\n"
    assert _names(fail) == names
    assert (fail / "after.json").read_bytes() == after


def test_compares_side_by_side_share_one_report(warn):
    """Runs that write one report.md at the same time leave a whole file with one section."""
    notes = b"# Notes\n\nkept\n"
    (warn / "report.md").write_bytes(notes)
    command = [*EVALGATE, "compare", "before.json", "after.json"]
    running = [
        subprocess.Popen(command, cwd=warn, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in running:
        with process:
            assert process.communicate(timeout=GUARD)[1] == b""
        assert process.returncode == 0
    text = (warn / "report.md").read_bytes()
    assert text.startswith(notes)
    lines = text.split(b"\n")
    assert lines.count(b"<!-- evalgate:begin -->") == lines.count(b"<!-- evalgate:end -->") == 1
    assert _names(warn) == ["after.json", "before.json", "report.md"]
    assert _run("compare", "before.json", "after.json", cwd=warn).returncode == 0
    assert (warn / "report.md").read_bytes() == text


@pytest.mark.parametrize(
    "option", ["--max-token-increase-pct 1e999999999", "--min-trial-success-rate 1e-999999999"], ids=lambda text: text
)
def test_a_number_of_a_billion_digits(option, warn):
    """A short text can spell one: it must be refused, or used without being spelled out."""
    # The limits (10 s of processor time, 2 GiB) are the guard: without them the build machine would go down.
    done = _bash(f"ulimit -t 10 -v 2097152; evalgate compare before.json after.json --no-report {option}", warn)
    assert done.returncode in (0, 3)
    assert b"Traceback" not in done.stderr
