"""Dsh version change: a fact about the run as a whole."""

import pytest

from evalgate.signals._signal import Pair
from evalgate.signals.dsh_version import SIGNAL, VersionChange, find
from evalgate.verdict import Severity
from tests.builders import facts_report


@pytest.mark.parametrize(
    ("before", "after", "fires"),
    [
        ("0.1.0-rc.6", "0.1.1-rc.2", True),
        ("0.1.0", "0.1.0 ", True),
        ("", "0.1.0", True),
        ("0.1.0", "0.1.0", False),
        (None, "0.1.0", False),
        ("0.1.0", None, False),
        (None, None, False),
    ],
)
def test_find_dsh_version_change(before, after, fires):
    found = find(Pair(facts_report(dsh_version=before), facts_report(dsh_version=after)))
    assert found == ([VersionChange(before, after)] if fires else [])


def test_dsh_version_change_outputs():
    found = VersionChange("0.1.0-rc.6", "0.1.1-rc.2")
    assert SIGNAL.severity is Severity.INFO
    assert SIGNAL.encode(found) == {"before": "0.1.0-rc.6", "after": "0.1.1-rc.2"}
    assert SIGNAL.scalar is not None
    assert f"{SIGNAL.key}={SIGNAL.scalar(found)}" == "DSH_VERSION_CHANGED=0.1.0-rc.6 -> 0.1.1-rc.2"
    assert (SIGNAL.word, SIGNAL.detail, SIGNAL.json_field) == ("", None, "dshVersionChange")
