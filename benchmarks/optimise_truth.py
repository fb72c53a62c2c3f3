"""Does `bhsim optimise` find the best crew of a pool in which the best is known?

    python benchmarks/optimise_truth.py --truth-out reports/optimise_truth --out reports/optimise_truth.md

The pool is cut down to four runners and four rigs, crews to two pairs: 72 crews, against Purple and Green (which have four pairs, so
that all rates are low and near each other), or with --field pool against three crews of the pool itself. The truth: each crew plays
--first games, and the eight best play --again fresh ones, which alone count for them. Then the search has one twentieth of all those games,
under several seeds. The games of the truth are kept in --truth-out, so that a stopped run goes on there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bhsim.games.game import Game, Options, Side, SideNames, find
from bhsim.games.spaces import Freedom, Space
from bhsim.lab.arena import Arena, search_root
from bhsim.lab.executors import Threads
from bhsim.lab.ledger import Ledger
from bhsim.lab.memory import Kept
from bhsim.lab.opponents import Opponents, opponents_of
from bhsim.lab.optimise import carried_out, planned

POOL, PAIRS, FINAL, PART = 4, 2, 8, 20
CHUNK = 5_000  # keys of the truth that are played and kept together
WITHIN, WANTED = 1.0, 0.85  # points from the best, and the share of seeds that are to come so near
SECONDS = 10.0  # between lines of progress


@dataclass(frozen=True)
class Task:
    """What is to be found. space: of the small pool."""

    game: Game
    bundle: Any
    start: Side
    opponents: Opponents
    freedom: Freedom
    space: Space

    def each(self, games: int) -> int:
        """Keys against each opponent in so many games of a crew."""
        return games // (len(self.opponents.sides) * self.game.seatings(2))


@dataclass(frozen=True)
class Trial:
    """A run of the search. value: true, of the crew that it returned; behind: the best true one; said, confirmed: its own figures."""

    seed: int
    crew: str
    value: float
    behind: float
    said: float
    confirmed: float
    games: int
    seconds: float

    @property
    def row(self) -> str:
        """A line of the table, in percent and points."""
        figures = [f"{100 * self.value:.2f}", f"{100 * self.behind:.2f}", f"{100 * self.confirmed:.2f}", f"{100 * self.said:.2f}"]
        return f"| {' | '.join([str(self.seed), self.crew, *figures, f'{self.games:,}', f'{self.seconds:.0f}'])} |"


HEAD = (
    "| seed | crew returned | true value | behind the best | confirmed | search said | games | seconds |\n|--:|---|--:|--:|--:|--:|--:|--:|"
)


def task(bot: str | None, field: str) -> Task:
    """The small pool of the house set. bot: of all sides. field: "starters", or "pool" for three crews of the pool itself."""
    game = find("skirmish")
    bundle = game.load(Options())
    start = game.side(bundle, SideNames("purple", bot=bot), 0)
    ban = (*list(bundle.cardset.runners)[POOL:], *list(bundle.cardset.rigs)[POOL:])
    freedom = Freedom(("crew",), ban=ban, members=range(PAIRS, PAIRS + 1))
    space = game.builds.space(bundle, start, freedom)
    opponents = opponents_of(game, bundle, ("purple", "green"), bot)
    if field == "pool":
        every = space.every(1_000) or []
        names = tuple(f"crew {place}" for place in range(len(every) // 6, len(every), len(every) // 3))
        opponents = Opponents(tuple(space.named(every[int(name.split()[1])], name) for name in names), names)
    return Task(game, bundle, start, opponents, freedom, space)


class Progress:
    """A line on stderr now and then."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.begun = total, 0, time.perf_counter()
        self.last = self.begun

    def __call__(self, games: int) -> None:
        self.done += games
        now = time.perf_counter()
        if now - self.last >= SECONDS:
            self.last = now
            print(f"{self.done:,} of {self.total:,} games, {self.done / (now - self.begun):,.0f} games/s", file=sys.stderr, flush=True)


def truth(asked: Task, first: int, again: int, place: Path | None, workers: Threads) -> dict[str, float]:
    """What each crew is worth, by its key."""
    every = asked.space.every(1_000)
    assert every is not None
    progress = Progress(first * len(every) + again * FINAL)
    arena = Arena(asked.game, search_root(0, "truth of optimise"), workers, Ledger(place), None, progress)
    values = _played(asked, arena, every, 0, asked.each(first))
    best = sorted(every, key=lambda side: -values[asked.space.key(side)])[:FINAL]
    return values | _played(asked, arena, best, asked.each(first), asked.each(again))


def _played(asked: Task, arena: Arena, builds: Sequence[Side], first: int, keys: int) -> dict[str, float]:
    sums = dict.fromkeys(map(asked.space.key, builds), 0.0)
    for start in range(first, first + keys, CHUNK):
        count = min(CHUNK, first + keys - start)
        scores = arena.against(asked.bundle, builds, asked.opponents.sides, start, count)
        for build, part in zip(builds, scores, strict=True):
            sums[asked.space.key(build)] += float(part.mean(axis=0).sum())
    return {key: total / keys for key, total in sums.items()}


def trial(asked: Task, values: dict[str, float], games: int, seed: int, workers: Threads) -> Trial:
    """One search with its confirmation, held against the truth."""
    plan = planned(asked.game, asked.bundle, asked.start, asked.opponents, asked.opponents.goal("mean"), asked.freedom, games, 4, seed)
    begun = time.perf_counter()
    found = carried_out(plan, Kept(plan.manifest("benchmark"), plan.contests), workers)
    best, key = found.best[0], asked.space.key(found.best[0].side)
    crew = key.split(" / ")[0]
    figures = values[key], max(values.values()) - values[key], best.seen.value or 0.0, best.value.mean
    return Trial(seed, crew, *figures, found.games, time.perf_counter() - begun)


def summary(asked: Task, values: dict[str, float], trials: Sequence[Trial]) -> list[str]:
    """The best crews in truth, and how near the search came."""
    best = sorted(values, key=lambda key: -values[key])[:FINAL]
    near = sum(100 * t.behind <= WITHIN for t in trials)
    said = "as asked for" if near >= WANTED * len(trials) else "fewer than asked for"
    lines = [f"{near} of {len(trials)} seeds within {WITHIN:g} point of the best, {said}. House values.", ""] if trials else []
    lines += ["| best crews in truth | value |", "|---|--:|", *(f"| {key.split(' / ')[0]} | {100 * values[key]:.2f} |" for key in best), ""]
    return [*lines, HEAD, *(t.row for t in trials)]


def main() -> None:
    """Plays the truth, then the searches, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=60_000, help="games of each crew")
    parser.add_argument("--again", type=int, default=400_000, help="fresh games of each of the eight best")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--bot", help="of all sides, instead of the usual one")
    parser.add_argument("--field", choices=("starters", "pool"), default="starters", help="whom the crews meet")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--truth-out", type=Path, help="folder in which the games of the truth are kept")
    parser.add_argument("--out", type=Path, help="file for the tables")
    given = parser.parse_args()
    if given.truth_out:
        given.truth_out.mkdir(parents=True, exist_ok=True)
    asked = task(given.bot, given.field)
    workers = Threads(given.threads)
    try:
        values = truth(asked, given.first, given.again, given.truth_out, workers)
        games = (given.first * len(values) + given.again * FINAL) // PART
        trials = []
        for seed in range(1, given.seeds + 1):
            trials.append(trial(asked, values, games, seed, workers))
            print(trials[-1].row, flush=True)
    finally:
        workers.close()
    text = "\n".join(summary(asked, values, trials)) + "\n"
    print(text)
    if given.out:
        given.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
