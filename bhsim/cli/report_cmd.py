"""``bhsim report``: plots, report.md and report.html of a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bhsim.cli import playing as p
from bhsim.cli.running import slowly


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("report")(report)


def report(
    directory: Annotated[Path, typer.Argument(help="Run folder of play --out or sweep.", metavar="DIR")],
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Draw a run: report.html, report.md and plots/ inside its folder."""
    from bhsim.cli import tables
    from bhsim.lab.store import open_folder
    from bhsim.report.page import write_report

    with slowly("evaluating and drawing ..."):
        written = write_report(open_folder(directory))
    if format_ is p.Format.json:
        tables.print_json({"schema": 1, "files": [str(path) for path in written]})
        return
    for path in written:
        if path.suffix in (".md", ".html"):
            print(path)
    print(f"{sum(path.suffix == '.svg' for path in written)} plots in {directory / 'plots'}, each as SVG and PNG")
