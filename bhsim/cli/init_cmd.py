"""``bhsim init``: a card project of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from bhsim.cli.options import CardsetOption, ForceOption

_FOLDER = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the project; made if it is not there.")]
_NAME = Annotated[str | None, typer.Option("--name", help="Name of the card set [default: the folder's name]")]


def register(app: typer.Typer) -> None:
    """Adds the verbs of this module."""
    app.command("init")(init)


def init(folder: _FOLDER, name: _NAME = None, cardset: CardsetOption = "house", force: ForceOption = False) -> None:
    """Make a card project: card set, crews, deck, a variant, a command that keeps a baseline, a CI file and a README.

    It starts as a copy of --cardset, so that everything runs at once; replace the entries by your own.
    """
    from bhsim.games.skirmish.project import project_files
    from bhsim.inputs.output import write_files

    files = project_files(name or folder.resolve().name, cardset)
    write_files({folder / path: text for path, text in files.items()}, force)
    for path in files:
        typer.echo(f"wrote {folder / path}", err=True)
    typer.echo(f"next: cd {shlex.quote(str(folder))} && bhsim validate decks/*.toml crews/*.toml")
