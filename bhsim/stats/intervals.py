"""Intervals for a rate: from independent successes, and from keys whose games share their luck.

Formulas and test values: docs/statistics.md. All functions are pure; ``level`` is the two-sided confidence (0.95).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

FEW_DIVERGENT = 30  # below this many keys outside the commonest score the variance cannot be trusted


class Interval(NamedTuple):
    """Lower and upper end."""

    low: float
    high: float


@dataclass(frozen=True)
class ScoreInterval:
    """A mean score with its interval, counted over keys (the independent unit), not over games.

    n_eff: the number of independent games that would give the same standard error.
    divergent: keys outside the commonest score. corrected: one lost and one won key were added for the interval's width.
    exact: the mean is known without error (a mirror match).
    """

    mean: float
    low: float
    high: float
    se: float
    n_eff: float
    keys: int
    divergent: int
    corrected: bool = False
    exact: bool = False


def normal_quantile(level: float) -> float:
    """z of a two-sided interval: 1.959964 for 0.95. ValueError unless 0 < level < 1."""
    from scipy.special import ndtri

    if not 0 < level < 1:
        raise ValueError(f"level: {level} is not between 0 and 1")
    return float(ndtri(0.5 + level / 2))


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Wilson's interval; both arguments may be fractions (half wins, effective sizes). ValueError unless 0 <= successes <= n, n > 0."""
    _check(successes, n)
    z = normal_quantile(level)
    p = successes / n
    denominator = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / denominator
    half = z / denominator * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Interval(0.0 if successes == 0 else max(0.0, centre - half), 1.0 if successes == n else min(1.0, centre + half))


def clopper_pearson(successes: float, n: float, level: float = 0.95) -> Interval:
    """The conservative interval: covers at least ``level`` of the time whatever the true rate."""
    from scipy.special import betaincinv

    _check(successes, n)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(low, high)


def jeffreys(successes: float, n: float, level: float = 0.95) -> Interval:
    """Jeffreys' interval with its ends set to 0 and 1 where no or every game was a success."""
    from scipy.special import betaincinv

    _check(successes, n)
    tail = (1 - level) / 2
    a, b = successes + 0.5, n - successes + 0.5
    low = 0.0 if successes == 0 else float(betaincinv(a, b, tail))
    high = 1.0 if successes == n else float(betaincinv(a, b, 1 - tail))
    return Interval(low, high)


def difference_newcombe(k1: float, n1: float, k2: float, n2: float, level: float = 0.95) -> Interval:
    """Interval for k1/n1 - k2/n2 of two independent samples, from both Wilson intervals (runs with different seeds)."""
    p1, p2 = k1 / n1, k2 / n2
    (l1, u1), (l2, u2) = wilson(k1, n1, level), wilson(k2, n2, level)
    return Interval(p1 - p2 - math.hypot(p1 - l1, u2 - p2), p1 - p2 + math.hypot(u1 - p1, p2 - l2))


def difference_score(k1: int, n1: int, k2: int, n2: int, level: float = 0.95) -> Interval:
    """Interval for k1/n1 - k2/n2 by inverting the score test with the n/(n-1) factor; slower than Newcombe's, keeps its level better."""
    from scipy.optimize import brentq

    z, observed = normal_quantile(level), k1 / n1 - k2 / n2

    def distance(delta: float) -> float:
        return score_deviation(delta, k1, n1, k2, n2) ** 2 - z * z

    edge = 1 - 1e-9
    start = min(max(observed, -edge), edge)
    low = -1.0 if distance(-edge) <= 0 else brentq(distance, -edge, start, xtol=1e-12)
    high = 1.0 if distance(edge) <= 0 else brentq(distance, start, edge, xtol=1e-12)
    return Interval(low, high)


def score_deviation(delta: float, k1: int, n1: int, k2: int, n2: int) -> float:
    """k1/n1 - k2/n2 - delta in standard errors under a true difference of ``delta`` (-1..1) (score test, factor n/(n-1))."""
    q = _restricted_rate(delta, k1, n1, k2, n2)
    p = q + delta
    variance = (p * (1 - p) / n1 + q * (1 - q) / n2) * (n1 + n2) / (n1 + n2 - 1)
    return (k1 / n1 - k2 / n2 - delta) / math.sqrt(variance)


def _restricted_rate(delta: float, k1: int, n1: int, k2: int, n2: int) -> float:
    """The second rate that is likeliest if the first is larger by exactly ``delta``."""
    from scipy.optimize import brentq

    low, high = max(0.0, -delta) + 1e-12, min(1.0, 1 - delta) - 1e-12

    def slope(q: float) -> float:
        p = q + delta
        return k1 / p - (n1 - k1) / (1 - p) + k2 / q - (n2 - k2) / (1 - q)

    if slope(low) <= 0:
        return low
    return high if slope(high) >= 0 else float(brentq(slope, low, high, xtol=1e-14))


def moments(values: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Mean and variance (divided by the sum of weights) of ``values`` (shape (k,)) with ``weights`` (shape (k,), not all 0)."""
    values, weights = np.asarray(values, float), np.asarray(weights, float)
    total = weights.sum()
    mean = float(values @ weights / total)
    return mean, float((values - mean) ** 2 @ weights / total)


def from_keys(values: np.ndarray, counts: np.ndarray, level: float = 0.95, mirror: bool = False) -> ScoreInterval:
    """Interval of the mean score from a histogram of key scores.

    values: possible mean scores of a key's games, each in 0..1, shape (k,). counts: keys with that score, shape (k,).
    Wilson's interval is taken at the effective size m(1-m)/(var/N). When fewer than ``FEW_DIVERGENT`` keys lie outside the commonest
    score the variance is close to a guess, so one lost and one won key are added first. ``mirror``: both sides are the same; every
    key then ties and the mean is exact. ValueError without keys, or for a mirror whose keys do not tie.
    """
    values, counts = np.asarray(values, float), np.asarray(counts, np.int64)
    keys = int(counts.sum())
    if keys < 1:
        raise ValueError("no keys to count")
    mean, variance = moments(values, counts)
    divergent = keys - int(counts.max())
    if mirror:
        if divergent:
            raise ValueError(f"a mirror match ties in every key, but {divergent} keys differ")
        return ScoreInterval(mean, mean, mean, 0.0, math.inf, keys, 0, exact=True)
    se = math.sqrt(variance / keys)
    corrected = divergent < FEW_DIVERGENT
    wide_mean, wide_variance, wide_keys = mean, variance, keys
    if corrected:
        wide_keys = keys + 2
        wide_mean, wide_variance = moments(np.append(values, [0.0, 1.0]), np.append(counts, [1, 1]))
    n_eff = wide_mean * (1 - wide_mean) * wide_keys / wide_variance
    low, high = around(mean, wide_mean, n_eff, level, corrected)
    return ScoreInterval(mean, low, high, se, n_eff, keys, divergent, corrected)


def around(mean: float, centre: float, n_eff: float, level: float, corrected: bool) -> Interval:
    """Wilson's interval at ``centre`` and the effective size, stretched to hold the mean.

    corrected: ``centre`` and ``n_eff`` include the added keys, which pull the centre towards 1/2; then the plain interval about the mean
    with the same variance is taken in as well, or a lopsided score would be missed from above more often than the level says.
    """
    low, high = wilson(centre * n_eff, n_eff, level)
    if corrected:
        half = normal_quantile(level) * math.sqrt(centre * (1 - centre) / n_eff)
        low, high = min(low, mean - half), max(high, mean + half)
    return Interval(max(0.0, min(low, mean)), min(1.0, max(high, mean)))


def _check(successes: float, n: float) -> None:
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} make no rate")
