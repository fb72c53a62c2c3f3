"""Which nodes one hack may take, one after the other, so that the whole can still be completed (SK-6.4, 6.5)."""

from __future__ import annotations

from functools import lru_cache

from bhsim.games.skirmish.reference.network import linked


class NodePick:
    """A choice of up to ``count`` of the ``eligible`` nodes under way; ``chosen`` are those taken so far, in order.

    link: None (any nodes), 'touching' (each node touches another one of the choice) or 'single_group'.
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
        for node in sorted((allowed & self.eligible).difference(self.chosen)):
            ends = {len(self.chosen) + 1 + n for n in self._more([*self.chosen, node])} if self._may_follow(node) else set()
            if exactly in ends or (exactly is None and ends and min(ends) <= self.count):
                found.append(node)
        return found

    def _touches(self, node: int, others: list[int]) -> bool:
        return any(near in others for near in self.neighbors[node])

    def _lonely(self, chosen: list[int]) -> bool:
        """Did the last node open a group, and has no partner yet?"""
        return bool(chosen) and not self._touches(chosen[-1], chosen[:-1])

    def _may_follow(self, node: int) -> bool:
        if self.link is None or not self.chosen:
            return True
        if self._lonely(self.chosen):
            return self._touches(node, self.chosen[-1:])
        return self.link == "touching" or self._touches(node, self.chosen)

    def _more(self, chosen: list[int]) -> set[int]:
        """With how many further nodes can a choice that stands at ``chosen`` end?"""
        if self.link is None:
            return set(range(len(self.eligible) - len(chosen) + 1))
        if self.link == "single_group":
            sizes = [len(part) - len(chosen) for part in self.parts if part.issuperset(chosen)]
            return set(range(max(sizes, default=0) + 1))
        if not self._lonely(chosen):
            more = self._more_touching(chosen)
            return more | {1} if not chosen and self.eligible else more
        more = {0} if len(chosen) == 1 else set()  # a single node is connected, a lonely one beside others is not
        partners = self.eligible.intersection(self.neighbors[chosen[-1]]).difference(chosen)
        return more | {1 + n for n in self._more_touching([*chosen, min(partners)])} if partners else more

    def _more_touching(self, chosen: list[int]) -> set[int]:
        """Every part that is begun gives any number of its other nodes; a part not yet begun none, or at least two."""
        begun = [part for part in self.parts if not part.isdisjoint(chosen)]
        fresh = tuple(sorted(min(len(part), self.count) for part in self.parts if part.isdisjoint(chosen)))
        return set(_sums(min(sum(map(len, begun)) - len(chosen), self.count), fresh, self.count))


@lru_cache(maxsize=4096)
def _sums(free: int, sizes: tuple[int, ...], cap: int) -> frozenset[int]:
    """Totals up to ``cap`` of 0..free and, for each size, nothing or 2..size."""
    sums = set(range(free + 1))
    for size in sizes:
        sums |= {s + g for s in sums for g in range(2, size + 1) if s + g <= cap}
    return frozenset(sums)
