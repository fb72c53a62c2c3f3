"""Two runs, or two contests of one run, compared contest by contest: what the second changes against the first.

On the same keys the difference is taken key by key; where seeds or seatings differ, Newcombe's (1998) interval is put together from the
intervals of both rates, as for separate samples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.inputs.names import listing
from bhsim.lab import verdicts
from bhsim.lab.contest import Contest
from bhsim.lab.findings import key_scores, spec_of_run
from bhsim.lab.gate import changed_paths
from bhsim.lab.results import Result, evaluate
from bhsim.lab.spec import Limits
from bhsim.lab.store import Folder
from bhsim.lab.verdicts import Judged
from bhsim.stats.intervals import ScoreInterval
from bhsim.stats.paired import Difference, paired_difference

MOST_NAMED = 4  # labels in a message


@dataclass(frozen=True)
class Pair:
    """A contest of the first and one of the second run. difference: of the first side's score, second run minus first, in shares.

    paired: whether it was taken key by key. paths: what differs in the data, as (path, first, second).
    """

    first: Result
    second: Result
    difference: Difference
    paired: bool
    paths: tuple[tuple[str, Any, Any], ...]
    judged: Judged

    @property
    def label(self) -> str:
        """What both contests are called, or else what differs between their settings."""
        ours, theirs = self.first.contest, self.second.contest
        if ours.label == theirs.label:
            return ours.label
        if not ours.setting or list(ours.setting) != list(theirs.setting):
            return ours.label if _who(ours) == _who(theirs) else f"{ours.label} -> {theirs.label}"
        return ", ".join(f"{axis} = {old} -> {theirs.setting[axis]}" for axis, old in ours.setting.items() if old != theirs.setting[axis])


@dataclass(frozen=True)
class Comparison:
    """pairs: in the order of the first run. only_first, only_second: labels of contests that have no partner."""

    pairs: list[Pair]
    only_first: list[str]
    only_second: list[str]


def compare_runs(first: Folder, second: Folder) -> Comparison:
    """Compares finished contests of the same label, or else of the same crews and values of all axes, where no others have these.

    Two runs of one contest each are compared whatever they are. BadInput when the runs are of different games, or no contest of one has a
    partner in the other.
    """
    if first.game.name != second.game.name:
        raise BadInput(Fault("a run of another game", file=str(second.path), value=second.game.name, allowed=first.game.name))
    ours, theirs = _finished(first), _finished(second)
    matched = [(ours[0], theirs[0])] if len(ours) == len(theirs) == 1 else _matched(ours, theirs)
    if not matched:
        message = f"no contest is one of the first run's: it has {_few(theirs)}"
        raise BadInput(Fault(message, file=str(second.path), allowed=_few(ours)))
    used = [{c.number for c in side} for side in zip(*matched, strict=True)]
    pairs = _compared(first, second, matched)
    return Comparison(pairs, *([c.label for c in run if c.number not in seen] for run, seen in zip((ours, theirs), used, strict=True)))


def compare_rows(folder: Folder, rows: Sequence[int]) -> Comparison:
    """Compares contests of one run, by their numbers, with the first of ``rows``.

    BadInput for less than two, equal ones, or one that is not finished.
    """
    finished = {c.number: c for c in _finished(folder)}
    if len(set(rows)) < 2 or len(set(rows)) < len(rows):
        raise BadInput(Fault("two or more different contests make a comparison", field="--rows", value=",".join(map(str, rows))))
    if lost := [n for n in rows if n not in finished]:
        raise BadInput(Fault("the run has no such finished contest", field="--rows", value=lost[0], allowed=listing(map(str, finished))))
    base, *others = (finished[n] for n in rows)
    return Comparison(_compared(folder, folder, [(base, other) for other in others]), [], [])


def _matched(ours: Sequence[Contest], theirs: Sequence[Contest]) -> list[tuple[Contest, Contest]]:
    """Partners in the order of the first run, by label, and what is left over by who meets whom."""
    by_label = {(c.label, len(c.sides)): c for c in theirs}
    partners = {c.number: by_label[c.label, len(c.sides)] for c in ours if (c.label, len(c.sides)) in by_label}
    taken = {c.number for c in partners.values()}
    left = [_alone([c for c in ours if c.number not in partners]), _alone([c for c in theirs if c.number not in taken])]
    partners |= {mine.number: left[1][who] for who, mine in left[0].items() if who in left[1]}
    return [(c, partners[c.number]) for c in ours if c.number in partners]


def _who(contest: Contest) -> tuple[Any, ...]:
    """Crews, and all of the setting that does not name them: runs call the same match-up by different labels."""
    return tuple(s.who for s in contest.sides), tuple((k, v) for k, v in contest.setting.items() if k not in ("crew", "opponent"))


def _alone(contests: Sequence[Contest]) -> dict[tuple[Any, ...], Contest]:
    """Contests by who meets whom, without those that others of the run resemble in this."""
    counts = Counter(map(_who, contests))
    return {_who(c): c for c in contests if counts[_who(c)] == 1}


def _few(contests: Sequence[Contest]) -> str:
    """The first labels, in quotes since there are commas in them."""
    more = f" and {len(contests) - MOST_NAMED} more" if len(contests) > MOST_NAMED else ""
    return ", ".join(repr(c.label) for c in contests[:MOST_NAMED]) + more


def _finished(folder: Folder) -> list[Contest]:
    finished = folder.finished()
    if not finished:
        raise BadInput(Fault("no contest of this run is finished yet", file=str(folder.path)))
    return finished


def _compared(first: Folder, second: Folder, matched: Sequence[tuple[Contest, Contest]]) -> list[Pair]:
    spec = spec_of_run(first)
    margins = (spec.limits if spec else Limits()).shares("difference", 2)
    if unlike := next(((a, b) for a, b in matched if len(a.sides) != len(b.sides)), None):
        sizes = " and ".join(str(len(c.sides)) for c in unlike)
        raise BadInput(Fault(f"rates at tables of {sizes} players cannot be compared ({unlike[0].label}; {unlike[1].label})"))
    same_luck = first.manifest["seed"] == second.manifest["seed"]
    drafts = []
    for ours, theirs in matched:
        results = evaluate(first.counts(ours)), evaluate(second.counts(theirs))
        paired = same_luck and ours.seatings == theirs.seatings
        if paired:
            keys = min(ours.keys, theirs.keys)
            same = ours.same_games(theirs) and first.manifest["engine"] == second.manifest["engine"]
            gap = paired_difference(key_scores(second, theirs)[:keys], key_scores(first, ours)[:keys], identical=same)
        else:
            gap = separate_difference(results[1].sides[0].score, results[0].sides[0].score)
        drafts.append((*results, gap, paired, changed_paths(ours, theirs)))
    judged = verdicts.judge([verdicts.of_difference(gap, margins) for _, _, gap, _, _ in drafts])
    return [Pair(*draft, one) for draft, one in zip(drafts, judged, strict=True)]


def separate_difference(a: ScoreInterval, b: ScoreInterval) -> Difference:
    """A minus B of two runs on separate keys, with Newcombe's interval from both intervals; nothing is saved by pairing."""
    gap = a.mean - b.mean
    low = gap - math.hypot(a.mean - a.low, b.high - b.mean)
    high = gap + math.hypot(a.high - a.mean, b.mean - b.low)
    keys = min(a.keys, b.keys)
    return Difference(gap, low, high, math.hypot(a.se, b.se), keys, keys, 1.0, corrected=False, identical=a.exact and b.exact and not gap)
