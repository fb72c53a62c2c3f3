"""Builds drawn at random: legal, even, and the same from the same seed."""

from collections import Counter

import numpy as np
import pytest
from frozen_kit import FILES, FROZEN

from bhsim.errors import BadInput
from bhsim.games.game import Options, Side, SideNames
from bhsim.games.skirmish import fuzz
from bhsim.games.skirmish.builds import SkirmishBuilds
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.game import GAME
from bhsim.games.skirmish.model import CrewMember

BUILDS = SkirmishBuilds()


def side_in(bundle):
    return GAME.side(bundle, SideNames(str(FROZEN / "crews" / "purple.toml"), str(FROZEN / "decks" / "starter.toml")), 0)


@pytest.fixture(scope="module")
def bundle():
    return GAME.load(Options(**FILES))


@pytest.fixture(scope="module")
def side(bundle):
    return side_in(bundle)


@pytest.mark.parametrize("part", BUILDS.parts)
def test_every_draw_is_legal_and_changes_only_its_part(bundle, side, part):
    seen = set()
    for seed in range(300):
        drawn = BUILDS.sample(bundle, side, part, np.random.default_rng(seed))
        GAME.check(bundle, (drawn, side))
        items = BUILDS.items(bundle, drawn, part)
        assert sum(items.values()) == sum(BUILDS.items(bundle, side, part).values())
        assert list(items) == list(getattr(bundle.cardset, part))
        for other in set(BUILDS.parts) - {part}:
            assert BUILDS.items(bundle, drawn, other) == BUILDS.items(bundle, side, other)
        assert drawn.bot_model is side.bot_model
        seen.add(tuple(items.values()))
    assert len(seen) > 40


def test_legal_in_random_card_sets():
    """Whatever limits, sizes and costs a card set has; where it leaves no choice, that is said."""
    drawn = Counter()
    for seed in range(40):
        cardset, board, rules, crews, decks = fuzz.random_case(seed)
        bundle, side = Bundle(cardset, board, rules), Side("crew", "deck", "bot", crews[0], decks[0])
        for part in BUILDS.parts:
            try:
                other = BUILDS.sample(bundle, side, part, np.random.default_rng(seed))
            except BadInput:
                continue
            GAME.check(bundle, (other, other))
            drawn[part] += 1
    assert min(drawn[part] for part in BUILDS.parts) > 10, drawn


def test_copies_are_equally_likely(bundle, side):
    """Each title is in proportion to its limit: the heap has deck_size copies of one title and two of each other."""
    rng, draws = np.random.default_rng(7), 3000
    total = Counter()
    for _ in range(draws):
        total += Counter(BUILDS.items(bundle, BUILDS.sample(bundle, side, "cards", rng), "cards"))
    limits = {t: min(c.max_copies or bundle.rules.max_copies, bundle.rules.deck_size) for t, c in bundle.cardset.cards.items()}
    share = bundle.rules.deck_size / sum(limits.values())
    for title, limit in limits.items():
        assert total[title] / draws == pytest.approx(limit * share, rel=0.08)


def test_crews_are_equally_likely_within_the_bandwidth():
    """Three runners of which one does not fit beside the rig: the two that do come up alike, the third never."""
    bundle = GAME.load(Options(**FILES, sets=("rules.crew_bandwidth=6",)))
    cardset = bundle.cardset
    runners = dict(list(cardset.runners.items())[:3])
    names = list(runners)
    for name, cost in zip(names, (1, 3, 9), strict=True):
        runners[name] = runners[name].model_copy(update={"bandwidth": cost})
    rig = next(key for key, rig in cardset.rigs.items() if rig.bandwidth <= 3)
    small = type(bundle)(cardset.model_copy(update={"runners": runners}), bundle.board, bundle.rules)
    whole = side_in(GAME.load(Options(**FILES)))
    crew = whole.crew_model.model_copy(update={"members": [CrewMember(runner=names[0], rig=rig)]})
    lone = type(whole)(**{**vars(whole), "crew_model": crew})
    rng = np.random.default_rng(3)
    found = Counter(BUILDS.sample(small, lone, "runners", rng).crew_model.members[0].runner for _ in range(2000))
    assert set(found) == set(names[:2])
    assert abs(found[names[0]] - 1000) < 150


def test_the_same_seed_draws_the_same(bundle, side):
    one, two = (BUILDS.sample(bundle, side, "cards", np.random.default_rng([4, 2])) for _ in range(2))
    assert one == two


def test_no_choice_is_said(side):
    bundle = GAME.load(Options(**FILES, sets=("rules.crew_bandwidth=20",)))
    few = {key: bundle.cardset.runners[key] for key in (m.runner for m in side.crew_model.members)}
    with pytest.raises(BadInput, match="no choice of runners"):
        BUILDS.sample(type(bundle)(bundle.cardset.model_copy(update={"runners": few}), bundle.board, bundle.rules), side, "runners", None)


def test_restricted_bots(bundle, side):
    never = BUILDS.restricted(bundle, side, "big_hack", "never")
    assert (never.bot_model.never, never.bot_model.always, never.bot) == (["big_hack"], [], "fixer never big_hack")
    both = BUILDS.restricted(bundle, never, "big_hack", "always")
    assert (both.bot_model.never, both.bot_model.always) == ([], ["big_hack"])
    assert len({GAME.digest(bundle, (s, side)) for s in (side, never, both)}) == 3
