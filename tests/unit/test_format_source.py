"""The bytes of one input: plain, packed, missing, a folder, a pipe."""

import gzip
import io
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from evalgate.errors import MissingReportError, ReportError
from evalgate.formats import source
from evalgate.formats.source import open_source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b'{"tool": "dsh-eval-harness"}\n' * 50
CHECKSUM: dict[int, int] = {zstd.CompressionParameter.checksum_flag: 1}
SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00\x00\x00\x00\x00"


class Content(NamedTuple):
    """All of a source at once."""

    label: str
    data: bytes
    path: Path | None


def read_source(place):
    with open_source(place) as opened:
        content = Content(opened.label, opened.read(), opened.path)
        assert opened.read() == content.data, "a source can be read again"
        return content


@pytest.mark.parametrize(
    "data",
    [
        TEXT,
        b"",
        gzip.compress(TEXT),
        gzip.compress(TEXT[:700]) + gzip.compress(TEXT[700:]),
        gzip.compress(TEXT[:700]) + gzip.compress(b"") + gzip.compress(TEXT[700:]),
        gzip.compress(TEXT) + b"\0" * 512,
        zstd.compress(TEXT),
        zstd.compress(TEXT[:700]) + zstd.compress(TEXT[700:]),
        SKIPPABLE + zstd.compress(TEXT),
        zstd.compress(TEXT[:700]) + SKIPPABLE + zstd.compress(TEXT[700:]),
    ],
    ids=[
        "plain",
        "empty",
        "gzip",
        "gzip-members",
        "gzip-empty-member",
        "gzip-padded",
        "zstd",
        "zstd-frames",
        "zstd-skippable-first",
        "zstd-skippable-between",
    ],
)
@pytest.mark.parametrize("name", ["report.json", "report.json.gz", "report.zst", "noext"])
def test_content_is_recognised_whatever_the_name(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data)
    assert read_source(path) == (str(path), TEXT if data else b"", path)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_a_truncated_archive_is_refused_wherever_it_is_cut(tmp_path, pack):
    packed = pack(TEXT)
    path = tmp_path / "r"
    for end in range(4, len(packed)):
        path.write_bytes(packed[:end])
        with pytest.raises(ReportError) as caught:
            read_source(path)
        (fault,) = caught.value.faults
        assert fault.startswith(f"{path}: is a broken {'gzip' if pack is gzip.compress else 'zstd'} archive (")


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(bytes(range(200))), zstd.compress(bytes(range(200)), options=CHECKSUM)],
    ids=["gzip", "zstd"],
)
def test_a_damaged_archive_is_refused(tmp_path, packed):
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    path = tmp_path / "r"
    path.write_bytes(damaged)
    with pytest.raises(ReportError, match=r"is a broken \w+ archive"):
        read_source(path)


def test_garbage_after_an_archive_is_refused(tmp_path):
    path = tmp_path / "r"
    path.write_bytes(gzip.compress(TEXT) + b"garbage")
    with pytest.raises(ReportError, match="is a broken gzip archive"):
        read_source(path)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_unpacking_has_a_limit(tmp_path, monkeypatch, pack):
    path = tmp_path / "r"
    path.write_bytes(pack(b" " * 3_000_001))
    monkeypatch.setattr(source, "UNPACKED_LIMIT", 3_000_001)
    assert len(read_source(path).data) == 3_000_001
    monkeypatch.setattr(source, "UNPACKED_LIMIT", 3_000_000)
    with pytest.raises(ReportError, match="unpacks to more than"):
        read_source(path)


def test_the_limit_is_two_gibibytes():
    assert source.UNPACKED_LIMIT == 2 * 1024**3


def test_a_folder_is_read_through_its_report(tmp_path):
    (tmp_path / "report.json").write_bytes(TEXT)
    assert read_source(tmp_path) == (str(tmp_path / "report.json"), TEXT, tmp_path / "report.json")
    assert read_source(f"{tmp_path}/").label == str(tmp_path / "report.json")


def test_a_link_is_read_and_stays_the_place(tmp_path):
    (tmp_path / "real").write_bytes(TEXT)
    link = tmp_path / "link"
    link.symlink_to("real")
    assert read_source(link) == (str(link), TEXT, link)


@pytest.mark.parametrize("place", ["nothing", "nothing/report.json", "file/report.json", "empty", "dangling"])
def test_what_is_missing(tmp_path, place):
    (tmp_path / "file").write_bytes(TEXT)
    (tmp_path / "empty").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    path = tmp_path / place
    with pytest.raises(MissingReportError) as caught:
        read_source(path)
    shown = path / "report.json" if place == "empty" else path
    assert caught.value.faults == (f"{shown}: no such file",)


@pytest.mark.parametrize("place", ["folder", "loop", "n" * 300, "nul\0byte"])
def test_what_is_there_and_cannot_be_read_is_not_missing(tmp_path, place):
    """A missing baseline is N/A; one that cannot be read must be an error."""
    (tmp_path / "folder" / "report.json").mkdir(parents=True)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ReportError) as caught:
        read_source(tmp_path / place)
    assert not isinstance(caught.value, MissingReportError)
    (fault,) = caught.value.faults
    assert ": cannot be read (" in fault


@pytest.mark.parametrize("data", [TEXT, gzip.compress(TEXT), zstd.compress(TEXT)], ids=["plain", "gzip", "zstd"])
def test_stdin(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert read_source("-") == ("<stdin>", TEXT, None)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_opened_once_and_has_no_place(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    found = read_source(pipe)
    writer.join()
    assert found == (str(pipe), TEXT, None)


def test_stdin_that_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ReportError) as caught:
        open_source("-")
    assert caught.value.faults == ("<stdin>: cannot be read (it is closed)",)


def test_stdin_that_cannot_be_read(monkeypatch):
    class Folder:
        def read(self, size):
            raise IsADirectoryError(21, "Is a directory")

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Folder()))
    for read in (lambda: open_source("-"), source.read_stdin):
        with pytest.raises(ReportError) as caught:
            read()
        assert caught.value.faults == ("<stdin>: cannot be read (Is a directory)",)


def test_all_of_stdin_is_read(monkeypatch):
    data = bytes(range(256)) * 10_000
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert source.read_stdin() == data


@pytest.mark.parametrize("kept", [1, 10**9])
def test_what_can_be_read_once_can_be_looked_at_again(monkeypatch, kept):
    """Evidence is taken in a second reading; a large pipe waits for it on the disk."""
    monkeypatch.setattr(source, "_KEPT_IN_MEMORY", kept)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(TEXT))))
    with open_source("-") as opened:
        assert opened.read() == opened.read() == TEXT


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_a_file_is_read_from_its_start_each_time(tmp_path, pack):
    path = tmp_path / "r"
    path.write_bytes(pack(TEXT[:700]) + pack(TEXT[700:]))
    with open_source(path) as opened:
        opened.open().read(10)
        assert opened.read() == opened.read() == TEXT


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="needs /dev/stdin")
def test_a_redirected_file_behind_a_device_has_no_place(tmp_path):
    """Beside /dev/fd/3 there is no report.md."""
    (tmp_path / "r").write_bytes(TEXT)
    with (tmp_path / "r").open("rb") as stream, open_source(f"/dev/fd/{stream.fileno()}") as opened:
        assert (opened.path, opened.read()) == (None, TEXT)


def test_the_watcher_is_told_how_far_the_reading_is(tmp_path):
    path = tmp_path / "r"
    path.write_bytes(TEXT)
    seen = []
    with open_source(path, lambda *told: seen.append(told)) as opened:
        opened.read()
    assert seen[-1] == (str(path), len(TEXT), len(TEXT))
