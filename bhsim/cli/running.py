"""Playing what a run folder lacks, with what is said on the way: for verbs whose runs can be stopped and resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput

if TYPE_CHECKING:
    from bhsim.lab.executors import Executor
    from bhsim.lab.store import Folder

INTERRUPTED = 130


def play_missing(folder: Folder, seed: int, workers: Executor, block: int | None, again: str) -> None:
    """Plays the missing units of a folder and closes it. again: the command that goes on after a stop."""
    from bhsim.lab import carry

    missing = folder.missing()
    if missing and folder.finished():
        p.say(f"{len(folder.finished())} of {len(folder.contests)} contests are finished already")
    if missing:
        p.ready(folder.game, workers)
    try:
        with p.progress(folder.games_left()) as advance:
            carry.run(folder, seed, block=block, progress=advance, executor=workers)
    except (KeyboardInterrupt, BadInput) as stop:
        p.say(f"stopped: {len(folder.finished())} of {len(folder.contests)} contests are finished and kept. To go on:\n  {again}")
        if isinstance(stop, BadInput):  # the disk is full, the cluster is lost
            raise
        raise typer.Exit(INTERRUPTED) from None
