"""A card set as spreadsheets: set.csv, runners.csv, rigs.csv and cards.csv, and back again without loss.

Effects stand in one column as a JSON list of rows; the column ``words`` repeats them in English and is
ignored when the tables are read.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import legality
from bhsim.games.skirmish.bundle import POOL_MODELS, effect_keys
from bhsim.games.skirmish.model import CardSet
from bhsim.games.skirmish.toml_out import rows_data
from bhsim.games.skirmish.words import text_words
from bhsim.inputs.document import DEEPEST, TOO_DEEP, TOO_LARGE, read_text, too_much
from bhsim.inputs.explain import explained
from bhsim.inputs.names import listing, suggestion

SET_FILE = "set.csv"
_MARK = "\ufeff"  # tells spreadsheet programs that the text is UTF-8
_WORDS = "words"


def columns(pool: str) -> list[str]:
    """Column names of a pool's table."""
    return ["id", *POOL_MODELS[pool].model_fields, _WORDS]


def export_tables(cardset: CardSet) -> dict[str, str]:
    """File name -> CSV text."""
    tables = {SET_FILE: _table(["name", "house_values"], [[cardset.name, _flag(cardset.house_values)]])}
    for pool in POOL_MODELS:
        rows = [_cells(key, entry, columns(pool)) for key, entry in getattr(cardset, pool).items()]
        tables[f"{pool}.csv"] = _table(columns(pool), rows)
    return tables


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _cells(key: str, entry: BaseModel, names: list[str]) -> list[str]:
    cells = []
    for name in names:
        if name == "id":
            cells.append(key)
        elif name == "effects":
            rows = rows_data(entry.effects)
            cells.append(json.dumps(rows, ensure_ascii=False) if rows else "")
        elif name == _WORDS:
            cells.append(" ".join(text_words(entry.effects)))
        else:
            value = getattr(entry, name)
            cells.append("" if value is None else str(value))
    return cells


def _table(header: list[str], rows: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return _MARK + out.getvalue()


def import_tables(folder: Path) -> CardSet:
    """The card set that a folder of tables describes; ``BadInput`` lists every fault with file, line and column.

    set.csv may be left out (the folder's name is used then), and so may runners.csv and rigs.csv, but not cards.csv: of a set
    without cards it has nothing but its header. Some table must have an entry.
    Separators may be commas, semicolons or tabs.
    """
    present = [pool for pool in POOL_MODELS if os.path.lexists(folder / f"{pool}.csv")]
    if "cards" not in present:
        raise BadInput(Fault("holds no cards.csv", str(folder), allowed=listing(f"{pool}.csv" for pool in POOL_MODELS)))
    faults: list[Fault] = []
    pools: dict[str, dict[str, Any]] = {}
    for pool in present:
        try:
            pools[pool] = _read_pool(folder / f"{pool}.csv", pool)
        except BadInput as error:
            faults += error.faults
    if not faults and not any(pools.values()):
        raise BadInput(Fault("its tables have no entry", str(folder), allowed="at least one runner, rig or card"))
    head = {"name": folder.resolve().name, "house_values": False}
    try:
        head |= _read_head(folder / SET_FILE)
    except BadInput as error:
        faults += error.faults
    if faults:
        raise BadInput(*faults)
    try:
        cardset = CardSet.model_validate({**head, **{pool: dict(sorted(entries.items())) for pool, entries in pools.items()}})
    except ValidationError as error:
        raise BadInput(*(dataclasses.replace(f, file=str(folder)) for f in explained(error, CardSet, {**head, **pools}))) from None
    if faults := legality.check_cardset(cardset):
        raise BadInput(*(dataclasses.replace(f, file=str(folder)) for f in faults))
    return cardset


def _read_head(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    rows = _rows(path, ["name", "house_values"])
    if len(rows) != 1:
        raise BadInput(Fault(f"has {len(rows)} rows below the header", str(path), allowed="exactly one"))
    line, cells = rows[0]
    flag = cells.get("house_values", "").strip().lower()
    if flag not in ("true", "false", ""):
        raise BadInput(Fault("must be true or false", str(path), line, "house_values", flag, "true, false"))
    return {"name": cells.get("name", ""), "house_values": flag == "true"}


def _read_pool(path: Path, pool: str) -> dict[str, BaseModel]:
    model = POOL_MODELS[pool]
    entries: dict[str, BaseModel] = {}
    faults: list[Fault] = []
    for line, cells in _rows(path, columns(pool)):
        key = cells.get("id", "").strip()
        try:
            if not key:
                raise BadInput(Fault("is missing", field="id"))
            if key in entries:
                raise BadInput(Fault("stands twice", field="id", value=key, allowed="each id once"))
            data = {name: _value(name, cell) for name, cell in cells.items() if name not in ("id", _WORDS) and _filled(name, cell)}
            entries[key] = model.model_validate(data)
        except BadInput as error:
            faults += [Fault(f.message, str(path), line, f.field, f.value, f.allowed) for f in error.faults]
        except ValidationError as error:
            described = explained(error, model, data, keys=effect_keys)
            faults += [Fault(f.message, str(path), line, f.field, f.value, f.allowed) for f in described]
    if faults:
        raise BadInput(*faults)
    return entries


def _filled(name: str, cell: str) -> bool:
    return bool(cell if name == "text" else cell.strip())


def _value(name: str, text: str) -> Any:
    if name in ("name", "text"):
        return text
    if name == "effects":
        return _effects(text)
    try:
        return int(text)
    except ValueError:
        return text  # refused by the model, which knows what is allowed


def _effects(text: str) -> Any:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg} at character {error.pos + 1}"
        raise BadInput(Fault(message, field="effects", allowed='a list of rows such as [{"op": "draw", "count": 1}]')) from None
    except RecursionError:
        raise BadInput(Fault(TOO_DEEP, field="effects", allowed=f"{DEEPEST} levels")) from None
    except ValueError:  # a whole number of thousands of digits
        raise BadInput(Fault(TOO_LARGE, field="effects", allowed="64 bits")) from None
    if faults := too_much(rows):
        raise BadInput(*(dataclasses.replace(f, field="effects") for f in faults))
    return rows


def _rows(path: Path, known: list[str]) -> list[tuple[int, dict[str, str]]]:
    """(line, cells by column) of each row; rows without any text are skipped."""
    text = read_text(path)
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    rows, faults = [], []
    try:
        header = [cell.strip() for cell in next(reader)]
        faults = [_unknown_column(path, name, known) for name in header if name not in known]
        if len(set(header)) != len(header):
            faults.append(Fault("a column stands twice", str(path), 1))
        start = reader.line_num + 1
        for cells in reader:
            if len(cells) > len(header):
                faults.append(Fault(f"has {len(cells)} cells", str(path), start, allowed=f"at most {len(header)}, as in the header"))
            elif any(cell.strip() for cell in cells):
                rows.append((start, dict(zip(header, cells, strict=False))))
            start = reader.line_num + 1
    except csv.Error as error:
        faults.append(Fault(f"is not a table: {error}", str(path), reader.line_num))
    if faults:
        raise BadInput(*faults)
    return rows


def _unknown_column(path: Path, name: str, known: list[str]) -> Fault:
    return Fault(f"unknown column {name!r}{suggestion(name, known)}", str(path), 1, allowed=listing(known))
