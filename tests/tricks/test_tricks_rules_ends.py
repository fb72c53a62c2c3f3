"""TR-8: the end of a trick, of a round and of the game."""

from __future__ import annotations

import pytest

from bhsim.games.tricks import files
from bhsim.games.tricks.reference import play_at_random

TRAPS = (
    "one: start 0 > p", "two: start 0 > q",
    "p: trap 1 > r", "q: trap 2 > s", "r: trap 3 > end", "s: trap 4 > end",
    "end: critical_assets 0",
)  # fmt: skip
ON_TRAPS = {"0.0": "p", "0.1": "q", "1.0": "r", "1.1": "s"}


@pytest.mark.rule("TR-8.1")
def test_the_round_ends_when_some_hand_is_empty_after_the_trick(engine):
    table = engine.start(("5 9", "6 7", "8")).say("play 5", "play 6", "move 2.0 a1")
    assert [line["number"] for line in table.events("round")] == [1, 2] and len(table.events("count")) == 3


@pytest.mark.rule("TR-8.1")
@pytest.mark.parametrize(("rule", "rounds", "took"), [("after_trick", 1, 1), ("when_empty", 2, 0)])
def test_a_hand_filled_by_the_take_up_is_not_empty(engine, rule, rounds, took):
    table = engine.start(("2 H", "3 3 5"), round_end=rule).say("play 2 H", "move 0.0 a1")
    if took:
        table.say("take all")
    assert table.view["round"] == rounds and len(table.events("take")) == took
    assert sum(line["hand"] for line in table.events("count")) == (0 if took else 5)


@pytest.mark.rule("TR-8.1")
def test_a_drawn_card_counts_before_the_test(engine):
    board = ("one: start 0 > p", "two: start 0 > q", "p: trap 0 > end", "q: trap 0 > end", "end: critical_assets 0")
    table = engine.start(("5 1", "6"), *board, pawns={"1.0": "p", "1.1": "q"}, pile="8", max_rounds=1).say("play 5")
    assert len(table.events("draw")) == 1 and len(table.events("trick")) == 2


@pytest.mark.rule("TR-8.2")
def test_everybody_counts_cards_in_hand_and_both_spaces(engine):
    board = ("one: start 4 > a", "two: start 6 > b", "a: -1 > c", "b: 3 > c", "c: 0 > end", "end: critical_assets 0")
    table = engine.start(("5 9 J", "6"), *board, pawns={"0.0": "a"}).say("play 5", "move 1.1 b")
    counts = [{"side": 0, "hand": 29, "spaces": 5, "total": 34}, {"side": 1, "hand": 0, "spaces": 7, "total": 7}]
    assert table.events("count") == counts
    assert table.view["from_hand"] == [29, 0] and table.view["from_spaces"] == [5, 7]


@pytest.mark.rule("TR-8.2")
def test_the_score_runs_on_over_the_rounds(engine):
    played = files.load_bundle(sets=["rules.max_rounds=3", "rules.hand_size=2"])
    table = engine.deal(played, 3)
    play_at_random(table.game, 1, 0)
    for side in range(3):
        own = [line for line in table.events("count") if line["side"] == side]
        totals = [sum(line["hand"] + line["spaces"] for line in own[: n + 1]) for n in range(len(own))]
        assert len(own) == 3 and [line["total"] for line in own] == totals


@pytest.mark.rule("TR-8.3")
def test_critical_assets_ends_the_game_at_once(engine):
    table = engine.start(("9 5 H", "3 3 12"), pawns={"1.0": "a4"}).say("play 9 H", "move 1.0 end")
    assert table.game.over and table.view["reason"] == "critical_assets"
    assert table.events("take") == [] and (table.hand(0), table.hand(1)) == ("5", "12")
    assert [line["hand"] for line in table.events("count")] == [5, 12] and table.view["winners"] == [0]


@pytest.mark.rule("TR-8.3")
def test_an_opponents_pawn_ends_it_too(engine):
    board = ("one: start 0 > a", "two: start 0 > end", "a: -1 > end", "end: critical_assets 0")
    table = engine.start(("5 1", "6 1"), *board, pawns={"0.0": "a"}).say("play 5", "move 0.0 end")
    assert table.view["reason"] == "critical_assets" and len(table.events("count")) == 2


@pytest.mark.rule("TR-8.4")
def test_it_ends_after_a_round_in_which_all_pawns_got_stuck(engine):
    table = engine.start(("5", "6"), *TRAPS, pawns=ON_TRAPS)
    assert table.game.over and table.view["reason"] == "no_moves" and table.view["round"] == 1
    assert table.view["from_spaces"] == [3, 7] and table.view["winners"] == [0]


@pytest.mark.rule("TR-8.4")
def test_but_not_within_a_round_nor_while_one_can_move(engine):
    table = engine.start(("5 1", "6 1 2"), *TRAPS, pawns=ON_TRAPS).say("play 5")
    assert not table.game.over and table.view["round"] == 1
    free = engine.start(("5", "6"), *TRAPS, pawns={**ON_TRAPS, "0.1": "two"})
    assert len(free.events("round")) > 1


@pytest.mark.rule("TR-8.5")
@pytest.mark.parametrize(("hands", "winners"), [(("5 2", "6"), [1]), (("5 2 2", "6", "7 8 8"), [1]), (("5 2", "6 2", "9"), [2])])
def test_fewest_points_win(engine, hands, winners):
    table = engine.start(hands, max_rounds=1).say("play 5")
    while not table.game.over:
        table.say(max(table.options()))
    assert table.view["winners"] == winners and table.view["reason"] == "max_rounds"


@pytest.mark.rule("TR-8.5")
def test_equal_points_share_the_win(engine):
    table = engine.start(("5", "6", "7 1"), max_rounds=1).say("move 2.0 a1")
    assert table.view["winners"] == [0, 1] and table.events("end")[0]["winners"] == [0, 1]


@pytest.mark.rule("TR-8.6")
def test_after_the_last_round_the_points_decide(engine):
    played = files.load_bundle(sets=["rules.max_rounds=2", "rules.hand_size=1"])
    table = engine.deal(played, 4)
    play_at_random(table.game, 1, 0)
    assert table.view["reason"] == "max_rounds" and table.view["round"] == 2 and table.view["winners"]


@pytest.mark.rule("TR-8.7")
@pytest.mark.parametrize("last", [1, 2])
def test_from_the_last_trick_on_nobody_takes_cards_up(engine, last):
    table = engine.start(("9 5 5 H", "3 3 11 12 12"), max_tricks=last).say("play 9 H", "play 3 3", "move 1.0 a1")
    if last == 1:
        assert table.hand(1) == "11 12 12" and table.options("play") and not table.events("take")
    else:
        assert table.options() == {"take all", "take part"}
