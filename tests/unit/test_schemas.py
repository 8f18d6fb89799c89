"""The schemas hold what is read and what is written, and the two are held together here."""

import json

import jsonschema  # type: ignore[import-untyped]
import pytest

from evalgate import schemas
from evalgate.gate import compare
from evalgate.loop import transcript
from evalgate.loop.judging import examine
from evalgate.options import GateOptions
from evalgate.render import json as json_output
from evalgate.report import LOOP_FORMAT, Fact, Loop, Trials
from evalgate.signals import SIGNALS
from tests.builders import case, facts, facts_report, legacy, node_crash, report, retried, tried

GATE = schemas.gate_schema()
REPORT = schemas.report_schema()
JUDGE = schemas.judge_schema()

LOADED = compare(
    facts_report(
        facts("a"),
        facts("i", "fail"),
        facts("gone", flaky=True),
        facts("t", total_tokens=0.3),
        facts("s"),
        facts("shaky", flaky=True, attempts=2),
        facts("w", trials=Trials(3, 2)),
        dsh_version="1",
        harness_version="1",
        profile="x",
        suite="x by match",
        incomplete=("cut",),
        revisions={"a": "1"},
        shards=2,
    ),
    facts_report(
        facts("a", "fail", signatures=("S",)),
        facts("shaky", flaky=True, attempts=4),
        facts("new", "error", signatures=("S", "S")),
        facts("luck", "fail"),
        facts("i"),
        facts("add", flaky=True, tool_errors=1),
        facts("t", total_tokens=1e300),
        facts("s", skipped_lines=1),
        facts("w", trials=Trials(3, 3)),
        dsh_version="2",
        harness_version="2",
        profile="y",
        suite="x by f1",
        incomplete=("cut",),
        not_run=("z",),
        notes=("n",),
        revisions={"a": "2"},
        shards=3,
    ),
    GateOptions(min_trial_success_rate=1, allow_mixed=True),
    facts_report(facts("luck"), suite="x by f1", dsh_version="2", harness_version="2", profile="y"),
)
LOOP = compare(
    facts_report(facts("r", loop=Loop(0, False, False)), format=LOOP_FORMAT, tool=LOOP_FORMAT),
    facts_report(facts("r", loop=Loop(2, True, True)), format=LOOP_FORMAT, tool=LOOP_FORMAT),
)
OF_LOOPS = {one.json_field for one in SIGNALS if one.format == LOOP_FORMAT}
BARE = facts_report(facts(), format="f", carries=frozenset[Fact]())
RESULTS = {
    "everything": LOADED,
    "everything of a loop": LOOP,
    "nothing carried": compare(BARE, BARE),
    "quiet": compare(facts_report(facts()), facts_report(facts())),
    "no baseline": compare(None, facts_report(facts())),
    "nothing after": compare(facts_report(facts()), facts_report()),
    "huge": compare(facts_report(facts(total_tokens=5e-324)), facts_report(facts(total_tokens=int(1.7e308)))),
}


CONFIG = {
    "strict": {"value": True, "origin": "command line"},
    "write": {"value": ["html=x"], "origin": "evalgate.toml"},
}


def _output(result, *, strict=False):
    return json.loads("".join(json_output.render(result, strict=strict, config=CONFIG)))


@pytest.mark.parametrize("schema", [GATE, REPORT, JUDGE], ids=["gate", "report", "judge"])
def test_a_schema_is_one(schema):
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("strict", [True, False])
def test_the_json_output_is_as_its_schema_says(result, strict):
    found = _output(result, strict=strict)
    jsonschema.Draft202012Validator(GATE).validate(found)
    schemas.GATE.validate_python(found)


def test_the_json_of_an_error_is_as_its_schema_says():
    found = json.loads("".join(json_output.render_error(["a"])))
    jsonschema.Draft202012Validator(GATE).validate(found)
    assert set(found) == set(schemas.NotJudged.model_fields)


GREEN, RED = {"pass": True}, {"pass": False}
VERDICTS = {
    "pass": {"pass": True, "guards": {"A_boot": GREEN}},
    "fail": {"pass": False, "guards": {"A_boot": RED, "x\ny": RED, "B": "ok"}},
    "red without a culprit": {"pass": False, "guards": {"A_boot": GREEN}},
    "none": None,
}


def _judged(verdict):
    return json.loads("".join(transcript.render_json(examine(verdict))))


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_the_json_output_of_judge_is_as_its_schema_says(verdict):
    found = _judged(verdict)
    jsonschema.Draft202012Validator(JUDGE).validate(found)
    schemas.JUDGE.validate_python(found)
    assert set(found) == set(schemas.GatesJudged.model_fields)


def test_the_json_of_an_error_of_judge_is_as_its_schema_says():
    jsonschema.Draft202012Validator(JUDGE).validate(json.loads("".join(json_output.render_error(["a"]))))


@pytest.mark.parametrize(
    "change",
    [{"verdict": "WARN"}, {"exitCode": 3}, {"reasons": []}, {"failedGates": [1]}, {"gates": -1}, {"passed": 1}],
)
def test_the_schema_of_judge_refuses_another_output(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(JUDGE).validate(_judged(VERDICTS["fail"]) | change)


def test_every_rule_fired_in_the_result_that_has_everything():
    assert [one.signal.key for one in LOADED.fired if not one.findings] == []
    assert {one.signal.json_field for one in LOOP.fired if one.findings} == OF_LOOPS


def test_the_fields_of_the_output_are_those_of_the_model():
    """Also inside the findings: a field that one of the two lacks would not be noticed otherwise."""
    found = _output(LOADED)
    assert set(found) == set(schemas.Judged.model_fields) - OF_LOOPS
    found |= {name: _output(LOOP)[name] for name in OF_LOOPS}
    for name in schemas.Judged.model_fields.keys() - {"config"}:
        values = found[name] if isinstance(found[name], list) else [found[name]]
        for value in values:
            if isinstance(value, dict):
                model = schemas.Judged.model_validate(found)
                field = getattr(model, name)
                parsed = field[0] if isinstance(field, list) else field
                assert set(value) == set(type(parsed).model_fields), name


def test_the_rules_are_the_fields_of_the_model():
    of_rules = {one.json_field for one in SIGNALS}
    assert of_rules <= set(schemas.Judged.model_fields)
    others = {"verdict", "exitCode", "strict", "reasons", "compared", "signatureRules"}
    others |= {"signalsUnavailable", "mixed", "shards", "shardsBefore", "cleared", "config"}
    assert set(schemas.Judged.model_fields) - of_rules <= others


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "OK"},
        {"exitCode": 3},
        {"exitCode": "0"},
        {"reasons": []},
        {"regressions": [{"name": "a", "before": "pass"}]},
        {"regressions": [{"name": "a", "before": "pass", "after": "absent"}]},
        {"flakyCases": [1]},
        {"compared": "1"},
    ],
)
def test_the_schema_refuses_another_output(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(GATE).validate(_output(RESULTS["quiet"]) | change)


WHOLE = report(
    case("a"),
    case("b", "fail"),
    retried("c", "error", "pass", stderr=node_crash("ENOENT", "f")),
    tried("d", "pass", "fail"),
    case("e", exitCode=None, toolErrors=[{"name": "x", "error": "y"}], total_tokens=1.5),
)


@pytest.mark.parametrize(
    "document",
    [WHOLE, legacy(WHOLE), report(), json.loads(json.dumps(WHOLE).replace("7477", "7477.0")), {**WHOLE, "new": 1}],
    ids=["whole", "legacy", "empty", "floats", "unknown"],
)
def test_a_valid_report_is_as_its_schema_says(document):
    jsonschema.Draft202012Validator(REPORT).validate(document)


@pytest.mark.parametrize(
    "change",
    [
        {"schemaVersion": 2},
        {"schemaVersion": None},
        {"tool": "other"},
        {"version": " "},
        {"durationMs": -1},
        {"durationMs": None},
        {"dshVersion": None},
        {"cases": {}},
        {"cases": [case("a", "passed")]},
        {"cases": [case("")]},
        {"cases": [case("a", steps=1.5)]},
        {"cases": [case("a", reliability=None)]},
        {"cases": [case("a", exitCode=-1)]},
        {"cases": [case("a", flaky="yes")]},
        {"summary": {}},
    ],
)
def test_the_schema_refuses_a_report_that_the_reader_refuses(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(REPORT).validate({**WHOLE, **change})


@pytest.mark.parametrize("schema", [GATE, REPORT], ids=["gate", "report"])
def test_every_field_of_a_schema_is_spelled_as_in_the_file(schema):
    text = json.dumps(schema)
    for snake in ("tool_calls", "final_text", "started_at", "exit_code"):
        assert f'"{snake}"' not in text
