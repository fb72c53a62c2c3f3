"""Which crews a field of best players would hold: the Nash mixture of maximum entropy, and what it says of each crew.

A mixture p is in equilibrium for antisymmetric payoffs A if no crew gains against it: A p <= 0. Of all such mixtures the one of largest
entropy is told: it does not depend on how often a crew is copied, or on weak crews that nobody would hold. Sources: Balduzzi et al. (2018)
for Nash averaging, (2019) for effective diversity, Czarnecki et al. (2020) for Nash clusters. Test values: docs/statistics.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bhsim.stats.payoffs import checked_payoffs

SINGULAR = 1e-9  # directions along which payoffs change by less than this part of the largest are free
TINY = 1e-12  # least share of a crew of the support while the entropy is being raised


@dataclass(frozen=True)
class Equilibrium:
    """mixture: share of each crew, shape (K,), exactly 0 outside the support. scores: payoff of each crew against it, shape (K,).

    scores are 0 in the support and at most 0 (but for rounding) elsewhere: how much a crew loses to the field of the best.
    """

    mixture: np.ndarray
    scores: np.ndarray

    @property
    def support(self) -> tuple[int, ...]:
        """Numbers of the crews that the mixture holds."""
        return tuple(int(i) for i in np.flatnonzero(self.mixture))


@dataclass(frozen=True)
class Stability:
    """How the equilibrium moves over draws of the matrix. mean, sd: of the mixture. held: how often each crew is in the support; (K,) each.

    supports: every support found with its share of the draws, commonest first.
    """

    mean: np.ndarray
    sd: np.ndarray
    held: np.ndarray
    supports: tuple[tuple[tuple[int, ...], float], ...]

    def share(self, support: tuple[int, ...]) -> float:
        """Share of the draws that have exactly this support."""
        return dict(self.supports).get(tuple(support), 0.0)


def equilibrium(payoffs: np.ndarray) -> Equilibrium:
    """Nash mixture of maximum entropy of antisymmetric ``payoffs``, shape (K, K). ValueError for other payoffs."""
    payoffs = checked_payoffs(payoffs)
    scaled = payoffs / (np.abs(payoffs).max() or 1.0)
    held, start = _widest(scaled)
    mixture = np.zeros(len(payoffs))
    mixture[held] = _evenest(scaled[np.ix_(held, held)], scaled[np.ix_(~held, held)], start[held])
    return Equilibrium(mixture, payoffs @ mixture)


def stability(draws: Iterable[np.ndarray]) -> Stability:
    """Equilibria of payoffs drawn from what the matrix may be: ``advantage`` or ``log_odds`` of ``payoffs.beta_draws`` or ``key_draws``.

    draws: antisymmetric payoffs, shape (K, K) each. One linear programme for each. ValueError without any.
    """
    return stability_of(np.array([equilibrium(payoffs).mixture for payoffs in draws]))


def stability_of(mixtures: np.ndarray) -> Stability:
    """The same from the mixtures of the draws, shape (D, K). ValueError without any."""
    if not len(mixtures):
        raise ValueError("no draws to look at")
    counts = Counter(tuple(int(i) for i in np.flatnonzero(mixture)) for mixture in mixtures)
    supports = sorted(((support, count / len(mixtures)) for support, count in counts.items()), key=lambda s: (-s[1], s[0]))
    return Stability(mixtures.mean(axis=0), mixtures.std(axis=0), (mixtures > 0).mean(axis=0), tuple(supports))


def clusters(payoffs: np.ndarray) -> list[tuple[int, ...]]:
    """Nash clusters, best first: the support of the equilibrium, then that of the crews left, and so on. Every crew is in one."""
    payoffs = checked_payoffs(payoffs)
    left, found = np.arange(len(payoffs)), []
    while left.size:
        support = equilibrium(payoffs[np.ix_(left, left)]).support
        found.append(tuple(int(i) for i in left[list(support)]))
        left = np.delete(left, list(support))
    return found


def effective_diversity(payoffs: np.ndarray, mixture: np.ndarray) -> float:
    """p' max(A, 0) p: how much the crews of the mixture gain from each other; 0 if one crew is enough."""
    mixture = np.asarray(mixture, float)
    return float(mixture @ np.maximum(checked_payoffs(payoffs), 0) @ mixture)


def dominated(payoffs: np.ndarray) -> np.ndarray:
    """Cell (i, j), shape (K, K), is true if j does at least as well as i against every crew, and better against one."""
    payoffs = checked_payoffs(payoffs)
    ahead = payoffs[None, :, :] - payoffs[:, None, :]
    return (ahead >= 0).all(axis=2) & (ahead > 0).any(axis=2)


def _widest(payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which crews some equilibrium holds, and an equilibrium that holds them all.

    Equilibria are a cone if their sum is left free, so each crew that any of them holds can have at least 1: the most crews that do are
    the maximum of sum t under A p <= 0, 0 <= t <= 1, t <= p. The sum of two equilibria is one; hence all hold at once.
    """
    from scipy.optimize import linprog

    crews = len(payoffs)
    unit, nothing = np.eye(crews), np.zeros((crews, crews))
    limits = np.vstack([np.hstack([payoffs, nothing]), np.hstack([-unit, unit])])
    goal = np.append(np.zeros(crews), -np.ones(crews))
    found = linprog(goal, A_ub=limits, b_ub=np.zeros(2 * crews), bounds=[(0, None)] * crews + [(0, 1)] * crews, method="highs")
    held = found.x[crews:] > 0.5
    start = np.where(held, found.x[:crews], 0)
    return held, start / start.sum()


def _evenest(inner: np.ndarray, outer: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The equilibrium of largest entropy among those on the crews of the widest one; all gain exactly 0 there, so inner p = 0.

    inner: payoffs among these crews. outer: payoffs of the other crews against them, which must stay at most 0. start: one equilibrium.
    """
    from scipy.linalg import lstsq, null_space
    from scipy.optimize import minimize

    fixed = np.vstack([inner, np.ones(len(start))])
    base = lstsq(fixed, np.append(np.zeros(len(start)), 1.0))[0]
    free = null_space(fixed, rcond=SINGULAR)
    if not free.shape[1]:
        return base

    def disorder(move: np.ndarray) -> tuple[float, np.ndarray]:
        shares = np.maximum(base + free @ move, TINY)
        return float(shares @ np.log(shares)), free.T @ (np.log(shares) + 1)

    rows = np.vstack([free, -outer @ free])
    least = np.append(base - TINY, -outer @ base)
    limits = {"type": "ineq", "fun": lambda move: rows @ move + least, "jac": lambda move: rows}
    options = {"ftol": 1e-15, "maxiter": 1000}
    found = minimize(disorder, free.T @ (start - base), jac=True, method="SLSQP", constraints=limits, options=options)
    shares = np.maximum(base + free @ found.x, TINY)
    return shares / shares.sum()
