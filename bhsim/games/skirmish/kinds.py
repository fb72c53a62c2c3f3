"""What kind of file a text is, judged by its keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput
from bhsim.games.kinds import SPECS, marked
from bhsim.games.skirmish.features import FEATURES
from bhsim.games.skirmish.model import CardSet, Rig, Rules, Runner
from bhsim.inputs.document import read_toml

KINDS = ("cardset", "crew", "deck", "board", "rules", "variant", "bot", "position")
KEYS = frozenset(key for model in (CardSet, Runner, Rig, Rules) for key in model.model_fields) | {*FEATURES, "crews", "decks", "states"}


def kind_of(data: Mapping[str, Any]) -> str | None:
    """One of ``KINDS``, or a kind of spec; None when the keys tell nothing."""
    cards = data.get("cards")
    if isinstance(cards, Mapping) and any(isinstance(copies, int) for copies in cards.values()):
        return "deck"
    return marked(data, _MARKS)


_MARKS = {
    "position": ("seats",),
    **SPECS,
    "crew": ("members",),
    "variant": ("set",),
    "board": ("picture", "nodes"),
    "bot": ("weights", "style", "never", "always"),
    "cardset": ("runners", "rigs", "cards", "include"),
    "rules": tuple(name for name in Rules.model_fields if name != "name"),
}


def kind_of_file(path: Path) -> str | None:
    """Kind of a file; text files are decks; None for one that cannot be read or told apart."""
    if path.suffix == ".txt":
        return "deck"
    try:
        return kind_of(read_toml(path).data)
    except BadInput:
        return None
