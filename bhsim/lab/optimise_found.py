"""What the search for the best build saw, as its run keeps it (``lab.record``)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from bhsim.games.game import Side
from bhsim.games.spaces import Space
from bhsim.lab.record import Part
from bhsim.lab.search import Found

START = "start"


class Seen(Part):
    """A build. parts, words, cost, changes: see ``Space``. value, games: of the search, None for a start that it did not end with.

    answer: whether the build is one of those that the search ended with.
    """

    name: str
    parts: dict[str, Any]
    words: dict[str, list[str]]
    cost: int
    changes: list[str]
    value: float | None
    games: Annotated[int, Field(ge=0)]
    answer: bool


class MomentSeen(Part):
    """See ``search.Moment``."""

    games: int
    builds: int
    leader: float
    low: float
    high: float


class Record(Part):
    """builds: the start, then what was found, in the search's order. looked_at: builds that the search played."""

    format: Literal[1] = 1
    games: Annotated[int, Field(ge=0)]
    looked_at: Annotated[int, Field(ge=1)]
    exhaustive: bool
    limit: int
    builds: Annotated[list[Seen], Field(min_length=1)]
    history: list[MomentSeen]


def record_of(found: Found, space: Space) -> tuple[Record, list[Side]]:
    """What a search saw, and the sides that it found beside the start, named "found 1" and so on."""
    start = next((r for r in found.ranked if space.key(r.side) == space.key(space.start)), None)
    seen = [_seen(START, space.start, space, start.value if start else None, start.games if start else 0, start is not None)]
    sides = []
    for ranked in (r for r in found.ranked if r is not start):
        sides.append(space.named(ranked.side, f"found {len(seen)}"))
        seen.append(_seen(f"found {len(seen)}", ranked.side, space, ranked.value, ranked.games, True))
    history = [MomentSeen(**vars(moment)) for moment in found.history]
    return Record(
        games=found.games, looked_at=found.arms, exhaustive=found.exhaustive, limit=space.limit, builds=seen, history=history
    ), sides  # fmt: skip


def _seen(name: str, side: Side, space: Space, value: float | None, games: int, answer: bool) -> Seen:
    about = {"parts": space.parts_of(side), "words": space.words(side), "cost": space.cost(side), "changes": space.changes(side)}
    return Seen(name=name, **about, value=value, games=games, answer=answer)
