"""Is it the same within a margin? Two one-sided tests (TOST), the sizes they need, and McNemar's exact test of flipped keys.

"No significant difference" is no evidence of sameness, and with enough games everything differs. Equivalence asks for a margin m and holds
if the interval of level 1 - 2 alpha lies inside (-m, m). For a number of games fixed beforehand only: repeated looks need ``sprt``.
Source: Schuirmann (1987). Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bhsim.stats.intervals import difference_score, normal_quantile, score_deviation


@dataclass(frozen=True)
class Equivalence:
    """A difference tested against a margin. low, high: interval of level 1 - 2 alpha. p: the larger of both one-sided values.

    equivalent and different may both hold: a difference that is real and too small to matter.
    """

    difference: float
    low: float
    high: float
    p: float
    equivalent: bool

    @property
    def different(self) -> bool:
        """The interval excludes 0."""
        return not self.low <= 0 <= self.high


def tost_rates(k1: int, n1: int, k2: int, n2: int, margin: float, alpha: float = 0.05, method: str = "wald") -> Equivalence:
    """k1/n1 against k2/n2 of independent games. method: ``wald``, or ``score`` (slower, better when small).

    ValueError for another method, a margin or alpha that is no such thing, or without games.
    """
    _check(margin, alpha)
    if min(n1, n2) < 1:
        raise ValueError("two samples of at least one game are needed")
    p1, p2 = k1 / n1, k2 / n2
    difference = p1 - p2
    if method == "score":
        upper = _above(score_deviation(-margin, k1, n1, k2, n2))
        lower = _above(-score_deviation(margin, k1, n1, k2, n2))
        low, high = difference_score(k1, n1, k2, n2, 1 - 2 * alpha)
        return _result(difference, low, high, max(upper, lower), alpha)
    if method != "wald":
        raise ValueError(f"method: {method} is neither wald nor score")
    se = math.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    if not se:
        return _result(difference, difference, difference, 0.0 if abs(difference) < margin else 1.0, alpha)
    half = normal_quantile(1 - 2 * alpha) * se
    p = max(_above((difference + margin) / se), _above((margin - difference) / se))
    return _result(difference, difference - half, difference + half, p, alpha)


def tost_paired(differences: np.ndarray, margin: float, alpha: float = 0.05) -> Equivalence:
    """Differences key by key, shape (N,), by Student's t. ValueError for fewer than two keys.

    Keys that all differ alike have no spread to test with: they are equivalent if inside the margin (identical runs), p is 0 or 1.
    """
    from scipy.special import stdtr, stdtrit

    _check(margin, alpha)
    differences = np.asarray(differences, float)
    if differences.ndim != 1 or differences.size < 2:
        raise ValueError(f"differences of shape {differences.shape} make no test")
    mean, degrees = float(differences.mean()), differences.size - 1
    se = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    if not se:
        return _result(mean, mean, mean, 0.0 if abs(mean) < margin else 1.0, alpha)
    p = float(max(stdtr(degrees, -(mean + margin) / se), stdtr(degrees, (mean - margin) / se)))
    half = float(stdtrit(degrees, 1 - alpha)) * se
    return _result(mean, mean - half, mean + half, p, alpha)


def size_needed(margin: float, variance: float, alpha: float = 0.05, power: float = 0.9) -> int:
    """Observations that show equivalence with chance ``power`` when there is no difference at all.

    variance: of one observation's difference. Independent arms: 2 p (1-p), and the size is that of each arm. Keys against a known
    value: the variance of a key's score.
    """
    from scipy.special import ndtri

    _check(margin, alpha)
    z = float(ndtri(1 - alpha) + ndtri((1 + power) / 2))
    return math.ceil(z * z * variance / (margin * margin))


def mcnemar(up: int, down: int) -> float:
    """Two-sided exact p-value that ``up`` keys flipped one way and ``down`` the other by a fair coin; 1 when none flipped."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(up, down), up + down, 0.5))) if up + down else 1.0


def _result(difference: float, low: float, high: float, p: float, alpha: float) -> Equivalence:
    return Equivalence(difference, low, high, p, p < alpha)


def _above(z: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(-z))


def _check(margin: float, alpha: float) -> None:
    if margin <= 0 or not 0 < alpha < 0.5:
        raise ValueError(f"margin {margin} at level {alpha}: the margin must be positive, the level between 0 and one half")
