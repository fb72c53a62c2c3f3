"""``bhsim validate``: every fault of every file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bhsim.cli import playing as p
from bhsim.cli.options import Format, FormatOption
from bhsim.games.usual import DEFAULT_GAME

if TYPE_CHECKING:
    from bhsim.lab.checkfiles import Checked

_FILES = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files to check.")]
_GAME = Annotated[str | None, typer.Option("--game", metavar="GAME", help="Game of the files, if their content does not tell.")]
_KIND = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Kind of the files, if their content does not tell: cardset, crew, deck, board, rules, variant, bot, position, sensitivity, "
        "balance, sweep.",
    ),
]
_CARDSET = Annotated[
    str | None,
    typer.Option(
        "--cardset",
        metavar="NAME",
        help="Check crews, decks, variants and positions against this card set [default: the card set among the files, else the game's]",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the verbs of this module."""
    app.command("validate")(validate)


def validate(
    paths: _FILES,
    game: _GAME = None,
    kind: _KIND = None,
    cardset: _CARDSET = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    output: FormatOption = Format.table,
) -> None:
    """Check files and list every fault with its place. Exit code 2 if there is one."""
    from bhsim.cli import tables
    from bhsim.games.game import Options
    from bhsim.lab.checkfiles import check_files

    with p.as_options("game"):
        results = check_files(paths, game, kind, Options(cardset, board, rules), p.say)
    if output is Format.json:
        tables.print_json({"schema": 1, "files": [_as_data(checked) for checked in results]})
    else:
        for checked in results:
            if not checked.faults:
                typer.echo(f"{checked.path}: {_words(checked)}, no fault")
            for fault in checked.faults:
                typer.echo(f"error: {fault}", err=True)
    if any(checked.faults for checked in results):
        raise typer.Exit(2)


def _words(checked: Checked) -> str:
    """The kind of a file; the usual game goes without saying."""
    return f"{checked.kind}" if checked.game in (None, DEFAULT_GAME) else f"{checked.game} {checked.kind}"


def _as_data(checked: Checked) -> dict:
    file = str(checked.path)
    listed = [
        {"file": f.file or file, "line": f.line, "field": f.field, "message": f.message, "value": f.value, "allowed": f.allowed}
        for f in checked.faults
    ]
    return {"file": file, "game": checked.game, "kind": checked.kind, "ok": not checked.faults, "faults": listed}
