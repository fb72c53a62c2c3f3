"""``bhsim compare``: two runs, or contests of one run, against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bhsim.cli import playing as p
from bhsim.errors import BadInput, Fault


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("compare")(compare)


def compare(
    first: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    second: Annotated[Path | None, typer.Argument(help="The run that is compared with it.", metavar="RUN")] = None,
    rows: Annotated[str | None, typer.Option("--rows", help="Contests of one run: 0,3 compares 3 with 0.", metavar="N,N")] = None,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Say what a second run changes against a first, contest by contest."""
    from bhsim.cli import tables
    from bhsim.lab.compare import compare_rows, compare_runs
    from bhsim.lab.store import open_folder
    from bhsim.report.comparisons import comparison_grid, comparison_json, path_lines

    if (second is None) == (rows is None):
        raise BadInput(Fault("what is compared?", field="RUN", allowed="two runs, or one with --rows"))
    if second is not None:
        found = compare_runs(open_folder(first), open_folder(second))
    else:
        found = compare_rows(open_folder(first), _numbers(rows or ""))
    if format_ is p.Format.json:
        tables.print_json(comparison_json(found))
        return
    tables.print_grid(comparison_grid(found))
    print("data that differ:", *path_lines(found), sep="\n  ")
    for name, labels in (("first", found.only_first), ("second", found.only_second)):
        if labels:
            print(f"only in the {name} run:", *labels, sep="\n  ")


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and len(part) < 10 for part in parts):
        raise BadInput(Fault("are no numbers of contests", field="--rows", value=text, allowed="such as 0,3"))
    return [int(part) for part in parts]
