"""A game for testing the lab: coins with known bias, played in numpy, with the rules of nothing.

A crew is the name of a bias in percent ("60"). Side 0 wins a game with probability 1/2 + (bias0 - bias1)/200, moved by ``edge`` for
whoever sits in seat 0 and holds the token. The luck of a key is one number from (root, key), shared by both seatings, so keys are
paired as in a real game and a mirror ties in every key.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Column, Distribution, Facts, Series, Side, Table, register


class Counter(NamedTuple):
    shape: tuple
    unit: str
    meaning: str


TALLY = np.dtype([("games", np.int64), ("wins", np.int64, (2,)), ("first", np.int64, (5,)), ("rounds", np.int64, (12,)), ("bad", np.int64)])


@dataclass(frozen=True)
class Coins:
    edge: int = 10  # percent points for the first player
    draw: int = 0  # percent of games drawn
    fault: int = -1  # key whose games fail
    bonus: int = 0  # percent points for the first side


class CoinFlip:
    name = "coinflip"
    score_unit = "win rate"
    behaviour_version = 1
    tally = TALLY
    counters = MappingProxyType({name: Counter((), "games", f"{name} of the coins") for name in TALLY.names})
    row_fields = ("rounds",)
    contribution = ("heads", "tails")
    sizes = range(2, 3)
    usual = ()
    shared_deck = False

    def has(self, kind, name):
        return False

    def seatings(self, players):
        return 2

    def load(self, options):
        changes = {}
        for text in options.sets:
            path, _, value = text.partition("=")
            changes[path] = int(value)
        return self.patched(Coins(), changes)

    def patched(self, bundle, changes):
        try:
            return replace(bundle, **{path.removeprefix("rules."): value for path, value in changes.items()})
        except TypeError:
            raise BadInput(Fault("no such path", field=", ".join(changes))) from None

    def side(self, bundle, names, number):
        if names.crew is None:
            raise BadInput(Fault("a side needs a crew"))
        return Side(names.crew, names.deck or "one coin", names.bot or "thumb", names.crew, names.deck, names.bot)

    def check(self, bundle, sides):
        faults = [Fault("no bias", value=s.crew) for s in sides if not s.crew.isdigit() or int(s.crew) > 100]
        if faults:
            raise BadInput(*faults)

    def compile(self, bundle):
        return bundle

    def pack(self, tables, bundle, sides):
        return np.array([int(s.crew) for s in sides])

    def play_block(self, tables, sides, root, first_key, keys, tally, outcomes, rows):
        luck = np.array([np.random.default_rng([root, first_key + k]).random(3) for k in range(keys)]).reshape(-1, 3)
        for seating in (0, 1):
            seat0 = sides[seating] - sides[1 - seating] + (tables.bonus if seating == 0 else -tables.bonus)
            token = np.where(luck[:, 2] < 0.5, 1, -1)
            won = luck[:, 0] * 200 < 100 + seat0 + token * tables.edge
            winner = np.where(won, seating, 1 - seating)
            drawn = luck[:, 1] * 100 < tables.draw
            outcomes[seating::2, 0] = np.where(drawn, 3, 1 << winner)
            margin = np.where(drawn, 0, np.where(winner == 0, 1, -1))
            outcomes[seating::2, 1] = margin.astype(np.int8).view(np.uint8)
            if len(rows):
                rows[seating::2, 0] = (luck[:, 1] * 10).astype(int) + 1
            tally["rounds"][0] += np.bincount((luck[:, 1] * 10).astype(int) + 1, minlength=12)
            for side in (0, 1):
                tally["wins"][0, side] += int((margin == (1 if side == 0 else -1)).sum())
        first_side = np.stack([np.where(token > 0, 0, 1), np.where(token > 0, 1, 0)], axis=1).reshape(-1)
        mask = outcomes[:, 0]
        half = np.where(mask == 3, 1, np.where(mask >> first_side & 1, 2, 0))
        tally["first"][0] += np.bincount(half.reshape(-1, 2).sum(axis=1), minlength=5)
        tally["games"] += 2 * keys
        if first_key <= tables.fault < first_key + keys:
            tally["bad"] += 2

    def replay(self, bundle, sides, root, index):
        raise BadInput(Fault("coins leave no story"))

    def data_names(self, bundle):
        return "coins"

    def faults_of(self, tally):
        return int(tally["bad"][0])

    def facts(self, tally, bundle, sides):
        t = tally[0]
        games = int(t["games"])
        first = np.zeros(121, np.int64)
        first[::30] = t["first"]
        drawn = games - int(t["wins"].sum())
        x = np.arange(1, 11)
        columns = (Column("side"), Column("runner"), Column("heads", "flips", "", True), Column("tails", "flips", "", True))
        rows = tuple((s, f"coin {s}", int(t["wins"][s]), games - int(t["wins"][s])) for s in (0, 1))
        return Facts(
            games, drawn, 0, {"flip": (t["wins"][0] / games, t["wins"][1] / games), "tax": (0.1, 0.2)}, first,
            Distribution("Round", "round", np.arange(12), t["rounds"].copy()),
            Distribution("Margin", "points", np.arange(-1, 2), np.array([t["wins"][1], drawn, t["wins"][0]])),
            (Series("Flips by round", "round", "flips per game", x, np.stack([x / 10, x / 20]), t["rounds"][1:11]),),
            {"runners": Table("Coins", columns, rows)},
        )  # fmt: skip

    def resolved(self, bundle, sides):
        return {"coins": vars(bundle), **{f"side_{i}": {"crew": s.crew, "deck": s.deck, "bot": s.bot} for i, s in enumerate(sides)}}

    def restored(self, data):
        return Coins(**data["coins"]), tuple(Side(**data[f"side_{i}"], crew_model=data[f"side_{i}"]["crew"]) for i in (0, 1))

    def digest(self, bundle, sides):
        return hashlib.sha256(json.dumps([vars(bundle), [s.crew for s in sides]]).encode()).hexdigest()[:16]

    def values(self, bundle, sides):
        return {f"rules.{name}": value for name, value in vars(bundle).items()} | {f"crews.{'ab'[i]}": s.crew for i, s in enumerate(sides)}

    def house_values(self, bundle, sides):
        return True

    def bots(self):
        return [("thumb", "flips with the thumb")]

    def bot(self, name):
        return {
            "name": name,
            "description": "flips",
            "style": "weights",
            "weights": [{"weight": "strength", "value": 1, "meaning": "of the flip"}],
        }

    def is_warm(self):
        return True

    def warmup(self):
        return None


GAME = CoinFlip()
register(GAME)
