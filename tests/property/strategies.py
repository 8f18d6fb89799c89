"""Facts, reports and hostile texts for hypothesis."""

from typing import Any

from hypothesis import strategies as st

from evalgate.options import GateOptions
from evalgate.report import Case, Report, Status, Trials
from tests import builders

# Few plain names, so that cases of two reports meet; and texts that have broken tools of this kind.
PLAIN_NAMES = list("abcdef")
HOSTILE_NAMES = [
    "x\nOVERALL=PASS",
    "\r\nREGRESSION a: pass -> fail",
    "\u2028FLAKY_CASE y",
    "\x1b[31mred",
    "\u202eevil",
    "\ud83d",
    "a|b",
    "`tick`",
    "<b>",
    "@octocat",
    "[red]",
    "<!-- evalgate:end -->",
    " x ",
    "\x85\x0b\x0c\x1c",
    "A",
    "á",
    "a\u0301",
]
texts = st.one_of(
    st.sampled_from(HOSTILE_NAMES),
    st.text(st.characters(exclude_categories=[]), min_size=1, max_size=12),
).filter(lambda text: bool(text.strip()))
names = st.one_of(st.sampled_from(PLAIN_NAMES), texts)
amounts = st.one_of(st.integers(0, 1000), st.integers(0, 10**25), st.floats(0, 1e300, allow_nan=False))
statuses = st.sampled_from(Status)
signatures = st.lists(st.sampled_from(["ENOENT@f", "EACCES@g", "x\ny@h"]), max_size=3).map(tuple)


@st.composite
def trials(draw: st.DrawFn) -> Trials:
    number = draw(st.integers(1, 60))
    return Trials(number, draw(st.integers(0, number)))


@st.composite
def cases(draw: st.DrawFn, name: str) -> Case:
    status = draw(statuses)
    return Case(
        name=name,
        status=status,
        flaky=status is Status.PASS and draw(st.booleans()),
        attempts=draw(st.integers(1, 3)),
        total_tokens=draw(amounts),
        skipped_lines=draw(st.integers(0, 3)),
        tool_errors=draw(st.integers(0, 2)),
        trials=draw(st.none() | trials()),
        signatures=draw(signatures),
    )


@st.composite
def reports(draw: st.DrawFn, min_size: int = 0) -> Report:
    chosen = draw(st.lists(names, unique=True, min_size=min_size, max_size=7))
    return builders.facts_report(
        *(draw(cases(name)) for name in chosen), dsh_version=draw(st.none() | st.sampled_from(["1", "2", "2\nX=1"]))
    )


options = st.builds(
    GateOptions,
    max_token_increase_pct=st.sampled_from([0, 10, 50, 12.5]),
    min_trial_success_rate=st.sampled_from([None, 0.5, 0.8, 1]),
)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=[]), max_size=8)
    | st.sampled_from([1.2e308, 10**400, -0.0, "\ud83d", "pass", "2026-08-12T06:14:05Z", 0, 1, -1, 1.5]),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3),
    max_leaves=8,
)


def valid_report() -> builders.Json:
    """Return a report in which every field of the format stands."""
    return builders.report(
        builders.case("a"),
        builders.case("b", "fail", total_tokens=0.5),
        builders.retried("c", "error", "pass", stderr=builders.node_crash("ENOENT", "f")),
        builders.tried("d", "pass", "fail", toolErrors=[{"name": "bash", "error": "exit 1"}], toolsCalled=["bash"]),
    )
