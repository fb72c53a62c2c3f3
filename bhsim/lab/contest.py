"""A contest: one fully specified match-up with its number of games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import WHOLE, Game, Options, Side, SideNames, shares

MAX_GAMES = 1_000_000_000


@dataclass(frozen=True)
class Contest:
    """A match-up. number: its place in the run. setting: axis label -> value label, empty outside sweeps. keys: deals of luck.

    looks: numbers of keys at which it may end before its last (lab/precision.py), ascending, the last is ``keys``; empty: it may not.
    """

    number: int
    game: Game
    bundle: Any = field(repr=False)
    sides: tuple[Side, ...]
    keys: int
    setting: dict[str, str] = field(default_factory=dict)
    looks: tuple[int, ...] = ()

    @property
    def seatings(self) -> int:
        """Games per key."""
        return self.game.seatings(len(self.sides))

    @property
    def games(self) -> int:
        """Games played: keys times seatings."""
        return self.keys * self.seatings

    @property
    def mirror(self) -> bool:
        """Whether all sides are the same, so that every key ties."""
        first = self.sides[0]
        return all((s.crew_model, s.deck_model, s.bot_model) == (first.crew_model, first.deck_model, first.bot_model) for s in self.sides)

    @property
    def label(self) -> str:
        """Short name for tables and plots: the setting, or else the crews."""
        if self.setting:
            return ", ".join(f"{axis} = {value}" for axis, value in self.setting.items())
        return " - ".join(s.crew for s in self.sides)

    def same_games(self, other: Contest) -> bool:
        """Whether both give the same scores on the same keys without a game played: equal data, or both are mirrors."""
        return self.digest() == other.digest() or (self.mirror and other.mirror)

    def digest(self) -> str:
        """Digest of the numbers used."""
        return self.game.digest(self.bundle, self.sides)

    def key_scores(self, outcomes: np.ndarray, side: int = 0) -> np.ndarray:
        """Mean score of a side in each key, floats 0..1, shape (keys,), from the outcomes of whole keys: uint8, shape (games, 2)."""
        scores = shares(outcomes[:, 0], len(self.sides))[:, side]
        return scores.reshape(-1, self.seatings).sum(axis=1) / (WHOLE * self.seatings)


def keys_for(games: int, seatings: int) -> int:
    """Whole keys that hold at least ``games`` games; BadInput for less than one game or more than ``MAX_GAMES``."""
    if games < 1 or games > MAX_GAMES:
        raise BadInput(Fault("number of games out of range", field="games", value=games, allowed=f"1 to {MAX_GAMES}"))
    return -(-games // seatings)


def build(game: Game, options: Options, names: Sequence[SideNames], games: int) -> Contest:
    """Reads, patches and checks one contest."""
    bundle = game.load(options)
    return assemble(game, bundle, names, games)


def assemble(
    game: Game, bundle: Any, names: Sequence[SideNames], games: int, number: int = 0, setting: dict[str, str] | None = None
) -> Contest:
    """A checked contest from a bundle that is read already."""
    keys = keys_for(games, game.seatings(len(names)))
    sides = tuple(game.side(bundle, side, place) for place, side in enumerate(names))
    game.check(bundle, sides)
    return Contest(number, game, bundle, sides, keys, setting or {})
