"""What common luck buys: differences key by key, the saving of exchanged seats, and how many keys a question needs.

Formulas and test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bhsim.stats.intervals import FEW_DIVERGENT, moments, normal_quantile


@dataclass(frozen=True)
class Difference:
    """Mean difference of two key scores, A minus B, on the same keys.

    saving: variance of the difference relative to two runs on separate keys (0.25 means four times fewer games); 1.0 when
    neither run varies. corrected: few keys differed, so one key each way was added for the width. identical: the same games, exactly 0.
    """

    mean: float
    low: float
    high: float
    se: float
    keys: int
    divergent: int
    saving: float
    corrected: bool
    identical: bool


def paired_difference(a: np.ndarray, b: np.ndarray, level: float = 0.95, identical: bool = False) -> Difference:
    """Difference of two contests that met the same keys.

    a, b: mean score of each key, shape (N,), floats in 0..1, same key at the same index. identical: the games are known to be the same
    (equal data and engine), so the difference is exactly 0; that no key happened to differ does not show it. ValueError for other shapes,
    N = 0, or games said to be identical that differ.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape or a.ndim != 1 or not a.size:
        raise ValueError(f"key scores of shapes {a.shape} and {b.shape} make no pairs")
    difference = a - b
    keys = difference.size
    mean, variance = float(difference.mean()), float(difference.var())
    _, counts = np.unique(difference.round(12), return_counts=True)
    divergent = keys - int(counts.max())
    if identical and difference.any():
        raise ValueError(f"the games are said to be identical, but {np.count_nonzero(difference)} keys differ")
    corrected = divergent < FEW_DIVERGENT and not identical
    wide_mean, wide_variance, wide_keys = mean, variance, keys
    if corrected:
        wide = np.append(difference, [-1.0, 1.0])
        wide_mean, wide_variance, wide_keys = float(wide.mean()), float(wide.var()), keys + 2
    half = normal_quantile(level) * math.sqrt(wide_variance / wide_keys)
    separate = float(a.var() + b.var())
    low, high = max(-1.0, min(wide_mean - half, mean)), min(1.0, max(wide_mean + half, mean))
    saving = variance / separate if separate else 1.0
    return Difference(mean, low, high, math.sqrt(variance / keys), keys, divergent, saving, corrected, identical)


def seat_saving(game_values: np.ndarray, game_counts: np.ndarray, key_values: np.ndarray, key_counts: np.ndarray, seatings: int) -> float:
    """Variance of the mean over exchanged seats relative to as many unrelated games: seatings * Var(key) / Var(game).

    values: possible scores, 0..1, and how many games or keys had them. 0.6 means that 40 % of the games are saved; below 1 the luck of
    the deal favours a seat. 1.0 when no game varies.
    """
    _, of_games = moments(game_values, game_counts)
    _, of_keys = moments(key_values, key_counts)
    return seatings * of_keys / of_games if of_games else 1.0


def keys_needed(difference: float, variance: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Keys to tell a mean score that is ``difference`` away from a known value, two-sided; ``variance`` of one key's mean score."""
    from scipy.special import ndtri

    z = float(ndtri(1 - alpha / 2) + ndtri(power))
    return math.ceil(z * z * variance / (difference * difference))
