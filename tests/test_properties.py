"""What must be true of the kernel whatever the cards say: over random card sets, boards, rules, crews and decks.

Each example is a seed of ``fuzz.random_case``. What is held against the kernel here is said again in plain Python, so that neither
engine has to be believed.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from kernel_kit import KernelGame as PlacedGame
from reference_kit import DONE, SIGNATURE, activate, board_of, do, kinds, man, options, row, start

from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import files, fuzz, tally
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.driver import KernelGame, Match
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import network, picks
from bhsim.games.skirmish.engine.block import play_block
from bhsim.games.skirmish.engine.jit import kernel
from bhsim.games.skirmish.reference import Game
from bhsim.games.skirmish.tables import node_set
from bhsim.games.skirmish.view import nodes

PLAIN = bool(numba.config.DISABLE_JIT)  # a hundred times slower, so fewer games
quick = settings(derandomize=True, max_examples=2 if PLAIN else 20, deadline=None, database=None)
many = settings(derandomize=True, max_examples=60, deadline=None, database=None)
seeds = some.integers(0, 2**32)
BOTS = tuple(files.read_bot(name) for name in ("fixer", "racer"))
SERVER = {v.STATES.index("server0"), v.STATES.index("server1")}
ONLINE = {v.STATES.index(word) for word in v.ONLINE}


@kernel
def subnet_of(T, S, node):
    """The subnet of a node as two words."""
    return network.subnet(T, S, node)


@kernel
def reach_of(T, S, W, seat, node, steps, borders):
    """Where a move of a runner may end, as two words."""
    return network.reach(T, S, W, seat, node, steps, borders)


@kernel
def most_of(T, lo, hi, wanted, how):
    """The largest number of nodes of a set that one hack may take."""
    return picks.most(T, lo, hi, wanted, how)


def random_game(seed: int, mirror: bool = False, index: int | None = None) -> KernelGame:
    cardset, board, rules, crews, decks = fuzz.random_case(seed)
    if mirror:
        crews, decks = (crews[0], crews[0]), (decks[0], decks[0])
    bots = (BOTS[0], BOTS[0]) if mirror else BOTS
    return KernelGame(Match(Bundle(cardset, board, rules), crews, decks, bots), 5, seed % 1000 if index is None else index, logged=True)


def moments(game: KernelGame, seed: int) -> Iterator[dict]:
    """The table at each decision of a game played at random, and at its end."""
    rng = random.Random(seed)
    yield game.view()
    while not game.over:
        game.apply(fuzz.random_choice(rng, sorted(game.legal())))
        yield game.view()


def on_board(view: dict) -> list[tuple[int, int, int]]:
    """(seat, position, node) of every runner on the board."""
    return [(s, p, r["node"]) for s in (0, 1) for p, r in enumerate(view["runners"][s]) if r["status"] == "board"]


# What stays


@quick
@given(seeds)
def test_cards_are_conserved(seed):
    game = random_game(seed)
    decks = [Counter(game.match.decks[side].slots()) for side in game.side_at]
    for view in moments(game, seed):
        for seat in (0, 1):
            piles = (view[pile][seat] for pile in ("deck", "hand", "discard", "flight"))
            assert sum(map(Counter, piles), Counter()) == decks[seat]


@quick
@given(seeds)
def test_points_are_the_score_events_and_locks_the_last_hack_since_the_round_ended(seed):
    game, read = random_game(seed), 0
    points, locks = [0, 0], set()
    for view in moments(game, seed):
        log = game.raw_log()
        for kind, a, b in log[read:, :3].tolist():
            if kind == ev.SCORE:
                points[a] += b
            elif kind in (ev.HACK, ev.CHANGE):
                hacking = kind == ev.HACK
                locks = set() if hacking else locks
            elif kind == ev.PICKED and hacking:
                locks.add(a)
            elif kind == ev.UNLOCK:
                locks = set()
        read = len(log)
        assert view["points"] == points
        assert set(view["locks"]) == locks
        if not view["over"] and act.decode(game.legal()[0])[0] in (act.PLACE, act.TOKEN) and not hacks_by_itself(game):
            assert not view["locks"]


def hacks_by_itself(game: KernelGame) -> bool:
    """Whether some text can hack without a turn being taken, so that a lock may outlast the end of a round."""
    cardset = game.match.bundle.cardset
    texts = (*cardset.runners.values(), *cardset.rigs.values())
    return any(row.op == "hack" and row.trigger in v.EVENT_TRIGGERS for text in texts for row in text.effects)


@quick
@given(seeds)
def test_runners_stand_alone_on_online_nodes(seed):
    game = random_game(seed)
    servers = [n for n, state in enumerate(game.view()["states"]) if state in SERVER]
    for view in moments(game, seed):
        taken = [node for _, _, node in on_board(view)]
        assert len(set(taken)) == len(taken)
        assert all(view["states"][node] in ONLINE for node in taken)
        assert [n for n, state in enumerate(view["states"]) if state in SERVER] == servers
        assert not set(view["locks"]) & set(servers)


@quick
@given(seeds)
def test_every_game_ends_with_a_reason(seed):
    game = random_game(seed)
    *_, view = moments(game, seed)
    rules = game.match.bundle.rules
    winners = [seat for seat in (0, 1) if view["points"][seat] >= rules.points_to_win]
    assert game.over and game.legal() == []
    assert view["reason"] == ("points" if winners else "max_rounds")
    if winners:
        assert view["winner"] == (view["token"] if len(winners) == 2 else winners[0])
    else:
        assert view["winner"] is None and view["round"] == rules.max_rounds


# Luck and sides


@quick
@given(seeds)
def test_the_same_key_and_decisions_give_the_same_game(seed):
    one, other = (list(moments(random_game(seed), seed)) for _ in range(2))
    assert one == other


@quick
@given(seeds)
def test_a_mirror_match_is_the_same_game_in_both_seatings(seed):
    """With equal sides only seats are left: decision by decision the second game of a key is the first."""
    first, second = random_game(seed, True, 6), random_game(seed, True, 7)
    while not first.over:
        assert first.view() == second.view() and first.legal() == second.legal()
        action = first.bot_decision()
        assert second.bot_decision() == action
        first.apply(action)
        second.apply(action)
    assert first.view() == second.view()
    assert np.array_equal(first.raw_log(), second.raw_log())


@quick
@given(seeds)
def test_a_mirror_match_ties_over_every_key(seed):
    match = random_game(seed, True).match
    counts, outcomes = tally.empty(), np.zeros((12, 2), np.uint8)
    play_block(match.tables, match.sides, 5, 0, 6, counts, outcomes, np.zeros((0, ev.LOG_WIDTH), np.int64))
    swapped = {0: 0, 1: 2, 2: 1}
    for one, other in zip(outcomes[::2], outcomes[1::2], strict=True):
        assert swapped[int(one[0])] == other[0]
        assert one[1:].view(np.int8) == -other[1:].view(np.int8)


# The network


@quick
@given(seeds)
def test_subnets_are_flood_fills(seed):
    game = random_game(seed)
    around = game.match.bundle.board.neighbors
    for number, view in enumerate(moments(game, seed)):
        if number % 9 == 0:
            for node, state in enumerate(view["states"]):
                found = nodes(subnet_of(game._T, game._S, node))
                assert found == (sorted(flood(view["states"], around, node)) if state in ONLINE else [])


def flood(states: list[int], around: list[list[int]], node: int) -> set[int]:
    found, grown = set(), {node}
    while grown:
        found |= grown
        grown = {near for n in grown for near in around[n] if states[near] == states[node]} - found
    return found


@quick
@given(seeds)
def test_moves_are_what_walking_finds(seed):
    game, rng = random_game(seed), random.Random(seed)
    around = game.match.bundle.board.neighbors
    for number, view in enumerate(moments(game, seed)):
        if number % 9:
            continue
        there = on_board(view)
        for seat, _, node in there:
            steps, borders = rng.randrange(5), rng.randrange(4)
            enemies = {n for s, _, n in there if s != seat}
            ends = walks(view["states"], around, enemies, node, steps, borders) - {n for _, _, n in there} | {node}
            found = nodes(reach_of(game._T, game._S, game._W, seat, node, steps, borders))
            assert set(found) == ends, (node, steps, borders)


def walks(states: list[int], around: list[list[int]], enemies: set[int], node: int, steps: int, borders: int) -> set[int]:
    """Every node on some walk (SK-7.2, 7.3): each walk is followed to its end, none is cut short because its node was seen."""
    found = {node}
    for near in around[node] if steps else ():
        crossed = states[near] != states[node]
        if states[near] in ONLINE and near not in enemies and crossed <= borders:
            found |= walks(states, around, enemies, near, steps - 1, borders - crossed)
    return found


# Choosing nodes

PICTURE = ("r0rr", "rrrr", "rr1r")
AROUND = board_of(PICTURE).neighbors
PICKABLE = [n for n in range(12) if n not in (1, 10, 0, 11)]  # all but the servers and the two runners
links = some.sampled_from([None, "touching", "single_group"])
node_sets = some.sets(some.sampled_from(PICKABLE))


def hangs_together(chosen: tuple[int, ...], link: str | None) -> bool:
    """SK-6.4 of a finished choice."""
    if link is None or len(chosen) < 2:
        return True
    if link == "touching":
        return all(set(AROUND[n]) & set(chosen) for n in chosen)
    return flood([n in chosen for n in range(12)], AROUND, chosen[0]) == set(chosen)


def whole_choices(eligible: set[int], link: str | None, most: int) -> set[tuple[int, ...]]:
    """Every order in which nodes may be chosen (docs/decisions.md), of all choices of up to ``most`` nodes that may end so."""
    orders = (order for n in range(most + 1) for order in itertools.permutations(sorted(eligible), n))
    return {order for order in orders if hangs_together(order, link) and group_by_group(order, link)}


def group_by_group(order: tuple[int, ...], link: str | None) -> bool:
    """Whoever opens a group is followed by its partner; with one group only the first opens one."""
    for i, node in enumerate(order):
        opens = not set(AROUND[node]) & set(order[:i])
        if link == "single_group" and i and opens:
            return False
        if link == "touching" and opens and (i + 1 < len(order)) and order[i + 1] not in AROUND[node]:
            return False
    return True


@many
@given(node_sets, links, some.integers(1, 5))
def test_the_largest_choice_is_the_largest_of_all_sets(eligible, link, wanted):
    game = start(PICTURE, [man(0)], [man(11)], make=PlacedGame)
    how = {None: picks.FREE, "touching": picks.TOUCHING, "single_group": picks.GROUPED}[link]
    sets = (nodes for n in range(wanted + 1) for nodes in itertools.combinations(sorted(eligible), n) if hangs_together(nodes, link))
    lo, hi = (np.uint64(word) for word in node_set(eligible))
    assert most_of(game.tables[0], lo, hi, wanted, how) == max(map(len, sets))


@pytest.mark.parametrize("make", [PlacedGame, Game], ids=["kernel", "reference"])
@many
@given(eligible=node_sets, link=links, count=some.integers(1, 4), up_to=some.booleans(), rng=some.randoms(use_true_random=False))
def test_a_node_is_offered_exactly_if_the_choice_can_still_be_completed(make, eligible, link, count, up_to, rng):
    text = row("hack", states="blue", count=count, up_to=up_to, connected=link is not None)
    game = start(PICTURE, [man(0, does=(text, row("draw", count=1)))], [man(11)], make=make, connected_hack=link or "touching")
    game.network.locks = set(PICKABLE) - eligible
    whole = whole_choices(eligible, link, count)
    if not up_to:
        longest = max(map(len, whole))
        whole = {order for order in whole if len(order) == longest}
    activate(game, 0, SIGNATURE)
    chosen: tuple[int, ...] = ()
    while kinds(game) & {act.NODE, act.DONE}:
        open_ = {order for order in whole if order[: len(chosen)] == chosen}
        nexts = {order[len(chosen)] for order in open_ if len(order) > len(chosen)}
        assert {b for _, b in options(game, act.NODE)} == nexts
        assert (act.DONE in kinds(game)) == (chosen in open_)
        action = rng.choice(game.legal())
        if act.decode(action) == (act.DONE, 0, 0):
            do(game, DONE)
            break
        game.apply(action)
        chosen = (*chosen, act.decode(action)[2])
    # What is left was applied unasked: locks are the chosen nodes, or still the old ones if there were none.
    after = set(game.network.locks)
    assert after in [set(order) or set(PICKABLE) - eligible for order in whole if order[: len(chosen)] == chosen]
