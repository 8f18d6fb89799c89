"""What can be tapped, as a state names it. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from evalgate.play.paths import value_at

_MOST = 200


class Target(NamedTuple):
    """A place on the page. Unit: CSS pixels from the upper left corner."""

    x: float
    y: float


def targets_at(state: Mapping[str, object], path: str) -> list[Target]:
    """Return the targets of the list at `path`, the first 200 at most; what has no finite x and y is none."""
    listed = value_at(state, path)
    if not isinstance(listed, list):
        return []
    found = []
    for one in listed[:_MOST]:
        if isinstance(one, Mapping):
            x, y = one.get("x"), one.get("y")
            if _is_coordinate(x) and _is_coordinate(y):
                found.append(Target(float(x), float(y)))  # type: ignore[arg-type]
    return found


def _is_coordinate(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e5 < value < 1e5
