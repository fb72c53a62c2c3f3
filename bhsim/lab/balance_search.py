"""The search for small changes that bring a set into balance. docs/balance.md explains it.

First every single change has a short look. Then, again and again, all that is known is put into a model of what changes do
(``balance_model``), draws from it say which combinations may be the nearest to the target at their cost, and those of which this is least
settled, for the games that it takes, play on: twice as many keys as before. So hopeless changes are left after their first look, and
combinations are tried because their parts together fit. All meet the same keys, from the first key on, and are compared with the
unchanged set key by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.lab.arena import Match
from bhsim.lab.balance_model import DIGITS, Basis, Cell, Model, Seen
from bhsim.lab.balance_problem import Combination, Problem
from bhsim.stats.intervals import FEW_DIVERGENT

PURPOSE = 0x62616C616E6365  # tells the luck of the search's own choices from all other luck of a seed
AIM = 0.3  # limits are drawn in by this share of the way to their middle, so that what is found stands when it is played again
SCREENING = 0.4  # share of the games that the first looks may take, at most
LOOKS = (64, 32, 16, 8)  # keys of the first looks, and of a combination's: the most that the games allow
MOST = 4096  # keys of one combination
BATCH = 6  # combinations that play on between two looks at the model
DRAWS = 64
FINAL_DRAWS = 512
PARENTS = 12  # combinations that others are made of
NEAR = 1.0  # points of distance below which what is unsettled is about as urgent everywhere; farther off it may stay the vaguer
TOLERANCE = 0.15  # points of distance that a dearer point of the front must gain


class Plays(Protocol):
    """What plays (``arena.Arena``)."""

    def scores(self, matches: Sequence[Match], first: int, keys: int) -> np.ndarray:
        """Mean score of the first side of each match in each key from ``first`` on: shape (matches, keys)."""


@dataclass(frozen=True)
class Single:
    """A single change as the search sees it. distance: that it leaves. low, high: of 95 % of the draws.

    first: share of the draws in which it leaves least of all. keys: played in each meeting that it touches.
    """

    option: int
    distance: float
    low: float
    high: float
    first: float
    keys: int


@dataclass(frozen=True)
class Point:
    """A combination on the front. changes: the one that removes most alone stands first. distance, low, high: as in ``Single``."""

    changes: Combination
    cost: float
    distance: float
    low: float
    high: float
    keys: int


@dataclass(frozen=True)
class Searched:
    """singles: nearest to the target first. front: cheapest first, without the unchanged set, whose distance is ``base``; never empty.

    history: games so far and the least distance of any combination, after each look at the model. tried: combinations played.
    """

    base: Point
    singles: tuple[Single, ...]
    front: tuple[Point, ...]
    history: tuple[tuple[int, float], ...]
    games: int
    tried: int


class Bench:
    """Plays combinations, each meeting once for all combinations that are the same to it. games: played so far."""

    def __init__(self, plays: Plays, problem: Problem, seatings: int) -> None:
        self.plays, self.problem, self.seatings = plays, problem, seatings
        self.games = 0
        self._scores: dict[Cell, np.ndarray] = {}

    def cells(self, combination: Combination) -> list[Cell]:
        """One for each meeting."""
        return [(n, self.problem.touching(combination, n)) for n in range(len(self.problem.meetings))]

    def keys(self, combination: Combination) -> int:
        """Keys that every meeting of a combination has played."""
        return min(self._keys(cell) for cell in self.cells(combination))

    def cost(self, wanted: Iterable[tuple[Combination, int]]) -> int:
        """Games that ``play`` would take."""
        return self.seatings * sum(keys for _, _, keys in self._missing(wanted))

    def play(self, wanted: Iterable[tuple[Combination, int]]) -> None:
        """Has each combination play until its meetings have so many keys; those are 8 times a power of 2."""
        parts: dict[tuple[int, int], list[Cell]] = {}
        for cell, first, keys in self._missing(wanted):
            parts.setdefault((first, keys), []).append(cell)
        bundles: dict[Combination, object] = {}
        for (first, keys), cells in sorted(parts.items()):
            matches = []
            for meeting, changes in cells:
                bundle = bundles.setdefault(changes, self.problem.patched(changes))
                matches.append(Match(bundle, self.problem.meetings[meeting].sides))
            for cell, scores in zip(cells, self.plays.scores(matches, first, keys), strict=True):
                self._scores[cell] = np.append(self._scores.get(cell, np.zeros(0)), scores)
            self.games += self.seatings * keys * len(cells)

    def seen(self) -> dict[Cell, Seen]:
        """All cells. A changed one is corrected by how the unchanged set did on the same keys (a control variate)."""
        base = [self._scores[n, ()] for n in range(len(self.problem.meetings))]
        return {cell: _seen(scores, base[cell[0]], not cell[1]) for cell, scores in self._scores.items()}

    def _keys(self, cell: Cell) -> int:
        return len(self._scores.get(cell, ()))

    def _missing(self, wanted: Iterable[tuple[Combination, int]]) -> list[tuple[Cell, int, int]]:
        """Cell, first key and number of keys of every piece that has to be played."""
        until: dict[Cell, int] = {}
        for combination, keys in wanted:
            for cell in self.cells(combination):
                until[cell] = max(until.get(cell, 0), keys)
        pieces = []
        for cell, keys in until.items():
            first = self._keys(cell)
            while first < keys:  # pieces end at the same keys for all, so that those in step are played together
                step = max(first, min(LOOKS)) if first else min(LOOKS)
                pieces.append((cell, first, step))
                first += step
        return pieces


def _seen(scores: np.ndarray, base: np.ndarray, unchanged: bool) -> Seen:
    """Estimate of a rate, with a variance that few keys cannot make too small."""
    keys = len(scores)
    mean, spread = float(scores.mean()), float(scores.var())
    if not unchanged:
        mate = base[:keys]
        own = float(mate.var())
        share = float(np.clip(((scores - mean) * (mate - mate.mean())).mean() / own, 0, 1)) if own > 0 else 0.0
        mean -= share * float(mate.mean() - base.mean())
        spread = float((scores - share * mate).var()) + share**2 * own * keys / len(base)
    spread = (spread * keys + 0.25) / (keys + 1) if keys < 8 * FEW_DIVERGENT else spread  # one lost and one won key, halved
    edge = 1 / (2 * keys + 2)
    return Seen(float(np.clip(mean, edge, 1 - edge)), max(spread, 1e-4) / keys, keys)


def least_games(problem: Problem, seatings: int) -> int:
    """Fewest games for a search: every single change has the shortest look, which may take a share of all."""
    cells = len(problem.meetings) + sum(len(option.touches) for option in problem.options)
    return int(np.ceil(min(LOOKS) * seatings * cells / SCREENING))


def search(plays: Plays, problem: Problem, seatings: int, games: int, seed: int) -> Searched:
    """The front of distance against cost, by a budget of games.

    seatings: games of a key. seed: of the search's choices; the luck of its games is that of ``plays``. BadInput for fewer games than
    ``least_games``.
    """
    if games < (least := least_games(problem, seatings)):
        raise BadInput(Fault("too few to look at every single change", field="games", value=games, allowed=f"{least} or more"))
    return _Search(plays, problem, seatings, games, np.random.default_rng([seed, PURPOSE])).run()


class _Search:
    """The state of a search."""

    def __init__(self, plays: Plays, problem: Problem, seatings: int, games: int, rng: np.random.Generator) -> None:
        self.problem, self.games, self.rng = problem, games, rng
        self.bench, self.basis = Bench(plays, problem, seatings), Basis(problem)
        self.aim = problem.targets.drawn_in(AIM)
        self.singles: list[Combination] = [(n,) for n in range(len(problem.options))]
        self.tried: dict[Combination, None] = dict.fromkeys([(), *self.singles])  # in the order in which they came up
        self.legal: dict[Combination, bool] = dict.fromkeys(self.tried, True)
        self.history: list[tuple[int, float]] = []
        self.first = min(LOOKS)  # keys of a combination when it first plays on, and of a point of the front at least

    def run(self) -> Searched:
        """First looks, rounds until the games are used up, and what came of it."""
        every = [(), *self.singles]
        look = next(k for k in LOOKS if k == min(LOOKS) or self.bench.cost((c, k) for c in every) <= SCREENING * self.games)
        self.bench.play([((), 2 * look), *((c, look) for c in self.singles)])
        self.first = self._first()
        while True:
            wanted = self._next(Model(self.problem, self.basis, self.bench.seen()))
            if not wanted:
                break
            self.bench.play(wanted)
            self.tried |= dict.fromkeys(c for c, _ in wanted)
        return self._result(Model(self.problem, self.basis, self.bench.seen()))

    def _next(self, model: Model) -> list[tuple[Combination, int]]:
        """Combinations to play on, each with its keys then, as far as the games go; nothing when they are used up."""
        pool = self._pool(model)
        rates = model.rates(pool, self.rng, DRAWS)
        distances = self.aim.distance(self.aim.values(rates))
        self.history.append((self.bench.games, float(distances[0].min().round(6))))
        costs = np.array([self.problem.cost(c) for c in pool])
        unsettled = on_front(costs, distances).mean(axis=0) * distances.std(axis=0) / (NEAR + distances.mean(axis=0))
        steps = [self._step(c) for c in pool]
        games = [self.bench.cost(step) for step in steps]
        urgency = unsettled / np.sqrt(np.maximum(games, 1))
        wanted: list[tuple[Combination, int]] = []
        left = self.games - self.bench.games
        for place in np.argsort(-urgency.round(DIGITS), kind="stable"):
            if not urgency[place] or len(wanted) == 2 * BATCH:
                break
            fits = games[place] and self.bench.cost([*wanted, *steps[place]]) <= left
            if fits and self._is_legal(pool[place]):
                wanted += steps[place]
        return wanted

    def _step(self, combination: Combination) -> list[tuple[Combination, int]]:
        """What it takes for a combination to play on: twice its keys, and the unchanged set always has twice as many as any other."""
        return self._until(combination, min(MOST, max(self.first, 2 * self.bench.keys(combination))))

    def _until(self, combination: Combination, keys: int) -> list[tuple[Combination, int]]:
        return [((), 2 * keys), (combination, keys)]

    def _first(self) -> int:
        """The most keys, of those of first looks, that the games left allow the dearest singles of a batch; else the fewest."""
        left = self.games - self.bench.games
        dearest = sorted(self.singles, key=lambda c: -len(self.problem.options[c[0]].touches))[:BATCH]
        affordable = (k for k in LOOKS if self.bench.cost(w for c in dearest for w in self._until(c, k)) <= left)
        return next(affordable, min(LOOKS))

    def _pool(self, model: Model) -> list[Combination]:
        """All that was tried, and what the best of it becomes by one change more, less, or otherwise."""
        tried = list(self.tried)
        rates = model.rates(tried, self.rng, DRAWS)
        mean = self.aim.distance(self.aim.values(rates)).mean(axis=0)
        costs = np.array([self.problem.cost(c) for c in tried])
        front = set(np.flatnonzero(on_front(costs, mean[None])[0]))
        best = sorted(range(len(tried)), key=lambda n: (n not in front, mean[n].round(6), n))[: 2 * PARENTS]
        parents = sorted(best, key=lambda n: mean[n].round(6))[:PARENTS]
        found = dict.fromkeys(tried)
        for place in parents:
            found |= dict.fromkeys(self._around(tried[place]))
        return list(found)

    def _around(self, combination: Combination) -> Iterable[Combination]:
        options = self.problem.options
        paths = {options[n].path: n for n in combination}
        for number, option in enumerate(options):
            if option.path in paths:
                yield tuple(sorted({*combination, number} - {paths[option.path]}))
                yield tuple(sorted({*combination} - {paths[option.path]}))
            elif len(combination) < self.problem.max_changes:
                yield tuple(sorted({*combination, number}))

    def _is_legal(self, combination: Combination) -> bool:
        if combination not in self.legal:
            self.legal[combination] = self.problem.fault_of(combination) is None
        return self.legal[combination]

    def _result(self, model: Model) -> Searched:
        vouched = [c for c in self.tried if c and self.bench.keys(c) >= self.first]
        shown = [(), *self.singles, *(c for c in vouched if len(c) > 1)]
        rates = model.rates(shown, self.rng, FINAL_DRAWS)
        aimed = self.aim.distance(self.aim.values(rates))
        true = self.problem.targets.distance(self.problem.targets.values(rates))
        place = {c: n for n, c in enumerate(shown)}
        ends = np.quantile(true, (0.025, 0.975), axis=0).round(6)
        leaves = aimed.mean(axis=0).round(6)
        alone = aimed[:, 1 : 1 + len(self.singles)]
        firsts = np.bincount(alone.argmin(axis=1), minlength=len(self.singles)) / FINAL_DRAWS

        def point(combination: Combination) -> Point:
            n = place[combination]
            ordered = tuple(sorted(combination, key=lambda o: (leaves[place[o,]], o)))
            numbers = (float(x[n]) for x in (true[0].round(6), *ends))
            return Point(ordered, self.problem.cost(combination), *numbers, self.bench.keys(combination))

        singles = [
            Single(n, *(float(x[1 + n]) for x in (true[0].round(6), *ends)), float(firsts[n]), self.bench.keys((n,)))
            for n in sorted(range(len(self.singles)), key=lambda n: (leaves[1 + n], n))
        ]
        # Where nothing seems to gain anything the nearest is played again all the same: fresh keys say it, not the search.
        front = self._front(vouched, leaves, place) or [min(shown[1:], key=lambda c: (leaves[place[c]], self.problem.cost(c)))]
        return Searched(point(()), tuple(singles), tuple(map(point, front)), tuple(self.history), self.bench.games, len(self.tried) - 1)

    def _front(self, candidates: Sequence[Combination], leaves: np.ndarray, place: Mapping[Combination, int]) -> list[Combination]:
        """Those that gain something for their cost, the unchanged set being free; cheapest first. leaves: distances by ``place``."""
        every = [(), *candidates]
        costs, means = np.array([self.problem.cost(c) for c in every]), np.array([leaves[place[c]] for c in every])
        order = np.lexsort((means, costs))
        return [every[n] for n in order[gaining(means[order], TOLERANCE)] if every[n]]


def on_front(costs: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Which combinations nobody cheaper comes as near as, shape (draws, M).

    costs: shape (M,). distances: shape (draws, M). Of equal cost, the nearest.
    """
    found = np.zeros(distances.shape, bool)
    for draw, row in enumerate(distances):
        order = np.lexsort((row, costs))
        best = np.minimum.accumulate(np.append(np.inf, row[order]))[:-1]
        found[draw, order] = row[order] < best
    return found


def gaining(row: np.ndarray, tolerance: float) -> np.ndarray:
    """Which of a row, in order of cost, are nearer by more than the tolerance than the last one that was."""
    kept, best = np.zeros(len(row), bool), np.inf
    for place, value in enumerate(row):
        if value < best - tolerance:
            kept[place], best = True, value
    return kept
