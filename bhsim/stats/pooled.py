"""The mean over several contests that met the same keys: a crew's row in a table of all against all.

A key counts once, whatever the number of contests that met it: Var = sum over keys of (sum over contests of (score - contest's mean) /
contest's keys)^2 / contests^2 (Liang and Zeger, 1986, the contests being fixed).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from bhsim.stats.intervals import FEW_DIVERGENT, ScoreInterval, around


def stretched(scores: np.ndarray, keys: int) -> np.ndarray:
    """Values of ``keys`` keys, shape (keys,), whose mean and whose errors are those of ``scores``, shape (fewer keys,), the first of them.

    Sums of such values of contests that met different numbers of the same keys have the variance that is written above. They may lie
    outside of 0..1.
    """
    mean, short = scores.mean(), scores.size
    if short == keys:
        return scores
    found = np.full(keys, mean)
    found[:short] += keys / short * (scores - mean)
    return found


def pooled_mean(contests: Iterable[np.ndarray], level: float = 0.95) -> ScoreInterval:
    """Mean of the contests' means, each contest counting the same.

    contests: for each the mean score of every key, floats in 0..1, shape (its keys,); key k is the same luck in all. Wilson's interval at
    the effective size m(1-m)/Var; with fewer than ``FEW_DIVERGENT`` keys that differ, one lost and one won key are added to the variance.
    ValueError without contests.
    """
    residuals = np.zeros(0)
    total, count, fewest = 0.0, 0, 0
    for scores in contests:
        mean = float(scores.mean())
        longer, shorter = np.zeros(max(len(residuals), len(scores))), residuals
        longer[: len(shorter)] = shorter
        longer[: len(scores)] += (scores - mean) / len(scores)
        residuals, total, count = longer, total + mean, count + 1
        fewest = len(scores) if count == 1 else min(fewest, len(scores))
    if not count:
        raise ValueError("no contest to pool")
    mean, variance = total / count, float(residuals @ residuals) / count**2
    _, counts = np.unique(residuals.round(12), return_counts=True)
    divergent = len(residuals) - int(counts.max())
    se, corrected = math.sqrt(variance), divergent < FEW_DIVERGENT
    if corrected:
        variance += ((1 - mean) ** 2 + mean**2) / (fewest + 2) ** 2
    centre = (mean * fewest + 1) / (fewest + 2) if corrected else mean
    n_eff = centre * (1 - centre) / variance
    low, high = around(mean, centre, n_eff, level, corrected)
    return ScoreInterval(mean, low, high, se, n_eff, len(residuals), divergent, corrected)
