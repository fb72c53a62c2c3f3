"""What share of a metagame has each item, at a point of a balance run, and how sure that is: as `bhsim meta` counts it.

The share is that of the equilibrium mixture of the point's rates, and draws of whole keys say what else it may be: a claim on it gets the
p-value 2 (1 + draws on the other side of the limit) / (1 + draws) (Davison and Hinkley, 1997, section 4.2). That alone is too sure. Where
one crew may be a little better than all others, each of its rates has to be right for that, and few draws have all of them so (Efron and
Tibshirani, 1998, The problem of regions). So the share must also keep its side of the limit when all rates of the crews that have the
item are off at once, by as much as Bonferroni allows each of a crew's match-ups. Intervals go with the p-values, so that
``verdicts.judge`` can hold all uses of a run as one family.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.lab import verdicts
from bhsim.lab.balance_found import FoundUsage
from bhsim.lab.metagame import DRAWS, copies_of, mixtures_of, shares_with
from bhsim.lab.pool import CREW, OPPONENT, Pool, assembled, pairs
from bhsim.lab.record import RECORD
from bhsim.lab.store import Folder
from bhsim.lab.verdicts import Claim
from bhsim.stats.intervals import Interval, normal_quantile

DIGITS = 9  # rounded to: the last bits of a machine's linear algebra decide nothing
ROUNDING = 1e-9
TILTS = np.arange(0.25, 5.01, 0.25)  # standard errors that rates are tried to be off by


@dataclass(frozen=True)
class Drawn:
    """A share with its 95 % interval: of draws, and of rates that are off all at once."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Use:
    """The use of an item. claim: that it is at least so much."""

    label: str
    score: Drawn
    claim: Claim


def check_field(usage: FoundUsage, fields: Iterable[Sequence[int]], folder: Folder) -> None:
    """BadInput where a record's contests are not those of the pairs of its crews, or its parts not those of the game. fields: of points."""
    wanted = [{usage.crews[i], usage.crews[j]} for i, j in pairs(len(usage.crews))]
    fits = set(usage.least) <= set(folder.game.builds.parts) and bool(wanted)
    for numbers in fields:
        inside = all(0 <= n < len(folder.contests) for n in numbers)
        fits &= inside and [{folder.contests[n].setting[key] for key in (CREW, OPPONENT)} for n in numbers] == wanted
    if not fits:
        raise BadInput(Fault("what the search found does not fit the contests", file=str(folder.path / RECORD)))


def uses_at(usage: FoundUsage, contests: Sequence[int], folder: Folder) -> list[Use]:
    """The use of every item of the target's parts. contests: of each pair of the field, finished."""
    played = {place: folder.contests[number] for place, number in zip(pairs(len(usage.crews)), contests, strict=True)}
    return uses_of(assembled(folder, usage.crews, played, {}), usage.least, folder.manifest["seed"])


def uses_of(pool: Pool, least: Mapping[str, float], seed: int) -> list[Use]:
    """The same of a field. least: share of each item of a part. seed: of the draws."""
    rates, drawn = pool.rates, pool.draws(DRAWS, seed)
    errors, mixture, mixtures = drawn.std(axis=0), mixtures_of(rates[None])[0], mixtures_of(drawn)
    tilts: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}  # items of the same crews share them
    found = []
    for part, share in least.items():
        for item, copies in copies_of(pool.game, pool.bundle, pool.sides, part).items():
            has = copies > 0
            if has.tobytes() not in tilts:
                tilts[has.tobytes()] = tilted(rates, errors, has, -1), tilted(rates, errors, has, 1)
            value, draws = float(shares_with(mixture, copies)), shares_with(mixtures, copies)
            claim = claimed(value, draws, tilts[has.tobytes()], share, len(pool) - 1, bool(has.all()))
            found.append(Use(f"use of {part}: {item}", Drawn(claim.value, *claim.interval(verdicts.LEVEL)), claim))
    return found


def tilted(rates: np.ndarray, errors: np.ndarray, has: np.ndarray, sign: int) -> np.ndarray:
    """The share of the crews that have an item, shape (K,), if all their rates against all others were off by each of ``TILTS`` errors.

    rates, errors: shape (K, K). sign: -1 if the rates of those who have it were lower, 1 if higher.
    """
    against = has[:, None].astype(float) - has[None, :]
    moved = np.clip(rates + sign * TILTS[:, None, None] * errors * against, 0.0, 1.0)
    return shares_with(mixtures_of((moved + 1 - moved.swapaxes(1, 2)) / 2), has)


def claimed(
    value: float, draws: np.ndarray, tilts: tuple[np.ndarray, np.ndarray], least: float, others: int, certain: bool = False
) -> Claim:
    """That a share is at least so much. draws: what else it may be, shape (D,). tilts: what it comes to at each of ``TILTS``, down and up.

    others: crews that a crew is compared with. certain: all crews have it, so any mixture has. Where an interval would need more draws than
    there are, or errors beyond ``TILTS``, it is all shares.
    """
    ordered = np.sort(np.asarray(draws, float).round(DIGITS))
    value, count = round(value, DIGITS), len(ordered)
    lowest = np.minimum.accumulate(np.append(value, tilts[0]).round(DIGITS))
    highest = np.maximum.accumulate(np.append(value, tilts[1]).round(DIGITS))

    def interval(level: float) -> Interval:
        place = int((1 - level) / 2 * (count + 1) + ROUNDING)
        tilt = 1 + int(np.searchsorted(TILTS, normal_quantile(1 - (1 - level) / others) - ROUNDING))
        if not place or tilt > len(TILTS):
            return Interval(0.0, 1.0)
        return Interval(float(min(lowest[tilt], ordered[place - 1])), float(max(highest[tilt], ordered[-place])))

    def deviation(limit: float) -> Interval:
        from scipy.special import ndtri

        if limit > 1:
            return Interval(-math.inf, -math.inf)
        below = int((ordered < least).sum())
        enough = max((1 + below) / (count + 1), _tail(int((lowest >= least).sum()) - 1, others))
        little = max((1 + count - below) / (count + 1), _tail(int((highest < least).sum()) - 1, others))
        return Interval(-float(ndtri(enough)), float(ndtri(little)))

    known = Interval(value, value)
    return Claim(value, (least, math.inf), deviation, (lambda level: known) if certain else interval, certain)


def _tail(tilts: int, others: int) -> float:
    """One-sided error for which so many of ``TILTS`` must be on the right side of a limit, each comparison counted."""
    from scipy.special import ndtr

    return min(1.0, others * float(ndtr(-TILTS[tilts - 1]))) if tilts > 0 else 1.0
