"""A race on common keys: arms that all play the same keys are compared key by key, and those surely worse than the leader leave.

The errors hold over all looks together, so the driver may look whenever it likes: the best arm leaves with a chance of at most alpha.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bhsim.stats.intervals import FEW_DIVERGENT
from bhsim.stats.sequential import PRIOR_KEYS, radius


@dataclass(frozen=True)
class Look:
    """leader: the arm of the best mean. behind, radius: each arm's difference from it and its error; stays: behind <= radius; (K,)."""

    leader: int
    behind: np.ndarray
    radius: np.ndarray
    stays: np.ndarray


def look(scores: np.ndarray, started: int, alpha: float = 0.05, prior_keys: float = PRIOR_KEYS) -> Look:
    """One look at the arms still in the race.

    scores: mean score 0..1 of each arm in each key so far, shape (K, N); the same keys for all. started: arms at the start of the race,
    among whom alpha is shared: the best one leaves only if one of the started - 1 others is wrongly found ahead of it. prior_keys: see
    ``sequential.radius``; tightest near eight times as many keys.

    The variance is the sample's, with one key more at either end of -1..1 while fewer than ``FEW_DIVERGENT`` lie outside the commonest
    difference (as ``paired.paired_difference`` has it), so a few keys that differ decide nothing.
    ValueError without keys, or for fewer arms at the start than now.
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 2 or not scores.size or started < len(scores):
        raise ValueError(f"key scores of shape {scores.shape} from {started} arms make no race")
    leader = int(scores.mean(axis=1).argmax())
    behind, radii = np.zeros(len(scores)), np.zeros(len(scores))
    for arm in range(len(scores)):
        if arm != leader:
            behind[arm], radii[arm] = _behind(scores[leader] - scores[arm], alpha / max(1, started - 1), prior_keys)
    return Look(leader, behind, radii, behind <= radii)


def _behind(difference: np.ndarray, alpha: float, prior_keys: float) -> tuple[float, float]:
    """Mean difference and its always-valid radius."""
    _, counts = np.unique(difference.round(12), return_counts=True)
    wide = np.append(difference, [-1.0, 1.0]) if difference.size - counts.max() < FEW_DIVERGENT else difference
    return math.fsum(difference) / difference.size, radius(difference.size, float(wide.var()), alpha, prior_keys)
