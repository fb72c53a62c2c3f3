"""Playing contests: blocks of keys under a thread pool, merged exactly and in key order.

The bytes that come out depend on neither threads nor block size. Between blocks Python is in charge, so Ctrl-C stops a run after the
blocks that are being played, and nothing but a small window of blocks is ever held in memory.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import WHOLE, shares
from bhsim.lab.contest import Contest

UNIT_KEYS = 65_536  # keys per stored unit: fixed, so that files do not depend on --block
BLOCK_KEYS = 512  # keys per block: some tens of milliseconds
MAX_THREADS = 256


class EngineFault(RuntimeError):
    """The engine ended a game by a fault of its own: a bug, never a result."""


@dataclass(frozen=True)
class Unit:
    """What is stored and resumed: consecutive keys of one contest."""

    contest: Contest
    part: int
    first_key: int
    keys: int

    @property
    def name(self) -> str:
        """File name without ending."""
        return f"c{self.contest.number:05d}-u{self.part:05d}"


@dataclass(frozen=True)
class UnitResult:
    """tally: shape (1,). outcomes: uint8, shape (seatings * keys, 2), games of a key together, keys ascending.

    rows: int64, shape (seatings * keys, len(game.row_fields)), or length 0 when they were not asked for.
    """

    unit: Unit
    tally: np.ndarray
    outcomes: np.ndarray
    rows: np.ndarray


@dataclass
class Counts:
    """All that is kept of a contest in memory: its tally and, per side, games and keys by score in 60ths.

    games: shape (players, 61). keys: shape (players, 60 * seatings + 1), by the sum over a key's games.
    """

    contest: Contest
    tally: np.ndarray
    games: np.ndarray
    keys: np.ndarray

    @classmethod
    def empty(cls, contest: Contest) -> Counts:
        """Nothing counted yet."""
        players = len(contest.sides)
        tally = np.zeros(1, contest.game.tally)
        return cls(contest, tally, np.zeros((players, WHOLE + 1), np.int64), np.zeros((players, WHOLE * contest.seatings + 1), np.int64))

    def add(self, tally: np.ndarray, outcomes: np.ndarray) -> None:
        """Adds a unit, exactly and in any order. Raises EngineFault if a game of it failed."""
        failed = self.contest.game.faults_of(tally)
        if failed:
            raise EngineFault(
                f"{failed} of the games of {self.contest.label} ended by a fault of the engine; please report it with this command"
            )
        merge(self.tally, tally)
        scores = shares(outcomes[:, 0], len(self.contest.sides))
        sums = scores.reshape(-1, self.contest.seatings, scores.shape[1]).sum(axis=1)
        for side in range(scores.shape[1]):
            self.games[side] += np.bincount(scores[:, side], minlength=self.games.shape[1])
            self.keys[side] += np.bincount(sums[:, side], minlength=self.keys.shape[1])


def merge(into: np.ndarray, other: np.ndarray) -> None:
    """Adds every counter of ``other`` to ``into``; both shape (1,) of the same dtype."""
    for name in into.dtype.names:
        into[name] += other[name]


def units_of(contests: Iterable[Contest]) -> Iterator[Unit]:
    """Units of the contests in order."""
    for contest in contests:
        for part, first in enumerate(range(0, contest.keys, UNIT_KEYS)):
            yield Unit(contest, part, first, min(UNIT_KEYS, contest.keys - first))


def default_threads() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_work(threads: int | None, block: int | None) -> None:
    """BadInput for a number of threads or keys per block that cannot be; None (the default) always can."""
    faults = []
    if threads is not None and not 1 <= threads <= MAX_THREADS:
        faults.append(Fault("out of range", field="threads", value=threads, allowed=f"1 to {MAX_THREADS}"))
    if block is not None and not 1 <= block <= UNIT_KEYS:
        faults.append(Fault("out of range", field="block", value=block, allowed=f"1 to {UNIT_KEYS}"))
    if faults:
        raise BadInput(*faults)


def play_units(
    units: Iterable[Unit],
    root: int,
    threads: int | None = None,
    block: int | None = None,
    progress: Callable[[int], None] | None = None,
    rows: bool = False,
) -> Iterator[UnitResult]:
    """Plays units and yields them finished, in order.

    root: the run's seed. threads, block (keys): None for the defaults. progress: called with the number of games just finished.
    rows: whether each game's numbers are wanted, too.
    KeyboardInterrupt and errors of a block are raised after the running blocks have ended.
    """
    check_work(threads, block)
    threads = default_threads() if threads is None else threads
    block = BLOCK_KEYS if block is None else block
    window: deque[tuple[Unit, int, Future]] = deque()
    waiting = _blocks(units, block)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="bhsim")
    pending: _Pending | None = None
    try:
        while True:
            while len(window) < 2 * threads and (job := next(waiting, None)) is not None:
                unit, ready, first, keys = job
                window.append((unit, first, pool.submit(_play, unit.contest, ready, root, first, keys, rows)))
            if not window:
                return
            unit, first, future = window.popleft()
            tally, outcomes, numbers = future.result()
            if pending is None:
                pending = _Pending(unit, rows)
            pending.add(first, tally, outcomes, numbers)
            if progress:
                progress(len(outcomes))
            if pending.complete:
                done, pending = pending.result(), None
                yield done
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def play(
    contest: Contest,
    root: int,
    threads: int | None = None,
    block: int | None = None,
    progress: Callable[[int], None] | None = None,
    sink: Callable[[UnitResult], None] | None = None,
    rows: bool = False,
) -> Counts:
    """Plays one contest. sink: gets every finished unit, e.g. to write it to disk; without it outcomes are dropped once counted."""
    counts = Counts.empty(contest)
    for done in play_units(units_of([contest]), root, threads, block, progress, rows):
        counts.add(done.tally, done.outcomes)
        if sink:
            sink(done)
    return counts


class _Pending:
    """A unit whose blocks are coming in."""

    def __init__(self, unit: Unit, rows: bool) -> None:
        self.unit = unit
        self.left = unit.keys
        self.tally = np.zeros(1, unit.contest.game.tally)
        self.outcomes = np.zeros((unit.keys * unit.contest.seatings, 2), np.uint8)
        self.rows = blank_rows(unit.contest, unit.keys if rows else 0)

    def add(self, first: int, tally: np.ndarray, outcomes: np.ndarray, rows: np.ndarray) -> None:
        merge(self.tally, tally)
        start = (first - self.unit.first_key) * self.unit.contest.seatings
        self.outcomes[start : start + len(outcomes)] = outcomes
        self.rows[start : start + len(rows)] = rows
        self.left -= len(outcomes) // self.unit.contest.seatings

    @property
    def complete(self) -> bool:
        return self.left == 0

    def result(self) -> UnitResult:
        return UnitResult(self.unit, self.tally, self.outcomes, self.rows)


def _blocks(units: Iterable[Unit], block: int) -> Iterator[tuple[Unit, tuple[Any, np.ndarray], int, int]]:
    """Blocks of all units in order, with the compiled tables; neighbours with the same bundle share them."""
    bundle, tables = None, None
    contest, ready = None, None
    for unit in units:
        if unit.contest is not contest:
            contest = unit.contest
            if tables is None or contest.bundle is not bundle:
                bundle, tables = contest.bundle, contest.game.compile(contest.bundle)
            ready = (tables, contest.game.pack(tables, contest.bundle, contest.sides))
        for first in range(unit.first_key, unit.first_key + unit.keys, block):
            yield unit, ready, first, min(block, unit.first_key + unit.keys - first)


def blank_rows(contest: Contest, keys: int) -> np.ndarray:
    """Rows for the games of so many keys."""
    return np.zeros((keys * contest.seatings, len(contest.game.row_fields)), np.int64)


def _play(contest: Contest, ready: Sequence[Any], root: int, first: int, keys: int, wanted: bool) -> tuple[np.ndarray, ...]:
    tables, sides = ready
    tally = np.zeros(1, contest.game.tally)
    outcomes = np.zeros((keys * contest.seatings, 2), np.uint8)
    rows = blank_rows(contest, keys if wanted else 0)
    contest.game.play_block(tables, sides, root, first, keys, tally, outcomes, rows)
    return tally, outcomes, rows
