"""The gate: does today's data move any match-up of a stored run? Key by key on the same luck, by the tests of ``stats.gate``.

The baseline is a run folder: its data and outcome bytes are the old side of every difference. Only when the stored keys run out, or
when they were played with other luck, is the old data played too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import WHOLE, engine_label, find, shares
from bhsim.games.usual import DEFAULT_GAME
from bhsim.inputs.names import listing
from bhsim.lab.contest import MAX_GAMES, Contest
from bhsim.lab.runs import Unit, play_units, units_of
from bhsim.lab.spec import SweepSpec, parse_spec, reparsed
from bhsim.lab.store import Folder
from bhsim.lab.sweep import contests_of
from bhsim.stats.gate import FIRST_LOOK, LOOK_EVERY, SIGNS, UP, Terms, Verdict, Watch, looks

CUT_OFF = -1  # in place of a side: the share of games cut off, which is the last column of a game's scores
MOST_GAMES = 100_000  # of a match-up, if nobody says otherwise
WITNESSES = 3  # keys named for replay
MISSING = "-"  # value of a path that one of two data sets does not have


@dataclass(frozen=True)
class Question:
    """What a gate is asked. max_keys: of a cell. fixed: a test of exactly ``max_keys`` keys instead of the sequential one.

    shortcut: equal data, engine and seed are identical without a game (off only to measure the gate itself).
    """

    terms: Terms
    max_keys: int
    seed: int
    fixed: bool = False
    shortcut: bool = True


@dataclass(frozen=True)
class Cell:
    """A contest then and now."""

    then: Contest
    now: Contest
    identical: bool


@dataclass(frozen=True)
class SideChange:
    """A side's mean score then and now over the keys compared, the change with its interval, and the test's last look.

    side: its number, or ``CUT_OFF`` for the share of games that the round limit ended, which is tested upwards only.
    The interval is always-valid, or an ordinary one for a fixed number of keys. Scores in 0..1.
    variance: of a key's change, floored as the test floors it.
    ratios: (up, down); accepted: "small", "large" or None for each direction.
    """

    side: int
    then: float
    now: float
    change: float
    low: float
    high: float
    variance: float
    ratios: tuple[float, float]
    accepted: tuple[str | None, str | None]


@dataclass(frozen=True)
class Witness:
    """A game whose result differs, in the direction of the change: its number for replay, and the side's score (0..1) then and now."""

    index: int
    then: float
    now: float


@dataclass(frozen=True)
class CellResult:
    """keys: compared; stored_keys: how many of them were not played again with the old data. cut_off: share of games; None if identical.

    paths: what differs between the data sets, as (path, value then, value now).
    """

    cell: Cell
    verdict: Verdict
    keys: int = 0
    stored_keys: int = 0
    sides: tuple[SideChange, ...] = ()
    cut_off: SideChange | None = None
    paths: tuple[tuple[str, Any, Any], ...] = ()
    witnesses: tuple[Witness, ...] = ()

    @property
    def largest(self) -> SideChange | None:
        """The side that decided, or else moved most; the share of games cut off only if it decided alone."""
        deciding = [s for s in self.sides if "large" in s.accepted] or [c for c in (self.cut_off,) if c and "large" in c.accepted]
        deciding = deciding or self.sides
        return max(deciding, key=lambda s: abs(s.change), default=None)

    def name_of(self, change: SideChange) -> str:
        """Whose share a change is of: the side's crew, with its letter if there are more than two, or "cut off"."""
        if change.side == CUT_OFF:
            return "cut off"
        sides = self.cell.now.sides
        return sides[change.side].crew if len(sides) == 2 else f"{'ABCDEF'[change.side]}: {sides[change.side].crew}"


@dataclass(frozen=True)
class Gate:
    """A baseline and what it is compared with."""

    folder: Folder
    spec: SweepSpec
    cells: tuple[Cell, ...]
    question: Question

    @property
    def engine_then(self) -> str:
        """Engine of the baseline."""
        return self.folder.manifest["engine"]

    @property
    def engine_now(self) -> str:
        """Engine of this process."""
        return engine_label(self.folder.game)

    @property
    def to_play(self) -> list[Cell]:
        """Cells that are not identical."""
        return [c for c in self.cells if not c.identical]


def spec_then(folder: Folder) -> SweepSpec:
    """How the baseline was asked for; BadInput when it is not a run that can be asked for again."""
    try:
        return parse_spec(folder.manifest["spec"])
    except BadInput:
        raise BadInput(
            Fault("this run does not say how it was asked for, so it is no baseline; `bhsim baseline` makes one", file=str(folder.path))
        ) from None


def spec_now(spec: SweepSpec, game: str | None, given: dict[str, Any]) -> SweepSpec:
    """The baseline's spec with what the user says otherwise: files replaced, variants and sets added, decks and bots of sides.

    given: any of cardset, board, rules, variants, sets, players, deck, bots (a list), deck_a, deck_b, bot_a, bot_b. BadInput for another
    game or another number of players, and for sides of a run in which every crew sits on both.
    """
    if game not in (None, spec.game):
        raise BadInput(Fault("the baseline is of another game", field="game", value=game, allowed=spec.game))
    data = spec.model_dump(mode="json", exclude_unset=True)
    data |= {kind: given[kind] for kind in ("cardset", "board", "rules") if kind in given}
    data["variants"] = [*spec.variants, *given.get("variants", ())]
    data["sets"] = [*spec.sets, *given.get("sets", ())]
    for field in ("players", "deck", "bots", "deck_a", "deck_b", "bot_a", "bot_b"):
        if not given.get(field):
            continue
        if spec.crews:
            name = f"--{field.replace('_', '-')}"
            raise BadInput(Fault("in this baseline each crew meets every other, so there is no such side", field=name))
        _say_of_sides(data, field, given[field])
    return reparsed(spec, data)


def _say_of_sides(data: dict[str, Any], field: str, value: Any) -> None:
    """Puts what is said of the sides, other than the baseline did, into the data of a spec."""
    tables, part = data.get("opponents"), field.partition("_")[0]
    shared = find(data.get("game", DEFAULT_GAME)).shared_deck
    if field in ("deck_a", "deck_b") and shared:
        raise BadInput(Fault("all sides share one deck", field=f"--{field.replace('_', '-')}", value=value, allowed="--deck"))
    if field == "players":
        sizes = {1 + len(table) for table in tables or ()}
        if tables and sizes != {value}:
            known = listing(map(str, sorted(sizes)))
            raise BadInput(Fault("the baseline has another number of players", field="players", value=value, allowed=known))
        data |= {} if tables else {"players": value}
    elif field == "bots" and not tables:
        data["bots"] = value
    elif field.endswith("_b") and not tables:
        raise BadInput(Fault("the baseline's sides are those of --bots", field=f"--{part}-b", value=value, allowed="--bots A,B.."))
    elif field == "bots":
        data["bot"] = value[0]
        data["opponents"] = [[{**o, "bot": value[n % len(value)]} for n, o in enumerate(table, 1)] for table in tables]
    elif field == "deck" and shared:
        data["deck"] = value
    else:
        if not field.endswith("_b"):
            data[part] = value
        if not field.endswith("_a"):
            data["opponents"] = [[{**o, part: value} for o in table] for table in tables or ()]


def open_gate(folder: Folder, spec: SweepSpec, question: Question) -> Gate:
    """A gate over every contest of a complete run. spec: how today's contests are asked for.

    The alarm level is shared by the directions of the cells that are not identical, whatever ``question.terms`` says of them.
    BadInput when the run was stopped or a stored unit is damaged, or when other crews meet than then.
    """
    if missing := folder.missing():
        why = f"the run was stopped: {len(missing)} units are missing, so it is no baseline; its command with --resume goes on with it"
        raise BadInput(Fault(why, file=str(folder.path)))
    contests = contests_of(spec, folder.game)
    stored = folder.finished()
    for unit in units_of(stored):
        folder.read_unit(unit)  # a damaged one is told now, and not by the first commit that needs it
    if [_who(c) for c in contests] != [_who(c) for c in stored]:
        raise BadInput(
            Fault("the baseline has other contests than are asked for now", file=str(folder.path), allowed="make a new baseline")
        )
    same_luck = question.seed == folder.manifest["seed"] and folder.manifest["engine"] == engine_label(folder.game)
    shortcut = same_luck and question.shortcut
    entries = folder.manifest["contests"]
    cells = tuple(
        Cell(then, now, shortcut and entries[then.number]["digest"] == now.digest()) for then, now in zip(stored, contests, strict=True)
    )
    tests = sum(len(_tested(c.now)) * len(SIGNS) for c in cells if not c.identical)
    terms = replace(question.terms, directions=max(tests, len(SIGNS)))
    return Gate(folder, spec, cells, replace(question, terms=terms))


def _who(contest: Contest) -> tuple[dict[str, str], list[str]]:
    """What must be the same for a contest to be the one of then."""
    return contest.setting, [side.who for side in contest.sides]


def check(gate: Gate, progress: Callable[[int], None] | None = None, **work: Any) -> Iterator[CellResult]:
    """Every cell's result in order. progress: called with the number of games just played with the new data; a test may not need the last
    of them. work: passed on to ``play_units`` (threads, block, executor).
    """
    for cell in gate.cells:
        yield _check_cell(gate, cell, progress, work)


def overall(results: Sequence[CellResult]) -> Verdict:
    """*moved* if any cell is, else *undecided* if any is, else *unchanged*, or *identical* if all are."""
    verdicts = {r.verdict for r in results}
    order = (Verdict.moved, Verdict.undecided, Verdict.unchanged)
    return next((v for v in order if v in verdicts), Verdict.identical)


def changed_paths(then: Contest, now: Contest) -> tuple[tuple[str, Any, Any], ...]:
    """(path, value then, value now) wherever the numbers that the two contests use differ."""
    old, new = (c.game.values(c.bundle, c.sides) for c in (then, now))
    order = [*old, *(path for path in new if path not in old)]
    return tuple((p, old.get(p, MISSING), new.get(p, MISSING)) for p in order if old.get(p, MISSING) != new.get(p, MISSING))


def key_limit(gate: Gate, cell: Cell) -> int:
    """Keys that can be compared: beyond the stored ones only if this engine plays the old data as the baseline's did."""
    wanted = gate.question.max_keys
    return wanted if gate.engine_then == gate.engine_now else min(wanted, cell.then.keys)


def _tested(contest: Contest) -> range:
    """Sides whose score is tested: of two, what one gains the other loses."""
    return range(1) if len(contest.sides) == 2 else range(len(contest.sides))


def _check_cell(gate: Gate, cell: Cell, progress: Callable[[int], None] | None, work: dict[str, Any]) -> CellResult:
    if cell.identical:
        return CellResult(cell, Verdict.identical)
    limit = key_limit(gate, cell)
    terms, whole = gate.question.terms, WHOLE * cell.now.seatings
    watches = {side: Watch(terms, whole) for side in _tested(cell.now)} | {CUT_OFF: Watch(terms, whole, (UP,))}
    seen = _Seen(cell)
    at = [limit] if gate.question.fixed else list(looks(limit))
    with closing(_paired(gate, cell, at, progress, work)) as pairs:
        for then, now in pairs:
            gained = seen.add(then, now)
            for side, watch in watches.items():
                watch.add(gained[:, side])
                watch.test_fixed() if gate.question.fixed else watch.look()
            if _decided(watches):
                break
    verdict = _decided(watches) or Verdict.undecided
    *sides, cut_off = (seen.change(side, watch, gate.question.fixed) for side, watch in watches.items())
    paths = changed_paths(cell.then, cell.now)
    result = CellResult(cell, verdict, seen.keys, min(seen.keys, cell.then.keys), tuple(sides), cut_off, paths)
    if verdict is not Verdict.moved or result.largest is None:
        return result
    return replace(result, witnesses=seen.witnesses(result.largest))


def _decided(watches: dict[int, Watch]) -> Verdict | None:
    verdicts = {w.verdict for w in watches.values()}
    if Verdict.moved in verdicts:
        return Verdict.moved
    return Verdict.unchanged if verdicts == {Verdict.unchanged} else None


class _Seen:
    """What the keys of a cell gave so far: in every game the scores of all sides and, last, whether it was cut off, in 60ths."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.then: list[np.ndarray] = []
        self.now: list[np.ndarray] = []

    def add(self, then: np.ndarray, now: np.ndarray) -> np.ndarray:
        """Takes outcomes of the same keys; returns what each column gained by key, whole numbers in 60ths, shape (keys, players + 1)."""
        players, seatings = len(self.cell.now.sides), self.cell.now.seatings
        old, new = (np.column_stack([shares(o[:, 0], players), WHOLE * (o[:, 0] == 0)]).astype(np.int8) for o in (then, now))
        self.then.append(old)
        self.now.append(new)
        return (new.astype(np.int64) - old).reshape(-1, seatings, players + 1).sum(axis=1)

    @property
    def games(self) -> int:
        return sum(map(len, self.now))

    @property
    def keys(self) -> int:
        return self.games // self.cell.now.seatings

    def change(self, side: int, watch: Watch, fixed: bool) -> SideChange:
        then, now = (sum(int(part[:, side].sum()) for part in parts) / (WHOLE * self.games) for parts in (self.then, self.now))
        low, high = watch.interval_fixed() if fixed else watch.interval()
        return SideChange(side, then, now, watch.mean, low, high, watch.floored_variance, tuple(watch.ratios), tuple(watch.accepted))

    def witnesses(self, moved: SideChange) -> tuple[Witness, ...]:
        """The first games in which the side's score changed most in the direction in which it moved."""
        then, now = (np.concatenate([part[:, moved.side] for part in parts]).astype(int) for parts in (self.then, self.now))
        gain = (now - then) * (1 if moved.change > 0 else -1)
        first = np.argsort(-gain, kind="stable")[:WITNESSES]
        return tuple(Witness(int(i), then[i] / WHOLE, now[i] / WHOLE) for i in first if gain[i] > 0)


def _paired(
    gate: Gate, cell: Cell, at: Sequence[int], progress: Callable[[int], None] | None, work: dict[str, Any]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Outcomes of the same keys then and now, from look to look."""
    steps = list(pairwise([0, *at]))
    sizes = [(last - first) * cell.now.seatings for first, last in steps]
    stored = gate.folder.outcomes(cell.then)
    beyond = _played(cell.then, gate.folder.manifest["seed"], cell.then.keys, at[-1], work)
    played = _played(cell.now, gate.question.seed, 0, at[-1], work | {"progress": progress})
    with closing(played) as new, closing(beyond):
        yield from zip(_cut(chain(stored, beyond), sizes), _cut(new, sizes), strict=True)


def _played(contest: Contest, seed: int, first: int, last: int, work: dict[str, Any]) -> Iterator[np.ndarray]:
    """Outcomes of keys first..last, played in small units so that little is played in vain when the test ends."""
    starts = range(first, last, LOOK_EVERY)
    units = (Unit(contest, part, start, min(LOOK_EVERY, last - start)) for part, start in enumerate(starts))
    with closing(play_units(units, seed, **work)) as results:
        for result in results:
            yield result.outcomes


def _cut(stream: Iterator[np.ndarray], sizes: Sequence[int]) -> Iterator[np.ndarray]:
    """The rows of a stream of arrays in pieces of these sizes; reads no further than the next piece needs."""
    held = np.zeros((0, 2), np.uint8)
    for size in sizes:
        parts, length = [held], len(held)
        while length < size:
            part = next(stream)
            parts.append(part)
            length += len(part)
        held = np.concatenate(parts)
        yield held[:size]
        held = held[size:]


def checked_terms(margin: float, resolution: float, alpha: float, beta: float) -> Terms:
    """Terms from points (margin, resolution in points of 100); BadInput that lists every number out of range."""
    faults = []
    if not 0 < margin <= 50:
        faults.append(Fault("out of range", field="margin", value=margin, allowed="above 0, up to 50 points"))
    if not 0 < resolution <= margin:
        allowed = f"above 0, up to the margin, {margin:g}; 1 unless it is given"
        faults.append(Fault("out of range", field="resolution", value=resolution, allowed=allowed))
    for name, rate in (("alpha", alpha), ("beta", beta)):
        if not 0 < rate < 0.5:
            faults.append(Fault("out of range", field=name, value=rate, allowed="above 0, below 0.5"))
    if faults:
        raise BadInput(*faults)
    return Terms(margin / 100, resolution / 100, alpha, beta)


def checked_keys(games: int | None, max_games: int | None, seatings: int) -> int:
    """Keys of a match-up at most (``max_games``, by default ``MOST_GAMES``), or exactly (``games``).

    BadInput for both at once, for fewer than a first look takes, or for more than a contest may have.
    """
    if games is not None and max_games is not None:
        raise BadInput(Fault("goes with the sequential test, while games fixes the number", field="max-games", value=max_games))
    field, number = ("games", games) if games is not None else ("max-games", MOST_GAMES if max_games is None else max_games)
    if not FIRST_LOOK * seatings <= number <= MAX_GAMES:
        raise BadInput(Fault("out of range for a test", field=field, value=number, allowed=f"{FIRST_LOOK * seatings} to {MAX_GAMES}"))
    return -(-number // seatings)
