"""What comparisons, gates, sensitivity, effects and plans return. Rates and differences are shares; points are percent points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bhsim.api.results import Result
from bhsim.errors import BadInput, Fault
from bhsim.lab.compare import Comparison
from bhsim.lab.effects import Effects, cost_rows, effect_rows
from bhsim.lab.gate import CellResult, Gate
from bhsim.lab.plan import Pilot, Step
from bhsim.lab.sensitivity import Sensitivity, rows
from bhsim.report.grid import Grid, Plot

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

Changed = tuple[str, Any, Any]  # a path with its two values


@dataclass(frozen=True)
class PairChange:
    """What the second of two contests changes: rates of the first side, their difference with its interval. paths: (path, first, second).

    pairs: deals of luck compared; paired: key by key. saving: share of the variance that the common luck leaves of the difference.
    """

    label: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    q: float
    verdict: str
    paired: bool
    pairs: int
    saving: float
    paths: tuple[Changed, ...]


@dataclass(frozen=True, repr=False, eq=False)
class CompareResult(Result):
    """Two runs, or contests of one. Engine, data digest and seed are the second run's. only_first, only_second: labels without partner."""

    changes: tuple[PairChange, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    comparison: Comparison = field(repr=False)

    @property
    def frame(self) -> pl.DataFrame:
        """One row a pair of contests; paths as text."""
        return framed(asdict(c) | {"paths": _path_texts(c.paths)} for c in self.changes)

    def plot(self) -> Figure:
        """The differences as bars."""
        from bhsim.report.comparisons import comparison_plot

        return comparison_plot(self.comparison, self.footer).figure

    def _line(self) -> str:
        c = self.changes[0]
        text = f"{c.label}: {100 * c.difference:+.2f} points [{100 * c.low:+.2f} to {100 * c.high:+.2f}], {c.verdict}"
        return text if len(self.changes) == 1 else f"{len(self.changes)} pairs, {text} ..."

    def _grids(self) -> Sequence[Grid]:
        from bhsim.report.comparisons import comparison_grid

        return [comparison_grid(self.comparison)]


@dataclass(frozen=True)
class MatchUpChange:
    """A match-up then and now. side: crew whose rate it is. low, high: always-valid. games: compared. All None where nothing was played.

    paths: (path, then, now). replay: numbers of games that ended otherwise.
    """

    label: str
    verdict: str
    crew: str | None
    then: float | None
    now: float | None
    change: float | None
    low: float | None
    high: float | None
    games: int
    paths: tuple[Changed, ...]
    replay: tuple[int, ...]


@dataclass(frozen=True, repr=False, eq=False)
class CheckResult(Result):
    """A gate's answer. verdict: "identical", "unchanged", "moved" or "undecided". Data digest: of today's data.

    document: all of it, as docs/gate.md lists; markdown: the summary.
    """

    verdict: str
    cells: tuple[MatchUpChange, ...]
    gate: Gate = field(repr=False)
    results: tuple[CellResult, ...] = field(repr=False)

    @property
    def moved(self) -> bool:
        """Whether any match-up has moved."""
        return self.verdict == "moved"

    @property
    def frame(self) -> pl.DataFrame:
        """One row a match-up; paths as text."""
        import polars as pl

        rows = [asdict(c) | {"paths": _path_texts(c.paths), "replay": list(c.replay)} for c in self.cells]
        kinds = {"crew": pl.String, "games": pl.Int64, "paths": pl.List(pl.String), "replay": pl.List(pl.Int64)}
        return pl.DataFrame(rows, schema_overrides=kinds | dict.fromkeys(("then", "now", "change", "low", "high"), pl.Float64))

    @property
    def document(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        from bhsim.report.gate import gate_json

        return gate_json(self.gate, self.results)

    @property
    def markdown(self) -> str:
        """The summary for a pull request."""
        from bhsim.report.gate import summary_md

        return summary_md(self.gate, self.results)

    def plot(self) -> Figure:
        """The changes as bars."""
        from bhsim.report.gate import gate_plot

        return gate_plot(self.gate, self.results).figure

    def _line(self) -> str:
        return f"{self.verdict}, {len(self.cells)} match-ups" if len(self.cells) > 1 else self.verdict

    def _grids(self) -> Sequence[Grid]:
        from bhsim.report.gate import gate_grid

        return [gate_grid(self.gate, self.results)]


@dataclass(frozen=True)
class FactorEffect:
    """What one number does to the metric from its low to its high level, in ``SensitivityResult.unit``; now: its present value."""

    path: str
    now: Any
    low_level: Any
    high_level: Any
    effect: float
    low: float
    high: float
    q: float


@dataclass(frozen=True, repr=False, eq=False)
class SensitivityResult(Result):
    """Main effects on the metric, largest first, over all opponents. unit: of the effects. folder: where the run is stored, or None."""

    metric: str
    unit: str
    effects: tuple[FactorEffect, ...]
    folder: Path | None
    found: Sensitivity = field(repr=False)

    @property
    def frame(self) -> pl.DataFrame:
        """The columns of effects.parquet (docs/what-matters.md), a row for each factor and pair against each opponent, in shares."""
        return framed(rows(self.found))

    def plot(self, name: str = "tornado") -> Figure:
        """The effects as bars; "tornado-pairs": of pairs, if the spec asked for them."""
        from bhsim.report.matters import sensitivity_plots

        return chosen(sensitivity_plots(self.found, self.footer), name)

    def _line(self) -> str:
        e = self.effects[0]
        return f"{e.path} from {e.low_level} to {e.high_level} moves the {self.metric.replace('_', ' ')} most: {e.effect:+.2f} {self.unit}"

    def _grids(self) -> Sequence[Grid]:
        from bhsim.report.matters import sensitivity_grids

        return sensitivity_grids(self.found)


@dataclass(frozen=True, repr=False, eq=False)
class EffectsResult(Result):
    """Effects of cards, runners or rigs. present: rate of the build as it is; mean: of the builds drawn by lot."""

    part: str
    builds: int
    present: float
    mean: float
    folder: Path | None
    found: Effects = field(repr=False)

    @property
    def frame(self) -> pl.DataFrame:
        """One row an item, the best first: the columns of effects.parquet."""
        return framed(effect_rows(self.found))

    @property
    def restricted(self) -> pl.DataFrame:
        """One row for each bot, card and way of restricting it; empty when restricted play was not asked for."""
        return framed(cost_rows(self.found))

    def plot(self, name: str = "tornado") -> Figure:
        """The effects as bars; "tornado-restricted": of restrictions, if they were played."""
        from bhsim.report.matters import effects_plots

        return chosen(effects_plots(self.found, self.footer), name)

    def _line(self) -> str:
        best = self.found.items[0]
        return f"of the {self.part}, {best.item} adds most: {100 * best.effect:+.2f} points"

    def _grids(self) -> Sequence[Grid]:
        from bhsim.report.matters import effects_grid, restricted_grid

        return [grid for grid in (effects_grid(self.found), restricted_grid(self.found)) if grid.rows]


@dataclass(frozen=True, repr=False, eq=False)
class PlanResult(Result):
    """How many games questions need. mean: of the pilot (of the difference, where two data sets were given).

    saving: share of the variance that common luck leaves of a difference, None for one data set. widths, shifts: steps in points.
    needed: games that the question asked needs, None if none was asked.
    """

    mean: float
    saving: float | None
    widths: tuple[Step, ...]
    shifts: tuple[Step, ...]
    needed: int | None
    power: float
    alpha: float
    pilot: Pilot = field(repr=False)

    @property
    def frame(self) -> pl.DataFrame:
        """question ("width" or "shift"), points, keys, games of all data sets, seconds on this machine."""
        return framed({"question": q, **asdict(s)} for q, steps in (("width", self.widths), ("shift", self.shifts)) for s in steps)

    def plot(self) -> Figure:
        """Games against points."""
        from bhsim.report.planning import plan_plot

        return plan_plot(self.widths, self.shifts, self.power, self.footer).figure

    def _line(self) -> str:
        return f"{self.needed:,} games needed" if self.needed else "games by points"

    def _grids(self) -> Sequence[Grid]:
        from bhsim.report.planning import plan_grids

        return plan_grids(self.widths, self.shifts, self.power, self.alpha, self.pilot.deals)


def pair_changes(found: Comparison) -> tuple[PairChange, ...]:
    """The pairs of a comparison in plain numbers."""
    changes = []
    for pair in found.pairs:
        gap, rates = pair.difference, (pair.first.sides[0].score.mean, pair.second.sides[0].score.mean)
        judged = pair.judged.q, pair.judged.verdict
        changes.append(PairChange(pair.label, *rates, gap.mean, gap.low, gap.high, *judged, pair.paired, gap.keys, gap.saving, pair.paths))
    return tuple(changes)


def match_up_change(result: CellResult) -> MatchUpChange:
    """A cell of a gate in plain numbers."""
    contest, change = result.cell.now, result.largest
    crew = result.name_of(change) if change else None
    numbers = (change.then, change.now, change.change, change.low, change.high) if change else (None,) * 5
    games, replay = result.keys * contest.seatings, tuple(w.index for w in result.witnesses)
    return MatchUpChange(contest.label, result.verdict.value, crew, *numbers, games, result.paths, replay)


def factor_effects(found: Sensitivity) -> tuple[FactorEffect, ...]:
    """Main effects over all opponents, largest first."""
    return tuple(
        FactorEffect(f.path, f.present, f.low, f.high, *map(found.shown, (m.effect.mean, m.effect.low, m.effect.high)), m.q)
        for m in found.family()
        for f in m.factors
    )


def framed(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows of a table, whose columns may hold nothing in the first of them."""
    import polars as pl

    return pl.DataFrame(list(rows), infer_schema_length=None)


def _path_texts(paths: Sequence[Changed]) -> list[str]:
    return [f"{path}: {first} -> {second}" for path, first, second in paths]


def chosen(plots: Sequence[Plot], name: str) -> Figure:
    """The plot of that name, drawn; BadInput lists the names there are."""
    found = next((plot for plot in plots if plot.name == name), None)
    if found is None:
        raise BadInput(Fault("there is no such plot", field="name", value=name, allowed=", ".join(plot.name for plot in plots)))
    return found.image.figure
