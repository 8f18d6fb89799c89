"""
Bad usage and help: exit code, channel and our own words.

Not byte for byte as the transcripts: the layout and half of the wording are typer's, and change with its versions.
"""

import pytest

from evalgate.__main__ import main
from evalgate.signals import SIGNALS

OPTIONS = (
    "--strict",
    "--format",
    "--report",
    "--no-report",
    "--max-token-increase-pct",
    "--min-trial-success-rate",
    "--help",
)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "Usage: evalgate"),
        (["frobnicate"], "frobnicate"),
        (["--bogus"], "--bogus"),
        (["compare"], "BEFORE"),
        (["compare", "before.json"], "AFTER"),
        (["compare", "before.json", "after.json", "third.json"], "third.json"),
        (["compare", "before.json", "after.json", "--bogus"], "--bogus"),
        (["compare", "before.json", "after.json", "--strict=maybe"], "--strict"),
        (["compare", "before.json", "after.json", "--format", "xml"], "xml"),
        (["compare", "before.json", "after.json", "--report"], "--report"),
        (["compare", "-", "-"], "Only one of BEFORE, AFTER and --confirm can be stdin"),
        (["compare", "", "after.json"], "BEFORE is empty: is a variable not set?"),
        (["compare", "before.json", ""], "AFTER is empty: is a variable not set?"),
        (["compare", "before.json", "after.json", "--report", ""], "--report is empty: is a variable not set?"),
        (
            ["compare", "before.json", "after.json", "--report", "notes.md", "--no-report"],
            "--report and --no-report exclude each other",
        ),
        (["compare", "b", "a", "--max-token-increase-pct"], "--max-token-increase-pct"),
        (["compare", "b", "a", "--max-token-increase-pct", "lots"], "--max-token-increase-pct: 'lots' is not a number"),
        (["compare", "b", "a", "--max-token-increase-pct", ""], "--max-token-increase-pct: '' is not a number"),
        (["compare", "b", "a", "--max-token-increase-pct", "nan"], "'nan' is not a number"),
        (["compare", "b", "a", "--max-token-increase-pct", "inf"], "'inf' is not a number"),
        (["compare", "b", "a", "--max-token-increase-pct", "-1"], "--max-token-increase-pct must be 0 (off) or more"),
        (["compare", "b", "a", "--min-trial-success-rate", "2"], "--min-trial-success-rate must lie between 0 and 1"),
        (
            ["compare", "b", "a", "--min-trial-success-rate", "-0.1"],
            "--min-trial-success-rate must lie between 0 and 1",
        ),
        (["compare", "b", "a", "--min-trial-success-rate", "80%"], "--min-trial-success-rate: '80%' is not a number"),
        (["signals", "gibberish"], 'there is no rule "gibberish". `evalgate signals` lists them'),
        (["signals", "flakey"], 'there is no rule "flakey". Did you mean FLAKY?'),
        (["signature", ""], "FILE is empty: is a variable not set?"),
        (["judge"], "VERDICT"),
        (["judge", ""], "VERDICT is empty: is a variable not set?"),
        (["judge", "v.json", "--gates", ""], "--gates is empty: is a variable not set?"),
        (["judge", "v.json", "w.json"], "w.json"),
        (["judge", "v.json", "--lang", "fr"], "--lang"),
        (["judge", "v.json", "--format", "xml"], "xml"),
        (["judge", "v.json", "--strict"], "--strict"),
        (["schema"], "report"),
        (["schema", "nonsense"], "nonsense"),
    ],
    ids=lambda value: " ".join(value) or "nothing" if isinstance(value, list) else "",
)
def test_bad_usage_is_no_verdict(argv, said, tmp_path, monkeypatch, capsysbinary):
    """A typo in a pipeline ends in 3 with the usage text on stderr; stdout stays empty and nothing is written."""
    monkeypatch.chdir(tmp_path)

    code = main(argv)

    out, err = capsysbinary.readouterr()
    assert code == 3
    assert out == b""
    assert said in err.decode()
    assert "Usage: evalgate" in err.decode()
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ask", ["-h", "--help"])
def test_help_of_compare(ask, capsysbinary):
    """Whoever reads the help learns every option and what every exit code means."""
    assert main(["compare", ask]) == 0
    out, err = capsysbinary.readouterr()
    assert err == b""
    text = out.decode()
    for option in OPTIONS:
        assert option in text
    for code in (
        "0    PASS, or WARN without --strict",
        "1    FAIL",
        "2    WARN with --strict, or N/A",
        "3    ",
        "130  ",
    ):
        assert code in text
    assert "BEFORE" in text
    assert "AFTER" in text


def test_help_of_judge(capsysbinary):
    """The exit codes are those of `compare`, and what is none (N/A) is told from what could not be read."""
    assert main(["judge", "--help"]) == 0
    text = capsysbinary.readouterr()[0].decode()
    for said in ("--gates", "--lang", "--format", "0    PASS", "1    FAIL", "2    N/A", "3    ", "Examples:"):
        assert said in text


def test_help_of_the_command(capsysbinary):
    assert main(["--help"]) == 0
    out, err = capsysbinary.readouterr()
    assert err == b""
    for command in ("compare", "judge", "signature", "schema", "signals", "--version"):
        assert command in out.decode()


@pytest.mark.parametrize("command", ["judge", "signature", "schema", "signals"])
def test_help_of_each_other_command(command, capsysbinary):
    assert main([command, "--help"]) == 0
    out, err = capsysbinary.readouterr()
    assert err == b""
    assert f"Usage: evalgate {command}" in out.decode()
    assert "Exit codes:" in out.decode()


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.key)
def test_a_rule_answers_to_all_its_names(signal, capsysbinary):
    """The key of the summary line, the JSON field, the anchor and the word of the detail line lead to one page."""
    pages = set()
    for name in signal.names:
        for spelling in (name, name.lower(), name.upper()):
            assert main(["signals", spelling]) == 0
            out, err = capsysbinary.readouterr()
            assert err == b""
            pages.add(out)
    (page,) = pages
    assert page.decode().startswith(f"## {signal.page.title}\n")
    assert page.endswith(b"\n")
