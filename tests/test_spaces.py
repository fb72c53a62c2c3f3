"""Builds that searches look at: legal by construction, within what is fixed, banned and may change, and refused when nothing is left."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.crew_space import CrewSpace
from bhsim.games.skirmish.deck_space import DeckSpace
from bhsim.games.skirmish.game import GAME
from bhsim.games.skirmish.model import CrewMember
from bhsim.games.spaces import Freedom

BUNDLE = GAME.load(Options())
PURPLE = GAME.side(BUNDLE, SideNames("purple"), 0)
RUNNERS, RIGS, CARDS = (list(getattr(BUNDLE.cardset, pool)) for pool in ("runners", "rigs", "cards"))


def pairs(side):
    return {(m.runner, m.rig) for m in side.crew_model.members}


@st.composite
def freedoms(draw):
    parts = draw(st.sampled_from([("crew",), ("deck",), ("crew", "deck")]))
    pool = ([*RUNNERS, *RIGS] if "crew" in parts else []) + (CARDS if "deck" in parts else [])
    fix = draw(st.lists(st.sampled_from(pool), max_size=4, unique=True))
    ban = draw(st.lists(st.sampled_from([p for p in pool if p not in fix]), max_size=5, unique=True))
    sizes = st.none() | st.just(range(2, 4)) if "crew" in parts else st.none()
    return Freedom(parts, tuple(fix), tuple(ban), draw(st.none() | st.integers(0, 5)), draw(sizes))


@settings(max_examples=150)
@given(freedoms(), st.integers(0, 1 << 30))
def test_every_build_is_legal_and_within_the_freedom(freedom, seed):
    try:
        space = GAME.builds.space(BUNDLE, PURPLE, freedom)
    except BadInput:  # what is refused, and why, is for the tests below
        return
    rng = np.random.default_rng(seed)
    builds = [space.repair(PURPLE, rng), space.sample(rng)]
    for _ in range(6):
        builds.append(space.neighbour(builds[rng.integers(len(builds))], rng))
        builds.append(space.cross(builds[rng.integers(len(builds))], builds[rng.integers(len(builds))], rng))
    for build in builds:
        GAME.check(BUNDLE, [build, PURPLE])
        has = {m.runner for m in build.crew_model.members} | {m.rig for m in build.crew_model.members} | set(build.deck_model.cards)
        assert has >= set(freedom.fix) and not has & set(freedom.ban)
        assert freedom.max_changes is None or space.distance(build) <= freedom.max_changes
        assert "crew" in freedom.parts or build.crew_model == PURPLE.crew_model
        assert "deck" in freedom.parts or build.deck_model == PURPLE.deck_model
        assert "crew" not in freedom.parts or freedom.members is None or len(build.crew_model.members) in freedom.members
        assert space.repair(build, rng) is build
        assert (space.distance(build) == 0) == (not space.changes(build))


@settings(max_examples=150)
@given(
    freedoms(),
    st.lists(st.tuples(st.sampled_from(RUNNERS), st.sampled_from(RIGS)), min_size=1, max_size=7),
    st.dictionaries(st.sampled_from(CARDS), st.integers(0, 9)),
)
def test_whatever_is_repaired_becomes_a_build(freedom, members, cards):
    """Sides that break any rule: doubles, too dear, too many, without what is fixed, decks of any size."""
    try:
        space = GAME.builds.space(BUNDLE, PURPLE, freedom)
    except BadInput:
        return
    models = {}
    if "crew" in freedom.parts:
        models["crew_model"] = PURPLE.crew_model.model_copy(update={"members": [CrewMember(runner=a, rig=b) for a, b in members]})
    if "deck" in freedom.parts:
        models["deck_model"] = PURPLE.deck_model.model_copy(update={"cards": cards})
    build = space.repair(replace(PURPLE, **models), np.random.default_rng(1))
    GAME.check(BUNDLE, [build, PURPLE])
    has = {m.runner for m in build.crew_model.members} | {m.rig for m in build.crew_model.members} | set(build.deck_model.cards)
    assert has >= set(freedom.fix) and not has & set(freedom.ban)
    assert freedom.max_changes is None or space.distance(build) <= freedom.max_changes


def test_steps_reach_other_builds_and_are_deterministic():
    space = GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew", "deck")))

    def walk():
        rng, side = np.random.default_rng(5), PURPLE
        return [space.key(side := space.neighbour(side, rng)) for _ in range(40)]

    assert walk() == walk()
    assert len(set(walk())) > 35


def test_a_small_pool_is_listed_whole():
    """Four runners and four rigs, crews of two: 6 sets of runners times 12 ways to give them rigs."""
    ban = (*RUNNERS[4:], *RIGS[4:])
    start = GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew",), members=range(2, 3))).sample(np.random.default_rng(1))
    space = GAME.builds.space(BUNDLE, start, Freedom(("crew",), ban=ban, members=range(2, 3)))
    every = space.every(100)
    assert len(every) == 72 == len({frozenset(pairs(s)) for s in every})
    assert space.every(71) is None
    assert [space.key(s) for s in every] == [space.key(s) for s in space.every(72)]
    assert {space.key(space.sample(np.random.default_rng(n))) for n in range(30)} <= {space.key(s) for s in every}


def test_a_crew_space_holds_what_the_rules_allow():
    """Every crew of up to three pairs, doubles and all, against the rules in plain words."""
    runners, rigs = {"a": 3, "b": 2, "c": 2}, {"x": 2, "y": 3, "z": 1}
    space = CrewSpace(runners, rigs, ("b", "z"), 8, range(2, 4))
    allowed = set()
    for size in range(1, 4):
        for crew in itertools.product(itertools.product(runners, rigs), repeat=size):
            names = [name for pair in crew for name in pair]
            cost = sum((runners | rigs)[name] for name in names)
            legal = size >= 2 and len(set(names)) == len(names) and {"b", "z"} <= set(names) and cost <= 8
            assert space.holds(crew) == legal, crew
            if legal:
                allowed.add(space.sorted(crew))
    assert set(space.every()) == allowed


def test_a_deck_space_holds_what_the_rules_allow():
    space = DeckSpace({"a": 3, "b": 2, "c": 1}, {"b": 1}, 4)
    for copies in itertools.product(range(5), repeat=3):
        a, b, c = copies
        legal = a <= 3 and 1 <= b <= 2 and c <= 1 and a + b + c == 4
        assert space.holds(dict(zip("abc", copies, strict=True))) == legal
    assert not space.holds({"a": 3, "d": 1})


def test_a_further_pair_is_a_change():
    start = GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew",), members=range(2, 3))).sample(np.random.default_rng(1))
    space = GAME.builds.space(BUNDLE, start, Freedom(("crew",), max_changes=1))
    more = next(side for side in space.every(5_000) if len(side.crew_model.members) == 3)
    fewer = next(side for side in space.every(5_000) if len(side.crew_model.members) == 1)
    assert pairs(more) > pairs(start) > pairs(fewer)
    assert (space.distance(more), space.distance(fewer), space.distance(start)) == (1, 1, 0)


def test_a_limit_that_leaves_nothing_out_steers_nothing():
    free, wide = (GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew",), max_changes=most)) for most in (None, 99))
    for seed in range(20):
        one, other = (space.sample(np.random.default_rng(seed)) for space in (free, wide))
        assert free.key(one) == wide.key(other)


def test_drawn_crews_prefer_no_pair():
    space, rng = GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew",))), np.random.default_rng(4)
    drawn = [pairs(space.sample(rng)) for _ in range(400)]
    for pool, place in ((RUNNERS, 0), (RIGS, 1)):
        shares = [np.mean([any(pair[place] == item for pair in crew) for crew in drawn]) for item in pool]
        assert 0.3 < min(shares) < max(shares) < 0.7  # about half of them, the cheap ones more often


def test_decks_one_card_away_are_listed():
    space = GAME.builds.space(BUNDLE, PURPLE, Freedom(("deck",), max_changes=1))
    every = space.every(10_000)
    deck = PURPLE.deck_model.cards
    out = [t for t, n in deck.items() if n]
    into = [t for t in CARDS if deck.get(t, 0) < (BUNDLE.cardset.cards[t].max_copies or BUNDLE.rules.max_copies)]
    assert len(every) == 1 + sum(a != b for a in out for b in into)
    assert sorted({space.distance(s) for s in every}) == [0, 1]


def test_the_whole_pool_is_too_large_to_list():
    assert GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew",))).every(5000) is None


@pytest.mark.parametrize(
    ("freedom", "field", "said"),
    [
        (Freedom(("crew",), fix=("Battlestation Mk2", "gh0st", "arson_nick", "wyld_chyld", "skeleton_dee")), "fix", "bandwidth"),
        (Freedom(("crew",), fix=("gh0st", "wee_rin", "catapult"), members=range(1, 3)), "fix", "members"),
        (Freedom(("crew",), fix=("nobody",)), "fix", "unknown"),
        (Freedom(("crew",), fix=("gh0st",), ban=("Gh0st",)), "fix", "fixed and banned"),
        (Freedom(("crew",), ban=tuple(RUNNERS)), "ban", "too few"),
        (Freedom(("crew",), ban=("hack_the_network",)), "ban", "has it"),
        (Freedom(("deck",), fix=("catapult",)), "fix", "lacks it"),
        (Freedom(("deck",), ban=("hack_the_network", "big_hack", "rm_r", "ransomware", "hot_swap")), "ban", "too few copies"),
        (Freedom(("crew",), ban=("gh0st", "wee_rin"), max_changes=1), "max-changes", "too few changes"),
        (Freedom(("crew",), members=range(40, 41)), "members", "no such size"),
        (Freedom(("crew",), members=range(6, 7)), "members", "SK-1.1: the cheapest crew of 6 costs 27"),
        (Freedom(("crew",), fix=("gh0st",), members=range(6, 7)), "members", "with gh0st fixed the cheapest crew of 6 costs"),
        (Freedom(("deck",), max_changes=1, members=range(3, 5)), "members", "the crew does not change"),
        (Freedom(("deck",), fix=("gh0st",)), "fix", "has it already"),
        (Freedom(("deck",), ban=("catapult",)), "ban", "lacks it already"),
        (Freedom(("crew",), fix=("big_hack",)), "fix", "has it already"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(freedom, field, said):
    with pytest.raises(BadInput) as caught:
        GAME.builds.space(BUNDLE, PURPLE, freedom)
    assert [f.field for f in caught.value.faults] == [field]
    assert said in caught.value.faults[0].message


@pytest.mark.parametrize(("banned", "runners", "sizes", "field"), [
    (False, {"a": 1}, range(2, 3), "members"), (True, {"a": 1}, range(2, 3), "ban"), (True, {"a": 30}, range(1, 3), "ban"),
])  # fmt: skip
def test_a_pool_that_holds_no_crew_blames_what_was_asked_for(banned, runners, sizes, field):
    assert CrewSpace(runners, {"x": 1, "y": 1}, (), 20, sizes).fault(banned).field == field
    assert CrewSpace({"a": 1, "b": 1}, {"x": 1, "y": 1}, (), 20, sizes).fault(banned) is None


def test_words_are_the_printed_names():
    space = GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew", "deck"), max_changes=0))
    words = space.words(PURPLE)
    assert words["crew"][0] == "Gh0st with Khonsu Blinkbeacon"
    assert "7 Hack the Network" in words["deck"]
    assert space.every(1) == [PURPLE]


def test_files_read_back_to_the_build(tmp_path):
    space = GAME.builds.space(BUNDLE, PURPLE, Freedom(("crew", "deck")))
    side = space.named(space.sample(np.random.default_rng(3)), "Found 1")
    for name, text in space.files(side, "found by a search\nof two lines").items():
        (tmp_path / name).write_text(text)
        assert text.startswith("# found by a search\n# of two lines\n")
    again = GAME.side(BUNDLE, SideNames(str(tmp_path / "found_1.toml")), 0)  # with the deck beside it
    assert pairs(again) == pairs(side)
    assert again.deck_model.cards == side.deck_model.cards


def test_the_second_game_says_that_it_has_nothing_to_change():
    from bhsim.games.tricks.game import GAME as TRICKS

    assert TRICKS.builds.changeable == ()
    with pytest.raises(BadInput):
        TRICKS.builds.space(None, None, Freedom(()))


def test_the_found_crews_are_legal_and_say_how_they_were_found():
    files = sorted((Path(__file__).parents[1] / "crews" / "found").glob("*.toml"))
    crews = [file for file in files if GAME.has("crew", str(file))]
    assert len(crews) >= 2
    for file in crews:
        GAME.check(BUNDLE, [GAME.side(BUNDLE, SideNames(str(file)), 0), PURPLE])
    for file in files:
        assert "\n# bhsim optimise " in file.read_text()
