"""What every verb that plays shares: its options, progress on stderr, the note about compiling, the command to repeat."""

from __future__ import annotations

import enum
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli.options import Format, FormatOption, SetOption, VariantOption
from bhsim.errors import BadInput, Fault
from bhsim.games.usual import game_words
from bhsim.inputs.command import command_line

if TYPE_CHECKING:
    from bhsim.games.game import Game, Options
    from bhsim.games.seats import Seating
    from bhsim.lab.executors import Executor

MAX_SEED = (1 << 63) - 1
QUIET_SECONDS = 1.0  # a run shorter than this shows no progress
LINE_SECONDS = 10.0  # between plain lines, where there is no terminal


GameOption = Annotated[str, typer.Option("--game", help="Which game.", metavar="GAME")]
PlayedGameOption = Annotated[
    str | None, typer.Option("--game", help="Which game; by default the one that has the files named, first skirmish.", metavar="GAME")
]
CardsetOption = Annotated[str | None, typer.Option("--cardset", help="Card set: name or path.", metavar="NAME")]
BoardOption = Annotated[str | None, typer.Option("--board", help="Board: name or path.", metavar="NAME")]
RulesOption = Annotated[str | None, typer.Option("--rules", help="Rules: name or path.", metavar="NAME")]
PlayersOption = Annotated[
    int | None, typer.Option("--players", help="Players; by default as many as crews or bots, else the game's usual number.", metavar="N")
]
DeckOption = Annotated[str | None, typer.Option("--deck", help="Deck of all sides.", metavar="NAME")]
BotsOption = Annotated[
    str | None,
    typer.Option("--bots", help="Bots of the sides, repeated or cut to the number of players.", metavar="A,B.."),
]
DeckAOption = Annotated[str | None, typer.Option("--deck-a", help="Deck of the first side.", metavar="NAME")]
DeckBOption = Annotated[str | None, typer.Option("--deck-b", help="Deck of the second side.", metavar="NAME")]
BotAOption = Annotated[str | None, typer.Option("--bot-a", help="Bot of the first side.", metavar="NAME")]
BotBOption = Annotated[str | None, typer.Option("--bot-b", help="Bot of the second side.", metavar="NAME")]
GamesOption = Annotated[int, typer.Option("--games", help="Games, rounded up to whole keys: each is played in all seatings.", metavar="N")]
SeedOption = Annotated[int, typer.Option("--seed", help="Root of all luck.", metavar="N")]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", help="Threads; all cores by default. Results do not depend on it.", metavar="N")
]
BlockOption = Annotated[int | None, typer.Option("--block", help="Keys per block of work. Results do not depend on it.", metavar="KEYS")]


class Where(enum.StrEnum):
    """What plays the games."""

    local = "local"
    dask = "dask"


ExecutorOption = Annotated[
    Where, typer.Option("--executor", help="Threads here, or a Dask cluster (docs/cluster.md). Results do not depend on it.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", help="Dask scheduler to use; without it, dask starts processes here.", metavar="ADDRESS"),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing run folder.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with a stopped run.")]


# beside what is defined here: verbs that play take all from one place
__all__ = ["Format", "FormatOption", "SetOption", "VariantOption", "command_line"]


def names_in(text: str | None, option: str) -> list[str]:
    """The names of a list with commas; none for None. BadInput for an empty one."""
    names = [name.strip() for name in text.split(",")] if text is not None else []
    if not all(names):
        raise BadInput(Fault("holds an empty name", field=option, value=text, allowed="names with commas between"))
    return names


def seating_of(crews: Sequence[str | None], players: int | None, deck: str | None, bots: str | None, *own: Sequence[str | None]) -> Seating:
    """The table that options ask for. own: decks, then bots, of the first two sides."""
    from bhsim.games.seats import Seating

    named = tuple(crew for crew in crews if crew is not None)
    return Seating(named, players, deck, tuple(names_in(bots, "--bots")), *map(tuple, own))


def game_for(game: str | None, seating: Seating, options: Options) -> tuple[Game, Options]:
    """The game that is asked for, or that the names belong to, and its options with the table's deck."""
    from bhsim.games.game import find
    from bhsim.games.seats import game_of_names

    with as_options("game"):
        found = find(game or game_of_names(seating, options))
    return found, replace(options, deck=seating.table_deck(found))


def match_options(game: Game, data: Options, seating: Seating) -> list[tuple[str, Any]]:
    """The options of a match-up as they were given, for ``command_line``; the usual game goes without saying."""
    return [
        game_words(game.name), ("--cardset", data.cardset), ("--board", data.board),
        ("--rules", data.rules), ("--variant", data.variants), ("--set", data.sets), *seating.words,
    ]  # fmt: skip


def say(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr, flush=True)


def checked_seed(seed: int) -> int:
    """The seed, if it fits; BadInput else."""
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(Fault("out of range", field="--seed", value=seed, allowed=f"0 to {MAX_SEED}"))
    return seed


def check_numbers(games: int | None, seed: int | None, threads: int | None, block: int | None) -> None:
    """BadInput that lists every number of a run that is out of range; None stands for a default, which never is."""
    from bhsim.lab.contest import keys_for
    from bhsim.lab.runs import check_work

    faults: list[Fault] = []
    checks = (
        lambda: games is None or keys_for(games, 1), lambda: seed is None or checked_seed(seed), lambda: check_work(threads, block),
    )  # fmt: skip
    for check in checks:
        try:
            with as_options("games", "threads", "block"):
                check()
        except BadInput as error:
            faults += error.faults
    if faults:
        raise BadInput(*faults)


def check_once(force: bool, resume: bool) -> None:
    """BadInput for --force and --resume together."""
    if force and resume:
        raise BadInput(Fault("--force starts afresh and --resume goes on: give one of them"))


def check_place(out: Path | None, force: bool, resume: bool) -> None:
    """BadInput for --resume and --force without a folder, and for both together."""
    if resume and (force or not out):
        raise BadInput(Fault("--resume goes on with the folder of --out", allowed="--out DIR, and no --force"))
    check_force(force, "--out", out)


def check_force(force: bool, options: str, *places: Path | None) -> None:
    """BadInput for --force where nothing is written that it could replace. options: those that would name a place."""
    if force and not any(places):
        raise BadInput(Fault("replaces what is there already, but nothing is written", field="--force", allowed=f"with {options}"))


@contextmanager
def as_options(*names: str):
    """Faults of these fields came from options: they get the option's name."""
    try:
        yield
    except BadInput as error:
        raise BadInput(*(replace(f, field=f"--{f.field}") if f.field in names and not f.file else f for f in error.faults)) from None


def checked_target(path: Path, option: str, force: bool, run: Path | None = None) -> None:
    """BadInput when a file cannot be written there: better before an hour of play than after it.

    run: the folder of the run, which belongs to the run alone.
    """
    from bhsim.inputs.output import refuse_existing, target_of

    refuse_existing([path], force)
    place = target_of(path)
    if not place.parent.is_dir() or not os.access(place if place.exists() else place.parent, os.W_OK):
        raise BadInput(Fault("cannot write there", field=option, value=str(path), allowed="a file in a folder that exists and is writable"))
    if run and place.is_relative_to(run.resolve()):
        raise BadInput(Fault("lies inside the run folder", field=option, value=str(path), allowed="a file outside of --out"))


@contextmanager
def workers(game: Game, where: Where, threads: int | None, scheduler: str | None) -> Iterator[Executor]:
    """The executor that --executor, --threads and --scheduler ask for; what it makes of them gets the options' names."""
    from bhsim.lab.executors import open_executor

    with as_options("executor", "scheduler"), open_executor(where.value, game, threads, scheduler) as executor:
        yield executor


def ready(game: Game, executor: Executor | None = None) -> None:
    """Has the kernels compiled where this process plays or shares its cache, and says so when that takes a while."""
    if game.is_warm() or (executor is not None and executor.remote):
        return
    say("compiling the kernels (once for each version of the engine; `bhsim warmup` does it ahead) ...")
    started = time.perf_counter()
    game.warmup()
    say(f"compiled in {time.perf_counter() - started:.1f} s")


@contextmanager
def progress(total: int):
    """Gives a function that takes the number of games just finished; shows a bar on a terminal, plain lines elsewhere."""
    with progress_of_most(total) as shown:
        yield shown.add


@contextmanager
def progress_of_most(total: int):
    """The same for a run that may need fewer games: gives an object with ``add(games)`` and ``spare(games)``, for those not needed."""
    shown = _Bar(total) if sys.stderr.isatty() else _Lines(total)
    try:
        yield shown
    finally:
        shown.close()


class _Lines:
    """A line now and then."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.started = self.last = time.perf_counter()

    def add(self, games: int) -> None:
        self.done += games
        now = time.perf_counter()
        if now - self.last >= LINE_SECONDS and self.done < self.total:
            self.last = now
            say(f"{self.done:,} of {self.total:,} games, {self.done / (now - self.started):,.0f} games/s")

    def spare(self, games: int) -> None:
        self.total -= games

    def close(self) -> None:
        """Nothing to tidy: lines stay."""


class _Bar:
    """A bar that appears only once the run turns out to be long."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.started = time.perf_counter()
        self.bar: Any = None
        self.task: Any = None

    def add(self, games: int) -> None:
        self.done += games
        if self.bar is None and time.perf_counter() - self.started > QUIET_SECONDS and self.done < self.total:
            self._open()
        if self.bar is not None:
            speed = self.done / (time.perf_counter() - self.started)
            self.bar.update(self.task, completed=self.done, speed=f"{speed:,.0f} games/s")

    def spare(self, games: int) -> None:
        self.total -= games
        if self.bar is not None:
            self.bar.update(self.task, total=self.total)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = [BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[speed]}"), TimeRemainingColumn()]
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task("", total=self.total, speed="")
        self.bar.start()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
