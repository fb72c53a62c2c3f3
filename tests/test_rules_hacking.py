"""SK-6 on both engines: hacking."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from reference_kit import (
    DONE,
    RED,
    SIGNATURE,
    activate,
    board_of,
    do,
    finish_round,
    man,
    options,
    row,
)

from bhsim.games.skirmish import actions as act


def hacker(**fields: Any) -> tuple:
    return (row("hack", **{"count": 1, "states": ["blue"], **fields}),)


@pytest.mark.rule("SK-6.1")
def test_runners_locks_and_servers_cannot_be_hacked(engine):
    game = engine.start(("r0rr", "-rrr", "rr1r"), [man(0, does=hacker())], [man(11)])
    game.network.locks = {5}
    activate(game, 0, SIGNATURE)
    assert options(game, act.NODE) == {(0, n) for n in (2, 3, 4, 6, 7, 8, 9)}


@pytest.mark.rule("SK-6.2")
def test_a_hack_frees_older_locks_and_locks_its_own_nodes(engine):
    game = engine.start(RED, [man(0, does=hacker() + hacker())], [man(14)])
    activate(game, 0, SIGNATURE, (act.NODE, 0, 7))
    assert game.network.locks == {7}
    assert (0, 7) not in options(game, act.NODE)
    do(game, (act.NODE, 0, 8))
    assert game.network.locks == {8} and game.network.states[7] == game.network.states[8] == "blue"


@pytest.mark.rule("SK-6.2")
def test_a_hack_of_no_node_frees_nothing(engine):
    game = engine.start(RED, [man(0, does=hacker(up_to=True))], [man(14)])
    game.network.locks = {3}
    activate(game, 0, SIGNATURE, DONE)
    assert game.network.locks == {3}


@pytest.mark.rule("SK-6.3")
def test_a_node_may_be_hacked_to_its_own_state(engine):
    game = engine.start(RED, [man(0, does=hacker(states=["red"]))], [man(14)])
    activate(game, 0, SIGNATURE, (act.NODE, 0, 7))
    assert game.network.locks == {7} and game.network.states[7] == "red"


@pytest.mark.rule("SK-6.4")
@pytest.mark.parametrize(("link", "second_group"), [("touching", True), ("single_group", False)])
def test_two_touching_pairs_are_connected_by_the_words_of_the_rulebook(engine, link, second_group):
    game = engine.start(RED, [man(2, does=hacker(count=4))], [man(7)], connected_hack=link)
    activate(game, 0, SIGNATURE, (act.NODE, 0, 0))  # its only free neighbour is 5, which follows by itself
    touching = {(0, n) for n in (6, 10, 11)}
    assert options(game, act.NODE) >= touching
    assert (options(game, act.NODE) > touching) == second_group
    if second_group:
        do(game, (act.NODE, 0, 13))  # opens a second group, so that its partner has to follow
        assert options(game, act.NODE) == {(0, n) for n in (8, 14)}


@pytest.mark.rule("SK-6.5")
@pytest.mark.parametrize(("short", "hacked"), [("as_many", {2, 6}), ("nothing", set())])
def test_an_exact_hack_that_is_too_large(engine, short, hacked):
    game = engine.start(RED, [man(0, does=hacker(count=3, connected=False))], [man(14)], hack_short=short)
    game.network.locks = set(range(15)) - {2, 6, 0, 14}
    before = set(game.network.locks)
    activate(game, 0, SIGNATURE)
    if hacked:
        do(game, (act.NODE, 0, 2))
    assert game.network.locks == (hacked or before)


@pytest.mark.rule("SK-6.6")
@pytest.mark.parametrize("mode", ["same", "each"])
def test_one_new_state_for_all_or_one_for_each(engine, mode):
    game = engine.start(RED, [man(0, does=hacker(count=2, states=["blue", "gray"]))], [man(14)], hack_states=mode)
    activate(game, 0, SIGNATURE, (act.STATE, 0, 1), (act.NODE, 0, 7))
    if mode == "each":
        assert options(game, act.STATE) == {(0, 1), (0, 2)}
        do(game, (act.STATE, 0, 2))
    do(game, (act.NODE, 0, 8))
    assert (game.network.states[7], game.network.states[8]) == ("blue", "blue" if mode == "same" else "gray")


@pytest.mark.rule("SK-6.7")
def test_the_text_lists_the_states(engine):
    game = engine.start(RED, [man(0, does=hacker(states="any_online"))], [man(14)])
    activate(game, 0, SIGNATURE)
    assert options(game, act.STATE) == {(0, 0), (0, 1), (0, 2)}


@pytest.mark.rule("SK-6.8")
def test_changing_a_state_ignores_locks_and_runners_but_not_for_offline(engine):
    change = row("change_state", count=1, states=["blue", "offline"])
    game = engine.start(RED, [man(0, does=(change,))], [man(14)])
    game.network.locks = {7}
    activate(game, 0, SIGNATURE, (act.STATE, 0, 3))
    assert options(game, act.NODE) == {(0, n) for n in range(15)} - {(0, n) for n in (0, 14, 1, 12)}
    do(game, (act.NODE, 0, 7))
    assert game.network.states[7] == "offline" and game.network.locks == {7}


@pytest.mark.rule("SK-6.9")
@pytest.mark.rule("SK-9.1")
def test_locks_vanish_at_the_end_of_the_round(engine):
    game = engine.start(RED, [man(0, does=hacker())], [man(14)])
    activate(game, 0, SIGNATURE, (act.NODE, 0, 7))
    finish_round(game)
    assert game.round == 2 and game.network.locks == set()


@pytest.mark.rule("SK-6.4")
@pytest.mark.rule("SK-6.5")
@pytest.mark.parametrize("link", [None, "touching", "single_group"])
@pytest.mark.parametrize("up_to", [True, False])
def test_choices_reach_every_set_that_the_words_allow_and_no_other(engine, link, up_to):
    """All sets that choosing node by node can end with, against all sets that the rule's own words allow."""
    text = hacker(count=4, up_to=up_to, connected=link is not None)
    position = partial(engine.start, ("r0rr", "-rrr", "rr1r"), [man(0, does=text)], [man(11)], connected_hack=link or "touching")
    eligible = {2, 3, 4, 5, 7, 9}
    neighbors = board_of(("r0rr", "-rrr", "rr1r")).neighbors
    small = range(5) if up_to else (4,)
    legal = {frozenset(s) for n in small for s in itertools.combinations(sorted(eligible), n) if allowed(s, neighbors, link)}
    assert legal and ends_of(position, eligible) == legal


def allowed(nodes: tuple[int, ...], neighbors: list[list[int]], link: str | None) -> bool:
    """SK-6.4, said again in sets."""
    if link is None or len(nodes) < 2:
        return True
    if link == "touching":
        return all(set(neighbors[n]) & set(nodes) for n in nodes)
    group = {nodes[0]}
    for _ in nodes:
        group |= {n for n in nodes if set(neighbors[n]) & group}
    return group == set(nodes)


def ends_of(position: Callable[[], Any], eligible: set[int]) -> set[frozenset[int]]:
    """Every set of nodes that is hacked at the end of some sequence of choices."""
    ends: set[frozenset[int]] = set()
    seen: set[frozenset[int]] = set()
    paths: list[tuple[tuple[int, ...], ...]] = [()]
    while paths:
        path = paths.pop()
        game = position()
        game.network.locks = set(range(12)) - eligible - {0, 11}
        before = game.network.locks
        activate(game, 0, SIGNATURE, *path)
        choices = [act.decode(a) for a in game.legal() if act.decode(a)[0] in (act.NODE, act.DONE)]
        if not choices:
            after = game.network.locks
            ends.add(frozenset() if after == before else frozenset(after))
        chosen = frozenset(path)
        if chosen not in seen or DONE in path:  # the order of the same nodes makes no difference to what may follow
            seen.add(chosen)
            paths += [(*path, (kind, a, b) if kind == act.NODE else DONE) for kind, a, b in choices]
    return ends
