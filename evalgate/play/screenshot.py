"""
A PNG picture read with zlib alone, as much of it as is needed to say whether anything is to be seen. Pure.

Format: PNG, third edition (https://www.w3.org/TR/png-3/), chapters 5 (chunks), 7.2 and 9 (filters), 10 (zlib). What a
browser's screenshot never is (interlaced, 16 bits a channel, a palette with fewer than 8 bits) is refused, not guessed.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from evalgate.errors import CannotJudgeError

BRIGHT_FROM = 48
"""A pixel counts as bright when its brightest channel is at least this, of 255."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples of a pixel by colour type: grey, RGB, palette, grey and alpha, RGBA."""
_PALETTE = 3
_MOST_PIXELS = 32_000_000


class PictureError(CannotJudgeError):
    """A picture is not a PNG that can be read here."""


class Picture(NamedTuple):
    """What is to be seen, by numbers. Alpha is left out: a page is opaque."""

    width: int
    height: int
    """Unit: pixels, as `width`."""
    bright: int
    """Pixels whose brightest channel is at least `BRIGHT_FROM`."""
    max_channel: int
    """The brightest channel of any pixel, 0 to 255."""
    other: int
    """Pixels of another colour than the most frequent one: 0 for a page of one colour, whichever it is."""


class _Header(NamedTuple):
    width: int
    height: int
    kind: int

    @property
    def step(self) -> int:
        """Bytes of a pixel."""
        return _CHANNELS[self.kind]


def look(png: bytes) -> Picture:
    """Return what is to be seen in a PNG. Raises `PictureError`, which names the rule."""
    header, palette, packed = _parts(png)
    row_bytes = header.width * header.step
    raw = _unpacked(packed, header.height * (row_bytes + 1))
    colours: Counter[bytes | tuple[int, ...]] = Counter()
    bright = 0
    brightest = 0
    for row, count in Counter(_rows(raw, row_bytes, header)).items():
        channels = _channels(row, header, palette)
        tops = bytes(map(max, *channels)) if len(channels) > 1 else channels[0]
        brightest = max(brightest, max(tops))  # noqa: PLW3301 (nested on purpose: max over one iterable, then two numbers)
        bright += count * sum(top >= BRIGHT_FROM for top in tops)
        for colour, pixels in Counter(zip(*channels, strict=True)).items():
            colours[colour] += count * pixels
    pixels = header.width * header.height
    return Picture(header.width, header.height, bright, brightest, pixels - max(colours.values()))


def _parts(png: bytes) -> tuple[_Header, bytes, bytes]:
    """Return header, palette (empty without one) and packed data."""
    header: _Header | None = None
    palette = b""
    packed: list[bytes] = []
    for position, (name, body) in enumerate(_chunks(png)):
        if (position == 0) != (name == b"IHDR"):
            raise PictureError(["the picture: must begin with one IHDR"])
        if name == b"IHDR":
            header = _header(body)
        elif name == b"PLTE":
            palette = body
        elif name == b"IDAT":
            packed.append(body)
        elif name == b"IEND":
            break
        elif not name[0] & 0x20:
            raise PictureError([f"the picture: holds a chunk that must be understood and is not ({name!r})"])
    else:
        raise PictureError(["the picture: ends before IEND"])
    assert header is not None, "the first chunk is IHDR"
    if header.kind == _PALETTE and (not palette or len(palette) % 3):
        raise PictureError([f"the picture: must have a palette of whole colours (got {len(palette)} bytes)"])
    return header, palette, b"".join(packed)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(_SIGNATURE):
        raise PictureError(["the picture: must be a PNG (its first bytes are those of something else)"])
    place = len(_SIGNATURE)
    while place < len(png):
        if place + 12 > len(png):
            raise PictureError(["the picture: ends within a chunk"])
        (length,) = struct.unpack_from(">I", png, place)
        name = png[place + 4 : place + 8]
        body = png[place + 8 : place + 8 + length]
        end = png[place + 8 + length : place + 12 + length]
        if len(body) < length or len(end) < 4:
            raise PictureError(["the picture: ends within a chunk"])
        if zlib.crc32(name + body) != struct.unpack(">I", end)[0]:
            raise PictureError([f"the picture: the checksum of {name!r} does not fit"])
        yield name, body
        place += 12 + length


def _header(body: bytes) -> _Header:
    if len(body) != 13:
        raise PictureError([f"the picture: IHDR must have 13 bytes (got {len(body)})"])
    width, height, depth, kind, packing, filtering, interlaced = struct.unpack(">IIBBBBB", body)
    if not 0 < width * height <= _MOST_PIXELS:
        raise PictureError([f"the picture: must have 1 to {_MOST_PIXELS} pixels (got {width} x {height})"])
    if depth != 8 or kind not in _CHANNELS or packing or filtering or interlaced:
        found = f"depth {depth}, colour type {kind}, {packing}, {filtering}, interlaced {interlaced}"
        raise PictureError([f"the picture: must have 8 bits a channel and not be interlaced (got {found})"])
    return _Header(width, height, kind)


def _unpacked(packed: bytes, wanted: int) -> bytes:
    """Return exactly so many bytes; a bomb is not unpacked beyond them."""
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, wanted + 1)
    except zlib.error as fault:
        raise PictureError([f"the picture: its data cannot be unpacked ({fault})"]) from fault
    if len(raw) != wanted:
        more = "more" if len(raw) > wanted else str(len(raw))
        raise PictureError([f"the picture: must unpack to {wanted} bytes (got {more})"])
    return raw


def _rows(raw: bytes, row_bytes: int, header: _Header) -> Iterator[bytes]:
    """Give each row without its filter."""
    before = bytes(row_bytes)
    for start in range(0, len(raw), row_bytes + 1):
        row = raw[start + 1 : start + 1 + row_bytes]
        before = _unfiltered(raw[start], row, before, header.step)
        yield before


def _unfiltered(kind: int, row: bytes, before: bytes, step: int) -> bytes:
    """Undo the filter of one row (PNG, 9.2): a byte plus what is left of it, above it, or both, modulo 256."""
    match kind:
        case 0:
            return row
        case 1:
            out = bytearray(len(row))
            for channel in range(step):
                out[channel::step] = bytes(total & 255 for total in accumulate(row[channel::step]))
            return bytes(out)
        case 2:
            return before if not any(row) else bytes(map(_plus, row, before))
        case 3:
            out = bytearray(row)
            for place, above in enumerate(before):
                left = out[place - step] if place >= step else 0
                out[place] = (out[place] + (left + above) // 2) & 255
            return bytes(out)
        case 4:
            out = bytearray(row)
            for place, above in enumerate(before):
                left, corner = (out[place - step], before[place - step]) if place >= step else (0, 0)
                out[place] = (out[place] + _paeth(left, above, corner)) & 255
            return bytes(out)
        case _:
            raise PictureError([f"the picture: must use the filters 0 to 4 (got {kind})"])


def _plus(one: int, other: int) -> int:
    return (one + other) & 255


def _paeth(left: int, above: int, corner: int) -> int:
    """Return whichever is nearest to left + above - corner, in this order (PNG, 9.4; after A. W. Paeth)."""
    guess = left + above - corner
    far_left, far_above, far_corner = abs(guess - left), abs(guess - above), abs(guess - corner)
    if far_left <= far_above and far_left <= far_corner:
        return left
    return above if far_above <= far_corner else corner


def _channels(row: bytes, header: _Header, palette: bytes) -> list[bytes]:
    """Return the colour channels of a row, each a byte per pixel."""
    match header.kind:
        case 0:
            return [row]
        case 2 | 6:
            return [row[channel :: header.step] for channel in range(3)]
        case 4:
            return [row[0::2]]
        case _:
            if max(row) * 3 >= len(palette):
                raise PictureError(["the picture: uses a colour that its palette does not have"])
            return [row.translate(palette[channel::3].ljust(256, b"\0")) for channel in range(3)]
