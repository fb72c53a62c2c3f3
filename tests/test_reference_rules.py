"""The rules page, rule by rule, on the plain engine: small boards and cards made for one question each."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from reference_kit import (
    DONE,
    EXTRACT,
    NONE,
    PASS,
    RED,
    SECURE,
    SIGNATURE,
    SPLIT,
    activate,
    attack,
    board_of,
    do,
    finish_round,
    kinds,
    man,
    options,
    row,
    start,
)

from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import model
from bhsim.games.skirmish.reference import Game, Pool
from bhsim.games.skirmish.reference.picks import NodePick

# SK-3, SK-4: setup and turns


@pytest.mark.rule("SK-3.1")
def test_the_first_player_and_the_deal_come_from_the_key():
    games = [start(RED, [man(0)], [man(14)], opening_hand=3) for _ in range(2)]
    assert games[0].view() == games[1].view()
    assert games[0].token == 0


@pytest.mark.rule("SK-3.2")
def test_each_draws_the_opening_hand():
    game = start(RED, [man(0)], [man(14)], opening_hand=6)
    assert [len(h) for h in game.hand] == [6, 6] and [len(d) for d in game.deck] == [4, 4]


@pytest.mark.rule("SK-3.3")
def test_runners_are_deployed_on_free_online_home_nodes():
    cards = model.CardSet(
        name="t",
        cards={"c": {"name": "c", "damage": 0}},
        runners={n: {"name": n, "bandwidth": 0, "attack": 0} for n in "xy"},
        rigs={n: {"name": n, "bandwidth": 0, "signal": 1, "security": 0, "speed": 0} for n in "xy"},
    )
    crew = model.Crew(name="c", members=[{"runner": n, "rig": n} for n in "xy"])
    deck = model.Deck(name="d", cards={"c": 5})
    game = Game(Pool(cards, board_of(("r0-rr", "rrrrr", "rr1rr")), model.Rules()), (crew, crew), (deck, deck), 1, 0, 0)
    first = game.token
    homes = ({0, 3, 4}, {10, 11, 13, 14})
    assert game.seat == first and options(game, act.DEPLOY) == {(0, n) for n in homes[first]}
    taken = max(homes[first])
    do(game, (act.DEPLOY, 0, taken))
    assert game.seat == first and options(game, act.DEPLOY) == {(1, n) for n in homes[first] - {taken}}
    do(game, (act.DEPLOY, 1, min(homes[first])))
    assert game.seat == 1 - first and options(game, act.DEPLOY) == {(0, n) for n in homes[1 - first]}


@pytest.mark.rule("SK-4.1")
def test_turns_alternate_from_the_token_holder():
    game = start(RED, [man(0), man(2)], [man(14), man(13)])
    assert game.seat == 0
    activate(game, 0)
    assert game.seat == 0 and kinds(game) == {act.ACTION}
    do(game, NONE)
    assert game.seat == 1


@pytest.mark.rule("SK-4.2")
def test_who_passed_waits_while_the_other_goes_on():
    game = start(RED, [man(0), man(2)], [man(4), man(13)])
    do(game, PASS)
    assert game.seat == 1
    activate(game, 0, NONE)
    assert game.seat == 1 and options(game, act.ACTIVATE) == {(0, 1)}


@pytest.mark.rule("SK-4.3")
def test_the_round_ends_when_both_have_passed():
    game = start(RED, [man(0)], [man(14)])
    do(game, PASS)
    assert game.round == 1
    do(game, PASS)
    assert game.round == 2 and game.passed == [False, False]


@pytest.mark.rule("SK-4.4")
def test_from_max_turns_on_only_passing_is_legal():
    game = start(RED, [man(0), man(2)], [man(14), man(13)], max_turns=2, max_rounds=2)
    do(game, PASS)  # turn 2 and all later ones of the round pass by themselves
    assert game.round == 2 and game.turn == 1


# SK-5: cards


@pytest.mark.rule("SK-5.1")
def test_a_played_card_goes_to_the_discard_pile_before_it_works():
    cards = {"recall": (0, [row("return_card", count=1, how="chosen")])}
    game = start(RED, [man(0)], [man(14)], cards, opening_hand=1)
    do(game, (act.CARD, 0, 0))
    assert game.hand[0] == ["recall"] and game.discard[0] == []


@pytest.mark.rule("SK-5.2")
def test_a_row_without_target_does_nothing_and_the_rest_resolves():
    cards = {"c": (0, [row("heal", target="own", amount=1), row("draw", count=2)])}
    game = start(RED, [man(0)], [man(14)], cards, opening_hand=1)
    do(game, (act.CARD, 0, 0))
    assert len(game.hand[0]) == 2


@pytest.mark.rule("SK-5.4")
@pytest.mark.parametrize(("duration", "after_turn", "after_round"), [("turn", 1, 1), ("round", 3, 1)])
def test_numbers_end_with_their_duration(duration, after_turn, after_round):
    boost = row("stat", target="self", stat="attack", amount=2, duration=duration)
    game = start(RED, [man(0, does=(boost,))], [man(14)])
    activate(game, 0, SIGNATURE)
    runner = game.crew[0][0]
    assert game.number(runner, "attack") == after_turn
    finish_round(game)
    assert game.round == 2 and game.number(runner, "attack") == after_round


@pytest.mark.rule("SK-5.4")
def test_next_attack_ends_with_that_attack():
    boost = row("stat", target="self", stat="attack", amount=2, duration="next_attack")
    again = row("ready", target="self")
    game = start(RED, [man(0, does=(boost,))], [man(14, signal=9, does=(again,))])
    activate(game, 0, SIGNATURE)
    runner = game.crew[0][0]
    runner.ready = True
    do(game, PASS)
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 6 and game.number(runner, "attack") == 1


@pytest.mark.rule("SK-5.5")
def test_texts_woken_wait_in_a_queue_the_active_side_first():
    def hurt(trigger):
        return row("draw", trigger=trigger, count=1)

    ours = man(0, does=(row("damage", target="any", all=True, amount=1), hurt("damaged")))
    lines: list[dict] = []
    game = start(RED, [ours], [man(14, does=(hurt("damaged"),)), man(13, does=(hurt("damaged"),))], log=lines.append)
    activate(game, 0, SIGNATURE)
    assert [(e["side"], e["cause"]) for e in lines if e["event"] == "draw"] == [(0, "a0"), (1, "b0"), (1, "b1")]


# SK-6: hacking


def hacker(**fields: Any) -> tuple:
    return (row("hack", **{"count": 1, "states": ["blue"], **fields}),)


@pytest.mark.rule("SK-6.1")
def test_runners_locks_and_servers_cannot_be_hacked():
    game = start(("r0rr", "-rrr", "rr1r"), [man(0, does=hacker())], [man(11)])
    game.network.locks = {5}
    activate(game, 0, SIGNATURE)
    assert options(game, act.NODE) == {(0, n) for n in (2, 3, 4, 6, 7, 8, 9)}


@pytest.mark.rule("SK-6.2")
def test_a_hack_frees_older_locks_and_locks_its_own_nodes():
    game = start(RED, [man(0, does=hacker() + hacker())], [man(14)])
    activate(game, 0, SIGNATURE, (act.NODE, 0, 7))
    assert game.network.locks == {7}
    assert (0, 7) not in options(game, act.NODE)
    do(game, (act.NODE, 0, 8))
    assert game.network.locks == {8} and game.network.states[7] == game.network.states[8] == "blue"


@pytest.mark.rule("SK-6.2")
def test_a_hack_of_no_node_frees_nothing():
    game = start(RED, [man(0, does=hacker(up_to=True))], [man(14)])
    game.network.locks = {3}
    activate(game, 0, SIGNATURE, DONE)
    assert game.network.locks == {3}


@pytest.mark.rule("SK-6.3")
def test_a_node_may_be_hacked_to_its_own_state():
    game = start(RED, [man(0, does=hacker(states=["red"]))], [man(14)])
    activate(game, 0, SIGNATURE, (act.NODE, 0, 7))
    assert game.network.locks == {7} and game.network.states[7] == "red"


@pytest.mark.rule("SK-6.4")
@pytest.mark.parametrize(("link", "second_group"), [("touching", True), ("single_group", False)])
def test_two_touching_pairs_are_connected_by_the_words_of_the_rulebook(link, second_group):
    game = start(RED, [man(2, does=hacker(count=4))], [man(7)], connected_hack=link)
    activate(game, 0, SIGNATURE, (act.NODE, 0, 0))  # its only free neighbour is 5, which follows by itself
    touching = {(0, n) for n in (6, 10, 11)}
    assert options(game, act.NODE) >= touching
    assert (options(game, act.NODE) > touching) == second_group
    if second_group:
        do(game, (act.NODE, 0, 13))  # opens a second group, so that its partner has to follow
        assert options(game, act.NODE) == {(0, n) for n in (8, 14)}


@pytest.mark.rule("SK-6.5")
@pytest.mark.parametrize(("short", "hacked"), [("as_many", {2, 6}), ("nothing", set())])
def test_an_exact_hack_that_is_too_large(short, hacked):
    game = start(RED, [man(0, does=hacker(count=3, connected=False))], [man(14)], hack_short=short)
    game.network.locks = set(range(15)) - {2, 6, 0, 14}
    before = set(game.network.locks)
    activate(game, 0, SIGNATURE)
    if hacked:
        do(game, (act.NODE, 0, 2))
    assert game.network.locks == (hacked or before)


@pytest.mark.rule("SK-6.6")
@pytest.mark.parametrize("mode", ["same", "each"])
def test_one_new_state_for_all_or_one_for_each(mode):
    game = start(RED, [man(0, does=hacker(count=2, states=["blue", "gray"]))], [man(14)], hack_states=mode)
    activate(game, 0, SIGNATURE, (act.STATE, 0, 1), (act.NODE, 0, 7))
    if mode == "each":
        assert options(game, act.STATE) == {(0, 1), (0, 2)}
        do(game, (act.STATE, 0, 2))
    do(game, (act.NODE, 0, 8))
    assert (game.network.states[7], game.network.states[8]) == ("blue", "blue" if mode == "same" else "gray")


@pytest.mark.rule("SK-6.7")
def test_the_text_lists_the_states():
    game = start(RED, [man(0, does=hacker(states="any_online"))], [man(14)])
    activate(game, 0, SIGNATURE)
    assert options(game, act.STATE) == {(0, 0), (0, 1), (0, 2)}


@pytest.mark.rule("SK-6.8")
def test_changing_a_state_ignores_locks_and_runners_but_not_for_offline():
    change = row("change_state", count=1, states=["blue", "offline"])
    game = start(RED, [man(0, does=(change,))], [man(14)])
    game.network.locks = {7}
    activate(game, 0, SIGNATURE, (act.STATE, 0, 3))
    assert options(game, act.NODE) == {(0, n) for n in range(15)} - {(0, n) for n in (0, 14, 1, 12)}
    do(game, (act.NODE, 0, 7))
    assert game.network.states[7] == "offline" and game.network.locks == {7}


@pytest.mark.rule("SK-6.9")
@pytest.mark.rule("SK-9.1")
def test_locks_vanish_at_the_end_of_the_round():
    game = start(RED, [man(0, does=hacker())], [man(14)])
    activate(game, 0, SIGNATURE, (act.NODE, 0, 7))
    finish_round(game)
    assert game.round == 2 and game.network.locks == set()


@pytest.mark.rule("SK-6.4")
@pytest.mark.parametrize("link", [None, "touching", "single_group"])
@pytest.mark.parametrize("exact", [True, False])
def test_picks_reach_every_legal_set_and_no_other(link, exact):
    """All sets that node by node choices can end with, against all sets that the rule's own words allow."""
    rng = random.Random(5)
    board = board_of(("rrrr", "rrrr", "rrrr"))
    for _ in range(40):
        eligible = set(rng.sample(range(12), rng.randint(0, 9)))
        count = rng.randint(1, 4)
        legal = {frozenset(s) for n in range(count + 1) for s in itertools.combinations(sorted(eligible), n) if legal_set(s, board, link)}
        most = max(map(len, legal))
        assert NodePick(eligible, board.neighbors, link, count).most() == most
        ends = {s for s in legal if len(s) == most} if exact else legal
        assert reached(eligible, board, link, count, most if exact else None) == ends


def legal_set(nodes: tuple[int, ...], board: model.Board, link: str | None) -> bool:
    if link is None or len(nodes) < 2:
        return True
    if link == "touching":
        return all(set(board.neighbors[n]) & set(nodes) for n in nodes)
    group = {nodes[0]}
    for _ in nodes:
        group |= {n for n in nodes if set(board.neighbors[n]) & group}
    return group == set(nodes)


def reached(eligible: set[int], board: model.Board, link: str | None, count: int, exactly: int | None) -> set[frozenset[int]]:
    ends: set[frozenset[int]] = set()
    paths: list[tuple[int, ...]] = [()]
    while paths:
        path = paths.pop()
        pick = NodePick(eligible, board.neighbors, link, count)
        for node in path:
            pick.take(node)
        more = pick.nexts(eligible, exactly) if len(path) < (count if exactly is None else exactly) else []
        if pick.complete() and exactly in (None, len(path)):
            ends.add(frozenset(path))
        else:
            assert more, "a choice that cannot be completed"
        paths += [(*path, node) for node in more]
    return ends


# SK-7: activations


@pytest.mark.rule("SK-7.1")
def test_move_then_act_then_exhausted():
    game = start(RED, [man(0), man(2)], [man(14)])
    do(game, (act.ACTIVATE, 0, 0), (act.DEST, 0, 5), NONE)
    assert game.crew[0][0].node == 5 and not game.crew[0][0].ready
    do(game, PASS)
    assert options(game, act.ACTIVATE) == {(0, 1)}


@pytest.mark.rule("SK-7.2")
def test_moves_pass_allies_but_no_enemies_and_end_on_free_nodes():
    game = start(("rrrrrr", "------", "r0--1r"), [man(1), man(2)], [man(4)])
    do(game, (act.ACTIVATE, 0, 0))
    assert options(game, act.DEST) == {(0, n) for n in (0, 1, 3)}
    do(game, (act.DEST, 0, 1), NONE, PASS)
    do(game, (act.ACTIVATE, 0, 1))
    assert options(game, act.DEST) == {(0, 0), (0, 2), (0, 3)}


@pytest.mark.rule("SK-7.2")
def test_nobody_enters_offline_nodes_or_servers():
    game = start(("r0-", "rr-", "r1r"), [man(0, speed=9)], [man(8)])
    do(game, (act.ACTIVATE, 0, 0))
    assert options(game, act.DEST) == {(0, n) for n in (0, 3, 4, 6)}


@pytest.mark.rule("SK-7.3")
def test_one_border_a_move():
    strip = ("rrbbgg", "------", "r0--1r")
    for crossings, ends in ((0, {0, 1}), (1, {0, 1, 2, 3}), (2, {0, 1, 2, 3, 4, 5})):
        game = start(strip, [man(0, speed=9)], [man(17)], border_crossings=crossings)
        do(game, (act.ACTIVATE, 0, 0))
        assert options(game, act.DEST) == {(0, n) for n in ends}


@pytest.mark.rule("SK-7.3")
def test_a_cheaper_way_round_is_found_although_it_is_longer():
    """Straight through blue costs the border; the way round through red leaves it for gray."""
    game = start(("rbrgg", "rrrrr", "r0-1r"), [man(0, speed=5)], [man(14)])
    do(game, (act.ACTIVATE, 0, 0))
    assert (0, 4) in options(game, act.DEST)


@pytest.mark.rule("SK-7.4")
@pytest.mark.rule("SK-8.7")
def test_extracted_data_moves_with_its_carrier():
    game = start(RED, [man(11)], [man(4)])
    activate(game, 0, EXTRACT)
    assert game.view()["data"][0] == {"carrier": 0, "signal": 5}
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    do(game, (act.ACTIVATE, 0, 0), (act.DEST, 0, 5))
    assert game.data[0].carrier.node == 5


@pytest.mark.rule("SK-7.5")
def test_a_passive_works_while_its_runner_is_on_the_board():
    guard = row("stat", trigger="passive", target="ally", all=True, stat="security", amount=2, within="subnet")
    game = start(SPLIT, [man(0, does=(guard,)), man(5), man(3)], [man(14)])
    captain, near, far = game.crew[0]
    assert [game.number(r, "security") for r in (captain, near, far)] == [0, 2, 0]
    captain.ready = False
    assert game.number(near, "security") == 2
    captain.node = None
    assert game.number(near, "security") == 0


@pytest.mark.rule("SK-7.6")
def test_places_ignore_paths_and_swaps_ignore_who_it_is():
    jump = row("place", target="self", to="subnet")
    trade = row("swap", target="self", other="enemy")
    game = start(RED, [man(0, speed=0, does=(jump, trade))], [man(14), man(7)])
    do(game, (act.ACTIVATE, 0, 0), SIGNATURE, (act.DEST, 0, 10), (act.TARGET, 1, 0))
    assert game.crew[0][0].node == 14 and game.crew[1][0].node == 10 and game.crew[1][0].ready


# SK-8: runner actions


@pytest.mark.rule("SK-8.1")
def test_attacks_reach_the_own_subnet_at_any_distance():
    game = start(SPLIT, [man(0)], [man(11), man(3)])
    activate(game, 0)
    assert options(game, act.ACTION) == {(act.ACT_NONE, 0), (act.ACT_ATTACK, 0)}


@pytest.mark.rule("SK-8.1")
@pytest.mark.rule("SK-8.6")
def test_own_data_may_be_attacked_on_its_carrier():
    game = start(RED, [man(0, attack=6), man(2)], [man(5, signal=1)])
    do(game, PASS)
    activate(game, 0, EXTRACT)
    finish_round(game)
    if game.seat == 1:
        do(game, PASS)
    activate(game, 0, attack(act.DATA))
    assert game.data[1].signal == 4 and game.crew[1][0].on_board  # 6 less its security of 5


CARD_ROWS = {
    "hit": (2, []),
    "bonus": (1, [row("damage_bonus", trigger="flipped", amount=3)]),
    "thin": (1, [row("bypass", trigger="flipped", amount=2)]),
}


def duel(cards: dict, attack_value: int, top: list[str], **target: Any) -> Game:
    """Attack an enemy with the given cards on top of the deck (the last is flipped first)."""
    rules = target.pop("rules", {})
    game = start(RED, [man(0, attack=attack_value)], [man(14, **{"signal": 9, **target})], cards, **rules)
    game.deck[0] = ["hit", *top] if "hit" in cards else list(top)
    return activate(game, 0, attack(0))


@pytest.mark.rule("SK-8.2")
def test_an_attack_sums_damage_and_bonuses_and_discards_its_flips():
    game = duel(CARD_ROWS, 2, ["hit", "bonus"])
    assert game.crew[1][0].signal == 9 - 2 - 1 - 3
    assert game.discard[0] == ["bonus", "hit"] and game.flight[0] == []


@pytest.mark.rule("SK-8.2")
@pytest.mark.parametrize(("timing", "drawn"), [("each", "hit"), ("after_all", "thin")])
def test_flip_texts_resolve_after_each_or_after_all(timing, drawn):
    cards = {"hit": (2, []), "thin": (1, []), "peek": (1, [row("draw", trigger="flipped", count=1)])}
    game = duel(cards, 2, ["thin", "hit", "peek"], rules={"flip_timing": timing})
    assert game.hand[0] == [drawn]


@pytest.mark.rule("SK-8.2")
def test_added_flips_are_flipped():
    cards = {"hit": (2, []), "more": (0, [row("flip", trigger="flipped", amount=2)])}
    assert duel(cards, 1, ["hit", "hit", "more"]).crew[1][0].signal == 5


@pytest.mark.rule("SK-8.2")
def test_a_target_that_left_the_subnet_takes_nothing():
    cards = {"hit": (2, []), "away": (1, [row("place", trigger="flipped", target="attack_target", to="home")])}
    game = start(SPLIT, [man(0)], [man(6, signal=9), man(10), man(11)], cards)
    game.deck[0] = ["away"]
    activate(game, 0, attack(0), (act.DEST, 0, 14))
    assert game.crew[1][0].node == 14 and game.crew[1][0].signal == 9


@pytest.mark.rule("SK-8.3")
@pytest.mark.parametrize(("security", "cards", "dealt"), [(1, ["hit", "hit"], 3), (9, ["hit", "hit"], 1), (0, ["nil", "nil"], 0)])
def test_damage_is_at_least_one_of_a_sum_of_at_least_one(security, cards, dealt):
    pool = {"hit": (2, []), "nil": (0, [])}
    assert duel(pool, 2, cards, security=security).crew[1][0].signal == 9 - dealt


@pytest.mark.rule("SK-8.4")
def test_of_several_bypasses_the_largest_counts():
    cards = CARD_ROWS | {"thinner": (1, [row("bypass", trigger="flipped", amount=3)])}
    game = duel(cards, 3, ["hit", "thin", "thinner"], security=4)
    assert game.crew[1][0].signal == 9 - (4 - (4 - 3))


@pytest.mark.rule("SK-8.5")
def test_at_no_signal_a_runner_leaves_and_the_opponent_scores():
    game = duel(CARD_ROWS, 1, ["hit"], signal=2)
    assert not game.crew[1][0].on_board and game.points == [1, 0]


@pytest.mark.rule("SK-8.5")
@pytest.mark.parametrize("scores", [True, False])
def test_the_own_effect_may_score_for_the_opponent(scores):
    blast = row("damage", target="self", amount=3, past_security=True)
    game = start(RED, [man(0, does=(blast,)), man(2)], [man(14)], own_disconnect_scores=scores)
    activate(game, 0, SIGNATURE)
    assert not game.crew[0][0].on_board and game.points == [0, int(scores)]


@pytest.mark.rule("SK-8.6")
def test_destroyed_data_scores_nothing_and_can_be_extracted_again():
    drain = row("signal", target="own_carrier", amount=-5)
    game = start(RED, [man(11, does=(drain,)), man(13)], [man(4), man(3)])
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
def test_a_second_extraction_destroys_the_first_data():
    game = start(RED, [man(11), man(13)], [man(4), man(3)])
    activate(game, 0, EXTRACT)
    activate(game, 0, NONE)
    game.data[0].signal = 2
    activate(game, 1, EXTRACT)
    assert game.view()["data"][0] == {"carrier": 1, "signal": 5}


@pytest.mark.rule("SK-8.8")
def test_data_passes_to_an_ally_in_the_subnet():
    game = start(SPLIT, [man(11), man(0), man(3)], [man(4), man(14)])
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
def test_securing_scores_the_highest_card_and_reads_no_flip_text():
    cards = {"low": (1, [row("damage_bonus", trigger="flipped", amount=9), row("draw", trigger="flipped", count=1)]), "high": (3, [])}
    game = start(RED, [man(11), man(2)], [man(14)], cards)
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
def test_the_signature_action_is_offered_to_its_runner_only():
    game = start(RED, [man(0, does=(row("draw", count=1),)), man(2)], [man(14)])
    activate(game, 1)
    assert (act.ACT_SIGNATURE, 0) not in options(game, act.ACTION)
    do(game, NONE, PASS)
    activate(game, 0, SIGNATURE)
    assert len(game.hand[0]) == 1


@pytest.mark.rule("SK-8.11")
@pytest.mark.parametrize("kept", [True, False])
def test_data_of_a_disconnected_carrier(kept):
    switch = "kept" if kept else "destroyed"
    game = start(RED, [man(11, signal=1), man(0)], [man(14)], data_on_disconnect=switch)
    activate(game, 0, EXTRACT)
    activate(game, 0, attack(0))
    assert not game.crew[0][0].on_board and (game.data[0] is not None) == kept
    finish_round(game)
    do(game, (act.PLACE, 0, 2))
    assert game.crew[0][0].node == 2 and (game.carried(game.crew[0][0]) is not None) == kept


@pytest.mark.rule("SK-8.12")
@pytest.mark.parametrize("refill", ["at_once", "when_needed"])
def test_an_empty_deck_is_refilled_from_the_discard_pile(refill):
    game = start(RED, [man(0, attack=2)], [man(14, signal=9)], {"one": (1, [])}, refill=refill)
    game.deck[0], game.discard[0] = ["one"], ["one", "one"]
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 7 and game.shuffles[0] == 2
    assert (game.deck[0], game.discard[0]) == (["one"], ["one", "one"])


@pytest.mark.rule("SK-8.12")
def test_with_both_piles_empty_flipping_stops_and_the_flips_refill_the_deck():
    game = start(RED, [man(0, attack=5)], [man(14, signal=9)])
    game.deck[0] = ["one", "one"]
    activate(game, 0, attack(0))
    assert game.crew[1][0].signal == 7 and game.deck[0] == ["one", "one"] and game.discard[0] == []


@pytest.mark.rule("SK-8.13")
def test_common_actions_are_open_to_all():
    push = {"name": "Push it", "effects": [row("draw", count=2)]}
    game = start(RED, [man(0)], [man(14)], common_actions=[push])
    activate(game, 0, (act.ACTION, act.ACT_COMMON, 0))
    assert len(game.hand[0]) == 2


@pytest.mark.rule("SK-8.14")
@pytest.mark.parametrize(("past", "dealt"), [(False, 0), (True, 2)])
def test_damage_by_effects_meets_security_and_knows_no_minimum(past, dealt):
    zap = row("damage", target="enemy", amount=2, past_security=past)
    game = start(RED, [man(0, does=(zap,))], [man(14, signal=9, security=4)])
    activate(game, 0, SIGNATURE)
    assert game.crew[1][0].signal == 9 - dealt


# SK-9: end of the round


@pytest.mark.rule("SK-9.2")
def test_end_of_round_texts_alternate_and_their_owner_chooses_the_order():
    late = row("draw", trigger="end_of_round", count=1)
    lines: list[dict] = []
    game = start(RED, [man(0, does=(late,), rig=(late,)), man(2, does=(late,))], [man(14, does=(late,))], log=lines.append)
    finish_round(game)
    assert options(game, act.ABILITY) == {(0, 0), (0, 1), (1, 0)}
    do(game, (act.ABILITY, 1, 0))
    assert options(game, act.ABILITY) == {(0, 0), (0, 1)}
    do(game, (act.ABILITY, 0, 1))
    assert [e["cause"] for e in lines if e["event"] == "draw"] == ["a1", "b0", "a0", "a0"]


@pytest.mark.rule("SK-9.3")
def test_opponents_place_returning_runners_at_full_signal():
    game = start(RED, [man(0, attack=3)], [man(14), man(4)])
    activate(game, 0, attack(0))
    finish_round(game)
    assert game.seat == 0 and options(game, act.PLACE) == {(0, n) for n in (10, 11, 13, 14)}
    do(game, (act.PLACE, 0, 10))
    back = game.crew[1][0]
    assert (back.node, back.signal, back.ready) == (10, 3, True)


@pytest.mark.rule("SK-9.3")
def test_without_a_free_home_node_a_runner_is_out_for_good():
    game = start(RED, [man(0, attack=3)], [man(14), man(4)])
    activate(game, 0, attack(0))
    for node in (10, 11, 13, 14):
        game.network.states[node] = "offline"
    finish_round(game)
    assert kinds(game) == {act.TOKEN}
    do(game, (act.TOKEN, 0, 0))
    assert game.view()["runners"][1][0]["status"] == "gone" and game.round == 2


@pytest.mark.rule("SK-9.4")
@pytest.mark.parametrize(("heals", "signal"), [(False, 2), (True, 3)])
def test_all_runners_are_ready_and_damage_may_stay(heals, signal):
    game = start(RED, [man(0)], [man(14)], heal_on_refresh=heals)
    activate(game, 0, attack(0))
    finish_round(game)
    assert game.crew[0][0].ready and game.crew[1][0].signal == signal


@pytest.mark.rule("SK-9.5")
def test_each_draws_at_the_end_of_the_round():
    game = start(RED, [man(0)], [man(14)], round_draw=2)
    finish_round(game)
    assert [len(h) for h in game.hand] == [2, 2]


@pytest.mark.rule("SK-9.6")
def test_who_is_behind_decides_on_the_token_and_a_tie_moves_it():
    game = start(RED, [man(0)], [man(14)])
    finish_round(game)
    assert game.token == 1 and game.seat == 1
    game.points[1] = 2
    finish_round(game)
    assert game.seat == 0 and options(game, act.TOKEN) == {(0, 0), (0, 1)}
    do(game, (act.TOKEN, 0, 1))
    assert game.token == 1


# SK-10: winning


@pytest.mark.rule("SK-10.1")
def test_reaching_the_goal_ends_the_game_before_later_rows():
    text = (row("score", amount=5), row("draw", count=1))
    game = start(RED, [man(0, does=text)], [man(14)])
    activate(game, 0, SIGNATURE)
    assert (game.over, game.winner, game.reason, game.hand[0]) == (True, 0, "points", [])


@pytest.mark.rule("SK-10.2")
@pytest.mark.parametrize("holder", [0, 1])
def test_when_both_reach_it_in_one_row_the_token_holder_wins(holder):
    blast = row("damage", target="any", all=True, amount=3, past_security=True)
    game = start(RED, [man(0, does=(blast,))], [man(14)], points_to_win=1)
    game.token = holder
    activate(game, 0, SIGNATURE)
    assert game.points == [1, 1] and game.winner == holder


@pytest.mark.rule("SK-10.3")
def test_the_last_round_stops_without_its_end():
    game = start(RED, [man(0)], [man(14)], max_rounds=1, round_draw=2)
    game.network.locks = {7}
    finish_round(game)
    assert (game.over, game.winner, game.reason, game.round) == (True, None, "max_rounds", 1)
    assert game.network.locks == {7} and game.hand == [[], []]
