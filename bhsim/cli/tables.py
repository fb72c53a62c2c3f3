"""Results as tables on stdout."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bhsim.report.grid import deals_text, interval_text, percent, side_columns

if TYPE_CHECKING:
    from bhsim.lab.findings import Findings
    from bhsim.lab.notable import Notable
    from bhsim.lab.results import Result
    from bhsim.report.grid import Grid

PIPE_WIDTH = 160  # columns when stdout is no terminal
LONG_HEADER = 16  # letters of a header, or of a word in a cell, that stay in one line if there is room
GAP = 3  # between two columns


def print_json(value: Any) -> None:
    """One JSON document."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], numeric: Sequence[bool]) -> None:
    """A table; numeric columns flush right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    names, cells = [_breakable(name) for name in head], [[str(cell) for cell in row] for row in rows]
    widths = [max(map(_unbroken, (name, *column))) for name, *column in zip(names, *cells, strict=True)]
    fits = sum(widths) + GAP * len(widths) <= console.width
    for name, right, width in zip(names, numeric, widths, strict=True):
        table.add_column(Text(name), justify="right" if right else "left", overflow="fold", min_width=width if fits else None)
    for row in cells:
        table.add_row(*map(Text, row))
    with console.capture() as drawn:  # rich would end the process by itself if nobody reads
        console.print(table)
    sys.stdout.write((f"{title}\n" if title else "") + drawn.get())


def _breakable(name: str) -> str:
    """A long header on lines of its own, broken behind dots and underscores, where rich would break inside of words."""
    lines = [""]
    for part in re.findall(r"(?:[^._ ]| %)*[._ ]?", name) if len(name) > LONG_HEADER else [name]:
        lines = [*lines[:-1], lines[-1] + part] if len(lines[-1] + part) <= LONG_HEADER else [*lines, part]
    return "\n".join(line.strip() for line in lines if line)


def _unbroken(text: str) -> int:
    """Width that short lines of a text ask for, so that only long ones are wrapped."""
    return max((len(line) for line in text.split("\n") if len(line) <= LONG_HEADER), default=1)


def print_play(result: Result, seconds: float) -> None:
    """Rates, points and length of one contest, then what each runner did."""
    facts = result.facts
    sources, names = list(facts.points), side_columns([s.side for s in result.sides])
    head = [*names, "wins", result.contest.game.score_unit, "95 % interval", "points", *sources]
    rows = [
        [*(getattr(s.side, name) for name in names), f"{s.wins:,}", percent(s.score.mean), interval_text(s.score), f"{s.points_mean:.2f}"]
        + [f"{s.points_from[x]:.2f}" for x in sources]
        for s in result.sides
    ]
    print_table("", head, rows, [name not in names for name in head])
    quantiles = " / ".join(str(facts.rounds.quantile(q)) for q in (0.05, 0.5, 0.95))
    print(f"first player  {percent(result.first.mean)}  ({interval_text(result.first)})")
    print(f"rounds        {facts.rounds.mean():.2f}  (5 / 50 / 95 %: {quantiles})")
    print(f"draws         {facts.draws:,}, and {facts.round_limit:,} games cut off by the round limit")
    speed = facts.games / max(seconds, 1e-9)
    print(f"games         {facts.games:,} in {deals_text(result.contest)}, {seconds:.2f} s, {speed:,.0f} games/s")
    if "runners" in facts.tables:
        _print_per_game(result, "runners")


def _print_per_game(result: Result, name: str) -> None:
    table = result.facts.tables[name]
    shown = [i for i, c in enumerate(table.columns) if i == 0 or c.total or c.name == "name"]
    head = [table.columns[i].name.replace("_", " ") for i in shown]
    games = max(result.facts.games, 1)
    rows = []
    for row in table.rows:
        cells = [f"{row[i] / games:.3f}" if table.columns[i].total else str(row[i]) for i in shown]
        rows.append(["ABCDEF"[row[0]], *cells[1:]])
    print()
    print_table(f"{table.title}, per game", head, rows, [table.columns[i].total for i in shown])


def print_grid(grid: Grid) -> None:
    """A table of text with its note below."""
    print_table(grid.caption, grid.head, grid.rows, grid.numeric)
    if grid.note:
        print(grid.note)
    print()


def print_sweep(found: Findings, run: str) -> None:
    """All tables of a sweep, and how to see a game of it. run: its folder."""
    from bhsim.report.sweeps import replay_lines, sweep_grids

    for grid in sweep_grids(found):
        print_grid(grid)
    first = found.results[0].contest.number
    number = None if len(found.results) == 1 else first
    if number is not None:
        print(f"Of contest {number}, {found.results[0].contest.label} (the table names the games of the others):")
    print("\n".join(replay_lines(found.notable[first], [run], [("--contest", number)])))


def print_notable(notable: Notable, words: Sequence[str], options: Sequence[tuple[str, Any]]) -> None:
    """How to see the best, the worst and the median game. words, options: what ``replay`` needs beside ``--index``."""
    from bhsim.report.sweeps import replay_lines

    print("\n".join(replay_lines(notable, words, options)))


def resolved_lines(engine: str, digest: str, seed: int, house_values: bool, command: str, data: str = "") -> list[str]:
    """What a run resolved, and how to repeat it. data: the names of what it was played with."""
    lines = [f"engine        {engine}", *([f"data          {data}"] if data else [])]
    lines += [f"data digest   {digest}", f"seed          {seed}"]
    if house_values:
        lines.append("house values  yes: some numbers were made up here")
    return [*lines, f"repeat        {command}"]


def manifest_lines(manifest: dict[str, Any]) -> list[str]:
    """The same of a run folder."""
    return resolved_lines(*(manifest[key] for key in ("engine", "data_digest", "seed", "house_values", "command")))
