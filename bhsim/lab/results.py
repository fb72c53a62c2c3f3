"""What a contest's counters say: rates with intervals, and the JSON that ``play`` prints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bhsim.games.game import WHOLE, Facts, Side, engine_label
from bhsim.lab.contest import Contest
from bhsim.lab.runs import Counts
from bhsim.stats.intervals import ScoreInterval, from_keys
from bhsim.stats.paired import seat_saving

SCHEMA = 1


@dataclass(frozen=True)
class SideResult:
    """One side: games won alone, mean score with its interval from keys, points per game in all and by source."""

    side: Side
    wins: int
    score: ScoreInterval
    points_mean: float
    points_from: dict[str, float]


@dataclass(frozen=True)
class Result:
    """A contest evaluated. first: score of the first player (token holder of round 1). saving: see ``stats.paired.seat_saving``."""

    contest: Contest
    facts: Facts
    sides: tuple[SideResult, ...]
    first: ScoreInterval
    saving: float


def evaluate(counts: Counts, level: float = 0.95) -> Result:
    """Rates, intervals and the game's own facts of a contest; ``level`` is the confidence of every interval."""
    contest = counts.contest
    facts = contest.game.facts(counts.tally, contest.bundle, contest.sides)
    sides = []
    for number, side in enumerate(contest.sides):
        points = {source: values[number] for source, values in facts.points.items()}
        score = _score(counts.keys[number], contest.seatings, level, contest.mirror)
        sides.append(SideResult(side, int(counts.games[number, WHOLE]), score, float(sum(points.values())), points))
    key_values = np.arange(counts.keys.shape[1]) / (WHOLE * contest.seatings)
    saving = seat_saving(np.arange(WHOLE + 1) / WHOLE, counts.games[0], key_values, counts.keys[0], contest.seatings)
    return Result(contest, facts, tuple(sides), _score(facts.first_keys, contest.seatings, level, False), saving)


def play_json(result: Result, seed: int, seconds: float) -> dict[str, Any]:
    """The JSON of ``play``: docs/run-folder.md lists the fields."""
    contest, facts = result.contest, result.facts
    return {
        "schema": SCHEMA,
        "game": contest.game.name,
        "engine": engine_label(contest.game),
        "data_digest": contest.digest(),
        "seed": seed,
        "house_values": contest.game.house_values(contest.bundle, contest.sides),
        "games": contest.games,
        "pairs": contest.keys,
        "sides": [
            {
                "crew": s.side.crew, "deck": s.side.deck, "bot": s.side.bot, "wins": s.wins,
                "win_rate": s.score.mean, "low": s.score.low, "high": s.score.high,
                "points_mean": s.points_mean, "points_from": s.points_from,
            }
            for s in result.sides
        ],
        "draws": facts.draws,
        "round_limit": facts.round_limit,
        "first_player": {"win_rate": result.first.mean, "low": result.first.low, "high": result.first.high},
        "rounds": {"mean": facts.rounds.mean(), **{f"p{q:02d}": facts.rounds.quantile(q / 100) for q in (5, 50, 95)}},
        "seconds": seconds,
        "games_per_second": contest.games / seconds if seconds > 0 else 0.0,
    }  # fmt: skip


def _score(keys: np.ndarray, seatings: int, level: float, mirror: bool) -> ScoreInterval:
    """Interval of a histogram of key sums in 60ths; the mean is one division of whole numbers, so that sides add up."""
    sums = np.arange(len(keys))
    found = from_keys(sums / (WHOLE * seatings), keys, level, mirror)
    mean = int(sums @ keys) / (WHOLE * seatings * int(keys.sum()))
    return replace(found, mean=mean, low=min(found.low, mean), high=max(found.high, mean))
