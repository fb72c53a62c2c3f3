"""TR-1 and TR-2: material, and the setup of a round."""

from __future__ import annotations

from collections import Counter

import pytest
from tricks_kit import bundle, cards

from bhsim.games.tricks import files, legality
from bhsim.games.tricks.actions import HAT, JOKER

BASE = files.load_bundle()


def all_cards(table) -> Counter[int]:
    """Every card in hands and pile."""
    found = Counter(table.view["pile"])
    for seat in range(table.game.players):
        found += cards(table.hand(seat))
    return found


def first_tricks(engine, keys: int, players: int = 4, **rules):
    """Games at their first decision."""
    made = bundle(rules=rules)
    return [engine.deal(made, players, key=key) for key in range(keys)]


@pytest.mark.rule("TR-1.1")
def test_six_of_each_rank_five_jokers_and_the_black_hat(engine):
    found = all_cards(engine.deal(BASE))
    assert found == {**dict.fromkeys(range(1, 14), 6), JOKER: 5, HAT: 1}
    assert found.total() == 83 + 1


@pytest.mark.rule("TR-1.1")
def test_ranks_copies_and_jokers_come_from_the_deck(engine):
    made = bundle(deck={"ranks": 4, "copies": 7, "jokers": 2})
    assert all_cards(engine.deal(made, 2)) == {1: 7, 2: 7, 3: 7, 4: 7, JOKER: 2, HAT: 1}


@pytest.mark.rule("TR-1.2")
def test_penalties_never_fall_with_the_rank_and_the_lowest_two_are_free(engine):
    deck = engine.deal(BASE).bundle.deck
    costs = [deck.penalty(rank) for rank in range(1, 14)]
    assert costs == sorted(costs) and costs[:2] == [0, 0] and max(costs) <= 5 and deck.penalty(HAT) == 5


@pytest.mark.rule("TR-1.2")
@pytest.mark.parametrize(("card", "points"), [("1", 1), ("12", 12), ("J", 20), ("H", 19), ("3 3 J", 26)])
def test_cards_in_hand_cost_their_penalty(engine, card, points):
    table = engine.start((f"13 {card}", "13"), max_rounds=1).say("play 13", "move 1.0 a1")
    assert [line["hand"] for line in table.events("count")] == [points, 0]


@pytest.mark.rule("TR-1.3")
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_two_to_six_play(engine, players):
    table = engine.deal(BASE, players)
    assert len(table.view["hands"]) == players and len(table.view["pawns"]) == 2 * players


@pytest.mark.rule("TR-1.3")
@pytest.mark.parametrize("players", [0, 1, 7])
def test_other_numbers_of_players_are_refused(players):
    (fault,) = legality.check_table(BASE.deck, BASE.rules, players)
    assert fault.allowed == "2 to 6"


@pytest.mark.rule("TR-1.4")
def test_each_player_begins_with_a_pawn_on_each_start_space(engine):
    table = engine.deal(bundle(), 3)
    assert [table.where(f"{seat}.{pawn}") for seat in range(3) for pawn in (0, 1)] == ["one", "two"] * 3


@pytest.mark.rule("TR-1.4")
def test_pawns_stay_where_they_are_between_rounds(engine):
    table = engine.start(("5", "6"), pawns={"0.1": "b3"}).say("move 1.0 a1")
    assert table.view["round"] == 2
    assert (table.where("0.0"), table.where("0.1"), table.where("1.0"), table.where("1.1")) == ("one", "b3", "a1", "two")


@pytest.mark.rule("TR-1.4")
def test_a_start_space_on_the_way_holds_any_number(engine):
    board = ("one: start 0 > two", "two: start 0 > x", "x: 0 > end", "end: critical_assets 0")
    table = engine.start(("5 1", "6 1"), *board).say("play 5")
    assert table.options() == {"move 1.0 two", "move 1.1 x"}


@pytest.mark.rule("TR-2.1")
def test_every_round_is_dealt_from_the_whole_deck_shuffled_anew(engine):
    made = bundle(rules={"hand_size": 1})
    table = engine.deal(made, 2)
    deals = []
    while table.view["round"] < 4 and not table.game.over:
        deals.append((table.view["round"], all_cards(table).total(), tuple(table.view["pile"])))
        seen = table.view["round"]
        while table.view["round"] == seen and not table.game.over:
            table.say(min(table.options()))
    assert [number for number, _, _ in deals] == [1, 2, 3]
    assert len({pile for _, _, pile in deals}) == 3


@pytest.mark.rule("TR-2.1")
def test_the_deal_follows_from_seed_and_key(engine):
    made = bundle()
    hands = [
        [t.hand(seat) for seat in range(4)]
        for t in (engine.deal(made), engine.deal(made), engine.deal(made, key=1), engine.deal(made, root=2))
    ]
    assert hands[0] == hands[1] and hands[0] != hands[2] and hands[0] != hands[3]


@pytest.mark.rule("TR-2.2")
def test_everybody_is_as_likely_to_get_the_black_hat(engine):
    holders = Counter(table.view["holder"] for table in first_tricks(engine, 800))
    assert set(holders) == {0, 1, 2, 3} and all(150 < count < 250 for count in holders.values())


@pytest.mark.rule("TR-2.2")
@pytest.mark.parametrize(("counts", "of_holder"), [(False, 11), (True, 10)])
def test_ten_cards_each_and_the_black_hat_beside_or_among_them(engine, counts, of_holder):
    for table in first_tricks(engine, 6, hat_counts_in_hand=counts):
        holder = table.view["holder"]
        sizes = [sum(hand) for hand in table.view["hands"]]
        assert sizes == [of_holder if seat == holder else 10 for seat in range(4)]
        assert ["H" in table.hand(seat) for seat in range(4)] == [seat == holder for seat in range(4)]
        assert len(table.view["pile"]) == 83 - 40 + counts


@pytest.mark.rule("TR-2.2")
def test_a_deck_too_small_for_the_hands_is_refused():
    made = bundle(deck={"ranks": 3, "copies": 3, "jokers": 0}, rules={"hand_size": 5})
    (fault,) = legality.check_table(made.deck, made.rules, 2)
    assert "need 10 cards; the deck has 9" in fault.message
    assert not legality.check_table(made.deck, made.rules.model_copy(update={"hat_counts_in_hand": True}), 2)


@pytest.mark.rule("TR-2.3")
@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_player_before_the_holder_leads(engine, players):
    for table in first_tricks(engine, 12, players):
        assert table.seat == table.view["leader"] == (table.view["holder"] - 1) % players


@pytest.mark.rule("TR-2.3")
def test_play_goes_clockwise(engine):
    table = engine.start(("9 1", "6 7", "8 9"), leader=1)
    table.say("play 6", "play 8")
    assert [line["side"] for line in table.events("play")] == [1, 2, 0]
