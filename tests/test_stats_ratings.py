"""Ratings against a published table, other fits of the same likelihood, and simulated leagues (docs/statistics.md)."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from bhsim.stats import ratings
from bhsim.stats.davidson import davidson
from bhsim.stats.elo import elo_of
from bhsim.stats.ratings import ELO, bradley_terry, groups, predicted, wins_of

# American League 1987, 13 games a pair, wins of row over column: Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore
LEAGUE = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
# won, drawn, lost by the row, who goes first; drawn from strengths .5 .3 .2 0, gamma 1.35, nu .4
DRAWN = {
    (0, 1): (521, 162, 316),
    (0, 2): (542, 161, 297),
    (0, 3): (582, 156, 262),
    (1, 0): (438, 166, 396),
    (1, 2): (501, 164, 336),
    (1, 3): (542, 161, 297),
    (2, 0): (417, 167, 417),
    (2, 1): (459, 166, 375),
    (2, 3): (521, 162, 316),
    (3, 0): (375, 166, 459),
    (3, 1): (417, 167, 417),
    (3, 2): (438, 166, 396),
}


def table(cells: dict, crews: int) -> np.ndarray:
    counts = np.zeros((crews, crews, 3))
    for (row, column), outcomes in cells.items():
        counts[row, column] = outcomes
    return counts


def test_the_american_league_of_1987():
    found = bradley_terry(LEAGUE)
    against_last = [found.difference(i, 6) for i in range(6)]
    assert [d for d, _ in against_last] == pytest.approx([1.581356, 1.436408, 1.294485, 1.247618, 1.107698, 0.683853], abs=6e-7)
    assert [d for d, _ in against_last] == pytest.approx([1.58, 1.44, 1.29, 1.25, 1.11, 0.68], abs=0.006)  # as published
    assert [se for _, se in against_last] == pytest.approx([0.343256, 0.339568, 0.336669, 0.335861, 0.333878, 0.331877], abs=6e-7)
    assert (found.deviance, found.free) == (pytest.approx(15.736501, abs=6e-7), 15)
    assert found.p == pytest.approx(0.39978, abs=6e-6)
    assert found.log_likelihood == pytest.approx(-37.662086, abs=6e-7)
    assert predicted(found.strengths)[0, 6] == pytest.approx(0.829396, abs=6e-7)
    assert found.elo[0] - found.elo[6] == pytest.approx(274.710, abs=6e-4)
    assert found.elo[0] - found.elo[6] == pytest.approx(elo_of(predicted(found.strengths)[0, 6]))
    assert found.strengths.sum() == pytest.approx(0, abs=1e-12)
    assert found.elo_se == pytest.approx(ELO * np.sqrt(np.diag(found.covariance)))
    assert found.elo_se[0] < ELO * against_last[0][1]  # the mean of the league is surer than its last team


def test_rates_with_effective_games():
    games = LEAGUE + LEAGUE.T + np.eye(7)
    rates = LEAGUE / games + np.eye(7) / 2
    same = bradley_terry(wins_of(rates, games))
    assert same.strengths == pytest.approx(bradley_terry(LEAGUE).strengths, abs=1e-10)
    four = bradley_terry(wins_of(rates, games * 4))  # games of shared luck count more or less: strengths stay, errors and fit move
    assert four.strengths == pytest.approx(same.strengths, abs=1e-10)
    assert four.elo_se == pytest.approx(same.elo_se / 2)
    assert four.deviance == pytest.approx(same.deviance * 4)
    with pytest.raises(ValueError, match="finite number"):
        wins_of(rates, np.inf)


def test_rock_paper_scissors_does_not_fit():
    wins = np.array([[0, 60, 40], [40, 0, 60], [60, 40, 0]])
    found = bradley_terry(wins)
    assert found.strengths == pytest.approx([0, 0, 0], abs=1e-12)
    # every pair is 60-40 where 50-50 is expected: deviance 3 * 2 * (60 ln 1.2 + 40 ln 0.8), one degree of freedom
    assert found.deviance == pytest.approx(6 * (60 * math.log(1.2) + 40 * math.log(0.8)))
    assert bradley_terry(wins, prior=50).deviance == pytest.approx(found.deviance)  # which is that of the results alone
    assert (found.free, found.p) == (1, pytest.approx(math.erfc(math.sqrt(found.deviance / 2))))


def test_fit_has_its_level_and_finds_cycles():
    rng = np.random.default_rng(4)
    strengths, twist = np.linspace(-0.4, 0.4, 6), np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    pair = np.triu_indices(6, 1)
    rejected = {}
    for name, cyclic in (("none", 0.0), ("some", 0.3)):
        odds = strengths[:, None] - strengths
        odds[:3, :3] += cyclic * twist
        p = 1 / (1 + np.exp(-odds))
        count = 0
        for _ in range(300):
            wins = np.zeros((6, 6))
            wins[pair] = rng.binomial(400, p[pair])
            wins.T[pair] = 400 - wins[pair]
            count += bradley_terry(wins).p < 0.05
        rejected[name] = count / 300
    assert rejected["none"] == pytest.approx(0.05, abs=0.04)
    assert rejected["some"] > 0.7


def test_no_finite_rating_without_a_prior():
    never_lost = np.array([[0, 5, 5, 5], [0, 0, 3, 2], [0, 2, 0, 3], [0, 3, 2, 0]])
    assert groups(never_lost) == [(0,), (1, 2, 3)]
    with pytest.raises(ValueError, match=r"crews \[0\] and the others"):
        bradley_terry(never_lost)
    found = bradley_terry(never_lost, prior=1)
    assert found.strengths.argmax() == 0
    assert np.isfinite(found.strengths).all()
    assert found.free == 3  # pseudo-games are no results
    strict = bradley_terry(never_lost, prior=20)
    assert strict.strengths[0] < found.strengths[0] and strict.elo_se[0] < found.elo_se[0]
    # two crews: the prior's half wins are simply added
    assert bradley_terry(np.array([[0, 4], [0, 0]]), prior=1).difference(0, 1)[0] == pytest.approx(math.log(4.5 / 0.5))


def test_crews_that_have_not_all_met():
    chain = np.zeros((12, 12))
    for i in range(11):
        chain[i, i + 1], chain[i + 1, i] = 60, 40
    found = bradley_terry(chain)
    assert np.diff(found.strengths) == pytest.approx(np.full(11, -math.log(1.5)), abs=1e-8)
    assert (found.free, found.p) == (0, 1.0)
    # errors add up along the chain: 1/(n p q) a link
    assert found.difference(0, 11)[1] == pytest.approx(math.sqrt(11 / (100 * 0.24)))


def test_wins_that_are_none(monkeypatch):
    for wrong in (np.ones((2, 2)), np.zeros((2, 3)), [[0, -1], [1, 0]], [[0]], [[0, float("nan")], [1, 0]]):
        with pytest.raises(ValueError, match="at least two crews"):
            bradley_terry(np.array(wrong))
    monkeypatch.setattr(ratings, "ROUNDS", 3)
    with pytest.raises(ValueError, match="not settled"):
        bradley_terry(LEAGUE)


def test_draws_and_first_player():
    found = davidson(table(DRAWN, 4))
    assert found.strengths - found.strengths[3] == pytest.approx([0.50025, 0.300034, 0.200216, 0], abs=6e-6)
    assert found.log_first == pytest.approx(0.300191, abs=6e-7)
    assert math.exp(found.log_first) == pytest.approx(1.3501, abs=6e-5)
    assert math.exp(found.log_ties) == pytest.approx(0.399884, abs=6e-7)
    assert -found.log_likelihood == pytest.approx(12092.778956, abs=6e-7)
    assert (found.free, found.p > 0.9999) == (24 - 3 - 2, True)  # made from the model without noise
    chances = found.predicted()
    assert chances.sum(axis=2) == pytest.approx(np.ones((4, 4)))
    win, draw, loss = chances[0, 1]
    assert win / loss == pytest.approx(math.exp(found.log_first + found.strengths[0] - found.strengths[1]))
    assert draw / math.sqrt(win * loss) == pytest.approx(math.exp(found.log_ties))
    assert chances[0, 1] * 999 == pytest.approx(DRAWN[0, 1], abs=1)


def test_another_way_to_the_same_maximum():
    counts = table(DRAWN, 4)

    def negative(x):
        g, gamma, nu = np.exp(np.append(x[:3], 0)), math.exp(x[3]), math.exp(x[4])
        total = 0.0
        for (i, j), seen in DRAWN.items():
            weights = np.array([gamma * g[i], nu * math.sqrt(gamma * g[i] * g[j]), g[j]])
            total -= np.array(seen) @ np.log(weights / weights.sum())
        return total

    best = minimize(negative, np.zeros(5), method="BFGS", options={"gtol": 1e-4})
    found = davidson(counts)
    assert [*(found.strengths - found.strengths[3])[:3], found.log_first, found.log_ties] == pytest.approx(best.x, abs=1e-4)
    # curvature by differences: errors of the first player's factor and of the ties
    step, point = 1e-3, best.x
    unit = np.eye(5) * step
    curvature = [
        [
            (negative(point + a + b) - negative(point + a - b) - negative(point - a + b) + negative(point - a - b)) / (4 * step**2)
            for b in unit
        ]
        for a in unit
    ]
    assert np.sqrt(np.diag(np.linalg.inv(curvature))[3:]) == pytest.approx(np.sqrt(np.diag(found.covariance)[4:]), rel=1e-3)


def test_without_draws_and_with_both_seats_alike_it_is_bradley_terry():
    counts = np.zeros((7, 7, 3))
    counts[..., 0], counts[..., 2] = LEAGUE, LEAGUE.T
    found, plain = davidson(counts), bradley_terry(LEAGUE)
    assert found.strengths == pytest.approx(plain.strengths, abs=1e-9)
    assert (found.log_first, found.log_ties) == (pytest.approx(0, abs=1e-9), -math.inf)
    assert found.predicted()[0, 6] == pytest.approx([0.829396, 0, 0.170604], abs=6e-7)
    assert found.covariance[:7, :7] == pytest.approx(plain.covariance / 2, abs=1e-9)  # every game is there twice
    assert not found.covariance[8].any()


def test_errors_of_the_first_players_factor():
    rng = np.random.default_rng(8)
    truth = davidson(table(DRAWN, 4))
    chances, found = truth.predicted(), []
    for _ in range(150):
        counts = rng.multinomial(60, chances).astype(float)
        counts[np.arange(4), np.arange(4)] = 0
        found.append(davidson(counts))
    for number, values in ((4, [f.log_first for f in found]), (5, [f.log_ties for f in found])):
        told = np.mean([math.sqrt(f.covariance[number, number]) for f in found])
        assert np.std(values) == pytest.approx(told, rel=0.2)
    assert np.mean([f.p < 0.1 for f in found]) == pytest.approx(0.1, abs=0.08)


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ({(0, 1): (5, 0, 0), (1, 0): (0, 0, 5)}, "infinite"),  # 0 never lost
        ({(0, 1): (5, 0, 0), (1, 0): (5, 0, 0)}, "infinite"),  # the first player always won
        ({(0, 1): (5, 0, 0), (1, 0): (3, 0, 3)}, "infinite"),  # 0 always won when first: strength and factor run away together
        ({(0, 1): (0, 5, 0), (1, 0): (0, 5, 0)}, "infinite"),  # nothing but draws
        ({(0, 1): (3, 1, 3)}, "stay open"),  # 0 was always first
        ({(0, 1): (3, 1, 3), (1, 0): (3, 1, 3), (2, 3): (4, 1, 3), (3, 2): (3, 1, 3)}, "stay open"),  # two leagues that never met
    ],
)
def test_parameters_that_games_do_not_settle(cells, wanted):
    with pytest.raises(ValueError, match=wanted):
        davidson(table(cells, 1 + max(max(cell) for cell in cells)))


LOPSIDED = {
    (0, 1): (618323, 0, 0),
    (0, 2): (207, 6, 0),
    (1, 0): (1305, 58, 0),
    (1, 2): (0, 0, 3),
    (2, 0): (33, 17, 55723),
    (2, 1): (1971, 80504, 1),
}


@pytest.mark.parametrize("cells", [DRAWN, LOPSIDED, {(0, 1): (9, 0, 917782), (1, 0): (0, 51, 4)}])
def test_what_is_seen_is_what_is_expected(cells):
    """At the maximum draws, first players' and each crew's points are as many as predicted; whole steps of Newton's would miss it."""
    counts = table(cells, 1 + max(max(cell) for cell in cells))
    expected = davidson(counts).predicted() * counts.sum(axis=2, keepdims=True)
    points = [games[..., 0] + games[..., 1] / 2 for games in (counts, expected)]
    for seen, told in ((counts[..., 1].sum(), expected[..., 1].sum()), tuple(p.sum() for p in points)):
        assert told == pytest.approx(seen, rel=1e-6)
    played = counts.sum(axis=2)
    crews = [p.sum(axis=1) + (played - p).sum(axis=0) for p in points]
    assert crews[1] == pytest.approx(crews[0], rel=1e-6)


def test_counts_that_are_none():
    for wrong in (np.zeros((2, 2)), np.zeros((2, 2, 2)), -np.ones((2, 2, 3))):
        with pytest.raises(ValueError, match="won, drawn and lost"):
            davidson(wrong)
    for wrong in (np.zeros((2, 2, 3)), np.ones((2, 2, 3))):
        with pytest.raises(ValueError, match="different crews"):
            davidson(wrong)
