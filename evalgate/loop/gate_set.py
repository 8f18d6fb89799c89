"""
Gate sets: what the gates of a verdict are about, as data, in English and in Chinese.

A set says per gate what is wrong when it fails, which of its measured values are shown, and the direction of the
repair. It decides nothing: whether a run passed is in judging.py, and no file can change that.

The form, as TOML or JSON; `values` and `each` may be left out:

    schema = "evalgate-gate-set/1"
    name = "my-gates"
    title.en = "..."                 # and title.zh, as for every text below
    [[gates]]
    key = "B_uncaught"               # as the verdict spells it
    title.en = "..."
    wrong.en = "..."                 # a sentence
    values.en = ["uncaught {uncaught}"]   # shown where the guard has the value; {a.b} looks into objects
    repair.en = "..."                # a sentence
    each.list = "checks"             # a list in the guard: its elements whose pass is not true
    each.text.en = ["{path}: {before} -> {after}"]
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evalgate.errors import CannotJudgeError, ReportError
from evalgate.loop.spelling import paths_of
from evalgate.loop.wording import LANGUAGES, Lang
from evalgate.plain import escape, shorten

if TYPE_CHECKING:
    from evalgate.faults import Faults

    LITTLEJS_NINE: "GateSet"
    """The set that ships, read when it is first asked for."""

SCHEMA = "evalgate-gate-set/1"
SHIPPED = ("littlejs-nine",)
"""The names that `--gates` takes; each is a file in gate_sets/."""

_LARGEST = 1 << 20
"""Unit: bytes. What is longer was not written by hand."""
_LONGEST_TEXT = 1000
"""Unit: characters."""
_LONGEST_KEY = 100
_MOST_TEMPLATES = 20
_MOST_GATES = 200


class GateSetError(CannotJudgeError):
    """A gate set cannot be read or breaks a rule of its form."""


@dataclass(frozen=True, kw_only=True)
class GateText:
    """What is said about a failed gate, in one language."""

    title: str
    wrong: str
    """A sentence."""
    values: tuple[str, ...]
    """Templates, see spelling.py; one without a value is left out."""
    each: tuple[str, ...]
    """Templates for an element of the list `Gate.list` of the guard."""
    repair: str
    """A sentence."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """One declared gate."""

    key: str
    """As the verdict spells it."""
    list: str | None
    """The field of the guard that holds what was looked at one by one; None for a gate without such a list."""
    texts: Mapping[Lang, GateText]


@dataclass(frozen=True, kw_only=True)
class GateSet:
    """A declared set of gates, in the order of its file."""

    name: str
    titles: Mapping[Lang, str]
    gates: tuple[Gate, ...]

    @cached_property
    def by_key(self) -> Mapping[str, Gate]:
        """The gates by key."""
        return {gate.key: gate for gate in self.gates}


def __getattr__(name: str) -> GateSet:
    if name == "LITTLEJS_NINE":
        return shipped("littlejs-nine")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def shipped(name: str) -> GateSet:
    """Return a set that ships with evalgate; raise `GateSetError` for a name that is none of `SHIPPED`."""
    from importlib.resources import files

    if name not in SHIPPED:
        raise GateSetError(
            [f"{shorten(name, 60)}: is no gate set; {_nearest(name, SHIPPED, 'the sets that ship are')}"]
        )
    return parse(name, files("evalgate.loop").joinpath("gate_sets", f"{name}.toml").read_bytes())


def find(wanted: str) -> GateSet:
    """
    Return the set that was asked for: the name of one that ships, or the path of a file.

    A name wins over a file of the same name, so that what `littlejs-nine` means does not hang on where somebody stands;
    `./littlejs-nine` is the file. Raises `GateSetError`.
    """
    if wanted in SHIPPED:
        return shipped(wanted)
    path = Path(wanted)
    # A bare word that is no file was meant as a name. `Path.exists` raises for a name that no file can have.
    if path.name == wanted and not path.suffix and not os.path.exists(wanted):  # noqa: PTH110
        return shipped(wanted)
    return load(path)


def load(path: Path) -> GateSet:
    """Return the set of a file. Raises `GateSetError` with file, place, rule and what was found."""
    from evalgate.loop.files import read_bounded

    try:
        return parse(str(path), read_bounded(path, _LARGEST, "a gate set"))
    except ReportError as fault:
        raise GateSetError(fault.faults) from fault


def parse(label: str, data: bytes) -> GateSet:
    """
    Return the set that a text holds; what begins with a brace is JSON, all else TOML.

    Every fault that one pass finds is named, the first 20 with place, rule and what was found. Raises `GateSetError`.
    """
    from evalgate.faults import Faults

    faults = Faults(label)
    try:
        document = _decoded(label, data)
        found = _Reader(faults).gate_set(document)
        faults.raise_if_any()
    except ReportError as fault:
        raise GateSetError(fault.faults) from fault
    assert found is not None, "a document without a fault is a set"
    return found


def _decoded(label: str, data: bytes) -> object:
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        from evalgate.strict_json import decode

        document: object = decode(label, data, unique_keys=True).value
        return document
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        found = f"byte 0x{fault.object[fault.start]:02x} in line {line}"
        raise ReportError([f"{label}: must be UTF-8 text (found {found})"]) from fault
    except RecursionError as fault:
        raise ReportError([f"{label}: must be TOML that is not nested this deep"]) from fault
    except ValueError as fault:
        # The parser's own, which names line and column, or that of a whole number with thousands of digits.
        raise ReportError([f"{label}: must be valid TOML, or JSON in braces ({fault})"]) from fault


def _nearest(name: str, known: Iterable[str], else_: str) -> str:
    import difflib

    known = tuple(known)
    near = difflib.get_close_matches(shorten(name, 60), known, 1, 0.5)
    return f"did you mean {near[0]}?" if near else f"{else_} {', '.join(known)}"


class _Reader:
    """Checks one document, and collects what is wrong in it."""

    def __init__(self, faults: "Faults") -> None:
        self._faults = faults

    def gate_set(self, document: object) -> GateSet | None:
        """Return the set, None (and at least one fault) when it breaks a rule."""
        if not isinstance(document, dict):
            self._fault("", "must be a table with schema, name, title and gates", document)
            return None
        self._known_keys("", document, ("schema", "name", "title", "gates"))
        if document.get("schema") != SCHEMA:
            self._fault("schema", f'must be "{SCHEMA}"', document.get("schema", _MISSING))
        name = self._text("name", document.get("name", _MISSING), _LONGEST_KEY)
        titles = self._in_each_language("title", document.get("title", _MISSING))
        gates = self._gates(document.get("gates", _MISSING))
        if self._faults or name is None or titles is None:
            return None
        return GateSet(name=name, titles=titles, gates=gates)

    def _gates(self, raw: object) -> tuple[Gate, ...]:
        if not isinstance(raw, list) or not 1 <= len(raw) <= _MOST_GATES:
            self._fault("gates", f"must be a list of 1 to {_MOST_GATES} gates, each begun with [[gates]]", raw)
            return ()
        found: list[Gate] = []
        places: dict[str, int] = {}
        for position, one in enumerate(raw):
            gate = self._gate(f"gates[{position}]", one)
            if gate is None:
                continue
            if gate.key in places:
                self._fault(f"gates[{position}].key", f"must be unique; gates[{places[gate.key]}] has it too", gate.key)
            places.setdefault(gate.key, position)
            found.append(gate)
        return tuple(found)

    def _gate(self, place: str, raw: object) -> Gate | None:
        if not isinstance(raw, dict):
            self._fault(place, "must be a table with key, title, wrong, values and repair", raw)
            return None
        self._known_keys(place, raw, ("key", "title", "wrong", "values", "repair", "each"))
        key = self._text(f"{place}.key", raw.get("key", _MISSING), _LONGEST_KEY)
        sentences = {
            name: self._in_each_language(f"{place}.{name}", raw.get(name, _MISSING))
            for name in ("title", "wrong", "repair")
        }
        values = self._templates(f"{place}.values", raw["values"]) if "values" in raw else _NO_TEMPLATES
        listed, each = self._each(f"{place}.each", raw["each"]) if "each" in raw else (None, _NO_TEMPLATES)
        title, wrong, repair = sentences["title"], sentences["wrong"], sentences["repair"]
        if key is None or title is None or wrong is None or repair is None or values is None or each is None:
            return None
        texts = {
            lang: GateText(
                title=title[lang], wrong=wrong[lang], values=values[lang], each=each[lang], repair=repair[lang]
            )
            for lang in LANGUAGES
        }
        return Gate(key=key, list=listed, texts=texts)

    def _each(self, place: str, raw: object) -> tuple[str | None, Mapping[Lang, tuple[str, ...]] | None]:
        if not isinstance(raw, dict):
            self._fault(place, "must be a table with list and text", raw)
            return None, None
        self._known_keys(place, raw, ("list", "text"))
        return (
            self._text(f"{place}.list", raw.get("list", _MISSING), _LONGEST_KEY),
            self._templates(f"{place}.text", raw.get("text", _MISSING)),
        )

    def _languages(self, place: str, raw: object, what: str) -> Mapping[str, object] | None:
        """Return the table of languages, None for what is none. Who looks for one that is missing names it."""
        if not isinstance(raw, dict):
            self._fault(place, f"must be a table of {' and '.join(LANGUAGES)}, each {what}", raw)
            return None
        self._known_keys(place, raw, LANGUAGES)
        return raw

    def _in_each_language(self, place: str, raw: object) -> Mapping[Lang, str] | None:
        table = self._languages(place, raw, "a text")
        if table is None:
            return None
        found: dict[Lang, str] = {}
        for lang in LANGUAGES:
            text = self._text(f"{place}.{lang}", table.get(lang, _MISSING), _LONGEST_TEXT)
            if text is None:
                continue
            if _names_a_value(text):
                self._fault(f"{place}.{lang}", "must be plain text: what shows a value stands in values", text)
            found[lang] = text
        return found if len(found) == len(LANGUAGES) else None

    def _templates(self, place: str, raw: object) -> Mapping[Lang, tuple[str, ...]] | None:
        table = self._languages(place, raw, "a list of texts")
        if table is None:
            return None
        found: dict[Lang, tuple[str, ...]] = {}
        named: dict[Lang, list[tuple[tuple[str, ...], ...]]] = {}
        for lang in LANGUAGES:
            one = table.get(lang, _MISSING)
            if not isinstance(one, list) or not 1 <= len(one) <= _MOST_TEMPLATES:
                self._fault(f"{place}.{lang}", f"must be a list of 1 to {_MOST_TEMPLATES} texts", one)
                continue
            checked = [self._template(f"{place}.{lang}[{position}]", text) for position, text in enumerate(one)]
            good = [entry for entry in checked if entry is not None]
            if len(good) < len(checked):
                continue
            found[lang] = tuple(text for text, _ in good)
            named[lang] = [tuple(sorted(paths)) for _, paths in good]
        if len(found) < len(LANGUAGES):
            return None
        first, *others = LANGUAGES
        for other in others:
            if named[other] != named[first]:
                rule = f"must name the same values as {place}.{first}, text by text"
                self._fault(f"{place}.{other}", rule, list(found[other]))
        return found

    def _template(self, place: str, raw: object) -> tuple[str, tuple[tuple[str, ...], ...]] | None:
        text = self._text(place, raw, _LONGEST_TEXT)
        if text is None:
            return None
        try:
            paths = paths_of(text)
        except ValueError as fault:
            self._fault(place, str(fault), text)
            return None
        if not paths:
            self._fault(place, "must name a value, such as {uncaught}: without one it would never be shown", text)
            return None
        return text, paths

    def _text(self, place: str, raw: object, longest: int) -> str | None:
        """Return a text that is not blank, in one line, and that no terminal acts on."""
        if not isinstance(raw, str) or not raw.strip():
            self._fault(place, "must be a text that is not blank", raw)
        elif len(raw) > longest:
            self._fault(place, f"must have at most {longest} characters", f"a text of {len(raw)}")
        elif escape(raw) != raw:
            self._fault(place, "must be one line without control characters", raw)
        else:
            return raw
        return None

    def _known_keys(self, place: str, table: Mapping[str, object], known: Iterable[str]) -> None:
        known = tuple(known)
        for name in table:
            if name not in known:
                where = f"{place}.{shorten(name, 60)}" if place else shorten(name, 60)
                self._fault(where, f"is not a key of this table; {_nearest(name, known, 'its keys are')}", table[name])

    def _fault(self, place: str, rule: str, found: object) -> None:
        from evalgate.faults import MISSING, Fault

        if not isinstance(found, dict | list | str | int | float | bool | None):
            # TOML has dates and times, which JSON cannot spell.
            found = MISSING if found is _MISSING else str(found)
        self._faults.add([Fault(place, rule, found)])


_MISSING = object()
_NO_TEMPLATES: Mapping[Lang, tuple[str, ...]] = dict.fromkeys(LANGUAGES, ())


def _names_a_value(text: str) -> bool:
    """Tell whether a text has something of the form of a placeholder, which nobody would fill in here."""
    try:
        return bool(paths_of(text))
    except ValueError:
        return False
