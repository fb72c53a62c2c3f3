"""``search.json``: what a search for balance was about and what it found, kept beside the contests that confirm it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.inputs.document import unreadable
from bhsim.lab.balance_problem import Problem
from bhsim.lab.balance_search import Point, Searched
from bhsim.lab.balance_spec import BalanceSpec
from bhsim.lab.balance_target import Targets
from bhsim.lab.store import write_json

RECORD = "search.json"
Value = int | float | bool | str


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class FoundChange(_Part):
    """A path with its value now and then."""

    path: str
    present: Value
    value: Value

    @property
    def words(self) -> str:
        """In one line."""
        return f"{self.path} {self.present} -> {self.value}"


class FoundSingle(FoundChange):
    """A single change as the search sees it; see ``balance_search.Single``."""

    cost: float
    distance: float
    low: float
    high: float
    first: float
    keys: int


class FoundPoint(_Part):
    """A point of the front as the search sees it. name: as in the contests' settings. contests: of each meeting."""

    name: str
    changes: list[FoundChange]
    cost: float
    distance: float
    low: float
    high: float
    keys: int
    contests: list[int]


class FoundTarget(_Part):
    """A number with its limits. meetings: whose rates it is the mean of."""

    label: str
    meetings: list[int]
    low: float
    high: float
    middle: float


class Record(_Part):
    """All of it. now: contests of the set as it is, one for each meeting. distance: of that set as the search saw it.

    singles, points: as in ``balance_search.Searched``; empty if nothing was searched, since all targets hold.
    """

    now: list[int]
    targets: list[FoundTarget]
    first_player: list[float] | None
    skipped: list[tuple[str, str]]
    status: Literal["searched", "not needed"]
    distance: float | None
    singles: list[FoundSingle]
    points: list[FoundPoint]
    history: list[tuple[int, float]]
    games: int
    tried: int

    def target(self) -> Targets:
        """The targets, for meetings in their order."""
        weights = np.array([[1 / len(t.meetings) if n in t.meetings else 0.0 for n in range(len(self.now))] for t in self.targets])
        ends = (np.array([getattr(t, name) for t in self.targets]) for name in ("low", "high", "middle"))
        return Targets(tuple(t.label for t in self.targets), weights, *ends)


def record_of(
    problem: Problem, spec: BalanceSpec, now: Sequence[int], found: Searched | None, points: Mapping[str, tuple[Point, Sequence[int]]]
) -> Record:
    """What is kept. now: see ``Record``. found: None if nothing was searched. points: those that are confirmed, with their contests."""
    t = problem.targets
    rows = [np.flatnonzero(row).tolist() for row in t.weights]
    limits = zip(t.labels, rows, t.low.tolist(), t.high.tolist(), t.middle.tolist(), strict=True)
    first = spec.target.first_player

    def change(number: int) -> dict[str, Any]:
        option = problem.options[number]
        return {"path": option.path, "present": option.present, "value": option.value}

    def sizes(one: Any) -> dict[str, Any]:
        return {"distance": one.distance, "low": one.low, "high": one.high, "keys": one.keys}

    return Record(
        now=list(now),
        targets=[FoundTarget(**dict(zip(("label", "meetings", "low", "high", "middle"), one, strict=True))) for one in limits],
        first_player=[float(end) / 100 for end in first] if first else None,
        skipped=list(problem.skipped),
        status="searched" if found else "not needed",
        distance=found.base.distance if found else None,
        singles=[
            FoundSingle(**change(s.option), cost=problem.options[s.option].cost, first=s.first, **sizes(s)) for s in found.singles
        ] if found else [],
        points=[
            FoundPoint(name=name, changes=[FoundChange(**change(n)) for n in p.changes], cost=p.cost, **sizes(p), contests=list(contests))
            for name, (p, contests) in points.items()
        ],
        history=list(found.history) if found else [],
        games=found.games if found else 0,
        tried=found.tried if found else 0,
    )  # fmt: skip


def write_record(folder: Path, record: Record) -> None:
    """Stores it in a run folder."""
    write_json(folder / RECORD, record.model_dump(mode="json"))


def read_record(folder: Path) -> Record:
    """Reads it again; BadInput, naming the file, when it is missing or damaged."""
    file = folder / RECORD
    if reason := unreadable(file):
        raise BadInput(Fault(f"cannot read what the search found: it {reason}", file=str(file)))
    try:
        return Record.model_validate_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(Fault("the search is not at its end yet; --resume goes on with the run", file=str(folder))) from None
    except (OSError, ValueError, ValidationError, RecursionError) as error:
        why = str(error)
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            why = ": ".join([*filter(None, [".".join(map(str, first["loc"]))]), first["msg"]])
        raise BadInput(Fault(f"what the search found is damaged: {why}", file=str(file))) from None
