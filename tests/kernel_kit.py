"""The compiled engine behind the names that the plain engine has, so that one test runs on both.

Reading works as on ``reference.Game``; what a test sets (where runners stand, locks, piles, points ...) is written into
the kernel's record with everything that the kernel derives from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import model
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.engine import numbers, play
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.engine.jit import kernel
from bhsim.games.skirmish.tables import N_WEIGHTS, SIDE, compile_side, compile_tables, node_set
from bhsim.games.skirmish.view import nodes, view


@kernel
def number_of(T, S, g, stat):
    """A runner's number outside any attack."""
    return numbers.value(T, S, g, stat, np.int64(0))


@kernel
def banned_from(T, S, g, what):
    """Whether a runner is forbidden something now (one of the ban bits)."""
    return numbers.banned(T, S, g, what)


class Written(list):
    """A list whose items, when set, are handed on."""

    def __init__(self, items: list, write: Callable[[int, Any], None]) -> None:
        super().__init__(items)
        self.write = write

    def __setitem__(self, place, value) -> None:
        self.write(place, value)
        super().__setitem__(place, value)


class KernelRunner:
    """One runner of a kernel game."""

    def __init__(self, game: KernelGame, seat: int, position: int) -> None:
        self.game, self.seat, self.position = game, seat, position
        self.g = seat * st.GROUP + position

    @property
    def on_board(self) -> bool:
        return bool(self.game.S.on[self.g] == st.BOARD)

    @property
    def node(self) -> int | None:
        return int(self.game.S.node[self.g]) if self.on_board else None

    @property
    def signal(self) -> int:
        return int(self.game.S.signal[self.g])

    @signal.setter
    def signal(self, value: int) -> None:
        self.game.S.signal[self.g] = value

    @property
    def ready(self) -> bool:
        return bool(self.game.S.ready[self.g])

    @ready.setter
    def ready(self, value: bool) -> None:
        self.game.S.ready[self.g] = value

    def stand(self, node: int) -> None:
        S = self.game.S
        S.on[self.g], S.node[self.g], S.last[self.g] = st.BOARD, node, node
        self.game.note_places()

    def leave(self) -> None:
        S = self.game.S
        S.on[self.g], S.node[self.g] = st.OFF, -1
        self.game.note_places()


class KernelData:
    """The data that a seat has out."""

    def __init__(self, game: KernelGame, seat: int) -> None:
        self.game, self.seat = game, seat

    @property
    def carrier(self) -> KernelRunner:
        return self.game.crew[self.seat][int(self.game.S.data_c[self.seat])]

    @property
    def signal(self) -> int:
        return int(self.game.S.data_s[self.seat])

    @signal.setter
    def signal(self, value: int) -> None:
        self.game.S.data_s[self.seat] = value


class KernelNetwork:
    """States and locks."""

    def __init__(self, game: KernelGame) -> None:
        self.game = game

    @property
    def locks(self) -> set[int]:
        return set(nodes(self.game.S.lock))

    @locks.setter
    def locks(self, locked: set[int]) -> None:
        self.game.S.lock[:] = node_set(locked)

    @property
    def states(self) -> list[str]:
        return Written([v.STATES[s] for s in self.game.S.state[: self.game.n_nodes]], self._set_state)

    def _set_state(self, node: int, word: str) -> None:
        S = self.game.S
        S.state[node] = v.STATES.index(word)
        for number in range(len(v.ONLINE)):
            S.mask[number] = node_set(n for n in range(self.game.n_nodes) if S.state[n] == number)


class KernelGame:
    """A kernel game with the constructor, methods and names of ``reference.Game``; it writes no log."""

    def __init__(self, pool: Bundle, crews: tuple[model.Crew, ...], decks: tuple[model.Deck, ...], root: int, key: int, game: int) -> None:
        self.titles, self.n_nodes = list(pool.cardset.cards), len(pool.board.states)
        self.tables = compile_tables(pool.cardset, pool.board, pool.rules)
        self.state, self.work = st.new_state(), st.new_work()
        self.log = np.zeros((0, LOG_WIDTH), np.int64)
        sides = np.zeros(2, SIDE).view(np.recarray)
        for i in range(2):
            sides[i] = compile_side(pool.cardset, crews[i], decks[i], 0, np.zeros(N_WEIGHTS))[0]
        play.start(self.tables[0], sides, self.S, self.work[0], self.log, np.uint64(root), key, game)
        self.network = KernelNetwork(self)
        self.crew = [[KernelRunner(self, seat, p) for p in range(int(self.S.n_crew[seat]))] for seat in (0, 1)]

    @property
    def S(self) -> np.record:
        return self.state[0]

    def legal(self) -> list[int]:
        count = play.legal(self.tables[0], self.S, self.work[0])
        return sorted(int(a) for a in self.work[0].legal[:count])

    def apply(self, action: int) -> None:
        if action not in self.legal():
            raise ValueError(f"{act.decode(action)} is not legal here")
        play.apply(self.tables[0], self.S, self.work[0], self.log, int(action))
        assert self.S.status == st.OK

    def view(self) -> dict:
        return view(self.S, self.titles, self.n_nodes)

    def number(self, runner: KernelRunner, stat: str) -> int:
        return int(number_of(self.tables[0], self.S, runner.g, v.STATS.index(stat)))

    def banned(self, runner: KernelRunner, what: str) -> bool:
        return bool(banned_from(self.tables[0], self.S, runner.g, 1 << v.FORBIDDABLE.index(what)))

    def carried(self, runner: KernelRunner) -> KernelData | None:
        return self.data[runner.seat] if self.S.data_c[runner.seat] == runner.position else None

    @property
    def data(self) -> list[KernelData | None]:
        return [KernelData(self, seat) if self.S.data_c[seat] >= 0 else None for seat in (0, 1)]

    @property
    def points(self) -> list[int]:
        return Written(self.view()["points"], self.S.points.__setitem__)

    @property
    def token(self) -> int:
        return int(self.S.token)

    @token.setter
    def token(self, seat: int) -> None:
        self.S.token = seat

    @property
    def deck(self) -> list[list[str]]:
        return self._piles("deck")

    @property
    def hand(self) -> list[list[str]]:
        return self._piles("hand")

    @property
    def discard(self) -> list[list[str]]:
        return self._piles("discard", "disc")

    @property
    def flight(self) -> list[list[str]]:
        return self._piles("flight")

    def _piles(self, name: str, field: str | None = None) -> list[list[str]]:
        cards, counts = self.S[field or name], self.S[f"n_{field or name}"]

        def write(seat: int, pile: list[str]) -> None:
            counts[seat] = len(pile)
            cards[seat, : len(pile)] = [self.titles.index(title) for title in pile]

        return Written(self.view()[name], write)

    def __getattr__(self, name: str) -> Any:
        """What the canonical view says under this name."""
        words = {"round", "turn", "seat", "passed", "shuffles", "over", "winner", "reason", "dropped", "extra", "random_draws"}
        if name in words:
            return self.view()[name]
        raise AttributeError(name)

    def note_places(self) -> None:
        """The sets of taken nodes, from where the runners stand."""
        for seat in (0, 1):
            self.S.occ[seat] = node_set(r.node for r in self.crew[seat] if r.on_board)
