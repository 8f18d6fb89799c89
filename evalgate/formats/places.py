"""
What a place on the command line stands for: one report, or the files of one run.

A file, a folder that holds report.json, a folder that is a report (a Harbor job), a folder or a glob pattern of reports
of one run, `-` for stdin. Names say here which files of a folder are looked at, never what they are.
"""

import glob
import os
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from evalgate.errors import MissingReportError, ReportError
from evalgate.formats.source import REPORT_NAME, STDIN

_ENDINGS = (".json", ".xml", ".eval", ".json.gz", ".json.zst", ".xml.gz", ".xml.zst")


class Places(NamedTuple):
    """The reports that one place stands for."""

    paths: tuple[str | Path, ...]
    """Each a file, `-`, or a folder that is a report as a whole."""
    folder: Path | None
    """Where report.md goes; None for stdin."""
    several: bool
    """Whether they are parts of one run, even if there is but one: then they are counted as shards."""


def places(place: str | os.PathLike[str]) -> Places:
    """
    Return what a place stands for.

    Raises `MissingReportError` when there is nothing there, `ReportError` when it is not clear what is meant.
    """
    name = os.fspath(place)
    if name == STDIN:
        return Places((STDIN,), None, several=False)
    path = Path(name)
    try:
        if path.is_dir():
            return _in_folder(path)
        # A file whose name holds a bracket is that file: Linux allows any name.
        if glob.has_magic(name) and not os.path.lexists(path):
            return _matching(name)
    except ValueError:
        # A name that no file can have: to open it says so.
        pass
    except OSError as fault:
        raise ReportError([f"{path}: cannot be read ({fault.strerror or fault})"]) from fault
    return Places((path,), path.parent, several=False)


def _in_folder(folder: Path) -> Places:
    if (folder / REPORT_NAME).exists():
        return Places((folder / REPORT_NAME,), folder, several=False)
    if _is_report(folder):
        return Places((folder,), folder, several=False)
    names = sorted(
        entry.name for entry in os.scandir(folder) if entry.name.endswith(_ENDINGS) and entry.name[:1] != "."
    )
    odd = [name for name in names if not (folder / name).is_file()]
    if odd:
        raise ReportError([f"{folder / odd[0]}: is no regular file: name the reports, or a glob pattern"])
    if not names:
        raise MissingReportError([f"{folder / REPORT_NAME}: no such file"])
    kinds = {name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[2] for name in names}
    if len(kinds) > 1:
        shown = ", ".join(names[:5])
        raise ReportError([f"{folder}: holds files of several kinds ({shown}): name the report, or a glob pattern"])
    return Places(tuple(folder / name for name in names), folder, several=True)


def would_take(place: str, output: Path) -> bool:
    """
    Tell whether a file, once it is written, is one of those that a place stands for: a folder or a pattern of parts.

    So it is with report.json beside the files of a run: from then on it alone is what the folder stands for.
    """
    path = Path(os.path.realpath(output))
    try:
        if Path(place).is_dir():
            return _is_part_of(path, Path(place))
        return glob.has_magic(place) and not os.path.lexists(place) and _is_match(path, place)
    except (OSError, ValueError):
        # To read it says what is wrong.
        return False


def _is_part_of(path: Path, folder: Path) -> bool:
    if (folder / REPORT_NAME).exists() or path.parent != folder.resolve():
        return False
    is_part = path.name.endswith(_ENDINGS) and path.name[:1] != "." and not _is_report(folder)
    return path.name == REPORT_NAME or is_part


def _is_match(path: Path, pattern: str) -> bool:
    # As far as there is no pattern, it is a folder like any other, links and all.
    parts = Path(pattern).parts
    first = next(number for number, part in enumerate(parts) if glob.has_magic(part))
    folder, rest = Path(*parts[:first]).resolve(), parts[first:]
    if path.name == REPORT_NAME:
        matches = (Path(one).resolve() for one in glob.iglob(pattern, recursive=True))  # noqa: PTH207
        if any(path.parent in (one, one.parent) for one in matches):
            return True
    if not path.is_relative_to(folder):
        return False
    found = path.relative_to(folder).parts
    # A pattern may match the folder of a report, too.
    return _fits(found, rest) or (path.name == REPORT_NAME and _fits(found[:-1], rest))


def would_bury(output: Path) -> bool:
    """Tell whether a new report.json would take the place of what its folder stands for now."""
    if output.name != REPORT_NAME or os.path.lexists(output):
        return False
    try:
        return output.parent.is_dir() and bool(places(output.parent).paths)
    except MissingReportError:
        return False
    except ReportError:
        # It holds reports of several kinds, or something that cannot be read.
        return True


def _fits(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether `glob` would find a path by a pattern; `**` stands for any number of folders."""
    if not path or not pattern:
        return not path and not pattern
    if pattern[0] == "**":
        return _fits(path, pattern[1:]) or _fits(path[1:], pattern)
    return fnmatch(path[0], pattern[0]) and _fits(path[1:], pattern[1:])


def _is_report(folder: Path) -> bool:
    from evalgate.formats.content import Content
    from evalgate.formats.registry import format_of

    return format_of(Content(str(folder), folder=folder)) is not None


def _matching(pattern: str) -> Places:
    # Path.glob takes no absolute pattern.
    paths = sorted(Path(name) for name in glob.glob(pattern, recursive=True))  # noqa: PTH207
    if not paths:
        raise MissingReportError([f"{pattern}: no file matches"])
    return Places(tuple(map(_report_at, paths)), paths[0].parent, several=True)


def _report_at(path: Path) -> Path:
    """Return the report that a match stands for: itself, or the one in the folder."""
    if not path.is_dir():
        return path
    inside: Sequence[str | Path] = _in_folder(path).paths
    if len(inside) != 1:
        raise ReportError([f"{path}: holds {len(inside)} files: a pattern may match files, or folders of one report"])
    return Path(inside[0])
