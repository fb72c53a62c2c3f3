"""Bradley-Terry ratings: one strength for each crew, how sure it is, and whether one number is enough.

P(i beats j) = g_i / (g_i + g_j). A deviance too large for its degrees of freedom says that crews meet as no order of strength can explain
(rock, paper, scissors). Sources: Bradley and Terry (1952), Hunter (2004) for the iteration. Test values: docs/statistics.md.
First player and draws: ``stats.davidson``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bhsim.stats.payoffs import checked_rates

ELO = 400 / math.log(10)  # Elo of one unit of log-strength
ROUNDS, SETTLED = 200_000, 1e-13


@dataclass(frozen=True)
class Ratings:
    """Strengths ln g of K crews, which sum to 0, shape (K,), with their covariance, shape (K, K).

    deviance, free, p: test of fit against a rate of its own for every pair, chi-squared with ``free`` degrees of freedom ((K-1)(K-2)/2
    when all have met); p is 1 without any. log_likelihood: of the wins of each pair, binomial coefficients included.
    """

    strengths: np.ndarray
    covariance: np.ndarray
    deviance: float
    free: int
    p: float
    log_likelihood: float

    @property
    def elo(self) -> np.ndarray:
        """Strengths in Elo around the mean of the crews, shape (K,)."""
        return ELO * self.strengths

    @property
    def elo_se(self) -> np.ndarray:
        """Standard errors of ``elo``, shape (K,)."""
        return ELO * np.sqrt(np.diag(self.covariance))

    def difference(self, i: int, j: int) -> tuple[float, float]:
        """ln g_i - ln g_j and its standard error; times ``ELO`` it is Elo."""
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        return float(self.strengths[i] - self.strengths[j]), math.sqrt(max(0.0, float(variance)))


def bradley_terry(wins: np.ndarray, prior: float = 0.0) -> Ratings:
    """Maximum likelihood from ``wins`` of row over column, shape (K, K); fractions allowed (``wins_of``), a draw is half a win for both.

    prior: games added to every pair, half of them won by either side, so that the strengths are finite whatever the results; the test of
    fit is against the results alone. ValueError for wins that are no such matrix, and, with the crews' numbers, when without a prior
    some crews never beat the others (their distance is then infinite).
    """
    wins = np.asarray(wins, float)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or len(wins) < 2 or not (wins >= 0).all() or np.diag(wins).any() or prior < 0:
        raise ValueError(f"wins of shape {wins.shape}: at least two crews, nothing below 0, nobody beats itself")
    counted = wins + prior / 2 * (1 - np.eye(len(wins)))
    apart = groups(counted)
    if len(apart) > 1:
        raise ValueError(f"crews {list(apart[0])} and the others have not beaten each other both ways: no finite ratings without a prior")
    strengths = _iterated(counted)
    rates = predicted(strengths)
    information = -(counted + counted.T) * rates * rates.T
    np.fill_diagonal(information, 0)
    np.fill_diagonal(information, -information.sum(axis=1))
    covariance = np.linalg.pinv(information, hermitian=True)
    return Ratings(strengths, covariance, *_fit(wins, rates))


def wins_of(rates: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Wins of row over column, shape (K, K), from rates and (effective) games of each cell, both of shape (K, K).

    With effective games in the place of games the errors and the test of fit allow for the luck that games of a key share. They take
    the cells as independent.
    """
    wins = checked_rates(rates) * np.broadcast_to(np.asarray(games, float), np.shape(rates))
    np.fill_diagonal(wins, 0)
    if not np.isfinite(wins).all():
        raise ValueError("games: a finite number for every cell")
    return wins


def predicted(strengths: np.ndarray) -> np.ndarray:
    """P(row beats column), shape (K, K), from strengths ln g of shape (K,)."""
    strengths = np.asarray(strengths, float)
    return 1 / (1 + np.exp(strengths - strengths[:, None]))


def groups(wins: np.ndarray) -> list[tuple[int, ...]]:
    """Crews between which wins lead both ways (strongly connected), smallest group first; ratings are finite if there is just one."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(np.asarray(wins) > 0, directed=True, connection="strong")
    return sorted((tuple(int(i) for i in np.flatnonzero(label == g)) for g in range(count)), key=lambda group: (len(group), group))


def _iterated(wins: np.ndarray) -> np.ndarray:
    """g_i <- W_i / sum_j n_ij / (g_i + g_j) until it stays; the likelihood rises at every step."""
    games, won = wins + wins.T, wins.sum(axis=1)
    strength = np.ones(len(wins))
    for _ in range(ROUNDS):
        before, strength = strength, won / (games / (strength[:, None] + strength)).sum(axis=1)
        strength /= math.exp(np.log(strength).mean())
        if np.abs(strength / before - 1).max() < SETTLED:
            return np.log(strength) - np.log(strength).mean()
    raise ValueError(f"the ratings have not settled after {ROUNDS} rounds: too few wins hold the crews together; add a prior")


def _fit(wins: np.ndarray, rates: np.ndarray) -> tuple[float, int, float, float]:
    """Deviance, degrees of freedom, p and log-likelihood of ``wins`` under ``rates``, pair by pair."""
    from scipy.special import chdtrc, gammaln, xlogy

    pair = np.triu_indices(len(wins), 1)
    won, lost, p, q = wins[pair], wins.T[pair], rates[pair], rates.T[pair]
    n = won + lost
    own = xlogy(won, np.divide(won, n, out=np.ones_like(n), where=n > 0)) + xlogy(
        lost, np.divide(lost, n, out=np.ones_like(n), where=n > 0)
    )
    model = xlogy(won, p) + xlogy(lost, q)
    ways = gammaln(n + 1) - gammaln(won + 1) - gammaln(lost + 1)
    deviance = max(0.0, float(2 * (own - model).sum()))
    free = max(0, int((n > 0).sum()) - (len(wins) - 1))
    return deviance, free, float(chdtrc(free, deviance)) if free else 1.0, float((ways + model).sum())
