"""``bhsim find``: the games of a run that fit a description, so that an odd number leads to a game that shows it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput, Fault


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("find")(find)


def find(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    where: Annotated[
        str, typer.Option("--where", help='Conditions, such as "winner = b and (rounds >= 10 or margin < -3)".', metavar="TEXT")
    ],
    contest: Annotated[int | None, typer.Option("--contest", help="Number of the contest.", metavar="C")] = None,
    limit: Annotated[int, typer.Option("--limit", help="Show at most so many games.", metavar="N")] = 20,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """List the games of a run that fit the conditions; each can be replayed by its index."""
    from bhsim.cli import tables
    from bhsim.cli.replay_cmd import contest_of
    from bhsim.lab.store import open_folder

    if limit < 1:
        raise BadInput(Fault("out of range", field="--limit", value=limit, allowed="1 or more"))
    folder = open_folder(run)
    chosen = contest_of(folder, contest)
    finder = chosen.game.finder(chosen.bundle, chosen.sides, where)
    held = folder.held_games(chosen)
    if not held:
        raise BadInput(Fault(f"no game of contest {chosen.number} is stored yet", file=str(run)))
    p.ready(chosen.game)
    rows, fitting = [], 0
    with p.progress(held) as advance:
        for index, game in finder.search(folder.manifest["seed"], held):
            advance(1)
            if game is None:
                continue
            fitting += 1
            if len(rows) < limit:
                rows.append([index, game.winner, game.margin, game.rounds, *(condition.read(game) for condition in finder.wanted)])
    head = ["game", "winner", "margin", "rounds", *(condition.field for condition in finder.wanted)]
    command = p.command_line(["replay", str(run)], [("--contest", contest), ("--index", rows[0][0] if rows else None)])
    if format_ is p.Format.json:
        games = [dict(zip(head, row, strict=True)) for row in rows]
        tables.print_json({"schema": 1, "contest": chosen.number, "games": held, "fitting": fitting, "found": games})
        return
    extra = [place for place, name in enumerate(head) if name not in head[:place]]  # a field that is a column already
    tables.print_table("", [head[i] for i in extra], [[row[i] for i in extra] for row in rows], [head[i] != "winner" for i in extra])
    more = f", the first {len(rows)} shown" if fitting > len(rows) else ""
    print(f"{fitting:,} of {held:,} games of contest {chosen.number} fit{more}: {shlex.quote(where)}")
    if rows:
        print(f"see one       {command}")
