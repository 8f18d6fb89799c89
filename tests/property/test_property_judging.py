"""Any value is judged, and none passes but by the rule, stated here once more and otherwise."""

import json
from functools import partial

from hypothesis import find, given
from hypothesis import strategies as st

from evalgate.loop import transcript
from evalgate.loop.judging import examine, judge
from evalgate.loop.wording import LANGUAGES
from evalgate.plain import escape
from evalgate.verdict import Verdict
from tests.property.strategies import texts

GATES = ["A_boot", "B_uncaught", "C_frame", "F_wiring", "H_progress", "I_control", "Z"]
FIELDS = ["pass", "uncaught", "f0", "f1", "expected", "sample", "checks", "latch", "path", "why", "guards"]

scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts, st.sampled_from(["true", "{f0}"]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.sampled_from(FIELDS), texts), inner, max_size=4)
    ),
    max_leaves=12,
)
# Mostly of the right form: a verdict of nothing but chance never comes near to passing.
said = st.one_of(st.just(True), st.booleans(), values)
guards = st.one_of(
    st.fixed_dictionaries({"pass": st.just(True)}),
    st.fixed_dictionaries({"pass": st.booleans()}, optional=dict.fromkeys(FIELDS[1:], values)),
    st.fixed_dictionaries({}, optional={"pass": said}),
    values,
)
verdicts = st.one_of(
    st.fixed_dictionaries(
        {"pass": said, "guards": st.dictionaries(st.one_of(st.sampled_from(GATES), texts), guards, max_size=5)}
    ),
    st.fixed_dictionaries({}, optional={"pass": said, "guards": values}),
    values,
)
langs = st.sampled_from(LANGUAGES)


def _is(value, literal):
    """Whether a value is the JSON literal, told by how JSON spells it: 1 is not true there."""
    return json.dumps(value) == literal


def _passes(verdict):
    if not (isinstance(verdict, dict) and "pass" in verdict and "guards" in verdict):
        return False
    inside = verdict["guards"]
    if not isinstance(inside, dict):
        return False
    own = [one["pass"] if isinstance(one, dict) and "pass" in one else None for one in inside.values()]
    return len(own) > 0 and all(_is(one, "true") for one in (verdict["pass"], *own))


def _comes_to(outcome, verdict):
    return examine(verdict).verdict is outcome


def test_the_verdicts_tried_are_of_every_kind():
    """Else the properties below would hold of nothing."""
    for outcome in (Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE):
        found = find(verdicts, partial(_comes_to, outcome))
        assert _passes(found) is (outcome is Verdict.PASS)


@given(verdicts, langs)
def test_it_passes_by_the_rule_and_never_raises(verdict, lang):
    found = judge(verdict, lang=lang)
    assert found.passed is _passes(verdict)
    assert (found.feedback == ()) is found.passed


@given(verdicts, langs)
def test_failed_gates_are_the_objects_whose_pass_is_false_in_order(verdict, lang):
    inside = verdict.get("guards") if isinstance(verdict, dict) else None
    pairs = inside.items() if isinstance(inside, dict) else ()
    expected = [key for key, one in pairs if isinstance(one, dict) and "pass" in one and _is(one["pass"], "false")]
    assert list(judge(verdict, lang=lang).failed_gates) == expected


@given(verdicts)
def test_the_language_changes_no_judgement(verdict):
    english, chinese = (examine(verdict, lang=lang) for lang in LANGUAGES)
    assert english[:1] + english[3:7] == chinese[:1] + chinese[3:7]
    assert [len(one) for one in english[7:]] == [len(one) for one in chinese[7:]]


@given(verdicts, langs)
def test_no_text_of_a_verdict_forges_a_line(verdict, lang):
    found = examine(verdict, lang=lang)
    lines = "".join(transcript.render(found)).split("\n")
    assert lines.pop() == ""
    first = [line.split("=")[0].split(" ")[0] for line in lines]
    assert first[:7] == [
        "OVERALL",
        "EXIT_CODE",
        "GATE_SET",
        "GATES",
        "FAILED_GATES",
        "GATES_UNPROVEN",
        "GATES_MISSING",
    ]
    assert set(first[7:]) <= {"REASON", "GATE_FAILED", "GATE_UNPROVEN", "GATE_MISSING"}
    counts = dict(line.split("=") for line in lines[:7])
    assert first.count("GATE_FAILED") == int(counts["FAILED_GATES"]) == len(found.failed)
    assert first.count("GATE_UNPROVEN") == int(counts["GATES_UNPROVEN"])
    assert [line for line in lines if escape(line) != line or "##[" in line] == []
    value = json.loads("".join(transcript.render_json(found)))
    assert value["failedGates"] == list(found.failed)
    assert str(value["exitCode"]) == counts["EXIT_CODE"]


@given(verdicts)
def test_only_a_pass_ends_in_zero(verdict):
    head = "".join(transcript.render(examine(verdict))).split("\n")[:2]
    assert head in (["OVERALL=PASS", "EXIT_CODE=0"], ["OVERALL=FAIL", "EXIT_CODE=1"], ["OVERALL=N/A", "EXIT_CODE=2"])
    assert (head[1] == "EXIT_CODE=0") is _passes(verdict)
