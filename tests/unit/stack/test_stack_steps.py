"""One table per step of the grammar: each sentence of it, with a text that shows it."""

import pytest

from evalgate.stack import explain, lists, signature
from evalgate.stack.clean import read_page, remove_ansi, utf16_length
from evalgate.stack.naming import function_name
from evalgate.stack.node_frame import RawFrame, is_internal, parse_frame, why_skipped
from evalgate.stack.node_header import Header, parse_header

F = "    at f (/a/b.js:1:2)\n"
G = "    at g (/a/b.js:1:2)\n"
ANON = "    at /a/b.js:1:2\n"
INTERNAL = "    at Object.open (node:fs:1:2)\n"
NODE = "\nNode.js v20.20.2\n"


# Step 1


@pytest.mark.parametrize("text", [None, "", " ", "\n\t \r\n", "\u2028"])
def test_1_empty(text):
    reading = explain(text)
    assert reading.signature is None
    assert reading.why == "The text is empty."


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("abc", 3), ("é\u2028", 2), ("\U0001f600", 2), ("\ud800", 1), ("\ud83d\ude00", 2)]
)
def test_1_utf16_length(text, length):
    assert utf16_length(text) == length


@pytest.mark.parametrize(
    ("length", "expected"), [(7998, "FooError@f"), (7999, "FooError@f"), (8000, "Error@g"), (8192, "Error@g")]
)
def test_1_cut_drops_the_first_line(length, expected):
    text = f"FooError: x\n{F}"
    pad = "y" * (length - len(text) - len(f"Error: \n{G.rstrip()}")) if expected == "Error@g" else ""
    if pad:
        assert signature(f"{text}Error: {pad}\n{G.rstrip()}") == expected
    else:
        assert signature(text + "z" * (length - len(text))) == expected


def test_1_length_is_counted_in_utf16_units():
    assert signature(f"FooError: x\n{F}" + "\U0001f600" * 3970) == "FooError@f"
    assert signature(f"FooError: x\n{F}" + "\U0001f600" * 3990) is None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[31ma\x1b[0m", "a"),
        ("\x1b[1;38;5;200ma\x1b[?25h", "a"),
        ("\x1b]8;;http://x\x07a\x1b]8;;\x07", "a"),
        ("\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\", "a"),
        ("\x1b]0;never closed\nError: x", "0;never closed\nError: x"),
        ("\x1b7a\x1b8\x1bc", "a"),
        ("\x1b(Ba", "a"),
        ("no escape", "no escape"),
        ("\x1b", "\x1b"),
    ],
)
def test_1_ansi(text, plain):
    assert remove_ansi(text) == plain


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb", ["a", "b"]),
        ("a\r\nb", ["a", "b"]),
        ("a\r\r\nb", ["a", "b"]),
        ("a\rb", ["a", "b"]),
        ("a\r\rb", ["a", "", "b"]),
        ("a\u2028b\u2029c", ["a", "b", "c"]),
        ("a\x0bb\x85c", ["a\x0bb\x85c"]),
        ("a \t\nb", ["a", "b"]),
        ("a\n    \nb", ["a", "    ", "b"]),
    ],
)
def test_1_lines(text, lines):
    assert read_page(text).lines == lines


# Steps 2 and 10


@pytest.mark.parametrize("word", ["ABC", "E2BIG", "ERR_X", "ERR_MODULE_NOT_FOUND", "A1_2B", "A" * 64])
def test_2_code(word):
    assert lists.is_code(word)


@pytest.mark.parametrize("word", ["", "AB", "Abc", "abc", "_AB", "AB_", "A__B", "1AB", "A" * 65, "A B", "ÄÖÜ"])
def test_2_no_code(word):
    assert not lists.is_code(word)


def test_10_lists():
    assert len(lists.ERRNO) == 104
    assert {"ENOENT", "ENOTFOUND", "EAI_AGAIN", "EOF", "UNKNOWN", "EDQUOT"} <= lists.ERRNO
    assert len(lists.GENERIC) == 47
    assert {"Error", "DOMException", "ERR_ASSERTION", "UNKNOWN", "OSError"} <= lists.GENERIC
    assert not {"FileNotFoundError", "ModuleNotFoundError", "JSONDecodeError"} & lists.GENERIC


# Step 3


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Error: x", Header("message", "Error", "", "x")),
        ("Error:", Header("message", "Error", "", "")),
        ("Error", Header("alone", "Error", "", "")),
        ("$My_Error2Error: a: b", Header("message", "$My_Error2Error", "", "a: b")),
        ("ÜberError: x", Header("message", "ÜberError", "", "x")),
        ("YAMLException: x", Header("message", "YAMLException", "", "x")),
        ("TypeError [ERR_X]: x", Header("message", "TypeError", "ERR_X", "x")),
        ("TypeError [ERR_X]", Header("alone", "TypeError", "ERR_X", "")),
        ("Quota [QuotaError]: x", Header("message", "Quota", "QuotaError", "x")),
        ("Foo [E_CODE]: x", Header("message", "Foo", "E_CODE", "x")),
        ("[Error: x]", Header("brackets", "Error", "", "x")),
        ("[Error: x] y]", Header("brackets", "Error", "", "x] y")),
        ("[Foo [BAR]: x]", Header("brackets", "Foo", "BAR", "x")),
        ("[Error: x] {", Header("brackets", "Error", "", "x", opens_dump=True)),
        ("[Error: x] { a: 1 }", Header("brackets", "Error", "", "x", dump="{ a: 1 }")),
        ("[Error: a] { b } c] { a: 1 }", Header("brackets", "Error", "", "a] { b } c", dump="{ a: 1 }")),
        ("[Error: x] { a: { b: 1 } }", Header("brackets", "Error", "", "x", dump="{ a: { b: 1 } }")),
        ("<ref *12> Error: x", Header("message", "Error", "", "x")),
        ("dsh: fatal load failure: Error: x", Header("message", "Error", "", "x")),
        ("dsh: fatal load failure: <ref *1> [Error: x]", Header("brackets", "Error", "", "x")),
    ],
)
def test_3_header(text, header):
    assert parse_header(text) == header


@pytest.mark.parametrize(
    "text",
    [
        "",
        " Error: x",
        "Error:x",
        "Error : x",
        "error: x",
        "Summary: x",
        "Foo [bar]: x",
        "Foo [AB]: x",
        "java.lang.Error: x",
        "main.ts: Error: x",
        "turn failed: Error: x",
        "Error [ERR X]: x",
        "Error [ERR_X] x",
        "Errors: x",
        "ErrorCode: x",
        "1Error: x",
        "[Error: x",
        "[Error]",
        "[Error: x]{",
        "[Error: x] }",
        "[Error: x] y",
        "{Error: x]",
        "dsh: Error: x",
        "<ref 1> Error: x",
        "Uncaught Error: x",
    ],
)
def test_3_no_header(text):
    assert parse_header(text) is None


def test_3_a_word_alone_needs_a_frame_below():
    assert signature(f"FooError\n{F}") == "FooError@f"
    assert signature("FooError\nfoo") is None
    assert signature(f"FooError\n\n{F}") is None


# Step 4


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("    at f (/a.js:1:2)", ("f", "/a.js:1:2")),
        ("\tat f (/a.js:1)", ("f", "/a.js:1")),
        ("at f (native)", ("f", "native")),
        (" at async f (a:1:2)", ("f", "a:1:2")),
        (" at async Promise.all (index 3)", ("Promise.all", "index 3")),
        (" at JSON.parse (<anonymous>)", ("JSON.parse", "<anonymous>")),
        (" at f (wasm://x)", ("f", "wasm://x")),
        (" at new F (/a.js:1:2)", ("F", "/a.js:1:2")),
        (" at async new F (/a.js:1:2)", ("F", "/a.js:1:2")),
        (" at T.f [as g] (/a.js:1:2)", ("T.f", "/a.js:1:2")),
        (" at set x [as x] (/a.js:1:2)", ("set x", "/a.js:1:2")),
        (" at my tool (v2) (/a.js:1:2)", ("my tool", "v2) (/a.js:1:2")),
        (" at f (/my dir (copy)/a.js:1:2)", ("f", "/my dir (copy)/a.js:1:2")),
        (" at f (eval at g (/a.js:1:2), <anonymous>:3:4)", ("f", "eval at g (/a.js:1:2), <anonymous>:3:4")),
        (" at [Symbol.iterator] (/a.js:1:2)", ("[Symbol.iterator]", "/a.js:1:2")),
        (" at /my dir (copy)/a.js:1:2", ("", "/my dir (copy)/a.js:1:2")),
        (" at async /a.js:1:2", ("", "/a.js:1:2")),
        (" at <anonymous>", ("", "<anonymous>")),
        (" at native", ("", "native")),
        (" at wasm://wasm/0a:wasm-function[0]:0x20", ("", "wasm://wasm/0a:wasm-function[0]:0x20")),
    ],
)
def test_4_frame(text, frame):
    for tail in ("", " {"):
        found = parse_frame(text + tail)
        assert found is not None
        assert (found.name, found.location) == frame
        assert found.opens_dump is bool(tail)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "at",
        " at ",
        " at f",
        " at /a.js:1",
        " at /a.js:1:",
        " at :1:2",
        " at f ()",
        " at f (x)",
        " at f (/a.js)",
        " at  (/a.js:1:2)",
        " at f(Main.java:1)",
        " at f (index x)",
        " at f (index ²)",
        " at f (:1)",
        " At f (/a.js:1:2)",
        " attach f (/a.js:1:2)",
        "    at P.Main () [0x00000] in <7a>:0",
        "x at f (/a.js:1:2)",
    ],
)
def test_4_no_frame(text):
    assert parse_frame(text) is None


@pytest.mark.parametrize(
    "location", ["node:fs:1:2", "internal/x.js:1:2", "bun:main:1:2", "ext:x:1:2", "native", "native:1:2", "wasm://x",
                 "<anonymous>", "index 0"]
)  # fmt: skip
def test_4_internal(location):
    assert is_internal(location)


@pytest.mark.parametrize(
    "location",
    ["/a/node_modules/x/i.js:1:2", "evalmachine.<anonymous>:1:1", "index x:1:1", "fs.js:1:2", "C:\\a.js:1:2"],
)
def test_4_application(location):
    assert not is_internal(location)


@pytest.mark.parametrize(
    ("name", "skipped"),
    [
        ("f", ""),
        ("T.f", ""),
        ("#f", ""),
        ("T.<anonymous>", ""),
        ("a.Foo.<anonymous>", ""),
        ("Foo.<computed>", ""),
        ("T.[Symbol.iterator]", ""),
        ("step", ""),
        ("tools/call", ""),
        ("Socket", ""),
        ("", "bare location, no name"),
        ("<anonymous>", "no name of its own"),
        ("default", "no name of its own"),
        ("Timeout._onTimeout", "no name of its own"),
        ("<static_initializer>", "no name of its own"),
        ("__awaiter", "helper of a compiler"),
        ("asyncGeneratorStep", "helper of a compiler"),
        ("[Symbol.asyncIterator]", "protocol method without its class"),
        ("Socket.<anonymous>", "unnamed callback of the platform"),
        ("a.Object.<anonymous>", "unnamed callback of the platform"),
        ("Object../src/index.js", "name is a path or ends in a line number"),
        ("webpack://x", "name is a path or ends in a line number"),
        ("f:12", "name is a path or ends in a line number"),
    ],
)
def test_4_unnamed(name, skipped):
    frame = RawFrame(name, "/a.js:1:2", constructs=False, opens_dump=False)
    assert why_skipped(frame, own_names=("Error", ""), driven=False) == skipped


@pytest.mark.parametrize("resume", ["Generator.next", "walk.throw", "Generator.return"])
@pytest.mark.parametrize("driver", sorted(lists.DRIVER))
def test_4_driver_counts_only_directly_below_a_generator(resume, driver):
    builtin = f"    at {resume} (<anonymous>)\n"
    frame = f"    at {driver} (/a.js:1:2)\n"
    assert signature(f"FooError: x\n{builtin}{frame}{F}") == "FooError@f"
    if driver not in lists.HELPER:
        assert signature(f"FooError: x\n{frame}{F}") == f"FooError@{driver}"
        assert signature(f"FooError: x\n{builtin}{ANON}{frame}{F}") == f"FooError@{driver}"
        assert signature(f"FooError: x\n    at Generator.next (/a.js:1:1)\n{frame}") == "FooError@Generator.next"


def test_4_driver_below_a_driver():
    chain = "    at Generator.next (<anonymous>)\n    at asyncGeneratorStep (/a:1:1)\n    at _next (/a:1:1)\n"
    assert signature(f"FooError: x\n{chain}{F}") == "FooError@f"


@pytest.mark.parametrize("header", ["StateError: x", "State [StateError]: x", "StateError [E_STATE]: x"])
def test_4_own_constructor(header):
    own = "    at new StateError (/a.js:1:2)\n"
    for frame, name in [(own, "f"), (own.replace("new ", ""), "StateError"), ("    at new Store (/a:1:2)\n", "Store")]:
        assert str(signature(f"{header}\n{frame}{F}")).partition("@")[2] == name


# Step 5

STOPS = [
    "TypeError: y",
    "[TypeError: y]",
    "Traceback (most recent call last):",
    '  File "/a.py", line 1, in g',
    '  File "/a.py", line 1',
    "  + Exception Group Traceback (most recent call last):",
    "(node:12) Warning: y",
    "(Use `node --trace-warnings ...` to show where the warning was created)",
    "Trace: y",
    "Thrown at:",
    "Uncaught:",
    "Emitted 'error' event at:",
    "Node.js v20",
    "turn failed: TypeError: y",
    "x Error [y",
    "x FooException: y",
    "x Exception [y",
]


@pytest.mark.parametrize("stop", STOPS)
def test_5_frames_below_a_stop_are_nobodys(stop):
    reading = explain(f"QuotaError: x\n{stop}\nlog\n{F}")
    assert reading.signature in ("QuotaError", "TypeError@f")
    assert reading.blocks[0].frames == ()


@pytest.mark.parametrize(
    "line", ["y", "", "  y", "[cause]: x", "node:12 y", "Use `x", "a Trace: y", "ERROR: y", "errors: y", "warning: y"]
)
def test_5_other_lines_are_message(line):
    assert signature(f"QuotaError: x\n{line}\n{F}") == "QuotaError@f"


@pytest.mark.parametrize(("lines", "expected"), [(0, "FooError@f"), (200, "FooError@f"), (201, "FooError")])
def test_5_message_length(lines, expected):
    assert signature("FooError: x\n" + "m\n" * lines + F) == expected


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("    ... 12 lines matching cause stack trace ...\n", "FooError@g"),
        ("    -> /src/a.ts:1:2\n", "FooError@g"),
        ("", "FooError@g"),
        ("\n", "FooError"),
        ("text\n", "FooError"),
        ("    at f\n", "FooError"),
        ("    ... 12 lines\n", "FooError"),
    ],
)
def test_5_frame_run(between, expected):
    assert signature(f"FooError: x\n{INTERNAL}{between}{G}") == expected


def test_5_frames_belong_to_the_lowest_header():
    assert signature(f"FooError: x\nBarError: y\n{F}") == "BarError@f"
    assert signature(f"{F}FooError: x\n") == "FooError"


def test_5_brackets_have_no_frames():
    assert signature(f"[FooError: x]\n{F}") == "FooError"


@pytest.mark.parametrize("instance", ["", " on Socket instance", " on My Thing instance"])
def test_5_emitted(instance):
    dump = "    at g (/a.js:1:2) {\n  code: 'E_CODE'\n}\n"
    assert signature(f"Error: x\n{INTERNAL}Emitted 'error' event{instance} at:\n{dump}{NODE}") == "E_CODE"
    assert signature(f"Error: x\n{F}Emitted 'error' event{instance} at:\n{dump}{NODE}") == "E_CODE@f"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  code: 'E_CODE',", "E_CODE@f"),
        ('  code: "E_CODE"', "E_CODE@f"),
        ("  code: 'E_CODE'", "E_CODE@f"),
        ("   code: 'E_CODE'", "Error@f"),
        ("    code: 'E_CODE'", "Error@f"),
        (" code: 'E_CODE'", "Error@f"),
        ("code: 'E_CODE'", None),
        ("  code: E_CODE", "Error@f"),
        ("  code: 'e_code'", "Error@f"),
        ("  code: 'E_CODE\"", "Error@f"),
        ("  code: 'E_CODE' x", "Error@f"),
        ("  code: 42,", "Error@f"),
        ("  'code': 'E_CODE'", "Error@f"),
        ("  errorcode: 'E_CODE'", "Error@f"),
        ("  [errors]: [ { code: 'E_CODE' } ]", "Error@f"),
    ],
)
def test_5_own_code(line, expected):
    assert signature(f"Error: x\n    at f (/a.js:1:2) {{\n  a: 1,\n{line}\n}}{NODE}") == expected


def test_5_dump_only_where_one_opens():
    assert signature(f"Error: x\n{F}  code: 'E_CODE'\n}}\n") == "Error@f"
    assert signature("[Error: x]\n  code: 'E_CODE'\n}\n") is None
    assert signature("[Error: x] {\n  code: 'E_CODE'\n}\n") == "E_CODE"
    assert signature("Error: x {\n  code: 'E_CODE'\n}\n") is None


def test_5_dump_ends_at_the_brace_and_at_foreign_lines():
    opened = "Error: x\n    at f (/a.js:1:2) {\n"
    assert signature(f"{opened}}}\n  code: 'E_CODE'\n") == "Error@f"
    assert signature(f"{opened}  a: 1,\n\n  code: 'E_CODE'\n}}{NODE}") == "E_CODE@f"
    assert signature(f"{opened}log line\n  code: 'E_CODE'\n}}\n") == "Error@f"
    assert signature(f"{opened}log line\n  code: 'E_CODE'\n}}{NODE}") is None


@pytest.mark.parametrize(
    ("dump", "expected"),
    [
        ("{ code: 'E_CODE' }", "E_CODE"),
        ("{ a: 1, code: 'E_CODE', b: 2 }", "E_CODE"),
        ('{ code: "E_CODE" }', "E_CODE"),
        ("{ a: 'it', code: 'E_CODE' }", "E_CODE"),
        ("{ a: [], code: 'E_CODE' }", None),
        ("{ a: { code: 'E_CODE' } }", None),
        ("{ a: \"x, code: 'E_CODE'\" }", None),
        ("{ a: 'x\\', code: ', code: 'E_CODE' }", "E_CODE"),
        ("{ xcode: 'E_CODE' }", None),
        ("{ code: 12 }", None),
        ("{ code: `E_CODE` }", None),
    ],
)
def test_5_code_on_one_line(dump, expected):
    assert signature(f"[Error: x] {dump}") == expected


CAUSE = "Error: outer\n    at f (/a.js:1:2) {\n"


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        ("  [cause]: FooError: x\n      at g (/a.js:1:2)\n}", "FooError@g"),
        ("  cause: FooError: x\n      at g (/a.js:1:2)\n}", "FooError@g"),
        ("  [cause]: FooError\n      at g (/a.js:1:2)\n}", "FooError@g"),
        ("  [cause]: [FooError: x]\n}", "FooError@f"),
        ("  [cause]: [Error: x] { code: 'E_CODE' }\n}", "E_CODE@f"),
        ("  [cause]: [Error: x] {\n    code: 'E_CODE'\n  }\n}", "E_CODE@f"),
        ("  [cause]: Error: x\n      at g (/a.js:1:2) {\n    code: 'E_CODE'\n  }\n}", "E_CODE@g"),
        ("  [cause]: Error: x\n      at g (/a.js:1:2) {\n  code: 'E_CODE'\n  }\n}", "Error@g"),
        ("  code: 'E_CODE',\n  [cause]: Error: x\n      at g (/a.js:1:2)\n}", "Error@g"),
        ("  [cause]: Error: x\n  more\n      at g (/a.js:1:2)\n}", "Error@g"),
        ("  [cause]: Error: x\n\n      at g (/a.js:1:2)\n}", "Error@g"),
        ("  [cause]: Error: x\n      at g (node:x:1:2)\n}", "Error@f"),
        ("  [cause]: Error: x\n  TypeError: y\n      at g (/a.js:1:2)\n}", "Error@f"),
        ("  [cause]: { code: 'E_CODE' }\n}", "Error@f"),
        ("  [cause]: 'Error: x'\n}", "Error@f"),
        ("    [cause]: FooError: x\n      at g (/a.js:1:2)\n}", "Error@f"),
        ("[cause]: FooError: x\n      at g (/a.js:1:2)\n}", None),
        ("  reason: FooError: x\n      at g (/a.js:1:2)\n}", "Error@f"),
        ("  [errors]: [\n    FooError: x\n        at g (/a.js:1:2)\n  ]\n}", "Error@f"),
        ("  a: Error: x\n  code: 'E_CODE'\n      at g (/a.js:1:2)\n}", "Error@f"),
        ("  a: Error: x\n      at g (/a.js:1:2),\n  code: 'E_CODE'\n}", "Error@f"),
        ("  a: Error: x\n      at g (/a.js:1:2)\n      at h (/a.js:1:2),\n  code: 'E_CODE'\n}", "E_CODE@f"),
    ],
)
def test_5_cause(cause, expected):
    assert signature(f"{CAUSE}{cause}{NODE}") == expected


def test_5_cause_of_a_cause():
    inner = "    [cause]: Error: c\n        at h (/a.js:1:2) {\n      code: 'E_CODE'\n    }\n  }\n}"
    assert signature(f"{CAUSE}  [cause]: Error: b\n      at g (/a.js:1:2) {{\n{inner}{NODE}") == "E_CODE@h"


@pytest.mark.parametrize("end", ["", NODE])
def test_5_what_stands_in_the_message_of_a_cause_is_no_block_of_the_text(end):
    assert signature(f"{CAUSE}  [cause]: Error: x\n  TypeError: y\n      at g (/a.js:1:2)\n}}{end}") == "Error@f"


def test_5_a_dsh_line_in_an_endless_message_is_not_embedded():
    reading = explain("Error: x\n" + "m\n" * 150 + "dsh: AUTH: y\n" + "\n" * 100 + F)
    assert reading.signature == "AUTH"
    assert reading.blocks[0].signature is None


def test_5_a_cause_needs_its_owner():
    assert signature("  [cause]: FooError: x\n      at g (/a.js:1:2)\n}\n") is None


def test_5_a_brace_with_a_comma_ends_a_cause():
    dump = "  [cause]: Error: x\n      at g (/a.js:1:2) {\n    a: 1\n  },\n  code: 'E_CODE'\n}"
    reading = explain(f"{CAUSE}{dump}{NODE}")
    assert reading.signature == "Error@g"
    assert reading.blocks[0].code == "E_CODE"


CHILD = f"FooError: y\n{F}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Error: Command failed\n{CHILD}\n{G}{NODE}", "FooError@f"),
        (f"Error: Command failed\n{CHILD}{NODE}\n{G}{NODE}", "FooError@f"),
        (f"Error: Command failed\n{CHILD}{NODE}\n{G}", "FooError@f"),
        (f"Error: Command failed\nError: y\n{ANON}\n{G}{NODE}", "Error@g"),
        (f"Error: Command failed\nError: y\n{ANON}{NODE}\n{G}{NODE}", "Error@g"),
        (f"Error: Command failed\nError: y\n{ANON}{NODE}\n{G}", "Error@g"),
        (f"Error: Command failed\nError: y\n{ANON}\n    at g (/a:1:2) {{\n  code: 'E_CODE'\n}}{NODE}", "E_CODE@g"),
        (f"Error: Command failed\n{CHILD}log\n{G}{NODE}", None),
        (f"Error: Command failed\n{CHILD}log\n{G}", "FooError@f"),
        (f"{CHILD}\n{G}{NODE}", None),
        (f"Error: a\nError: b\n{CHILD}\n{G}\n    at h (/a:1:2)\n{NODE}", "FooError@f"),
        (f"Error: a\n(node:1) Warning: w\n{CHILD}\n{G}{NODE}", "FooError@f"),
        (f"Error: a\n[Error: y]\n\n{G}{NODE}", "Error@g"),
        (f"Error: a\n[FooError: y]\n\n{G}{NODE}", "FooError"),
        (f"Error: a\n[Error: y] {{\n  code: 'E_CODE'\n}}\n\n{G}{NODE}", "E_CODE"),
        (f"Error: a\ndsh: QUOTA: y\n\n{G}{NODE}", "QUOTA"),
        (f"Error: a\ndsh: QUOTA: y\n{NODE}\n{G}{NODE}", "QUOTA"),
        (f"Error: a\ndsh: QUOTA: y\nmore\n{G}{NODE}", "Error@g"),
        (f"Error: a\ndsh: QUOTA: y\n{NODE}", "QUOTA"),
        (f"Error: a\ndsh: UNKNOWN: y\n\n{G}{NODE}", "Error@g"),
        (
            'Error: a\nTraceback (most recent call last):\n  File "/a.py", line 1, in p\nKeyError: 1\n\n' + G + NODE,
            "KeyError@p",
        ),
        (f'Error: a\n  File "/a.py", line 1\n    (\nSyntaxError: y\n\n{G}{NODE}', "SyntaxError"),
    ],
)
def test_5_embedded(text, expected):
    assert signature(text) == expected


# Step 6

TB = "Traceback (most recent call last):\n"


def _file(function, path="/a/b.py"):
    return f'  File "{path}", line 1, in {function}\n    x\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TB + _file("<module>") + _file("f") + "KeyError: 'x'", "KeyError@f"),
        (TB + _file("f") + "KeyError", "KeyError@f"),
        (TB + _file("f") + "KeyError:", "KeyError@f"),
        (TB + _file("f") + "a.b.ToolTimeout: x: y", "ToolTimeout@f"),
        (TB + _file("f") + "make.<locals>.FooError: x", "FooError@f"),
        (TB + _file("f") + "make.<locals>: x", None),
        (TB + _file("f") + "KeyError:x", None),
        (TB + _file("f") + "not a class", None),
        (TB + _file("f") + "\nKeyError: x", None),
        (TB + _file("f") + "    \n    ^\nKeyError: x", "KeyError@f"),
        (TB + _file("f"), None),
        (TB + "KeyError: x", None),
        (TB + "FooError: x", "FooError"),
        (TB + "FooException: x", None),
        (TB + "done", None),
        (TB + "    x\ndone: y", None),
        ("x " + TB + _file("f") + "KeyError: x", "KeyError@f"),
        (TB + _file("f") + _file("<lambda>") + "KeyError: x", "KeyError@f"),
        (TB + _file("f") + _file("__init__") + "KeyError: x", "KeyError@f"),
        (TB + _file("f") + _file("/x/y.js") + "KeyError: x", "KeyError@f"),
        (TB + _file("f") + _file("__private") + "KeyError: x", "KeyError@__private"),
        (TB + _file("<module>") + "FooError: x", "FooError"),
        (TB + _file("<module>") + "KeyError: x", None),
        (TB + _file("f") + "KeyboardInterrupt", None),
        (TB + _file("f") + "SystemExit: 1", None),
        (TB + _file("f") + "GeneratorExit", None),
        (TB + _file("f") + '  File "/b.py", line 1\n    (\nSyntaxError: x', "SyntaxError@f"),
        (TB + _file("<module>") + '  File "/b.py", line 1\n    (\nSyntaxError: x', "SyntaxError"),
        (TB + _file("<module>") + "SyntaxError: x", None),
        (TB + _file("f") + "OSError: [Errno 28] ENOSPC: x", "OSError@f"),
        ("    " + TB.strip() + "\n    " + _file("f") + "    KeyError: x\nDone: y", None),
    ],
)
def test_6_traceback(text, expected):
    if text.startswith("x "):
        text = text.replace("x ", "Exception in thread T:\n", 1)
    assert signature("log\n" + text) == expected


@pytest.mark.parametrize(
    ("path", "internal"),
    [
        ("<frozen importlib._bootstrap>", True),
        ("/usr/lib/python3.11/json/x.py", True),
        ("/usr/lib/python3/x.py", True),
        ("lib/python2.7/x.py", True),
        ("C:\\Python311\\Lib\\json\\x.py", True),
        ("C:\\hostedtoolcache\\windows\\Python\\3.11.7\\x64\\Lib\\json\\x.py", True),
        ("/usr/lib/python3.11/site-packages/x.py", False),
        ("/usr/lib/python3/dist-packages/x.py", False),
        ("C:\\Python311\\Lib\\site-packages\\x.py", False),
        ("/app/lib/python/x.py", False),
        ("/app/mylib/python3.11/x.py", False),
        ("C:\\work\\Lib\\x.py", False),
        ("<string>", False),
        ("/app/x.py", False),
    ],
)
def test_6_internal(path, internal):
    text = TB + _file("f") + _file("g", path) + "KeyError: x"
    assert signature(text) == ("KeyError@f" if internal else "KeyError@g")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('File "/a.py", line 1\n    (\n    ^\nSyntaxError: x', "SyntaxError"),
        ('log\n  File "/a.py", line 1\n    (\n    ^\nIndentationError: x', "IndentationError"),
        ('log\nFile "/a.py", line 1\n    (\n    ^\nSyntaxError: x', None),
        ('log\n    File "/a.py", line 1\n    (\n    ^\nSyntaxError: x', None),
        ('log\n  File "/a.py", line 1\n    (\n    ^\nNote: x', None),
        ('log\n  File "/a.py", line 1, in f\n    x\nKeyError: x', "KeyError@f"),
        ('log\n  File "/a.py", line 1, in <module>\n    x\nFooError: x', None),
        ('log\n  File "/usr/lib/python3.11/a.py", line 1, in f\n    x\nFooError: x', None),
        ('log\n  File "/a.py", line 1, in f\n    x\nINFO: x', None),
        ('log\n  File "/a.py", line 1, in f\n    x\ndone', None),
        ('Stack (most recent call last):\n  File "/a.py", line 1, in f\n    x\nFooError: x', "FooError"),
        ('log\n  File "/a.py", line 1 in f\n    x\nKeyError: x', None),
    ],
)
def test_6_headless(text, expected):
    assert signature(text) == expected


CUT = "z" * 10 + "\n"
REST = "\n[log] " + "z" * 8000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_file("f") + "KeyError: x", "KeyError@f"),
        (_file("f") + "ToolTimeout: x", "ToolTimeout@f"),
        (_file("f") + "INFO: x", None),
        ("    x\n" + _file("f") + "ToolTimeout: x", "ToolTimeout@f"),
        ("log\n" + _file("f") + "ToolTimeout: x", None),
        ("    x\nFooError: x", None),
        (f"    x\nFooError: x\n\n{F}", None),
        (f"FooError: x\n\n{F}", None),
        (f"FooError: x\n{F}", "FooError@f"),
        (f"{F}FooError: x\n{G}", "FooError@g"),
        (f"    ^\nTypeError [E_CODE]: x\n{F}", "E_CODE@f"),
        ("FooError: x", None),
        ("log\nFooError: x", "FooError"),
        ("FooError [E_CODE]: x", "E_CODE"),
        ('  File "/a.py", line 1\n    (\nSyntaxError: x', None),
        ('log\n  File "/a.py", line 1\n    (\nSyntaxError: x', "SyntaxError"),
    ],
)
def test_6_headless_at_the_start_of_a_cut_text(text, expected):
    assert signature(CUT + text + REST) == expected


DIRECT = "\nThe above exception was the direct cause of the following exception:\n\n"
DURING = "\nDuring handling of the above exception, another exception occurred:\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TB + _file("f") + "KeyError: x\n" + DIRECT + TB + _file("g") + "FooError: y", "KeyError@f"),
        (TB + _file("f") + "KeyError: x\nmore\n" + DIRECT + TB + _file("g") + "FooError: y", "KeyError@f"),
        (TB + _file("<module>") + "KeyError: x\n" + DIRECT + TB + _file("g") + "FooError: y", "KeyError@g"),
        (TB + _file("f") + "KeyError: x\n" + DURING + TB + _file("g") + "FooError: y", "FooError@g"),
        (TB + _file("f") + "KeyError: x\n" + DIRECT + "log\n" + TB + _file("g") + "FooError: y", "FooError@g"),
        ("KeyError: x\n" + DIRECT + TB + _file("g") + "FooError: y", None),
        (TB + _file("f") + "no class\n" + DIRECT + TB + _file("g") + "FooError: y", None),
        (TB + _file("f") + "KeyboardInterrupt\n" + DIRECT + TB + _file("g") + "FooError: y", None),
        (TB + _file("f") + "A: x\n" + DURING + TB + _file("g") + "B: y\n" + DIRECT + TB + _file("h") + "C: z", "B@g"),
        (TB + _file("f") + "A: x\n" + DIRECT + TB + _file("g") + "B: y\n" + DURING + TB + _file("h") + "C: z", "C@h"),
        (TB + _file("f") + "A: x\n" + DIRECT + TB + _file("g") + "B: y\n" + DIRECT + TB + _file("h") + "C: z", "A@f"),
    ],
)
def test_6_chain(text, expected):
    assert signature(text) == expected


GROUP = "  + Exception Group Traceback (most recent call last):\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GROUP + '  |   File "/a.py", line 1, in f\n  |     x\n  | ExceptionGroup: y (1 sub)\n', "ExceptionGroup@f"),
        (
            GROUP + '  |   File "/a.py", line 1, in f\n  |     x\n  |\n  | ExceptionGroup: y (1 sub)\n',
            "ExceptionGroup@f",
        ),
        (GROUP + '  |   File "/a.py", line 1, in <module>\n  | ExceptionGroup: y\n', None),
        (GROUP + '  |   File "/a.py", line 1, in f\nKeyError: y\n', None),
        ("| Traceback (most recent call last):\n" + '  |   File "/a.py", line 1, in f\n  | KeyError: y\n', None),
        (
            GROUP
            + '  |   File "/a.py", line 1, in f\n  | ExceptionGroup: y\n  +-+---------------- 1 ----------------\n'
            + '    | Traceback (most recent call last):\n    |   File "/a.py", line 1, in g\n    | KeyError: 1\n'
            + "    +------------------------------------\n",
            "ExceptionGroup@f",
        ),
    ],
)
def test_6_group(text, expected):
    assert signature("log\n" + text) == expected
    assert signature(text.strip()) == expected


# Step 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dsh: AUTH: x", "AUTH"),
        ("dsh: RATE_LIMIT:", "RATE_LIMIT"),
        ("dsh: UNKNOWN: x", None),
        ("dsh: auth: x", None),
        ("dsh: AU: x", None),
        ("dsh: AUTH x", None),
        ("dsh: AUTH:x", None),
        (" dsh: AUTH: x", None),
        ("[dsh] AUTH: x", None),
        ("dsh: ENOENT: x\n" + F, "ENOENT"),
    ],
)
def test_7_dsh_line(text, expected):
    assert signature(f"log\n{text}") == expected


# Step 8


@pytest.mark.parametrize(
    ("header", "code", "source"),
    [
        ("TypeError [ERR_X]: ENOENT: x", "ERR_X", "tag in the header"),
        ("Error: ENOENT: x", "ENOENT", "errno in the message"),
        ("Error: ENOTFOUND: x", "ENOTFOUND", "errno in the message"),
        ("Quota [QuotaError]: ENOENT: x", "ENOENT", "errno in the message"),
        ("Error: connect ENOENT: x", "OWN_CODE", "own code property"),
        ("Error: ENOENT", "OWN_CODE", "own code property"),
        ("Error: ENOENT:x", "OWN_CODE", "own code property"),
        ("Error: EFAKE: x", "OWN_CODE", "own code property"),
        ("Quota [QuotaError]: x", "OWN_CODE", "own code property"),
    ],
)
def test_8_code_with_a_property(header, code, source):
    reading = explain(f"{header}\n    at f (/a.js:1:2) {{\n  code: 'OWN_CODE'\n}}")
    assert reading.signature == f"{code}@f"
    assert reading.blocks[0].code_source == source


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("Quota [QuotaError]: x", "QuotaError"),
        ("TypeError [QuotaError]: x", "QuotaError"),
        ("TypeError [Error]: x", "TypeError"),
        ("FooError [TypeError]: x", "FooError"),
        ("Foo [Error]: x", "Foo"),
        ("FooError [bar]: x", "FooError"),
        ("DOMException [AbortError]: x", "AbortError"),
    ],
)
def test_8_code_of_the_header(header, code):
    assert signature(f"{header}\n{F}") == f"{code}@f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"FooError: x\n{ANON}", "FooError"),
        ("FooError: x", "FooError"),
        (f"FooException: x\n{ANON}", "FooException"),
        ("FooException: x", None),
        ("FooException: ENOENT: x", None),
        ("[FooException: x]", None),
        (f"Error: x\n{ANON}", None),
        (f"SyntaxError: x\n{INTERNAL}", "SyntaxError"),
        (f"SyntaxError: x\n{INTERNAL}{ANON}", None),
        ("SyntaxError: x", None),
        (f"TypeError: x\n{INTERNAL}", None),
        (f"Error [ERR_ASSERTION]: x\n{ANON}", None),
        (f"Error [ERR_ASSERTION]: x\n{F}", "ERR_ASSERTION@f"),
    ],
)
def test_8_code_alone(text, expected):
    assert signature(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("f", "f"),
        ("my tool", "my_tool"),
        ("a \t\x00\x1f\x7f\x85\xa0b", "a_b"),
        ("x" * 121, "x" * 120),
        ("读取", "读取"),
    ],
)
def test_8_name(name, expected):
    assert function_name(name) == expected


# Step 9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"AError: x\n{F}BError: y\n{G}", "BError@g"),
        (f"AError: x\n{F}Error: y\n", "AError@f"),
        (f"AError: x\n{F}{NODE}BError: y\n{G}", "AError@f"),
        (f"AError: x\n{F}\n\n\n{NODE}BError: y\n{G}", "AError@f"),
        (f"AError: x\n{F}log\n{NODE}", None),
        (f"AError: x\n{F}Error: y\n{ANON}{NODE}", None),
        (f"AError: x\n{F}\n{G}{NODE}", None),
        (f"AError: x\n{F}{NODE}BError: y\n{G}{NODE}", "BError@g"),
        (f"AError: x\n{F}{NODE}log\n{NODE}", None),
        (f"AError: x\n{NODE}", "AError"),
        (f"AError: x\nmessage\n{NODE}", None),
        (f"AError: x\n{F}Node.js v18.0.0 is needed", "AError@f"),
        (f"AError: x\n{F}log\n Node.js v18.0.0", "AError@f"),
        (f"AError: x\n{F}log\nNode.js 18.0.0", "AError@f"),
        (f"AError: x\n{F}log\nNode.js v18.0.0-nightly2022", None),
        (NODE, None),
        ("{ a: 1 }\n" + NODE, None),
    ],
)
def test_9_which_block(text, expected):
    assert signature(text) == expected
