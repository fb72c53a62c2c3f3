"""Intervals against published and library values (docs/statistics.md)."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from bhsim.stats import intervals as iv

TABLE = [
    (0, 10, (0, 0.27753280), (0, 0.30849711), (0, 0.21719627)),
    (1, 10, (0.01787621, 0.40415003), (0.00252858, 0.44501612), (0.01101167, 0.38131477)),
    (5, 10, (0.23659309, 0.76340691), (0.18708603, 0.81291397), (0.22352867, 0.77647133)),
    (10, 10, (0.72246720, 1), (0.69150289, 1), (0.78280373, 1)),
    (8, 40, (0.10499990, 0.34757306), (0.09052241, 0.35647802), (0.09937401, 0.34222112)),
    (52, 100, (0.42316578, 0.61535448), (0.41778977, 0.62099452), (0.42268084, 0.61617997)),
    (520, 1000, (0.48901772, 0.55082921), (0.48851488, 0.55136706), (0.48901466, 0.55086976)),
    (5200, 10000, (0.51020222, 0.52978242), (0.51015339, 0.52983495), (0.51020342, 0.52978501)),
    (500123, 10**6, (0.49914302, 0.50110298), (0.49914252, 0.50110348), (0.49914302, 0.50110298)),
]


@pytest.mark.parametrize(("k", "n", "wilson", "exact", "jeffreys"), TABLE)
def test_95_percent_table(k, n, wilson, exact, jeffreys):
    assert iv.wilson(k, n) == pytest.approx(wilson, abs=6e-9)
    assert iv.clopper_pearson(k, n) == pytest.approx(exact, abs=6e-9)
    assert iv.jeffreys(k, n) == pytest.approx(jeffreys, abs=6e-9)


def test_99_percent():
    assert iv.wilson(52, 100, 0.99) == pytest.approx((0.39412881, 0.64338236), abs=6e-9)
    assert iv.clopper_pearson(52, 100, 0.99) == pytest.approx((0.38798301, 0.65006173), abs=6e-9)


@pytest.mark.parametrize(
    ("p", "expected"), [(0.5, (0.94311, 0.96480, 0.94311)), (0.2, (0.94052, 0.96740, 0.95465)), (0.05, (0.96589, 0.98261, 0.93473))]
)
def test_exact_coverage_at_100_games(p, expected):
    mass = binom.pmf(np.arange(101), 100, p)
    for method, wanted in zip((iv.wilson, iv.clopper_pearson, iv.jeffreys), expected, strict=True):
        covered = [low <= p <= high for low, high in (method(k, 100) for k in range(101))]
        assert mass @ np.array(covered) == pytest.approx(wanted, abs=6e-6)


@pytest.mark.parametrize(("n", "points"), [(100, 9.62), (1000, 3.09), (10**4, 0.980), (10**5, 0.310), (10**6, 0.098)])
def test_half_width_at_one_half(n, points):
    low, high = iv.wilson(n / 2, n)
    assert 50 * (high - low) == pytest.approx(points, rel=2e-3)


def test_difference_of_independent_rates():
    assert iv.difference_newcombe(520, 1000, 480, 1000) == pytest.approx((-0.003816, 0.083599), abs=6e-7)
    assert iv.difference_score(520, 1000, 480, 1000) == pytest.approx((-0.003837, 0.083682), abs=2e-6)
    for method in (iv.difference_newcombe, iv.difference_score):
        low, high = method(0, 20, 20, 20)
        assert -1 <= low < high < -0.6


def test_pairs_with_effective_size():
    found = iv.from_keys(np.arange(5) / 4, [34, 54, 63, 64, 75])
    assert found.mean == pytest.approx(0.579310, abs=6e-7)
    assert found.se**2 * 290 == pytest.approx(0.113106, abs=6e-7)
    assert found.se == pytest.approx(0.019749, abs=6e-7)
    assert found.n_eff == pytest.approx(624.9, abs=0.05)
    assert (found.low, found.high) == pytest.approx((0.540234, 0.617418), abs=6e-7)
    z = iv.normal_quantile(0.95)
    assert (found.mean - z * found.se, found.mean + z * found.se) == pytest.approx((0.540603, 0.618018), abs=6e-7)
    assert not found.corrected
    assert not found.exact
    assert (found.keys, found.divergent) == (290, 215)


@pytest.mark.parametrize(("keys", "share", "plain"), [(50, 0.02, 0.64), (500, 0.004, 0.86)])
def test_few_divergent_pairs_are_widened(keys, share, plain):
    """Nearly all pairs alike: the plain interval covers far too rarely, the corrected one does not."""
    truth = 0.5 + share / 2
    covered = uncorrected = 0.0
    for won in range(keys + 1):
        mass = binom.pmf(won, keys, share)
        if mass < 1e-12:
            continue
        found = iv.from_keys(np.array([0.5, 1.0]), [keys - won, won])
        covered += mass * (found.low <= truth <= found.high)
        uncorrected += mass * (abs(found.mean - truth) <= 1.959964 * found.se)
        assert found.low <= found.mean <= found.high
    assert uncorrected == pytest.approx(plain, abs=0.01)
    assert covered >= 0.95


def test_mean_stays_inside_at_the_ends():
    for counts in ([40, 0], [0, 40], [39, 1], [1, 0]):
        found = iv.from_keys(np.array([0.0, 1.0]), counts)
        assert 0 <= found.low <= found.mean <= found.high <= 1
        assert found.corrected
        assert found.high > found.low


def test_mirror_is_exact_and_must_tie():
    found = iv.from_keys(np.arange(5) / 4, [0, 0, 7, 0, 0], mirror=True)
    assert (found.mean, found.low, found.high, found.exact) == (0.5, 0.5, 0.5, True)
    with pytest.raises(ValueError, match="3 keys differ"):
        iv.from_keys(np.arange(5) / 4, [0, 3, 7, 0, 0], mirror=True)


def test_bad_numbers_are_refused():
    for k, n in ((1, 0), (-1, 5), (6, 5)):
        for method in (iv.wilson, iv.clopper_pearson, iv.jeffreys):
            with pytest.raises(ValueError, match="make no rate"):
                method(k, n)
    with pytest.raises(ValueError, match="no keys"):
        iv.from_keys(np.array([0.0, 1.0]), [0, 0])
    with pytest.raises(ValueError, match="level"):
        iv.wilson(1, 2, 1.0)
    assert math.isclose(iv.normal_quantile(0.95), 1.959964, abs_tol=5e-7)


@pytest.mark.parametrize(("rate", "keys"), [(0.965, 50), (0.98, 100), (0.99, 250), (0.995, 500), (0.999, 1000)])
def test_lopsided_scores_are_covered(rate, keys):
    """Two independent games a key, nearly all won: at least 94 % of 1,000 intervals hold the rate, on both sides of it."""
    luck = np.random.default_rng(5)
    held = 0
    for _ in range(1000):
        draws = luck.multinomial(keys, [(1 - rate) ** 2, 2 * rate * (1 - rate), rate**2])
        found = iv.from_keys(np.array([0.0, 0.5, 1.0]), draws)
        held += found.low <= rate <= found.high
        assert 0 <= found.low <= found.mean <= found.high <= 1
    assert held >= 940
