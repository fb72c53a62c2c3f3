"""``bhsim replay``: one game of a match-up or of a stored run, told turn by turn."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput, Fault
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.games.game import Options
    from bhsim.games.seats import Seating
    from bhsim.lab.contest import Contest
    from bhsim.lab.store import Folder

MAX_INDEX = 2_000_000_000


class Boards(enum.StrEnum):
    """When the board is drawn (``bhsim.games.replay.BOARDS``)."""

    round = "round"
    turn = "turn"
    none = "none"


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("replay")(replay)


def replay(
    crew_a: Annotated[
        str | None, typer.Argument(help="First crew (name or path; none in a game of bots), or a run folder.", metavar="CREW_A|RUN")
    ] = None,
    crew_b: Annotated[str | None, typer.Argument(help="Second crew; not with a run folder.", metavar="CREW_B")] = None,
    index: Annotated[
        int, typer.Option("--index", help="Number of the game, from 0: key I // n, seating I % n, of n seatings.", metavar="I")
    ] = 0,
    contest: Annotated[int | None, typer.Option("--contest", help="Number of the contest in a run folder.", metavar="C")] = None,
    events: Annotated[Path | None, typer.Option("--events", help="Write the event log (JSON Lines).", metavar="FILE")] = None,
    position: Annotated[Path | None, typer.Option("--position", help="Write the position at decision N.", metavar="FILE")] = None,
    at: Annotated[int | None, typer.Option("--at", help="Decisions taken before that position.", metavar="N")] = None,
    boards: Annotated[Boards, typer.Option("--boards", help="When to draw the board; a turn of tricks is a trick.")] = Boards.round,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files.")] = False,
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
    seed: Annotated[int | None, typer.Option("--seed", help="Root of all luck (1, or the run's).", metavar="N")] = None,
) -> None:
    """Replay one game as a story: who did what, and how the board looked."""
    if not 0 <= index < MAX_INDEX:
        raise BadInput(Fault("out of range", field="--index", value=index, allowed=f"0 to {MAX_INDEX - 1}"))
    if (position is None) != (at is None) or (at is not None and at < 0):
        raise BadInput(Fault("--position FILE and --at N belong together", field="--at", value=at, allowed="0 or more, with --position"))
    from bhsim.games.game import Options
    from bhsim.inputs.output import refuse_existing

    refuse_existing([file for file in (events, position) if file], force)
    folder = None
    if crew_a is not None and crew_b is None:
        given = {
            "--game": game, "--cardset": cardset, "--board": board, "--rules": rules, "--variant": variant, "--set": set_,
            "--players": players, "--deck": deck, "--bots": bots, "--deck-a": deck_a, "--deck-b": deck_b, "--bot-a": bot_a,
            "--bot-b": bot_b, "--seed": seed,
        }  # fmt: skip
        folder, match_up, root = _of_run(Path(crew_a), contest, index, given)
    elif contest is not None:
        raise BadInput(Fault("belongs to a run folder", field="--contest", allowed="leave it out, or name a run alone"))
    else:
        root = p.checked_seed(defaults.SEED if seed is None else seed)
        seating = p.seating_of((crew_a, crew_b), players, deck, bots, (deck_a, deck_b), (bot_a, bot_b))
        match_up = _of_table(game, seating, Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    if position and match_up.game.name != "skirmish":
        raise BadInput(Fault("only games of skirmish have positions", field="--position", value=str(position), allowed="leave it out"))
    p.ready(match_up.game)
    if position:
        _write_position(match_up, root, index, at, position, force)
    _tell(match_up, root, index, folder, events, force, boards)


def _of_table(game: str | None, seating: Seating, options: Options) -> Contest:
    """The contest of those who were named; of how many games does not matter."""
    from bhsim.lab.contest import build

    found, options = p.game_for(game, seating, options)
    with p.as_options("players"):
        return build(found, options, seating.sides(found), 1)


def _of_run(path: Path, number: int | None, index: int, given: dict[str, Any]) -> tuple[Folder, Contest, int]:
    """A contest of a run; everything comes from its manifest, so nothing else may be said."""
    from bhsim.lab.store import MANIFEST, open_folder

    if not (path / MANIFEST).is_file():
        raise BadInput(Fault("neither a run folder nor two crews", field="CREW_A", value=str(path), allowed="two crews, or a run folder"))
    folder = open_folder(path)
    if given["--game"] == folder.game.name:  # says nothing else
        given = {**given, "--game": None}
    surplus = [name for name, value in given.items() if value is not None and value != []]
    if surplus:
        raise BadInput(*(Fault("a run has its own", field=name, allowed="leave it out") for name in surplus))
    found = contest_of(folder, number)
    if index >= found.games:
        raise BadInput(Fault("the contest has no such game", field="--index", value=index, allowed=f"0 to {found.games - 1}"))
    return folder, found, folder.manifest["seed"]


def contest_of(folder: Folder, number: int | None) -> Contest:
    """The contest of a run with this number; of a run with a single one it may be left out."""
    numbers = [c.number for c in folder.contests]
    if number is None and len(numbers) == 1:
        return folder.contests[0]
    for found in folder.contests:
        if found.number == number:
            return found
    if not numbers:
        raise BadInput(Fault("holds no contest", file=str(folder.path)))
    message = "which contest of the run?" if number is None else "the run has no such contest"
    raise BadInput(Fault(message, field="--contest", value=number, allowed=f"{min(numbers)} to {max(numbers)}"))


def _write_position(match_up: Contest, root: int, index: int, at: int, file: Path, force: bool) -> None:
    from bhsim.games.skirmish.placing import position_at
    from bhsim.games.skirmish.positions import to_toml
    from bhsim.games.skirmish.replays import match_of
    from bhsim.inputs.output import write_text

    write_text(file, to_toml(position_at(match_of(match_up.bundle, match_up.sides), root, index, at)), force)
    p.say(f"position at decision {at} written to {file}")


def _tell(match_up: Contest, root: int, index: int, folder: Folder | None, file: Path | None, force: bool, boards: Boards) -> None:
    from bhsim.games.replay import to_jsonl
    from bhsim.inputs.output import write_text

    told = match_up.game.replay(match_up.bundle, match_up.sides, root, index)
    if folder:
        _check_outcome(folder, match_up, index, told.outcome)
    if file:
        write_text(file, to_jsonl(told.events), force)
    for line in told.story(boards.value):
        print(line)
    if file:
        p.say(f"{len(told.events)} events written to {file}")


def _check_outcome(folder: Folder, match_up: Contest, index: int, outcome: tuple[int, int]) -> None:
    """The replayed game must have ended as the run noted it; BadInput if an engine since changed plays another one."""
    from bhsim.lab.results import engine_label
    from bhsim.lab.runs import units_of

    unit = next(u for u in units_of([match_up]) if u.first_key <= index // match_up.seatings < u.first_key + u.keys)
    if not folder.unit_path(unit).exists():
        p.say("the run was stopped before it came to this game, so its outcome cannot be compared")
        return
    mask, margin = folder.read_unit(unit)[1][index - unit.first_key * match_up.seatings]
    if outcome == (int(mask), int(margin.astype("int8"))):
        return
    engines = f"the run's engine is {folder.manifest['engine']}, this one {engine_label(match_up.game)}"
    raise BadInput(Fault(f"this engine plays game {index} to another end than the run did ({engines})", file=str(folder.path)))
