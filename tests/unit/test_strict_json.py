"""JSON as RFC 8259 has it."""

import json
from math import inf, nan

import pytest

from evalgate.errors import ReportError
from evalgate.strict_json import decode


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"{}", {}),
        (b"\xef\xbb\xbf{}", {}),
        (b' \n{"a": 1}\r\n ', {"a": 1}),
        (b'"\\ud83d"', "\ud83d"),
        (b'"\\u0000"', "\0"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        ('"é"'.encode(), "é"),
        (b"1e308", 1e308),
        (b"-0", 0),
        (b"true", True),
        (b"[1, 1.0]", [1, 1.0]),
        (b"1" * 300, int("1" * 300)),
        (b"1" * 308, int("1" * 308)),
        (b"1e-999", 0.0),
    ],
)
def test_json_that_is_read(data, value):
    assert decode("r.json", data) == (value, ())


@pytest.mark.parametrize(
    ("data", "value", "shown"),
    [
        (b"NaN", nan, "NaN"),
        (b"Infinity", inf, "Infinity"),
        (b"-Infinity", -inf, "-Infinity"),
        (b"1e999", inf, "1e999"),
        (b"-1E400", -inf, "-1E400"),
        (b"2" + b"0" * 308, inf, "2" + "0" * 39 + "... (309 characters)"),
        (b"1" * 5000, inf, "1" * 40 + "... (5000 characters)"),
        (b"-" + b"1" * 5000, -inf, "-" + "1" * 39 + "... (5001 characters)"),
        (b"0." + b"1" * 5000, inf, "0." + "1" * 38 + "... (5002 characters)"),
    ],
)
def test_numbers_that_are_not_finite_are_kept_apart(data, value, shown):
    found = decode("r.json", data)
    assert (repr(found.value), found.bad_numbers) == (repr(value), (shown,))


def test_numbers_that_are_not_finite_come_in_order():
    found = decode("r.json", b'{"a": [NaN, 1], "b": 1e999}')
    assert (repr(found.value), found.bad_numbers) == (repr({"a": [nan, 1], "b": inf}), ("NaN", "1e999"))


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "r.json: is empty"),
        (b" \n\t", "r.json: is empty"),
        (b"\xff\xfe{\0}\0", "r.json: must be UTF-8 text (found UTF-16)"),
        (b"\xfe\xff\0{\0}", "r.json: must be UTF-8 text (found UTF-16)"),
        (b'{"a": "\xff"}', "r.json: must be UTF-8 text (found byte 0xff at offset 7)"),
        (b"\x89PNG\r\n", "r.json: must be UTF-8 text (found byte 0x89 at offset 0)"),
        (
            b'{"a": ',
            "r.json: line 1 column 7: must be valid JSON, but the text ends here: was the file cut off? "
            "(Expecting value)",
        ),
        (
            b"{'a': 1}",
            "r.json: line 1 column 2: must be valid JSON (Expecting property name enclosed in double quotes)",
        ),
        (b'{"a": 1}\n{"a": 2}', "r.json: line 2 column 1: must be one JSON value and nothing after it (JSON Lines?)"),
        (b"{} x", "r.json: line 1 column 4: must be one JSON value and nothing after it (JSON Lines?)"),
        (b'{"a": .5}', "r.json: line 1 column 7: must be valid JSON (Expecting value)"),
        (b'{"a": 01}', "r.json: line 1 column 8: must be valid JSON (Expecting ',' delimiter)"),
        (b'{"a": "\n"}', "r.json: line 1 column 8: must be valid JSON (Invalid control character at)"),
        (b"[" * 100_000, "r.json: is nested too deeply to be a report"),
        (b'{"a":' * 100_000, "r.json: is nested too deeply to be a report"),
        (b"[" * 100_000 + b"]" * 100_000, "r.json: is nested too deeply to be a report"),
    ],
)
def test_json_that_is_refused(data, fault):
    with pytest.raises(ReportError) as caught:
        decode("r.json", data)
    assert caught.value.faults == (fault,)


@pytest.mark.parametrize("text", ["[1,]", '{"a": 1,}', "// c\n{}", "undefined", '"\\x41"', "+1", "1.", "'a'", "nan"])
def test_json_of_other_dialects_is_refused(text):
    with pytest.raises(ReportError, match=r"^r\.json: line \d+ column \d+: must be "):
        decode("r.json", text.encode())


def test_a_cut_file_is_told_from_a_wrong_one():
    """What was cut in the middle of a string is a broken string to the decoder."""
    whole = json.dumps({"name": "a", "list": [1, 2, {"b": None}]})
    for end in range(1, len(whole)):
        with pytest.raises(ReportError):
            decode("r.json", whole[:end].encode())


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"pass": false, "pass": true}', '"pass"'),
        ('{"a": {"b": [{"c": 1, "c": 1}]}}', '"c"'),
        ('{"a": 1, "\\u0061": 2}', '"a"'),
        (f'{{"{"x" * 50}": 1, "{"x" * 50}": 2}}', f'"{"x" * 40}"'),
    ],
)
def test_a_key_twice_is_refused_where_that_is_asked_for(text, key):
    """By default the later one wins, as in JavaScript: a red in front of a green would not be seen."""
    assert decode("r.json", text.encode()).value
    with pytest.raises(ReportError) as caught:
        decode("r.json", text.encode(), unique_keys=True)
    assert caught.value.faults == (f"r.json: must not have a key twice in one object (got {key})",)


def test_the_same_key_in_two_objects_is_no_key_twice():
    text = b'{"a": {"k": 1}, "b": {"k": 2}, "c": {}}'
    assert decode("r.json", text, unique_keys=True).value == {"a": {"k": 1}, "b": {"k": 2}, "c": {}}
