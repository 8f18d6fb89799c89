"""
The registry of the formats beside dsh-eval-harness, which is tried first and without any of these.

The order is that of docs/formats.md; no two may claim one file, so it decides nothing.
"""

from evalgate.formats import ctrf, evalgate_loop, harbor, inspect_log, junit, promptfoo, swe_bench
from evalgate.formats.content import Content
from evalgate.formats.format import Format

FORMATS: tuple[Format, ...] = (
    inspect_log.FORMAT,
    ctrf.FORMAT,
    harbor.FORMAT,
    promptfoo.FORMAT,
    junit.FORMAT,
    swe_bench.FORMAT,
    evalgate_loop.FORMAT,
)


def format_of(content: Content) -> Format | None:
    """Return the format of a file or folder, None when none claims it."""
    return next((one for one in FORMATS if one.sniff(content)), None)
