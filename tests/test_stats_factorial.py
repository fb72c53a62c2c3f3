"""Two-level designs: balance, what is clear of what, and effects of a model whose truth is known."""

import itertools

import numpy as np
import pytest

from bhsim.stats.factorial import Design, contrasts, estimate, two_level


def columns(design):
    return np.where(design.high(), 1, -1)


@pytest.mark.parametrize("factors", [1, 2, 3, 5, 8, 13, 16, 17, 30])
@pytest.mark.parametrize("pairs", [False, True])
def test_levels_are_balanced_and_orthogonal(factors, pairs):
    x = columns(two_level(factors, pairs)).astype(int)
    assert x.shape[1] == factors
    assert (x.sum(axis=0) == 0).all()
    assert (x.T @ x == len(x) * np.eye(factors, dtype=int)).all()


@pytest.mark.parametrize("factors", [2, 3, 4, 5, 8, 16, 21])
def test_main_effects_are_clear_of_pairs(factors):
    x = columns(two_level(factors)).astype(int)
    for i, j in itertools.combinations(range(factors), 2):
        assert not (x.T @ (x[:, i] * x[:, j])).any()


@pytest.mark.parametrize("factors", [2, 3, 5, 6, 8, 11, 17])
def test_pairs_are_clear_of_each_other(factors):
    x = columns(two_level(factors, True)).astype(int)
    both = np.array([x[:, i] * x[:, j] for i, j in itertools.combinations(range(factors), 2)]).T
    every = np.column_stack([x, both])
    assert (every.T @ every == len(x) * np.eye(every.shape[1], dtype=int)).all()


def test_sizes():
    # The smallest two-level fractions of resolution V: 5 factors in 16 runs, 6 in 32, 8 in 64, 11 in 128, 17 in 256.
    assert [two_level(k, True).runs for k in (5, 6, 8, 11, 17)] == [16, 32, 64, 128, 256]
    assert [two_level(k).runs for k in (1, 2, 3, 4, 6, 7, 12, 13, 25, 26)] == [2, 4, 8, 16, 16, 16, 32, 32, 64, 64]
    assert [len(two_level(k).spare_masks()) for k in (2, 3, 4, 6, 12, 25)] == [0, 1, 4, 2, 4, 7]


@pytest.mark.parametrize("factors", [3, 4])
def test_few_factors_are_clear_of_triples(factors):
    masks = two_level(factors).masks
    assert not {a ^ b ^ c for a, b, c in itertools.combinations(masks, 3)} & set(masks)


def test_pairs_alias_without_the_larger_design():
    design = two_level(6)
    masks = list(design.pair_masks().values())
    assert len(set(masks)) < len(masks)
    assert not set(masks) & set(design.masks)
    assert not set(masks) & set(design.spare_masks())


def test_transform_is_the_sum_by_parity():
    values = np.random.default_rng(1).integers(-50, 50, (16, 3))
    found = contrasts(values)
    for mask in range(16):
        sign = [(-1) ** (mask & run).bit_count() for run in range(16)]
        assert (found[mask] == sign @ values).all()
    with pytest.raises(ValueError, match="12 runs are no power of two"):
        contrasts(values[:12])


def simulated(luck, keys, main, both, design, scale=120):
    """Scores of an additive model with pairs, rounded to whole numbers at random so that the mean is right; keys share their luck."""
    x = columns(design)
    level = 0.5 + x @ main / 2 + sum(e * x[:, i] * x[:, j] / 2 for (i, j), e in both.items())
    common = luck.normal(0, 0.2, keys)
    noise = luck.normal(0, 0.1, (design.runs, keys))
    exact = (level[:, None] + common + noise) * scale
    return np.floor(exact + luck.random(exact.shape)).astype(np.int64)


def test_effects_of_a_known_model():
    design = two_level(5, True)
    main, both = np.array([0.1, -0.05, 0.0, 0.02, 0.2]), {(0, 1): 0.04, (2, 4): -0.06}
    estimates = estimate([simulated(np.random.default_rng(3), 4000, main, both, design)], design, 120)
    found, pairs = estimates.main, estimates.pairs
    for effect, truth in zip(found, main, strict=True):
        assert effect.low < truth < effect.high
        assert effect.se < 0.002
        assert abs(effect.mean - truth) < 0.005
    for pair, effect in zip(design.pair_masks(), pairs, strict=True):
        assert abs(effect.mean - both.get(pair, 0.0)) < 0.005
        assert (effect.p < 1e-6) == (pair in both)


def test_intervals_cover():
    design = two_level(4)
    main = np.array([0.05, 0.0, -0.02, 0.01])
    hits, luck = np.zeros(4), np.random.default_rng(8)
    for _ in range(500):
        found = estimate([simulated(luck, 60, main, {}, design)], design, 120)
        hits += [e.low <= truth <= e.high for e, truth in zip(found.main, main, strict=True)]
        assert found.pairs == []
    assert (hits > 455).all(), hits  # 95 % of 500 is 475, five standard errors are 24
    assert (hits < 499).all(), hits


def test_spare_columns_show_what_three_do_together():
    """A triple moves no pair's column but falls on odd ones: on a spare one here, which is how it is noticed."""
    design = two_level(8)
    x = columns(design)
    luck = np.random.default_rng(9)
    plain = simulated(luck, 2000, np.array([0.1, *[0] * 7]), {}, design)
    triples = itertools.combinations(range(8), 3)
    spare = design.spare_masks()
    i, j, k = next(t for t in triples if design.masks[t[0]] ^ design.masks[t[1]] ^ design.masks[t[2]] in spare)
    triple = (x[:, i] * x[:, j] * x[:, k] * 6)[:, None] + plain  # 6 of 120: an effect of 0.1
    assert estimate([triple], design, 120).beyond() == pytest.approx(0.1 / len(spare) ** 0.5, abs=0.01)
    assert estimate([plain], design, 120).beyond() < 0.01
    assert estimate([plain[:4]], two_level(2), 120).beyond() is None


def test_common_luck_is_taken_out():
    """Luck that all runs of a key share moves no effect: its spread must not widen the interval."""
    design = two_level(3)
    values = simulated(np.random.default_rng(5), 300, np.array([0.1, 0, 0]), {}, design)
    shifted = values + np.random.default_rng(6).integers(-500, 500, 300)
    assert estimate([values], design, 120) == estimate([shifted], design, 120)


def test_chunks_change_nothing():
    design = two_level(6, True)
    values = simulated(np.random.default_rng(7), 101, np.full(6, 0.02), {}, design)
    assert estimate([values], design, 120) == estimate([values[:, :40], values[:, 40:]], design, 120)


def test_few_and_no_keys_apart():
    design = two_level(2)
    same = np.full((4, 200), 60)
    effect = estimate([same], design, 120).main[0]
    assert (effect.mean, effect.low, effect.high, effect.p, effect.divergent) == (0, 0, 0, 1, 0)  # nobody ever won more or less
    same[:, 3] = 120  # a key is won where the others tie, whatever the factors
    effect = estimate([same], design, 120).main[0]
    assert (effect.mean, effect.p, effect.divergent) == (0, 1, 0)
    assert effect.low < -0.005 and effect.high > 0.005  # that 200 keys show nothing does not make it certain
    same[:, 3] = 60
    same[design.high()[:, 0], 7] = 120
    effect = estimate([same], design, 120).main[0]
    assert effect.mean == pytest.approx(0.5 / 200)
    assert effect.divergent == 1
    assert effect.corrected
    assert effect.low < 0 < effect.mean < effect.high
    with pytest.raises(ValueError, match="no keys"):
        estimate([], design, 120)
    with pytest.raises(ValueError, match="0 factors"):
        two_level(0)


def test_design_from_masks():
    assert Design((1, 2), True).high().tolist() == [[False, False], [True, False], [False, True], [True, True]]


def test_a_full_design_shifts_nothing():
    """What all factors do together falls on no main effect when every combination was played, so there is nothing to warn of."""
    full, part = Design((1, 2, 4), False), two_level(8)
    odd = (full.high().sum(axis=1) % 2 * 120).astype(np.int64)
    found = estimate([np.repeat(odd[:, None], 300, axis=1)], full, 120)
    assert [e.mean for e in found.main] == [0, 0, 0]
    assert found.beyond() is None
    three = (part.high()[:, :3].all(axis=1) * 120).astype(np.int64)
    assert estimate([np.repeat(three[:, None], 300, axis=1)], part, 120).beyond() is not None
