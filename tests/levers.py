"""A game for testing balance: crews are sums of levers with known effects, so every rate and every right answer is known.

A crew has levers; its strength is the sum of weight times (setting - 3) over them, and the first side wins with the logistic of the
difference in strength. So a metagame holds the strongest crew alone. A lever has a size, too, on which no game depends; a crew's sizes add
up to 6 at most. Luck is a hash of root, key and who plays: the same whatever the settings are. Levers are of hard or soft wood.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np
from coinflip import CoinFlip

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side, register

FAIR, MOST = 3, 9
WEIGHTS = {"ash": 0.25, "birch": 0.15, "cedar": 0.3, "elm": 0.2, "fir": 0.25, "oak": 0.1, "pine": 0.35}
CREWS = {"north": ("ash", "birch"), "east": ("cedar", "elm"), "south": ("fir", "birch"), "west": ("oak", "elm", "fir")}
SOFT = {"cedar", "fir", "pine"}
SIZE_LIMIT = 6


@dataclass(frozen=True)
class Levers:
    """Settings and sizes by path, of all levers."""

    values: tuple[tuple[str, int], ...]

    def of(self, lever: str, what: str) -> int:
        return dict(self.values)[f"levers.{lever}.{what}"]


START = Levers(tuple((f"levers.{lever}.{what}", start) for lever in WEIGHTS for what, start in (("setting", FAIR), ("size", 2))))


def strength(bundle, crew):
    return sum(WEIGHTS[lever] * (bundle.of(lever, "setting") - FAIR) for lever in CREWS[crew])


def rate(bundle, a, b):
    """The true rate of a against b."""
    return 1 / (1 + np.exp(strength(bundle, b) - strength(bundle, a)))


def mixed(x):
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class LeverBuilds:
    parts = ("levers", "woods")
    played = "levers"
    changeable = ()

    def items(self, bundle, side, part):
        used = CREWS[side.crew]
        if part == "levers":
            return {lever: int(lever in used) for lever in WEIGHTS}
        return {"hard": sum(lever not in SOFT for lever in used), "soft": sum(lever in SOFT for lever in used)}


class LeverGame(CoinFlip):
    name = "levers"
    builds = LeverBuilds()

    def load(self, options):
        changes = {path: int(value) for path, _, value in (text.partition("=") for text in options.sets)}
        return self.patched(START, changes)

    def patched(self, bundle, changes):
        known = dict(bundle.values)
        faults = [Fault("unknown path", field=path) for path in changes if path not in known]
        faults += [
            Fault("is out of range", field=path, value=value, allowed=f"0 to {MOST}")
            for path, value in changes.items() if path in known and not 0 <= value <= MOST
        ]  # fmt: skip
        if faults:
            raise BadInput(*faults)
        return Levers(tuple((known | changes).items()))

    def side(self, bundle, names, number):
        if names.crew not in CREWS:
            raise BadInput(Fault(f"unknown crew {names.crew!r}"))
        return Side(names.crew, names.deck or "none", names.bot or "none", names.crew, names.deck, names.bot)

    def check(self, bundle, sides):
        for side in sides:
            if (size := sum(bundle.of(lever, "size") for lever in CREWS[side.crew])) > SIZE_LIMIT:
                raise BadInput(Fault(f"{side.crew} has size {size}", field="levers", allowed=f"at most {SIZE_LIMIT}"))

    def pack(self, tables, bundle, sides):
        return rate(bundle, sides[0].crew, sides[1].crew), [*CREWS].index(sides[0].crew) * len(CREWS) + [*CREWS].index(sides[1].crew)

    def play_block(self, tables, sides, root, first_key, keys, tally, outcomes, rows):
        with np.errstate(over="ignore"):
            key = mixed(
                np.uint64(root + (sides[1] << 40)) + np.arange(first_key, first_key + keys, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            )
            luck = np.stack([mixed(key + np.uint64(n)) for n in (1, 2, 3)]) / 2.0**64
        for seating in (0, 1):
            won = luck[seating] < sides[0]
            outcomes[seating::2, 0] = np.where(won, 1, 2)
            outcomes[seating::2, 1] = np.where(won, 1, -1).astype(np.int8).view(np.uint8)
            tally["wins"][0] += [int(won.sum()), int((~won).sum())]
            first_won = luck[2] < 0.5
            tally["first"][0] += np.bincount(2 * first_won + 2 * first_won, minlength=5) if seating else 0
        tally["rounds"][0, 1] += 2 * keys
        tally["games"] += 2 * keys

    def _used(self, bundle, sides):
        return {lever: bundle.of(lever, "setting") for side in sides for lever in CREWS[side.crew]}

    def digest(self, bundle, sides):
        named = [side.crew for side in sides]
        return hashlib.sha256(json.dumps([named, self._used(bundle, sides)]).encode()).hexdigest()[:16]

    def values(self, bundle, sides):
        used = {lever for side in sides for lever in CREWS[side.crew]}
        return {path: value for path, value in bundle.values if path.split(".")[1] in used}

    def resolved(self, bundle, sides):
        return {"levers": dict(bundle.values), **{f"side_{i}": {"crew": s.crew, "deck": s.deck, "bot": s.bot} for i, s in enumerate(sides)}}

    def restored(self, data):
        sides = tuple(Side(**data[f"side_{i}"], crew_model=data[f"side_{i}"]["crew"]) for i in (0, 1))
        return Levers(tuple(data["levers"].items())), sides

    def paths(self, bundle):
        return dict(bundle.values)


GAME = LeverGame()
register(GAME)
