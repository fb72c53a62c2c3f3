"""Where the name of a deck, board, rules, bot or variant file of tricks is looked up, and how such files are told apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput
from bhsim.games.kinds import SPECS, marked
from bhsim.games.tricks.model import Rules
from bhsim.inputs.document import read_toml
from bhsim.inputs.places import Places

FOLDERS = {
    "deck": "decks/tricks", "board": "tricks/boards", "rules": "tricks/rules", "bot": "tricks/bots", "variant": "tricks/variants",
}  # fmt: skip
_MARKS = {
    **SPECS,
    "variant": ("set",),
    "board": ("spaces",),
    "deck": ("penalties",),
    "bot": ("style", "weights"),
    "rules": tuple(name for name in Rules.model_fields if name != "name"),
}


def kind_of(data: Mapping[str, Any]) -> str | None:
    """A key of ``FOLDERS``, or a kind of spec; None when the keys of a file tell nothing."""
    return marked(data, _MARKS)


def kind_of_file(path: Path) -> str | None:
    """Kind of a file; None for one that cannot be read or told apart."""
    try:
        return kind_of(read_toml(path).data)
    except BadInput:
        return None


PLACES = Places(FOLDERS, kind_of_file, {"rules": "rules file", "variant": "variant file"})
resolve, names = PLACES.resolve, PLACES.names
