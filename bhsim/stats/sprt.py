"""Sequential tests between two means: the generalised likelihood ratio over a histogram of key scores.

The test does not know the law of a key's score, so each hypothesis is represented by the likeliest law that satisfies it (GSPRT). That
law has the form p / (1 + theta x), x being what the hypothesis says averages 0, and theta is the one root of sum p x / (1 + theta x).
Sources: M. Van den Bergh's notes on the GSPRT as used by fishtest and fastchess; Owen (1988) for the empirical likelihood.
Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bhsim.stats.elo import NORMALIZED_UNIT, score_of
from bhsim.stats.intervals import FEW_DIVERGENT, Interval, moments

EMPTY = 1e-3  # keys put into a cell that has none, so that a law with any mean inside the grid has some likelihood
ROUNDS, SETTLED = 200, 1e-13  # of the fixed point for normalized hypotheses


class Course(NamedTuple):
    """What a test does at some true mean: the chance to accept the second hypothesis, and the keys it takes on average."""

    accepts: float
    keys: float


def bounds(alpha: float = 0.05, beta: float = 0.05) -> Interval:
    """Wald's bounds of the log-likelihood ratio: at or below ``low`` the first hypothesis is accepted, at or above ``high`` the second.

    alpha, beta: chance to accept the second when the first holds, and the reverse. ValueError unless positive with a sum below 1.
    """
    if alpha <= 0 or beta <= 0 or alpha + beta >= 1:
        raise ValueError(f"error rates {alpha} and {beta} make no test")
    return Interval(math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))


def llr(
    values: np.ndarray,
    counts: np.ndarray,
    mean0: float,
    mean1: float,
    ends: tuple[float, float] | None = None,
    floored: bool = False,
) -> float:
    """Log-likelihood ratio of mean1 against mean0, from ``counts`` (shape (k,)) keys with scores or differences ``values`` (shape (k,)).

    ends: lowest and highest value a key can have; cells for them are added where ``values`` has none (it may list only what occurred).
    Without ``ends`` the grid must reach beyond both means. Empty cells count ``EMPTY`` keys. floored: see ``with_floor``; it keeps a
    variance that is a guess from a few keys from deciding early. ValueError without keys or for a mean outside the grid.
    """
    values, counts = _grid(values, counts, ends)
    if floored:
        counts = with_floor(counts)
    share, keys = _shares(counts)
    return keys * float(share @ (_log_tilt(share, values - mean0) - _log_tilt(share, values - mean1)))


def llr_logistic(values: np.ndarray, counts: np.ndarray, elo0: float, elo1: float) -> float:
    """``llr`` between two strengths in logistic Elo; values are mean scores 0..1."""
    return llr(values, counts, score_of(elo0), score_of(elo1), ends=(0.0, 1.0))


def llr_normalized(values: np.ndarray, counts: np.ndarray, nelo0: float, nelo1: float, seatings: int) -> float:
    """Log-likelihood ratio between two strengths in normalized Elo; values are mean scores 0..1 of keys of ``seatings`` games."""
    values, counts = _grid(values, counts, (0.0, 1.0))
    share, keys = _shares(counts)
    tilt0, tilt1 = (_log_tilt_normalized(share, values, math.sqrt(seatings) * nelo / NORMALIZED_UNIT) for nelo in (nelo0, nelo1))
    return keys * float(share @ (tilt0 - tilt1))


def llr_approximate(values: np.ndarray, counts: np.ndarray, mean0: float, mean1: float) -> float:
    """``llr`` with a normal law of the sample's variance: good near both means, absurd far from them."""
    share, keys = _shares(np.asarray(counts, float))
    mean, variance = moments(values, share)
    return keys * (mean1 - mean0) * (2 * mean - mean0 - mean1) / (2 * variance)


def llr_normalized_approximate(values: np.ndarray, counts: np.ndarray, nelo0: float, nelo1: float, seatings: int) -> float:
    """``llr_normalized`` in closed form: games/2 ln[(1+(t-t0)^2) / (1+(t-t1)^2)], t the distance from 1/2 in deviations of a game."""
    share, keys = _shares(np.asarray(counts, float))
    mean, variance = moments(values, share)
    t = (mean - 0.5) / math.sqrt(seatings * variance)
    off0, off1 = t - nelo0 / NORMALIZED_UNIT, t - nelo1 / NORMALIZED_UNIT
    return keys * seatings / 2 * math.log((1 + off0 * off0) / (1 + off1 * off1))


def with_floor(counts: np.ndarray) -> np.ndarray:
    """``counts`` over an ascending grid, with one key more at each end if fewer than ``FEW_DIVERGENT`` lie outside the commonest cell."""
    counts = np.array(counts, float)
    if counts.sum() - counts.max() < FEW_DIVERGENT:
        counts[[0, -1]] += 1
    return counts


def course(truth: float, mean0: float, mean1: float, variance: float, alpha: float = 0.05, beta: float = 0.05) -> Course:
    """What the test does when the mean is ``truth`` and one key has ``variance``: Brownian approximation, no overshoot."""
    low, high = bounds(alpha, beta)
    step = (mean1 - mean0) ** 2 / variance
    drift = (truth - (mean0 + mean1) / 2) * (mean1 - mean0) / variance
    tilt = 2 * drift / step
    if abs(tilt) < 1e-7:
        return Course(-low / (high - low), -low * high / step)
    if tilt > 0:  # both forms are the same; each keeps its exponents below 0
        accepts = math.expm1(tilt * low) / math.expm1(tilt * (low - high))
    else:
        accepts = (math.exp(tilt * high) - math.exp(tilt * (high - low))) / -math.expm1(tilt * (high - low))
    return Course(accepts, (accepts * high + (1 - accepts) * low) / drift)


def fixed_keys(mean0: float, mean1: float, variance: float, alpha: float = 0.05, beta: float = 0.05) -> int:
    """Keys that a test of a fixed size needs for the same two errors: what ``course`` is to be compared with."""
    from scipy.special import ndtri

    return math.ceil((ndtri(1 - alpha) + ndtri(1 - beta)) ** 2 * variance / (mean1 - mean0) ** 2)


def _grid(values: np.ndarray, counts: np.ndarray, ends: tuple[float, float] | None) -> tuple[np.ndarray, np.ndarray]:
    """Values ascending, with cells at the ends of the range."""
    values, counts = np.asarray(values, float), np.asarray(counts, float)
    if values.shape != counts.shape or counts.sum() <= 0 or counts.min() < 0:
        raise ValueError(f"{counts.sum():g} keys in {counts.size} cells for {values.size} values make no histogram")
    if ends is not None:
        missing = [end for end in ends if not np.isclose(values, end, rtol=0, atol=1e-12).any()]
        values, counts = np.append(values, missing), np.append(counts, np.zeros(len(missing)))
    order = np.argsort(values)
    return values[order], counts[order]


def _shares(counts: np.ndarray) -> tuple[np.ndarray, float]:
    counts = np.where(counts == 0, EMPTY, counts)
    keys = float(counts.sum())
    return counts / keys, keys


def _log_tilt(share: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """ln(1 + theta x) for the law share / (1 + theta x) that is likeliest among those under which ``offsets`` x average 0.

    No probability of that law exceeds 1, so 1 + theta x >= share in every cell; at the ends of the bracket that follows the sum has
    opposite signs, however lopsided the counts are.
    """
    from scipy.optimize import brentq

    top, bottom = int(offsets.argmax()), int(offsets.argmin())
    if not offsets[bottom] < 0 < offsets[top]:
        raise ValueError("a hypothesis lies outside the grid of values: give the ends of the range")

    def average(theta: float) -> float:
        return float(share @ (offsets / (1 + theta * offsets)))

    low, high = (share[top] - 1) / offsets[top], (share[bottom] - 1) / offsets[bottom]
    if average(low) <= 0:  # by rounding only: the root is the end itself
        theta = low
    elif average(high) >= 0:
        theta = high
    else:
        theta = brentq(average, low, high, xtol=1e-15, rtol=1e-15, maxiter=1000)
    return np.log1p(theta * offsets)


def _log_tilt_normalized(share: np.ndarray, values: np.ndarray, t: float) -> np.ndarray:
    """The same for the hypothesis mean - 1/2 = t deviations, made linear about the law found so far until that law stays."""
    law = np.full(len(values), 1 / len(values))
    tilt = np.zeros(len(values))
    for _ in range(ROUNDS):
        mean, variance = moments(values, law)
        deviation = math.sqrt(variance)
        tilt = _log_tilt(share, values - 0.5 - t * deviation * (1 + ((values - mean) / deviation) ** 2) / 2)
        before, law = law, share * np.exp(-tilt)
        if np.abs(law - before).max() < SETTLED:
            break
    return tilt
