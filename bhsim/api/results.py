"""What the functions of the API return: numbers as plain attributes, a frame, a plot, and how a notebook shows it.

Rates are shares (0..1) of the side named, intervals have level 95 % and count keys (docs/statistics.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bhsim.errors import BadInput, Fault
from bhsim.lab.axis import VALUE_KINDS, Axis, value_label
from bhsim.lab.derive import LETTERS, derived_tables
from bhsim.lab.findings import findings_of, spec_of_run
from bhsim.lab.memory import Kept
from bhsim.lab.notable import Notable
from bhsim.lab.results import Result as Evaluated
from bhsim.lab.store import Folder
from bhsim.report.grid import Grid, ends_text, percent
from bhsim.report.notebook import grids_html

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from bhsim.report.page import Report

MAIN_PLOTS = ("curve", "heat-map", "scatter", "crews", "rates")  # the first of these that a run has is its plot
HOUSE = "house values"


@dataclass(frozen=True)
class Rate:
    """A rate with its interval."""

    win_rate: float
    low: float
    high: float


@dataclass(frozen=True)
class SideRate(Rate):
    """A side of a contest. wins: games won alone; points: means per game."""

    crew: str
    deck: str
    bot: str
    wins: int
    points_mean: float
    points_from: dict[str, float]


@dataclass(frozen=True)
class ContestResult(Rate):
    """A contest; its own rate is the first side's.

    setting: value of each axis; of a path or rule as the spec has it, else a name. rounds: mean, p05, p50, p95. replay: numbers of the
    best, worst and median game.
    """

    number: int
    label: str
    setting: dict[str, Any]
    games: int
    pairs: int
    sides: tuple[SideRate, ...]
    first_player: Rate
    draws: int
    round_limit: int
    rounds: dict[str, float]
    replay: dict[str, int]


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """What every result says of where it comes from. games: played for it. house_values: whether any number was made up here."""

    game: str
    engine: str
    data_digest: str
    seed: int
    house_values: bool
    games: int

    @property
    def facts(self) -> list[str]:
        """The same as small print."""
        parts = [f"{self.games:,} games", f"engine {self.engine}", f"data {self.data_digest}", f"seed {self.seed}"]
        return [*parts, HOUSE] if self.house_values else parts

    @property
    def footer(self) -> str:
        """What plots say below."""
        return HOUSE if self.house_values else ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._line()}; {', '.join(self.facts)}>"

    def _repr_html_(self) -> str:
        return grids_html(self._grids(), self.facts)

    def _line(self) -> str:
        """The answer in a few words."""
        raise NotImplementedError

    def _grids(self) -> Sequence[Grid]:
        """The answer as tables."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False, eq=False)
class RunResult(Result):
    """A run of contests. folder: where it is stored, None when it is in memory only."""

    contests: tuple[ContestResult, ...]
    run: Folder = field(repr=False)

    @property
    def folder(self) -> Path | None:
        """The run folder that was asked for."""
        return None if isinstance(self.run, Kept) else self.run.path

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of docs/run-folder.md: contests, crews (of all against all), and the game's own, such as runners and cards."""
        return derived_tables(self.run)

    @property
    def frame(self) -> pl.DataFrame:
        """One row a contest."""
        return self.tables["contests"]

    @property
    def plots(self) -> list[str]:
        """Names for ``plot``: the plots of the run's report."""
        return [plot.name for section in self._report.sections for plot in section.plots]

    def plot(self, name: str | None = None) -> Figure:
        """A plot of the report as a matplotlib Figure; None: the curve or heat map along the axes, else the rates.

        BadInput for a name that is not in ``plots``.
        """
        drawn = {plot.name: plot for section in self._report.sections for plot in section.plots}
        chosen = next(n for main in MAIN_PLOTS for n in drawn if n.startswith(main)) if name is None else name
        if chosen not in drawn:
            raise BadInput(Fault("this run has no such plot", field="name", value=chosen, allowed=", ".join(drawn)))
        return drawn[chosen].image.figure

    @cached_property
    def _report(self) -> Report:
        from bhsim.report.page import build

        return build(self.run)

    def _line(self) -> str:
        return f"{len(self.contests)} contests"

    def _grids(self) -> Sequence[Grid]:
        return self._report.sections[0].grids


@dataclass(frozen=True, repr=False, eq=False)
class PlayResult(RunResult):
    """One contest. Its frame has one row a side; ``tables["contests"]`` has the contest as a row."""

    @property
    def contest(self) -> ContestResult:
        """The contest."""
        return self.contests[0]

    @property
    def win_rate(self) -> float:
        """Rate of the first side."""
        return self.contest.win_rate

    @property
    def low(self) -> float:
        """Lower end of its interval."""
        return self.contest.low

    @property
    def high(self) -> float:
        """Upper end of its interval."""
        return self.contest.high

    @property
    def pairs(self) -> int:
        """Deals of luck, each played so that every side sits once in every seat."""
        return self.contest.pairs

    @property
    def sides(self) -> tuple[SideRate, ...]:
        """All sides, in order."""
        return self.contest.sides

    @property
    def first_player(self) -> Rate:
        """Rate of whoever held the token in round 1."""
        return self.contest.first_player

    @property
    def frame(self) -> pl.DataFrame:
        """One row a side: crew, deck, bot, wins, rate with interval, points per game in all and by source."""
        import polars as pl

        return pl.DataFrame([_side_row(letter, side) for letter, side in zip(LETTERS, self.sides, strict=False)])

    def _line(self) -> str:
        first, *others = self.sides
        return f"{first.crew} {percent(first.win_rate)} [{ends_text(first.low, first.high)}] against {', '.join(s.crew for s in others)}"


@dataclass(frozen=True, repr=False, eq=False)
class SweepResult(RunResult):
    """The contests of a sweep."""


@dataclass(frozen=True, repr=False, eq=False)
class BaselineResult(RunResult):
    """A stored run that ``check`` compares later data with."""


R = TypeVar("R", bound=RunResult)


def facts_of(run: Folder) -> dict[str, Any]:
    """The fields of ``Result``, from a run."""
    names = ("game", "engine", "data_digest", "seed", "house_values")
    return {name: run.manifest[name] for name in names} | {"games": sum(c.games for c in run.finished())}


def run_result(kind: type[R], run: Folder) -> R:
    """A finished run as a result."""
    found, spec = findings_of(run), spec_of_run(run)
    axes = {axis.label: axis for axis in spec.axes if axis.kind in VALUE_KINDS} if spec else {}
    contests = tuple(_contest(r, found.notable[r.contest.number], axes) for r in found.results)
    return kind(**facts_of(run), contests=contests, run=run)


def _value(axis: Axis | None, text: str) -> Any:
    """What a setting's label stands for: the value that has it, or a number drawn from the axis' range."""
    if axis is None:
        return text
    return next((value for value in axis.points if value_label(value) == text), None) if axis.points else float(text)


def _contest(result: Evaluated, notable: Notable, axes: Mapping[str, Axis]) -> ContestResult:
    contest, facts = result.contest, result.facts
    setting = {label: _value(axes.get(label), text) for label, text in contest.setting.items()}
    sides = tuple(
        SideRate(s.score.mean, s.score.low, s.score.high, s.side.crew, s.side.deck, s.side.bot, s.wins, s.points_mean, dict(s.points_from))
        for s in result.sides
    )
    rounds = {"mean": facts.rounds.mean(), **{f"p{q:02d}": facts.rounds.quantile(q / 100) for q in (5, 50, 95)}}
    first = Rate(result.first.mean, result.first.low, result.first.high)
    own = sides[0].win_rate, sides[0].low, sides[0].high
    names = contest.number, contest.label, setting, contest.games, contest.keys
    return ContestResult(*own, *names, sides, first, facts.draws, facts.round_limit, rounds, notable.games)


def _side_row(letter: str, side: SideRate) -> dict[str, Any]:
    row = {"side": letter, "crew": side.crew, "deck": side.deck, "bot": side.bot, "wins": side.wins}
    row |= {"win_rate": side.win_rate, "low": side.low, "high": side.high, "points_mean": side.points_mean}
    return row | {f"points_{source}": value for source, value in side.points_from.items()}
