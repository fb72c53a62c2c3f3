"""Contests that end when their interval is narrow enough: looked at after 1,024, 2,048, 4,096 ... keys, never in between.

The looks are fixed before the run and depend on the keys alone, so the end of a contest depends on neither threads nor blocks. The rule
asks only how wide the interval is, not where it lies, so the interval at the end keeps its level when there are many keys (Chow and
Robbins, 1965); the always-valid one beside it holds whatever made the run end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bhsim.games.game import WHOLE
from bhsim.lab.contest import Contest
from bhsim.stats.intervals import Interval, ScoreInterval, from_keys
from bhsim.stats.sequential import PRIOR_KEYS, always_valid

FIRST_LOOK = 1024
LEVEL = 0.95
REACHED, SPENT = "precision", "max_games"  # why a contest ended


@dataclass(frozen=True)
class StopRule:
    """width: of the 95 % interval of the first side's score, in percent points, at which a contest ends."""

    width: float

    @classmethod
    def of(cls, manifest: dict[str, Any]) -> StopRule | None:
        """The rule of a run; None for a fixed number of games."""
        return cls(manifest["stop"]["precision"]) if "stop" in manifest else None

    def record(self) -> dict[str, Any]:
        """What the manifest says of it, beside each contest's looks."""
        rule = "a contest ends at the first of its looks (in keys) where the interval of the first side's score is no wider than precision"
        return {"precision": self.width, "level": LEVEL, "always_valid_prior_keys": PRIOR_KEYS, "rule": rule}

    def met(self, score: ScoreInterval) -> bool:
        """Whether an interval is narrow enough."""
        return 100 * (score.high - score.low) <= self.width

    def met_by(self, keys: np.ndarray, contest: Contest) -> bool:
        """The same from the histogram of a side's key sums in 60ths (``Counts.keys[0]``)."""
        return self.met(from_keys(np.arange(len(keys)) / (WHOLE * contest.seatings), keys, LEVEL, contest.mirror))


def looks(keys: int) -> tuple[int, ...]:
    """Numbers of keys after which a contest of at most ``keys`` is looked at; the last is ``keys``."""
    found = []
    look = FIRST_LOOK
    while look < keys:
        found.append(look)
        look *= 2
    return (*found, keys)


def lasting(score: ScoreInterval) -> Interval:
    """The always-valid interval of a score, from the variance between its keys."""
    if score.exact:
        return Interval(score.mean, score.mean)
    found = always_valid(score.mean, score.keys, score.se**2 * score.keys, 1 - LEVEL)
    return Interval(min(found.low, score.low), max(found.high, score.high))
