"""SK-8 on both engines: what a runner does."""

from __future__ import annotations

from typing import Any

import pytest
from reference_kit import (
    EXTRACT,
    NONE,
    PASS,
    RED,
    SECURE,
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


@pytest.mark.rule("SK-8.1")
def test_attacks_reach_the_own_subnet_at_any_distance(engine):
    game = engine.start(SPLIT, [man(0)], [man(11), man(3)])
    activate(game, 0)
    assert options(game, act.ACTION) == {(act.ACT_NONE, 0), (act.ACT_ATTACK, 0)}


@pytest.mark.rule("SK-8.1")
@pytest.mark.rule("SK-8.6")
def test_own_data_may_be_attacked_on_its_carrier(engine):
    game = engine.start(RED, [man(0, attack=6), man(2)], [man(5, signal=1)])
    do(game, PASS)
    activate(game, 0, EXTRACT)
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    activate(game, 0, attack(act.DATA))
    assert game.data[1].signal == 4 and game.crew[1][0].on_board  # 6 less its security of 5


@pytest.mark.rule("SK-8.1")
def test_own_data_is_out_of_reach_in_another_subnet(engine):
    game = engine.start(SPLIT, [man(3, does=(row("draw", count=1),)), man(4)], [man(5)])
    do(game, PASS)
    activate(game, 0, EXTRACT)
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    assert game.data[1].carrier.node == 5
    activate(game, 0)
    assert options(game, act.ACTION) == {(act.ACT_NONE, 0), (act.ACT_SIGNATURE, 0)}


CARD_ROWS = {
    "hit": (2, []),
    "bonus": (1, [row("damage_bonus", trigger="flipped", amount=3)]),
    "thin": (1, [row("bypass", trigger="flipped", amount=2)]),
}


def duel(engine, cards: dict, attack_value: int, top: list[str], **target: Any) -> Any:
    """Attack an enemy with the given cards on top of the deck (the last is flipped first)."""
    rules = target.pop("rules", {})
    game = engine.start(RED, [man(0, attack=attack_value)], [man(14, **{"signal": 9, **target})], cards, **rules)
    game.deck[0] = ["hit", *top] if "hit" in cards else list(top)
    return activate(game, 0, attack(0))


@pytest.mark.rule("SK-8.2")
def test_an_attack_sums_damage_and_bonuses_and_discards_its_flips(engine):
    game = duel(engine, CARD_ROWS, 2, ["hit", "bonus"])
    assert game.crew[1][0].signal == 9 - 2 - 1 - 3
    assert game.discard[0] == ["bonus", "hit"] and game.flight[0] == []


@pytest.mark.rule("SK-8.2")
@pytest.mark.parametrize(("timing", "drawn"), [("each", "hit"), ("after_all", "thin")])
def test_flip_texts_resolve_after_each_or_after_all(engine, timing, drawn):
    cards = {"hit": (2, []), "thin": (1, []), "peek": (1, [row("draw", trigger="flipped", count=1)])}
    game = duel(engine, cards, 2, ["thin", "hit", "peek"], rules={"flip_timing": timing})
    assert game.hand[0] == [drawn]


@pytest.mark.rule("SK-8.2")
def test_added_flips_are_flipped(engine):
    cards = {"hit": (2, []), "more": (0, [row("flip", trigger="flipped", amount=2)])}
    assert duel(engine, cards, 1, ["hit", "hit", "more"]).crew[1][0].signal == 5


@pytest.mark.rule("SK-8.2")
def test_a_target_that_left_the_subnet_takes_nothing(engine):
    cards = {"hit": (2, []), "away": (1, [row("place", trigger="flipped", target="attack_target", to="home")])}
    game = engine.start(SPLIT, [man(0)], [man(6, signal=9), man(10), man(11)], cards)
    game.deck[0] = ["away"]
    activate(game, 0, attack(0), (act.DEST, 0, 14))
    assert game.crew[1][0].node == 14 and game.crew[1][0].signal == 9


@pytest.mark.rule("SK-8.3")
@pytest.mark.parametrize(("security", "cards", "dealt"), [(1, ["hit", "hit"], 3), (9, ["hit", "hit"], 1), (0, ["nil", "nil"], 0)])
def test_damage_is_at_least_one_of_a_sum_of_at_least_one(engine, security, cards, dealt):
    pool = {"hit": (2, []), "nil": (0, [])}
    assert duel(engine, pool, 2, cards, security=security).crew[1][0].signal == 9 - dealt


@pytest.mark.rule("SK-8.4")
def test_of_several_bypasses_the_largest_counts(engine):
    cards = CARD_ROWS | {"thinner": (1, [row("bypass", trigger="flipped", amount=3)])}
    game = duel(engine, cards, 3, ["hit", "thin", "thinner"], security=4)
    assert game.crew[1][0].signal == 9 - (4 - (4 - 3))


@pytest.mark.rule("SK-8.4")
def test_the_bypass_of_a_runner_and_that_of_a_card_do_not_add_up(engine):
    sharp = row("stat", trigger="passive", target="self", stat="bypass", amount=2)
    cards = {"thin": (4, [row("bypass", trigger="flipped", amount=1)])}
    game = engine.start(RED, [man(0, does=(sharp,))], [man(14, signal=9, security=4)], cards)
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 9 - (4 - (4 - 2))


@pytest.mark.rule("SK-8.5")
def test_at_no_signal_a_runner_leaves_and_the_opponent_scores(engine):
    game = duel(engine, CARD_ROWS, 1, ["hit"], signal=2)
    assert not game.crew[1][0].on_board and game.points == [1, 0]


@pytest.mark.rule("SK-8.5")
@pytest.mark.parametrize("scores", [True, False])
def test_the_own_effect_may_score_for_the_opponent(engine, scores):
    blast = row("damage", target="self", amount=3, past_security=True)
    game = engine.start(RED, [man(0, does=(blast,)), man(2)], [man(14)], own_disconnect_scores=scores)
    activate(game, 0, SIGNATURE)
    assert not game.crew[0][0].on_board and game.points == [0, int(scores)]


@pytest.mark.rule("SK-8.6")
def test_destroyed_data_scores_nothing_and_can_be_extracted_again(engine):
    drain = row("signal", target="own_carrier", amount=-5)
    game = engine.start(RED, [man(11, does=(drain,)), man(13)], [man(4), man(3)])
    activate(game, 0, EXTRACT)
    activate(game, 0, NONE)
    game.crew[0][0].ready = True
    do(game, (act.ACTIVATE, 0, 1), (act.DEST, 0, 13), NONE, PASS)
    activate(game, 0, SIGNATURE)
    assert game.data == [None, None] and game.points == [0, 0]
    game.crew[0][0].ready = True
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    activate(game, 0, EXTRACT)
    assert game.data[0].signal == 5


@pytest.mark.rule("SK-8.7")
def test_a_second_extraction_destroys_the_first_data(engine):
    game = engine.start(RED, [man(11), man(13)], [man(4), man(3)])
    activate(game, 0, EXTRACT)
    activate(game, 0, NONE)
    game.data[0].signal = 2
    activate(game, 1, EXTRACT)
    assert game.view()["data"][0] == {"carrier": 1, "signal": 5}


@pytest.mark.rule("SK-8.8")
def test_data_passes_to_an_ally_in_the_subnet(engine):
    game = engine.start(SPLIT, [man(11), man(0), man(3)], [man(4), man(14)])
    activate(game, 0, EXTRACT)
    do(game, PASS)
    game.crew[0][0].ready, game.crew[0][1].ready = True, False
    activate(game, 2, NONE)
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    activate(game, 0)
    assert {t for kind, t in options(game, act.ACTION) if kind == act.ACT_TRANSFER} == {1}
    do(game, (act.ACTION, act.ACT_TRANSFER, 1))
    assert game.data[0].carrier is game.crew[0][1]


@pytest.mark.rule("SK-8.9")
def test_securing_scores_the_highest_card_and_reads_no_flip_text(engine):
    cards = {"low": (1, [row("damage_bonus", trigger="flipped", amount=9), row("draw", trigger="flipped", count=1)]), "high": (3, [])}
    game = engine.start(RED, [man(11), man(2)], [man(14)], cards)
    activate(game, 0, EXTRACT)
    do(game, PASS)
    game.deck[0] = ["low", "high", "low", "high", "low", "low"]
    game.crew[0][0].stand(0)
    game.crew[0][0].ready = True
    do(game, (act.ACTIVATE, 0, 1), (act.DEST, 0, 2), NONE)
    if game.round == 1:
        finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    activate(game, 0, SECURE)
    assert game.points == [3, 0] and game.data == [None, None]
    assert game.deck[0] == ["low"] and len(game.discard[0]) == 5 and game.hand[0] == []


@pytest.mark.rule("SK-8.10")
def test_the_signature_action_is_offered_to_its_runner_only(engine):
    game = engine.start(RED, [man(0, does=(row("draw", count=1),)), man(2)], [man(14)])
    activate(game, 1)
    assert (act.ACT_SIGNATURE, 0) not in options(game, act.ACTION)
    do(game, NONE, PASS)
    activate(game, 0, SIGNATURE)
    assert len(game.hand[0]) == 1


@pytest.mark.rule("SK-8.11")
@pytest.mark.parametrize("kept", [True, False])
def test_data_of_a_disconnected_carrier(engine, kept):
    switch = "kept" if kept else "destroyed"
    game = engine.start(RED, [man(11, signal=1), man(0)], [man(14)], data_on_disconnect=switch)
    activate(game, 0, EXTRACT)
    activate(game, 0, attack(0))
    assert not game.crew[0][0].on_board and (game.data[0] is not None) == kept
    finish_round(game)
    do(game, (act.PLACE, 0, 2))
    assert game.crew[0][0].node == 2 and (game.carried(game.crew[0][0]) is not None) == kept


@pytest.mark.rule("SK-8.12")
@pytest.mark.parametrize("refill", ["at_once", "when_needed"])
def test_an_empty_deck_is_refilled_from_the_discard_pile(engine, refill):
    game = engine.start(RED, [man(0, attack=2)], [man(14, signal=9)], {"one": (1, [])}, refill=refill)
    game.deck[0], game.discard[0] = ["one"], ["one", "one"]
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 7 and game.shuffles[0] == 2
    assert (game.deck[0], game.discard[0]) == (["one"], ["one", "one"])


@pytest.mark.rule("SK-8.12")
def test_with_both_piles_empty_flipping_stops_and_the_flips_refill_the_deck(engine):
    game = engine.start(RED, [man(0, attack=5)], [man(14, signal=9)])
    game.deck[0] = ["one", "one"]
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 7 and game.deck[0] == ["one", "one"] and game.discard[0] == []


@pytest.mark.rule("SK-8.13")
def test_common_actions_are_open_to_all(engine):
    push = {"name": "Push it", "effects": [row("draw", count=2)]}
    game = engine.start(RED, [man(0)], [man(14)], common_actions=[push])
    activate(game, 0, (act.ACTION, act.ACT_COMMON, 0))
    assert len(game.hand[0]) == 2


@pytest.mark.rule("SK-8.14")
@pytest.mark.parametrize(("past", "dealt"), [(False, 0), (True, 2)])
def test_damage_by_effects_meets_security_and_knows_no_minimum(engine, past, dealt):
    zap = row("damage", target="enemy", amount=2, past_security=past)
    game = engine.start(RED, [man(0, does=(zap,))], [man(14, signal=9, security=4)])
    activate(game, 0, SIGNATURE)
    assert game.crew[1][0].signal == 9 - dealt
