"""``meta`` as a function: who beats whom in a field of crews."""
# ruff: noqa: A002 (the parameter ``set`` is called as the option is)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bhsim.api.answers import _chosen, _framed
from bhsim.api.asking import Changes, Named, asked, name_of, names_of, renamed, typed
from bhsim.api.results import Rate, Result, facts_of
from bhsim.api.verbs import SEED
from bhsim.api.work import Place, Work
from bhsim.errors import BadInput, Fault
from bhsim.games.seats import Seating
from bhsim.games.spaces import Freedom
from bhsim.inputs.command import command_line
from bhsim.lab import metatables
from bhsim.lab.entrants import Asked
from bhsim.lab.grow import Growth, Step
from bhsim.lab.metagame import Metagame
from bhsim.lab.metarun import carried_out, planned
from bhsim.report.grid import Grid
from bhsim.report.metagame import counters_grid, ratings_grid, sections, write_plots

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

GAMES, GROW_GAMES, CONFIRM_GAMES, MARGIN, START = 2_000, 200_000, 40_000, 1.0, "purple"
PARTS = {"crew": ("crew",), "deck": ("deck",), "both": ("crew", "deck")}


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
        return _framed(metatables.crew_rows(self.found))

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables "meta", "cells", "alpha" and "usage"."""
        return {name: _framed(rows) for name, rows in metatables.tables(self.found).items()}

    @property
    def plots(self) -> list[str]:
        """Names for ``plot``."""
        return [plot.name for section in self._sections for plot in section.plots]

    def plot(self, name: str = "meta-heat-map") -> Figure:
        """A plot of the report. BadInput for a name that is not in ``plots``."""
        return _chosen([plot for section in self._sections for plot in section.plots], name)

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
    what: str = "crew",
    start: Named = START,
    fix: Named | Iterable[Named] = (),
    ban: Named | Iterable[Named] = (),
    members: int | tuple[int, int] | None = None,
    grow: bool = False,
    margin: float = MARGIN,
    grow_games: int = GROW_GAMES,
    confirm_games: int = CONFIRM_GAMES,
    max_crews: int | None = None,
    game: str | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    deck: Named | None = None,
    bot: Named | None = None,
    games: int = GAMES,
    seed: int = SEED,
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
    beats the equilibrium and adds it; margin in percent points. deck, bot: of all crews. The rest is as for ``play``.
    """
    named = names_of(crews, "crews")
    texts = {name: None if value is None else name_of(value, name) for name, value in (("deck", deck), ("bot", bot))}
    seating = Seating(named, deck=texts["deck"], bots=(texts["bot"],) if texts["bot"] else ())
    a = asked(game, cardset, board, rules, variants, set, seating)
    folders, fixed, banned = names_of(found, "found"), names_of(fix, "fix"), names_of(ban, "ban")
    if what not in PARTS:
        raise BadInput(Fault("cannot change", field="what", value=what, allowed=", ".join(PARTS)))
    freedom = Freedom(PARTS[what], fixed, banned, None, _members(members))
    growth = Growth(margin, grow_games, confirm_games, max_crews) if grow else None
    with renamed(grow_games="grow_games", confirm_games="confirm_games", max_crews="max_crews"):
        plan = planned(
            a.found, a.found.load(a.options), Asked(named, folders, sample, texts["deck"], texts["bot"]), a.found.names("crew"), games,
            seed, name_of(start, "start"), freedom, growth,
        )  # fmt: skip
    made = [("--what", what), ("--start", name_of(start, "start")), ("--fix", ",".join(fixed) or None), ("--ban", ",".join(banned) or None)]
    made.append(("--members", f"{freedom.members.start}-{freedom.members.stop - 1}" if freedom.members else None))
    grown = [("--margin", margin), ("--grow-games", grow_games), ("--confirm-games", confirm_games), ("--max-crews", max_crews)]
    words = [("--found", folders), ("--sample", sample or None), *(made if sample or grow else []), ("--grow", grow)]
    words += [*(grown if grow else []), *a.words, ("--deck", texts["deck"]), ("--bot", texts["bot"]), ("--games", games), ("--seed", seed)]
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
        write_plots(place.path, result._sections)
    return result


def _members(members: Any) -> range | None:
    if members is None:
        return None
    first, last = members if isinstance(members, tuple | list) and len(members) == 2 else (members, members)
    if not all(isinstance(n, int) and n > 0 for n in (first, last)) or first > last:
        raise BadInput(Fault("is no number of members", field="members", value=members, allowed="such as 4, or (3, 5)"))
    return range(first, last + 1)
