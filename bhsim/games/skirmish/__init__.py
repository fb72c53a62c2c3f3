"""The skirmish game "Black Hats". ``new_game`` sets up a game to play by hand; it is imported only when asked for, with numba."""

from __future__ import annotations

from typing import Any

__all__ = ["Decision", "Table", "new_game"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from bhsim.games.skirmish import table

        return getattr(table, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
