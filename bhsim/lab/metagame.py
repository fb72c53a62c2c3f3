"""What beats what: a field of crews, all match-ups played, as ratings, cycles, an equilibrium, and what of the pool is used.

Estimators are those of ``stats``; errors come from draws of whole keys, since all match-ups met the same ones. docs/meta.md explains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bhsim.games.game import Game, Side
from bhsim.lab.pool import Pool
from bhsim.stats.cycles import Cycle, cyclic_share, cyclic_share_error, noise_of_draws, split, strongest_cycles, three_cycles
from bhsim.stats.davidson import Davidson, davidson
from bhsim.stats.drawn_ratings import DrawnRatings, drawn_ratings
from bhsim.stats.equilibria import Equilibrium, Stability, clusters, dominated, effective_diversity, equilibrium, stability_of
from bhsim.stats.evolution import alpha_sweep
from bhsim.stats.intervals import Interval, ScoreInterval, normal_quantile
from bhsim.stats.paired import Difference, paired_difference
from bhsim.stats.payoffs import advantage, log_odds
from bhsim.stats.pooled import pooled_mean, stretched
from bhsim.stats.ratings import Ratings, bradley_terry, wins_of

DRAWS, MANY_DRAWS, FEW_CREWS = 300, 1_000, 64  # draws of the matrix, more of them in small fields, where they take little
RANKING_GAMES = 2_000  # of a match-up, below which shares of the mixture are no ranking
ALPHAS = (*(10 ** (step / 4) for step in range(-8, 9)), math.inf)  # strengths of selection
TOO_WIDE = 0.5  # half of an interval of a share that says nothing
CYCLES, CYCLES_LOOKED_AT = 5, 400
SEEN = 0.5  # share of the draws that must show a circle
PRIOR = 1.0  # games added to each match-up where some crews never beat the others
LEVEL = 0.95


@dataclass(frozen=True)
class CrewFigures:
    """A crew of the field, by its place. elo: around the mean of the field. mean: against all others, each counting the same.

    nash, nash_sd, held: share in the mixture, its deviation over the draws, and in how many of these the mixture holds the crew at all.
    against: score against the mixture, less one half. worst, best: places of opponents. dominated_by: the crew that most often does at
    least as well against everybody, dominated: in what share of the draws. cluster: Nash cluster, 0 the best. circles: of three crews,
    through this one.
    """

    place: int
    elo: float
    elo_se: float
    mean: ScoreInterval
    nash: float
    nash_sd: float
    held: float
    against: Difference
    worst: int
    best: int
    dominated_by: int | None
    dominated: float
    cluster: int
    circles: int

    @property
    def against_ends(self) -> Interval:
        """Ends of the 95 % interval of the score against the mixture."""
        return Interval(max(0.0, 0.5 + self.against.low), min(1.0, 0.5 + self.against.high))

    @property
    def elo_ends(self) -> Interval:
        """Ends of the rating's 95 % interval."""
        half = normal_quantile(LEVEL) * self.elo_se
        return Interval(self.elo - half, self.elo + half)


@dataclass(frozen=True)
class Circle:
    """Three crews, each of which beats the next and the last the first. sure: share of the draws in which all three do."""

    cycle: Cycle
    rates: tuple[float, float, float]
    sure: float


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval; nan where that says nothing (``TOO_WIDE``). raw: not corrected for chance.

    Around 0, and so also a little below, where there is nothing.
    """

    value: float
    low: float
    high: float
    raw: float


@dataclass(frozen=True)
class Use:
    """An item of the pool: share of the mixture's crews that have it, its deviation over the draws, mean copies; share of all crews.

    sure: share of the draws in which some crew of the mixture has it.
    """

    part: str
    item: str
    share: float
    sd: float
    sure: float
    copies: float
    field: float


@dataclass(frozen=True)
class Metagame:
    """Everything that a field says. crews: in the field's order. prior: games that the ratings needed in each match-up.

    fit: of the ratings' test; davidson: with draws and first player, None in large fields and where some parameter would be infinite.
    first: of the first player over all match-ups. alphas: shape (len(ALPHAS), K).
    """

    pool: Pool
    crews: tuple[CrewFigures, ...]
    ratings: Ratings
    prior: float
    fit: DrawnRatings
    davidson: Davidson | None
    first: Interval
    first_mean: float
    cyclic: Share
    circles: tuple[Circle, ...]
    equilibrium: Equilibrium
    stability: Stability
    draws: int
    diversity: float
    clusters: tuple[tuple[int, ...], ...]
    alphas: np.ndarray
    usage: tuple[Use, ...]

    @property
    def ranked(self) -> list[CrewFigures]:
        """The crews by rating, best first."""
        return sorted(self.crews, key=lambda crew: (-crew.elo, crew.place))

    @property
    def rankable(self) -> bool:
        """Whether there are games enough for shares of the mixture to be a ranking."""
        return self.pool.games >= RANKING_GAMES

    def label(self, place: int) -> str:
        """What the crew of that place is called."""
        return self.pool.crews[place].label


def measure(pool: Pool, seed: int) -> Metagame:
    """The metagame of a field; seed: of the draws."""
    rates = pool.rates
    draws = pool.draws(MANY_DRAWS if len(pool) <= FEW_CREWS else DRAWS, seed)
    found = equilibrium(advantage(rates))
    mixtures = mixtures_of(draws)
    stability = stability_of(mixtures)
    ratings, prior = _rated(pool)
    fit = drawn_ratings(ratings, pool.effective, draws)
    peeled = clusters(advantage(rates))
    beaten = np.mean([dominated(advantage(drawn)) for drawn in draws], axis=0)
    cluster = {place: number for number, members in enumerate(peeled) for place in members}
    circles = three_cycles(rates)
    errors = fit.elo_se
    crews = []
    for place in range(len(pool)):
        others = np.delete(np.arange(len(pool)), place)
        ahead = int(beaten[place].argmax())
        crews.append(
            CrewFigures(
                place,
                float(ratings.elo[place]),
                float(errors[place]),
                pooled_mean(pool.scores_of(place, other) for other in others),
                float(found.mixture[place]),
                float(stability.sd[place]),
                float(stability.held[place]),
                against_mixture(
                    [pool.scores_of(place, other) for other in found.support], found.mixture[list(found.support)], found.support == (place,)
                ),
                int(others[rates[place, others].argmin()]),
                int(others[rates[place, others].argmax()]),
                ahead if beaten[place, ahead] else None,
                float(beaten[place, ahead]),
                cluster[place],
                int(circles[place]),
            )
        )
    firsts = [cell.first for cell in pool.cells.values()]
    return Metagame(
        pool,
        tuple(crews),
        ratings,
        prior,
        fit,
        _by_seat(pool) if len(pool) <= FEW_CREWS else None,
        Interval(*(float(np.mean([getattr(first, end) for first in firsts])) for end in ("low", "high"))),
        float(np.mean([first.mean for first in firsts])),
        _cyclic(pool, draws),
        _circles(pool, draws),
        found,
        stability,
        len(draws),
        effective_diversity(advantage(rates), found.mixture),
        tuple(peeled),
        alpha_sweep(advantage(rates), ALPHAS),
        tuple(_usage(pool, found.mixture, mixtures)),
    )


def against_mixture(scores: Sequence[np.ndarray], mixture: np.ndarray, alone: bool = False) -> Difference:
    """What a crew scores against a mixture, less one half. scores: against each crew of it in each key; mixture: their shares, shape (K,).

    Key k is the same luck for all; where there are more keys against some crews than against others, all are used. The mixture is taken
    as it is: how sure it is itself is another question. alone: it is this crew and no other.
    """
    keys = max(each.size for each in scores)
    each = (mixture @ np.stack([stretched(each, keys) for each in scores])).round(12)  # shares may add up to a little more than 1
    return paired_difference(each, np.full(each.size, 0.5), identical=alone)


def mixtures_of(draws: np.ndarray) -> np.ndarray:
    """The equilibrium mixture of each of the drawn rates, shape (D, K, K): (D, K)."""
    return np.array([equilibrium(advantage(drawn)).mixture for drawn in draws])


def _rated(pool: Pool) -> tuple[Ratings, float]:
    """Bradley-Terry ratings, with a prior only where there are none without."""
    wins = wins_of(pool.rates, pool.effective)
    try:
        return bradley_terry(wins), 0.0
    except ValueError:
        return bradley_terry(wins, PRIOR), PRIOR


def _by_seat(pool: Pool) -> Davidson | None:
    """Ratings with a factor for the first player and draws. None where they would be infinite, or games are not played in two seatings.

    In two seatings of a key each side goes first once. So its score as first player follows from its score and the first player's:
    (first + own - half of the games) / 2. How draws fall on both seatings is not kept; each gets half of them.
    """
    crews = len(pool)
    counts = np.zeros((crews, crews, 3))
    for (i, j), cell in pool.cells.items():
        if cell.games != 2 * cell.scores.size:
            return None
        half, drawn = cell.games / 2, cell.undecided / 2
        own = (cell.first.mean + cell.score.mean - 0.5) * half
        for row, column, score in ((i, j, own), (j, i, cell.first.mean * cell.games - own)):
            won = min(max(score - drawn / 2, 0.0), half - drawn)
            counts[row, column] = won, drawn, half - drawn - won
    try:
        return davidson(counts)
    except ValueError:
        return None


def _cyclic(pool: Pool, draws: np.ndarray) -> Share:
    """Cyclic share of the log-odds, corrected for chance."""
    payoffs, drawn = log_odds(pool.rates, pool.effective), np.array([log_odds(rates, pool.effective) for rates in draws])
    noise = noise_of_draws(drawn)
    value, half = cyclic_share(payoffs, noise), normal_quantile(LEVEL) * cyclic_share_error(drawn, noise)
    if not math.isfinite(value) or not half <= TOO_WIDE:
        return Share(math.nan, math.nan, math.nan, split(payoffs).share)
    return Share(value, value - half, value + half, split(payoffs).share)


def _circles(pool: Pool, draws: np.ndarray) -> tuple[Circle, ...]:
    """The strongest circles in which each crew beats the next, as far as most draws show them."""
    found = []
    for cycle in strongest_cycles(log_odds(pool.rates, pool.effective), CYCLES_LOOKED_AT):
        i, j, k = cycle.crews
        steps = ((i, j), (j, k), (k, i))
        rates = tuple(float(pool.rates[step]) for step in steps)
        if min(rates) > 0.5:
            sure = np.logical_and.reduce([draws[:, a, b] > 0.5 for a, b in steps]).mean()
            if sure >= SEEN:
                found.append(Circle(cycle, rates, float(sure)))
    return tuple(found[:CYCLES])


def _usage(pool: Pool, mixture: np.ndarray, mixtures: np.ndarray) -> list[Use]:
    rows = []
    for part in pool.game.builds.parts:
        for item, copies in copies_of(pool.game, pool.bundle, pool.sides, part).items():
            drawn = shares_with(mixtures, copies)
            share, field = float(shares_with(mixture, copies)), float((copies > 0).mean())
            rows.append(Use(part, item, share, float(drawn.std()), float((drawn > 0).mean()), float(mixture @ copies), field))
    return rows


def copies_of(game: Game, bundle: Any, sides: Sequence[Side], part: str) -> dict[str, np.ndarray]:
    """How often each of the sides has each item of a part, in the pool's order: shape (K,)."""
    held = [game.builds.items(bundle, side, part) for side in sides]
    return {item: np.array([crew[item] for crew in held], float) for item in held[0]}


def shares_with(mixtures: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """What part of the crews of each mixture, shape (..., K), has an item of which they have so many copies: shape (...)."""
    return np.minimum(1.0, np.asarray(mixtures)[..., copies > 0].sum(axis=-1))  # shares may add up to a little more than 1


def varied(found: Metagame) -> list[str]:
    """Parts of which not all crews of the field have the same items."""
    builds, pool = found.pool.game.builds, found.pool
    return [part for part in builds.parts if len({tuple(builds.items(pool.bundle, side, part).values()) for side in pool.sides}) > 1]


def unused(found: Metagame, part: str) -> list[str]:
    """Items of a part that no crew of the mixture has."""
    return [use.item for use in found.usage if use.part == part and not use.share]


def counters(found: Metagame, place: int, most: int) -> list[int]:
    """Crews that beat the one at ``place``, hardest first, at most so many."""
    rates = found.pool.rates[place]
    return [int(j) for j in np.argsort(rates, kind="stable")[:most] if rates[j] < 0.5]
