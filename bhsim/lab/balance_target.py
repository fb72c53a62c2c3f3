"""How far rates lie from what is wanted: the distance that `bhsim balance` makes smaller. docs/balance.md explains it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Targets:
    """Numbers with limits. weights: shape (T, C), a number is such a sum of the rates of C meetings. low, high, middle: shape (T,), shares.

    labels: what each number is called. middle: where a number lies best, and what limits are drawn in towards.
    """

    labels: tuple[str, ...]
    weights: np.ndarray
    low: np.ndarray
    high: np.ndarray
    middle: np.ndarray

    def values(self, rates: np.ndarray) -> np.ndarray:
        """The numbers, shape (..., T), of rates of the meetings, shape (..., C)."""
        return np.asarray(rates) @ self.weights.T

    def excess(self, values: np.ndarray) -> np.ndarray:
        """How far each number lies beyond its limits, shape (..., T); 0 inside."""
        return np.maximum(0.0, np.maximum(self.low - values, values - self.high))

    def distance(self, values: np.ndarray, variances: np.ndarray | float = 0.0) -> np.ndarray:
        """Root mean square of the excesses in percent points, shape (...).

        variances: of the numbers, shape (..., T), where they are estimates: each that lies outside adds its variance to its squared excess
        on average, so that is taken off again, and chance does not make what is fair look unfair.
        """
        excess = self.excess(values)
        squares = (excess**2 - np.where(excess > 0, variances, 0.0)).mean(axis=-1)
        return 100 * np.sqrt(np.maximum(squares, 0.0))

    def ends(self, lows: np.ndarray, highs: np.ndarray) -> tuple[float, float]:
        """Distances if every number lay where its interval is nearest to the limits, and where it is farthest; shape (T,) each."""
        nearest = np.clip(self.middle, lows, highs)  # the middle lies inside of the limits
        farthest = np.where(self.excess(lows) > self.excess(highs), lows, highs)
        return float(self.distance(nearest)), float(self.distance(farthest))

    def drawn_in(self, share: float) -> Targets:
        """With limits moved towards the middles by a share of the way; 0 and 1 are no limits and stay."""
        low = np.where(self.low > 0, self.low + share * (self.middle - self.low), self.low)
        high = np.where(self.high < 1, self.high + share * (self.middle - self.high), self.high)
        return replace(self, low=low, high=high)
