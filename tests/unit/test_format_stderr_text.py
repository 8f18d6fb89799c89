"""The stderr of a process, cut as the harness cuts it."""

import io
import sys
from types import SimpleNamespace

import pytest

from evalgate.errors import CannotJudgeError
from evalgate.formats.stderr_text import KEPT, read_stderr


@pytest.mark.parametrize(
    ("data", "text", "shortened"),
    [
        (b"", "", False),
        (b"boom\n", "boom", False),
        (b" \n boom \n\n", "boom", False),
        ("é".encode(), "é", False),
        (b"\xff\xfe", "\ufffd\ufffd", False),
        (b"x" * KEPT, "x" * KEPT, False),
        (b"a" + b"x" * KEPT, "x" * KEPT, True),
        ("é".encode() * (KEPT + 1), "é" * KEPT, True),
        # Two UTF-16 units each: the cut may go through the middle of one.
        ("\U0001f600".encode() * (KEPT // 2), "\U0001f600" * (KEPT // 2), False),
        (("\U0001f600" * (KEPT // 2) + "x").encode(), "\ude00" + "\U0001f600" * (KEPT // 2 - 1) + "x", True),
        (b"a" + b" " * (KEPT - 1) + b"b", "b", True),
    ],
)
def test_read_stderr(tmp_path, data, text, shortened):
    path = tmp_path / "stderr.txt"
    path.write_bytes(data)
    assert read_stderr(path) == (text, shortened)


def test_read_stderr_of_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"boom\n")))
    assert read_stderr("-").text == "boom"


@pytest.mark.parametrize("name", ["nothing", ".", "nul\0byte"])
def test_stderr_that_cannot_be_read(tmp_path, name):
    with pytest.raises(CannotJudgeError) as caught:
        read_stderr(f"{tmp_path}/{name}")
    (fault,) = caught.value.faults
    assert fault.startswith(f"{tmp_path}/{name}: cannot be read (")
