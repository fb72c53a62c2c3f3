"""How much of who beats whom is strength, and how much goes round in circles.

Antisymmetric payoffs A split into differences of ratings (the row means) and a rest C without row sums, the cyclic part (Hodge split).
Sources: Jiang et al. (2011); Strang, Abbott and Thomas (2020). Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bhsim.stats.payoffs import checked_payoffs, checked_rates


@dataclass(frozen=True)
class Split:
    """ratings: shape (K,), summing to 0. cyclic: what their differences leave of the payoffs, shape (K, K). share: |C|^2 / |A|^2."""

    ratings: np.ndarray
    cyclic: np.ndarray
    share: float


class Noise(NamedTuple):
    """What errors of the cells alone are expected to add to |C|^2 and to |A|^2."""

    cyclic: float
    total: float


class Cycle(NamedTuple):
    """i beats j beats k beats i: curl is the sum of the three payoffs, which is 0 if strength is all there is."""

    curl: float
    crews: tuple[int, int, int]


def split(payoffs: np.ndarray) -> Split:
    """Hodge split of antisymmetric ``payoffs``, shape (K, K); share 0 if all are 0. ValueError for other payoffs."""
    payoffs = checked_payoffs(payoffs)
    ratings = payoffs.mean(axis=1)
    cyclic = payoffs - (ratings[:, None] - ratings)
    total = float((payoffs**2).sum())
    return Split(ratings, cyclic, float((cyclic**2).sum()) / total if total else 0.0)


def noise(variances: np.ndarray) -> Noise:
    """From the variance of each cell, shape (K, K) (``payoffs.log_odds_variance``), the cells being independent.

    With s2 the mean over pairs: (K-1)(K-2) s2 and K(K-1) s2, exact for unequal variances too, since every pair is equally far from the
    differences of ratings.
    """
    variances = np.asarray(variances, float)
    crews = len(variances)
    if variances.shape != (crews, crews) or crews < 2 or not (variances >= 0).all():
        raise ValueError(f"variances of shape {variances.shape}: a square with nothing below 0 is needed")
    mean = float(variances[np.triu_indices(crews, 1)].mean())
    return Noise((crews - 1) * (crews - 2) * mean, crews * (crews - 1) * mean)


def noise_of_draws(draws: np.ndarray) -> Noise:
    """From payoffs drawn again and again, shape (D, K, K), D at least 2: for cells that met the same keys (``payoffs.key_draws``)."""
    off = _errors(draws)
    return Noise(*(float((part**2).sum()) / (len(off) - 1) for part in (_cyclic_parts(off), off)))


def cyclic_share(payoffs: np.ndarray, errors: Noise) -> float:
    """Share of the cyclic part with the expected contribution of chance taken from both |C|^2 and |A|^2.

    Around 0 (also a little below) if there are no cycles; nan if the crews differ no more than chance makes them.
    """
    payoffs = checked_payoffs(payoffs)
    total = float((payoffs**2).sum()) - errors.total
    return (float((split(payoffs).cyclic ** 2).sum()) - errors.cyclic) / total if total > 0 else math.nan


def cyclic_share_error(draws: np.ndarray, errors: Noise) -> float:
    """Standard error of ``cyclic_share`` from the draws that gave ``errors``, shape (D, K, K); nan where that share is.

    |C|^2 of a draw varies by 4 C'VC + 2 tr V^2, V being the covariance of the cells' cyclic parts. But its C is off by chance already:
    that adds 4 tr V^2 which the estimate itself has not, so twice what the errors of the draws alone vary by is taken off again.
    """
    draws = np.asarray(draws, float)
    alone = (_cyclic_parts(_errors(draws)) ** 2).sum(axis=(1, 2)).var(ddof=1)
    total = float((draws.mean(axis=0) ** 2).sum()) - errors.total
    if total <= 0:
        return math.nan
    parts, wholes = (_cyclic_parts(draws) ** 2).sum(axis=(1, 2)), (draws**2).sum(axis=(1, 2))
    shares = (parts - 2 * errors.cyclic) / (wholes - 2 * errors.total)
    return math.sqrt(max(float(shares.var(ddof=1)) - 2 * float(alone) / total**2, float(alone) / total**2))


def _errors(draws: np.ndarray) -> np.ndarray:
    """What the draws have beside their mean, shape (D, K, K)."""
    draws = np.asarray(draws, float)
    if draws.ndim != 3 or len(draws) < 2:
        raise ValueError(f"draws of shape {draws.shape}: at least two matrices are needed")
    return draws - draws.mean(axis=0)


def _cyclic_parts(matrices: np.ndarray) -> np.ndarray:
    """The cyclic part of each of many matrices, shape (D, K, K)."""
    ratings = matrices.mean(axis=2)
    return matrices - (ratings[:, :, None] - ratings[:, None, :])


def curl(payoffs: np.ndarray, i: int, j: int, k: int) -> float:
    """A_ij + A_jk + A_ki."""
    payoffs = checked_payoffs(payoffs)
    return float(payoffs[i, j] + payoffs[j, k] + payoffs[k, i])


def strongest_cycles(payoffs: np.ndarray, count: int) -> list[Cycle]:
    """The ``count`` triples of largest curl, each turned so that the curl is positive and its smallest number comes first."""
    payoffs = checked_payoffs(payoffs)
    crews = np.arange(len(payoffs))
    i, j, k = (axis.ravel() for axis in np.meshgrid(crews, crews, crews, indexing="ij"))
    once = (i < j) & (i < k) & (j != k)
    i, j, k = i[once], j[once], k[once]
    curls = payoffs[i, j] + payoffs[j, k] + payoffs[k, i]
    order = np.argsort(-curls, kind="stable")[:count]
    return [Cycle(float(curls[n]), (int(i[n]), int(j[n]), int(k[n]))) for n in order if curls[n] > 0]


def three_cycles(rates: np.ndarray) -> np.ndarray:
    """Through how many circles of three, each beating the next, every crew goes: the diagonal of B^3, B = 1 where the rate is above 1/2."""
    beats = (checked_rates(rates) > 0.5).astype(np.int64)
    return np.einsum("ij,jk,ki->i", beats, beats, beats, optimize=True)
