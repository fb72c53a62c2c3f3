"""What a sensitivity spec varies, and the contests that this takes. docs/what-matters.md describes the file."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Options, SideNames
from bhsim.inputs.document import Document, read_toml
from bhsim.inputs.names import listing, suggestion
from bhsim.lab.axis import Number
from bhsim.lab.contest import Contest, assemble
from bhsim.lab.overlaps import note_undone_variants, overlapping, undone_sets, within
from bhsim.lab.spec import MatchUps, files_of_spec, game_of, opponent_label, parse_as
from bhsim.lab.sweep import usual_sides
from bhsim.stats.factorial import Design, two_level

MAX_FACTORS = 128
MAX_RUNS = 1024  # of one opponent
MAX_CONTESTS = 4096
SHOWN = 4  # of many paths in one message

Metric = Literal["win_rate", "margin", "distance from one half"]
Step = Annotated[Number, Field(gt=0, le=1_000_000)]


class FactorSpec(BaseModel):
    """One ``path`` with its ``low`` and ``high`` value, or all ``paths`` of a pattern, each moved down and up by ``step``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: Annotated[str, Field(min_length=1)] | None = None
    low: Any = None
    high: Any = None
    paths: Annotated[str, Field(min_length=1)] | None = None
    step: Step | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> FactorSpec:
        if (self.path is None) == (self.paths is None):
            raise ValueError("a factor has either path (one value) or paths (a pattern)")
        given = self.model_fields_set - {"path", "paths"}
        needed = {"low", "high"} if self.path else {"step"}
        if given != needed:
            raise ValueError(f"{'path' if self.path else 'paths'}: goes with {' and '.join(sorted(needed))}, and with nothing else")
        if self.path and self.low == self.high:
            raise ValueError(f"high: {self.high!r} is the low value, too")
        return self


class SensitivitySpec(MatchUps):
    """Match-ups, the factors, and the metric by which their effects are measured. pairs: whether pairs of factors, too."""

    factors: Annotated[list[FactorSpec], Field(min_length=1, max_length=MAX_FACTORS)]
    metric: Metric = "win_rate"
    pairs: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> SensitivitySpec:
        paths = [(f"factors.{number}.path", one.path) for number, one in enumerate(self.factors) if one.path]
        if faults := [*self.faults_of_table(), *overlapping(paths), *undone_sets(self.sets, [path for _, path in paths])]:
            raise ValueError("\n".join(faults))
        return self


@dataclass(frozen=True)
class Factor:
    """A path with the values of its two levels; present: what it is now, None when the contests do not use it."""

    path: str
    present: Any
    low: Any
    high: Any


@dataclass(frozen=True)
class Plan:
    """What a spec comes to. skipped: what cannot be varied (a path, some of a pattern) and why. contests: by run, then by opponent."""

    factors: tuple[Factor, ...]
    skipped: tuple[tuple[str, str], ...]
    design: Design
    contests: tuple[Contest, ...] = field(repr=False)

    def record(self) -> dict[str, Any]:
        """What the manifest keeps, so that effects can be computed from the folder alone."""
        return {
            "masks": list(self.design.masks),
            "pairs": self.design.pairs,
            "factors": [dataclasses.asdict(f) for f in self.factors],
            "skipped": [{"path": path, "why": why} for path, why in self.skipped],
        }


def parse_sensitivity(data: dict[str, Any], document: Document | None = None) -> SensitivitySpec:
    """A spec from a dictionary; BadInput with every fault. document: the file that it was read from, for the lines."""
    return parse_as(SensitivitySpec, data, document)


def check_sensitivity(path: Path) -> None:
    """Reads a spec and builds every contest of it; BadInput lists all that `bhsim sensitivity` would refuse."""
    document = read_toml(path)
    spec = parse_sensitivity(document.data, document)
    planned(spec, game_of(spec, document), document)


def planned(spec: SensitivitySpec, game: Game, document: Document | None = None) -> Plan:
    """Factors, design and contests. BadInput for unknown paths, values that no contest can have, and too many runs.

    document: the file of the spec, for the lines.
    """
    try:
        found = _Found(spec, game)
        design = two_level(len(found.factors), spec.pairs)
        _check_size(spec, design)
        return Plan(tuple(found.factors), tuple(found.skipped), design, tuple(_contests(found, design)))
    except BadInput as error:
        raise BadInput(*(f if f.file or document is None else document.located(f) for f in error.faults)) from None


class _Found:
    """The factors of a spec, tried out one by one against every opponent."""

    def __init__(self, spec: SensitivitySpec, game: Game) -> None:
        self.spec, self.game = spec, game
        files = Options(**files_of_spec(spec, game), variants=tuple(spec.variants), sets=tuple(spec.sets))
        self.bundle = game.load(files)
        self.tables = _tables(spec, game)
        if spec.metric == "distance from one half" and any(len(names) != 2 for names in self.tables.values()):
            raise BadInput(Fault("one half is fair for two sides only", field="metric", value=spec.metric, allowed="win_rate, margin"))
        self.values: dict[str, Any] = {}
        unfit: list[Fault] = []
        for names in self.tables.values():
            try:
                contest = assemble(game, self.bundle, names, spec.games)
            except BadInput as error:
                unfit += [f for f in error.faults if f not in unfit]
            else:
                self.values = game.values(contest.bundle, contest.sides) | self.values
        if unfit:
            raise BadInput(*unfit, *self._wrong_paths())
        self.factors: list[Factor] = []
        self.skipped: list[tuple[str, str]] = []
        faults: list[Fault] = []
        given = {f.path for f in spec.factors}
        for number, one in enumerate(spec.factors):
            try:
                self._add_path(one) if one.path else self._add_pattern(one, given)
            except BadInput as error:
                faults += _of_factor(number, one, error.faults)
        if not faults and not self.factors:
            why = _few([f"{path}: {why}" for path, why in self.skipped], "; ")
            faults.append(Fault(f"nothing that matches can be varied ({why})", field="factors"))
        if faults:
            raise BadInput(*faults)
        note_undone_variants(game, files, next(iter(self.tables.values())), [path for path in given if path])

    def _wrong_paths(self) -> list[Fault]:
        """What can be told of the factors' paths and levels without sides to play them."""
        faults: list[Fault] = []
        for number, one in enumerate(self.spec.factors):
            for level in (one.low, one.high) if one.path else ():
                try:
                    self.game.patched(self.bundle, {one.path: level})
                except BadInput as error:
                    faults += [f for f in _of_factor(number, one, error.faults) if f not in faults]
        return faults

    def _add_path(self, one: FactorSpec) -> None:
        for value in (one.low, one.high):
            self._try(one.path, value)
        self.factors.append(Factor(one.path, self.values.get(one.path), one.low, one.high))

    def _add_pattern(self, one: FactorSpec, given: set[str | None]) -> None:
        matching = {path: value for path, value in self.values.items() if fnmatchcase(path, one.paths)}
        if not matching:
            near = suggestion(one.paths.replace("*", ""), self.values) or "; `bhsim cards paths` lists those of a card set"
            raise BadInput(Fault(f"matches no value that the contests use{near}", value=one.paths, allowed=listing(self.values)))
        known = given | {f.path for f in self.factors} | {path for path, _ in self.skipped}
        numbers = {p: v for p, v in matching.items() if isinstance(v, int | float) and not isinstance(v, bool)}
        if len(numbers) < len(matching):
            self.skipped.append((one.paths, f"{len(matching) - len(numbers)} of {len(matching)} values that match are no numbers"))
        for path, value in numbers.items():
            if path in known:
                continue
            if over := [one for one in given if one and (within(path, one) or within(one, path))]:
                self.skipped.append((path, f"the factor {over[0]} changes it"))
                continue
            levels, why = self._within(path, value, one.step)
            if len(levels) < 2:
                self.skipped.append((path, why))
            else:
                self.factors.append(Factor(path, value, levels[0], levels[-1]))

    def _within(self, path: str, value: float, step: float) -> tuple[list[Any], str]:
        """The levels around a value that are allowed, ascending, and why one is not."""
        levels, why = [value], ""
        for level in (value - step, value + step):
            try:
                self._try(path, level)
                levels.append(level)
            except BadInput as error:
                first = error.faults[0]
                why = str(dataclasses.replace(first, file=None, line=None, field=None if first.field == path else first.field))
        return sorted(levels), why

    def _try(self, path: str, value: Any) -> None:
        """BadInput unless every contest is legal with this value alone changed."""
        bundle = self.game.patched(self.bundle, {path: value})
        for names in self.tables.values():
            assemble(self.game, bundle, names, self.spec.games)


def _tables(spec: SensitivitySpec, game: Game) -> dict[str, list[SideNames]]:
    """The sides of each match-up by the name of the opponents."""
    if spec.opponents is None:
        return {"others": usual_sides(spec, game, spec.players)}
    first = SideNames(spec.crew, None if game.shared_deck else spec.deck, spec.bot)
    return {opponent_label(o): [first, *(SideNames(r.crew, r.deck, r.bot) for r in o)] for o in spec.opponents}


def _few(texts: Sequence[str], between: str) -> str:
    """The first of many texts, and how many more there are."""
    return between.join(texts[:SHOWN]) + (f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else "")


def _of_factor(number: int, one: FactorSpec, faults: Sequence[Fault]) -> list[Fault]:
    """Faults placed at the factor that they come from."""
    place = f"factors.{number}.{'path' if one.path else 'paths'}"
    return [dataclasses.replace(f, message=_named(f), field=place, file=None, line=None) for f in faults]


def _named(fault: Fault) -> str:
    return f"{fault.field}: {fault.message}" if fault.field else fault.message


def _check_size(spec: SensitivitySpec, design: Design) -> None:
    rivals = len(spec.opponents or (None,))
    contests = design.runs * rivals
    if design.runs <= MAX_RUNS and contests <= MAX_CONTESTS:
        return
    count = len(design.masks)
    need = f"{count} factors{' with all pairs' if design.pairs else ''} need {design.runs:,} runs"
    against = f" against each of {rivals} opponents" if rivals > 1 else ""
    games = f"{contests:,} contests, {contests * spec.games:,} games"
    hint = "; pairs = false or a narrower pattern takes less" if design.pairs else "; a narrower pattern takes less"
    raise BadInput(Fault(f"{need}{against}: {games}{hint}", field="factors", allowed=f"{MAX_RUNS:,} runs and {MAX_CONTESTS:,} contests"))


def _contests(found: _Found, design: Design) -> list[Contest]:
    """Every run against every opponent; BadInput lists each fault once, with the levels common to the runs that have it."""
    contests: list[Contest] = []
    faults: dict[str, tuple[Fault, dict[str, Any]]] = {}
    for high in design.high():
        levels = {f.path: f.high if up else f.low for f, up in zip(found.factors, high, strict=True)}
        signs = "".join("+" if up else "-" for up in high)
        try:
            bundle = found.game.patched(found.bundle, levels)
            for rival, names in found.tables.items():
                setting = {"opponent": rival} if len(found.tables) > 1 else {}
                contests.append(assemble(found.game, bundle, names, found.spec.games, len(contests), {**setting, "levels": signs}))
        except BadInput as error:
            for fault in error.faults:
                _, shared = faults.get(str(fault), (fault, levels))
                faults[str(fault)] = fault, {path: value for path, value in shared.items() if levels[path] == value}
    if faults:
        raise BadInput(*(_together(fault, shared) for fault, shared in faults.values()))
    return contests


def _together(fault: Fault, shared: dict[str, Any]) -> Fault:
    levels = _few([f"{path} = {value}" for path, value in shared.items()], ", ") or "several levels"
    return dataclasses.replace(fault, message=f"{_named(fault)} (when together: {levels})", field="factors", file=None, line=None)
