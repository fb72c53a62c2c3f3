"""Paired differences, the saving of exchanged seats, sample sizes (docs/statistics.md)."""

import numpy as np
import pytest

from bhsim.stats.intervals import moments
from bhsim.stats.paired import keys_needed, paired_difference, seat_saving


def toy_pair(edge: float, luck: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Exact law of a pair's score when P(win) = logistic(+-(f + s u)) by seat, and the chance of a single win."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / weights.sum()
    first = 1 / (1 + np.exp(-(edge + luck * nodes)))
    second = 1 / (1 + np.exp(edge + luck * nodes))
    both, none = weights @ (first * second), weights @ ((1 - first) * (1 - second))
    return np.array([0, 0.5, 1]), np.array([none, 1 - both - none, both]), float(weights @ (first + second) / 2)


@pytest.mark.parametrize(
    ("edge", "luck", "variance", "factor"),
    [(0.2, 0, 0.12376, 1.01), (0.2, 1, 0.10269, 1.22), (0.2, 2, 0.07549, 1.66), (0.2, 3, 0.05732, 2.18), (1, 4, 0.04441, 2.81)],
)
def test_saving_of_exchanged_seats(edge, luck, variance, factor):
    values, law, win = toy_pair(edge, luck)
    assert moments(values, law)[1] == pytest.approx(variance, abs=6e-6)
    saving = seat_saving(np.array([0, 1]), np.array([1 - win, win]), values, law, 2)
    assert 1 / saving == pytest.approx(factor, abs=6e-3)
    assert saving * 0.125 == pytest.approx(variance, abs=6e-6)


@pytest.mark.parametrize(
    ("points", "wide", "narrow"), [(2, 2453, 1472), (1, 9812, 5887), (0.5, 39245, 23547), (0.25, 156978, 94187), (0.1, 981110, 588666)]
)
def test_keys_needed(points, wide, narrow):
    assert keys_needed(points / 100, 0.125) == pytest.approx(wide, abs=1)
    assert keys_needed(points / 100, 0.075) == pytest.approx(narrow, abs=1)


def test_paired_difference_of_seeds():
    """The paired example of the equivalence section: 20000 seeds, +1 in 1530, -1 in 1500."""
    a = np.concatenate([np.ones(1530), np.zeros(18470)])
    b = np.concatenate([np.zeros(1530), np.ones(1500), np.zeros(16970)])
    found = paired_difference(a, b)
    assert found.mean == pytest.approx(0.0015)
    assert found.se == pytest.approx(0.002752, abs=6e-7)
    assert (found.low, found.high) == pytest.approx((0.0015 - 1.959964 * 0.002752, 0.0015 + 1.959964 * 0.002752), abs=2e-6)
    assert not found.corrected


def test_variance_of_difference_shrinks_with_common_luck():
    rng = np.random.default_rng(7)
    luck = rng.normal(size=4000)
    a = (luck + rng.normal(size=4000) * 0.3 > 0).astype(float)
    b = (luck + rng.normal(size=4000) * 0.3 > 0.1).astype(float)
    together, apart = paired_difference(a, b), paired_difference(a, rng.permutation(b))
    assert together.saving < 0.4
    assert apart.saving == pytest.approx(1, abs=0.1)
    assert together.mean == pytest.approx(apart.mean)
    assert together.high - together.low < apart.high - apart.low


def test_few_differences_widen_and_only_equal_games_are_identical():
    a = np.full(1000, 0.5)
    same = paired_difference(a, a, identical=True)
    assert (same.mean, same.low, same.high, same.identical) == (0, 0, 0, True)
    seen = paired_difference(a, a)  # other games, of which none happened to differ
    assert (seen.mean, seen.identical, seen.corrected) == (0, False, True)
    assert seen.low < 0 < seen.high
    assert paired_difference(a[:1], a[:1]).high > 0.9
    with pytest.raises(ValueError, match="identical"):
        paired_difference(a, np.append(a[1:], 0.0), identical=True)
    b = a.copy()
    b[3] = 0.0
    one = paired_difference(a, b)
    assert one.corrected
    assert one.low < 0 < one.mean < one.high
    with pytest.raises(ValueError, match="no pairs"):
        paired_difference(a, a[:-1])
