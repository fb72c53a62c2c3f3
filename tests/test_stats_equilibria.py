"""Nash mixtures, clusters and their stability; matrices drawn anew; published examples and invariances (docs/statistics.md)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from bhsim.stats import payoffs as pay
from bhsim.stats.equilibria import clusters, dominated, effective_diversity, equilibrium, stability
from bhsim.stats.evolution import replicator

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
SPIEL = np.array([[0, 234, 34, -270], [-234, 0, -38, -464], [-34, 38, 0, -270], [270, 464, 270, 0]])  # OpenSpiel's nash_averaging test
CREWS = np.array([[0.5, 0.62, 0.40, 0.55], [0.38, 0.5, 0.60, 0.52], [0.60, 0.40, 0.5, 0.57], [0.45, 0.48, 0.43, 0.5]])


def cloned(payoffs: np.ndarray, *order: int) -> np.ndarray:
    return np.asarray(payoffs)[np.ix_(order, order)]


def entropy(p: np.ndarray) -> float:
    return -sum(x * math.log(x) for x in p if x > 0)


@pytest.mark.parametrize(
    ("payoffs", "mixture", "scores"),
    [
        (RPS, [1 / 3] * 3, [0] * 3),
        (cloned(RPS, 0, 1, 2, 2), [1 / 3, 1 / 3, 1 / 6, 1 / 6], [0] * 4),
        (SPIEL, [0, 0, 0, 1], [-270, -464, -270, 0]),
        (pay.log_odds(CREWS), [0.311781, 0.311781, 0.376437, 0], [0, 0, 0, -0.193620]),
        (pay.advantage(CREWS), [0.3125, 0.3125, 0.375, 0], [0, 0, 0, -0.09625]),
        (np.zeros((5, 5)), [0.2] * 5, [0] * 5),
        (np.zeros((1, 1)), [1], [0]),
    ],
)
def test_mixtures(payoffs, mixture, scores):
    found = equilibrium(payoffs)
    assert found.mixture == pytest.approx(mixture, abs=6e-7)
    assert found.scores == pytest.approx(scores, abs=6e-7)
    assert found.support == tuple(np.flatnonzero(mixture))


def test_win_rate_against_the_mixture():
    found = equilibrium(pay.advantage(CREWS))
    assert CREWS @ found.mixture == pytest.approx([0.5, 0.5, 0.5, 0.451875], abs=1e-9)
    assert effective_diversity(pay.advantage(CREWS), found.mixture) == pytest.approx(0.0703125, abs=1e-9)
    assert effective_diversity(SPIEL, [0, 0, 0, 1]) == 0


def test_entropy_is_the_largest():
    """Two circles of three that tie with each other: the weight between them is free, and even is best."""
    both = np.block([[RPS, np.zeros((3, 3))], [np.zeros((3, 3)), 5 * RPS]])
    assert equilibrium(both).mixture == pytest.approx(np.full(6, 1 / 6), abs=1e-7)
    # a crew that loses to the second circle only, and could join the first: it limits nothing and is not held
    both = np.block([[both, np.zeros((6, 1))], [np.zeros((1, 7))]])
    both[6, 3:6], both[3:6, 6] = -1, 1
    found = equilibrium(both)
    assert found.mixture[6] == 0
    assert found.mixture[:6] == pytest.approx(np.full(6, 1 / 6), abs=1e-7)
    # one that beats the second circle and loses twice as much to the first: it allows the second two thirds, more than even
    both[6, :3], both[:3, 6], both[6, 3:6], both[3:6, 6] = -2, 2, 1, -1
    assert equilibrium(both).mixture == pytest.approx([1 / 6] * 6 + [0], abs=1e-7)
    # and half as much: the second circle may weigh a third at most, and at that limit the entropy is largest
    both[6, :3], both[:3, 6] = -0.5, 0.5
    assert equilibrium(both).mixture == pytest.approx([2 / 9] * 3 + [1 / 9] * 3 + [0], abs=1e-6)


def best_step(payoffs: np.ndarray, mixture: np.ndarray) -> float:
    """Largest -sum q ln p over all equilibria q. p has the largest entropy if and only if this is its entropy: no q lies uphill, and
    none holds a crew that p does not hold (which would count 40 a share)."""
    crews = len(payoffs)
    weights = -np.log(np.maximum(mixture, math.exp(-40)))
    found = linprog(-weights, A_ub=payoffs, b_ub=np.zeros(crews), A_eq=np.ones((1, crews)), b_eq=[1], bounds=(0, 1), method="highs")
    return -found.fun


@st.composite
def antisymmetric(draw) -> np.ndarray:
    """Small integers make ties, clones and wide sets of equilibria common."""
    crews = draw(st.integers(2, 7))
    upper = draw(st.lists(st.integers(-2, 2), min_size=crews * (crews - 1) // 2, max_size=crews * (crews - 1) // 2))
    found = np.zeros((crews, crews))
    found[np.triu_indices(crews, 1)] = upper
    return found - found.T


@settings(max_examples=60, deadline=None, derandomize=True)
@given(payoffs=antisymmetric(), data=st.data())
def test_invariances(payoffs, data):
    crews = len(payoffs)
    found = equilibrium(payoffs)
    assert found.mixture.sum() == pytest.approx(1) and found.mixture.min() >= 0
    assert found.scores.max() <= 1e-7
    assert best_step(payoffs, found.mixture) <= entropy(found.mixture) + 2e-6
    order = data.draw(st.permutations(range(crews)))
    assert equilibrium(cloned(payoffs, *order)).mixture == pytest.approx(found.mixture[list(order)], abs=2e-6)
    twice = data.draw(st.integers(0, crews - 1))
    copied = equilibrium(cloned(payoffs, *range(crews), twice))
    assert copied.scores[:crews] == pytest.approx(payoffs @ (copied.mixture[:crews] + np.eye(crews)[twice] * copied.mixture[-1]), abs=1e-7)
    assert copied.mixture[twice] == pytest.approx(copied.mixture[-1], abs=2e-6)
    if len(clusters(payoffs)[0]) % 2 and np.linalg.matrix_rank(payoffs[np.ix_(found.support, found.support)]) == len(found.support) - 1:
        merged = copied.mixture[:crews] + np.eye(crews)[twice] * copied.mixture[-1]  # the equilibrium is unique, so copies share its weight
        assert merged == pytest.approx(found.mixture, abs=2e-6)
    weaker = np.block([[payoffs, np.full((crews, 1), 9.0)], [np.full((1, crews), -9.0), np.zeros((1, 1))]])
    assert equilibrium(weaker).mixture == pytest.approx(np.append(found.mixture, 0), abs=2e-6)


def test_many_crews():
    rng = np.random.default_rng(3)
    payoffs = rng.normal(size=(40, 40))
    payoffs -= payoffs.T
    found = equilibrium(payoffs)
    assert found.scores.max() < 1e-12  # a unique mixture is solved for, not iterated
    assert len(found.support) % 2 == 1
    copies = equilibrium(cloned(payoffs, *range(40), *range(40)))
    assert copies.mixture == pytest.approx(np.tile(found.mixture / 2, 2), abs=1e-7)
    parts = clusters(payoffs)
    assert parts[0] == found.support and sorted(crew for part in parts for crew in part) == list(range(40))


def test_replicator_agrees():
    payoffs = pay.advantage(CREWS)
    average = replicator(payoffs, np.full(4, 0.25), 1500, 0.1).average
    assert average == pytest.approx(equilibrium(payoffs).mixture, abs=0.01)


def test_clusters_and_domination():
    assert clusters(pay.advantage(CREWS)) == [(0, 1, 2), (3,)]
    assert clusters(SPIEL) == [(3,), (0,), (2,), (1,)]
    told = dominated(SPIEL)
    assert told[:, 3].tolist() == [True, True, True, False] and told[1].tolist() == [True, False, True, True]
    assert not dominated(RPS).any()
    assert not dominated(cloned(RPS, 0, 1, 2, 2)).any()  # a copy is not better


@pytest.mark.parametrize(("games", "sd", "right"), [(100, 0.17, 0.88), (400, 0.06, 1), (2000, 0.026, 1), (10_000, 0.012, 1)])
def test_stability_of_sampled_matrices(games, sd, right):
    """150 matrices of this many games a cell: how far the mixture moves, and how often it has the right support."""
    pair, rng = np.triu_indices(4, 1), np.random.default_rng(games)
    sampled = []
    for _ in range(150):
        rates = np.full((4, 4), 0.5)
        rates[pair] = rng.binomial(games, CREWS[pair]) / games
        rates.T[pair] = 1 - rates[pair]
        sampled.append(pay.log_odds(rates))
    found = stability(sampled)
    assert found.sd[:3].mean() == pytest.approx(sd, rel=0.25)
    assert found.share((0, 1, 2)) == pytest.approx(right, abs=0.07)
    assert sum(share for _, share in found.supports) == pytest.approx(1)
    assert found.supports[0][0] == (0, 1, 2) and found.share((0,)) == dict(found.supports).get((0,), 0)
    assert found.mean == pytest.approx([0.311781, 0.311781, 0.376437, 0], abs=4 * sd / math.sqrt(150) + 0.03 * (games == 100))
    assert found.held[:3].min() >= found.share((0, 1, 2))


def test_stability_from_one_matrix():
    games = np.full((4, 4), 2000.0)
    found = stability(pay.log_odds(rates) for rates in pay.beta_draws(CREWS, games, 100, seed=1))
    assert found.share((0, 1, 2)) == 1 and found.held.tolist() == [1, 1, 1, 0]
    assert found.sd[:3].mean() == pytest.approx(0.026, rel=0.25)
    with pytest.raises(ValueError, match="no draws"):
        stability([])


def test_drawn_rates():
    games = np.array([[1, 400, np.inf], [400, 1, 50], [np.inf, 50, 1]])
    rates = np.array([[0.5, 0.7, 0.5], [0.3, 0.5, 0.0], [0.5, 1.0, 0.5]])
    drawn = pay.beta_draws(rates, games, 4000, seed=2)
    assert drawn.shape == (4000, 3, 3)
    assert (drawn + drawn.swapaxes(1, 2) == pytest.approx(1)) and (drawn[:, 0, 2] == 0.5).all() and (drawn[:, 1, 1] == 0.5).all()
    assert drawn[:, 0, 1].mean() == pytest.approx(0.7, abs=0.003)
    assert drawn[:, 0, 1].std() == pytest.approx(math.sqrt(0.21 / 400), rel=0.05)
    assert 0 < drawn[:, 1, 2].mean() == pytest.approx(0.5 / 51, rel=0.1)  # never won in 50 games, yet not hopeless
    assert np.array_equal(drawn, pay.beta_draws(rates, games, 4000, seed=2))
    assert not np.array_equal(drawn, pay.beta_draws(rates, games, 4000, seed=3))


def test_drawn_keys_keep_what_cells_share():
    rng = np.random.default_rng(6)
    luck = rng.random((3, 500))  # a crew's luck in a key goes with it into every cell
    scores = 0.5 + (luck[:, None] - luck) / 2
    drawn = pay.key_draws(scores, 3000, seed=1)
    assert drawn.mean(axis=0) == pytest.approx(scores.mean(axis=2), abs=0.002)
    assert drawn[:, 0, 1].std() == pytest.approx(scores[0, 1].std() / math.sqrt(500), rel=0.06)
    assert np.corrcoef(drawn[:, 0, 1], drawn[:, 0, 2])[0, 1] == pytest.approx(np.corrcoef(scores[0, 1], scores[0, 2])[0, 1], abs=0.05)
    assert drawn + drawn.swapaxes(1, 2) == pytest.approx(1, abs=1e-15)
    with pytest.raises(ValueError, match="in every key"):
        pay.key_draws(np.zeros((2, 2, 5)), 3, seed=1)


def test_payoffs_of_rates():
    assert pay.log_odds(CREWS)[0, 1] == pytest.approx(math.log(0.62 / 0.38))
    assert pay.advantage(CREWS)[0, 2] == pytest.approx(-0.2)
    sure = np.array([[0.5, 1.0], [0.0, 0.5]])
    assert pay.log_odds(sure, 20)[0, 1] == pytest.approx(math.log(20.5 / 0.5))
    with pytest.raises(ValueError, match="infinite"):
        pay.log_odds(sure)
    errors = np.array([[0, 0.01], [0.01, 0]])
    games = pay.effective_games(np.array([[0.5, 0.6], [0.4, 0.5]]), errors)
    assert games[0, 1] == pytest.approx(2400) and math.isinf(games[0, 0])
    drawn = [pay.log_odds(rates)[0, 1] for rates in pay.beta_draws(np.array([[0.5, 0.6], [0.4, 0.5]]), games, 2000, seed=4)]
    variance = pay.log_odds_variance(np.array([[0.5, 0.6], [0.4, 0.5]]), games)
    assert variance[0, 1] == pytest.approx(1 / (2400 * 0.24), rel=1e-3) and variance[0, 0] == 0
    assert np.var(drawn) == pytest.approx(variance[0, 1], rel=0.1)


def test_matrices_that_are_none():
    for wrong in (np.ones((2, 3)), np.ones((2, 2)), [[0.5, 1.2], [-0.2, 0.5]], [[0.5, float("nan")], [0.5, 0.5]], [[0.4, 0.5], [0.5, 0.6]]):
        with pytest.raises(ValueError, match="rates"):
            pay.checked_rates(np.array(wrong))
    for wrong in (np.ones((2, 3)), np.ones((2, 2)), [[0, math.inf], [-math.inf, 0]]):
        with pytest.raises(ValueError, match="payoffs"):
            equilibrium(np.array(wrong))
    for games in (0, [[1, 2], [3, 1]]):
        with pytest.raises(ValueError, match="opposite cells"):
            pay.log_odds(np.full((2, 2), 0.5), games)
