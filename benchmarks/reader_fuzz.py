"""
Hold the bulk reader against the reference reader on mutated reports: same facts, same evidence or same refusal.

    python benchmarks/reader_fuzz.py [COUNT] [SEED]

The suite does the same with few examples (tests/property/test_property_bulk.py); this is the long run.
"""

import io
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from evalgate.errors import ReportError
from evalgate.evidence import Evidence
from evalgate.formats import _read_whole, dsh_eval_harness
from evalgate.formats.dsh_eval_harness import bulk
from evalgate.formats.source import Source
from evalgate.report import Report

FIXTURES = Path(__file__).parents[1] / "fixtures"
PIECES = (
    *(b",", b"}", b"]", b"[", b"{", b'"', b" ", b"\r\n", b"\n  ]", b"\n    },\n    {", b'"cases": ['),
    *(b"1e999", b"NaN", b"-1", b"0.5", b"3.0", b"12345678901234567890", b"0" * 400),
    *(b"null", b"true", b'"pass"', b'"error"', b"\xff", b"\\", b"\\ud83d", b""),
)


def outcome(read: Any) -> object:  # noqa: ANN401
    """Return the facts and the evidence, the faults, or None when the reader passed."""
    try:
        found: tuple[Report, Evidence] | None = read()
    except ReportError as fault:
        return fault.faults
    if found is None:
        return None
    return found[0], dict(found[1].fetch([case.name for case in found[0].cases]))


def by_slices(source: Source) -> tuple[Report, Evidence] | None:
    """Read with the bulk reader alone."""
    stream = source.open()
    return dsh_eval_harness.read_bulk(source, stream.read(bulk.CHUNK), stream)


def mutate(text: bytes, chance: random.Random) -> bytes:
    """Return the text with a few bytes lost, added, doubled or changed."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        begin = chance.randrange(len(text))
        end = min(len(text), begin + chance.choice((0, 1, 1, 5, 40, 2000)))
        piece = chance.choice((*PIECES, text[begin:end] * 2, bytes([chance.randrange(256)])))
        text = text[:begin] + piece + text[end:]
    return text


def main() -> int:
    """Run, print what was seen, and return 1 at the first difference."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    bulk.CHUNK = 4096
    documents = [json.loads(path.read_bytes()) for path in sorted(FIXTURES.glob("*/report.json"))]
    texts = [
        json.dumps(document, ensure_ascii=ascii, **layout).encode()
        for document in documents
        for ascii in (False, True)
        for layout in ({"indent": 2}, {"separators": (",", ":")}, {})
    ]
    seen: Counter[str] = Counter()
    for number in range(count):
        data = mutate(chance.choice(texts), chance)
        source = Source("r", io.BytesIO(data), None)
        expected = outcome(lambda source=source: _read_whole(source))
        found = outcome(lambda source=source: by_slices(source))
        seen["valid" if isinstance(expected, tuple) and isinstance(expected[0], Report) else "refused"] += 1
        seen["read in slices" if found is not None else "passed to the reference"] += 1
        if found is not None and found != expected:
            Path("reader_fuzz_difference.json").write_bytes(data)
            print(f"different at {number}: {str(found)[:300]} instead of {str(expected)[:300]}")
            return 1
    print(f"{count} mutated reports, no difference: {dict(seen)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
