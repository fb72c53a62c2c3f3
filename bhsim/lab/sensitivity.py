"""The effects of a sensitivity run, from its stored outcomes: what each factor, and each pair, does to the metric.

Estimator: ``stats.factorial``. With several opponents there is a family of effects against each of them, and one for the mean over them
(``POOLED``); q-values (Benjamini and Hochberg) are taken within a family.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bhsim.games.game import WHOLE, shares
from bhsim.lab.contest import Contest
from bhsim.lab.factors import Factor
from bhsim.lab.store import Folder, parquet_bytes, write_bytes
from bhsim.stats.factorial import Design, Effect, estimate
from bhsim.stats.many import adjusted

POOLED = "all opponents"
EFFECTS = "effects"  # file of the table


@dataclass(frozen=True)
class Measured:
    """An effect of one factor, or of a pair of them, against one opponent or all; q: see the module."""

    opponent: str
    factors: tuple[Factor, ...]
    effect: Effect
    q: float


@dataclass(frozen=True)
class Sensitivity:
    """All effects of a run, each family by size. metric: of the spec. unit: what an effect times 100 (margin: times 1) is counted in.

    beyond: by opponent, how much main effects may be off by what three and more factors do together (``stats.factorial``).
    """

    metric: str
    unit: str
    runs: int
    opponents: tuple[str, ...]
    main: tuple[Measured, ...]
    pairs: tuple[Measured, ...]
    beyond: dict[str, float | None]
    skipped: tuple[tuple[str, str], ...]

    def family(self, opponent: str | None = None, pairs: bool = False) -> list[Measured]:
        """Main effects (or pairs) against one opponent, largest first; None: against all."""
        wanted = opponent or self.overall
        return [m for m in (self.pairs if pairs else self.main) if m.opponent == wanted]

    @property
    def overall(self) -> str:
        """What the family against all opponents is called."""
        return POOLED if len(self.opponents) > 1 else self.opponents[0]

    def shown(self, value: float) -> float:
        """A value of the metric in ``unit``."""
        return value if self.metric == "margin" else 100 * value


def measure(folder: Folder) -> Sensitivity:
    """Effects of a complete run."""
    spec, record = folder.manifest["spec"], folder.manifest["spec"]["design"]
    design = Design(tuple(record["masks"]), record["pairs"])
    factors = [Factor(**f) for f in record["factors"]]
    rivals = _by_opponent(folder.contests)
    main: list[Measured] = []
    pairs: list[Measured] = []
    beyond: dict[str, float | None] = {}
    groups = [[name] for name in rivals] + ([list(rivals)] if len(rivals) > 1 else [])
    for group in groups:
        chunks, scale = _chunks(folder, [rivals[name] for name in group], spec["metric"])
        estimates = estimate(chunks, design, scale)
        found, between = estimates.main, estimates.pairs
        q = adjusted(np.array([e.p for e in [*found, *between]]))
        name = group[0] if len(group) == 1 else POOLED
        beyond[name] = estimates.beyond()
        family = [Measured(name, (f,), e, float(x)) for f, e, x in zip(factors, found, q, strict=False)]
        both = [(factors[i], factors[j]) for i, j in design.pair_masks()] if between else []
        main += _by_size(family)
        pairs += _by_size(Measured(name, f, e, float(x)) for f, e, x in zip(both, between, q[len(found) :], strict=True))
    unit = "points a game" if spec["metric"] == "margin" else "percent points"
    skipped = tuple((s["path"], s["why"]) for s in record["skipped"])
    return Sensitivity(spec["metric"], unit, design.runs, tuple(rivals), tuple(main), tuple(pairs), beyond, skipped)


def write_effects(folder: Folder, found: Sensitivity) -> None:
    """Stores the effects as effects.parquet: shares of a win (margin: points), one row an effect, pairs after the factors."""
    import polars as pl

    write_bytes(folder.path / f"{EFFECTS}.parquet", parquet_bytes(pl.DataFrame(rows(found), infer_schema_length=None)))


def rows(found: Sensitivity) -> list[dict[str, Any]]:
    """Every effect as one row; levels as text, since paths hold numbers and words."""
    return [_row(m) for m in (*found.main, *found.pairs)]


def _row(m: Measured) -> dict[str, Any]:
    first, second = m.factors[0], m.factors[1] if len(m.factors) > 1 else None
    e = m.effect
    levels = {"present": first.present, "low_level": first.low, "high_level": first.high}
    return {
        "opponent": m.opponent, "path": first.path, "with": second.path if second else None,
        **{name: None if second or value is None else str(value) for name, value in levels.items()},
        "effect": e.mean, "low": e.low, "high": e.high, "se": e.se, "p": e.p, "q": m.q, "keys": e.keys, "divergent": e.divergent,
    }  # fmt: skip


def _by_size(measured: Any) -> list[Measured]:
    return sorted(measured, key=lambda m: -abs(m.effect.mean))


def _by_opponent(contests: Sequence[Contest]) -> dict[str, list[Contest]]:
    """Contests of each opponent in the order of the runs."""
    found: dict[str, list[Contest]] = {}
    for c in contests:
        found.setdefault(c.setting.get("opponent", c.sides[1].crew), []).append(c)
    return found


def _chunks(folder: Folder, groups: Sequence[Sequence[Contest]], metric: str) -> tuple[Iterator[np.ndarray], int]:
    """The metric of every run and key, added up over opponents (groups), as whole numbers; and what 1 is in them.

    The distance from one half bends where a run's rate crosses one half. Key by key it is taken along the straight line on which the run's
    own rate lies, so that the mean over keys is the distance, and the spread over keys gives its interval (delta method).
    """
    first = groups[0][0]
    players, scale = len(first.sides), first.seatings * len(groups)
    if metric == "margin":
        return _added(folder, groups, lambda outcomes, _: outcomes[:, 1].view(np.int8).astype(np.int64)), scale

    def scores(outcomes: np.ndarray, _: Contest) -> np.ndarray:
        return shares(outcomes[:, 0], players)[:, 0]

    if metric == "win_rate":
        return _added(folder, groups, scores), scale * WHOLE
    fair = WHOLE // players
    above = {c.number: int(np.sign(sum(int((scores(o, c) - fair).sum()) for o in folder.outcomes(c)))) for group in groups for c in group}
    return _added(folder, groups, lambda outcomes, c: above[c.number] * (scores(outcomes, c) - fair)), scale * WHOLE


def _added(folder: Folder, groups: Sequence[Sequence[Contest]], of_game: Any) -> Iterator[np.ndarray]:
    """Unit by unit: int64, shape (runs, keys), the sum over a key's games and over opponents."""
    streams = [[(c, folder.outcomes(c)) for c in group] for group in groups]
    while True:
        total = None
        for stream in streams:
            parts = [(c, next(outcomes, None)) for c, outcomes in stream]
            if parts[0][1] is None:
                return
            values = np.stack([of_game(o, c).reshape(-1, c.seatings).sum(axis=1) for c, o in parts])
            total = values if total is None else total + values
        yield total
