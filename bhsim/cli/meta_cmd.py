"""``bhsim meta``: who beats whom in a field of crews, what the best field holds, and whether anything new beats that."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bhsim.cli import playing as p
from bhsim.cli.freedom import What, freedom_of, names_of
from bhsim.errors import refuse_idle
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.lab.executors import Executor
    from bhsim.lab.metarun import Outcome, Plan
    from bhsim.lab.store import Folder

MOST_ROWS = 20
WORDS = 24  # letters of the longest name of a figure


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("meta")(meta)


def meta(
    crews: Annotated[
        list[str] | None,
        typer.Argument(help="Crews of the field: names or paths; without these, --found and --sample all.", metavar="CREW.."),
    ] = None,
    found: Annotated[
        list[str] | None, typer.Option("--found", help="Crew files of this folder, beside CREW..; may be repeated.", metavar="DIR")
    ] = None,
    sample: Annotated[int, typer.Option("--sample", help="So many crews drawn at random, beside CREW.. and --found.", metavar="N")] = 0,
    what: Annotated[What | None, typer.Option("--what", help="What sampled and grown crews may change (crew).")] = None,
    start: Annotated[
        str | None,
        typer.Option("--start", help=f"Crew that they begin from ({defaults.START}): they keep what may not change.", metavar="CREW"),
    ] = None,
    fix: Annotated[list[str] | None, typer.Option("--fix", help="Runners, rigs or cards that all of them have.", metavar="NAME")] = None,
    ban: Annotated[list[str] | None, typer.Option("--ban", help="Runners, rigs or cards that none of them has.", metavar="NAME")] = None,
    members: Annotated[
        str | None, typer.Option("--members", help="Members of their crews: one number, or from-to.", metavar="N|N-N")
    ] = None,
    games: Annotated[
        int, typer.Option("--games", help="Games of each match-up, rounded up to whole keys.", metavar="N")
    ] = defaults.META_GAMES,
    grow: Annotated[bool, typer.Option("--grow", help="Search what beats the equilibrium and add it, until nothing does.")] = False,
    margin: Annotated[
        float | None, typer.Option("--margin", help=f"Gain that is as good as none, in points ({defaults.MARGIN:g}).", metavar="POINTS")
    ] = None,
    grow_games: Annotated[
        int | None, typer.Option("--grow-games", help=f"Games of the search for each answer ({defaults.SEARCH_GAMES:,}).", metavar="N")
    ] = None,
    confirm_games: Annotated[
        int | None,
        typer.Option(
            "--confirm-games", help=f"Games of an answer against each crew of the mixture ({defaults.CONFIRM_GAMES:,}).", metavar="N"
        ),
    ] = None,
    max_crews: Annotated[
        int | None, typer.Option("--max-crews", help="Crews at which growing ends; by default 20 more than at the start.", metavar="N")
    ] = None,
    game: p.PlayedGameOption = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    deck: Annotated[str | None, typer.Option("--deck", help="Deck of all crews, instead of their own.", metavar="NAME")] = None,
    bot: Annotated[str | None, typer.Option("--bot", help="Bot of all crews.", metavar="NAME")] = None,
    seed: p.SeedOption = defaults.SEED,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write a run folder.", metavar="DIR")] = None,
    force: p.ForceOption = False,
    resume: p.ResumeOption = False,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Play all match-ups of a field of crews: ratings, circles, counters, the equilibrium mixture and what it uses."""
    from bhsim.games.game import Options
    from bhsim.games.seats import Seating
    from bhsim.lab.entrants import Asked
    from bhsim.lab.grow import Growth
    from bhsim.lab.metarun import planned

    p.check_numbers(games, seed, threads, block)
    p.check_place(out, force, resume)
    changed = what.value if what else None
    fixed, banned = (",".join(names) if names else None for names in (fix, ban))
    made = {"--what": changed, "--start": start, "--fix": fixed, "--ban": banned, "--members": members}
    grown = {"--margin": margin, "--grow-games": grow_games, "--confirm-games": confirm_games, "--max-crews": max_crews}
    refuse_idle(made, bool(sample or grow), "--sample or --grow")
    refuse_idle(grown, grow, "--grow")
    named = Seating(tuple(crews or ()), deck=deck, bots=(bot,) if bot else ())
    game_, options = p.game_for(game, named, Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    asked = Asked(tuple(crews or ()), tuple(found or ()), sample, deck, bot)
    given = ((margin, defaults.MARGIN), (grow_games, defaults.SEARCH_GAMES), (confirm_games, defaults.CONFIRM_GAMES))
    growth = Growth(*(usual if value is None else value for value, usual in given), max_crews) if grow else None
    with p.as_options("found", "sample", "fix", "ban", "members", "games", "grow-games", "confirm-games", "max-crews", "margin", "game"):
        freedom = freedom_of(what or What.crew, names_of(fix, "--fix"), names_of(ban, "--ban"), None, members)
        plan = planned(game_, game_.load(options), asked, game_.names("crew"), games, seed, start or defaults.START, freedom, growth)
    words = [
        ("--found", found), ("--sample", sample or None), *made.items(),
        ("--grow", grow), *grown.items(), *p.match_options(game_, options, Seating()), ("--deck", deck), ("--bot", bot),
        ("--games", games), ("--seed", seed),
    ]  # fmt: skip
    command = p.command_line(["meta", *(crews or ())], words)
    with p.workers(game_, executor, threads, scheduler) as workers:
        _carry_out(plan, command, workers, block, (out, force, resume), format_)


def _carry_out(plan: Plan, command: str, workers: Executor, block: int | None, where: tuple, format_: p.Format) -> None:
    from bhsim.cli.running import opened, slowly, stage, stoppable
    from bhsim.lab.metarun import carried_out
    from bhsim.report.grid import plots_in
    from bhsim.report.matters import write_plots
    from bhsim.report.metagame import sections

    out, force, resume = where
    manifest = plan.manifest(command)
    with opened(out, manifest, plan.contests, force, resume) as folder:
        p.ready(plan.game, workers)
        with stoppable(lambda: _how_to_go_on(folder, command, out, plan.growth is not None)):
            outcome = carried_out(plan, folder, workers, block, stage)
    if out:
        with slowly("drawing ..."):
            footer = "house values" if manifest["house_values"] else ""
            write_plots(out, plots_in(sections(outcome.metagame, outcome.steps, plan.growth, footer)))
    _show(plan, folder, outcome, format_)
    if out:
        p.say(f"written to {out}; `{p.command_line(['report', str(out)], [])}` makes a page of it")


def _how_to_go_on(folder: Folder, command: str, out: Path | None, grows: bool) -> str:
    so_far, more = (" so far", "; the field has not grown to its end") if grows else ("", "")
    done = f"stopped: {len(folder.finished())} of {len(folder.contests)} contests{so_far} are finished"
    again = f"To go on:\n  {command} --out {shlex.quote(str(out))} --resume"
    return f"{done} and kept{more}. {again}" if out else f"{done}; without --out none is kept"


def _show(plan: Plan, folder: Folder, outcome: Outcome, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.metatables import summary

    lines = tables.manifest_lines(folder.manifest)
    if format_ is p.Format.json:
        names = ("engine", "data_digest", "seed", "house_values", "command")
        facts = {name: folder.manifest[name] for name in names}
        tables.print_json({"schema": 1, "game": plan.game.name, **facts, **summary(outcome.metagame, outcome.steps)})
        p.say("\n".join(lines))
        return
    _print(plan, outcome)
    print("\n".join(lines))


def _print(plan: Plan, outcome: Outcome) -> None:
    from bhsim.cli.tables import print_grid
    from bhsim.lab.metagame import varied
    from bhsim.report import metagame as shown

    found = outcome.metagame
    for what, figure, more in shown.overview(found).rows:
        print(f"{what:<{WORDS}}  {figure}{f'  ({more})' if more else ''}")
    print()
    print_grid(shown.ratings_grid(found, MOST_ROWS))
    print(shown.mixture_text(found) + "\n")
    print_grid(shown.counters_grid(found, MOST_ROWS))
    for grid in shown.circles_grids(found):
        print_grid(grid)
    if varied(found):
        print("\n".join(shown.unused_texts(found)) + "\n")
    if outcome.steps and plan.growth:
        print_grid(shown.steps_grid(outcome.steps))
        print(shown.ending(outcome.steps, plan.growth) + "\n")
