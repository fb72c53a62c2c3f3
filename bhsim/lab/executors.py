"""Where blocks are played: on threads of this process, or on the workers of a Dask cluster (``cluster``).

An executor is handed blocks and gives back what will become their results; it decides neither which blocks there are nor what is made
of them, so the same units come out whatever plays them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game
from bhsim.lab.contest import Contest

BLOCK_KEYS = 512  # keys per block on threads: some tenths of a second, so that a stop is quick and the last blocks end together
KINDS = ("local", "dask")

Played = tuple[np.ndarray, np.ndarray, np.ndarray]  # tally, outcomes and rows of a block, as in ``runs.UnitResult``


class Pending(Protocol):
    """A block that was handed in."""

    def result(self) -> Played:
        """Waits for it. Raises what playing it raised."""

    def cancel(self) -> object:
        """Gives it up, if it has not begun."""


class Executor(Protocol):
    """Something that plays blocks."""

    block: int  # keys per block, if nobody says otherwise
    remote: bool  # whether the kernels are compiled on other machines than this

    @property
    def workers(self) -> int:
        """How many blocks are played at once, at least 1; may change while it runs."""

    def submit(self, contest: Contest, root: int, first: int, keys: int, rows: bool) -> Pending:
        """Hands in a block: ``keys`` keys from ``first`` on. rows: whether each game's numbers are wanted, too."""

    def close(self) -> None:
        """Gives up what has not begun, waits for what has, and lets go of threads and processes."""


def default_threads() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Recent:
    """The last few things made, by the identity of what they were made from: blocks of a few contests take turns."""

    def __init__(self, size: int = 4) -> None:
        self._kept: deque[tuple[Any, Any]] = deque(maxlen=size)

    def get(self, source: Any, make: Callable[[], Any]) -> Any:
        """What was made from ``source``, or is made now."""
        for kept, made in self._kept:
            if kept is source:
                return made
        made = make()
        self._kept.append((source, made))
        return made


class Threads:
    """Blocks on threads of this process. The kernels hold no lock of Python's, so threads are as good as processes."""

    block = BLOCK_KEYS
    remote = False

    def __init__(self, threads: int | None = None) -> None:
        self.workers = default_threads() if threads is None else threads
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="bhsim")
        self._tables, self._sides = Recent(), Recent()

    def submit(self, contest: Contest, root: int, first: int, keys: int, rows: bool) -> Future[Played]:
        """See ``Executor``; compiles the tables here and now, while the blocks handed in before are being played."""
        game, bundle = contest.game, contest.bundle
        tables = self._tables.get(bundle, lambda: game.compile(bundle))
        sides = self._sides.get(contest, lambda: game.pack(tables, bundle, contest.sides))
        return self._pool.submit(play_block, game, tables, sides, contest.seatings, root, first, keys, rows)

    def close(self) -> None:
        """See ``Executor``."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def play_block(game: Game, tables: Any, sides: Any, seatings: int, root: int, first: int, keys: int, rows: bool) -> Played:
    """Plays a block with a game's own tables and sides. seatings: games per key."""
    tally = np.zeros(1, game.tally)
    outcomes = np.zeros((keys * seatings, 2), np.uint8)
    numbers = np.zeros((keys * seatings if rows else 0, len(game.row_fields)), np.int64)
    game.play_block(tables, sides, root, first, keys, tally, outcomes, numbers)
    return tally, outcomes, numbers


def check_executor(kind: str, scheduler: str | None) -> None:
    """BadInput for an executor that there is not, or a scheduler that nobody asks."""
    if kind not in KINDS:
        raise BadInput(Fault("no such executor", field="executor", value=kind, allowed=", ".join(KINDS)))
    if kind == "local" and scheduler is not None:
        raise BadInput(Fault("goes with the executor dask only", field="scheduler", value=scheduler))


@contextmanager
def open_executor(kind: str, game: Game, threads: int | None = None, scheduler: str | None = None) -> Iterator[Executor]:
    """An executor for the time of a ``with``. kind: one of ``KINDS``. game: what its workers must know in this very version.

    threads: threads, or worker processes that are started here for "dask"; None for all cores. scheduler: address of a Dask scheduler
    whose workers do the work instead. BadInput when ``check_executor`` objects, Dask is missing, or the cluster does not answer or fit.
    """
    check_executor(kind, scheduler)
    executor: Executor
    if kind == "local":
        executor = Threads(threads)
    else:
        from bhsim.lab.cluster import open_cluster

        executor = open_cluster(game, default_threads() if threads is None else threads, scheduler)
    try:
        yield executor
    finally:
        executor.close()
