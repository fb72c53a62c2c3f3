"""Restricted play: what it costs a side when its bot may not play a card, or must, on the very same keys.

Each title of the first side's deck, forbidden and obliged, against the free bot, for every bot of a panel: the causal form of "how much
does this card matter", in the hands of these bots (Jaffe and others, 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bhsim.games.game import Game, Side
from bhsim.lab.contest import Contest
from bhsim.stats.intervals import normal_quantile
from bhsim.stats.many import adjusted
from bhsim.stats.paired import Difference, paired_difference

HOW = ("never", "always")


@dataclass(frozen=True)
class Restriction:
    """One contest with a restricted bot, and the contest of the same bot without. Both are numbers of contests."""

    bot: str
    item: str
    how: str
    contest: int
    free: int


@dataclass(frozen=True)
class Cost:
    """What a restriction changed: restricted minus free score, paired by key, and the q-value over the run's restrictions."""

    restriction: Restriction
    free: float
    difference: Difference
    q: float


def restricted_contests(
    game: Game, bundle: Any, sides: Sequence[Side], panel: Sequence[Side], keys: int, first: int
) -> tuple[list[Contest], list[Restriction]]:
    """The contests, numbered from ``first``. panel: the first side once for each bot that it is played with."""
    contests: list[Contest] = []
    restrictions: list[Restriction] = []
    part = game.builds.played

    def add(side: Side, case: str) -> int:
        contests.append(Contest(first + len(contests), game, bundle, (side, *sides[1:]), keys, {"case": case}))
        return contests[-1].number

    for side in panel:
        free = add(side, side.bot)
        for item, copies in game.builds.items(bundle, side, part).items():
            for how in HOW if copies else ():
                other = game.builds.restricted(bundle, side, item, how)
                restrictions.append(Restriction(side.bot, item, how, add(other, other.bot), free))
    return contests, restrictions


def costs(restrictions: Sequence[Restriction], scores: Mapping[int, np.ndarray]) -> list[Cost]:
    """Costs in the order given. scores: of the first side by contest number, mean score of each key, shape (keys,)."""
    found = [Cost(r, float(scores[r.free].mean()), paired_difference(scores[r.contest], scores[r.free]), 1.0) for r in restrictions]
    q = adjusted(np.array([_p(c.difference) for c in found]))
    return [replace(c, q=float(x)) for c, x in zip(found, q, strict=True)]


def _p(d: Difference) -> float:
    """Two-sided p-value that goes with a difference's interval."""
    from scipy.special import ndtr

    half = max(d.high - d.mean, d.mean - d.low)
    return float(2 * ndtr(-abs(d.mean) / half * normal_quantile(0.95))) if half else 0.0
