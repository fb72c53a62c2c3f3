"""TR-3, TR-4 and TR-5: leading, following, and who wins what."""

from __future__ import annotations

import pytest


def plays(words: str, ranks: range = range(1, 14)) -> set[str]:
    """A set of jokers as each of these ranks."""
    return {f"play {words} as {rank}" for rank in ranks}


# TR-3


@pytest.mark.rule("TR-3.1")
def test_the_leader_plays_cards_of_one_rank_and_jokers_stand_for_any(engine):
    table = engine.start(("5 5 9 J", "1"))
    assert table.options() == {"play 5", "play 5 5", "play 5 J", "play 5 5 J", "play 9", "play 9 J"} | plays("J")


@pytest.mark.rule("TR-3.1")
def test_a_joker_never_stands_for_the_black_hat(engine):
    table = engine.start(("J 2", "6 7"), hat_alone="as_14")
    assert table.options("play J") == plays("J")
    table.say("play J as 2", "play 7", "move 1.0 a1")
    assert not table.events("take") and table.events("trick")[0] == {"side": 1, "hat": False}


@pytest.mark.rule("TR-3.2")
@pytest.mark.parametrize(("alone", "single"), [("never", set()), ("as_14", {"play H"})])
def test_the_black_hat_is_a_joker_within_a_set(engine, alone, single):
    table = engine.start(("5 5 H", "1"), hat_alone=alone)
    assert table.options() == {"play 5", "play 5 5", "play 5 H", "play 5 5 H"} | single


@pytest.mark.rule("TR-3.2")
def test_alone_it_ranks_one_above_the_highest(engine):
    table = engine.start(("13 1", "2 H"), hat_alone="as_14").say("play 13")
    assert table.options() == {"play H", "discard 2"}
    table.say("play H")
    assert table.view["trick"][-1] == [1, 14, 0, 0, 1, 0]


@pytest.mark.rule("TR-3.3")
def test_the_rank_of_a_set_of_jokers_is_chosen(engine):
    table = engine.start(("J J H", "1"))
    assert table.options() == plays("J") | plays("J J") | plays("J H") | plays("J J H")


@pytest.mark.rule("TR-3.3")
def test_or_it_is_fixed(engine):
    table = engine.start(("J J H 2", "8 9"), joker_only_rank=7)
    assert table.options("play J") == {"play J as 7", "play J J as 7", "play J H as 7", "play J J H as 7"}
    table = engine.start(("8 1", "J 3"), joker_only_rank=7).say("play 8")
    assert table.options() == {"discard 3", "discard J"}


@pytest.mark.rule("TR-3.4")
@pytest.mark.parametrize(("rule", "leader"), [("winner", 2), ("clockwise", 1)])
def test_who_leads_next(engine, rule, leader):
    table = engine.start(("5 1 1", "6 2 1", "7 2 1"), next_leader=rule)
    table.say("play 5", "move 2.0 a1")
    assert table.seat == table.view["leader"] == leader


@pytest.mark.rule("TR-3.5")
def test_a_hand_of_only_the_black_hat_waits(engine):
    table = engine.start(("5 6", "H", "7 8")).say("play 5")
    assert table.events("skip") == [{"side": 1}] and table.seat == 2
    table.say("play 7", "move 2.0 a1")
    assert table.hand(1) == "H"


@pytest.mark.rule("TR-3.5")
def test_or_passes_the_lead_clockwise(engine):
    table = engine.start(("5 6", "H", "7 8"), leader=1)
    assert table.events("pass_lead") == [{"side": 1}] and table.seat == table.view["leader"] == 2


@pytest.mark.rule("TR-3.5")
def test_it_may_be_played_alone_where_a_rule_says_so(engine):
    led = engine.start(("5 6", "H", "7 8"), leader=1, hat_only="as_14")
    assert led.view["trick"] == [[1, 14, 0, 0, 1, 0]] and led.options() == {"play 7", "play 8"}
    followed = engine.start(("5 6", "H", "7 8"), hat_only="as_14").say("play 5")
    assert followed.view["trick"][1] == [1, 14, 0, 0, 1, 0]


@pytest.mark.rule("TR-3.5")
def test_but_not_to_a_pair_nor_while_there_is_another_card(engine):
    pair = engine.start(("5 5 6", "H", "7 8"), hat_only="as_14").say("play 5 5")
    assert pair.events("skip") == [{"side": 1}]
    other = engine.start(("5 6", "2 3 H", "7 8"), hat_only="as_14").say("play 5")
    assert other.options() == {"discard 2", "discard 3"}


# TR-4


@pytest.mark.rule("TR-4.1")
def test_a_follower_plays_as_many_of_an_equal_or_higher_rank(engine):
    table = engine.start(("5 5 6", "4 4 5 5 7 7 7", "5 5 7 7 8 8 8 J")).say("play 5 5")
    assert table.options() == {"play 5 5", "play 7 7"}
    table.say("play 7 7")
    assert table.options() == {"play 7 7", "play 7 J", "play 8 8", "play 8 J"}


@pytest.mark.rule("TR-4.2")
def test_else_one_card_but_not_the_black_hat(engine):
    table = engine.start(("5 5 6", "2 3 3 J H")).say("play 5 5")
    assert table.options("discard") == {"discard 2", "discard 3", "discard J"}
    table.say("discard J", "move 0.0 a1")
    assert table.hand(1) == "2 3 3 H"


@pytest.mark.rule("TR-4.2")
def test_one_of_the_two_is_compulsory(engine):
    table = engine.start(("5 5 6", "2 9")).say("play 5 5")
    assert table.options() == {"discard 2", "discard 9"}


@pytest.mark.rule("TR-4.3")
@pytest.mark.parametrize(("rule", "discards"), [("when_unable", set()), ("free", {"discard 6", "discard 7"})])
def test_who_is_able_must_follow_unless_discards_are_free(engine, rule, discards):
    table = engine.start(("5 5 6", "6 6 7 7"), discard=rule).say("play 5 5")
    assert table.options() == {"play 6 6", "play 7 7"} | discards


@pytest.mark.rule("TR-4.3")
@pytest.mark.parametrize(
    ("counts", "hand", "able"),
    [
        ("with_jokers", "6 7 J", True),
        ("natural", "6 7 J", False),
        ("all", "6 7 J", True),
        ("with_jokers", "6 7 H", False),
        ("natural", "6 7 H", False),
        ("all", "6 7 H", True),
        ("natural", "6 6 7 7", True),
    ],
)
def test_what_makes_able(engine, counts, hand, able):
    table = engine.start(("5 5 1", hand), able_counts=counts).say("play 5 5")
    assert table.options("play")
    assert bool(table.options("discard")) is not able


@pytest.mark.rule("TR-4.3")
def test_under_a_single_lead_a_card_that_follows_is_no_discard(engine):
    table = engine.start(("5 1", "3 7 9 J"), discard="free").say("play 5")
    assert table.options() == {"play 7", "play 9", "discard 3", "discard J"} | plays("J", range(5, 14))


@pytest.mark.rule("TR-4.4")
@pytest.mark.parametrize(("rule", "lower"), [("at_least_best", set()), ("any_rank", {"play 3 3"})])
def test_lower_sets_may_follow_where_a_rule_says_so(engine, rule, lower):
    table = engine.start(("5 5 1", "3 3 6 6 7 7"), follow=rule).say("play 5 5")
    assert table.options() == {"play 6 6", "play 7 7"} | lower


@pytest.mark.rule("TR-4.5")
@pytest.mark.parametrize(("rule", "lower"), [("any_rank", {"play 3 3"}), ("as_follow", set())])
def test_once_the_black_hat_is_there_lower_sets_may_follow(engine, rule, lower):
    table = engine.start(("9 5 H", "3 3 12 12 13 13"), follow_after_hat=rule).say("play 9 H")
    assert table.options() == {"play 12 12", "play 13 13"} | lower


@pytest.mark.rule("TR-4.5")
def test_the_set_that_brings_it_follows_as_any_other(engine):
    table = engine.start(("9 9 1", "3 11 12 H")).say("play 9 9")
    assert table.options("play") == {"play 11 H", "play 12 H"}


# TR-5


@pytest.mark.rule("TR-5.1")
def test_the_highest_set_wins_and_among_equals_the_last(engine):
    table = engine.start(("5 1", "9 1", "9 1", "8 1")).say("play 5", "discard 1")
    assert table.winner_of_trick() == 2


@pytest.mark.rule("TR-5.1")
def test_discards_never_win(engine):
    table = engine.start(("5 5 1", "12 13", "2 13")).say("play 5 5", "discard 13", "discard 13")
    assert table.winner_of_trick() == 0


@pytest.mark.rule("TR-5.2")
def test_with_the_black_hat_the_lowest_set_wins_and_among_equals_the_last(engine):
    table = engine.start(("9 5 H", "3 3 1", "3 3 1", "4 4 1")).say("play 9 H")
    assert table.winner_of_trick() == 2


@pytest.mark.rule("TR-5.2")
def test_discards_do_not_win_then_either(engine):
    table = engine.start(("9 5 H", "1 2")).say("play 9 H", "discard 1")
    assert table.winner_of_trick() == 0


@pytest.mark.rule("TR-5.2")
@pytest.mark.parametrize(("last", "winner"), [("play H", 1), ("play 9", 2)])
def test_a_lower_single_is_a_set_only_beside_the_black_hat(engine, last, winner):
    table = engine.start(("5 6", "2 3", "9 H"), hat_alone="as_14").say("play 5", "discard 2", last)
    assert table.winner_of_trick() == winner


@pytest.mark.rule("TR-5.2")
def test_a_discarded_joker_has_no_rank(engine):
    table = engine.start(("5 6", "3 J", "9 H"), hat_alone="as_14", able_counts="natural").say("play 5", "discard J", "play H")
    assert table.winner_of_trick() == 0


@pytest.mark.rule("TR-5.3")
def test_after_a_normal_trick_its_cards_are_out(engine):
    table = engine.start(("5 1 1", "6 2 2"), pile="8 9").say("play 5", "move 1.0 a1")
    assert (table.hand(0), table.hand(1), table.view["pile"]) == ("1 1", "2 2", [9, 8])


def hat_trick(engine, **rules):
    """Seat 1 has won 9 H, 3 3 and 7 J, and holds a 12; seat 0 led."""
    table = engine.start(("9 5 H", "3 3 12", "7 7 12 J"), **rules)
    return table.say("play 9 H", "play 7 J")


@pytest.mark.rule("TR-5.4")
def test_the_winner_moves_and_then_takes_everything(engine):
    table = hat_trick(engine)
    assert table.seat == 1 and table.options() == {"move 1.0 a1", "move 1.1 b1"}
    table.say("move 1.0 a1")
    assert table.seat == 1 and table.options() == {"take all", "take part"}
    assert table.say("take all").hand(1) == "3 3 7 9 12 J H"


@pytest.mark.rule("TR-5.4")
def test_or_the_black_hat_and_as_many_cards_as_were_led(engine):
    table = hat_trick(engine).say("move 1.0 a1", "take part")
    assert table.options() == {"pick 3", "pick 7"}
    assert table.say("pick 3").options() == {"pick 3", "pick 7", "pick 9"}
    assert table.say("pick 9").hand(1) == "3 9 12 H"
    assert table.view["picked"] == [0] * 15 and table.hand(2) == "7 12"


@pytest.mark.rule("TR-5.4")
def test_jokers_and_the_black_hat_of_the_lead_may_not_count(engine):
    table = hat_trick(engine, take_count="leader_non_jokers").say("move 1.0 a1", "take part")
    assert table.options() == {"pick 3", "pick 7", "pick 9"}
    assert table.say("pick 7").hand(1) == "7 12 H"


@pytest.mark.rule("TR-5.4")
@pytest.mark.parametrize(("rule", "count"), [("leader_cards", 4), ("leader_non_jokers", 2)])
def test_jokers_of_the_lead_count_as_cards(engine, rule, count):
    table = engine.start(("9 9 J H 5", "1 1 1 1 12"), take_count=rule).say("play 9 9 J H", "move 1.0 a1", "take part")
    table.say("pick 1", "pick 9")  # the first of four could only be 1s, and were not asked
    assert table.hand(1) == " ".join([*["1"] * (count - 1), "9", "12", "H"])


@pytest.mark.rule("TR-5.4")
def test_fewer_if_there_are_fewer(engine):
    table = engine.start(("5 J J H", "2 4")).say("play J J H as 9", "discard 2", "move 0.0 a1", "take part")
    assert table.hand(0) == "2 5 H"


@pytest.mark.rule("TR-5.4")
def test_nothing_is_asked_where_part_is_all(engine):
    table = engine.start(("9 5 H", "2 4")).say("play 9 H", "discard 2", "move 0.0 a1")
    assert table.hand(0) == "2 5 9 H" and table.view["trick_number"] == 2
