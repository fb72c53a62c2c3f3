"""Ratings from games on common keys: their errors and the test of fit, from draws of the rate matrix by whole keys.

Crews that met the same keys shared their luck, so cells err together: ``ratings.bradley_terry``, which counts every cell by itself, gives
errors that are off and a test of fit that finds too few cycles. Here both come from ``payoffs.key_draws``, to first order in the errors:
one step of Newton's method from the estimate leads to each draw's strengths. Without cycles the deviance is then a sum of squares of normal
errors; the chi-squared law with the same mean and variance stands in for it (Satterthwaite, 1946; Rao and Scott, 1984, for such tests).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bhsim.stats.ratings import ELO, Ratings, predicted


@dataclass(frozen=True)
class DrawnRatings:
    """Strengths ln g in every draw, shape (D, K), summing to 0 in each.

    deviance: of the estimate. expected: what chance alone makes it. p: chance of at least this deviance without cycles; 1 for two crews.
    """

    strengths: np.ndarray
    deviance: float
    expected: float
    p: float

    @property
    def elo_se(self) -> np.ndarray:
        """Standard errors of the Elo ratings around the mean of the crews, shape (K,)."""
        return ELO * self.strengths.std(axis=0, ddof=1)


def drawn_ratings(found: Ratings, games: np.ndarray, draws: np.ndarray) -> DrawnRatings:
    """From ratings fitted to (effective) ``games`` of each cell, shape (K, K), and ``draws`` of the rates, shape (D, K, K), D at least 2.

    ValueError for draws of another shape.
    """
    draws = np.asarray(draws, float)
    crews = len(found.strengths)
    if draws.ndim != 3 or draws.shape[1:] != (crews, crews) or len(draws) < 2:
        raise ValueError(f"draws of shape {draws.shape}: at least two matrices of {crews} crews are needed")
    games = np.where(np.eye(crews, dtype=bool), 0.0, games)
    rates = predicted(found.strengths)
    strengths = found.strengths + (games * (draws - rates)).sum(axis=2) @ found.covariance
    expected, p = _fit(found, games, rates, draws - draws.mean(axis=0))
    return DrawnRatings(strengths, found.deviance, expected, p)


def _fit(found: Ratings, games: np.ndarray, rates: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """Mean of the deviance that errors of the cells, shape (D, K, K), make, and the chance of at least the deviance found."""
    from scipy.special import chdtrc

    weight = rates * rates.T
    moved = (games * errors).sum(axis=2) @ found.covariance
    rest = errors - weight * (moved[:, :, None] - moved[:, None, :])  # what no ratings follow
    deviances = (games / weight * rest**2).sum(axis=(1, 2)) / 2  # every pair stands there twice
    mean, variance = float(deviances.mean()), float(deviances.var(ddof=1))
    if len(rates) < 3 or not variance > 0:
        return mean, 1.0
    return mean, float(chdtrc(2 * mean**2 / variance, found.deviance * 2 * mean / variance))
