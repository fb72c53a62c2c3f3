"""``bhsim cards``: the pool in lists and words, the paths of its values, and card sets to and from spreadsheets."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.cli.options import CardsetOption, ForceOption, Format, FormatOption, SetOption, TargetFile, VariantOption

if TYPE_CHECKING:
    from bhsim.games.skirmish.model import CardSet

cards = typer.Typer(name="cards", no_args_is_help=True, rich_markup_mode=None, help="Show, write and convert card sets.")

_NAME = Annotated[str, typer.Argument(metavar="NAME", help="Card, runner or rig: id or printed name.")]
_PREFIX = Annotated[str, typer.Argument(metavar="[PREFIX]", help="Only paths that start so, for example runners.gh0st.")]
_DECK = Annotated[str | None, typer.Option("--deck", metavar="NAME", help="Deck of the table, in a game that has one.")]
_FOLDER_OUT = Annotated[Path, typer.Argument(metavar="DIR", help="Folder for set.csv, runners.csv, rigs.csv and cards.csv.")]
_FOLDER_IN = Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the CSV tables.")]


def register(app: typer.Typer) -> None:
    """Adds the verbs of this module."""
    app.add_typer(cards)


@cards.command("list")
def list_pool(
    cardset: CardsetOption = "house", variant: VariantOption = None, changes: SetOption = None, output: FormatOption = Format.table
) -> None:
    """List runners, rigs and cards with their numbers."""
    from bhsim.cli import tables
    from bhsim.games.skirmish.bundle import POOL_MODELS

    loaded = _cardset(cardset, variant, changes)
    if output is Format.json:
        tables.print_json(_pool_data(loaded))
        return
    typer.echo(f"{loaded.name}{' (house values)' if loaded.house_values else ''}\n")
    for pool, model in POOL_MODELS.items():
        numbers = [name for name, field in model.model_fields.items() if name not in ("name", "effects", "text")]
        entries = getattr(loaded, pool)
        if entries:
            rows = [[key, entry.name, *(_dash(getattr(entry, n)) for n in numbers)] for key, entry in entries.items()]
            tables.print_table(pool, ["id", "name", *numbers], rows, [False, False] + [True] * len(numbers))


def _dash(value: Any) -> Any:
    return "-" if value is None else value


def _pool_data(cardset: CardSet) -> dict[str, Any]:
    from bhsim.games.skirmish.bundle import POOL_MODELS

    pools = {pool: [_entry_data(key, entry) for key, entry in getattr(cardset, pool).items()] for pool in POOL_MODELS}
    return {"schema": 1, "name": cardset.name, "house_values": cardset.house_values, **pools}


def _entry_data(key: str, entry: Any) -> dict[str, Any]:
    from bhsim.games.skirmish.toml_out import rows_data
    from bhsim.games.skirmish.words import text_words

    numbers = entry.model_dump(exclude={"effects", "text"})
    return {"id": key, **numbers, "effects": rows_data(entry.effects), "words": text_words(entry.effects), "text": entry.text}


@cards.command("show")
def show(
    name: _NAME,
    cardset: CardsetOption = "house",
    variant: VariantOption = None,
    changes: SetOption = None,
    output: FormatOption = Format.table,
) -> None:
    """Show one entry: its numbers, its effects in words, and its printed text."""
    from bhsim.cli import tables

    loaded = _cardset(cardset, variant, changes)
    pool, key = _find(loaded, name)
    data = _entry_data(key, getattr(loaded, pool)[key])
    if output is Format.json:
        tables.print_json({"schema": 1, "pool": pool, "house_values": loaded.house_values, **data})
        return
    typer.echo(f"{data['name']} ({pool}.{key}){', house values' if loaded.house_values else ''}")
    numbers = {k: v for k, v in data.items() if k not in ("id", "name", "effects", "words", "text") and v is not None}
    typer.echo("  " + ", ".join(f"{k} {v}" for k, v in numbers.items()))
    for sentence in data["words"] or ["No effect."]:
        typer.echo("  " + sentence)
    if data["text"]:
        typer.echo(f"  Printed: {data['text']}")


def _find(cardset: CardSet, name: str) -> tuple[str, str]:
    from bhsim.errors import BadInput
    from bhsim.games.skirmish.bundle import POOL_MODELS
    from bhsim.inputs.models import identifier
    from bhsim.inputs.names import match, unknown

    printed = {pool: {key: entry.name for key, entry in getattr(cardset, pool).items()} for pool in POOL_MODELS}
    for pool, entries in printed.items():
        key = match(name, entries, identifier)
        if key is not None:
            return pool, key
    raise BadInput(unknown("card, runner or rig", name, {k: v for entries in printed.values() for k, v in entries.items()}))


@cards.command("paths")
def list_paths(
    prefix: _PREFIX = "",
    game: p.PlayedGameOption = None,
    cardset: p.CardsetOption = None,
    deck: _DECK = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: VariantOption = None,
    changes: SetOption = None,
    output: FormatOption = Format.table,
) -> None:
    """Print every path that --set, variants and sweeps can change, with its present value."""
    from bhsim.cli import tables
    from bhsim.errors import BadInput, Fault
    from bhsim.games.game import Options
    from bhsim.games.seats import Seating
    from bhsim.games.skirmish.toml_out import toml_value
    from bhsim.inputs.names import suggestion

    options = Options(cardset, board, rules, tuple(variant or ()), tuple(changes or ()))
    played, options = p.game_for(game, Seating(deck=deck), options)
    if deck is not None and not played.shared_deck:
        raise BadInput(Fault(f"{played.name} has no deck for the whole table", field="--deck", value=deck))
    bundle = played.load(options)
    for note in bundle.notes:
        typer.echo(note, err=True)
    known = played.paths(bundle)
    shown = {path: _plain(value) for path, value in known.items() if path.startswith(prefix)}
    if not shown:
        heads = dict.fromkeys(f"{path.partition('.')[0]}." for path in known)
        raise BadInput(Fault(f"no path starts with {prefix!r}{suggestion(prefix, known)}", allowed=", ".join(heads)))
    if output is Format.json:
        tables.print_json(shown)
        return
    for path, value in shown.items():
        typer.echo(f"{path} = {'(unset)' if value is None else toml_value(value)}")


def _plain(value: Any) -> Any:
    """Values as JSON and TOML know them."""
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    return [_plain(item) for item in value] if isinstance(value, list) else value


@cards.command("template")
def template(file: TargetFile, cardset: CardsetOption = "house", force: ForceOption = False) -> None:
    """Write an empty card set with the printed names, to be filled in by someone who owns the cards."""
    from bhsim.games.skirmish import files
    from bhsim.games.skirmish.toml_out import template_toml
    from bhsim.inputs.output import write_text

    write_text(file, template_toml(files.read_cardset(cardset)), force)
    typer.echo(f"wrote {file}; bhsim validate {shlex.quote(str(file))} names what is missing", err=True)


@cards.command("export")
def export(folder: _FOLDER_OUT, cardset: CardsetOption = "house", force: ForceOption = False) -> None:
    """Write a card set as CSV tables for a spreadsheet."""
    from bhsim.games.skirmish import files, pool_csv
    from bhsim.inputs.output import write_files

    tables = pool_csv.export_tables(files.read_cardset(cardset))
    write_files({folder / name: text for name, text in tables.items()}, force)
    typer.echo(f"wrote {', '.join(tables)} to {folder}", err=True)


@cards.command("import")
def import_(folder: _FOLDER_IN, file: TargetFile, force: ForceOption = False) -> None:
    """Read CSV tables and write them as a card set file."""
    from bhsim.games.skirmish import pool_csv
    from bhsim.games.skirmish.toml_out import cardset_toml
    from bhsim.inputs.output import refuse_existing, write_text

    refuse_existing([file], force)
    cardset = pool_csv.import_tables(folder)
    comment = "Made by bhsim cards import. docs/effects.md explains the effect rows."
    write_text(file, cardset_toml(cardset, comment), force)
    counts = f"{len(cardset.runners)} runners, {len(cardset.rigs)} rigs, {len(cardset.cards)} cards"
    typer.echo(f"wrote {file}: {counts}", err=True)


def _cardset(name: str, variant: list[str] | None, changes: list[str] | None) -> CardSet:
    from bhsim.games.skirmish import files

    bundle = files.load_bundle(name, variants=variant or (), sets=changes or ())
    for note in bundle.notes:
        typer.echo(note, err=True)
    return bundle.cardset
