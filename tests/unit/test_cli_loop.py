"""`evalgate loop report`, and what the other commands do with a loop report."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evalgate
from evalgate import load_report
from evalgate.__main__ import main
from tests.builders import case, report
from tests.formats_help import SAMPLES
from tests.loop_help import loop_report, run_folder, summary

GOLDEN = Path(__file__).parents[1] / "golden"
RED = ["D_render"]


def _run(capsys, *arguments):
    code = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err.splitlines()


def _files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_writes_a_report_and_says_so(tmp_path, capsys):
    folders = [run_folder(tmp_path, name) for name in ("b", "a")]
    code, out, err = _run(capsys, "loop", "report", *folders, "-o", tmp_path / "report.json")
    assert (code, out, err) == (0, [], [f"evalgate: {tmp_path}/report.json: 2 runs"])
    assert [one.name for one in load_report(tmp_path).cases] == ["a", "b"]
    again = tmp_path / "again.json"
    _run(capsys, "loop", "report", *folders[::-1], "-o", again)
    assert again.read_bytes() == (tmp_path / "report.json").read_bytes()


def test_to_stdout(tmp_path, capsys):
    code, out, err = _run(capsys, "loop", "report", run_folder(tmp_path, "a"), "-o", "-")
    assert (code, err) == (0, [])
    assert json.loads("\n".join(out))["tool"] == "evalgate-loop"


@pytest.mark.parametrize("side", ["before", "after"])
def test_the_samples_are_the_reports_of_their_folders(side, capsys, monkeypatch, request):
    """And the golden scenario compares them. `--update-golden` writes both: then run it again for the transcripts."""
    monkeypatch.setattr("evalgate._version.__version__", "0.1.0")
    folders = sorted((SAMPLES / "loop" / side).iterdir())
    assert main(["loop", "report", *map(str, folders), "-o", "-"]) == 0
    text = capsys.readouterr().out
    copies = [SAMPLES / "loop" / f"{side}.json", GOLDEN / "loop" / f"{side}.json"]
    if request.config.getoption("--update-golden"):
        for path in copies:
            path.write_text(text, encoding="utf-8", newline="")
    assert [path.read_text(encoding="utf-8") for path in copies] == [text, text]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone", "-o", "out.json"], "gone: no such run folder"),
        (
            ["runs", "-o", "out.json"],
            "runs: is no run folder: has neither evidence/ nor trace.jsonl; it holds 1 of them",
        ),
        (["", "-o", "out.json"], "RUN_DIR is empty: is a variable not set?"),
        (["runs/a", "-o", ""], "--output is empty: is a variable not set?"),
        (["runs/a", "-o", "runs"], "--output takes the path of a file."),
        (["runs/a", "-o", "new/"], "--output takes the path of a file."),
        (["runs/a", "-o", "missing/out.json"], "missing/out.json: cannot be written: its folder is not there"),
        (["runs/a", "-o", "out.json", "--gates", ""], "--gates is empty: is a variable not set?"),
        (["runs/a", "-o", "out.json", "--gates", "nine"], "nine: is no gate set"),
        (["runs/a", "-o", "out.json", "--gates", "gone.toml"], "gone.toml: no such file"),
        (["runs/a"], "Missing option '--output' / '-o'."),
        (["-o", "out.json"], "Missing argument 'RUN_DIR...'."),
        (["runs/a", "runs/a", "-o", "out.json"], "runs/a: is a second run folder of the id 'a', runs/a is one too"),
        (["runs/a", "-o", "runs/a/evidence/rounds/2.json"], "lies in the run folder runs/a"),
        (["runs/a", "-o", "runs/a/report.json"], "lies in the run folder runs/a"),
        (["runs/a", "-o", "link"], "is one of the files that are read"),
        (["bad", "runs/a", "-o", "out.json"], "bad/trace.jsonl: line 1: type: must be a string (missing)"),
        (["bad", "-o", "-"], "bad/trace.jsonl: line 1: type: must be a string (missing)"),
    ],
)
def test_what_cannot_be_done_is_said_and_writes_nothing(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    folder = run_folder(tmp_path / "runs", "a")
    run_folder(tmp_path, "bad", trace="{}\n")
    os.link(folder / "trace.jsonl", tmp_path / "link")
    before = _files(tmp_path)
    code, out, err = _run(capsys, "loop", "report", *arguments)
    assert (code, out) == (3, [])
    assert any(said in line for line in err)
    assert _files(tmp_path) == before


def test_a_hostile_name_cannot_forge_a_line(tmp_path, capsys):
    folder = run_folder(tmp_path, "x\nOVERALL=PASS", trace="{}\n")
    code, out, err = _run(capsys, "loop", "report", folder, "-o", "-")
    assert (code, out, len(err)) == (3, [], 1)
    folder = run_folder(tmp_path, "y\nOVERALL=PASS\x1b[2J", [RED])
    target = loop_report(tmp_path / "report.json", folder)
    capsys.readouterr()
    code, out, err = _run(capsys, "compare", target, target, "--no-report")
    assert [line for line in out if "OVERALL" in line] == [
        "OVERALL=PASS",
        r"BASELINE_FAILING_CASE y\nOVERALL=PASS\x1b[2J",
    ]


@pytest.fixture(name="reports")
def _reports(tmp_path, capsys):
    before = loop_report(tmp_path / "before.json", run_folder(tmp_path / "1", "a"), run_folder(tmp_path / "1", "b"))
    after = loop_report(
        tmp_path / "after.json",
        run_folder(tmp_path / "2", "a", [RED, RED, []]),
        run_folder(tmp_path / "2", "b", summed=summary(budgetSoftTripped=True, costGate="degraded")),
    )
    capsys.readouterr()
    return before, after


def test_compare(reports, capsys):
    code, out, _ = _run(capsys, "compare", *reports, "--no-report", "--strict")
    assert code == 2
    assert {
        "OVERALL=WARN",
        "FLAKY=0",
        "REPAIR_INCREASES=1",
        "BUDGET_SOFT_TRIPPED=1",
        "COST_GATE_DEGRADED=1",
        "REPAIR_INCREASE a: 0 -> 2 repairs",
        "BUDGET_SOFT_TRIPPED_CASE b",
        "COST_GATE_DEGRADED_CASE b",
        "REASON 1 case needed more repairs than in the baseline: a",
        "REASON 1 case reached the soft budget and did not in the baseline: b",
    } <= set(out)


def test_a_report_against_itself_is_silent(reports, capsys):
    _, out, _ = _run(capsys, "compare", reports[1], reports[1], "--no-report")
    assert {"OVERALL=PASS", "REPAIR_INCREASES=0", "BUDGET_SOFT_TRIPPED=0", "COST_GATE_DEGRADED=0"} <= set(out)


def test_a_case_that_a_rerun_clears_is_flaky_for_it_was_run_again(reports, tmp_path, capsys):
    red = loop_report(tmp_path / "red.json", run_folder(tmp_path / "3", "a", [RED]), run_folder(tmp_path / "3", "b"))
    code, out, _ = _run(capsys, "compare", reports[0], red, "--confirm", reports[1], "--no-report")
    assert (code, out[0]) == (0, "OVERALL=WARN")
    assert {"FLAKY=1", "CLEARED=1", "FLAKY_CASE a", "CLEARED_CASE a"} <= set(out)


def test_parts_of_a_fleet_are_one_run(tmp_path, capsys):
    (tmp_path / "parts").mkdir()
    for name in "ab":
        loop_report(tmp_path / "parts" / f"{name}.json", run_folder(tmp_path, name))
    capsys.readouterr()
    _, out, _ = _run(capsys, "compare", tmp_path / "parts", tmp_path / "parts", "--no-report")
    assert {"OVERALL=PASS", "COMPARED=2", "SHARDS=2"} <= set(out)


def test_accept_keeps_a_loop_report_one(reports, tmp_path, capsys):
    before, after = reports
    baseline = tmp_path / "baseline.json"
    assert _run(capsys, "accept", before, "--into", baseline)[0] == 0
    assert load_report(baseline).cases == load_report(before).cases
    code, out, _ = _run(capsys, "accept", after, "--into", baseline, "--case", "a", "--reason", "the new prompt")
    assert (code, out[0]) == (0, "ACCEPTED=true")
    document = json.loads(baseline.read_text())
    assert (document["tool"], document["acceptedBy"]["reason"]) == ("evalgate-loop", "the new prompt")
    assert [one.loop and one.loop.repairs for one in load_report(baseline).cases] == [2, 0]
    _, out, _ = _run(capsys, "compare", baseline, after, "--no-report")
    assert {"REPAIR_INCREASES=0", "BUDGET_SOFT_TRIPPED=1"} <= set(out)


def test_accept_puts_the_parts_of_a_fleet_together(tmp_path, capsys):
    (tmp_path / "parts").mkdir()
    for name in "ab":
        loop_report(tmp_path / "parts" / f"{name}.json", run_folder(tmp_path, name, [RED, []]))
    assert _run(capsys, "accept", tmp_path / "parts", "--into", tmp_path / "baseline.json")[0] == 0
    assert [one.name for one in load_report(tmp_path / "baseline.json").cases] == ["a", "b"]


@pytest.mark.parametrize("turned", [True, False])
def test_accept_mixes_no_tools(reports, tmp_path, capsys, turned):
    (tmp_path / "dsh.json").write_text(json.dumps(report(case("a"))))
    run, into = (tmp_path / "dsh.json", reports[0]) if turned else (reports[0], tmp_path / "dsh.json")
    untouched = into.read_bytes()
    code, out, _ = _run(capsys, "accept", run, "--into", into)
    assert (code, out[0], out[3]) == (1, "ACCEPTED=false", "VERDICT=ERROR")
    assert any(
        line.startswith("REASON the reports cannot be compared: before is a report of the format") for line in out
    )
    assert into.read_bytes() == untouched


def test_convert_refuses_it(reports, tmp_path, capsys):
    code, out, err = _run(capsys, "convert", reports[0], "-o", tmp_path / "converted.json")
    assert (code, out) == (3, [])
    assert "is a report of evalgate-loop, which has no conversion" in err[0]
    assert not (tmp_path / "converted.json").exists()


def test_baseline_check(reports, capsys):
    code, out, _ = _run(capsys, "baseline", "check", reports[0])
    assert (code, out[0]) == (0, "OVERALL=PASS")
    assert "VERSION=m-1" in out


def test_explain_shows_the_rounds(reports, capsys):
    code, out, _ = _run(capsys, "explain", reports[1], "a", "--before", reports[0])
    assert code == 0
    assert {"after: pass, 3 attempts, 3500 tokens", "  WARN  Repair increases: a: 0 -> 2 repairs"} <= set(out)


def test_explain_mixes_no_tools(reports, tmp_path, capsys):
    (tmp_path / "dsh.json").write_text(json.dumps(report(case("a"))))
    code, out, err = _run(capsys, "explain", reports[1], "a", "--before", tmp_path / "dsh.json")
    assert (code, out) == (3, [])
    assert "--allow-mixed neither" in err[-1]


def test_every_other_output(reports, tmp_path, capsys):
    kinds = {kind: tmp_path / f"out.{kind}" for kind in ("json", "markdown", "junit", "ctrf", "html")}
    writes = [part for kind, path in kinds.items() for part in ("--write", f"{kind}={path}")]
    assert _run(capsys, "compare", *reports, "--no-report", *writes)[0] == 0
    assert "a: 0 -&gt; 2 repairs" in kinds["junit"].read_text()
    assert "a: 0 -> 2 repairs" in kinds["ctrf"].read_text()
    assert all("Repair increases" in kinds[kind].read_text() for kind in ("markdown", "html"))
    assert json.loads(kinds["json"].read_text())["repairIncreases"] == [{"name": "a", "before": 0, "after": 2}]


def test_a_round_is_no_retry_for_a_reader_of_ctrf(reports, tmp_path, capsys):
    """A failed retry of a passing test is what such a reader calls flaky."""
    target = tmp_path / "out.json"
    _run(capsys, "compare", *reports, "--no-report", "--write", f"ctrf={target}")
    tests = json.loads(target.read_text())["results"]["tests"]
    assert [(one["flaky"], "retries" in one, one["extra"]["evalgate"]["repairs"]) for one in tests] == [
        (False, False, 2),
        (False, False, 0),
    ]
    assert not any(one.flaky for one in load_report(target).cases)


def test_one_run_behind_a_link_is_not_two(tmp_path, monkeypatch, capsys):
    """`runs/*` takes `latest` with it."""
    monkeypatch.chdir(tmp_path)
    folder = run_folder(tmp_path / "runs", "a")
    (tmp_path / "runs/latest").symlink_to(folder)
    code, _, err = _run(capsys, "loop", "report", "runs/a", "runs/latest", "-o", "out.json")
    assert code == 3
    assert any("runs/latest: is runs/a by another name, and would count as a second run" in line for line in err)


def test_the_gate_set_is_not_written_over(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_folder(tmp_path / "runs", "a")
    package = Path(evalgate.__file__).parent
    (tmp_path / "my.toml").write_bytes((package / "loop/gate_sets/littlejs-nine.toml").read_bytes())
    before = (tmp_path / "my.toml").read_bytes()
    code, _, err = _run(capsys, "loop", "report", "runs/a", "--gates", "my.toml", "-o", "my.toml")
    assert code == 3
    assert any("is one of the files that are read" in line for line in err)
    assert (tmp_path / "my.toml").read_bytes() == before


def test_evidence_behind_a_link_is_not_written_into(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = run_folder(tmp_path / "runs", "a")
    (folder / "evidence").rename(tmp_path / "elsewhere")
    (folder / "evidence").symlink_to(tmp_path / "elsewhere")
    code, _, err = _run(capsys, "loop", "report", "runs/a", "-o", "elsewhere/rounds/2.json")
    assert code == 3
    assert any("lies in the run folder runs/a" in line for line in err)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_no_half_report_goes_into_a_pipe(tmp_path):
    """The fault of the last folder must not follow what a reader took for a report."""
    run_folder(tmp_path / "runs", "a")
    run_folder(tmp_path / "runs", "b", trace="{}\n")
    command = [sys.executable, "-m", "evalgate", "loop", "report", "runs/a", "runs/b", "-o", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (3, b"")
    command[6:7] = []
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["summary"]["total"] == 1


def test_a_trace_that_was_cut_hides_no_tokens(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = run_folder(tmp_path / "runs", "a")
    (folder / "trace.jsonl").write_text('{"at": "2026-08-12T06:00:05')
    summary = json.loads((folder / "evidence/run-summary.json").read_text())
    code, out, _ = _run(capsys, "loop", "report", "runs/a", "-o", "-")
    (case,) = json.loads("\n".join(out))["cases"]
    totals = summary["traceSummary"]
    assert code == 0
    assert case["tokens"]["total"] == totals["inputTokens"] + totals["outputTokens"] > 0
    assert any("the larger, since the trace was cut" in note for note in case["notes"])


@pytest.mark.parametrize(
    "line",
    [
        '{"at": "2026-08-12T06:00:05Z", "type": "tool_result", "tool": "x", "ok": false, "error": "E", "ok": true}',
        '{"at": "2026-08-12T06:00:05Z", "type": "other", "n": NaN}',
    ],
)
def test_a_trace_is_strict_json(tmp_path, monkeypatch, capsys, line):
    monkeypatch.chdir(tmp_path)
    folder = run_folder(tmp_path / "runs", "a")
    (folder / "trace.jsonl").write_text(f"{line}\n")
    assert _run(capsys, "loop", "report", "runs/a", "-o", "-")[:2] == (3, [])
