"""What a run of ``optimise`` says: every finalist and the start on fresh keys, ranked by what these show, beside what the search had said.

The intervals of the goal hold for all finalists at once (Bonferroni), so that of the best one is as honest as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side
from bhsim.games.spaces import Space
from bhsim.inputs.models import identifier
from bhsim.lab.contest import Contest
from bhsim.lab.findings import key_scores
from bhsim.lab.optimise_found import Record, Seen
from bhsim.lab.record import RECORD, read_record
from bhsim.lab.results import evaluate
from bhsim.lab.search import Goal
from bhsim.lab.store import Folder, parquet_bytes, write_bytes
from bhsim.stats.intervals import ScoreInterval, from_keys
from bhsim.stats.paired import Difference, paired_difference

BUILD, OPPONENT = "build", "opponent"  # labels of a contest's setting
ERROR = 0.05
TABLE, CREWS = "best.parquet", "crews"


@dataclass(frozen=True, eq=False)
class Confirmed:
    """A build on fresh keys. seen: as the search saw it. value: of the goal, at the level of all at once. rates: against each opponent.

    gain: value minus that of the start, None for the start itself. contests: numbers, one for each opponent.
    """

    seen: Seen
    side: Side
    value: ScoreInterval
    rates: tuple[ScoreInterval, ...]
    gain: Difference | None
    contests: tuple[int, ...]
    games: int

    @property
    def name(self) -> str:
        """ "start", or "found 1" and so on."""
        return self.seen.name

    @property
    def optimism(self) -> float | None:
        """How much better the search thought it was."""
        return None if self.seen.value is None else self.seen.value - self.value.mean


@dataclass(frozen=True)
class Optimum:
    """A whole run. best: what the search ended with, the best on fresh keys first; the start is among them only if the search kept it.

    level: of each interval of a value or gain, so that all together hold in 95 of 100 runs. weights: of the opponents.
    """

    goal: Goal
    opponents: tuple[str, ...]
    best: tuple[Confirmed, ...]
    start: Confirmed
    record: Record
    level: float

    @property
    def builds(self) -> list[Confirmed]:
        """All that were confirmed, best first, the start at the end if the search did not keep it."""
        return [*self.best, *([] if self.start in self.best else [self.start])]

    @property
    def games(self) -> int:
        """Played in all."""
        return self.record.games + sum(build.games for build in self.builds)


def optimum_of(folder: Folder) -> Optimum:
    """A complete run that was stored."""
    record = read_record(folder.path, Record)
    if len(folder.finished()) < len(folder.contests):
        raise BadInput(Fault("not all finalists are confirmed yet; --resume goes on with the run", file=str(folder.path)))
    opponents = folder.manifest["spec"]["opponents"]
    wanted = [{BUILD: seen.name, OPPONENT: other} for seen in record.builds for other in opponents]
    if [contest.setting for contest in folder.contests] != wanted:
        raise BadInput(Fault("what the search found does not fit the contests", file=str(folder.path / RECORD)))
    return measure(folder, record)


def measure(folder: Folder, record: Record) -> Optimum:
    """What the contests say; they are those of each build of the record in turn, against all opponents."""
    spec = folder.manifest["spec"]
    goal, opponents = Goal(spec["goal"], tuple(spec["weights"])), tuple(spec["opponents"])
    level = 1 - ERROR / max(1, sum(seen.answer for seen in record.builds))
    count = len(opponents)
    played = [folder.contests[place * count : (place + 1) * count] for place in range(len(record.builds))]
    scores = [np.stack([key_scores(folder, contest) for contest in contests]) for contests in played]
    start = _confirmed(folder, goal, level, record.builds[0], played[0], scores[0], None)
    confirmed = [start] + [
        _confirmed(folder, goal, level, seen, contests, own, (start.rates, scores[0]))
        for seen, contests, own in zip(record.builds[1:], played[1:], scores[1:], strict=True)
    ]
    best = sorted((c for c in confirmed if c.seen.answer), key=lambda c: -c.value.mean)
    return Optimum(goal, opponents, tuple(best), confirmed[0], record, level)


def _confirmed(
    folder: Folder, goal: Goal, level: float, seen: Seen, contests: Sequence[Contest], scores: np.ndarray,
    start: tuple[Sequence[ScoreInterval], np.ndarray] | None,
) -> Confirmed:  # fmt: skip
    """scores: of the build, shape (opponents, keys). start: rates and scores of the start, None if the build is that itself."""
    counts = [folder.counts(contest) for contest in contests]
    rates = tuple(evaluate(c).sides[0].score for c in counts)
    together = 1 - (1 - level) / len(contests)
    wide = [evaluate(c, together).sides[0].score for c in counts]
    value = _value(goal, level, rates, wide, scores, all(c.mirror for c in contests))
    gain = None if start is None else _gain(goal, level, rates, scores, *start)
    numbers = tuple(c.number for c in contests)
    return Confirmed(seen, contests[0].sides[0], value, rates, gain, numbers, sum(c.games for c in contests))


def _gain(
    goal: Goal, level: float, rates: Sequence[ScoreInterval], scores: np.ndarray, start_rates: Sequence[ScoreInterval], start: np.ndarray
) -> Difference:  # fmt: skip
    """Of a build on the start, key by key; its interval ends where no gain can be."""
    gain = paired_difference(_of_keys(goal, scores), _of_keys(goal, start), level)
    (least, most), (start_least, start_most) = _possible(goal, rates), _possible(goal, start_rates)
    low, high = max(gain.low, least - start_most), min(gain.high, most - start_least)
    return replace(gain, low=min(low, gain.mean), high=max(high, gain.mean))


def _possible(goal: Goal, rates: Sequence[ScoreInterval]) -> tuple[float, float]:
    """The lowest and the highest value that can be: a rate lies in 0..1, and one that is exact is known."""
    ends = (np.array([rate.mean if rate.exact else end for rate in rates]) for end in (0.0, 1.0))
    low, high = (float(goal.of(rates_)) for rates_ in ends)
    return low, high


def _value(
    goal: Goal, level: float, rates: Sequence[ScoreInterval], wide: Sequence[ScoreInterval], scores: np.ndarray, mirror: bool
) -> ScoreInterval:  # fmt: skip
    """The goal's value of one build. wide: the rates at a level that holds for all opponents at once, for the worst of them."""
    mean = float(goal.of(np.array([rate.mean for rate in rates])))
    if goal.kind == "worst":
        worst = min(wide, key=lambda rate: rate.mean)
        return replace(worst, low=min(rate.low for rate in wide), high=min(rate.high for rate in wide))
    found = from_keys(*np.unique(_of_keys(goal, scores), return_counts=True), level, mirror)
    return replace(found, mean=mean, low=min(found.low, mean), high=max(found.high, mean))


def _of_keys(goal: Goal, scores: np.ndarray) -> np.ndarray:
    """What each key counts for the goal, shape (keys,), from scores of shape (opponents, keys); for "worst" the match-up that is worst."""
    return scores[scores.mean(axis=1).argmin()] if goal.kind == "worst" else goal.of(scores.T).round(12)


# What is stored and printed


def write_files(folder: Folder, found: Optimum, space: Space) -> None:
    """best.parquet, and in crews/ the files of each build that was found, ready to play with."""
    import polars as pl

    rows = [row for build in found.builds for row in build_rows(found, build)]
    write_bytes(folder.path / TABLE, parquet_bytes(pl.DataFrame(rows, infer_schema_length=None)))
    place = Path(folder.path / CREWS)
    place.mkdir(exist_ok=True)
    for build in found.best:
        if build is not found.start:
            for name, text in space.files(build.side, how_found(folder.manifest, found, build)).items():
                write_bytes(place / name, text.encode())


def file_of(directory: Path, build: Confirmed) -> Path:
    """The file to play the build with; that of its deck lies beside it."""
    return directory / CREWS / f"{identifier(build.name)}.toml"


def how_found(manifest: dict[str, Any], found: Optimum, build: Confirmed) -> str:
    """A few lines for the top of a file."""
    house = "; house values" if manifest["house_values"] else ""
    lines = [f"{build.name}: {goal_text(found)} {rate_text(build.value)} in {build.games:,} games on fresh keys"]
    lines += [f"  against {name}: {rate_text(rate)}" for name, rate in zip(found.opponents, build.rates, strict=True)]
    return "\n".join(
        [*lines, f"engine {manifest['engine']}, data {manifest['data_digest']}, seed {manifest['seed']}{house}", manifest["command"]]
    )


def goal_text(found: Optimum) -> str:
    """What the goal's value is, in words."""
    return {"mean": "mean rate", "worst": "worst rate", "mixture": "rate against the mixture"}[found.goal.kind]


def rate_text(score: ScoreInterval) -> str:
    """A rate with its interval, in percent."""
    return f"{100 * score.mean:.2f} %" + (" (exact)" if score.exact else f" ({100 * score.low:.2f} to {100 * score.high:.2f})")


def build_rows(found: Optimum, build: Confirmed) -> list[dict[str, Any]]:
    """best.parquet: a row for each build and opponent, those of the start at the end; docs/run-folder.md lists the columns."""
    seen, gain = build.seen, build.gain
    head: dict[str, Any] = {"build": build.name, "rank": found.best.index(build) + 1 if build in found.best else None}
    head |= {"cost": seen.cost, "win_rate": build.value.mean, "low": build.value.low, "high": build.value.high, "games": build.games}
    head |= {"search_win_rate": seen.value, "search_games": seen.games, "optimism": build.optimism}
    head |= {"gain": gain.mean if gain else None, "gain_low": gain.low if gain else None, "gain_high": gain.high if gain else None}
    return [
        head
        | {"opponent": name, "weight": float(weight), "rate": rate.mean, "rate_low": rate.low, "rate_high": rate.high, "contest": contest}
        for name, weight, rate, contest in zip(found.opponents, found.goal.weights, build.rates, build.contests, strict=True)
    ]


def summary(found: Optimum) -> dict[str, Any]:
    """Everything as one JSON value."""
    record = found.record
    return {
        "games": found.games,
        "goal": found.goal.kind,
        "opponents": [{"name": n, "weight": w} for n, w in zip(found.opponents, found.goal.weights, strict=True)],
        "level": found.level,
        "best": [_build_data(found, build) for build in found.best],
        "start": _build_data(found, found.start),
        "search": {
            "games": record.games, "builds": record.looked_at, "exhaustive": record.exhaustive,
            "history": [moment.model_dump() for moment in record.history],
        },
    }  # fmt: skip


def _build_data(found: Optimum, build: Confirmed) -> dict[str, Any]:
    seen, gain = build.seen, build.gain
    data: dict[str, Any] = {"name": build.name, **seen.parts, "bandwidth": seen.cost}
    data |= {"win_rate": build.value.mean, "low": build.value.low, "high": build.value.high, "games": build.games}
    data |= {"search_win_rate": seen.value, "search_games": seen.games, "optimism": build.optimism}
    data["against"] = [
        {
            "opponent": name,
            "win_rate": rate.mean,
            "low": rate.low,
            "high": rate.high,
            "games": build.games // len(found.opponents),
            "contest": c,
        }
        for name, rate, c in zip(found.opponents, build.rates, build.contests, strict=True)
    ]
    data["changes"] = seen.changes
    data["gain"] = gain and {"win_rate": gain.mean, "low": gain.low, "high": gain.high, "keys": gain.keys}
    return data
