"""Places in a state: `targets.0.id`. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from evalgate.faults import MISSING

Scalar = str | int | float | bool | None

FRAME = "frame"
"""A counter that goes up by itself: left out of what is compared."""
_MOST_LEAVES = 100_000
"""More than the longest state that is read can have."""


def value_at(state: object, path: str) -> object:
    """Return what stands at `path`, `MISSING` when nothing does."""
    here = state
    for step in path.split("."):
        if isinstance(here, Mapping) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isascii() and step.isdigit() and len(step) < 10 and int(step) < len(here):
            here = here[int(step)]
        else:
            return MISSING
    return here


def leaves(state: Mapping[str, object]) -> dict[str, Scalar]:
    """Return the scalars of a state by path, without the frame counter; a list adds its length."""
    found: dict[str, Scalar] = {}
    waiting: list[tuple[str, object]] = [(key, value) for key, value in state.items() if key != FRAME]
    while waiting and len(found) < _MOST_LEAVES:
        path, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [(f"{path}.{key}", one) for key, one in value.items()]
        elif isinstance(value, list):
            found[f"{path}.length"] = len(value)
            waiting += [(f"{path}.{place}", one) for place, one in enumerate(value)]
        elif value is None or isinstance(value, str | int | float | bool):
            found[path] = value
    return found


def changed(states: Sequence[Mapping[str, object]]) -> frozenset[str]:
    """Return the paths at which any of the states differs from the first."""
    if not states:
        return frozenset()
    first = leaves(states[0])
    return frozenset(path for state in states[1:] for path in _between(first, leaves(state)))


def _between(one: Mapping[str, Scalar], other: Mapping[str, Scalar]) -> Iterator[str]:
    for path in one.keys() | other.keys():
        if path not in one or path not in other or not same(one[path], other[path]):
            yield path


def distinct(states: Sequence[Mapping[str, object]]) -> int:
    """Return how many different states there are, the frame counter aside."""
    # By type, too: 1 and true are equal in Python, and so are their hashes.
    return len({frozenset((path, type(one), one) for path, one in leaves(state).items()) for state in states})


def same(one: object, other: object) -> bool:
    """Return whether two JSON values are equal; true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other
