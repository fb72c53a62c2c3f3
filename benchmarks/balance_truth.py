"""Does `bhsim balance` mend what was broken on purpose, and does it name the broken number first?

    python benchmarks/balance_truth.py --seeds 10 --games 250000 --out reports/balance_truth.md

Two experiments: the same break under several seeds, and a break of its own for each seed. The set that is broken is the one of
examples/balance.toml. What is recommended is played once more, on luck that neither search nor confirmation has met, and the worst excess
over the limits is told: that is the truth that the column "after" speaks of.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bhsim.games.game import find
from bhsim.inputs.document import read_toml
from bhsim.lab.arena import Arena, Match, search_root
from bhsim.lab.balance import carry_out, plan_of
from bhsim.lab.balance_problem import Problem, planned
from bhsim.lab.balance_result import Balanced
from bhsim.lab.balance_spec import parse_balance
from bhsim.lab.executors import Threads
from bhsim.lab.memory import Kept

SPEC = Path(__file__).parents[1] / "examples" / "balance.toml"
SAME = ("runners.gh0st.attack", 6)
BREAKS = (
    ("runners.gh0st.attack", 6), ("runners.wee_rin.attack", 6), ("runners.arson_nick.attack", 6), ("runners.sally_shortstop.attack", 5),
    ("runners.wyld_chyld.attack", 5), ("runners.james_jimmy_jester_mahoney.attack", 6), ("runners.skeleton_dee.attack", 6),
    ("runners.catapult.attack", 6), ("rigs.khonsu_blinkbeacon.security", 4), ("rigs.gonkboard_gonk_edition.security", 4),
)  # fmt: skip
TRUTH_KEYS = 6_000


@dataclass(frozen=True)
class Trial:
    """One run. before, after: largest excess of a match-up over its limits in points, after in truth."""

    broken: str
    seed: int
    named: str
    right: bool
    changes: tuple[str, ...]
    verdict: str
    before: float
    after: float
    games: int
    seconds: float

    @property
    def row(self) -> str:
        """A line of the table."""
        cells = [self.broken, str(self.seed), f"{'yes' if self.right else 'no'}: {self.named}", "; ".join(self.changes), self.verdict]
        return f"| {' | '.join([*cells, f'{self.before:.2f}', f'{self.after:.2f}', f'{self.games:,}', f'{self.seconds:.0f}'])} |"


HEAD = (
    "| broken | seed | named first | recommended | verdict | worst excess before | after | games | seconds |\n"
    "|---|--:|---|---|---|--:|--:|--:|--:|"
)


def trial(path: str, value: int, seed: int, games: int, bot: str | None, limits: list[float], workers: Threads) -> Trial:
    """Breaks the set, has it mended, and plays the truth."""
    document = read_toml(SPEC)
    data = {**document.data, "games": games, "seed": seed, "sets": [f"{path}={value}"], "target": {"match_ups": limits}}
    spec = parse_balance(data | ({"bot": bot} if bot else {}))
    game = find(spec.game)
    problem = planned(spec, game)
    plan = plan_of(spec, problem)
    started = time.perf_counter()
    folder = Kept(plan.manifest("benchmark"), plan.contests)
    found = carry_out(folder, plan, workers)
    seconds = time.perf_counter() - started
    played = found.record.games + sum(c.games for c in folder.contests)
    named = found.named.single.path if found.named else "none"
    changes = {c.path: c.value for c in found.recommended.changes} if found.recommended else {}
    before = 100 * max(float(problem.targets.excess(np.array([n.score.mean for n in found.base.numbers])).max()), 0.0)
    after = _worst(problem, changes, seed, workers)
    words = tuple(f"{path}={value}" for path, value in changes.items())
    return Trial(f"{path}={value}", seed, named, named == path, words, _verdict(found), before, after, played, seconds)


def _verdict(found: Balanced) -> str:
    return found.recommended.verdict if found.recommended else found.verdict


def _worst(problem: Problem, changes: dict[str, int], seed: int, workers: Threads) -> float:
    """Largest excess of a match-up in ``TRUTH_KEYS`` keys of their own."""
    bundle = problem.game.patched(problem.bundle, changes) if changes else problem.bundle
    arena = Arena(problem.game, search_root(seed, "truth of balance"), workers)
    scores = arena.scores([Match(bundle, meeting.sides) for meeting in problem.meetings], 0, TRUTH_KEYS)
    return float(100 * problem.targets.excess(problem.targets.values(scores.mean(axis=1))).max())


def trials(seeds: int, games: int, bot: str | None, limits: list[float]) -> Iterator[tuple[str, Trial]]:
    """Every trial with the name of its experiment."""
    workers = Threads()
    try:
        different = [BREAKS[n % len(BREAKS)] for n in range(seeds)]
        for name, breaks in (("the same break", [SAME] * seeds), ("a break for each seed", different)):
            for seed, (path, value) in enumerate(breaks, start=1):
                yield name, trial(path, value, seed, games, bot, limits, workers)
    finally:
        workers.close()


def main() -> None:
    """Prints each trial as it ends, and the tables with a summary at last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--games", type=int, default=250_000)
    parser.add_argument("--bot")
    parser.add_argument("--limits", type=float, nargs=2, default=[47.0, 53.0], metavar=("LOW", "HIGH"))
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    tables: dict[str, list[Trial]] = {}
    for name, one in trials(given.seeds, given.games, given.bot, given.limits):
        tables.setdefault(name, []).append(one)
        print(name, one.row, flush=True)
    limits = f"{given.limits[0]:g} to {given.limits[1]:g} %"
    lines = [f"Limits {limits}, {given.games:,} games a run; truth from {2 * TRUTH_KEYS:,} games a match-up."]
    for name, rows in tables.items():
        lines += ["", f"**{name}**", "", HEAD, *(r.row for r in rows), ""]
        within = sum(r.after <= 0.5 for r in rows)
        sizes = np.bincount([len(r.changes) for r in rows], minlength=4)[1:]
        lines.append(
            f"Named first in {sum(r.right for r in rows)} of {len(rows)}; in truth within half a point of the limits in {within}; "
            f"{', '.join(f'{count} with {n} change(s)' for n, count in enumerate(sizes, start=1) if count)}."
        )
    text = "\n".join(lines) + "\n"
    print(text)
    if given.out:
        given.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
