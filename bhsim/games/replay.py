"""One game told again, and games that fit a description: what each game gives to ``bhsim replay`` and ``bhsim find``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from bhsim.games.conditions import Conditions

BOARDS = ("round", "turn", "none")  # when a story draws the board; a turn of tricks is a trick
Event = dict[str, Any]


class Replay(Protocol):
    """A game that its bots have played again to the end.

    events: the header and all that happened, as the game's page on its log says. outcome: the two numbers that a run keeps of it,
    winning sides as bits (0: cut off) and the margin of side 0, -128 to 127.
    """

    events: list[Event]
    outcome: tuple[int, int]

    def story(self, boards: str) -> Iterator[str]:
        """The game in lines for people. boards: one of ``BOARDS``."""


class Finished(Protocol):
    """A game that was played whole. winner: a side's letter, or a word for none. margin: of side 0."""

    winner: str
    margin: int
    rounds: int


class Finder(Protocol):
    """Conditions on the games of a contest."""

    wanted: Conditions

    def search(self, root: int, games: int) -> Iterator[tuple[int, Finished | None]]:
        """Plays games 0 .. ``games`` - 1 again; yields each index, with the game if it fits, which is good until the next is asked for."""


def to_jsonl(events: Iterable[Event]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
