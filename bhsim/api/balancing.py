"""``balance`` as a function, and what it returns."""
# ruff: noqa: A002 (the parameter ``set`` is called as the option is)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bhsim.api.answers import framed
from bhsim.api.asking import OPTIONS, Changes, Named, Specified, asked, overrides, renamed, spec_command, spec_data, typed
from bhsim.api.results import Result, facts_of
from bhsim.api.work import Place, Work
from bhsim.games.game import find
from bhsim.games.usual import DEFAULT_GAME
from bhsim.lab.balance import carry_out, plan_of
from bhsim.lab.balance_problem import planned
from bhsim.lab.balance_result import Balanced, cell_rows, point_rows, screen_rows
from bhsim.lab.balance_spec import parse_balance
from bhsim.lab.memory import Kept
from bhsim.lab.spec import game_of, overridden
from bhsim.report.balance import answer, balance_grids, balance_plots, front_plot, numbers_plot
from bhsim.report.grid import Grid
from bhsim.report.matters import write_plots

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class BalancePoint:
    """A set of changes on keys that the search had not seen. changes: path to value; the one that removes most alone stands first.

    verdict: "reached", "undecided" or "not reached". distance: to the target, in percent points; low, high: what its intervals allow.
    searched: the distance as the search saw it, None if nothing was searched.
    """

    name: str
    changes: Mapping[str, Any]
    cost: float
    verdict: str
    distance: float
    low: float
    high: float
    searched: float | None
    games: int


@dataclass(frozen=True, repr=False, eq=False)
class BalanceResult(Result):
    """verdict: the best of any point. points: the set as it is, then the front, cheapest first. recommended: one of them, or None.

    most_out_of_line: path of the number that is, by the search; None if nothing was searched. folder: where the run is stored, or None.
    """

    verdict: str
    points: tuple[BalancePoint, ...]
    recommended: BalancePoint | None
    most_out_of_line: str | None
    folder: Path | None
    found: Balanced = field(repr=False)

    @property
    def frame(self) -> pl.DataFrame:
        """One row a point."""
        return framed(point_rows(self.found))

    @property
    def numbers(self) -> pl.DataFrame:
        """One row for each point and number of the target."""
        return framed(cell_rows(self.found))

    @property
    def screen(self) -> pl.DataFrame:
        """One row for each single change, as the search sees it."""
        return framed(screen_rows(self.found))

    def plot(self) -> Figure:
        """Distance against cost; the numbers against their limits if nothing was searched."""
        return (front_plot if self.found.points else numbers_plot)(self.found, self.footer).figure

    def _line(self) -> str:
        return answer(self.found)

    def _grids(self) -> Sequence[Grid]:
        return balance_grids(self.found)


@typed
def balance(
    spec: Specified,
    *,
    game: str | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    out: Named | None = None,
    force: bool = False,
    resume: bool = False,
) -> BalanceResult:
    """Finds the smallest changes of numbers that bring crews within a target (docs/balance.md).

    spec: a file, or a mapping with what would stand in one; its name may be left out. games: in all. The rest is as for ``sweep``.
    """
    data, document = spec_data(spec, "balance")
    a = asked(game or DEFAULT_GAME, cardset, board, rules, variants, set)
    given = overrides(a, game, games, seed)
    with renamed(**OPTIONS):
        merged = overridden(parse_balance(data, document), given, a.options.variants, a.options.sets, document)
    found = find(merged.game) if game or document is None else game_of(merged, document)
    plan = plan_of(merged, planned(merged, found, document))
    place = Place(out, force, resume)
    manifest = plan.manifest(spec_command("balance", spec, merged, given, a.options))
    with Work(threads, executor, scheduler).workers(found) as workers, place.opened(manifest, plan.contests) as folder:
        answer = carry_out(folder, plan, workers)
    points = {row["point"]: _point(row, answer) for row in point_rows(answer)}
    named, best = answer.named, answer.recommended
    result = BalanceResult(
        **facts_of(folder) | {"games": facts_of(folder)["games"] + answer.record.games},
        verdict=answer.verdict,
        points=tuple(points.values()),
        recommended=points[best.name] if best else None,
        most_out_of_line=named.single.path if named else None,
        folder=None if isinstance(folder, Kept) else folder.path,
        found=answer,
    )
    if result.folder:
        write_plots(result.folder, balance_plots(answer, result.footer))
    return result


def _point(row: Mapping[str, Any], found: Balanced) -> BalancePoint:
    changes = next((p.changes for p in found.points if p.name == row["point"]), [])
    kept = {name: row[name] for name in ("cost", "verdict", "distance", "low", "high", "games")}
    return BalancePoint(row["point"], {c.path: c.value for c in changes}, searched=row["search_distance"], **kept)
