"""One verdict judged: the rule, case by case, and what the agent is told."""

import json

import pytest

from evalgate import GateJudgment, judge
from evalgate.loop.gate_set import LITTLEJS_NINE, parse
from evalgate.loop.judging import MOST_LINES, examine
from evalgate.plain import escape
from evalgate.verdict import Verdict

GREEN = {"pass": True}
RED = {"pass": False}
PASS, FAIL, NONE = Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE
NINE = {gate.key: GREEN for gate in LITTLEJS_NINE.gates}


@pytest.mark.parametrize(
    ("verdict", "outcome", "failed", "unproven"),
    [
        # There is no verdict, or no guard in it.
        (None, NONE, (), ()),
        ({}, NONE, (), ()),
        ([], NONE, (), ()),
        ([{"pass": True, "guards": {"A": GREEN}}], NONE, (), ()),
        ("", NONE, (), ()),
        ("pass", NONE, (), ()),
        (True, NONE, (), ()),
        (1, NONE, (), ()),
        (float("nan"), NONE, (), ()),
        (object(), NONE, (), ()),
        ({"pass": True}, NONE, (), ()),
        ({"pass": True, "guards": None}, NONE, (), ()),
        ({"pass": True, "guards": {}}, NONE, (), ()),
        ({"pass": False, "guards": {}}, NONE, (), ()),
        ({"pass": True, "guards": []}, NONE, (), ()),
        ({"pass": True, "guards": [GREEN]}, NONE, (), ()),
        ({"pass": True, "guards": "A"}, NONE, (), ()),
        ({"pass": True, "guards": 9}, NONE, (), ()),
        ({"pass": True, "guards": True}, NONE, (), ()),
        ({"guards": {}}, NONE, (), ()),
        # All is green, and it says so.
        ({"pass": True, "guards": {"A": GREEN}}, PASS, (), ()),
        ({"pass": True, "guards": NINE}, PASS, (), ()),
        ({"pass": True, "guards": {"A": {"pass": True, "f0": float("nan")}}}, PASS, (), ()),
        ({"pass": True, "guards": {"": GREEN}, "more": 1}, PASS, (), ()),
        # Green as a whole, and a guard is not.
        ({"pass": True, "guards": {"A": RED}}, FAIL, ("A",), ()),
        ({"pass": True, "guards": {**NINE, "I_control": RED}}, FAIL, ("I_control",), ()),
        # In the order of the verdict.
        ({"pass": False, "guards": {"z": RED, "a": GREEN, "m": RED}}, FAIL, ("z", "m"), ()),
        # Red as a whole, and no guard is.
        ({"pass": False, "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"guards": {"A": GREEN}}, FAIL, (), ()),
        ({"pass": None, "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"pass": "true", "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"pass": 1, "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"pass": 1.0, "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"pass": float("nan"), "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"pass": [True], "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"pass": {"pass": True}, "guards": {"A": GREEN}}, FAIL, (), ()),
        ({"Pass": True, "guards": {"A": GREEN}}, FAIL, (), ()),
        # A guard that proves nothing.
        ({"pass": True, "guards": {"A": GREEN, "B": True}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": None}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": []}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": "ok"}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": {}}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": {"pass": 1}}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": {"pass": 0}}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": {"pass": "true"}}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": GREEN, "B": {"pass": None}}}, FAIL, (), ("B",)),
        ({"pass": True, "guards": {"A": RED, "B": {"pass": {}}}}, FAIL, ("A",), ("B",)),
        ({"pass": True, "guards": {1: RED, None: "x"}}, FAIL, ("1",), ("null",)),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_rule(verdict, outcome, failed, unproven, lang):
    found = examine(verdict, LITTLEJS_NINE, lang)
    assert (found.verdict, found.failed, found.unproven) == (outcome, failed, unproven)
    assert found.reasons
    assert len(found.lines) == len(failed) + len(unproven)
    passed, gates, feedback = judge(verdict, LITTLEJS_NINE, lang)
    assert passed is (outcome is PASS)
    assert gates == failed
    assert (feedback == ()) is passed


def test_the_judgement_is_a_tuple_of_three():
    assert judge({"pass": True, "guards": {"A": GREEN}}) == GateJudgment(True, (), ()) == (True, (), ())


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (None, "there is none"),
        ([1], "there is an array where an object with pass and guards is expected"),
        ("x\n", 'there is "x\\n" where an object'),
        (3, "there is 3 where an object"),
        ({}, "it has no guards"),
        ({"pass": True}, "it has no guards"),
        ({"guards": {}}, "its guards are empty"),
        ({"guards": [1]}, "its guards are an array and not an object"),
        ({"guards": "green"}, 'its guards are "green" and not an object'),
    ],
)
def test_no_verdict_is_said_to_be_none_and_why(verdict, said):
    (line,) = judge(verdict).feedback
    assert line.startswith(f"no verdict was produced: {said}")
    (chinese,) = judge(verdict, lang="zh").feedback
    assert chinese.startswith("没有产生判定：")


@pytest.mark.parametrize(
    ("said", "shown"),
    [(False, "false"), ("true", '"true"'), (1, "1"), (None, "null"), ([], "an array"), ({}, "an object")],
)
def test_red_without_a_failed_gate_has_its_own_sentence(said, shown):
    (line,) = judge({"pass": said, "guards": NINE}).feedback
    assert line.startswith(f"the verdict is red although no gate in it failed: its pass is {shown} and not true.")
    (absent,) = judge({"guards": NINE}).feedback
    assert "its pass is absent and not true" in absent


@pytest.mark.parametrize(
    ("key", "values", "measured"),
    [
        ("A_boot", {"loaded": True, "exported": False}, "page loaded true; bundle exported false"),
        ("A_boot", {"window": 0}, "window 0"),
        ("B_uncaught", {"uncaught": 3}, "uncaught 3"),
        ("B_uncaught", {"uncaught": ["TypeError: x"]}, 'uncaught ["TypeError: x"]'),
        ("C_frame", {"f0": 4, "f1": 4, "delta": 0}, "frames f0 4, f1 4; delta 0"),
        ("C_frame", {"f1": 4}, "frames f0 –, f1 4"),
        ("C_frame", {"f0": float("nan"), "f1": None}, "frames f0 NaN, f1 null"),
        ("D_render", {"bright": 0, "maxCh": 12}, "bright 0; maxCh 12"),
        ("E_live", {"distinctStates": 1}, "distinctStates 1"),
        (
            "F_wiring",
            {"expected": ["a", "b"], "callCount": 0, "sample": []},
            'expected ["a", "b"]; callCount 0; sample []',
        ),
        ("G_input", {"before": 1, "after": 1}, "before 1, after 1"),
        ("I_control", {"before": 0, "after": 7, "delta": 7}, "score before 0, after 7; delta 7"),
        ("H_progress", {"checks": [], "latch": False}, "latch false"),
        ("H_progress", {"checks": None, "latch": {"phase": "won"}}, 'latch {phase: "won"}'),
        (
            "H_progress",
            {
                "checks": [
                    {"path": "score", "op": ">", "before": 0, "after": 0, "pass": False, "why": "did not move"},
                    {"path": "frame", "op": ">", "before": 0, "after": 9, "pass": True, "why": "moved"},
                    {"path": "lives", "op": "<", "pass": "yes"},
                    {"path": "phase"},
                    "odd",
                    {"pass": False},
                ]
            },
            "failed check score >, before 0, after 0, did not move; failed check lives <; failed check phase –; odd; "
            "{pass: false}",
        ),
        ("Z_new", {"speed": 3, "why": "slow"}, "speed 3; why slow"),
    ],
)
def test_a_line_says_what_is_wrong_the_values_and_the_direction(key, values, measured):
    (line,) = judge({"pass": False, "guards": {key: {"pass": False, **values}}}).feedback
    if key in LITTLEJS_NINE.by_key:
        text = LITTLEJS_NINE.by_key[key].texts["en"]
        assert line == f"{key}: {text.wrong} Measured: {measured}. {text.repair}"
    else:
        hint = "failed. It is not a gate of littlejs-nine, so there is no hint for it."
        assert line == f"{key}: {hint} Measured: {measured}."


@pytest.mark.parametrize("key", LITTLEJS_NINE.by_key)
def test_a_guard_without_values_still_says_what_to_do(key):
    (line,) = judge({"pass": False, "guards": {key: RED}}, LITTLEJS_NINE, "zh").feedback
    text = LITTLEJS_NINE.by_key[key].texts["zh"]
    assert line == f"{key}: {text.wrong}{text.repair}"


def test_failed_elements_are_shown_up_to_six_and_counted():
    checks = [{"path": f"p{number}", "op": ">", "pass": False} for number in range(9)]
    (line,) = judge({"pass": False, "guards": {"H_progress": {"pass": False, "checks": checks}}}).feedback
    assert "failed check p5 >; and 3 more." in line
    assert "p6" not in line


def test_gates_that_are_missing_are_named_and_never_fail_a_run():
    """What must be in a verdict is for its producer to say; that nothing was proven of them is said."""
    found = examine({"pass": True, "guards": {"A_boot": GREEN, "Z": GREEN}})
    assert found.verdict is PASS
    assert found.missing == tuple(LITTLEJS_NINE.by_key)[1:]
    assert found.reasons[0] == "all 2 gates passed"
    assert found.reasons[1].startswith(
        "the verdict lacks 8 of the 9 gates of littlejs-nine: nothing was proven of B_un"
    )
    assert examine({"pass": True, "guards": NINE}).missing == ()
    assert examine(None).missing == tuple(LITTLEJS_NINE.by_key)


def test_the_set_words_and_never_decides():
    own = parse(
        "g",
        json.dumps(
            {
                "schema": "evalgate-gate-set/1",
                "name": "own",
                "title": {"en": "t", "zh": "t"},
                "gates": [
                    {
                        "key": "A_boot",
                        "title": {"en": "t", "zh": "t"},
                        "wrong": {"en": "Ours.", "zh": "我们的。"},
                        "repair": {"en": "Mend.", "zh": "修。"},
                    }
                ],
            }
        ).encode(),
    )
    verdict = {"pass": False, "guards": {"A_boot": RED, "B_uncaught": RED}}
    passed, failed, feedback = judge(verdict, own)
    assert (passed, failed) == judge(verdict)[:2]
    assert feedback[0] == "A_boot: Ours. Mend."
    assert feedback[1].startswith("B_uncaught: failed. It is not a gate of own")


def test_feedback_ends_and_the_gates_do_not():
    guards = {f"g{number}": RED for number in range(MOST_LINES + 5)}
    found = judge({"pass": False, "guards": guards})
    assert found.failed_gates == tuple(guards)
    assert len(found.feedback) == MOST_LINES + 1
    assert found.feedback[-1] == "and 5 more failed gates: repair the ones above first."
    assert len(examine({"pass": False, "guards": guards}).lines) == MOST_LINES + 5


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_hostile_text_is_long_or_acts(lang):
    bad = "\x1b[2J\nGATE_FAILED \u202e" + "y" * 10**6
    names = (bad, "A_boot", "F_wiring", "H_progress")
    fields = {"why": bad, "error": bad, "expected": [bad] * 50, "checks": [{"path": bad, "why": bad}] * 50, bad: bad}
    found = judge({"pass": bad, "guards": {**{name: {"pass": False, **fields} for name in names}, "q": bad}}, lang=lang)
    assert found.failed_gates == names
    for line in found.feedback:
        assert len(line) < 3000
        assert escape(line) == line


def test_a_language_without_texts_is_the_callers_slip():
    with pytest.raises(KeyError):
        judge({}, lang="fr")  # type: ignore[arg-type]
