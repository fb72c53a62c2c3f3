"""SK-3 to SK-5 on both engines: setup, turns, cards."""

from __future__ import annotations

import pytest
from reference_kit import (
    NONE,
    PASS,
    RED,
    SIGNATURE,
    activate,
    attack,
    board_of,
    do,
    finish_round,
    kinds,
    man,
    options,
    row,
)

from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import model
from bhsim.games.skirmish.bundle import Bundle


@pytest.mark.rule("SK-3.1")
def test_the_first_player_and_the_deal_come_from_the_key(engine):
    games = [engine.start(RED, [man(0)], [man(14)], opening_hand=3) for _ in range(2)]
    assert games[0].view() == games[1].view()
    assert games[0].token == 0


@pytest.mark.rule("SK-3.2")
def test_each_draws_the_opening_hand(engine):
    game = engine.start(RED, [man(0)], [man(14)], opening_hand=6)
    assert [len(h) for h in game.hand] == [6, 6] and [len(d) for d in game.deck] == [4, 4]


@pytest.mark.rule("SK-3.3")
def test_runners_are_deployed_on_free_online_home_nodes(engine):
    cards = model.CardSet(
        name="t",
        cards={"c": {"name": "c", "damage": 0}},
        runners={n: {"name": n, "bandwidth": 0, "attack": 0} for n in "xy"},
        rigs={n: {"name": n, "bandwidth": 0, "signal": 1, "security": 0, "speed": 0} for n in "xy"},
    )
    crew = model.Crew(name="c", members=[{"runner": n, "rig": n} for n in "xy"])
    deck = model.Deck(name="d", cards={"c": 5})
    game = engine.make(Bundle(cards, board_of(("r0-rr", "rrrrr", "rr1rr")), model.Rules()), (crew, crew), (deck, deck), 1, 0, 0)
    first = game.token
    homes = ({0, 3, 4}, {10, 11, 13, 14})
    assert game.seat == first and options(game, act.DEPLOY) == {(0, n) for n in homes[first]}
    taken = max(homes[first])
    do(game, (act.DEPLOY, 0, taken))
    assert game.seat == first and options(game, act.DEPLOY) == {(1, n) for n in homes[first] - {taken}}
    do(game, (act.DEPLOY, 1, min(homes[first])))
    assert game.seat == 1 - first and options(game, act.DEPLOY) == {(0, n) for n in homes[1 - first]}


@pytest.mark.rule("SK-4.1")
def test_turns_alternate_from_the_token_holder(engine):
    game = engine.start(RED, [man(0), man(2)], [man(14), man(13)])
    assert game.seat == 0
    activate(game, 0)
    assert game.seat == 0 and kinds(game) == {act.ACTION}
    do(game, NONE)
    assert game.seat == 1


@pytest.mark.rule("SK-4.2")
def test_who_passed_waits_while_the_other_goes_on(engine):
    game = engine.start(RED, [man(0), man(2)], [man(4), man(13)])
    do(game, PASS)
    assert game.seat == 1
    activate(game, 0, NONE)
    assert game.seat == 1 and options(game, act.ACTIVATE) == {(0, 1)}


@pytest.mark.rule("SK-4.3")
def test_the_round_ends_when_both_have_passed(engine):
    game = engine.start(RED, [man(0)], [man(14)])
    do(game, PASS)
    assert game.round == 1
    do(game, PASS)
    assert game.round == 2 and game.passed == [False, False]


@pytest.mark.rule("SK-4.4")
def test_from_max_turns_on_only_passing_is_legal(engine):
    game = engine.start(RED, [man(0), man(2)], [man(14), man(13)], max_turns=2, max_rounds=2)
    do(game, PASS)  # turn 2 and all later ones of the round pass by themselves
    assert game.round == 2 and game.turn == 1


@pytest.mark.rule("SK-5.1")
def test_a_played_card_goes_to_the_discard_pile_before_it_works(engine):
    cards = {"recall": (0, [row("return_card", count=1, how="chosen")])}
    game = engine.start(RED, [man(0)], [man(14)], cards, opening_hand=1)
    do(game, (act.CARD, 0, 0))
    assert game.hand[0] == ["recall"] and game.discard[0] == []


@pytest.mark.rule("SK-5.2")
def test_a_row_without_target_does_nothing_and_the_rest_resolves(engine):
    cards = {"c": (0, [row("heal", target="own", amount=1), row("draw", count=2)])}
    game = engine.start(RED, [man(0)], [man(14)], cards, opening_hand=1)
    do(game, (act.CARD, 0, 0))
    assert len(game.hand[0]) == 2


@pytest.mark.rule("SK-5.4")
@pytest.mark.parametrize(("duration", "after_turn", "after_round"), [("turn", 1, 1), ("round", 3, 1)])
def test_numbers_end_with_their_duration(engine, duration, after_turn, after_round):
    boost = row("stat", target="self", stat="attack", amount=2, duration=duration)
    game = engine.start(RED, [man(0, does=(boost,))], [man(14)])
    activate(game, 0, SIGNATURE)
    runner = game.crew[0][0]
    assert game.number(runner, "attack") == after_turn
    finish_round(game)
    assert game.round == 2 and game.number(runner, "attack") == after_round


@pytest.mark.rule("SK-5.4")
def test_next_attack_ends_with_that_attack(engine):
    boost = row("stat", target="self", stat="attack", amount=2, duration="next_attack")
    again = row("ready", target="self")
    game = engine.start(RED, [man(0, does=(boost,))], [man(14, signal=9, does=(again,))])
    activate(game, 0, SIGNATURE)
    runner = game.crew[0][0]
    runner.ready = True
    do(game, PASS)
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 6 and game.number(runner, "attack") == 1


@pytest.mark.rule("SK-5.3")
def test_a_hand_may_hold_the_whole_deck(engine):
    game = engine.start(RED, [man(0)], [man(14)], {"one": (1, []), "two": (2, [])}, opening_hand=15, round_draw=10)
    finish_round(game)
    assert [len(h) for h in game.hand] == [20, 20] and game.deck == [[], []]


@pytest.mark.rule("SK-5.4")
@pytest.mark.parametrize(("duration", "flips"), [("next_attack", 1), ("round", 3)])
def test_next_attack_ends_at_the_end_of_the_round_at_the_latest(engine, duration, flips):
    """A number for the next attack survives its own turn, unlike one for the turn, but neither survives the round."""
    boost = row("stat", target="self", stat="attack", amount=2, duration=duration)
    game = engine.start(RED, [man(0, does=(boost,)), man(2)], [man(14, signal=9)])
    activate(game, 0, SIGNATURE)
    runner = game.crew[0][0]
    assert game.number(runner, "attack") == 3
    runner.ready = True
    do(game, PASS)
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 6 and game.number(runner, "attack") == flips
    finish_round(game)
    assert game.number(runner, "attack") == 1


@pytest.mark.rule("SK-5.5")
@pytest.mark.parametrize("active", [0, 1])
def test_woken_texts_of_the_active_side_resolve_first(engine, active):
    """One blast wakes a text on either side, and the first to score wins: the side whose turn it is."""
    wins = row("score", trigger="damaged", amount=5)
    blast = row("damage", target="any", all=True, amount=1)
    game = engine.start(RED, [man(0, does=(blast, wins))], [man(14, does=(blast, wins))])
    do(game, *[PASS] * active)
    activate(game, 0, SIGNATURE)
    assert (game.over, game.winner, game.points) == (True, active, [5, 0] if active == 0 else [0, 5])


@pytest.mark.rule("SK-5.5")
def test_woken_texts_wait_until_the_row_is_done_and_in_line(engine):
    """The first row's victims are woken before the second row; what they wake joins the end of the queue."""
    blast = row("damage", target="enemy", all=True, amount=1)
    echo = row("damage", trigger="damaged", target="enemy", all=True, amount=1)
    answer = row("score", trigger="damaged", amount=5)
    game = engine.start(RED, [man(0, does=(blast, row("score", amount=5)), rig=(answer,))], [man(14, does=(echo,)), man(13, rig=(answer,))])
    activate(game, 0, SIGNATURE)
    # the echo of b0 woke a0 behind b1, which was in the queue already; the second row of the blast never came
    assert (game.winner, game.points, [r.signal for r in game.crew[0]]) == (1, [0, 5], [2])


@pytest.mark.rule("SK-5.5")
def test_after_64_woken_texts_in_a_turn_the_rest_is_dropped_and_counted(engine):
    """Two rigs that step aside whenever the other moved would go on for ever."""
    restless = row("move", trigger="after_moving", target="any", all=True, amount=1, direction="any")
    game = engine.start(RED, [man(0, rig=(restless,))], [man(14, rig=(restless,))])
    do(game, (act.ACTIVATE, 0, 0), (act.DEST, 0, 5))
    asked = 0
    while kinds(game) == {act.DEST}:
        here = {r.node for crew in game.crew for r in crew}
        do(game, (act.DEST, 0, next(n for _, n in sorted(options(game, act.DEST)) if n not in here)))
        asked += 1
    assert asked == 2 * 64 and game.view()["dropped"] > 0


@pytest.mark.rule("SK-3.4")
def test_what_is_legal_does_not_hang_on_the_other_sides_cards(engine):
    """Another order of the enemy's deck and other cards in its hand show in nothing that a side may do."""
    cards = {"jam": (1, [row("exhaust", target="enemy")]), "look": (2, [row("draw", count=1)])}
    positions = []
    for hand in (["jam", "jam"], ["look", "jam"]):
        game = engine.start(RED, [man(0), man(2)], [man(14), man(4)], cards, opening_hand=2)
        game.hand[0], game.hand[1] = ["jam", "look"], hand
        game.deck[1] = sorted(game.deck[1], reverse=hand[0] == "look")
        activate(game, 0, NONE)
        do(game, PASS)
        before = game.legal()
        do(game, (act.CARD, 0, 0))
        positions.append((before, game.legal()))
    assert positions[0] == positions[1] and positions[0][0] != positions[0][1]
