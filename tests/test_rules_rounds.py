"""SK-9 and SK-10 on both engines: the end of a round and of a game."""

from __future__ import annotations

import pytest
from reference_kit import (
    RED,
    SIGNATURE,
    activate,
    attack,
    do,
    finish_round,
    kinds,
    man,
    options,
    row,
)

from bhsim.games.skirmish import actions as act


@pytest.mark.rule("SK-9.1")
def test_locks_are_gone_before_the_abilities(engine):
    """An ability may hack a node that was locked until then."""
    late = row("hack", trigger="end_of_round", count=1, states=["blue"])
    game = engine.start(RED, [man(0, does=(late,))], [man(14)])
    game.network.locks = {7, 8}
    finish_round(game)
    assert {(0, 7), (0, 8)} <= options(game, act.NODE)


@pytest.mark.rule("SK-9.2")
def test_end_of_round_texts_alternate_and_their_owner_chooses_the_order(engine):
    late = row("draw", trigger="end_of_round", count=1)
    twice = row("draw", trigger="end_of_round", count=4)
    game = engine.start(RED, [man(0, does=(late,), rig=(late,)), man(2, does=(twice,))], [man(14, does=(late,))])
    finish_round(game)
    assert game.seat == 0 and options(game, act.ABILITY) == {(0, 0), (0, 1), (1, 0)}
    do(game, (act.ABILITY, 1, 0))
    assert [len(h) for h in game.hand] == [4, 1]  # the enemy's only text followed by itself
    assert game.seat == 0 and options(game, act.ABILITY) == {(0, 0), (0, 1)}
    do(game, (act.ABILITY, 0, 1))
    assert game.round == 2 and [len(h) for h in game.hand] == [6, 1]  # compulsory: the last one resolved too


@pytest.mark.rule("SK-9.3")
def test_opponents_place_returning_runners_at_full_signal(engine):
    game = engine.start(RED, [man(0, attack=3)], [man(14), man(4)])
    activate(game, 0, attack(0))
    finish_round(game)
    assert game.seat == 0 and options(game, act.PLACE) == {(0, n) for n in (10, 11, 13, 14)}
    do(game, (act.PLACE, 0, 10))
    back = game.crew[1][0]
    assert (back.node, back.signal, back.ready) == (10, 3, True)


@pytest.mark.rule("SK-9.3")
def test_without_a_free_home_node_a_runner_is_out_for_good(engine):
    game = engine.start(RED, [man(0, attack=3)], [man(14), man(4)])
    activate(game, 0, attack(0))
    for node in (10, 11, 13, 14):
        game.network.states[node] = "offline"
    finish_round(game)
    assert kinds(game) == {act.TOKEN}
    do(game, (act.TOKEN, 0, 0))
    assert game.view()["runners"][1][0]["status"] == "gone" and game.round == 2


@pytest.mark.rule("SK-9.4")
@pytest.mark.parametrize(("heals", "signal"), [(False, 2), (True, 3)])
def test_all_runners_are_ready_and_damage_may_stay(engine, heals, signal):
    game = engine.start(RED, [man(0)], [man(14)], heal_on_refresh=heals)
    activate(game, 0, attack(0))
    finish_round(game)
    assert game.crew[0][0].ready and game.crew[1][0].signal == signal


@pytest.mark.rule("SK-9.5")
def test_each_draws_at_the_end_of_the_round(engine):
    game = engine.start(RED, [man(0)], [man(14)], round_draw=2)
    finish_round(game)
    assert [len(h) for h in game.hand] == [2, 2]


@pytest.mark.rule("SK-9.6")
def test_who_is_behind_decides_on_the_token_and_a_tie_moves_it(engine):
    game = engine.start(RED, [man(0)], [man(14)])
    finish_round(game)
    assert game.token == 1 and game.seat == 1
    game.points[1] = 2
    finish_round(game)
    assert game.seat == 0 and options(game, act.TOKEN) == {(0, 0), (0, 1)}
    do(game, (act.TOKEN, 0, 1))
    assert game.token == 1


@pytest.mark.rule("SK-10.1")
def test_reaching_the_goal_ends_the_game_before_later_rows(engine):
    text = (row("score", amount=5), row("draw", count=1))
    game = engine.start(RED, [man(0, does=text)], [man(14)])
    activate(game, 0, SIGNATURE)
    assert (game.over, game.winner, game.reason, game.hand[0]) == (True, 0, "points", [])


@pytest.mark.rule("SK-10.2")
@pytest.mark.parametrize("holder", [0, 1])
def test_when_both_reach_it_in_one_row_the_token_holder_wins(engine, holder):
    blast = row("damage", target="any", all=True, amount=3, past_security=True)
    game = engine.start(RED, [man(0, does=(blast,))], [man(14)], points_to_win=1)
    game.token = holder
    activate(game, 0, SIGNATURE)
    assert game.points == [1, 1] and game.winner == holder


@pytest.mark.rule("SK-10.3")
def test_the_last_round_stops_without_its_end(engine):
    game = engine.start(RED, [man(0)], [man(14)], max_rounds=1, round_draw=2)
    game.network.locks = {7}
    finish_round(game)
    assert (game.over, game.winner, game.reason, game.round) == (True, None, "max_rounds", 1)
    assert game.network.locks == {7} and game.hand == [[], []]
