"""``optimise`` as a function: the best crew, deck or both against a field."""
# ruff: noqa: A002 (the parameter ``set`` is called as the option is)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bhsim.api.answers import chosen, framed
from bhsim.api.asking import Changes, Named, asked, dashed, freedom_of, name_of, names_of, typed
from bhsim.api.results import Rate, Result, facts_of
from bhsim.api.work import Place, Work
from bhsim.errors import BadInput, Fault
from bhsim.games.game import SideNames
from bhsim.games.seats import Seating
from bhsim.inputs.command import command_line
from bhsim.lab import defaults
from bhsim.lab.opponents import opponents_of
from bhsim.lab.optimise import carried_out, games_in, planned, start_of
from bhsim.lab.optimum import Confirmed, Optimum, build_rows, summary
from bhsim.report.grid import Grid, ends_text, percent, plots_in
from bhsim.report.matters import write_plots
from bhsim.report.optimise import grids, sections

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class BestBuild(Rate):
    """A finalist. win_rate: of the goal on fresh keys, low and high hold for all finalists at once. against: rate by opponent.

    parts: crew and deck as plain data. changes: against the start, in words. gain: on the start, as a difference, None for the start.
    file: to play with, None where nothing was written.
    """

    name: str
    parts: dict[str, Any]
    bandwidth: int
    games: int
    search_win_rate: float | None
    against: dict[str, Rate]
    changes: tuple[str, ...]
    gain: Rate | None
    file: Path | None


@dataclass(frozen=True, repr=False, eq=False)
class OptimiseResult(Result):
    """The best builds. best: finalists, the best first; start: what they are compared with. folder: where the run is stored, or None."""

    best: tuple[BestBuild, ...]
    start: BestBuild
    folder: Path | None
    found: Optimum = field(repr=False)

    @property
    def win_rate(self) -> float:
        """Of the best."""
        return self.best[0].win_rate

    @property
    def low(self) -> float:
        """Lower end of its interval."""
        return self.best[0].low

    @property
    def high(self) -> float:
        """Upper end of its interval."""
        return self.best[0].high

    @property
    def document(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return summary(self.found)

    @property
    def frame(self) -> pl.DataFrame:
        """A row for each build and opponent: the columns of best.parquet (docs/run-folder.md)."""
        return framed([row for build in self.found.builds for row in build_rows(self.found, build)])

    @property
    def plots(self) -> list[str]:
        """Names for ``plot``."""
        return [plot.name for plot in plots_in(self._sections)]

    def plot(self, name: str = "optimise-finalists") -> Figure:
        """A plot of the report. BadInput for a name that is not in ``plots``."""
        return chosen(plots_in(self._sections), name)

    @property
    def _sections(self) -> Sequence[Any]:
        return sections(self.found, self.footer)

    def _line(self) -> str:
        return f"{self.best[0].name} {percent(self.win_rate)} [{ends_text(self.low, self.high)}] against {', '.join(self.found.opponents)}"

    def _grids(self) -> Sequence[Grid]:
        return grids(self.found)


@typed
def optimise(
    *against: Named,
    start: Named = defaults.START,
    what: str = "crew",
    goal: str | None = None,
    fix: Named | Iterable[Named] = (),
    ban: Named | Iterable[Named] = (),
    max_changes: int | None = None,
    members: int | tuple[int, int] | None = None,
    keep: int = defaults.FINALISTS,
    game: str | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    deck: Named | None = None,
    bot: Named | None = None,
    bot_against: Named | None = None,
    games: int | None = None,
    minutes: float | None = None,
    seed: int = defaults.SEED,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    out: Named | None = None,
    force: bool = False,
    resume: bool = False,
) -> OptimiseResult:
    """Searches the crew, deck or both that do best against a field, and confirms the last few on fresh keys (docs/optimise.md).

    against: crews by name or path, "all", or the folder of a metagame; both starter crews if left out. what: "crew", "deck" or "both".
    goal: "mean", "worst" or "mixture". members: a number, or the fewest and the most. games: in all (200,000), or as many as fit into
    ``minutes`` here. deck, bot: of the start. The rest is as for ``play``.
    """
    field_ = names_of(against, "against")
    texts = {n: None if v is None else name_of(v, n) for n, v in (("deck", deck), ("bot", bot), ("bot_against", bot_against))}
    freedom, own = freedom_of(what, fix, ban, max_changes, members), name_of(start, "start")
    if games is not None and minutes is not None:
        raise BadInput(Fault("games and minutes both say when to end: give one of them"))
    if minutes is not None and resume:
        raise BadInput(Fault("goes on with the number of games of the stopped run: give that", field="minutes", value=minutes))
    with dashed("max_changes", "bot_against"):
        a = asked(game, cardset, board, rules, variants, set, Seating((own,), deck=texts["deck"]))
        if not a.found.builds.changeable:
            raise BadInput(Fault("has no crews or decks of a side's own to change", field="game", value=a.game))
        bundle = a.found.load(a.options)
        opponents = opponents_of(a.found, bundle, field_ or defaults.STARTERS, texts["bot_against"])
        aim = opponents.goal(goal)
        side = start_of(a.found, bundle, SideNames(own, texts["deck"], texts["bot"]), opponents)
        place = Place(out, force, resume)
        with Work(threads, executor, scheduler).workers(a.found) as workers:
            budget = defaults.SEARCH_GAMES if games is None else games
            if minutes is not None:
                budget = games_in(minutes, a.found, bundle, side, opponents, keep, workers)
            plan = planned(a.found, bundle, side, opponents, aim, freedom, budget, keep, seed)
            words = [("--against", field_), ("--start", own), ("--deck", texts["deck"]), ("--what", what), ("--goal", goal)]
            words += [
                ("--fix", freedom.fix),
                ("--ban", freedom.ban),
                ("--max-changes", max_changes),
                ("--members", freedom.sizes),
                ("--bot", texts["bot"]),
            ]
            words += [("--bot-against", texts["bot_against"]), ("--keep", keep), *a.words, ("--games", budget), ("--seed", seed)]
            with place.opened(plan.manifest(command_line(["optimise"], words)), plan.contests) as run:
                found = carried_out(plan, run, workers)
    best, compared = tuple(_build(found, build, place.path) for build in found.best), _build(found, found.start, place.path)
    facts = facts_of(run) | {"games": found.games}
    result = OptimiseResult(**facts, best=best, start=compared, folder=place.path, found=found)
    if place.path is not None:
        write_plots(place.path, plots_in(result._sections))
    return result


def _build(found: Optimum, build: Confirmed, directory: Path | None) -> BestBuild:
    from bhsim.lab.optimum import file_of

    seen, value, gain = build.seen, build.value, build.gain
    against = {name: Rate(rate.mean, rate.low, rate.high) for name, rate in zip(found.opponents, build.rates, strict=True)}
    file = None if directory is None or build is found.start else file_of(directory, build)
    ahead = None if gain is None else Rate(gain.mean, gain.low, gain.high)
    own = (build.name, seen.parts, seen.cost, build.games, seen.value, against, tuple(seen.changes), ahead, file)
    return BestBuild(value.mean, value.low, value.high, *own)
