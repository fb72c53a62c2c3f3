"""``bhsim plan``: how many games a question needs, and how long they take here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput, Fault
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.lab.plan import Pilot, Step


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("plan")(plan)


def plan(
    crew_a: Annotated[str | None, typer.Argument(help="First crew: name or path; none in a game of bots.", metavar="CREW_A")] = None,
    crew_b: Annotated[str | None, typer.Argument(help="Second crew: name or path.", metavar="CREW_B")] = None,
    precision: Annotated[float | None, typer.Option("--precision", help="Width of the 95 % interval, in points.", metavar="P")] = None,
    detect: Annotated[float | None, typer.Option("--detect", help="Shift to be found, in points.", metavar="D")] = None,
    power: Annotated[float, typer.Option("--power", help="Chance to find it.", metavar="SHARE")] = 0.8,
    alpha: Annotated[float, typer.Option("--alpha", help="Chance of a false alarm, two-sided.", metavar="SHARE")] = 0.05,
    versus_set: Annotated[
        list[str] | None, typer.Option("--versus-set", help="Plan a comparison with this change; may be repeated.", metavar="PATH=VALUE")
    ] = None,
    versus_variant: Annotated[
        list[str] | None, typer.Option("--versus-variant", help="Plan a comparison with this variant; may be repeated.", metavar="FILE")
    ] = None,
    pilot: Annotated[int, typer.Option("--pilot", help="Games of the pilot, of each data set.", metavar="N")] = defaults.PILOT_GAMES,
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
    seed: p.SeedOption = defaults.SEED,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Play a pilot and say how many games a precision or a power needs, and how long they take on this machine."""
    from bhsim.games.game import Options
    from bhsim.lab import plan as planning
    from bhsim.lab.again import spec_of
    from bhsim.lab.sweep import contests_of

    if precision is not None and detect is not None:
        raise BadInput(Fault("--precision and --detect are two questions: give one of them"))
    for name, points in (("--precision", precision), ("--detect", detect)):
        planning.checked_points(name, points)
    with p.as_options("alpha", "power", "pilot"):
        planning.checked_chances(alpha, power)
        planning.checked_pilot(pilot)
    p.check_numbers(None, seed, threads, block)
    seating = p.seating_of((crew_a, crew_b), players, deck, bots, (deck_a, deck_b), (bot_a, bot_b))
    found, options = p.game_for(game, seating, Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    data = [options]
    if versus_set or versus_variant:
        both = {"variants": (*options.variants, *(versus_variant or ())), "sets": (*options.sets, *(versus_set or ()))}
        data.append(replace(options, **both))
    with p.as_options("players"):
        names = seating.sides(found)
    contests = [contests_of(spec_of(found.name, one, names, pilot, seed), found)[0] for one in data]
    p.ready(found)
    with p.progress(sum(c.games for c in contests)) as advance:
        measured = planning.pilot(contests, seed, advance, threads=threads, block=block)
    widths = [planning.for_width(measured, points) for points in planning.with_steps(precision)]
    shifts = [planning.for_shift(measured, points, alpha, power) for points in planning.with_steps(detect)]
    question = _question(precision, detect, widths, shifts, power)
    if format_ is p.Format.json:
        _print_json(measured, widths, shifts, question)
    else:
        _print(measured, widths, shifts, question, power, alpha)


Question = tuple[str, Any] | None


def _question(precision: float | None, detect: float | None, widths: list[Step], shifts: list[Step], power: float) -> Question:
    if precision is not None:
        return f"an interval no wider than {precision:g} points", next(s for s in widths if s.points == precision)
    if detect is not None:
        return f"a shift of {detect:g} points, found with a chance of {100 * power:g} %,", next(s for s in shifts if s.points == detect)
    return None


def _print(measured: Pilot, widths: list[Step], shifts: list[Step], question: Question, power: float, alpha: float) -> None:
    from bhsim.cli import tables
    from bhsim.lab.plan import for_gate
    from bhsim.report.planning import duration, gate_grid, plan_grids

    for grid in plan_grids(widths, shifts, power, alpha, measured.deals):
        tables.print_table(grid.caption, grid.head, grid.rows, grid.numeric)
    if gate := for_gate(measured):
        tables.print_grid(gate_grid(gate, measured))
    mean = f"{100 * measured.mean:.2f} %" if measured.separate is None else f"{100 * measured.mean:+.2f} points"
    spread = f"standard deviation of a {measured.deals[:-1]} {100 * measured.variance**0.5:.1f} points"
    print(f"pilot         {measured.keys:,} {measured.deals}, mean {mean}, {spread}")
    print(f"speed         {measured.games_per_second:,.0f} games/s")
    if measured.saving is not None:
        print(f"same luck     leaves {100 * measured.saving:.0f} % of the variance of a difference; games are those of both data sets")
    if question:
        words, step = question
        print(f"{words} needs {step.games:,} games, {duration(step.seconds)} on this machine")


def _print_json(measured: Pilot, widths: list[Step], shifts: list[Step], question: Question) -> None:
    from dataclasses import asdict

    from bhsim.cli import tables
    from bhsim.lab.plan import for_fixed_gate, for_gate

    gate = for_gate(measured)
    tables.print_json(
        {
            "schema": 1,
            "pilot": {**asdict(measured), "games_per_second": measured.games_per_second, "saving": measured.saving},
            "precision": [asdict(s) for s in widths],
            "detect": [asdict(s) for s in shifts],
            "gate": [asdict(s) for s in gate],
            "gate_fixed_games": for_fixed_gate(measured) if gate else None,
            "asked": asdict(question[1]) if question else None,
        }
    )
