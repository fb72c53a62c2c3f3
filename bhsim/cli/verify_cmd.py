"""``bhsim verify``: plays the compiled engine and the plain reference engine side by side and shows the first difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput, Fault

if TYPE_CHECKING:
    from bhsim.games.lockstep import Difference, Report

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
    game: p.GameOption = p.DEFAULT_GAME,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    deck_a: p.DeckAOption = None,
    deck_b: p.DeckBOption = None,
    bot_a: p.BotAOption = None,
    bot_b: p.BotBOption = None,
    games: Annotated[int, typer.Option("--games", help="Games: half played at random, half by bots.", metavar="N")] = DEFAULT_GAMES,
    seed: p.SeedOption = p.DEFAULT_SEED,
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
    from bhsim.games.game import find
    from bhsim.games.lockstep import of_game

    with p.as_options("game"):
        engines = of_game(game)
    given = [
        ("--cardset", cardset), ("--board", board), ("--rules", rules), ("--variant", variant), ("--set", set_), ("--deck-a", deck_a),
        ("--deck-b", deck_b), ("--bot-a", bot_a), ("--bot-b", bot_b),
    ]  # fmt: skip
    found = None
    if fuzz:
        source = _fuzz(engines, seed, [crew_a, position], given)
    elif game != "skirmish":
        source = _default(engines, game, [crew_a, position], given)
    elif position:
        source, found = _placed(position, crew_a, dict(given))
    else:
        source = _named(crew_a, crew_b, seed, dict(given))
    words = ["verify", *(crew for crew in (crew_a, crew_b) if crew), *(["--fuzz"] if fuzz else [])]
    first_options = [("--game", None if game == "skirmish" else game), ("--position", position)]

    def repeat(index: int, number: int) -> str:
        return p.command_line(words, [*first_options, *given, ("--seed", seed), ("--first", index or None), ("--games", number)])

    from bhsim.cli import tables

    p.ready(find(game))
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


def _default(engines: Any, game: str, others: list[Any], given: list[tuple[str, Any]]) -> Any:
    """The game's own bots, for a game whose sides are not crews."""
    _refuse(f"{game} has no such thing", others, [option for option in given if option[0].startswith(("--deck-", "--bot-", "--cardset"))])
    return engines.default_source(_options(dict(given)))


def _refuse(reason: str, others: list[Any], given: list[tuple[str, Any]]) -> None:
    """BadInput for each of these that was given. others: CREW_A and --position."""
    useless = [name for name, value in given if value] + [
        name for name, value in zip(("CREW_A", "--position"), others, strict=True) if value
    ]
    if useless:
        raise BadInput(*(Fault(reason, field=name, allowed="leave it out") for name in useless))


def _placed(file: Path, crew_a: str | None, given: dict[str, Any]) -> Any:
    """The match of a position, which has its own crews and decks, and the position."""
    from bhsim.games.skirmish.files import read_bot
    from bhsim.games.skirmish.game import DEFAULT_BOT, GAME
    from bhsim.games.skirmish.placing import read_placed

    useless = [name for name, value in (("CREW_A", crew_a), ("--deck-a", given["--deck-a"]), ("--deck-b", given["--deck-b"])) if value]
    if useless:
        raise BadInput(*(Fault("a position has its own", field=name, allowed="leave it out") for name in useless))
    bundle = GAME.load(_options(given))
    position, match = read_placed(file, bundle, tuple(read_bot(given[name] or DEFAULT_BOT, bundle) for name in ("--bot-a", "--bot-b")))
    return (lambda index: match), position


def _options(given: dict[str, Any]) -> Any:
    from bhsim.games.game import Options

    return Options(given["--cardset"], given["--board"], given["--rules"], tuple(given["--variant"] or ()), tuple(given["--set"] or ()))


def _named(crew_a: str | None, crew_b: str | None, seed: int, given: dict[str, Any]) -> Any:
    """Two crews, or crews drawn from the card set."""
    from bhsim.games.game import SideNames
    from bhsim.games.skirmish.driver import Match
    from bhsim.games.skirmish.game import DEFAULT_BOT, GAME
    from bhsim.games.skirmish.lockstep import drawn_source

    bundle = GAME.load(_options(given))
    if crew_a is None:
        decks = [name for name in ("--deck-a", "--deck-b") if given[name]]
        if decks:
            raise BadInput(*(Fault("a deck needs two crews", field=name, allowed="name CREW_A and CREW_B") for name in decks))
        return drawn_source(bundle, seed, (given["--bot-a"] or DEFAULT_BOT, given["--bot-b"] or DEFAULT_BOT))
    if crew_b is None:
        raise BadInput(Fault("one crew is not enough", field="CREW_B", allowed="two crews, or none"))
    names = [SideNames(crew_a, given["--deck-a"], given["--bot-a"]), SideNames(crew_b, given["--deck-b"], given["--bot-b"])]
    sides = [GAME.side(bundle, side, number) for number, side in enumerate(names)]
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
