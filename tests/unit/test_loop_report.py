"""Runs as one report: statuses, repairs, tokens, dates, and that it can be read again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgate import load_report
from evalgate.errors import ReportError
from evalgate.formats.evalgate_loop import broke_off, status_of
from evalgate.loop.gate_set import LITTLEJS_NINE
from evalgate.loop.judging import judge
from evalgate.loop.loop_report import case_of, pieces
from evalgate.loop.runs import check_folders, read_run, read_runs
from tests.loop_help import CRASH, at, events, model_call, round_, run_folder, summary, tool_result, verdict


def _case(tmp_path, *arguments, **fields):
    return case_of(read_run(run_folder(tmp_path, "r", *arguments, **fields)), LITTLEJS_NINE)


def _report(*folders):
    return json.loads("".join(pieces(read_runs(check_folders(folders)), LITTLEJS_NINE, version="9.9")))


RED = ["D_render"]
NO_VERDICT = round_(1, "r", verdict={}, stage="stage", stderrTail='✘ [ERROR] Expected ")"')


@pytest.mark.parametrize(
    ("rounds", "reason", "status"),
    [
        ([[]], None, "pass"),
        ([RED, RED, []], None, "pass"),
        ([RED], None, "fail"),
        ([RED], "max_repairs", "fail"),
        ([RED], "max_iters", "fail"),
        ([[]], "max_iters", "pass"),
        ([NO_VERDICT], None, "error"),
        ([[], {**NO_VERDICT, "round": 2}], None, "error"),
        ([round_(1, "r", verdict={"pass": True, "guards": {}})], None, "error"),
        ([round_(1, "r", verdict={"pass": True, "guards": {"A_boot": {"pass": False}}})], None, "fail"),
        ([round_(1, "r", verdict={"pass": False, "guards": {"A_boot": {"pass": True}}})], None, "fail"),
        ([], None, "error"),
        ([], "max_iters", "error"),
        ([RED], "died", "error"),
        ([[]], "died", "error"),
        ([RED], "wall_timeout", "error"),
        ([[]], "timed out after 4500 s", "error"),
    ],
)
def test_the_status_is_that_of_the_last_round_unless_the_run_broke_off(tmp_path, rounds, reason, status):
    fields = {} if reason is None else {"stoppedReason": reason}
    case = _case(tmp_path, rounds, summed=summary(max(len(rounds) - 1, 0), **fields))
    assert (case["status"], case.get("stoppedReason")) == (status, reason)
    assert ("error" in case) is (status == "error")
    assert case["attempts"] == len(case["attemptResults"]) == len(rounds)


@pytest.mark.parametrize(
    ("reason", "broke"),
    [
        ("died", True),
        ("Died: the stream stopped", True),
        ("timeout", True),
        ("gate timeout", True),
        ("wall_timeout", True),
        ("timed_out", True),
        ("TimedOut", True),
        ("x\ntimed out", True),
        (None, False),
        ("", False),
        ("finished", False),
        ("max_repairs", False),
        ("model_calls", False),
        ("the hero died", False),
        ("wallTimeout", True),
        ("lifetime_outdated", False),
        ("runtime output limit", False),
    ],
)
def test_what_counts_as_broken_off(reason, broke):
    assert broke_off(reason) is broke


@pytest.mark.parametrize(
    ("rounds", "reason", "error"),
    [
        ([], None, "no gate round was run: there is no verdict"),
        ([NO_VERDICT], None, "no verdict: round 1 got as far as stage"),
        ([RED], "died", "the run did not end by itself: died"),
        ([], "died", "the run did not end by itself: died"),
    ],
)
def test_an_error_says_why(tmp_path, rounds, reason, error):
    assert _case(tmp_path, rounds, summed=summary(stoppedReason=reason))["error"] == error


def test_failures_are_the_feedback_of_the_last_round(tmp_path):
    case = _case(tmp_path, [["D_render", "H_progress"], ["I_control"], ["H_progress"]])
    expected = list(judge(verdict("H_progress"), LITTLEJS_NINE, "en").feedback)
    assert case["failures"] == case["attemptResults"][2]["failures"] == expected != []
    assert [one["failedGates"] for one in case["attemptResults"]] == [
        ["D_render", "H_progress"],
        ["I_control"],
        ["H_progress"],
    ]
    assert [one["index"] for one in case["attemptResults"]] == [1, 2, 3]


def test_a_round_is_kept_whole(tmp_path):
    attempt = _case(tmp_path, [round_(1, "r", "B_uncaught", screenshot="1.png", seconds=1.0005)])["attemptResults"][0]
    assert attempt["verdict"] == verdict("B_uncaught")
    assert (attempt["stderrTail"], attempt["screenshot"], attempt["stage"]) == (CRASH, "1.png", "play")
    assert (attempt["startedAt"], attempt["durationMs"]) == (at(60), 1000)


def test_a_green_round_has_no_failures(tmp_path):
    assert _case(tmp_path)["attemptResults"][0]["failures"] == []


@pytest.mark.parametrize(
    ("rounds", "said", "repairs", "noted"),
    [
        (1, 0, 0, False),
        (3, 2, 2, False),
        (3, 3, 3, True),
        (3, None, 2, True),
        (3, 0, 2, True),
        (1, 6, 6, True),
        (0, 0, 0, False),
        (0, 1, 1, True),
        (0, None, 0, True),
    ],
)
def test_repairs(tmp_path, rounds, said, repairs, noted):
    """A repair without a round behind it is one that went missing; one between two rounds cannot be argued away."""
    case = _case(tmp_path, [RED] * rounds, summed=None if said is None else summary(said))
    assert case["repairs"] == repairs
    assert any("repairs" in note for note in case.get("notes", ())) is noted


def test_budget_and_cost(tmp_path):
    case = _case(tmp_path, summed=summary(budgetSoftTripped=True, costGate="degraded", cost=0))
    assert (case["budgetSoftTripped"], case["costGate"], case["cost"]) == (True, "degraded", 0)


def test_without_a_summary_the_cost_is_not_known(tmp_path):
    case = _case(tmp_path, summed=None)
    assert (case["budgetSoftTripped"], case["costGate"], case["cost"]) == (False, "degraded", None)
    assert case["notes"] == [
        "has no run-summary.json: its repairs are counted from its rounds, and its cost is not known"
    ]


def test_tokens_and_tool_errors_are_those_of_the_trace(tmp_path):
    trace = [
        model_call(),
        model_call(model="m-0", inputTokens=1, outputTokens=2),
        tool_result(ok=False, error="EACCES"),
    ]
    case = _case(tmp_path, trace=trace)
    assert case["tokens"] == {
        "input": 1501,
        "output": 252,
        "cacheRead": 0,
        "cacheWrite": 0,
        "reasoning": 0,
        "total": 1753,
    }
    assert (case["toolErrors"], case["toolErrorCount"]) == ([{"name": "write", "error": "EACCES"}], 1)
    assert (case["models"], case["steps"]) == (["m-0", "m-1"], 2)
    assert case["notes"] == [
        "its trace holds 1501 input tokens and its summary counts 3000: the trace is taken",
        "its trace holds 252 output tokens and its summary counts 500: the trace is taken",
        "its trace holds 1 tool errors and its summary counts 0: the trace is taken",
    ]


def test_without_a_trace_they_are_those_of_the_summary(tmp_path):
    totals = {"modelCalls": 9, "toolCalls": 5, "toolErrors": 2, "inputTokens": 70, "outputTokens": 8}
    case = _case(tmp_path, trace=None, summed=summary(traceSummary=totals))
    assert (case["tokens"]["total"], case["toolErrors"], case["toolErrorCount"], case["steps"]) == (78, [], 2, 9)
    assert case["notes"] == ["has no trace.jsonl: its tokens and tool errors are those of its summary"]


def test_without_both_nothing_is_known(tmp_path):
    case = _case(tmp_path, trace=None, summed=None)
    assert (case["tokens"], case["toolErrorCount"], case["models"]) == (None, 0, [])
    assert "has no trace.jsonl: its tokens and tool errors are not known" in case["notes"]


def test_half_a_line_and_another_name_are_noted(tmp_path):
    text = "".join(json.dumps(one) + "\n" for one in events()) + "{"
    assert _case(tmp_path, [round_(1, "old name")], trace=text)["notes"] == [
        "the last line of its trace is half-written",
        "its rounds name the run 'old name'",
    ]


def test_the_same_folders_give_the_same_bytes_in_any_order(tmp_path):
    folders = [run_folder(tmp_path, name, [RED, []]) for name in ("b", "a", "ä", "B")]
    texts = {
        "".join(pieces(read_runs(check_folders(order)), LITTLEJS_NINE, version="9.9"))
        for order in (folders, folders[::-1], folders[2:] + folders[:2])
    }
    assert len(texts) == 1
    assert [one["name"] for one in json.loads(texts.pop())["cases"]] == ["B", "a", "b", "ä"]


def test_the_head_and_the_foot(tmp_path):
    document = _report(
        run_folder(tmp_path, "green"),
        run_folder(tmp_path, "red", [RED, RED]),
        run_folder(tmp_path, "dead", [], summed=None),
        run_folder(tmp_path, "cut", [NO_VERDICT]),
    )
    assert {key: value for key, value in document.items() if key != "cases"} == {
        "schemaVersion": 1,
        "tool": "evalgate-loop",
        "version": "9.9",
        "profile": "littlejs-nine",
        "startedAt": at(5),
        "finishedAt": at(127.25),
        "durationMs": 122250,
        "summary": {"total": 4, "passed": 1, "failed": 1, "errored": 2},
    }


@pytest.mark.parametrize(
    ("rounds", "trace", "begin", "end"),
    [
        ([], [], None, None),
        ([], [model_call(at="2026-08-12T08:00:05+02:00")], at(5), at(5)),
        ([round_(1, "r", startedAt="9999-12-31T23:59:59.5Z", seconds=1e8)], [], None, None),
        (
            [round_(1, "r", startedAt="9999-12-31T23:59:58Z", seconds=1e8)],
            [],
            "9999-12-31T23:59:58.000Z",
            "9999-12-31T23:59:59.000Z",
        ),
        ([round_(1, "r", startedAt=at(1)[:-1] + "9876543210Z", seconds=0)], [], at(1), at(1)),
    ],
)
def test_dates(tmp_path, rounds, trace, begin, end):
    document = _report(run_folder(tmp_path, "r", rounds, trace=trace))
    assert (document["startedAt"], document["finishedAt"]) == (begin, end)


@pytest.mark.parametrize(("wall", "expected"), [(12.3456, 12345), (None, 62250), (0, 0)])
def test_how_long_a_run_took(tmp_path, wall, expected):
    assert _case(tmp_path, summed={**summary(), "wallS": wall})["durationMs"] == expected


def test_the_faults_of_a_run_stop_the_report(tmp_path):
    good, bad = run_folder(tmp_path, "a"), run_folder(tmp_path, "b", trace="{}\n")
    with pytest.raises(ReportError, match=r"b/trace\.jsonl: line 1: type"):
        _report(good, bad)


GUARDS: st.SearchStrategy[object] = st.dictionaries(
    st.sampled_from(["A_boot", "D_render", "new"]),
    st.sampled_from(
        [{"pass": True}, {"pass": False}, {}, {"pass": 0}, {"pass": None}, None, True, "x", [], {"pass": "false"}]
    ),
    max_size=3,
)
VERDICTS: st.SearchStrategy[object] = st.fixed_dictionaries(
    {},
    optional={
        "pass": st.sampled_from([True, False, 1, "true", None]),
        "guards": GUARDS | st.sampled_from([None, [], "x"]),
    },
)


@given(VERDICTS)
def test_the_reader_judges_a_verdict_as_the_judge_does(value):
    judgment = judge(value, LITTLEJS_NINE, "en")
    assert (status_of(value).value == "pass") is judgment.passed
    assert judgment.passed or judgment.feedback


@given(
    rounds=st.lists(VERDICTS, max_size=3),
    reason=st.sampled_from([None, "died", "timeout", "max_repairs", "", "\x1b[2J"]),
    repairs=st.integers(0, 5),
    summed=st.booleans(),
    traced=st.sampled_from([None, [], events(), [tool_result(ok=False, error="\ud83d")]]),
)
def test_whatever_is_written_can_be_read(tmp_path_factory, rounds, reason, repairs, summed, traced):
    root = tmp_path_factory.mktemp("runs")
    folder = run_folder(
        root,
        "r",
        [round_(number, "r", verdict=value) for number, value in enumerate(rounds, 1)],
        summed=summary(repairs, stoppedReason=reason) if summed else None,
        trace=traced,
    )
    text = "".join(pieces(read_runs(check_folders([folder])), LITTLEJS_NINE, version="9.9"))
    (root / "report.json").write_text(text)
    (case,) = load_report(root / "report.json").cases
    written = json.loads(text)["cases"][0]
    assert (case.name, case.status.value, case.flaky) == ("r", written["status"], False)
    assert case.loop is not None
    assert case.loop.repairs == written["repairs"]
