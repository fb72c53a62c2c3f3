"""Carrying out a run into its folder: only what is missing is played, and what is finished is kept when it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime

from bhsim.lab.derive import derived_tables
from bhsim.lab.executors import Executor
from bhsim.lab.runs import Counts, UnitResult, default_threads, play_units
from bhsim.lab.store import Folder

Progress = Callable[[int], None]  # called with the games just finished
Stage = Callable[[str, int], AbstractContextManager[Progress]]  # what is done, and its games at most


def silent(text: str, games: int) -> AbstractContextManager[Progress]:
    """A stage that nobody is told of."""
    return nullcontext(lambda count: None)


def run(
    folder: Folder,
    seed: int,
    threads: int | None = None,
    block: int | None = None,
    progress: Progress | None = None,
    sink: Callable[[UnitResult], None] | None = None,
    rows: bool = False,
    executor: Executor | None = None,
) -> float:
    """Plays the missing units, stores each as it finishes and writes the tables; returns the seconds it took.

    sink: gets every finished unit too, with a row for each game if ``rows``. executor: see ``play_units``.
    KeyboardInterrupt and errors leave a folder whose finished contests can be read and that ``store.resume`` goes on with.
    """
    started = time.perf_counter()
    with opened(folder, seed, threads, block, sink, rows, executor) as play:
        play(progress)
    return time.perf_counter() - started


@contextmanager
def opened(
    folder: Folder,
    seed: int,
    threads: int | None = None,
    block: int | None = None,
    sink: Callable[[UnitResult], None] | None = None,
    rows: bool = False,
    executor: Executor | None = None,
) -> Iterator[Callable[[Progress | None], None]]:
    """The same for a run that goes on in steps (``Folder.extend``): gives what plays the missing units, to be called with each step.

    The folder is closed when the ``with`` ends, whatever ends it.
    """
    begun, clock = datetime.now(UTC), time.perf_counter()
    games, whole = 0, False

    def play(progress: Progress | None) -> None:
        nonlocal games
        while units := folder.missing():  # again and again, where games so far decide whether there are more
            for done in play_units(units, seed, threads, block, progress, rows, executor):
                Counts.empty(done.unit.contest).add(done.tally, done.outcomes)  # an engine fault must not be stored
                folder.write_unit(done)
                if sink:
                    sink(done)
                games += len(done.outcomes)

    try:
        yield play
        whole = True
    finally:
        seconds = time.perf_counter() - clock
        times = {
            "started": begun.isoformat(timespec="seconds"),
            "seconds": round(seconds, 3),
            "games_played": games,
            "games_per_second": round(games / seconds, 1) if seconds else 0.0,
            "threads": executor.workers if executor else threads or default_threads(),
        }
        folder.close(times, derived_tables, stopped=not whole)
