"""The search for the best build: all of them where they are few, else an evolution; then halving on shared keys. docs/optimise.md explains.

An evolution lets the best builds so far have children, gives every new one a short look, and lets those that stay among the best play on.
All who play in a generation, or in a round of the halving, meet the same keys; the next one meets others, so that nothing is bred for the
luck of a few keys. Every ranking rests on all that a build has played, drawn towards what its pieces let expect (``lab.surrogate``), so
that the luck of the best among many decides little.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side
from bhsim.games.spaces import Space
from bhsim.lab.arena import Arena
from bhsim.lab.surrogate import Surrogate, pieces

PURPOSE = 0x736561726368  # tells the luck of the search's own choices from all other luck of a seed
GENERATIONS = 24
EVOLVING = 0.6  # share of the games that goes into the evolution; the halving has the rest
LOOKS = 1.6  # new builds of a generation for each key of their look
FEWEST, MOST = 8, 192  # builds of a generation
SHORTEST = 4  # keys of a look
ELITE = 2  # every so manieth of a generation's size plays on and has children
IMMIGRANTS = 8  # every so manieth new build is drawn at random
STEPS = 3  # generations that are thought of between two that are played
PROPOSALS = 4  # children thought of in each of these for each that is played
ENTRANTS = 4  # builds that enter the halving, for each that is kept
MOST_LISTED = 5_000
TELLING = 100  # scores that two builds have in common only if they play the same games
LEAST_VARIANCE = 1e-3  # of one key, so that builds that win or lose everything are not taken to be certain


@dataclass(frozen=True)
class Goal:
    """What is to be as high as possible: the mean against the opponents, the worst match-up, or the mean over a mixture of them.

    weights: of the opponents, shape (opponents,), positive in sum; equal for "mean", and not used for "worst".
    """

    kind: str
    weights: tuple[float, ...]

    @classmethod
    def even(cls, kind: str, opponents: int) -> Goal:
        """The goal with equal weights."""
        return cls(kind, (1 / opponents,) * opponents)

    def of(self, rates: np.ndarray) -> np.ndarray:
        """The goal's value, shape (...), of rates against the opponents, shape (..., opponents)."""
        rates = np.asarray(rates, float)
        if self.kind == "worst":
            return rates.min(axis=-1)
        return rates @ (np.array(self.weights) / sum(self.weights))


@dataclass(frozen=True)
class Ranked:
    """A build. value: of the goal, from all ``games`` that the search played with it: the best of many, so likely too good."""

    side: Side
    value: float
    games: int


@dataclass(frozen=True)
class Moment:
    """The search after so many games. builds: looked at so far. leader: estimate of the best; low, high: where half of the newest lie."""

    games: int
    builds: int
    leader: float
    low: float
    high: float


@dataclass(frozen=True)
class Found:
    """ranked: different builds, best first. history: a moment for each generation and round. arms: builds looked at."""

    ranked: tuple[Ranked, ...]
    history: tuple[Moment, ...]
    games: int
    exhaustive: bool
    arms: int


@dataclass
class _Arm:
    """A build in the search. scores: of all keys so far, shape (opponents, keys). value, variance: of the goal, the latter of one key.

    estimate: of the value, from all arms together.
    """

    side: Side
    pieces: dict[str, float]
    scores: np.ndarray
    value: float = 0.0
    variance: float = 0.0
    estimate: float = 0.0

    def add(self, scores: np.ndarray, goal: Goal) -> None:
        """More keys."""
        self.scores = np.concatenate([self.scores, scores], axis=1)
        rates = self.scores.mean(axis=1)
        self.value = float(goal.of(rates))
        alone = self.scores[rates.argmin()] if goal.kind == "worst" else goal.of(self.scores.T)
        self.variance = float(alone.var())

    @property
    def keys(self) -> int:
        return self.scores.shape[1]


def least_games(opponents: int, seatings: int, keep: int = 4) -> int:
    """The fewest games that a search can do with: a few generations of the smallest size, and a halving."""
    return opponents * seatings * SHORTEST * (6 * FEWEST + 2 * ENTRANTS * keep)


def search(arena: Arena, bundle: Any, space: Space, opponents: Sequence[Side], goal: Goal, games: int, seed: int, keep: int = 4) -> Found:
    """The best builds of a space against opponents, by a budget of games.

    seed: of the search's choices; the luck of its games is the arena's. keep: how many builds are returned (fewer in a smaller space).
    The same arguments give the same answer, and ask the arena for the same plays. BadInput for fewer games than ``least_games``.
    """
    seatings = arena.game.seatings(2)
    if games < (least := least_games(len(opponents), seatings, keep)):
        raise BadInput(Fault("too few for a search", field="games", value=games, allowed=f"{least} or more against these opponents"))
    keys = games // (len(opponents) * seatings)
    run = _Search(arena, bundle, space, opponents, goal, keys, np.random.default_rng([seed, PURPOSE]))
    every = space.every(min(MOST_LISTED, keys // SHORTEST))
    if every is not None and keys // (_rounds(len(every), keep) * len(every)) < SHORTEST:
        every = None
    if every is not None:
        entrants = run.enter(every)
    else:
        run.evolve(math.floor(EVOLVING * keys))
        entrants = run.best(max(run.newborn // ELITE, ENTRANTS * keep))
    found = [Ranked(arm.side, arm.value, arm.keys * len(opponents) * seatings) for arm in run.halve(entrants, keep)]
    return Found(tuple(found), tuple(run.history), run.games, every is not None, len(run.arms))


def _rounds(arms: int, keep: int) -> int:
    """Rounds of a halving that ends with at most ``keep`` arms; one at least, so that every arm plays."""
    return max(1, math.ceil(math.log2(arms / keep)))


class _Search:
    """The state of a search. keys: that may be played, each by one build against all opponents."""

    def __init__(
        self, arena: Arena, bundle: Any, space: Space, opponents: Sequence[Side], goal: Goal, keys: int, rng: np.random.Generator
    ) -> None:
        self.arena, self.bundle, self.space, self.opponents, self.goal, self.rng = arena, bundle, space, opponents, goal, rng
        self.keys = self.left = keys
        self.arms: dict[str, _Arm] = {}
        self.history: list[Moment] = []
        self.newborn = FEWEST
        self._next_key = 0
        self._surrogate: Surrogate | None = None  # once something has been played

    @property
    def games(self) -> int:
        """Played so far."""
        return (self.keys - self.left) * len(self.opponents) * self.arena.game.seatings(2)

    def enter(self, builds: Sequence[Side]) -> list[_Arm]:
        """New arms, which have played nothing yet."""
        nothing = np.zeros((len(self.opponents), 0))
        new = {self.space.key(side): _Arm(side, pieces(self.space.parts_of(side)), nothing) for side in builds}
        self.arms |= new
        return list(new.values())

    def evolve(self, keys: int) -> None:
        """Generations, with so many keys in all: as many new builds in each, and as long a look, as makes about ``GENERATIONS`` of them."""
        share = keys * ELITE // ((ELITE + 1) * GENERATIONS)  # of a generation's new builds
        self.newborn = min(MOST, max(FEWEST, math.isqrt(math.floor(LOOKS * share))))
        look = max(SHORTEST, share // self.newborn)
        cost = look * (self.newborn + self.newborn // ELITE)
        for generation in range(min(GENERATIONS, keys // cost)):
            elite = self.best(self.newborn // ELITE) if generation else []
            new = self.enter(self._children(elite) if generation else self._first())
            self._play([*elite, *new], look)
            self._remember(new or elite)

    def halve(self, arms: list[_Arm], keep: int) -> list[_Arm]:
        """Rounds with all keys that are left, an equal share each, after which the better half goes on; the last ``keep``, best first."""
        for rounds in range(_rounds(len(arms), keep), 0, -1):
            keys = self.left // (rounds * len(arms))
            self._play(arms, keys)
            self._remember(arms)
            arms = self._unlike(self._ordered(arms)[: None if rounds == 1 else math.ceil(len(arms) / 2)], keys)
        return arms[:keep]

    def _unlike(self, arms: list[_Arm], keys: int) -> list[_Arm]:
        """Without those that scored as one before them in each of the last keys, if these are so many that they play the same games."""
        if keys * len(self.opponents) < TELLING:
            return arms
        return list({arm.scores[:, -keys:].tobytes(): arm for arm in reversed(arms)}.values())[::-1]

    def best(self, count: int) -> list[_Arm]:
        """The arms with the best estimates, best first."""
        return self._ordered(self.arms.values())[:count]

    def _ordered(self, arms: Iterable[_Arm]) -> list[_Arm]:
        return sorted(arms, key=lambda arm: -arm.estimate)

    def _first(self) -> list[Side]:
        """The start, or what is near it and may be, and builds drawn at random."""
        near = self.space.repair(self.space.start, self.rng)
        builds = self._unseen([near, *(self.space.sample(self.rng) for _ in range(2 * self.newborn))])
        return list(builds.values())[: self.newborn]

    def _children(self, parents: Sequence[_Arm]) -> list[Side]:
        """New builds: some drawn at random, and of what the parents may lead to those that one draw each of the surrogate finds best.

        Choosing by draws and not by the best guess tries what is uncertain as often as it may be the best (Thompson sampling).
        """
        assert self._surrogate is not None
        strangers = self._unseen(self.space.sample(self.rng) for _ in range(self.newborn // IMMIGRANTS))
        thought = self._thought(self._surrogate, [arm.side for arm in parents], strangers)
        keys, builds = list(thought), [pieces(self.space.parts_of(side)) for side in thought.values()]
        chosen: list[int] = []
        for values in self._surrogate.draws(builds, min(len(keys), self.newborn - len(strangers)), self.rng):
            values[chosen] = -np.inf
            chosen.append(int(values.argmax()))
        return [*strangers.values(), *(thought[keys[place]] for place in chosen)]

    def _thought(self, surrogate: Surrogate, parents: list[Side], known: Container[str]) -> dict[str, Side]:
        """Builds that nobody has played, by key: children of the parents, then children of the best guesses among those, and so on."""
        thought: dict[str, Side] = {}
        for _ in range(STEPS):
            children = self._unseen(self._child(parents) for _ in range(PROPOSALS * self.newborn))
            thought |= {key: side for key, side in children.items() if key not in known}
            sides = list(thought.values())
            guesses = surrogate.guesses([pieces(self.space.parts_of(side)) for side in sides])
            parents = [sides[place] for place in np.argsort(-guesses, kind="stable")[: self.newborn // ELITE]] or parents
        return thought

    def _child(self, parents: Sequence[Side]) -> Side:
        """A neighbour of one parent, or a cross of two, perhaps one step further. The better of two drawn at random becomes a parent."""
        one, other = (parents[min(self.rng.integers(len(parents), size=2))] for _ in range(2))
        if self.rng.integers(2):
            return self.space.neighbour(one, self.rng)
        child = self.space.cross(one, other, self.rng)
        return self.space.neighbour(child, self.rng) if self.rng.integers(2) else child

    def _unseen(self, builds: Iterable[Side]) -> dict[str, Side]:
        """Different builds that are no arms yet, by key."""
        found = {self.space.key(side): side for side in builds}
        return {key: side for key, side in found.items() if key not in self.arms}

    def _play(self, arms: Sequence[_Arm], keys: int) -> None:
        """The same keys for all, which nobody has played before; then all estimates are made anew."""
        if not arms or not keys:
            return
        scores = self.arena.against(self.bundle, [arm.side for arm in arms], self.opponents, self._next_key, keys)
        for arm, part in zip(arms, scores, strict=True):
            arm.add(part, self.goal)
        self._next_key += keys
        self.left -= keys * len(arms)
        self._estimate()

    def _estimate(self) -> None:
        """What every arm is worth. The variance of one key is taken to be the same for all: that of a short look is hardly known."""
        seen = list(self.arms.values())
        keys = np.array([arm.keys for arm in seen])
        variance = max(LEAST_VARIANCE, float(np.average([arm.variance for arm in seen], weights=keys)))
        self._surrogate = Surrogate([arm.pieces for arm in seen], np.array([arm.value for arm in seen]), variance / keys)
        for arm, estimate in zip(seen, self._surrogate.estimates(), strict=True):
            arm.estimate = float(estimate)

    def _remember(self, shown: Sequence[_Arm]) -> None:
        """A moment; shown: the arms whose spread it keeps."""
        low, high = np.quantile([arm.estimate for arm in shown], (0.25, 0.75))
        leader = max(arm.estimate for arm in self.arms.values())
        self.history.append(Moment(self.games, len(self.arms), leader, float(low), float(high)))
