"""A game of skirmish to play by hand, in a notebook or a script (docs/notebook.md): the compiled engine behind a few methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import files
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.decision_words import DecisionWords
from bhsim.games.skirmish.engine import play
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.model import Crew, Deck
from bhsim.games.skirmish.picture import LEGEND, LETTERS, board_picture, side_lines
from bhsim.games.skirmish.tables import N_WEIGHTS, SIDE, compile_side, compile_tables
from bhsim.games.skirmish.view import view

DEFAULT_DECK = "starter"
MAX_SEED = (1 << 63) - 1


class Decision(NamedTuple):
    """A legal decision: the integer that the engines know it by, and what it means."""

    action: int
    words: str


class Table:
    """One game, waiting at its next decision (or over).

    A side is a crew with its deck, 0 and 1 in the order given; a seat is a place at the table. In game 0 of a key side 0 sits
    in seat 0, in game 1 in seat 1: ``sides[seat]`` is the side that sits there.

    bundle: card set, board and rules; crews, decks: by side, legal; seed: root of all luck; index: number of the game in a
    run of that seed, so that the deal is the one of ``bhsim play --seed SEED``.
    """

    def __init__(self, bundle: Bundle, crews: Sequence[Crew], decks: Sequence[Deck], seed: int, index: int) -> None:
        if not 0 <= seed <= MAX_SEED:
            raise BadInput(Fault("out of range", field="seed", value=seed, allowed=f"0 to {MAX_SEED}"))
        if not 0 <= index <= MAX_SEED:
            raise BadInput(Fault("out of range", field="index", value=index, allowed="0 or more"))
        self.bundle, self.crews, self.decks = bundle, tuple(crews), tuple(decks)
        self.seed, self.index = seed, index
        key, game = divmod(index, 2)
        self.sides = (game, 1 - game)
        self._words = DecisionWords(bundle, self.crews, self.sides)
        self._tables = compile_tables(bundle.cardset, bundle.board, bundle.rules)
        self._state, self._work = st.new_state(), st.new_work()
        self._log = np.zeros((0, LOG_WIDTH), np.int64)
        packed = np.zeros(2, SIDE).view(np.recarray)
        for side, (crew, deck) in enumerate(zip(crews, decks, strict=True)):
            packed[side] = compile_side(bundle.cardset, crew, deck, 0, np.zeros(N_WEIGHTS))[0]
        play.start(self._tables[0], packed, self._state[0], self._work[0], self._log, np.uint64(seed), key, game)
        self._check()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state[0].over)

    @property
    def seat(self) -> int:
        """The seat that decides; -1 when the game is over."""
        return -1 if self.over else int(self._state[0].who)

    @property
    def side(self) -> int:
        """The side that decides; -1 when the game is over."""
        return -1 if self.over else self.sides[self.seat]

    @property
    def winner(self) -> int | None:
        """The side that won; None while the game goes on and when it was stopped at the round limit."""
        won = self.view()["winner"]
        return None if won is None else self.sides[won]

    @property
    def points(self) -> tuple[int, int]:
        """Points by side."""
        points = self._state[0].points
        return int(points[self.sides[0]]), int(points[self.sides[1]])

    def decisions(self) -> list[Decision]:
        """The legal decisions of ``side``, two or more; none when the game is over."""
        now = self.view()
        return [Decision(action, self._words.of(action, now)) for action in self._legal()]

    def apply(self, action: int | Decision) -> None:
        """Takes a decision and goes on to the next one; ValueError, and nothing changes, if it is not legal now."""
        number = int(action.action if isinstance(action, Decision) else action)
        if self.over:
            raise ValueError("the game is over, nothing can be decided any more")
        if number not in self._legal():
            raise ValueError(f"decision {number} is not legal now; decisions() lists those that are")
        play.apply(self._tables[0], self._state[0], self._work[0], self._log, number)
        self._check()

    def view(self) -> dict:
        """Everything on the table, hidden cards included, as plain dicts and lists. Lists of two are by seat."""
        return view(self._state[0], list(self.bundle.cardset.cards), len(self.bundle.board.states))

    def picture(self) -> str:
        """The network and both sides as text."""
        now = self.view()
        lines = [self._headline(now), board_picture(self.bundle.board, now, self.sides), f"({LEGEND})"]
        return "\n".join([*lines, *side_lines(self.bundle.cardset, self.crews, now, self.sides)])

    def copy(self) -> Table:
        """The same position again; what is done to one leaves the other alone."""
        twin = object.__new__(Table)
        twin.__dict__.update(self.__dict__)
        twin._state, twin._work = self._state.copy(), self._work.copy()
        return twin

    def __repr__(self) -> str:
        names = " against ".join(crew.name for crew in self.crews)
        return f"<Table: {names}, seed {self.seed}, game {self.index}. {self._headline(self.view())}>"

    def __str__(self) -> str:
        return self.picture()

    def _legal(self) -> list[int]:
        count = play.legal(self._tables[0], self._state[0], self._work[0])
        return [int(action) for action in self._work[0].legal[:count]]

    def _headline(self, now: dict) -> str:
        if not self.over:
            return f"Round {now['round']}, turn {now['turn']}: {self.crews[self.side].name} ({LETTERS[self.side]}) decides"
        if self.winner is None:
            return f"Stopped in round {now['round']}: nobody wins"
        return f"{self.crews[self.winner].name} ({LETTERS[self.winner]}) won in round {now['round']}"

    def _check(self) -> None:
        """A status other than OK is a defect of the engine, so it must not pass as the end of a game."""
        status = int(self._state[0].status)
        if status != st.OK:
            raise RuntimeError(f"the engine stopped: {st.STATUS[status]} (seed {self.seed}, game {self.index})")


def new_game(
    crew_a: str = "purple",
    crew_b: str = "green",
    deck_a: str | None = None,
    deck_b: str | None = None,
    seed: int = 1,
    index: int = 0,
    bundle: Bundle | None = None,
) -> Table:
    """A game at its first decision.

    crew_a, crew_b: names, paths or ``Crew`` models; decks: likewise, else the crew file's, else the starter deck. seed, index: game
    ``index`` of a run with this seed. bundle: what ``files.load_bundle`` gives; the house set on the house board else. Raises
    ``BadInput`` with every broken rule (SK-1.7).
    """
    bundle = bundle or files.load_bundle()
    crews, decks, faults = [], [], []
    for side, (crew, deck) in enumerate(((crew_a, deck_a), (crew_b, deck_b))):
        try:
            crews.append(files.read_crew(crew, bundle, side))
        except BadInput as error:
            faults += error.faults
        try:
            usual = files.deck_of(crew, crews[-1]) if len(crews) > side else None
            decks.append(files.read_deck(deck or usual or DEFAULT_DECK, bundle, side))
        except BadInput as error:
            faults += error.faults
    if faults:
        raise BadInput(*(fault for i, fault in enumerate(faults) if fault not in faults[:i]))
    return Table(bundle, crews, decks, seed, index)
