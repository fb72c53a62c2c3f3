"""Bots as data: a style and named weights over documented features (``features.FEATURES``). Imports no numba."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from bhsim.games.tricks.features import FEATURES
from bhsim.games.tricks.tables import N_WEIGHTS
from bhsim.inputs.names import suggestion

STYLES = ("random", "weights")  # by number


def _known(weight: str) -> str:
    if weight not in FEATURES:
        raise ValueError(f"unknown weight{suggestion(weight, FEATURES)} (allowed: {', '.join(FEATURES)})")
    return weight


class Bot(BaseModel):
    """A bot file: ``style`` random (uniform over legal decisions) or weights (the heuristic bot with these weights)."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=40)]
    description: str
    style: Literal["random", "weights"] = "weights"
    weights: dict[Annotated[str, AfterValidator(_known)], Annotated[float, Field(ge=-100, le=100)]] = {}

    @model_validator(mode="after")
    def _random_without_weights(self) -> Bot:
        if self.style == "random" and self.weights:
            raise ValueError("weights: a random bot has none")
        return self

    @property
    def style_number(self) -> int:
        """The style as the kernels know it."""
        return STYLES.index(self.style)

    def named(self) -> dict[str, float]:
        """Every weight, defaults filled in, in the order of ``FEATURES``."""
        return {name: self.weights.get(name, feature.default) for name, feature in FEATURES.items()}

    def vector(self) -> np.ndarray:
        """The same as float64 (N_WEIGHTS,), which a kernel reads."""
        values = np.zeros(N_WEIGHTS)
        values[: len(FEATURES)] = list(self.named().values())
        return values
