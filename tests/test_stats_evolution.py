"""Replicator dynamics and alpha-rank against published vectors, closed forms and exact conservation (docs/statistics.md)."""

import math

import numpy as np
import pytest

from bhsim.stats.evolution import alpha_rank, alpha_sweep, fixation, replicator
from bhsim.stats.payoffs import advantage

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
CREWS = advantage([[0.5, 0.62, 0.40, 0.55], [0.38, 0.5, 0.60, 0.52], [0.60, 0.40, 0.5, 0.57], [0.45, 0.48, 0.43, 0.5]])


def test_alpha_rank_of_han_and_others():
    """Payoffs of Han et al. (2013), the unit test of OpenSpiel's alpha-rank: a game that is not constant-sum."""
    r, t, p, s, delta, eps = 1, 2, 0, -1, 4, 0.25
    payoffs = [
        [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
        [r, r, s, s, s],
        [0, t, p, p, p],
        [t - delta, t, p, p, p],
        [r, t, p, p, p],
    ]
    found = alpha_rank(payoffs, 0.1, population=20)
    assert found == pytest.approx([0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.22060390], abs=6e-9)


@pytest.mark.parametrize(
    ("alpha", "wanted"),
    [
        (0.1, [0.285094, 0.250016, 0.292813, 0.172077]),
        (1, [0.347233, 0.292754, 0.352454, 0.007559]),
        (10, [0.338714, 0.322572, 0.338714, 0]),
        (math.inf, [0.332215, 0.332215, 0.332215, 0.003356]),
    ],
)
def test_alpha_rank_of_the_crews(alpha, wanted):
    assert alpha_rank(CREWS, alpha, population=50, epsilon=0.01) == pytest.approx(wanted, abs=6e-7)
    assert alpha_rank(CREWS[::-1, ::-1], alpha) == pytest.approx(wanted[::-1], abs=6e-7)


def test_sweep_of_alpha():
    alphas = [0, 0.1, 10, 1e4, math.inf]
    found = alpha_sweep(CREWS, alphas)
    assert found.shape == (5, 4) and found.sum(axis=1) == pytest.approx(np.ones(5))
    assert found[0] == pytest.approx([0.25] * 4)
    assert found[3] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-9)  # chances of e^-20000, yet no division by 0
    # strong selection among crews of plain strength: all of the time with the best
    ladder = np.arange(6)[:, None] - np.arange(6.0)
    assert alpha_rank(ladder, 1e4) == pytest.approx([0, 0, 0, 0, 0, 1])


def test_ties_at_infinite_alpha():
    # two crews that tie, both beaten by the third: it has 1 - epsilon against epsilon from either
    payoffs = np.array([[0, 0, -1], [0, 0, -1], [1, 1, 0]])
    found = alpha_rank(payoffs, math.inf, epsilon=0.1)
    assert found == pytest.approx([1 / 11, 1 / 11, 9 / 11])
    # one that ties with the best only: flow between them 1/2 both ways; solved by hand from the balance of rates
    lopsided = np.array([[0, 1, 0], [-1, 0, -1], [0, 1, 0]])
    assert alpha_rank(lopsided, math.inf, epsilon=0.1) == pytest.approx([9 / 19, 1 / 19, 9 / 19])
    half = alpha_rank(np.array([[0, 1, -1], [-1, 0, 0], [1, 0, 0]]), math.inf, epsilon=0.1)
    rates = np.array([[0, 0.1, 0.9], [0.9, 0, 0.5], [0.1, 0.5, 0]])
    assert half @ (rates - np.diag(rates.sum(axis=1))) == pytest.approx(np.zeros(3), abs=1e-12)


def test_fixation_is_the_closed_form():
    """Constant-sum: (1 - e^-u) / (1 - e^-mu) with u = alpha m/(m-1) times the newcomer's payoff."""
    found = np.exp(fixation(CREWS, 0.1, population=20))
    assert found[1, 0] == pytest.approx(0.0628930093, abs=6e-11)  # 0 into 1
    u = 0.1 * 20 / 19 * CREWS.T
    with np.errstate(invalid="ignore"):
        closed = np.expm1(-u) / np.expm1(-20 * u)
    off = ~np.eye(4, dtype=bool)
    assert found[off] == pytest.approx(closed[off], rel=1e-12)
    assert np.exp(fixation(np.zeros((2, 2)), 5, population=20))[0, 1] == pytest.approx(1 / 20)


def test_replicator_keeps_its_product():
    product = 0.5 * 0.3 * 0.2
    end, average = replicator(RPS, [0.5, 0.3, 0.2], 50, 0.01)
    assert product == pytest.approx(0.03)
    assert abs(end.prod() - product) < 1e-13
    assert end.sum() == pytest.approx(1, abs=1e-12)
    assert average == pytest.approx([1 / 3] * 3, abs=0.03)
    assert replicator(RPS, [0.5, 0.3, 0.2], 2000, 0.05).average == pytest.approx([1 / 3] * 3, abs=1e-3)


def test_replicator_is_of_fourth_order():
    # two crews, the first ahead by 1: x' = x(1-x), a logistic curve
    exact = 1 / (1 + 9 * math.exp(-2))
    errors = [abs(replicator([[0, 1], [-1, 0]], [0.1, 0.9], 2, step).end[0] - exact) for step in (0.2, 0.1)]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.2)
    # the average over the curve: ln(0.9 + 0.1 e^2) / 2
    assert replicator([[0, 1], [-1, 0]], [0.1, 0.9], 2).average[0] == pytest.approx(math.log(0.9 + 0.1 * math.exp(2)) / 2, abs=1e-5)


def test_what_is_refused():
    for start in ([0.5, 0.5], [0.5, 0.6, -0.1], [0.5, 0.3, 0.3]):
        with pytest.raises(ValueError, match="adding up to 1"):
            replicator(RPS, start, 1)
    for time, step in ((0, 0.1), (1, 0)):
        with pytest.raises(ValueError, match="above 0"):
            replicator(RPS, [0.5, 0.3, 0.2], time, step)
    for epsilon in (0, 0.5):
        with pytest.raises(ValueError, match="between 0 and 1/2"):
            alpha_rank(RPS, math.inf, epsilon=epsilon)
    for alpha, population in ((-1, 50), (1, 1)):
        with pytest.raises(ValueError, match="at least 0 and 2"):
            alpha_rank(RPS, alpha, population)
