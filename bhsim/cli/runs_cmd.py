"""``bhsim runs``: the run folders there are."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bhsim.cli import playing as p


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("runs")(runs)


def runs(
    directory: Annotated[Path, typer.Argument(help="Where to look, two levels deep.", metavar="DIR")] = Path("reports"),
    format_: p.FormatOption = p.Format.table,
) -> None:
    """List run folders: what each is, how far it came, and which cannot be read."""
    from bhsim.cli import tables
    from bhsim.lab.listing import listed

    found = listed(directory)
    if format_ is p.Format.json:
        tables.print_json({"schema": 1, "runs": [{**asdict(run), "path": str(run.path)} for run in found]})
        return
    head = ["folder", "status", "name", "kind", "seed", "engine", "contests", "games", "date"]
    rows = [
        [
            r.path,
            r.status,
            r.name,
            r.kind,
            r.seed,
            r.engine,
            f"{r.finished:,} of {r.contests:,}",
            f"{r.games:,}",
            r.started.replace("T", " "),
        ]
        for r in found
        if not r.why
    ]
    if rows:
        tables.print_table("", head, rows, [False] * 4 + [True, False, True, True, False])
    for run in found:
        if run.why:
            print(f"broken: {run.why}")
    if not found:
        print(f"no run in {directory}")
