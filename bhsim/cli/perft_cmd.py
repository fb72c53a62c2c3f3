"""``bhsim perft``: counts sequences of legal decisions from a position, on either engine or on both."""

from __future__ import annotations

import enum
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput, Fault
from bhsim.lab import defaults

MAX_DEPTH = 12
MAX_INDEX = 2_000_000_000
DIFFERENT = 1


class Engines(enum.StrEnum):
    """Which engine counts."""

    kernel = "kernel"
    reference = "reference"
    both = "both"


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("perft")(perft)


def perft(
    crew_a: Annotated[str | None, typer.Argument(help="First crew, where no position is given [purple].", metavar="CREW_A")] = None,
    crew_b: Annotated[str | None, typer.Argument(help="Second crew [green].", metavar="CREW_B")] = None,
    position: Annotated[
        Path | None, typer.Option("--position", help="A position file; else the game's first decision.", metavar="F")
    ] = None,
    depth: Annotated[int, typer.Option("--depth", help="Decisions in a row.", metavar="D")] = 2,
    engine: Annotated[Engines, typer.Option("--engine", help="Which engine counts; the plain one is slow.")] = Engines.kernel,
    divide: Annotated[bool, typer.Option("--divide", help="Also count below each first decision (kernel).")] = False,
    index: Annotated[int | None, typer.Option("--index", help="Number of the game [0].", metavar="I")] = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Root of all luck [1].", metavar="N")] = None,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Count the legal decision sequences of a length. Exit code 1 when both engines count and disagree."""
    from bhsim.games.game import Options
    from bhsim.games.skirmish.game import GAME

    if position:
        _alone((("CREW_A", crew_a), ("CREW_B", crew_b), ("--index", index), ("--seed", seed)))
    root = p.checked_seed(defaults.SEED if seed is None else seed)
    number = 0 if index is None else index
    if not 1 <= depth <= MAX_DEPTH:
        raise BadInput(Fault("out of range", field="--depth", value=depth, allowed=f"1 to {MAX_DEPTH}"))
    if not 0 <= number < MAX_INDEX:
        raise BadInput(Fault("out of range", field="--index", value=number, allowed=f"0 to {MAX_INDEX - 1}"))
    if divide and engine is Engines.reference:
        raise BadInput(Fault("counted by the kernel", field="--divide", allowed="--engine kernel or both"))
    bundle = GAME.load(Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    crews = crew_a or defaults.STARTERS[0], crew_b or defaults.STARTERS[1]
    starts = _placed(bundle, position) if position else _first(bundle, crews, root, number)
    p.ready(GAME)
    _count(*starts, depth, engine, divide, format_)


def _alone(others: tuple[tuple[str, Any], ...]) -> None:
    """A position says which crews and which luck, so nothing else may."""
    useless = [name for name, value in others if value is not None]
    if useless:
        raise BadInput(*(Fault("a position has its own", field=name, allowed="leave it out") for name in useless))


def _placed(bundle: Any, file: Path) -> tuple[Any, Any, Any]:
    """What sets up the kernel, the reference engine, and the notation, in a position."""
    from bhsim.games.skirmish.files import read_bot
    from bhsim.games.skirmish.placing import PlacedKernel, PlacedReference, notation_of, read_placed

    bot = read_bot("random")
    found, match = read_placed(file, bundle, (bot, bot))
    return lambda: PlacedKernel(found, match), lambda: PlacedReference(found, match), notation_of(match)


def _first(bundle: Any, crews: tuple[str, str], seed: int, index: int) -> tuple[Any, Any, Any]:
    """The same at the first decision of a game."""
    from bhsim.games.game import SideNames
    from bhsim.games.skirmish.driver import KernelGame
    from bhsim.games.skirmish.game import GAME
    from bhsim.games.skirmish.placing import notation_of
    from bhsim.games.skirmish.reference import Game
    from bhsim.games.skirmish.replays import match_of

    sides = [GAME.side(bundle, SideNames(crew, None, "random"), number) for number, crew in enumerate(crews)]
    GAME.check(bundle, sides)
    match = match_of(bundle, sides)
    key, seating = divmod(index, 2)
    notation = notation_of(match, (seating, 1 - seating))
    return lambda: KernelGame(match, seed, index), lambda: Game(bundle, match.crews, match.decks, seed, key, seating), notation


def _count(kernel: Any, reference: Any, notation: Any, depth: int, engine: Engines, divide: bool, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.games.skirmish.perft import divided, kernel_perft, reference_perft

    game = kernel()
    counts, seconds = {}, {}
    ways = {"kernel": lambda: kernel_perft(game, depth), "reference": lambda: reference_perft(reference, depth)}
    for name in [engine.value] if engine is not Engines.both else list(ways):
        started = time.perf_counter()
        counts[name] = ways[name]()
        seconds[name] = time.perf_counter() - started
    below = {notation.spell(a, game.seat): n for a, n in divided(game, depth).items()} if divide else {}
    identical = len(set(counts.values())) == 1
    if format_ is p.Format.json:
        divided_json = {"divide": below} if divide else {}
        tables.print_json({"schema": 1, "depth": depth, "counts": counts, "seconds": seconds, "identical": identical, **divided_json})
    else:
        for text, number in below.items():
            print(f"{number:>12,}  {text}")
        for name, number in counts.items():
            print(f"{number:>12,}  sequences of {depth} decisions ({name}, {seconds[name]:.2f} s)")
    if not identical:
        p.say("the engines disagree: `bhsim verify` shows where")
        raise typer.Exit(DIFFERENT)
