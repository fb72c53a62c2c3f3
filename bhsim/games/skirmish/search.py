"""Games of a run that fit a description: the conditions of `bhsim find`, tested on each game as it is played again.

A condition is ``FIELD OP VALUE``, several are joined by ``and``. docs/replay.md lists the fields.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.lockstep import EngineStopped
from bhsim.games.skirmish.driver import Match
from bhsim.games.skirmish.engine import block
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.tally import CARD_FIELDS, RUNNER_FIELDS
from bhsim.inputs.models import identifier
from bhsim.inputs.names import listing, suggestion

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, "<=": operator.le, "!=": operator.ne, "=": operator.eq, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
WORDS = {"winner": ("a", "b", "none"), "reason": ("points", "max_rounds")}
REASONS = {st.REASON_POINTS: "points", st.REASON_ROUNDS: "max_rounds"}
NUMBERS = ("rounds", "margin")
SIDED_NUMBERS = ("points", "decisions")
COPIES = CARD_FIELDS[:3]  # drawn, played, flipped
SIDES = ("a", "b")
DIGITS = 18  # of a number in a condition; no counter of a game comes near
_CONDITION = re.compile(r"^\s*([\w.]+)\s*(>=|<=|!=|=|>|<)\s*([\w-]+)\s*$")


@dataclass(frozen=True)
class Condition:
    """One comparison. read: the field's value of a finished game (``Finished``)."""

    field: str
    compare: str
    value: Any
    read: Callable[[Finished], Any]

    def holds(self, game: Finished) -> bool:
        """Whether a finished game fits."""
        return OPERATORS[self.compare](self.read(game), self.value)


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


def conditions(text: str, match: Match) -> list[Condition]:
    """The conditions of ``text``; ``BadInput`` names the first that means nothing for this match."""
    return [_condition(part, match) for part in re.split(r"\s+and\s+", text.strip())]


def search(match: Match, root: int, games: int, wanted: list[Condition]) -> Iterator[tuple[int, Finished | None]]:
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
        yield index, found if all(condition.holds(found) for condition in wanted) else None


def _condition(text: str, match: Match) -> Condition:
    found = _CONDITION.match(text)
    if not found:
        message = f"{text.strip()!r} is no condition"
        raise BadInput(Fault(message, field="--where", allowed='FIELD OP VALUE, for example "winner = b and rounds >= 10"'))
    name, compare, value = found.groups()
    if name in WORDS:
        if value not in WORDS[name] or compare not in ("=", "!="):
            raise BadInput(Fault(f"{name} is a word", field="--where", value=text.strip(), allowed=f"= or != {', '.join(WORDS[name])}"))
        return Condition(name, compare, value, operator.attrgetter(name))
    read = _reader(name, match)  # first, since of an unknown field nobody knows what it is compared with
    if not re.fullmatch(rf"-?[0-9]{{1,{DIGITS}}}", value):
        allowed = f"a whole number of at most {DIGITS} digits"
        raise BadInput(Fault(f"{name} is compared with a number", field="--where", value=value[:40], allowed=allowed))
    return Condition(name, compare, int(value), read)


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
