"""The policy file in every command that reads and judges: none of them goes by other rules than `compare`."""

import json

import pytest

from evalgate.__main__ import main
from tests.builders import case, report, write


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _trials(name, trials, passes):
    fields = {"trials": trials, "passes": passes, "k": 1}
    share = passes / trials
    return case(
        name,
        "pass" if passes else "fail",
        reliability={**fields, "successRate": share, "passAtK": share, "passPowK": share},
    )


def test_accept_judges_by_the_trial_policy(folder, capsys):
    """By `all` a case of which one trial failed does not pass, so it must not become a baseline."""
    write(folder / "run.json", report(_trials("a", 10, 9)))
    assert main(["accept", "run.json", "--into", "first.json"]) == 0
    (folder / "evalgate.toml").write_text('trial-policy = "all"\n')
    assert main(["accept", "run.json", "--into", "second.json"]) == 1
    assert "REFUSED_CASE a: is new and fails" in capsys.readouterr().out
    assert not (folder / "second.json").exists()
    assert main(["accept", "run.json", "--into", "third.json", "--trial-policy", "any"]) == 0


def test_accept_takes_the_number_of_shards_from_it(folder, capsys):
    (folder / "run").mkdir()
    write(folder / "run/1.json", report(case("a")))
    (folder / "evalgate.toml").write_text("expect-shards = 2\n")
    assert main(["accept", "run", "--into", "base.json"]) == 3
    out, err = capsys.readouterr()
    assert "must be a run of 2 files (found 1)" in err
    assert out.startswith("ACCEPTED=false\nEXIT_CODE=3\nERROR run: must be a run of 2 files")


def test_accept_writes_down_by_which_policy(folder):
    write(folder / "run.json", report(case("a")))
    (folder / "evalgate.toml").write_text("max-token-increase-pct = 0\n")
    assert main(["accept", "run.json", "--into", "base.json"]) == 0
    provenance = json.loads((folder / "base.json").read_text())["acceptedBy"]
    assert provenance["policy"] == ["evalgate.toml", "max-token-increase-pct = 0"]


def test_explain_shows_the_thresholds_of_the_policy(folder, capsys):
    write(folder / "before.json", report(case("a", total_tokens=100)))
    write(folder / "after.json", report(case("a", total_tokens=140)))
    (folder / "evalgate.toml").write_text("max-token-increase-pct = 30\n")
    assert main(["explain", "after.json", "a", "--before", "before.json"]) == 0
    assert "WARN  Token regressions: a: total 100 -> 140" in capsys.readouterr().out
    assert main(["explain", "after.json", "a", "--before", "before.json", "--max-token-increase-pct", "60"]) == 0
    assert "60% is allowed" in capsys.readouterr().out


def test_baseline_check_goes_by_it(folder, capsys):
    write(folder / "base.json", report(_trials("a", 10, 9)))
    assert main(["baseline", "check", "base.json"]) == 0
    (folder / "evalgate.toml").write_text('trial-policy = "all"\nstrict = true\n')
    capsys.readouterr()
    assert main(["baseline", "check", "base.json"]) == 2
    out = capsys.readouterr().out
    assert "FAILING_CASE a\n" in out
    assert "POLICY=evalgate.toml: strict = true, trial-policy = all\n" in out
    assert main(["baseline", "check", "base.json", "--no-strict"]) == 0


@pytest.mark.parametrize("command", [["explain", "r.json", "a"], ["accept", "r.json", "--into", "b.json"]])
def test_a_policy_that_cannot_be_read_ends_every_command(folder, capsys, command):
    write(folder / "r.json", report(case("a")))
    (folder / "evalgate.toml").write_text("stric = true\n")
    assert main(command) == 3
    assert "did you mean strict?" in capsys.readouterr().err
    assert not (folder / "b.json").exists()


def test_a_policy_that_makes_the_gate_milder_says_so(folder, capsys):
    write(folder / "before.json", report(case("a", total_tokens=100)))
    write(folder / "after.json", report(case("a", total_tokens=1000)))
    assert main(["compare", "before.json", "after.json"]) == 0
    assert "POLICY" not in capsys.readouterr().out
    (folder / "evalgate.toml").write_text("max-token-increase-pct = 0\n")
    for lang, said in (("en", "Set by the policy file"), ("zh", "由策略文件")):
        assert main(["compare", "before.json", "after.json", "--lang", lang, "--write", "html=page.html"]) == 0
        assert "\nPOLICY=evalgate.toml: max-token-increase-pct = 0\n" in capsys.readouterr().out
        for page in ("report.md", "page.html"):
            text = (folder / page).read_text()
            assert said in text
            assert "max-token-increase-pct = 0" in text
    assert main(["compare", "before.json", "after.json", "--max-token-increase-pct", "50"]) == 0
    # Overruled, or empty in front of another one: it is said all the same.
    assert "\nPOLICY=evalgate.toml: decides nothing here\n" in capsys.readouterr().out


def test_the_policy_file_is_never_an_output(folder, capsys):
    write(folder / "before.json", report(case("a")))
    write(folder / "after.json", report(case("a")))
    (folder / "mine.toml").write_text("strict = true\n")
    for option in (["--write", "json=mine.toml"], ["--rerun-list", "mine.toml"], ["--report", "mine.toml"]):
        assert main(["compare", "before.json", "after.json", "--config", "mine.toml", *option]) == 3
        assert "is one of the files that are read" in capsys.readouterr().err
    assert (folder / "mine.toml").read_text() == "strict = true\n"


def test_the_policy_can_be_shown_without_a_run(folder, capsys):
    assert main(["compare", "--show-config"]) == 0
    assert capsys.readouterr().out.startswith("strict = false  (default)\n")
    assert main(["compare", "before.json"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "Usage: evalgate compare [OPTIONS] BEFORE AFTER" in err
    assert "AFTER is missing" in err


def test_a_conversion_is_read_by_the_policy(folder, capsys):
    """Else comparing two conversions would not come to what comparing their originals does."""
    from tests.formats_help import SAMPLES

    log = next((SAMPLES / "inspect").glob("*.json"))
    (folder / "evalgate.toml").write_text('scorer = "nobody"\n')
    assert main(["convert", str(log), "-o", "out.json"]) == 3
    said = capsys.readouterr().err
    assert main(["compare", str(log), str(log), "--no-report"]) == 3
    assert said.strip() in capsys.readouterr().err
    assert not (folder / "out.json").exists()
