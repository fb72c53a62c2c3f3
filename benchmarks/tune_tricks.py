"""Tunes the weights of a tricks bot by hill climbing on its share of wins.

One to three weights are changed at a time. A change is tried over some keys, and kept if it is better there and over as many other
keys, too. All tries meet the same luck, so that little is needed to tell them apart.

    python benchmarks/tune_tricks.py shark --table shedder,sprinter,lurker --table trapper,trapper,trapper --steps 100

The bot takes the first side of each table. Prints the weights found as a bot file has them.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence

import numpy as np

from bhsim.games.game import WHOLE
from bhsim.games.tricks import files
from bhsim.games.tricks.bots import Bot
from bhsim.games.tricks.driver import Match
from bhsim.games.tricks.engine.block import play_block
from bhsim.games.tricks.features import FEATURES
from bhsim.games.tricks.tally import empty

FIXED = ("noise",)


class Judge:
    """Measures a bot at tables of given opponents."""

    def __init__(self, tables: Sequence[Sequence[str]], keys: int, seed: int) -> None:
        self.bundle = files.load_bundle()
        self.tables = [tuple(files.read_bot(name) for name in table) for table in tables]
        self.keys, self.seed = keys, seed

    def shares(self, bot: Bot, first: int = 0) -> list[float]:
        """Win share at each table, over ``keys`` keys from ``first`` on."""
        return [self._share(bot, table, first) for table in self.tables]

    def score(self, bot: Bot, first: int = 0) -> float:
        """Mean share over the tables."""
        found = self.shares(bot, first)
        return sum(found) / len(found)

    def _share(self, bot: Bot, table: tuple[Bot, ...], first: int) -> float:
        match = Match(self.bundle, (bot, *table))
        tally, outcomes = empty(), np.zeros((self.keys * match.players, 2), np.uint8)
        play_block(match.tables, match.sides, self.seed, first, self.keys, tally, outcomes)
        return int(tally["shares"][0, 0]) / (WHOLE * int(tally["games"][0]))


def changed(weights: dict[str, float], rng: random.Random, only: Sequence[str]) -> dict[str, float]:
    """The weights with one to three of them moved: by a factor, or now and then by a step that may change the sign."""
    new = dict(weights)
    for name in rng.sample(list(only), min(rng.choice((1, 1, 2, 3)), len(only))):
        value = new[name] * math.exp(rng.gauss(0, 0.5)) if rng.random() < 0.8 else new[name] + rng.gauss(0, 0.5)
        new[name] = round(min(max(value, 0.0), 1.0) if name == "foresight" else value, 2)
    return new


def climb(judge: Judge, bot: Bot, steps: int, rng: random.Random, only: Sequence[str]) -> Bot:
    """The best bot found."""
    best, here, there = bot, judge.score(bot), judge.score(bot, judge.keys)
    print(f"start {here:.4f} {there:.4f}", flush=True)
    for step in range(steps):
        tried = bot.model_copy(update={"weights": changed(best.named(), rng, only)})
        now = judge.score(tried)
        if now <= here:
            continue
        also = judge.score(tried, judge.keys)
        if also > there:
            moved = {name: value for name, value in tried.weights.items() if value != best.named()[name]}
            best, here, there = tried, now, also
            print(f"{step:4d} {here:.4f} {there:.4f} {moved}", flush=True)
    return best


def main(words: Sequence[str] | None = None) -> None:
    """Tunes the bot that the command line names."""
    parser = argparse.ArgumentParser(description="Tunes the weights of a tricks bot by hill climbing on its share of wins.")
    parser.add_argument("bot")
    parser.add_argument("--table", action="append", required=True, help="opponents, such as random,random,random")
    parser.add_argument("--only", help="the weights that may move (default: all)")
    parser.add_argument("--keys", type=int, default=250)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(words)
    judge = Judge([table.split(",") for table in options.table], options.keys, options.seed)
    only = options.only.split(",") if options.only else [name for name in FEATURES if name not in FIXED]
    best = climb(judge, files.read_bot(options.bot), options.steps, random.Random(options.seed), only)
    print("fresh keys:", " ".join(f"{share:.3f}" for share in judge.shares(best, 2 * judge.keys)))
    print("\n".join(f"{name} = {value:g}" for name, value in best.named().items()))


if __name__ == "__main__":
    main()
