"""``bhsim validate``: every fault of every file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bhsim.cli.options import BoardOption, Format, FormatOption, RulesOption

_FILES = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files to check.")]
_KIND = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Kind of the files, if their content does not tell: cardset, crew, deck, board, rules, variant, bot, sweep, sensitivity, "
        "position.",
    ),
]
_CARDSET = Annotated[
    str | None,
    typer.Option(
        "--cardset",
        metavar="NAME",
        help="Check crews, decks, variants and positions against this card set [default: the card set among the files, else house]",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the verbs of this module."""
    app.command("validate")(validate)


def validate(
    paths: _FILES,
    kind: _KIND = None,
    cardset: _CARDSET = None,
    board: BoardOption = "house",
    rules: RulesOption = "standard",
    output: FormatOption = Format.table,
) -> None:
    """Check files and list every fault with its place. Exit code 2 if there is one."""
    from functools import cache

    from bhsim.cli import tables
    from bhsim.errors import BadInput, Fault
    from bhsim.games.skirmish import checkfile, files
    from bhsim.games.skirmish.kinds import KINDS

    if kind is not None and kind not in KINDS:
        raise BadInput(Fault("--kind names no kind of file", value=kind, allowed=", ".join(KINDS)))
    against = cardset or checkfile.main_cardset(paths) or "house"

    @cache
    def bundle() -> files.Bundle:
        loaded = files.load_bundle(against, board, rules)
        for note in loaded.notes:
            typer.echo(note, err=True)
        return loaded

    results = []
    for path in paths:
        found, faults = kind, []
        try:
            found = kind or checkfile.kind_of_path(path)
            checkfile.check_file(path, found, bundle)
        except BadInput as error:
            faults = error.faults
        results.append((path, found, faults))
    if output is Format.json:
        tables.print_json({"schema": 1, "files": [_as_data(*result) for result in results]})
    else:
        for path, found, faults in results:
            if not faults:
                typer.echo(f"{path}: {found}, no fault")
            for fault in faults:
                typer.echo(f"error: {fault}", err=True)
    if any(faults for _, _, faults in results):
        raise typer.Exit(2)


def _as_data(path: Path, kind: str | None, faults: list) -> dict:
    listed = [
        {"file": f.file or str(path), "line": f.line, "field": f.field, "message": f.message, "value": f.value, "allowed": f.allowed}
        for f in faults
    ]
    return {"file": str(path), "kind": kind, "ok": not faults, "faults": listed}
