"""The compiled engine led by Python, decision by decision, behind the same methods as the reference engine's ``Game``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bhsim.games.lockstep import EngineStopped
from bhsim.games.skirmish.bots import Bot, with_ids
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.engine import block, play
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.model import Crew, Deck
from bhsim.games.skirmish.tables import SIDE, compile_side, compile_tables
from bhsim.games.skirmish.view import view

LOG_ROWS = 4096  # to begin with; the log grows before it is full


@dataclass(frozen=True)
class Match:
    """What two sides play with. crews, decks, bots: by side; ``bundle``: card set, board and rules."""

    bundle: Bundle
    crews: tuple[Crew, Crew]
    decks: tuple[Deck, Deck]
    bots: tuple[Bot, Bot]

    @cached_property
    def tables(self) -> np.recarray:
        """The ``TABLES`` record, shape (1,)."""
        return compile_tables(self.bundle.cardset, self.bundle.board, self.bundle.rules)

    @cached_property
    def sides(self) -> np.recarray:
        """The ``SIDE`` records, shape (2,)."""
        packed = np.zeros(2, SIDE).view(np.recarray)
        for side, (crew, deck, bot) in enumerate(zip(self.crews, self.decks, self.bots, strict=True)):
            packed[side] = compile_side(self.bundle.cardset, crew, deck, *with_ids(bot, self.bundle.cardset).compiled())[0]
        return packed

    @cached_property
    def titles(self) -> list[str]:
        """Title ids in the order of their numbers."""
        return list(self.bundle.cardset.cards)


class KernelGame:
    """Game ``index`` of a run: key ``index // 2``, seating ``index % 2``. It waits at its next decision, or is over.

    root: the run's seed. logged: whether ``raw_log`` is kept. Every method raises ``EngineStopped`` when the kernel stops by a
    fault of its own.
    """

    def __init__(self, match: Match, root: int, index: int, logged: bool = False) -> None:
        self.match, self.root, self.index = match, root, index
        self.key, self.game = divmod(index, 2)
        self.side_at = (self.game, 1 - self.game)  # seat -> side
        self._log = np.zeros((LOG_ROWS if logged else 0, LOG_WIDTH), np.int64)
        self._state, self._work = st.new_state(), st.new_work()
        self._S, self._W = self._state[0], self._work[0]
        self._T = match.tables[0]
        play.start(self._T, match.sides, self._S, self._W, self._log, np.uint64(root % 2**64), self.key, self.game)
        block.wake_bots(self._W)
        self._check()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._S.over)

    @property
    def seat(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return -1 if self.over else int(self._S.who)

    @property
    def winner(self) -> int | None:
        """The seat that won, or None."""
        return int(self._S.winner) if self.over and self._S.winner >= 0 else None

    @property
    def points(self) -> list[int]:
        """Points by seat."""
        return [int(x) for x in self._S.points]

    def legal(self) -> list[int]:
        """The legal decisions in the kernel's order; none when the game is over."""
        count = play.legal(self._T, self._S, self._W)
        return self._W.legal[:count].tolist()

    def bot_decision(self) -> int:
        """What the bot of the seat to decide does; it is asked once for each decision."""
        seat = self.seat
        return int(block.bot_decision(self._T, self.match.sides[self.side_at[seat]], self._S, self._W, seat))

    def apply(self, action: int) -> None:
        """Takes a decision, which must be legal, and goes on to the next."""
        if len(self._log) and self._S.log_n > len(self._log) // 2:
            self._log = np.concatenate([self._log, np.zeros_like(self._log)])
        play.apply(self._T, self._S, self._W, self._log, action)
        self._check()

    def view(self) -> dict[str, Any]:
        """The whole table as plain values, as the reference engine gives it."""
        return view(self._S, self.match.titles, len(self.match.bundle.board.states))

    def raw_log(self) -> np.ndarray:
        """Rows of the event log so far: int64, shape (events, LOG_WIDTH)."""
        written = int(self._S.log_n)
        if written > len(self._log) > 0:
            raise EngineStopped(f"one decision wrote more than {len(self._log) // 2} events (seed {self.root}, game {self.index})")
        return self._log[:written] if len(self._log) else self._log

    def copy(self) -> KernelGame:
        """The same position again; what is done to one leaves the other alone."""
        twin = object.__new__(KernelGame)
        twin.__dict__.update(self.__dict__)
        twin._state, twin._work, twin._log = self._state.copy(), self._work.copy(), self._log.copy()
        twin._S, twin._W = twin._state[0], twin._work[0]
        return twin

    def _check(self) -> None:
        status = int(self._S.status)
        if status != st.OK:
            raise EngineStopped(f"the kernel stopped: {st.STATUS[status]} (seed {self.root}, game {self.index})")
