"""PNG pictures, made by hand, and what is no PNG."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgate.play.screenshot import Picture, PictureError, look

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def header(width: int, height: int, kind: int = 2, depth: int = 8, interlaced: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))


def filtered(rows: list[bytes], kind: int, step: int) -> bytes:
    """Put a filter on each row, byte by byte, as the specification has it (PNG, 9.2)."""
    out = b""
    before = bytes(len(rows[0]))
    for row in rows:
        left = bytes(step) + row[:-step]
        corner = bytes(step) + before[:-step]
        guesses = {
            0: [0] * len(row),
            1: list(left),
            2: list(before),
            3: [(one + other) // 2 for one, other in zip(left, before, strict=True)],
            4: [nearest(*three) for three in zip(left, before, corner, strict=True)],
        }[kind]
        out += bytes([kind]) + bytes((value - guess) % 256 for value, guess in zip(row, guesses, strict=True))
        before = row
    return out


def nearest(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda one: abs(guess - one))


def png(rows: list[bytes], kind: int = 2, filter_kind: int = 0, palette: bytes = b"") -> bytes:
    step = CHANNELS[kind]
    parts = [SIGNATURE, header(len(rows[0]) // step, len(rows), kind)]
    if palette:
        parts.append(chunk(b"PLTE", palette))
    data = zlib.compress(filtered(rows, filter_kind, step))
    # In two parts: a reader that takes the first one only fails.
    parts += [chunk(b"IDAT", data[:5]), chunk(b"IDAT", data[5:]), chunk(b"IEND", b"")]
    return b"".join(parts)


ROWS = [bytes([0, 0, 0, 47, 0, 0]), bytes([10, 48, 0, 250, 251, 252])]


@pytest.mark.parametrize("kind", range(5))
def test_every_filter(kind: int) -> None:
    assert look(png(ROWS, filter_kind=kind)) == Picture(2, 2, 2, 252, 3)


@pytest.mark.parametrize(
    ("kind", "rows", "palette", "expected"),
    [
        (0, [bytes([0, 0, 200])], b"", Picture(3, 1, 1, 200, 1)),
        (4, [bytes([0, 255, 200, 0])], b"", Picture(2, 1, 1, 200, 1)),
        (6, [bytes([1, 2, 3, 255, 90, 2, 3, 0])], b"", Picture(2, 1, 1, 90, 1)),
        (3, [bytes([0, 1, 1])], bytes([0, 0, 0, 1, 99, 2]), Picture(3, 1, 2, 99, 1)),
    ],
)
def test_every_colour_type(kind: int, rows: list[bytes], palette: bytes, expected: Picture) -> None:
    """Alpha is no colour: an opaque white would make any picture bright."""
    assert look(png(rows, kind, palette=palette)) == expected


@given(st.data())
def test_filters_change_nothing(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([0, 2, 6]))
    size = CHANNELS[kind] * data.draw(st.integers(1, 6))
    rows = data.draw(st.lists(st.binary(min_size=size, max_size=size), min_size=1, max_size=5))
    plain = look(png(rows, kind))
    assert [look(png(rows, kind, number)) for number in (1, 2, 3, 4)] == [plain] * 4


def test_one_bright_colour_shows_nothing() -> None:
    """The naive measure, bright pixels alone, takes a white page for a game."""
    white = look(png([b"\xff" * 300] * 100))
    assert white.bright == 10000
    assert white.other == 0


GOOD = png(ROWS)
DATA = chunk(b"IDAT", zlib.compress(filtered(ROWS, 0, 3)))
END = chunk(b"IEND", b"")

HOSTILE = {
    "nothing": (b"", "must be a PNG"),
    "a JPEG": (b"\xff\xd8\xff\xe0" + b"0" * 100, "must be a PNG"),
    "cut in a chunk": (GOOD[:40], "ends within a chunk"),
    "cut before the end": (GOOD[: -len(END)], "ends before IEND"),
    "a length beyond the file": (SIGNATURE + struct.pack(">I", 2**31) + b"IHDR", "ends within a chunk"),
    "a wrong checksum": (GOOD[:30] + b"\0" + GOOD[31:], "checksum"),
    "no header first": (SIGNATURE + DATA + END, "must begin with one IHDR"),
    "two headers": (SIGNATURE + header(2, 2) * 2 + DATA + END, "must begin with one IHDR"),
    "a short header": (SIGNATURE + chunk(b"IHDR", b"123") + DATA + END, "13 bytes"),
    "no pixels": (SIGNATURE + header(0, 2) + DATA + END, "pixels"),
    "a picture of terabytes": (SIGNATURE + header(2**31, 2**31) + DATA + END, "pixels"),
    "16 bits": (SIGNATURE + header(2, 2, depth=16) + DATA + END, "8 bits"),
    "a colour type that is none": (SIGNATURE + header(2, 2, kind=5) + DATA + END, "8 bits"),
    "interlaced": (SIGNATURE + header(2, 2, interlaced=1) + DATA + END, "interlaced"),
    "an unknown chunk that matters": (SIGNATURE + header(2, 2) + chunk(b"ABCD", b"") + DATA + END, "understood"),
    "no data": (SIGNATURE + header(2, 2) + END, "must unpack to 14 bytes"),
    "data that is not packed": (SIGNATURE + header(2, 2) + chunk(b"IDAT", b"x" * 20) + END, "cannot be unpacked"),
    "too little": (SIGNATURE + header(2, 2) + chunk(b"IDAT", zlib.compress(b"\0" * 13)) + END, "got 13"),
    "a bomb": (SIGNATURE + header(2, 2) + chunk(b"IDAT", zlib.compress(b"\0" * 50_000_000)) + END, "got more"),
    "a filter that is none": (SIGNATURE + header(1, 1) + chunk(b"IDAT", zlib.compress(b"\5\0\0\0")) + END, "filters"),
    "no palette": (SIGNATURE + header(1, 1, kind=3) + chunk(b"IDAT", zlib.compress(b"\0\0")) + END, "palette"),
    "beyond the palette": (png([b"\7"], 3, palette=b"abc"), "palette does not have"),
}


@pytest.mark.parametrize(("data", "rule"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_refused(data: bytes, rule: str) -> None:
    with pytest.raises(PictureError, match=rule):
        look(data)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_a_byte_changed_is_an_error_or_nothing(place: int, value: int) -> None:
    data = bytearray(GOOD)
    data[place] = value
    try:
        found = look(bytes(data))
    except PictureError:
        return
    assert found == look(GOOD)
