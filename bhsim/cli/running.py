"""Playing into a run folder, with what is said on the way: for verbs whose runs can be stopped and resumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput

if TYPE_CHECKING:
    from bhsim.lab.contest import Contest
    from bhsim.lab.executors import Executor
    from bhsim.lab.store import Folder

INTERRUPTED = 130


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
    from bhsim.lab import store

    with p.as_options("out"):
        folder = store.resume(out, manifest, contests) if resume else store.create(out, manifest, contests, force)
    _play_missing(folder, manifest["seed"], workers, block, again)
    return folder


def _play_missing(folder: Folder, seed: int, workers: Executor, block: int | None, again: str) -> None:
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
