"""Hodge split, cyclic share with chance taken out, circles of three (docs/statistics.md)."""

import math

import numpy as np
import pytest

from bhsim.stats import cycles as cy
from bhsim.stats.payoffs import advantage, key_draws, log_odds, log_odds_variance
from bhsim.stats.ratings import ELO

CREWS = np.array([[0.5, 0.62, 0.40, 0.55], [0.38, 0.5, 0.60, 0.52], [0.60, 0.40, 0.5, 0.57], [0.45, 0.48, 0.43, 0.5]])
EIGHT = 1 / (1 + np.exp(np.linspace(-0.3, 0.3, 8) - np.linspace(-0.3, 0.3, 8)[:, None]))  # strength is all there is


def sampled(rates: np.ndarray, games: int, rng: np.random.Generator) -> np.ndarray:
    pair = np.triu_indices(len(rates), 1)
    found = np.full(rates.shape, 0.5)
    found[pair] = rng.binomial(games, rates[pair]) / games
    found.T[pair] = 1 - found[pair]
    return found


def test_split_of_the_crews():
    payoffs = log_odds(CREWS)
    found = cy.split(payoffs)
    assert found.ratings == pytest.approx([0.071188, -0.001010, 0.070463, -0.140641], abs=6e-7)
    assert ELO * found.ratings == pytest.approx([12.3667, -0.1755, 12.2406, -24.4319], abs=6e-5)
    assert math.sqrt(found.share) == pytest.approx(0.910113, abs=6e-7)  # |C| / |A|
    assert found.share == pytest.approx(0.828306, abs=6e-7)
    assert found.cyclic.sum(axis=1) == pytest.approx(np.zeros(4), abs=1e-12)
    strength = payoffs - found.cyclic
    assert (strength**2).sum() + (found.cyclic**2).sum() == pytest.approx((payoffs**2).sum())
    assert cy.curl(payoffs, 0, 1, 2) == pytest.approx(1.300478, abs=6e-7)
    assert cy.curl(found.cyclic, 0, 1, 2) == pytest.approx(1.300478, abs=6e-7)  # strength has no curl
    assert cy.curl(payoffs, 0, 2, 1) == pytest.approx(-1.300478, abs=6e-7)


def test_extremes():
    assert cy.split(log_odds(EIGHT)).share == pytest.approx(0, abs=1e-12)
    assert cy.split(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])).share == 1
    assert cy.split(np.zeros((3, 3))).share == 0


def test_circles_of_three():
    assert cy.three_cycles(CREWS).tolist() == [1, 1, 1, 0]
    assert cy.three_cycles(EIGHT).tolist() == [0] * 8
    # five crews, each beating the next two: all pairs of a crew's victims and victors that close, 5 circles, 3 crews each
    five = np.full((5, 5), 0.5)
    for i in range(5):
        for ahead in (1, 2):
            five[i, (i + ahead) % 5], five[(i + ahead) % 5, i] = 0.6, 0.4
    assert cy.three_cycles(five).tolist() == [3] * 5


def test_strongest_cycles():
    first, *others = cy.strongest_cycles(log_odds(CREWS), 10)
    assert first.crews == (0, 1, 2) and first.curl == pytest.approx(1.300478, abs=6e-7)
    assert [cycle.curl for cycle in others] == sorted((cycle.curl for cycle in others), reverse=True)
    assert len(others) == 3 and all(cycle.curl > 0 and cycle.crews[0] == min(cycle.crews) for cycle in others)
    for curl, (i, j, k) in others:
        assert curl == pytest.approx(cy.curl(log_odds(CREWS), i, j, k))
    turned = cy.strongest_cycles(log_odds(CREWS.T), 1)[0]
    assert turned.crews == (0, 2, 1) and turned.curl == pytest.approx(first.curl)
    assert cy.strongest_cycles(np.zeros((4, 4)), 3) == []


@pytest.mark.parametrize(("games", "expected"), [(200, 0.1435), (1000, 0.0335), (5000, 0.0070)])
def test_chance_makes_cycles_and_is_taken_out(games, expected):
    rng = np.random.default_rng(games)
    raw, corrected, noise = [], [], []
    for _ in range(200):
        rates = sampled(EIGHT, games, rng)
        payoffs, errors = log_odds(rates, games), cy.noise(log_odds_variance(rates, games))
        raw.append(cy.split(payoffs).share)
        corrected.append(cy.cyclic_share(payoffs, errors))
        noise.append(((cy.split(payoffs).cyclic ** 2).sum() / errors.cyclic, ((payoffs - log_odds(EIGHT)) ** 2).sum() / errors.total))
    assert np.mean(noise, axis=0) == pytest.approx([1, 1], abs=0.08)
    assert np.mean(raw) == pytest.approx(expected, rel=0.08)
    assert np.mean(raw) > 5 * abs(np.mean(corrected))
    assert np.mean(corrected) == pytest.approx(0, abs=4 * np.std(corrected) / math.sqrt(200))
    assert np.std(corrected) < np.mean(raw)


def test_noise_of_unequal_cells():
    rng = np.random.default_rng(9)
    sd = np.triu(rng.random((6, 6)) * 3, 1)
    off = rng.normal(size=(20_000, 6, 6)) * sd
    off -= off.swapaxes(1, 2)
    exact, drawn = cy.noise((sd + sd.T) ** 2), cy.noise_of_draws(off + 7 * (np.arange(6)[:, None] - np.arange(6)))
    assert drawn == pytest.approx(exact, rel=0.02)
    assert exact.cyclic / exact.total == pytest.approx(4 / 6)
    few = [cy.noise_of_draws(off[n : n + 2]) for n in range(0, 20_000, 2)]  # no bias from estimating the mean
    assert np.mean(few, axis=0) == pytest.approx(exact, rel=0.03)


def test_shared_keys_make_fewer_cycles_than_separate_ones():
    """A crew's luck in a key goes into all its cells: it moves ratings, not cycles; independent cells would be corrected too much."""
    rng = np.random.default_rng(12)
    luck = rng.normal(size=(6, 1, 800)) - rng.normal(size=(1, 1, 800))
    scores = ((luck - luck.swapaxes(0, 1) + 0.5 * _antisymmetric(rng)) > 0) * 1.0
    scores[np.arange(6), np.arange(6)] = 0.5
    shared = cy.noise_of_draws(np.array([advantage(rates) for rates in key_draws(scores, 400, seed=1)]))
    means = scores.mean(axis=2)
    separate = cy.noise(4 * means * (1 - means) / 800)
    assert shared.total == pytest.approx(separate.total, rel=0.1)
    assert shared.cyclic < 0.6 * separate.cyclic


def _antisymmetric(rng: np.random.Generator) -> np.ndarray:
    upper = np.triu(rng.normal(size=(800, 6, 6)), 1)
    return (upper - upper.swapaxes(1, 2)).transpose(1, 2, 0)


def test_nothing_but_chance_has_no_share():
    assert math.isnan(cy.cyclic_share(log_odds(CREWS), cy.Noise(1, 100)))
    for wrong in (np.ones((2, 3)), np.ones((1, 1)), -np.ones((2, 2))):
        with pytest.raises(ValueError, match="variances"):
            cy.noise(wrong)
    with pytest.raises(ValueError, match="two matrices"):
        cy.noise_of_draws(np.zeros((1, 3, 3)))
