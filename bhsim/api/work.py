"""Carrying out what was asked: on threads or a cluster, in memory or, where ``out`` is given, into a run folder."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bhsim.api.asking import Named, name_of
from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game
from bhsim.lab import carry, store
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Executor, open_executor
from bhsim.lab.memory import Kept
from bhsim.lab.runs import check_work
from bhsim.lab.store import Folder

log = logging.getLogger("bhsim")


@dataclass(frozen=True)
class Work:
    """Who plays: threads here, or a Dask cluster. Results do not depend on it."""

    threads: int | None
    executor: str
    scheduler: str | None

    @contextmanager
    def workers(self, game: Game) -> Iterator[Executor]:
        """The executor for the time of a ``with``, its kernels compiled; BadInput for what cannot be."""
        check_work(self.threads, None)
        with open_executor(self.executor, game, self.threads, self.scheduler) as executor:
            _ready(game, executor)
            yield executor


@dataclass(frozen=True)
class Place:
    """Where a run is kept: in memory, or in a folder; force: an old one is replaced; resume: it goes on."""

    out: Named | None = None
    force: bool = False
    resume: bool = False

    @property
    def path(self) -> Path | None:
        """The folder."""
        return None if self.out is None else Path(name_of(self.out, "out"))

    def opened(self, manifest: dict[str, Any], contests: Sequence[Contest]) -> Folder:
        """The run, about to begin or to go on; BadInput when the place does not allow it."""
        if self.resume and (self.force or self.path is None):
            raise BadInput(Fault("goes on with the folder of out", field="resume", value=True, allowed="with out, and without force"))
        if self.path is None:
            return Kept(manifest, contests)
        return store.resume(self.path, manifest, contests) if self.resume else store.create(self.path, manifest, contests, self.force)


def carry_out(manifest: dict[str, Any], contests: Sequence[Contest], work: Work, place: Place) -> Folder:
    """Plays a run and keeps it where it belongs."""
    with work.workers(contests[0].game) as executor:
        folder = place.opened(manifest, contests)
        carry.run(folder, manifest["seed"], executor=executor)
    return folder


def _ready(game: Game, executor: Executor) -> None:
    """Has the kernels compiled, and says so, since it takes a minute."""
    if executor.remote or game.is_warm():
        return
    log.warning("compiling the kernels, once for each version of the engine ...")
    started = time.perf_counter()
    game.warmup()
    log.warning("compiled in %.1f s", time.perf_counter() - started)
