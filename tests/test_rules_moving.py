"""SK-7 on both engines: activations and moves."""

from __future__ import annotations

import pytest
from reference_kit import (
    EXTRACT,
    NONE,
    PASS,
    RED,
    SIGNATURE,
    SPLIT,
    activate,
    attack,
    do,
    finish_round,
    man,
    options,
    row,
)

from bhsim.games.skirmish import actions as act


@pytest.mark.rule("SK-7.1")
def test_move_then_act_then_exhausted(engine):
    game = engine.start(RED, [man(0), man(2)], [man(14)])
    do(game, (act.ACTIVATE, 0, 0), (act.DEST, 0, 5), NONE)
    assert game.crew[0][0].node == 5 and not game.crew[0][0].ready
    do(game, PASS)
    assert options(game, act.ACTIVATE) == {(0, 1)}


@pytest.mark.rule("SK-7.2")
def test_moves_pass_allies_but_no_enemies_and_end_on_free_nodes(engine):
    game = engine.start(("rrrrrr", "------", "r0--1r"), [man(1), man(2)], [man(4)])
    do(game, (act.ACTIVATE, 0, 0))
    assert options(game, act.DEST) == {(0, n) for n in (0, 1, 3)}
    do(game, (act.DEST, 0, 1), NONE, PASS)
    do(game, (act.ACTIVATE, 0, 1))
    assert options(game, act.DEST) == {(0, 0), (0, 2), (0, 3)}


@pytest.mark.rule("SK-7.2")
def test_nobody_enters_offline_nodes_or_servers(engine):
    game = engine.start(("r0-", "rr-", "r1r"), [man(0, speed=9)], [man(8)])
    do(game, (act.ACTIVATE, 0, 0))
    assert options(game, act.DEST) == {(0, n) for n in (0, 3, 4, 6)}


@pytest.mark.rule("SK-7.3")
def test_one_border_a_move(engine):
    strip = ("rrbbgg", "------", "r0--1r")
    for crossings, ends in ((0, {0, 1}), (1, {0, 1, 2, 3}), (2, {0, 1, 2, 3, 4, 5})):
        game = engine.start(strip, [man(0, speed=9)], [man(17)], border_crossings=crossings)
        do(game, (act.ACTIVATE, 0, 0))
        assert options(game, act.DEST) == {(0, n) for n in ends}


@pytest.mark.rule("SK-7.3")
def test_a_cheaper_way_round_is_found_although_it_is_longer(engine):
    """Straight through blue costs the border; the way round through red leaves it for gray."""
    game = engine.start(("rbrgg", "rrrrr", "r0-1r"), [man(0, speed=5)], [man(14)])
    do(game, (act.ACTIVATE, 0, 0))
    assert (0, 4) in options(game, act.DEST)


@pytest.mark.rule("SK-7.4")
@pytest.mark.rule("SK-8.7")
def test_extracted_data_moves_with_its_carrier(engine):
    game = engine.start(RED, [man(11)], [man(4)])
    activate(game, 0, EXTRACT)
    assert game.view()["data"][0] == {"carrier": 0, "signal": 5}
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    do(game, (act.ACTIVATE, 0, 0), (act.DEST, 0, 5))
    assert game.data[0].carrier.node == 5


@pytest.mark.rule("SK-7.5")
def test_a_passive_works_while_its_runner_is_on_the_board(engine):
    guard = row("stat", trigger="passive", target="ally", all=True, stat="security", amount=2, within="subnet")
    drill = row("stat", trigger="passive", target="ally", all=True, stat="attack", amount=1)
    game = engine.start(SPLIT, [man(0, does=(guard, drill)), man(5), man(3)], [man(10, attack=3)])
    captain, near, far = game.crew[0]

    def numbers(stat):
        return [game.number(r, stat) for r in (captain, near, far)]

    assert (numbers("security"), numbers("attack")) == ([0, 2, 0], [1, 2, 2])
    activate(game, 0, NONE)
    assert not captain.ready and (numbers("security"), numbers("attack")) == ([0, 2, 0], [1, 2, 2])
    activate(game, 0, attack(0))
    assert not captain.on_board and (numbers("security")[1:], numbers("attack")[1:]) == ([0, 0], [1, 1])


@pytest.mark.rule("SK-7.6")
def test_places_ignore_paths_and_swaps_ignore_who_it_is(engine):
    jump = row("place", target="self", to="subnet")
    trade = row("swap", target="self", other="enemy")
    game = engine.start(RED, [man(0, speed=0, does=(jump, trade))], [man(14), man(7)])
    do(game, (act.ACTIVATE, 0, 0), SIGNATURE, (act.DEST, 0, 10), (act.TARGET, 1, 0))
    assert game.crew[0][0].node == 14 and game.crew[1][0].node == 10 and game.crew[1][0].ready
