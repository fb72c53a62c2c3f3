"""What a sweep's spec file may say, and reading it. docs/sweeps.md describes the file."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, find
from bhsim.games.usual import DEFAULT_GAME
from bhsim.inputs.document import Document, read_toml
from bhsim.inputs.explain import explained
from bhsim.inputs.names import suggestion
from bhsim.lab import defaults
from bhsim.lab.axis import (
    MATCH_UP_LABELS,
    MAX_CONTESTS,
    NO_VARIANT,
    SAMPLED,
    SIDE_KINDS,
    Axis,
    Name,
    Players,
    SpecPart,
    double_in,
    listed,
    meaning,
)
from bhsim.lab.contest import MAX_GAMES
from bhsim.lab.manifest import MAX_SEED
from bhsim.lab.overlaps import overlapping, undone_sets

DEFAULT_MAX_GAMES = 1_000_000


class Opponent(SpecPart):
    """A side other than the first."""

    crew: Name | None = None
    deck: Name | None = None
    bot: Name | None = None

    @model_validator(mode="before")
    @classmethod
    def _crew_name(cls, value: Any) -> Any:
        if not isinstance(value, str | dict | Opponent):
            raise ValueError(f"must be a crew's name or a table, got {value!r} (allowed: {', '.join(SIDE_KINDS)} in a table)")
        return {"crew": value} if isinstance(value, str) else value

    @property
    def label(self) -> str:
        """Its parts in one line."""
        return " / ".join(p for p in (self.crew, self.deck, self.bot) if p) or "default"


Share = Annotated[float, Field(ge=0, le=100)]
Margins = Annotated[list[Share], Field(min_length=2, max_length=2)]


class Limits(SpecPart):
    """What is acceptable, in percent and percent points. None: an even share, give or take 5 (cell), 2 (crew), 3 (first)."""

    cell: Margins | None = None
    crew: Margins | None = None
    first: Margins | None = None
    difference: Annotated[float, Field(ge=0, le=100)] = 2.0

    @model_validator(mode="after")
    def _ordered(self) -> Limits:
        for name in ("cell", "crew", "first"):
            margins = getattr(self, name)
            if margins and margins[0] > margins[1]:
                raise ValueError(f"{name}: the lower limit stands first")
        return self

    def shares(self, family: str, players: int) -> tuple[float, float]:
        """Lower and upper limit of a family ("cell", "crew", "first", "difference") in shares, for a table of so many sides."""
        if family == "difference":
            return -self.difference / 100, self.difference / 100
        even, usual = 100 / players, {"cell": 5, "crew": 2, "first": 3}[family]
        low, high = getattr(self, family) or (max(0.0, even - usual), even + usual)
        return low / 100, high / 100


Table = Annotated[list[Opponent], Field(min_length=1, max_length=5)]  # everybody who sits with the first side
Opponents = Annotated[list[Table], Field(min_length=1, max_length=MAX_CONTESTS), BeforeValidator(listed)]


class MatchUps(SpecPart):
    """What every spec of several contests says: the first side, its opponents, and what they are played with.

    players, bots: instead of opponents, in a game that has a usual table. deck: of the first side, or of the table if it shares one.
    """

    name: Annotated[str, Field(min_length=1, max_length=80)]
    game: Name = DEFAULT_GAME
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = defaults.GAMES
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 1
    cardset: Name | None = None
    board: Name | None = None
    rules: Name | None = None
    variants: list[Name] = Field(default_factory=list)
    sets: list[str] = Field(default_factory=list)
    crew: Name | None = None
    deck: Name | None = None
    bot: Name | None = None
    opponents: Opponents | None = None
    players: Players | None = None
    bots: Annotated[list[Name], Field(min_length=1, max_length=6)] | None = None

    @field_validator("name")
    @classmethod
    def _file_name(cls, name: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _.-]*", name):
            raise ValueError(f"{name!r} has other signs than letters, digits, space, _ . - (a letter or digit first)")
        return name

    @field_validator("variants")
    @classmethod
    def _variant_files(cls, variants: list[str]) -> list[str]:
        if NO_VARIANT in variants:
            raise ValueError(f"{NO_VARIANT!r} stands for no file in an axis of variants alone (allowed: files; leave it out)")
        return variants

    @model_validator(mode="after")
    def _distinct_opponents(self) -> Self:
        rivals = [opponent_label(o) for o in self.opponents or ()]
        if double := double_in([meaning(r) for r in rivals]):
            raise ValueError(f"opponents: {rivals[double]} stands twice")
        return self

    def faults_of_table(self, others: str = "opponents") -> list[str]:
        """What is wrong with who plays. others: the field that names those who sit with the first side, if one does."""
        if getattr(self, others) is None:
            return [] if has_usual_table(self.game) else ["opponents: is missing"]
        return [f"{field}: not with {others}, which say who plays" for field in ("players", "bots") if getattr(self, field) is not None]

    @property
    def folder_name(self) -> str:
        """Name of the run folder under reports/."""
        return re.sub(r"[^A-Za-z0-9_.-]+", "_", self.name)


Spec = TypeVar("Spec", bound=MatchUps)


class SweepSpec(MatchUps):
    """A sweep: match-ups, the bots they are repeated with, the axes with their design, and what counts as fair.

    games: of each contest; None with ``precision``, the width in percent points at which a contest ends, at the latest after ``max_games``.
    """

    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] | None = None
    precision: Annotated[float, Field(ge=0.01, le=100)] | None = None
    max_games: Annotated[int, Field(ge=1, le=MAX_GAMES)] | None = None
    crews: Annotated[list[Opponent], Field(min_length=2, max_length=200)] | None = None
    panel: Annotated[list[Name], Field(min_length=1, max_length=64)] | None = None
    design: Literal["grid", "zip", "random", "latin", "sobol"] = "grid"
    points: Annotated[int, Field(ge=1, le=MAX_CONTESTS)] | None = None
    design_seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    axes: list[Axis] = Field(default_factory=list)
    base: dict[str, Any] = Field(default_factory=dict)
    limits: Limits = Limits()

    @model_validator(mode="before")
    @classmethod
    def _games_or_precision(cls, data: Any) -> Any:
        """The default belongs to a spec without precision, and a stored spec shows it."""
        if not isinstance(data, dict):
            return data
        held = {key for key, value in data.items() if value is not None}
        if "precision" in held:
            return data if "max_games" in held else {**data, "max_games": DEFAULT_MAX_GAMES}
        return data if "games" in held else {**data, "games": defaults.GAMES}

    @model_validator(mode="before")
    @classmethod
    def _deck_of_the_table(cls, data: Any) -> Any:
        """An axis of the deck that all sides share is not called after one of them, and a stored spec shows it."""
        if not isinstance(data, dict) or not isinstance(data.get("axes"), list) or not _shares_deck(data.get("game")):
            return data
        return data | {"axes": [_named_deck(axis) for axis in data["axes"]]}

    @model_validator(mode="after")
    def _fits_together(self) -> SweepSpec:
        faults = [*self._faults_of_games(), *self._faults_of_sides(), *self._faults_of_axes(), *self._faults_of_overlaps()]
        faults += [*self._faults_of_design(), *self._faults_of_limits()]
        if not faults:
            faults = self._faults_of_size()
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def _faults_of_games(self) -> list[str]:
        if self.precision is not None and self.games is not None:
            return ["precision: says how many games, so games must be left out (max_games is the most)"]
        if self.precision is None and self.max_games is not None:
            return ["max_games: only with precision"]
        return []

    def _faults_of_sides(self) -> list[str]:
        if faults := self.faults_of_table("opponents" if self.crews is None else "crews"):
            missing = faults[0].endswith("is missing")
            return ["opponents: is missing; either this or crews (all against all) is needed"] if missing else faults
        if self.crews is not None:
            faults += [f"{k}: not with crews" for k in ("opponents", *SIDE_KINDS) if getattr(self, k) is not None]
            if double := double_in([meaning(c.label) for c in self.crews]):
                faults.append(f"crews: {self.crews[double].label} stands twice")
        if self.panel is not None:
            if double := double_in([meaning(b) for b in self.panel]):
                faults.append(f"panel: {self.panel[double]} stands twice")
            sides = [*(self.crews or ()), *(o for table in self.opponents or () for o in table)]
            if self.bot or self.bots or any(s.bot for s in sides) or any(a.kind == "bot" for a in self.axes):
                faults.append("panel: chooses the bots of all sides, so no side and no axis may")
        return faults

    def _faults_of_axes(self) -> list[str]:
        labels = [a.label for a in self.axes]
        faults = []
        if len(set(labels)) != len(labels):
            faults.append(f"axes: two have the same label ({', '.join(labels)}); give one a name")
        for number, axis in enumerate(self.axes):
            if axis.label in MATCH_UP_LABELS:
                faults.append(f"axes.{number}.name: {axis.label!r} is what the match-up is called by; give another")
            if self.crews is not None and axis.kind == "crew":
                faults.append(f"axes.{number}.crew: not with crews")
            if axis.kind == "players" and (others := next((k for k in ("opponents", "crews") if getattr(self, k) is not None), None)):
                faults.append(f"axes.{number}.players: not with {others}, which say who plays")
            if self.design in ("grid", "zip") and axis.range is not None and axis.step is None:
                faults.append(f"axes.{number}.step: a range needs it in a design of {self.design}")
        for label in self.base:
            if label not in labels:
                faults.append(f"base: no axis is called {label!r}{suggestion(label, labels)} (allowed: {', '.join(labels) or 'no axes'})")
        return faults

    def _faults_of_overlaps(self) -> list[str]:
        """What an axis would undo, and axes that undo each other."""
        paths = [(f"axes.{number}.{a.kind}", a.changed_path) for number, a in enumerate(self.axes) if a.changed_path]
        faults = [*overlapping(paths), *undone_sets(self.sets, [path for _, path in paths])]
        taken: dict[str, str] = {}
        for number, axis in enumerate(self.axes):
            place = f"axes.{number}.{axis.kind}"
            for part in axis.replaced:
                if part in taken:
                    faults.append(f"{place}: {taken[part]} chooses the same, and only one of them would count")
                taken.setdefault(part, place)
        for field in ("cardset", "board", "rules", "players"):
            if getattr(self, field) is not None and field in taken:
                faults.append(f"{field}: {taken[field]} chooses it in every contest, so this would change nothing")
        return faults

    def _faults_of_limits(self) -> list[str]:
        return ["limits.crew: only with crews"] if self.limits.crew is not None and self.crews is None else []

    def _faults_of_design(self) -> list[str]:
        if self.design not in SAMPLED:
            faults = [f"{k}: only with a design of {', '.join(SAMPLED)}" for k in ("points", "design_seed") if getattr(self, k) is not None]
            lengths = [len(a.points) for a in self.axes]
            if self.design == "zip" and len(set(lengths)) > 1:
                faults.append(f"axes: in a design of zip all have the same number of values, got {', '.join(map(str, lengths))}")
            return faults
        if self.points is None:
            return [f"points: is missing; a design of {self.design} needs it (allowed: 1 to {MAX_CONTESTS})"]
        if not self.axes:
            return [f"axes: is missing; a design of {self.design} needs one"]
        possible = math.prod(len(a.points) for a in self.axes)  # 0 where a range has no steps: then there is no end of points
        if 0 < possible < self.points:
            return [f"points: {self.points} are more than there are (allowed: at most {possible})"]
        return []

    def _faults_of_size(self) -> list[str]:
        match_ups = math.comb(len(self.crews), 2) if self.crews else len(self.opponents or (None,))
        settings = self.points or (len(self.axes[0].points) if self.axes and self.design == "zip" else None)
        settings = math.prod(len(a.points) for a in self.axes) if settings is None else settings
        count = match_ups * len(self.panel or (None,)) * settings
        return [f"axes: {count} contests (allowed: at most {MAX_CONTESTS})"] if count > MAX_CONTESTS else []


def has_usual_table(game: str) -> bool:
    """Whether a game of this name knows who plays when nobody is named; False if there is none of that name."""
    try:
        return bool(find(game).usual)
    except BadInput:
        return False


def _named_deck(axis: Any) -> Any:
    return axis | {"name": axis.get("name") or "deck"} if isinstance(axis, dict) and axis.get("deck") else axis


def _shares_deck(game: Any) -> bool:
    try:
        return isinstance(game, str) and find(game).shared_deck
    except BadInput:
        return False


def files_of_spec(spec: MatchUps, game: Game) -> dict[str, str | None]:
    """The files that all contests of a spec share, by their names in ``Options``."""
    files = {kind: getattr(spec, kind) for kind in ("cardset", "board", "rules")}
    return files | ({"deck": spec.deck} if game.shared_deck else {})


def opponent_label(opponent: Sequence[Opponent]) -> str:
    """One opponent, or the rest of a table."""
    return " & ".join(o.label for o in opponent)


def read_spec(path: Path) -> SweepSpec:
    """A sweep's spec; BadInput names the file and every fault with its line and field."""
    document = read_toml(path)
    return parse_spec(document.data, document)


def game_of(spec: MatchUps, document: Document) -> Game:
    """The spec's game; BadInput with the line of its name when there is none of that name."""
    try:
        return find(spec.game)
    except BadInput as error:
        raise BadInput(*map(document.located, error.faults)) from None


def parse_spec(data: dict[str, Any], document: Document | None = None) -> SweepSpec:
    """A spec from a dictionary; BadInput with every fault. document: the file that it was read from, for the lines."""
    return parse_as(SweepSpec, data, document)


def parse_as(model: type[Spec], data: dict[str, Any], document: Document | None = None) -> Spec:
    """As ``parse_spec``, for any kind of spec."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = [dataclasses.replace(f, field=_as_written(f.field, data)) for f in explained(error, model, data)]
        raise BadInput(*(document.located(f) if document else f for f in faults)) from None


def overridden(spec: Spec, given: dict[str, Any], variants: Sequence[str], sets: Sequence[str], document: Document | None = None) -> Spec:
    """The spec with what the user says otherwise. given: fields to replace, None leaves one alone; variants and sets are added.

    A number of games takes the place of a precision.
    """
    data = spec.model_dump(exclude_unset=True) | {field: value for field, value in given.items() if value is not None}
    if given.get("games") is not None:
        data = {field: value for field, value in data.items() if field not in ("precision", "max_games")}
    return reparsed(spec, data | {"variants": [*spec.variants, *variants], "sets": [*spec.sets, *sets]}, document)


def reparsed(spec: Spec, data: dict[str, Any], document: Document | None = None) -> Spec:
    """A spec with what the user says otherwise already in ``data``: the faults of that are the options', and not the file's."""
    try:
        return parse_as(type(spec), data)
    except BadInput as error:
        raise BadInput(*(_of_option(f, spec, data) or (document.located(f) if document else f) for f in error.faults)) from None


def _of_option(fault: Fault, spec: MatchUps, data: dict[str, Any]) -> Fault | None:
    """The fault as one of an option, if its field is not the spec's own: another value, or beyond the end of the spec's list."""
    field, _, number = (fault.field or "").partition(".")
    options = {"sets": "set", "variants": "variant"}
    if field in options and number.isdigit():
        own = int(number) < len(getattr(spec, field))
    else:
        own = field not in data or data[field] == getattr(spec, field, None)
    return None if own else dataclasses.replace(fault, field=f"--{options.get(field, field)}")


def _as_written(field: str | None, data: Any) -> str | None:
    """A field path without the numbers of lists that ``listed`` has put around single items."""
    kept: list[str] = []
    for part in field.split(".") if field else ():
        if part.isdigit() and not isinstance(data, list):
            continue
        kept.append(part)
        try:
            data = data[int(part) if isinstance(data, list) else part]
        except (KeyError, IndexError, TypeError, ValueError):
            data = None
    return ".".join(kept) or None
