"""``bhsim optimise``: the best crew, deck or both against a field, searched and then confirmed on fresh keys."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.cli.freedom import What, freedom_of, names_of
from bhsim.errors import BadInput, Fault
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.games.game import Game, Side
    from bhsim.games.spaces import Freedom
    from bhsim.lab.executors import Executor
    from bhsim.lab.opponents import Opponents
    from bhsim.lab.optimise import Plan
    from bhsim.lab.optimum import Optimum
    from bhsim.lab.search import Goal
    from bhsim.lab.store import Folder

FIELDS = (
    "against", "start", "deck", "fix", "ban", "members", "max-changes", "games", "keep", "goal", "game", "minutes", "bot", "bot-against",
)  # fmt: skip


class Aim(enum.StrEnum):
    """What is to be as high as possible."""

    mean = "mean"
    worst = "worst"
    mixture = "mixture"


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("optimise")(optimise)


def optimise(
    more: Annotated[list[str] | None, typer.Argument(help="Further opponents.", metavar="CREW..")] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="CREW",
            help="Opponents, by name or path: repeated, with commas, or one after the other; `all` crews; or the folder of a run of "
            "`meta`, for its mixture. By default both starter crews.",
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", help=f"Games in all ({defaults.SEARCH_GAMES:,}): search and confirmation.", metavar="N")
    ] = None,
    minutes: Annotated[float | None, typer.Option("--minutes", help="As many games as fit into so many minutes here.", metavar="M")] = None,
    start: Annotated[
        str | None, typer.Option("--start", help=f"Crew to begin from and to compare with ({defaults.START}).", metavar="CREW")
    ] = None,
    deck: Annotated[str | None, typer.Option("--deck", help="Deck to begin from, instead of the crew's.", metavar="NAME")] = None,
    what: Annotated[What, typer.Option("--what", help="What may change.")] = What.crew,
    goal: Annotated[
        Aim | None, typer.Option("--goal", help="What is to be high: by default the mean, or against a metagame its mixture.")
    ] = None,
    fix: Annotated[list[str] | None, typer.Option("--fix", help="Runners, rigs or cards that stay.", metavar="NAME")] = None,
    ban: Annotated[list[str] | None, typer.Option("--ban", help="Runners, rigs or cards that are not used.", metavar="NAME")] = None,
    max_changes: Annotated[
        int | None, typer.Option("--max-changes", help="Most pairs and cards in which a build differs from the start.", metavar="N")
    ] = None,
    members: Annotated[str | None, typer.Option("--members", help="Members of the crew: one number, or from-to.", metavar="N|N-N")] = None,
    bot: Annotated[str | None, typer.Option("--bot", help="Bot that plays the builds.", metavar="NAME")] = None,
    bot_against: Annotated[str | None, typer.Option("--bot-against", help="Bot that plays the opponents.", metavar="NAME")] = None,
    keep: Annotated[int, typer.Option("--keep", help="Finalists that are confirmed.", metavar="N")] = defaults.FINALISTS,
    game: p.PlayedGameOption = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    seed: p.SeedOption = defaults.SEED,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write a run folder, with crew and deck files ready to play.", metavar="DIR")
    ] = None,
    force: p.ForceOption = False,
    resume: p.ResumeOption = False,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Search the crew, deck or both that do best against a field, and confirm the last few on luck that the search has not seen."""
    from bhsim.games.game import Options, SideNames
    from bhsim.games.seats import Seating
    from bhsim.lab.opponents import opponents_of
    from bhsim.lab.optimise import least, start_of

    p.check_numbers(games, seed, threads, block)
    if games is not None and minutes is not None:
        raise BadInput(Fault("--games and --minutes both say when to end: give one of them"))
    p.check_place(out, force, resume)
    freedom = freedom_of(what, names_of(fix, "--fix"), names_of(ban, "--ban"), max_changes, members)
    field = [*names_of(against, "--against"), *names_of(more, "CREW")]
    found, options = p.game_for(game, _seating(start, deck), Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    with p.as_options(*FIELDS):
        if not found.builds.changeable:
            raise BadInput(Fault("has no crews or decks of a side's own to change", field="game", value=found.name))
        bundle = found.load(options)
        opponents = opponents_of(found, bundle, field or defaults.STARTERS, bot_against)
        aim = opponents.goal(goal and goal.value)
        own = start_of(found, bundle, SideNames(start or defaults.START, deck, bot), opponents)
    words = [
        ("--against", field), ("--start", start), ("--deck", deck), ("--what", what.value), ("--goal", goal and goal.value),
        ("--fix", fix), ("--ban", ban), ("--max-changes", max_changes), ("--members", members), ("--bot", bot),
        ("--bot-against", bot_against), ("--keep", keep), *p.match_options(found, options, Seating()),
    ]  # fmt: skip
    with p.workers(found, executor, threads, scheduler) as workers:
        if minutes is not None:  # what cannot be is refused before games are played to measure the speed
            _planned(found, bundle, own, opponents, aim, freedom, least(found, len(opponents.sides), keep), keep, seed)
        budget = _budget(games, minutes, out if resume else None, (found, bundle, own, opponents, keep, workers))
        plan = _planned(found, bundle, own, opponents, aim, freedom, budget, keep, seed)
        command = p.command_line(["optimise"], [*words, ("--games", budget), ("--seed", seed)])
        _carry_out(plan, command, workers, block, (out, force, resume), format_, p.match_options(found, options, Seating()))


def _seating(start: str | None, deck: str | None) -> Any:
    from bhsim.games.seats import Seating

    return Seating((start,) if start else (), deck=deck)


def _planned(
    game: Game, bundle: Any, start: Side, opponents: Opponents, goal: Goal, freedom: Freedom, games: int, keep: int, seed: int
) -> Plan:  # fmt: skip
    from bhsim.lab.optimise import planned

    with p.as_options(*FIELDS):
        return planned(game, bundle, start, opponents, goal, freedom, games, keep, seed)


def _budget(games: int | None, minutes: float | None, stopped: Path | None, playing: tuple[Any, ...]) -> int:
    """Games in all. stopped: a run that goes on with the number that it was given or measured. playing: what the speed is measured with."""
    from bhsim.lab.manifest import read_manifest
    from bhsim.lab.optimise import games_in

    if minutes is None:
        return defaults.SEARCH_GAMES if games is None else games
    if stopped:
        return read_manifest(stopped)["spec"].get("games", 0)
    game, *_, workers = playing
    p.ready(game, workers)
    with p.as_options(*FIELDS):
        budget = games_in(minutes, *playing)
    p.say(f"{minutes:g} minutes are about {budget:,} games here; --games {budget} repeats the run")
    return budget


def _carry_out(
    plan: Plan, command: str, workers: Executor, block: int | None, where: tuple, format_: p.Format, data: list[tuple[str, Any]]
) -> None:  # fmt: skip
    from bhsim.cli.running import how_to_go_on, opened, slowly, stage, stoppable
    from bhsim.lab.optimise import carried_out
    from bhsim.report.grid import plots_in
    from bhsim.report.matters import write_plots
    from bhsim.report.optimise import sections

    out, force, resume = where
    manifest = plan.manifest(command)
    with opened(out, manifest, plan.contests, force, resume) as folder:
        p.ready(plan.game, workers)
        with stoppable(lambda: how_to_go_on(command, out)):
            found = carried_out(plan, folder, workers, block, stage)
    if out:
        with slowly("drawing ..."):
            write_plots(out, plots_in(sections(found, "house values" if manifest["house_values"] else "")))
    _show(folder, found, format_)
    if out:
        _say_where(folder, found, out, data)


def _show(folder: Folder, found: Optimum, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.optimum import summary
    from bhsim.report.optimise import grids, texts

    lines = tables.manifest_lines(folder.manifest)
    if format_ is p.Format.json:
        names = ("game", "engine", "data_digest", "seed", "house_values", "command")
        tables.print_json({"schema": 1, **{name: folder.manifest[name] for name in names}, **summary(found)})
        p.say("\n".join(lines))
    else:
        for grid in grids(found):
            tables.print_grid(grid)
        print("\n".join([*texts(found), "", *lines]))


def _say_where(folder: Folder, found: Optimum, out: Path, words: list[tuple[str, Any]]) -> None:
    from bhsim.lab.optimum import file_of

    best = next((build for build in found.best if build is not found.start), None)
    if best:
        contest = folder.contests[best.contests[0]]
        options = [("--bot-a", contest.sides[0].bot), ("--bot-b", contest.sides[1].bot), *words]
        options += [("--games", contest.games), ("--seed", folder.manifest["seed"])]
        p.say("one of its rates again, and a game of it:")
        p.say(f"  {p.command_line(['play', str(file_of(out, best)), contest.sides[1].crew], options)}")
        p.say(f"  {p.command_line(['replay', str(out)], [('--contest', contest.number)])}")
    p.say(f"written to {out}; `{p.command_line(['report', str(out)], [])}` makes a page of it")
