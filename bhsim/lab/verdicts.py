"""Three verdicts against limits: ok, not ok, undecided, with false ones kept in check over all numbers of a kind.

A family is all numbers of one kind in a run: first sides' scores, first players' scores, crews' means, differences. Each number gets the
p-value at which its two-sided interval would just come to lie inside or outside of its limits; q-values are Benjamini and Hochberg's
(1995). With R of K numbers at q <= 5 % the interval behind every verdict of the family has level 1 - 5 % R/K (Benjamini and Yekutieli,
2005; R at least 1), and the verdict is where this interval lies: inside, outside, or across a limit. So an expected share of at most 5 %
of what is decided is decided wrongly. What is known without chance (a mirror match, equal data) is no member of the family.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bhsim.stats.intervals import Interval, ScoreInterval, around, normal_quantile
from bhsim.stats.many import Verdict, adjusted, verdict
from bhsim.stats.paired import Difference

FALSE_SHARE = 0.05
LEVEL = 1 - FALSE_SHARE
Family = Literal["cell", "first", "crew", "difference"]


@dataclass(frozen=True)
class Claim:
    """A number to be judged. interval: at a level. certain: known without chance.

    deviation: its distance from a limit in standard errors, were the limit true: the least and the most that the interval's parts make it.
    """

    value: float
    limits: tuple[float, float]
    deviation: Callable[[float], Interval]
    interval: Callable[[float], Interval]
    certain: bool = False


@dataclass(frozen=True)
class Judged:
    """A verdict on a number, all in shares (differences: of shares). q: corrected for the family; low, high: the interval at ``level``."""

    value: float
    limits: tuple[float, float]
    low: float
    high: float
    level: float
    q: float
    verdict: Verdict

    @property
    def decision(self) -> str:
        """The verdict, with the side on which a number is not ok: what bots can disagree on."""
        if self.verdict != "not ok":
            return self.verdict
        return "too high" if self.value > self.limits[1] else "too low"


def of_score(score: ScoreInterval, limits: tuple[float, float]) -> Claim:
    """A score; deviations and intervals are those of ``stats.intervals.around``, so that they agree."""
    centre = (score.mean * score.keys + 1) / (score.keys + 2) if score.corrected else score.mean

    def deviation(limit: float) -> Interval:
        if not 0 < limit < 1:  # no score lies beyond
            far = np.inf if limit <= 0 else -np.inf
            return Interval(far, far)
        found = [(centre - limit) / (limit * (1 - limit) / score.n_eff) ** 0.5]
        if score.corrected:
            found.append((score.mean - limit) / (centre * (1 - centre) / score.n_eff) ** 0.5)
        return Interval(min(found), max(found))

    def interval(level: float) -> Interval:
        return around(score.mean, centre, score.n_eff, level, score.corrected)

    return _claim(score.mean, limits, deviation, interval, score.exact)


def of_difference(gap: Difference, limits: tuple[float, float]) -> Claim:
    """A difference, with the two keys that widen it when few differ."""
    added = 2 if gap.corrected else 0
    keys, total = gap.keys + added, gap.mean * gap.keys
    squares = (gap.se**2 * gap.keys + gap.mean**2) * gap.keys + added
    centre = total / keys
    se = max(0.0, squares / keys - centre**2) ** 0.5 / keys**0.5

    def deviation(limit: float) -> Interval:
        found = (centre - limit) / se if se else np.inf * np.sign(centre - limit)
        return Interval(found, found)

    def interval(level: float) -> Interval:
        half = normal_quantile(level) * se
        return Interval(max(-1.0, min(centre - half, gap.mean)), min(1.0, max(centre + half, gap.mean)))

    return _claim(gap.mean, limits, deviation, interval, gap.identical)


def _claim(
    value: float,
    limits: tuple[float, float],
    deviation: Callable[[float], Interval],
    interval: Callable[[float], Interval],
    certain: bool,
) -> Claim:
    return Claim(value, limits, deviation, (lambda level: Interval(value, value)) if certain else interval, certain)


def judge(claims: Sequence[Claim]) -> list[Judged]:
    """Verdicts on a family, in its order."""
    chance = [c for c in claims if not c.certain]
    p = np.array([_p_value(c) for c in chance])
    q = iter(adjusted(p, "bh").tolist())
    decided = int((adjusted(p, "bh") <= FALSE_SHARE).sum())
    level = 1 - FALSE_SHARE * max(decided, 1) / max(len(chance), 1)
    judged = []
    for claim in claims:
        found = claim.interval(level)
        answer = verdict(found.low, found.high, *claim.limits)
        judged.append(Judged(claim.value, claim.limits, found.low, found.high, level, 0.0 if claim.certain else next(q), answer))
    return judged


def _p_value(claim: Claim) -> float:
    """The smallest error at which a two-sided interval decides: it lies inside both limits, or beyond one of them."""
    from scipy.special import ndtr

    from_low, from_high = claim.deviation(claim.limits[0]), claim.deviation(claim.limits[1])
    inside = max(ndtr(-from_low.low), ndtr(from_high.high))
    outside = min(ndtr(from_low.high), ndtr(-from_high.low))
    return float(min(1.0, 2 * min(inside, outside)))
