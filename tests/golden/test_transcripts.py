"""
Whole runs of the command, byte for byte.

A transcript holds one command and all that it does: `$ ` the command, then stdout as it is, stderr behind `! `, and
`? ` with the exit code at the end. Each runs in a temporary copy of its scenario's folder (of fixtures/ too, where the
command names it), and must write exactly what it should: one report.md for a comparison that was judged, which equals
`report.md.expected` where the scenario has one, and nothing else, ever.

`pytest --update-golden` rewrites transcripts and expected reports; read the diff before you accept it.
"""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from evalgate.__main__ import main

HERE = Path(__file__).parent
FIXTURES = HERE.parent.parent / "fixtures"
TRANSCRIPTS = sorted(HERE.glob("*/*.transcript"))
EXPECTED_REPORT = "report.md.expected"

DETAIL_WORDS = {
    "REGRESSIONS": "REGRESSION",
    "NEW_FAILURES": "NEW_FAILURE",
    "IMPROVEMENTS": "IMPROVEMENT",
    "ADDED": "ADDED_CASE",
    "REMOVED": "REMOVED_CASE",
    "TOKEN_REGRESSIONS": "TOKEN_REGRESSION",
    "SKIPPED_LINE_INCREASES": "SKIPPED_LINE_INCREASE",
    "FLAKY": "FLAKY_CASE",
    "TOOL_ERROR_RECOVERIES": "TOOL_ERROR_RECOVERY",
    "REPEATED_ERROR_SIGNATURES": "ERROR_SIGNATURE",
    "BASELINE_FLAKY": "BASELINE_FLAKY_CASE",
    "UNRELIABLE": "UNRELIABLE_CASE",
    "BASELINE_FAILING": "BASELINE_FAILING_CASE",
    "NOT_RUN": "NOT_RUN",
    "CASES_CHANGED": "CASE_CHANGED",
    "NOTES": "NOTE",
    "FLAKY_WORSENED": "FLAKY_WORSENED",
    "TRIALS": "TRIALS",
    "OUTAGE": "OUTAGE",
    "REPAIR_INCREASES": "REPAIR_INCREASE",
    "BUDGET_SOFT_TRIPPED": "BUDGET_SOFT_TRIPPED_CASE",
    "COST_GATE_DEGRADED": "COST_GATE_DEGRADED_CASE",
}
"""The summary line of each rule, and the first word of its detail lines."""

each_transcript = pytest.mark.parametrize(
    "path", TRANSCRIPTS, ids=[f"{path.parent.name}/{path.stem}" for path in TRANSCRIPTS]
)


def _command(path):
    line, _, _ = path.read_text(encoding="utf-8").partition("\n")
    assert line.startswith("$ evalgate "), f"{path} must begin with '$ evalgate '"
    return line


def _stage(path, command, folder):
    """Copy what the command may read into `folder`, without what only the tests know."""
    shutil.copytree(path.parent, folder, ignore=shutil.ignore_patterns("*.transcript", EXPECTED_REPORT, "report.md"))
    if "fixtures/" in command:
        shutil.copytree(FIXTURES, folder / "fixtures", ignore=shutil.ignore_patterns("report.md"))


def _files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _transcript(command, code, out, err):
    assert out == "" or out.endswith("\n"), "stdout must end with a newline"
    lines = [line for line in out.split("\n") if line.startswith(("$ ", "! ", "? "))]
    assert not lines, "a line of stdout would read as something else in a transcript"
    assert err == "" or err.endswith("\n"), "stderr must end with a newline"
    return f"{command}\n{out}" + "".join(f"! {line}\n" for line in err.split("\n")[:-1]) + f"? {code:d}\n"


def _reports_due(argv, code):
    """Return which file the command must write."""
    if argv[0] != "compare" or code == 3 or "--no-report" in argv:
        return []
    if "--report" in argv:
        return [argv[argv.index("--report") + 1]]
    after = Path([one for one in argv[1:] if not one.startswith("-")][1])
    return [str((after if after.is_dir() else after.parent) / "report.md")]


@each_transcript
def test_transcript(path, tmp_path, monkeypatch, capsysbinary, request):
    """The command prints these bytes, ends with this code and writes the report that is expected."""
    command = _command(path)
    folder = tmp_path / "scene"
    _stage(path, command, folder)
    monkeypatch.chdir(folder)
    present = _files(folder)
    argv = shlex.split(command)[2:]

    code = main(argv)

    out, err = (text.decode("utf-8") for text in capsysbinary.readouterr())
    actual = _transcript(command, code, out, err)
    written = {name: data for name, data in _files(folder).items() if present.get(name) != data}
    assert sorted(written) == _reports_due(argv, code)
    assert present.keys() <= _files(folder).keys()
    expected_report = path.parent / EXPECTED_REPORT
    if request.config.getoption("--update-golden"):
        path.write_text(actual, encoding="utf-8", newline="")
        for data in written.values():
            if expected_report.exists():
                expected_report.write_bytes(data)
    assert actual == path.read_bytes().decode("utf-8")
    for data in written.values():
        if expected_report.exists():
            assert data.decode("utf-8") == expected_report.read_bytes().decode("utf-8")


@each_transcript
def test_transcript_agrees_with_itself(path):
    """What a golden file says of the exit code and of its own counts is true."""
    command, *lines, last = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    code = last.removeprefix("? ")
    out = [line for line in lines if not line.startswith("! ")]
    if not command.startswith("$ evalgate compare "):
        return
    if "--format json" in command:
        (text,) = out
        value = json.loads(text)
        assert str(value["exitCode"]) == code
        assert value.get("strict") == ("--strict" in command) or value["verdict"] == "ERROR"
        return
    assert out[1] == f"EXIT_CODE={code}"
    if out[0] == "OVERALL=ERROR":
        assert len(out) > 2
        assert all(line.startswith("ERROR ") for line in out[2:])
        return
    counts = {key: int(number) for key, number in re.findall(r"^([A-Z_]+)=([0-9]+)$", "\n".join(out), re.MULTILINE)}
    found = {key: sum(line.startswith(f"{word} ") for line in out) for key, word in DETAIL_WORDS.items()}
    assert {key: counts.get(key, 0) for key in DETAIL_WORDS} == found
    assert any(line.startswith("REASON ") for line in out)
