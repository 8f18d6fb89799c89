"""
The one-sided 95 % Wilson lower bound of a success rate.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212;
L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial proportion", Statist. Sci. 16 (2001) 101-133.
"""

from fractions import Fraction
from math import ceil, sqrt

Z = 1.6448536269514722
"""Phi^-1(0.95), the 95 % quantile of the standard normal distribution."""

_Z_SQUARED = Z * Z


def lower_bound(passes: int, trials: int) -> float:
    """
    Return the bound for `passes` of `trials`, a share in [0, 1]; raise `ValueError` unless 0 <= passes <= trials >= 1.

    (p + z^2/2n - z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), written so that the difference of two nearly equal
    numbers does not arise: with few passes the textbook form loses every digit and turns negative.
    """
    if trials < 1 or not 0 <= passes <= trials:
        raise ValueError(f"need 0 <= passes <= trials and trials >= 1 (got {passes} of {trials})")
    if passes == 0:
        return 0.0
    rate, half = passes / trials, _Z_SQUARED / 2 / trials
    variance = rate * ((trials - passes) / trials) / trials
    # (c - sqrt(c^2 - rate^2 (1 + 2h))) / (1 + 2h) = rate^2 / (c + sqrt(...)), with c = rate + h
    return min(1.0, rate * rate / (rate + half + Z * sqrt(variance + _Z_SQUARED / 4 / trials / trials)))


def trials_needed(threshold: Fraction) -> int | None:
    """
    Return the fewest trials whose bound reaches `threshold` when every one passes; None when no number does.

    With all n passing the bound is n / (n + z^2): 0.8 needs 11, 0.9 needs 25, 0.95 needs 52, and 1 is never reached.
    """
    if threshold >= 1:
        return None
    return max(1, ceil(Fraction(_Z_SQUARED) * threshold / (1 - threshold)))
