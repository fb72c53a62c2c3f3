"""All that a run says, read once: results, differences, crews' means, verdicts and the games worth a replay.

Tables, JSON and reports print from it and compute nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bhsim.errors import BadInput
from bhsim.lab import verdicts
from bhsim.lab.axis import MATCH_UP_LABELS, SAMPLED
from bhsim.lab.contest import Contest
from bhsim.lab.design import base_of
from bhsim.lab.notable import Margins, Notable
from bhsim.lab.precision import REACHED, SPENT, lasting
from bhsim.lab.results import Result, evaluate
from bhsim.lab.runs import Counts, units_of
from bhsim.lab.spec import Limits, SweepSpec, parse_spec
from bhsim.lab.verdicts import Judged
from bhsim.stats.intervals import Interval, ScoreInterval
from bhsim.stats.paired import Difference, paired_difference
from bhsim.stats.pooled import pooled_mean

if TYPE_CHECKING:
    from bhsim.lab.store import Folder

MOST_CUT_OFF = 0.05  # share of games cut off by the round limit beyond which no rate is called ok


@dataclass(frozen=True)
class CrewResult:
    """A crew's mean over its contests against all others. setting: what these have in common (bot and axes). games: in all of them."""

    crew: str
    setting: dict[str, str]
    contests: int
    games: int
    score: ScoreInterval
    judged: Judged | None = None


@dataclass(frozen=True)
class Findings:
    """A run's finished contests. All dictionaries go by the contest's number.

    differences: the first side's score minus that in the base of its group; bases themselves have none. lasting: always-valid intervals,
    and ended: why a contest ended, both only of runs to a precision.
    """

    results: list[Result]
    differences: dict[int, Difference]
    notable: dict[int, Notable]
    cell: dict[int, Judged]
    first: dict[int, Judged]
    difference: dict[int, Judged]
    crews: list[CrewResult]
    lasting: dict[int, Interval] = field(default_factory=dict)
    ended: dict[int, str] = field(default_factory=dict)


def spec_of_run(folder: Folder) -> SweepSpec | None:
    """The sweep's spec that a run keeps; None for a run that was asked for in another way."""
    try:
        return parse_spec(folder.manifest["spec"])
    except BadInput:
        return None


def findings_of(folder: Folder) -> Findings:
    """Reads every finished contest of a run."""
    spec = spec_of_run(folder)
    limits = spec.limits if spec else Limits()
    finished = folder.finished()
    results, notable = [], {}
    for contest in finished:
        counts, margins = Counts.empty(contest), Margins()
        for unit in units_of([contest]):
            tally, outcomes = folder.read_unit(unit)
            counts.add(tally, outcomes)
            margins.add(outcomes)
        results.append(evaluate(counts))
        notable[contest.number] = margins.notable()
    lot = spec is not None and spec.design in SAMPLED and not spec.base  # then no point is a base: the first was drawn like the others
    gaps = {} if lot else differences(folder, finished, spec.base if spec else None)
    rows = _crews(folder, finished) if spec and spec.crews else []

    def judged(family: verdicts.Family, scores: dict[int, ScoreInterval]) -> dict[int, Judged]:
        players = {r.contest.number: len(r.sides) for r in results}
        found = _by_key(scores, lambda n: verdicts.of_score(scores[n], limits.shares(family, players[n])))
        return {n: _withheld(found[n]) if n in cut_off else found[n] for n in found}

    numbers = [r.contest.number for r in results]
    cut_off = {r.contest.number for r in results if r.facts.round_limit > MOST_CUT_OFF * r.contest.games}
    crews = verdicts.judge([verdicts.of_score(r.score, limits.shares("crew", 2)) for r in rows])
    return Findings(
        results,
        gaps,
        notable,
        judged("cell", {n: r.sides[0].score for n, r in zip(numbers, results, strict=True)}),
        judged("first", {n: r.first for n, r in zip(numbers, results, strict=True)}),
        _by_key(gaps, lambda n: verdicts.of_difference(gaps[n], limits.shares("difference", 2))),
        [CrewResult(r.crew, r.setting, r.contests, r.games, r.score, j) for r, j in zip(rows, crews, strict=True)],
        *_endings(folder, results),
    )


def _withheld(judged: Judged) -> Judged:
    """A verdict on games of which many were cut off: they draw a rate to even, so "ok" would say nothing, while "not ok" stands."""
    return replace(judged, verdict="undecided") if judged.verdict == "ok" else judged


def _by_key(members: dict[int, object], claim: Callable[[int], verdicts.Claim]) -> dict[int, Judged]:
    return dict(zip(members, verdicts.judge([claim(n) for n in members]), strict=True))


def _endings(folder: Folder, results: Sequence[Result]) -> tuple[dict[int, Interval], dict[int, str]]:
    rule = folder.rule
    if rule is None:
        return {}, {}
    scores = {r.contest.number: r.sides[0].score for r in results}
    return {n: lasting(s) for n, s in scores.items()}, {n: REACHED if rule.met(s) else SPENT for n, s in scores.items()}


def differences(folder: Folder, contests: Sequence[Contest], base: dict[str, object] | None = None) -> dict[int, Difference]:
    """Score of the first side in each finished contest minus that in the base of its group, key by key, by contest number.

    A group has the same crew, opponent, bot of the panel and number of players; its base is the first contest, or the first with the
    values of ``base``, as far as these differ in the group.
    Bases are left out, and groups whose base is not finished. Contests of unlike length are compared over the keys that both met.
    """
    found: dict[int, Difference] = {}
    finished = {c.number: c for c in contests}
    for group in _groups(folder.contests, MATCH_UP_LABELS):
        settings = [c.setting for c in group]
        wanted = {label: value for label, value in (base or {}).items() if len({s.get(label) for s in settings}) > 1}
        chosen = group[base_of(wanted, settings) or 0].number
        others = [c.number for c in group if c.number != chosen and c.number in finished]
        if chosen not in finished or not others:
            continue
        theirs = key_scores(folder, finished[chosen])
        for number in others:
            ours = key_scores(folder, finished[number])
            keys = min(len(ours), len(theirs))
            same = finished[number].same_games(finished[chosen])
            found[number] = paired_difference(ours[:keys], theirs[:keys], identical=same)
    return dict(sorted(found.items()))


def key_scores(folder: Folder, contest: Contest, side: int = 0) -> np.ndarray:
    """Mean score of a side in each key, shape (keys,), floats in 0..1."""
    return np.concatenate([contest.key_scores(outcomes, side) for outcomes in folder.outcomes(contest)])


def _groups(contests: Sequence[Contest], labels: Sequence[str]) -> list[list[Contest]]:
    """Contests of as many sides that agree on these labels."""
    groups: dict[tuple[Any, ...], list[Contest]] = {}
    for contest in contests:
        groups.setdefault((len(contest.sides), *(contest.setting.get(label) for label in labels)), []).append(contest)
    return list(groups.values())


def _crews(folder: Folder, finished: Sequence[Contest]) -> list[CrewResult]:
    """Means of all crews in all against all; a crew that still has contests to come is left out."""
    done = {c.number: c for c in finished}
    common = [label for label in folder.contests[0].setting if label not in ("crew", "opponent")]
    rows = []
    for group in _groups(folder.contests, common):
        for crew in dict.fromkeys(name for c in group for name in (c.setting["crew"], c.setting["opponent"])):
            row = [c for c in group if crew in (c.setting["crew"], c.setting["opponent"])]
            if any(c.number not in done for c in row):
                continue
            played = [done[c.number] for c in row]
            score = pooled_mean(key_scores(folder, c, 0 if c.setting["crew"] == crew else 1) for c in played)
            setting = {label: row[0].setting[label] for label in common}
            rows.append(CrewResult(crew, setting, len(row), sum(c.games for c in played), score))
    return rows


def depends_on_bot(decisions: Sequence[str]) -> bool:
    """Whether bots of a panel lead to different decisions (``Judged.decision``); those that lead to none say nothing."""
    return len({d for d in decisions if d != "undecided"}) > 1
