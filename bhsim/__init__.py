"""bhsim: plays tabletop designs by the million and says what the numbers on the cards do.

    >>> import bhsim
    >>> bhsim.play("purple", "green", set={"runners.gh0st.attack": 3})

docs/api.md describes the functions and what they return. Nothing heavy is imported before one of them is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bhsim.api import BadInput, balance, baseline, check, compare, effects, meta, optimise, plan, play, sensitivity, sweep

__version__ = "0.1.0"
__all__ = [
    "BadInput", "__version__", "balance", "baseline", "check", "compare", "effects", "meta", "optimise", "plan", "play", "sensitivity",
    "sweep",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The functions of ``bhsim.api``, imported when they are wanted."""
    if name in __all__:
        return getattr(import_module("bhsim.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
