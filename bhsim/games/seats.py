"""Who sits at the table: what users name, in the ways that verbs and specs have for it, as sides in order; and which game they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import MODULES, Game, Options, SideNames, find

Names = tuple[str | None, ...]


@dataclass(frozen=True)
class Seating:
    """A table as users name it.

    players: by default as many as crews, or as several bots, or as the game's usual table has. deck, bots: of all sides; bots are
    repeated from the first, or cut, to as many as there are sides. decks, own_bots: of the first sides, and before those.
    """

    crews: tuple[str, ...] = ()
    players: int | None = None
    deck: str | None = None
    bots: Names = ()
    decks: Names = ()
    own_bots: Names = ()

    def sides(self, game: Game) -> list[SideNames]:
        """The sides in order; BadInput for a number of them that the game has not. A deck of the whole table is in none of them."""
        count = self._count(game)
        if game.shared_deck and any(self.decks):
            raise BadInput(Fault(f"all sides of {game.name} share one deck", field="deck", value=next(filter(None, self.decks))))
        deck, usual = None if game.shared_deck else self.deck, [side.bot for side in game.usual]
        return [
            SideNames(
                self.crews[place] if self.crews else None,
                _at(self.decks, place) or deck,
                _at(self.own_bots, place) or _around(self.bots, place) or _around(usual, place),
            )
            for place in range(count)
        ]

    def table_deck(self, game: Game) -> str | None:
        """The deck, if the game has one for the whole table."""
        return self.deck if game.shared_deck else None

    def _count(self, game: Game) -> int:
        count = self.players
        if count is None:
            count = len(self.crews) or (len(self.bots) if len(self.bots) > 1 else 0) or len(game.usual) or game.sizes[0]
        if count not in game.sizes:
            allowed = " to ".join(str(n) for n in sorted({game.sizes[0], game.sizes[-1]}))
            field = "crews" if self.crews and self.players is None else "players"
            raise BadInput(Fault(f"{game.name} has no table of this size", field=field, value=count, allowed=allowed))
        if self.crews and len(self.crews) != count:
            raise BadInput(Fault("crews and players are not equally many", field="crews", value=len(self.crews), allowed=str(count)))
        return count

    @property
    def named(self) -> list[tuple[str, str]]:
        """All files that are named, each with its kind."""
        kinds = (("crew", self.crews), ("deck", (self.deck, *self.decks)), ("bot", (*self.bots, *self.own_bots)))
        return [(kind, name) for kind, names in kinds for name in names if name is not None]

    @property
    def words(self) -> list[tuple[str, Any]]:
        """The same as options of the command line, but for crews, which stand before them."""
        options: list[tuple[str, Any]] = [("--players", self.players), ("--deck", self.deck)]
        options.append(("--bots", ",".join(map(str, self.bots)) or None))
        own = (("deck", self.decks), ("bot", self.own_bots))
        return options + [(f"--{part}-{letter}", name) for part, names in own for letter, name in zip("abcdef", names, strict=False)]


def game_of_names(seating: Seating, options: Options) -> str:
    """The first game that finds all files by the names given and has tables of that size; the usual one where none does."""
    files = [(kind, getattr(options, kind)) for kind in ("cardset", "board", "rules")]
    named = [*seating.named, *((kind, name) for kind, name in files if name is not None)]

    def fits(game: Game) -> bool:
        return seating.players in (None, *game.sizes) and all(game.has(*one) for one in named)

    return next((name for name in MODULES if fits(find(name))), next(iter(MODULES)))


def _at(names: Sequence[str | None], place: int) -> str | None:
    return names[place] if place < len(names) else None


def _around(names: Sequence[str | None], place: int) -> str | None:
    return names[place % len(names)] if names else None
