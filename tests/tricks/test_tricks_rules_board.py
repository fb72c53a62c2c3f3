"""TR-6 and TR-7: moving, and what spaces and tiles do."""

from __future__ import annotations

from collections import Counter

import pytest
from tricks_kit import board as made_board
from tricks_kit import bundle

from bhsim.errors import BadInput
from bhsim.games import luck
from bhsim.games.tricks.reference.board import Board

START = ("one: start 0 > a", "two: start 0 > z")
END = ("z: 0 > end", "end: critical_assets 0")
FORK = (*START, "a: 0 > b c", "b: 0 > d", "c: 0 > d", "d: 0 > end", *END)
HANDS = ("5 1 1", "6 1 1")  # seat 0 leads, seat 1 wins


def won(engine, *lines: str, made=None, **named):
    """Seat 1 of two has won a trick and is to move; made: a bundle instead of lines of a board."""
    table = engine.on(made, HANDS, **named) if made else engine.start(HANDS, *lines, **named)
    return table.say("play 5")


@pytest.mark.rule("TR-6.1")
def test_the_winner_moves_one_own_pawn_one_step_along_an_arrow(engine):
    table = won(engine, *FORK, pawns={"1.0": "a"})
    assert table.options() == {"move 1.0 b", "move 1.0 c", "move 1.1 z"}
    table.say("move 1.0 c")
    assert table.where("1.0") == "c" and table.where("1.1") == "two" and table.view["seat"] == 1


@pytest.mark.rule("TR-6.1")
@pytest.mark.parametrize(("value", "movable"), [(-1, True), (0, False), (3, False)])
def test_or_an_opponents_pawn_that_stands_on_a_negative_space(engine, value, movable):
    board = (*START, f"a: {value} > b", "b: 0 > end", *END)
    table = won(engine, *board, pawns={"0.0": "a"})
    assert ("move 0.0 b" in table.options()) is movable
    assert "move 0.1 z" not in table.options()


@pytest.mark.rule("TR-6.2")
def test_occupied_spaces_are_jumped_and_the_mover_chooses_at_their_forks(engine):
    table = won(engine, *FORK, pawns={"0.0": "a"})
    assert table.options("move 1.0") == {"move 1.0 b", "move 1.0 c"}


@pytest.mark.rule("TR-6.2")
def test_several_in_a_row_are_jumped_and_own_pawns_are_occupants_too(engine):
    table = won(engine, *FORK, pawns={"1.1": "a", "0.0": "b"})
    assert table.options("move 1.0") == {"move 1.0 c", "move 1.0 d"}


@pytest.mark.rule("TR-6.2")
def test_only_the_landing_space_acts(engine):
    board = (*START, "a: exploit 0 > b", "b: trap 0 > c", "c: 0 > end", *END)
    table = won(engine, *board, pawns={"0.0": "a", "0.1": "b"}).say("move 1.0 c")
    assert table.seat == 1 and table.options("play") and not table.events("exploit")
    assert table.view["stuck"] == [False, True, False, False]


@pytest.mark.rule("TR-6.3")
def test_a_pawn_on_a_trap_stays_there(engine):
    board = (*START, "a: trap -3 > b", "b: 0 > end", "x: 0 > end", *END)
    table = won(engine, *board, pawns={"0.0": "a", "1.0": "x"})
    assert table.options() == {"move 1.0 end", "move 1.1 z"}
    other = won(engine, *board, pawns={"0.0": "x", "1.0": "a"})
    assert other.events("move") == [{"side": 1, "owner": 1, "pawn": 1, "start": "two", "end": "z"}]


TRAPPED = {"1.0": "a", "1.1": "y"}
TRAPS = ("one: start 0 > a", "two: start 0 > y", "a: trap 0 > end", "y: trap 0 > end", "end: critical_assets 0")


@pytest.mark.rule("TR-6.4")
@pytest.mark.parametrize(("pile", "hand", "left"), [("8 9", "1 1 8", [9]), ("", "1 1", [])])
def test_who_cannot_move_draws_a_card_if_there_is_one(engine, pile, hand, left):
    table = won(engine, *TRAPS, pawns=TRAPPED, pile=pile)
    assert table.hand(1) == hand and table.view["pile"] == left and not table.events("move")


@pytest.mark.rule("TR-6.4")
@pytest.mark.parametrize(("compulsory", "stay"), [(True, set()), (False, {"stay"})])
def test_moving_is_compulsory_unless_a_rule_says_otherwise(engine, compulsory, stay):
    table = won(engine, *FORK, pile="8", compulsory_move=compulsory)
    assert table.options() == {"move 1.0 a", "move 1.1 z"} | stay
    if stay:
        table.say("stay")
        assert table.where("1.0") == "one" and table.hand(1) == "1 1" and table.view["pile"] == [8]


@pytest.mark.rule("TR-7.1")
def test_a_trap_holds_the_pawn_that_lands_on_it_for_ever(engine):
    board = (*START, "a: trap -1 > b", "b: 0 > end", *END)
    table = won(engine, *board).say("move 1.0 a")
    assert table.view["stuck"] == [False, False, True, False]
    table.say("play 1")  # seat 0 follows with its 1 and wins; the trap is negative, and still the pawn there is no choice
    assert table.seat == 0 and table.options() == {"move 0.0 b", "move 0.1 z"}


@pytest.mark.rule("TR-7.2")
@pytest.mark.parametrize(("choice", "space", "value"), [("exploit z -1", "z", -1), ("exploit z +1", "z", 1), ("exploit end +1", "end", 1)])
def test_an_exploit_changes_any_one_value_by_one(engine, choice, space, value):
    board = (*START, "a: exploit 2 > b", "b: 0 > end", *END)
    table = won(engine, *board).say("move 1.0 a")
    assert table.seat == 1
    assert table.options() == {f"exploit {key} {amount}" for key in ("one", "two", "a", "b", "z", "end") for amount in ("-1", "+1")}
    table.say(choice)
    assert table.value(space) == value and sum(table.view["values"]) == 2 + value


@pytest.mark.rule("TR-7.2")
def test_values_stay_within_two_digits():
    board = Board(made_board(*FORK), 2)
    board.shift["a"], board.shift["b"] = 99, -99
    assert [board.can_shift(space, amount) for space in ("a", "b") for amount in (-1, 1)] == [True, False, False, True]


@pytest.mark.rule("TR-7.2")
def test_a_value_made_negative_lets_opponents_move_the_pawn_there(engine):
    board = (*START, "a: exploit 0 > b", "b: 0 > end", *END)
    table = won(engine, *board, pawns={"0.1": "z"}).say("move 1.0 a", "exploit z -1", "play 1")
    assert table.winner_of_trick() == 0 and "move 0.1 end" in table.options()
    other = won(engine, *board, pawns={"0.1": "z"}).say("move 1.0 a", "exploit a -1", "play 1")
    assert "move 1.0 b" in other.options()


@pytest.mark.rule("TR-7.3")
def test_a_backflip_moves_any_pawn_back_along_an_arrow_to_a_free_space(engine):
    board = (*START, "a: 0 > b c", "b: 0 > d", "c: 0 > d", "d: backflip 0 > end", *END)
    pawns = {"1.0": "b", "0.0": "c", "0.1": "z"}
    table = won(engine, *board, pawns=pawns).say("move 1.0 d")
    assert table.options() == {"back 1.0 b", "back 0.0 a", "back 0.1 two"}
    table.say("back 0.1 two")
    assert [table.where(pawn) for pawn in ("0.0", "0.1", "1.0", "1.1")] == ["c", "two", "d", "two"]


@pytest.mark.rule("TR-7.3")
def test_what_a_trap_has_it_keeps(engine):
    board = (*START, "a: trap 0 > b", "x: 0 > b", "b: backflip 0 > end", *END)
    table = won(engine, *board, pawns={"0.0": "a", "1.0": "x"}).say("move 1.0 b")
    assert table.events("back") == [{"side": 1, "owner": 1, "pawn": 0, "start": "b", "end": "x"}]  # the only choice, so it was not asked


@pytest.mark.rule("TR-7.3")
def test_a_pawn_that_goes_back_onto_a_trap_is_stuck(engine):
    board = (*START, "a: 0 > t b", "t: trap 0 > b", "b: backflip 0 > end", *END)
    table = won(engine, *board, pawns={"1.0": "a"}).say("move 1.0 b")
    assert table.options() == {"back 1.0 a", "back 1.0 t"}
    assert table.say("back 1.0 t").view["stuck"] == [False, False, True, False]


@pytest.mark.rule("TR-7.3")
def test_a_pawn_that_goes_back_wakes_nothing_there(engine):
    board = (*START, "a: exploit 0 > b", "b: backflip 0 > c", "c: 0 > end", *END)
    table = won(engine, *board, pawns={"1.0": "a"}).say("move 1.0 b")
    assert table.where("1.0") == "a" and not table.events("exploit")  # the only way back, so nothing was asked


RANDOM = (*START, "a: randomizer 0 > b", "b: 0 > c d", "c: 0 > end", "d: 0 > end", *END)
TILES = {
    "low": {"b": {"value": -4}},
    "high": {"b": {"value": 4}},
    "far": {"c": {"kind": "trap", "value": 7}, "d": {"arrows": ["c", "end"]}},
}


@pytest.mark.rule("TR-7.4")
def test_a_randomizer_lays_a_random_tile_on_its_place(engine):
    made = bundle(*RANDOM, tiles=TILES, rules={"hand_size": 1})
    found = Counter()
    for key in range(60):
        table = engine.deal(made, 2, key=key, setting={"hands": HANDS, "leader": 0, "pile": "", "pawns": {}}).say("play 5", "move 1.0 a")
        (tile,) = table.events("tile")
        found[tile["tile"]] += 1
        assert table.view["laid"] == [tile["tile"] == name for name in TILES]
        assert table.value("b") == {"low": -4, "high": 4, "far": 0}[tile["tile"]]
    assert set(found) == set(TILES) and min(found.values()) > 8


@pytest.mark.rule("TR-7.4")
def test_each_tile_is_a_draw_of_its_own_from_the_movers_stream(engine):
    board = ("one: start 0 > a", "two: start 0 > z", "a: randomizer 0 > b", "z: randomizer 0 > b", *RANDOM[3:6], "end: critical_assets 0")
    tiles = {name: {space: {"value": 1}} for name, space in (("t0", "a"), ("t1", "z"), ("t2", "b"), ("t3", "c"), ("t4", "d"))}
    made = bundle(*board, tiles=tiles, rules={"hand_size": 1})
    for key in range(12):
        setting = {"hands": ("5 1 1 1", "6 2 2 3"), "leader": 0, "pile": "", "pawns": {}}
        table = engine.deal(made, 2, key=key, setting=setting).say("play 5", "move 1.0 a", "play 2", "move 1.1 z")
        stream, left = luck.Stream(luck.key_of(1, key), luck.EFFECT + 1), list(tiles)
        expected = [left.pop(stream.below(number, len(left))) for number in (0, 1)]
        assert [line["tile"] for line in table.events("tile")] == expected
        assert table.view["random_draws"] == [0, 2]


@pytest.mark.rule("TR-7.4")
def test_one_that_lies_there_already_is_not_drawn_and_gives_way_to_another_of_its_place(engine):
    made = bundle(*RANDOM, tiles={key: TILES[key] for key in ("low", "high")}, laid=("low",), rules={"hand_size": 1})
    table = won(engine, made=made)
    assert table.value("b") == -4
    table.say("move 1.0 a")
    assert table.value("b") == 4 and table.view["laid"] == [False, True]


@pytest.mark.rule("TR-7.4")
def test_a_randomizer_without_a_tile_does_nothing(engine):
    table = won(engine, *RANDOM).say("move 1.0 a")
    assert table.where("1.0") == "a" and not table.events("tile") and table.view["random_draws"] == [0, 0]


@pytest.mark.rule("TR-7.5")
def test_a_tile_replaces_values_kinds_and_arrows(engine):
    table = won(engine, made=bundle(*RANDOM, tiles=TILES, laid=("far",), rules={"hand_size": 1}), pawns={"1.0": "d"})
    assert table.value("c") == 7 and table.options("move 1.0") == {"move 1.0 c", "move 1.0 end"}
    assert table.say("move 1.0 c").view["stuck"] == [False, False, True, False]


@pytest.mark.rule("TR-7.5")
def test_luck_lays_the_first_tiles_where_a_rule_says_so(engine):
    made = bundle(*RANDOM, tiles=TILES, laid=("low",), rules={"tiles": "random"})
    laid = Counter(tuple(engine.deal(made, 2, key=key).view["laid"]) for key in range(120))
    assert set(laid) == {(low, high, far) for low in (False, True) for high in (False, True) for far in (False, True) if not (low and high)}
    listed = bundle(*RANDOM, tiles=TILES, laid=("low",))
    assert {tuple(engine.deal(listed, 2, key=key).view["laid"]) for key in range(9)} == {(True, False, False)}


@pytest.mark.rule("TR-7.5")
def test_the_first_of_two_tiles_of_a_place_stays_there(engine):
    made = bundle(*RANDOM, tiles=TILES, rules={"tiles": "random"})
    for key in range(40):
        stream, order, laid = luck.Stream(luck.key_of(1, key), luck.SETUP), list(TILES), {}
        stream.shuffle(order, 0)
        for number, tile in enumerate(order):
            if stream.below(64 + number, 2):
                laid.setdefault("c" if tile == "far" else "b", tile)
        assert engine.deal(made, 2, key=key).view["laid"] == [tile in laid.values() for tile in TILES]


@pytest.mark.rule("TR-7.5")
def test_an_exploit_stays_with_its_space_and_a_trap_with_its_pawn(engine):
    board = (*START, "a: exploit 0 > b", "b: randomizer 0 > t c", "t: trap 0 > c", "c: 0 > end", *END)
    tiles = {"cover": {"z": {"value": 5}, "t": {"kind": "plain"}}}
    made = bundle(*board, tiles=tiles, rules={"hand_size": 1})
    table = engine.on(made, ("5 1 1", "6 1 2"), pawns={"0.0": "t"}).say("play 5", "move 1.0 a", "exploit z +1", "play 2", "move 1.0 b")
    assert table.value("z") == 6 and table.view["kinds"][table.ids.index("t")] == "plain"
    assert table.view["stuck"] == [True, False, False, False]


@pytest.mark.rule("TR-7.5")
def test_a_tile_laid_under_a_pawn_traps_it(engine):
    board = (*START, "a: randomizer 0 > b", "b: 0 > end", *END)
    table = won(engine, made=bundle(*board, tiles={"dig": {"z": {"kind": "trap"}}}, rules={"hand_size": 1}), pawns={"0.1": "z"})
    assert table.say("move 1.0 a").view["stuck"] == [False, True, False, False]


@pytest.mark.rule("TR-7.5")
def test_no_tile_may_close_a_circle():
    with pytest.raises(BadInput, match="circle with the tiles back: b -> c -> b"):
        bundle(*RANDOM, tiles={"back": {"c": {"arrows": ["b", "end"]}}})
