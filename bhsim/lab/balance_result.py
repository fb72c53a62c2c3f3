"""What a run of `bhsim balance` says: every point on fresh keys, its distance, and the verdict on each of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.lab import verdicts
from bhsim.lab.balance_found import FoundChange, FoundPoint, FoundSingle, Places, Record
from bhsim.lab.balance_usage import Drawn, check_field, uses_at
from bhsim.lab.findings import MOST_CUT_OFF, key_scores
from bhsim.lab.record import RECORD, read_record
from bhsim.lab.results import Result, evaluate
from bhsim.lab.store import Folder, parquet_bytes, write_bytes
from bhsim.lab.verdicts import Claim, Judged
from bhsim.stats.intervals import ScoreInterval, around
from bhsim.stats.pooled import pooled_mean

NOW = "now"
FIRST = "first player"
Outcome = Literal["reached", "undecided", "not reached"]


@dataclass(frozen=True)
class Number:
    """A number of the target at a point. contests: whose games it is from. judged: with its interval at the level of the verdicts.

    use: whether it is the use of an item, which nothing is searched for.
    """

    label: str
    score: ScoreInterval | Drawn
    judged: Judged
    contests: tuple[int, ...]
    games: int
    use: bool = False


@dataclass(frozen=True)
class PointResult:
    """A point on fresh keys. found: as the search saw it, None for the set as it is. low, high: what its numbers' intervals allow.

    unplayed: whether use is a target, and was not played for.
    """

    name: str
    found: FoundPoint | None
    distance: float
    low: float
    high: float
    numbers: tuple[Number, ...]
    games: int
    unplayed: bool = False

    @property
    def verdict(self) -> Outcome:
        """Reached if every number is ok, not reached if one is not ok, else undecided."""
        return _outcome([*(n.judged.verdict for n in self.numbers), *(["undecided"] if self.unplayed else [])])

    @property
    def verdict_but_use(self) -> Outcome:
        """The same without the uses of items."""
        return _outcome([n.judged.verdict for n in self.numbers if not n.use])

    @property
    def use(self) -> str | None:
        """The verdict on the uses alone; None where there are none."""
        found = _outcome([n.judged.verdict for n in self.numbers if n.use])
        return {"reached": "ok", "not reached": "not ok"}.get(found, found) if any(n.use for n in self.numbers) else None

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
    if not _fits(record, folder):
        raise BadInput(Fault("what the search found does not fit the contests", file=str(folder.path / RECORD)))
    if record.usage:
        check_field(record.usage, [record.usage.now, *(p.field for p in record.points if p.field)], folder)
    return balanced(record, folder)


def _fits(record: Record, folder: Folder) -> bool:
    """Whether every point has a contest of each meeting; those of the set as it is come first in a folder, in the order of meetings."""

    def meeting(number: int) -> tuple[str, str]:
        setting = folder.contests[number].setting
        return setting["crew"], setting["opponent"]

    every, meetings = [record.now, *(p.contests for p in record.points)], len(record.now)
    if any(len(contests) != meetings or not set(contests) <= set(range(len(folder.contests))) for contests in every):
        return False
    wanted = [meeting(n) for n in range(meetings)]
    return all([meeting(n) for n in contests] == wanted for contests in every) and all(record.usage or not p.field for p in record.points)


def balanced(record: Record, folder: Folder) -> Balanced:
    """What the contests say of the set as it is and of each point."""
    results: dict[int, Result] = {}
    scores: dict[int, np.ndarray] = {}
    usage = record.usage
    points: list[tuple[str, FoundPoint | None, Places]] = [(NOW, None, Places(record.now, usage.now if usage else []))]
    points += [(p.name, p, Places(p.contests, p.field)) for p in record.points]
    for number in sorted({n for _, _, places in points for contests in places for n in contests}):
        results[number] = evaluate(folder.counts(folder.contests[number]))
    for number in sorted({n for _, _, places in points for n in places.meetings}):
        scores[number] = key_scores(folder, folder.contests[number])
    numbers = [_numbers(record, places.meetings, results, scores) for _, _, places in points]
    uses = [_uses(record, places.field, folder) for _, _, places in points]
    judged, used = (iter(_judge([claim for found in family for claim in found], results)) for family in (numbers, uses))
    shown = []
    for (name, found, places), claims, own in zip(points, numbers, uses, strict=True):
        games = sum(results[n].contest.games for n in {*places.meetings, *places.field})
        answers = [next(judged) for _ in claims] + [_shown(next(used)) for _ in own]
        shown.append(replace(_point(record, name, found, answers, games), unplayed=bool(usage and not own)))
    base, points_shown = shown[0], tuple(shown[1:])
    sought = base.verdict != "reached"
    return Balanced(record, base, points_shown, _named(record.singles) if sought else None, _recommended(base, points_shown))


Claimed = tuple[str, ScoreInterval | Drawn, Claim, tuple[int, ...]]  # a number's label, its value, what is claimed, and its contests


def _numbers(record: Record, contests: Sequence[int], results: dict[int, Result], scores: dict[int, np.ndarray]) -> list[Claimed]:
    """Every number of a point that has limits."""
    found: list[Claimed] = []
    for target in record.targets:
        members = tuple(contests[n] for n in target.meetings)
        alone = results[members[0]].sides[0].score
        score = alone if len(members) == 1 else pooled_mean(scores[n] for n in members)
        found.append((target.label, score, verdicts.of_score(score, (target.low, target.high)), members))
    if record.first_player:
        members = tuple(dict.fromkeys(contests[: record.pairs]))
        score = _together([results[n].first for n in members])
        found.append((FIRST, score, verdicts.of_score(score, (record.first_player[0], record.first_player[1])), members))
    return found


def _uses(record: Record, contests: Sequence[int], folder: Folder) -> list[Claimed]:
    """The use of each item at a point; none where it was not played for."""
    if not record.usage or not contests:
        return []
    return [(use.label, use.score, use.claim, tuple(contests)) for use in uses_at(record.usage, contests, folder)]


def _shown(use: Number) -> Number:
    """No share is above 1: so much for the upper limit of a use."""
    return replace(use, judged=replace(use.judged, limits=(use.judged.limits[0], 1.0)), use=True)


def _together(scores: Sequence[ScoreInterval]) -> ScoreInterval:
    """The mean of contests that met the same keys; as if they moved together altogether, so its interval is rather too wide."""
    mean, se = float(np.mean([s.mean for s in scores])), float(np.mean([s.se for s in scores]))
    corrected = any(s.corrected for s in scores)
    n_eff = min(s.n_eff for s in scores) if corrected or not se else mean * (1 - mean) / se**2
    low, high = around(mean, mean, n_eff, verdicts.LEVEL, corrected)
    return replace(scores[0], mean=mean, low=low, high=high, se=se, n_eff=n_eff, corrected=corrected)


def _judge(claims: Sequence[Claimed], results: dict[int, Result]) -> list[Number]:
    """Numbers with limits of a run are one family, uses another. Where many games were cut off, none is called ok."""
    judged = verdicts.judge([claim for _, _, claim, _ in claims])
    found = []
    for (label, score, _, members), one in zip(claims, judged, strict=True):
        cut_off = any(results[n].facts.round_limit > MOST_CUT_OFF * results[n].contest.games for n in members)
        shown = replace(one, verdict="undecided") if cut_off and one.verdict == "ok" else one
        found.append(Number(label, score, shown, members, sum(results[n].contest.games for n in members)))
    return found


def _point(record: Record, name: str, found: FoundPoint | None, numbers: list[Number], games: int) -> PointResult:
    """First player and uses are judged, but are no part of the distance."""
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


def _outcome(answers: Sequence[str]) -> Outcome:
    return "not reached" if "not ok" in answers else "undecided" if "undecided" in answers else "reached"


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
