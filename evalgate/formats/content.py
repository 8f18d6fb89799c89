"""
One input as the readers of formats see it: its first bytes, and the document behind them, decoded once for all.

A format is recognised by what is in here, never by a file's name: half of all tools call their report `report.json`.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from evalgate.errors import ReportError
from evalgate.formats.source import Source
from evalgate.strict_json import Document, decode

ZIP_MAGIC = b"PK\x03\x04"
_BLANKS = b"\xef\xbb\xbf \t\r\n"


class Content:
    """A file, or a folder that is one report."""

    def __init__(self, label: str, *, source: Source | None = None, folder: Path | None = None) -> None:
        self.label = label
        """How messages call it."""
        self.folder = folder
        """The folder that is the report as a whole; None for a file."""
        self._source = source
        self.head = b""
        """The first 64 KiB of a file, unpacked; empty for a folder."""

    @property
    def source(self) -> Source:
        """The file. It may be read again, for the evidence, as long as the report is open."""
        assert self._source is not None, "a folder has no source"
        return self._source

    @property
    def is_zip(self) -> bool:
        """Whether the file is a zip archive."""
        return self.head.startswith(ZIP_MAGIC)

    @property
    def is_xml(self) -> bool:
        """Whether the file begins as XML does."""
        return self.head.lstrip(_BLANKS).startswith(b"<")

    @property
    def is_json(self) -> bool:
        """Whether the file begins as a JSON object does."""
        return self.head.lstrip(_BLANKS).startswith(b"{")

    @cached_property
    def data(self) -> bytes:
        """The whole unpacked file, with the cap of source.py. Raises `ReportError`."""
        return self.source.read()

    @cached_property
    def decoded(self) -> Document:
        """The file as one JSON value. Raises `ReportError` when it is not one."""
        return decode(self.label, self.data)

    @property
    def object(self) -> Mapping[str, Any]:
        """
        The JSON object that the file is; empty for what does not begin like one.

        Raises `ReportError` when it begins like one and is none. Numbers that are not finite stand in it as `NotFinite`
        (strict_json.py): whoever uses a number checks it, with `number` or `count` of found.py.
        """
        if not self.is_json:
            return {}
        value = self.decoded.value
        if not isinstance(value, dict):
            raise ReportError([f"{self.label}: must be one JSON object"])
        return value
