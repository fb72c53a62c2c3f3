"""Playing contests: blocks of keys on an executor, merged exactly and in key order.

The bytes that come out depend on neither executor, threads nor block size. Between blocks Python is in charge, so Ctrl-C stops a run after
the blocks that are being played, and nothing but a small window of blocks is ever held in memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import WHOLE, shares
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Executor, Pending, Threads, default_threads

__all__ = ["Counts", "EngineFault", "Unit", "UnitResult", "check_work", "default_threads", "merge", "play", "play_units", "units_of"]

UNIT_KEYS = 65_536  # keys per stored unit: fixed, so that files do not depend on --block
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
    """Units of the contests in order; none reaches over a look at which its contest may end."""
    for contest in contests:
        part = 0
        for first, end in pairwise((0, *(contest.looks or (contest.keys,)))):
            for start in range(first, end, UNIT_KEYS):
                yield Unit(contest, part, start, min(UNIT_KEYS, end - start))
                part += 1


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
    executor: Executor | None = None,
) -> Iterator[UnitResult]:
    """Plays units and yields them finished, in order.

    root: the run's seed. threads: threads of an executor for this call alone, if none is given. block: most keys of a block. None for the
    defaults. progress: called with the number of games just finished. rows: whether each game's numbers are wanted, too.
    When it is closed early or something is raised (KeyboardInterrupt, the error of a block), blocks that have not begun are given up; an
    executor of its own has ended by then, one that was given plays on what it has begun.
    """
    check_work(threads, block)
    own = Threads(threads) if executor is None else None
    try:
        yield from _played(units, root, executor or own, block, progress, rows)
    finally:
        if own is not None:
            own.close()


def _played(
    units: Iterable[Unit], root: int, executor: Executor, block: int | None, progress: Callable[[int], None] | None, rows: bool
) -> Iterator[UnitResult]:
    window: deque[tuple[Unit, int, Pending]] = deque()
    waiting = _blocks(units, executor.block if block is None else block)
    open_unit: _OpenUnit | None = None
    try:
        while True:
            while len(window) < 2 * executor.workers and (job := next(waiting, None)) is not None:
                unit, first, keys = job
                window.append((unit, first, executor.submit(unit.contest, root, first, keys, rows)))
            if not window:
                return
            unit, first, pending = window.popleft()
            played = pending.result()
            if open_unit is None:
                open_unit = _OpenUnit(unit, rows)
            open_unit.add(first, *played)
            if progress:
                progress(len(played[1]))
            if open_unit.complete:
                done, open_unit = open_unit.result(), None
                yield done
    finally:
        for _, _, pending in window:
            pending.cancel()


def play(
    contest: Contest,
    root: int,
    threads: int | None = None,
    block: int | None = None,
    progress: Callable[[int], None] | None = None,
    sink: Callable[[UnitResult], None] | None = None,
    rows: bool = False,
    executor: Executor | None = None,
) -> Counts:
    """Plays one contest. sink: gets every finished unit, e.g. to write it to disk; without it outcomes are dropped once counted."""
    counts = Counts.empty(contest)
    for done in play_units(units_of([contest]), root, threads, block, progress, rows, executor):
        counts.add(done.tally, done.outcomes)
        if sink:
            sink(done)
    return counts


class _OpenUnit:
    """A unit whose blocks are coming in."""

    def __init__(self, unit: Unit, rows: bool) -> None:
        self.unit = unit
        self.left = unit.keys
        self.tally = np.zeros(1, unit.contest.game.tally)
        self.outcomes = np.zeros((unit.keys * unit.contest.seatings, 2), np.uint8)
        games = len(self.outcomes) if rows else 0
        self.rows = np.zeros((games, len(unit.contest.game.row_fields)), np.int64)

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


def _blocks(units: Iterable[Unit], most: int) -> Iterator[tuple[Unit, int, int]]:
    """Unit, first key and keys of all blocks in order: each unit in as few blocks as may be, all about as large."""
    for unit in units:
        count = -(-unit.keys // most)
        edges = [unit.first_key + unit.keys * n // count for n in range(count + 1)]
        for first, end in pairwise(edges):
            yield unit, first, end - first
