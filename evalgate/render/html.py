"""
One self-contained page: the verdict, what is behind it, and every telling case with its attempts.

It loads nothing and needs no script: all of it is there without one, the script only filters and sorts what stands in
the page. Text out of a report is escaped by the template, and never part of the script or the style.
"""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from evalgate.options import TrialPolicy
from evalgate.render import _html_charts as charts
from evalgate.render import _html_view as views
from evalgate.render._html_cut import shown
from evalgate.render.catalogue import Words
from evalgate.render.scene import Scene
from evalgate.signals import Pair
from evalgate.verdict import exit_code

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LIMIT = 2_000_000
"""Unit: bytes of UTF-8. A mail carries it, and a browser filters it while one types."""

_ROWS_ROOM = 700_000
"""Of the table's rows without their evidence, unit: bytes. What is left goes to the evidence."""
_STDERR_ROOM = 500_000
_EVIDENCE = 300
"""Cases whose evidence is fetched at the most."""
_REASONS, _INCIDENTS = 10, 3
_POLICY = 20
_REASON = 500
_UNFOLDED = 4
"""Cases with something to look at whose attempts stand open, if there are no more of them than this."""


def render(scene: Scene) -> str:
    """Return the page, at most `LIMIT` bytes as UTF-8."""
    result = scene.result
    words = Words(scene.lang, "page")
    pair = None if result.before is None else Pair(result.before, result.after, result.options)
    environment = _environment(words.lang)
    rows = views.rows_of(result, pair)
    anchors = {row.name: f"c{number}" for number, row in enumerate(rows)}
    view = _view(scene, pair, anchors, words)
    page = environment.get_template("report.html.j2")
    # What stands around the rows is the same with and without them, but for a few numbers.
    room = LIMIT - _bytes(page.render({**view, **_table([], 0, rows, view["total"], words)})) - 4_000
    bodies, shown_with = _bodies(scene, pair, rows, room, words)
    for row in rows[len(bodies) :]:
        del anchors[row.name]
    view |= {"signals": list(views.signal_views(result, anchors, words))}
    return page.render({**view, **_table(bodies, shown_with, rows, view["total"], words)})


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def _bodies(
    scene: Scene, pair: Pair | None, rows: Sequence[views.Row], room: int, words: Words
) -> "tuple[list[Markup], int]":
    """Return the rows that fit into `room` bytes, and how many of them have their evidence."""
    from markupsafe import Markup

    template = _environment(words.lang).get_template("report_case.html.j2")
    comparable, carried = views.token_sides(scene.result, pair)
    shown_views: list[dict[str, Any]] = []
    bodies: list[Markup] = []
    left = min(_ROWS_ROOM, room)
    for number, row in enumerate(rows):
        view = views.row_view(number, row, words)
        view |= views.tokens_view(row, comparable=comparable, carried=carried)
        # Rendered with autoescape just now: this is our own markup, not a report's.
        body = Markup(template.render(view))
        left -= _bytes(body)
        room -= _bytes(body)
        if left < 0:
            room += _bytes(body)
            break
        shown_views.append(view)
        bodies.append(body)
    names = [row.name for row in rows[: min(_EVIDENCE, len(bodies))]]
    before = {} if scene.before is None else scene.before.evidence.fetch(names)
    after = scene.after.evidence.fetch(names)
    stderr = views.Budget(_STDERR_ROOM)
    to_look_at = sum(view["severity"] > 0 for view in shown_views)
    with_evidence = 0
    for number, name in enumerate(names):
        there, here = before.get(name), after.get(name)
        if there is None and here is None:
            continue
        row, view = rows[number], shown_views[number]
        view |= views.evidence_view(row, there, here, words, stderr)
        view["open"] = view["severity"] > 0 and to_look_at <= _UNFOLDED
        body = Markup(template.render(view))
        room -= _bytes(body) - _bytes(bodies[number])
        if room < 0:
            break
        bodies[number] = body
        with_evidence += 1
    return bodies, with_evidence


def _table(
    bodies: "Sequence[Markup]", with_evidence: int, rows: Sequence[object], total: int, words: Words
) -> dict[str, Any]:
    if len(bodies) >= total:
        count = words.count("cases_all", len(bodies)) if bodies else words("cases_none")
    else:
        count = words("cases_some", n=f"{len(bodies):,}", total=f"{total:,}")
    some = words.count("evidence_some", with_evidence) if 0 < with_evidence < len(bodies) else ""
    return {"bodies": bodies, "cases_count": count, "evidence_some": some}


def _view(scene: Scene, pair: Pair | None, anchors: dict[str, str], words: Words) -> dict[str, Any]:
    result = scene.result
    incidents = [story for fired in result.by_severity() for story in words.stories(fired)]
    code = int(exit_code(result.verdict, strict=scene.strict))
    would = int(exit_code(result.verdict, strict=True))
    style, script = _asset("report.css"), _asset("report.js")
    policy = result.options.trial_policy
    reasons = words.reasons(result)
    quiet = sum(one.ran and not one.findings for one in result.fired)
    return {
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "verdict": result.verdict.value,
        # As a class name: N/A is none.
        "kind": result.verdict.name.lower().replace("_", "-"),
        "headline": words(f"headline_{result.verdict.value}"),
        "meaning": words(f"meaning_{result.verdict.value}"),
        "exit_code": code,
        "exit_note": words(f"exit_{code}"),
        "exit_more": words("exit_strict") if scene.strict else words("exit_would", n=would) if would != code else "",
        "compared": result.compared,
        "found": views.found_by_severity(result, words),
        "labels": [None if side is None else shown(side.label, 120) for side in (scene.before, scene.after)],
        "incidents": [shown(story, 2 * _REASON) for story in incidents[:_INCIDENTS]],
        "more_incidents": _more("more_incidents", len(incidents) - _INCIDENTS, words),
        "reasons": [shown(reason, _REASON) for reason in reasons[:_REASONS]],
        "more_reasons": _more("more_reasons", len(reasons) - _REASONS, words),
        "mixed": [shown(difference, _REASON) for difference in words.mixed(result)],
        "unavailable": views.unavailable(result, words),
        "strip": charts.strip(result, pair, words),
        "tokens": charts.tokens(result, pair, words),
        "trials": charts.trials(result, pair, words),
        "anchors": anchors,
        "signals": list(views.signal_views(result, anchors, words)),
        "quiet": words.count("quiet", quiet) if quiet else "",
        "origin": views.origin_view(scene, words),
        "policy": "" if policy is TrialPolicy.ANY else words("policy", policy=policy.value),
        "policy_file": [shown(one, _REASON) for one in scene.policy[:_POLICY]],
        "total": len(result.after.cases) + (0 if pair is None else len(pair.before.cases) - pair.compared),
    }


def _more(key: str, number: int, words: Words) -> str:
    return words.count(key, number) if number > 0 else ""


@cache
def _environment(lang: str) -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evalgate.render"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.globals["w"] = Words(lang, "page")
    return environment


@cache
def _asset(name: str) -> "Markup":
    """Return the style or the script: our own text, as it stands in the page."""
    from markupsafe import Markup

    environment = _environment("en")
    assert environment.loader is not None
    source = environment.loader.get_source(environment, name)[0]
    assert "</" not in source, "it would end its element"
    # A parser of HTML turns CR LF into LF before the browser hashes.
    return Markup(source.replace("\r\n", "\n"))


def _hash(text: str) -> str:
    """Return how a Content-Security-Policy names an inline text that may act."""
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
