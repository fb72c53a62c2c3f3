"""What a field of crews says: known matrices give known mixtures, ratings and circles; growing ends as it should."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import coinfield
import numpy as np
import pytest
from coinfield import BUNDLE, GAME, CoinSpace, crew

from bhsim.errors import BadInput
from bhsim.games.game import Side
from bhsim.games.spaces import Freedom
from bhsim.lab import grow as growing
from bhsim.lab import metagame
from bhsim.lab.entrants import Asked, Entrant, entrants, labelled
from bhsim.lab.executors import Threads
from bhsim.lab.grow import CLOSED, FULL, NOTHING, UNDECIDED, Growth, read_steps
from bhsim.lab.memory import Kept
from bhsim.lab.metagame import ALPHAS, counters, measure, unused, varied
from bhsim.lab.metarun import carried_out, planned
from bhsim.lab.metatables import cell_rows, crew_rows, summary
from bhsim.lab.pool import Cell, Pool, contests_of, field_of, pairs, pool_of
from bhsim.lab.search import Found, Ranked
from bhsim.lab.store import open_folder
from bhsim.report import metaplots
from bhsim.report.metagame import ending, sections, unused_texts
from bhsim.stats.drawn_ratings import drawn_ratings
from bhsim.stats.intervals import from_keys
from bhsim.stats.payoffs import key_draws
from bhsim.stats.ratings import bradley_terry, predicted, wins_of

CREW_MATRIX = np.array([[0.5, 0.62, 0.40, 0.55], [0.38, 0.5, 0.60, 0.52], [0.60, 0.40, 0.5, 0.57], [0.45, 0.48, 0.43, 0.5]])


def interval(scores):
    values, counts = np.unique(scores, return_counts=True)
    return from_keys(values, counts)


def pool_with(scores):
    """A field of made-up key scores by pair of places; crews are called by their place."""
    count = max(j for _, j in scores) + 1
    cells = {}
    for number, place in enumerate(pairs(count)):
        each = scores[place]
        cells[place] = Cell(number, 2 * each.size, interval(each), interval(np.resize([0.5, 1.0, 0.0], each.size)), 0, each)
    crews = tuple(Entrant(crew(place), str(place), "named") for place in range(count))
    return Pool(GAME, BUNDLE, crews, cells)


def exact_pool(rates, keys=10_000, seed=3):
    """Won and lost keys in random order whose means are exactly ``rates``."""
    rng, scores = np.random.default_rng(seed), {}
    for i, j in pairs(len(rates)):
        won = np.zeros(keys)
        won[: round(rates[i, j] * keys)] = 1
        scores[i, j] = rng.permutation(won)
    return pool_with(scores)


def common_pool(strengths, keys, seed, circles=0.0):
    """Crews on common luck: each key favours each crew as it likes, in all its match-ups. circles: log-odds that no ratings explain."""
    rng = np.random.default_rng(seed)
    favour = rng.normal(0, 2.0, (keys, len(strengths)))
    scores = {}
    for i, j in pairs(len(strengths)):
        # two games a key, whose chances are logistic in favour; centred so that the mean chance follows from the strengths alone
        tilt = favour[:, i] - favour[:, j]
        base = 1 / (1 + math.exp(strengths[j] - strengths[i] - circles * (1 if (j - i) % 2 else -1)))
        chance = np.clip(base + 0.35 * np.tanh(tilt), 0, 1)
        scores[i, j] = (rng.random((keys, 2)) < chance[:, None]).mean(axis=1)
    return pool_with(scores)


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """Each draw is a linear programme: as many as these tests need."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bhsim.lab.metagame.MANY_DRAWS", 150)
        yield


@pytest.fixture(scope="module")
def known():
    return measure(exact_pool(CREW_MATRIX), 1)


def test_the_known_matrix(known):
    """The crew matrix of docs/statistics.md, on 2p - 1."""
    assert [c.nash for c in known.crews] == pytest.approx([0.3125, 0.3125, 0.375, 0], abs=1e-9)
    assert 0.5 + known.crews[3].against.mean == pytest.approx(0.451875)
    assert [c.against.mean for c in known.crews[:3]] == pytest.approx([0, 0, 0], abs=1e-9)
    assert known.clusters == ((0, 1, 2), (3,))
    assert [c.circles for c in known.crews] == [1, 1, 1, 0]
    assert [c.cluster for c in known.crews] == [0, 0, 0, 1]
    assert known.diversity == pytest.approx(0.0703125)
    assert known.alphas[ALPHAS.index(1.0)] == pytest.approx([0.347233, 0.292754, 0.352454, 0.007559], abs=1e-6)
    assert known.alphas[-1] == pytest.approx([0.332215] * 3 + [0.003356], abs=1e-6)
    assert known.cyclic.raw == pytest.approx(0.828306, abs=2e-4)
    assert known.cyclic.low < known.cyclic.value < known.cyclic.high
    assert abs(known.cyclic.value - known.cyclic.raw) < 0.01  # 10,000 keys leave little to correct
    assert known.fit.p < 1e-6
    assert [c.held for c in known.crews] == [1, 1, 1, 0]
    assert 0.003 < known.crews[0].nash_sd < 0.03


def test_circles_and_counters(known):
    assert [(c.cycle.crews, c.sure) for c in known.circles] == [((0, 1, 2), 1.0)]
    assert known.circles[0].rates == pytest.approx((0.62, 0.60, 0.60))
    assert counters(known, 3, 3) == [2, 0, 1]
    assert counters(known, 0, 3) == [2]
    assert (known.crews[0].worst, known.crews[0].best) == (2, 1)
    there, back = known.pool.score(0, 2), known.pool.score(2, 0)
    assert (back.mean, back.low, back.high) == (1 - there.mean, 1 - there.high, 1 - there.low)
    row = crew_rows(known)[0]
    assert (row["worst_opponent"], row["worst_rate"], row["best_rate"]) == ("2", pytest.approx(0.40), pytest.approx(0.62))
    assert row["worst_low"] < 0.40 < row["worst_high"] < 0.42
    assert cell_rows(known)[1] == cell_rows(known)[1] | {"i": 0, "j": 2, "rate": pytest.approx(0.40), "games": 20_000}


def test_what_is_used(known):
    """Crews are the biases 00 to 03: all share the tens, and no mixture holds the 3."""
    assert varied(known) == ["ones"]
    assert unused(known, "ones") == ["3", "4", "5", "6", "7", "8", "9"]
    use = {u.item: u for u in known.usage if u.part == "ones"}
    assert use["2"].share == pytest.approx(0.375)
    assert (use["3"].share, use["3"].field, use["3"].sure, use["2"].sure) == (0, 0.25, 0, 1)
    assert next(u for u in known.usage if (u.part, u.item) == ("tens", "0")).share == 1
    assert "3 (100 %)" in unused_texts(known)[0]


def test_a_crew_that_is_never_better_is_dominated():
    rates = np.array([[0.5, 0.55, 0.60], [0.45, 0.5, 0.60], [0.40, 0.40, 0.5]])
    found = measure(exact_pool(rates), 1)
    assert found.equilibrium.support == (0,)
    assert (found.crews[2].dominated_by, found.crews[2].dominated) == (0, 1.0)
    assert found.crews[0].dominated_by is None
    assert (found.crews[0].against.mean, found.crews[0].against.low, found.crews[0].against.high) == (0, 0, 0)
    assert found.circles == ()
    assert [found.label(c.place) for c in found.ranked] == ["0", "1", "2"]


def test_ratings_and_their_errors_on_common_luck():
    """Errors of the ratings against their spread over many fields, and what counting each cell by itself would say."""
    strengths, seen, told, plain = np.array([0.25, 0.1, 0.0, -0.1, -0.25]), [], [], []
    for seed in range(100):
        pool = common_pool(strengths, 400, seed)
        fit = bradley_terry(wins_of(pool.rates, pool.effective))
        seen.append(fit.elo)
        told.append(drawn_ratings(fit, pool.effective, key_draws(pool.scores, 100, 1)).elo_se)
        plain.append(fit.elo_se)
    spread = np.std(seen, axis=0)
    assert np.abs(np.mean(seen, axis=0) - 400 / math.log(10) * strengths).max() < 2.0
    assert np.abs(np.mean(told, axis=0) / spread - 1).max() < 0.15
    assert np.mean(plain) < 0.9 * np.mean(told)


def test_the_test_of_fit_keeps_its_level_on_common_luck():
    """Without circles one field in twenty is called one that ratings do not fit; cell by cell it would be fewer."""
    ours, plain = [], []
    for seed in range(160):
        pool = common_pool(np.zeros(6), 300, seed)
        fit = bradley_terry(wins_of(pool.rates, pool.effective))
        ours.append(drawn_ratings(fit, pool.effective, key_draws(pool.scores, 150, 1)).p)
        plain.append(fit.p)
    assert 0.02 < np.mean(np.array(ours) < 0.05) < 0.09
    assert 0.4 < np.mean(ours) < 0.6
    assert np.mean(plain) > np.mean(ours)


def test_drawn_strengths_are_those_of_refitted_draws():
    pool = exact_pool(CREW_MATRIX, keys=2_000)
    draws = key_draws(pool.scores, 20, 5)
    fit = bradley_terry(wins_of(pool.rates, pool.effective))
    found = drawn_ratings(fit, pool.effective, draws)
    again = np.array([bradley_terry(wins_of(rates, pool.effective)).strengths for rates in draws])
    assert np.abs(found.strengths - again).max() < 0.002 < np.abs(again - fit.strengths).max()
    with pytest.raises(ValueError, match="at least two matrices"):
        drawn_ratings(fit, pool.effective, draws[:1])


@pytest.mark.parametrize(("circles", "truth"), [(0.0, 0.0), (0.3, 0.479)])
def test_the_share_of_circles_and_its_interval(circles, truth):
    """Corrected for chance, and its interval as wide as it varies. truth: of a field of 40,000 keys."""
    pools = [common_pool(np.linspace(-0.3, 0.3, 6), 300, seed, circles) for seed in range(60)]
    shares = [metagame._cyclic(pool, key_draws(pool.scores, 100, 1)) for pool in pools]
    values = np.array([s.value for s in shares])
    halves = np.array([s.high - s.value for s in shares])  # a lower end stops at 0
    assert np.mean([share.raw for share in shares]) > 0.02  # what chance alone makes
    assert values.mean() == pytest.approx(truth, abs=3 * values.std() / 60**0.5 + 0.01 * truth)
    assert np.mean(np.abs(values - truth) < halves) >= 0.88
    assert halves.mean() / 1.96 == pytest.approx(values.std(), rel=0.35)


def test_a_crew_that_never_wins_gets_a_rating_with_a_prior():
    rates = np.array([[0.5, 0.6, 1.0], [0.4, 0.5, 1.0], [0.0, 0.0, 0.5]])
    found = measure(exact_pool(rates, keys=200), 1)
    assert found.prior == 1
    assert found.crews[2].elo < -400
    assert all(math.isfinite(c.elo) for c in found.crews)


def test_first_player_and_ratings_by_seat():
    """The coins favour whoever goes first by 5 points: about 35 Elo, in every match-up."""
    found, _ = run_of(("40", "45", "50", "55"), keys=2_000)
    assert found.metagame.first_mean == pytest.approx(0.55, abs=0.01)
    assert found.metagame.first.low < 0.55 < found.metagame.first.high
    seat = found.metagame.davidson
    assert 400 / math.log(10) * seat.log_first == pytest.approx(35, abs=4)
    assert math.isinf(seat.log_ties)
    rates = predicted(np.array([0.1, 0.0]))
    assert rates[0, 1] > 0.5
    assert np.diff(seat.strengths) == pytest.approx([0.1] * 3, abs=0.05)  # 5 points of bias are 2.5 of rate


def plan_of(crews=("40", "45", "50"), keys=200, growth=None, **asked):
    freedom = Freedom(("crew",)) if growth or asked.get("sample") else None
    return planned(GAME, BUNDLE, Asked(crews, **asked), coinfield.CREWS, 2 * keys, 7, "40", freedom, growth)


def run_of(crews=("40", "45", "50"), keys=200, growth=None, folder=None, **asked):
    plan = plan_of(crews, keys, growth, **asked)
    run = folder or Kept(plan.manifest("bhsim meta"), plan.contests)
    workers = Threads(1)
    try:
        return carried_out(plan, run, workers), run
    finally:
        workers.close()


def test_a_run_and_its_field():
    outcome, run = run_of(("40", "45", "50", "55"), sample=2)
    pool = pool_of(run)
    assert [(c.label, c.origin) for c in pool.crews[:4]] == [("40", "named"), ("45", "named"), ("50", "named"), ("55", "named")]
    assert [c.origin for c in pool.crews[4:]] == ["sampled"] * 2
    assert [tuple(c.setting.values()) for c in run.contests[:3]] == [("40", "45", "matrix"), ("40", "50", "matrix"), ("45", "50", "matrix")]
    assert [c.number for c in run.contests] == list(range(15))
    sides, weights = field_of(run)
    shares = {c.place: c.nash for c in outcome.metagame.crews if c.nash}
    assert [s.crew for s in sides] == [pool.sides[i].crew for i in shares]
    assert weights == list(shares.values())
    assert sum(weights) == pytest.approx(1)
    assert outcome.steps == ()
    assert summary(outcome.metagame, ())["crews"][0]["name"] == "40"


def test_a_smaller_field_of_a_run_that_was_stopped():
    plan = plan_of(("40", "45", "50", "55", "60"))
    run = Kept(plan.manifest(""), plan.contests)
    whole, _ = run_of(("40", "45", "50", "55", "60"), folder=run)
    del run._units["c00008-u00000"]  # a match-up of the last crew
    pool = pool_of(run)
    assert pool.labels == ["40", "45", "50", "55"]
    assert pool.rates == pytest.approx(whole.metagame.pool.rates[:4, :4])
    del run._units["c00001-u00000"]
    with pytest.raises(BadInput, match="too few match-ups"):
        pool_of(run)


def test_field_of_another_run_is_refused():
    outcome, run = run_of()
    assert len(outcome.metagame.crews) == 3
    run.manifest["kind"] = "sweep"
    with pytest.raises(BadInput, match="no run of a metagame"):
        field_of(run)


# Growing


GROWTH = Growth(margin=1.0, games=4_000, confirm=20_000, most=None)


def answers(monkeypatch, *steps):
    """Has the search return these biases, step by step, the best first; returns what it was asked for."""
    asked = []

    def search(arena, bundle, space, opponents, goal, games, seed, keep=4):
        asked.append(SimpleNamespace(opponents=[o.crew for o in opponents], goal=goal, root=arena.root, start=space.start.crew))
        found = [Ranked(crew(bias), 0.6, 100) for bias in steps[len(asked) - 1]]
        return Found(tuple(found), (), games, False, 12)

    monkeypatch.setattr(growing, "search", search)
    return asked


def test_growing_says_that_the_mixture_is_nothing_that_grown_crews_may_be(monkeypatch):
    answers(monkeypatch, [30])
    monkeypatch.setattr(CoinSpace, "repair", lambda self, side, rng: replace(side))  # no side is a build of this space
    outcome, _ = run_of(growth=GROWTH)
    (step,) = outcome.steps
    assert (step.support, step.outside, step.end) == (1, 1, CLOSED)
    assert "The mixture's crew is nothing that they may be" in ending(outcome.steps, plan_of(growth=GROWTH).growth)
    assert "nothing that they may be" not in ending((replace(step, outside=0),), plan_of(growth=GROWTH).growth)


def test_growing_adds_what_gains_and_ends_when_nothing_does(monkeypatch):
    asked = answers(monkeypatch, [50, 58, 20], [58, 30])
    outcome, run = run_of(growth=GROWTH)
    first, last = outcome.steps
    assert (first.answer, first.build, first.added, first.end, first.crews) == ("grown 1", "bias 58", True, "", 3)
    assert (first.support, first.mixture) == (1, "50 100.0 %")
    assert first.low < first.gain < first.high
    assert first.gain == pytest.approx(0.04, abs=0.01)  # 8 points of bias are 4 of rate
    assert first.searched == pytest.approx(0.1)
    assert (first.keys, first.confirmed) == (10_000, 20_000)
    assert (last.build, last.added, last.end, last.crews) == ("bias 30", False, CLOSED, 4)
    assert last.high < 0
    assert [a.opponents for a in asked] == [["50"], ["58"]]
    assert [a.start for a in asked] == ["50", "58"]
    assert asked[0].goal.kind == "mixture"
    assert asked[0].root != asked[1].root
    assert {a.root for a in asked}.isdisjoint({7})
    assert pool_of(run).labels == ["40", "45", "50", "grown 1"]
    assert [c.setting["for"] for c in run.contests] == ["matrix"] * 3 + ["answer 1"] + ["matrix"] * 2 + ["answer 2"]
    assert outcome.metagame.equilibrium.support == (3,)
    text = ending(outcome.steps, plan_of(growth=GROWTH).growth)
    assert text.startswith("1 crew joined. Closed within 1 points: the best answer found gains -14.")
    assert "are not ruled out" in text


@pytest.mark.parametrize("keys", [12, 10_000])
def test_an_answer_that_joins_keeps_the_games_that_confirmed_it(monkeypatch, keys):
    """The first keys alone do not show that the newcomer beats whom it has beaten: all of them count, in the step and when read again."""
    answers(monkeypatch, [54], [30])
    outcome, run = run_of(("20", "30", "50"), keys=keys, growth=replace(GROWTH, margin=0.5))
    first, pool = outcome.steps[0], outcome.metagame.pool
    assert (first.added, first.mixture) == (True, "50 100.0 %")
    cell = pool.cells[2, 3]
    assert (cell.contest, cell.games, cell.scores.size) == (3, 20_000, 10_000)
    assert 1 - cell.score.mean - 0.5 == pytest.approx(first.gain, abs=1e-12)
    assert 1 - cell.scores.mean() == pytest.approx(0.5 + first.gain)
    assert cell.score.low < cell.score.mean < cell.score.high < 0.5
    assert cell.score.n_eff == pytest.approx(cell.score.mean * (1 - cell.score.mean) / cell.score.se**2, rel=1e-3)
    assert pool.cells[0, 3].games == pool.games == 2 * keys
    assert [c.setting["opponent"] for c in run.contests[3:6]] == ["50", "grown 1", "grown 1"]  # 50 is not met again
    assert outcome.metagame.equilibrium.support == (3,)
    assert outcome.steps[1].mixture == "grown 1 100.0 %"
    again = pool_of(run)
    assert (again.labels, again.rates.tolist()) == (pool.labels, pool.rates.tolist())
    row = cell_rows(outcome.metagame)[5]
    assert (row["i"], row["j"], row["games"], row["rate"]) == (2, 3, 20_000, cell.score.mean)
    assert crew_rows(outcome.metagame)[3]["games"] == 20_000 + 4 * keys
    said = str(sections(outcome.metagame, outcome.steps, GROWTH, "")[0].grids[0].rows[0])
    assert ("1 of them 20,000, which confirmed an answer" in said) == (keys < 10_000)
    if keys < 10_000:
        assert cell.scores[:keys].mean() >= 0.5


def test_an_answer_that_has_met_everybody_joins_without_further_games(monkeypatch):
    answers(monkeypatch, [58], [30])
    found = growing.equilibrium
    monkeypatch.setattr(growing, "equilibrium", lambda a: SimpleNamespace(mixture=np.full(3, 1 / 3)) if len(a) == 3 else found(a))
    outcome, run = run_of(growth=GROWTH)
    assert [c.setting["for"] for c in run.contests] == ["matrix"] * 3 + ["answer 1"] * 3 + ["answer 2"]
    assert pool_of(run).labels == ["40", "45", "50", "grown 1"]  # and not grown 2, which does not gain
    assert [cell.games for cell in pool_of(run).cells.values()] == [400] * 3 + [20_000] * 3
    del run._units["c00004-u00001"]  # stopped in the confirmation
    assert pool_of(run).labels == ["40", "45", "50"]
    assert outcome.steps[0].confirmed == 60_000


def test_a_confirmation_of_fewer_keys_stands_for_no_match_up(monkeypatch):
    answers(monkeypatch, [99], [30])
    outcome, run = run_of(growth=replace(GROWTH, confirm=200))
    assert [c.setting["for"] for c in run.contests] == ["matrix"] * 3 + ["answer 1"] + ["matrix"] * 3 + ["answer 2"]
    assert {cell.games for cell in outcome.metagame.pool.cells.values()} == {400}


def test_errors_where_some_match_ups_met_more_keys():
    """Fields made again and again: how rates and the score against a mixture vary and hang together is what one field says."""
    rng, seen, told = np.random.default_rng(4), [], []
    mixture = np.array([0.0, 0.5, 0.5])
    for _ in range(300):
        luck = rng.normal(size=(3, 1_600))
        scores = {(i, j): (luck[i] - luck[j] + 0.3 * rng.normal(size=1_600) > 0).astype(float) for i, j in pairs(3)}
        pool = pool_with({place: each if place == (0, 2) else each[:200] for place, each in scores.items()})
        against = metagame.against_mixture([pool.scores_of(0, 1), pool.scores_of(0, 2)], mixture[1:])
        assert against.mean == pytest.approx((pool.rates[0, 1] + pool.rates[0, 2]) / 2 - 0.5, abs=1e-9)
        seen.append([pool.rates[0, 1], pool.rates[0, 2], against.mean])
        if len(told) < 20:
            drawn = pool.draws(400, 1)
            assert drawn.mean(axis=0) == pytest.approx(pool.rates, abs=0.006)
            assert (drawn + drawn.swapaxes(1, 2)).tolist() == np.ones((400, 3, 3)).tolist()
            both = np.cov(drawn[:, 0, 1], drawn[:, 0, 2])
            told.append([both[0, 0], both[1, 1], both[0, 1], against.se**2])
    true = np.cov(np.array(seen).T)
    assert true[1, 1] < 0.2 * true[0, 0]  # eight times the keys
    assert np.mean(told, axis=0) == pytest.approx([true[0, 0], true[1, 1], true[0, 1], true[2, 2]], rel=0.25)
    with pytest.raises(ValueError, match="as many in every cell"):
        key_draws(pool.scores, 10, 1, {(0, 1): np.ones(3), (0, 2): np.ones(4)})


def test_a_search_begins_at_the_leader_only_if_that_has_what_may_not_change(monkeypatch):
    """The strongest crew here plays with another deck, which no answer may take."""
    asked = answers(monkeypatch, [30])
    plan = plan_of(growth=GROWTH)
    other = replace(plan.crews[2], side=replace(plan.crews[2].side, deck_model="another deck"))
    crews = (*plan.crews[:2], other)
    plan = replace(plan, crews=crews, contests=tuple(contests_of(GAME, BUNDLE, crews, plan.keys)))
    workers = Threads(1)
    carried_out(plan, Kept(plan.manifest(""), plan.contests), workers)
    workers.close()
    assert (asked[0].opponents, asked[0].start) == (["50"], "40")


@pytest.mark.parametrize(
    ("growth", "found", "end", "words"),
    [
        (GROWTH, [[50, 45]], NOTHING, "no answer that is not in the field already"),
        (Growth(1.0, 4_000, 100, None), [[51]], UNDECIDED, "--confirm-games would tell"),
        (Growth(1.0, 4_000, 20_000, 3), [[58]], FULL, "--max-crews 3"),
        (Growth(10.0, 4_000, 20_000, None), [[58]], CLOSED, "Closed within 10 points"),
    ],
)
def test_every_end_of_growing(monkeypatch, growth, found, end, words):
    answers(monkeypatch, *found)
    outcome, run = run_of(growth=growth)
    assert [s.end for s in outcome.steps] == [end]
    assert not outcome.steps[0].added
    assert pool_of(run).labels == ["40", "45", "50"]
    assert words in ending(outcome.steps, plan_of(growth=growth).growth)


def test_the_real_search_closes_the_coins():
    """Biases end at 60: nothing gains on that, and growing says so."""
    outcome, _ = run_of(growth=Growth(1.0, 6_000, 20_000, None))
    assert outcome.steps[-1].end in (CLOSED, NOTHING)
    assert {s.crew for s in outcome.metagame.pool.sides} >= {"60"}
    assert outcome.metagame.equilibrium.mixture[-1] == 1


def test_steps_are_read_back_and_damaged_ones_named(tmp_path, monkeypatch):
    from bhsim.lab import store

    answers(monkeypatch, [58], [30])
    plan = plan_of(growth=GROWTH, sample=1)
    outcome, _ = run_of(growth=GROWTH, sample=1, folder=store.create(tmp_path / "run", plan.manifest("bhsim meta"), plan.contests, False))
    assert read_steps(tmp_path / "run") == list(outcome.steps)
    assert pool_of(open_folder(tmp_path / "run")).labels == outcome.metagame.pool.labels
    assert [f.name for f in sorted((tmp_path / "run" / "crews").iterdir())][-1].endswith(".toml")
    assert read_steps(tmp_path) == []
    (tmp_path / "run" / "grow.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match=r"grow\.parquet"):
        read_steps(tmp_path / "run")


def test_every_plot_is_drawn(monkeypatch):
    answers(monkeypatch, [58], [30])
    outcome, _ = run_of(growth=GROWTH, sample=18)
    shown = sections(outcome.metagame, outcome.steps, plan_of(growth=GROWTH).growth, "house values")
    plots = {plot.name: plot.image["svg"].decode() for section in shown for plot in section.plots}
    assert list(plots) == ["meta-heat-map", "meta-ratings", "meta-mixture", "meta-alpha", "meta-usage", "meta-growth"]
    assert all("house values" in svg for svg in plots.values())
    assert "by rank" in plots["meta-heat-map"]  # more crews than names fit
    assert "epsilon 0.01" in plots["meta-alpha"]
    assert "0.01 (epsilon)" in " ".join(shown[-1].text)


def test_the_legend_of_growing_lies_outside_the_axes(monkeypatch):
    answers(monkeypatch, [58], [30])
    outcome, _ = run_of(growth=GROWTH)
    drawn = []
    monkeypatch.setattr("bhsim.report.metaplots.saved", lambda figure: drawn.append(figure) or figure.canvas.draw())
    metaplots.growing(outcome.steps, GROWTH, "")
    (figure,) = drawn
    (legend,) = figure.legends
    assert [axes.get_legend() for axes in figure.axes] == [None, None]
    assert len(legend.get_texts()) == 5
    assert not any(legend.get_window_extent().overlaps(axes.get_window_extent()) for axes in figure.axes)


# Who takes part


def side(name, deck="d"):
    return Side(name, deck, "b", name, deck, "b")


def test_labels_are_short_and_different():
    assert labelled([side("a/x.toml"), side("y")]) == ["x", "y"]
    assert labelled([side("a/x.toml"), side("b/x.toml")]) == ["a/x.toml", "b/x.toml"]
    assert labelled([side("x", "one"), side("x", "two")]) == ["x / one", "x / two"]
    assert labelled([side("x"), side("x")]) == ["0: x", "1: x"]


def test_everybody_plays_if_nobody_is_named():
    assert [e.label for e in entrants(GAME, BUNDLE, Asked(), coinfield.CREWS, None, 1)] == list(coinfield.CREWS)
    drawn = entrants(GAME, BUNDLE, Asked(sample=4), coinfield.CREWS, CoinSpace(60), 1)
    assert [e.origin for e in drawn] == ["sampled"] * 4
    assert len({e.side.crew for e in drawn}) == 4
    other = entrants(GAME, BUNDLE, Asked(sample=4), coinfield.CREWS, CoinSpace(60), 2)
    assert [e.side for e in drawn] != [e.side for e in other]


@pytest.mark.parametrize(
    ("crews", "more", "field", "said"),
    [
        (("40",), {}, "crews", "so many different crews, got 1 (allowed: 3 to 200)"),
        (("40", "50", "40"), {}, "crews", "plays with the same numbers as 40"),
        (("40", "50", "101"), {}, None, "no bias"),
        (("40", "50", "60"), {"found": ("nowhere",)}, "found", "no such folder"),
        (("40", "50", "60"), {"sample": 60}, "sample", "too few different crews to draw"),
        (("40", "50", "60"), {"sample": -1}, "sample", "out of range"),
        (("40", "50", "60"), {"keys": 4}, "games", "too few to tell how keys differ"),
        (("40", "50", "60"), {"growth": Growth(0.0, 4_000, 20_000, None)}, "margin", "out of range"),
        (("40", "50", "60"), {"growth": Growth(1.0, 10, 20_000, None)}, "grow-games", "too few for a search"),
        (("40", "50", "60"), {"growth": Growth(1.0, 4_000, 10, None)}, "confirm-games", "too few to tell a gain"),
        (("40", "50", "60"), {"growth": Growth(1.0, 4_000, 20_000, 2)}, "max-crews", "out of range, got 2 (allowed: 3 to 200)"),
    ],
)
def test_refusals(crews, more, field, said):
    with pytest.raises(BadInput) as caught:
        plan_of(crews, **more)
    assert [f.field for f in caught.value.faults] == [field]
    assert said in str(caught.value)


def test_tricks_has_no_crews():
    from bhsim.games.tricks.game import GAME as TRICKS

    with pytest.raises(BadInput, match="no crews of their own"):
        planned(TRICKS, None, Asked(), (), 100, 1, None, None, None)


def test_stages_are_told(monkeypatch):
    answers(monkeypatch, [58], [30])
    plan = plan_of(growth=GROWTH)
    said, workers = [], Threads(1)

    def stage(text, games):
        said.append((text, games))
        return nullcontext(lambda count: None)

    carried_out(plan, Kept(plan.manifest(""), plan.contests), workers, None, stage)
    workers.close()
    assert said[0] == ("3 match-ups of 3 crews", 1_200)
    assert said[1] == ("searching an answer to the mixture of 1 of 3 crews", 4_000)
    assert said[2:4] == [("confirming grown 1 on fresh keys", 20_000), ("grown 1 meets all others", 800)]
