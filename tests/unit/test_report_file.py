"""One section in somebody else's file."""

import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from evalgate.errors import OutputError
from evalgate.report_file import Writes, with_section, write_section

B, E = "<!-- evalgate:begin -->", "<!-- evalgate:end -->"
NEW = f"{B}\nnew\nlines\n{E}"


def _set(existing, section="new\nlines"):
    return with_section(existing.encode(), section).decode()


@pytest.mark.parametrize(
    ("existing", "expected"),
    [
        # append
        ("", f"{NEW}\n"),
        ("# Mine\n", f"# Mine\n\n{NEW}\n"),
        ("# Mine", f"# Mine\n\n{NEW}\n"),
        ("# Mine\n\n", f"# Mine\n\n\n{NEW}\n"),
        ("\n", f"\n\n{NEW}\n"),
        # replace
        (f"{B}\n{E}\n", f"{NEW}\n"),
        (f"{B}\nold\n{E}\n", f"{NEW}\n"),
        (f"{B}\nold\n{E}", NEW),
        (f"# Mine\n{B}\nold\n{E}\ntail", f"# Mine\n{NEW}\ntail"),
        (f"# Mine\n\n{B}\nold\n{E}\n\n\ntail\n", f"# Mine\n\n{NEW}\n\n\ntail\n"),
        (f"{B} \t\nold\n{E}\t\ntail\n", f"{NEW}\ntail\n"),
        # the last of several complete sections
        (f"{B}\none\n{E}\n{B}\ntwo\n{E}\n", f"{B}\none\n{E}\n{NEW}\n"),
        # a begin without an end never eats what follows it
        (f"{B}\nmine\n", f"{B}\nmine\n\n{NEW}\n"),
        (f"{B}\nmine\n{B}\nold\n{E}\n", f"{B}\nmine\n{NEW}\n"),
        (f"{B}\nold\n{E}\nmine\n{B}\nrest\n", f"{NEW}\nmine\n{B}\nrest\n"),
        # an end without a begin
        (f"{E}\nmine\n", f"{E}\nmine\n\n{NEW}\n"),
        (f"{E}\n{B}\nmine\n", f"{E}\n{B}\nmine\n\n{NEW}\n"),
        (f"{B}\nold\n{E}\nmine\n{E}\n", f"{NEW}\nmine\n{E}\n"),
        # not alone on the line
        (f"Set {B} here\nx\n{E}\n", f"Set {B} here\nx\n{E}\n\n{NEW}\n"),
        (f"{B} x\nx\n{E}\n", f"{B} x\nx\n{E}\n\n{NEW}\n"),
        (f"{B}\nx\n{E} x\n", f"{B}\nx\n{E} x\n\n{NEW}\n"),
        (f"{B}\nx\n`{E}`\n", f"{B}\nx\n`{E}`\n\n{NEW}\n"),
        (f"{B}{E}\n", f"{B}{E}\n\n{NEW}\n"),
        # indented, quoted, in a list
        (f"    {B}\n    x\n    {E}\n", f"    {B}\n    x\n    {E}\n\n{NEW}\n"),
        (f" {B}\nx\n {E}\n", f" {B}\nx\n {E}\n\n{NEW}\n"),
        (f"> {B}\n> x\n> {E}\n", f"> {B}\n> x\n> {E}\n\n{NEW}\n"),
        (f"- {B}\n- {E}\n", f"- {B}\n- {E}\n\n{NEW}\n"),
        # other spellings
        (f"{B.upper()}\nx\n{E.upper()}\n", f"{B.upper()}\nx\n{E.upper()}\n\n{NEW}\n"),
        (
            "<!--evalgate:begin-->\nx\n<!--evalgate:end-->\n",
            f"<!--evalgate:begin-->\nx\n<!--evalgate:end-->\n\n{NEW}\n",
        ),
        # in a closed code fence
        (f"```\n{B}\nx\n{E}\n```\n", f"```\n{B}\nx\n{E}\n```\n\n{NEW}\n"),
        (f"```md\n{B}\nx\n{E}\n````\n", f"```md\n{B}\nx\n{E}\n````\n\n{NEW}\n"),
        (f"~~~ md `x`\n{B}\nx\n{E}\n~~~\n", f"~~~ md `x`\n{B}\nx\n{E}\n~~~\n\n{NEW}\n"),
        (f"   ````\n{B}\nx\n{E}\n```\n  ````  \n", f"   ````\n{B}\nx\n{E}\n```\n  ````  \n\n{NEW}\n"),
        (f"```\n{B}\nx\n{E}\n~~~\n``` no\n```\n", f"```\n{B}\nx\n{E}\n~~~\n``` no\n```\n\n{NEW}\n"),
        # what does not close a fence: a shorter one, another character, one with an info string
        (f"````\n```\n{B}\nx\n{E}\n````\n", f"````\n```\n{B}\nx\n{E}\n````\n\n{NEW}\n"),
        (f"```\n~~~\n{B}\nx\n{E}\n```\n", f"```\n~~~\n{B}\nx\n{E}\n```\n\n{NEW}\n"),
        (f"```\n``` no\n{B}\nx\n{E}\n```\n", f"```\n``` no\n{B}\nx\n{E}\n```\n\n{NEW}\n"),
        # our section after a closed fence that shows the markers
        (f"```\n{B}\n{E}\n```\n{B}\nold\n{E}\n", f"```\n{B}\n{E}\n```\n{NEW}\n"),
        # only one marker in a fence: the other is alone
        (f"```\n{B}\n```\nmine\n{E}\n", f"```\n{B}\n```\nmine\n{E}\n\n{NEW}\n"),
        (f"{B}\nmine\n```\n{E}\n```\n", f"{B}\nmine\n```\n{E}\n```\n\n{NEW}\n"),
        # a fence that is never closed would hide our own section for ever
        (f"```\nmine\n\n{B}\nold\n{E}\n", f"```\nmine\n\n{NEW}\n"),
        (f"````\n```\n{B}\nold\n{E}\n", f"````\n```\n{NEW}\n"),
        ("```\nmine\n", f"```\nmine\n\n{NEW}\n"),
        # what looks like a fence and is none
        (f"``` a`b\n{B}\nold\n{E}\n```\n", f"``` a`b\n{NEW}\n```\n"),
        (f"    ```\n{B}\nold\n{E}\n    ```\n", f"    ```\n{NEW}\n    ```\n"),
        (f"``\n{B}\nold\n{E}\n``\n", f"``\n{NEW}\n``\n"),
    ],
)
def test_with_section(existing, expected):
    found = _set(existing)
    assert found == expected
    assert _set(found) == expected


@pytest.mark.parametrize(
    ("existing", "expected"),
    [
        ("a\r\nb\r\n", f"a\r\nb\r\n\r\n{NEW}\n".replace("\n", "\r\n").replace("\r\r", "\r")),
        (f"a\r\n{B}\r\nold\r\n{E}\r\nb\r\n", f"a\n{NEW}\nb\n".replace("\n", "\r\n")),
        (f"a\r\n{B}\nold\n{E}\r\nb\r\n", f"a\n{NEW}\nb\n".replace("\n", "\r\n")),
        (f"a\n{B}\r\nold\r\n{E}\nb\n", f"a\n{NEW}\nb\n"),
        ("a\r\nb\r\nc\n", "a\r\nb\r\nc\n\r\n" + NEW.replace("\n", "\r\n") + "\r\n"),
        ("a\r\nb\n", f"a\r\nb\n\n{NEW}\n"),
        ("a\r\nb", "a\r\nb\r\n\r\n" + NEW.replace("\n", "\r\n") + "\r\n"),
        ("a\rb\r", f"a\rb\r\n\n{NEW}\n"),
    ],
)
def test_the_section_has_the_line_endings_of_the_file(existing, expected):
    found = _set(existing)
    assert found == expected
    assert _set(found) == expected


def test_a_section_alone_keeps_the_line_endings_that_it_was_given():
    """A checkout on Windows turns a file that holds nothing but the section into CR LF: nothing has changed."""
    windows = f"{NEW}\n".replace("\n", "\r\n")
    assert _set(windows) == windows


def test_a_byte_order_mark_hides_no_marker():
    """An editor that saves the file with one must not make the next run append a second section."""
    marked = f"\ufeff{NEW}\n"
    assert _set(marked) == marked


@pytest.mark.parametrize(
    "junk", [b"\x00\xff\xfe\x80", b"\x89PNG\r\n\x1a\n\x00", bytes(range(256)), b"\r\r\r", b"\xed\xa0\x80"]
)
def test_other_bytes_stay_whatever_they_are(junk):
    first = with_section(junk, "one")
    assert first.startswith(junk)
    assert first.count(B.encode()) == 1
    second = with_section(first + junk, "two")
    assert second == first.replace(b"one", b"two") + junk


def test_half_an_emoji_in_the_section_is_spelled_out():
    assert "\\ud83d" in with_section(b"", "\ud83d").decode()


# ------------------------------------------------------------------------------------------------ on the disk


def _left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_made_with_the_mode_of_any_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        write_section(tmp_path / "report.md", "one")
    finally:
        os.umask(before)
    assert (tmp_path / "report.md").read_text() == f"{B}\none\n{E}\n"
    assert stat.S_IMODE((tmp_path / "report.md").stat().st_mode) == 0o640
    assert _left(tmp_path) == ["report.md"]


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o664, 0o755, 0o640])
def test_the_mode_is_kept(tmp_path, mode):
    path = tmp_path / "report.md"
    path.write_text("# Mine\n")
    path.chmod(mode)
    write_section(path, "one")
    assert path.read_text() == f"# Mine\n\n{B}\none\n{E}\n"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert _left(tmp_path) == ["report.md"]


def test_a_second_run_replaces_and_an_equal_one_writes_nothing(tmp_path):
    path = tmp_path / "report.md"
    write_section(path, "one")
    inode = path.stat().st_ino
    write_section(path, "one")
    assert path.stat().st_ino == inode
    write_section(path, "two")
    assert path.read_text() == f"{B}\ntwo\n{E}\n"


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_stays_one(tmp_path, exists):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "file.md"
    if exists:
        target.write_text("# Mine\n")
    link = tmp_path / "report.md"
    link.symlink_to("real/file.md")
    write_section(link, "one")
    assert link.readlink().as_posix() == "real/file.md"
    assert target.read_text().endswith(f"{B}\none\n{E}\n")
    assert (_left(tmp_path), _left(tmp_path / "real")) == (["real", "report.md"], ["file.md"])


@pytest.mark.parametrize("name", ["folder", "nowhere/report.md", "file/report.md", "loop", "n" * 300, "nul\0byte"])
def test_a_place_that_cannot_be_written(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError) as caught:
        write_section(tmp_path / name, "one")
    (fault,) = caught.value.faults
    assert fault.startswith(f"{tmp_path / name}: cannot be written")
    assert _left(tmp_path) == ["file", "folder", "loop"]
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    def read(path):
        raise AssertionError(f"{path} would never end")

    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(Path, "read_bytes", read)
    with pytest.raises(OutputError, match="not a regular file"):
        write_section(tmp_path / "pipe", "one")


@pytest.mark.parametrize("how", ["itself", "symlink", "hardlink", "dots"])
def test_a_report_that_was_compared_is_never_written(tmp_path, how):
    report = tmp_path / "report.json"
    report.write_text("{}")
    place = {
        "itself": report,
        "symlink": tmp_path / "other",
        "hardlink": tmp_path / "other",
        "dots": tmp_path / "sub" / ".." / "report.json",
    }[how]
    (tmp_path / "sub").mkdir()
    if how == "symlink":
        place.symlink_to(report)
    if how == "hardlink":
        place.hardlink_to(report)
    with pytest.raises(OutputError, match="is one of the files that are read"):
        write_section(place, "one", never=(tmp_path / "gone.json", report))
    assert report.read_text() == "{}"


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_utf16_file_is_not_mixed_with_utf8(tmp_path, mark):
    path = tmp_path / "report.md"
    path.write_bytes(mark + b"\0a")
    with pytest.raises(OutputError, match="UTF-16"):
        write_section(path, "one")
    assert path.read_bytes() == mark + b"\0a"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_fault_on_the_way_leaves_the_old_file_whole_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "report.md"
    path.write_text("# Mine\n")

    def full(*_):
        raise OSError(28, "No space left on device")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError) as caught:
        write_section(path, "one")
    assert caught.value.faults == (f"{path}: cannot be written (No space left on device)",)
    assert path.read_text() == "# Mine\n"
    assert _left(tmp_path) == ["report.md"]


def test_an_interruption_leaves_nothing_behind(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        write_section(tmp_path / "report.md", "one")
    assert _left(tmp_path) == []


def test_the_temporary_file_is_in_the_same_folder_and_its_name_is_its_own(tmp_path, monkeypatch):
    """Two runs side by side must not write into one temporary file."""
    seen = []
    replace = Path.replace

    def spy(self, target):
        seen.append(self)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", spy)
    write_section(tmp_path / "report.md", "one")
    write_section(tmp_path / "report.md", "two")
    assert len(set(seen)) == 2
    assert {path.parent for path in seen} == {tmp_path}


@pytest.fixture
def somebody():
    """Be a user who may not write everywhere: root, as which build machines run, gives itself up for the test."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_folder_that_may_not_be_written(somebody):
    del somebody
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        try:
            with pytest.raises(OutputError, match="Permission denied"):
                write_section(folder / "report.md", "one")
            assert list(folder.iterdir()) == []
        finally:
            folder.chmod(0o755)


def _breaks():
    yield b"half"
    raise OSError(28, "No space left on device")


def test_what_could_not_be_made_never_takes_a_place(tmp_path):
    """A caller may go on without it: then the old file stays, and nothing is left beside it."""
    target = tmp_path / "report.md"
    target.write_text("precious\n")
    other = tmp_path / "other.json"
    with Writes() as writes:
        with pytest.raises(OutputError, match="No space left"):
            writes.file(target, _breaks())
        writes.file(other, [b"{}"])
        writes.commit()
    assert target.read_text() == "precious\n"
    assert _left(tmp_path) == ["other.json", "report.md"]


def test_a_folder_that_cannot_be_written_costs_only_what_was_asked_for_there(tmp_path, monkeypatch):
    other = tmp_path / "other.json"

    def never(path, *rest):
        if "report.md" in os.fspath(path):
            raise PermissionError(13, "Permission denied")
        return original(path, *rest)

    original = os.open
    monkeypatch.setattr(os, "open", never)
    with Writes() as writes:
        with pytest.raises(OutputError, match="Permission denied"):
            writes.section(tmp_path / "report.md", "one")
        writes.file(other, [b"{}"])
        writes.commit()
    assert _left(tmp_path) == ["other.json"]
