"""Playing into a run folder, with what is said on the way: for verbs whose runs can be stopped and resumed."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bhsim.cli import playing as p
from bhsim.cli.stopping import exit_code
from bhsim.errors import BadInput, Unusable

if TYPE_CHECKING:
    from bhsim.lab.contest import Contest
    from bhsim.lab.executors import Executor
    from bhsim.lab.store import Folder

PATIENCE = 2.0  # seconds without a word


@contextmanager
def stoppable(how_to_go_on: Callable[[], str]) -> Iterator[None]:
    """When what is done inside is stopped, says how to go on, and ends with the exit code of the stop.

    A stored file that cannot be used stops nothing: the error itself says what to do, and going on at once would not help.
    """
    try:
        yield
    except Unusable:
        raise
    except (KeyboardInterrupt, BadInput) as stop:
        p.say(how_to_go_on())
        if isinstance(stop, BadInput):  # the disk is full, the cluster is lost
            raise
        raise typer.Exit(exit_code(stop)) from None


def how_to_go_on(command: str, out: Path | None) -> str:
    """What a stopped search may say. out: where it is kept, None if it is not."""
    if out is None:
        return "stopped; without --out nothing is kept"
    return f"stopped; what was played is kept. To go on:\n  {command} --out {shlex.quote(str(out))} --resume"


@contextmanager
def slowly(text: str) -> Iterator[None]:
    """Says the text on stderr once what is done inside turns out to take its time."""
    timer = threading.Timer(PATIENCE, p.say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def stage(text: str, games: int) -> Iterator[Callable[[int], None]]:
    """Says what is done, if it takes its time, and shows how far it is (``lab.carry.Stage``)."""
    with slowly(f"{text} ..."), p.progress_of_most(games) as shown:
        yield shown.add


def opened(out: Path | None, manifest: dict[str, Any], contests: Sequence[Contest], force: bool, resume: bool) -> Folder:
    """A new run folder, or the one there to go on with; without ``out`` the run is kept in memory alone."""
    from bhsim.lab import store
    from bhsim.lab.memory import Kept

    if out is None:
        return Kept(manifest, contests)
    with p.as_options("out"):
        return store.resume(out, manifest, contests) if resume else store.create(out, manifest, contests, force)


def play_into(
    out: Path,
    manifest: dict[str, Any],
    contests: Sequence[Contest],
    force: bool,
    resume: bool,
    workers: Executor,
    block: int | None,
    again: str,
) -> Folder:
    """Makes a run folder, or resumes the one there, plays what it lacks and closes it. again: the command that goes on after a stop."""
    with opened(out, manifest, contests, force, resume) as folder:
        _play_missing(folder, manifest["seed"], workers, block, again)
    return folder


def _play_missing(folder: Folder, seed: int, workers: Executor, block: int | None, again: str) -> None:
    from bhsim.lab import carry

    missing = folder.missing()
    if missing and folder.finished():
        p.say(f"{len(folder.finished())} of {len(folder.contests)} contests are finished already")

    def done() -> str:
        return f"stopped: {len(folder.finished())} of {len(folder.contests)} contests are finished and kept. To go on:\n  {again}"

    with stoppable(done):
        if missing:
            p.ready(folder.game, workers)
        left = folder.games_left()
        with p.progress(left) as advance, ExitStack() as ending:

            def played(games: int) -> None:
                nonlocal left
                left -= games
                advance(games)
                if left == 0:
                    ending.enter_context(slowly("all games are played; writing the tables ..."))

            carry.run(folder, seed, block=block, progress=played, executor=workers)
