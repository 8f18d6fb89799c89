"""
The registry of the rules.

The order is that of the summary lines, which is contract. Detail lines and reasons come by severity, most severe first,
and in this order within one severity.
"""

from typing import Any

from evalgate.signals import (
    added,
    baseline_failing,
    baseline_flaky,
    budget_soft_tripped,
    case_changed,
    case_set,
    cost_gate_degraded,
    dsh_version,
    error_signature,
    flaky,
    flaky_worsened,
    harness_version,
    improvement,
    incomplete_after,
    incomplete_before,
    new_failure,
    not_run,
    notes,
    outage,
    profile_change,
    regression,
    reliability,
    removed,
    repair_increases,
    skipped_lines,
    token_regression,
    tool_error_recovery,
    trials,
)
from evalgate.signals._signal import Fired, Page, Pair, Signal, name_some, stories

SIGNALS: tuple[Signal[Any], ...] = (
    regression.SIGNAL,
    new_failure.SIGNAL,
    improvement.SIGNAL,
    added.SIGNAL,
    removed.SIGNAL,
    token_regression.SIGNAL,
    skipped_lines.SIGNAL,
    flaky.SIGNAL,
    tool_error_recovery.SIGNAL,
    error_signature.SIGNAL,
    baseline_flaky.SIGNAL,
    reliability.SIGNAL,
    baseline_failing.SIGNAL,
    dsh_version.SIGNAL,
    harness_version.SIGNAL,
    profile_change.SIGNAL,
    case_set.SIGNAL,
    incomplete_after.SIGNAL,
    incomplete_before.SIGNAL,
    not_run.SIGNAL,
    case_changed.SIGNAL,
    flaky_worsened.SIGNAL,
    trials.SIGNAL,
    outage.SIGNAL,
    notes.SIGNAL,
    repair_increases.SIGNAL,
    budget_soft_tripped.SIGNAL,
    cost_gate_degraded.SIGNAL,
)

__all__ = ["SIGNALS", "Fired", "Page", "Pair", "Signal", "name_some", "stories"]
