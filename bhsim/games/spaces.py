"""What a side may become: the seam between a game and the searches of the lab. A game's ``Builds.space`` gives a ``Space``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bhsim.games.game import Side

CHOICES = {"crew": ("crew",), "deck": ("deck",), "both": ("crew", "deck")}  # what people may ask for, and the parts that it frees


@dataclass(frozen=True)
class Freedom:
    """What a search may change. parts: of the game's ``Builds.changeable``.

    fix, ban: items by id or printed name that every build has, or that none has. max_changes: most pieces in which a build differs from
    the start (``Space.distance``), None for any. members: sizes of crews that are looked at, None for every legal one.
    """

    parts: tuple[str, ...]
    fix: tuple[str, ...] = ()
    ban: tuple[str, ...] = ()
    max_changes: int | None = None
    members: range | None = None

    @property
    def sizes(self) -> str | None:
        """The sizes of crews as an option takes them: ``first-last``."""
        return f"{self.members.start}-{self.members.stop - 1}" if self.members else None

    def record(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        lists = {"parts": list(self.parts), "fix": list(self.fix), "ban": list(self.ban)}
        return {**lists, "max_changes": self.max_changes, "members": [self.members.start, self.members.stop - 1] if self.members else None}


class Space(Protocol):
    """All builds within a freedom, every one legal by construction. Sides that it makes are named after ``key``."""

    start: Side

    def key(self, side: Side) -> str:
        """Tells builds apart: equal for sides that play the same games. Readable, one line."""

    def cost(self, side: Side) -> int:
        """What the side uses up of ``limit``."""

    limit: int

    def distance(self, side: Side) -> int:
        """In how many pieces the side differs from the start: runner and rig pairs, and copies of cards, that one has and the other not."""

    def changes(self, side: Side) -> list[str]:
        """The same in words, each a line; empty for the start itself."""

    def every(self, most: int) -> list[Side] | None:
        """All builds, always in the same order, or None if there are more than ``most``."""

    def sample(self, rng: np.random.Generator) -> Side:
        """A build drawn at random."""

    def neighbour(self, side: Side, rng: np.random.Generator) -> Side:
        """A build one random step away from ``side``."""

    def cross(self, one: Side, other: Side, rng: np.random.Generator) -> Side:
        """A build made of pieces of both."""

    def repair(self, side: Side, rng: np.random.Generator) -> Side:
        """A build near ``side``, which may be anything: the same if it is within the freedom already."""

    def named(self, side: Side, name: str) -> Side:
        """The side with its changed parts under another name."""

    def parts_of(self, side: Side) -> dict[str, object]:
        """The side as plain data by part, as {"crew": [{"runner": .., "rig": ..}, ..], "deck": {title: copies}}."""

    def words(self, side: Side) -> dict[str, list[str]]:
        """The same as a person reads it: the printed names of each part's pieces."""

    def files(self, side: Side, how: str) -> dict[str, str]:
        """Files that a player can play with: path inside a folder -> text. how: a comment for their top, one ``#`` line for each line."""
