"""Every bot against every other on the starter crews: the table of docs/bots.md.

A cell is the row bot's win rate over both ways of dealing the crews (half of the games with the first crew, half with the
second), so crew strength drops out. The interval treats the two halves as independent: each has its own pairs, and keys are not shared
between them (the second half plays another seed). ``--write FILE`` puts the table between the marks of a Markdown page.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.game import GAME
from bhsim.lab.contest import build
from bhsim.lab.results import engine_label, evaluate
from bhsim.lab.runs import play

BOTS = ("random", "racer", "brawler", "weaver", "warden", "fixer")
CREWS = ("purple", "green")
BEGIN, END = "<!-- table: benchmarks/bots.py -->", "<!-- end of table -->"


def cell(row: str, column: str, games: int, seed: int) -> tuple[float, float]:
    """Win rate of ``row`` and the half width of its 95 % interval."""
    rate, variance = 0.0, 0.0
    for half, (own, other) in enumerate((CREWS, CREWS[::-1])):
        contest = build(GAME, Options(), (SideNames(own, None, row), SideNames(other, None, column)), games // 2)
        score = evaluate(play(contest, seed + half)).sides[0].score
        rate += score.mean / 2
        variance += ((score.high - score.low) / 2 / 2) ** 2
    return rate, math.sqrt(variance)


def table(games: int, seed: int) -> str:
    """The whole table as Markdown; only one half is played, the other is its complement."""
    rates: dict[tuple[str, str], tuple[float, float]] = {}
    for i, row in enumerate(BOTS):
        for column in BOTS[i:]:
            rate, half = cell(row, column, games, seed) if row != column else (0.5, 0.0)
            rates[row, column], rates[column, row] = (rate, half), (1 - rate, half)
            print(f"{row} - {column}: {100 * rate:.2f} % +- {100 * half:.2f}", file=sys.stderr, flush=True)
    lines = ["| win rate of ... against | " + " | ".join(BOTS) + " |", "|---" * (len(BOTS) + 1) + "|"]
    for row in BOTS:
        cells = ["exactly 50" if row == column else "{:.1f} ± {:.1f}".format(*(100 * x for x in rates[row, column])) for column in BOTS]
        lines.append(f"| **{row}** | " + " | ".join(cells) + " |")
    about = f"Percent, 95 % intervals, {games:,} games a cell, house values, engine {engine_label(GAME)}, seed {seed}."
    return "\n".join([about, "", *lines])


def main() -> None:
    """Reads the command line, plays, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    text = table(asked.games, asked.seed)
    print(text)
    if asked.write:
        page = asked.write.read_text()
        before, rest = page.split(BEGIN)
        asked.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
