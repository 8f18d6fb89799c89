"""
The options that a policy file may hold, wherever they were said: the command line, the file, or nowhere.

`compare` takes all of them. The other commands take those that say how a report is read and judged, so that a run is
not accepted, or explained, by other rules than it is compared by.
"""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from evalgate.cli._arguments import exact, reading_options
from evalgate.numbers import decimal_text
from evalgate.options import DEFAULTS, GateOptions, TrialPolicy

if TYPE_CHECKING:
    from evalgate.config import Effective
    from evalgate.formats.found import ReadOptions

_DEFAULTS: Mapping[str, bool | str] = {
    "strict": False,
    "format": "text",
    "no-report": False,
    "lang": "en",
    "max-token-increase-pct": decimal_text(DEFAULTS.token_pct),
    "trial-policy": "any",
    "allow-mixed": False,
}
"""What an option is when neither the command line nor the policy file says it; the others are not set then."""


class Policy:
    """Every option with its value and origin."""

    def __init__(self, typed: Mapping[str, Any], config: str | None) -> None:
        """
        Read the policy file: `config`, or the nearest one. None in `typed` is an option that was not given.

        Raises `ConfigError` for one that cannot be read or holds what is no option.
        """
        from evalgate.config import effective, find, read

        if config == "":
            raise typer.BadParameter("--config is empty: is a variable not set?")
        self._taken = frozenset(typed)
        found = None if config is not None else find(Path())
        # As a person would name it from here.
        self.path = Path(config) if config is not None else None if found is None else Path(os.path.relpath(found))
        """The policy file; None when there is none."""
        self.effective: Sequence[Effective] = effective(
            typed, None if self.path is None else read(self.path), _DEFAULTS
        )
        self.values = {one.name: one.value for one in self.effective}

    def text(self, name: str) -> str | None:
        """Return the value of an option as text, None for one that is not set."""
        value = self.values[name]
        return None if value is None else str(value)

    def flag(self, name: str) -> bool:
        """Return whether an option is on."""
        return bool(self.values[name])

    @property
    def shards(self) -> int | None:
        """How many files the after report must have; None for any number."""
        value = self.values["expect-shards"]
        return value if isinstance(value, int) else None

    @property
    def files(self) -> tuple[Path, ...]:
        """The policy file, which is read and so never written."""
        return () if self.path is None else (self.path,)

    @cached_property
    def acting(self) -> tuple[str, ...]:
        """
        What the policy file decides of this command, to be shown with the verdict: its path, then `name = value` each.

        Empty when there is no file. One that decides nothing is shown all the same: it may stand before another.
        """
        from evalgate.config import spelled

        if self.path is None:
            return ()
        here = [one for one in self.effective if one.origin == str(self.path) and one.name in self._taken]
        return (
            (str(self.path), *(f"{one.name} = {spelled(one.value)}" for one in here))
            if here
            else (
                str(self.path),
                "decides nothing here",
            )
        )

    def gate_options(self, *, allow_mixed: bool | None = None) -> GateOptions:
        """Return what the gate judges by; `allow_mixed` overrules the policy. Raises `BadParameter`."""
        pct = exact("--max-token-increase-pct", str(self.values["max-token-increase-pct"]))
        rate = self.text("min-trial-success-rate")
        try:
            return GateOptions(
                max_token_increase_pct=pct,
                min_trial_success_rate=None if rate is None else exact("--min-trial-success-rate", rate),
                trial_policy=TrialPolicy(self.values["trial-policy"]),
                allow_mixed=self.flag("allow-mixed") if allow_mixed is None else allow_mixed,
            )
        except ValueError as fault:
            raise typer.BadParameter(f"--{str(fault).replace('_', '-')}.") from fault

    def reading(self) -> "ReadOptions | None":
        """Return what was said about how a format is to be read, None for nothing. Raises `BadParameter`."""
        return reading_options(self.text("scorer"), self.text("pass-threshold"), self.text("reward-key"))
