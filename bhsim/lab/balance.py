"""Balancing a set: contests of the set as it is, the search, and its answers on fresh keys. docs/balance.md explains.

What a run plays for the record are contests of its folder under its own seed. The search plays under another root, into the folder's
``plays/``; what it found is kept as ``search.json``, so that a report needs nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.lab import carry
from bhsim.lab.arena import Arena, search_root
from bhsim.lab.balance_files import write_variants
from bhsim.lab.balance_found import Places, record_of
from bhsim.lab.balance_problem import Combination, Meeting, Problem
from bhsim.lab.balance_result import NOW, Balanced, balanced, write_tables
from bhsim.lab.balance_search import Point, Searched, least_games, search
from bhsim.lab.balance_spec import BalanceSpec
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Executor
from bhsim.lab.ledger import Ledger
from bhsim.lab.manifest import manifest_of
from bhsim.lab.memory import Kept
from bhsim.lab.record import write_record
from bhsim.lab.store import Folder

BASE_SHARE = 0.08  # of the games, for the set as it is
SEARCH_SHARE = 0.5
FAR = 0.5  # points that 95 % of the search's draws leave: then a point does not reach the target, and is played until that shows
SHOWN = 140.0  # divided by those points and squared: keys that show it (four standard errors, where one key has one of 35 points)
FAR_SHARE = 0.3  # of the games that the search leaves, for such points together, at most
MAX_POINTS = 7
MAX_NEAR = 3  # points that may reach the target
LEAST_KEYS = 8


@dataclass(frozen=True)
class Plan:
    """What a spec comes to. contests: of the set as it is: of the meetings, then of the extras of the field."""

    spec: BalanceSpec
    problem: Problem
    contests: tuple[Contest, ...]

    @property
    def now(self) -> Places:
        """The set as it is."""
        return self.places(range(len(self.problem.meetings)), range(len(self.problem.meetings), len(self.contests)))

    def places(self, meetings: Sequence[int], extras: Sequence[int]) -> Places:
        """The contests of a point. meetings, extras: numbers of theirs."""
        known = {m.crews: n for m, n in zip([*self.problem.meetings, *self.problem.extras], [*meetings, *extras], strict=True)}
        return Places(meetings, [known[m.crews] for m in self.problem.field])

    @property
    def seatings(self) -> int:
        """Games of a key."""
        return self.contests[0].seatings

    @property
    def base_games(self) -> int:
        """Games of all its contests."""
        return sum(c.games for c in self.contests)

    @property
    def search_games(self) -> int:
        """Games that the search may play."""
        return min(int(SEARCH_SHARE * self.spec.games), self.spec.games - self.base_games - reserved(self.problem, self.seatings))

    def manifest(self, command: str) -> dict[str, Any]:
        """The manifest of the run."""
        return manifest_of(self.spec.name, "balance", self.contests, self.spec.seed, self.spec.model_dump(mode="json"), command)


def plan_of(spec: BalanceSpec, problem: Problem) -> Plan:
    """The contests that are known before anything is played. BadInput for too few games."""
    meetings, seatings = problem.meetings, problem.game.seatings(len(problem.meetings[0].sides))
    least = least_budget(problem, seatings)
    if spec.games < least:
        wanted, what = f"{least} or more for {len(problem.options)} single changes", "too few to search and to play what is found again"
        if problem.field:
            wanted += f" and {len(problem.field)} match-ups of {problem.field_keys * seatings} games, or smaller usage_games"
            what += ", its use too"
        raise BadInput(Fault(what, field="games", value=spec.games, allowed=wanted))
    keys = max(LEAST_KEYS, problem.field_keys, int(BASE_SHARE * spec.games) // (seatings * len(meetings)))
    sizes = [(m, keys) for m in meetings] + [(m, problem.field_keys) for m in problem.extras]
    return Plan(spec, problem, tuple(_contest(problem, n, problem.bundle, m, size, NOW) for n, (m, size) in enumerate(sizes)))


def least_budget(problem: Problem, seatings: int) -> int:
    """Fewest games of a run: for the first looks of the search. The rest is enough for ``LEAST_KEYS`` keys of whatever is confirmed.

    Where use is a target, for that of the set as it is and of all points that may be judged, too.
    """
    looks = least_games(problem, seatings)
    least = int(looks / SEARCH_SHARE) + 1
    if not problem.field:
        return least
    keys = problem.field_keys * seatings
    others = keys * len(problem.extras) + looks + reserved(problem, seatings)
    return max(least, keys * len(problem.meetings) + others, math.ceil(others / (1 - BASE_SHARE)))


def reserved(problem: Problem, seatings: int) -> int:
    """Games that the search leaves for use: the whole field at every near point, the set as it is played longer, and least far points."""
    if not problem.field:
        return 0
    meetings = len(problem.meetings)
    near = problem.field_keys * (MAX_NEAR * len(problem.field) + meetings)
    return seatings * (near + LEAST_KEYS * MAX_POINTS * meetings)


def _contest(problem: Problem, number: int, bundle: Any, one: Meeting, keys: int, point: str) -> Contest:
    setting = {"crew": one.labels[0], "opponent": one.labels[1], "point": point}
    return Contest(number, problem.game, bundle, one.sides, keys, setting)


def carry_out(
    folder: Folder,
    plan: Plan,
    executor: Executor,
    block: int | None = None,
    progress: Callable[[int], None] | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Balanced:
    """Plays the whole run into a folder, which is closed then, whatever happens.

    A folder that was stopped goes on where it was: contests are kept in it, and the search asks its ledger first. say: gets a line for
    each stage.
    """
    spec, problem = plan.spec, plan.problem
    with carry.opened(folder, spec.seed, block=block, executor=executor) as play:
        play(progress)
        record = record_of(problem, spec, plan.now, None, {})
        base = balanced(record, folder).base
        if base.verdict_but_use != "reached":
            ledger = Ledger() if isinstance(folder, Kept) else Ledger(folder.path)
            arena = Arena(problem.game, search_root(spec.seed, "balance"), executor, ledger, block, progress)
            say(f"searching among {len(problem.options)} single changes and what they make together ...")
            sought = search(arena, problem, plan.seatings, plan.search_games, spec.seed)
            points = chosen(sought, base.verdict == "undecided")
            contests, places = _confirming(plan, points, spec.games - plan.base_games - sought.games)
            now = places.pop(0, plan.now)
            record = record_of(problem, spec, now, sought, {str(n): (points[n], at) for n, at in sorted(places.items())})
            say(f"playing {len(record.points)} of its answers again, on fresh keys ...")
            folder.extend(contests)
            play(progress)
        elif base.verdict == "undecided" and (contests := _longer(plan)):
            numbers, many = [c.number for c in contests], len(problem.meetings)
            record = record_of(problem, spec, plan.places(numbers[:many], numbers[many:]), None, {})
            say("playing the set as it is longer, since its use is undecided ...")
            folder.extend(contests)
            play(progress)
        found = balanced(record, folder)
        if not isinstance(folder, Kept):
            write_record(folder.path, record)
            write_tables(folder, found)
            write_variants(folder, found)
        return found


def chosen(found: Searched, open_: bool = False) -> dict[int, Point]:
    """Points that are confirmed, by their number: the cheapest that may reach the target, the nearest, and some before them.

    0 stands for the set as it is, which is played longer if it may reach it, too, by the search or by its own games (``open_``), and where
    no change is surely nearer.
    """
    near = [p for p in found.front if p.low < FAR]
    if len(near) > MAX_NEAR:
        near = [*near[: MAX_NEAR - 1], near[-1]]
    far = [p for p in found.front if p.low >= FAR]
    room = MAX_POINTS - len(near)
    if len(far) > room:  # the last ones lead to those that reach it
        far = far[len(far) - room :]
    longer = open_ or found.base.low < FAR or min(p.high for p in found.front) >= found.base.low
    return ({0: found.base} if longer else {}) | dict(enumerate([*far, *near], start=1))


def levelled(wanted: Sequence[int], room: int) -> int:
    """The most that each may have if all together are to have no more than ``room``: those who want little get it whole."""
    level = max(wanted, default=0)
    for place, least in enumerate(sorted(wanted)):
        if least * (len(wanted) - place) > room:
            return room // (len(wanted) - place)
        room -= least
    return level


def _longer(plan: Plan) -> list[Contest]:
    """The whole field of the set as it is with all games that are left, meetings first; none if that is no more than it has had."""
    problem, number = plan.problem, len(plan.contests)
    tables = [*problem.meetings, *problem.extras]
    keys = (plan.spec.games - plan.base_games) // (plan.seatings * len(tables))
    if keys <= max(c.keys for c in plan.contests):
        return []
    return [_contest(problem, number + n, problem.bundle, one, keys, NOW) for n, one in enumerate(tables)]


def _confirming(plan: Plan, points: dict[int, Point], games: int) -> tuple[list[Contest], dict[int, Places]]:
    """Contests of the points, and for each point the numbers of its own; several points share one whose games are the same.

    Those that may reach the target share the games equally, untouched meetings and all; for the others, the set as it is stands in there,
    and their use is not looked at. Extras of the field are played as much as the spec says.
    """
    near = {n: p for n, p in points.items() if n and p.low < FAR}
    extras, numbers = _extras(plan, near)
    games -= sum(c.games for c in extras)
    contests, meetings = _meetings(plan, points, games, len(plan.contests) + len(extras))
    numbers |= {0: range(len(plan.problem.meetings), len(plan.contests))}
    places = {n: plan.places(played, numbers[n]) if n in numbers else Places(played, []) for n, played in meetings.items()}
    return [*extras, *contests], places


def _extras(plan: Plan, points: dict[int, Point]) -> tuple[list[Contest], dict[int, Sequence[int]]]:
    """Contests of pairs that only use asks for, and for each point the numbers of its own; those are shared whose games are the same."""
    problem, first = plan.problem, len(plan.problem.meetings)
    known = {(place, contest.digest()): contest.number for place, contest in enumerate(plan.contests[first:])}
    contests: list[Contest] = []
    places: dict[int, Sequence[int]] = {}
    for number, point in points.items():
        bundle = problem.patched(point.changes)
        cells = [(place, problem.game.digest(bundle, pair.sides)) for place, pair in enumerate(problem.extras)]
        for cell, pair in zip(cells, problem.extras, strict=True):
            if cell not in known:
                known[cell] = len(plan.contests) + len(contests)
                contests.append(_contest(problem, known[cell], bundle, pair, problem.field_keys, str(number)))
        places[number] = [known[cell] for cell in cells]
    return contests, places


def _meetings(plan: Plan, points: dict[int, Point], games: int, first: int) -> tuple[list[Contest], dict[int, list[int]]]:
    """Contests of the points' meetings, numbered from ``first``, and for each point the number of every meeting's."""
    problem, meetings = plan.problem, range(len(plan.problem.meetings))
    near = [n for n, p in points.items() if n and p.low < FAR] or list(points)[-1:]
    near = [0] * (0 in points) + near
    far = [n for n in points if n not in near]
    cells: dict[tuple[int, Combination], int] = {}  # to the number of its contest
    owners: list[tuple[int, Combination, int]] = []

    def enter(number: int, known: dict[tuple[int, Combination], int]) -> list[int]:
        """The contests of a point, new ones where neither ``cells`` nor ``known`` has them."""
        found = []
        for meeting in meetings:
            cell = meeting, problem.touching(sorted(points[number].changes), meeting)
            if cell not in cells and cell not in known:
                cells[cell] = first + len(owners)
                owners.append((*cell, number))
            found.append(cells[cell] if cell in cells else known[cell])
        return found

    places = {n: enter(n, {}) for n in near}
    many = len(owners)
    places |= {n: enter(n, {(m, ()): m for m in meetings}) for n in far}
    shown = [math.ceil((SHOWN / points[number].low) ** 2) for _, _, number in owners[many:]]
    room = min(int(FAR_SHARE * games), games - plan.seatings * problem.field_keys * many) // plan.seatings
    level = levelled(shown, room)
    keys = [max(LEAST_KEYS, min(n, level)) for n in shown]
    most = max(LEAST_KEYS, (games // plan.seatings - sum(keys)) // max(1, many))
    contests = []
    for place, ((meeting, changes, number), played) in enumerate(zip(owners, [most] * many + keys, strict=True)):
        bundle = problem.patched(changes)
        contests.append(_contest(problem, first + place, bundle, problem.meetings[meeting], min(played, most), str(number or NOW)))
    return contests, places
