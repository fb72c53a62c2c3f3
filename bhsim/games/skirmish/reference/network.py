"""The network: states, locks, subnets, distances (SK-2), and which nodes one hack may take (SK-6.4, 6.5)."""

from __future__ import annotations

from collections.abc import Callable

from bhsim.games.skirmish import model
from bhsim.games.skirmish.vocabulary import ONLINE


def linked(start: int, neighbors: list[list[int]], fits: Callable[[int], bool]) -> set[int]:
    """The start and all nodes that fit and hang together with it by others that fit."""
    found, edge = {start}, [start]
    while edge:
        for near in neighbors[edge.pop()]:
            if near not in found and fits(near):
                found.add(near)
                edge.append(near)
    return found


class Network:
    """SK-2.1, 2.2: nodes by number, each with its neighbours and a state word; ``server0`` is the server of seat 0."""

    def __init__(self, board: model.Board) -> None:
        self.states = list(board.states)
        self.neighbors = [sorted(around) for around in board.neighbors]
        self.home = [sorted(row) for row in board.home]
        self.servers = [board.servers(0), board.servers(1)]
        self.locks: set[int] = set()

    def online(self, node: int) -> bool:
        """SK-2.5: red, blue or gray."""
        return self.states[node] in ONLINE

    def is_server(self, node: int) -> bool:
        return node in self.servers[0] or node in self.servers[1]

    def subnet(self, node: int) -> set[int]:
        """SK-2.3, 2.4: the nodes of one state that hang together with this one now; none for an offline node."""
        states = self.states
        return linked(node, self.neighbors, lambda near: states[near] == states[node]) if self.online(node) else set()

    def distance(self, start: int, end: int) -> float:
        """Steps over all hexes of the board, whatever their state; infinite across a gap."""
        steps, near = 0, {start}
        while end not in near:
            before, near = near, self._with_neighbors(near)
            if near == before:
                return float("inf")
            steps += 1
        return steps

    def _with_neighbors(self, nodes: set[int]) -> set[int]:
        return nodes.union(*(self.neighbors[node] for node in nodes))

    def beside_server(self, node: int, seat: int) -> bool:
        return any(near in self.servers[seat] for near in self.neighbors[node])

    def area(self, within: str, steps: int, centre: int | None) -> set[int]:
        """The nodes in a row's range, measured from ``centre`` (None: nowhere, so only 'anywhere' reaches)."""
        if within in ("anywhere", "chosen_subnet"):
            return set(range(len(self.states)))
        if centre is None:
            return set()
        if within == "subnet":
            return self.subnet(centre)
        if within == "neighbouring":
            return set(self.neighbors[centre])
        near = {centre}
        for _ in range(steps):
            near = self._with_neighbors(near)
        return near


class NodePick:
    """A choice of up to ``count`` of the ``eligible`` nodes under way; ``chosen`` are those taken so far, in order.

    A node may come next only if the whole can still be completed. link: None (any nodes), 'touching' (each node touches
    another one of the choice) or 'single_group'.
    """

    def __init__(self, eligible: set[int], neighbors: list[list[int]], link: str | None, count: int) -> None:
        self.eligible, self.neighbors, self.link, self.count = eligible, neighbors, link, count
        self.chosen: list[int] = []
        self.parts: list[set[int]] = []  # the eligible nodes as sets that hang together
        for node in eligible:
            if not any(node in part for part in self.parts):
                self.parts.append(linked(node, neighbors, eligible.__contains__))

    def most(self) -> int:
        """The largest number of nodes, up to count, with which the choice can end."""
        return max(n for n in self._more(self.chosen) if n <= self.count)

    def complete(self) -> bool:
        """May the choice end as it is?"""
        return 0 in self._more(self.chosen)

    def nexts(self, allowed: set[int], exactly: int | None) -> list[int]:
        """The nodes of ``allowed`` that may come next, so that ``exactly`` nodes (None: any number up to count) still can be reached."""
        found = []
        for node in sorted(allowed.difference(self.chosen)):
            ends = {len(self.chosen) + 1 + n for n in self._more([*self.chosen, node])}
            if exactly in ends or (exactly is None and ends and min(ends) <= self.count):
                found.append(node)
        return found

    def _more(self, chosen: list[int]) -> set[int]:
        """With how many further nodes can a choice that stands at ``chosen`` end? Empty for one that must not come to stand so."""
        if self.link is None:
            return set(range(len(self.eligible) - len(chosen) + 1))
        if self.link == "single_group":
            if chosen and linked(chosen[0], self.neighbors, chosen.__contains__) != set(chosen):
                return set()
            sizes = [len(part) - len(chosen) for part in self.parts if part.issuperset(chosen)]
            return set(range(max(sizes, default=0) + 1))
        single = {1 - len(chosen)} if self.eligible and len(chosen) <= 1 else set()  # a node alone is connected
        lonely = [node for node in chosen if set(chosen).isdisjoint(self.neighbors[node])]
        if not lonely:
            return single | self._more_touching(chosen)
        if lonely != chosen[-1:]:  # a node that opens a group is followed by a partner at once
            return set()
        partners = self.eligible.intersection(self.neighbors[chosen[-1]]).difference(chosen)
        return single | {1 + n for node in partners for n in self._more_touching([*chosen, node])}

    def _more_touching(self, chosen: list[int]) -> set[int]:
        """Every part that is begun gives any number of its other nodes; a part not yet begun none, or at least two."""
        begun = [part for part in self.parts if not part.isdisjoint(chosen)]
        more = set(range(sum(map(len, begun)) - len(chosen) + 1))
        for part in self.parts:
            if part not in begun:
                more |= {n + m for n in more for m in range(2, len(part) + 1) if n + m <= self.count}
        return more
