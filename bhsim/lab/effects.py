"""Card, runner and rig effects by lot: many random builds of the first side, all on the same keys. docs/what-matters.md explains.

Knows no game's rules: what can be drawn, and how, comes from the game's ``builds``. Estimator: ``stats.crossed``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side, Table
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Executor
from bhsim.lab.findings import key_scores
from bhsim.lab.manifest import manifest_of
from bhsim.lab.restricted import Cost, Restriction, costs, restricted_contests
from bhsim.lab.runs import Counts, play_units, units_of
from bhsim.lab.store import Folder, parquet_bytes, write_bytes
from bhsim.stats.crossed import SPARE_BUILDS, CrossedEffects, crossed_effects
from bhsim.stats.many import adjusted, shrink

PURPOSE = 0x6275696C64  # tells the luck of the builds from all other luck of a seed
MAX_BUILDS = 2_000
TRIES = 20  # draws for each build that is wanted, duplicates and all
PRESENT = "present"


@dataclass(frozen=True)
class Plan:
    """Contest 0 is the match as it is, then come the builds, then restricted play. items: ids. counts: of each build, in that order."""

    part: str
    items: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    restrictions: tuple[Restriction, ...]
    contests: tuple[Contest, ...] = field(repr=False)

    def record(self) -> dict[str, Any]:
        """What the manifest keeps."""
        shown = [asdict(r) for r in self.restrictions]
        return {"part": self.part, "items": list(self.items), "counts": [list(c) for c in self.counts], "restrictions": shown}


@dataclass(frozen=True)
class ItemEffect:
    """One item's row. copies: in the present build. share: of the builds that have it; mean: copies in them all on average.

    shrunk: the effect drawn towards the mean of all by as much of their spread as chance explains (``stats.many.shrink``).
    described: rates of the present build's games that only describe, by the name of their column.
    """

    item: str
    copies: int
    share: float
    mean: float
    effect: float
    low: float
    high: float
    se: float
    shrunk: float
    q: float
    described: dict[str, float | None]


@dataclass(frozen=True)
class Effects:
    """All that a run says: effects by size, and costs of restrictions. contrasts: see ``stats.crossed``."""

    part: str
    builds: int
    keys: int
    present: float
    mean: float
    contrasts: bool
    items: tuple[ItemEffect, ...]
    costs: tuple[Cost, ...]


def planned(
    game: Game, bundle: Any, sides: Sequence[Side], part: str, builds: int, keys: int, seed: int, panel: Sequence[Side] = ()
) -> Plan:
    """The contests of a run. panel: the first side once for each bot whose restrictions are played; empty: none are.

    BadInput for a part that the game does not draw, and when there are too few different builds for the number of items.
    """
    if part not in game.builds.parts:
        raise BadInput(Fault("cannot be drawn anew in this game", field="what", value=part, allowed=", ".join(game.builds.parts)))
    items = game.builds.items(bundle, sides[0], part)
    least = len(items) + SPARE_BUILDS
    if not least <= builds <= MAX_BUILDS:
        raise BadInput(Fault("out of range", field="decks", value=builds, allowed=f"{least} to {MAX_BUILDS} for {len(items)} {part}"))
    drawn = _drawn(game, bundle, sides[0], part, builds, seed)
    contests = [Contest(0, game, bundle, tuple(sides), keys, {"case": PRESENT})]
    for number, side in enumerate(drawn, start=1):
        contests.append(Contest(number, game, bundle, (side, *sides[1:]), keys, {"case": f"build {number}"}))
        game.check(bundle, contests[-1].sides)
    counts = tuple(tuple(game.builds.items(bundle, side, part).values()) for side in drawn)
    more, restrictions = restricted_contests(game, bundle, sides, panel, keys, len(contests))
    return Plan(part, tuple(items), counts, tuple(restrictions), tuple(contests + more))


def measure_folder(folder: Folder) -> Effects:
    """The effects of a complete run that was stored."""
    record = folder.manifest["spec"]["plan"]
    counts, restrictions = tuple(map(tuple, record["counts"])), tuple(Restriction(**r) for r in record["restrictions"])
    plan = Plan(record["part"], tuple(record["items"]), counts, restrictions, tuple(folder.contests))
    return measure(plan, *stored_scores(plan, folder))


def measure(plan: Plan, scores: Mapping[int, np.ndarray], tally: np.ndarray) -> Effects:
    """The effects. scores: of the first side by contest number, mean score of each key, shape (keys,). tally: of contest 0."""
    counts = np.array(plan.counts)
    table = np.stack([scores[number] for number in range(1, len(counts) + 1)])
    varied = np.flatnonzero(np.ptp(counts, axis=0))
    try:
        found = crossed_effects(counts[:, varied], table)
    except ValueError as error:
        raise BadInput(Fault(f"the effects cannot be told: {error}", field="decks", value=len(counts), allowed="more")) from None
    present = plan.contests[0]
    copies = present.game.builds.items(present.bundle, present.sides[0], plan.part)
    rates = _rates(present.game.facts(tally, present.bundle, present.sides).tables.get(plan.part))
    q = adjusted(found.p)
    shrunk = shrink(found.effects, found.se**2).values if len(varied) > 1 else found.effects
    rows = [
        ItemEffect(
            plan.items[i],
            copies[plan.items[i]],
            *_spread(counts[:, i]),
            *_numbers(found, n),
            float(shrunk[n]),
            float(q[n]),
            rates.get(plan.items[i], {}),
        )
        for n, i in enumerate(varied)
    ]
    rows.sort(key=lambda row: -row.effect)
    shape = (len(counts), table.shape[1], float(scores[0].mean()), float(table.mean()))
    return Effects(plan.part, *shape, found.contrasts, tuple(rows), tuple(costs(plan.restrictions, scores)))


def play_scores(
    plan: Plan, seed: int, executor: Executor, block: int | None, progress: Callable[[int], None]
) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Plays a plan without storing it: the first side's mean score in each key by contest number, and contest 0's tally."""
    counts = {c.number: Counts.empty(c) for c in plan.contests[:1]}
    parts: dict[int, list[np.ndarray]] = {c.number: [] for c in plan.contests}
    for done in play_units(units_of(plan.contests), seed, block=block, progress=progress, executor=executor):
        contest = done.unit.contest
        counts.get(contest.number, Counts.empty(contest)).add(done.tally, done.outcomes)
        parts[contest.number].append(contest.key_scores(done.outcomes))
    return {number: np.concatenate(part) for number, part in parts.items()}, counts[0].tally


def manifest_for(plan: Plan, seed: int, command: str) -> dict[str, Any]:
    """The manifest of a run that is stored."""
    first = plan.contests[0]
    spec = {"what": plan.part, "games": first.games, "seed": seed, "plan": plan.record()}
    return manifest_of(f"effects {first.label}", "effects", plan.contests, seed, spec, command)


def stored_scores(plan: Plan, folder: Folder) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """As ``play_scores``, from a complete run."""
    return {c.number: key_scores(folder, c) for c in plan.contests}, folder.counts(plan.contests[0]).tally


def write_tables(directory: Path, found: Effects) -> None:
    """Stores effects.parquet, and restricted.parquet if any restriction was played."""
    import polars as pl

    for name, rows in (("effects", effect_rows(found)), ("restricted", cost_rows(found))):
        if rows:
            write_bytes(directory / f"{name}.parquet", parquet_bytes(pl.DataFrame(rows, infer_schema_length=None)))


def effect_rows(found: Effects) -> list[dict[str, Any]]:
    """effects.parquet: one row an item."""
    return [{k: v for k, v in asdict(row).items() if k != "described"} | row.described for row in found.items]


def cost_rows(found: Effects) -> list[dict[str, Any]]:
    """restricted.parquet: one row for each bot, item and way of restricting."""
    rows = []
    for c in found.costs:
        r, d = c.restriction, c.difference
        row = {"bot": r.bot, "item": r.item, "how": r.how, "free": c.free, "difference": d.mean, "low": d.low, "high": d.high}
        rows.append(row | {"se": d.se, "q": c.q, "keys": d.keys, "divergent": d.divergent, "contest": r.contest, "free_contest": r.free})
    return rows


def _drawn(game: Game, bundle: Any, side: Side, part: str, builds: int, seed: int) -> list[Side]:
    """Different builds, all from the seed."""
    rng = np.random.default_rng([seed, PURPOSE])
    found: dict[str, Side] = {}
    for _ in range(TRIES * builds):
        drawn = game.builds.sample(bundle, side, part, rng)
        found.setdefault(repr((drawn.crew_model, drawn.deck_model)), drawn)
        if len(found) == builds:
            return list(found.values())
    raise BadInput(
        Fault(f"the card set has too few different builds of {part}", field="decks", value=builds, allowed=f"about {len(found)}")
    )


def _spread(counts: np.ndarray) -> tuple[float, float]:
    return float((counts > 0).mean()), float(counts.mean())


def _numbers(found: CrossedEffects, n: int) -> tuple[float, ...]:
    return tuple(float(part[n]) for part in (found.effects, found.low, found.high, found.se))


def _rates(table: Table | None) -> dict[str, dict[str, float | None]]:
    """Columns called ``win_rate_...`` of the first side's rows, by item (the second column of such a table)."""
    if table is None:
        return {}
    names = [c.name for c in table.columns]
    wanted = [i for i, name in enumerate(names) if name.startswith("win_rate_")]
    return {row[1]: {names[i]: row[i] for i in wanted} for row in table.rows if row[0] == 0}
