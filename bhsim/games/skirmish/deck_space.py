"""All decks that a search may look at: ``size`` cards (SK-1.4) within the limits of copies (SK-1.5).

A deck is a dict title -> copies here. Decks made here list titles in the card set's order, so that a set of copies is one deck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from bhsim.errors import Fault

Copies = dict[str, int]
MAX_STEP = 3  # most cards that one random step exchanges


class DeckSpace:
    """limits: most copies of each title that may be used, in the card set's order. least: copies that every deck has at least."""

    def __init__(self, limits: Copies, least: Copies, size: int) -> None:
        self.limits, self.least, self.size = limits, least, size

    def fault(self) -> Fault | None:
        """Why there is no deck at all, or None."""
        for title, copies in self.least.items():
            if copies > self.limits.get(title, 0):
                return Fault("SK-1.5: too many copies are fixed", field="fix", value=title, allowed=f"at most {self.limits.get(title, 0)}")
        kept, most = sum(self.least.values()), sum(self.limits.values())
        if kept > self.size:
            return Fault("SK-1.4: more cards are fixed than a deck has", field="fix", value=kept, allowed=f"at most {self.size}")
        if most < self.size:
            return Fault("SK-1.4: too few copies are left for a deck", field="ban", value=most, allowed=f"{self.size} or more")
        return None

    def holds(self, cards: Mapping[str, int]) -> bool:
        """Whether a deck is one of these."""
        within = all(copies <= self.limits.get(title, 0) for title, copies in cards.items())
        return within and sum(cards.values()) == self.size and all(cards.get(t, 0) >= n for t, n in self.least.items())

    def sorted(self, cards: Mapping[str, int]) -> Copies:
        """The deck in its order, without titles of no copy."""
        return {title: cards[title] for title in self.limits if cards.get(title, 0)}

    def exchanged(self, cards: Mapping[str, int], count: int) -> Iterator[Copies]:
        """Every deck that has exactly ``count`` (1 or 2) other cards than ``cards``, in a fixed order."""
        start = self.repair(cards, np.random.default_rng(0))
        seen = {tuple(start.items())}
        now = [start]
        for _ in range(count):
            following = []
            for deck in now:
                for out, into in ((o, i) for o in deck for i in self.limits if o != i):
                    changed = self.sorted({**deck, out: deck[out] - 1, into: deck.get(into, 0) + 1})
                    if self.holds(changed) and tuple(changed.items()) not in seen:
                        seen.add(tuple(changed.items()))
                        following.append(changed)
            now = following
        yield from now

    def sample(self, rng: np.random.Generator) -> Copies:
        """A deck drawn from all the copies that may be used, as from one heap."""
        return self.repair({}, rng)

    def neighbour(self, cards: Mapping[str, int], rng: np.random.Generator) -> Copies:
        """A deck with one card exchanged, or two or three at once."""
        changed = Counter(cards)
        for _ in range(1 + int(rng.integers(MAX_STEP))):
            loose = [t for t in self.limits for _ in range(changed[t] - self.least.get(t, 0))]
            out = loose[rng.integers(len(loose))] if loose else None
            free = [t for t in self.limits if t != out and changed[t] < self.limits[t]]
            if out is None or not free:
                break
            changed[out] -= 1
            changed[free[rng.integers(len(free))]] += 1
        return self.repair(changed, rng)

    def cross(self, one: Mapping[str, int], other: Mapping[str, int], rng: np.random.Generator) -> Copies:
        """What both have, and of the rest as much as is needed, drawn from what one of them has."""
        common = {t: min(one.get(t, 0), other.get(t, 0)) for t in self.limits}
        rest = [t for t in self.limits for _ in range(abs(one.get(t, 0) - other.get(t, 0)))]
        wanted = self.size - sum(common.values())
        drawn = [rest[i] for i in rng.choice(len(rest), min(wanted, len(rest)), replace=False)] if rest else []
        return self.repair(Counter(common) + Counter(drawn), rng)

    def repair(self, cards: Mapping[str, int], rng: np.random.Generator) -> Copies:
        """A deck of these near ``cards``: too many copies go, what is fixed comes in, and the number is made right at random."""
        kept = Counter({t: max(min(cards.get(t, 0), n), self.least.get(t, 0)) for t, n in self.limits.items()})
        while (extra := kept.total() - self.size) > 0:
            loose = [t for t in self.limits for _ in range(kept[t] - self.least.get(t, 0))]
            kept -= Counter(loose[i] for i in rng.choice(len(loose), extra, replace=False))
        if kept.total() < self.size:
            heap = [t for t, n in self.limits.items() for _ in range(n - kept[t])]
            kept += Counter(heap[i] for i in rng.choice(len(heap), self.size - kept.total(), replace=False))
        return self.sorted(kept)

    def towards(self, cards: Mapping[str, int], goal: Mapping[str, int], rng: np.random.Generator) -> Copies:
        """One copy that ``goal`` has more of comes in for one that it has fewer of."""
        changed = Counter(cards)
        extra = [t for t in self.limits for _ in range(changed[t] - max(goal.get(t, 0), self.least.get(t, 0)))]
        lost = [t for t in self.limits for _ in range(min(goal.get(t, 0), self.limits[t]) - changed[t])]
        if extra and lost:
            changed[extra[rng.integers(len(extra))]] -= 1
            changed[lost[rng.integers(len(lost))]] += 1
        return self.sorted(changed)
