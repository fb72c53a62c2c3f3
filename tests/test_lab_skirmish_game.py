"""Skirmish as the lab sees it: digests over what is used, data that come back from a manifest."""

import json

import pytest

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.game import GAME


@pytest.fixture(scope="module")
def bundle():
    return GAME.load(Options())


@pytest.fixture(scope="module")
def sides(bundle):
    return tuple(GAME.side(bundle, SideNames(name), number) for number, name in enumerate(("purple", "green")))


def test_defaults_of_a_side(sides):
    assert [(s.crew, s.deck, s.bot) for s in sides] == [("purple", "starter", "fixer"), ("green", "starter", "fixer")]


def test_stored_data_come_back_the_same(bundle, sides):
    stored = json.loads(json.dumps(GAME.resolved(bundle, sides)))
    again, sides_again = GAME.restored(stored)
    assert sides_again == sides
    assert (again.cardset, again.board, again.rules) == (bundle.cardset, bundle.board, bundle.rules)
    assert GAME.digest(again, sides_again) == GAME.digest(bundle, sides)


def test_digest_moves_with_used_numbers_only(bundle, sides):
    base = GAME.digest(bundle, sides)
    for change in ({"runners.gh0st.attack": 5}, {"rules.points_to_win": 4}, {"cards.big_hack.damage": 0}):
        assert GAME.digest(GAME.patched(bundle, change), sides) != base
    cards = bundle.cardset.cards
    extra = cards["big_hack"].model_copy(update={"name": "Aardvark"})
    renamed = cards["rm_r"].model_copy(update={"text": "another wording"})
    wider = bundle.cardset.model_copy(update={"cards": {"aardvark": extra, **cards, "rm_r": renamed}})
    unrelated = type(bundle)(wider, bundle.board, bundle.rules)
    assert GAME.digest(unrelated, sides) == base
    assert GAME.digest(bundle, sides[::-1]) != base


def test_illegal_crew_is_refused(bundle):
    with pytest.raises(BadInput):
        GAME.side(bundle, SideNames("no such crew"), 0)
    poor = GAME.patched(bundle, {"rules.crew_bandwidth": 3, "rules.max_copies": 1})
    good = GAME.side(bundle, SideNames("purple"), 0)
    with pytest.raises(BadInput, match=r"SK-1\.1"):
        GAME.check(poor, (good, good))


def test_two_sides_only(bundle, sides):
    with pytest.raises(BadInput, match="two sides"):
        GAME.check(bundle, sides[:1])


def test_bots_are_listed_with_what_they_do():
    listed = GAME.bots()
    assert {name for name, _ in listed} == {"random", "racer", "brawler", "weaver", "warden", "fixer"}
    assert all(text for _, text in listed)
    assert isinstance(json.loads(json.dumps(GAME.bot("fixer"))), dict)
