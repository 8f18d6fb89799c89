"""
How a game is played, when its gatespec.json does not say: play-spec.json, derived from the state that smoke saw.

Targets in the state: tap them. None: press keys in turn, which is thin, and all that can be done.

One failed smoke must not settle it: a spec that was derived without a state says so (`"derived": "nothing"`), and is
replaced as soon as a state appears. A spec that a person wrote (no `derived`) or that a real state made (`"derived":
"state"`) is never overwritten.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from evalgate.errors import MissingReportError, OutputError, ReportError
from evalgate.faults import MISSING, Fault, Faults
from evalgate.loop.files import read_bounded
from evalgate.loop.rounds import decode_whole
from evalgate.play.gate_spec import KEY_CYCLE, TAP_TARGETS, Driver, GateSpec, Reader, SpecError
from evalgate.play.targets import targets_at
from evalgate.whole_file import replace

FILE = "play-spec.json"
SCHEMA = "evalgate-play-spec/1"
FROM_STATE = "state"
FROM_NOTHING = "nothing"
_LARGEST = 1 << 20


class PlaySpec(NamedTuple):
    """What play-spec.json holds."""

    driver: Driver
    derived: str | None
    """What it was derived from, `FROM_STATE` or `FROM_NOTHING`; None when a person wrote it."""


def ensure_play_spec(folder: Path, spec: GateSpec, state: Mapping[str, object] | None) -> Driver:
    """
    Return how the game in `folder` is played, and write play-spec.json when it is to be written.

    `state` is what smoke saw, None when it saw none. Raises `SpecError` for a play-spec.json that breaks its form,
    `OutputError` when it cannot be written.
    """
    if spec.driver is not None:
        return spec.driver
    path = folder / FILE
    there = read_play_spec(path)
    derived = settle(there, state)
    if derived is not there:
        document: dict[str, object] = {"schema": SCHEMA, "driver": derived.driver.as_json()}
        if derived.derived is not None:
            document["derived"] = derived.derived
        try:
            replace(path, [f"{json.dumps(document, indent=2)}\n".encode()])
        except OSError as fault:
            raise OutputError([f"{path}: cannot be written ({fault.strerror or fault})"]) from fault
    return derived.driver


def settle(there: PlaySpec | None, state: Mapping[str, object] | None) -> PlaySpec:
    """Return the spec that holds now: `there` itself where it stays. Pure."""
    if there is not None and (there.derived != FROM_NOTHING or state is None):
        return there
    if state is None:
        return PlaySpec(Driver(type=KEY_CYCLE), FROM_NOTHING)
    if targets_at(state, Driver.targets):
        return PlaySpec(Driver(type=TAP_TARGETS), FROM_STATE)
    return PlaySpec(Driver(type=KEY_CYCLE), FROM_STATE)


def read_play_spec(path: Path) -> PlaySpec | None:
    """Return what the file holds, None when there is none. Raises `SpecError`."""
    faults = Faults(str(path))
    reader = Reader(faults)
    try:
        document = decode_whole(str(path), read_bounded(path, _LARGEST, "a spec", regular=True))
        table = reader.table("", document, ("schema", "driver", "derived"))
        driver = derived = None
        if table is not None:
            derived = table.get("derived")
            if table.get("schema") != SCHEMA:
                faults.add([Fault("schema", f'must be "{SCHEMA}"', table.get("schema", MISSING))])
            if "derived" in table and derived not in (FROM_STATE, FROM_NOTHING):
                faults.add([Fault("derived", f'must be "{FROM_STATE}" or "{FROM_NOTHING}", or left out', derived)])
            driver = reader.driver("driver", table.get("driver", MISSING))
        faults.raise_if_any()
    except MissingReportError:
        return None
    except ReportError as fault:
        raise SpecError(fault.faults) from fault
    assert driver is not None, "a document without a fault is a spec"
    return PlaySpec(driver, derived)
