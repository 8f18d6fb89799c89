"""The registry, the rules and their pages hold together."""

import ast
import importlib
import inspect
from collections import Counter
from pathlib import Path

import pytest

import evalgate.signals
from evalgate.render.page import page
from evalgate.signals import SIGNALS

FOLDER = Path(evalgate.signals.__path__[0])
DOCS = Path(__file__).parents[2] / "docs" / "signals.md"
each_signal = pytest.mark.parametrize("signal", SIGNALS, ids=lambda one: one.key)


def _module(signal):
    return importlib.import_module(signal.find.__module__)


def test_every_signal_file_is_registered():
    """A file dropped into signals/ and forgotten in the registry would never run."""
    files = {path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_")}
    assert {one.find.__module__.rpartition(".")[2] for one in SIGNALS} == files
    assert len(SIGNALS) == len(files)


@each_signal
def test_a_file_registers_the_rule_it_holds(signal):
    assert _module(signal).SIGNAL is signal


def test_the_order_of_the_summary_lines():
    assert [one.key for one in SIGNALS] == [
        "REGRESSIONS",
        "NEW_FAILURES",
        "IMPROVEMENTS",
        "ADDED",
        "REMOVED",
        "TOKEN_REGRESSIONS",
        "SKIPPED_LINE_INCREASES",
        "FLAKY",
        "TOOL_ERROR_RECOVERIES",
        "REPEATED_ERROR_SIGNATURES",
        "BASELINE_FLAKY",
        "UNRELIABLE",
        "BASELINE_FAILING",
        "DSH_VERSION_CHANGED",
        "HARNESS_VERSION_CHANGED",
        "PROFILE_CHANGED",
        "CASE_SET_CHANGED",
        "INCOMPLETE_AFTER",
        "INCOMPLETE_BEFORE",
        "NOT_RUN",
        "CASES_CHANGED",
        "FLAKY_WORSENED",
        "TRIALS",
        "OUTAGE",
        "NOTES",
        "REPAIR_INCREASES",
        "BUDGET_SOFT_TRIPPED",
        "COST_GATE_DEGRADED",
    ]


def test_the_severities_of_the_contract():
    assert {one.key: one.severity.name for one in SIGNALS if one.severity.name != "WARN"} == {
        "REGRESSIONS": "FAIL",
        "NEW_FAILURES": "FAIL",
        "BASELINE_FLAKY": "INFO",
        "BASELINE_FAILING": "INFO",
        "DSH_VERSION_CHANGED": "INFO",
        "HARNESS_VERSION_CHANGED": "INFO",
        "PROFILE_CHANGED": "INFO",
        "CASE_SET_CHANGED": "INFO",
        "FLAKY_WORSENED": "INFO",
        "TRIALS": "INFO",
        "OUTAGE": "INFO",
        "INCOMPLETE_BEFORE": "INFO",
        "NOT_RUN": "INFO",
        "CASES_CHANGED": "INFO",
        "NOTES": "INFO",
        "COST_GATE_DEGRADED": "INFO",
    }


@pytest.mark.parametrize(
    "what",
    [
        lambda one: one.key,
        lambda one: one.json_field,
        lambda one: one.word,
        lambda one: one.page.anchor,
        lambda one: one.page.title,
    ],
    ids=["key", "json field", "word", "anchor", "title"],
)
def test_no_two_rules_are_called_the_same(what):
    number = Counter(what(one) for one in SIGNALS if what(one))
    assert [name for name, count in number.items() if count > 1] == []


def test_no_name_means_two_rules():
    """`evalgate signals NAME` takes any spelling, whatever the case of its letters."""
    number = Counter(name for one in SIGNALS for name in {name.lower() for name in one.names})
    assert [name for name, count in number.items() if count > 1] == []


def test_no_name_is_taken_by_a_line_or_field_of_the_head():
    keys = {one.key for one in SIGNALS} | {one.word for one in SIGNALS}
    assert not keys & {"OVERALL", "EXIT_CODE", "STRICT", "COMPARED", "REASON", "ERROR"}
    fields = {one.json_field for one in SIGNALS}
    assert not fields & {"verdict", "exitCode", "strict", "reasons", "compared", "errors", "signatureRules"}


@each_signal
def test_a_rule_is_counted_or_a_scalar(signal):
    """A rule has a word exactly when it has detail lines; one about the whole run has a line of its own instead."""
    assert (signal.word == "") is (signal.detail is None)
    assert (signal.detail is None) is (signal.scalar is not None)


@each_signal
@pytest.mark.parametrize("field", ["title", "fires_when", "stays_quiet", "missed", "why", "to_do", "next_step"])
def test_no_part_of_a_page_is_empty(signal, field):
    text = getattr(signal.page, field)
    assert text.strip() == text != ""
    assert field == "title" or text.endswith((".", "?", ")")), "a sentence"
    assert field != "next_step" or "\n" not in text


@each_signal
def test_a_module_says_when_it_fires_when_not_and_what_it_misses(signal):
    lines = inspect.cleandoc(_module(signal).__doc__).splitlines()
    assert lines[0] == f"{signal.page.title}."
    for start in ("Fires ", "Stays quiet ", "Blind spot: "):
        assert sum(line.startswith(start) for line in lines) == 1, start


@each_signal
def test_a_rule_that_is_not_relative_says_so(signal):
    """Such a rule may fire on a report against itself: whoever reads its file has to know why. INFO never moves it."""
    text = inspect.cleandoc(_module(signal).__doc__)
    if signal.severity.name == "INFO":
        assert signal.relative or "never moves the verdict" in text
    else:
        assert ("Not relative:" in text) is (not signal.relative)


@each_signal
def test_the_page_is_in_the_docs_word_for_word(signal):
    found = page(signal) in DOCS.read_text(encoding="utf-8")
    assert found, "docs/signals.md does not hold the page as it is now"


def test_the_pages_of_the_docs_are_in_the_order_of_the_registry():
    headings = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
    titles = [f"## {one.page.title}" for one in SIGNALS]
    assert [line for line in headings if line in titles] == titles
    assert len(headings) == len(set(headings))


@each_signal
def test_every_link_from_a_page_leads_to_a_page(signal):
    anchors = {one.page.anchor for one in SIGNALS}
    text = page(signal).replace("\n", " ")
    links = [part.partition(")")[0] for part in text.split("](#")[1:]]
    assert set(links) <= anchors


@each_signal
def test_a_rule_imports_no_other(signal):
    tree = ast.parse(Path(inspect.getfile(_module(signal))).read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert [
        name for name in modules if name.startswith("evalgate.signals") and name != "evalgate.signals._signal"
    ] == []
