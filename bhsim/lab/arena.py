"""Builds against opponents on shared keys: what every search plays with.

All builds that are compared meet the same keys, in all seatings, so differences are taken key by key. The keys are those of a root of its
own, derived from the run's seed: what is confirmed afterwards under the seed itself is played on luck that no search has seen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bhsim.games.game import Game, Side
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Executor, Recent
from bhsim.lab.ledger import Ledger
from bhsim.lab.runs import UNIT_KEYS, Counts, Unit, play_units

BATCH_GAMES = 40_000  # games of a batch of plays that is kept together: what a stop can lose


def search_root(seed: int, purpose: str) -> int:
    """The root of the keys of a search, 0..2^63-1: never the seed itself but for a chance of 2^-63."""
    return int.from_bytes(hashlib.sha256(f"{purpose} {seed}".encode()).digest()[:8], "big") >> 1


@dataclass(frozen=True)
class Match:
    """Sides that play each other, first the one whose score is asked for. bundle: what they play with."""

    bundle: Any
    sides: tuple[Side, ...]


class Arena:
    """Plays matches and keeps what was played.

    root: of all keys. ledger: what is kept. progress: called with the games of each play, those that were kept already included.
    """

    def __init__(
        self, game: Game, root: int, executor: Executor, ledger: Ledger | None = None, block: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:  # fmt: skip
        self.game, self.root, self.executor, self.block = game, root, executor, block
        self.ledger = Ledger() if ledger is None else ledger
        self.progress = progress or (lambda games: None)
        self._bundles = Recent(64)

    def scores(self, matches: Sequence[Match], first: int, keys: int) -> np.ndarray:
        """Mean score of the first side of each match in each key from ``first`` on: shape (matches, keys), 0..1."""
        return np.stack([self._scored(match, part) for match, part in zip(matches, self._outcomes(matches, first, keys), strict=True)])

    def against(self, bundle: Any, builds: Sequence[Side], opponents: Sequence[Side], first: int, keys: int) -> np.ndarray:
        """Mean score of each build against each opponent in each key: shape (builds, opponents, keys)."""
        matches = [Match(bundle, (build, other)) for build in builds for other in opponents]
        return self.scores(matches, first, keys).reshape(len(builds), len(opponents), keys)

    def _scored(self, match: Match, outcomes: np.ndarray) -> np.ndarray:
        return Contest(0, self.game, match.bundle, match.sides, 1).key_scores(outcomes)

    def _outcomes(self, matches: Sequence[Match], first: int, keys: int) -> list[np.ndarray]:
        plays = [self._play_id(match, first, keys) for match in matches]
        wanted: dict[str, Match] = {}
        for play, match in zip(plays, matches, strict=True):
            if self.ledger.get(play) is None:
                wanted.setdefault(play, match)
            else:
                self.progress(keys * self.game.seatings(len(match.sides)))
        for batch in _batches(list(wanted.items()), keys * self.game.seatings(len(matches[0].sides))):
            self.ledger.add(self._played(batch, first, keys))
        return [part for play in plays if (part := self.ledger.get(play)) is not None]

    def _played(self, batch: Sequence[tuple[str, Match]], first: int, keys: int) -> list[tuple[str, np.ndarray]]:
        units, edges = [], [*range(first, first + keys, UNIT_KEYS), first + keys]
        for number, (_, match) in enumerate(batch):
            contest = Contest(number, self.game, match.bundle, match.sides, first + keys)
            units += [Unit(contest, part, start, end - start) for part, (start, end) in enumerate(pairwise(edges))]
        parts: dict[int, list[np.ndarray]] = {}
        for done in play_units(units, self.root, block=self.block, progress=self.progress, executor=self.executor):
            Counts.empty(done.unit.contest).add(done.tally, done.outcomes)  # an engine fault must not be kept
            parts.setdefault(done.unit.contest.number, []).append(done.outcomes)
        return [(play, np.concatenate(parts[number])) for number, (play, _) in enumerate(batch)]

    def _play_id(self, match: Match, first: int, keys: int) -> str:
        pool = self._bundles.get(match.bundle, lambda: json.dumps(self.game.resolved(match.bundle, ())))
        sides = [repr((side.crew_model, side.deck_model, side.bot_model)) for side in match.sides]
        return hashlib.sha256("\n".join([pool, *sides, f"{self.root} {first} {keys}"]).encode()).hexdigest()[:32]


def _batches(plays: list[tuple[str, Match]], games: int) -> Iterator[list[tuple[str, Match]]]:
    """Plays of ``games`` games each, in as few batches as may be."""
    size = max(1, BATCH_GAMES // games)
    for start in range(0, len(plays), size):
        yield plays[start : start + size]
