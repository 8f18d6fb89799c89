"""How far the reading is: for a person at a terminal, after a second, and for nobody else."""

import io
import sys

import pytest

from evalgate.progress import ReadingProgress, StepProgress


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("evalgate.progress.time.monotonic", lambda: now[0])
    return now


def _show(monkeypatch, clock, stream, seconds, label="before/report.json"):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with ReadingProgress() as watch:
        for second in seconds:
            clock[0] = second
            watch(label, int(second * 1_000_000), 10_000_000)
    return stream.getvalue() if stream is not None else ""


def test_a_short_reading_shows_nothing(monkeypatch, clock):
    assert _show(monkeypatch, clock, _Terminal(), [0.1, 0.5, 0.9]) == ""


def test_a_long_reading_shows_bytes_and_total(monkeypatch, clock):
    shown = _show(monkeypatch, clock, _Terminal(), [0.5, 1.5, 2.5, 4.0])
    assert "before/report.json" in shown
    assert "4.0/10.0 MB" in shown


@pytest.mark.parametrize("stream", [io.StringIO(), None], ids=["piped", "closed"])
def test_nothing_is_shown_to_nobody(monkeypatch, clock, stream):
    assert _show(monkeypatch, clock, stream, [1.5, 3.0, 9.0]) == ""


def test_a_hostile_name_is_no_markup_and_no_escape(monkeypatch, clock):
    shown = _show(monkeypatch, clock, _Terminal(), [2.0, 3.0], label="[red]x\x1b[2J")
    assert "[red]x\\x1b[2J" in shown
    assert "\x1b[2J" not in shown


def test_steps_are_shown_to_a_person_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for seen, expected in ((False, ""), (True, "bundling [the] game")):
        monkeypatch.setattr("sys.stderr.isatty", lambda seen=seen: seen)
        with StepProgress({"stage": "bundling [the] game"}) as progress:
            progress("stage")
            progress("a step\x1b[31m without a text")
        told = capsys.readouterr().err
        assert expected in told
        assert bool(told) is seen
        assert "\x1b[31m" not in told
