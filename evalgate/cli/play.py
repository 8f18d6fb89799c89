"""`evalgate play`: a game staged, started in a browser and played, and its verdict."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalgate.cli._app import app
from evalgate.cli._arguments import Language
from evalgate.cli._output import Format, note, out, refuse
from evalgate.errors import CannotJudgeError
from evalgate.progress import StepProgress
from evalgate.verdict import exit_code

if TYPE_CHECKING:
    from evalgate.play.ports import PortPair

PLAY_EXIT_CODES = """\
\b
Exit codes:
  0    PASS: all nine gates are green
  1    FAIL: a gate is red
  2    N/A: the game cannot be bundled, so there is no verdict
  3    the gate could not judge: bad usage, something that playing needs is
       missing, a port is in use, a broken gatespec.json, the browser failed
  130  interrupted
\b
Examples:
  evalgate play examples/littlejs
  evalgate play my-game --out verdict.json --lang zh
"""

_STEPS = {"stage": "bundling the game", "smoke": "looking whether it starts", "play": "playing it"}
_OUT = Path("evidence", "verdict.json")

Port = Annotated[int | None, typer.Option(min=1, max=65535, metavar="PORT", help="Where the game is served.")]
CdpPort = Annotated[
    int | None, typer.Option(min=1, max=65535, metavar="PORT", help="Where the browser takes its commands.")
]


@app.command(epilog=PLAY_EXIT_CODES)
def play(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The game: gatespec.json and what it names.")],
    port: Port = None,
    cdp_port: CdpPort = None,
    verdict_place: Annotated[
        str | None,
        typer.Option("--out", metavar="VERDICT.json", help="The verdict.  [default: DIR/evidence/verdict.json]"),
    ] = None,
    lang: Annotated[Language, typer.Option(help="The language of the feedback and the reasons.")] = Language.ENGLISH,
    output: Annotated[
        Format, typer.Option("--format", help="Lines to grep, or one JSON object on one line.")
    ] = Format.TEXT,
) -> int:
    """
    Play a game in a real browser, and judge it by nine gates.

    The game is bundled, started, left alone for a while and then played with mouse and keys, so that each gate has
    values that were measured. Both ports come from a pool unless they are given; the browser is Chromium, with a
    profile of its own and without a network.

    Prints what evalgate judge prints for the verdict. DIR/evidence/rounds/ gets the record of the round and a picture.
    """
    if verdict_place == "-":
        raise typer.BadParameter("--out takes the path of a file.")
    for name, value in (("DIR", folder), ("--out", verdict_place)):
        if value == "":
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    if port is not None and port == cdp_port:
        raise typer.BadParameter("--port and --cdp-port must be two ports.")
    try:
        verdict = _played(Path(folder), port, cdp_port, None if verdict_place is None else Path(verdict_place))
    except CannotJudgeError as fault:
        return refuse(fault.faults, output)
    from evalgate.loop import transcript
    from evalgate.loop.judging import examine

    examined = examine(verdict, None, lang.value)
    out(transcript.render_json(examined) if output is Format.JSON else transcript.render(examined))
    return exit_code(examined.verdict, strict=False)


def _played(folder: Path, port: int | None, cdp_port: int | None, place: Path | None) -> dict[str, object]:
    """Play one round and write its verdict. Raises `CannotJudgeError`."""
    from evalgate.play.ports import PortPair
    from evalgate.play.run import play_round
    from evalgate.play.verdict_file import check_place, write_verdict

    if not folder.is_dir():
        raise CannotJudgeError([f"{folder}: there is no such folder"])
    path = folder / _OUT if place is None else place
    check_place(path, folder)
    # The verdict of an older play must not be read as this one's, whatever becomes of this one.
    for one in dict.fromkeys((path, folder / _OUT)):
        if one == path or one.exists():
            write_verdict(one, {})
    given = port is not None and cdp_port is not None
    ports = PortPair(port, cdp_port) if given else _leased(port, cdp_port)  # type: ignore[arg-type]
    with StepProgress(_STEPS) as progress:
        played = play_round(folder, ports, run_id=_run_id(folder), watch=progress)
    write_verdict(path, played.verdict)
    told = f"{played.path}: round {played.round.round}, {played.round.seconds:.1f} s"
    note([told, *played.round.stderr_tail.splitlines()[:20]] if not played.verdict else [told])
    return played.verdict


def _run_id(folder: Path) -> str:
    """Return the name of the game's folder, which may be no text: then another that every file can hold."""
    name = folder.resolve().name
    return name.encode("utf-8", "backslashreplace").decode() if name.strip() else "game"


@contextmanager
def _leased(port: int | None, cdp_port: int | None) -> "Iterator[PortPair]":
    """Lease a pair of ports from the pool, for what was not given."""
    from evalgate.play.ports import PortPair, pool

    with pool().lease() as pair:
        yield PortPair(pair.port if port is None else port, pair.cdp_port if cdp_port is None else cdp_port)
