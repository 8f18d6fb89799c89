"""What a page for people is made of: the result, and where the evidence of both runs is."""

from typing import NamedTuple

from evalgate.evidence import Evidence
from evalgate.gate import GateResult


class Side(NamedTuple):
    """One of the two runs: how the user called it and where its evidence is."""

    label: str
    evidence: Evidence


class Scene(NamedTuple):
    """One comparison, for a renderer that shows evidence."""

    result: GateResult
    strict: bool
    before: Side | None
    """None when there was no before report."""
    after: Side
    lang: str = "en"
    """`en` or `zh`: the language of the page. What comes out of a report stays as it is."""
    policy: tuple[str, ...] = ()
    """What a policy file decides: its path, then `name = value` each; empty without one."""
