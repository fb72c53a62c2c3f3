"""Many cells, and looks at any time: published examples, library values, simulations (docs/statistics.md)."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from bhsim.stats.many import adjusted, luck_of_the_best, shrink, verdict
from bhsim.stats.sequential import always_valid, radius

P = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
Q = [0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.063857, 0.063857, 0.0645, 0.0765, 0.486, 0.581182, 0.714875, 0.753231, 0.813214, 1]


def test_the_example_of_benjamini_and_hochberg():
    assert adjusted(P) == pytest.approx(Q, abs=6e-7)
    rejected = {method: int((adjusted(P, method) <= 0.05).sum()) for method in ("bh", "bonferroni", "holm", "by")}
    assert rejected == {"bh": 4, "bonferroni": 3, "holm": 3, "by": 3}


def test_order_is_kept():
    assert adjusted([0.04, 0.001, 0.03, 0.5]) == pytest.approx([0.053333, 0.004, 0.053333, 0.5], abs=6e-7)
    assert adjusted([0.04, 0.001, 0.03, 0.5], "holm") == pytest.approx([0.09, 0.004, 0.09, 0.5])
    rng = np.random.default_rng(5)
    p = rng.random(200) ** 3
    for method in ("bh", "by"):
        assert adjusted(p, method) == pytest.approx(false_discovery_control(p, method=method))
    assert adjusted([]).size == 0


def test_no_p_values():
    for wrong in ([0.5, 1.1], [-0.1], [float("nan")], [[0.1]]):
        with pytest.raises(ValueError, match="p-values"):
            adjusted(wrong)
    with pytest.raises(ValueError, match="none of"):
        adjusted([0.1], "fdr")


@pytest.mark.parametrize(("arms", "errors"), [(1, 0), (2, 0.5642), (10, 1.54), (40, 2.16), (200, 2.746)])
def test_luck_of_the_best(arms, errors):
    assert luck_of_the_best(arms) == pytest.approx(errors, abs=2e-3)


def test_shrinking():
    wins = np.array([540, 525, 510, 500, 495, 480, 470, 460]) / 1000
    found = shrink(wins, wins * (1 - wins) / 1000)
    assert found.tau == pytest.approx(0.02222, abs=6e-6)
    assert found.values == pytest.approx([0.52577, 0.51577, 0.50580, 0.49916, 0.49584, 0.48588, 0.47922, 0.47256], abs=6e-6)
    same = shrink(np.array([0.5, 0.51]), np.array([0.01, 0.01]))
    assert (same.tau, list(same.weights)) == (0, [0, 0])
    assert same.values == pytest.approx([0.505, 0.505])
    assert shrink(np.array([0.4, 0.6]), np.zeros(2)).values == pytest.approx([0.4, 0.6])
    with pytest.raises(ValueError, match="cannot be shrunk"):
        shrink(np.array([0.5]), np.array([0.1]))


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.46, 0.54, "ok"),
        (0.45, 0.55, "ok"),
        (0.44, 0.54, "undecided"),
        (0.46, 0.56, "undecided"),
        (0.40, 0.60, "undecided"),
        (0.40, 0.44, "not ok"),
        (0.56, 0.60, "not ok"),
        (0.40, 0.45, "undecided"),
    ],
)
def test_three_verdicts(low, high, wanted):
    assert verdict(low, high, 0.45, 0.55) == wanted


def test_verdict_refuses_exchanged_ends():
    for numbers in ((0.6, 0.4, 0.45, 0.55), (0.4, 0.6, 0.55, 0.45)):
        with pytest.raises(ValueError, match="exchanged"):
            verdict(*numbers)


def test_radius_of_the_always_valid_interval():
    assert radius(5000, 0.25) == pytest.approx(0.0259, abs=6e-5)
    assert radius(20000, 0.25) == pytest.approx(0.0109, abs=6e-5)
    for keys, fixed in ((5000, 0.0139), (20000, 0.0069)):
        assert 1.959964 * 0.5 / np.sqrt(keys) == pytest.approx(fixed, abs=6e-5)
    tight = min(np.geomspace(100, 10**6, 400), key=lambda prior: radius(20000, 0.25, prior_keys=prior))
    assert 20000 / tight == pytest.approx(8, abs=0.5)
    assert always_valid(0.52, 5000, 0.25) == pytest.approx((0.52 - radius(5000, 0.25), 0.52 + radius(5000, 0.25)))
    assert always_valid(0.99, 100, 0.25).high == 1
    assert always_valid(-0.99, 100, 1, ends=(-1, 1)).low == -1
    for wrong in ((0, 0.25, 0.05), (5, -1, 0.05), (5, 0.25, 1)):
        with pytest.raises(ValueError, match="no interval"):
            radius(*wrong)


def test_looking_again_and_again():
    """2000 runs of a true null, looked at every 200 games up to 20,000: an ordinary 5 % test rejects 38.8 % of them, this one 1.05 %."""
    looks = np.arange(200, 20001, 200)
    rng = np.random.default_rng(17)
    off = np.abs(rng.binomial(200, 0.5, size=(2000, looks.size)).cumsum(axis=1) / looks - 0.5)
    ordinary = (off > 1.959964 * 0.5 / np.sqrt(looks)).any(axis=1).mean()
    valid = (off > [radius(n, 0.25) for n in looks]).any(axis=1).mean()
    assert ordinary == pytest.approx(0.388, abs=0.05)
    assert valid == pytest.approx(0.0105, abs=0.009)
