"""Sequential tests and Elo against published constants, closed forms and simulated tests (docs/statistics.md)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bhsim.stats import elo, sprt
from bhsim.stats.intervals import moments

# counts from lost to won, model, both hypotheses, log-likelihood ratio, and the constant of fastchess's unit test where it has one
RATIOS = [
    ((36027, 68692, 36433), "normalized", (0, 2), 0.923293, 0.92),
    ((10650, 20431, 10871), "normalized", (-1.75, 0.25), 2.297500, 2.30),
    ((0, 0, 4250), "normalized", (0, 10), 120.548268, 120.56),
    ((21184, 40708, 21404), "logistic", (0.5, 2.5), -1.571889, -1.57),
    ((57030, 106593, 57433), "logistic", (0, 2), -2.593024, -2.59),
    ((365, 16618, 36229, 16974, 390), "normalized", (0, 2), 2.250368, 2.25),
    ((127, 4883, 10712, 5150, 104), "normalized", (-1.75, 0.25), 3.010154, 3.01),
    ((0, 0, 0, 0, 5550), "normalized", (0, 5), 111.797555, 111.82),
    ((223, 9863, 21279, 10037, 246), "logistic", (0.5, 2.5), -3.074126, -3.07),
    ((871, 26175, 55983, 26678, 821), "logistic", (0, 2), -4.978673, -4.98),
    ((10789, 19328, 33806, 19402, 10543), "logistic", (-3, 1), 2.131068, None),
    ((39, 2226, 31451, 2412, 40), "logistic", (0.2, 0.9), 2.162543, None),
    ((39, 2226, 31451, 2412, 40), "normalized", (0.764, 3.439), 2.162941, None),
]
# counts, score, Elo and margin, normalized Elo and margin, likelihood of superiority with its digits
RATINGS = [
    ((89, 123, 76), 0.477431, (-15.693521, 30.458001), (-20.756450, 40.126026), (0.155326, 6e-7)),
    ((96, 111, 136), 0.558309, (40.702458, 30.427218), (49.768415, 36.768451), (0.996010, 6e-7)),
    ((34, 54, 63, 64, 75), 0.579310, (55.579780, 27.653430), (57.935600, 28.275376), (0.99997, 6e-6)),
    ((332, 433, 498, 333, 334), 0.487565, (-8.642667, 10.334194), (-9.172914, 10.960459), (0.050470, 6e-7)),
    ((7895, 8757, 5685, 568, 9999), 0.469753, (-21.043521, 2.945281), (-19.012834, 2.654502), (0.0, 1e-9)),
]


def grid(counts) -> tuple[np.ndarray, int]:
    """Scores of three outcomes of a game or five of a pair, and the games that one count stands for."""
    return np.linspace(0, 1, len(counts)), (len(counts) - 1) // 2


@pytest.mark.parametrize(("counts", "model", "hypotheses", "wanted", "published"), RATIOS)
def test_likelihood_ratios(counts, model, hypotheses, wanted, published):
    values, seatings = grid(counts)
    if model == "logistic":
        found = sprt.llr_logistic(values, counts, *hypotheses)
        near = sprt.llr_approximate(values, counts, *map(elo.score_of, hypotheses))
    else:
        found = sprt.llr_normalized(values, counts, *hypotheses, seatings)
        near = sprt.llr_normalized_approximate(values, counts, *hypotheses, seatings)
    assert found == pytest.approx(wanted, abs=6e-7)
    if published is not None:
        assert found == pytest.approx(published, abs=0.03)
    if 0 not in counts:
        assert near == pytest.approx(wanted, abs=6e-4)


def test_approximation_is_absurd_far_from_the_hypotheses():
    found = sprt.llr_approximate(np.arange(5) / 4, [0, 0, 0, 0, 5550], 0.5, elo.score_of(5))
    assert found == pytest.approx(5.9e7, rel=0.01)


def test_games_without_draws_are_bernoulli():
    closed = 560 * math.log(0.55 / 0.5) + 440 * math.log(0.45 / 0.5)
    assert closed == pytest.approx(7.015074, abs=6e-7)
    assert sprt.llr([0, 1], [440, 560], 0.5, 0.55) == pytest.approx(closed, abs=1e-9)
    assert sprt.llr([0, 0.5, 1], [440, 0, 560], 0.5, 0.55) == pytest.approx(7.015076, abs=6e-7)


@pytest.mark.parametrize(("counts", "score", "logistic", "normalized", "los"), RATINGS)
def test_ratings(counts, score, logistic, normalized, los):
    values, seatings = grid(counts)
    found = elo.rating(values, counts, seatings)
    assert found.score == pytest.approx(score, abs=6e-7)
    assert (found.elo, found.elo_margin) == pytest.approx(logistic, abs=6e-7)
    assert (found.nelo, found.nelo_margin) == pytest.approx(normalized, abs=6e-7)
    assert found.los == pytest.approx(los[0], abs=los[1])


def test_elo_scale():
    assert elo.score_of(100) == pytest.approx(0.64006500, abs=6e-9)
    assert 20 * (1 - elo.score_of(100)) == pytest.approx(7.198700, abs=6e-7)  # a win over a side 100 stronger, K = 20, seen from it
    assert [elo.elo_of(s) for s in (0.51, 0.52, 0.55)] == pytest.approx([6.9496, 13.9048, 34.8601], abs=6e-5)
    assert (elo.elo_of(0.500001) - elo.elo_of(0.5)) * 1e4 == pytest.approx(6.949, abs=6e-4)
    assert round(elo.NORMALIZED_UNIT, 8) == 347.43558552
    assert elo.elo_of(elo.score_of(-321.5)) == pytest.approx(-321.5)
    assert elo.superiority(120, 100) == pytest.approx(0.911235, abs=6e-7)
    assert elo.superiority(0, 0) == 0.5


def test_ratings_without_spread():
    won, tied = elo.rating([0, 0.5, 1], [0, 0, 9], 1), elo.rating([0, 0.5, 1], [0, 9, 0], 1)
    assert (won.elo, won.nelo, won.los) == (math.inf, math.inf, 1)
    assert (tied.elo, tied.elo_margin, tied.nelo, tied.los) == (0, 0, 0, 0.5)
    with pytest.raises(ValueError, match="no keys"):
        elo.rating([0, 1], [0, 0], 1)


def test_bounds():
    assert sprt.bounds(0.05, 0.05) == pytest.approx((-2.94443898, 2.94443898), abs=6e-9)
    assert sprt.bounds(0.1, 0.1) == pytest.approx((-2.19722458, 2.19722458), abs=6e-9)
    assert sprt.bounds(0.01, 0.2) == pytest.approx((math.log(0.2 / 0.99), math.log(80)))
    for alpha, beta in ((0, 0.05), (0.05, -0.1), (0.5, 0.5)):
        with pytest.raises(ValueError, match="make no test"):
            sprt.bounds(alpha, beta)


@pytest.mark.parametrize(
    ("truth", "accepts", "keys"), [(0.49, 0.0028, 915), (0.50, 0.05, 1656), (0.51, 0.5, 2709), (0.52, 0.95, 1656), (0.53, 0.9972, 915)]
)
def test_course_of_a_test(truth, accepts, keys):
    found = sprt.course(truth, 0.50, 0.52, 0.125)
    assert found.accepts == pytest.approx(accepts, abs=6e-5)
    assert found.keys == pytest.approx(keys, abs=0.5)
    assert sprt.fixed_keys(0.50, 0.52, 0.125) == 3382


def test_course_is_smooth_and_never_overflows():
    middle = sprt.course(0.51, 0.50, 0.52, 0.125)
    assert sprt.course(0.51 + 1e-8, 0.50, 0.52, 0.125) == pytest.approx(middle, rel=1e-4)
    assert sprt.course(1.0, 0.5, 0.5001, 0.125).accepts == 1
    assert sprt.course(0.0, 0.5, 0.5001, 0.125).accepts == 0


@pytest.mark.parametrize(("truth", "accepts", "keys"), [(0.50, 0.0473, 1731), (0.51, 0.4988, 2901), (0.52, 0.9473, 1685)])
def test_simulated_tests_keep_their_errors(truth, accepts, keys):
    """4000 tests with the sample's variance, looked at every 8 pairs of two unrelated games; the figures come from another such run."""
    runs, low_high = 4000, sprt.bounds()
    rng = np.random.default_rng(20240611)
    law = [(1 - truth) ** 2, 2 * truth * (1 - truth), truth**2]
    counts, open_runs = np.zeros((runs, 3)), np.arange(runs)
    accepted, stopped = np.zeros(runs, bool), np.zeros(runs)
    for look in range(8, 40000, 8):
        counts[open_runs] += rng.multinomial(8, law, size=open_runs.size)
        now = counts[open_runs] + sprt.EMPTY
        total = now.sum(axis=1)
        mean = now @ [0, 0.5, 1] / total
        variance = now @ [0, 0.25, 1] / total - mean**2
        ratio = total * 0.02 * (2 * mean - 1.02) / (2 * variance)
        done = (ratio <= low_high.low) | (ratio >= low_high.high)
        stopped[open_runs[done]], accepted[open_runs[done]] = look, ratio[done] > 0
        open_runs = open_runs[~done]
        if not open_runs.size:
            break
    assert not open_runs.size
    assert accepted.mean() == pytest.approx(accepts, abs=4 * math.sqrt(2 * accepts * (1 - accepts) / runs))
    assert stopped.mean() == pytest.approx(keys, rel=0.05)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 10**6), min_size=5, max_size=5).filter(any),
    st.floats(-0.9, 0.9),
    st.floats(-0.9, 0.9),
)
def test_any_counts_have_a_ratio_that_favours_the_nearer_mean(counts, first, second):
    """Both laws exist for any counts; exchanging the hypotheses changes the sign, mirroring everything changes nothing."""
    values = np.array([-1, -0.5, 0, 0.5, 1])
    found = sprt.llr(values, counts, first, second)
    assert math.isfinite(found)
    assert sprt.llr(values, counts, second, first) == pytest.approx(-found, abs=1e-6, rel=1e-9)
    assert sprt.llr(-values, counts, -first, -second) == pytest.approx(found, abs=1e-6, rel=1e-9)
    mean, _ = moments(values, np.where(np.array(counts) == 0, sprt.EMPTY, counts))
    assert sprt.llr(values, counts, first, mean) >= -1e-6


def test_likelier_law_than_any_other_with_that_mean():
    """The law behind the ratio beats random laws of the same mean."""
    values, counts = np.array([-1, -0.5, 0, 0.5, 1]), np.array([30, 5, 900, 60, 2])
    sample_mean, _ = moments(values, counts)
    best = sprt.llr(values, counts, sample_mean, 0.02)  # log-likelihood at mean 0.02 less that of the sample itself
    rng = np.random.default_rng(3)
    other = rng.dirichlet(counts + 1.0, size=5000)
    means = other @ values
    up, down = np.eye(5)[4], np.eye(5)[0]
    pull = np.where(means < 0.02, (0.02 - means) / (1 - means), (means - 0.02) / (means + 1))[:, None]
    other = (1 - pull) * other + pull * np.where((means < 0.02)[:, None], up, down)
    assert other @ values == pytest.approx(np.full(5000, 0.02))
    assert (counts * np.log(other / (counts / counts.sum()))).sum(axis=1).max() <= best + 1e-9


def test_range_of_differences_may_be_given_apart():
    full = sprt.llr([-1, -0.5, 0, 0.5, 1], [0, 3, 500, 9, 0], 0.01, 0.03)
    assert sprt.llr([0, 0.5, -0.5], [500, 9, 3], 0.01, 0.03, ends=(-1, 1)) == pytest.approx(full, abs=1e-12)
    with pytest.raises(ValueError, match="outside the grid"):
        sprt.llr([-0.5, 0], [3, 500], 0.01, 0.03)
    for counts in ([0, 0], [-1, 5], [1]):
        with pytest.raises(ValueError, match="make no histogram"):
            sprt.llr([-1, 1], counts, 0.01, 0.03)


def test_floor_slows_decisions_from_few_differing_keys():
    same = sprt.llr([0], [512], 0.01, 0.03, ends=(-1, 1))
    assert same == pytest.approx(512 * math.log(0.97 / 0.99), abs=0.02)  # a mean of m needs at least a share m of keys that differ
    low = sprt.bounds(0.05 / 20, 0.05).low
    few = sprt.llr([0], [160], 0.01, 0.03, ends=(-1, 1))
    assert few < low < sprt.llr([0], [160], 0.01, 0.03, ends=(-1, 1), floored=True) < 0
    assert list(sprt.with_floor([0, 5, 900, 24, 0])) == [1, 5, 900, 24, 1]
    assert list(sprt.with_floor([0, 5, 900, 25, 0])) == [0, 5, 900, 25, 0]
    plenty = [0, 5, 900, 25, 0]
    grid_of_five = [-1, -0.5, 0, 0.5, 1]
    assert sprt.llr(grid_of_five, plenty, 0.01, 0.03, floored=True) == sprt.llr(grid_of_five, plenty, 0.01, 0.03)
