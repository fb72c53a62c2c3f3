"""Bots as data: a style and named weights over documented features (``features.FEATURES``). Imports no numba."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish.actions import MAX_TITLES
from bhsim.games.skirmish.features import FEATURES
from bhsim.games.skirmish.model import CardSet
from bhsim.games.skirmish.tables import N_WEIGHTS
from bhsim.inputs.models import identifier
from bhsim.inputs.names import match, unknown

STYLES = ("random", "weights")  # by number


Titles = Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=MAX_TITLES)]


class Bot(BaseModel):
    """A bot file: ``style`` random (uniform over legal decisions) or weights (the heuristic bot with these weights).

    never, always: titles that it never plays, and titles that it plays whenever it may; names or ids, ids once ``with_ids`` was asked.
    """

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=40)]
    description: str
    style: Literal["random", "weights"] = "weights"
    weights: dict[str, Annotated[float, Field(ge=-100, le=100)]] = {}
    never: Titles = []
    always: Titles = []

    @model_validator(mode="after")
    def _known(self) -> Bot:
        unknown = sorted(set(self.weights) - set(FEATURES))
        if unknown:
            raise ValueError(f"weights: unknown feature '{unknown[0]}' (allowed: {', '.join(FEATURES)})")
        if self.style == "random" and self.weights:
            raise ValueError("weights: a random bot has none")
        return self

    @property
    def style_number(self) -> int:
        """The style as the kernels know it."""
        return STYLES.index(self.style)

    def compiled(self) -> tuple[int, np.ndarray, list[str], list[str]]:
        """The bot's part of ``tables.compile_side``."""
        return self.style_number, self.vector(), self.never, self.always

    def vector(self) -> np.ndarray:
        """The weights as float64 (N_WEIGHTS,), in the order of ``FEATURES``, defaults filled in."""
        values = np.zeros(N_WEIGHTS)
        for i, (name, feature) in enumerate(FEATURES.items()):
            values[i] = self.weights.get(name, feature.default)
        return values


def with_ids(bot: Bot, cardset: CardSet) -> Bot:
    """The bot with its titles as ids of the card set; BadInput lists those that are unknown, stand twice, or stand in both lists."""
    printed = {key: card.name for key, card in cardset.cards.items()}
    found: dict[str, list[str]] = {"never": [], "always": []}
    faults = []
    for name, ids in found.items():
        for number, title in enumerate(getattr(bot, name)):
            key = match(title, printed, identifier)
            if key is None:
                faults.append(unknown("card", title, printed, f"{name}.{number}"))
            elif key in [*found["never"], *found["always"]]:
                faults.append(
                    Fault("this title stands twice", field=f"{name}.{number}", value=title, allowed="once, in never or in always")
                )
            else:
                ids.append(key)
    if faults:
        raise BadInput(*faults)
    return bot.model_copy(update={name: ids for name, ids in found.items() if ids})
