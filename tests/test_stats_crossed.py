"""Effects of items from builds played on the same keys: a known model, its intervals, what cannot be told."""

import numpy as np
import pytest

from bhsim.stats.crossed import crossed_effects
from bhsim.stats.inclusion import card_rates

ITEMS = 8
CARDS, DECK = 20, 10


def drawn(luck, builds, fixed=True):
    """Counts of builds with 8 of 16 copies of 8 items (fixed size), or with each item in or out."""
    if not fixed:
        return luck.integers(0, 2, (builds, ITEMS))
    heap = np.repeat(np.arange(ITEMS), 2)
    return np.array([np.bincount(luck.choice(heap, ITEMS, replace=False), minlength=ITEMS) for _ in range(builds)])


def played(luck, counts, truth, keys, by_build=0.03, by_key=0.2, own=0.2, mixed=0.05):
    """Scores: additive effects, what a build and a key have of their own, items that matter more in some keys than in others, noise."""
    builds = len(counts)
    scores = 0.5 + (counts @ truth)[:, None] + luck.normal(0, by_build, builds)[:, None] + luck.normal(0, by_key, keys)
    return scores + counts @ luck.normal(0, mixed, (ITEMS, keys)) + luck.normal(0, own, (builds, keys))


def test_lots_find_what_descriptive_rates_hide():
    """10 of 20 cards by lot, games won with a logistic chance; winners see more of their deck, so every card looks good when drawn."""
    luck = np.random.default_rng(12)
    builds, keys = 300, 200
    logits = np.zeros(CARDS)
    logits[:3] = 0.30, -0.20, 0.15
    included = luck.random((builds, CARDS)).argsort(axis=1) < DECK
    chance = 1 / (1 + np.exp(-(included @ logits)))
    won = luck.random((builds, keys)) < chance[:, None]
    found = crossed_effects(included, won)
    # a card displaces an average one; the slope of the logistic curve turns logits into scores
    truth = (chance * (1 - chance)).mean() * (logits - logits.mean())
    assert (np.abs(found.effects - truth) < 4 * found.se).all()
    assert found.low[0] > 0 > found.high[1]
    held = included[:, None] & np.ones((builds, keys, 1), bool)
    place = np.where(held, luck.random(held.shape), 2).argsort(axis=2).argsort(axis=2)
    seen = held & (place < np.where(won, 6, 4)[:, :, None])
    drawn, unseen = (won[part[:, :, 1]] for part in (seen, held & ~seen))
    harmful = card_rates(opening=(0, 0), drawn=(drawn.sum(), drawn.size), unseen=(unseen.sum(), unseen.size))
    assert harmful.improvement > 0.15  # "better when drawn", though it loses games
    assert harmful.in_deck == pytest.approx(won[included[:, 1]].mean())


def test_effects_without_noise_are_exact():
    luck = np.random.default_rng(1)
    truth = np.array([0.05, -0.02, 0, 0.01, 0, 0, -0.03, 0.02])
    counts = drawn(luck, 30)
    found = crossed_effects(counts, 0.5 + (counts @ truth)[:, None] + luck.normal(0, 0.2, 40))
    assert found.contrasts
    assert found.effects == pytest.approx(truth - truth.mean(), abs=1e-12)
    assert found.effects.sum() == pytest.approx(0, abs=1e-12)


def test_contrasts_of_five_decks():
    decks = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]] * 3)
    beta = np.array([0.1, -0.05, 0.0, 0.02])
    found = crossed_effects(decks, (0.4 + decks @ beta)[:, None] + np.zeros(2))
    assert found.contrasts
    assert found.effects == pytest.approx([0.0825, -0.0675, -0.0175, 0.0025])


def test_without_a_fixed_size_there_are_no_contrasts():
    luck = np.random.default_rng(2)
    truth = np.array([0.05, -0.02, 0, 0.01, 0, 0, -0.03, 0.02])
    counts = drawn(luck, 40, fixed=False)
    found = crossed_effects(counts, 0.5 + (counts @ truth)[:, None] + np.zeros(5))
    assert not found.contrasts
    assert found.effects == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize(("builds", "keys", "by_build", "mixed"), [(60, 60, 0.03, 0.05), (40, 200, 0.05, 0), (100, 40, 0, 0.05)])
def test_intervals_cover(builds, keys, by_build, mixed):
    """Whether builds, keys or both make the luck; a variance that counts one of them only would fail in one of these."""
    luck = np.random.default_rng(3)
    truth = luck.normal(0, 0.02, ITEMS)
    truth -= truth.mean()
    hits = 0
    for _ in range(150):
        counts = drawn(luck, builds)
        found = crossed_effects(counts, played(luck, counts, truth, keys, by_build=by_build, mixed=mixed))
        hits += int(((found.low <= truth) & (truth <= found.high)).sum())
    share = hits / (150 * ITEMS)
    assert 0.91 < share < 0.985, share  # 1,200 intervals, not quite independent


def test_luck_of_keys_moves_nothing():
    luck = np.random.default_rng(4)
    counts = drawn(luck, 40)
    scores = played(luck, counts, np.zeros(ITEMS), 30)
    one, two = crossed_effects(counts, scores), crossed_effects(counts, scores + luck.normal(0, 5, 30))
    assert one.effects == pytest.approx(two.effects)
    assert one.se == pytest.approx(two.se)


def test_p_values_go_with_the_intervals():
    luck = np.random.default_rng(5)
    counts = drawn(luck, 60)
    truth = np.array([0.1, -0.1, 0, 0, 0, 0, 0, 0])
    found = crossed_effects(counts, played(luck, counts, truth, 100))
    assert ((found.p < 0.05) == ((found.low > 0) | (found.high < 0))).all()
    assert (found.p[:2] < 1e-3).all()
    assert ((found.between >= 0) & (found.between <= 1)).all()


@pytest.mark.parametrize(
    ("counts", "keys", "words"),
    [
        (drawn(np.random.default_rng(6), 15), 50, "say too little"),
        (drawn(np.random.default_rng(6), 50), 1, "say too little"),
        (np.column_stack([drawn(np.random.default_rng(6), 50, fixed=False), np.ones(50)]), 50, "never vary"),
        (np.repeat(drawn(np.random.default_rng(6), 50, fixed=False), 2, axis=1), 50, "only together"),
    ],
)
def test_what_cannot_be_told(counts, keys, words):
    with pytest.raises(ValueError, match=words):
        crossed_effects(counts, np.zeros((len(counts), keys)))
