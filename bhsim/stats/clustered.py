"""Errors when rows share their luck: one key's rows count as one observation, wherever the same keys are met again and pooled.

Variance of an estimate = sum over keys of (sum of that key's residual contributions)^2 / (what they are divided by)^2. No small-sample
factor: there are thousands of keys. Sources: Liang and Zeger (1986); the bias identity is fishtest's. Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bhsim.stats.intervals import normal_quantile


@dataclass(frozen=True)
class Estimate:
    """A pooled number with its interval. n_eff: independent rows that would give the same error, of ``rows`` rows over ``keys`` keys."""

    value: float
    low: float
    high: float
    se: float
    rows: int
    keys: int
    n_eff: float


@dataclass(frozen=True)
class Controlled:
    """A mean after a control variate. slope: theta; correlation: of outcome and control; factor: variance left, 1 - correlation^2."""

    estimate: Estimate
    slope: float
    correlation: float
    factor: float


def key_sums(contributions: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Sums over each key: contributions of shape (n,) or (n, c) become (G,) or (G, c); keys are n integers in any order."""
    contributions, keys = np.asarray(contributions, float), np.asarray(keys)
    if not keys.size or len(contributions) != len(keys):
        raise ValueError(f"{len(contributions)} rows with {keys.size} keys cannot be summed")
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order])))
    return np.add.reduceat(contributions[order], starts, axis=0)


def clustered_ratio(top: np.ndarray, bottom: np.ndarray, keys: np.ndarray, level: float = 0.95) -> Estimate:
    """sum(top) / sum(bottom) over rows of shape (n,): wins per game drawn, points per round. ValueError if sum(bottom) is not positive."""
    top, bottom = np.asarray(top, float), np.asarray(bottom, float)
    total = bottom.sum()
    if not total > 0:
        raise ValueError("a ratio to nothing")
    value = float(top.sum() / total)
    residuals = top - value * bottom
    sums = key_sums(residuals, keys)
    se = math.sqrt(sums @ sums) / total
    alone = math.sqrt(residuals @ residuals) / total
    half = normal_quantile(level) * se
    n_eff = len(top) * (alone / se) ** 2 if se else math.inf
    return Estimate(value, value - half, value + half, se, len(top), len(sums), n_eff)


def clustered_mean(values: np.ndarray, keys: np.ndarray, weights: np.ndarray | None = None, level: float = 0.95) -> Estimate:
    """Mean of ``values`` (shape (n,)), weighted if asked, over rows of which those with equal ``keys`` shared their luck."""
    values = np.asarray(values, float)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, float)
    return clustered_ratio(values * weights, weights, keys, level)


def bootstrap(sums: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray], draws: int = 1000, seed: int = 1) -> np.ndarray:
    """``statistic`` over samples of keys drawn with replacement, for numbers that have no formula: shape (draws, ...).

    sums: totals of each key, shape (G, c), as from ``key_sums``. statistic: takes the summed columns of a sample, shape (c,).
    """
    sums = np.asarray(sums, float)
    luck = np.random.default_rng(seed)
    even = np.full(len(sums), 1 / len(sums))
    return np.array([statistic(luck.multinomial(len(sums), even) @ sums) for _ in range(draws)])


def rms_bias(game_variance: float, key_variance: float, seatings: int = 2) -> float:
    """How far the deal moves one game's expected score from that of the key, as a root mean square.

    bias^2 = Var(game) - seatings Var(key), when the sides' strength is the same in every deal; 0 where chance makes it negative.
    """
    return math.sqrt(max(0.0, game_variance - seatings * key_variance))


def control_variate(outcome: np.ndarray, control: np.ndarray, expected: float, keys: np.ndarray, level: float = 0.95) -> Controlled:
    """Mean outcome with the luck that ``control`` shows taken out: outcome - theta (control - expected), theta = Cov/Var.

    outcome, control: shape (n,). The control must be known before what is compared begins (an evaluation of the deal), and its
    expectation from elsewhere than these games. ValueError for a control that never varies.
    """
    outcome, control = np.asarray(outcome, float), np.asarray(control, float)
    spread = control.var()
    if not spread:
        raise ValueError("the control never varies")
    covariance = float(((outcome - outcome.mean()) * (control - control.mean())).mean())
    slope = covariance / float(spread)
    deviation = float(outcome.std())
    correlation = covariance / (math.sqrt(spread) * deviation) if deviation else 0.0
    estimate = clustered_mean(outcome - slope * (control - expected), keys, level=level)
    return Controlled(estimate, slope, correlation, 1 - correlation**2)
