"""The gate's tests on differences whose law is known."""

import numpy as np
import pytest

from bhsim.stats.equivalence import tost_paired
from bhsim.stats.gate import DOWN, FIRST_LOOK, UP, Terms, Verdict, Watch, looks
from bhsim.stats.sprt import bounds, fixed_keys

WHOLE = 120  # units of a score over the two games of a key
STEPS = np.array([-120, -60, 0, 60, 120])


def shares(mean):
    """A law of differences on STEPS with this mean, variance near .2."""
    base = np.array([0.08, 0.16, 0.52, 0.16, 0.08])
    return base + mean * np.array([-0.4, -0.2, 0, 0.2, 0.4]) / 1.0


def gate(luck, mean, terms, keys=40_000):
    watch = Watch(terms, WHOLE)
    before = 0
    for look in looks(keys):
        watch.add(luck.choice(STEPS, look - before, p=shares(mean)))
        watch.look()
        before = look
        if watch.verdict is not Verdict.undecided:
            break
    return watch


def test_looks_are_fixed_key_counts_and_the_last():
    assert list(looks(1200)) == [512, 768, 1024, 1200]
    assert list(looks(1024)) == [512, 768, 1024]
    assert list(looks(512)) == [512]
    assert list(looks(100)) == [100]


def test_hypotheses_and_thresholds():
    terms = Terms(0.02, 0.01, 0.05, 0.1, directions=4)
    assert (terms.small, terms.large) == pytest.approx((0.01, 0.03))
    assert terms.thresholds == bounds(0.0125, 0.1)


@pytest.mark.parametrize(("mean", "least", "most"), [(0.0, 0, 3), (0.01, 0, 14), (0.03, 186, 200), (-0.03, 186, 200)])
def test_error_rates(mean, least, most):
    """alpha = beta = 5 %: of 200 gates at most 14 alarm at a small change (10 expected at the edge), at least 186 at a large one."""
    luck = np.random.default_rng(7)
    found = [gate(luck, mean, Terms()) for _ in range(200)]
    moved = [w for w in found if w.verdict is Verdict.moved]
    assert least <= len(moved) <= most
    assert not [w for w in found if w.verdict is Verdict.undecided]
    if mean:
        assert sum(w.accepted[UP if mean > 0 else DOWN] == "large" for w in moved) == len(moved)
    values = STEPS / WHOLE
    variance = shares(mean) @ values**2 - mean**2
    fixed = fixed_keys(0.01, 0.03, variance, 0.025, 0.05)
    share = np.mean([w.keys for w in found]) / fixed
    assert share < {0.0: 0.5, 0.03: 0.75, -0.03: 0.75}.get(mean, 1.0)


def test_the_printed_interval_holds_at_the_stop():
    luck = np.random.default_rng(8)
    for mean in (0.0, 0.02, 0.03):
        inside = 0
        for _ in range(100):
            low, high = gate(luck, mean, Terms()).interval()
            inside += low <= mean <= high
        assert inside >= 95


def test_no_difference_at_all_is_unchanged_at_the_first_look():
    watch = Watch(Terms(), WHOLE)
    watch.add(np.zeros(FIRST_LOOK, np.int64))
    watch.look()
    assert watch.verdict is Verdict.unchanged
    assert watch.interval().low < 0 < watch.interval().high  # a variance of nothing would make it a point


def test_a_handful_of_keys_cannot_alarm():
    """Eight keys of 512 that all gained a full win: a mean of 1.6 points with hardly any variance of their own."""
    watch = Watch(Terms(), WHOLE)
    watch.add(np.concatenate([np.zeros(504, np.int64), np.full(8, 120)]))
    watch.look()
    assert "large" not in watch.accepted
    assert watch.accepted[DOWN] == "small"


def test_a_decision_stays():
    watch = Watch(Terms(), WHOLE)
    watch.add(np.full(600, 60))
    watch.look()
    assert watch.accepted == ["large", "small"]
    ratio = watch.ratios[UP]
    watch.add(np.full(6000, -60))
    watch.look()
    assert watch.accepted == ["large", "small"]
    assert watch.ratios[UP] == ratio


def test_fixed_test_is_tost_and_a_one_sided_alarm():
    luck = np.random.default_rng(3)
    for mean in (0.0, 0.012, 0.05, -0.05):
        drawn = luck.choice(STEPS, 6000, p=shares(mean))
        watch = Watch(Terms(), WHOLE)
        watch.add(drawn)
        watch.test_fixed()
        same = tost_paired(drawn / WHOLE, 0.02, 0.05)
        assert (watch.verdict is Verdict.unchanged) == same.equivalent
        assert (watch.verdict is Verdict.moved) == (abs(mean) == 0.05)
