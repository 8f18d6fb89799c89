"""The section of report.md."""

import pytest

from evalgate.formats import dsh_eval_harness
from evalgate.gate import compare
from evalgate.options import GateOptions
from evalgate.plain import escape
from evalgate.render import markdown
from evalgate.render.scene import Scene, Side
from evalgate.report_file import BEGIN, END, with_section
from tests.builders import GENERAL, attempt, case, converted, node_crash, report, retried, tried
from tests.markdown_view import OWN_HTML, view

CRASH = node_crash("ENOENT", "ensureSymlink")
HOSTILE = [
    "a|b",
    "`x`",
    "</code><img src=x onerror=alert(1)>",
    "x\n## evalgate: PASS",
    "x\n| a | b |\n| --- | --- |",
    "```\nx",
    "    x",
    "@octocat fixes #12",
    BEGIN.decode(),
    f"x\n{END.decode()}\n",
    "\ud83d",
    "\u202egnp.exe",
    "\x1b[2J",
    "\\|",
    "&#124;",
    "-->",
    "用 bash",
    "{{ 7 * 7 }}",
]
ELSEWHERE = {"Profile change"}
"""Cannot fire together with the others: a conversion has no profile."""
TITLES = {signal.page.title: signal for signal in GENERAL}


def _render(before, after, *, strict=False, **options):
    run, evidence = dsh_eval_harness.read("after/report.json", after)
    baseline, side = None, None
    if before is not None:
        baseline, earlier = dsh_eval_harness.read("before/report.json", before)
        side = Side("before/report.json", earlier)
    result = compare(baseline, run, GateOptions(**options))
    return markdown.render(Scene(result, strict, side, Side("after/report.json", evidence)))


def _everything(name="x"):
    """Return two reports on which every rule fires, with `name` in every text."""
    text = {"finalText": name, "failures": [name], "toolErrors": [{"name": name, "error": name}]}
    before = report(
        case(f"regression {name}"),
        case(f"improvement {name}", "fail"),
        case(f"removed {name}"),
        case(f"tokens {name}", total_tokens=10),
        case(f"skipped {name}"),
        retried(f"baseline {name}", "fail", "pass"),
        retried(f"worse {name}", "fail", "pass"),
        tried(f"trials {name}", "pass", "pass"),
        dshVersion=f"1 {name}",
        profile=f"p {name}",
        version=f"v {name}",
    )
    after = report(
        case(f"regression {name}", "error", stderr=f"{name}\n{CRASH}\n{name}", error=name, **text),
        case(f"new {name}", "error", stderr=CRASH, **text),
        case(f"improvement {name}"),
        case(f"added {name}"),
        case(f"tokens {name}", total_tokens=20),
        case(f"skipped {name}", skippedLines=2),
        retried(f"flaky {name}", "error", "pass", stderr=CRASH, **text),
        case(f"baseline {name}"),
        retried(f"worse {name}", "fail", "fail", "pass"),
        tried(f"trials {name}", "pass", "fail"),
        case(f"also {name}", "error", stderr=CRASH),
        dshVersion=f"2 {name}",
        profile=f"p {name}",
        version=f"v {name}",
    )
    changed = f"baseline {name}"
    return (
        converted(before, suite=f"p {name}", harnessVersion="1", incomplete=[name], revisions={changed: "1"}),
        converted(
            after,
            suite=f"p {name}",
            harnessVersion="2",
            incomplete=[name],
            notes=[name],
            notRun=[f"skip {name}"],
            revisions={changed: "2"},
        ),
    )


def _check(text):
    """Assert what holds of any section, and return what a reader sees."""
    assert len(text) <= markdown.LIMIT
    assert not any(line.rstrip() in (BEGIN.decode(), END.decode()) for line in text.split("\n"))
    seen = view(text)
    assert [piece for piece in seen.html if not OWN_HTML.fullmatch(piece)] == []
    assert seen.kinds & {"fence", "link_open", "image", "hr", "em_open", "html_block"} <= {"link_open"}
    for table in seen.tables:
        assert {len(row) for row in table} == {len(table[0])}
    return seen


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_everywhere(name):
    text = _render(*_everything(name), min_trial_success_rate=0.9)
    seen = _check(text)
    shown = [heading for _, heading in seen.headings]
    assert shown[0] == "evalgate: FAIL, do not merge"
    fired = [
        heading.partition(":")[0]
        for tag, heading in seen.headings
        if tag == "h4" and heading.partition(":")[0] in TITLES
    ]
    assert sorted(fired) == sorted(TITLES.keys() - ELSEWHERE)
    own = {"What changed", "Evidence", "Where the runs came from"}
    cases = {escape(one["name"]) for document in _everything(name) for one in document["cases"]}
    for tag, heading in seen.headings[1:]:
        if tag == "h3":
            assert heading in own
        else:
            assert tag == "h4"
            assert heading.partition(":")[0] in TITLES or heading in cases
    cells = {cell for table in seen.tables for row in table for cell in row}
    for document in _everything(name):
        for one in document["cases"]:
            if not one["name"].startswith("also"):
                assert escape(one["name"]) in cells
    assert {escape(f"1 {name}"), escape(f"2 {name}"), escape(f"p {name}")} <= cells


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_stderr_is_shown_and_contained(name):
    document = report(case("a", "error", stderr=f"first {name}\n\n\tindented {name}\n{name}"))
    seen = _check(_render(report(case("a")), document))
    (shown,) = seen.blocks
    lines = [escape(line) for line in f"first {name}\n\n    indented {name}\n{name}".split("\n")]
    assert [line.rstrip() for line in shown.rstrip("\n").split("\n")] == [
        line.rstrip() for line in "\n".join(lines).rstrip().split("\n")
    ]


def test_a_section_with_hostile_names_is_found_again():
    """Whatever the section holds, the next run must replace exactly it."""
    for name in HOSTILE:
        first = with_section(b"# Mine\n", _render(*_everything(name)))
        assert with_section(first, "x").decode() == f"# Mine\n\n{BEGIN.decode()}\nx\n{END.decode()}\n"


@pytest.mark.parametrize("name", ["x", "|`<&@\\" * 40, "\U000e0041" * 200, "用" * 300, "\n" * 300])
@pytest.mark.parametrize("number", [60, 1500])
def test_a_section_stays_below_the_limit_and_counts_the_rest(name, number):
    before = report(*(case(f"{name}{n}") for n in range(number)))
    after = report(
        *(case(f"{name}{n}", "error", attempts=[attempt("error", error=name)], error=name) for n in range(number))
    )
    text = _render(before, after)
    seen = _check(text)
    assert ("h4", f"Regressions: {number} (FAIL, stops the merge)") in seen.headings
    rows = seen.tables[0][1:]
    left = number - len(rows)
    assert len(rows) >= 1
    assert (f"And {left} more: the text and JSON outputs are complete." in text) is (left > 0)
    names = [case_["name"] for case_ in after["cases"]]
    if len(name) < 50:
        assert [row[0] for row in rows] == names[: len(rows)]


def test_the_limit_leaves_room_in_a_github_comment():
    assert markdown.LIMIT == 60_000


def test_the_most_is_shown_that_fits():
    """A section that is far below the limit must not hide findings."""
    before = report(*(case(f"c{n}") for n in range(400)))
    after = report(*(case(f"c{n}", flaky=True) for n in range(400)))
    seen = _check(_render(before, after))
    assert len(seen.tables[0]) == 401


def test_thousands_of_reasons_and_signatures():
    runs = [
        case(f"c{n}", "error", stderr=node_crash(f"E{n // 2:04}X".replace("0", "Q"), f"f{n // 2}")) for n in range(600)
    ]
    _check(_render(report(*(case(one["name"]) for one in runs)), report(*runs)))


@pytest.mark.parametrize("lines", [1, 100, 100_000])
def test_long_stderr_shows_its_end(lines):
    stderr = "\n".join(f"line {n}" for n in range(lines))
    seen = _check(_render(report(case("a")), report(case("a", "error", stderr=stderr))))
    shown = seen.blocks[0].splitlines()
    assert shown[-1] == f"line {lines - 1}"
    assert len(shown) == min(lines, 30)


@pytest.mark.parametrize(
    ("before", "after", "strict", "headline", "says"),
    [
        (report(case()), report(case()), False, "PASS, nothing got worse", "Exit code 0; 1 case compared."),
        (
            report(case()),
            report(case(flaky=True)),
            False,
            "WARN, look before you merge",
            "Exit code 0; 1 case compared.",
        ),
        (
            report(case()),
            report(case(flaky=True)),
            True,
            "WARN, look before you merge",
            "Exit code 2 with --strict; 1 case compared.",
        ),
        (report(case()), report(case("a", "fail")), False, "FAIL, do not merge", "Exit code 1; 1 case compared."),
        (None, report(case()), False, "N/A, nothing was judged", "Exit code 2; 0 cases compared."),
        (report(case()), report(), False, "N/A, nothing was judged", "Exit code 2; 0 cases compared."),
    ],
)
def test_the_verdict_stands_first(before, after, strict, headline, says):
    text = _render(before, after, strict=strict)
    assert text.startswith(f"## evalgate: {headline}\n")
    assert says in text
    _check(text)


def test_every_rule_that_fired_says_what_to_do_and_where_its_page_is():
    text = _render(*_everything(), min_trial_success_rate=0.9)
    for signal in GENERAL:
        if signal.page.title in ELSEWHERE:
            continue
        assert f"**Next:** {signal.page.next_step}" in text
        assert f"[docs/signals.md#{signal.page.anchor}](docs/signals.md#{signal.page.anchor})" in text
        assert f"`evalgate signals {signal.key}`" in text


def test_rules_come_most_severe_first():
    seen = _check(_render(*_everything(), min_trial_success_rate=0.9))
    severities = [
        TITLES[text.partition(":")[0]].severity for tag, text in seen.headings if text.partition(":")[0] in TITLES
    ]
    assert severities == sorted(severities, reverse=True)


def test_the_evidence_of_a_case():
    runs = [
        attempt("error", stderr=CRASH, durationMs=587, exitCode=None, error="gone"),
        attempt("fail", failures=["f1", "f2", "f3", "f4", "f5"], timedOut=True, exitCode=124, durationMs=1250),
        attempt("pass", durationMs=49, toolErrors=[{"name": "bash", "error": "exit 1"}]),
    ]
    text = _render(report(case("a", total_tokens=90)), report(case("a", attempts=runs, flaky=True)))
    seen = _check(text)
    table = next(one for one in seen.tables if one[0][0] == "run")
    assert table == [
        ["run", "attempt", "status", "exit code", "duration", "what happened"],
        ["before", "1", "pass", "0", "7.5 s", ""],
        ["after", "1", "error", "ended by a signal", "0.6 s", "signature ENOENT@ensureSymlink; gone"],
        ["after", "2", "fail", "124 (timed out)", "1.3 s", "f1; f2; f3; f4; f5"],
        ["after", "3", "pass", "0", "0.0 s", "tool bash failed: exit 1"],
    ]
    assert seen.items[-2:] == ["before: pass, 1 attempt, 90 tokens", "after: pass, 3 attempts, 100 tokens"]
    assert "The end of stderr, after, attempt 1:" in text


def test_evidence_of_trials():
    document = report(tried("a", "pass", "fail"))
    text = _render(report(case("a")), document, min_trial_success_rate=0.9)
    assert "after: pass, 2 attempts, 1 of 2 trials passed, 100 tokens" in text


def test_evidence_has_the_first_cases_and_says_so():
    after = report(*(case(f"c{n}", flaky=True) for n in range(41)))
    text = _render(report(*(case(f"c{n}") for n in range(41))), after)
    assert "Evidence is shown for the first 40 cases with a finding, the most severe first." in text
    few = report(*(case(f"c{n}", flaky=True) for n in range(40)))
    assert "Evidence is shown for" not in _render(report(*(case(f"c{n}") for n in range(40))), few)


def test_many_attempts_are_counted():
    document = report(retried("a", *["fail"] * 14, "pass"))
    assert "And 3 more attempts after." in _render(report(case("a")), document)


def test_where_the_runs_came_from():
    before = report(case("a"), case("b", "fail"), dshVersion="0.1.0", startedAt="2026-08-01T00:00:00Z")
    after = report(case("a"), case("b", "error"))
    del after["dshVersion"]
    assert _check(_render(before, after)).tables[-1] == [
        ["", "before", "after"],
        ["report", "before/report.json", "after/report.json"],
        ["harness", "dsh-eval-harness 0.3.2", "dsh-eval-harness 0.3.2"],
        ["version under test", "0.1.0", "not said"],
        ["profile", "headless", "headless"],
        ["started", "2026-08-01T00:00:00Z", "2026-08-12T06:14:05.902Z"],
        ["cases", "2 (1 pass, 1 fail, 0 error)", "2 (1 pass, 0 fail, 1 error)"],
    ]


def test_without_a_baseline_its_column_says_none():
    table = _check(_render(None, report(case("a")))).tables[-1]
    assert {row[1] for row in table[1:]} == {"none"}


def test_stderr_is_shown_of_the_after_report_and_of_what_did_not_pass():
    before = report(case("a", attempts=[attempt("error", stderr="old crash"), attempt()], flaky=True))
    runs = [attempt("error", stderr="first"), attempt("fail", stderr=" \n"), attempt("fail", stderr="second")]
    after = report(case("a", "fail", attempts=[*runs, attempt("fail")]), case("b", stderr="noise", flaky=True))
    text = _render(before, after)
    assert _check(text).blocks == ["first\n", "second\n"]
    assert [line for line in text.split("\n") if line.startswith("The end of")] == [
        "The end of stderr, after, attempt 1:",
        "The end of stderr, after, attempt 3:",
    ]


def test_of_many_attempts_those_that_did_not_pass_and_the_last_are_shown():
    statuses = ["pass"] * 10 + ["fail"] + ["pass"] * 10
    table = next(
        one for one in _check(_render(report(case("a")), report(retried("a", *statuses)))).tables if one[0][0] == "run"
    )
    shown = [row[1] for row in table[1:] if row[0] == "after"]
    assert shown == [*map(str, range(1, 11)), "11", "21"]


def test_an_incident_stands_above_all_else():
    before = report(case("bash-tool"), case("fs"), dshVersion="1")
    after = report(
        retried("bash-tool", "error", "pass", stderr=CRASH),
        retried("fs", "error", "pass", stderr=CRASH),
        dshVersion="2",
    )
    text = _render(before, after)
    _check(text)
    quote = [line for line in text.split("\n") if line.startswith("> ")]
    assert quote[0].startswith("> **Incident:** ")
    assert "ENOENT@ensureSymlink: 2 attempts in 2 cases" in quote[0]
    assert "Incident" not in _render(after, after)


def test_one_noisy_case_does_not_hide_the_others():
    """The share of a case is its own: eleven attempts that wrote zeros leave every other finding and its evidence."""
    zeros = ("\x00" * 800 + "\n") * 10
    noisy = case(
        "noisy", "fail", attempts=[*(attempt("error", n, stderr=zeros) for n in range(1, 12)), attempt("fail", 12)]
    )
    names = [f"case-{n}" for n in range(20)]
    before = report(case("noisy"), *(case(name) for name in names))
    text = _render(before, report(noisy, *(case(name, "fail") for name in names)))
    _check(text)
    assert len(text) <= 60_000
    for name in names:
        assert text.count(f"| `{name}` | `pass` | `fail` |") == 1
        assert f"#### `{name}`" in text


@pytest.mark.parametrize("char", ["|", "\x1b", "\ud83d"])
def test_long_hostile_names_leave_rows_and_evidence(char):
    names = [char * 400 + str(n) for n in range(60)]
    text = _render(report(*(case(name) for name in names)), report(*(case(name, "fail") for name in names)))
    _check(text)
    assert len(text) <= 60_000
    assert text.count("| `pass` | `fail` |") >= 30
    assert text.count("\n#### <code>") >= 10


def test_many_failures_of_an_attempt_are_counted():
    document = report(case("a", "fail", failures=["ignored"], attempts=[attempt("fail", failures=["x" * 90] * 40)]))
    table = next(one for one in _check(_render(report(case("a")), document)).tables if one[0][0] == "run")
    shown = table[-1][-1].split("; ")
    assert shown[-1] == f"and {40 - (len(shown) - 1)} more"
    assert 1 < len(shown) < 40
