"""``bhsim play``, ``bhsim bots`` and ``bhsim warmup``."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bhsim.cli import playing as p
from bhsim.games.usual import DEFAULT_GAME
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.lab.runs import UnitResult


def register(app: typer.Typer) -> None:
    """Adds the verbs to the app."""
    app.command("play")(play)
    app.command("warmup")(warmup)
    bots = typer.Typer(help="The bots: what each does, and its weights.", rich_markup_mode=None)
    bots.callback(invoke_without_command=True)(list_bots)
    bots.command("show")(show_bot)
    app.add_typer(bots, name="bots")


def play(
    crew_a: Annotated[str | None, typer.Argument(help="First crew: name or path; none in a game of bots.", metavar="CREW_A")] = None,
    crew_b: Annotated[str | None, typer.Argument(help="Second crew: name or path.", metavar="CREW_B")] = None,
    game: p.PlayedGameOption = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    players: p.PlayersOption = None,
    deck: p.DeckOption = None,
    bots: p.BotsOption = None,
    deck_a: p.DeckAOption = None,
    deck_b: p.DeckBOption = None,
    bot_a: p.BotAOption = None,
    bot_b: p.BotBOption = None,
    games: p.GamesOption = defaults.GAMES,
    seed: p.SeedOption = defaults.SEED,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write a run folder.", metavar="DIR")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing run folder and the file of --rows.")] = False,
    rows: Annotated[Path | None, typer.Option("--rows", help="Write one row per game as parquet.", metavar="FILE")] = None,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Play two crews against each other, or a table of bots, and say how often each wins."""
    from bhsim.games.game import Options
    from bhsim.lab.again import spec_of
    from bhsim.lab.sweep import contests_of

    p.check_numbers(games, seed, threads, block)
    p.check_force(force, "--out or --rows", out, rows)
    if rows:
        p.checked_target(rows, "--rows", force, out)
    seating = p.seating_of((crew_a, crew_b), players, deck, bots, (deck_a, deck_b), (bot_a, bot_b))
    found, options = p.game_for(game, seating, Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    with p.as_options("players"):
        spec = spec_of(found.name, options, seating.sides(found), games, seed)
    contest = contests_of(spec, found)[0]
    asked = [*p.match_options(found, options, seating), ("--games", games), ("--seed", seed)]
    command = p.command_line(["play", *seating.crews], asked)
    with p.workers(found, executor, threads, scheduler) as workers:
        again = ([str(out)], []) if out else (list(seating.crews), [option for option in asked if option[0] != "--games"])
        _carry_out(contest, spec, seed, command, again, workers, block, out, force, rows, format_)


def _carry_out(contest, spec, seed, command, again, workers, block, out, force, rows, format_) -> None:
    from bhsim.cli import tables
    from bhsim.lab import carry, runs, store
    from bhsim.lab.notable import Margins
    from bhsim.lab.results import engine_label, evaluate, play_json
    from bhsim.lab.rows import RowWriter

    folder = None
    if out:
        asked = spec.model_dump(mode="json", exclude_unset=True)
        manifest = store.manifest_of(contest.label, "play", [contest], seed, asked, command)
        with p.as_options("out"):
            folder = store.create(out, manifest, [contest], force)
    writer, margins = RowWriter(contest) if rows else None, Margins()

    def keep(unit: UnitResult) -> None:
        margins.add(unit.outcomes)
        if writer:
            writer.add(unit)

    with folder or nullcontext():
        p.ready(contest.game, workers)
        started = time.perf_counter()
        with p.progress(contest.games) as advance:
            if folder:
                carry.run(folder, seed, None, block, advance, keep, bool(writer), workers)
                counts = folder.counts(contest)
            else:
                counts = runs.play(contest, seed, None, block, advance, keep, bool(writer), workers)
    seconds = time.perf_counter() - started
    if writer:
        store.write_bytes(rows, writer.parquet())
    result = evaluate(counts)
    house = contest.game.house_values(contest.bundle, contest.sides)
    played_with = contest.game.data_names(contest.bundle)
    lines = tables.resolved_lines(engine_label(contest.game), contest.digest(), seed, house, command, played_with)
    if format_ is p.Format.json:
        tables.print_json(play_json(result, seed, seconds))
        p.say("\n".join(lines))
    else:
        tables.print_play(result, seconds)
        tables.print_notable(margins.notable(), *again)
        print("\n".join(lines))
    if folder:
        p.say(f"written to {out}; `{p.command_line(['report', str(out)], [])}` draws it")


def warmup(game: p.GameOption = DEFAULT_GAME) -> None:
    """Compile the kernels now, so that later runs start at once."""
    from bhsim.games.game import find

    found = find(game)
    warm = found.is_warm()
    p.ready(found)
    print("the kernels were ready already" if warm else "the kernels are ready")


def list_bots(context: typer.Context, game: p.GameOption = DEFAULT_GAME, format_: p.FormatOption = p.Format.table) -> None:
    """List the bots and what each does."""
    context.obj = game
    if context.invoked_subcommand:
        return
    from bhsim.cli import tables
    from bhsim.games.game import find

    bots = find(game).bots()
    if format_ is p.Format.json:
        tables.print_json([{"bot": name, "description": text} for name, text in bots])
    else:
        tables.print_table("", ["bot", "what it does"], bots, [False, False])


def show_bot(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A bot: name or path.", metavar="NAME")],
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Show a bot's weights."""
    from bhsim.cli import tables
    from bhsim.games.game import find

    bot = find(context.obj).bot(name)
    if format_ is p.Format.json:
        tables.print_json(bot)
        return
    print(f"{bot['name']} ({bot['style']}): {bot['description']}")
    for word in ("never", "always"):
        if bot.get(word):
            print(f"{word} plays: {', '.join(bot[word])}")
    rows = [(w["weight"], f"{w['value']:g}", w["meaning"]) for w in bot["weights"]]
    if rows:
        tables.print_table("", ["weight", "value", "what it values"], rows, [False, True, False])
