"""Games of a run that fit a description, each played again: the fields of ``bhsim find`` (docs/tricks-replay.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games import conditions as shared
from bhsim.games.conditions import Conditions
from bhsim.games.lockstep import EngineStopped
from bhsim.games.tricks.driver import Match
from bhsim.games.tricks.engine import block
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.tally import BY_SIDE, REASONS
from bhsim.inputs.names import suggestion

LETTERS = "abcdef"
NUMBERS = ("rounds", "margin", "tricks", "hat_tricks")
SIDED_NUMBERS = ("points", *(name for name, counter in BY_SIDE.items() if not counter.shape))


class Finished:
    """What a kernel left of a game that was played whole: its state and counters, read by side."""

    def __init__(self, S: np.record, W: np.record, rotation: int) -> None:
        self.S, self.W, self.rotation, self.players = S, W, rotation, int(S.players)

    @property
    def winner(self) -> str:
        """A side's letter; shared or none (cut off)."""
        if self.reason == "max_rounds":
            return "none"
        winners = [side for side in range(self.players) if int(self.S.winners) >> self._seat(side) & 1]
        return LETTERS[winners[0]] if len(winners) == 1 else "shared"

    @property
    def reason(self) -> str:
        """One of ``REASONS``."""
        return REASONS[int(self.S.reason) - 1]

    @property
    def ended_by(self) -> str:
        """Letter of the side whose move to Critical Assets ended the game, or none."""
        ender = int(self.S.ender)
        return "none" if ender < 0 else LETTERS[(ender - self.rotation) % self.players]

    @property
    def rounds(self) -> int:
        """Number of the round in which it ended."""
        return int(self.S.round_no)

    @property
    def margin(self) -> int:
        """Points of the best other side minus those of side a."""
        mine, *others = (self.number("points", side) for side in range(self.players))
        return min(others) - mine

    @property
    def tricks(self) -> int:
        """Tricks played."""
        return int(self.W.tricks)

    @property
    def hat_tricks(self) -> int:
        """Those with the Black Hat in them."""
        return int(self.W.hat_tricks)

    def number(self, name: str, side: int) -> int:
        """One of ``SIDED_NUMBERS`` of a side."""
        seat = self._seat(side)
        return int(self.S.points_from[seat].sum()) if name == "points" else int(getattr(self.W, name)[seat])

    def _seat(self, side: int) -> int:
        return (side + self.rotation) % self.players


def conditions(text: str, players: int) -> Conditions:
    """The conditions of ``text``; ``BadInput`` names the first that means nothing at a table of so many."""
    letters = tuple(LETTERS[:players])
    words = {"winner": (*letters, "shared", "none"), "reason": REASONS, "ended_by": (*letters, "none")}
    return shared.conditions(text, words, lambda name: _reader(name, letters, list(words)))


@dataclass(frozen=True)
class TricksFinder:
    """See ``bhsim.games.replay.Finder``."""

    match: Match
    wanted: Conditions

    def search(self, root: int, games: int) -> Iterator[tuple[int, Finished | None]]:
        """Every index, with the game if it fits; all games share one record."""
        S, W, T = st.new_state()[0], st.new_work()[0], self.match.tables[0]
        for index in range(games):
            key, rotation = divmod(index, self.match.players)
            block.play_one(T, self.match.sides, S, W, root, key, rotation)
            if S.status != st.OK:
                raise EngineStopped(f"the kernel stopped: {st.STATUS[int(S.status)]} (seed {root}, game {index})")
            found = Finished(S, W, rotation)
            yield index, found if self.wanted.holds(found) else None


def _reader(name: str, letters: tuple[str, ...], words: list[str]) -> Callable[[Finished], int]:
    """What reads a number: of the game, of a side (``a.points``), or of all sides together (``points``)."""
    if name in NUMBERS:
        return lambda game: getattr(game, name)
    first, _, rest = name.rpartition(".")
    if rest in SIDED_NUMBERS and first in ("", *letters):
        sides = [letters.index(first)] if first else range(len(letters))
        return lambda game: sum(game.number(rest, side) for side in sides)
    known = [*words, *NUMBERS, *(f"a.{field}" for field in SIDED_NUMBERS)]
    allowed = f"{', '.join(known)}; the side's letter up to {letters[-1]}, or none for all together"
    raise BadInput(Fault(f"unknown field{suggestion(name, known)}", field="--where", value=name, allowed=allowed))
