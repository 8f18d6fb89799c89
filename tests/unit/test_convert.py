"""`evalgate convert`: another format as report.json of dsh-eval-harness, without laundering anything."""

import gzip
import json

import pytest

from evalgate import compare, load_report
from evalgate.__main__ import main
from evalgate.errors import ReportError
from evalgate.formats import load
from evalgate.formats.found import ReadOptions
from evalgate.options import GateOptions, TrialPolicy
from evalgate.render import json as json_output
from evalgate.render import text as text_output
from tests.builders import case, report
from tests.formats_help import SAMPLES

READABLE = {
    "ctrf/jest.json": [],
    "ctrf/playwright.json": [],
    "ctrf/pytest_035.json": [],
    "ctrf/pytest_061.json": [],
    "ctrf/pytest_retry.json": [],
    "harbor/k3": ["--reward-key", "correct"],
    "inspect/cancelled.eval": [],
    "inspect/epochs3.eval": [],
    "inspect/long_tool.json": [],
    "inspect/nofail.eval": [],
    "inspect/old_0370.eval": [],
    "junit/jest.xml": [],
    "junit/playwright_retries.xml": [],
    "junit/pytest.xml": [],
    "junit/pytest_rerunfailures.xml": [],
    "junit/surefire_reruns.xml": [],
    "junit/vitest.xml": [],
    "promptfoo/repeat3.json": [],
    "promptfoo/single.json": [],
}
PAIRS = [
    (before, after) for before in READABLE for after in READABLE if before.partition("/")[0] == after.partition("/")[0]
]


def _convert(place, target, *options):
    assert main(["convert", str(place), "-o", str(target), *options]) == 0
    return target


def _options(name):
    return ReadOptions(reward_key="correct") if READABLE[name] else None


def _original(name):
    return load_report(SAMPLES / name, _options(name))


@pytest.fixture(name="conversions", scope="module")
def _conversions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("converted")
    return {
        name: _convert(SAMPLES / name, folder / f"{name.replace('/', '-')}.json", *options)
        for name, options in READABLE.items()
    }


@pytest.mark.parametrize("name", READABLE)
def test_the_facts_are_those_of_the_original(conversions, name):
    original, converted = _original(name), load_report(conversions[name])
    assert converted.cases == original.cases
    for field in ("format", "tool", "suite", "carries", "incomplete", "not_run", "notes", "revisions", "dsh_version"):
        assert getattr(converted, field) == getattr(original, field), field


@pytest.mark.parametrize(("before", "after"), PAIRS, ids=[f"{before}, {after}" for before, after in PAIRS])
@pytest.mark.parametrize("policy", ["any", "all"])
def test_comparing_conversions_comes_to_the_same(conversions, before, after, policy):
    options = GateOptions(allow_mixed=True, min_trial_success_rate=0.8, trial_policy=TrialPolicy(policy))
    direct = compare(_original(before), _original(after), options)
    through = compare(load_report(conversions[before]), load_report(conversions[after]), options)
    for renderer in (text_output, json_output):
        assert [*renderer.render(through, strict=True)] == [*renderer.render(direct, strict=True)]


@pytest.mark.parametrize("name", READABLE)
def test_the_evidence_survives(conversions, name):
    with load(SAMPLES / name, options=_options(name)) as original, load(conversions[name]) as converted:
        names = [one.name for one in original.report.cases]
        ours, theirs = converted.evidence.fetch(names), original.evidence.fetch(names)
    for one in names:
        # A case that died before it used any has none, and the shape has a 0 in that place.
        assert (ours[one].total_tokens or 0) == (theirs[one].total_tokens or 0)
        told = sorted((attempt.status.value, attempt.stderr or "") for attempt in theirs[one].attempts)
        kept = sorted((attempt.status.value, attempt.stderr or "") for attempt in ours[one].attempts)
        assert len(kept) <= len(told)
        assert all(attempt in told for attempt in kept)


@pytest.mark.parametrize("name", READABLE)
def test_what_reads_only_the_shape_can_read_it(conversions, name):
    """Our own reader without our own field: every rule of the shape holds."""
    document = json.loads(conversions[name].read_text("utf-8"))
    del document["convertedFrom"]
    conversions[name].with_suffix(".plain.json").write_text(json.dumps(document))
    plain = load_report(conversions[name].with_suffix(".plain.json"))
    assert [one.status for one in plain.cases] == [one.status for one in _original(name).cases]


def test_a_conversion_converts_to_itself(conversions, tmp_path):
    path = conversions["ctrf/jest.json"]
    again = _convert(path, tmp_path / "again.json")
    assert json.loads(again.read_text("utf-8")) == json.loads(path.read_text("utf-8"))


def test_a_report_of_the_harness_stays_as_it_is(tmp_path):
    document = report(case("a", turnEnd={"x": 1}, newField=5), newer="\ud83d")
    (tmp_path / "in.json").write_bytes(gzip.compress(json.dumps(document).encode()))
    assert json.loads(_convert(tmp_path / "in.json", tmp_path / "out.json").read_text()) == document


def test_the_files_of_a_run_become_one(tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    for name in "ab":
        (parts / f"{name}.json").write_text(json.dumps(report(case(name, finalText="kept"))))
    document = json.loads(_convert(parts, tmp_path / "report.json").read_text())
    assert [one["finalText"] for one in document["cases"]] == ["kept", "kept"]
    assert document["summary"]["total"] == 2
    assert [one.name for one in load_report(tmp_path).cases] == ["a", "b"]


def test_to_stdout(capfdbinary):
    assert main(["convert", str(SAMPLES / "junit/jest.xml"), "-o", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert json.loads(out)["convertedFrom"]["format"] == "junit"
    assert err == b""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.xml", "-o", "out.json"], "nothing.xml: no such file"),
        (["jest.xml", "-o", "jest.xml"], "is one of the files that are read"),
        (["jest.xml", "-o", "missing/out.json"], "cannot be written"),
        (["jest.xml", "-o", "."], "takes the path of a file"),
        (["jest.xml", "-o", "folder/"], "takes the path of a file"),
        (["jest.xml", "-o", ""], "is empty"),
        (["", "-o", "out.json"], "is empty"),
        (["jest.xml"], "Missing option"),
        (["jest.xml", "-o", "out.json", "--scorer", "x"], "JUnit XML, which has no use for --scorer"),
        (["jest.xml", "-o", "out.json", "--pass-threshold", "many"], "is not a number"),
    ],
)
def test_what_cannot_be_done_is_said_and_writes_nothing(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    original = (SAMPLES / "junit/jest.xml").read_bytes()
    (tmp_path / "jest.xml").write_bytes(original)
    assert main(["convert", *arguments]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert [path.name for path in tmp_path.iterdir()] == ["jest.xml"]
    assert (tmp_path / "jest.xml").read_bytes() == original


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("format", 5, "convertedFrom.format: must be a string (got 5)"),
        ("format", "dsh-eval-harness", "convertedFrom.format: must be the format it was converted from"),
        ("carries", None, "convertedFrom.carries: must be an array of strings (got null)"),
        ("carries", ["money"], "convertedFrom.carries: must be among tokens, "),
        ("incomplete", [1], "convertedFrom.incomplete: must be an array of strings"),
        ("revisions", {"a": 1}, "convertedFrom.revisions: must be an object of strings"),
        ("tokensSummed", 1, "convertedFrom.tokensSummed: must be true or false (got 1)"),
    ],
)
def test_what_a_conversion_says_of_its_original_is_checked(conversions, tmp_path, field, value, fault):
    document = json.loads(conversions["junit/jest.xml"].read_text("utf-8"))
    document["convertedFrom"][field] = value
    (tmp_path / "report.json").write_text(json.dumps(document))
    with pytest.raises(ReportError) as caught:
        load_report(tmp_path)
    assert caught.value.faults[0].startswith(f"{tmp_path}/report.json: {fault}")


@pytest.mark.parametrize("value", [5, [], "x", None])
def test_a_conversion_of_nothing_is_refused(tmp_path, value):
    (tmp_path / "report.json").write_text(json.dumps(report(case(), convertedFrom=value)))
    with pytest.raises(ReportError, match="convertedFrom: must be an object"):
        load_report(tmp_path)


@pytest.mark.parametrize("value", [5, {"retried": 5}, {"retried": [5]}, {"retried": [{}]}, None])
def test_what_a_case_keeps_beside_its_trials_is_checked(conversions, tmp_path, value):
    document = json.loads(conversions["junit/jest.xml"].read_text("utf-8"))
    document["cases"][0]["convertedFrom"] = value
    (tmp_path / "report.json").write_text(json.dumps(document))
    with pytest.raises(ReportError, match=r"cases\[0\]\.convertedFrom"):
        load_report(tmp_path)


def test_a_large_conversion_is_read_like_a_small_one(tmp_path):
    """The bulk reader does not know conversions, and must notice one whose mark stands behind the cases."""
    document = json.loads(_convert(SAMPLES / "junit/jest.xml", tmp_path / "small.json").read_text("utf-8"))
    mark = document.pop("convertedFrom")
    document["cases"][0]["finalText"] = "x" * 200_000
    (tmp_path / "large.json").write_text(json.dumps({**document, "convertedFrom": mark}, indent=2))
    assert load_report(tmp_path / "large.json").cases == load_report(tmp_path / "small.json").cases
    assert load_report(tmp_path / "large.json").format == "junit"
