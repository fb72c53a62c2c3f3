"""``bhsim verify``: plays the compiled engine and the plain reference engine side by side and shows the first difference."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput, Fault
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.games.game import Options
    from bhsim.games.lockstep import Difference, Report
    from bhsim.games.seats import Seating

DEFAULT_GAMES = 200
DIFFERENT = 1


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("verify")(verify)


def verify(
    crew_a: Annotated[str | None, typer.Argument(help="First crew; drawn from the card set if left out.", metavar="CREW_A")] = None,
    crew_b: Annotated[str | None, typer.Argument(help="Second crew.", metavar="CREW_B")] = None,
    fuzz: Annotated[bool, typer.Option("--fuzz", help="Draw cards, boards, rules, crews and decks at random, anew for each game.")] = False,
    position: Annotated[Path | None, typer.Option("--position", help="Begin every game in this position file.", metavar="F")] = None,
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
    games: Annotated[int, typer.Option("--games", help="Games: half played at random, half by bots.", metavar="N")] = DEFAULT_GAMES,
    seed: p.SeedOption = defaults.SEED,
    first: Annotated[int, typer.Option("--first", help="Index of the first game, to repeat one.", metavar="I")] = 0,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Check the fast engine against a second one written from the rules page.

    Exit code 0: no difference; 1: they differ, and the first difference is shown.
    """
    p.checked_seed(seed)
    for option, value, least in (("--games", games, 1), ("--first", first, 0)):
        if not least <= value <= 1_000_000_000:
            raise BadInput(Fault("out of range", field=option, value=value, allowed=f"{least} to 1000000000"))
    from bhsim.games.game import Options
    from bhsim.games.lockstep import of_game

    seating = p.seating_of((crew_a, crew_b), players, deck, bots, (deck_a, deck_b), (bot_a, bot_b))
    chosen, options = p.game_for(game, seating, Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    with p.as_options("game"):
        engines = of_game(chosen.name)
    which, *given = p.match_options(chosen, options, seating)
    found = None
    if fuzz:
        source = _fuzz(engines, seed, [crew_a, position], given)
    elif chosen.name != "skirmish":
        _refuse(f"{chosen.name} has no such thing", [None, position], [])
        with p.as_options("players"):
            source = engines.source_of(options, seating.sides(chosen))
    elif position:
        source, found = _placed(position, seating, options)
    else:
        source = _named(seating, options, seed)
    words = ["verify", *seating.crews, *(["--fuzz"] if fuzz else [])]

    def repeat(index: int, number: int) -> str:
        asked = [("--seed", seed), ("--first", index or None), ("--games", number)]
        return p.command_line(words, [which, ("--position", position), *given, *asked])

    from bhsim.cli import tables

    p.ready(chosen)
    with p.progress(games) as advance:
        report = engines.compare(source, seed, first, games, advance, found)
    if format_ is p.Format.json:
        tables.print_json(_json(report, seed, fuzz, repeat))
    else:
        _print(report, seed, fuzz, repeat, first)
    if report.difference:
        raise typer.Exit(DIFFERENT)


def _fuzz(engines: Any, seed: int, others: list[Any], given: list[tuple[str, Any]]) -> Any:
    _refuse("--fuzz draws everything itself", others, given)
    return engines.fuzz_source(seed)


def _refuse(reason: str, others: list[Any], given: list[tuple[str, Any]]) -> None:
    """BadInput for each of these that was given. others: CREW_A and --position."""
    useless = [name for name, value in given if value] + [
        name for name, value in zip(("CREW_A", "--position"), others, strict=True) if value
    ]
    if useless:
        raise BadInput(*(Fault(reason, field=name, allowed="leave it out") for name in useless))


def _placed(file: Path, seating: Seating, options: Options) -> Any:
    """The match of a position, which has its own crews and decks, and the position."""
    from bhsim.games.skirmish.files import read_bot
    from bhsim.games.skirmish.game import GAME
    from bhsim.games.skirmish.placing import read_placed

    useless = [option for option in seating.words if option[0].startswith("--deck")]
    _refuse("a position has its own", [next(iter(seating.crews), None), None], useless)
    bundle = GAME.load(options)
    position, match = read_placed(file, bundle, tuple(read_bot(name, bundle) for name in _bots(seating)))
    return (lambda index: match), position


def _bots(seating: Seating) -> list[str]:
    """The bots of both sides, whatever their crews."""
    from bhsim.games.skirmish.game import DEFAULT_BOT, GAME

    with p.as_options("players"):
        return [side.bot or DEFAULT_BOT for side in replace(seating, crews=()).sides(GAME)]


def _named(seating: Seating, options: Options, seed: int) -> Any:
    """Two crews, or crews drawn from the card set."""
    from bhsim.games.skirmish.driver import Match
    from bhsim.games.skirmish.game import GAME
    from bhsim.games.skirmish.lockstep import drawn_source

    bundle = GAME.load(options)
    if not seating.crews:
        _refuse("a deck needs two crews", [None, None], [option for option in seating.words if option[0].startswith("--deck")])
        return drawn_source(bundle, seed, tuple(_bots(seating)))
    if len(seating.crews) < 2:
        raise BadInput(Fault("one crew is not enough", field="CREW_B", allowed="two crews, or none"))
    with p.as_options("players"):
        sides = [GAME.side(bundle, side, number) for number, side in enumerate(seating.sides(GAME))]
    GAME.check(bundle, sides)
    match = Match(bundle, tuple(s.crew_model for s in sides), tuple(s.deck_model for s in sides), tuple(s.bot_model for s in sides))
    return lambda index: match


def _print(report: Report, seed: int, fuzz: bool, repeat: Any, first: int) -> None:
    for group, words in report.coverage.table().items():
        print(f"{group}: " + ", ".join(f"{word} {times:,}" for word, times in words.items()))
    unreached = report.coverage.unreached()
    where = "" if fuzz else " (a card set need not use every word)"
    print(f"\nnot reached{where}: " + (", ".join(unreached) or "none"))
    if not fuzz and report.rows_unreached:
        print("rows never begun: " + ", ".join(report.rows_unreached))
    print(f"\n{report.games:,} games ({report.by_bots:,} by bots), {report.decisions:,} decisions, seed {seed}")
    if report.difference is None:
        print("no difference between the engines")
        print(f"repeat        {repeat(first, report.games)}")
    else:
        _print_difference(report.difference, repeat(report.difference.game, 1))


def _print_difference(found: Difference, command: str) -> None:
    print(f"DIFFERENCE in game {found.game} (played by {found.by}), after {found.decision} decisions; seat {found.seat} is to decide")
    print(f"last decision: {found.last}")
    print(f"rules nearby:  {'; '.join(found.rules)}")
    if found.fault:
        print(f"fault:         {found.fault}")
    if found.events:
        print("events before it, as the reference engine tells them:")
        for event in found.events:
            print("  " + json.dumps(event))
    for path, kernel, reference in found.fields:
        print(f"  {path.lstrip('.')}: kernel {kernel!r}, reference {reference!r}")
    for name, legal in (("kernel", found.only_kernel), ("reference", found.only_reference)):
        for words in legal:
            print(f"  legal for the {name} only: {words}")
    if found.views:
        for name, view in zip(("kernel", "reference"), found.views, strict=True):
            print(f"whole view of the {name}: {json.dumps(view)}")
    print(f"repeat        {command}")


def _json(report: Report, seed: int, fuzz: bool, repeat: Any) -> dict[str, Any]:
    found = report.difference
    difference = None
    if found:
        difference = {
            "game": found.game, "played_by": found.by, "decision": found.decision, "seat": found.seat, "last": found.last,
            "rules": found.rules, "fault": found.fault,
            "fields": [{"path": path.lstrip("."), "kernel": kernel, "reference": reference} for path, kernel, reference in found.fields],
            "legal_for_kernel_only": found.only_kernel, "legal_for_reference_only": found.only_reference,
            "views": dict(zip(("kernel", "reference"), found.views, strict=True)) if found.views else None,
            "events": found.events, "repeat": repeat(found.game, 1),
        }  # fmt: skip
    rows = {} if fuzz else {"rows_not_reached": report.rows_unreached}
    return {
        "schema": 1,
        "seed": seed,
        "fuzz": fuzz,
        "games": report.games,
        "games_by_bots": report.by_bots,
        "decisions": report.decisions,
        "identical": found is None,
        "coverage": report.coverage.table(),
        "not_reached": report.coverage.unreached(),
        **rows,
        "difference": difference,
    }
