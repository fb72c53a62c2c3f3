"""Reading decks, boards, rules, bots and variants of tricks from their files.

Every reader takes a name (looked up by ``places.resolve``) or a path, is strict, and raises ``BadInput`` with all faults of the file
at once, each with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.tricks import legality
from bhsim.games.tricks.bots import Bot
from bhsim.games.tricks.bundle import Bundle, canonical, checked, patched
from bhsim.games.tricks.model import Board, Deck, Rules
from bhsim.games.tricks.places import PLACES, kind_of, resolve
from bhsim.inputs.changes import changes_of, in_variant, parse_set
from bhsim.inputs.document import Document, read_toml
from bhsim.inputs.explain import explained
from bhsim.inputs.models import Variant

Named = str | Path


def load_bundle(
    deck: Named = "base", board: Named = "base", rules: Named = "standard", variants: Iterable[Named] = (), sets: Iterable[str] = ()
) -> Bundle:
    """Deck, board and rules with the changes of variant files, then of ``PATH=VALUE`` texts, applied in order."""
    faults: list[Fault] = []
    notes: list[str] = []
    parts: list[Any] = []
    for kind, read, name in (("deck", read_deck, deck), ("board", read_board, board), ("rules", read_rules, rules)):
        try:
            path, hidden = resolve(kind, str(name), announce=False)
            notes += hidden
            parts.append(read(path))
        except BadInput as error:
            faults += error.faults
    if faults:
        raise BadInput(*faults)
    bundle = checked(Bundle(*parts, notes=(*notes, *legality.odd_penalties(parts[0]))))
    for variant in variants:
        bundle = apply_variant(bundle, resolve("variant", str(variant))[0])
    return patched(bundle, dict(parse_set(text) for text in sets))


def read_deck(name: Named) -> Deck:
    """A deck with a penalty for each of its ranks."""
    return _read("deck", name, Deck, legality.check_deck)


def read_board(name: Named) -> Board:
    """A board, checked as TR-7.5 asks."""
    return _read("board", name, Board, legality.check_board)


def read_rules(name: Named) -> Rules:
    """A rules file; switches that it leaves out have the default of the rules page."""
    return _read("rules", name, Rules)


def read_bot(name: Named) -> Bot:
    """A bot file."""
    return _read("bot", name, Bot)


def apply_variant(bundle: Bundle, path: Path) -> Bundle:
    """``bundle`` with the changes of a variant file; faults name the line of the file."""
    document = read_toml(path)
    changes = changes_of(document, _validated(document, Variant), canonical)
    try:
        return patched(bundle, {".".join(keys): value for keys, value in changes.items()})
    except BadInput as error:
        raise BadInput(*(in_variant(fault, document, changes) for fault in error.faults)) from None


def _read(kind: str, name: Named, model: type[BaseModel], check: Callable[[Any], list[Fault]] | None = None) -> Any:
    document = read_toml(resolve(kind, str(name))[0])
    found = kind_of(document.data)
    if found not in (None, kind):
        raise BadInput(Fault(f"is a {PLACES.word(found)}, where a {PLACES.word(kind)} is wanted", str(document.path)))
    parsed = _validated(document, model)
    if check and (faults := check(parsed)):
        raise BadInput(*(document.located(fault) for fault in faults))
    return parsed


def _validated(document: Document, model: type[BaseModel]) -> Any:
    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        raise BadInput(*(document.located(fault) for fault in explained(error, model, document.data))) from None
