"""Ratings from games that know who went first and may be drawn: Bradley-Terry with a first-player factor and Davidson's ties.

In a game of i, who goes first, against j the outcomes win, draw, loss of i weigh gamma g_i : nu sqrt(gamma g_i g_j) : g_j. Their logarithms
are sums of parameters, so the likelihood has one maximum and Newton's method finds it. Games are counted as independent; where seats were
exchanged on the same keys, the errors are too wide rather than too narrow. Source: Davidson (1970), Davidson and Beaver (1977).
Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

ROUNDS, SETTLED = 100, 1e-11
WIN, DRAW, LOSS = 0, 1, 2


@dataclass(frozen=True)
class Davidson:
    """Strengths ln g of K crews, which sum to 0, shape (K,), the logarithms of gamma and nu, and the covariance of all, shape (K+2, K+2).

    log_ties is minus infinity, with covariance 0, when no game was drawn. log_likelihood: without multinomial coefficients.
    deviance, free, p: test of fit against shares of its own for every cell; p is 1 without degrees of freedom.
    """

    strengths: np.ndarray
    log_first: float
    log_ties: float
    covariance: np.ndarray
    log_likelihood: float
    deviance: float
    free: int
    p: float

    def predicted(self) -> np.ndarray:
        """Chance that the row, going first, wins, draws or loses against the column: shape (K, K, 3)."""
        first, second = self.strengths[:, None] + self.log_first, self.strengths[None, :]
        weights = np.stack(np.broadcast_arrays(first, self.log_ties + (first + second) / 2, second), axis=2)
        chances = np.exp(weights - weights.max(axis=2, keepdims=True))
        return chances / chances.sum(axis=2, keepdims=True)


def davidson(counts: np.ndarray) -> Davidson:
    """Maximum likelihood from ``counts``, shape (K, K, 3): games that the row, going first, won, drew and lost against the column.

    ValueError for counts that are no such table (crews against themselves count for nothing and must be 0), when the games leave some
    parameter open, and when one would be infinite: a crew that never lost, a first player who always won, and the like.
    """
    counts = np.asarray(counts, float)
    if counts.ndim != 3 or counts.shape[0] != counts.shape[1] or counts.shape[2] != 3 or len(counts) < 2 or not (counts >= 0).all():
        raise ValueError(f"counts of shape {counts.shape}: row, column, and won, drawn and lost by the row are needed")
    if np.einsum("iio->", counts) or not counts.any():
        raise ValueError("counts: games of different crews are needed, and only those")
    drawn = bool(counts[..., DRAW].any())
    table, design = _cells(counts, drawn)
    apart = (design[:, 1:] - design[:, :1]).reshape(-1, design.shape[2])
    if np.linalg.matrix_rank(apart) < design.shape[2] - 1:  # a shift of all strengths is the one thing that no game can show
        raise ValueError("some crews have not met, or never in exchanged seats: their strengths and the first player's factor stay open")
    if _infinite(table, design):
        raise ValueError("some strength, the first player's factor or the share of draws would be infinite: too few games were lost")
    found = _maximum(table, design)
    return _told(found, table, design, len(counts), drawn)


def _cells(counts: np.ndarray, drawn: bool) -> tuple[np.ndarray, np.ndarray]:
    """Games by outcome, shape (M, O), of the cells that have any, and what the log-weights are sums of, shape (M, O, parameters)."""
    rows, columns = np.nonzero(counts.sum(axis=2))
    crews, cells = len(counts), np.arange(len(rows))
    design = np.zeros((len(rows), 3, crews + 2))
    design[cells, WIN, rows] = design[cells, LOSS, columns] = design[cells, WIN, crews] = 1
    design[cells, DRAW, rows] = design[cells, DRAW, columns] = design[cells, DRAW, crews] = 0.5
    design[cells, DRAW, crews + 1] = 1
    table = counts[rows, columns]
    return (table, design) if drawn else (table[:, [WIN, LOSS]], design[:, [WIN, LOSS], : crews + 1])


def _infinite(table: np.ndarray, design: np.ndarray) -> bool:
    """Whether some direction of the parameters makes every outcome seen no less likely and one more likely (Albert and Anderson, 1984)."""
    from scipy.optimize import linprog

    cell, seen = np.nonzero(table)
    ahead = (design[cell, seen][:, None, :] - design[cell]).reshape(-1, design.shape[2])  # log-weight of what was seen over each outcome
    ahead = np.unique(ahead, axis=0)
    bounds = np.append(np.ones(len(ahead)), np.zeros(len(ahead)))
    found = linprog(-ahead.sum(axis=0), A_ub=np.vstack([ahead, -ahead]), b_ub=bounds, bounds=(None, None), method="highs")
    return bool(-found.fun > 1e-6)


def _maximum(table: np.ndarray, design: np.ndarray) -> np.ndarray:
    """Newton's method, each step halved until the likelihood does not fall. A shift of all strengths changes nothing: pinv leaves it."""
    parameters = np.zeros(design.shape[2])
    for _ in range(ROUNDS):
        slope, information = _slopes(parameters, table, design)
        step = np.linalg.pinv(information, hermitian=True, rcond=1e-12) @ slope
        before = _likelihood(parameters, table, design)
        while _likelihood(parameters + step, table, design) < before - 1e-9 * abs(before):
            step /= 2
        parameters = parameters + step
        if np.abs(step).max() < SETTLED:
            break
    return parameters


def _log_chances(parameters: np.ndarray, design: np.ndarray) -> np.ndarray:
    weights = design @ parameters
    weights = weights - weights.max(axis=1, keepdims=True)
    return weights - np.log(np.exp(weights).sum(axis=1, keepdims=True))


def _likelihood(parameters: np.ndarray, table: np.ndarray, design: np.ndarray) -> float:
    return float((table * _log_chances(parameters, design)).sum())


def _slopes(parameters: np.ndarray, table: np.ndarray, design: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of the log-likelihood and the information (its negative curvature)."""
    games, chances = table.sum(axis=1), np.exp(_log_chances(parameters, design))
    expected = np.einsum("mo,mop->mp", chances, design)
    slope = np.einsum("mo,mop->p", table, design) - games @ expected
    spread = design - expected[:, None, :]
    weighted = spread * (games[:, None] * chances)[..., None]
    size = design.shape[2]
    return slope, weighted.reshape(-1, size).T @ spread.reshape(-1, size)


def _told(found: np.ndarray, table: np.ndarray, design: np.ndarray, crews: int, drawn: bool) -> Davidson:
    from scipy.special import chdtrc, xlogy

    _, information = _slopes(found, table, design)
    covariance = np.zeros((crews + 2, crews + 2))
    covariance[: found.size, : found.size] = np.linalg.pinv(information, hermitian=True, rcond=1e-12)
    likelihood = _likelihood(found, table, design)
    own = float(xlogy(table, table / table.sum(axis=1, keepdims=True)).sum())
    deviance = max(0.0, 2 * (own - likelihood))
    free = max(0, len(table) * (table.shape[1] - 1) - (found.size - 1))
    strengths = found[:crews] - found[:crews].mean()
    log_ties = float(found[crews + 1]) if drawn else -math.inf
    p = float(chdtrc(free, deviance)) if free else 1.0
    return Davidson(strengths, float(found[crews]), log_ties, covariance, likelihood, deviance, free, p)
