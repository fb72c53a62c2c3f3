"""Crews, decks or both as one space of builds, behind the seam that the lab's searches know (``bhsim.games.spaces.Space``)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side
from bhsim.games.skirmish import legality, toml_out
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.crew_space import CrewSpace, Members
from bhsim.games.skirmish.deck_space import Copies, DeckSpace
from bhsim.games.skirmish.model import Crew
from bhsim.games.spaces import Freedom
from bhsim.inputs.models import identifier
from bhsim.inputs.names import match, unknown

PARTS = ("crew", "deck")
FEW_CHANGES = 2  # changes up to which decks can be listed
MAX_BACK = 200  # steps back towards the start before a build is given up
POOLS = {"runners": "crew", "rigs": "crew", "cards": "deck"}


class SkirmishSpace:
    """See ``bhsim.games.spaces.Space``."""

    def __init__(self, bundle: Bundle, start: Side, freedom: Freedom) -> None:
        """BadInput, with each reason, when no build is within the freedom."""
        self.start, self.limit, self._bundle = start, bundle.rules.crew_bandwidth, bundle
        self._parts, self._most = freedom.parts, freedom.max_changes
        fixed, banned = _listed(bundle, freedom)
        self._crews, self._decks = _crews(bundle, fixed, banned, freedom.members), _decks(bundle, start, freedom, fixed, banned)
        self._check(freedom, fixed, banned)
        if self._most is not None and self._most >= self._farthest():
            self._most = None  # the limit leaves nothing out, so it steers nothing either

    def key(self, side: Side) -> str:
        """See ``Space``."""
        crew = " ".join(f"{runner}+{rig}" for runner, rig in _members(side))
        return f"{crew} / {' '.join(f'{copies}x{title}' for title, copies in _cards(side).items())} / {side.bot}"

    def cost(self, side: Side) -> int:
        """Bandwidth of the crew."""
        return legality.bandwidth(side.crew_model, self._bundle.cardset)

    def distance(self, side: Side) -> int:
        """See ``Space``; what only has another order is the same."""
        return self._crew_distance(_members(side)) + self._deck_distance(_cards(side))

    def changes(self, side: Side) -> list[str]:
        """See ``Space``."""
        had, has = _members(self.start), _members(side)
        gone, come = [m for m in had if m not in has], [m for m in has if m not in had]
        lines = [f"- {self._pair(m)}" for m in gone] + [f"+ {self._pair(m)}" for m in come]
        before, now = _cards(self.start), _cards(side)
        for title in dict.fromkeys([*before, *now]):
            if change := now.get(title, 0) - before.get(title, 0):
                lines.append(f"{change:+d} {self._bundle.cardset.cards[title].name} ({before.get(title, 0)} -> {now.get(title, 0)})")
        return lines

    def every(self, most: int) -> list[Side] | None:
        """See ``Space``; decks are listed only where at most ``FEW_CHANGES`` cards may change."""
        if self._most == 0:
            return [self.start]
        crews, decks = [_members(self.start)], [_cards(self.start)]
        try:
            if "crew" in self._parts:
                crews = []
                for members in self._crews.every():
                    if self._within(self._crew_distance(members)):
                        crews.append(members)
                    if len(crews) > most:
                        return None
        except OverflowError:
            return None
        if "deck" in self._parts:
            if self._most is None or self._most > FEW_CHANGES:
                return None
            decks = [deck for count in range(self._most + 1) for deck in self._decks.exchanged(_cards(self.start), count)]
            if len(decks) > most:
                return None
        chosen = [(c, d) for c in crews for d in decks if self._within(self._crew_distance(c) + self._deck_distance(d))]
        return [self._side(crew, deck) for crew, deck in chosen] if len(chosen) <= most else None

    def sample(self, rng: np.random.Generator) -> Side:
        """Crews: pairs in random order as long as one fits. Decks: from one heap of all copies. With few changes, random steps instead."""
        if self._most is not None:
            side = self.repair(self.start, rng)
            for _ in range(2 * self._most):
                side = self.neighbour(side, rng)
            return side
        return self._made(lambda part: self._crews.sample(rng) if part == "crew" else self._decks.sample(rng), self.start, rng)

    def neighbour(self, side: Side, rng: np.random.Generator) -> Side:
        """A step in the crew, the deck or both."""
        chosen = [part for part in self._parts if rng.integers(2)] or [self._parts[rng.integers(len(self._parts))]]

        def step(part: str) -> Members | Copies:
            if part not in chosen:
                return _members(side) if part == "crew" else _cards(side)
            return self._crews.neighbour(_members(side), rng) if part == "crew" else self._decks.neighbour(_cards(side), rng)

        return self._made(step, side, rng)

    def cross(self, one: Side, other: Side, rng: np.random.Generator) -> Side:
        """Crews and decks crossed each for itself."""

        def crossed(part: str) -> Members | Copies:
            if part == "crew":
                return self._crews.cross(_members(one), _members(other), rng)
            return self._decks.cross(_cards(one), _cards(other), rng)

        return self._made(crossed, one, rng)

    def repair(self, side: Side, rng: np.random.Generator) -> Side:
        """See ``Space``."""
        if self._holds(_members(side), _cards(side)):
            return side
        fit = {"crew": lambda: self._crews.repair(_members(side), rng), "deck": lambda: self._decks.repair(_cards(side), rng)}
        return self._made(lambda part: fit[part](), side, rng)

    def named(self, side: Side, name: str) -> Side:
        """See ``Space``."""
        fields = dict(vars(side))
        if "crew" in self._parts:
            fields |= {"crew": name, "crew_model": side.crew_model.model_copy(update={"name": name})}
        if "deck" in self._parts:
            fields |= {"deck": name, "deck_model": side.deck_model.model_copy(update={"name": name})}
        return Side(**fields)

    def parts_of(self, side: Side) -> dict[str, object]:
        """See ``Space``."""
        return {"crew": [{"runner": runner, "rig": rig} for runner, rig in _members(side)], "deck": _cards(side)}

    def words(self, side: Side) -> dict[str, list[str]]:
        """See ``Space``."""
        cards = self._bundle.cardset.cards
        deck = [f"{copies} {cards[title].name}" for title, copies in _cards(side).items()]
        return {"crew": [self._pair(member) for member in _members(side)], "deck": deck}

    def files(self, side: Side, how: str) -> dict[str, str]:
        """A crew file that names its deck, and the deck's file where the deck may change."""
        comment = "".join(f"# {line}".rstrip() + "\n" for line in how.split("\n"))
        stem = identifier(side.crew if "crew" in self._parts else side.deck)
        own_deck = "deck" in self._parts
        crew = side.crew_model.model_copy(update={"name": stem, "deck": f"{stem}-deck" if own_deck else side.deck, "house_values": True})
        files = {f"{stem}.toml": comment + toml_out.crew_toml(crew)}
        if own_deck:
            deck = side.deck_model.model_copy(update={"name": f"{stem}-deck", "house_values": True})
            files[f"{stem}-deck.toml"] = comment + toml_out.deck_toml(deck)
        return files

    def _check(self, freedom: Freedom, fixed: dict[str, list[str]], banned: dict[str, list[str]]) -> None:
        faults = [f for f in (self._crews.fault(bool(freedom.ban)), self._decks.fault()) if f]
        for option, listed in (("fix", fixed), ("ban", banned)):
            closed = [name for pool, names in listed.items() if POOLS[pool] not in freedom.parts for name in names]
            if closed:
                has = closed[0] in {*sum(_members(self.start), ()), *_cards(self.start)}
                where = f"what does not change {'has' if has else 'lacks'} it" + (" already" if has == (option == "fix") else "")
                faults.append(Fault(where, field=option, value=closed[0], allowed=f"only the {' and '.join(freedom.parts)} may change"))
        if freedom.members and "crew" not in freedom.parts:
            faults.append(Fault("the crew does not change", field="members", value=freedom.sizes, allowed="with a crew that may change"))
        if faults:
            raise BadInput(*faults)
        near = self._nearest(np.random.default_rng(0))
        if not self._holds(_members(near), _cards(near)):
            least = self.distance(near)
            raise BadInput(
                Fault("too few changes to make the start legal within what is fixed and banned", field="max-changes", value=self._most,
                      allowed=f"{least} or more")
            )  # fmt: skip

    def _nearest(self, rng: np.random.Generator) -> Side:
        """The build nearest to the start of some that repairing it gives."""
        if self._holds(_members(self.start), _cards(self.start)):
            return self.start
        crews = [self._crews.repair(_members(self.start), rng) if "crew" in self._parts else _members(self.start) for _ in range(MAX_BACK)]
        deck = self._decks.repair(_cards(self.start), rng) if "deck" in self._parts else _cards(self.start)
        return self._side(min(crews, key=self._crew_distance), deck)

    def _made(self, part: Callable[[str], Members | Copies], fallback: Side, rng: np.random.Generator) -> Side:
        """A side of the parts given; ``fallback``'s where a part may not change, or where no few steps lead back to near the start."""
        crew = part("crew") if "crew" in self._parts else _members(fallback)
        deck = part("deck") if "deck" in self._parts else _cards(fallback)
        for _ in range(MAX_BACK):
            if self._holds(crew, deck):
                return self._side(crew, deck)
            far = [p for p, d in (("crew", self._crew_distance(crew)), ("deck", self._deck_distance(deck))) if d and p in self._parts]
            if not far:
                break
            if far[rng.integers(len(far))] == "crew":
                crew = self._crews.towards(crew, _members(self.start), rng)
            else:
                deck = self._decks.towards(deck, _cards(self.start), rng)
        return fallback if self._holds(_members(fallback), _cards(fallback)) else self._nearest(rng)

    def _holds(self, crew: Members, deck: Copies) -> bool:
        legal = ("crew" not in self._parts or self._crews.holds(crew)) and ("deck" not in self._parts or self._decks.holds(deck))
        return legal and self._within(self._crew_distance(crew) + self._deck_distance(deck))

    def _within(self, distance: int) -> bool:
        return self._most is None or distance <= self._most

    def _farthest(self) -> int:
        """A distance from the start that no build exceeds."""
        crew = max(len(_members(self.start)), self._crews.sizes.stop - 1) if "crew" in self._parts else 0
        return crew + (self._decks.size if "deck" in self._parts else 0)

    def _crew_distance(self, members: Members) -> int:
        had = set(_members(self.start))
        return max(len(had - set(members)), len(set(members) - had))

    def _deck_distance(self, cards: Copies) -> int:
        before = _cards(self.start)
        return sum(max(0, copies - before.get(title, 0)) for title, copies in cards.items())

    def _side(self, crew: Members, deck: Copies) -> Side:
        """A side named after a hash of what it is; one whose pairs and cards are the start's is the start."""
        if not self._crew_distance(crew) and not self._deck_distance(deck):
            return self.start
        name = hashlib.sha256(repr((crew, tuple(deck.items()))).encode()).hexdigest()[:8]
        fields = dict(vars(self.start))
        if self._crew_distance(crew):
            given = {**self.start.crew_model.model_dump(exclude_unset=True), "members": [{"runner": a, "rig": b} for a, b in crew]}
            fields |= {"crew": name, "crew_model": Crew.model_validate({**given, "name": name})}
        if self._deck_distance(deck):
            fields |= {"deck": name, "deck_model": self.start.deck_model.model_copy(update={"name": name, "cards": dict(deck)})}
        return Side(**fields)

    def _pair(self, pair: tuple[str, str]) -> str:
        pool = self._bundle.cardset
        return f"{pool.runners[pair[0]].name} with {pool.rigs[pair[1]].name}"


def _crews(bundle: Bundle, fixed: dict[str, list[str]], banned: dict[str, list[str]], members: range | None) -> CrewSpace:
    room = min(legality.home_room(bundle.board, side) for side in (0, 1))
    sizes = range(max(1, members.start), min(room + 1, members.stop)) if members else range(1, room + 1)
    if members and not sizes:
        raise BadInput(Fault("SK-1.6: no such size of a crew", field="members", value=f"{members.start} to {members.stop - 1}",
                             allowed=f"1 to {room}"))  # fmt: skip
    pools = [
        {key: entry.bandwidth for key, entry in getattr(bundle.cardset, pool).items() if key not in banned[pool]}
        for pool in ("runners", "rigs")
    ]
    return CrewSpace(*pools, [*fixed["runners"], *fixed["rigs"]], bundle.rules.crew_bandwidth, sizes)


def _decks(bundle: Bundle, start: Side, freedom: Freedom, fixed: dict[str, list[str]], banned: dict[str, list[str]]) -> DeckSpace:
    """A fixed card keeps the copies that the start has, and has one at least."""
    rules = bundle.rules
    cards = {t: c for t, c in bundle.cardset.cards.items() if t not in banned["cards"]}
    limits = {t: min(c.max_copies or rules.max_copies, rules.deck_size) for t, c in cards.items()}
    least = {t: max(1, start.deck_model.cards.get(t, 0)) for t in fixed["cards"]} if "deck" in freedom.parts else {}
    return DeckSpace(limits, least, rules.deck_size)


def _listed(bundle: Bundle, freedom: Freedom) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What is fixed and what is banned, by pool. BadInput for unknown names, and for what is both."""
    printed = {pool: {key: entry.name for key, entry in getattr(bundle.cardset, pool).items()} for pool in POOLS}
    everything = {key: name for names in printed.values() for key, name in names.items()}
    found, faults = [], []
    for option, names in (("fix", freedom.fix), ("ban", freedom.ban)):
        ids: dict[str, list[str]] = {pool: [] for pool in POOLS}
        for name in names:
            pools = [pool for pool in POOLS if match(name, printed[pool], identifier)]
            if not pools:
                faults.append(unknown("runner, rig or card", name, everything, option))
            for pool in pools:
                ids[pool].append(str(match(name, printed[pool], identifier)))
        found.append(ids)
    both = [name for pool in POOLS for name in found[0][pool] if name in found[1][pool]]
    faults += [Fault("is fixed and banned", field="fix", value=name) for name in both]
    if faults:
        raise BadInput(*faults)
    return found[0], found[1]


def _members(side: Side) -> Members:
    return tuple((m.runner, m.rig) for m in side.crew_model.members)


def _cards(side: Side) -> Copies:
    return dict(side.deck_model.cards)


__all__: Sequence[str] = ("PARTS", "SkirmishSpace")
