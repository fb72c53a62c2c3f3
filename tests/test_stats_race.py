"""Who plays next: schedules and radii against tables, searches simulated on Bernoulli crews, races on common keys (docs/statistics.md)."""

import math

import numpy as np
import pytest

from bhsim.stats import race
from bhsim.stats.elimination import look
from bhsim.stats.race import Duel, Round

# sixteen crews: the best .530, then .522, .518, .515, and the rest evenly down to .45
TRUTH = np.array([0.530, 0.522, 0.518, *np.linspace(0.515, 0.45, 13)])


def test_halving_of_sixteen():
    assert race.halving(16, 64_000) == [Round(16, 1000), Round(8, 2000), Round(4, 4000), Round(2, 8000)]
    assert race.halving(5, 90) == [Round(5, 6), Round(3, 10), Round(2, 15)]
    assert race.halving(2, 11) == [Round(2, 5)]
    for arms in range(2, 40):
        rounds = race.halving(arms, 10_000)
        assert len(rounds) == math.ceil(math.log2(arms))
        assert sum(r.arms * r.plays for r in rounds) <= 10_000
    with pytest.raises(ValueError, match="need 64"):
        race.halving(16, 63)
    with pytest.raises(ValueError, match="no choice"):
        race.halving(1, 100)


def test_better_half():
    assert race.better_half([0.4, 0.6, 0.5, 0.6, 0.1]).tolist() == [1, 3, 2]
    assert race.better_half([0.5, 0.5]).tolist() == [0]


def test_ocba_shares():
    assert race.ocba_shares([-1, -2, -3], [2, 2, 2]) == pytest.approx([0.451941, 0.438447, 0.109612], abs=6e-7)
    # unequal deviations, written out: best 2 (sd 3); others (1/1)^2 and (2/4)^2
    others = np.array([1, 0.25])
    best = 3 * math.sqrt(1 / 1 + 0.25**2 / 4)
    assert race.ocba_shares([4, 1, 5], [1, 2, 3]) == pytest.approx(np.array([*others, best]) / (others.sum() + best))
    assert race.ocba_shares([1, 1, 0], [1, 1, 1]) == pytest.approx([0.5, 0.5, 0])
    assert race.ocba_shares([1, 1 - 1e-200, 0], [1, 1, 1]) == pytest.approx([0.5, 0.5, 0])
    assert race.ocba_shares([3, 2], [0, 0]) == pytest.approx([0.5, 0.5])
    for means, sd in (([1], [1]), ([1, 2], [1]), ([1, 2], [1, -1])):
        with pytest.raises(ValueError, match="no allocation"):
            race.ocba_shares(means, sd)


def test_radii():
    assert race.lucb_radius(10, 16, 2000, 0.05) == pytest.approx(math.sqrt(math.log(4e6) / 4000), abs=1e-15)
    assert race.lucb_radius(10, 16, 2000, 0.05) == pytest.approx(0.06164780, abs=6e-9)
    for plays, hoeffding, normal in ((10**3, 0.04295, 0.03099), (10**4, 0.01358, 0.00980), (10**5, 0.00429, 0.00310)):
        assert race.hoeffding_radius(plays) == pytest.approx(hoeffding, abs=6e-6)
        assert 1.959964 * 0.5 / math.sqrt(plays) == pytest.approx(normal, abs=6e-6)
    for wrong in ((0, 0.05), (10, 0), (10, 1)):
        with pytest.raises(ValueError, match="no interval"):
            race.hoeffding_radius(*wrong)
    for wrong in ((0, 16, 10, 0.05), (1, 0, 10, 0.05), (1, 16, 0, 0.05), (1, 16, 10, 1)):
        with pytest.raises(ValueError, match="no interval"):
            race.lucb_radius(*wrong)


def test_duels_and_races():
    assert race.lucb_duel([0.5, 0.6, 0.55], [0.2, 0.01, 0.1]) == Duel(1, 0, pytest.approx(0.7 - 0.59))
    assert race.lucb_duel([0.5, 0.6], [0.01, 0.02]).gap == pytest.approx(-0.07)
    assert race.in_race([0.5, 0.6, 0.55, 0.57], [0.02, 0.02, 0.02, 0.02]).tolist() == [False, True, False, True]
    assert race.in_race([0.5, 0.54], [0.02, 0.02]).tolist() == [True, True]
    with pytest.raises(ValueError, match="no duel"):
        race.lucb_duel([0.5], [0.1])


def test_top_two_plays_the_leader_half_of_the_time():
    wins, plays = np.array([530, 520, 300]), np.full(3, 1000)
    rng = np.random.default_rng(1)
    picks = np.bincount([race.top_two(wins, plays, rng) for _ in range(3000)], minlength=3) / 3000
    chance = race.chance_best(wins, plays, seed=2)
    assert chance.sum() == pytest.approx(1) and chance[0] == pytest.approx(0.67, abs=0.02)  # Phi(10 / sqrt(2 * 249.5)) = .673
    # leader drawn with chance c, and as often as it is not the leader it comes up as the challenger
    assert picks == pytest.approx([0.5, 0.5, 0], abs=0.5 * abs(chance[0] - chance[1]) + 0.03)
    assert picks[0] == pytest.approx(0.5 * chance[0] + 0.5 * chance[1], abs=0.03)
    again = [race.top_two(wins, plays, np.random.default_rng(9)) for _ in range(5)]
    assert len(set(again)) == 1
    assert [race.top_two([999_999, 10, 20], [10**6, 10**6, 10**6], np.random.default_rng(n), keep=0) for n in range(3)] == [2, 2, 2]
    for wrong in (([5], [6]), ([7, 1], [6, 6]), ([-1, 1], [6, 6])):
        with pytest.raises(ValueError, match="wins between"):
            race.chance_best(*wrong, seed=1)


def halved(rng: np.random.Generator, budget: int) -> int:
    """Halving that judges by all plays so far."""
    alive, wins = np.arange(16), np.zeros(16)
    for arms, plays in race.halving(16, budget):
        assert arms == alive.size
        wins[alive] += rng.binomial(plays, TRUTH[alive])
        alive = alive[race.better_half(wins[alive])]
    return int(alive[0])


def allocated(rng: np.random.Generator, budget: int) -> int:
    """OCBA: a sixteenth of the budget evenly, then fifteen times what is due to each arm."""
    plays = np.full(16, budget // 256)
    wins = rng.binomial(plays, TRUTH)
    for part in range(2, 17):
        means = wins / plays
        due = np.maximum(0, budget * part / 16 * race.ocba_shares(means, np.sqrt(means * (1 - means))) - plays)
        more = np.floor(due / due.sum() * budget / 16).astype(int)
        wins, plays = wins + rng.binomial(more, TRUTH), plays + more
    return int((wins / plays).argmax())


def sampled(rng: np.random.Generator, budget: int) -> int:
    """Top-two sampling in 160 steps."""
    wins, plays, chunk = np.zeros(16), np.zeros(16), budget // 160
    for _ in range(160):
        arm = race.top_two(wins, plays, rng)
        wins[arm] += rng.binomial(chunk, TRUTH[arm])
        plays[arm] += chunk
    return int((wins / np.maximum(plays, 1)).argmax())


def even(rng: np.random.Generator, budget: int) -> int:
    return int(rng.binomial(budget // 16, TRUTH).argmax())


@pytest.mark.parametrize(
    ("search", "budget", "right", "regret", "runs"),
    [
        (even, 16_000, 0.43, 0.0074, 400),
        (even, 64_000, 0.67, 0.0035, 400),
        (even, 256_000, 0.88, 0.0010, 400),
        (halved, 16_000, 0.61, 0.0044, 400),
        (halved, 64_000, 0.86, 0.0014, 400),
        (halved, 256_000, 0.995, 0.00004, 400),
        (allocated, 16_000, 0.56, 0.0050, 400),
        (allocated, 64_000, 0.89, 0.0011, 400),
        (allocated, 256_000, 0.985, 0.00012, 400),
        (sampled, 64_000, 0.90, 0.0009, 100),
    ],
)
def test_searches_find_the_best(search, budget, right, regret, runs):
    """How often the best of sixteen is found, and how much worse the arm found is on average."""
    rng = np.random.default_rng(budget + runs)
    found = np.array([search(rng, budget) for _ in range(runs)])
    assert (found == 0).mean() == pytest.approx(right, abs=0.07 if runs == 400 else 0.1)
    assert (TRUTH[0] - TRUTH[found]).mean() == pytest.approx(regret, abs=0.0003 + 0.15 * regret)


def key_scores(rng: np.random.Generator, edge: np.ndarray, keys: int, own: float = 0.3) -> np.ndarray:
    """Scores 0 or 1 of arms that share the luck of a key, ``own`` being the part of the luck that is theirs."""
    luck = rng.normal(size=keys) + own * rng.normal(size=(edge.size, keys))
    return (luck + edge[:, None] > 0) * 1.0


def test_race_on_common_keys_is_tighter():
    rng = np.random.default_rng(3)
    edge = np.linspace(0.2, 0, 5)
    scores = key_scores(rng, edge, 4000)
    found = look(scores, started=5, prior_keys=500)
    assert found.leader == 0 and found.behind[0] == found.radius[0] == 0 and found.stays[0]
    assert found.behind == pytest.approx(scores[0].mean() - scores.mean(axis=1), abs=1e-12)
    assert not found.stays[2:].any()
    # separate keys would have twice the variance of one arm in place of that of the difference
    apart = look(np.array([rng.permutation(row) for row in scores]), started=5, prior_keys=500)
    assert (found.radius[1:] < 0.7 * apart.radius[1:]).all()
    assert 2 * race.hoeffding_radius(4000, 0.05 / 5) > 2.5 * found.radius[1]  # ends of two intervals, one look, no pairs
    assert look(scores, started=50, prior_keys=500).radius[1] > found.radius[1]  # more arms at the start, more ways to be wrong
    # arms in another order, and alone
    turned = look(scores[::-1], started=5, prior_keys=500)
    assert turned.leader == 4 and turned.radius[::-1] == pytest.approx(found.radius)
    assert look(scores[:1], started=5).stays.tolist() == [True]


def test_race_over_many_looks_keeps_the_best():
    """Six equal arms, 40 looks: a plain paired 5 % test against the leader drops the first one often, the race hardly ever."""
    rng = np.random.default_rng(5)
    wrong = plain = 0
    for _ in range(100):
        scores = key_scores(rng, np.zeros(6), 2000)
        dropped = worse = False
        for keys in range(50, 2001, 50):
            now = scores[:, :keys]
            dropped |= not look(now, started=6, prior_keys=200).stays[0]
            difference = now[now.mean(axis=1).argmax()] - now[0]
            worse |= difference.mean() > 1.959964 * difference.std() / math.sqrt(keys)
        wrong, plain = wrong + dropped, plain + worse
    assert wrong / 100 <= 0.05
    assert plain / 100 > 0.3


def test_few_keys_that_differ_decide_nothing():
    """One arm is a quarter ahead in each of the first 20 keys: the sample has no variance, and that is no reason to drop the other."""
    first = np.array([np.full(20, 0.75), np.full(20, 0.5)])
    assert look(first, started=2, prior_keys=50).stays.all()
    clear = np.full((2, 400), 0.5)
    clear[0, :200] = 1.0
    assert look(clear, started=2, prior_keys=50).stays.tolist() == [True, False]
    for scores, started in ((np.zeros((0, 5)), 3), (np.zeros((2, 0)), 3), (np.zeros(4), 4), (np.zeros((3, 4)), 2)):
        with pytest.raises(ValueError, match="no race"):
            look(scores, started)
