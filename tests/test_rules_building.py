"""SK-1 and SK-2 on both engines: what may sit down at a table, and the network it lies on."""

from __future__ import annotations

from typing import Any

import pytest
from reference_kit import NONE, PASS, RED, SIGNATURE, SPLIT, activate, board_of, do, man, options, row

from bhsim.errors import BadInput
from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import files, legality, model
from bhsim.games.skirmish.bundle import Bundle

PAIRS = {"gh0st": "khonsu_blinkbeacon", "wee_rin": "gonkboard_xtreme", "skeleton_dee": "roboware_9999"}


def bundle(*sets: str) -> files.Bundle:
    return files.load_bundle("tests/data/frozen/decks/house.toml", "tests/data/frozen/boards/house.toml", sets=sets)


def crew(pairs: dict[str, str]) -> model.Crew:
    return model.Crew(name="crew", members=[{"runner": runner, "rig": rig} for runner, rig in pairs.items()])


def deck(**copies: int) -> model.Deck:
    """``hack_the_network`` fills the deck up to 20 unless it is given."""
    copies.setdefault("hack_the_network", 20 - sum(copies.values()))
    return model.Deck(name="deck", cards=copies)


def sit_down(engine: Any, pool: files.Bundle, first: model.Crew, second: model.Crew, cards: model.Deck) -> Any:
    """A game of crews and decks that went through the same door as any file: ``BadInput`` when illegal."""
    crews = (files.read_crew(first, pool), files.read_crew(second, pool))
    checked = files.read_deck(cards, pool)
    return engine.make(Bundle(pool.cardset, pool.board, pool.rules), crews, (checked, checked), 1, 0, 0)


def refusals(engine: Any, pool: files.Bundle, who: model.Crew, cards: model.Deck) -> list[str]:
    """Rule ids of the faults for which crew or deck is refused, after a legal one was let in."""
    sit_down(engine, pool, crew(PAIRS), crew(PAIRS), deck())
    found = []
    for read, what in ((files.read_crew, who), (files.read_deck, cards)):
        try:
            read(what, pool)
        except BadInput as error:
            found += [fault.message.split(":")[0] for fault in error.faults]
    return found


@pytest.mark.rule("SK-1.1")
def test_a_crew_may_cost_its_bandwidth_and_no_more(engine):
    pool = bundle("rules.crew_bandwidth=15")
    assert legality.bandwidth(crew(PAIRS), pool.cardset) == 15
    assert refusals(engine, pool, crew(PAIRS | {"skeleton_dee": "gonkboard_defender"}), deck()) == ["SK-1.1"]


@pytest.mark.rule("SK-1.2")
def test_a_runner_has_the_numbers_of_its_own_rig(engine):
    game = sit_down(engine, bundle(), crew(PAIRS), crew(PAIRS), deck())
    assert [(r.signal, game.number(r, "security"), game.number(r, "speed")) for r in game.crew[0]] == [(4, 1, 4), (6, 2, 3), (5, 2, 3)]


@pytest.mark.rule("SK-1.3")
def test_both_crews_may_share_but_no_crew_has_one_twice(engine):
    twice = model.Crew(name="twins", members=[{"runner": "gh0st", "rig": rig} for rig in ("roboware_1680", "roboware_9999")])
    assert refusals(engine, bundle(), twice, deck()) == ["SK-1.3"]
    same_rig = crew({"gh0st": "roboware_1680", "catapult": "roboware_1680"})
    assert refusals(engine, bundle(), same_rig, deck()) == ["SK-1.3"]


@pytest.mark.rule("SK-1.4")
@pytest.mark.parametrize("size", [19, 21])
def test_a_deck_has_its_exact_size(engine, size):
    pool = bundle("cards.hack_the_network.max_copies=60")
    game = sit_down(engine, pool, crew(PAIRS), crew(PAIRS), deck())
    assert [len(d) + len(h) for d, h in zip(game.deck, game.hand, strict=True)] == [20, 20]
    assert refusals(engine, pool, crew(PAIRS), deck(hack_the_network=size)) == ["SK-1.4"]


@pytest.mark.rule("SK-1.5")
def test_two_copies_unless_the_card_says_otherwise(engine):
    game = sit_down(engine, bundle(), crew(PAIRS), crew(PAIRS), deck(big_hack=2))
    cards = game.deck[0] + game.hand[0]
    assert (cards.count("big_hack"), cards.count("hack_the_network")) == (2, 18)
    assert refusals(engine, bundle(), crew(PAIRS), deck(big_hack=3)) == ["SK-1.5"]


@pytest.mark.rule("SK-1.6")
def test_a_crew_fits_into_its_home_row(engine):
    pool = bundle("rules.crew_bandwidth=99")
    runners, rigs = list(pool.cardset.runners), list(pool.cardset.rigs)
    full = crew(dict(zip(runners[:6], rigs[:6], strict=True)))
    game = sit_down(engine, pool, full, full, deck())
    while len(options(game, act.DEPLOY)) > 0:
        do(game, act.decode(game.legal()[0]))
    assert sorted(r.node for r in game.crew[0]) == sorted(pool.board.home[0])
    assert refusals(engine, pool, crew(dict(zip(runners[:7], rigs[:7], strict=True))), deck()) == ["SK-1.6"]


@pytest.mark.rule("SK-1.7")
def test_every_broken_rule_is_listed_and_nothing_repaired(engine):
    bad = model.Crew(name="bad", members=[{"runner": "wyld_chyld", "rig": "battlestation_mk2"}] * 3)
    assert refusals(engine, bundle(), bad, deck(big_hack=3, hack_the_network=18)) == [
        "SK-1.3",
        "SK-1.3",
        "SK-1.3",
        "SK-1.3",
        "SK-1.1",
        "SK-1.5",
        "SK-1.4",
    ]
    assert bad.members[1].runner == "wyld_chyld"


WIDE = ("r0" + "r" * 9, *["r" * 11] * 8, "r1" + "r" * 9)  # 110 nodes, so that both words of a node set are in use


@pytest.mark.rule("SK-2.1")
def test_every_node_leads_to_its_neighbours_and_nowhere_else(engine):
    board = board_of(WIDE)
    servers = set(board.servers(0) + board.servers(1))
    stands = [n for n in range(len(board.states)) if n not in servers and n != 109]
    for node in stands:
        game = engine.start(WIDE, [man(node, speed=1)], [man(109)])
        do(game, (act.ACTIVATE, 0, 0))
        assert {n for _, n in options(game, act.DEST)} == {node, *board.neighbors[node]} - servers - {109}
    assert len(stands) == 107


@pytest.mark.rule("SK-2.2")
def test_nodes_are_red_blue_gray_offline_or_a_server(engine):
    recolour = row("change_state", count=1, states="any")
    game = engine.start(RED, [man(0, does=(recolour,))], [man(14)])
    assert [game.view()["states"][n] for n in (0, 1, 12)] == [0, 4, 5]
    activate(game, 0, SIGNATURE)
    assert options(game, act.STATE) == {(0, s) for s in range(4)}
    do(game, (act.STATE, 0, 1))
    assert {n for _, n in options(game, act.NODE)} == set(range(15)) - {1, 12}
    do(game, (act.NODE, 0, 7))
    assert game.view()["states"][7] == 1


@pytest.mark.rule("SK-2.3")
def test_subnets_are_connected_nodes_of_one_state(engine):
    """An island of red, a lone blue node, and red again behind the blue: three subnets."""
    game = engine.start(("r0brr", "r-brr", "rr1br"), [man(0)], [man(10), man(2), man(4)])
    activate(game, 0)
    assert options(game, act.ACTION) == {(act.ACT_NONE, 0), (act.ACT_ATTACK, 0)}
    do(game, NONE)
    activate(game, 1)  # in blue, where nobody else stands
    assert options(game, act.ACTION) == {(act.ACT_NONE, 0), (act.ACT_EXTRACT, 0)}


@pytest.mark.rule("SK-2.4")
def test_a_hack_splits_and_joins_subnets_at_once(engine):
    turn_red = row("hack", count=1, states=["red"])
    game = engine.start(("r0brr", "r-brr", "rr1br"), [man(0, does=(turn_red, row("attack", target="enemy")))], [man(14), man(4)])
    assert [game.number(r, "security") for r in game.crew[1]] == [0, 0]
    activate(game, 0, SIGNATURE, (act.NODE, 0, 6))  # offline until now; not enough to join them
    assert game.crew[1][0].signal == 3
    game.crew[0][0].ready = True
    do(game, PASS)
    activate(game, 0, SIGNATURE, (act.NODE, 0, 7))
    assert options(game, act.TARGET) == {(1, 0), (1, 1)}


@pytest.mark.rule("SK-2.5")
def test_ally_free_and_home_mean_what_the_rules_say(engine):
    """An ally is another own runner; a place to return to is free, online and no server."""
    send_home = row("place", target="ally", to="home")
    game = engine.start(("r0-rr", "rrrrr", "rr1rr"), [man(0, does=(send_home,)), man(6), man(7)], [man(14), man(3)])
    activate(game, 0, SIGNATURE)
    assert options(game, act.TARGET) == {(0, 1), (0, 2)}
    do(game, (act.TARGET, 0, 1))
    assert game.crew[0][1].node == 4  # 0 and 3 are taken, 2 is offline, 1 is the server


@pytest.mark.rule("SK-2.5")
def test_own_data_is_what_the_enemy_took_from_the_own_server(engine):
    game = engine.start(SPLIT, [man(0), man(10)], [man(5), man(14)])
    do(game, PASS)
    activate(game, 0, (act.ACTION, act.ACT_EXTRACT))
    do(game, PASS)
    do(game, *[PASS] * (game.seat == 1))
    activate(game, 0)
    assert {t for kind, t in options(game, act.ACTION) if kind == act.ACT_ATTACK} == {0, act.DATA}
