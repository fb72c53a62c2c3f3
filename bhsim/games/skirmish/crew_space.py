"""All crews that a search may look at: runners with rigs, each once (SK-1.3), within bandwidth (SK-1.1) and a home row (SK-1.6).

A crew is a tuple of (runner, rig) ids here. Crews made here stand in the order of the card set's runners: a set of pairs is one crew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bhsim.errors import Fault

Pair = tuple[str, str]
Members = tuple[Pair, ...]
MAX_VISITS = 300_000  # partial crews looked at before a pool counts as too large to list
STEPS = ("rig", "runner", "pair", "swap", "add", "drop")
TRIES = 60


class CrewSpace:
    """runners, rigs: bandwidth by id of what may be used, in the card set's order. fixed: ids that every crew has. limit: bandwidth.

    sizes: members of a crew. order: number of each runner, for the order of members.
    """

    def __init__(self, runners: dict[str, int], rigs: dict[str, int], fixed: Iterable[str], limit: int, sizes: range) -> None:
        self.runners, self.rigs, self.limit, self.sizes = runners, rigs, limit, sizes
        self.order = {runner: place for place, runner in enumerate(runners)}
        self.fixed_runners = [r for r in runners if r in set(fixed)]
        self.fixed_rigs = [r for r in rigs if r in set(fixed)]

    def fault(self, banned: bool) -> Fault | None:
        """Why there is no crew at all, or None. banned: whether anything that the card set has may not be used."""
        kept = ", ".join([*self.fixed_runners, *self.fixed_rigs])
        wanted = max(1, len(self.fixed_runners), len(self.fixed_rigs))  # by what is fixed; more are wanted only by the sizes
        least = max(self.sizes.start, wanted)
        if least >= self.sizes.stop:
            return Fault(
                f"{least} members are needed for what is fixed ({kept})", field="fix", allowed=f"at most {self.sizes.stop - 1} members"
            )
        if least > min(len(self.runners), len(self.rigs)):
            left = f"{len(self.runners)} runners and {len(self.rigs)} rigs"
            field = "ban" if banned else "members"
            return Fault(f"too few are left for a crew of {least}", field=field, value=left, allowed=f"{least} of each, or more")
        cost = self.cost(self._cheapest(least))
        if cost <= self.limit:
            return None
        field = "members" if self.cost(self._cheapest(wanted)) <= self.limit else "fix" if kept else "ban"
        crew = f"{f'with {kept} fixed ' if kept else ''}the cheapest crew{f' of {least}' if field == 'members' else ''}"
        return Fault(f"SK-1.1: {crew} costs {cost} bandwidth", field=field, allowed=f"at most {self.limit}")

    def cost(self, members: Iterable[Pair]) -> int:
        """Bandwidth of a crew."""
        return sum(self.runners[runner] + self.rigs[rig] for runner, rig in members)

    def holds(self, members: Members) -> bool:
        """Whether a crew is one of these."""
        runners, rigs = [m[0] for m in members], [m[1] for m in members]
        known = set(runners) <= set(self.runners) and set(rigs) <= set(self.rigs)
        once = len(set(runners)) == len(runners) and len(set(rigs)) == len(rigs)
        fixed = set(self.fixed_runners) <= set(runners) and set(self.fixed_rigs) <= set(rigs)
        return known and once and fixed and len(members) in self.sizes and self.cost(members) <= self.limit

    def sorted(self, members: Iterable[Pair]) -> Members:
        """The crew in its order."""
        return tuple(sorted(members, key=lambda m: self.order[m[0]]))

    def every(self) -> Iterator[Members]:
        """All crews, in a fixed order; ends in ``OverflowError`` after ``MAX_VISITS`` partial ones."""
        visits = 0
        waiting: list[tuple[Members, int]] = [((), self.limit)]
        while waiting:
            members, left = waiting.pop()
            visits += 1
            if visits > MAX_VISITS:
                raise OverflowError("too many crews")
            if members and self.holds(members):
                yield members
            if len(members) + 1 >= self.sizes.stop:
                continue
            first = self.order[members[-1][0]] + 1 if members else 0
            used = {m[1] for m in members}
            more = [
                ((*members, (runner, rig)), left - self.runners[runner] - self.rigs[rig])
                for runner in list(self.runners)[first:]
                for rig in self.rigs
                if rig not in used and self.runners[runner] + self.rigs[rig] <= left
            ]
            waiting += reversed(more)

    def sample(self, rng: np.random.Generator) -> Members:
        """A crew to which no further pair can be added: pairs are drawn in random order as long as one fits."""
        drawn = self._filled(self._with_fixed([], rng), rng)  # before repair, which would begin with the cheapest pair
        return self._filled(self.repair(drawn, rng), rng)

    def neighbour(self, members: Members, rng: np.random.Generator) -> Members:
        """Another rig or runner for one member, two rigs exchanged, a pair exchanged, added or dropped; then repaired."""
        for _ in range(TRIES):
            found = self.repair(self._stepped(members, str(rng.choice(STEPS)), rng), rng)
            if found != self.sorted(members):
                return found
        return self.sorted(members)

    def cross(self, one: Members, other: Members, rng: np.random.Generator) -> Members:
        """Pairs of both in random order as long as they fit together, as many as one of them has; then repaired."""
        size = len(one if rng.integers(2) else other)
        pairs = list(dict.fromkeys([*one, *other]))
        return self.repair(self._fitting((), [pairs[i] for i in rng.permutation(len(pairs))], size), rng)

    def repair(self, members: Sequence[Pair], rng: np.random.Generator) -> Members:
        """A crew of these near ``members``: strangers and doubles go, what is fixed comes in, and what costs too much is exchanged."""
        known = [m for m in members if m[0] in self.runners and m[1] in self.rigs]
        kept = self._with_fixed(self._fitting((), known, self.sizes.stop - 1, unlimited=True), rng)
        while len(kept) >= self.sizes.stop:
            loose = [m for m in kept if not self._is_fixed(m)]
            gone = loose[rng.integers(len(loose))] if loose else None
            kept = [m for m in kept if m != gone] if loose else self._joined(kept)
        while len(kept) < self.sizes.start:
            kept.append(self._cheapest_pair(kept))
        while self.cost(kept) > self.limit:
            cheaper = list(self._cheaper(kept))
            if not cheaper:
                return self._cheapest(max(self.sizes.start, len(self.fixed_runners), len(self.fixed_rigs)))
            kept = cheaper[rng.integers(len(cheaper))]
        return self.sorted(kept)

    def towards(self, members: Members, goal: Members, rng: np.random.Generator) -> Members:
        """One pair of ``goal`` that ``members`` lacks comes in for what stands in its way, or one that goal lacks goes; then repaired."""
        lost = [m for m in goal if m not in members]
        if not lost:
            extra = [m for m in members if m not in goal]
            gone = extra[rng.integers(len(extra))] if extra else None
            return self.repair([m for m in members if m != gone], rng)
        back = lost[rng.integers(len(lost))]
        kept = [m for m in members if m[0] != back[0] and m[1] != back[1]]
        strangers = [m for m in kept if m not in goal]
        if len(kept) == len(members) and strangers:
            kept.remove(strangers[rng.integers(len(strangers))])
        return self.repair([back, *kept], rng)

    def _stepped(self, members: Members, step: str, rng: np.random.Generator) -> list[Pair]:
        changed = list(members)
        place = int(rng.integers(len(changed)))
        runner, rig = changed[place]
        free_runners = [r for r in self.runners if r not in {m[0] for m in members}]
        free_rigs = [r for r in self.rigs if r not in {m[1] for m in members}]
        if step == "swap" and len(changed) > 1:
            other = (place + 1 + int(rng.integers(len(changed) - 1))) % len(changed)
            changed[place], changed[other] = (runner, changed[other][1]), (changed[other][0], rig)
        elif step == "drop" and len(changed) > 1:
            del changed[place]
        elif step == "add" and free_runners and free_rigs:
            changed.insert(0, (_one(free_runners, rng), _one(free_rigs, rng)))
        elif step in ("rig", "runner", "pair"):
            runner = _one(free_runners, rng) if step != "rig" and free_runners else runner
            rig = _one(free_rigs, rng) if step != "runner" and free_rigs else rig
            changed[place] = (runner, rig)
        return changed

    def _fitting(self, members: Sequence[Pair], more: Iterable[Pair], size: int, unlimited: bool = False) -> list[Pair]:
        """``members`` and of ``more`` what fits, up to ``size``. unlimited: whatever it costs."""
        kept = list(members)
        for pair in more:
            free = pair[0] not in {m[0] for m in kept} and pair[1] not in {m[1] for m in kept}
            if len(kept) < size and free and (unlimited or self.cost([*kept, pair]) <= self.limit):
                kept.append(pair)
        return kept

    def _filled(self, members: Sequence[Pair], rng: np.random.Generator) -> Members:
        pairs = [(runner, rig) for runner in self.runners for rig in self.rigs]
        return self.sorted(self._fitting(members, [pairs[i] for i in rng.permutation(len(pairs))], self.sizes.stop - 1))

    def _with_fixed(self, members: list[Pair], rng: np.random.Generator) -> list[Pair]:
        """Fixed runners and rigs that are missing come in, beside each other where both are, else in the place of something loose."""
        kept = list(members)
        for runner in (r for r in self.fixed_runners if r not in {m[0] for m in kept}):
            loose = [m for m in kept if m[0] not in self.fixed_runners]
            free = [r for r in self.rigs if r not in {m[1] for m in kept}]
            wanted = [r for r in self.fixed_rigs if r in free]
            if wanted or (free and (not loose or len(kept) + 1 < self.sizes.stop)):
                kept.append((runner, wanted[0] if wanted else _one(free, rng)))
            else:
                place = kept.index(loose[rng.integers(len(loose))])
                kept[place] = (runner, kept[place][1])
        for rig in (r for r in self.fixed_rigs if r not in {m[1] for m in kept}):
            loose = [m for m in kept if m[1] not in self.fixed_rigs]
            if loose:
                place = kept.index(loose[rng.integers(len(loose))])
                kept[place] = (kept[place][0], rig)
            else:
                kept.append((_one([r for r in self.runners if r not in {m[0] for m in kept}], rng), rig))
        return kept

    def _joined(self, members: list[Pair]) -> list[Pair]:
        """A member of whom only the runner is fixed takes the rig of one of whom only the rig is: each crew that is too large has both."""
        runner = next(m for m in members if m[0] in self.fixed_runners and m[1] not in self.fixed_rigs)
        rig = next(m for m in members if m[1] in self.fixed_rigs and m[0] not in self.fixed_runners)
        return [(runner[0], rig[1]), *(m for m in members if m not in (runner, rig))]

    def _is_fixed(self, pair: Pair) -> bool:
        return pair[0] in self.fixed_runners or pair[1] in self.fixed_rigs

    def _cheaper(self, members: list[Pair]) -> Iterator[list[Pair]]:
        """Each way to make the crew cheaper by one step."""
        used = {m[0] for m in members} | {m[1] for m in members}
        for place, (runner, rig) in enumerate(members):
            rest = [*members[:place], *members[place + 1 :]]
            if len(rest) >= self.sizes.start and rest and not self._is_fixed((runner, rig)):
                yield rest
            if rig not in self.fixed_rigs:
                yield from ([*rest, (runner, r)] for r, cost in self.rigs.items() if r not in used and cost < self.rigs[rig])
            if runner not in self.fixed_runners:
                yield from ([*rest, (r, rig)] for r, cost in self.runners.items() if r not in used and cost < self.runners[runner])

    def _cheapest_pair(self, members: Sequence[Pair]) -> Pair:
        used = {m[0] for m in members} | {m[1] for m in members}
        runner = min((r for r in self.runners if r not in used), key=self.runners.__getitem__)
        return runner, min((r for r in self.rigs if r not in used), key=self.rigs.__getitem__)

    def _cheapest(self, size: int) -> Members:
        """The cheapest crew of this size with all that is fixed; how the runners and rigs are paired costs nothing."""
        sides = []
        for pool, fixed in ((self.runners, self.fixed_runners), (self.rigs, self.fixed_rigs)):
            rest = sorted((r for r in pool if r not in fixed), key=pool.__getitem__)
            sides.append([*fixed, *rest][:size])
        return self.sorted(zip(*sides, strict=True))


def _one(names: Sequence[str], rng: np.random.Generator) -> str:
    return names[int(rng.integers(len(names)))]
