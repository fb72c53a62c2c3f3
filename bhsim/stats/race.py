"""Finding the best of many crews: who plays how much next. Pure steps; whoever calls them plays.

An arm is what can be tried (a crew, a deck, a variant), a play one independent result of it; larger means are better. Sources: Karnin,
Koren and Somekh (2013) for halving, Chen et al. (2000) for OCBA, Kalyanakrishnan et al. (2012) for LUCB, Maron and Moore (1994) for
races, Russo (2016) for top-two sampling. Races on common keys: ``stats.elimination``. Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

REDRAWS = 1000  # of top-two sampling, before the best of the others is taken as it is


class Round(NamedTuple):
    """So many arms play so many new plays each; the better half (rounded up) goes on."""

    arms: int
    plays: int


class Duel(NamedTuple):
    """The arm that looks best, the one that may most be better, and by how much it may be (below 0: it cannot)."""

    leader: int
    challenger: int
    gap: float


def halving(arms: int, budget: int) -> list[Round]:
    """Successive halving: as many rounds as it takes to come from ``arms`` to 1, the budget divided equally among them.

    Judge the arms of a round by all that they have played so far, not by its new plays alone: the same budget finds the best more often.

    budget: plays in all; each round's share is rounded down to whole plays an arm. ValueError for fewer than two arms, or a budget
    that gives some arm no play.
    """
    if arms < 2:
        raise ValueError(f"{arms} arms need no choice")
    sizes = []
    while arms > 1:
        sizes.append(arms)
        arms = math.ceil(arms / 2)
    rounds = [Round(size, budget // (len(sizes) * size)) for size in sizes]
    if rounds[0].plays < 1:
        raise ValueError(f"a budget of {budget} plays is too small: {len(sizes)} rounds of {sizes[0]} arms need {len(sizes) * sizes[0]}")
    return rounds


def better_half(means: np.ndarray) -> np.ndarray:
    """Numbers of the arms that go on, best first; of equal ones those that come first."""
    means = np.asarray(means, float)
    return np.argsort(-means, kind="stable")[: math.ceil(means.size / 2)]


def ocba_shares(means: np.ndarray, deviations: np.ndarray) -> np.ndarray:
    """Shares of a budget that make it likeliest that the best arm looks best (optimal computing budget allocation), shape (K,).

    means, deviations of one play: shape (K,). Others get (sd/d)^2, d being the distance from the best; the best sd_b sqrt(sum N^2/sd^2).
    Arms level with the best share the budget with it and leave the rest nothing.
    ValueError for fewer than two arms, or a deviation below 0.
    """
    means, deviations = np.asarray(means, float), np.asarray(deviations, float)
    if means.ndim != 1 or means.size < 2 or means.shape != deviations.shape or not (deviations >= 0).all():
        raise ValueError(f"means of shape {means.shape} and deviations of shape {deviations.shape} make no allocation")
    best = int(means.argmax())
    distance = means[best] - means
    distance[best] = np.inf
    nearest = distance.min() or 1.0
    level = (distance == 0).any()
    closeness = np.where(distance == 0, 1.0, 0.0) if level else (nearest / distance) ** 2  # relative to the nearest, so nothing overflows
    shares = deviations**2 * closeness
    shares[best] = deviations[best] * math.sqrt(float((deviations**2 * closeness**2).sum()))
    total = shares.sum()
    return shares / total if total else np.full(means.size, 1 / means.size)


def hoeffding_radius(plays: float, alpha: float = 0.05) -> float:
    """sqrt(ln(2/alpha)/(2n)): half of an interval that holds for any law of scores 0..1, at one look and for one arm."""
    if plays <= 0 or not 0 < alpha < 1:
        raise ValueError(f"no interval for {plays} plays, alpha {alpha}")
    return math.sqrt(math.log(2 / alpha) / (2 * plays))


def lucb_radius(look: int, arms: int, plays: float, delta: float = 0.05) -> float:
    """sqrt(ln(5 K t^4 / (4 delta)) / (2 m)) at look t of a search among K arms, for one with m plays, scores 0..1.

    The intervals of all arms hold at all looks, but for a chance of at most delta.
    """
    if look < 1 or arms < 1 or plays <= 0 or not 0 < delta < 1:
        raise ValueError(f"no interval for look {look}, {arms} arms, {plays} plays, delta {delta}")
    return math.sqrt(math.log(5 * arms * look**4 / (4 * delta)) / (2 * plays))


def lucb_duel(means: np.ndarray, radii: np.ndarray) -> Duel:
    """The two arms to play next (both once); the search may stop when the gap is below the tolerance. means, radii: shape (K,), K >= 2."""
    means, radii = np.asarray(means, float), np.asarray(radii, float)
    if means.size < 2 or means.shape != radii.shape:
        raise ValueError(f"means of shape {means.shape} and radii of shape {radii.shape} make no duel")
    leader = int(means.argmax())
    high = means + radii
    high[leader] = -np.inf
    challenger = int(high.argmax())
    return Duel(leader, challenger, float(high[challenger] - (means[leader] - radii[leader])))


def in_race(means: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Which arms stay, shape (K,) of truth: those whose upper end is not below the leader's lower end."""
    means, radii = np.asarray(means, float), np.asarray(radii, float)
    leader = int(means.argmax())
    return means + radii >= means[leader] - radii[leader]


def top_two(wins: np.ndarray, plays: np.ndarray, rng: np.random.Generator, keep: float = 0.5) -> int:
    """The arm to play next: draw rates from Beta(wins + 1, losses + 1); with chance ``keep`` the best draw, else draw until another wins.

    wins, plays: shape (K,), fractions allowed (effective games), K at least 2. rng: the caller's, so that a search can be repeated. If no
    other arm wins in ``REDRAWS`` draws, the second of the last one is taken.
    """
    above, below = _posterior(wins, plays)
    leader = int(rng.beta(above, below).argmax())
    if rng.random() < keep:
        return leader
    for _ in range(REDRAWS):
        drawn = rng.beta(above, below)
        if drawn.argmax() != leader:
            return int(drawn.argmax())
    drawn[leader] = -1
    return int(drawn.argmax())


def chance_best(wins: np.ndarray, plays: np.ndarray, seed: int, draws: int = 10_000) -> np.ndarray:
    """Posterior chance of each arm to be the best, shape (K,), from ``draws`` draws: what top-two sampling stops on."""
    above, below = _posterior(wins, plays)
    best = np.random.default_rng(seed).beta(above, below, size=(draws, above.size)).argmax(axis=1)
    return np.bincount(best, minlength=above.size) / draws


def _posterior(wins: np.ndarray, plays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wins, plays = np.asarray(wins, float), np.asarray(plays, float)
    if wins.ndim != 1 or wins.size < 2 or wins.shape != plays.shape or not (wins >= 0).all() or not (wins <= plays).all():
        raise ValueError("wins and plays: a row each for at least two arms, wins between 0 and plays")
    return wins + 1, plays - wins + 1
