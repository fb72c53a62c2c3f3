"""What kind of file a text is, judged by its keys: what all games share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Marks = Mapping[str, tuple[str, ...]]

# Specs say what to play, of any game; lab/checkfiles.py checks them.
SPECS: Marks = {
    "sensitivity": ("factors",),
    "balance": ("changes",),
    "sweep": ("opponents", "axes", "crews", "panel", "game", "players", "bots"),
}


def marked(data: Mapping[str, Any], marks: Marks) -> str | None:
    """The first kind that has any of its marks among the keys; None when the keys tell nothing."""
    return next((kind for kind, keys in marks.items() if any(key in data for key in keys)), None)


def keys_in(data: Any) -> frozenset[str]:
    """Every key at any depth; a path counts as its parts."""
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    own = (part for key in data for part in key.split(".")) if isinstance(data, dict) else ()
    return frozenset(own).union(*map(keys_in, inner))
