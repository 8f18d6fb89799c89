"""A run folder as facts, and what of it is refused."""

import json
import os

import pytest

from evalgate.errors import ReportError
from evalgate.loop import runs
from evalgate.loop.runs import check_folders, read_run, read_runs, run_id
from tests.loop_help import at, events, model_call, round_, run_folder, summary, tool_result


def _fault(folder):
    with pytest.raises(ReportError) as caught:
        read_run(folder)
    (fault,) = caught.value.faults
    return fault.removeprefix(f"{folder}/")


def test_a_whole_folder(tmp_path):
    folder = run_folder(tmp_path, "asteroids", [["B_uncaught"], []])
    run = read_run(folder)
    assert run.id == "asteroids"
    assert [(one.round, one.stage, one.verdict["pass"]) for one in run.rounds] == [
        (1, "play", False),
        (2, "play", True),
    ]
    assert run.rounds[0].stderr_tail.startswith("TypeError: ")
    assert run.summary is not None
    assert (run.summary.repairs, run.summary.cost, run.summary.cost_gate) == (1, 0.75, "active")
    assert (run.summary.budget_soft_tripped, run.summary.stopped_reason, run.summary.wall_seconds) == (
        False,
        None,
        130.5,
    )
    assert run.trace is not None
    assert (run.trace.input_tokens, run.trace.output_tokens, run.trace.model_calls) == (3000, 500, 2)
    assert (run.trace.models, run.trace.tool_calls, run.trace.tool_errors) == (("m-1",), 2, ())
    assert (run.trace.first_at, run.trace.last_at, run.trace.cut) == (at(5), at(51), False)


@pytest.mark.parametrize("lacking", ["rounds", "summary", "trace"])
def test_what_is_absent_is_no_fault(tmp_path, lacking):
    folder = run_folder(
        tmp_path,
        "r",
        [] if lacking == "rounds" else [[]],
        summed=None if lacking == "summary" else summary(),
        trace=None if lacking == "trace" else events(),
    )
    run = read_run(folder)
    assert (run.rounds == (), run.summary is None, run.trace is None) == (
        lacking == "rounds",
        lacking == "summary",
        lacking == "trace",
    )


TRACES = {
    "nothing": ("", (0, 0, False)),
    "blank lines": ("\n\n", (0, 0, False)),
    "no line feed at the end": (json.dumps(model_call()), (1, 0, False)),
    "half a line": (json.dumps(model_call()) + '\n{"at": "2026-', (1, 0, True)),
    "half a character": (json.dumps(model_call()) + '\n{"at": "é'[:-1], (1, 0, True)),
    "a tool error": (json.dumps(tool_result(ok=False, error="EACCES")), (0, 1, False)),
    "a tool error without a text": (json.dumps(tool_result(ok=False)), (0, 1, False)),
    "another type": ('{"type": "text", "inputTokens": "many"}\n', (0, 0, False)),
    "a new field": (json.dumps(model_call(cost=1)), (1, 0, False)),
}


@pytest.mark.parametrize("text", TRACES)
def test_a_trace(tmp_path, text):
    trace = read_run(run_folder(tmp_path, "r", trace=TRACES[text][0])).trace
    assert trace is not None
    assert (trace.model_calls, len(trace.tool_errors), trace.cut) == TRACES[text][1]


def test_the_end_of_a_trace_that_is_no_utf8(tmp_path):
    folder = run_folder(tmp_path, "r", trace=None)
    (folder / "trace.jsonl").write_bytes(json.dumps(model_call()).encode() + b'\n{"at": "\xc3')
    trace = read_run(folder).trace
    assert trace is not None
    assert (trace.model_calls, trace.cut) == (1, True)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["{", "{}"], "trace.jsonl: line 1: line 2 column 1: must be valid JSON, but the text ends here"),
        (["[]"], "trace.jsonl: line 1: must be an object (got an array of 0)"),
        (["{}"], "trace.jsonl: line 1: type: must be a string (missing)"),
        (
            [json.dumps(model_call(inputTokens=-1))],
            "trace.jsonl: line 1: inputTokens: must be a whole number >= 0 (got -1)",
        ),
        (
            ["", json.dumps(model_call(outputTokens="5"))],
            "trace.jsonl: line 2: outputTokens: must be a whole number >= 0",
        ),
        ([json.dumps(model_call(inputTokens=True))], "trace.jsonl: line 1: inputTokens: must be a whole number >= 0"),
        ([json.dumps(model_call(model=None))], "trace.jsonl: line 1: model: must be a string (got null)"),
        ([json.dumps(model_call(at="yesterday"))], "trace.jsonl: line 1: at: must be an ISO 8601 instant"),
        ([json.dumps(tool_result(ok=1))], "trace.jsonl: line 1: ok: must be true or false (got 1)"),
        ([json.dumps(tool_result(ok=False, error=5))], "trace.jsonl: line 1: error: must be a string (got 5)"),
        (
            ['{"type": "model_call_end", "inputTokens": 1e999}'],
            "trace.jsonl: line 1: inputTokens: must be a finite number (got 1e999)",
        ),
        (
            [json.dumps(model_call()).replace("1500", "NaN")],
            "trace.jsonl: line 1: inputTokens: must be a finite number",
        ),
    ],
)
def test_a_trace_that_is_refused(tmp_path, lines, fault):
    assert _fault(run_folder(tmp_path, "r", trace="\n".join(lines) + "\n")).startswith(fault)


def test_lines_and_errors_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "LONGEST_LINE", 1000)
    monkeypatch.setattr(runs, "MOST_TOOL_ERRORS", 1)
    assert _fault(run_folder(tmp_path, "a", trace="x" * 1001)) == "trace.jsonl: line 1: must be at most 1000 bytes long"
    errors = [tool_result(ok=False)] * 2
    assert _fault(run_folder(tmp_path, "b", trace=errors)) == "trace.jsonl: line 2: must be at most 1 tool errors"
    monkeypatch.setattr(runs, "LARGEST_TRACE", 10)
    assert _fault(run_folder(tmp_path, "c")).startswith("trace.jsonl: must be at most 10 bytes long (found ")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"cost": -1}, "cost: must be a finite number >= 0 (got -1)"),
        ({"cost": None}, "cost: must be a finite number >= 0 (got null)"),
        ({"costGate": "off"}, 'costGate: must be active or degraded (got "off")'),
        ({"costGate": []}, "costGate: must be active or degraded (got an array of 0)"),
        ({"repairs": 1.5}, "repairs: must be a whole number >= 0 (got 1.5)"),
        ({"budgetSoftTripped": 0}, "budgetSoftTripped: must be true or false (got 0)"),
        ({"traceSummary": None}, "traceSummary: must be an object (got null)"),
        ({"traceSummary": {}}, "traceSummary.inputTokens: must be a whole number >= 0 (missing)"),
        ({"stoppedReason": 3}, "stoppedReason: must be a string (got 3)"),
        ({"wallS": "long"}, 'wallS: must be a finite number >= 0 (got "long")'),
    ],
)
def test_a_summary_that_is_refused(tmp_path, fields, fault):
    folder = run_folder(tmp_path, "r", summed=summary(**fields))
    assert _fault(folder) == f"evidence/run-summary.json: {fault}"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ('{"cost": 1', "line 1 column 11: must be valid JSON, but the text ends here: was the file cut off?"),
        ("[]", "must be an object (got an array of 0)"),
        ("[" * 100_000, "is nested too deeply to be a report"),
        ('{"newer": {"cost": 1e999}}', "newer.cost: must be a finite number (got 1e999)"),
        ('{"cost": 1, "cost": 0}', "must"),
    ],
)
def test_a_summary_that_is_no_object(tmp_path, text, fault):
    folder = run_folder(tmp_path, "r")
    (folder / "evidence" / "run-summary.json").write_text(text)
    assert _fault(folder).startswith(f"evidence/run-summary.json: {fault}")


def test_a_round_that_is_missing(tmp_path):
    """Whatever it said is gone, and a count of repairs would be too low."""
    folder = run_folder(tmp_path, "r", [["D_render"], ["D_render"], []])
    (folder / "evidence" / "rounds" / "2.json").unlink()
    assert _fault(folder) == f"{'evidence/rounds/2.json'}: is missing, and round 3 is there"


def test_rounds_of_two_runs(tmp_path):
    folder = run_folder(tmp_path, "r", [["D_render"], round_(2, "other")])
    assert _fault(folder) == "evidence/rounds/2.json: run: must be that of round 1, 'r' (got \"other\")"


@pytest.mark.parametrize("depth", [runs.DEEPEST - 1, runs.DEEPEST])
def test_a_verdict_is_nested_so_deep(tmp_path, depth):
    value: object = 1
    for _ in range(depth):
        value = [value]
    folder = run_folder(tmp_path, "r", [round_(1, "r", verdict={"pass": True, "guards": {}, "x": value})])
    assert _fault(folder) == f"evidence/rounds/1.json: verdict: must be nested at most {runs.DEEPEST} levels deep"


def test_a_verdict_of_usual_depth(tmp_path):
    checks = [{"path": "score", "before": 0, "after": {"deep": [1, [2, [3]]]}}]
    verdict = {"pass": True, "guards": {"H_progress": {"pass": True, "checks": checks}}}
    assert read_run(run_folder(tmp_path, "r", [round_(1, "r", verdict=verdict)])).rounds[0].verdict == verdict


@pytest.mark.parametrize("name", ["trace.jsonl", "evidence/run-summary.json", "evidence/rounds/1.json"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a device"])
def test_only_regular_files_are_opened(tmp_path, name, kind):
    """A pipe would never end."""
    folder = run_folder(tmp_path, "r")
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "folder":
        (folder / name).mkdir()
    else:
        (folder / name).symlink_to("/dev/zero")
    rule = "cannot be read (Is a directory)" if kind == "folder" and name.endswith("n") else "must be a regular file"
    assert _fault(folder) == f"{name}: {rule}"


@pytest.mark.parametrize("name", ["trace.jsonl", "evidence/run-summary.json", "evidence/rounds/1.json"])
def test_a_link_into_nothing_is_a_fault_and_no_absence(tmp_path, name):
    folder = run_folder(tmp_path, "r")
    (folder / name).unlink()
    (folder / name).symlink_to("gone")
    assert _fault(folder).startswith(f"{name}: ")
    assert "no such file" in _fault(folder).lower()


def test_rounds_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "MOST_ROUNDS", 1)
    assert _fault(run_folder(tmp_path, "s", [[], []])) == "evidence/rounds: must hold at most 1 rounds (found 2)"


@pytest.mark.parametrize("name", ["a", "a/", "a/.", "b/../a"])
def test_the_id_of_a_run_is_the_name_of_its_folder(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    run_folder(tmp_path, "a")
    from pathlib import Path

    assert run_id(Path(name)) == "a"
    monkeypatch.chdir(tmp_path / "a")
    assert run_id(Path()) == "a"


@pytest.mark.parametrize("name", ["evidence", "evidence/rounds"])
def test_a_file_in_the_place_of_a_folder(tmp_path, name):
    (tmp_path / "r" / name).parent.mkdir(parents=True)
    (tmp_path / "r" / name).write_text("")
    (tmp_path / "r" / "trace.jsonl").write_text("")
    assert list(runs.files_of(tmp_path / "r")) == [tmp_path / "r" / runs.SUMMARY, tmp_path / "r" / runs.TRACE]
    rule = "must be a folder" if name == "evidence" else "cannot be read (Not a directory)"
    assert _fault(tmp_path / "r") == f"{name}: {rule}"


def test_folders_come_by_id(tmp_path):
    folders = [run_folder(tmp_path, name) for name in "bca"]
    assert [one.name for one in check_folders(folders)] == ["a", "b", "c"]


def test_a_folder_that_is_no_run(tmp_path):
    run_folder(tmp_path / "many", "a")
    run_folder(tmp_path / "many", "b")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    again = run_folder(tmp_path / "again", "a")
    names = ["many", "empty", "file", "gone", "x\0y"]
    with pytest.raises(ReportError) as caught:
        check_folders([*(tmp_path / name for name in names), tmp_path / "many" / "a", again])
    assert [fault.removeprefix(f"{tmp_path}/") for fault in caught.value.faults] == [
        "many: is no run folder: has neither evidence/ nor trace.jsonl; it holds 2 of them, name these",
        "empty: is no run folder: has neither evidence/ nor trace.jsonl",
        "file: is no folder, and a run is one",
        "gone: no such run folder",
        "x\0y: no such run folder",
        f"again/a: is a second run folder of the id 'a', {tmp_path}/many/a is one too",
    ]


def test_a_folder_with_a_trace_alone_is_a_run_that_died_early(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "trace.jsonl").write_text("")
    (run,) = read_runs(check_folders([tmp_path / "r"]))
    assert (run.rounds, run.summary) == ((), None)


def test_the_faults_of_all_folders_are_told(tmp_path):
    folders = [run_folder(tmp_path, f"{name:02}", summed=summary(cost=-1)) for name in range(25)]
    good = run_folder(tmp_path, "good")
    with pytest.raises(ReportError) as caught:
        list(read_runs([good, *folders, good]))
    assert len(caught.value.faults) == 21
    assert caught.value.faults[-1] == "and 5 more faults"


def test_nothing_is_yielded_after_a_fault(tmp_path):
    bad, good = run_folder(tmp_path, "bad", trace="{}\n"), run_folder(tmp_path, "good")
    seen = []
    with pytest.raises(ReportError):
        seen += list(read_runs([good, bad, good]))
    assert seen == []
    reading = read_runs([good, bad, good])
    assert next(reading).id == "good"
    with pytest.raises(ReportError):
        next(reading)
