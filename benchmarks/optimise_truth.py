"""Does `bhsim optimise` find the best crew of a pool in which the best is known?

    python benchmarks/optimise_truth.py --truth reports/optimise_truth.json --out reports/optimise_truth.md

The pool is Purple's four runners and four rigs, a crew is two pairs: 72 crews, against Green's two halves. The truth: each crew plays
--first games, and the eight best play --again fresh ones, which alone count for them. Then the search has one twentieth of all those games,
under several seeds. The rates of the truth are kept in --truth, so that a stopped run goes on there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.games.game import Game, Options, Side, SideNames, find
from bhsim.games.spaces import Freedom, Space
from bhsim.inputs.output import replace as replace_file
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Threads
from bhsim.lab.memory import Kept
from bhsim.lab.opponents import Opponents
from bhsim.lab.optimise import carried_out, planned
from bhsim.lab.results import evaluate
from bhsim.lab.runs import play

PAIRS, FINAL, PART = 2, 8, 20
WITHIN, WANTED = 1.0, 0.85  # points from the best, and the share of seeds that are to come so near
FIRST_SEED, AGAIN_SEED = 700_001, 700_002  # of the truth


@dataclass(frozen=True)
class Task:
    """What is to be found. space: of the small pool."""

    game: Game
    bundle: Any
    start: Side
    opponents: Opponents
    freedom: Freedom
    space: Space


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


def task(bot: str | None) -> Task:
    """The small pool of the house set. bot: of all sides."""
    game = find("skirmish")
    bundle = game.load(Options())
    purple, green = (game.side(bundle, SideNames(name, bot=bot), 0) for name in ("purple", "green"))
    has = {name for part in ("runners", "rigs") for name, count in game.builds.items(bundle, purple, part).items() if count}
    ban = [name for part in ("runners", "rigs") for name in game.builds.items(bundle, purple, part) if name not in has]
    halves = (_half(green, slice(0, PAIRS), "Green's front"), _half(green, slice(PAIRS, None), "Green's rear"))
    freedom = Freedom(("crew",), ban=tuple(ban), members=range(PAIRS, PAIRS + 1))
    start = _half(purple, slice(0, PAIRS), "Purple's front")
    opponents = Opponents(halves, tuple(side.crew for side in halves))
    return Task(game, bundle, start, opponents, freedom, game.builds.space(bundle, start, freedom))


def _half(side: Side, which: slice, name: str) -> Side:
    """Some members of a crew."""
    model = side.crew_model.model_copy(update={"name": name, "members": side.crew_model.members[which]})
    return replace(side, crew=name, crew_model=model)


class Truth:
    """Rates that are kept in a file, if one is given: each is played once, and printed on stderr as it is."""

    def __init__(self, asked: Task, file: Path | None, threads: int | None) -> None:
        self.asked, self.file, self.threads = asked, file, threads
        self.kept: dict[str, float] = json.loads(file.read_text()) if file and file.exists() else {}

    def values(self, first: int, again: int) -> dict[str, float]:
        """What each crew is worth, by its key."""
        every = self.asked.space.every(1_000) or []
        values = self._rates("first", first, FIRST_SEED, every)
        best = sorted(every, key=lambda side: -values[self.asked.space.key(side)])[:FINAL]
        return values | self._rates("again", again, AGAIN_SEED, best)

    def _rates(self, tag: str, games: int, seed: int, builds: Sequence[Side]) -> dict[str, float]:
        found = {}
        for build in builds:
            key = self.asked.space.key(build)
            name = f"{tag} {games} {key}"
            if name not in self.kept:
                self.kept[name] = self._rate(build, games, seed)
                print(f"{name}: {self.kept[name]:.4f}", file=sys.stderr, flush=True)
                if self.file:
                    replace_file(self.file, json.dumps(self.kept).encode())
            found[key] = self.kept[name]
        return found

    def _rate(self, build: Side, games: int, seed: int) -> float:
        sides = self.asked.opponents.sides
        keys = games // (len(sides) * self.asked.game.seatings(2))
        contests = [Contest(0, self.asked.game, self.asked.bundle, (build, other), keys) for other in sides]
        return float(np.mean([evaluate(play(contest, seed, self.threads)).sides[0].score.mean for contest in contests]))


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
    parser.add_argument("--games", type=int, help="of each search, instead of a twentieth of the truth's")
    parser.add_argument("--bot", help="of all sides, instead of the usual one")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--truth", type=Path, help="file in which the rates of the truth are kept")
    parser.add_argument("--out", type=Path, help="file for the tables")
    given = parser.parse_args()
    asked = task(given.bot)
    workers = Threads(given.threads)
    try:
        values = Truth(asked, given.truth, given.threads).values(given.first, given.again)
        games = given.games or (given.first * len(values) + given.again * FINAL) // PART
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
