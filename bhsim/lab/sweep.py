"""Sweeps: a spec file with axes becomes a grid of contests that all meet the same keys. docs/sweeps.md describes the file."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Options, SideNames
from bhsim.lab.contest import Contest, assemble

MAX_CONTESTS = 10_000
DEFAULT_GAMES = 10_000
SIDE_KINDS = ("crew", "deck", "bot")
FILE_KINDS = ("cardset", "board", "rules", "variant")
VALUE_KINDS = ("path", "rule")


class _Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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


Names = Annotated[list[str], Field(min_length=1)]


class Axis(_Spec):
    """A list of values of one thing: ``path`` or ``rule`` with ``values``, or a list of names of one other kind.

    side: which side a crew, deck or bot axis changes. name: the label in tables and plots.
    """

    path: str | None = None
    rule: str | None = None
    values: Annotated[list[Any], Field(min_length=1)] | None = None
    crew: Names | None = None
    deck: Names | None = None
    bot: Names | None = None
    cardset: Names | None = None
    board: Names | None = None
    rules: Names | None = None
    variant: Annotated[list[str | list[str]], Field(min_length=1)] | None = None
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
        labels = [value_label(v) for v in self.points]
        if len(set(labels)) != len(labels):
            raise ValueError("values: one of them stands twice")
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


class SweepSpec(_Spec):
    """A sweep: the first side, its opponents, what both are played with, and the axes of the grid."""

    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.-]*$")]
    game: str = "skirmish"
    games: int = DEFAULT_GAMES
    seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 1
    cardset: str | None = None
    board: str | None = None
    rules: str | None = None
    variants: list[str] = []
    sets: list[str] = []
    crew: str | None = None
    deck: str | None = None
    bot: str | None = None
    opponents: Annotated[list[Opponent | list[Opponent]], Field(min_length=1)]
    axes: list[Axis] = []

    @model_validator(mode="after")
    def _distinct(self) -> SweepSpec:
        labels = [a.label for a in self.axes]
        if len(set(labels)) != len(labels):
            raise ValueError(f"axes: two have the same label ({', '.join(labels)}); give one a name")
        rivals = [opponent_label(o) for o in self.opponents]
        if len(set(rivals)) != len(rivals):
            raise ValueError("opponents: one stands twice")
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


def opponent_label(opponent: Opponent | list[Opponent]) -> str:
    """One opponent, or the rest of a table."""
    return " & ".join(o.label for o in opponent) if isinstance(opponent, list) else opponent.label


def read_spec(path: Path) -> SweepSpec:
    """A sweep's spec; BadInput names the file and every fault with its field."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(Fault(f"cannot read the sweep spec: {getattr(error, 'strerror', None) or error}", file=str(path))) from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise BadInput(Fault(f"no valid TOML: {error}", file=str(path), line=int(found[1]) if found else None)) from None
    return parse_spec(data, str(path))


def parse_spec(data: dict[str, Any], file: str | None = None) -> SweepSpec:
    """A spec from a dictionary; BadInput with every fault."""
    try:
        return SweepSpec.model_validate(data)
    except ValidationError as error:
        raise BadInput(*(_fault(e, file) for e in error.errors())) from None


def contests_of(spec: SweepSpec, game: Game) -> list[Contest]:
    """The grid: opponents outermost, then the axes in order, the last running fastest. BadInput lists the faults of every contest."""
    contests: list[Contest] = []
    faults: list[Fault] = []
    bundles: dict[str, Any] = {}
    for setting, rival, chosen in _grid(spec):
        try:
            bundle = _bundle(spec, game, chosen, bundles)
            contests.append(assemble(game, bundle, _names(spec, rival, chosen), spec.games, len(contests), setting))
        except BadInput as error:
            place = ", ".join(f"{k} = {v}" for k, v in setting.items())
            faults += [Fault(f"{f} (contest {place})" if place else str(f)) for f in error.faults]
            if not setting:
                raise
    if faults:
        raise BadInput(*faults)
    return contests


Chosen = list[tuple[Axis, Any]]


def _grid(spec: SweepSpec) -> Iterator[tuple[dict[str, str], list[Opponent], Chosen]]:
    for opponent in spec.opponents:
        for values in itertools.product(*(axis.points for axis in spec.axes)):
            chosen = list(zip(spec.axes, values, strict=True))
            setting = {"opponent": opponent_label(opponent)} if len(spec.opponents) > 1 else {}
            setting |= {axis.label: value_label(value) for axis, value in chosen}
            yield setting, opponent if isinstance(opponent, list) else [opponent], chosen


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
            variants += [v for v in (value if isinstance(value, list) else [value]) if v != "none"]
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


def _fault(error: Any, file: str | None) -> Fault:
    field = ".".join(str(p) for p in error["loc"]) or None
    message = error["msg"].removeprefix("Value error, ")
    value = error["input"] if isinstance(error["input"], str | int | float | bool) else None
    return Fault(message, file=file, field=field, value=value)
