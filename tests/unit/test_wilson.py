"""The Wilson lower bound at known points."""

from fractions import Fraction

import pytest

from evalgate.wilson import lower_bound, trials_needed


@pytest.mark.parametrize(
    ("passes", "trials", "bound"),
    [
        (9, 10, 0.6523),
        (10, 10, 0.7871),
        (11, 11, 0.8026),
        (24, 24, 0.8987),
        (25, 25, 0.9023),
        (51, 51, 0.9496),
        (52, 52, 0.9505),
        (1, 1, 0.2699),
        (1, 2, 0.1209),
        (5, 10, 0.2693),
        (80, 100, 0.7267),
    ],
)
def test_known_bounds(passes, trials, bound):
    assert lower_bound(passes, trials) == pytest.approx(bound, abs=5e-5)


@pytest.mark.parametrize("trials", [1, 2, 7, 10, 1000, 10**9, 10**300])
def test_no_pass_is_exactly_zero(trials):
    """The textbook form gives -1e-18 or so, which would be printed as a negative share."""
    bound = lower_bound(0, trials)
    assert (bound, str(bound)) == (0.0, "0.0")


@pytest.mark.parametrize("trials", [1, 10, 10**6, 10**15, 10**17, 10**308])
def test_all_passing_stays_a_share(trials):
    assert 0 < lower_bound(trials, trials) <= 1


@pytest.mark.parametrize(("passes", "trials"), [(0, 0), (-1, 5), (6, 5), (0, -1)])
def test_counts_that_are_none(passes, trials):
    with pytest.raises(ValueError, match="passes"):
        lower_bound(passes, trials)


@pytest.mark.parametrize(
    ("threshold", "needed"),
    [
        ("0.8", 11),
        ("0.9", 25),
        ("0.95", 52),
        ("0.99", 268),
        ("0.5", 3),
        ("0.27", 2),
        ("0.26", 1),
        ("0", 1),
        ("1", None),
    ],
)
def test_trials_needed(threshold, needed):
    assert trials_needed(Fraction(threshold)) == needed


@pytest.mark.parametrize("percent", range(1, 100))
def test_trials_needed_is_the_first_number_that_reaches(percent):
    threshold = Fraction(percent, 100)
    needed = trials_needed(threshold)
    assert needed is not None
    assert lower_bound(needed, needed) >= threshold
    assert needed == 1 or lower_bound(needed - 1, needed - 1) < threshold
