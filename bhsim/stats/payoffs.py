"""A matrix of win rates as payoffs of a game between crews, and draws of what the matrix might have been.

A rate matrix has shape (K, K): row's rate against column, 1/2 on the diagonal, opposite cells adding up to 1. Payoffs are antisymmetric:
what the row gains the column loses. Log-odds suit ratings (differences in them are Elo), 2p - 1 is the expected payoff of one game.
Effective games of a cell: ``intervals.ScoreInterval.n_eff``; infinite for a rate that is known exactly, such as a mirror match.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

ROUNDING = 1e-9  # how far opposite cells may be from adding up to 1
AT_ONCE = 4_000_000  # counts of keys that are held in memory


def checked_rates(rates: np.ndarray) -> np.ndarray:
    """``rates`` as floats, shape (K, K). ValueError unless square, within 0..1, one half on the diagonal, opposite cells adding up to 1."""
    rates = np.asarray(rates, float)
    if rates.ndim != 2 or rates.shape[0] != rates.shape[1] or not rates.size:
        raise ValueError(f"rates of shape {rates.shape}: as many columns as rows are needed")
    if not (rates >= 0).all() or not (rates <= 1).all() or np.abs(rates + rates.T - 1).max() > ROUNDING:
        raise ValueError("rates: between 0 and 1, one half on the diagonal, opposite cells adding up to 1")
    return rates


def checked_payoffs(payoffs: np.ndarray) -> np.ndarray:
    """``payoffs`` as floats, shape (K, K), exactly antisymmetric. ValueError if they are not so up to rounding, or not finite."""
    payoffs = np.asarray(payoffs, float)
    if payoffs.ndim != 2 or payoffs.shape[0] != payoffs.shape[1] or not payoffs.size or not np.isfinite(payoffs).all():
        raise ValueError(f"payoffs of shape {payoffs.shape}: a square of finite numbers is needed")
    if np.abs(payoffs + payoffs.T).max() > ROUNDING * max(1.0, np.abs(payoffs).max()):
        raise ValueError("payoffs: what the row gains the column must lose")
    return (payoffs - payoffs.T) / 2


def advantage(rates: np.ndarray) -> np.ndarray:
    """2p - 1: expected payoff of one game that pays 1 to the winner, shape (K, K)."""
    return 2 * checked_rates(rates) - 1


def log_odds(rates: np.ndarray, games: np.ndarray | None = None) -> np.ndarray:
    """ln(p/(1-p)), shape (K, K).

    games: effective games of each cell, shape (K, K); half a win is then added to either side (Haldane and Anscombe), which keeps cells
    of 0 and 1 finite. ValueError for such cells without (or with infinite) games.
    """
    rates = checked_rates(rates)
    half = 0.0 if games is None else 0.5 / _checked_games(games, rates)
    if (rates + half).min() == 0:
        raise ValueError("log-odds of a rate of 0 or 1 are infinite: give the games of each cell")
    return np.log(rates + half) - np.log(rates.T + half)


def log_odds_variance(rates: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Variance of each cell of ``log_odds(rates, games)``, shape (K, K): 1/(n p (1-p)), with half a win more on either side."""
    rates = checked_rates(rates)
    games = _checked_games(games, rates)
    smooth = (rates + 0.5 / games) / (1 + 1 / games)
    return 1 / (games + 1) / (smooth * smooth.T)


def effective_games(rates: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Games whose rate would have standard error ``errors`` (shape (K, K)): p(1-p)/se^2; infinite where the error is 0."""
    rates, errors = checked_rates(rates), np.asarray(errors, float)
    return np.divide(rates * rates.T, errors**2, out=np.full(rates.shape, np.inf), where=errors > 0)


def beta_draws(rates: np.ndarray, games: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """What the true rates may be, cell by cell: Beta(pn + 1/2, (1-p)n + 1/2), shape (draws, K, K).

    games: effective games of each cell; infinite keeps the cell as it is. Cells are drawn independently: when all of them met the same
    keys, ``key_draws`` is truer.
    """
    rates = checked_rates(rates)
    games = _checked_games(games, rates)
    rows, columns = np.triu_indices(len(rates), 1)
    p, n = rates[rows, columns], games[rows, columns]
    unsure = np.isfinite(n)
    upper = np.tile(p, (draws, 1))
    p, n = p[unsure], n[unsure]
    upper[:, unsure] = np.random.default_rng(seed).beta(p * n + 0.5, (1 - p) * n + 0.5, size=(draws, p.size))
    found = np.full((draws, *rates.shape), 0.5)
    found[:, rows, columns] = upper
    found[:, columns, rows] = 1 - upper
    return found


def key_draws(scores: np.ndarray, draws: int, seed: int, further: Mapping[tuple[int, int], np.ndarray] | None = None) -> np.ndarray:
    """Bootstrap of the rate matrix by whole keys, shape (draws, K, K).

    scores: mean score of row against column in each key, shape (K, K, N); all cells met the same N keys, and a draw takes N of them
    with replacement, the same for every cell. further: of cells (row, column) that met M more keys, the same M, their scores there, shape
    (M,): M of these are drawn beside, so that both a cell's own error and what it shares with others are those of the keys that it met.
    ValueError unless every key's matrix is one of rates, or for cells of different M.
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 3 or not scores.shape[2] or np.abs(scores + scores.swapaxes(0, 1) - 1).max() > ROUNDING:
        raise ValueError(f"key scores of shape {scores.shape}: opposite cells must add up to 1 in every key")
    keys = scores.shape[2]
    rng = np.random.default_rng(seed)
    found = _drawn_sums(scores.reshape(-1, keys), draws, rng).reshape(draws, *scores.shape[:2]) / keys
    if further:
        rows, columns = np.array(list(further)).T
        if len({np.shape(more) for more in further.values()}) > 1:
            raise ValueError("further keys: as many in every cell that has any are needed")
        more = np.array(list(further.values()), float)
        total = keys + more.shape[1]
        found[:, rows, columns] = (keys * found[:, rows, columns] + _drawn_sums(more, draws, rng)) / total
        found[:, columns, rows] = 1 - found[:, rows, columns]
    return (found + 1 - found.swapaxes(1, 2)) / 2


def _drawn_sums(scores: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Sums over as many keys as there are, drawn with replacement and alike for all rows of ``scores``, shape (rows, N): (draws, rows)."""
    keys = scores.shape[1]
    sums = []
    for first in range(0, draws, step := max(1, AT_ONCE // keys)):
        taken = rng.multinomial(keys, np.full(keys, 1 / keys), size=min(step, draws - first)).astype(float)
        sums.append(taken @ scores.T)  # exact sums of quarters, in whatever order
    return np.concatenate(sums)


def _checked_games(games: np.ndarray, rates: np.ndarray) -> np.ndarray:
    games = np.broadcast_to(np.asarray(games, float), rates.shape)
    off = ~np.eye(len(rates), dtype=bool)
    if not (games[off] > 0).all() or not (games == games.T).all():
        raise ValueError("games: a positive number for every cell, the same in opposite cells")
    return np.where(off, games, np.inf)  # nobody plays itself: one half is known
