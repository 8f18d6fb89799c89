"""`evalgate accept`: what it must never do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evalgate.__main__ import main
from tests.builders import case, report, write


@pytest.mark.parametrize("link", ["same", "symlink", "hard link"])
def test_a_run_is_never_its_own_baseline(tmp_path, capsys, link):
    """Every failure of it would be one that the baseline has."""
    run = write(tmp_path / "run.json", report(case("a", "fail")))
    target = run if link == "same" else tmp_path / "base.json"
    if link == "symlink":
        target.symlink_to(run)
    elif link == "hard link":
        os.link(run, target)
    before = run.read_bytes()
    assert main(["accept", str(run), "--into", str(target)]) == 3
    assert "is the run itself" in capsys.readouterr().err
    assert run.read_bytes() == before


def test_what_is_no_file_is_not_waited_for(tmp_path, capsys):
    run = write(tmp_path / "run.json", report(case("a")))
    os.mkfifo(tmp_path / "pipe")
    assert main(["accept", str(run), "--into", str(tmp_path / "pipe")]) == 3
    assert "takes the path of a file" in capsys.readouterr().err


def test_a_refused_run_writes_nothing_and_an_accepted_one_is_readable(tmp_path):
    run = write(tmp_path / "run.json", report(case("a"), case("b", "fail")))
    base = write(tmp_path / "base.json", report(case("a"), case("b")))
    before = base.read_bytes()
    assert main(["accept", str(run), "--into", str(base)]) == 1
    assert base.read_bytes() == before
    assert main(["accept", str(run), "--into", str(base), "--keep-known", "--reason", "why"]) == 0
    assert base.read_bytes() != before
    assert main(["compare", str(base), str(run), "--no-report"]) == 1


def _document(path):
    return json.loads(path.read_text())


def test_entries_that_stay_keep_the_dates_and_versions_of_the_baseline(tmp_path):
    """With those of the run a stale entry would look fresh, and a new version would never be told of."""
    old = report(case("a"), case("b"), dshVersion="1", startedAt="2026-01-01T00:00:00.000Z")
    base = write(tmp_path / "base.json", {**old, "finishedAt": "2026-01-01T01:00:00.000Z"})
    new = report(case("a", total_tokens=7), case("b", total_tokens=7), dshVersion="2")
    run = write(tmp_path / "run.json", new)
    assert main(["accept", str(run), "--into", str(base), "--case", "a"]) == 0
    mixed = _document(base)
    assert (mixed["dshVersion"], mixed["startedAt"]) == ("1", "2026-01-01T00:00:00.000Z")
    assert [one["tokens"]["total"] for one in mixed["cases"]] == [7, 100]
    provenance = mixed["acceptedBy"]
    assert (provenance["taken"], provenance["takenCases"], provenance["kept"]) == (1, ["a"], ["b"])
    assert provenance["keptFrom"]["dshVersion"] == "1"
    assert provenance["takenFrom"]["dshVersion"] == "2"
    # Again: the oldest entry still decides, and nothing of how it came to be is lost.
    newer = write(tmp_path / "newer.json", {**new, "dshVersion": "3"})
    assert main(["accept", str(newer), "--into", str(base), "--case", "a"]) == 0
    again = _document(base)
    assert again["dshVersion"] == "1"
    (earlier,) = again["acceptedBy"]["history"]
    assert earlier["sourceSha256"] == provenance["sourceSha256"]
    assert earlier["takenCases"] == ["a"]
    # Nothing stays: then it is as fresh as the run.
    assert main(["accept", str(newer), "--into", str(base)]) == 0
    assert _document(base)["dshVersion"] == "3"
    assert not {"keptFrom", "history"} & set(_document(base)["acceptedBy"])


def test_an_older_run_makes_the_baseline_as_old_as_it_is(tmp_path):
    dated = {"startedAt": "2026-08-20T00:00:00.000Z", "finishedAt": "2026-08-20T01:00:00.000Z"}
    base = write(tmp_path / "base.json", {**report(case("a"), case("b")), **dated})
    dated = {"startedAt": "2026-08-01T00:00:00.000Z", "finishedAt": "2026-08-01T01:00:00.000Z"}
    run = write(tmp_path / "run.json", {**report(case("a")), **dated})
    assert main(["accept", str(run), "--into", str(base), "--case", "a"]) == 0
    assert _document(base)["finishedAt"] == "2026-08-01T01:00:00.000Z"


def test_an_old_entry_that_stays_makes_the_baseline_old(tmp_path, capsys):
    old = report(case("a"), startedAt="2020-01-01T00:00:00.000Z", finishedAt="2020-01-01T00:00:01.000Z")
    base = write(tmp_path / "base.json", old)
    run = write(tmp_path / "run.json", report(case("a", "error"), case("b")))
    assert main(["accept", str(run), "--into", str(base), "--keep-known"]) == 0
    capsys.readouterr()
    assert main(["baseline", "check", str(base), "--max-age", "365", "--strict"]) == 2


def test_conversions_keep_the_revision_of_each_entry(tmp_path):
    """With the run's revisions a case that was kept would look unchanged against the next run."""
    from evalgate.formats.accepted import merged

    def converted(carries, **revisions):
        left = {"carries": carries, "incomplete": [], "notRun": ["z"], "notes": [], "revisions": revisions}
        return {"cases": [{"name": "a", "status": "pass"}, {"name": "b", "status": "pass"}], "convertedFrom": left}

    new = converted(["flaky", "tokens"], a="2", b="2")
    old = converted(["signatures", "tokens"], a="1", b="1", c="1")
    found = merged(new, old, ["a"], ["b"])["convertedFrom"]
    assert found["revisions"] == {"a": "2", "b": "1"}
    assert found["carries"] == ["tokens"]
    assert found["notRun"] == ["z"]


@pytest.mark.parametrize(
    ("into", "written"),
    [
        ("base", "base/report.json"),
        ("base/", "base/report.json"),
        ("deep/er/base/", "deep/er/base/report.json"),
        ("deep/base.json", "deep/base.json"),
        ("v0.3", "v0.3/report.json"),
    ],
)
def test_the_first_baseline_makes_its_folder(tmp_path, monkeypatch, into, written):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "run.json", report(case("a")))
    assert main(["accept", "run.json", "--into", into, "--dry-run"]) == 0
    assert not (tmp_path / written).exists()
    assert main(["accept", "run.json", "--into", into]) == 0
    assert (tmp_path / written).is_file()
    assert main(["compare", into, "run.json"]) == 0


@pytest.mark.parametrize(("name", "magic"), [("base.json.gz", b"\x1f\x8b"), ("base.json.zst", b"\x28\xb5\x2f\xfd")])
def test_a_packed_baseline_stays_packed(tmp_path, name, magic):
    run = write(tmp_path / "run.json", report(case("a")))
    assert main(["accept", str(run), "--into", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(magic)
    assert main(["compare", str(tmp_path / name), str(run), "--no-report"]) == 0
    assert main(["accept", str(run), "--into", str(tmp_path / name), "--case", "a"]) == 0


@pytest.mark.parametrize("name", ["report.json.gz", "mine.json"])
def test_a_folder_is_the_baseline_that_compare_reads_in_it(tmp_path, monkeypatch, name):
    """Report.json beside it would take its place, with nothing held against it."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "run.json", report(case("a"), case("b"), case("c")))
    assert main(["accept", "run.json", "--into", f"base/{name}"]) == 0
    assert main(["accept", "run.json", "--into", "base", "--case", "a"]) == 0
    assert [path.name for path in (tmp_path / "base").iterdir()] == [name]
    write(tmp_path / "bad.json", report(case("a", "fail"), case("b"), case("c")))
    assert main(["accept", "bad.json", "--into", "base"]) == 1


JUNIT = '<testsuite tests="1"><testcase classname="c" name="a"/></testsuite>'


def test_a_folder_that_holds_another_baseline_is_not_buried(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.xml").write_text(JUNIT)
    (tmp_path / "two/2.xml").write_text(JUNIT.replace('"a"', '"b"'))
    write(tmp_path / "run.json", report(case("a")))
    for place in ("one", "two"):
        assert main(["accept", "run.json", "--into", place]) == 3
        assert "convert it" in capsys.readouterr().err
        assert not (tmp_path / place / "report.json").exists()


@pytest.mark.parametrize("place", ["run", "run/*.xml"])
def test_a_baseline_is_not_written_among_the_files_of_its_run(tmp_path, monkeypatch, capsys, place):
    """From then on the folder would mean that file, whatever the next run says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/1.xml").write_text(JUNIT)
    for command in (["accept", place, "--into", "run/report.json"], ["convert", place, "-o", "run/report.json"]):
        assert main(command) == 3
        assert "report.json: " in capsys.readouterr().err
    assert main(["compare", place, place, "--no-report", "--write", "json=run/report.json"]) == 3
    assert not (tmp_path / "run/report.json").exists()


def test_another_suite_does_not_replace_the_baseline(tmp_path, capsys):
    base = write(tmp_path / "base.json", report(case("a"), case("b")))
    before = base.read_bytes()
    run = write(tmp_path / "run.json", report(case("x"), case("y")))
    assert main(["accept", str(run), "--into", str(base)]) == 1
    assert "REASON no case is in both" in capsys.readouterr().out
    assert base.read_bytes() == before


def test_a_baseline_is_not_rewritten_with_nothing_new(tmp_path, capsys):
    base = write(tmp_path / "base.json", report(case("a")))
    before = base.read_bytes()
    run = write(tmp_path / "run.json", report(case("a", "fail")))
    assert main(["accept", str(run), "--into", str(base), "--keep-known"]) == 1
    assert "REASON nothing of the run would be taken" in capsys.readouterr().out
    assert base.read_bytes() == before


@pytest.mark.parametrize("into", ["base.xml", "base.gz", "runs/*.json"])
def test_a_slip_in_the_name_makes_no_folder(tmp_path, monkeypatch, capsys, into):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "run.json", report(case("a")))
    assert main(["accept", "run.json", "--into", into]) == 3
    assert "--into takes" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_acceptances_side_by_side_lose_nothing(tmp_path):
    """Each is in the baseline, or says that it is not: none is lost without a word."""
    names = "abcdef"
    base = write(tmp_path / "base.json", report(*(case(name) for name in names)))
    run = write(tmp_path / "run.json", report(*(case(name, total_tokens=7) for name in names)))
    command = [sys.executable, "-m", "evalgate", "accept", str(run), "--into", str(base), "--case"]
    running = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for name in names]
    said = {name: process.communicate()[0] for name, process in zip(names, running, strict=True)}
    codes = {name: process.returncode for name, process in zip(names, running, strict=True)}
    taken = {one["name"] for one in _document(base)["cases"] if one["tokens"]["total"] == 7}
    assert taken == {name for name, code in codes.items() if code == 0}
    assert taken
    for name in set(names) - taken:
        assert codes[name] == 3
        assert b"was written by somebody else in the meantime" in said[name]


@pytest.mark.parametrize(
    "arguments",
    [
        ["accept", "run/1.json", "--into", "run/report.json"],
        ["accept", "other.json", "--into", "run/report.json"],
        ["accept", "run/?.json", "--into", "run/report.json"],
        ["convert", "run/1.json", "-o", "run/report.json"],
        ["compare", "run/1.json", "run/2.json", "--no-report", "--write", "ctrf=run/report.json"],
        ["compare", "other.json", "run/2.json", "--report", "run/report.json"],
    ],
    ids=" ".join,
)
def test_no_report_is_planted_beside_the_parts_of_a_run(tmp_path, monkeypatch, capsys, arguments):
    """However the run is named: from then on its folder would stand for that file alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    write(tmp_path / "run/1.json", report(case("a")))
    write(tmp_path / "run/2.json", report(case("b", "fail")))
    write(tmp_path / "other.json", report(case("zz")))
    assert main(arguments) == 3
    assert capsys.readouterr().err
    assert not (tmp_path / "run/report.json").exists()


def test_an_entry_without_a_date_makes_the_baseline_one_without(tmp_path, capsys):
    dated = tmp_path / "dated.xml"
    text = (
        '<testsuite tests="1" timestamp="2026-08-01T00:00:00"><testcase classname="c" name="{}" time="1"/></testsuite>'
    )
    dated.write_text(f"<testsuites>{text.format('a')}{text.format('b')}</testsuites>")
    undated = tmp_path / "undated.xml"
    undated.write_text(f"<testsuites>{text.format('a')}</testsuites>".replace(' timestamp="2026-08-01T00:00:00"', ""))
    base = tmp_path / "base.json"
    assert main(["accept", str(dated), "--into", str(base)]) == 0
    assert main(["accept", str(undated), "--into", str(base), "--case", "c::a"]) == 0
    capsys.readouterr()
    assert main(["baseline", "check", str(base), "--max-age", "36500"]) == 0
    out = capsys.readouterr().out
    assert "AGE_DAYS=N/A" in out
    assert "OVERALL=WARN" in out


def test_a_folder_that_may_not_be_entered_is_told_of(tmp_path, monkeypatch, capsys):
    run = write(tmp_path / "run.json", report(case("a")))
    original = Path.stat

    def stat(path, **more):
        if "shut" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return original(path, **more)

    # Root may look everywhere, so a mode would show nothing.
    monkeypatch.setattr(Path, "stat", stat)
    assert main(["accept", str(run), "--into", str(tmp_path / "shut/report.json")]) == 3
    assert capsys.readouterr().out.startswith("ACCEPTED=false\nEXIT_CODE=3\nERROR ")
