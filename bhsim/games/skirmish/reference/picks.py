"""Which nodes one hack may take, one after the other, so that the whole can still be completed (SK-6.4, 6.5)."""

from __future__ import annotations

from functools import lru_cache


def linked_parts(nodes: set[int], neighbors: list[list[int]]) -> list[set[int]]:
    """The nodes as sets that hang together."""
    left, parts = set(nodes), []
    while left:
        part, edge = set(), [left.pop()]
        while edge:
            node = edge.pop()
            part.add(node)
            near = left.intersection(neighbors[node])
            left -= near
            edge.extend(near)
        parts.append(part)
    return parts


class NodePick:
    """A choice of up to ``count`` of the ``eligible`` nodes under way.

    link: None (any nodes), 'touching' (each node touches another one of the choice) or 'single_group'.
    """

    def __init__(self, eligible: set[int], neighbors: list[list[int]], link: str | None, count: int) -> None:
        self.eligible = eligible
        self.neighbors = neighbors
        self.link = link
        self.count = count
        self.parts = linked_parts(eligible, neighbors)
        self.chosen: list[int] = []
        self.opener: int | None = None  # opened a second group and still waits for its partner

    def most(self) -> int:
        """The largest number of nodes, up to count, with which the choice can end."""
        return max(n for n in self._more(self.chosen, self.opener) if n <= self.count)

    def complete(self) -> bool:
        """May the choice end as it is?"""
        return 0 in self._more(self.chosen, self.opener)

    def nexts(self, allowed: set[int], exactly: int | None) -> list[int]:
        """The nodes of ``allowed`` that may come next, so that ``exactly`` nodes (None: any number up to count) still can be reached."""
        found = []
        for node in sorted((allowed & self.eligible).difference(self.chosen)):
            if not self._may_follow(node):
                continue
            size = len(self.chosen) + 1
            more = self._more([*self.chosen, node], self._opener_after(node))
            if any(size + n == exactly if exactly is not None else size + n <= self.count for n in more):
                found.append(node)
        return found

    def take(self, node: int) -> None:
        self.opener = self._opener_after(node)
        self.chosen.append(node)

    def _touches(self, node: int, others: list[int]) -> bool:
        return any(near in others for near in self.neighbors[node])

    def _may_follow(self, node: int) -> bool:
        if self.link is None or not self.chosen:
            return True
        if self.opener is not None:
            return self._touches(node, [self.opener])
        if self.link == "single_group" or len(self.chosen) == 1:
            return self._touches(node, self.chosen)
        return True

    def _opener_after(self, node: int) -> int | None:
        alone = self.link == "touching" and self.chosen and not self._touches(node, self.chosen)
        return node if alone else None

    def _more(self, chosen: list[int], opener: int | None) -> set[int]:
        """With how many further nodes can a choice that stands at ``chosen`` end?"""
        if self.link is None:
            return set(range(len(self.eligible) - len(chosen) + 1))
        if self.link == "single_group":
            sizes = [len(part) - len(chosen) for part in self.parts if part.issuperset(chosen)]
            return set(range(max(sizes, default=0) + 1))
        lonely = chosen[0] if len(chosen) == 1 else opener
        if lonely is None:
            more = self._more_touching(chosen)
            return more | {1} if not chosen and self.eligible else more
        more = set() if opener is not None else {0}  # a single node is connected, a lonely one beside others is not
        partners = self.eligible.intersection(self.neighbors[lonely]).difference(chosen)
        if partners:
            more |= {1 + n for n in self._more_touching([*chosen, min(partners)])}
        return more

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
