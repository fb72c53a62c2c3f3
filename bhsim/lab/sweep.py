"""Sweeps: a spec file with axes becomes a grid of contests that all meet the same keys. docs/sweeps.md describes the file."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Options, SideNames, find
from bhsim.inputs.document import Document, read_toml
from bhsim.inputs.explain import explained
from bhsim.lab.contest import MAX_GAMES, Contest, assemble
from bhsim.lab.manifest import MAX_SEED

MAX_CONTESTS = 10_000
DEFAULT_GAMES = 10_000
SIDE_KINDS = ("crew", "deck", "bot")
FILE_KINDS = ("cardset", "board", "rules", "variant")
VALUE_KINDS = ("path", "rule")


class _Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Opponent(_Spec):
    """A side other than the first."""

    crew: str | None = None
    deck: str | None = None
    bot: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _crew_name(cls, value: Any) -> Any:
        return {"crew": value} if isinstance(value, str) else value

    @property
    def label(self) -> str:
        """Its parts in one line."""
        return " / ".join(p for p in (self.crew, self.deck, self.bot) if p) or "default"


def _listed(value: Any) -> Any:
    """Each item as a list: a single one may stand without brackets."""
    return [item if isinstance(item, list) else [item] for item in value] if isinstance(value, list) else value


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[list[Name], Field(min_length=1, max_length=MAX_CONTESTS)]
Several = Annotated[list[Annotated[list[Name], Field(min_length=1, max_length=64)]], Field(min_length=1, max_length=MAX_CONTESTS)]


class Axis(_Spec):
    """A list of values of one thing: ``path`` or ``rule`` with ``values``, or a list of names of one other kind.

    side: which side a crew, deck or bot axis changes. name: the label in tables and plots.
    """

    path: str | None = None
    rule: str | None = None
    values: Annotated[list[Any], Field(min_length=1, max_length=MAX_CONTESTS)] | None = None
    crew: Names | None = None
    deck: Names | None = None
    bot: Names | None = None
    cardset: Names | None = None
    board: Names | None = None
    rules: Names | None = None
    variant: Annotated[Several | None, BeforeValidator(_listed)] = None
    side: Literal["a", "b", "both"] | None = None
    name: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Axis:
        kinds = [k for k in (*VALUE_KINDS, *SIDE_KINDS, *FILE_KINDS) if getattr(self, k) is not None]
        if len(kinds) != 1:
            raise ValueError(f"an axis has exactly one of {', '.join((*VALUE_KINDS, *SIDE_KINDS, *FILE_KINDS))}")
        if (kinds[0] in VALUE_KINDS) != (self.values is not None):
            raise ValueError("values: goes with path and rule, and they need it")
        if self.side is not None and kinds[0] not in SIDE_KINDS:
            raise ValueError(f"side: only for an axis of {', '.join(SIDE_KINDS)}")
        for same in (value_label, _meaning):
            if double := _double([same(v) for v in self.points]):
                field = "values" if self.values is not None else kinds[0]
                raise ValueError(f"{field}: {value_label(self.points[double])} stands twice")
        return self

    @property
    def kind(self) -> str:
        """Which of the fields above is given."""
        return next(k for k in (*VALUE_KINDS, *SIDE_KINDS, *FILE_KINDS) if getattr(self, k) is not None)

    @property
    def points(self) -> list[Any]:
        """The values in order."""
        return self.values if self.values is not None else getattr(self, self.kind)

    @property
    def label(self) -> str:
        """Name in tables and plots."""
        if self.name:
            return self.name
        if self.kind == "path":
            return self.path or ""
        if self.kind == "rule":
            return f"rules.{self.rule}"
        return f"{self.kind} {self.side or 'a'}" if self.kind in SIDE_KINDS else self.kind


Table = Annotated[list[Opponent], Field(min_length=1, max_length=5)]  # everybody who sits with the first side


class SweepSpec(_Spec):
    """A sweep: the first side, its opponents, what both are played with, and the axes of the grid."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    game: str = "skirmish"
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = DEFAULT_GAMES
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 1
    cardset: str | None = None
    board: str | None = None
    rules: str | None = None
    variants: list[str] = []
    sets: list[str] = []
    crew: str | None = None
    deck: str | None = None
    bot: str | None = None
    opponents: Annotated[list[Table], Field(min_length=1, max_length=MAX_CONTESTS), BeforeValidator(_listed)]
    axes: list[Axis] = []

    @field_validator("name")
    @classmethod
    def _file_name(cls, name: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _.-]*", name):
            raise ValueError(f"{name!r} has other signs than letters, digits, space, _ . - (a letter or digit first)")
        return name

    @model_validator(mode="after")
    def _distinct(self) -> SweepSpec:
        labels = [a.label for a in self.axes]
        if len(set(labels)) != len(labels):
            raise ValueError(f"axes: two have the same label ({', '.join(labels)}); give one a name")
        rivals = [opponent_label(o) for o in self.opponents]
        if double := _double([_meaning(r) for r in rivals]):
            raise ValueError(f"opponents: {rivals[double]} stands twice")
        count = len(rivals)
        for axis in self.axes:
            count *= len(axis.points)
        if count > MAX_CONTESTS:
            raise ValueError(f"axes: {count} contests (allowed: at most {MAX_CONTESTS})")
        return self

    @property
    def folder_name(self) -> str:
        """Name of the run folder under reports/."""
        return re.sub(r"[^A-Za-z0-9_.-]+", "_", self.name)


def value_label(value: Any) -> str:
    """A value as tables and plots print it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return " + ".join(map(value_label, value)) if isinstance(value, list) else str(value)


def opponent_label(opponent: Sequence[Opponent]) -> str:
    """One opponent, or the rest of a table."""
    return " & ".join(o.label for o in opponent)


def _meaning(value: Any) -> Any:
    """The same for values that mean the same: 2 and 2.0, a name in capitals, a path with a detour."""
    if isinstance(value, list):
        return tuple(map(_meaning, value))
    if isinstance(value, str):
        path = "/" in value or value.endswith((".toml", ".txt"))
        return os.path.normpath(value) if path else value.casefold()
    return value if isinstance(value, int | float) and not isinstance(value, bool) else repr(value)


def _double(values: Sequence[Any]) -> int | None:
    """Place of the first value that stood before."""
    seen: set[Any] = set()
    for place, value in enumerate(values):
        if value in seen:
            return place
        seen.add(value)
    return None


def read_spec(path: Path) -> SweepSpec:
    """A sweep's spec; BadInput names the file and every fault with its line and field."""
    document = read_toml(path)
    return parse_spec(document.data, document)


def check_spec(path: Path) -> None:
    """Reads a spec and builds every contest of it; BadInput lists all that `bhsim sweep` would refuse."""
    document = read_toml(path)
    spec = parse_spec(document.data, document)
    contests_of(spec, game_of(spec, document), document)


def game_of(spec: SweepSpec, document: Document) -> Game:
    """The spec's game; BadInput with the line of its name when there is none of that name."""
    try:
        return find(spec.game)
    except BadInput as error:
        raise BadInput(*map(document.located, error.faults)) from None


def parse_spec(data: dict[str, Any], document: Document | None = None) -> SweepSpec:
    """A spec from a dictionary; BadInput with every fault. document: the file that it was read from, for the lines."""
    try:
        return SweepSpec.model_validate(data)
    except ValidationError as error:
        faults = [dataclasses.replace(f, field=_as_written(f.field, data)) for f in explained(error, SweepSpec, data)]
        raise BadInput(*(document.located(f) if document else f for f in faults)) from None


def _as_written(field: str | None, data: Any) -> str | None:
    """A field path without the numbers of lists that ``_listed`` has put around single items."""
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


def contests_of(spec: SweepSpec, game: Game, document: Document | None = None) -> list[Contest]:
    """The grid: opponents outermost, then the axes in order, the last running fastest.

    document: the file of the spec, for the lines. BadInput lists the faults of every contest, each once, with the settings that are
    common to the contests that have it.
    """
    contests: list[Contest] = []
    found: dict[str, tuple[Fault, dict[str, str]]] = {}
    bundles: dict[str, Any] = {}
    for setting, rival, chosen in _grid(spec):
        try:
            bundle = _bundle(spec, game, chosen, bundles)
            contests.append(assemble(game, bundle, _names(spec, rival, chosen), spec.games, len(contests), setting))
        except BadInput as error:
            for fault in error.faults:
                _, shared = found.get(str(fault), (fault, setting))
                found[str(fault)] = fault, {axis: value for axis, value in shared.items() if setting.get(axis) == value}
    if found:
        raise BadInput(*(_placed(fault, shared, spec, document) for fault, shared in found.values()))
    return contests


def _places(spec: SweepSpec) -> dict[tuple[str, str], str]:
    """Field path of every axis label with every value label."""
    places = {("opponent", opponent_label(o)): f"opponents.{number}" for number, o in enumerate(spec.opponents)}
    for number, axis in enumerate(spec.axes):
        field = "values" if axis.values is not None else axis.kind
        places |= {(axis.label, value_label(v)): f"axes.{number}.{field}.{place}" for place, v in enumerate(axis.points)}
    return places


def _cause(fault: Fault, spec: SweepSpec) -> str | None:
    """Field path of what all contests share and the fault speaks of, or else the fault's own field."""
    for number, axis in enumerate(spec.axes):
        if fault.field and fault.field in (axis.path, f"rules.{axis.rule}"):
            return f"axes.{number}.{axis.kind}"
    for number, text in enumerate(spec.sets):
        if fault.field and text.partition("=")[0].strip() == fault.field:
            return f"sets.{number}"
    named = (*SIDE_KINDS, "cardset", "board", "rules")
    return next((kind for kind in named if getattr(spec, kind) and repr(getattr(spec, kind)) in fault.message), fault.field)


def _placed(fault: Fault, shared: dict[str, str], spec: SweepSpec, document: Document | None) -> Fault:
    """A contest's fault with its settings, and with the line of the first of them in the spec unless it is about another file."""
    where = ", ".join(f"{axis} = {value}" for axis, value in shared.items())
    told = dataclasses.replace(fault, message=f"{fault.message} (contest {where})") if where else fault
    if fault.file or document is None:
        return told
    places = _places(spec) if shared else {}
    field = next((places[item] for item in reversed(shared.items()) if item in places), None) or _cause(fault, spec)
    line = document.located(Fault("", field=field)).line
    return dataclasses.replace(told, file=str(document.path), line=line)


Chosen = list[tuple[Axis, Any]]


def _grid(spec: SweepSpec) -> Iterator[tuple[dict[str, str], list[Opponent], Chosen]]:
    for opponent in spec.opponents:
        for values in itertools.product(*(axis.points for axis in spec.axes)):
            chosen = list(zip(spec.axes, values, strict=True))
            setting = {"opponent": opponent_label(opponent)} if len(spec.opponents) > 1 else {}
            setting |= {axis.label: value_label(value) for axis, value in chosen}
            yield setting, opponent, chosen


def _bundle(spec: SweepSpec, game: Game, chosen: Chosen, cache: dict[str, Any]) -> Any:
    """The bundle of one point of the grid; equal ones are the same object, so that they are compiled once."""
    files = {"cardset": spec.cardset, "board": spec.board, "rules": spec.rules}
    variants = list(spec.variants)
    changes: dict[str, Any] = {}
    for axis, value in chosen:
        if axis.kind == "path":
            changes[axis.path] = value
        elif axis.kind == "rule":
            changes[f"rules.{axis.rule}"] = value
        elif axis.kind == "variant":
            variants += [v for v in value if v != "none"]
        elif axis.kind in FILE_KINDS:
            files[axis.kind] = value
    base_key = repr((sorted(files.items()), variants))
    if base_key not in cache:
        cache[base_key] = game.load(Options(**files, variants=tuple(variants), sets=tuple(spec.sets)))
    key = base_key + repr(changes)
    if key not in cache:
        cache[key] = game.patched(cache[base_key], changes) if changes else cache[base_key]
    return cache[key]


def _names(spec: SweepSpec, rivals: list[Opponent], chosen: Chosen) -> list[SideNames]:
    sides = [{"crew": spec.crew, "deck": spec.deck, "bot": spec.bot}]
    sides += [{"crew": r.crew, "deck": r.deck, "bot": r.bot} for r in rivals]
    for axis, value in chosen:
        if axis.kind in SIDE_KINDS:
            which = {"a": sides[:1], "b": sides[1:], "both": sides}[axis.side or "a"]
            for side in which:
                side[axis.kind] = value
    return [SideNames(**s) for s in sides]
