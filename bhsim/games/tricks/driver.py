"""The compiled engine led by Python, decision by decision, behind the same methods as the plain engine's ``Game``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bhsim.games.lockstep import EngineStopped
from bhsim.games.tricks.bots import Bot
from bhsim.games.tricks.bundle import Bundle
from bhsim.games.tricks.engine import block, play
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.tables import SIDE, compile_side, compile_tables
from bhsim.games.tricks.view import kernel_view


@dataclass(frozen=True)
class Match:
    """What a table plays with: deck, board and rules, and one bot for each side."""

    bundle: Bundle
    bots: tuple[Bot, ...]

    @property
    def players(self) -> int:
        """Sides at the table."""
        return len(self.bots)

    @cached_property
    def tables(self) -> np.recarray:
        """The ``TABLES`` record, shape (1,)."""
        return compile_tables(self.bundle.deck, self.bundle.board, self.bundle.rules)

    @cached_property
    def sides(self) -> np.recarray:
        """The ``SIDE`` records, shape (players,)."""
        sides = np.zeros(len(self.bots), SIDE).view(np.recarray)
        for number, bot in enumerate(self.bots):
            sides[number] = compile_side(bot.style_number, bot.vector())[0]
        return sides


class KernelGame:
    """Game ``index`` of a run: key ``index // players``, rotation ``index % players``. It waits at its next decision, or is over.

    Every method raises ``EngineStopped`` when the kernel stops by a fault of its own.
    """

    def __init__(self, match: Match, root: int, index: int) -> None:
        self.match, self.root, self.index, self.players = match, root, index, match.players
        self.key, self.rotation = divmod(index, match.players)
        self._state, self._work = st.new_state(), st.new_work()
        self._S, self._W = self._state[0], self._work[0]
        self._T = match.tables[0]
        self._begin()
        self._check()

    def _begin(self) -> None:
        play.start(self._T, self.players, self._S, self._W, np.uint64(self.root % 2**64), self.key)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._S.over)

    @property
    def seat(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return -1 if self.over else int(self._S.who)

    @property
    def points(self) -> list[int]:
        """Running score by seat."""
        return [int(x) for x in self._S.points_from[: self.players].sum(axis=1)]

    def legal(self) -> list[int]:
        """The legal decisions, ascending; none when the game is over."""
        return self._W.legal[: play.legal(self._T, self._S, self._W)].tolist()

    def bot_decision(self) -> int:
        """What the bot of the seat to decide does; it is asked once for each decision."""
        side = (self.seat - self.rotation) % self.players
        return int(block.bot_decision(self._T, self.match.sides[side], self._S, self._W))

    def apply(self, action: int) -> None:
        """Takes a decision, which must be legal, and goes on to the next."""
        play.apply(self._T, self._S, self._W, action)
        self._check()

    def view(self) -> dict[str, Any]:
        """The whole table as plain values, as the plain engine gives it."""
        return kernel_view(self._S, self.match.bundle)

    def copy(self) -> KernelGame:
        """The same position again; what is done to one leaves the other alone."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._state, twin._work = self._state.copy(), self._work.copy()
        twin._S, twin._W = twin._state[0], twin._work[0]
        return twin

    def _check(self) -> None:
        status = int(self._S.status)
        if status != st.OK:
            raise EngineStopped(f"the kernel stopped: {st.STATUS[status]} (seed {self.root}, game {self.index})")
