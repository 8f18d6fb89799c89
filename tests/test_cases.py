"""
Inputs that broke gates of this kind, each with the right answer.

A case is a folder of cases/: before.json, after.json and check.json. Keys of check.json, all optional:
  exit, exit_not            exit code that must / must not be
  has, lacks                text that stdout must / must not contain
  lacks_line                whole stdout lines that must not appear
  line_count                {prefix: how many stdout lines start so}
  stderr_has, stderr_lacks  text that stderr must / must not contain
  strict, opts              --strict; {max_pct, min_rate}
  env                       extra environment
  fifo                      feed both reports through pipes
  before, after             other file names than before.json / after.json
  report                    {start: file to begin with, has, lacks, keeps, has_section, twice}
  why                       what the case guards against
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evalgate.__main__ import main

ROOT = Path(__file__).parent.parent
FOLDERS = sorted(path.parent for path in ROOT.glob("tests/cases/*/check.json"))
KEYS = {
    *("exit", "exit_not", "has", "lacks", "lacks_line", "line_count", "stderr_has", "stderr_lacks"),
    *("strict", "opts", "env", "fifo", "before", "after", "report", "why"),
}
EVALGATE = [sys.executable, "-m", "evalgate"]
ANY_LINE_END = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]")

each_case = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@pytest.fixture(name="check")
def _check(folder):
    check = json.loads((folder / "check.json").read_text(encoding="utf-8"))
    assert check.keys() <= KEYS, "a key that nothing reads checks nothing"
    return check


@pytest.fixture(name="run")
def _run(check, capsysbinary):
    """Return a function that runs the command and returns (exit code, stdout, stderr)."""

    def run(argv):
        if not any(key in check for key in ("env", "fifo")):
            code = main(argv)
            out, err = capsysbinary.readouterr()
            return code, out.decode("utf-8"), err.decode("utf-8")
        command = [*EVALGATE, *argv]
        if check.get("fifo"):
            before, after = (f"<(cat {shlex.quote(place)})" for place in argv[1:3])
            command = ["bash", "-c", f"{shlex.join([*EVALGATE, 'compare'])} {before} {after} {shlex.join(argv[3:])}"]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        env = {**os.environ, "PYTHONPATH": path, **check.get("env", {})}
        done = subprocess.run(command, capture_output=True, env=env, timeout=60, check=False)
        return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")

    return run


def _argv(folder, check):
    options = check.get("opts", {})
    argv = ["compare", str(folder / check.get("before", "before.json")), str(folder / check.get("after", "after.json"))]
    argv += ["--strict"] if check.get("strict") else []
    argv += ["--max-token-increase-pct", str(options["max_pct"])] if "max_pct" in options else []
    argv += ["--min-trial-success-rate", str(options["min_rate"])] if "min_rate" in options else []
    return argv


@each_case
def test_case(folder, check, run):
    """Exit code, stdout and stderr are what the case asks for."""
    code, out, err = run([*_argv(folder, check), "--no-report"])
    lines = out.split("\n")

    assert code == check.get("exit", code)
    assert code not in check.get("exit_not", [])
    assert [text for text in check.get("has", []) if text not in out] == []
    assert [text for text in check.get("lacks", []) if text in out] == []
    assert [line for line in check.get("lacks_line", []) if line in lines] == []
    assert [text for text in check.get("stderr_has", []) if text not in err] == []
    assert [text for text in check.get("stderr_lacks", []) if text in err] == []
    loose = ANY_LINE_END.split(out)
    found = {prefix: sum(line.startswith(prefix) for line in loose) for prefix in check.get("line_count", {})}
    assert found == check.get("line_count", {})
    assert lines[1] == f"EXIT_CODE={code}"


@each_case
def test_case_in_json(folder, check, run):
    """The JSON output is one line of strict JSON, ends with the same exit code and tells the same verdict."""
    _, text, _ = run([*_argv(folder, check), "--no-report"])
    code, out, _ = run([*_argv(folder, check), "--no-report", "--format", "json"])

    def refuse(name):
        raise ValueError(f"{name} is no JSON")

    assert out.endswith("}\n")
    assert out.count("\n") == 1
    value = json.loads(out, parse_constant=refuse)
    assert value["exitCode"] == code == check.get("exit", code)
    assert text.startswith(f"OVERALL={value['verdict']}\n")


WITH_REPORT = [folder for folder in FOLDERS if '"report"' in (folder / "check.json").read_text(encoding="utf-8")]


@pytest.mark.parametrize("folder", WITH_REPORT, ids=lambda folder: folder.name)
def test_case_in_report(folder, check, run, tmp_path):
    """report.md holds what the case asks for, keeps what was in it, and a second run changes nothing."""
    want = check["report"]
    target = tmp_path / "report.md"
    start = (folder / want["start"]).read_bytes() if "start" in want else b""
    if "start" in want:
        shutil.copyfile(folder / want["start"], target)
    argv = [*_argv(folder, check), "--report", str(target)]

    run(argv)
    first = target.read_bytes()

    text = first.decode("utf-8")
    assert [part for part in want.get("has", []) if part not in text] == []
    assert [part for part in want.get("lacks", []) if part in text] == []
    assert [part for part in want.get("keeps", []) if part not in text] == []
    if not want.get("has_section"):
        assert first.startswith(start)
    if b"\r\n" in start:
        assert first.count(b"\n") == first.count(b"\r\n")
    if want.get("twice"):
        run(argv)
        assert target.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
