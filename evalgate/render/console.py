"""
The summary for a person at a terminal.

Rendered into a string by rich, from cells that are never parsed as markup: a case called "[red]" is not red.
"""

import io
from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evalgate.gate import GateResult
from evalgate.plain import escape, shorten
from evalgate.signals import stories
from evalgate.verdict import Severity, Verdict, exit_code

_COLOURS = {Verdict.PASS: "green", Verdict.WARN: "yellow", Verdict.FAIL: "red", Verdict.NOT_APPLICABLE: "magenta"}
_MEANINGS = {
    Verdict.PASS: "nothing got worse",
    Verdict.WARN: "look before you merge",
    Verdict.FAIL: "do not merge",
    Verdict.NOT_APPLICABLE: "nothing was judged",
}
_SEVERITY_COLOURS = {Severity.FAIL: "red", Severity.WARN: "yellow", Severity.INFO: "cyan"}
F = TypeVar("F")

_SHOWN = 5
_LONGEST_CELL = 120
_LONGEST_STORY = 400


def render(result: GateResult, *, strict: bool, width: int, color: bool) -> str:
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
    colour = _COLOURS[result.verdict]
    code = exit_code(result.verdict, strict=strict)
    console.print(
        Text.assemble(
            (result.verdict.value, f"bold {colour}"), f": {_MEANINGS[result.verdict]}", (f" (exit {code:d})", "dim")
        )
    )
    fired = result.by_severity()
    for story in (story for one in fired for story in stories(one)):
        console.print(Text.assemble(("Incident: ", "bold"), shorten(escape(story), _LONGEST_STORY)))
    if fired:
        table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
        table.add_column("what changed")
        table.add_column("", justify="right")
        table.add_column("where", overflow="fold")
        for one in fired:
            table.add_row(
                Text(one.signal.page.title, style=_SEVERITY_COLOURS[one.signal.severity]),
                Text(str(len(one.findings))),
                Text(_where(one.findings, one.signal.row)),
            )
        console.print(table)
        first = fired[0]
        console.print(Text.assemble(("Look first: ", "bold"), first.signal.page.next_step))
        console.print(Text(f"More: evalgate signals {first.signal.key}", style="dim"))
    else:
        console.print(Text(escape(result.reasons[0])))
    output = console.file
    assert isinstance(output, io.StringIO)
    return output.getvalue()


def _where(findings: Sequence[F], row: Callable[[F], tuple[str, ...]]) -> str:
    shown = ["  ".join(shorten(escape(cell), _LONGEST_CELL) for cell in row(finding)) for finding in findings[:_SHOWN]]
    more = len(findings) - len(shown)
    return "\n".join([*shown, f"... and {more} more"] if more else shown)
