"""The network: states, locks, subnets and distances (SK-2, SK-6)."""

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
        self._distances: dict[int, dict[int, int]] = {}

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
        if start not in self._distances:
            far = {start: 0}
            queue = [start]
            for node in queue:
                for near in self.neighbors[node]:
                    if near not in far:
                        far[near] = far[node] + 1
                        queue.append(near)
            self._distances[start] = far
        return self._distances[start].get(end, float("inf"))

    def beside_server(self, node: int, seat: int) -> bool:
        return any(near in self.servers[seat] for near in self.neighbors[node])

    def in_range(self, within: str, steps: int, centre: int | None, node: int) -> bool:
        """Is ``node`` in a row's range, measured from ``centre`` (None: nowhere, so only 'anywhere' reaches)?"""
        if within in ("anywhere", "chosen_subnet"):
            return True
        if centre is None:
            return False
        if within == "subnet":
            return node in self.subnet(centre)
        if within == "neighbouring":
            return node in self.neighbors[centre]
        return self.distance(centre, node) <= steps
