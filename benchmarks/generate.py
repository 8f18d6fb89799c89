r"""
Write a pair of reports to measure with: DIR/before/report.json and DIR/after/report.json.

    python benchmarks/generate.py DIR --cases 10000 --kind flaky --layout compact
    python benchmarks/generate.py --self-check

The same arguments give the same bytes everywhere. Both files are written side by side in constant memory, about 6 kB a
case in the indented layout. A case is not dumped but filled into a text that was dumped once per form of case, since
1.4 million cases a side would otherwise take an hour; --self-check proves that the result is what a JSON writer writes.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from shutil import which
from typing import Any, NamedTuple

KINDS = ("quiet", "storm", "flaky", "unicode", "legacy", "findings")
LAYOUTS = ("indent", "compact", "spaced")

Json = dict[str, Any]

# --- how a JSON writer lays a value out -----------------------------------------------------------------------------

_LONE = re.compile("[\ud800-\udfff]")


class Layout(NamedTuple):
    """One way to write the same report."""

    indent: int | None
    separators: tuple[str, str] | None

    def dump(self, value: object) -> str:
        """Return the text of `value`; lone surrogates are escaped, everything else stands as it is."""
        text = json.dumps(value, indent=self.indent, separators=self.separators, ensure_ascii=False)
        return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_LAYOUT = {
    "indent": Layout(2, None),  # JSON.stringify(x, null, 2): what the harness writes
    "compact": Layout(None, (",", ":")),  # JSON.stringify(x)
    "spaced": Layout(None, None),  # json.dumps(x): the separators of neither of the two
}

# --- templates: a dumped value with %(slot)s where the cases differ -------------------------------------------------

# Private-use characters pass through json.dumps as they are, also through the string in a string of argsJson.
_TEXT_OPEN, _NUMBER_OPEN, _CLOSE = "\ue000", "\ue001", "\ue002"
_SLOT = re.compile(f'{_TEXT_OPEN}([a-z0-9_]+){_CLOSE}|"{_NUMBER_OPEN}([a-z0-9_]+){_CLOSE}"')
_SHAPE_SLOT = re.compile(r"<(n|dir)>")


def _text(slot: str) -> str:
    return f"{_TEXT_OPEN}{slot}{_CLOSE}"


def _number(slot: str) -> str:
    return f"{_NUMBER_OPEN}{slot}{_CLOSE}"


def _template(layout: Layout, value: object) -> str:
    dumped = layout.dump(value).replace("%", "%%")
    return _SLOT.sub(lambda found: f"%({found[1] or found[2]})s", dumped)


def _escaped(text: str) -> str:
    return _LAYOUT["compact"].dump(text)[1:-1]


# --- the runs a case is made of -------------------------------------------------------------------------------------


@cache
def _shapes() -> list[Json]:
    text = Path(__file__).with_name("shapes.json").read_text(encoding="utf-8")
    shapes: list[Json] = json.loads(_SHAPE_SLOT.sub(lambda found: _text(found[1]), text))
    return shapes


_CRASH_REPORT = """\
node:fs:{line}
  return binding.{call}(
                 ^

Error: {code}: {meaning}, {call} '/home/eval/.dsh/profiles/node_modules/@dsh/{link}'
    at {call}Sync (node:fs:{line}:18)
    at {function} (file:///home/eval/.local/lib/node_modules/@dsh/cli/dist/profile.js:{own}:9)
    at healProfilesModuleFallback (file:///home/eval/.local/lib/node_modules/@dsh/cli/dist/profile.js:225:5)
    at boot (file:///home/eval/.local/lib/node_modules/@dsh/cli/dist/boot.js:65:3)
    at file:///home/eval/.local/lib/node_modules/@dsh/cli/dist/bin.js:18:7
    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)
    at async ModuleLoader.import (node:internal/modules/esm/loader:606:24)
    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:117:5) {{
  errno: {errno},
  code: '{code}',
  syscall: '{call}',
  path: '/home/eval/.dsh/profiles/node_modules/@dsh/{link}'
}}

Node.js v20.20.2"""

_LINKS = ("credentials-local", "session-persistence-jsonl", "provider-openai", "tool-bash", "telemetry-none")
_CALLS = (("readlink", 1729, 189), ("unlink", 1889, 190))
_CODES = (
    ("ENOENT", "no such file or directory", -2),
    ("EEXIST", "file already exists", -17),
    ("EACCES", "permission denied", -13),
    ("EBUSY", "resource busy or locked", -16),
    ("EMFILE", "too many open files", -24),
)
_FUNCTIONS = ("ensureSymlink", "loadProfile", "openJournal", "rotateLog", "attachSession", "lockWorkspace")


def _stack(code: tuple[str, str, int], function: str, call: tuple[str, int, int], link: str) -> str:
    name, meaning, errno = code
    syscall, line, own = call
    text = _CRASH_REPORT.format(
        code=name, meaning=meaning, errno=errno, function=function, call=syscall, line=line, own=own, link=link
    )
    return _escaped(text)


_ONE_CAUSE = tuple(_stack(_CODES[0], _FUNCTIONS[0], call, link) for call in _CALLS for link in _LINKS)
"""Ten texts, one signature: what a broken machine looks like."""
_MANY_CAUSES = tuple(
    _stack(code, function, call, link)
    for code in _CODES
    for function in _FUNCTIONS
    for call in _CALLS
    for link in _LINKS[:2]
)
"""Thirty signatures."""

_WARNING = _escaped(
    "(node:4711) ExperimentalWarning: The fs.promises API readLines is an experimental feature\n"
    "(Use `node --trace-warnings ...` to show where the warning was created)"
)

_TOOL_ERROR = {
    "name": "read",
    "error": f"ENOENT: no such file or directory, open '{_text('dir')}/requirement.md'",
}


def _tokens(*, spent: bool) -> Json:
    slots = {
        "input": "input",
        "output": "output",
        "cacheRead": "cache",
        "cacheWrite": None,
        "reasoning": "reasoning",
        "total": "total",
    }
    return {field: _number(slot) if slot and spent else 0 for field, slot in slots.items()}


def _run(shape: Json, *, status: str = "pass", tool_error: bool = False, stderr: str = "") -> Json:
    """Return the fields of a run that reached the end of its turn, in the order in which the harness writes them."""
    calls = [(name, args, result, _text(f"id{number}")) for number, (name, args, result) in enumerate(shape["calls"])]
    failures = [] if status == "pass" else [f'finalText: expected to contain "EVAL_{_text("n")}"', "steps: at most 6"]
    return {
        "failures": failures,
        "toolsCalled": [name for name, *_ in calls],
        "toolCalls": [
            {"name": name, "callId": call_id, "argsJson": json.dumps(args, ensure_ascii=False)}
            for name, args, _, call_id in calls
        ],
        "toolResults": [{"name": name, "callId": call_id, "text": result} for name, _, result, call_id in calls],
        "finalText": shape["final"] + _text("extra"),
        "steps": shape["steps"],
        "tokens": _tokens(spent=True),
        "toolErrors": [_TOOL_ERROR] if tool_error else [],
        "events": _number("events"),
        "skippedLines": _number("skipped"),
        "turnEnd": "completed",
        "exitCode": 0,
        "timedOut": False,
        **({"stderrTail": stderr} if stderr else {}),
        "status": status,
        "durationMs": _number("duration"),
    }


def _crash() -> Json:
    """Return the fields of a run whose process died before its turn began."""
    return {
        "failures": [],
        "toolsCalled": [],
        "toolCalls": [],
        "toolResults": [],
        "finalText": "",
        "steps": 0,
        "tokens": _tokens(spent=False),
        "toolErrors": [],
        "events": 0,
        "skippedLines": 0,
        "exitCode": 1,
        "timedOut": False,
        "stderrTail": _text("cut") + _text("stack"),
        "status": "error",
        "error": "dsh exited with code 1 before the turn ended",
        "durationMs": _number("crash"),
    }


def _case(runs: list[Json], *, history: bool = True, **more: object) -> Json:
    attempts = [{**run, "index": number} for number, run in enumerate(runs, 1)]
    case = {"name": _text("name"), **runs[-1], "attempts": len(runs)}
    if history:
        return case | {"attemptResults": attempts} | more
    # Before attempt history, and before skipped lines were counted.
    return {field: value for field, value in case.items() if field not in ("events", "skippedLines")} | more


_TRIALS = {"trials": 3, "passes": 2, "k": 3, "successRate": 2 / 3, "passAtK": 1, "passPowK": 8 / 27}
_GOOD_TRIALS = {"trials": 3, "passes": 3, "k": 3, "successRate": 1, "passAtK": 1, "passPowK": 1}

# Every form of case, as a function of its shape.
_FORMS: dict[str, Callable[[Json], Json]] = {
    "pass": lambda shape: _case([_run(shape)]),
    "warned": lambda shape: _case([_run(shape, stderr=_WARNING)]),
    "recovered": lambda shape: _case([_run(shape, tool_error=True)]),
    "flaky": lambda shape: _case([_crash(), _run(shape)], flaky=True),
    "fail": lambda shape: _case([_run(shape, status="fail")] * 2),
    "error": lambda _: _case([_crash()] * 2),
    # A passing case whose last trial failed: valid, and not flaky.
    "trials": lambda shape: (
        _case([_run(shape), _run(shape), _run(shape, status="fail")], reliability=_TRIALS) | {"status": "pass"}
    ),
    "good trials": lambda shape: _case([_run(shape)] * 3, reliability=_GOOD_TRIALS),
    "old pass": lambda shape: _case([_run(shape)], history=False),
    # Its retry was not recorded, so the flag is dropped by whoever reads it.
    "old flaky": lambda shape: _case([_run(shape)] * 2, history=False, flaky=True),
    "old fail": lambda shape: _case([_run(shape, status="fail")] * 2, history=False),
    "old error": lambda _: _case([_crash()], history=False),
}


@cache
def _case_template(layout_name: str, form: str, shape: int) -> str:
    layout = _LAYOUT[layout_name]
    template = _template(layout, _FORMS[form](_shapes()[shape]))
    # A raw newline cannot stand inside a JSON string: each one is layout.
    return template.replace("\n", "\n    ")


# --- which case becomes what ----------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """What one case is on either side."""

    before: str | None = "pass"
    """A form; None = absent."""
    after: str | None = "pass"
    dearer: float = 1.0
    """Tokens after / before, the noise aside."""
    lost_lines: int = 0
    """Skipped trace lines after; none before."""


def _calm(number: int) -> Plan:
    """Return a case of which nothing is to be said: what is odd about it is odd on both sides."""
    form = {3: "recovered", 17: "recovered", 41: "good trials", 58: "warned", 83: "warned"}.get(number % 100, "pass")
    return Plan(form, form)


_RARE_FINDINGS = {
    15: Plan("flaky", "flaky"),
    16: Plan("pass", "error"),
    17: Plan(lost_lines=3),
    18: Plan("pass", None),
    19: Plan(None, "pass"),
    35: Plan("error", "error"),
    36: Plan("pass", "error"),
    37: Plan("pass", "trials", dearer=1.7),
    38: Plan("fail", "pass"),
    39: Plan(None, "fail"),
}


def _findings(number: int) -> Plan:
    """Return a case with a finding: of 40 in a row 12 are dearer, 10 have tool errors, 8 flake, 10 are all the rest."""
    rare = _RARE_FINDINGS.get(number % 40)
    if rare is not None:
        return rare
    if number % 20 < 6:
        return Plan(dearer=1.6 + number % 11 / 10)
    return Plan("pass", "recovered" if number % 20 < 11 else "flaky")


def _unicode(number: int) -> Plan:
    match number % 50:
        case 7:
            return Plan("pass", "flaky")
        case 23:
            return Plan("pass", "error")
        case 31:
            return Plan(dearer=1.75)
    return _calm(number)


def _legacy(number: int) -> Plan:
    match number % 100:
        case 11 | 61:
            return Plan("old pass", "old error")
        case 29:
            return Plan("old pass", "old flaky")
        case 71:
            return Plan("old fail", "old pass")
    return Plan("old pass", "old pass")


_PLANS: dict[str, Callable[[int], Plan]] = {
    "quiet": _calm,
    "storm": lambda _: Plan("pass", "error"),
    "flaky": lambda _: Plan("pass", "flaky"),
    "unicode": _unicode,
    "legacy": _legacy,
    "findings": _findings,
}

_SCRIPTS = (
    "检索-码头",
    "поиск-гавань",
    "بحث-الميناء",
    "חיפוש-נמל",
    "खोज-बंदरगाह",
    "ค้นหา-ท่าเรือ",
    "검색-항구",
    "けんさく-みなと",
    "αναζήτηση-λιμάνι",
    "👩‍🚀🚀-🇺🇳",
    "café-naïve",
    "cafe\u0301-nai\u0308ve",  # the one above, decomposed: another name, since nothing is normalised
)
_SCRIPT_TEXTS = (
    "\n\nПодтверждено: обе записи совпадают, расхождений нет.",
    "\n\nتم التحقق: السجلان متطابقان ولا توجد فروق بينهما.",
    "\n\nसत्यापित: दोनों प्रविष्टियाँ समान हैं। ✅ 👍🏽",
    "\n\n確認済み：両方の記録は一致しています。𠮷野家 𝒙² ≈ ½",
    "\n\nยืนยันแล้ว: บันทึกทั้งสองตรงกัน \u200b\u2028\u202e\u0007",
    "\n\n끝에서 잘린 이모지: \ud83d",
)
"""The last one ends in half an emoji: a harness that cuts at UTF-16 units writes that."""


class _Words(NamedTuple):
    """The texts by which the cases of one pair differ, escaped."""

    names: tuple[str, ...]
    extras: tuple[str, ...]
    cut: tuple[str, ...]
    """What the beginning of a stderr tail was cut in the middle of."""


def _words(kind: str) -> _Words:
    if kind != "unicode":
        return _Words(tuple(shape["slug"] for shape in _shapes()), ("",), ("",))
    names = [*_SCRIPTS] * 20 + ["crab-\ud83e"]
    extras = [text for text in _SCRIPT_TEXTS[:-1] for _ in range(8)] + [_SCRIPT_TEXTS[-1]]
    return _Words(
        tuple(map(_escaped, names)), tuple(map(_escaped, extras)), tuple(map(_escaped, ("", "", "\ude80 is up\n")))
    )


_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class _Ids:
    """Call ids such as call_00_KoDRCwlmsRWRlLSdMvCKNurg, put together from parts that are drawn once."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._parts = ["".join(_DIGITS[int(random.random() * 62)] for _ in range(6)) for _ in range(4096)]

    def draw(self, number: int) -> str:
        """Return the next id of the call with this number."""
        parts, bits = self._parts, self._random.getrandbits(48)
        first, second = parts[bits & 4095], parts[bits >> 12 & 4095]
        third, fourth = parts[bits >> 24 & 4095], parts[bits >> 36]
        return f"call_0{number}_{first}{second}{third}{fourth}"


def _cases(kind: str, count: int, seed: int, layout: str) -> Iterator[tuple[str | None, str | None, Plan]]:
    """Yield the text of every case before and after."""
    random = Random(f"{seed} {kind}")
    ids, plan_of, words, shapes = _Ids(random), _PLANS[kind], _words(kind), len(_shapes())
    stacks = _ONE_CAUSE if kind == "storm" else _MANY_CAUSES
    for number in range(count):
        plan, draw = plan_of(number), random.random
        shape = number * 5 % shapes
        name = f"{words.names[number % len(words.names)]}-{number:06d}"
        folder = f"/home/eval/dsh-eval-harness/.eval/nightly/.workspace/{number:06d}-{_shapes()[shape]['slug']}"
        spent = (8000 + draw() * 6000, 80 + draw() * 800, 100 + draw() * 1100, 9000 + draw() * 30000)
        texts: list[str | None] = []
        for form, dearer, skipped in ((plan.before, 1.0, 0), (plan.after, plan.dearer, plan.lost_lines)):
            noise = dearer * (0.98 + draw() * 0.04)
            used_in, used_out, reasoning = int(spent[0] * noise), int(spent[1] * noise), int(spent[2] * noise)
            slots: Mapping[str, object] = {
                "name": name,
                "n": 1000 + number * 7919 % 9000,
                "dir": folder,
                "id0": ids.draw(0),
                "id1": ids.draw(1),
                "id2": ids.draw(2),
                "id3": ids.draw(3),
                "input": used_in,
                "output": used_out,
                "reasoning": reasoning,
                "total": used_in + used_out + reasoning,
                "cache": int(spent[3] * noise) // 64 * 64,
                "events": 18 + int(draw() * 30),
                "skipped": skipped,
                "duration": 3000 + int(draw() * 12000),
                "crash": 300 + int(draw() * 700),
                "stack": stacks[int(draw() * len(stacks))],
                "cut": words.cut[number % len(words.cut)],
                "extra": words.extras[number % len(words.extras)],
            }
            texts.append(None if form is None else _case_template(layout, form, shape) % slots)
        yield texts[0], texts[1], plan


# --- whole reports --------------------------------------------------------------------------------------------------

_STATUS = {"fail": "fail", "old fail": "fail", "error": "error", "old error": "error"}
"""By form; every other form passes."""
_CASES_HERE = "\ue003"
_BATCH = 256
"""Cases a write: enough to make the write cheap, few enough to stay small."""


def _frame(layout: Layout, *, schema: int | None, side: str, statuses: Counter[str]) -> tuple[str, str]:
    """Return what stands before the cases and what stands behind them."""
    started = {"before": "2026-08-11T02:36:48.217Z", "after": "2026-08-12T06:14:05.902Z"}[side]
    finished = {"before": "2026-08-11T09:41:13.810Z", "after": "2026-08-12T13:20:00.091Z"}[side]
    # A legacy report may lack its end; one of the two does, and it also lacks the schema version.
    ended = {} if schema is None else {"finishedAt": finished, "durationMs": 25554189}
    report = {
        **({} if schema is None else {"schemaVersion": schema}),
        "tool": "dsh-eval-harness",
        "version": "0.3.2" if schema else "0.1.4",
        "startedAt": started,
        **ended,
        "profile": "headless",
        "cases": [_CASES_HERE],
        "summary": {
            "total": statuses.total(),
            "passed": statuses["pass"],
            "failed": statuses["fail"],
            "errored": statuses["error"],
        },
        "dshVersion": "0.1.1-rc.2",
    }
    head, tail = layout.dump(report).split(f'"{_CASES_HERE}"')
    return head, tail + "\n"


def write_pair(folder: Path, *, cases: int, kind: str, layout_name: str, seed: int) -> None:
    """Write the pair into `folder`, which is made when it is not there."""
    layout = _LAYOUT[layout_name]
    comma = {"indent": ",\n    ", "compact": ",", "spaced": ", "}[layout_name]
    schemas = {"before": None, "after": 0} if kind == "legacy" else {"before": 1, "after": 1}
    statuses: dict[str, Counter[str]] = {side: Counter() for side in schemas}
    paths = {side: folder / side / "report.json" for side in schemas}
    for path in paths.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    with paths["before"].open("wb") as before, paths["after"].open("wb") as after:
        files = {"before": before, "after": after}
        waiting: dict[str, list[str]] = {side: [] for side in schemas}
        joints = {
            side: _frame(layout, schema=schema, side=side, statuses=Counter())[0] for side, schema in schemas.items()
        }

        def flush(side: str) -> None:
            if waiting[side]:
                files[side].write((joints[side] + comma.join(waiting[side])).encode())
                joints[side] = comma
                waiting[side].clear()

        for text_before, text_after, plan in _cases(kind, cases, seed, layout_name):
            for side, text, form in (("before", text_before, plan.before), ("after", text_after, plan.after)):
                if text is not None and form is not None:
                    waiting[side].append(text)
                    statuses[side][_STATUS.get(form, "pass")] += 1
                    if len(waiting[side]) == _BATCH:
                        flush(side)
        for side, schema in schemas.items():
            flush(side)
            files[side].write(_frame(layout, schema=schema, side=side, statuses=statuses[side])[1].encode())


# --- the proof ------------------------------------------------------------------------------------------------------

_ROUND_TRIP = """
const { readFileSync } = require("fs");
const [path, indent] = process.argv.slice(1);
const text = readFileSync(path, "utf8");
process.exit(JSON.stringify(JSON.parse(text), null, Number(indent)) + "\\n" === text ? 0 : 1);
"""


def _check_value(report: Json) -> None:
    """Check the rules of the input contract that a generator could break."""
    cases = report["cases"]
    assert len({case["name"] for case in cases}) == len(cases), "names must be unique"
    found = Counter(case["status"] for case in cases)
    assert report["summary"] == {
        "total": len(cases),
        "passed": found["pass"],
        "failed": found["fail"],
        "errored": found["error"],
    }, "the summary must agree with the cases"
    for case in cases:
        runs = case.get("attemptResults")
        if runs is not None:
            assert [run["index"] for run in runs] == [*range(1, case["attempts"] + 1)], "attempts must be counted"
            if "reliability" in case:
                passes = sum(run["status"] == "pass" for run in runs)
                assert case["reliability"]["passes"] == passes, "passes must be counted"
                assert case["status"] == ("pass" if passes else runs[-1]["status"]), "one passing trial is enough"
            else:
                assert runs[-1]["status"] == case["status"], "the last attempt decides"
        for run in (case, *(runs or ())):
            tokens = run["tokens"]
            assert tokens["total"] == tokens["input"] + tokens["output"] + tokens["reasoning"], "tokens must add up"


def self_check() -> None:
    """Raise AssertionError unless small outputs of every kind and layout are what a JSON writer writes."""
    node = which("node")
    count = 241
    expected = {
        "quiet": {"OVERALL": "PASS", "COMPARED": f"{count}", "BASELINE_FAILING": "0", "BASELINE_FLAKY": "0"},
        "storm": {"OVERALL": "FAIL", "REGRESSIONS": f"{count}", "REPEATED_ERROR_SIGNATURES": "1"},
        "flaky": {"OVERALL": "WARN", "FLAKY": f"{count}"},
        "unicode": {"OVERALL": "FAIL", "COMPARED": f"{count}", "ADDED": "0", "FLAKY": "5"},
        "legacy": {"OVERALL": "FAIL", "FLAKY": "0", "IMPROVEMENTS": "2"},
        "findings": {
            "OVERALL": "FAIL",
            "FLAKY": "48",
            "ADDED": "6",
            "NEW_FAILURES": "6",
            "TOOL_ERROR_RECOVERIES": "60",
        },
    }
    with tempfile.TemporaryDirectory() as place:
        for kind in KINDS:
            values: list[list[Json]] = []
            for layout_name in LAYOUTS:
                folder, again = Path(place, kind, layout_name), Path(place, kind, "again")
                for target in (folder, again):
                    write_pair(target, cases=count, kind=kind, layout_name=layout_name, seed=1)
                values.append([])
                for side in ("before", "after"):
                    path = folder / side / "report.json"
                    data = path.read_bytes()
                    where = f"{kind} {layout_name} {side}"
                    value = json.loads(data.decode())
                    assert data == (again / side / "report.json").read_bytes(), f"{where}: not deterministic"
                    assert data.decode() == _LAYOUT[layout_name].dump(value) + "\n", (
                        f"{where}: not as json.dumps writes"
                    )
                    _check_value(value)
                    values[-1].append(value)
                    if node and layout_name != "spaced":
                        indent = "2" if layout_name == "indent" else "0"
                        done = subprocess.run([node, "-e", _ROUND_TRIP, str(path), indent], check=False)
                        assert done.returncode == 0, f"{where}: not as JSON.stringify writes"
            assert values[0] == values[1] == values[2], f"{kind}: the layouts differ in content"
            pair = [str(Path(place, kind, "indent", side, "report.json")) for side in ("before", "after")]
            judge = [sys.executable, str(Path(__file__).with_name("peers") / "json_load.py"), *pair]
            lines = subprocess.run(judge, check=True, capture_output=True, text=True).stdout.splitlines()
            facts = dict(line.split("=", 1) for line in lines)
            wrong = {key: facts[key] for key, value in expected[kind].items() if facts[key] != value}
            assert not wrong, f"{kind}: {wrong} where {expected[kind]} was meant"
            size = sum(Path(path).stat().st_size for path in pair)
            print(
                f"{kind}: as json.dumps{' and JSON.stringify write' if node else ' writes'} it, valid, "
                f"{size / 2 / count / 1000:.1f} kB a case"
            )
    if not node:
        print("node is not installed: not compared with JSON.stringify")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", metavar="DIR", help="where before/ and after/ are written")
    parser.add_argument("--cases", type=int, default=1000, metavar="N", help="cases a side (default: %(default)s)")
    parser.add_argument("--kind", choices=KINDS, default="quiet", help="what the pair is like (default: %(default)s)")
    parser.add_argument("--layout", choices=LAYOUTS, default="indent", help="default: %(default)s, as the harness")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other texts and numbers")
    parser.add_argument("--self-check", action="store_true", help="prove small outputs right, write nothing")
    arguments = parser.parse_args()
    if arguments.self_check:
        self_check()
        return
    if arguments.folder is None or arguments.cases < 2:
        parser.error("DIR and at least 2 cases, please")
    write_pair(
        arguments.folder,
        cases=arguments.cases,
        kind=arguments.kind,
        layout_name=arguments.layout,
        seed=arguments.seed,
    )


if __name__ == "__main__":
    main()
