"""The outputs of one comparison belong together: all are written, or none, and none becomes a part of a run."""

import json
import os

import pytest

from evalgate.__main__ import main
from tests.builders import case, report, write


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "before.json", report(case("a"), case("b")))
    write(tmp_path / "after.json", report(case("a", "fail"), case("b")))
    return tmp_path


def _names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "bad", ["html=nowhere/page.html", "html=before.json", "html=folder", "html=before.json/page.html"]
)
def test_one_that_cannot_be_written_keeps_the_others_as_they_were(folder, capsys, bad):
    (folder / "folder").mkdir()
    (folder / "report.md").write_text("mine\n")
    (folder / "gate.xml").write_text("old")
    names = _names(folder)
    arguments = ["--rerun-list", "again.txt", "--write", "junit=gate.xml", "--write", bad, "--write", "json=x.json"]
    assert main(["compare", "before.json", "after.json", *arguments]) == 3
    assert "cannot be written" in capsys.readouterr().err
    assert _names(folder) == names
    assert (folder / "gate.xml").read_text() == "old"
    assert (folder / "report.md").read_text() == "mine\n"


def test_a_missing_folder_is_told_of(folder, capsys):
    assert main(["compare", "before.json", "after.json", "--write", "junit=out/gate.xml"]) == 3
    out, err = capsys.readouterr()
    assert "out/gate.xml: cannot be written: its folder is not there: make it first" in err
    assert out.startswith("OVERALL=ERROR\n")


@pytest.mark.parametrize("place", ["run", "run/*.xml", "run/g*.xml", "*/g[au]*.xml", "**/*.xml", "./run/*"])
def test_an_output_that_the_next_run_would_take_for_a_part_is_refused_at_once(folder, capsys, place):
    (folder / "run").mkdir()
    text = '<testsuite tests="1"><testcase classname="c" name="a"/></testsuite>'
    (folder / "run/1.xml").write_text(text)
    (folder / "run/gun.xml").write_text(text.replace('"a"', '"b"'))
    assert main(["compare", "before.json", place, "--write", "junit=run/gate.xml"]) == 3
    assert f"would be read as a part of the run {place} the next time" in capsys.readouterr().err
    assert not (folder / "run/gate.xml").exists()


def test_an_output_that_would_be_the_missing_baseline_is_refused(folder, capsys):
    (folder / "run").mkdir()
    assert main(["compare", "*/gate.json", "after.json", "--write", "json=run/gate.json"]) == 3
    assert "would be read as a part of the run */gate.json the next time" in capsys.readouterr().err
    assert not (folder / "run/gate.json").exists()


@pytest.mark.parametrize("place", ["run/*.xml", "run"])
def test_an_output_that_it_would_not_take_is_written(folder, place):
    (folder / "run").mkdir()
    (folder / "run/out").mkdir()
    (folder / "run/1.xml").write_text('<testsuite tests="1"><testcase classname="c" name="a"/></testsuite>')
    for _ in range(2):
        arguments = ["--allow-mixed", "--write", "junit=run/out/gate.xml", "--write", "markdown=run/gate.md"]
        assert main(["compare", place, place, *arguments]) == 0
    assert (folder / "run/out/gate.xml").exists()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("gone.json", "is one of the files that are read"),
        ("base/report.json", "would be read as a part of the run base the next time"),
    ],
)
def test_nothing_is_written_where_the_baseline_is_missing(folder, capsys, output, said):
    """The next run would take it for the baseline."""
    (folder / "base").mkdir()
    place = output.partition("/")[0]
    assert main(["compare", place, "after.json", "--write", f"json={output}"]) == 3
    assert said in capsys.readouterr().err
    assert not (folder / output).exists()


def test_a_rerun_list_is_a_file_of_plain_lines(folder, capsys):
    write(folder / "before.json", report(case("a")))
    write(folder / "after.json", report(case("a", "fail"), case("\x1b[31mred", "fail"), case("x\ny", "fail")))
    assert main(["compare", "before.json", "after.json", "--rerun-list", "again.txt"]) == 1
    assert (folder / "again.txt").read_text() == "a\n"
    err = capsys.readouterr().err
    assert "again.txt: lacks 2 names with line breaks or control characters: \\x1b[31mred" in err
    assert main(["compare", "before.json", "after.json", "--rerun-list", "-"]) == 3
    assert "--rerun-list takes the path of a file" in capsys.readouterr().err
    assert not (folder / "-").exists()


@pytest.mark.skipif(not os.path.lexists("/dev/stdout"), reason="needs /dev/stdout")
def test_a_pipe_behind_dev_stdout_is_written_to(folder):
    import subprocess
    import sys

    command = [sys.executable, "-m", "evalgate", "compare", "before.json", "after.json", "--write", "json=/dev/stdout"]
    done = subprocess.run(command, capture_output=True, cwd=folder, check=False)
    assert done.returncode == 1
    first, second = done.stdout.decode().split("\n", 1)
    assert json.loads(first)["verdict"] == "FAIL"
    assert second.startswith("OVERALL=FAIL\n")


class TestGitHub:
    """What a step sees when the gate could not judge."""

    @pytest.fixture
    def step(self, folder, monkeypatch):
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("GITHUB_OUTPUT", str(folder / "outputs"))
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary"))
        return folder

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["before.json", "nowhere"], "could not judge: nowhere: no such file"),
            (["before.json", "after.json", "--config", "no.toml"], "no.toml: cannot be read"),
            (["before.json", "after.json", "--nonsense"], "No such option"),
            (["before.json", "after.json", "--write", "nonsense"], "is not of the form KIND=PATH"),
            (["before.json", "after.json", "--write", "json=a/b"], "its folder is not there"),
            (["before.json", "after.json", "--format", "json", "--report", "a/b"], "its folder is not there"),
        ],
    )
    def test_a_step_that_could_not_judge_says_so(self, step, capsys, arguments, said):
        assert main(["compare", *arguments]) == 3
        out, err = capsys.readouterr()
        lines = [line for line in (out + err).splitlines() if line.startswith("::error")]
        assert len(lines) == 1
        assert said in lines[0]
        outputs = (step / "outputs").read_text()
        assert "\nERROR\n" in outputs
        assert "\n3\n" in outputs
        assert said.removeprefix("could not judge: ") in (step / "summary").read_text()

    def test_json_stays_json(self, step, capsys):
        assert main(["compare", "before.json", "nowhere", "--format", "json"]) == 3
        assert json.loads(capsys.readouterr().out)["verdict"] == "ERROR"

    @pytest.mark.parametrize("kind", ["markdown", "junit", "html"])
    def test_a_document_in_the_log_is_fenced(self, step, capsys, kind):
        """A stderr holds any line, `::error::` too."""
        write(step / "after.json", report(case("a", "error", stderr="x\n::set-output name=a::b\n::stop-commands::c")))
        assert main(["compare", "before.json", "after.json", "--write", f"{kind}=-"]) == 1
        lines = capsys.readouterr().out.splitlines()
        opened, token, closed = lines[0], lines[0].removeprefix("::stop-commands::"), lines[-1]
        assert (opened, closed) == (f"::stop-commands::{token}", f"::{token}::")
        assert len(token) == 32

    @pytest.mark.parametrize("kind", ["json", "ctrf"])
    def test_a_json_document_holds_no_command(self, step, capsys, kind):
        write(step / "after.json", report(case("##[stop-commands]x", "fail"), case("::error::x", "fail")))
        assert main(["compare", "before.json", "after.json", "--write", f"{kind}=-"]) == 1
        out = capsys.readouterr().out
        assert "##[" not in out
        assert not any(line.lstrip().startswith("::") for line in out.splitlines())
        assert json.loads(out)


@pytest.mark.parametrize("name", ["evalgate.toml", "pyproject.toml"])
def test_no_output_is_the_policy_of_the_next_run(folder, capsys, name):
    """A list of names is TOML if somebody names the cases so."""
    assert main(["compare", "before.json", "after.json", "--rerun-list", name]) == 3
    assert "is the name of a policy file" in capsys.readouterr().err
    assert not (folder / name).exists()


def test_a_summary_that_cannot_be_written_keeps_the_outputs_of_the_step(folder, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_OUTPUT", str(folder / "outputs"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "nowhere/summary"))
    assert main(["compare", "before.json", "after.json"]) == 1
    assert "\nFAIL\n" in (folder / "outputs").read_text()
    assert "the verdict stands" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["copy", "gzip", "folder"])
def test_a_copy_of_the_baseline_confirms_nothing(tmp_path, monkeypatch, capsys, how):
    """JUnit often says no date, so that it is not older than the run."""
    import gzip

    monkeypatch.chdir(tmp_path)
    text = '<testsuite tests="1"><testcase classname="c" name="a" time="1.25"/></testsuite>'
    (tmp_path / "before.xml").write_text(text)
    (tmp_path / "after.xml").write_text(text.replace("/></", "><failure/></testcase></").replace("1.25", "2.5"))
    again = {"copy": "copy.xml", "gzip": "copy.xml.gz", "folder": "copy"}[how]
    if how == "folder":
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy/1.xml").write_text(text)
    else:
        (tmp_path / again).write_bytes(gzip.compress(text.encode()) if how == "gzip" else text.encode())
    assert main(["compare", "before.xml", "after.xml", "--no-report", "--confirm", again]) == 3
    assert "is a copy of the baseline, and confirms nothing" in capsys.readouterr().err
    (tmp_path / "again.xml").write_text(text.replace("1.25", "1.5"))
    assert main(["compare", "before.xml", "after.xml", "--no-report", "--confirm", "again.xml"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["judge", "##[group]x"],
        ["judge", "bad.json"],
        ["play", "##[group]x"],
        ["baseline", "check", "##[group]x"],
        ["accept", "##[group]x", "--into", "b.json"],
        ["compare", "##[group]x", "##[group]y"],
        ["explain", "hostile.json", "##[group]x"],
        ["convert", "hostile.json", "-o", "-"],
        ["baseline", "check", "hostile.json", "--format", "json"],
        ["accept", "hostile.json", "--into", "new.json"],
    ],
    ids=" ".join,
)
def test_no_command_prints_what_github_obeys(folder, monkeypatch, capsys, arguments):
    """Between fences it is not obeyed; outside of them none may stand."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write(folder / "hostile.json", report(case("##[group]x", "fail", failures=["##[group]x", "::error::x"])))
    (folder / "bad.json").write_text('{"pass": ##[group]x')
    main(arguments)
    out, err = capsys.readouterr()
    token = None
    for line in [*out.splitlines(), *err.splitlines()]:
        if token is not None:
            token = None if line == f"::{token}::" else token
            continue
        if line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
            continue
        assert "##[" not in line
        assert not line.lstrip().startswith("::") or line.startswith("::error title=evalgate::")
    assert token is None
