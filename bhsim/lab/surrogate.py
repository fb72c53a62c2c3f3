"""What a build is worth, guessed from its pieces: a straight-line model that shares what all builds of a search have shown.

A build's value is the sum of what its pieces are worth and a rest of its own. Pieces are read off plain data (``Space.parts_of``): members
of lists, their fields, two that stand in one member or in one list together, and copies of what is counted. Weights and rest are normal
with unknown scales, each pair of which counts as much as it makes the results seen likely (MacKay, 1992, "Bayesian interpolation").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

TOGETHER = 0.5  # what two pieces do together is taken to be smaller than what each does, by this factor
WEIGHT_SCALES = (0.003, 0.01, 0.02, 0.04, 0.08)  # standard deviations of a piece's worth, in shares of a win
REST_SCALES = (0.003, 0.01, 0.02, 0.04, 0.08)
UNLIKELY = 0.01  # chance of a pair of scales below which it is left out
DIGITS = 6  # estimates are rounded, so that the last bits of a library's sums decide nothing


def pieces(parts: Mapping[str, Any]) -> dict[str, float]:
    """The pieces of a build, by name. parts: lists of flat tables, and tables of counts."""
    found: dict[str, float] = {}
    for part, content in parts.items():
        if isinstance(content, Mapping):
            found |= {f"{part}.{name}": float(count) for name, count in content.items()}
            continue
        members = [[f"{part}.{field}={value}" for field, value in member.items()] for member in content]
        for member in members:
            found |= dict.fromkeys(member, 1.0) | {" with ".join(pair): TOGETHER for pair in combinations(member, 2)}
        for fields in zip(*members, strict=True):
            found |= {" beside ".join(sorted(pair)): TOGETHER for pair in combinations(fields, 2)}
    return found


class Surrogate:
    """Fitted to what was seen. builds: pieces of each; values: what it scored, shape (N,); noise: variance of that, shape (N,), above 0."""

    def __init__(self, builds: Sequence[Mapping[str, float]], values: np.ndarray, noise: np.ndarray) -> None:
        self._columns = {name: place for place, name in enumerate(dict.fromkeys(name for build in builds for name in build))}
        varied = np.ptp(self._table(builds), axis=0) > 0
        self._columns = {name: place for place, name in enumerate(n for n, v in zip(self._columns, varied, strict=True) if v)}
        self._seen = self._table(builds)
        fits = [_Fit(self._seen, values, noise, rest) for rest in REST_SCALES]
        scaled = [(fit, scale) for fit in fits for scale in WEIGHT_SCALES]
        evidence = np.array([fit.evidence(scale) for fit, scale in scaled])
        chances = np.exp(evidence - evidence.max())
        chances = np.where(chances < UNLIKELY * chances.sum(), 0, chances)
        self._chances = (chances / chances.sum()).round(DIGITS)
        self._lines = [_Line(*pair) if chance else None for pair, chance in zip(scaled, self._chances, strict=True)]

    def estimates(self) -> np.ndarray:
        """What each build that was seen is worth, shape (N,): its guess, and of its own rest as much as its plays vouch for."""
        return self._mean(lambda line: line.estimates(self._seen))

    def guesses(self, builds: Sequence[Mapping[str, float]]) -> np.ndarray:
        """What other builds are likely worth, shape (builds,)."""
        table = self._table(builds)
        return self._mean(lambda line: line.guesses(table))

    def draws(self, builds: Sequence[Mapping[str, float]], count: int, rng: np.random.Generator) -> np.ndarray:
        """What other builds may be worth, shape (count, builds): each row is one draw of scales and weights, as likely as they are."""
        table = self._table(builds)
        chosen = rng.choice(len(self._lines), count, p=self._chances / self._chances.sum())
        drawn = [line.draw(table, rng) for place in chosen if (line := self._lines[place]) is not None]
        return np.array(drawn).reshape(count, len(builds)).round(DIGITS)

    def _mean(self, of: Callable[[_Line], np.ndarray]) -> np.ndarray:
        """Over all scales, each as likely as it is."""
        lines = [(chance, line) for chance, line in zip(self._chances, self._lines, strict=True) if line is not None]
        return (sum(chance * of(line) for chance, line in lines) / sum(chance for chance, _ in lines)).round(DIGITS)

    def _table(self, builds: Sequence[Mapping[str, float]]) -> np.ndarray:
        """Pieces in columns; one that is the same in all fitted builds is left out."""
        table = np.zeros((len(builds), len(self._columns)))
        for row, build in zip(table, builds, strict=True):
            for name, amount in build.items():
                if name in self._columns:
                    row[self._columns[name]] = amount
        return table


class _Fit:
    """The model at one scale of the rest, ready for every scale of the weights."""

    def __init__(self, table: np.ndarray, values: np.ndarray, noise: np.ndarray, rest: float) -> None:
        self.values, self.vouched = values, rest**2 / (noise + rest**2)
        variance = noise + rest**2
        share = 1 / variance / (1 / variance).sum()
        self.level, self.centre = float(share @ values), share @ table
        scaled, off = (table - self.centre) / np.sqrt(variance)[:, None], (values - self.level) / np.sqrt(variance)
        strengths, self.axes = np.linalg.eigh(scaled.T @ scaled)
        self.strengths = np.maximum(strengths, 0)
        self.pull = self.axes.T @ (scaled.T @ off)
        self._constant = float(np.log(variance).sum() + off @ off)

    def evidence(self, scale: float) -> float:
        """Log likelihood of the values, but for a constant."""
        inside = self.strengths + scale**-2
        return float((self.pull**2 / inside).sum() - np.log(inside * scale**2).sum() - self._constant) / 2


class _Line:
    """The weights at both scales: their mean, and the symmetric root of their covariance.

    Of all roots that one does not depend on which of many equally good axes a library finds.
    """

    def __init__(self, fit: _Fit, scale: float) -> None:
        inside = fit.strengths + scale**-2
        self._fit, self._weights = fit, fit.axes @ (fit.pull / inside)
        self._root = (fit.axes / np.sqrt(inside)) @ fit.axes.T

    def guesses(self, table: np.ndarray) -> np.ndarray:
        return self._fit.level + (table - self._fit.centre) @ self._weights

    def draw(self, table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        weights = self._weights + rng.standard_normal(len(self._weights)) @ self._root
        return self._fit.level + (table - self._fit.centre) @ weights

    def estimates(self, seen: np.ndarray) -> np.ndarray:
        guess = self.guesses(seen)
        return guess + self._fit.vouched * (self._fit.values - guess)
