"""What the operations of a text do, one by one, on both engines, by docs/decisions.md."""

from __future__ import annotations

import pytest
from reference_kit import (
    DONE,
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
    kinds,
    man,
    options,
    row,
)

from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish.model import Effect


def card(*rows, damage: int = 0) -> dict:
    """One title with this text; every hand then holds it."""
    return {"c": (damage, list(rows))}


def play(game, *steps):
    return do(game, (act.CARD, 0, 0), *steps)


def test_one_target_is_chosen_all_need_no_choice(engine):
    one, everyone = row("damage", target="enemy", amount=1), row("damage", target="any", all=True, amount=1)
    game = engine.start(RED, [man(0, does=(one, everyone))], [man(14), man(4)])
    activate(game, 0, SIGNATURE)
    assert options(game, act.TARGET) == {(1, 0), (1, 1)}
    do(game, (act.TARGET, 1, 1))
    assert [r.signal for crew in game.crew for r in crew] == [2, 2, 1]


def test_an_optional_row_can_be_declined_and_forgets_the_previous_runner(engine):
    rows = (row("exhaust", target="enemy", optional=True), row("damage", target="previous", amount=1))
    game = engine.start(RED, [man(0, does=rows)], [man(14), man(4)])
    activate(game, 0, SIGNATURE, DONE)
    assert [r.signal for r in game.crew[1]] == [3, 3] and all(r.ready for r in game.crew[1])


def test_previous_is_the_runner_that_the_row_before_chose(engine):
    rows = (row("exhaust", target="enemy"), row("draw", count=1), row("damage", target="previous", amount=1))
    game = engine.start(RED, [man(0, does=rows)], [man(14), man(4)])
    activate(game, 0, SIGNATURE, (act.TARGET, 1, 1))
    assert [r.signal for r in game.crew[1]] == [3, 2] and not game.crew[1][1].ready


def test_a_chosen_subnet_is_named_by_its_lowest_node(engine):
    blast = row("damage", target="any", all=True, within="chosen_subnet", amount=1, past_security=True)
    game = engine.start(SPLIT, [man(0), man(8)], [man(14), man(10)], card(blast), opening_hand=1)
    play(game)
    assert options(game, act.SUBNET) == {(0, 0), (0, 3)}
    do(game, (act.SUBNET, 0, 3))
    assert [r.signal for crew in game.crew for r in crew] == [3, 2, 2, 3]


@pytest.mark.parametrize(("within", "reached"), [("subnet", {0, 1}), ("neighbouring", {0}), ("distance", {0, 2}), ("anywhere", {0, 1, 2})])
def test_ranges_are_measured_from_the_source(engine, within, reached):
    more = {"distance": 2} if within == "distance" else {}
    zap = row("damage", target="enemy", all=True, within=within, amount=1, **more)
    game = engine.start(SPLIT, [man(6, does=(zap,))], [man(5), man(0), man(8)])
    if within == "distance":
        game.crew[1][1].stand(14)
    activate(game, 0, SIGNATURE)
    assert {r.position for r in game.crew[1] if r.signal == 2} == reached


def test_filters_and_conditions(engine):
    rows = (
        row("damage", target="enemy", all=True, filter=["exhausted"], amount=1),
        row("draw", count=1, conditions=["on_red"]),
        row("draw", count=2, conditions=["not on_red"]),
        row("draw", count=4, conditions=["tied", {"kind": "enemies_in_subnet", "count": 2}]),
    )
    game = engine.start(RED, [man(0, does=rows)], [man(14), man(4)])
    game.crew[1][1].ready = False
    activate(game, 0, SIGNATURE)
    assert [r.signal for r in game.crew[1]] == [3, 2] and len(game.hand[0]) == 5


def test_heal_stops_at_full_and_looks_for_the_wounded(engine):
    game = engine.start(RED, [man(0, does=(row("heal", target="own", amount=5),)), man(2)], [man(14)])
    game.crew[0][1].signal = 1
    activate(game, 0, SIGNATURE)
    assert [r.signal for r in game.crew[0]] == [3, 3]


def test_a_played_card_lets_an_own_runner_attack(engine):
    strike = row("attack", by="own", amount=1, bypass=1)
    game = engine.start(SPLIT, [man(0), man(3)], [man(5, signal=9, security=2), man(14)], card(strike, damage=2), opening_hand=1)
    play(game)
    assert options(game, act.TARGET) == {(0, 0), (0, 1)}
    do(game, (act.TARGET, 0, 0))
    assert game.crew[1][0].signal == 9 - (4 - 1) and game.crew[0][0].ready


def test_bans_close_actions_until_they_end(engine):
    ban = row("forbid", target="enemy", what=["attack", "signature"], duration="turn")
    game = engine.start(
        RED, [man(0, does=(row("forbid", target="enemy", what=["attack", "move"], duration="round"),))], [man(14, does=(ban,))]
    )
    activate(game, 0, SIGNATURE)
    do(game, (act.ACTIVATE, 0, 0))
    assert kinds(game) == {act.ACTION}  # staying was its only move
    assert options(game, act.ACTION) == {(act.ACT_NONE, 0), (act.ACT_SIGNATURE, 0)}
    do(game, SIGNATURE)
    assert not game.banned(game.crew[0][0], "attack")
    finish_round(game)
    assert not game.banned(game.crew[1][0], "attack")


def test_of_bypasses_the_largest_counts_and_attack_bonuses_add_up(engine):
    rows = [
        row("stat", target="self", stat=s, amount=n, duration="round")
        for s, n in (("bypass", 2), ("bypass", 1), ("attack", 2), ("attack", 1))
    ]
    game = engine.start(RED, [man(0, does=tuple(rows))], [man(14)])
    activate(game, 0, SIGNATURE)
    assert game.number(game.crew[0][0], "bypass") == 2 and game.number(game.crew[0][0], "attack") == 4


def test_exposed_runners_are_bypassed_by_everyone(engine):
    mark = row("stat", target="enemy", stat="exposed", amount=2, duration="round")
    game = engine.start(RED, [man(0, attack=3, does=(mark,)), man(2, attack=3)], [man(14, signal=9, security=3)])
    activate(game, 0, SIGNATURE)
    do(game, PASS)
    activate(game, 1, attack(0))
    assert game.crew[1][0].signal == 9 - 2


def test_a_passive_that_hangs_on_the_target(engine):
    hunter = row("stat", trigger="passive", target="self", stat="attack", amount=3, conditions=["target_carries"])
    game = engine.start(RED, [man(0, does=(hunter,)), man(3)], [man(2, signal=9), man(14, signal=9)])
    runner = game.crew[0][0]
    assert game.number(runner, "attack") == 1
    do(game, PASS)
    activate(game, 0, EXTRACT)
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 9 - 4 and game.number(runner, "attack") == 1


def test_steps_away_and_toward_the_source(engine):
    strip = ("rrrrrr", "------", "r0--1r")
    for direction, ends in (("away", {3, 4, 5}), ("toward", {3, 1, 2}), ("any", {1, 2, 3, 4, 5})):
        push = row("move", target="enemy", amount=2, direction=direction)
        game = engine.start(strip, [man(0, does=(push,))], [man(3)])
        activate(game, 0, SIGNATURE)
        assert options(game, act.DEST) == {(0, n) for n in ends}


def test_places_in_the_subnet_at_home_and_beside_the_source(engine):
    expected = {"home": {10, 11, 13}, "neighbouring": {8, 9, 13}, "beside": {5}, "subnet": set(range(15)) - {1, 12, 0, 14}}
    for to, ends in expected.items():
        game = engine.start(RED, [man(0, does=(row("place", target="enemy", to=to),))], [man(14)])
        activate(game, 0, SIGNATURE)
        if len(ends) > 1:
            assert options(game, act.DEST) == {(0, n) for n in ends}
        else:
            assert game.crew[1][0].node in ends


def test_after_moving_wakes_on_another_node_only(engine):
    step = row("draw", trigger="after_moving", count=1)
    game = engine.start(RED, [man(0, does=(step,)), man(2, does=(step,))], [man(14)])
    activate(game, 0, NONE)
    do(game, PASS)
    assert game.hand[0] == []
    do(game, (act.ACTIVATE, 0, 1), (act.DEST, 0, 3), NONE)
    assert len(game.hand[0]) == 1


def test_a_disconnected_runner_strikes_back_and_its_killer_rejoices(engine):
    revenge = row("damage", trigger="disconnected", target="culprit", amount=1)
    joy = row("draw", trigger="disconnecting", count=2)
    game = engine.start(RED, [man(0, attack=3, does=(joy,))], [man(14, does=(revenge,)), man(4)])
    activate(game, 0, attack(0))
    assert game.points == [1, 0] and game.crew[0][0].signal == 2 and len(game.hand[0]) == 2


def test_the_text_of_a_runner_that_left_measures_from_where_it_stood(engine):
    rows = (row("damage", target="self", amount=9), row("damage", target="enemy", all=True, within="neighbouring", amount=1))
    game = engine.start(RED, [man(0, does=rows), man(2)], [man(5), man(14)])
    activate(game, 0, SIGNATURE)
    assert not game.crew[0][0].on_board and [r.signal for r in game.crew[1]] == [2, 3]


def test_data_is_handed_on_by_an_effect_whatever_the_subnet(engine):
    game = engine.start(SPLIT, [man(11, speed=0), man(3)], [man(14)], card(row("transfer", target="own")), opening_hand=1)
    activate(game, 0, EXTRACT)
    do(game, PASS)
    play(game)
    assert game.data[0].carrier is game.crew[0][1]


def test_the_signal_of_data_moves_up_to_its_maximum_and_to_nothing(engine):
    for amount, left in ((3, 6), (-2, 3), (-5, None)):
        game = engine.start(RED, [man(11, does=(row("signal", target="own_carrier", amount=amount),))], [man(4)])
        activate(game, 0, EXTRACT)
        game.crew[0][0].ready = True
        do(game, PASS)
        activate(game, 0, SIGNATURE)
        assert (game.data[0].signal if game.data[0] else None) == left


def test_damage_to_own_data_meets_its_signal(engine):
    zap = row("damage", target="own_data", amount=6)
    game = engine.start(RED, [man(0, does=(zap,))], [man(2), man(14)])
    do(game, PASS)
    activate(game, 0, EXTRACT)
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    activate(game, 0, SIGNATURE)
    assert game.data[1].signal == 4


def test_discards_go_to_the_own_pile_chosen_by_the_owner_of_the_hand(engine):
    cards = {"c": (0, [row("discard", player="opponent", count=1, how="chosen")]), "d": (0, [])}
    game = engine.start(RED, [man(0)], [man(14)], cards, opening_hand=5)
    game.hand[0], game.hand[1] = ["c", "d"], ["d", "c", "d"]
    do(game, (act.CARD, 0, 0))
    assert game.seat == 1 and options(game, act.CHOOSE) == {(0, 0), (0, 1)}
    do(game, (act.CHOOSE, 0, 1))
    assert game.hand[1] == ["c", "d"] and game.discard[1] == ["d"]


def test_random_discards_are_addressed_by_the_losing_seat(engine):
    rows = card(row("discard", player="opponent", count=2))
    game = engine.start(RED, [man(0)], [man(14)], rows, opening_hand=3)
    game.hand[1] = ["c"] * 3
    play(game)
    assert game.random_draws == [0, 2] and len(game.hand[1]) == 1


def test_another_turn_is_used_before_the_other_side_moves(engine):
    game = engine.start(RED, [man(0, does=(row("another_turn"),)), man(2)], [man(14)])
    activate(game, 0, SIGNATURE)
    assert game.seat == 0 and game.extra == [0, 0]
    activate(game, 1, NONE)
    assert game.seat == 1


def test_start_of_round_texts_run_before_the_first_turn(engine):
    early = row("draw", trigger="start_of_round", count=1)
    game = engine.start(RED, [man(0, does=(early,))], [man(14)])
    drawn = len(game.hand[0])
    finish_round(game)
    assert (drawn, len(game.hand[0]), game.turn) == (1, 2, 1)


def test_attacks_within_a_flipped_text_lay_their_cards_on_top(engine):
    cards = {"hit": (2, []), "chain": (1, [row("attack", trigger="flipped")])}
    game = engine.start(RED, [man(0, attack=2)], [man(14, signal=20)], cards)
    game.deck[0] = ["hit"] * 3 + ["hit", "chain"]
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 20 - (2 + 2) - (1 + 2)
    assert game.discard[0] == ["hit", "hit", "chain", "hit"]


def test_swaps_filter_the_first_runner_only(engine):
    trade = row("swap", target="own", other="own", filter=["exhausted"])
    game = engine.start(RED, [man(0), man(2), man(3)], [man(14)], card(trade), opening_hand=1)
    game.crew[0][1].ready = False
    play(game)
    assert options(game, act.TARGET) == {(0, 0), (0, 2)}
    do(game, (act.TARGET, 0, 2))
    assert [r.node for r in game.crew[0]] == [0, 3, 2]


@pytest.mark.parametrize("field", ["optional", "all"])
def test_damage_to_own_data_is_no_choice(field):
    """There is at most one, so a word that would change nothing is refused instead of ignored."""
    with pytest.raises(ValueError, match=f"{field}: there is one own data"):
        Effect.model_validate(row("damage", trigger="played", target="own_data", amount=1, **{field: True}))
