"""A file is replaced as a whole, or stays what it was."""

import os
import stat

import pytest

from evalgate.whole_file import replace


def test_what_was_there_is_replaced_and_nothing_else_is_left(tmp_path):
    target = tmp_path / "a.json"
    target.write_text("old")
    replace(target, [b"n", b"ew"])
    assert target.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_writer_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "a.json"
    target.write_text("old")

    def broken():
        yield b"half"
        raise RuntimeError("died")

    with pytest.raises(RuntimeError):
        replace(target, broken())
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize(("mode", "expected"), [(None, 0o640), (0o604, 0o604)])
def test_the_mode_is_that_of_a_plain_file_or_the_one_given(tmp_path, mode, expected):
    before = os.umask(0o027)
    try:
        replace(tmp_path / "a", [b""], mode)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == expected


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path):
    (tmp_path / "far").write_text("far")
    (tmp_path / "link").symlink_to("far")
    replace(tmp_path / "link", [b"new"])
    assert (tmp_path / "far").read_text() == "far"
    assert not (tmp_path / "link").is_symlink()


def test_a_name_of_the_greatest_length_has_room_for_a_temporary_one(tmp_path):
    target = tmp_path / ("x" * 255)
    replace(target, [b"new"])
    assert target.read_bytes() == b"new"


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        replace(tmp_path / "nowhere" / "a", [b""])
