"""The plain engine's choice of nodes, apart from any game: every legal set can be reached, and no other."""

from __future__ import annotations

import itertools
import random

import pytest
from reference_kit import board_of

from bhsim.games.skirmish import model
from bhsim.games.skirmish.reference.network import NodePick


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
        pick.chosen.extend(path)
        more = pick.nexts(eligible, exactly) if len(path) < (count if exactly is None else exactly) else []
        if pick.complete() and exactly in (None, len(path)):
            ends.add(frozenset(path))
        else:
            assert more, "a choice that cannot be completed"
        paths += [(*path, node) for node in more]
    return ends
