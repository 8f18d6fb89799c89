"""What the browser tests share: where the packages are, and that nothing is left behind."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.play.games import EXAMPLE


@pytest.fixture
def arena(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """
    Give a folder in which all temporary ones are made, and hold that no process and no file is left of them.

    Its name is short, since sockets lie in it, and no other test's: plays of somebody else may run at the same time.
    """
    if "EVALGATE_NODE_MODULES" not in os.environ:
        monkeypatch.setenv("EVALGATE_NODE_MODULES", str(EXAMPLE / "node_modules"))
    folder = Path(tempfile.mkdtemp(prefix="eg-")).resolve()
    (folder / "t").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "t"))
    monkeypatch.setenv("TMPDIR", str(folder / "t"))
    try:
        yield folder
        assert processes_of(folder) == []
        assert list((folder / "t").iterdir()) == []
    finally:
        shutil.rmtree(folder)


def processes_of(folder: Path) -> list[str]:
    """Return the command lines that name something in a folder."""
    listed = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line]
