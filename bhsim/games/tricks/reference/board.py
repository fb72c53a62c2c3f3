"""The board in play: spaces as tiles and exploits have made them, pawns, and where they can go (TR-6, TR-7)."""

from __future__ import annotations

from dataclasses import dataclass

from bhsim.games.tricks import model
from bhsim.games.tricks.actions import MAX_VALUE, PAWNS


@dataclass
class Pawn:
    """number: seat * 2 + 0 or 1. space: its id. stuck: a trap has it (TR-6.3)."""

    number: int
    space: str
    stuck: bool = False

    @property
    def seat(self) -> int:
        return self.number // PAWNS


class Board:
    """Spaces are named by their ids; ``number`` gives the number that decisions use (the file's order)."""

    def __init__(self, printed: model.Board, players: int) -> None:
        self.printed = printed
        self.ids = list(printed.spaces)
        self.number = {key: number for number, key in enumerate(self.ids)}
        self.laid: set[str] = set()
        self.spaces = printed.layout(self.laid)
        self.shift = dict.fromkeys(self.ids, 0)
        self.pawns = [Pawn(n, printed.starts()[n % PAWNS]) for n in range(players * PAWNS)]  # TR-1.4

    def value(self, space: str) -> int:
        """TR-7.2: what stands there, and what exploits made of it."""
        return self.spaces[space].value + self.shift[space]

    def free(self, space: str) -> bool:
        """TR-1.4: starts and Critical Assets hold any number."""
        return self.spaces[space].kind in ("start", "critical_assets") or all(pawn.space != space for pawn in self.pawns)

    def landings(self, space: str) -> set[str]:
        """TR-6.1, 6.2: the spaces where a step from here ends; occupied ones are jumped along any of their arrows."""
        found: set[str] = set()
        for ahead in self.spaces[space].arrows:
            found |= {ahead} if self.free(ahead) else self.landings(ahead)
        return found

    def movable(self, seat: int) -> list[Pawn]:
        """TR-6.1, 6.3: pawns that this player may move, if they have where to go."""
        return [p for p in self.distinct() if not p.stuck and (p.seat == seat or self.value(p.space) < 0)]

    def distinct(self) -> list[Pawn]:
        """The pawns; of two that their player cannot tell apart the first."""
        first = {(pawn.seat, pawn.space): pawn for pawn in reversed(self.pawns)}
        return sorted(first.values(), key=lambda pawn: pawn.number)

    def can_anything_move(self) -> bool:
        """TR-8.4."""
        return any(not pawn.stuck and self.landings(pawn.space) for pawn in self.pawns)

    def ways_back(self, pawn: Pawn) -> list[str]:
        """TR-7.3: the free spaces with an arrow to the pawn's; what a trap has, it keeps (TR-6.3)."""
        if pawn.stuck:
            return []
        return [key for key in self.ids if pawn.space in self.spaces[key].arrows and self.free(key)]

    def put(self, pawn: Pawn, space: str) -> None:
        pawn.space = space
        self._spring_traps()

    def can_shift(self, space: str, amount: int) -> bool:
        return abs(self.value(space) + amount) <= MAX_VALUE

    def can_lay(self) -> list[str]:
        """TR-7.4: the tiles that do not lie on the board."""
        return [tile for tile in self.printed.tiles if tile not in self.laid]

    def lay(self, tile: str) -> None:
        """TR-7.5: the tile goes to its place; one that lay there goes. Exploits stay with their spaces."""
        self.laid = {other for other in self.laid if not self.printed.overlap(tile, other)} | {tile}
        self.spaces = self.printed.layout(self.laid)
        self._spring_traps()

    def _spring_traps(self) -> None:
        """TR-6.3, 7.1: for good, even if a tile covers the trap later."""
        for pawn in self.pawns:
            pawn.stuck = pawn.stuck or self.spaces[pawn.space].kind == "trap"
