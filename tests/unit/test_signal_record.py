"""What all rules share: matching, small texts, names."""

import pytest

from evalgate.signals import SIGNALS
from evalgate.signals._signal import Fired, Page, count, name_some
from evalgate.signals.flaky import SIGNAL as FLAKY
from tests.builders import facts, pair


def test_matched_pairs_come_in_the_order_of_the_after_report():
    both = pair([facts("a"), facts("b"), facts("c")], [facts("c", "fail"), facts("x"), facts("a")])
    assert [(one.name, other.name) for one, other in both.matched()] == [("c", "c"), ("a", "a")]
    assert [(one.status.value, other.status.value) for one, other in both.matched()] == [
        ("pass", "fail"),
        ("pass", "pass"),
    ]
    assert [one.name for one in both.added()] == ["x"]


@pytest.mark.parametrize(("number", "text"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases")])
def test_count_in_words(number, text):
    assert count(number, "case") == text


def test_count_with_a_plural_of_its_own():
    assert (count(1, "entry", "entries"), count(3, "entry", "entries")) == ("1 entry", "3 entries")


@pytest.mark.parametrize(
    ("names", "text"),
    [("a", "a"), ("abcde", "a, b, c, d, e"), ("abcdef", "a, b, c, d, e and 1 more"), ("", "")],
)
def test_name_some(names, text):
    assert name_some(list(names)) == text


def test_name_some_with_another_limit():
    assert name_some(["a", "b", "c"], 2) == "a, b and 1 more"


def test_an_anchor_is_what_github_makes_of_a_heading():
    page = Page(
        title="Token regressions, 2nd (new)", fires_when="", stays_quiet="", missed="", why="", to_do="", next_step=""
    )
    assert page.anchor == "token-regressions-2nd-new"


def test_a_rule_is_known_by_every_name_of_it():
    assert FLAKY.names == ("FLAKY", "flakyCases", "new-flaky-cases", "FLAKY_CASE")


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda one: one.key)
def test_a_rule_that_found_nothing_has_no_reasons(signal):
    assert list(Fired(signal, ()).reasons(pair([], []).options)) == []
