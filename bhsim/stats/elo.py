"""Strength on Elo's two scales from a histogram of key scores, with its interval and the likelihood of superiority.

Logistic Elo is a score seen through 1/(1+10^(-e/400)). Normalized Elo is the score's distance from 1/2 in standard deviations of one
game, times 800/ln 10: the number of games a test needs depends on it alone, whatever the share of draws or the luck of the deal.
Source: the mathematics pages of fishtest and M. Van den Bergh's notes cited there. Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bhsim.stats.intervals import moments, normal_quantile

NORMALIZED_UNIT = 800 / math.log(10)  # normalized Elo of a game whose mean lies one standard deviation above 1/2


@dataclass(frozen=True)
class Rating:
    """A score as a rating; every margin is half of the interval's width.

    elo and its margin are infinite where the score or an end of its interval is 0 or 1. los: likelihood of superiority, the chance
    that the true score is above 1/2 (normal approximation, flat prior).
    """

    score: float
    elo: float
    elo_margin: float
    nelo: float
    nelo_margin: float
    los: float


def score_of(elo: float) -> float:
    """Expected score of the side that is ``elo`` stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Logistic Elo of a score; minus and plus infinity at 0 and 1 and beyond."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else -400 * math.log10(1 / score - 1)


def rating(values: np.ndarray, counts: np.ndarray, seatings: int, level: float = 0.95) -> Rating:
    """Rating from ``counts`` (shape (k,)) keys with mean score ``values`` (shape (k,), 0..1); a key holds ``seatings`` games.

    Three outcomes of single games: values 0, 1/2, 1 and seatings 1. Pairs: 0, 1/4, .. 1 and 2. ValueError without keys.
    """
    counts = np.asarray(counts, float)
    keys = counts.sum()
    if keys <= 0:
        raise ValueError("no keys to rate")
    mean, variance = moments(values, counts)
    z, se = normal_quantile(level), math.sqrt(variance / keys)
    distance = _in_deviations(mean - 0.5, math.sqrt(seatings * variance))
    return Rating(
        score=mean,
        elo=elo_of(mean),
        elo_margin=(elo_of(mean + z * se) - elo_of(mean - z * se)) / 2 if 0 < mean < 1 else math.inf,
        nelo=NORMALIZED_UNIT * distance,
        nelo_margin=NORMALIZED_UNIT * z / math.sqrt(keys * seatings),
        los=_below(_in_deviations(mean - 0.5, se)),
    )


def superiority(wins: float, losses: float) -> float:
    """Likelihood of superiority from decisive games alone: Phi((W-L)/sqrt(W+L)); one half without any."""
    return _below((wins - losses) / math.sqrt(wins + losses)) if wins + losses else 0.5


def _in_deviations(distance: float, deviation: float) -> float:
    if deviation:
        return distance / deviation
    return math.copysign(math.inf, distance) if distance else 0.0


def _below(z: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(z))
