"""Equivalence within a margin against library values and other routes, and exact flips (docs/statistics.md)."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm, ttest_1samp

from bhsim.stats.equivalence import mcnemar, size_needed, tost_paired, tost_rates

# counts, margin, p by Wald, p by score, and the latter as statsmodels prints it
RATES = [
    ((5050, 10000, 5000, 10000), 0.02, 0.01694520, 0.0169307050, 0.01693087),
    ((50500, 100000, 50000, 100000), 0.01, 0.01267183, 0.0126692663, 0.01266930),
    ((50050, 100000, 50000, 100000), 0.01, 1.0758881e-05, 1.07492199e-05, 1.0749228e-05),
    ((520, 1000, 500, 1000), 0.05, 0.08976918, 0.0895950563, 0.08960493),
]


def score_by_cubic(k1: int, n1: int, k2: int, n2: int, margin: float, linear: int) -> float:
    """The same p-value with the restricted rate from its cubic, whose linear coefficient holds ``linear`` (rightly n2) times delta^2."""

    def deviation(delta: float) -> float:
        n, k = n1 + n2, k1 + k2
        cubic = [n, (n1 + 2 * n2) * delta - n - k, (linear * delta - n - 2 * k2) * delta + k, k2 * delta * (1 - delta)]
        q = next(root.real for root in np.roots(cubic) if 0 < root.real < 1 and 0 < root.real + delta < 1)
        p = q + delta
        return (k1 / n1 - k2 / n2 - delta) / math.sqrt((p * (1 - p) / n1 + q * (1 - q) / n2) * n / (n - 1))

    return max(norm.sf(deviation(-margin)), norm.cdf(deviation(margin)))


@pytest.mark.parametrize(("counts", "margin", "wald", "score", "printed"), RATES)
def test_two_rates(counts, margin, wald, score, printed):
    k1, n1, k2, n2 = counts
    assert tost_rates(*counts, margin).p == pytest.approx(wald, abs=6e-9 if wald > 1e-4 else 6e-13)
    assert tost_rates(*counts, margin, method="score").p == pytest.approx(score, rel=1e-8)
    assert score_by_cubic(*counts, margin, linear=n2) == pytest.approx(score, rel=1e-8)
    # statsmodels multiplies by k2 where the cubic has n2, and so ends up to 0.01 % away
    assert score_by_cubic(*counts, margin, linear=k2) == pytest.approx(printed, abs=6e-9 if wald > 1e-4 else 1e-12)
    for method in ("wald", "score"):
        found, mirrored = tost_rates(*counts, margin, method=method), tost_rates(k2, n2, k1, n1, margin, method=method)
        assert mirrored.p == pytest.approx(found.p, rel=1e-6)
        assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
        assert found.equivalent == (found.p < 0.05) == (-margin < found.low and found.high < margin)


def test_different_and_equivalent():
    found = tost_rates(50500, 100000, 50000, 100000, 0.01)
    assert (found.low, found.high) == pytest.approx((0.001322, 0.008678), abs=6e-7)
    assert found.different and found.equivalent
    neither = tost_rates(520, 1000, 500, 1000, 0.05)
    assert not neither.different and not neither.equivalent


def test_keys_in_pairs():
    flips = np.concatenate([np.ones(1530), -np.ones(1500), np.zeros(16970)])
    found = tost_paired(flips, 0.01)
    assert found.difference == pytest.approx(0.0015)
    assert flips.std(ddof=1) == pytest.approx(0.389237, abs=6e-7)
    assert found.p == pytest.approx(0.00100789, abs=6e-9)
    assert found.equivalent and not found.different
    small = np.array([0.5, -0.5, 0, 0, 1, 0.5])
    up = ttest_1samp(small, -0.6, alternative="greater").pvalue
    down = ttest_1samp(small, 0.6, alternative="less").pvalue
    found = tost_paired(small, 0.6)
    assert found.p == pytest.approx(max(up, down))
    assert (found.low, found.high) == pytest.approx(tuple(ttest_1samp(small, 0).confidence_interval(0.9)))


def test_without_spread():
    assert tost_paired(np.zeros(5), 0.01).equivalent
    assert not tost_paired(np.full(5, 0.5), 0.01).equivalent
    assert tost_rates(10, 10, 10, 10, 0.01).equivalent
    assert not tost_rates(10, 10, 0, 10, 0.01).equivalent


@pytest.mark.parametrize(("points", "arms", "pairs"), [(2, 13528, 2029), (1, 54111, 8117), (0.5, 216443, 32467), (0.25, 865774, 129866)])
def test_sizes(points, arms, pairs):
    assert size_needed(points / 100, 0.5) == pytest.approx(arms, abs=1)
    assert size_needed(points / 100, 0.075) == pytest.approx(pairs, abs=1)


def test_size_gives_its_power():
    margin = 0.05
    arms = size_needed(margin, 0.5)
    rng = np.random.default_rng(11)
    first, second = rng.binomial(arms, 0.5, size=(2, 3000))
    shown = [tost_rates(int(a), arms, int(b), arms, margin).equivalent for a, b in zip(first, second, strict=True)]
    assert np.mean(shown) == pytest.approx(0.9, abs=0.025)


def test_flips():
    assert mcnemar(1530, 1500) == pytest.approx(0.598314, abs=6e-7)
    assert mcnemar(60, 40) == pytest.approx(0.056888, abs=6e-7)
    assert mcnemar(3, 9) == mcnemar(9, 3) == pytest.approx(binomtest(3, 12).pvalue)
    assert mcnemar(7, 7) == mcnemar(0, 0) == 1


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="neither wald nor score"):
        tost_rates(1, 2, 1, 2, 0.1, method="exact")
    with pytest.raises(ValueError, match="at least one game"):
        tost_rates(0, 0, 1, 2, 0.1)
    for margin, alpha in ((0, 0.05), (0.1, 0.5)):
        with pytest.raises(ValueError, match="margin"):
            size_needed(margin, 0.5, alpha)
    with pytest.raises(ValueError, match="make no test"):
        tost_paired(np.array([0.5]), 0.1)
