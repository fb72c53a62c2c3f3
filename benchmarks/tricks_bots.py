"""How strong the bots of tricks are: the tables of docs/tricks-bots.md.

Each bot at a table with three random ones, on both house boards; the shark against every table of three of the others; and the shark
as one among copies of another bot, by number of players. ``--write FILE`` puts the tables between the marks of a Markdown page.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

from bhsim.games.game import Options, SideNames
from bhsim.games.tricks.game import GAME
from bhsim.lab.contest import build
from bhsim.lab.results import engine_label, evaluate
from bhsim.lab.runs import play

BOTS = ("shedder", "sprinter", "lurker", "trapper")
BOARDS = ("base", "backdoor")
BEGIN, END = "<!-- table: benchmarks/tricks_bots.py -->", "<!-- end of table -->"


def share(bots: Sequence[str], board: str, games: int, seed: int) -> str:
    """Win share of the first bot with half its 95 % interval, in percent."""
    contest = build(GAME, Options(board=board), [SideNames(bot=name) for name in bots], games)
    score = evaluate(play(contest, seed)).sides[0].score
    text = f"{100 * score.mean:.1f} ± {50 * (score.high - score.low):.1f}"
    print(f"{board}: {', '.join(bots)}: {text}", file=sys.stderr, flush=True)
    return text


def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in body), ""]


def tables(games: int, seed: int) -> str:
    """All of them."""

    def cells(*bots: str) -> list[str]:
        return [share(bots, board, games, seed) for board in BOARDS]

    lines = [f"Win shares in percent, 95 % intervals, {games:,} games a cell, house values, engine {engine_label(GAME)}, seed {seed}.", ""]
    heads = [f"board {board}" for board in BOARDS]
    lines += ["With three `random` (fair: 25):", ""]
    lines += rows(["bot", *heads], [[f"`{bot}`", *cells(bot, *["random"] * 3)] for bot in ("shark", *BOTS)])
    lines += ["`shark` with three of the others (fair: 25):", ""]
    others = itertools.combinations_with_replacement(BOTS, 3)
    lines += rows(["others", *heads], [[", ".join(f"`{bot}`" for bot in trio), *cells("shark", *trio)] for trio in others])
    lines += ["`shark` with copies of one bot, on the base board, by number of players:", ""]
    sizes = (2, 3, 5, 6)
    body = [[f"`{bot}`", *(share(("shark", *[bot] * (n - 1)), "base", games, seed) for n in sizes)] for bot in BOTS]
    return "\n".join(lines + rows(["others", *(f"{n} (fair: {100 / n:.1f})" for n in sizes)], body)).rstrip()


def main() -> None:
    """Reads the command line, plays, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    text = tables(asked.games, asked.seed)
    print(text)
    if asked.write:
        page = asked.write.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        asked.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
