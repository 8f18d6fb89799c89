"""What the bulk reader costs, as counts and ratios: bytes looked at, bytes held."""

import json
import tracemalloc

import pytest

from evalgate.formats import dsh_eval_harness
from evalgate.formats.dsh_eval_harness import bulk
from evalgate.formats.source import open_source
from tests import builders


def _write(path, number, **fields):
    cases = [builders.case(f"case-{position}", finalText="x" * 4000, **fields) for position in range(number)]
    path.write_text(json.dumps(builders.report(*cases), indent=2), encoding="utf-8")
    return path


class _Counted:
    def __init__(self, stream):
        self.stream = stream
        self.bytes = 0

    def read(self, size):
        part = self.stream.read(size)
        self.bytes += len(part)
        return part


def _read(path):
    with open_source(path) as source:
        stream = _Counted(source.open())
        found = dsh_eval_harness.read_bulk(source, stream.read(bulk.CHUNK), stream)
        assert found is not None
        return found[0], stream.bytes, found[1]._slices


@pytest.mark.parametrize("number", [100, 400])
def test_each_byte_is_read_once_and_no_slice_is_long(tmp_path, number):
    path = _write(tmp_path / "report.json", number)
    report, read, slices = _read(path)
    assert len(report.cases) == number
    assert read == path.stat().st_size
    case = path.stat().st_size / number
    assert max(one.length for one in slices) <= 2 * bulk.CHUNK + case
    assert sum(one.length for one in slices) < path.stat().st_size


@pytest.mark.parametrize("status", ["pass", "error"])
def test_memory_follows_the_facts_and_not_the_file(tmp_path, status):
    """A report of 20 MB, its texts long: what is held at the peak is a small part of it, and hardly more than facts."""
    stderr = builders.node_crash("ENOENT", "ensureSymlink") if status == "error" else None
    cases = [builders.case(f"case-{n}", status, finalText="x" * 4000, stderr=stderr) for n in range(2000)]
    path = tmp_path / "report.json"
    path.write_text(json.dumps(builders.report(*cases), indent=2), encoding="utf-8")
    del cases
    _read(path)  # what is made once, such as decoders, is not the reading's
    tracemalloc.start()
    try:
        report, _, _ = _read(path)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(report.cases) == 2000
    assert peak < path.stat().st_size / 8
    assert peak < 3 * held + 20 * bulk.CHUNK
