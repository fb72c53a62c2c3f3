"""``search.json`` of a run that looked for the best build: what the search saw, kept beside the contests that confirm it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side
from bhsim.games.spaces import Space
from bhsim.inputs.document import unreadable
from bhsim.inputs.explain import explained
from bhsim.lab.search import Found
from bhsim.lab.store import write_bytes

RECORD = "search.json"
START = "start"


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Seen(_Part):
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


class MomentSeen(_Part):
    """See ``search.Moment``."""

    games: int
    builds: int
    leader: float
    low: float
    high: float


class Record(_Part):
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


def write_record(directory: Path, record: Record) -> None:
    """Stores it."""
    write_bytes(directory / RECORD, (json.dumps(record.model_dump(), indent=1, ensure_ascii=False) + "\n").encode())


def read_record(directory: Path) -> Record:
    """What was stored; BadInput, naming the file, when there is none or it is damaged."""
    file = directory / RECORD
    if reason := unreadable(file):
        raise BadInput(Fault(f"cannot be read: it {reason}", file=str(file)))
    if not file.is_file():
        raise BadInput(Fault("the search has not ended yet; --resume goes on with the run", file=str(file)))
    data = None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return Record.model_validate(data)
    except ValidationError as error:
        first = explained(error, Record, data)[0]
        raise BadInput(replace(first, message=f"is damaged: {first.message}", file=str(file))) from None
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(Fault(f"is damaged: {str(error).splitlines()[0]}", file=str(file))) from None
