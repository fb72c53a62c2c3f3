"""``bhsim effects``: what cards, runners and rigs do to the win rate, from builds drawn by lot and from restricted play."""

from __future__ import annotations

import enum
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.lab.effects import Effects, Plan
    from bhsim.lab.executors import Executor


class What(enum.StrEnum):
    """What is drawn anew."""

    cards = "cards"
    runners = "runners"
    rigs = "rigs"


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("effects")(effects)


def effects(
    crew_a: Annotated[str | None, typer.Argument(help="Crew of the side that is looked at: name or path.", metavar="CREW_A")] = None,
    crew_b: Annotated[str | None, typer.Argument(help="Its opponent: name or path.", metavar="CREW_B")] = None,
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
    what: Annotated[What, typer.Option("--what", help="What of the first side is drawn anew.")] = What.cards,
    decks: Annotated[int, typer.Option("--decks", help="Builds drawn.", metavar="N")] = defaults.BUILDS,
    restricted: Annotated[bool, typer.Option("--restricted", help="Also forbid and oblige the bot to play each card of the deck.")] = False,
    panel: Annotated[
        str | None, typer.Option("--panel", help="Bots for --restricted, each on all sides, instead of the match's own.", metavar="A,B..")
    ] = None,
    games: Annotated[
        int, typer.Option("--games", help="Games of each build, rounded up to whole keys.", metavar="N")
    ] = defaults.GAMES_OF_BUILD,
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
    """Draw builds of the first side by lot, play them on the same luck, and say what each card, runner or rig adds."""
    from bhsim.errors import BadInput, Fault
    from bhsim.games.game import Options
    from bhsim.lab.contest import assemble
    from bhsim.lab.effects import planned
    from bhsim.lab.restricted import panel_of

    p.check_numbers(games, seed, threads, block)
    p.check_place(out, force, resume)
    if panel is not None and not restricted:
        raise BadInput(Fault("is for restricted play", field="--panel", value=panel, allowed="with --restricted"))
    seating = p.seating_of((crew_a, crew_b), players, deck, bots, (deck_a, deck_b), (bot_a, bot_b))
    found, options = p.game_for(game, seating, Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    with p.as_options("players"):
        names = seating.sides(found)
    bundle = found.load(options)
    match = assemble(found, bundle, names, games)
    held = panel_of(found, bundle, names, _bots(panel)) if panel is not None else [match.sides] if restricted else []
    with p.as_options("what", "decks", "games"):
        plan = planned(found, bundle, match.sides, what.value, decks, match.keys, seed, held)
    asked = [
        *p.match_options(found, options, seating), ("--what", what.value), ("--decks", decks),
        ("--restricted", restricted), ("--panel", panel), ("--games", games), ("--seed", seed),
    ]  # fmt: skip
    command = p.command_line(["effects", *seating.crews], asked)
    with p.workers(found, executor, threads, scheduler) as workers:
        _carry_out(plan, seed, command, workers, block, (out, force, resume), format_)


def _bots(panel: str) -> list[str]:
    from bhsim.errors import BadInput, Fault

    bots = [name.strip() for name in panel.split(",")]
    if not all(bots) or len(set(bots)) < len(bots):
        raise BadInput(Fault("names no bots, or one twice", field="--panel", value=panel, allowed="different bots, with commas between"))
    return bots


def _carry_out(plan: Plan, seed: int, command: str, workers: Executor, block: int | None, where: tuple, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.cli.running import play_into
    from bhsim.games.game import engine_label
    from bhsim.lab import effects as lab

    (out, force, resume), first = where, plan.contests[0]
    if out:
        again = f"{command} --out {shlex.quote(str(out))} --resume"
        manifest = lab.manifest_for(plan, seed, command)
        found = lab.measure_folder(play_into(out, manifest, plan.contests, force, resume, workers, block, again))
    else:
        p.ready(first.game, workers)
        with p.progress(sum(c.games for c in plan.contests)) as advance:
            found = lab.measure(plan, *lab.play_scores(plan, seed, workers, block, advance))
    house = first.game.house_values(first.bundle, first.sides)
    if out:
        _store(found, out, house)
    resolved = {"engine": engine_label(first.game), "data_digest": first.digest(), "seed": seed, "house_values": house, "command": command}
    lines = tables.resolved_lines(*resolved.values(), first.game.data_names(first.bundle))
    if format_ is p.Format.json:
        tables.print_json({"schema": 1, "game": first.game.name, **resolved, **_as_data(found)})
        p.say("\n".join(lines))
    else:
        _print(found)
        print("\n".join(lines))
    if out:
        p.say(f"written to {out}: effects.parquet{', restricted.parquet' if found.costs else ''}, plots/tornado.svg")


def _store(found: Effects, out: Path, house: bool) -> None:
    from bhsim.lab.effects import write_tables
    from bhsim.report.matters import effects_plots, write_plots

    write_tables(out, found)
    write_plots(out, effects_plots(found, "house values" if house else ""))


def _as_data(found: Effects) -> dict[str, Any]:
    from bhsim.lab import effects as lab
    from bhsim.report.matters import WARNING

    shape = {"what": found.part, "builds": found.builds, "keys": found.keys, "present": found.present, "mean": found.mean}
    note = {"note": WARNING} if any(row.described for row in found.items) else {}
    return shape | {"contrasts": found.contrasts, "effects": lab.effect_rows(found), "restricted": lab.cost_rows(found), **note}


def _print(found: Effects) -> None:
    from bhsim.cli import tables
    from bhsim.report.matters import WARNING, effects_grid, restricted_grid

    print(f"present build {100 * found.present:.2f} %, {found.builds} random builds {100 * found.mean:.2f} %, {found.keys:,} keys each")
    for grid in (effects_grid(found), restricted_grid(found)):
        if grid.rows:
            tables.print_grid(grid)
    if any(row.described for row in found.items):
        print(WARNING + "\n")
