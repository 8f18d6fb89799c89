"""The registry of formats and its files hold together, and no two formats claim one file."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalgate.formats
from evalgate.formats.content import Content
from evalgate.formats.foreign import kind_of_object
from evalgate.formats.registry import FORMATS, format_of
from evalgate.report import Fact
from tests.builders import case, report
from tests.formats_help import SAMPLES, content_of, content_of_json, content_of_text

FOLDER = Path(evalgate.formats.__path__[0])
NOT_FORMATS = {
    "accepted",
    "content",
    "dsh_eval_harness",
    "foreign",
    "format",
    "found",
    "instants",
    "joined",
    "places",
    "registry",
    "shards",
    "source",
    "stderr_text",
}
"""What all formats share, and the one that comes before the registry."""

EXPECTED = {
    "ctrf/jest.json": "ctrf",
    "ctrf/playwright.json": "ctrf",
    "ctrf/pytest_035.json": "ctrf",
    "ctrf/pytest_061.json": "ctrf",
    "ctrf/pytest_retry.json": "ctrf",
    "harbor/k3": "harbor",
    "harbor/k3/result.json": None,
    "harbor/k3/a-pass__LdbEMxx/result.json": None,
    "inspect/cancelled.eval": "inspect",
    "inspect/epochs3.eval": "inspect",
    "inspect/long_tool.json": "inspect",
    "inspect/multi_scorer.eval": "inspect",
    "inspect/no_scorer.eval": "inspect",
    "inspect/nofail.eval": "inspect",
    "inspect/old_0370.eval": "inspect",
    "junit/ctest_44.xml": "junit",
    "junit/gtest_112.xml": "junit",
    "junit/pytest_rerun_logging.xml": "junit",
    "junit/jest.xml": "junit",
    "junit/playwright_retries.xml": "junit",
    "junit/pytest.xml": "junit",
    "junit/pytest_rerunfailures.xml": "junit",
    "junit/surefire_reruns.xml": "junit",
    "junit/vitest.xml": "junit",
    "loop/after.json": "evalgate-loop",
    "loop/before.json": "evalgate-loop",
    "promptfoo/repeat3.json": "promptfoo",
    "promptfoo/single.json": "promptfoo",
    "promptfoo/single.xml": None,
}
"""What each sample is; None for a file that no format may claim."""


def _claims(content):
    return [one.name for one in FORMATS if one.sniff(content)]


def test_every_format_is_registered():
    """A file dropped into formats/ and forgotten in the registry would never be tried."""
    files = {path.stem for path in FOLDER.iterdir() if not path.name.startswith("_")}
    modules = {one.read.__module__.removeprefix("evalgate.formats.").split(".")[0] for one in FORMATS}
    assert modules == files - NOT_FORMATS
    assert len({one.name for one in FORMATS}) == len(FORMATS) == len(modules)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_sample_is_claimed_by_its_format_alone(name):
    expected = EXPECTED[name]
    assert _claims(content_of(SAMPLES / name)) == ([] if expected is None else [expected])


def test_every_sample_is_in_the_list():
    files = {str(path.relative_to(SAMPLES)) for path in SAMPLES.rglob("*") if path.is_file()}
    known = {name for name in files if name.startswith(("harbor/k3/", "loop/before/", "loop/after/"))}
    known |= {"promptfoo/single.jsonl"}
    assert files - known == set(EXPECTED) - {"harbor/k3"} - known


def test_a_report_of_the_harness_is_claimed_by_no_other_format(tmp_path):
    assert _claims(content_of_json(tmp_path, report(case()))) == []


def test_an_empty_folder_is_no_report(tmp_path):
    assert _claims(Content(str(tmp_path), folder=tmp_path)) == []
    (tmp_path / "result.json").write_text("{")
    assert _claims(Content(str(tmp_path), folder=tmp_path)) == []


KEYS = st.sampled_from(
    [
        *("reportFormat", "results", "tests", "tool", "summary", "eval", "task", "status", "version", "stats"),
        *("evalId", "resolved_ids", "unresolved_ids", "schema_version", "total_instances", "n_total_trials"),
        *("cases", "samples"),
    ]
)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 2, 3, "CTRF", "success", "x", "dsh-eval-harness", "evalgate-loop"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=8))
def test_no_two_formats_claim_one_object(tmp_path, document):
    content = content_of_json(tmp_path, document)
    assert len(_claims(content)) <= 1
    kind_of_object(document)


MARKS = st.sampled_from(["PK\x03\x04", "<testsuites>", "<testsuite", "<?xml?>", "{}", "{", "_journal/start.json", " "])


@given(st.lists(MARKS | st.text(max_size=3), max_size=5).map("".join))
def test_no_beginning_of_a_file_makes_recognition_fail(tmp_path, text):
    content = content_of_text(tmp_path, text)
    if not content.is_json:
        assert format_of(content) is None or len(_claims(content)) == 1


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_format_says_what_it_is(one):
    assert one.recognised.endswith(".")
    assert one.losses.endswith(".")
    assert Fact.SKIPPED_LINES not in one.carries, "only dsh writes traces that lose lines"
    assert all(option.startswith("--") for option in one.options)


def test_names_are_no_way_to_recognise_a_file(tmp_path):
    for name, expected in EXPECTED.items():
        source = SAMPLES / name
        if source.is_file() and expected is not None:
            path = tmp_path / "report.json"
            path.write_bytes(source.read_bytes())
            assert _claims(content_of(path)) == [expected], name
            path.write_text(json.dumps({}))
