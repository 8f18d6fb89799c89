"""
What GitHub Actions shows: annotations, the step summary, and the outputs of the step.

Facts: GitHub Docs, "Workflow commands for GitHub Actions" (a command is a line that begins with `::`; `%`, CR and LF
are escaped in data, `:` and `,` in properties too; at most ten annotations of a level are shown; a summary has at most
1 MiB; an output of several lines stands between two equal delimiters). The runner obeys `##[command]` as well, anywhere
in a line (actions/runner, ActionCommand.cs): see `fence`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from evalgate.gate import GateResult
from evalgate.plain import escape, shorten
from evalgate.render._markdown_text import code
from evalgate.signals import Fired
from evalgate.verdict import ExitCode, Severity, Verdict, exit_code

SUMMARY_LIMIT = 1024 * 1024
"""Unit: bytes of UTF-8, of the whole file that the step appends to."""

_SHOWN = 10
_LONGEST = 1_000
_LEVELS = {Severity.FAIL: "error", Severity.WARN: "warning", Severity.INFO: "notice"}
_STRICT_LEVELS = {**_LEVELS, Severity.WARN: "error"}
_CUT = "\n\n_The rest does not fit into a step summary._\n"
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_OUTPUT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def annotations(result: GateResult, *, strict: bool = False) -> Iterator[str]:
    """
    Yield the workflow commands, one a line, failures before warnings before the rest; at most ten of a level.

    Under `strict` a warning stops the merge, so it is an error.
    """
    if result.verdict is Verdict.NOT_APPLICABLE:
        yield f"::error title={_property('evalgate')}::{_data(f'nothing was judged: {result.reasons[0]}')}\n"
    levels = _STRICT_LEVELS if strict else _LEVELS
    for level in dict.fromkeys(levels.values()):
        found = [one for one in result.by_severity() if levels[one.signal.severity] == level]
        number = sum(len(one.findings) for one in found)
        # The tenth place is for the count, when there are more.
        shown = number if number <= _SHOWN else _SHOWN - 1
        yield from islice((line for one in found for line in _lines(one, level)), shown)
        more = number - shown
        if more:
            yield f"::{level} title={_property('evalgate')}::and {more} more: the output of evalgate lists them\n"


def _lines(one: Fired[Any], level: str) -> Iterator[str]:
    for finding in one.findings:
        if one.signal.detail is not None:
            text = one.signal.detail(finding)
        else:
            text = one.signal.scalar(finding) if one.signal.scalar is not None else ""
        yield f"::{level} title={_property(f'evalgate: {one.signal.page.title}')}::{_data(text)}\n"


def _data(text: str) -> str:
    """Escape a message; controls are spelled first, so that no other line break is left."""
    shown = escape(shorten(text, _LONGEST)).replace("##[", "## [")
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def fence(token: str) -> tuple[str, str]:
    """
    Return the lines to print before and behind text out of a report, so that nothing in it is obeyed as a command.

    A case called `##[stop-commands]x` would silence the annotations of the step. The token must be one that nobody can
    know. Raises `ValueError` for one that is no plain word.
    """
    if not token.isascii() or not token.isalnum():
        raise ValueError("the token must consist of letters and digits")
    return f"::stop-commands::{token}\n", f"::{token}::\n"


def step_summary(markdown: str, room: int = SUMMARY_LIMIT) -> str:
    """Return the section as it is appended to the summary, at most `room` bytes of UTF-8, cut between two lines."""
    whole = f"{markdown}\n\n"
    if _size(whole) <= room:
        return whole
    left = room - _size(_CUT)
    lines = markdown.split("\n")
    kept, opened, closing = 0, "", ""
    for number, line in enumerate(lines, 1):
        left -= _size(line) + 1
        if left < 0:
            break
        opened = _fence_behind(line, opened)
        # Only where the fence can be closed as well.
        if len(opened) + 1 <= left or not opened:
            kept, closing = number, opened
    if not any(line.strip() for line in lines[:kept]):
        return ""
    return "\n".join(lines[:kept]) + (f"\n{closing}" if closing else "") + _CUT


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "backslashreplace"))


def _fence_behind(line: str, opened: str) -> str:
    """Return the code fence that is open behind a line, given the one that is open before it; empty for none."""
    match = _FENCE.match(line)
    if match is None:
        return opened
    ticks = match[1]
    if not opened:
        return ticks
    closes = ticks.startswith(opened) and not line[match.end() :].strip()
    return "" if closes else opened


def outputs(result: GateResult, *, strict: bool, report: str | None) -> dict[str, str]:
    """
    Return the outputs of the step by name: verdict, exit-code, compared, report, and a count per rule.

    The count of a rule that did not run is empty: 0 would say that somebody counted.
    """
    counts = {
        one.signal.key.lower().replace("_", "-"): str(len(one.findings)) if one.ran else "" for one in result.fired
    }
    return {
        **counts,
        "verdict": result.verdict.value,
        "exit-code": f"{exit_code(result.verdict, strict=strict):d}",
        "compared": str(result.compared),
        "report": report or "",
    }


def error_annotation(faults: Sequence[str]) -> str:
    """Return the workflow command of a step that could not judge, without a line end."""
    first, more = faults[0] if faults else "", len(faults) - 1
    text = f"could not judge: {first}" + (f" (and {more} more)" if more > 0 else "")
    return f"::error title={_property('evalgate')}::{_data(text)}"


def error_summary(faults: Sequence[str]) -> str:
    """Return the section for the step summary of a step that could not judge."""
    shown = [f"- {code(fault, _LONGEST)}" for fault in faults[:_SHOWN]]
    more = len(faults) - len(shown)
    listed = "\n".join([*shown, f"- and {more} more"] if more > 0 else shown)
    return f"## evalgate: could not judge\n\nThis is no verdict (exit code {ExitCode.CANNOT_JUDGE:d}).\n\n{listed}"


def error_outputs() -> dict[str, str]:
    """Return the outputs of a step that could not judge; there are no counts."""
    return {"verdict": "ERROR", "exit-code": f"{ExitCode.CANNOT_JUDGE:d}", "report": ""}


def encode_outputs(values: Mapping[str, str], delimiter: str) -> str:
    """
    Return the text to append to the output file.

    The delimiter must be one that nobody can know, since a value that holds it could set outputs of its own. Raises
    `ValueError` when a value does, and for a name or a delimiter that is no plain word.
    """
    if _OUTPUT_NAME.fullmatch(delimiter) is None:
        raise ValueError("the delimiter must be a plain word")
    pieces = []
    for name, value in values.items():
        if _OUTPUT_NAME.fullmatch(name) is None:
            raise ValueError("the name of an output must be a plain word")
        shown = escape(value)
        if delimiter in value or delimiter in shown:
            raise ValueError("a value holds the delimiter")
        pieces.append(f"{name}<<{delimiter}\n{shown}\n{delimiter}\n")
    return "".join(pieces)
