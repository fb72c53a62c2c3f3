"""Games to detect a card, dilution, rates that describe, Shapley (docs/statistics.md). What misleads: test_stats_crossed.py."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import hypergeom

from bhsim.stats.inclusion import card_rates, games_to_detect, seen_chance, shapley


@pytest.mark.parametrize(("points", "games"), [(2, 19622), (1, 78489), (0.5, 313955), (0.25, 1255821)])
def test_games_to_detect(points, games):
    assert games_to_detect(points / 100) == pytest.approx(games, abs=1)
    assert games_to_detect(points / 100, share=0.1) == pytest.approx(games * 0.25 / 0.09, rel=1e-3)


def test_nothing_to_detect():
    for effect, share in ((0, 0.5), (0.01, 0), (0.01, 1)):
        with pytest.raises(ValueError, match="never detected"):
            games_to_detect(effect, share=share)


def test_dilution():
    assert seen_chance(1, 40, 7) == pytest.approx(0.175)
    assert seen_chance(3, 40, 10) == pytest.approx(0.589069, abs=6e-7)
    assert seen_chance(4, 60, 9) == pytest.approx(hypergeom.sf(0, 60, 4, 9))
    assert (seen_chance(0, 40, 7), seen_chance(2, 40, 0), seen_chance(2, 40, 39)) == (0, 0, 1)
    with pytest.raises(ValueError, match="of a deck"):
        seen_chance(3, 2, 1)


def test_rates_that_describe():
    found = card_rates(opening=(6, 10), drawn=(12, 30), unseen=(9.5, 20))
    assert (found.opening, found.drawn, found.unseen) == (0.6, 0.4, 0.475)
    assert found.in_hand == 18 / 40
    assert found.in_deck == 27.5 / 60
    assert found.improvement == pytest.approx(-0.025)
    never = card_rates((0, 0), (0, 0), (3, 4))
    assert math.isnan(never.opening) and math.isnan(never.improvement)
    assert never.in_deck == 0.75


def test_shapley():
    worth = [0, 5, 2, 9, 0, 5, 4, 12]  # none a b ab c ac bc abc
    assert shapley(worth) == pytest.approx([19 / 3, 13 / 3, 4 / 3])
    rng = np.random.default_rng(16)
    table = rng.normal(size=16)
    shares = np.zeros(4)
    for order in permutations(range(4)):
        inside = 0
        for member in order:
            shares[member] += (table[inside | 1 << member] - table[inside]) / 24
            inside |= 1 << member
    assert shapley(table) == pytest.approx(shares)
    assert shares.sum() == pytest.approx(table[-1] - table[0])
    with pytest.raises(ValueError, match="all parts"):
        shapley(table[:-1])


def test_shapley_of_members_with_pairs():
    """Additive values and pairs: a member's share is its own value and half of its pairs."""
    own, pairs = np.array([3.0, 1.0, -2.0]), {(0, 1): 0.8, (0, 2): -0.4, (1, 2): 1.2}
    worth = []
    for part in range(8):
        inside = [i for i in range(3) if part >> i & 1]
        worth.append(own[inside].sum() + sum(v for pair, v in pairs.items() if set(pair) <= set(inside)))
    assert shapley(worth) == pytest.approx([3 + (0.8 - 0.4) / 2, 1 + (0.8 + 1.2) / 2, -2 + (-0.4 + 1.2) / 2])
