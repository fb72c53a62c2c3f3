"""Which crews a population that copies success would hold: replicator dynamics and alpha-rank.

Sources: Taylor and Jonker (1978); Omidshafiei et al. (2019) for alpha-rank; Grassmann, Taksar and Heyman (1985) for stationary laws without
subtraction. Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

POPULATION = 50
EPSILON = 0.01


class Course(NamedTuple):
    """Shares of the crews at the end of a run and their average over it, shape (K,) each."""

    end: np.ndarray
    average: np.ndarray


def replicator(payoffs: np.ndarray, start: np.ndarray, time: float, step: float = 0.01) -> Course:
    """x_i' = x_i ((A x)_i - x' A x) from ``start`` (shape (K,), sum 1) for ``time``, by the Runge-Kutta method of fourth order.

    For antisymmetric payoffs the average over a long time tends to a Nash mixture if all its crews are there at the start.
    ValueError for shares that are none, or a time or step not above 0.
    """
    payoffs, shares = np.asarray(payoffs, float), np.asarray(start, float)
    if payoffs.shape != (shares.size, shares.size) or not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(f"shares of shape {shares.shape} for payoffs of shape {payoffs.shape}: one share for each row, adding up to 1")
    if time <= 0 or step <= 0:
        raise ValueError(f"time {time} and step {step} must be above 0")

    def drift(x: np.ndarray) -> np.ndarray:
        gain = payoffs @ x
        return x * (gain - x @ gain)

    steps = math.ceil(time / step - 1e-9)
    h, average = time / steps, np.zeros_like(shares)
    for _ in range(steps):
        a = drift(shares)
        b = drift(shares + h / 2 * a)
        c = drift(shares + h / 2 * b)
        d = drift(shares + h * c)
        after = shares + h / 6 * (a + 2 * b + 2 * c + d)
        average += (shares + after) / (2 * steps)
        shares = after
    return Course(shares, average)


def fixation(payoffs: np.ndarray, alpha: float, population: int = POPULATION) -> np.ndarray:
    """Logarithm of the chance that one j takes over a population of i, shape (K, K); the diagonal means nothing.

    payoffs: of row against column, any (K, K). A pair is drawn and one copies the other with the odds of e^(alpha times the difference of
    their mean payoffs against the rest). ValueError for alpha below 0 or a population below 2.
    """
    payoffs = np.asarray(payoffs, float)
    if alpha < 0 or population < 2:
        raise ValueError(f"alpha {alpha} and a population of {population}: at least 0 and 2 are needed")
    from scipy.special import logsumexp

    taken = np.arange(1, population)[:, None, None]  # how many j there are
    rest, own = population - 1, np.diag(payoffs)
    newcomer = ((taken - 1) * own[None, None, :] + (population - taken) * payoffs.T) / rest
    resident = (taken * payoffs + (population - taken - 1) * own[None, :, None]) / rest
    ratios = np.cumsum(alpha * (resident - newcomer), axis=0)
    return -logsumexp(np.concatenate([np.zeros((1, *payoffs.shape)), ratios]), axis=0)


def alpha_rank(payoffs: np.ndarray, alpha: float, population: int = POPULATION, epsilon: float = EPSILON) -> np.ndarray:
    """Share of the time that a population with rare newcomers spends with each crew, shape (K,).

    alpha: strength of selection; ``math.inf`` lets a newcomer take over with 1 - epsilon if it beats the resident, with epsilon if it
    loses, 1/2 if neither. The order depends on it: see ``alpha_sweep``. ValueError for payoffs not square, or epsilon not in 0..1/2.
    """
    payoffs = np.asarray(payoffs, float)
    if payoffs.ndim != 2 or payoffs.shape[0] != payoffs.shape[1] or not payoffs.size or not 0 < epsilon < 0.5:
        raise ValueError(f"payoffs of shape {payoffs.shape}, epsilon {epsilon}: a square and a number between 0 and 1/2 are needed")
    if math.isinf(alpha):
        sign = np.sign(np.where(np.isclose(payoffs, payoffs.T, rtol=0, atol=1e-14), 0, payoffs.T - payoffs))
        return _stationary(np.log(0.5 + sign * (0.5 - epsilon)))
    return _stationary(fixation(payoffs, alpha, population))


def alpha_sweep(payoffs: np.ndarray, alphas: Sequence[float], population: int = POPULATION, epsilon: float = EPSILON) -> np.ndarray:
    """``alpha_rank`` at each of ``alphas`` (which may end with infinity), shape (len(alphas), K)."""
    return np.array([alpha_rank(payoffs, alpha, population, epsilon) for alpha in alphas])


def _stationary(log_rates: np.ndarray) -> np.ndarray:
    """Stationary law of the chain with these logarithms of transition rates, shape (K, K); the diagonal is not looked at.

    State by state is taken out and its traffic given to the others. Nothing is subtracted and all is in logarithms, so that chances far
    below the smallest number (strong selection) still weigh as they should.
    """
    from scipy.special import logsumexp

    rates, states = np.array(log_rates, float), len(log_rates)
    for n in range(states - 1, 0, -1):
        rates[:n, n] -= logsumexp(rates[n, :n])
        rates[:n, :n] = np.logaddexp(rates[:n, :n], rates[:n, n, None] + rates[n, :n])
    weights = np.zeros(states)
    for n in range(1, states):
        weights[n] = logsumexp(weights[:n] + rates[:n, n])
    return np.exp(weights - logsumexp(weights))
