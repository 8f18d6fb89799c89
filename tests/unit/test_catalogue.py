"""The catalogue is complete in both languages: a text that is missing in one would be seen only by its readers."""

import string

import pytest

from evalgate.gate import compare
from evalgate.options import GateOptions
from evalgate.render import console, html, markdown
from evalgate.render.catalogue import LANGUAGES, PARTS, Words
from evalgate.render.catalogue.rules import CHINESE
from evalgate.render.scene import Scene, Side
from evalgate.signals import SIGNALS
from tests.builders import facts, facts_report


class _Nothing:
    def fetch(self, names):
        return {}


def _fields(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


@pytest.mark.parametrize("part", PARTS)
def test_both_languages_have_every_text(part):
    english, chinese = PARTS[part]["en"], PARTS[part]["zh"]
    assert set(english) == set(chinese)
    for key, text in english.items():
        assert text.strip(), key
        assert chinese[key].strip(), key
        assert _fields(text) == _fields(chinese[key]), key


def test_every_rule_is_in_it():
    assert set(CHINESE) == {signal.key for signal in SIGNALS}
    for signal in SIGNALS:
        text = CHINESE[signal.key]
        assert len(text.columns) == len(signal.columns), signal.key
        assert not text.title.isascii(), signal.key
        assert not text.next_step.isascii(), signal.key
    assert len({text.title for text in CHINESE.values()}) == len(CHINESE)


def test_a_language_that_is_none_is_refused():
    assert LANGUAGES == ("en", "zh")
    with pytest.raises(KeyError):
        Words("de")


@pytest.mark.parametrize("render", [markdown.render, html.render], ids=["report.md", "html"])
def test_a_chinese_page_says_nothing_in_english_but_what_the_report_says(render):
    before = facts_report(facts("a"), facts("b"), dsh_version="1")
    after = facts_report(facts("a", "fail"), facts("b", flaky=True), dsh_version="2")
    result = compare(before, after)
    side = Side("before.json", _Nothing())
    page = render(Scene(result, False, side, Side("after.json", _Nothing()), "zh"))
    for signal in SIGNALS:
        assert signal.page.title not in page
        assert signal.page.next_step not in page
    for reason in result.reasons:
        assert reason not in page
    assert CHINESE["REGRESSIONS"].title in page
    assert CHINESE["FLAKY"].next_step in page


def test_a_chinese_summary():
    result = compare(facts_report(facts("a")), facts_report(facts("a", "fail")))
    text = console.render(result, strict=False, width=100, color=False, lang="zh")
    assert text.startswith("FAIL: 不要合并 (exit 1)")
    assert CHINESE["REGRESSIONS"].title in text


def _chinese_reasons(result):
    return Words("zh").reasons(result)


def test_chinese_reasons_count_what_they_leave_out():
    names = [f"case-{number}" for number in range(9)]
    found = compare(facts_report(*map(facts, names)), facts_report(*(facts(name, "fail") for name in names)))
    assert _chinese_reasons(found) == [
        "回归：9（" + "; ".join(f"case-{number}：之前 pass，之后 fail" for number in range(5)) + "，还有 4 个）"
    ]


def test_chinese_reasons_say_from_what_to_what():
    before = facts_report(facts("a"), facts("b"), dsh_version="0.1.0")
    found = _chinese_reasons(compare(before, facts_report(facts("a"), dsh_version="0.1.1")))
    assert "版本变化：之前的版本 0.1.0，之后的版本 0.1.1；不同版本的结果不能直接比较" in found
    assert "用例集变化：之前的用例数 2，之后的用例数 1，新增 0，消失 1" in found


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (None, ("a",), "没有基线报告"),
        (("a",), (), "新的报告中没有用例"),
        ((), ("a",), "基线报告中没有用例"),
        (("a",), ("b",), "没有两份报告都有的用例"),
        (("a", "b"), ("a", "b"), "比较了 2 个用例，没有变差"),
    ],
)
def test_chinese_reasons_say_what_was_not_judged(before, after, said):
    earlier = None if before is None else facts_report(*map(facts, before))
    assert said in _chinese_reasons(compare(earlier, facts_report(*map(facts, after))))[0]


def test_chinese_reasons_name_what_was_cleared():
    result = compare(facts_report(facts("a")), facts_report(facts("a", "fail")), rerun=facts_report(facts("a")))
    assert _chinese_reasons(result)[0] == "1 个用例失败后重跑通过，这是不稳定，不是通过：a"


@pytest.mark.parametrize("render", [markdown.render, html.render], ids=["report.md", "html"])
def test_a_chinese_page_tells_the_incident_and_the_mixture_in_chinese(render):
    crash = "ENOENT@ensureSymlink"
    before = facts_report(facts("a"), facts("b"), dsh_version="1", suite="first")
    after = facts_report(
        *(facts(name, flaky=True, attempts=2, signatures=(crash,)) for name in "ab"), dsh_version="2", suite=""
    )
    result = compare(before, after, GateOptions(allow_mixed=True))
    side = Side("before.json", _Nothing())
    page = render(Scene(result, False, side, Side("after.json", _Nothing()), "zh"))
    assert "2 个用例 [a, b] 中有 2 次尝试，基线中 0 次，重试后全部恢复" in page
    assert "之前评测的是 first，之后是 （未说明）" in page
    assert "recovered" not in page
    assert "measured" not in page
