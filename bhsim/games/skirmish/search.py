"""Games of a run that fit a description: the conditions of `bhsim find`, tested on each game as it is played again.

docs/replay.md lists the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games import conditions as shared
from bhsim.games.conditions import Conditions
from bhsim.games.lockstep import EngineStopped
from bhsim.games.skirmish.driver import Match
from bhsim.games.skirmish.engine import block
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.tally import CARD_FIELDS, RUNNER_FIELDS
from bhsim.inputs.models import identifier
from bhsim.inputs.names import listing, suggestion

WORDS = {"winner": ("a", "b", "none"), "reason": ("points", "max_rounds")}
REASONS = {st.REASON_POINTS: "points", st.REASON_ROUNDS: "max_rounds"}
NUMBERS = ("rounds", "margin")
SIDED_NUMBERS = ("points", "decisions")
COPIES = CARD_FIELDS[:3]  # drawn, played, flipped
SIDES = ("a", "b")


class Finished:
    """What a kernel left of a game that was played whole: its state and counters, read by side."""

    def __init__(self, S: np.record, W: np.record, game: int) -> None:
        self.S, self.W, self.seat_of = S, W, (game, 1 - game)  # side -> seat

    @property
    def winner(self) -> str:
        """a, b or none."""
        return SIDES[self.seat_of.index(int(self.S.winner))] if self.S.winner >= 0 else "none"

    @property
    def reason(self) -> str:
        """points or max_rounds."""
        return REASONS[int(self.S.reason)]

    @property
    def rounds(self) -> int:
        """Number of the round in which it ended."""
        return int(self.S.round_no)

    @property
    def margin(self) -> int:
        """Points of side a minus those of side b."""
        return self.points(0) - self.points(1)

    def points(self, side: int) -> int:
        """Points of a side."""
        return int(self.S.points[self.seat_of[side]])

    def decisions(self, side: int) -> int:
        """Decisions that a side was asked."""
        return int(self.W.decisions[self.seat_of[side]])

    def runner(self, side: int, position: int, counter: int) -> int:
        """A counter (``RUNNER_FIELDS``) of a runner."""
        return int(self.W.run[self.seat_of[side] * st.GROUP + position, counter])

    def card(self, side: int, title: int, counter: int) -> int:
        """Copies of a title that a side drew, played or flipped (``COPIES``)."""
        return int(self.W.card[self.seat_of[side], title, counter])


def conditions(text: str, match: Match) -> Conditions:
    """The conditions of ``text``; ``BadInput`` names the first that means nothing for this match."""
    return shared.conditions(text, WORDS, lambda name: _reader(name, match))


@dataclass(frozen=True)
class SkirmishFinder:
    """See ``bhsim.games.replay.Finder``."""

    match: Match
    wanted: Conditions

    def search(self, root: int, games: int) -> Iterator[tuple[int, Finished | None]]:
        """Every index, with the game if it fits."""
        return search(self.match, root, games, self.wanted)


def search(match: Match, root: int, games: int, wanted: Conditions) -> Iterator[tuple[int, Finished | None]]:
    """Plays games 0 .. ``games`` - 1 of a run again; yields each index, with the game if it fits.

    The ``Finished`` is good until the next is asked for: all games share one record.
    """
    state, work, log = st.new_state(), st.new_work(), np.zeros((0, LOG_WIDTH), np.int64)
    S, W, T = state[0], work[0], match.tables[0]
    for index in range(games):
        block.play_one(T, match.sides, S, W, log, np.uint64(root % 2**64), index // 2, index % 2)
        if S.status != st.OK:
            raise EngineStopped(f"the kernel stopped: {st.STATUS[int(S.status)]} (seed {root}, game {index})")
        found = Finished(S, W, index % 2)
        yield index, found if wanted.holds(found) else None


def _reader(name: str, match: Match) -> Callable[[Finished], int]:
    """What reads a number: of a side (``a.points``), or of both together (``cards.big_hack.played``)."""
    parts = name.split(".")
    sides = [SIDES.index(parts.pop(0))] if parts[0] in SIDES else [0, 1]
    if len(parts) == 1 and parts[0] in SIDED_NUMBERS:
        return lambda game: sum(getattr(game, parts[0])(side) for side in sides)
    if len(parts) == 1 and parts[0] in NUMBERS and len(sides) == 2:
        return lambda game: getattr(game, parts[0])
    if len(parts) == 3 and parts[0] == "runners":
        return _runner_reader(name, parts, sides, match)
    if len(parts) == 3 and parts[0] == "cards":
        return _card_reader(name, parts, sides, match)
    known = [*WORDS, *NUMBERS, "a.points", "a.decisions", "a.runners.ID.COUNTER", "a.cards.ID.COUNTER"]
    allowed = f"{', '.join(known)}; b for the second side, neither for both"
    raise BadInput(Fault(f"unknown field{suggestion(name, known)}", field="--where", value=name, allowed=allowed))


def _runner_reader(name: str, parts: list[str], sides: list[int], match: Match) -> Callable[[Finished], int]:
    counter = _counter(name, parts[2], RUNNER_FIELDS)
    crews = {side: [member.runner for member in match.crews[side].members] for side in sides}
    runner = identifier(parts[1])
    places = [(side, crew.index(runner)) for side, crew in crews.items() if runner in crew]
    if not places:
        known = sorted({r for crew in crews.values() for r in crew})
        raise BadInput(Fault(f"no such runner{suggestion(runner, known)}", field="--where", value=name, allowed=listing(known)))
    return lambda game: sum(game.runner(side, position, counter) for side, position in places)


def _card_reader(name: str, parts: list[str], sides: list[int], match: Match) -> Callable[[Finished], int]:
    counter = _counter(name, parts[2], COPIES)
    title = identifier(parts[1])
    known = sorted({t for side in sides for t in match.decks[side].cards})
    if title not in known:
        raise BadInput(Fault(f"no such card{suggestion(title, known)}", field="--where", value=name, allowed=listing(known)))
    number = match.titles.index(title)
    return lambda game: sum(game.card(side, number, counter) for side in sides)


def _counter(name: str, word: str, known: tuple[str, ...]) -> int:
    if word not in known:
        raise BadInput(Fault(f"unknown counter{suggestion(word, known)}", field="--where", value=name, allowed=", ".join(known)))
    return known.index(word)
