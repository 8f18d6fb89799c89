"""Whether a place of the state moved as a spec says. Pure."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from evalgate.faults import MISSING
from evalgate.play.gate_spec import ORDERS, Check
from evalgate.play.paths import same, value_at

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def holds(check: Check, before: Mapping[str, object] | None, after: Mapping[str, object] | None) -> bool:
    """Return whether the check holds between two states; None is a state that was not seen."""
    return why_not(check, before, after) == ""


def why_not(check: Check, before: Mapping[str, object] | None, after: Mapping[str, object] | None) -> str:
    """Return in a few words why the check does not hold, nothing when it does."""
    was = MISSING if before is None else value_at(before, check.path)
    now = MISSING if after is None else value_at(after, check.path)
    if now is MISSING:
        return "no state was seen" if after is None else "the state has no such path"
    against = was if check.value is MISSING else check.value
    if against is MISSING:
        return "there is no value before"
    match check.op:
        case "==" | "unchanged":
            return "" if whole(now, against) else f"is not {_what(check)}"
        case "!=" | "changed":
            return "" if not whole(now, against) else f"is still {_what(check)}"
        case _:
            assert check.op in ORDERS, "the reader of the spec lets no other through"
            if not _is_number(now) or not _is_number(against):
                return "is not a number"
            return "" if _COMPARE[check.op](now, against) else f"is not {check.op} {_what(check)}"


def _what(check: Check) -> str:
    return "the value before" if check.value is MISSING else repr(check.value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole(one: object, other: object) -> bool:
    """Return whether two JSON values are equal, all that is in them too; true is not 1."""
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            if left.keys() != right.keys():
                return False
            waiting += [(left[key], right[key]) for key in left]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            waiting += zip(left, right, strict=True)
        elif not same(left, right):
            return False
    return True
