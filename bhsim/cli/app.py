"""The ``bhsim`` command: puts the groups of verbs together and turns errors into exit codes.

Nothing heavy may be imported here or at the top of a command module: ``bhsim --help`` must answer at once.
"""

from __future__ import annotations

import importlib
from typing import Annotated

import typer
from typer.core import TyperGroup

from bhsim import __version__
from bhsim.errors import BadInput

COMMANDS = (
    "play_cmd", "sweep_cmd", "report_cmd", "files_cmd", "cards_cmd", "init_cmd", "verify_cmd", "replay_cmd", "find_cmd", "perft_cmd",
)  # fmt: skip

BAD_INPUT = 2
INTERRUPTED = 130


class _Group(TyperGroup):
    """Maps what commands raise to the exit codes of the design; the traceback of a real defect stays visible."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except BadInput as error:
            for fault in error.faults:
                typer.echo(f"error: {fault}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise  # the reader of our output has gone: typer ends quietly
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            typer.echo(f"error: {place}{error.strerror or error}", err=True)
            raise typer.Exit(BAD_INPUT) from None


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bhsim {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="bhsim",
    cls=_Group,
    help="Plays tabletop designs by the million and says what the numbers on the cards do.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _top(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")] = False,
) -> None:
    """Plays tabletop designs by the million and says what the numbers on the cards do."""


for _name in COMMANDS:
    importlib.import_module(f"bhsim.cli.{_name}").register(app)


def main() -> None:
    """Entry point of the ``bhsim`` script."""
    app()
