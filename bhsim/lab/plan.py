"""How many games a question needs, from the variance between the keys of a pilot.

Width W of the 95 % interval: keys = (2 z sd / W)^2. A shift D found with the wanted power: ``stats.paired.keys_needed``.
The gate: ``stats.sprt.course`` on average, ``stats.equivalence.size_needed`` for a number of games fixed beforehand.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.lab.contest import Contest
from bhsim.lab.runs import play
from bhsim.stats.equivalence import size_needed
from bhsim.stats.gate import FIRST_LOOK, Terms
from bhsim.stats.intervals import FEW_DIVERGENT, normal_quantile
from bhsim.stats.paired import keys_needed
from bhsim.stats.sprt import course

LADDER = (5.0, 2.0, 1.0, 0.5, 0.2, 0.1)  # points
SMALLEST = 1e-9  # chance of an error
MIN_PILOT, MAX_PILOT = 100, 1_000_000  # games
GATE = Terms()  # of a match-up of two sides
WARM_KEYS = 4  # played before the clock starts, so that loading the kernels is not taken for playing


@dataclass(frozen=True)
class Pilot:
    """variance: of a key's mean score, or of its difference between two data sets on the same key; separate: of two separate keys.

    games_per_key: in all data sets. seconds: that the games took.
    """

    keys: int
    games_per_key: int
    mean: float
    variance: float
    separate: float | None
    seconds: float

    @property
    def saving(self) -> float | None:
        """Variance that the same keys leave of a difference; None for a single data set."""
        return None if self.separate is None else self.variance / self.separate if self.separate else 1.0

    @property
    def change_variance(self) -> float:
        """Variance of a key's change between two data sets; after a pilot of one, as if they had no luck in common."""
        return 2 * self.variance if self.separate is None else self.variance

    @property
    def seatings(self) -> int:
        """Games of a key in one data set."""
        return self.games_per_key // (1 if self.separate is None else 2)

    @property
    def deals(self) -> str:
        """What a key is called: a pair of games, or a key where it is played in more seatings."""
        return "pairs" if self.seatings == 2 else "keys"

    @property
    def games_per_second(self) -> float:
        """Speed of the pilot on this machine."""
        return self.keys * self.games_per_key / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Step:
    """What a number of points takes, in games of all data sets."""

    points: float
    keys: int
    games: int
    seconds: float


@dataclass(frozen=True)
class GateStep:
    """The gate at a true change of ``points``: its chance to say moved, and what it plays of the new data on average."""

    points: float
    moved: float
    keys: int
    games: int
    seconds: float


def pilot(contests: Sequence[Contest], seed: int, progress: Callable[[int], None] | None = None, **work: Any) -> Pilot:
    """Plays one contest, or two on the same keys, and measures how its keys vary. work: threads, block, executor, as for ``runs.play``."""
    for contest in contests:
        play(replace(contest, keys=WARM_KEYS), seed, **work)
    started = time.perf_counter()
    scores = [_key_scores(contest, seed, progress, work) for contest in contests]
    seconds = time.perf_counter() - started
    games = sum(c.seatings for c in contests)
    if len(scores) == 1:
        variance = 0.0 if contests[0].mirror else _variance(scores[0], (0.0, 1.0))
        return Pilot(len(scores[0]), games, float(scores[0].mean()), variance, None, seconds)
    change = scores[1] - scores[0]
    variance = 0.0 if contests[0].digest() == contests[1].digest() else _variance(change, (-1.0, 1.0))
    return Pilot(len(change), games, float(change.mean()), variance, float(scores[0].var() + scores[1].var()), seconds)


def _key_scores(contest: Contest, seed: int, progress: Callable[[int], None] | None, work: dict[str, Any]) -> np.ndarray:
    parts: list[np.ndarray] = []
    play(contest, seed, progress=progress, sink=lambda unit: parts.append(contest.key_scores(unit.outcomes)), **work)
    return np.concatenate(parts)


def _variance(values: np.ndarray, ends: tuple[float, float]) -> float:
    """Variance between keys; where few differ from the commonest value, one key at each end of what is possible is added."""
    _, counts = np.unique(values.round(12), return_counts=True)
    few = len(values) - int(counts.max()) < FEW_DIVERGENT
    return float(np.append(values, ends).var() if few else values.var())


def for_width(found: Pilot, points: float, level: float = 0.95) -> Step:
    """Games until the interval is no wider than ``points``."""
    keys = max(1, math.ceil((2 * normal_quantile(level) * 100 / points) ** 2 * found.variance))
    return _step(found, points, keys)


def for_shift(found: Pilot, points: float, alpha: float, power: float) -> Step:
    """Games until a shift of ``points`` is found with this power by a two-sided test at ``alpha``."""
    return _step(found, points, max(1, keys_needed(points / 100, found.variance, alpha, power)))


def gate_terms(found: Pilot) -> Terms:
    """The gate's usual terms: of two sides one is tested, both ways; of more each is."""
    return GATE if found.seatings == 2 else replace(GATE, directions=GATE.directions * found.seatings)


def for_gate(found: Pilot, terms: Terms | None = None) -> list[GateStep]:
    """The gate without a change, with one of the margin, and with one of twice the resolution more; empty where no key varies.

    Brownian approximation of each direction by itself: the later of both averages, and not before the first look.
    """
    if not found.change_variance:
        return []
    terms = terms or gate_terms(found)
    steps = []
    for change in (0.0, terms.margin, terms.margin + 2 * terms.resolution):
        both = [
            course(truth, terms.small, terms.large, found.change_variance, terms.alpha / terms.directions, terms.beta)
            for truth in (change, -change)
        ]
        keys = max(FIRST_LOOK, *(math.ceil(one.keys) for one in both))
        games = keys * found.seatings
        moved = min(1.0, sum(one.accepts for one in both))
        steps.append(GateStep(100 * change, moved, keys, games, games / found.games_per_second))
    return steps


def for_fixed_gate(found: Pilot, terms: Terms = GATE) -> int:
    """Games of the new data at which a test of a fixed size shows "unchanged", where nothing changed, with chance 1 - alpha."""
    return found.seatings * max(FIRST_LOOK, size_needed(terms.margin, found.change_variance, terms.beta, 1 - terms.alpha))


def _step(found: Pilot, points: float, keys: int) -> Step:
    games = keys * found.games_per_key
    return Step(points, keys, games, games / found.games_per_second)


def with_steps(asked: float | None) -> list[float]:
    """The ladder of points with the one that was asked for in its place."""
    return sorted({*LADDER, *([asked] if asked else [])}, reverse=True)


def checked_points(name: str, points: float | None) -> None:
    """BadInput unless a number of points can be reached."""
    if points is not None and not 0.001 <= points <= 100:
        raise BadInput(Fault("out of range", field=name, value=points, allowed="0.001 to 100"))


def checked_chances(alpha: float, power: float) -> None:
    """BadInput that lists each chance for which no number of games is an answer: beyond them games come to nothing or to no end."""
    ranges = {"alpha": (alpha, SMALLEST, 0.5), "power": (power, 0.5, 1 - SMALLEST)}
    faults = [
        Fault("out of range", field=name, value=chance, allowed=f"{low:g} to {high:.10g}")
        for name, (chance, low, high) in ranges.items()
        if not low <= chance <= high
    ]
    if faults:
        raise BadInput(*faults)


def checked_pilot(games: int) -> None:
    """BadInput unless a pilot is large enough to show a variance and small enough to be one."""
    if not MIN_PILOT <= games <= MAX_PILOT:
        raise BadInput(Fault("out of range", field="pilot", value=games, allowed=f"{MIN_PILOT} to {MAX_PILOT}"))
