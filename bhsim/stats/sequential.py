"""Intervals that hold at every look: what may be shown while a run goes on, and after a stop that depended on the games.

The mixture bound of Robbins (1970): with a chance of at least 1 - alpha the true mean lies inside at all numbers of keys at once.
Test values: docs/statistics.md.
"""

from __future__ import annotations

import math

from bhsim.stats.intervals import Interval

PRIOR_KEYS = 5000.0


def radius(keys: float, variance: float, alpha: float = 0.05, prior_keys: float = PRIOR_KEYS) -> float:
    """Half of the always-valid interval after ``keys`` keys: sqrt(v (t+l)/t^2 ln((t+l)/(l alpha^2))), t keys, l ``prior_keys``.

    variance: a bound v on the variance proxy of one key's score. For scores within a range of width w it is w^2/4 (1/4 for scores 0..1,
    1 for differences -1..1) and the interval holds exactly; with the variance of the sample it holds for large t.
    prior_keys decides where the interval is tight, not whether it holds: best near t/8 at alpha 0.05. Choose it before the run.
    ValueError unless keys, prior_keys and variance are positive and 0 < alpha < 1.
    """
    if keys <= 0 or prior_keys <= 0 or variance < 0 or not 0 < alpha < 1:
        raise ValueError(f"no interval for {keys} keys, variance {variance}, alpha {alpha}, prior {prior_keys}")
    total = keys + prior_keys
    return math.sqrt(variance * total * math.log(total / (prior_keys * alpha * alpha))) / keys


def always_valid(
    mean: float,
    keys: float,
    variance: float,
    alpha: float = 0.05,
    prior_keys: float = PRIOR_KEYS,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """``mean`` plus and minus ``radius``, cut at the ends of the range that a mean can have."""
    half = radius(keys, variance, alpha, prior_keys)
    return Interval(max(ends[0], mean - half), min(ends[1], mean + half))
