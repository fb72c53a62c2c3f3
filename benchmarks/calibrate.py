"""Do the numbers mean what they say? Coverage of the printed intervals, and how often the gate is right.

    python benchmarks/calibrate.py                  # everything, about an hour on two cores
    python benchmarks/calibrate.py --gates 40 --seeds 100 --truth 200000

Coverage: one contest under many root seeds; how many of the intervals hold the truth, which comes from many games under other seeds.
Gate: whole gates with baselines of their own, the shortcut for equal digests off. Shift 0 pairs the same data under two root seeds;
shift s lets a fraction of the keys, chosen by hash, play a changed card set, so that the long-run change is s points. "same keys" does
that on the luck of the baseline, as a real gate does; "other luck" under another root seed, where differences vary most.
Goals: 935-965 of 1,000 intervals hold the truth; of 400 gates at most 28 say moved at shifts 0 and 1, at least 372 at shift 3, with a
mean number of games of at most .5 (shift 0) and .75 (shift 3) of a test of fixed size with the same errors.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.game import GAME, Skirmish
from bhsim.lab.again import spec_of
from bhsim.lab.contest import Contest, build
from bhsim.lab.gate import Cell, CellResult, Gate, Question, check
from bhsim.lab.results import engine_label, evaluate
from bhsim.lab.runs import default_threads, play, play_units, units_of
from bhsim.stats.gate import Terms, Verdict
from bhsim.stats.sprt import fixed_keys

STORED_KEYS = 1024  # of each gate's baseline: most gates need more, so that playing beyond it is measured too
MAX_KEYS = 200_000
TRUTH_SEED, SHIFT_SEED, COVER_SEEDS, GATE_SEEDS, OTHER_LUCK = 900_001, 900_002, 1_000_000, 2_000_000, 500_000
SPLIT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Mixture:
    """Two data sets of which a share of the keys, chosen by hash, plays the second."""

    base: Bundle
    changed: Bundle
    share: float

    def picks(self, keys: np.ndarray) -> np.ndarray:
        """Which keys play the changed set: shape (n,), bool."""
        mixed = (keys.astype(np.uint64) + np.uint64(1)) * SPLIT
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        return (mixed >> np.uint64(11)).astype(float) / 2.0**53 < self.share


class Mixed(Skirmish):
    """Skirmish played with a mixture of two card sets."""

    def compile(self, bundle: Mixture) -> Any:
        """Tables of both sets, and the mixture."""
        return super().compile(bundle.base), super().compile(bundle.changed), bundle

    def pack(self, tables: Any, bundle: Mixture, sides: Any) -> Any:
        """Both sets have the same runners, rigs and cards."""
        return super().pack(tables[0], bundle.base, sides)

    def play_block(self, tables, sides, root, first_key, keys, tally, outcomes, rows) -> None:
        """Runs of keys with the same set are played together."""
        picks = tables[2].picks(np.arange(first_key, first_key + keys))
        turns = [0, *(np.flatnonzero(picks[1:] != picks[:-1]) + 1), keys]
        for start, stop in zip(turns[:-1], turns[1:], strict=True):
            part = outcomes[2 * start : 2 * stop]
            super().play_block(tables[int(picks[start])], sides, root, first_key + start, stop - start, tally, part, rows[:0])

    def values(self, bundle: Mixture, sides: Any) -> dict[str, Any]:
        """Those of the first set: what a mixture differs in is not asked for here."""
        return super().values(bundle.base, sides)


class Stored:
    """A baseline in memory."""

    def __init__(self, contest: Contest, seed: int, outcomes: np.ndarray) -> None:
        self.game, self.manifest, self._outcomes = contest.game, {"seed": seed, "engine": engine_label(contest.game)}, outcomes

    def outcomes(self, contest: Contest):
        """As a run folder gives them."""
        yield self._outcomes


def coverage(contest: Contest, seeds: int, games: int, truth_games: int) -> dict[str, Any]:
    """How many of ``seeds`` intervals from ``games`` games each hold the rate that ``truth_games`` games under another seed gave."""
    truth = evaluate(play(replace(contest, keys=truth_games // 2), TRUTH_SEED)).sides[0].score
    small = replace(contest, keys=games // 2)

    def held(seed: int) -> tuple[bool, bool, float]:
        score = evaluate(play(small, COVER_SEEDS + seed, 1)).sides[0].score
        return score.low <= truth.mean <= score.high, truth.mean < score.low, score.high - score.low

    with ThreadPoolExecutor(default_threads()) as pool:
        found = list(pool.map(held, range(seeds)))
    inside = sum(bool(f[0]) for f in found)
    return {
        "intervals": seeds, "games_each": games, "truth_games": truth_games, "truth": truth.mean, "truth_low": truth.low,
        "truth_high": truth.high, "hold_it": inside, "too_high": sum(bool(f[1]) for f in found),
        "mean_width_points": 100 * float(np.mean([f[2] for f in found])),
    }  # fmt: skip


def long_run_shift(base: Contest, changed: Contest, games: int) -> float:
    """Change of the first side's score, 0..1, on common keys."""
    first, second = (evaluate(play(replace(c, keys=games // 2), SHIFT_SEED)).sides[0].score.mean for c in (base, changed))
    return second - first


def gates(base: Contest, changed: Contest, number: int, shift: float, long_run: float, other_luck: bool, terms: Terms) -> dict[str, Any]:
    """Verdicts of ``number`` gates whose true change is ``shift`` points."""
    game = Mixed()
    mixture = Mixture(base.bundle, changed.bundle, shift / 100 / abs(long_run))
    now = Contest(0, game, mixture, base.sides, STORED_KEYS)
    spec = spec_of("skirmish", Options(), [SideNames(s.crew) for s in base.sides], 2, 1)

    def one(number: int) -> CellResult:
        seed = GATE_SEEDS + number
        then = replace(base, keys=STORED_KEYS)
        outcomes = np.concatenate([u.outcomes for u in play_units(units_of([then]), seed, 1)])
        question = Question(terms, MAX_KEYS, seed + OTHER_LUCK * other_luck, shortcut=False)
        return next(check(Gate(Stored(then, seed, outcomes), spec, (Cell(then, now, False),), question), threads=1))

    started = time.perf_counter()
    with ThreadPoolExecutor(default_threads()) as pool:
        results = list(pool.map(one, range(number)))
    keys = np.array([r.keys for r in results])
    changes = np.array([r.sides[0].change for r in results])
    pooled = float(keys @ changes / keys.sum())
    variance = float(np.mean([r.sides[0].variance for r in results]))
    fixed = fixed_keys(terms.small, terms.large, variance, terms.alpha / terms.directions, terms.beta)
    truth = shift / 100 * float(np.sign(long_run))
    return {
        "shift": shift, "luck": "other luck" if other_luck else "same keys", "gates": number,
        **{v.value: sum(r.verdict is v for r in results) for v in (Verdict.moved, Verdict.unchanged, Verdict.undecided)},
        "mean_games": 2 * float(keys.mean()), "fixed_test_games": 2 * fixed, "share_of_fixed": float(keys.mean()) / fixed,
        "key_variance": variance, "mean_change_points": 100 * pooled,
        "intervals_hold_truth": sum(bool(r.sides[0].low <= truth <= r.sides[0].high) for r in results),
        "seconds": round(time.perf_counter() - started, 1),
    }  # fmt: skip


def main() -> None:
    """Runs what is asked for and prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--crews", nargs=2, default=["purple", "green"])
    parser.add_argument("--set", default="runners.gh0st.attack=3", help="the change that a share of the keys plays")
    parser.add_argument("--gates", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=1000, help="intervals of the coverage; 0 leaves it out")
    parser.add_argument("--games", type=int, default=2000, help="games of each interval")
    parser.add_argument("--truth", type=int, default=2_000_000, help="games of the truth")
    parser.add_argument("--shifts", type=float, nargs="+", default=[0.0, 1.0, 3.0], help="true changes in points (default 0 1 3)")
    parser.add_argument("--other-luck", action="store_true", help="shifts above 0 under another root seed, too (slow)")
    asked = parser.parse_args()
    sides = [SideNames(c) for c in asked.crews]
    base, changed = (build(GAME, Options(sets=sets), sides, 2) for sets in ((), (asked.set,)))
    GAME.warmup()
    report: dict[str, Any] = {
        "machine": f"{platform.machine()}, {platform.processor() or platform.system()}, {default_threads()} threads",
        "python": platform.python_version(), "engine": engine_label(GAME), "data_digest": base.digest(), "change": asked.set,
    }  # fmt: skip
    if asked.seeds:
        report["coverage"] = coverage(base, asked.seeds, asked.games, asked.truth)
        print(json.dumps(report["coverage"]), flush=True)
    if asked.gates:
        long_run = long_run_shift(base, changed, 200_000)
        report["long_run_shift_points"] = 100 * long_run
        plans = [(shift, not shift) for shift in asked.shifts]
        plans += [(shift, True) for shift in asked.shifts if shift and asked.other_luck]
        report["gates"] = []
        for shift, other in plans:
            report["gates"].append(gates(base, changed, asked.gates, shift, long_run, other, Terms()))
            print(json.dumps(report["gates"][-1]), flush=True)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
