"""The ``bhsim`` command: puts the groups of verbs together and turns errors into exit codes.

Nothing heavy may be imported here or at the top of a command module: ``bhsim --help`` must answer at once.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated

import typer
from typer.core import TyperGroup

from bhsim import __version__
from bhsim.cli.stopping import exit_code
from bhsim.errors import BadInput, Fault

COMMANDS = (
    "play_cmd", "sweep_cmd", "report_cmd", "files_cmd", "cards_cmd", "init_cmd", "verify_cmd", "replay_cmd", "find_cmd", "perft_cmd",
    "check_cmd", "sensitivity_cmd", "effects_cmd",
    "compare_cmd", "plan_cmd", "runs_cmd",
    "meta_cmd", "balance_cmd", "optimise_cmd",
)  # fmt: skip

UsageError = typer.BadParameter.__bases__[0]  # typer gives it no public name
BAD_INPUT = 2
READER_GONE = 141  # as the shell reports a program that a closed pipe ended


class _Group(TyperGroup):
    """Maps what commands raise to the exit codes of the design; the traceback of a real defect stays visible."""

    def make_context(self, info_name, args, parent=None, **extra):
        with _exit_codes():  # help and version are printed here
            _refuse_empty_out(args)
            return super().make_context(info_name, args, parent=parent, **extra)

    def invoke(self, ctx):
        with _exit_codes():
            return super().invoke(ctx)


@contextlib.contextmanager
def _exit_codes() -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        for fault in error.faults:
            typer.echo(f"error: {fault}", err=True)
        raise typer.Exit(BAD_INPUT) from None
    except UsageError as error:
        if error.ctx is None or error.message == error.ctx.get_help():
            raise  # a group without a verb shows its help
        typer.echo(f"error: {error.format_message()} (`{error.ctx.command_path} -h` helps)", err=True)
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt as stop:
        typer.echo("interrupted", err=True)
        raise typer.Exit(exit_code(stop)) from None
    except BrokenPipeError:
        _drop_output()
        raise typer.Exit(READER_GONE) from None
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        typer.echo(f"error: {place}{error.strerror or error}", err=True)
        raise typer.Exit(BAD_INPUT) from None


def _refuse_empty_out(args: list[str]) -> None:
    """BadInput for ``--out ""`` of any verb: as a path, an empty name is the working directory, and nobody can have meant that."""
    if "--out=" in args or any(pair == ("--out", "") for pair in pairwise(args)):
        raise BadInput(Fault("is empty", field="--out", value="", allowed="the name of a folder"))


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
    """Runs a command to its exit code."""
    _open_closed_streams()
    try:
        app()
    finally:
        _flush_output()


def _open_closed_streams() -> None:
    """A standard stream that the caller closed (``>&-``) is nobody's: what goes there is dropped, and no file of a run gets its number."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115 (open as long as the process lives)


def _flush_output() -> None:
    """Writes out what is still held back, so that a failure becomes an exit code here and not a message of the interpreter."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        sys.exit(READER_GONE)
    except OSError as error:
        _drop_output()
        typer.echo(f"error: standard output: {error.strerror or error}", err=True)
        sys.exit(BAD_INPUT)


def _drop_output() -> None:
    """Nobody reads any more: what the streams still hold goes nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(null, stream.fileno())
