"""The outputs that were asked for beside stdout, and what GitHub Actions shows."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from evalgate.cli._output import note
from evalgate.errors import OutputError
from evalgate.render.scene import Scene
from evalgate.report_file import Writes, append_to

KINDS = ("json", "markdown", "junit", "ctrf", "html")
STDOUT = "-"


class Wanted(NamedTuple):
    """One output that was asked for."""

    kind: str
    place: str
    """A path, or `-` for stdout."""


def wanted_of(texts: Sequence[str]) -> tuple[Wanted, ...]:
    """Return what `--write KIND=PATH` asks for; raise for what is no such thing."""
    found = []
    for text in texts:
        kind, equals, place = text.partition("=")
        if not equals or not place:
            raise typer.BadParameter(f"--write: {text!r} is not of the form KIND=PATH.")
        if kind not in KINDS:
            raise typer.BadParameter(f"--write: {kind!r} is no kind of output; there are {', '.join(KINDS)}.")
        if place.endswith(("/", os.sep)):
            raise typer.BadParameter(f"--write {kind}: takes the path of a file.")
        found.append(Wanted(kind, place))
    if sum(one.place == STDOUT for one in found) > 1:
        raise typer.BadParameter("--write: only one output can go to stdout.")
    places = [os.path.realpath(one.place) for one in found if one.place != STDOUT]
    if len(set(places)) != len(places):
        raise typer.BadParameter("--write: two outputs have the same path.")
    return tuple(found)


def rendered(kind: str, scene: Scene, as_json: Callable[[], Iterable[str]]) -> Iterable[str]:
    """Return one kind of output in pieces."""
    match kind:
        case "json":
            return as_json()
        case "markdown":
            from evalgate.render import markdown

            return (f"{markdown.render(scene)}\n",)
        case "junit":
            from evalgate.render import junit

            return junit.render(scene)
        case "ctrf":
            from evalgate.render import ctrf

            return ctrf.render(scene)
    from evalgate.render import html

    return (html.render(scene),)


def write_all(writes: Writes, wanted: Sequence[Wanted], scene: Scene, as_json: Callable[[], Iterable[str]]) -> None:
    """Make the outputs that go to files; raise `OutputError` for one that cannot be written, as it was asked for."""
    for one in wanted:
        if one.place != STDOUT:
            pieces = (piece.encode("utf-8", "backslashreplace") for piece in rendered(one.kind, scene, as_json))
            writes.file(Path(one.place), pieces)


def publish_to_github(scene: Scene, report: Path | None) -> None:
    """Append to the step summary and set the step's outputs; what cannot be written is a note, the verdict stands."""
    from evalgate.render import github, markdown

    values = github.outputs(scene.result, strict=scene.strict, report=None if report is None else str(report))
    _append_on_github(lambda: markdown.render(scene), values)


def tell_github(faults: Sequence[str], *, on_stdout: bool) -> None:
    """Say that nothing was judged: an annotation, the step summary, and the outputs of the step."""
    from evalgate.cli._output import out, say
    from evalgate.render import github

    line = github.error_annotation(faults)
    if on_stdout:
        out([f"{line}\n"])
    else:
        say([line])
    _append_on_github(lambda: github.error_summary(faults), github.error_outputs())


def _append_on_github(section: Callable[[], str], values: Mapping[str, str]) -> None:
    """Append a section to the step summary and set outputs of the step, where the runner says where they are."""
    import secrets

    from evalgate.render import github

    summary, output = os.environ.get("GITHUB_STEP_SUMMARY"), os.environ.get("GITHUB_OUTPUT")
    try:
        if summary:
            path = Path(summary)
            size = path.stat().st_size if path.exists() else 0
            text = github.step_summary(section(), github.SUMMARY_LIMIT - size)
            if not text:
                note([f"{summary}: has no room left for the section of evalgate"])
            append_to(path, text.encode("utf-8", "backslashreplace"))
    except (OutputError, OSError) as fault:
        _note_that_stands(fault)
    try:
        if output:
            append_to(
                Path(output),
                github.encode_outputs(values, f"evalgate_{secrets.token_hex(16)}").encode("utf-8", "backslashreplace"),
            )
    except (OutputError, OSError) as fault:
        _note_that_stands(fault)


def _note_that_stands(fault: Exception) -> None:
    lines = fault.faults if isinstance(fault, OutputError) else [str(fault)]
    note([f"{line}; the verdict stands" for line in lines])
