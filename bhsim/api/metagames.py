"""``meta`` as a function: who beats whom in a field of crews."""
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
from bhsim.errors import refuse_idle
from bhsim.games.seats import Seating
from bhsim.inputs.command import command_line
from bhsim.lab import defaults, metatables
from bhsim.lab.entrants import Asked
from bhsim.lab.grow import Growth, Step
from bhsim.lab.metagame import Metagame
from bhsim.lab.metarun import carried_out, planned
from bhsim.report.grid import Grid, plots_in
from bhsim.report.matters import write_plots
from bhsim.report.metagame import counters_grid, ratings_grid, sections

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False, eq=False)
class MetaResult(Result):
    """A metagame. mixture: share of each crew of the equilibrium, by name. cyclic_share: corrected for chance, nan if it cannot be told.

    steps: of growing, none without. folder: where the run is stored, or None.
    """

    mixture: dict[str, float]
    first_player: Rate
    cyclic_share: float
    steps: tuple[Step, ...]
    folder: Path | None
    growth: Growth | None = field(repr=False)
    found: Metagame = field(repr=False)

    @property
    def frame(self) -> pl.DataFrame:
        """One row a crew: the columns of meta.parquet (docs/run-folder.md)."""
        return framed(metatables.crew_rows(self.found))

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables "meta", "cells", "alpha" and "usage"."""
        return {name: framed(rows) for name, rows in metatables.tables(self.found).items()}

    @property
    def plots(self) -> list[str]:
        """Names for ``plot``."""
        return [plot.name for plot in plots_in(self._sections)]

    def plot(self, name: str = "meta-heat-map") -> Figure:
        """A plot of the report. BadInput for a name that is not in ``plots``."""
        return chosen(plots_in(self._sections), name)

    @property
    def _sections(self) -> Sequence[Any]:
        return sections(self.found, self.steps, self.growth, self.footer)

    def _line(self) -> str:
        best = self.found.ranked[0]
        return f"{len(self.found.crews)} crews, {self.found.label(best.place)} leads with {best.elo:+.0f} Elo"

    def _grids(self) -> Sequence[Grid]:
        return [ratings_grid(self.found), counters_grid(self.found)]


@typed
def meta(
    *crews: Named,
    found: Named | Iterable[Named] = (),
    sample: int = 0,
    what: str | None = None,
    start: Named | None = None,
    fix: Named | Iterable[Named] = (),
    ban: Named | Iterable[Named] = (),
    members: int | tuple[int, int] | None = None,
    grow: bool = False,
    margin: float | None = None,
    grow_games: int | None = None,
    confirm_games: int | None = None,
    max_crews: int | None = None,
    game: str | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    deck: Named | None = None,
    bot: Named | None = None,
    games: int = defaults.META_GAMES,
    seed: int = defaults.SEED,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    out: Named | None = None,
    force: bool = False,
    resume: bool = False,
) -> MetaResult:
    """Plays all match-ups of a field of crews and says who beats whom, and what the best field holds (docs/meta.md).

    crews: names or paths; all that there are if neither ``found`` (folders of crew files) nor ``sample`` (how many are drawn) is given.
    what, start, fix, ban, members: what drawn and grown crews may be; members is a number, or the fewest and the most. grow: searches what
    beats the equilibrium and adds it, with 200,000 games; an answer meets each crew of the mixture in 40,000, and a gain up to margin (1
    percent point) is as good as none. deck, bot: of all crews. The rest is as for ``play``.
    """
    named = names_of(crews, "crews")
    texts = {name: None if value is None else name_of(value, name) for name, value in (("deck", deck), ("bot", bot))}
    seating = Seating(named, deck=texts["deck"], bots=(texts["bot"],) if texts["bot"] else ())
    a = asked(game, cardset, board, rules, variants, set, seating)
    folders, begun = names_of(found, "found"), None if start is None else name_of(start, "start")
    fixed, banned = (",".join(names_of(names, field)) or None for names, field in ((fix, "fix"), (ban, "ban")))
    made = {"what": what, "start": begun, "fix": fixed, "ban": banned, "members": members}
    grown = {"margin": margin, "grow_games": grow_games, "confirm_games": confirm_games, "max_crews": max_crews}
    refuse_idle(made, bool(sample or grow), "sample or grow")
    refuse_idle(grown, grow, "grow=True")
    freedom = freedom_of(what or "crew", fix, ban, None, members)
    given = ((margin, defaults.MARGIN), (grow_games, defaults.SEARCH_GAMES), (confirm_games, defaults.CONFIRM_GAMES))
    growth = Growth(*(usual if value is None else value for value, usual in given), max_crews) if grow else None
    with dashed("grow_games", "confirm_games", "max_crews"):
        plan = planned(
            a.found, a.found.load(a.options), Asked(named, folders, sample, texts["deck"], texts["bot"]), a.found.names("crew"), games,
            seed, begun or defaults.START, freedom, growth,
        )  # fmt: skip
    words = [("--found", folders), ("--sample", sample or None), *_words(made | {"members": freedom.sizes}), ("--grow", grow)]
    words += [*_words(grown), *a.words, ("--deck", texts["deck"]), ("--bot", texts["bot"]), ("--games", games), ("--seed", seed)]
    place = Place(out, force, resume)
    manifest = plan.manifest(command_line(["meta", *named], words))
    with Work(threads, executor, scheduler).workers(plan.game) as workers, place.opened(manifest, plan.contests) as run:
        outcome = carried_out(plan, run, workers)
    metagame, first = outcome.metagame, outcome.metagame.first
    shares = {metagame.label(i): float(metagame.equilibrium.mixture[i]) for i in metagame.equilibrium.support}
    result = MetaResult(
        **facts_of(run), mixture=shares, first_player=Rate(metagame.first_mean, first.low, first.high), cyclic_share=metagame.cyclic.value,
        steps=outcome.steps, folder=place.path, growth=plan.growth, found=metagame,
    )  # fmt: skip
    if place.path is not None:
        write_plots(place.path, plots_in(result._sections))
    return result


def _words(arguments: dict[str, Any]) -> list[tuple[str, Any]]:
    """The same as options."""
    return [(f"--{name.replace('_', '-')}", value) for name, value in arguments.items()]
