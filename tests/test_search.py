"""The search alone: skirmish's space of crews and decks with made-up values, so that what it returns can be held against the truth."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.game import GAME
from bhsim.games.spaces import Freedom
from bhsim.lab.search import Goal, least_games, search
from bhsim.lab.surrogate import Surrogate, pieces

BUNDLE = GAME.load(Options())
PURPLE, GREEN = (GAME.side(BUNDLE, SideNames(name), n) for n, name in enumerate(("purple", "green")))
RUNNERS, RIGS = list(BUNDLE.cardset.runners), list(BUNDLE.cardset.rigs)
SMALL = Freedom(("crew",), ban=(*RUNNERS[4:], *RIGS[4:]), members=range(2, 3))


@cache
def normal(*what):
    """A standard normal number that is the same for the same words."""
    number = int.from_bytes(hashlib.sha256(repr(what).encode()).digest()[:8], "big")
    return float(np.random.default_rng(number).standard_normal())


class Land:
    """What each build is worth against each opponent: its pieces, what they do together, and a rest that no model can know."""

    def __init__(self, seed):
        self.seed = seed

    def value(self, side, opponent):
        def worth(scale, *what):
            return scale * normal(self.seed, opponent, *what)

        members = sorted((m.runner, m.rig) for m in side.crew_model.members)
        value = 0.3 + 0.05 * len(members)
        for place, (runner, rig) in enumerate(members):
            value += worth(0.03, runner) + worth(0.02, rig) + worth(0.02, runner, rig)
            value += sum(worth(0.02, other, runner) for other, _ in members[:place])
        value += sum(worth(0.006, title) * copies**0.7 for title, copies in side.deck_model.cards.items())
        return min(0.97, max(0.03, value + worth(0.01, *members, *sorted(side.deck_model.cards.items()))))


class Coins:
    """An arena whose games are coins with the land's values. asked: every play, as the search asks for it."""

    game = GAME

    def __init__(self, land, seed=0):
        self.land, self.seed, self.asked = land, seed, []

    def against(self, bundle, builds, opponents, first, keys):
        scores = np.zeros((len(builds), len(opponents), keys))
        for i, build in enumerate(builds):
            for j in range(len(opponents)):
                play = (self.seed, repr(build.crew_model), repr(build.deck_model), j, first, keys)
                self.asked.append(play)
                luck = np.random.default_rng(int.from_bytes(hashlib.sha256(repr(play).encode()).digest()[:8], "big"))
                scores[i, j] = (luck.random((2, keys)) < self.land.value(build, j)).mean(axis=0)
        return scores


def space_of(freedom):
    start = PURPLE if freedom.members is None else GAME.builds.space(BUNDLE, PURPLE, freedom).sample(np.random.default_rng(0))
    return GAME.builds.space(BUNDLE, start, freedom)


def true_value(land, goal, side):
    return float(goal.of(np.array([land.value(side, j) for j in range(2)])))


def climbed(land, space, goal, seed=0):
    """The best value that many steps uphill on the truth find: what a search is measured by."""
    rng, best = np.random.default_rng(seed), 0.0
    for _ in range(3):
        side, fails = space.sample(rng), 0
        value = true_value(land, goal, side)
        while fails < 150:
            near = space.neighbour(side, rng)
            side, value, fails = (near, v, 0) if (v := true_value(land, goal, near)) > value else (side, value, fails + 1)
        best = max(best, value)
    return best


@pytest.mark.parametrize("kind", ["mean", "worst"])
def test_evolution_finds_nearly_the_best_crew(kind):
    space, goal = space_of(Freedom(("crew",))), Goal.even(kind, 2)
    behind = []
    for seed in range(2):
        land = Land(seed)
        found = search(Coins(land, seed), BUNDLE, space, [PURPLE, GREEN], goal, 60_000, seed)
        behind.append(climbed(land, space, goal) - max(true_value(land, goal, r.side) for r in found.ranked))
        assert not found.exhaustive
        assert found.ranked[0].value == pytest.approx(true_value(land, goal, found.ranked[0].side), abs=0.03)
    assert max(behind) < 0.04
    assert np.mean(behind) < 0.02


def test_decks_alone_become_better():
    space, goal, land = space_of(Freedom(("deck",))), Goal.even("mean", 2), Land(7)
    found = search(Coins(land), BUNDLE, space, [PURPLE, GREEN], goal, 40_000, 1)
    drawn = [true_value(land, goal, space.sample(np.random.default_rng(n))) for n in range(200)]
    assert true_value(land, goal, found.ranked[0].side) > np.quantile(drawn, 0.99)
    assert all(r.side.crew_model == PURPLE.crew_model for r in found.ranked)


def test_a_small_space_is_searched_whole():
    space, goal = space_of(SMALL), Goal.even("mean", 2)
    every = space.every(100)
    for seed in range(3):
        land = Land(seed)
        found = search(Coins(land, seed), BUNDLE, space, [PURPLE, GREEN], goal, 60_000, seed)
        assert found.exhaustive
        assert found.arms == len(every) == 72
        best = max(true_value(land, goal, side) for side in every)
        assert best - max(true_value(land, goal, r.side) for r in found.ranked) < 0.01


def test_the_budget_decides_whether_all_are_looked_at():
    space, goal = space_of(SMALL), Goal.even("mean", 2)
    few = search(Coins(Land(1)), BUNDLE, space, [PURPLE, GREEN], goal, least_games(2, 2), 1)
    assert not few.exhaustive
    assert len(few.ranked) == 4


@pytest.mark.parametrize("games", [1_300, 6_001])
@pytest.mark.parametrize("keep", [1, 4])
def test_what_is_asked_for_stays_within_the_budget_and_is_the_same_again(games, keep):
    space, goal = space_of(Freedom(("crew", "deck"))), Goal.even("mean", 2)

    def one(seed):
        arena = Coins(Land(2))
        return search(arena, BUNDLE, space, [PURPLE, GREEN], goal, games, seed, keep), arena.asked

    found, asked = one(3)
    again, repeated = one(3)
    other, _ = one(4)
    assert asked == repeated
    assert found == again
    assert [space.key(r.side) for r in found.ranked] != [space.key(r.side) for r in other.ranked]
    played = sum(2 * play[-1] for play in asked)
    assert 0.9 * games < found.games == played <= games
    assert len({space.key(r.side) for r in found.ranked}) == len(found.ranked) == keep
    assert all(r.games == sum(2 * p[-1] for p in asked if p[1] == repr(r.side.crew_model) and p[2] == repr(r.side.deck_model))
               for r in found.ranked)  # fmt: skip
    assert [moment.games for moment in found.history] == sorted(moment.games for moment in found.history)
    assert found.history[-1].games == found.games


def test_all_who_are_compared_meet_the_same_keys():
    """Every call of the arena plays new keys, the same for all builds of the call."""
    firsts = []

    class Watched(Coins):
        def against(self, bundle, builds, opponents, first, keys):
            firsts.append((first, keys))
            return super().against(bundle, builds, opponents, first, keys)

    search(Watched(Land(1)), BUNDLE, space_of(Freedom(("crew",))), [PURPLE, GREEN], Goal.even("mean", 2), 20_000, 1)
    assert [first for first, _ in firsts] == np.cumsum([0, *(keys for _, keys in firsts[:-1])]).tolist()


def test_what_is_fixed_banned_and_limited_holds_for_all_that_is_played():
    freedom = Freedom(("crew",), fix=(PURPLE.crew_model.members[0].runner,), ban=("catapult",), max_changes=2)
    space, seen = space_of(freedom), []

    class Watched(Coins):
        def against(self, bundle, builds, opponents, first, keys):
            seen.extend(builds)
            return super().against(bundle, builds, opponents, first, keys)

    search(Watched(Land(1)), BUNDLE, space, [PURPLE, GREEN], Goal.even("mean", 2), 5_000, 1)
    assert len({space.key(side) for side in seen}) > 20
    for side in seen:
        runners = {m.runner for m in side.crew_model.members}
        assert "gh0st" in runners
        assert "catapult" not in runners
        assert space.distance(side) <= 2


def test_a_start_that_is_not_allowed_is_not_played():
    space, seen = space_of(Freedom(("crew",), ban=("gh0st",))), []

    class Watched(Coins):
        def against(self, bundle, builds, opponents, first, keys):
            seen.extend(space.key(side) for side in builds)
            return super().against(bundle, builds, opponents, first, keys)

    search(Watched(Land(1)), BUNDLE, space, [PURPLE, GREEN], Goal.even("mean", 2), 2_000, 1)
    assert space.key(PURPLE) not in seen


def test_builds_that_play_the_same_games_are_one():
    """Two rigs with the same numbers: of each pair of twins only one is left."""

    class Twins(Coins):
        def against(self, bundle, builds, opponents, first, keys):
            def twin(build):
                members = [m.model_copy(update={"rig": RIGS[0] if m.rig == RIGS[1] else m.rig}) for m in build.crew_model.members]
                return replace(build, crew_model=build.crew_model.model_copy(update={"name": "", "members": members}))

            return super().against(bundle, list(map(twin, builds)), opponents, first, keys)

    space = space_of(SMALL)
    found = search(Twins(Land(3)), BUNDLE, space, [PURPLE, GREEN], Goal.even("mean", 2), 60_000, 1, keep=8)
    told = [frozenset((m.runner, m.rig.replace(RIGS[1], RIGS[0])) for m in r.side.crew_model.members) for r in found.ranked]
    assert len(set(told)) == len(told) >= 6


def test_too_few_games_are_refused_before_anything_is_played():
    arena = Coins(Land(1))
    with pytest.raises(BadInput, match="too few for a search"):
        search(arena, BUNDLE, space_of(SMALL), [PURPLE, GREEN], Goal.even("mean", 2), least_games(2, 2) - 1, 1)
    assert not arena.asked


def test_goals():
    rates = np.array([[0.4, 0.6, 0.8], [0.5, 0.5, 0.5]])
    assert Goal.even("mean", 3).of(rates) == pytest.approx([0.6, 0.5])
    assert Goal.even("worst", 3).of(rates) == pytest.approx([0.4, 0.5])
    assert Goal("mixture", (2.0, 1.0, 1.0)).of(rates) == pytest.approx([0.55, 0.5])


# The model


def test_pieces_are_read_off_plain_data():
    parts = {"crew": [{"runner": "a", "rig": "x"}, {"runner": "b", "rig": "y"}], "deck": {"hack": 3}}
    assert pieces(parts) == {
        "crew.runner=a": 1, "crew.rig=x": 1, "crew.runner=a with crew.rig=x": 0.5,
        "crew.runner=b": 1, "crew.rig=y": 1, "crew.runner=b with crew.rig=y": 0.5,
        "crew.runner=a beside crew.runner=b": 0.5, "crew.rig=x beside crew.rig=y": 0.5, "deck.hack": 3,
    }  # fmt: skip
    assert pieces({"crew": parts["crew"][::-1]}) == pieces({"crew": parts["crew"]})


def drawn(count, rng, noise):
    """Builds of four of eight pieces with known worths, seen with noise."""
    worth = 0.03 * rng.standard_normal(8)
    builds = [{f"p{i}": 1.0 for i in rng.choice(8, 4, replace=False)} for _ in range(count)]
    truth = np.array([0.5 + sum(worth[int(name[1:])] for name in build) for build in builds])
    return builds, truth, truth + noise * rng.standard_normal(count)


def test_estimates_are_nearer_to_the_truth_than_what_was_seen():
    builds, truth, seen = drawn(120, np.random.default_rng(1), 0.06)
    model = Surrogate(builds, seen, np.full(120, 0.06**2))
    assert np.std(model.estimates() - truth) < 0.3 * np.std(seen - truth)
    assert np.corrcoef(model.guesses(builds), truth)[0, 1] > 0.9


def test_who_has_played_much_keeps_what_it_showed():
    builds, _, seen = drawn(60, np.random.default_rng(2), 0.05)
    seen[0] += 0.4
    noise = np.full(60, 0.05**2)
    noise[0] = 1e-7
    model = Surrogate(builds, seen, noise)
    assert model.estimates()[0] == pytest.approx(seen[0], abs=0.005)
    assert model.guesses(builds[:1])[0] < seen[0] - 0.1


def test_draws_scatter_as_the_guesses_are_wrong():
    rng = np.random.default_rng(3)
    off = []
    for _ in range(40):
        builds, truth, seen = drawn(40, rng, 0.05)
        model = Surrogate(builds[:30], seen[:30], np.full(30, 0.05**2))
        draws = model.draws(builds[30:], 200, rng)
        off += ((truth[30:] - draws.mean(axis=0)) / draws.std(axis=0)).tolist()
    assert 0.7 < np.std(off) < 1.4
