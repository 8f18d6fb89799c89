"""
The summary for a person at a terminal.

Rendered into a string by rich, from cells that are never parsed as markup: a case called "[red]" is not red.
"""

import io
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evalgate.gate import GateResult
from evalgate.plain import escape, shorten
from evalgate.render.catalogue import Words
from evalgate.signals import Fired, stories
from evalgate.verdict import Severity, Verdict, exit_code

_COLOURS = {Verdict.PASS: "green", Verdict.WARN: "yellow", Verdict.FAIL: "red", Verdict.NOT_APPLICABLE: "magenta"}
_SEVERITY_COLOURS = {Severity.FAIL: "red", Severity.WARN: "yellow", Severity.INFO: "cyan"}
_SHOWN = 5
_LONGEST_CELL = 120
_LONGEST_STORY = 400


def render(result: GateResult, *, strict: bool, width: int, color: bool, lang: str = "en") -> str:
    """Return the verdict, a table of what changed and what to look at first, `width` columns wide."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    words = Words(lang)
    colour = _COLOURS[result.verdict]
    code = exit_code(result.verdict, strict=strict)
    console.print(
        Text.assemble(
            (result.verdict.value, f"bold {colour}"),
            f": {words(f'headline_{result.verdict.value}')}",
            (f" (exit {code:d})", "dim"),
        )
    )
    if result.unavailable:
        names = ", ".join(fact.value.replace("_", " ") for fact in result.unavailable)
        console.print(Text(words("not_judged", names=names), style="dim"))
    fired = result.by_severity()
    for story in (story for one in fired for story in words.stories(one)):
        console.print(Text.assemble((f"{words('incident')} ", "bold"), shorten(escape(story), _LONGEST_STORY)))
    if fired:
        table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
        table.add_column(words("changed").lower())
        table.add_column("", justify="right")
        table.add_column(words("where"), overflow="fold")
        for one in fired:
            table.add_row(
                Text(words.signal(one.signal).title, style=_SEVERITY_COLOURS[one.signal.severity]),
                Text(str(len(one.findings))),
                Text(_where(one, words)),
            )
        console.print(table)
        first = _first(fired)
        console.print(Text.assemble((f"{words('look_first')} ", "bold"), words.signal(first.signal).next_step))
        console.print(Text(f"{words('more')} evalgate signals {first.signal.key}", style="dim"))
    else:
        console.print(Text(escape(words.reasons(result)[0])))
    output = console.file
    assert isinstance(output, io.StringIO)
    return output.getvalue()


def _first(fired: list[Fired[Any]]) -> Fired[Any]:
    """Return what to look at first: of the most severe rules one that tells an incident, else the first."""
    worst = [one for one in fired if one.signal.severity is fired[0].signal.severity]
    return next((one for one in worst if any(stories(one))), worst[0])


def _where(fired: Fired[Any], words: Words) -> str:
    """Return the first findings, one a line: the first cell as it is, the others behind their column's heading."""
    shown = []
    for finding in fired.findings[:_SHOWN]:
        first, *others = (shorten(escape(cell), _LONGEST_CELL) for cell in fired.signal.row(finding))
        named = [
            f"{column} {cell}" for column, cell in zip(words.signal(fired.signal).columns[1:], others, strict=True)
        ]
        shown.append(f"{first} ({', '.join(named)})" if named else first)
    more = len(fired.findings) - len(shown)
    return "\n".join([*shown, words("and_rows", n=more)] if more else shown)
