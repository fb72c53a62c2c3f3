"""Many cells at once: false discoveries, the luck of the best one, shrinking towards the mean, and a verdict for each cell.

Sources: Benjamini and Hochberg (1995), Holm (1979), Benjamini and Yekutieli (2001). Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

Method = Literal["bh", "by", "holm", "bonferroni"]
Verdict = Literal["ok", "not ok", "undecided"]


def adjusted(p: np.ndarray, method: Method = "bh") -> np.ndarray:
    """p-values corrected for their number, in the order given: reject those at or below the level wanted.

    p: shape (K,), each in 0..1. ``bh`` (q-values) and ``by`` hold the expected share of false alarms among all alarms, ``by`` under any
    dependence; ``holm`` and ``bonferroni`` hold the chance of any false alarm. ValueError for another method or values outside 0..1.
    """
    p = np.asarray(p, float)
    count = p.size
    if p.ndim != 1 or (count and not (p.min() >= 0 and p.max() <= 1)):
        raise ValueError("p-values: one row of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    ranks, result = np.arange(1, count + 1), np.empty(count)
    if method == "bonferroni":
        steps = p[order] * count
    elif method == "holm":
        steps = np.maximum.accumulate(p[order] * (count + 1 - ranks))
    elif method in ("bh", "by"):
        harmonic = float((1 / ranks).sum()) if method == "by" else 1.0
        steps = np.minimum.accumulate((p[order] * count * harmonic / ranks)[::-1])[::-1]
    else:
        raise ValueError(f"method: {method} is none of bh, by, holm, bonferroni")
    result[order] = np.minimum(steps, 1.0)
    return result


def luck_of_the_best(arms: int) -> float:
    """How many standard errors the best of ``arms`` equal arms looks too good: the expected maximum of as many normal variables."""
    from scipy.integrate import quad
    from scipy.special import ndtr

    if arms < 1:
        raise ValueError(f"{arms} arms have no best")

    def tails(x: float) -> float:  # E[max] = integral over x > 0 of P(max > x) - P(max < -x)
        return float(1 - ndtr(x) ** arms - ndtr(-x) ** arms)

    return float(quad(tails, 0, np.inf, epsabs=1e-10)[0])


@dataclass(frozen=True)
class Shrunk:
    """Estimates drawn towards their mean. values, weights: shape (K,). tau: standard deviation of the true values, as estimated."""

    values: np.ndarray
    weights: np.ndarray
    tau: float


def shrink(estimates: np.ndarray, variances: np.ndarray) -> Shrunk:
    """Empirical Bayes: each estimate keeps tau^2/(tau^2 + its variance) of its distance from the mean.

    estimates, variances (squared standard errors): shape (K,), K at least 2. tau^2 is what the spread of the estimates (divided by K-1)
    exceeds the mean variance by, or 0. ValueError for fewer than two, or shapes that differ.
    """
    estimates, variances = np.asarray(estimates, float), np.asarray(variances, float)
    if estimates.ndim != 1 or estimates.size < 2 or estimates.shape != variances.shape:
        raise ValueError(f"estimates of shape {estimates.shape} and variances of shape {variances.shape} cannot be shrunk")
    mean = estimates.mean()
    between = max(0.0, float(estimates.var(ddof=1) - variances.mean()))
    total = between + variances
    weights = np.divide(between, total, out=np.ones_like(total), where=total > 0)
    return Shrunk(mean + weights * (estimates - mean), weights, math.sqrt(between))


def verdict(low: float, high: float, low_margin: float, high_margin: float) -> Verdict:
    """An interval against what is acceptable: wholly within the margins, wholly outside on one side, or neither.

    The margins themselves are acceptable. ValueError for an interval or margins with ends exchanged.
    """
    if low > high or low_margin > high_margin:
        raise ValueError(f"{low} to {high} against {low_margin} to {high_margin}: ends exchanged")
    if low_margin <= low and high <= high_margin:
        return "ok"
    return "not ok" if high < low_margin or low > high_margin else "undecided"
