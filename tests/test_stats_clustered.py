"""Rows that share their luck: pooled errors, ratios, regressions, bootstrap, bias of deals, control variates (docs/statistics.md)."""

import math

import numpy as np
import pytest

from bhsim.stats import clustered as cl


def reused_keys(rng: np.random.Generator, keys: int = 400, cells: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Scores of cells that all met the same keys, row by row, with the key of each row; rows shuffled."""
    luck = rng.normal(size=(keys, 1))
    score = (luck + rng.normal(size=(keys, cells)) > 0).astype(float).ravel()
    order = rng.permutation(score.size)
    return score[order], np.repeat(np.arange(keys) * 7 - 100, cells)[order]


def test_sums_of_keys_in_any_order():
    assert list(cl.key_sums([1, 2, 3, 4], [5, -2, 5, 9])) == [2, 4, 4]
    assert cl.key_sums(np.arange(8).reshape(4, 2), [1, 0, 1, 0]).tolist() == [[8, 10], [4, 6]]
    with pytest.raises(ValueError, match="cannot be summed"):
        cl.key_sums([1, 2], [1])


def test_balanced_cells_are_as_good_as_their_keys():
    score, keys = reused_keys(np.random.default_rng(1))
    found = cl.clustered_mean(score, keys)
    per_key = cl.key_sums(score, keys) / 6
    assert found.value == pytest.approx(score.mean())
    assert found.se == pytest.approx(per_key.std() / math.sqrt(400))
    assert found.n_eff == pytest.approx(score.var() / found.se**2)
    assert (found.rows, found.keys) == (2400, 400)
    assert found.n_eff < 0.5 * found.rows
    alone = cl.clustered_mean(score, np.arange(2400))
    assert alone.se == pytest.approx(score.std() / math.sqrt(2400))
    assert alone.n_eff == pytest.approx(2400)


def test_pooled_interval_covers_and_a_plain_one_does_not():
    rng = np.random.default_rng(2)
    covered = plain = 0
    for _ in range(400):
        score, keys = reused_keys(rng, keys=200)
        found = cl.clustered_mean(score, keys)
        covered += found.low <= 0.5 <= found.high
        plain += abs(score.mean() - 0.5) <= 1.959964 * score.std() / math.sqrt(score.size)
    assert 0.92 <= covered / 400 <= 0.98
    assert plain / 400 < 0.85


def test_ratios_and_weights():
    top, bottom, keys = [1.0, 0.0, 2.0, 1.0], [2.0, 1.0, 2.0, 3.0], [0, 0, 1, 1]
    found = cl.clustered_ratio(top, bottom, keys)
    # residuals 0, -1/2, 1, -1/2: key sums -1/2 and 1/2
    assert found.value == 0.5
    assert found.se == pytest.approx(math.sqrt(0.5) / 8)
    assert found.n_eff == pytest.approx(4 * 1.5 / 0.5)
    weighted = cl.clustered_mean([0.5, 0.0, 1.0, 1 / 3], keys, weights=bottom)
    assert (weighted.value, weighted.se) == pytest.approx((found.value, found.se))
    same = cl.clustered_mean([0.5, 0.5], [0, 1])
    assert (same.se, same.n_eff) == (0, math.inf)
    with pytest.raises(ValueError, match="ratio to nothing"):
        cl.clustered_ratio([1.0], [0.0], [0])


def test_bootstrap_agrees_with_the_formula():
    rng = np.random.default_rng(6)
    score, keys = reused_keys(rng)
    weights = rng.integers(1, 4, score.size).astype(float)
    formula = cl.clustered_ratio(score * weights, weights, keys)
    sums = cl.key_sums(np.column_stack([score * weights, weights]), keys)
    draws = cl.bootstrap(sums, lambda total: total[0] / total[1], draws=2000)
    assert draws.shape == (2000,)
    assert draws.std() == pytest.approx(formula.se, rel=0.06)
    assert draws.mean() == pytest.approx(formula.value, abs=0.1 * formula.se)
    assert (draws == cl.bootstrap(sums, lambda total: total[0] / total[1], draws=2000)).all()


@pytest.mark.parametrize(("edge", "luck"), [(0.2, 0), (0.2, 2), (1, 4)])
def test_bias_of_deals(edge, luck):
    """Toy of the pairs: first wins with logistic(f + s u), second with logistic(-f - s u); exact over u."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / weights.sum()
    first = 1 / (1 + np.exp(-(edge + luck * nodes)))
    both = first * (1 - first)  # chance to win both seatings, and to lose both
    of_keys = float(weights @ (2 * both)) * 0.25
    assert cl.rms_bias(0.25, of_keys) == pytest.approx(math.sqrt(weights @ (first - 0.5) ** 2), abs=1e-9)
    assert cl.rms_bias(0.25, 0.1251) == 0


def test_control_variate():
    assert round(1 - 0.5398**2, 4) == 0.7086
    rng = np.random.default_rng(8)
    control, noise = rng.normal(size=(2, 50000))
    outcome = 0.3 + 0.5398 * control + math.sqrt(1 - 0.5398**2) * noise
    keys = np.arange(50000)
    found, plain = cl.control_variate(outcome, control, 0.0, keys), cl.clustered_mean(outcome, keys)
    assert found.slope == pytest.approx(0.5398, abs=0.02)
    assert found.correlation == pytest.approx(0.5398, abs=0.015)
    assert found.factor == pytest.approx(0.7086, abs=0.015)
    assert (found.estimate.se / plain.se) ** 2 == pytest.approx(found.factor, rel=1e-6)
    assert found.estimate.low < 0.3 < found.estimate.high
    moved = cl.control_variate(outcome, control + 5, 5.0, keys)
    assert moved.estimate.value == pytest.approx(found.estimate.value)
    assert cl.control_variate(np.ones(4), np.arange(4.0), 1.5, np.arange(4)).factor == 1
    with pytest.raises(ValueError, match="never varies"):
        cl.control_variate(outcome, np.ones(50000), 1.0, keys)
