"""Card effects: randomised inclusion recovers the truth where descriptive rates mislead; sizes, dilution, Shapley (docs/statistics.md)."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import hypergeom

from bhsim.stats.inclusion import card_rates, games_to_detect, inclusion_effects, seen_chance, shapley

CARDS, DECK = 20, 10


def play(rng: np.random.Generator, games: int, effects: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Decks of 10 of 20 cards by lot, games won with a logistic chance; winners see more of their deck. Inclusion, seen, won."""
    included = rng.random((games, CARDS)).argsort(axis=1) < DECK
    won = rng.random(games) < 1 / (1 + np.exp(-(included @ effects)))
    depth = np.where(won, 6, 4)[:, None]
    place = np.where(included, rng.random((games, CARDS)), 2).argsort(axis=1).argsort(axis=1)
    return included, included & (place < depth), won


def test_regression_finds_what_descriptive_rates_hide():
    effects = np.zeros(CARDS)
    effects[:3] = 0.30, -0.20, 0.15
    included, seen, won = play(np.random.default_rng(12), 60000, effects)
    found = inclusion_effects(included, won, np.arange(60000))
    assert found.contrasts
    assert found.effects.sum() == pytest.approx(0, abs=1e-9)
    # a card displaces an average one; the slope of the logistic curve turns logits into scores
    slope = np.mean([p * (1 - p) for p in 1 / (1 + np.exp(-(included @ effects)))])
    truth = slope * (effects - effects.mean())
    assert (np.abs(found.effects - truth) < 4 * found.se).all()
    assert found.low[0] > 0 > found.high[1]
    assert np.abs(found.shrunk).max() < np.abs(found.effects).max()
    harmful = card_rates(
        opening=(0, 0),
        drawn=(won[seen[:, 1]].sum(), seen[:, 1].sum()),
        unseen=(won[included[:, 1] & ~seen[:, 1]].sum(), (included[:, 1] & ~seen[:, 1]).sum()),
    )
    assert harmful.improvement > 0.15  # "better when drawn", though it loses games
    assert harmful.in_deck == pytest.approx(won[included[:, 1]].mean())


def test_exact_effects_with_and_without_a_fixed_size():
    """Scores linear in the cards: the effects come out exactly, as contrasts if each deck has the same number."""
    rng = np.random.default_rng(13)
    beta = np.array([0.1, -0.05, 0.0, 0.02])
    free = rng.integers(0, 3, (200, 4))
    found = inclusion_effects(free, 0.4 + free @ beta, np.arange(200))
    assert not found.contrasts
    assert found.effects == pytest.approx(beta)
    fixed = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]] * 3)
    found = inclusion_effects(fixed, 0.4 + fixed @ beta, np.arange(15))
    assert found.contrasts
    assert found.effects == pytest.approx(beta - beta.mean())


def test_controls_are_taken_out():
    rng = np.random.default_rng(14)
    first = rng.integers(0, 2, 400)
    cards = rng.integers(0, 2, (400, 3)) + first[:, None]  # the first player holds more copies
    found = inclusion_effects(cards, 0.3 + cards @ [0.02, 0.0, -0.01] + 0.2 * first, np.arange(400), controls=first[:, None])
    assert found.effects == pytest.approx([0.02, 0.0, -0.01])


def test_errors_follow_the_keys():
    """Every game written down twice under its key tells nothing new."""
    rng = np.random.default_rng(15)
    cards, keys = rng.integers(0, 2, (500, 3)), np.arange(500)
    score = rng.random(500)
    once = inclusion_effects(cards, score, keys)
    twice = inclusion_effects(np.vstack([cards, cards]), np.append(score, score), np.append(keys, keys))
    apart = inclusion_effects(np.vstack([cards, cards]), np.append(score, score), np.arange(1000))
    assert twice.se == pytest.approx(once.se)
    assert apart.se == pytest.approx(once.se / math.sqrt(2))
    assert twice.high - twice.effects == pytest.approx(1.959964 * once.se)


def test_cards_that_cannot_be_told_apart():
    cards = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 1]] * 5)
    with pytest.raises(ValueError, match="column 2 never varies"):
        inclusion_effects(cards, np.arange(20) / 20, np.arange(20))
    cards[:, 2] = cards[:, 0]
    with pytest.raises(ValueError, match="only vary together"):
        inclusion_effects(cards, np.arange(20) / 20, np.arange(20))
    with pytest.raises(ValueError, match="at least two cards"):
        inclusion_effects(cards[:, :1], np.arange(20) / 20, np.arange(20))


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
