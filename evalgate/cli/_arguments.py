"""Arguments and options that several commands take, and how what was typed becomes a value."""

import re
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from evalgate.options import TrialPolicy

if TYPE_CHECKING:
    from evalgate.formats.found import ReadOptions


class Language(Enum):
    """The language of what people read, and an agent."""

    ENGLISH = "en"
    CHINESE = "zh"


PLACES = "a report, a folder that holds it, a folder or a quoted glob of the files of one run, or - for stdin."

Scorer = Annotated[
    str | None, typer.Option(metavar="NAME[.KEY]", help="Inspect AI: the scorer that decides what a pass is.")
]
PassThreshold = Annotated[
    str | None, typer.Option(metavar="X", help="Inspect AI: a numeric score from X on is a pass.  [default: 1]")
]
RewardKey = Annotated[
    str | None, typer.Option(metavar="KEY", help="Harbor: the reward that decides.  [default: reward]")
]
MaxTokenIncrease = Annotated[
    str | None,
    typer.Option(
        metavar="PCT",
        help="WARN when a case uses more than PCT percent more tokens; 0 switches it off.  [default: 50]",
    ),
]
MinTrialRate = Annotated[
    str | None,
    typer.Option(
        metavar="RATE",
        help="WARN when the Wilson lower bound of a case's trials is below RATE, such as 0.8.  [default: off]",
    ),
]
WhichTrials = Annotated[
    TrialPolicy | None,
    typer.Option(help="How many of its trials must pass for a case to pass.  [default: any]"),
]
ExpectShards = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Refuse an AFTER that is not made of N files: a run that lost one."),
]
Config = Annotated[
    str | None,
    typer.Option(
        metavar="PATH", help="The policy file.  [default: evalgate.toml or pyproject.toml, found upward from here]"
    ),
]


_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})")
"""No exponents: a fraction would be as long as 1e999999999 says."""


def exact(option: str, text: str) -> Fraction:
    """Return the number that was typed, exactly: a float would turn 0.1 into its neighbour."""
    if not _DECIMAL.fullmatch(text):
        raise typer.BadParameter(f"{option}: {text!r} is not a number such as 50 or 0.8.")
    return Fraction(text)


def reading_options(scorer: str | None, pass_threshold: str | None, reward_key: str | None) -> "ReadOptions | None":
    """Return what the operator said about how a format is to be read, None for nothing."""
    for name, value in (("--scorer", scorer), ("--reward-key", reward_key)):
        if value is not None and not value.strip():
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    threshold = None if pass_threshold is None else exact("--pass-threshold", pass_threshold)
    if scorer is None and threshold is None and reward_key is None:
        return None
    from evalgate.formats.found import ReadOptions

    return ReadOptions(scorer=scorer, pass_threshold=threshold, reward_key=reward_key)
