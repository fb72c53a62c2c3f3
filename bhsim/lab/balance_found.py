"""What a search for balance was about and what it found, as its run keeps it (``lab.record``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from bhsim.lab.balance_problem import Problem
from bhsim.lab.balance_search import Point, Searched
from bhsim.lab.balance_spec import BalanceSpec
from bhsim.lab.balance_target import Targets
from bhsim.lab.record import Part

Value = int | float | bool | str
Share = Annotated[float, Field(ge=0, le=1)]
Size = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]


class Places(NamedTuple):
    """Whose games a point is judged by: contests of each meeting, and of each pair of the field, none where use is not looked at."""

    meetings: Sequence[int]
    field: Sequence[int]


class FoundChange(Part):
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

    cost: Size
    distance: Size
    low: Size
    high: Size
    first: Share
    keys: Count


class FoundPoint(Part):
    """A point of the front as the search sees it. name: as in the contests' settings. contests: of each meeting.

    field: of each pair of the field, none where use is no target or was not played for.
    """

    name: Annotated[str, Field(pattern=r"^[1-9]\d{0,3}$")]
    changes: Annotated[list[FoundChange], Field(min_length=1)]
    cost: Size
    distance: Size
    low: Size
    high: Size
    keys: Count
    contests: list[int]
    field: list[int]


class FoundTarget(Part):
    """A number with its limits. meetings: whose rates it is the mean of."""

    label: str
    meetings: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]
    low: Share
    high: Share
    middle: Share

    @model_validator(mode="after")
    def _ordered(self) -> FoundTarget:
        if not self.low <= self.middle <= self.high:
            raise ValueError("low: low, middle and high do not stand in order")
        return self


class FoundUsage(Part):
    """The target of use. least: share of each item, by part. crews: of the field. now: contests of its pairs (``pool.pairs``)."""

    least: Annotated[dict[str, Annotated[float, Field(gt=0, le=1)]], Field(min_length=1)]
    crews: list[str]
    now: list[int]


class Record(Part):
    """All of it. now: contests of the set as it is, one for each meeting. distance: of that set as the search saw it.

    pairs: how many of the meetings, the first ones, are those of two crews of the spec.

    singles, points: as in ``balance_search.Searched``; empty if nothing was searched, since all that it could mend holds.
    """

    now: Annotated[list[int], Field(min_length=1)]
    pairs: Annotated[int, Field(ge=0)]
    targets: Annotated[list[FoundTarget], Field(min_length=1)]
    first_player: Annotated[list[Share], Field(min_length=2, max_length=2)] | None
    usage: FoundUsage | None
    skipped: list[tuple[str, str]]
    status: Literal["searched", "not needed"]
    distance: Size | None
    singles: list[FoundSingle]
    points: list[FoundPoint]
    history: list[tuple[int, float]]
    games: Count
    tried: Count

    @model_validator(mode="after")
    def _whole(self) -> Record:
        there = {bool(self.singles), bool(self.points), self.distance is not None}
        if there != {self.status == "searched"}:
            raise ValueError("status: does not go with singles, points and distance")
        if len({p.name for p in self.points}) < len(self.points):
            raise ValueError("points: two have the same name")
        if self.pairs > len(self.now) or max(n for t in self.targets for n in t.meetings) >= len(self.now):
            raise ValueError("now: has too few contests for the targets")
        if self.first_player and not (self.pairs and self.first_player[0] < self.first_player[1]):
            raise ValueError("first_player: does not go with the rest")
        return self

    def target(self) -> Targets:
        """The targets, for meetings in their order."""
        weights = np.array([[1 / len(t.meetings) if n in t.meetings else 0.0 for n in range(len(self.now))] for t in self.targets])
        ends = (np.array([getattr(t, name) for t in self.targets]) for name in ("low", "high", "middle"))
        return Targets(tuple(t.label for t in self.targets), weights, *ends)


def record_of(
    problem: Problem, spec: BalanceSpec, now: Places, found: Searched | None, points: Mapping[str, tuple[Point, Places]]
) -> Record:
    """What is kept. now: of the set as it is. found: None if nothing was searched. points: confirmed ones with their contests."""
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
        now=list(now.meetings),
        pairs=sum(max(meeting.crews) < len(spec.crews) for meeting in problem.meetings),
        targets=[FoundTarget(**dict(zip(("label", "meetings", "low", "high", "middle"), one, strict=True))) for one in limits],
        first_player=[float(end) / 100 for end in first] if first else None,
        usage=_usage_of(problem, spec, now),
        skipped=list(problem.skipped),
        status="searched" if found else "not needed",
        distance=found.base.distance if found else None,
        singles=[
            FoundSingle(**change(s.option), cost=problem.options[s.option].cost, first=s.first, **sizes(s)) for s in found.singles
        ] if found else [],
        points=[
            FoundPoint(
                name=name, changes=[FoundChange(**change(n)) for n in p.changes], cost=p.cost, **sizes(p),
                contests=list(places.meetings), field=list(places.field),
            )
            for name, (p, places) in points.items()
        ],
        history=list(found.history) if found else [],
        games=found.games if found else 0,
        tried=found.tried if found else 0,
    )  # fmt: skip


def _usage_of(problem: Problem, spec: BalanceSpec, now: Places) -> FoundUsage | None:
    if not spec.target.usage:
        return None
    labels = {crew: label for m in problem.field for crew, label in zip(m.crews, m.labels, strict=True)}
    least = {part: float(share) / 100 for part, share in spec.target.usage.items()}
    return FoundUsage(least=least, crews=[labels[crew] for crew in sorted(labels)], now=list(now.field))
