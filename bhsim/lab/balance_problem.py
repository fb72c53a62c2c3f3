"""What a balance spec comes to: who meets whom, how far rates may lie apart, and every single change that is possible."""

from __future__ import annotations

import dataclasses
import glob
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side, SideNames
from bhsim.inputs.document import Document, read_toml
from bhsim.inputs.names import listing, suggestion
from bhsim.lab.balance_field import field_keys, refuse_out_of_reach
from bhsim.lab.balance_spec import MAX_FOUND, BalanceSpec, Change, parse_balance
from bhsim.lab.balance_target import Targets
from bhsim.lab.entrants import identity
from bhsim.lab.overlaps import within
from bhsim.lab.pool import pairs
from bhsim.lab.spec import game_of

MAX_OPTIONS = 2_000
Combination = tuple[int, ...]  # numbers of options, ascending, no two of one path; empty: nothing is changed


@dataclass(frozen=True)
class Option:
    """A single change. touches: numbers of the meetings whose games depend on it."""

    path: str
    present: Any
    value: Any
    cost: float
    touches: tuple[int, ...]


@dataclass(frozen=True)
class Meeting:
    """Two sides whose games are looked at. crews: their numbers, the first side's first."""

    labels: tuple[str, str]
    crews: tuple[int, int]
    sides: tuple[Side, Side] = field(repr=False)


@dataclass(frozen=True)
class Problem:
    """meetings: of the targets' columns, in order. skipped: paths (or values of them) that are left out, and why.

    field: every pair of the crews that use is counted in, in the order of ``pool.pairs``, those that meet anyway as they do there; empty
    if use is no target. field_keys: of each of them, at least.
    """

    game: Game
    bundle: Any = field(repr=False)
    meetings: tuple[Meeting, ...]
    targets: Targets
    options: tuple[Option, ...]
    skipped: tuple[tuple[str, str], ...]
    max_changes: int
    field: tuple[Meeting, ...] = ()
    field_keys: int = 0

    @property
    def extras(self) -> list[Meeting]:
        """Pairs of the field that no target asks for."""
        known = {m.crews for m in self.meetings}
        return [m for m in self.field if m.crews not in known]

    def changes(self, combination: Sequence[int]) -> dict[str, Any]:
        """Path to value."""
        return {self.options[n].path: self.options[n].value for n in combination}

    def cost(self, combination: Sequence[int]) -> float:
        """Of all its changes."""
        return round(sum(self.options[n].cost for n in combination), 9)

    def touching(self, combination: Sequence[int], meeting: int) -> Combination:
        """The part of a combination that a meeting's games depend on."""
        return tuple(n for n in combination if meeting in self.options[n].touches)

    def patched(self, combination: Sequence[int]) -> Any:
        """The bundle with all changes made."""
        return self.game.patched(self.bundle, self.changes(combination)) if combination else self.bundle

    def fault_of(self, combination: Sequence[int]) -> str | None:
        """Why some side is not legal with these changes; None if all are."""
        try:
            bundle = self.patched(combination)
            for sides in tables(self.meetings, self.field):
                self.game.check(bundle, sides)
        except BadInput as error:
            return f"{error.faults[0].field}: {error.faults[0].message}" if error.faults[0].field else error.faults[0].message
        return None


def tables(meetings: Sequence[Meeting], field: Sequence[Meeting]) -> list[tuple[Side, Side]]:
    """Sides to be checked together: everybody sits at some table."""
    return [m.sides for m in meetings] + [m.sides for m in field if 0 in m.crews]


def planned(spec: BalanceSpec, game: Game, document: Document | None = None) -> Problem:
    """Sides, targets and options; BadInput lists what is wrong. document: the file of the spec, for the lines."""
    try:
        bundle = game.load(spec.options())
        crews, rivals = _sides(spec, game, bundle)
        meetings = _meetings(spec, crews, rivals)
        field, keys = [], 0
        if spec.target.usage:
            people = [*crews, *rivals]
            refuse_out_of_reach(spec.target.usage, game, bundle, [side for _, side in people])
            field, keys = _field(people, meetings), field_keys(spec, game)
        for sides in tables(meetings, field):
            game.check(bundle, sides)
        found = _Options(game, bundle, meetings, field)
        for number, change in enumerate(spec.changes):
            found.add(number, change, [c.path for c in spec.changes if not c.wild])
        found.check()
    except BadInput as error:
        raise BadInput(*(f if f.file or document is None else document.located(f) for f in error.faults)) from None
    targets = _targets(spec, meetings, len(crews))
    options, skipped = tuple(found.options), tuple(found.skipped)
    return Problem(game, bundle, tuple(meetings), targets, options, skipped, spec.max_changes, tuple(field), keys)


def check_balance(path: Path) -> None:
    """Reads a spec and tries every change of it; BadInput lists all that `bhsim balance` would refuse."""
    document = read_toml(path)
    spec = parse_balance(document.data, document)
    planned(spec, game_of(spec, document), document)


def _sides(spec: BalanceSpec, game: Game, bundle: Any) -> tuple[list[tuple[str, Side]], list[tuple[str, Side]]]:
    """Labels and sides of the crews, and of the found ones."""
    faults: list[Fault] = []
    crews: list[tuple[str, Side]] = []
    for number, crew in enumerate(spec.crews):
        try:
            crews.append((crew.label, game.side(bundle, spec.names(crew), 0)))
        except BadInput as error:
            faults += [dataclasses.replace(f, field=f"crews.{number}") if f.file is None else f for f in error.faults]
    rivals: list[tuple[str, Side]] = []
    for place, name in _found_names(spec, game, faults):
        try:
            rivals.append((Path(name).stem, game.side(bundle, SideNames(name, spec.deck, spec.bot), 0)))
        except BadInput as error:
            faults += [dataclasses.replace(f, field=place) if f.file is None else f for f in error.faults]
    if faults:
        raise BadInput(*faults)
    if spec.meta is not None:
        rivals += _of_run(spec.meta, game)
    known: dict[str, str] = {}
    for number, (label, side) in enumerate(crews):
        content = identity(game, bundle, side)
        if content in known:
            message = f"plays with the same numbers as {known[content]}"
            faults.append(Fault(message, field=f"crews.{number}", value=label, allowed="different crews"))
        known[content] = label
    if faults:
        raise BadInput(*faults)
    different: dict[str, tuple[str, Side]] = {}
    for label, side in rivals:
        different.setdefault(identity(game, bundle, side), (label, side))
    new = [one for content, one in different.items() if content not in known]
    if (spec.meta is not None or spec.found is not None) and not new:
        raise BadInput(Fault("no crew is found that is not listed in crews already", field="meta" if spec.meta else "found"))
    if len(new) > MAX_FOUND:
        raise BadInput(
            Fault("too many crews are found", field="meta" if spec.meta else "found", value=len(new), allowed=f"at most {MAX_FOUND}")
        )
    return crews, _renamed(new, {label for label, _ in crews})


def _found_names(spec: BalanceSpec, game: Game, faults: list[Fault]) -> Iterator[tuple[str, str]]:
    """Place and name of each found crew; patterns stand for all crew files that match, in order."""
    for number, name in enumerate(spec.found or ()):
        if not glob.has_magic(name):
            yield f"found.{number}", name
            continue
        files = [file for file in sorted(glob.glob(name)) if game.has("crew", file)]
        if not files:
            faults.append(Fault("matches no crew file", field=f"found.{number}", value=name))
        yield from ((f"found.{number}", file) for file in files)


def _of_run(folder: str, game: Game) -> list[tuple[str, Side]]:
    """All sides of a stored run. BadInput for one of another game."""
    from bhsim.lab.store import open_folder

    run = open_folder(Path(folder))
    if run.game is not game:
        raise BadInput(Fault(f"is a run of {run.game.name}", field="meta", value=folder, allowed=f"the folder of a run of {game.name}"))
    return [(side.crew, side) for contest in run.contests for side in contest.sides]


def _renamed(sides: list[tuple[str, Side]], taken: set[str]) -> list[tuple[str, Side]]:
    """The same with labels that no other has."""
    found = []
    for label, side in sides:
        free = next(name for n in itertools.count(1) if (name := label if n == 1 else f"{label} {n}") not in taken)
        taken.add(free)
        found.append((free, side))
    return found


def _meetings(spec: BalanceSpec, crews: list[tuple[str, Side]], rivals: list[tuple[str, Side]]) -> list[Meeting]:
    """Every pair of crews, and every found crew against all of them, as far as they count in a target that is searched for."""
    people = [*crews, *rivals]
    wanted: list[tuple[int, int]] = []
    if spec.target.match_ups or spec.target.first_player:
        wanted += itertools.combinations(range(len(crews)), 2)
    if spec.target.found is not None:
        wanted += [(rival, crew) for rival in range(len(crews), len(people)) for crew in range(len(crews))]
    return [_meeting(people, pair) for pair in wanted]


def _meeting(people: Sequence[tuple[str, Side]], pair: tuple[int, int]) -> Meeting:
    a, b = pair
    return Meeting((people[a][0], people[b][0]), pair, (people[a][1], people[b][1]))


def _field(people: Sequence[tuple[str, Side]], meetings: Sequence[Meeting]) -> list[Meeting]:
    """Every pair of all crews, as it meets for a target, or else the crew that stands first on the first side."""
    known = {frozenset(m.crews): m for m in meetings}
    return [known.get(frozenset(pair)) or _meeting(people, pair) for pair in pairs(len(people))]


def _targets(spec: BalanceSpec, meetings: Sequence[Meeting], crews: int) -> Targets:
    labels, rows, lows, highs, middles = [], [], [], [], []

    def add(label: str, members: list[int], low: float, high: float, middle: float) -> None:
        labels.append(label)
        rows.append([1 / len(members) if n in members else 0.0 for n in range(len(meetings))])
        for part, value in zip((lows, highs, middles), (low, high, middle), strict=True):
            part.append(value)

    if spec.target.match_ups:
        low, high = (end / 100 for end in spec.target.match_ups)
        for number, meeting in enumerate(meetings):
            if max(meeting.crews) < crews:
                add(" - ".join(meeting.labels), [number], low, high, (low + high) / 2)
    if spec.target.found is not None:
        high = spec.target.found / 100
        for rival in dict.fromkeys(m.crews[0] for m in meetings if m.crews[0] >= crews):
            members = [n for n, m in enumerate(meetings) if m.crews[0] == rival]
            add(f"{meetings[members[0]].labels[0]} against all", members, 0.0, high, min(0.5, high))
    return Targets(tuple(labels), np.array(rows), np.array(lows), np.array(highs), np.array(middles))


class _Options:
    """The options of a spec, tried out one by one."""

    def __init__(self, game: Game, bundle: Any, meetings: Sequence[Meeting], field: Sequence[Meeting]) -> None:
        self.game, self.bundle, self.meetings = game, bundle, meetings
        self.tables = tables(meetings, field)
        self.used = [game.values(bundle, m.sides) for m in meetings]
        self.values: dict[str, Any] = {path: value for found in self.used for path, value in found.items()}
        self.digests = [game.digest(bundle, m.sides) for m in meetings]
        self.options: list[Option] = []
        self.skipped: list[tuple[str, str]] = []
        self.faults: list[Fault] = []
        self.seen: set[str] = set()

    def add(self, number: int, change: Change, exact: Sequence[str]) -> None:
        """All that a change of the spec offers. exact: paths that are given in full, which patterns leave alone."""
        if not change.wild:
            path = next((p for p in self.values if within(p, change.path) and within(change.path, p)), None)
            self._add_path(number, change, path or change.path)
            return
        matching = [path for path in self.values if fnmatchcase(path, change.path)]
        if not matching:
            near = suggestion(change.path.replace("*", ""), self.values)
            fault = Fault(f"matches no value that the crews use{near}", value=change.path, allowed=listing(self.values))
            self.faults.append(dataclasses.replace(fault, field=f"changes.{number}.path"))
        for path in matching:
            if path not in self.seen and not any(within(path, other) or within(other, path) for other in exact):
                self._add_path(number, change, path)

    def check(self) -> None:
        """BadInput for faults, and when nothing is left to change."""
        if not self.faults and not self.options:
            why = "; ".join(f"{path}: {why}" for path, why in self.skipped[:4])
            self.faults.append(Fault(f"nothing can be changed ({why})", field="changes"))
        if not self.faults and len(self.options) > MAX_OPTIONS:
            self.faults.append(Fault("too many single changes", field="changes", value=len(self.options), allowed=f"at most {MAX_OPTIONS}"))
        if self.faults:
            raise BadInput(*self.faults)

    def _add_path(self, number: int, change: Change, path: str) -> None:
        self.seen.add(path)
        present = self.values.get(path)
        known, refused = self._known(change, path, change.offered(present))
        if refused:
            self.faults += [dataclasses.replace(fault, field=f"changes.{number}.{key}") for key, fault in refused.items()]
            return
        known = [value for value in known if value != present]
        touches = self._touched(path, known[0]) if known else ()
        if present is None or (known and not touches):
            self.skipped.append((path, "no crew uses it" if present is None else "no game depends on it"))
            return
        legal = [value for value in known if self._is_legal(path, value)]
        if not legal:
            self.skipped.append((path, f"no other value than {present} is possible"))
        for value in sorted(legal, key=lambda v: (_steps(present, v), str(v))):
            cost = float(change.cost + change.step_cost * _steps(present, value))
            self.options.append(Option(path, present, value, cost, touches))

    def _known(self, change: Change, path: str, offered: Sequence[Any]) -> tuple[list[Any], dict[str, Fault]]:
        """Values that the models bear; and where they refuse what the spec says outright, a fault for each key of the change to blame."""
        known: list[Any] = []
        refused: dict[str, Fault] = {}
        for place, value in enumerate(offered):
            try:
                self.game.patched(self.bundle, {path: value})
            except BadInput as error:
                fault = error.faults[0]
                if change.wild or change.down is not None or change.up is not None:
                    self.skipped.append((path, f"{value}: {fault.message}"))
                    continue
                told = Fault(fault.message, value=fault.value, allowed=fault.allowed)
                if fault.value is None and path not in self.values:  # a fault of the path names no value
                    refused["path"] = told
                elif change.values is not None:
                    refused[f"values.{place}"] = told
                elif known:
                    refused["high"] = told  # the last one that is refused is the end itself
                else:
                    refused.setdefault("low", told)
            else:
                known.append(value)
        return known, refused

    def _is_legal(self, path: str, value: Any) -> bool:
        """Whether all crews bear the value."""
        bundle = self.game.patched(self.bundle, {path: value})
        try:
            for sides in self.tables:
                self.game.check(bundle, sides)
        except BadInput as error:
            self.skipped.append((path, f"{value}: {error.faults[0].message}"))
            return False
        return True

    def _touched(self, path: str, value: Any) -> tuple[int, ...]:
        """Meetings whose games depend on a path: those whose digest another value moves."""
        bundle = self.game.patched(self.bundle, {path: value})
        users = [n for n, used in enumerate(self.used) if path in used]
        return tuple(n for n in users if self.game.digest(bundle, self.meetings[n].sides) != self.digests[n])


def _steps(present: Any, value: Any) -> float:
    """How far a number moves; a word moves by one."""
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (present, value))
    return abs(value - present) if numbers else 1.0
