"""Did a rate move? Sequential tests on differences key by key, with error rates that hold for any number of looks.

For each direction, the mean change of a key's score being ``small`` is tested against its being ``large`` (GSPRT, ``stats.sprt``).
Looks happen only at fixed numbers of keys, so that whoever plays the keys cannot change the answer. An ordinary test at each look, or
an equivalence test repeated until it passes, would alarm or pass far more often than it says. Formulas: docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bhsim.stats.intervals import Interval, moments, normal_quantile
from bhsim.stats.sequential import always_valid
from bhsim.stats.sprt import bounds, llr, with_floor

FIRST_LOOK, LOOK_EVERY = 512, 256  # keys
UP, DOWN = 0, 1
SIGNS = (1, -1)
ENDS = (-1.0, 1.0)  # of a difference of two scores


class Verdict(StrEnum):
    """What a gate can say; ``identical`` needs no game."""

    identical = "identical"
    unchanged = "unchanged"
    moved = "moved"
    undecided = "undecided"


@dataclass(frozen=True)
class Terms:
    """What counts as moved, in scores 0..1, and the error rates.

    A mean change up to ``margin - resolution`` is small, one of ``margin + resolution`` or more is large, and either answer is right in
    between. alpha: chance that a gate of any number of cells calls a small change moved; it is divided by ``directions``, the tests of
    all cells and directions. beta: chance of missing a large change in a direction.
    """

    margin: float = 0.02
    resolution: float = 0.01
    alpha: float = 0.05
    beta: float = 0.05
    directions: int = 2

    @property
    def small(self) -> float:
        """Mean change of the first hypothesis."""
        return self.margin - self.resolution

    @property
    def large(self) -> float:
        """Mean change of the second hypothesis."""
        return self.margin + self.resolution

    @property
    def thresholds(self) -> Interval:
        """Where the log-likelihood ratio accepts small and large."""
        return bounds(self.alpha / self.directions, self.beta)


def looks(keys: int) -> Iterator[int]:
    """Numbers of keys at which a test of at most ``keys`` keys looks: 512, 768, ... and the last."""
    yield from range(FIRST_LOOK, keys, LOOK_EVERY)
    yield keys


class Watch:
    """The sequential test of one side's score in one cell, or of the share of games cut off, in the directions asked for.

    whole: the units that a score of 1 has (differences come as whole numbers). counts: keys by difference, shape (2 * whole + 1,).
    ratios: log-likelihood ratios at the last look, 0 where nothing is tested. accepted: for up and down "small", "large" or None.
    """

    def __init__(self, terms: Terms, whole: int, directions: tuple[int, ...] = (UP, DOWN)) -> None:
        self.terms, self.whole, self.directions = terms, whole, directions
        self.values = np.arange(-whole, whole + 1) / whole
        self.counts = np.zeros(2 * whole + 1, np.int64)
        self.ratios = [0.0, 0.0]
        self.accepted: list[str | None] = [None, None]

    def add(self, differences: np.ndarray) -> None:
        """Counts keys; differences: whole numbers -whole..whole, shape (n,)."""
        self.counts += np.bincount(differences + self.whole, minlength=len(self.counts))

    def look(self) -> None:
        """Tests each direction that is still open."""
        low, high = self.terms.thresholds
        seen = self.counts > 0
        for direction in self.directions:
            if self.accepted[direction]:
                continue
            sign = SIGNS[direction]
            ratio = llr(sign * self.values[seen], self.counts[seen], self.terms.small, self.terms.large, ENDS, floored=True)
            self.ratios[direction] = ratio
            self.accepted[direction] = "large" if ratio >= high else "small" if ratio <= low else None

    def test_fixed(self) -> None:
        """The test of a number of keys that was fixed before: one-sided against the margin, and TOST for "unchanged"."""
        from scipy.special import ndtri

        mean, deviation = self.mean, math.sqrt(self.floored_variance / self.keys)
        above, within = float(ndtri(1 - self.terms.alpha / self.terms.directions)), float(ndtri(1 - self.terms.beta))
        for direction in self.directions:
            sign = SIGNS[direction]
            beyond = (sign * mean - self.terms.margin) / deviation
            self.ratios[direction] = beyond
            self.accepted[direction] = "large" if beyond >= above else "small" if beyond <= -within else None

    @property
    def keys(self) -> int:
        """Keys counted."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Mean difference."""
        return float(self.values @ self.counts) / self.keys

    @property
    def verdict(self) -> Verdict:
        """Of this side alone."""
        if "large" in self.accepted:
            return Verdict.moved
        open_still = any(self.accepted[direction] is None for direction in self.directions)
        return Verdict.undecided if open_still else Verdict.unchanged

    def interval(self, level: float = 0.95) -> Interval:
        """Always-valid interval of the mean difference, with the variance of the sample floored as the test floors it."""
        return always_valid(self.mean, self.keys, self.floored_variance, 1 - level, FIRST_LOOK, ENDS)

    def interval_fixed(self, level: float = 0.95) -> Interval:
        """Interval of the mean difference when the number of keys was fixed before."""
        half = normal_quantile(level) * math.sqrt(self.floored_variance / self.keys)
        return Interval(max(ENDS[0], self.mean - half), min(ENDS[1], self.mean + half))

    @property
    def floored_variance(self) -> float:
        """Variance of a key's difference, with one key more at each end while few keys differ."""
        return moments(self.values, with_floor(self.counts))[1]
