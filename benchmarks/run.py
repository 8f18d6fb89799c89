r"""
Measure `evalgate compare` against what a user would pick instead, as whole commands, in one run.

    python benchmarks/run.py --sizes 12 1000 10000
    python benchmarks/run.py --million --json raw.json > table.md

Every contender does its run of every round, one after the other, and a ratio is taken within a round: a machine that is
slow for a minute is slow for all of them. See README.md beside this file for what the columns mean. The runner holds no
data itself: the kernel counts the memory of a parent into that of the program it starts.
"""

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PEERS = HERE / "peers"

KINDS = ("quiet", "storm", "flaky", "unicode", "legacy", "findings")
LAYOUTS = ("indent", "compact", "spaced")
SIZES = (12, 1_000, 10_000, 80_000, 100_000)
MILLION = 1_400_000

EVALGATE, NO_REPORT, AS_JSON = "evalgate", "evalgate --no-report", "evalgate --format json"
NODE, JSON_LOAD, JQ, SHA = "Node program", "json.load", "jq", "sha256sum"

_BYTES_A_CASE = 7_500
"""At most, on one side; what the disk must have room for."""
_MEMORY_PER_BYTE = 5
"""What a contender that loads whole files may need for each byte of input, where no smaller pair has told."""
_TELLING_BYTES = 10_000_000
"""Below, the start of a program outweighs its data."""
_POLL_S = 0.02


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One command that judges a pair, or stands for the speed of the machine."""

    name: str
    command: Callable[[Path, Path], list[str]]
    """From the files before and after to the arguments of the process."""
    good_exits: tuple[int, ...] = (0,)
    whole_files: bool = False
    """It holds whole documents in memory, so a pair can be too large for the machine."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One process, from its start to its end."""

    wall_s: float
    user_s: float
    system_s: float
    largest_process_kib: int
    exit_code: int

    @property
    def cpu_s(self) -> float:
        """Processor time of the process and of all its children that it waited for."""
        return self.user_s + self.system_s


@dataclass(kw_only=True)
class Series:
    """All runs of one contender on one pair."""

    runs: list[Run] = field(default_factory=list)
    peak_kib: int = 0
    """The larger of the largest single process and the largest sum over the process tree that was seen."""
    counts: dict[str, str] = field(default_factory=dict)
    cannot: str = ""
    """Why there are no figures."""


@dataclass(kw_only=True)
class Pair:
    """One pair of reports and what was measured on it."""

    kind: str
    layout: str
    cases: int
    size_bytes: int = 0
    series: dict[str, Series] = field(default_factory=dict)
    disagreements: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Name the pair for a heading."""
        layout = "" if self.layout == "indent" else f", {self.layout} layout"
        return f"{self.cases:,} cases, {self.kind}{layout} ({self.size_bytes / 1e6:,.1f} MB)"


# --- one process ----------------------------------------------------------------------------------------------------


class _TreeMemory(threading.Thread):
    """Watches the memory of a process and its descendants; it costs the process time, so no timed run is watched."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._over = threading.Event()
        self.largest_sum_kib = 0
        self.largest_process_kib = 0

    def run(self) -> None:
        """Look every 20 ms until told to stop."""
        while not self._over.wait(_POLL_S):
            total = 0
            for pid in self._tree(self._pid):
                total += _kib(f"/proc/{pid}/smaps_rollup", "Pss:")
                self.largest_process_kib = max(self.largest_process_kib, _kib(f"/proc/{pid}/status", "VmHWM:"))
            self.largest_sum_kib = max(self.largest_sum_kib, total)

    def stop(self) -> None:
        """End the watch."""
        self._over.set()
        self.join()

    def _tree(self, pid: int) -> Iterator[int]:
        yield pid
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 (half the cost, fifty times a second)
                with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as stream:  # noqa: PTH123
                    for child in stream.read().split():
                        yield from self._tree(int(child))
        except OSError:
            # It ended while it was looked at.
            return


def _kib(path: str, label: str) -> int:
    try:
        with open(path, encoding="ascii", errors="replace") as stream:  # noqa: PTH123
            for line in stream:
                if line.startswith(label):
                    return int(line.split()[1])
    except OSError:
        return 0
    return 0


def run_once(command: Sequence[str], out: Path, *, timeout_s: float, watch: bool = False) -> tuple[Run, int]:
    """Run a command to its end, its output in `out` and `out`.err; return its figures and the peak of its tree."""
    with out.open("wb") as stdout, out.with_suffix(".err").open("wb") as stderr:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
        )
        watcher = _TreeMemory(process.pid) if watch else None
        if watcher:
            watcher.start()
        # The process leads its own group, so its children end with it.
        killer = threading.Timer(timeout_s, os.killpg, (process.pid, signal.SIGKILL))
        killer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - begin
        finally:
            killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if watcher:
            watcher.stop()
    largest = usage.ru_maxrss if sys.platform != "darwin" else usage.ru_maxrss // 1024
    if watcher and largest <= _own_peak_kib():
        # Until it replaced itself by the command, the child was an image of this process, and the kernel counts that.
        largest = watcher.largest_process_kib
    run = Run(
        wall_s=wall,
        user_s=usage.ru_utime,
        system_s=usage.ru_stime,
        largest_process_kib=largest,
        exit_code=process.returncode,
    )
    return run, max(largest, watcher.largest_sum_kib) if watcher else 0


def _own_peak_kib() -> int:
    return _kib("/proc/self/status", "VmHWM:")


# --- the contenders -------------------------------------------------------------------------------------------------


def contenders(evalgate: Sequence[str], kind: str) -> list[Contender]:
    """Return who takes part; evalgate in the ways that a user would call it."""

    def gate(name: str, *options: str) -> Contender:
        # It is given folders, as in the README; 1 and 2 are verdicts.
        return Contender(
            name=name,
            command=lambda before, after: [*evalgate, "compare", str(before.parent), str(after.parent), *options],
            good_exits=(0, 1, 2),
        )

    listed = [gate(EVALGATE), gate(NO_REPORT, "--no-report")]
    if kind == "findings":
        listed.append(gate(AS_JSON, "--format", "json"))
    return [
        *listed,
        Contender(
            name=NODE,
            command=lambda before, after: ["node", str(PEERS / "compare.mjs"), str(before), str(after)],
            whole_files=True,
        ),
        Contender(
            name=JSON_LOAD,
            command=lambda before, after: [sys.executable, str(PEERS / "json_load.py"), str(before), str(after)],
            whole_files=True,
        ),
        Contender(
            name=JQ,
            command=lambda before, after: [
                *("jq", "-nr", "--slurpfile", "before", str(before), "--slurpfile", "after", str(after)),
                *("-f", str(PEERS / "compare.jq")),
            ],
            whole_files=True,
        ),
        Contender(name=SHA, command=lambda before, after: ["sha256sum", str(before), str(after)]),
    ]


_COUNTS_OF_JSON = """
import json, sys
value = json.load(open(sys.argv[1], encoding="utf-8"))
print("OVERALL=" + value["verdict"])
print("COMPARED=" + str(value["compared"]))
for key, name in json.loads(sys.argv[2]).items():
    print(key + "=" + str(len(value[name])))
"""
_JSON_FIELDS = {
    "REGRESSIONS": "regressions",
    "NEW_FAILURES": "newFailures",
    "IMPROVEMENTS": "improvements",
    "ADDED": "added",
    "REMOVED": "removed",
    "TOKEN_REGRESSIONS": "tokenRegressions",
    "SKIPPED_LINE_INCREASES": "skippedLineIncreases",
    "FLAKY": "flakyCases",
    "TOOL_ERROR_RECOVERIES": "toolErrorRecoveries",
    "REPEATED_ERROR_SIGNATURES": "repeatedErrorSignatures",
    "BASELINE_FLAKY": "baselineFlakyCases",
    "BASELINE_FAILING": "baselineFailingCases",
}
_COUNTED = ("OVERALL", "COMPARED", *_JSON_FIELDS)


def counts_in(out: Path, *, as_json: bool) -> dict[str, str]:
    """Return the counts that a contender printed."""
    if as_json:
        # In another process, since ten megabytes of findings would make this one large.
        counter = [sys.executable, "-c", _COUNTS_OF_JSON, str(out), json.dumps(_JSON_FIELDS)]
        lines: Iterable[str] = subprocess.run(counter, check=True, capture_output=True, text=True).stdout.splitlines()
        return dict(_key_values(lines))
    with out.open(encoding="utf-8") as stream:
        return dict(_key_values(stream))


def _key_values(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key, sign, value = line.rstrip("\n").partition("=")
        if sign and key in _COUNTED:
            yield key, value
        elif line.startswith("REASON "):
            return


_TELLING = re.compile(r"FATAL ERROR|jq: |evalgate: |[\w.]*(?:Error|Exception)\b")
"""How the line begins by which a program says why it gave up; stack frames stand around it."""


def _why_not(out: Path, run: Run) -> str:
    """Return a short reason for a run that ended badly."""
    with out.with_suffix(".err").open(encoding="utf-8", errors="replace") as stream:
        telling = next((line.strip() for line in stream if _TELLING.match(line)), "")
    ended = f"signal {-run.exit_code}" if run.exit_code < 0 else f"exit {run.exit_code}"
    # A file's place in a temporary folder says nothing.
    return f"{ended}: {telling.replace(f'{out.parent}/pair/', '')[:120]}" if telling else ended


# --- one pair -------------------------------------------------------------------------------------------------------


def measure(
    pair: Pair, who: Sequence[Contender], folder: Path, *, earlier: Sequence[Pair], rounds: int, timeout_s: float
) -> None:
    """Write the pair, let everyone judge it once under watch and then `rounds` times for the clock, delete it."""
    room = os.statvfs(folder)
    needed = 2 * pair.cases * _BYTES_A_CASE
    if room.f_bavail * room.f_frsize < needed:
        sys.exit(f"{pair.cases:,} cases need {needed / 1e9:.1f} GB of disk: use --data to name a place that has them")
    place = folder / "pair"
    generate = [sys.executable, str(HERE / "generate.py"), str(place), "--cases", str(pair.cases)]
    try:
        subprocess.run([*generate, "--kind", pair.kind, "--layout", pair.layout], check=True)
        files = [place / side / "report.json" for side in ("before", "after")]
        pair.size_bytes = sum(file.stat().st_size for file in files)
        out = folder / "out"
        ready: list[tuple[Contender, list[str]]] = []
        for one in who:
            series = pair.series[one.name] = Series()
            command = one.command(*files)
            series.cannot = _obstacle(one, command, pair.size_bytes, earlier)
            if series.cannot:
                continue
            run, series.peak_kib = run_once(command, out, timeout_s=timeout_s, watch=True)
            if run.exit_code not in one.good_exits:
                series.cannot = _why_not(out, run)
                continue
            if one.name != SHA:
                series.counts = counts_in(out, as_json=one.name == AS_JSON)
            ready.append((one, command))
        for number in range(rounds):
            shift = number % max(len(ready), 1)
            # Nobody always comes behind the same neighbour.
            for one, command in [*ready[shift:], *ready[:shift]]:
                series = pair.series[one.name]
                if series.cannot:
                    continue
                run, _ = run_once(command, out, timeout_s=timeout_s)
                if run.exit_code not in one.good_exits:
                    # Whoever fails now and then has no figures; an hour of everyone else's is kept.
                    series.cannot = f"failed in round {number + 1}: {_why_not(out, run)}"
                    series.runs.clear()
                    continue
                series.runs.append(run)
                if run.largest_process_kib > _own_peak_kib():
                    series.peak_kib = max(series.peak_kib, run.largest_process_kib)
        pair.disagreements = _disagreements(pair)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _obstacle(one: Contender, command: Sequence[str], size_bytes: int, earlier: Sequence[Pair]) -> str:
    """Return why the contender cannot take part; to run out of memory would hurt everything on the machine."""
    if shutil.which(command[0]) is None:
        return f"{command[0]} is not installed"
    seen = [
        pair.series[one.name].peak_kib * 1024 / pair.size_bytes
        for pair in earlier
        if one.name in pair.series and pair.size_bytes >= _TELLING_BYTES
    ]
    factor = max(seen, default=_MEMORY_PER_BYTE if one.whole_files else 0)
    available = _kib("/proc/meminfo", "MemAvailable:") * 1024
    if available and size_bytes * factor > available:
        return f"skipped: may need {size_bytes * factor / 2**30:.0f} GiB of memory"
    return ""


def _disagreements(pair: Pair) -> list[str]:
    """Compare what everyone counted with what the first that counted anything did."""
    counted = [(name, series.counts) for name, series in pair.series.items() if series.counts]
    if not counted:
        return []
    first_name, first = counted[0]
    return [
        f"{key}: {first_name} says {first[key]}, {name} says {value}"
        for name, counts in counted[1:]
        for key, value in counts.items()
        if first.get(key) != value and key in first
    ]


# --- figures --------------------------------------------------------------------------------------------------------

Figure = Callable[[Run], float]


def wall(run: Run) -> float:
    return run.wall_s


def cpu(run: Run) -> float:
    return run.cpu_s


def ratio(pair: Pair, name: str, other: str, figure: Figure) -> float | None:
    """Return the median over the rounds of one contender's figure divided by another's in the same round."""
    ours, theirs = pair.series.get(name, Series()).runs, pair.series.get(other, Series()).runs
    if not ours or not theirs:
        return None
    return statistics.median(figure(mine) / max(figure(its), 1e-9) for mine, its in zip(ours, theirs, strict=True))


def memory_ratio(pair: Pair, name: str, other: str) -> float | None:
    ours, theirs = pair.series.get(name, Series()).peak_kib, pair.series.get(other, Series()).peak_kib
    return ours / theirs if ours and theirs else None


def peak_mib(pair: Pair, name: str) -> float | None:
    series = pair.series.get(name)
    return series.peak_kib / 1024 if series and series.peak_kib and series.runs else None


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is to be reached; all of them are upper bounds."""

    text: str
    kind: str
    cases: int
    limit: float
    value: Callable[[Pair], float | None]
    unit: str = ""


TARGETS = (
    Target(
        text="12 cases: wall, to Node program",
        kind="quiet",
        cases=12,
        limit=1.0,
        value=lambda pair: ratio(pair, EVALGATE, NODE, wall),
    ),
    Target(
        text="1,000 cases: wall, to Node program",
        kind="quiet",
        cases=1_000,
        limit=0.5,
        value=lambda pair: ratio(pair, EVALGATE, NODE, wall),
    ),
    Target(
        text="10,000 cases: processor time, to Node program",
        kind="quiet",
        cases=10_000,
        limit=0.25,
        value=lambda pair: ratio(pair, EVALGATE, NODE, cpu),
    ),
    Target(
        text="10,000 cases: peak memory",
        kind="quiet",
        cases=10_000,
        limit=60,
        value=lambda pair: peak_mib(pair, EVALGATE),
        unit=" MiB",
    ),
    Target(
        text="80,000 cases: processor time, to Node program",
        kind="quiet",
        cases=80_000,
        limit=0.2,
        value=lambda pair: ratio(pair, EVALGATE, NODE, cpu),
    ),
    Target(
        text="80,000 cases: peak memory, to Node program",
        kind="quiet",
        cases=80_000,
        limit=1 / 40,
        value=lambda pair: memory_ratio(pair, EVALGATE, NODE),
    ),
    Target(
        text="100,000 cases: processor time, to sha256sum",
        kind="quiet",
        cases=100_000,
        limit=1.0,
        value=lambda pair: ratio(pair, EVALGATE, SHA, cpu),
    ),
    Target(
        text="100,000 cases: peak memory",
        kind="quiet",
        cases=100_000,
        limit=120,
        value=lambda pair: peak_mib(pair, EVALGATE),
        unit=" MiB",
    ),
    Target(
        text="1,400,000 cases: peak memory",
        kind="quiet",
        cases=MILLION,
        limit=800,
        value=lambda pair: peak_mib(pair, EVALGATE),
        unit=" MiB",
    ),
    Target(
        text="100,000 findings: wall with report.md and JSON, to --no-report",
        kind="findings",
        cases=100_000,
        limit=2.0,
        value=lambda pair: ratio(pair, AS_JSON, NO_REPORT, wall),
    ),
)


# --- the page -------------------------------------------------------------------------------------------------------


def _seconds(value: float) -> str:
    return f"{value * 1000:,.0f} ms" if value < 1 else f"{value:,.2f} s"


def _number(value: float | None, unit: str = "") -> str:
    if value is None:
        return "-"
    if unit:
        return f"{value:,.0f}{unit}"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def table(pair: Pair) -> Iterator[str]:
    """Yield one pair as a Markdown section."""
    rounds = max((len(series.runs) for series in pair.series.values()), default=0)
    yield f"### {pair.title}, {rounds} {'round' if rounds == 1 else 'rounds'}\n"
    yield _row(
        ("", "wall", "processor", "peak", "wall / Node", "processor / Node", "processor / sha256sum", "peak / Node")
    )
    yield _row(("---", *["---:"] * 7))
    for name, series in pair.series.items():
        if series.cannot:
            yield _row((name, series.cannot.replace("|", "\\|"), *["-"] * 6))
            continue
        yield _row(
            (
                name,
                _seconds(statistics.median(map(wall, series.runs))),
                _seconds(statistics.median(map(cpu, series.runs))),
                _number(peak_mib(pair, name), " MiB"),
                _number(ratio(pair, name, NODE, wall)),
                _number(ratio(pair, name, NODE, cpu)),
                _number(ratio(pair, name, SHA, cpu)),
                _number(memory_ratio(pair, name, NODE)),
            )
        )
    counted = sum(bool(series.counts) for series in pair.series.values())
    if pair.disagreements:
        yield "\n**They disagree:** " + "; ".join(pair.disagreements)
    elif counted > 1:
        yield f"\nThe {counted} that count agree on every count they share."
    else:
        yield "\nThere are no two counts to compare."
    yield ""


def growth(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield how evalgate's cost grows with the number of cases."""
    quiet = [pair for pair in pairs if (pair.kind, pair.layout) == ("quiet", "indent")]
    measured = [pair for pair in quiet if pair.series.get(EVALGATE, Series()).runs]
    if len(measured) < 2:
        return
    yield "### How evalgate's cost grows\n"
    yield _row(("cases a side", "pair", "wall", "processor", "processor a case pair", "peak", "peak a case pair"))
    yield _row(["---:"] * 7)
    for pair in measured:
        series = pair.series[EVALGATE]
        spent = statistics.median(map(cpu, series.runs))
        yield _row(
            (
                f"{pair.cases:,}",
                f"{pair.size_bytes / 1e6:,.1f} MB",
                _seconds(statistics.median(map(wall, series.runs))),
                _seconds(spent),
                f"{spent / pair.cases * 1e6:,.1f} µs",
                f"{series.peak_kib / 1024:,.0f} MiB",
                f"{series.peak_kib * 1024 / pair.cases:,.0f} B",
            )
        )
    yield ""


def verdicts(pairs: Sequence[Pair]) -> Iterator[tuple[str, str, str, str]]:
    """Yield every target: what it is, its limit, what was measured, whether it is met."""
    for target in TARGETS:
        found = [pair for pair in pairs if (pair.kind, pair.layout) == (target.kind, "indent")]
        value = next((target.value(pair) for pair in found if pair.cases == target.cases), None)
        if value is None:
            outcome = "not measured"
        elif value <= target.limit:
            outcome = "met"
        else:
            outcome = f"missed by a factor of {value / target.limit:.2f}"
        yield target.text, f"at most {_number(target.limit, target.unit)}", _number(value, target.unit), outcome


def environment(evalgate: Sequence[str]) -> dict[str, str]:
    """Return the versions that the figures depend on; no name of a machine."""

    def said(*command: str) -> str:
        if shutil.which(command[0]) is None:
            return "not installed"
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (done.stdout.splitlines() or [f"exit {done.returncode}"])[0]

    return {
        "evalgate": said(*evalgate, "--version").removeprefix("evalgate "),
        "python": platform.python_version(),
        "node": said("node", "--version"),
        "jq": said("jq", "--version"),
        "sha256sum": said("sha256sum", "--version"),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "load at the start": f"{os.getloadavg()[0]:.1f}",
    }


def summary(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield what all pairs together tell."""
    yield from growth(pairs)
    yield "### Targets\n"
    yield _row(("", "target", "measured", ""))
    yield _row(("---", "---:", "---:", "---"))
    for cells in verdicts(pairs):
        yield _row(cells)


# --- the command ----------------------------------------------------------------------------------------------------


def _rounds(cases: int) -> int:
    """Return how often to measure: small pairs need many rounds, large ones are steady and dear."""
    return next(
        rounds for limit, rounds in ((100, 21), (5_000, 11), (50_000, 7), (500_000, 3), (10**9, 1)) if cases < limit
    )


def _wanted(arguments: argparse.Namespace) -> list[Pair]:
    sizes = [*arguments.sizes, *([MILLION] if arguments.million else [])]
    if arguments.kinds or arguments.layouts:
        return [
            Pair(kind=kind, layout=layout, cases=cases)
            for cases in sizes
            for kind in arguments.kinds or ["quiet"]
            for layout in arguments.layouts or ["indent"]
        ]
    pairs = [Pair(kind="quiet", layout="indent", cases=cases) for cases in sizes]
    if 10_000 in sizes:
        # One size is enough to see that no kind of report is out of line.
        pairs += [Pair(kind=kind, layout="indent", cases=10_000) for kind in KINDS[1:]]
        pairs += [Pair(kind="quiet", layout=layout, cases=10_000) for layout in LAYOUTS[1:]]
    if 100_000 in sizes:
        pairs.append(Pair(kind="findings", layout="indent", cases=100_000))
    return pairs


def _default_evalgate() -> str:
    beside = Path(sys.executable).with_name("evalgate")
    return shlex.quote(str(beside)) if beside.exists() else "evalgate"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), metavar="N", help="cases a side")
    parser.add_argument("--million", action="store_true", help="also 1,400,000 cases a side: 17 GB of disk, minutes")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, help="each at each size (default: see README.md)")
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, help="each at each size (default: see README.md)")
    parser.add_argument("--skip", nargs="+", default=[], metavar="NAME", help="leave a contender out, such as jq")
    parser.add_argument("--rounds", type=int, metavar="K", help="measured runs of everyone (default: by size)")
    parser.add_argument("--evalgate", default=_default_evalgate(), metavar="CMD", help="another evalgate command")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where pairs are written and deleted again")
    parser.add_argument("--timeout", type=float, default=900, metavar="S", help="for one run (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every run's figures")
    arguments = parser.parse_args()
    evalgate = shlex.split(arguments.evalgate)
    about = environment(evalgate)
    pairs = _wanted(arguments)
    print(", ".join(f"{key} {value}" for key, value in about.items()) + ".\n")
    with tempfile.TemporaryDirectory(prefix="evalgate-bench-", dir=arguments.data) as folder:
        for number, pair in enumerate(pairs):
            print(f"measuring {pair.cases:,} cases, {pair.kind}, {pair.layout}", file=sys.stderr)
            who = [one for one in contenders(evalgate, pair.kind) if one.name not in arguments.skip]
            rounds = arguments.rounds or _rounds(pair.cases)
            measure(pair, who, Path(folder), earlier=pairs[:number], rounds=rounds, timeout_s=arguments.timeout)
            # At once: a run that is broken off keeps what it has.
            print("\n".join(table(pair)), flush=True)
    print("\n".join(summary(pairs)))
    if arguments.json:
        raw: dict[str, Any] = {"environment": about, "pairs": [asdict(pair) for pair in pairs]}
        raw["targets"] = [
            dict(zip(("target", "limit", "measured", "outcome"), row, strict=True)) for row in verdicts(pairs)
        ]
        arguments.json.write_text(json.dumps(raw, indent=2) + "\n", encoding="utf-8")
    # What could not be measured of evalgate itself must not pass for a good run.
    incomplete = any(pair.series[name].cannot for pair in pairs for name in pair.series if name.startswith(EVALGATE))
    return 1 if incomplete or any(pair.disagreements for pair in pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
