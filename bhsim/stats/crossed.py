"""Effects of what builds are made of, when every build was played on the same keys: a full table of builds by keys.

The score of a build in a key is taken as a sum of what each copy of each item adds, plus what this build and this key have of their own.
Rows of the table with the same build, and those with the same key, move together, so the variance counts both ways: clustered by build,
plus clustered by key, minus what both have counted (Cameron, Gelbach and Miller, 2011). A build's residual is weighted up by what the fit
has taken of it (MacKinnon and White, 1985, HC2), since builds are few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SPARE_BUILDS = 10  # builds beyond the number of effects, without which the spread between builds is a guess


@dataclass(frozen=True)
class CrossedEffects:
    """Change of the score by one copy of each item, shape (C,) each; p is two-sided.

    between: share of the variance that comes from builds. contrasts: every build had the same number of items, so an effect is against the
    average item and they sum to 0.
    """

    effects: np.ndarray
    low: np.ndarray
    high: np.ndarray
    se: np.ndarray
    p: np.ndarray
    between: np.ndarray
    contrasts: bool


def crossed_effects(counts: np.ndarray, scores: np.ndarray, level: float = 0.95) -> CrossedEffects:
    """Least squares of the builds' scores on centred counts.

    counts: copies of each item in each build, shape (B, C). scores: mean score of each build in each key, shape (B, K). The interval is
    Student's; its degrees of freedom are those of the builds (B - 1 - rank) or of the keys (K - 1), whichever are fewer.
    ValueError when fewer than ``SPARE_BUILDS`` builds are to spare, without two keys, or for counts that cannot be told apart.
    """
    from scipy.special import stdtr, stdtrit

    counts, scores = np.asarray(counts, float), np.asarray(scores, float)
    builds, items = counts.shape
    keys = scores.shape[1]
    centred = counts - counts.mean(axis=0)
    contrasts = bool(np.abs(centred.sum(axis=1)).max() < 1e-9)
    rank = int(np.linalg.matrix_rank(centred))
    free = builds - 1 - rank
    if keys < 2 or free < SPARE_BUILDS:
        raise ValueError(f"{builds} builds on {keys} keys say too little about {items} items")
    if rank < items - contrasts:
        raise ValueError("some items never vary, or only together, so their effects cannot be told apart")
    own = scores - scores.mean(axis=0)  # without the luck that all builds of a key share, which moves no effect
    weights = np.linalg.pinv(centred)  # shape (C, B); each row sums to 0
    effects = weights @ own.mean(axis=1)
    residuals = own - (centred @ effects)[:, None]
    spare = 1 - 1 / builds - (centred * weights.T).sum(axis=1)  # of each build's residual: what the fit has left of it
    by_key = ((weights @ residuals) ** 2).sum(axis=1) / (keys * (keys - 1))
    by_build = weights**2 @ (residuals.mean(axis=1) ** 2 / np.maximum(spare, 1e-9))
    both = (weights**2 @ (residuals**2).sum(axis=1)) / keys**2
    variance = np.maximum(by_key + by_build - both, np.maximum(by_key, by_build))
    se = np.sqrt(variance)
    degrees = min(free, keys - 1)
    half = stdtrit(degrees, 0.5 + level / 2) * se
    ratio = np.divide(effects, se, out=np.zeros_like(se), where=se > 0)
    between = np.divide(by_build, variance, out=np.zeros_like(se), where=se > 0)
    return CrossedEffects(effects, effects - half, effects + half, se, 2 * stdtr(degrees, -np.abs(ratio)), between, contrasts)
