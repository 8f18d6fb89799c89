"""`evalgate compare`."""

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from evalgate.cli._app import EXIT_CODES, app
from evalgate.cli._arguments import (
    PLACES,
    Config,
    ExpectShards,
    Language,
    MaxTokenIncrease,
    MinTrialRate,
    PassThreshold,
    RewardKey,
    Scorer,
    WhichTrials,
)
from evalgate.cli._output import Format, fenced, note, on_github, out, refuse, say, stdout_is_file, summarise
from evalgate.cli._places import check_output
from evalgate.cli._policy import Policy
from evalgate.cli._reports import load_both
from evalgate.errors import CannotJudgeError, NotComparableError, OutputError
from evalgate.formats.source import REPORT_NAME
from evalgate.gate import GateResult
from evalgate.gate import compare as judge
from evalgate.progress import ReadingProgress
from evalgate.verdict import ExitCode, exit_code

if TYPE_CHECKING:
    from evalgate.formats import Loaded
    from evalgate.render.scene import Scene
    from evalgate.report_file import Writes


class _Command(TyperCommand):
    """The command as its usage should show it: the two places are needed, but for `--show-config`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 typer keeps the class to itself
        """Return the words behind the name of the command."""
        needed = ("[BEFORE]", "[AFTER]")
        return [piece.strip("[]") if piece in needed else piece for piece in super().collect_usage_pieces(ctx)]


@app.command(epilog=EXIT_CODES, cls=_Command)
def compare(
    before: Annotated[
        str | None, typer.Argument(metavar="BEFORE", help=f"The baseline: {PLACES}", show_default=False)
    ] = None,
    after: Annotated[
        str | None, typer.Argument(metavar="AFTER", help=f"The new run: {PLACES}", show_default=False)
    ] = None,
    strict: Annotated[
        bool | None, typer.Option("--strict/--no-strict", help="Let a WARN end in exit code 2.", show_default=False)
    ] = None,
    output: Annotated[
        Format | None, typer.Option("--format", help="Lines to grep, or one JSON object on one line.  [default: text]")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Write the section for people into this file.  [default: report.md beside AFTER]"
        ),
    ] = None,
    no_report: Annotated[
        bool | None, typer.Option("--no-report", help="Write no report.md.", show_default=False)
    ] = None,
    write: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=PATH",
            help="Write json, markdown, junit, ctrf or html as well, - for stdout in place of the lines. Repeatable.",
        ),
    ] = None,
    github: Annotated[
        bool | None,
        typer.Option(
            "--github/--no-github",
            help="Annotations, step summary and outputs for GitHub Actions.  [default: where GITHUB_ACTIONS is true]",
            show_default=False,
        ),
    ] = None,
    lang: Annotated[
        Language | None, typer.Option(help="The language of report.md, markdown, html and the summary.  [default: en]")
    ] = None,
    max_token_increase_pct: MaxTokenIncrease = None,
    min_trial_success_rate: MinTrialRate = None,
    trial_policy: WhichTrials = None,
    allow_mixed: Annotated[
        bool | None,
        typer.Option(
            "--allow-mixed/--no-allow-mixed",
            help="Compare reports of two formats, producers or tasks, as far as it goes.",
            show_default=False,
        ),
    ] = None,
    expect_shards: ExpectShards = None,
    confirm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RERUN", help="A second run of the cases that failed: one that passes in it is flaky, not failing."
        ),
    ] = None,
    rerun_list: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Write the names behind FAIL and WARN here, one a line, to run them again."),
    ] = None,
    scorer: Scorer = None,
    pass_threshold: PassThreshold = None,
    reward_key: RewardKey = None,
    config: Config = None,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print every option, its value and where it comes from, and end.")
    ] = False,
) -> int:
    """
    Judge AFTER against BEFORE.

    Reads reports of dsh-eval-harness, Inspect AI, CTRF, Harbor, promptfoo, JUnit XML, SWE-bench and evalgate loop, told
    apart by their content.

    Prints one line per fact (OVERALL=WARN, FLAKY=2, FLAKY_CASE name), writes a section for people into report.md
    beside AFTER, and ends with the verdict's exit code. The options may stand in a policy file as well.
    """
    if len(confirm or ()) > 1:
        raise typer.BadParameter("--confirm can be given once: one pass among several reruns clears nothing.")
    rerun = confirm[0] if confirm else None
    paths = (("--report", report), ("--confirm", rerun), ("--rerun-list", rerun_list), ("--config", config))
    for name, value in (("BEFORE", before), ("AFTER", after), *paths):
        if value == "":
            raise typer.BadParameter(f"{name} is empty: is a variable not set?")
    if (before, after, rerun).count("-") > 1:
        raise typer.BadParameter("Only one of BEFORE, AFTER and --confirm can be stdin.")
    if report is not None and no_report:
        raise typer.BadParameter("--report and --no-report exclude each other.")
    typed: dict[str, Any] = {
        "strict": strict,
        "format": output,
        # The two say one thing: who types one of them overrules both of a policy file.
        "report": report,
        "no-report": no_report if report is None else False,
        "write": write or None,
        "github": github,
        "lang": lang,
        "max-token-increase-pct": max_token_increase_pct,
        "min-trial-success-rate": min_trial_success_rate,
        "trial-policy": trial_policy,
        "allow-mixed": allow_mixed,
        "expect-shards": expect_shards,
        "rerun-list": rerun_list,
        "scorer": scorer,
        "pass-threshold": pass_threshold,
        "reward-key": reward_key,
    }
    github = github if github is not None else on_github()
    try:
        policy = Policy(typed, config)
    except CannotJudgeError as fault:
        return _refuse(fault.faults, output or Format.TEXT, on_github=github)
    if show_config:
        from evalgate.config import render_text

        out(f"{line}\n" for line in render_text(policy.effective))
        return ExitCode.OK
    if before is None or after is None:
        raise typer.BadParameter(f"{'BEFORE' if before is None else 'AFTER'} is missing.")
    return _Comparison(policy).run(before, after, rerun)


def _refuse(faults: Sequence[str], output: Format, *, on_github: bool) -> ExitCode:
    """Say why nothing was judged, wherever somebody may read it. Nothing is written but to GitHub's own files."""
    code = refuse(faults, output, github=on_github)
    if on_github:
        from evalgate.cli._publish import tell_github

        tell_github(faults, on_stdout=output is Format.TEXT)
    return code


class _Comparison:
    """One run of the command, its options settled."""

    def __init__(self, policy: Policy) -> None:
        """Check what one option alone can get wrong."""
        from evalgate.cli._publish import wanted_of

        self.policy = policy
        self.strict = policy.flag("strict")
        self.format = Format(policy.text("format"))
        self.lang = str(policy.text("lang"))
        self.report = policy.text("report")
        self.no_report = policy.flag("no-report") and self.report is None
        self.rerun_list = policy.text("rerun-list")
        write = policy.values["write"]
        self.wanted = wanted_of(write if isinstance(write, tuple) else ())
        self.on_github = policy.flag("github") if policy.values["github"] is not None else on_github()
        self._check_places()
        for name, place in (("--report", self.report), ("--rerun-list", self.rerun_list)):
            if place == "-" or (place or "").endswith(("/", os.sep)):
                raise typer.BadParameter(f"{name} takes the path of a file.")
        self.options = policy.gate_options()
        self.reading = policy.reading()

    def _check_places(self) -> None:
        """Raise when two outputs have one path: the later would take the place of the earlier."""
        from evalgate.config import OWN_FILE, PROJECT_FILE

        places = [self.report, self.rerun_list, *(one.place for one in self.wanted)]
        paths = [os.path.realpath(place) for place in places if place is not None and place != "-"]
        if len(set(paths)) != len(paths):
            raise typer.BadParameter("two outputs have the same path.")
        for path in paths:
            if os.path.basename(path) in (OWN_FILE, PROJECT_FILE):  # noqa: PTH119
                raise typer.BadParameter(f"{path} is the name of a policy file, and no output.")

    def _check_default(self, run: "Loaded") -> None:
        """Raise when an output that was asked for has the path of the report.md that nobody had to ask for."""
        if self.no_report or self.report is not None or run.folder is None:
            return
        default = os.path.realpath(run.folder / "report.md")
        for place in (self.rerun_list, *(one.place for one in self.wanted)):
            if place is not None and os.path.realpath(place) == default:
                raise OutputError([f"{place}: is where report.md goes: name another path, or pass --no-report"])

    def _check_outputs(self, places: Sequence[str], inputs: Sequence[Path]) -> None:
        """Raise for an output that would be taken for a run, or a part of one, the next time."""
        for output in (self.report, self.rerun_list, *(one.place for one in self.wanted)):
            if output is not None and output != "-":
                check_output(Path(output), places, inputs)

    def run(self, before: str, after: str, confirm: str | None) -> int:
        """Load, judge, write, print."""
        try:
            result = self._judge(before, after, confirm)
        except CannotJudgeError as fault:
            as_json = any(one == ("json", "-") for one in self.wanted)
            return _refuse(fault.faults, Format.JSON if as_json else self.format, on_github=self.on_github)
        if self.on_github:
            self._annotate(result)
        summarise(result, strict=self.strict, lang=self.lang)
        return exit_code(result.verdict, strict=self.strict)

    def _judge(self, before: str, after: str, confirm: str | None) -> GateResult:
        """Return the result, with every output written: in one that is there it is the verdict of this process."""
        from evalgate.cli._publish import publish_to_github, write_all
        from evalgate.formats import load
        from evalgate.render.scene import Scene, Side
        from evalgate.report_file import Writes

        places = [place for place in (before, after, confirm) if place is not None]
        with ExitStack() as stack:
            with ReadingProgress() as progress:
                baseline, run = load_both(before, after, stack, progress, self.reading, self.policy.shards)
                again = None if confirm is None else stack.enter_context(load(confirm, progress, options=self.reading))
            inputs = [path for one in (baseline, run, again) if one is not None for path in one.paths]
            if baseline is None:
                # The next run would take it for the baseline.
                inputs += [Path(before), Path(before) / REPORT_NAME]
            if "-" in places:
                # A file behind it.
                inputs.append(Path("/dev/stdin"))
            self._check_outputs(places, inputs)
            self._check_default(run)
            rerun = None if again is None else again.report
            if again is not None:
                _check_rerun(baseline, run, again)
            result = judge(None if baseline is None else baseline.report, run.report, self.options, rerun)
            side = None if baseline is None else Side(baseline.label, baseline.evidence)
            scene = Scene(result, self.strict, side, Side(run.label, run.evidence), self.lang, self.policy.acting)
            with Writes([*inputs, *self.policy.files]) as writes:
                if self.rerun_list is not None:
                    _write_rerun_list(writes, self.rerun_list, result)
                write_all(writes, self.wanted, scene, lambda: self._json(result))
                # Last, for its place alone need not be writable.
                written = None if self.no_report else _write_report(writes, scene, run, self.report)
                # What can fail comes first: a file in its place would tell of a verdict that stdout could not.
                writes.send()
                out(self._fenced(self._stdout(scene)))
                writes.commit()
            if self.on_github:
                publish_to_github(scene, written)
        return result

    def _json(self, result: GateResult) -> Iterable[str]:
        from evalgate.config import as_json
        from evalgate.render import json as renderer

        return renderer.render(result, strict=self.strict, config=as_json(self.policy.effective))

    def _stdout(self, scene: "Scene") -> Iterable[str]:
        from evalgate.cli._publish import STDOUT, rendered

        asked = [one.kind for one in self.wanted if one.place == STDOUT]
        if asked:
            return rendered(asked[0], scene, lambda: self._json(scene.result))
        if self.format is Format.JSON:
            return self._json(scene.result)
        from evalgate.render import text

        return text.render(scene.result, strict=self.strict, policy=scene.policy)

    def _fenced(self, pieces: Iterable[str]) -> Iterable[str]:
        """
        Return what goes to stdout so that GitHub obeys none of it.

        A JSON document holds no line that it would obey (render/json.py), and must stay one. Another document is fenced
        unless it goes into a file: whether a pipe ends in a program or in the log of the step cannot be told.
        """
        document = next((one.kind for one in self.wanted if one.place == "-"), None)
        as_json = self.format is Format.JSON if document is None else document in ("json", "ctrf")
        if not self.on_github or as_json or (document is not None and stdout_is_file()):
            return pieces
        return fenced(pieces)

    @property
    def _prints_lines(self) -> bool:
        return self.format is Format.TEXT and not any(one.place == "-" for one in self.wanted)

    def _annotate(self, result: GateResult) -> None:
        """Print the annotations, on stderr when stdout holds a document: GitHub reads both."""
        from evalgate.render.github import annotations

        lines = annotations(result, strict=self.strict)
        if self._prints_lines:
            out(lines)
        else:
            say(line.rstrip("\n") for line in lines)


def _check_rerun(baseline: "Loaded | None", run: "Loaded", again: "Loaded") -> None:
    """Raise for a rerun that is none: one of the two reports themselves, or a run from before the run it repeats."""
    from evalgate.formats.instants import instant

    for other, what in ((baseline, "the baseline"), (run, "the run")):
        if other is not None and set(map(os.path.realpath, other.paths)) & set(map(os.path.realpath, again.paths)):
            raise NotComparableError([f"{again.label}: is {what} itself, and confirms nothing"])
    first, second = instant(run.report.started_at), instant(again.report.started_at)
    if first is not None and second is not None and second < first:
        raise NotComparableError([f"{again.label}: began before the run that it should repeat, and confirms nothing"])
    if baseline is not None and _is_copy(baseline, again):
        raise NotComparableError([f"{again.label}: is a copy of the baseline, and confirms nothing"])


def _is_copy(one: "Loaded", other: "Loaded") -> bool:
    """
    Tell whether two reports are of one run, whatever their files are called and however they are packed.

    No two runs take exactly as long. One that says nothing about time is known by its bytes.
    """
    first, second = one.report, other.report
    if first.cases != second.cases:
        return False
    if first.duration_ms or second.duration_ms:
        times = [(one.started_at, one.finished_at, one.duration_ms) for one in (first, second)]
        return times[0] == times[1]
    return bool(one.sources) and [source.read() for source in one.sources] == [
        source.read() for source in other.sources
    ]


def _write_rerun_list(writes: "Writes", place: str, result: GateResult) -> None:
    """Make the list of the cases to run again; a name that is no plain line of text cannot stand in it."""
    from evalgate.render.rerun_list import render

    listed = render(result)
    writes.file(Path(place), [listed.text.encode("utf-8", "surrogatepass")])
    if listed.left_out:
        number = f"{len(listed.left_out)} {'name' if len(listed.left_out) == 1 else 'names'}"
        note([f"{place}: lacks {number} with line breaks or control characters: {listed.left_out[0]}"])


def _write_report(writes: "Writes", scene: "Scene", run: "Loaded", asked: str | None) -> Path | None:
    """Make the file with the section of report.md and return its path; one not asked for need not be writable."""
    from evalgate.render import markdown

    if asked is None and run.folder is None:
        return None
    path = Path(asked) if asked is not None else (run.folder or Path()) / "report.md"
    try:
        writes.section(path, markdown.render(scene))
    except OutputError as fault:
        if asked is not None:
            raise
        note([f"{line}; the verdict stands" for line in fault.faults])
        return None
    return path
