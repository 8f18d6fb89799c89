"""Gate sets: the one that ships, and what a file of one's own may hold."""

import json
import re
import string
from pathlib import Path

import pytest

from evalgate.loop import gate_set, wording
from evalgate.loop.gate_set import LITTLEJS_NINE, SCHEMA, SHIPPED, GateSetError, find, load, parse, shipped
from evalgate.loop.judging import judge
from evalgate.loop.spelling import paths_of
from evalgate.loop.wording import LANGUAGES, TEXTS, say

NINE = (
    "A_boot",
    "B_uncaught",
    "C_frame",
    "D_render",
    "E_live",
    "F_wiring",
    "G_input",
    "H_progress",
    "I_control",
)


def _both(text):
    return {"en": text, "zh": text}


WHOLE = {
    "schema": SCHEMA,
    "name": "mine",
    "title": _both("t"),
    "gates": [
        {"key": "A", "title": _both("t"), "wrong": _both("w."), "repair": _both("r.")},
        {
            "key": "B",
            "title": _both("t"),
            "wrong": _both("w."),
            "values": _both(["x {x}", "{a.b}"]),
            "repair": _both("r."),
            "each": {"list": "checks", "text": _both(["{path}"])},
        },
    ],
}


def _faults(document):
    with pytest.raises(GateSetError) as caught:
        parse("g.json", document if isinstance(document, bytes) else json.dumps(document).encode())
    return caught.value.faults


def _changed(place, value):
    document = json.loads(json.dumps(WHOLE))
    *path, last = place
    one = document
    for step in path:
        one = one[step]
    if value is None:
        del one[last]
    else:
        one[last] = value
    return document


# --- the set that ships


def test_the_nine_are_there_in_order():
    assert LITTLEJS_NINE.name == "littlejs-nine"
    assert tuple(gate.key for gate in LITTLEJS_NINE.gates) == NINE
    assert tuple(LITTLEJS_NINE.by_key) == NINE
    assert find("littlejs-nine") is shipped("littlejs-nine") is LITTLEJS_NINE


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_set_is_complete_in_both_languages(name):
    for gate in shipped(name).gates:
        assert set(gate.texts) == set(LANGUAGES)
        english, chinese = gate.texts["en"], gate.texts["zh"]
        for text in (english, chinese):
            assert all((text.title, text.wrong, text.repair, text.values))
        assert {text[-1] for text in (english.wrong, english.repair)} == {"."}
        assert {text[-1] for text in (chinese.wrong, chinese.repair)} == {"。"}
        for sentence in (chinese.title, chinese.wrong, chinese.repair):
            assert any("\u4e00" <= letter <= "\u9fff" for letter in sentence), "it was not translated"
            assert sentence not in (english.title, english.wrong, english.repair)


def test_the_values_of_the_specification_are_shown():
    expected = {
        "B_uncaught": {"uncaught"},
        "C_frame": {"f0", "f1", "delta"},
        "D_render": {"bright", "maxCh"},
        "E_live": {"distinctStates"},
        "F_wiring": {"expected", "callCount", "sample"},
        "H_progress": {"latch", "path", "op", "before", "after", "why"},
    }
    for key, names in expected.items():
        text = LITTLEJS_NINE.by_key[key].texts["en"]
        assert names <= {path[0] for one in (*text.values, *text.each) for path in paths_of(one)}, key
    assert LITTLEJS_NINE.by_key["H_progress"].list == "checks"


def test_the_fixed_sentences_are_complete_in_both_languages():
    """Same keys, same placeholders; the singular is English only in form, and both have it."""
    assert set(TEXTS) == set(LANGUAGES)
    assert set(TEXTS["en"]) == set(TEXTS["zh"])
    for key, text in TEXTS["en"].items():
        names = [{name for _, name, _, _ in string.Formatter().parse(one) if name} for one in (text, TEXTS["zh"][key])]
        assert names[0] == names[1], key


def test_a_language_without_texts_is_an_error():
    with pytest.raises(KeyError):
        say("fr", "passed", n=1)  # type: ignore[arg-type]


def test_no_other_name_is_in_the_module():
    with pytest.raises(AttributeError, match="LITTLEJS_TEN"):
        _ = gate_set.LITTLEJS_TEN


# --- a file of one's own


def test_a_whole_document():
    found = parse("g.json", json.dumps(WHOLE).encode())
    assert [gate.key for gate in found.gates] == ["A", "B"]
    assert found.by_key["A"].texts["en"].values == ()
    assert found.by_key["A"].list is None
    assert found.by_key["B"].texts["zh"].values == ("x {x}", "{a.b}")
    assert found.by_key["B"].texts["zh"].each == ("{path}",)
    assert found.by_key["B"].list == "checks"


def test_json_is_told_from_toml_by_its_content(tmp_path):
    toml = f'schema = "{SCHEMA}"\nname = "mine"\ntitle.en = "t"\ntitle.zh = "t"\n'
    for gate in WHOLE["gates"][:1]:
        toml += f'[[gates]]\nkey = "{gate["key"]}"\n'
        toml += "".join(
            f'{name} = {{ en = "{gate[name]["en"]}", zh = "x" }}\n' for name in ("title", "wrong", "repair")
        )
    (tmp_path / "a.json").write_text(toml)
    (tmp_path / "b.toml").write_text("\ufeff\n" + json.dumps(WHOLE))
    assert [gate.key for gate in load(tmp_path / "a.json").gates] == ["A"]
    assert [gate.key for gate in find(str(tmp_path / "b.toml")).gates] == ["A", "B"]


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        (("schema",), "evalgate-gate-set/2", f'schema: must be "{SCHEMA}" (got "evalgate-gate-set/2")'),
        (("schema",), None, f'schema: must be "{SCHEMA}" (missing)'),
        (("name",), None, "name: must be a text that is not blank (missing)"),
        (("name",), " ", 'name: must be a text that is not blank (got " ")'),
        (("name",), "x" * 101, 'name: must have at most 100 characters (got "a text of 101")'),
        (("titel",), "x", 'titel: is not a key of this table; did you mean title? (got "x")'),
        (("zzz",), [1], "zzz: is not a key of this table; its keys are schema, name, title, gates (got an array of 1)"),
        (("title",), "x", 'title: must be a table of en and zh, each a text (got "x")'),
        (("title", "zh"), None, "title.zh: must be a text that is not blank (missing)"),
        (("title", "en"), 3, "title.en: must be a text that is not blank (got 3)"),
        (("title", "fr"), "x", 'title.fr: is not a key of this table; its keys are en, zh (got "x")'),
        (("gates",), [], "gates: must be a list of 1 to 200 gates, each begun with [[gates]] (got an array of 0)"),
        (
            ("gates",),
            {},
            "gates: must be a list of 1 to 200 gates, each begun with [[gates]] (got an object of 0 fields)",
        ),
        (("gates", 0), 1, "gates[0]: must be a table with key, title, wrong, values and repair (got 1)"),
        (("gates", 1, "key"), "A", 'gates[1].key: must be unique; gates[0] has it too (got "A")'),
        (("gates", 0, "key"), "a\nb", 'gates[0].key: must be one line without control characters (got "a\\nb")'),
        (
            ("gates", 0, "wrong", "zh"),
            "\u202ex",
            'gates[0].wrong.zh: must be one line without control characters (got "\u202ex")',
        ),
        (("gates", 0, "repair"), None, "gates[0].repair: must be a table of en and zh, each a text (missing)"),
        (("gates", 0, "reapir"), "x", 'gates[0].reapir: is not a key of this table; did you mean repair? (got "x")'),
        (
            ("gates", 0, "wrong", "en"),
            "it is {x}",
            'gates[0].wrong.en: must be plain text: what shows a value stands in values (got "it is {x}")',
        ),
        (("gates", 1, "values", "zh"), None, "gates[1].values.zh: must be a list of 1 to 20 texts (missing)"),
        (("gates", 1, "values", "zh"), "x {x}", 'gates[1].values.zh: must be a list of 1 to 20 texts (got "x {x}")'),
        (("gates", 1, "values", "zh"), [], "gates[1].values.zh: must be a list of 1 to 20 texts (got an array of 0)"),
        (
            ("gates", 1, "values", "en", 1),
            "plain",
            "gates[1].values.en[1]: must name a value, such as {uncaught}: without one it would never be shown "
            '(got "plain")',
        ),
        (
            ("gates", 1, "values", "en", 0),
            "{x.y!r}",
            "gates[1].values.en[0]: must have braces around field names only, such as {uncaught}; {{ is one brace "
            '(got "{x.y!r}")',
        ),
        (
            ("gates", 1, "values", "zh", 1),
            "{a.c}",
            "gates[1].values.zh: must name the same values as gates[1].values.en, text by text (got an array of 2)",
        ),
        (("gates", 1, "each"), [], "gates[1].each: must be a table with list and text (got an array of 0)"),
        (("gates", 1, "each", "list"), None, "gates[1].each.list: must be a text that is not blank (missing)"),
        (
            ("gates", 1, "each", "text"),
            None,
            "gates[1].each.text: must be a table of en and zh, each a list of texts (missing)",
        ),
    ],
)
def test_a_broken_rule_is_named_with_its_place_and_what_was_found(place, value, fault):
    assert _faults(_changed(place, value)) == (f"g.json: {fault}",)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", 'g.json: schema: must be "evalgate-gate-set/1" (missing)'),
        (b"{", "g.json: line 1 column 2: must be valid JSON, but the text ends here"),
        (b'{"a": 1, "a": 2}', 'g.json: must not have a key twice in one object (got "a")'),
        (b"a = 1\na = 2", "g.json: must be valid TOML, or JSON in braces (Cannot overwrite a value"),
        (b"[1]", "g.json: 1: is not a key of this table; its keys are schema, name, title, gates"),
        (b"[1, 2]", "g.json: must be valid TOML, or JSON in braces ("),
        (b"a = \xff", "g.json: must be UTF-8 text (found byte 0xff in line 1)"),
        (b"a = " + b"[" * 5000, "g.json: must be TOML that is not nested this deep"),
        (b"name = " + b"9" * 5000, "g.json: must be valid TOML, or JSON in braces ("),
        (b"name = 2026-12-01T10:00:00Z", 'g.json: schema: must be "evalgate-gate-set/1" (missing)'),
        (b"name = nan", 'g.json: schema: must be "evalgate-gate-set/1" (missing)'),
    ],
    ids=range(11),
)
def test_what_is_no_gate_set_is_refused(data, fault):
    assert _faults(data)[0].startswith(fault)


def test_of_many_faults_the_first_are_named_and_all_are_counted():
    gates = [{"key": f"g{number}"} for number in range(30)]
    faults = _faults({**WHOLE, "gates": gates})
    assert len(faults) == 21
    assert faults[-1] == "g.json: and 70 more faults"


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        ("littlejs-nin", "littlejs-nin: is no gate set; did you mean littlejs-nine?"),
        ("zzz", "zzz: is no gate set; the sets that ship are littlejs-nine"),
        ("x.toml", "x.toml: no such file"),
        ("./littlejs-nine", "littlejs-nine: no such file"),
        ("folder", "folder: cannot be read (Is a directory)"),
        ("big.toml", "big.toml: is longer than 1 MiB, and not a gate set"),
        ("a\0b", "a\0b: is no gate set; the sets that ship are littlejs-nine"),
        ("./a\0b", "a\0b: cannot be read (embedded null byte)"),
        ("x" * 300, f"{'x' * 60}… (240 more characters): is no gate set; the sets that ship are littlejs-nine"),
        ("y" * 300 + ".toml", f"{'y' * 300}.toml: cannot be read (File name too long)"),
    ],
)
def test_a_set_that_cannot_be_found(wanted, fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "big.toml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(GateSetError) as caught:
        find(wanted)
    assert caught.value.faults == (fault,)


def test_a_name_wins_over_a_file_and_a_path_over_the_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "littlejs-nine").write_text(json.dumps(WHOLE))
    (tmp_path / "mine").write_text(json.dumps(WHOLE))
    assert find("littlejs-nine") is LITTLEJS_NINE
    assert find("./littlejs-nine").name == "mine"
    assert find("mine").name == "mine"


def test_the_set_in_the_documentation_is_one():
    text = (Path(__file__).parents[2] / "docs" / "loop.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    found = parse("loop.md", block.encode())
    guard = {"pass": False, "checks": [{"path": "score", "after": 0, "pass": False}, {"path": "b", "pass": True}]}
    verdict = {"pass": False, "guards": {"F_wiring": {"pass": False, "callCount": 0}, "H_progress": guard}}
    assert judge(verdict, found).feedback == (
        "F_wiring: Sound never played. Measured: 0 calls of –. Play it on a hit.",
        "H_progress: A measure did not move. Measured: score stayed 0. Let play move it.",
    )


def test_wording_has_no_text_that_nobody_says():
    """A sentence that was left behind would be translated for nobody."""
    import inspect

    from evalgate.loop import judging

    source = inspect.getsource(judging).replace("'", '"')
    assert [key for key in wording.TEXTS["en"] if f'"{key.removesuffix("_1")}"' not in source] == []
