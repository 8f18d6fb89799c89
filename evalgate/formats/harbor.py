"""
The folder of a Harbor job (Terminal-Bench 2 and its successors): one folder per trial, each with its result.json.

The job's own result.json has no trials in it, and its metrics average a missing reward as 0: it is asked for what is
incomplete, never for a status. An agent that crashed can still be graded 1, and a trial with reward 1 can be invalid
(`reward_valid`, harbor 0.26). The job's own times are local ones without a zone (`datetime.now()` in harbor's job.py),
those of the trials are UTC. Names inside the files are never used as paths, and links are not followed.
"""

import os
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evalgate.errors import ReportError
from evalgate.evidence import AttemptEvidence, CaseEvidence, Evidence, Tokens
from evalgate.formats import found
from evalgate.formats.content import Content
from evalgate.formats.format import Format
from evalgate.formats.found import ReadOptions
from evalgate.formats.instants import instant
from evalgate.numbers import Number
from evalgate.plain import shorten
from evalgate.report import Fact, Report, Status, Trials
from evalgate.strict_json import decode

_RESULT, _CONFIG, _LOCK = "result.json", "config.json", "lock.json"
_LARGEST = 64 << 20
"""Unit: bytes, of one file. A trial's result is a few kilobytes."""
_MOST_TRIALS = 100_000
_REWARD = "reward"
_PASS = 1.0
_NO_VERSION = ("", "unknown")
_SHOWN = 3
_KEYS_SHOWN = 10


def _sniff(content: Content) -> bool:
    if content.folder is None:
        return False
    try:
        job = _json(content.folder, _RESULT)
    except OSError:
        return False
    except ReportError:
        # A job whose result was cut off is still one, and reading it says what is wrong; any other folder is not ours.
        config = _optional(content.folder, _CONFIG)
        return "job_name" in config and "n_attempts" in config
    return isinstance(job, dict) and "n_total_trials" in job and isinstance(job.get("stats"), dict)


def _read(content: Content, options: ReadOptions) -> tuple[Report, Evidence]:
    assert content.folder is not None, "only a folder is claimed"
    label, folder = content.label, content.folder
    place = f"{label}/{_RESULT}"
    job = found.object_of(place, "", _load(folder, _RESULT, place))
    _schema(place, job)
    scan = _scan(label, folder, options.reward_key)
    if options.reward_key is not None and scan.trials and options.reward_key not in scan.rewards:
        known = ", ".join(shorten(name, 60) for name in sorted(scan.rewards)) or "none"
        raise ReportError([f"{label}: no trial has a reward {options.reward_key}; --reward-key takes one of {known}"])
    agents = {trial.agent for trial in scan.trials}
    groups = _by_task(scan.trials)
    several = _asked(folder) > 1 or any(len(group) > 1 for group in groups.values())
    names = _names(groups, agents)
    cases = [_case(names[key], group, several=several) for key, group in groups.items()]
    found.checked(label, cases, what="trial")
    versions = sorted(filter(None, (agent.text for agent in agents)))
    report = Report(
        format=FORMAT.name,
        tool="harbor",
        harness_version=_harness(folder),
        dsh_version=", ".join(versions) or None,
        started_at=min((trial.begin for trial in scan.trials if instant(trial.begin)), key=_moment, default=""),
        finished_at=max((trial.end for trial in scan.trials if instant(trial.end)), key=_moment, default=""),
        duration_ms=sum(one.duration_ms for one in cases),
        suite=f"reward {options.reward_key or _REWARD}",
        cases=tuple(map(found.facts_of, cases)),
        carries=frozenset(_carried(scan.trials, versions)),
        incomplete=tuple(_incomplete(place, job, scan)),
        notes=tuple(_notes(place, job, scan.trials)),
        # Sorted, so that it does not depend on which of the trials comes first.
        revisions={names[key]: ", ".join(sorted({one.checksum for one in group})) for key, group in groups.items()},
        tokens_summed=True,
    )
    return report, found.Kept(cases)


class _Agent(NamedTuple):
    """What was under test; texts are empty where the trial does not say."""

    name: str
    version: str
    model: str

    @property
    def text(self) -> str:
        """Name, version and model."""
        return " ".join(filter(None, self))

    def label(self, *, alone: bool) -> str:
        """
        Return what tells it from the others in the name of a case.

        alone: whether no other agent has its name and model; if one has, the version belongs to the label.
        """
        return (" ".join(filter(None, (self.name, self.model))) if alone else self.text) or "no agent"


class _Trial(NamedTuple):
    """What one trial's result.json comes to; a result may hold all the tokens of a rollout, and is not kept."""

    task: str
    source: str
    """Where the task comes from; two sources may have a task of one name."""
    agent: _Agent
    checksum: str
    begin: str
    """As the file spells it; empty when it does not say."""
    end: str
    attempt: AttemptEvidence


class _Scan(NamedTuple):
    """What lies in the folder of a job."""

    trials: list[_Trial]
    """In the order of the names of their folders."""
    broken: list[str]
    """Names of the folders that look like one of a trial and hold no readable result."""
    linked: list[str]
    """Names of the links to folders: what is behind them may belong to another job."""
    rewards: set[str]
    """Names of the rewards that any trial has."""


def _json(folder: Path, name: str, label: str = "") -> Any:  # noqa: ANN401 (any JSON value)
    """Return what a file of the job holds. Raises `OSError` or, for what is no JSON, `ReportError`."""
    path = folder / name
    label = label or str(path)
    # Neither a link out of the job nor a pipe, which would be waited for.
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ReportError([f"{label}: must be a plain file, not a link: copy the job with what its links stand for"])
    with path.open("rb") as stream:
        data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ReportError([f"{label}: is longer than {_LARGEST >> 20} MiB, and no result of Harbor"])
    return decode(label, data).value


def _load(folder: Path, name: str, label: str) -> Any:  # noqa: ANN401 (any JSON value)
    try:
        return _json(folder, name, label)
    except OSError as fault:
        raise ReportError([f"{label}: cannot be read ({fault.strerror or fault})"]) from fault


def _optional(folder: Path, name: str) -> Mapping[str, Any]:
    """Return an object that is read for what it adds; empty when it cannot be read or is none."""
    try:
        value = _json(folder, name)
    except (OSError, ReportError):
        return {}
    return value if isinstance(value, dict) else {}


def _schema(label: str, raw: Mapping[str, Any]) -> None:
    schema = raw.get("schema_version", 1)
    if isinstance(schema, bool) or schema != 1:
        raise found.fault(label, "schema_version", "this evalgate reads 1, and none of older files", schema)


def _scan(label: str, folder: Path, reward_key: str | None) -> _Scan:
    try:
        # Path.is_dir, since that of an entry raises for a link to itself.
        folders = sorted((path.name, path.is_symlink()) for path in folder.iterdir() if path.is_dir())
    except OSError as fault:
        raise ReportError([f"{label}: cannot be read ({fault.strerror or fault})"]) from fault
    if len(folders) > _MOST_TRIALS:
        raise ReportError([f"{label}: holds more than {_MOST_TRIALS} folders, and is no job of Harbor"])
    scan = _Scan([], [], [name for name, is_link in folders if is_link], set())
    for name, is_link in folders:
        inside = folder / name
        if is_link or not any(os.path.lexists(inside / file) for file in (_RESULT, _CONFIG)):
            continue
        where = f"{label}/{name}/{_RESULT}"
        try:
            raw = _json(inside, _RESULT, where)
        except (OSError, ReportError):
            raw = None
        if isinstance(raw, dict) and "trial_name" in raw and "task_checksum" in raw:
            _schema(where, raw)
            scan.trials.append(_trial(where, raw, reward_key))
            verifier = raw.get("verifier_result")
            rewards = verifier.get("rewards") if isinstance(verifier, dict) else None
            scan.rewards.update(rewards if isinstance(rewards, dict) else ())
        else:
            scan.broken.append(name)
    return scan._replace(trials=_told_apart(scan.trials))


def _told_apart(trials: Sequence[_Trial]) -> list[_Trial]:
    """
    Return the trials with tasks of two sources under two names, and with the agent that a crash left unnamed.

    An agent that never came up says "unknown" for its version; it is the one of that name which the job has.
    """
    sources: dict[str, set[str]] = {}
    versions: dict[tuple[str, str], set[str]] = {}
    for one in trials:
        sources.setdefault(one.task, set()).add(one.source)
        if one.agent.version not in _NO_VERSION:
            versions.setdefault((one.agent.name, one.agent.model), set()).add(one.agent.version)
    told = []
    for one in trials:
        task = f"{one.task} ({one.source or 'no source'})" if len(sources[one.task]) > 1 else one.task
        known = versions.get((one.agent.name, one.agent.model), set())
        agent = one.agent
        if agent.version in _NO_VERSION and len(known) == 1:
            agent = agent._replace(version=next(iter(known)))
        told.append(one._replace(task=task, agent=agent))
    return told


def _trial(label: str, raw: Mapping[str, Any], reward_key: str | None) -> _Trial:
    begin, end = (found.optional_text(raw.get(key)) or "" for key in ("started_at", "finished_at"))
    return _Trial(
        found.text_of(label, "task_name", raw.get("task_name")),
        found.optional_text(raw.get("source")) or "",
        _agent(raw.get("agent_info")),
        found.text_of(label, "task_checksum", raw["task_checksum"]),
        begin,
        end,
        _attempt(label, raw, reward_key, _duration(begin, end)),
    )


def _agent(raw: object) -> _Agent:
    if not isinstance(raw, dict):
        return _Agent("", "", "")
    model = raw.get("model_info")
    said = (raw.get("name"), raw.get("version"), model.get("name") if isinstance(model, dict) else None)
    return _Agent(*(found.optional_text(text) or "" for text in said))


def _by_task(trials: Sequence[_Trial]) -> dict[tuple[str, _Agent], list[_Trial]]:
    """Return the trials of each case in the order in which they ran, which the names of the folders do not tell."""
    groups: dict[tuple[str, _Agent], list[_Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.task, trial.agent), []).append(trial)
    return {key: sorted(group, key=lambda one: _moment(one.begin)) for key, group in groups.items()}


def _names(keys: Iterable[tuple[str, _Agent]], agents: Collection[_Agent]) -> dict[tuple[str, _Agent], str]:
    """Return the name of each case. The agent belongs to it only where the job holds several: else one renames all."""
    if len(agents) <= 1:
        return {key: key[0] for key in keys}
    alike = Counter((agent.name, agent.model) for agent in agents)
    return {(task, agent): f"{task} ({agent.label(alone=alike[agent.name, agent.model] == 1)})" for task, agent in keys}


def _case(name: str, group: Sequence[_Trial], *, several: bool) -> CaseEvidence:
    attempts = [one.attempt._replace(number=number) for number, one in enumerate(group, 1)]
    passes = sum(one.status is Status.PASS for one in attempts)
    statuses = {one.status for one in attempts}
    status = Status.PASS if passes else Status.FAIL if Status.FAIL in statuses else Status.ERROR
    return found.case(name, status, attempts, trials=Trials(len(group), passes) if several else None)


def _attempt(label: str, raw: Mapping[str, Any], reward_key: str | None, duration: Number) -> AttemptEvidence:
    exceptions = list(_exceptions(raw))
    status, why = _status(label, raw, reward_key, crashed=bool(exceptions))
    errors = [(kind, message) for kind, message, _ in exceptions]
    return found.attempt(
        1,
        status,
        [text or f"{kind}: {message}" for kind, message, text in exceptions],
        failures=[why] if status is Status.FAIL else [],
        error=": ".join(filter(None, (why, *(errors[0] if errors else ())))) if status is Status.ERROR else None,
        # Only of a trial that passed: one that failed although the agent crashed has not recovered from anything.
        tool_errors=errors if status is Status.PASS else [],
        tokens=_tokens(label, raw),
        duration_ms=duration,
    )


def _status(label: str, raw: Mapping[str, Any], reward_key: str | None, *, crashed: bool) -> tuple[Status, str]:
    """Return the status of a trial and why it is none that passes."""
    verifier = raw.get("verifier_result")
    rewards = verifier.get("rewards") if isinstance(verifier, dict) else None
    if not rewards:
        return Status.ERROR, "the trial has no reward"
    rewards = found.object_of(label, "verifier_result.rewards", rewards)
    valid = raw.get("reward_valid")
    if valid is not None and not isinstance(valid, bool):
        raise found.fault(label, "reward_valid", "must be true or false", valid)
    # Files from before `reward_valid` do not say which exceptions leave a reward standing.
    if valid is False or (valid is None and (crashed or raw.get("exception_info") is not None)):
        return Status.ERROR, "the reward of the trial is not valid"
    key = _deciding(label, rewards, reward_key)
    if key is None:
        return Status.ERROR, f"the trial has no reward {reward_key}, and none called {_REWARD}"
    value = rewards[key]
    if not found.is_finite(value):
        raise found.fault(label, f"verifier_result.rewards.{key}", "must be a finite number", value)
    return (Status.PASS, "") if value >= _PASS else (Status.FAIL, f"{key} is {value}")


def _deciding(label: str, rewards: Mapping[str, Any], asked: str | None) -> str | None:
    """Return the name of the reward that decides: the one asked for, else `reward`, else the only one there is."""
    for key in (asked, _REWARD):
        if key is not None and key in rewards:
            return key
    if asked is not None:
        return None
    if len(rewards) == 1:
        return next(iter(rewards))
    known = ", ".join(shorten(name, 60) for name in sorted(rewards)[:_KEYS_SHOWN])
    rule = f"must have one called {_REWARD}, or say which decides: --reward-key with one of {known}"
    raise found.fault(label, "verifier_result.rewards", rule, rewards)


def _exceptions(raw: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (type, message, traceback) of the exceptions of a trial and its steps."""
    steps = raw.get("step_results")
    holders = [raw, *(steps if isinstance(steps, list) else [])]
    for holder in holders:
        info = holder.get("exception_info") if isinstance(holder, dict) else None
        if isinstance(info, dict):
            kind, message, text = (
                found.optional_text(info.get(f"exception_{name}")) or "" for name in ("type", "message", "traceback")
            )
            yield kind or "exception", message, text


def _tokens(label: str, raw: Mapping[str, Any]) -> Tokens | None:
    """Return the tokens of the trial, of its steps where it has several; None when the environment never came up."""
    steps = raw.get("step_results")
    parts = [
        _usage(label, f"step_results[{position}].agent_result", step.get("agent_result"))
        for position, step in enumerate(steps if isinstance(steps, list) else [])
        if isinstance(step, dict)
    ]
    said = [part for part in parts if part is not None]
    return (
        Tokens(*map(sum, zip(*said, strict=True))) if said else _usage(label, "agent_result", raw.get("agent_result"))
    )


def _usage(label: str, place: str, raw: object) -> Tokens | None:
    if not isinstance(raw, dict):
        return None
    values = {}
    for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens"):
        if raw.get(name) is not None:
            values[name] = found.number(label, f"{place}.{name}", raw[name])
    if not values:
        return None
    cache = values.get("n_cache_tokens", 0)
    # Harbor's input holds the cache, and ours does not.
    fresh = values.get("n_input_tokens", cache) - cache
    if fresh < 0:
        raise found.fault(label, f"{place}.n_cache_tokens", "must be at most n_input_tokens", cache)
    return Tokens(input=fresh, output=values.get("n_output_tokens", 0), cache_read=cache)


def _moment(text: str) -> tuple[int, str]:
    """Return an instant to compare by, one without a zone as if in UTC; what is no instant comes first."""
    return instant(text) or instant(f"{text}Z") or (-1, "")


def _duration(begin: str, end: str) -> Number:
    first, last = _moment(begin), _moment(end)
    if -1 in (first[0], last[0]) or last < first:
        return 0
    seconds, parts = last[0] - first[0], [float(f"0.{fraction[:9] or 0}") for _, fraction in (first, last)]
    return round((seconds + parts[1] - parts[0]) * 1000)


def _asked(folder: Path) -> int:
    """Return how many trials of each task the job was told to run (`-k`), 1 when it does not say."""
    asked = _optional(folder, _CONFIG).get("n_attempts")
    return asked if isinstance(asked, int) else 1


def _harness(folder: Path) -> str:
    """Return the version of Harbor that ran the job, empty when the job does not say."""
    harbor = _optional(folder, _LOCK).get("harbor")
    return (found.optional_text(harbor.get("version")) or "") if isinstance(harbor, dict) else ""


def _carried(trials: Sequence[_Trial], versions: Sequence[str]) -> Iterator[Fact]:
    yield from (Fact.TOOL_ERRORS, Fact.SIGNATURES, Fact.TRIALS)
    if any(one.attempt.tokens is not None for one in trials):
        yield Fact.TOKENS
    if versions:
        yield Fact.VERSION


def _incomplete(label: str, job: Mapping[str, Any], scan: _Scan) -> Iterator[str]:
    if job.get("finished_at") is None:
        yield "the job has not finished"
    total = found.count(label, "n_total_trials", job.get("n_total_trials"))
    if total != len(scan.trials):
        yield f"the job counts {_counted(total, 'trial')} and its folder holds {len(scan.trials)} with a result"
    stats = found.object_of(label, "stats", job.get("stats"))
    for name in ("pending", "running", "cancelled"):
        value = stats.get(f"n_{name}_trials")
        if value is not None and (number := found.count(label, f"stats.n_{name}_trials", value)):
            yield f"{_counted(number, 'trial')} {'is' if number == 1 else 'are'} {name}"
    if scan.broken:
        yield f"{_counted(len(scan.broken), 'folder')} of a trial without a readable result: {_some(scan.broken)}"
    if scan.linked:
        yield f"{_counted(len(scan.linked), 'link')} to a folder, not followed: {_some(scan.linked)}"
    mixed = _mixed(scan.trials)
    if mixed:
        yield f"trials of one task are of several versions of it: {_some(mixed)}"


def _notes(label: str, job: Mapping[str, Any], trials: Sequence[_Trial]) -> Iterator[str]:
    stats = found.object_of(label, "stats", job.get("stats"))
    retries = stats.get("n_retries")
    if retries is not None and (number := found.count(label, "stats.n_retries", retries)):
        told = (
            "trial was retried; Harbor overwrites it" if number == 1 else "trials were retried; Harbor overwrites them"
        )
        yield f"{number} {told}, so nothing is known about what failed before"
    mixed = _mixed(trials)
    if mixed:
        yield f"the task was edited while the job ran, its trials are of several versions: {_some(mixed)}"


def _mixed(trials: Sequence[_Trial]) -> list[str]:
    """Return the tasks whose trials are of several versions of the task."""
    digests: dict[str, set[str]] = {}
    for trial in trials:
        digests.setdefault(trial.task, set()).add(trial.checksum)
    return [task for task, several in digests.items() if len(several) > 1]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(shorten(name, 100) for name in names[:_SHOWN]) + more


FORMAT = Format(
    name="harbor",
    title="Harbor",
    sniff=_sniff,
    read=_read,
    carries=frozenset({Fact.TOKENS, Fact.TOOL_ERRORS, Fact.SIGNATURES, Fact.TRIALS, Fact.VERSION}),
    options=frozenset({"--reward-key"}),
    recognised=(
        "a folder whose `result.json` has `n_total_trials` and `stats`, with a folder for every trial. A `result.json` "
        "alone is refused: pass the folder of the job."
    ),
    losses=(
        "Retries: a retried trial is overwritten, so flakiness is not available. Tool errors: what counts as one is an "
        "exception of the agent in a trial that passed all the same; errors of single tools are only in its trajectory."
    ),
)
