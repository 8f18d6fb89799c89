"""
The policy file: the options of `compare`, written down once.

`evalgate.toml`, or `[tool.evalgate]` in pyproject.toml, found upward from the working directory. There is no per-rule
knob in it, as there is none on the command line: a rule that can be turned down will be.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, DecimalException
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from evalgate.errors import CannotJudgeError
from evalgate.options import GateOptions, TrialPolicy
from evalgate.plain import escape, shorten

OWN_FILE, PROJECT_FILE = "evalgate.toml", "pyproject.toml"
_TABLE = "tool.evalgate"
_LARGEST = 1 << 20
"""Unit: bytes. What is longer was not written by hand."""
_SHOWN = 20
"""How many faults are listed, as for a report."""
_MOST = 1_000_000_000
"""The largest count that is taken."""


class ConfigError(CannotJudgeError):
    """The policy file cannot be read or holds what is no option."""


class Option(NamedTuple):
    """One option of `compare` that a policy may set."""

    name: str
    """As the command line spells it, without the dashes."""
    kind: str
    """`flag`, `text`, `path`, `number`, `count`, `list` of KIND=PATH, or `choice` of one of `choices`."""
    choices: tuple[str, ...] = ()


OPTIONS: tuple[Option, ...] = (
    Option("strict", "flag"),
    Option("format", "choice", ("text", "json")),
    Option("report", "path"),
    Option("no-report", "flag"),
    Option("write", "list"),
    Option("github", "flag"),
    Option("lang", "choice", ("en", "zh")),
    Option("max-token-increase-pct", "number"),
    Option("min-trial-success-rate", "number"),
    Option("trial-policy", "choice", tuple(one.value for one in TrialPolicy)),
    Option("allow-mixed", "flag"),
    Option("expect-shards", "count"),
    Option("rerun-list", "path"),
    Option("scorer", "text"),
    Option("pass-threshold", "number"),
    Option("reward-key", "text"),
)
_BY_NAME = {one.name: one for one in OPTIONS}

OF_ONE_RUN = frozenset({"before", "after", "confirm", "config", "show-config"})
"""What belongs to one comparison, and so on its command line."""

_OPPOSITE = {"report": "no-report", "no-report": "report"}
"""Two options that say one thing: who gives one of them on the command line overrules both of a policy file."""

Value = bool | str | int | tuple[str, ...]
"""A number is a text here, exactly as it is written: 0.1 is one tenth."""


class Settings(NamedTuple):
    """A policy file that was read."""

    path: Path
    values: Mapping[str, Value]
    """By option name; only what the file sets."""


class Effective(NamedTuple):
    """What one option comes to, and why."""

    name: str
    value: Value | None
    """None for an option that is not set and has no default."""
    origin: str
    """`command line`, the path of the policy file, or `default`."""


def find(start: Path) -> Path | None:
    """
    Return the policy file of a folder: in it, or in the nearest one above that has one.

    evalgate.toml comes before pyproject.toml, and a pyproject.toml without our table is no policy file. The search does
    not end at the root of a repository, nor does that of ruff or pytest: one may be a submodule, or one of several
    in a workspace that share a policy. Which file was found is in `--show-config` and in the JSON output.

    Raises `ConfigError` where a policy may be and cannot be read: a gate must not turn lenient by that.
    """
    try:
        start = start.resolve(strict=True)
    except (OSError, RuntimeError):
        # The working directory was removed under us; then nothing lies above it either.
        return None
    for folder in (start, *start.parents):
        own, project = folder / OWN_FILE, folder / PROJECT_FILE
        try:
            # Also a broken link and a folder: `read` says what is wrong with them.
            if own.is_symlink() or own.exists():
                if not own.is_file() and not own.is_dir() and own.exists():
                    raise ConfigError([f"{own}: is no regular file: name the policy file with --config"])
                return own
            is_project = project.is_file()
        except OSError as fault:
            raise ConfigError(
                [f"{own}: cannot be looked for ({fault.strerror or fault}): name the policy file with --config"]
            ) from fault
        if is_project and _has_table(project):
            return project
    return None


def read(path: Path) -> Settings:
    """
    Return what a policy file sets; raise `ConfigError` with file, key, rule and what was found.

    A path in it is relative to the folder of the file, so that it means the same wherever somebody stands.
    """
    table, prefix = _parse(path, _bytes(path)), ""
    if path.name == PROJECT_FILE:
        ours, prefix = _table(path, table), f"{_TABLE}."
        if ours is None:
            raise ConfigError([f"{path}: has no table [{_TABLE}]"])
        table = ours
    # A pipe has no folder of its own.
    folder = path.parent if path.is_file() else Path()
    faults: list[str] = []
    values: dict[str, Value] = {}
    wrong = 0
    for name, raw in table.items():
        option = _BY_NAME.get(name)
        try:
            if option is None:
                # To look for the nearest name takes longer than to read one.
                raise _Wrong(_unknown(name, raw) if wrong < _SHOWN else "")
            values[name] = _checked(option, raw, folder)
        except _Wrong as fault:
            wrong += 1
            if wrong <= _SHOWN:
                faults.append(f"{path}: {prefix}{shorten(name, 60)}{fault}")
    if values.get("no-report") is True and "report" in values:
        wrong += 1
        faults.append(f"{path}: {prefix}report: excludes no-report = true")
    if wrong > len(faults):
        more = wrong - len(faults)
        faults.append(f"{path}: and {more} more {'fault' if more == 1 else 'faults'}")
    if faults:
        raise ConfigError(faults)
    return Settings(path, values)


def effective(
    command_line: Mapping[str, object], settings: Settings | None, defaults: Mapping[str, object]
) -> list[Effective]:
    """
    Return every option with its value and origin.

    The command line wins; None in it is not given. A list given there takes the place of the file's, and --report takes
    the place of the file's no-report, as --no-report does of its report. Raises `KeyError` for a name that is no
    option: a slip of the caller, which would else be a setting that is lost.
    """
    for name in (*command_line, *defaults):
        if name not in _BY_NAME:
            raise KeyError(name)
    found = []
    for one in OPTIONS:
        typed, opposite = command_line.get(one.name), _OPPOSITE.get(one.name)
        if typed is not None:
            found.append(Effective(one.name, _value(typed), "command line"))
        elif settings is None or one.name not in settings.values:
            found.append(Effective(one.name, _value(defaults.get(one.name)), "default"))
        elif opposite is not None and command_line.get(opposite) not in (None, False):
            found.append(Effective(one.name, _value(defaults.get(one.name)), "command line"))
        else:
            found.append(Effective(one.name, settings.values[one.name], str(settings.path)))
    return found


def render_text(options: Sequence[Effective]) -> Iterator[str]:
    """Yield one line per option for `--show-config`, without a line end: `strict = true  (/repo/evalgate.toml)`."""
    for one in options:
        yield escape(f"{one.name} = {spelled(one.value)}  ({one.origin})")


def as_json(options: Sequence[Effective]) -> dict[str, Any]:
    """Return the options for the JSON output: `{"strict": {"value": true, "origin": "evalgate.toml"}}`."""
    return {
        one.name: {"value": list(one.value) if isinstance(one.value, tuple) else one.value, "origin": one.origin}
        for one in options
    }


class _Wrong(Exception):
    """What is wrong with one key, as it follows the key in the line."""


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise ConfigError([f"{path}: cannot be read ({reason})"]) from fault
    if len(data) > _LARGEST:
        raise ConfigError([f"{path}: is longer than {_LARGEST >> 10} KiB, and no policy file"])
    return data


def _parse(path: Path, data: bytes) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"), parse_float=Decimal)
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        found = f"byte 0x{fault.object[fault.start]:02x} in line {line}"
        raise ConfigError([f"{path}: must be UTF-8 text (found {found})"]) from fault
    except RecursionError as fault:
        raise ConfigError([f"{path}: must be TOML that is not nested this deep"]) from fault
    except DecimalException as fault:
        raise ConfigError([f"{path}: must be valid TOML (a number is too large)"]) from fault
    except ValueError as fault:
        # The parser's own, which names line and column, or that of a whole number with thousands of digits.
        raise ConfigError([f"{path}: must be valid TOML ({fault})"]) from fault


def _has_table(project: Path) -> bool:
    """
    Tell whether a pyproject.toml has our table.

    Where our name does not stand, the file is not parsed: it may be a template, or somebody else's and broken, and it
    takes time.
    """
    data = _bytes(project)
    return b"evalgate" in data and _table(project, _parse(project, data)) is not None


def _table(path: Path, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    tool = document.get("tool")
    if not isinstance(tool, dict) or "evalgate" not in tool:
        return None
    table = tool["evalgate"]
    if not isinstance(table, dict):
        raise ConfigError([f"{path}: {_TABLE}: must be a table [{_TABLE}] (got {_shown(table)})"])
    return table


def _unknown(name: str, raw: object) -> str:
    import difflib

    if isinstance(raw, dict) and name in ("tool", "evalgate"):
        return f": is no option; the options stand at the top of a file of its own, and in [{_TABLE}] of {PROJECT_FILE}"
    typed = shorten(name, 60).lower().replace("_", "-").lstrip("-")
    if typed in OF_ONE_RUN:
        return ": is no option of a policy; it belongs to one comparison, and so on the command line"
    near = difflib.get_close_matches(typed, _BY_NAME, 1, 0.5)
    hint = f"did you mean {near[0]}?" if near else f"the options are {', '.join(_BY_NAME)}"
    return f": is no option; {hint}"


def _checked(option: Option, raw: object, folder: Path) -> Value:
    """Return the value; raise `_Wrong` with the rule that it breaks."""
    if option.kind == "number":
        return _number(option, raw)
    if option.kind == "list":
        return _outputs(raw, folder)
    if option.kind == "path":
        return _path(raw, folder)
    return _plain(option, raw)


def _plain(option: Option, raw: object) -> Value:
    """Return a value that is taken as it stands."""
    if option.kind == "flag":
        rule = "must be true or false"
        good = isinstance(raw, bool)
    elif option.kind == "count":
        rule = f"must be a whole number from 1 to {_MOST}"
        good = isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= _MOST
    elif option.kind == "choice":
        *first, last = (f'"{one}"' for one in option.choices)
        rule = f"must be {', '.join(first)} or {last}"
        good = isinstance(raw, str) and raw in option.choices
    else:
        rule = "must be a text that is not blank"
        good = isinstance(raw, str) and bool(raw.strip())
    if good and isinstance(raw, bool | int | str):
        return raw
    raise _wrong(rule, raw)


_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})")
"""What the command line takes, too."""


def _number(option: Option, raw: object) -> str:
    """Return a number as the command line would have it, in digits; a text that is one is taken, too."""
    text = raw if isinstance(raw, str) else ""
    if isinstance(raw, int) and not isinstance(raw, bool) and abs(raw) < 10**30:
        text = str(raw)
    elif isinstance(raw, Decimal) and raw.is_finite() and abs(raw.adjusted()) < 31:
        # 1e2 is 100; written out only when that is short.
        text = format(raw, "f")
    if not _DECIMAL.fullmatch(text):
        raise _wrong("must be a number such as 50 or 0.8", raw)
    try:
        # Its range stands in one place, with the sentence that says so.
        if option.name == "max-token-increase-pct":
            GateOptions(max_token_increase_pct=Fraction(text))
        elif option.name == "min-trial-success-rate":
            GateOptions(min_trial_success_rate=Fraction(text))
    except ValueError as fault:
        raise _wrong(str(fault).partition(" ")[2], raw) from fault
    return text


def _path(raw: object, folder: Path) -> str:
    if not isinstance(raw, str) or not raw.strip() or not _is_file_path(raw):
        raise _wrong("must be the path of a file", raw)
    return str(folder / raw)


def _is_file_path(text: str) -> bool:
    return text not in ("-", ".", "..") and "\0" not in text and not text.endswith(("/", os.sep))


def _outputs(raw: object, folder: Path) -> tuple[str, ...]:
    """Return the outputs, their paths below the folder of the file; `-` stays stdout."""
    if not isinstance(raw, list):
        raise _wrong('must be a list of "KIND=PATH"', raw)
    found = []
    for position, one in enumerate(raw):
        kind, _, path = one.partition("=") if isinstance(one, str) else ("", "", "")
        if not kind or not path.strip() or (path != "-" and not _is_file_path(path)):
            raise _Wrong(f'[{position}]: must be "KIND=PATH" with the path of a file, or - (got {_shown(one)})')
        found.append(one if path == "-" else f"{kind}={folder / path}")
    return tuple(found)


def _wrong(rule: str, raw: object) -> _Wrong:
    return _Wrong(f": {rule} (got {_shown(raw)})")


def _shown(raw: object) -> str:
    """Return a value as TOML spells it, cut short; of what holds others, what it is."""
    if isinstance(raw, list):
        return "a list"
    if isinstance(raw, dict):
        return "a table"
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, int) and abs(raw) >= 10**60:
        # Python refuses to spell thousands of digits.
        return "a number of more than 60 digits"
    return f'"{shorten(raw, 60)}"' if isinstance(raw, str) else shorten(str(raw), 60)


def _value(given: object) -> Value | None:
    """Return what a caller holds as the value that is shown: an enum by its value, a list as a tuple."""
    if isinstance(given, Enum):
        given = given.value
    if given is None or isinstance(given, bool | int | str):
        return given
    if isinstance(given, list | tuple):
        return tuple(str(one) for one in given)
    return str(given)


def spelled(value: Value | None) -> str:
    """Return a value as people read it."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return str(value).lower()
    return (", ".join(value) or "none") if isinstance(value, tuple) else str(value)
