"""What a run of `bhsim balance` says: every point on fresh keys, its distance, and the verdict on each of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.lab import verdicts
from bhsim.lab.balance_found import FoundChange, FoundPoint, FoundSingle, Record
from bhsim.lab.findings import MOST_CUT_OFF, key_scores
from bhsim.lab.record import RECORD, read_record
from bhsim.lab.results import Result, evaluate
from bhsim.lab.store import Folder, parquet_bytes, write_bytes
from bhsim.lab.verdicts import Judged
from bhsim.stats.intervals import ScoreInterval, around
from bhsim.stats.pooled import pooled_mean

NOW = "now"
FIRST = "first player"
Outcome = Literal["reached", "undecided", "not reached"]


@dataclass(frozen=True)
class Number:
    """A number of the target at a point. contests: whose games it is from. judged: with its interval at the level of the verdicts."""

    label: str
    score: ScoreInterval
    judged: Judged
    contests: tuple[int, ...]
    games: int


@dataclass(frozen=True)
class PointResult:
    """A point on fresh keys. found: as the search saw it, None for the set as it is. low, high: what its numbers' intervals allow."""

    name: str
    found: FoundPoint | None
    distance: float
    low: float
    high: float
    numbers: tuple[Number, ...]
    games: int

    @property
    def verdict(self) -> Outcome:
        """Reached if every number is ok, not reached if one is not ok, else undecided."""
        answers = {n.judged.verdict for n in self.numbers}
        return "not reached" if "not ok" in answers else "undecided" if "undecided" in answers else "reached"

    @property
    def changes(self) -> list[FoundChange]:
        """What it changes; the change that removes most alone stands first."""
        return self.found.changes if self.found else []

    @property
    def cost(self) -> float:
        """Of its changes."""
        return self.found.cost if self.found else 0.0


@dataclass(frozen=True)
class Named:
    """The number most out of line: the single change that leaves least. share: of the search's draws in which its path does."""

    single: FoundSingle
    share: float


@dataclass(frozen=True)
class Balanced:
    """A whole run. points: cheapest first, without the set as it is: ``base``. named: None if that reaches the target.

    recommended: of the verdict of the whole run; None where no change does better than the set as it is.
    """

    record: Record
    base: PointResult
    points: tuple[PointResult, ...]
    named: Named | None
    recommended: PointResult | None

    @property
    def verdict(self) -> Outcome:
        """The best verdict of any point."""
        return _best_verdict((self.base, *self.points))


def balanced_folder(folder: Folder) -> Balanced:
    """A complete run that was stored."""
    record = read_record(folder.path, Record)
    if len(folder.finished()) < len(folder.contests):
        raise BadInput(Fault("the points are not played to their end yet; --resume goes on with the run", file=str(folder.path)))
    used = [n for contests in (record.now, *(p.contests for p in record.points)) for n in contests]
    meetings = [n for t in record.targets for n in t.meetings]
    whole = all(len(p.contests) == len(record.now) for p in record.points)
    if not whole or not set(used) <= set(range(len(folder.contests))) or not set(meetings) <= set(range(len(record.now))):
        raise BadInput(Fault("what the search found does not fit the contests", file=str(folder.path / RECORD)))
    return balanced(record, folder)


def balanced(record: Record, folder: Folder) -> Balanced:
    """What the contests say of the set as it is and of each point."""
    results: dict[int, Result] = {}
    scores: dict[int, np.ndarray] = {}
    points = [(NOW, None, record.now), *((p.name, p, p.contests) for p in record.points)]
    for number in sorted({n for _, _, contests in points for n in contests}):
        results[number] = evaluate(folder.counts(folder.contests[number]))
        scores[number] = key_scores(folder, folder.contests[number])
    numbers = [_numbers(record, contests, results, scores) for _, _, contests in points]
    judged = iter(_judge([claim for found in numbers for claim in found], results))
    shown = []
    for (name, found, contests), claims in zip(points, numbers, strict=True):
        games = sum(results[n].contest.games for n in contests)
        shown.append(_point(record, name, found, [next(judged) for _ in claims], games))
    base, points_shown = shown[0], tuple(shown[1:])
    sought = base.verdict != "reached"
    return Balanced(record, base, points_shown, _named(record.singles) if sought else None, _recommended(base, points_shown))


def _numbers(
    record: Record, contests: Sequence[int], results: dict[int, Result], scores: dict[int, np.ndarray]
) -> list[tuple[str, ScoreInterval, tuple[float, float], tuple[int, ...]]]:
    """Label, score, limits and contests of every number of a point."""
    found = []
    for target in record.targets:
        members = tuple(contests[n] for n in target.meetings)
        alone = results[members[0]].sides[0].score
        score = alone if len(members) == 1 else pooled_mean(scores[n] for n in members)
        found.append((target.label, score, (target.low, target.high), members))
    if record.first_player:
        members = tuple(dict.fromkeys(contests[n] for t in record.targets if len(t.meetings) == 1 for n in t.meetings)) or tuple(contests)
        score = _together([results[n].first for n in members])
        found.append((FIRST, score, (record.first_player[0], record.first_player[1]), members))
    return found


def _together(scores: Sequence[ScoreInterval]) -> ScoreInterval:
    """The mean of contests that met the same keys; as if they moved together altogether, so its interval is rather too wide."""
    mean, se = float(np.mean([s.mean for s in scores])), float(np.mean([s.se for s in scores]))
    corrected = any(s.corrected for s in scores)
    n_eff = min(s.n_eff for s in scores) if corrected or not se else mean * (1 - mean) / se**2
    low, high = around(mean, mean, n_eff, verdicts.LEVEL, corrected)
    return replace(scores[0], mean=mean, low=low, high=high, se=se, n_eff=n_eff, corrected=corrected)


def _judge(claims: Sequence[tuple[str, ScoreInterval, tuple[float, float], tuple[int, ...]]], results: dict[int, Result]) -> list[Number]:
    """All numbers of a run are one family. Where many games were cut off, none is called ok."""
    judged = verdicts.judge([verdicts.of_score(score, limits) for _, score, limits, _ in claims])
    found = []
    for (label, score, _, members), one in zip(claims, judged, strict=True):
        cut_off = any(results[n].facts.round_limit > MOST_CUT_OFF * results[n].contest.games for n in members)
        shown = replace(one, verdict="undecided") if cut_off and one.verdict == "ok" else one
        found.append(Number(label, score, shown, members, sum(results[n].contest.games for n in members)))
    return found


def _point(record: Record, name: str, found: FoundPoint | None, numbers: list[Number], games: int) -> PointResult:
    """The first player is judged, but is no part of the distance."""
    targets = record.target()
    scores = [n.score for n in numbers[: len(targets.labels)]]
    values, lows, highs = (np.array([getattr(s, name) for s in scores]) for name in ("mean", "low", "high"))
    distance = float(targets.distance(values, np.array([s.se for s in scores]) ** 2))
    low, high = targets.ends(lows, highs)
    return PointResult(name, found, distance, min(low, distance), max(high, distance), tuple(numbers), games)


def _named(singles: Sequence[FoundSingle]) -> Named | None:
    if not singles:
        return None
    shares: dict[str, float] = {}
    for single in singles:
        shares[single.path] = shares.get(single.path, 0.0) + single.first
    path = max(shares, key=lambda path: round(shares[path], 9))
    return Named(next(s for s in singles if s.path == path), shares[path])


def _recommended(base: PointResult, points: Sequence[PointResult]) -> PointResult | None:
    """The cheapest that reaches the target; else the nearest of those that may, and if there is none, the nearest.

    None if that is the set as it is: a change that does worse on fresh keys is no advice, whatever the search thought of it.
    """
    best = _best_verdict((base, *points))
    fitting = [p for p in (base, *points) if p.verdict == best]
    found = min(fitting, key=lambda p: (p.cost if best == "reached" else p.distance, p.cost))
    return None if found is base else found


def _best_verdict(points: Sequence[PointResult]) -> Outcome:
    answers = [p.verdict for p in points]
    return next(answer for answer in ("reached", "undecided", "not reached") if answer in answers)


def point_rows(found: Balanced) -> list[dict[str, Any]]:
    """points.parquet: one row a point, the set as it is first."""
    rows = []
    for p in (found.base, *found.points):
        row = {"point": p.name, "verdict": p.verdict, "recommended": p is found.recommended, "cost": float(p.cost)}
        row |= {"changes": "; ".join(c.words for c in p.changes), "distance": p.distance, "low": p.low, "high": p.high, "games": p.games}
        rows.append(row | {"search_distance": p.found.distance if p.found else found.record.distance})
    return rows


def cell_rows(found: Balanced) -> list[dict[str, Any]]:
    """cells.parquet: one row for each point and number."""
    rows = []
    for p in (found.base, *found.points):
        for n in p.numbers:
            row = {"point": p.name, "target": n.label, "value": n.score.mean, "low": n.score.low, "high": n.score.high}
            row |= {"limit_low": n.judged.limits[0], "limit_high": n.judged.limits[1], "verdict": n.judged.verdict, "q": n.judged.q}
            rows.append(row | {"games": n.games, "contests": ", ".join(map(str, n.contests))})
    return rows


def screen_rows(found: Balanced) -> list[dict[str, Any]]:
    """screen.parquet: one row for each single change, as the search sees it; values as text."""
    rows = []
    for s in found.record.singles:
        row = {"path": s.path, "present": str(s.present), "value": str(s.value), "cost": s.cost, "distance": s.distance, "low": s.low}
        rows.append(row | {"high": s.high, "removes": (found.record.distance or 0.0) - s.distance, "nearest": s.first, "keys": s.keys})
    return rows


def write_tables(folder: Folder, found: Balanced) -> None:
    """Stores points.parquet, cells.parquet and, if there was a search, screen.parquet."""
    import polars as pl

    for name, rows in (("points", point_rows(found)), ("cells", cell_rows(found)), ("screen", screen_rows(found))):
        if rows:
            write_bytes(folder.path / f"{name}.parquet", parquet_bytes(pl.DataFrame(rows, infer_schema_length=None)))
