"""Positions: a game at the beginning of a turn (or before deployment) and the decisions taken since, as a short TOML file.

Either engine can be set up in a position; a position can be written from any decision of a game. Everything in it is by seat;
docs/replay.md explains the file. Imports no numba.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import actions
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bundle import Bundle, digest
from bhsim.games.skirmish.model import Board, Crew, Deck
from bhsim.games.skirmish.places import WORDS
from bhsim.inputs.document import read_toml
from bhsim.inputs.explain import explained
from bhsim.inputs.names import listing, suggestion

_log = logging.getLogger("bhsim.files")

Count = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Seed = Annotated[int, Field(strict=True, ge=0, le=(1 << 63) - 1)]
Node = Annotated[int, Field(strict=True, ge=0, le=actions.MAX_NODES - 1)]
Seat = Annotated[int, Field(strict=True, ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RunnerPart(_Part):
    """A runner. node: left out off the board. signal: full if left out (0 when disconnected). gone: out for good.

    temps: ``"attack/round" = 2``, temporary numbers by stat and duration; bans: ``turn = ["move"]``.
    """

    runner: str
    rig: str
    node: Node | None = None
    signal: Annotated[int, Field(strict=True, ge=1, le=99)] | None = None
    ready: Annotated[bool, Field(strict=True)] = True
    gone: Annotated[bool, Field(strict=True)] = False
    temps: dict[str, Annotated[int, Field(strict=True, ge=-9999, le=9999)]] = {}
    bans: dict[Literal["turn", "round"], list[Literal[v.FORBIDDABLE]]] = {}


class DataPart(_Part):
    """The data that a seat has out."""

    carrier: str
    signal: Annotated[int, Field(strict=True, ge=1, le=20)]


class SeatPart(_Part):
    """What belongs to a seat. deck: the top card last. shuffles, random_draws: draws of luck used so far."""

    points: Count = 0
    passed: Annotated[bool, Field(strict=True)] = False
    extra: Count = 0
    hand: list[str] = []
    deck: list[str] = []
    discard: list[str] = []
    shuffles: Count = 1
    random_draws: Count = 0
    data: DataPart | None = None
    runners: Annotated[list[RunnerPart], Field(min_length=1, max_length=actions.MAX_CREW)]


class TablePart(_Part):
    """Name and digest of the card set, board and rules that a position was written on."""

    cardset: str
    board: str
    rules: str


def table_of(bundle: Bundle) -> TablePart:
    """Name and digest of the parts of a bundle."""
    parts = {name: getattr(bundle, name) for name in TablePart.model_fields}
    return TablePart(**{name: f"{part.name} {digest(part)}" for name, part in parts.items()})


class Position(_Part):
    """A position. round 0: nobody is deployed yet. seat: whose turn it is. changed: nodes by state that differ from the board.

    seed, key: the address of the luck. then: decisions taken since (``notation``), so that every decision can be reached.
    table: what it was written on; with another board it is refused, with other cards or rules a note says so.
    """

    name: str = "position"
    seed: Seed = 1
    key: Seed = 0
    round: Count = 1
    turn: Annotated[int, Field(strict=True, ge=0, le=10_000)] = 1
    token: Seat = 0
    seat: Seat = 0
    dropped: Count = 0
    locks: list[Node] = []
    changed: dict[Literal[v.HACKABLE], list[Node]] = {}
    seats: tuple[SeatPart, SeatPart]
    then: list[str] = []
    table: TablePart | None = None

    def crews(self) -> tuple[Crew, Crew]:
        """The crews that the runners make up, by seat."""
        members = [[{"runner": r.runner, "rig": r.rig} for r in seat.runners] for seat in self.seats]
        return tuple(Crew.model_validate({"name": f"seat {seat}", "members": members[seat]}) for seat in (0, 1))

    def decks(self) -> tuple[Deck, Deck]:
        """The decks that the cards make up, by seat; their order means nothing here."""
        every = [[*seat.deck, *seat.hand, *seat.discard] for seat in self.seats]
        return tuple(Deck(name=f"seat {seat}", cards={t: every[seat].count(t) for t in sorted(set(every[seat]))}) for seat in (0, 1))

    def states(self, board: Board) -> list[str]:
        """The state of each node."""
        states = list(board.states)
        for state, nodes in self.changed.items():
            for node in nodes:
                states[node] = state
        return states


def read_position(path: Path, bundle: Bundle) -> Position:
    """A position file; ``BadInput`` lists what is wrong with it, or does not fit card set, board and rules.

    A warning of the logger ``bhsim.files`` says when the card set or the rules are not those it was written with.
    """
    document = read_toml(path)
    try:
        position = Position.model_validate(document.data)
    except ValidationError as error:
        raise BadInput(*(document.located(f) for f in explained(error, Position, document.data))) from None
    faults = _board_faults(position, bundle) or check_position(position, bundle)
    if faults:
        raise BadInput(*(document.located(fault) for fault in faults))
    for name, was, now in _differing(position, bundle):
        _log.warning("note: %s was written with %s %s and is read with %s", path, WORDS.get(name, name), was, now)
    return position


def _differing(position: Position, bundle: Bundle) -> list[tuple[str, str, str]]:
    """Which parts are not those that the position was written on: name, what they were, what they are."""
    now = table_of(bundle)
    pairs = [(name, getattr(position.table, name), getattr(now, name)) for name in TablePart.model_fields] if position.table else []
    return [pair for pair in pairs if pair[1] != pair[2]]


def _board_faults(position: Position, bundle: Bundle) -> list[Fault]:
    """Another board: node numbers mean nothing on it."""
    other = [pair for pair in _differing(position, bundle) if pair[0] == "board"]
    return [Fault("the position belongs to another board", field="table.board", value=now, allowed=was) for _, was, now in other]


def check_position(position: Position, bundle: Bundle) -> list[Fault]:
    """Why a position cannot be on this table."""
    board, rules, cardset = bundle.board, bundle.rules, bundle.cardset
    faults = []
    nodes = [("locks", n) for n in position.locks] + [(f"changed.{s}", n) for s, listed in position.changed.items() for n in listed]
    for place, node in nodes:
        if node >= len(board.states) or board.states[node].startswith("server"):
            faults.append(Fault("no node that could be so", field=place, value=node, allowed=f"0 to {len(board.states) - 1}, no server"))
    seen: set[int] = set()
    for place, node in nodes[len(position.locks) :]:
        if node in seen:
            faults.append(Fault("the node stands twice", field=place, value=node, allowed="each node once"))
        seen.add(node)
    states = position.states(board) if not faults else list(board.states)
    if position.round > rules.max_rounds:
        faults.append(Fault("beyond max_rounds", field="round", value=position.round, allowed=f"up to {rules.max_rounds}"))
    if position.seats[position.seat].passed and position.round:
        faults.append(Fault("has passed already", field="seat", value=position.seat))
    taken: set[int] = set()
    for number, seat in enumerate(position.seats):
        at = f"seats.{number}"
        if seat.points >= rules.points_to_win:
            faults.append(
                Fault("the game would be over", field=f"{at}.points", value=seat.points, allowed=f"up to {rules.points_to_win - 1}")
            )
        for pile in ("hand", "deck", "discard"):
            unknown = sorted({t for t in getattr(seat, pile) if t not in cardset.cards})
            faults += [_no_such("card", title, cardset.cards, f"{at}.{pile}") for title in unknown]
        cards = len(seat.hand) + len(seat.deck) + len(seat.discard)
        if not 1 <= cards <= actions.MAX_DECK:
            faults.append(Fault("number of cards out of range", field=at, value=cards, allowed=f"1 to {actions.MAX_DECK}"))
        for i, runner in enumerate(seat.runners):
            faults += _runner_faults(runner, f"{at}.runners.{i}", bundle, states, taken, position.round)
        ids = [r.runner for r in seat.runners]
        if len(set(ids)) < len(ids):
            faults.append(Fault("a runner stands twice", field=f"{at}.runners"))
        if seat.data and (seat.data.carrier not in ids or seat.data.signal > rules.data_signal_max):
            allowed = f"a runner of the seat, signal up to {rules.data_signal_max}"
            faults.append(Fault("impossible data", field=f"{at}.data", value=seat.data.model_dump(), allowed=allowed))
    return faults


def _no_such(word: str, key: str, known: Collection[str], field: str) -> Fault:
    return Fault(f"no such {word}{suggestion(key, known)}", field=field, value=key, allowed=listing(known))


def _runner_faults(runner: RunnerPart, at: str, bundle: Bundle, states: list[str], taken: set[int], round_no: int) -> list[Fault]:
    cardset, faults = bundle.cardset, []
    for word, key, known in (("runner", runner.runner, cardset.runners), ("rig", runner.rig, cardset.rigs)):
        if key not in known:
            faults.append(_no_such(word, key, known, f"{at}.{word}"))
    if faults:
        return faults
    full = cardset.rigs[runner.rig].signal
    if runner.signal is not None and runner.signal > full:
        faults.append(Fault("above the rig's signal", field=f"{at}.signal", value=runner.signal, allowed=f"1 to {full}"))
    for key in runner.temps:
        stat, _, duration = key.partition("/")
        if stat not in v.STATS or duration not in v.DURATIONS[:3]:
            faults.append(Fault("no temporary number", field=f"{at}.temps", value=key, allowed="STAT/DURATION, such as attack/round"))
    node = runner.node
    if node is None:
        return faults
    if round_no == 0 or runner.gone or node >= len(states) or states[node] not in v.ONLINE or node in taken:
        allowed = "a free online node of the board" if round_no and not runner.gone else "left out"
        faults.append(Fault("cannot stand there", field=f"{at}.node", value=node, allowed=allowed))
    taken.add(node)
    return faults


# Writing


def position_of(
    view: Mapping[str, Any], bundle: Bundle, crews: Sequence[Crew], seed: int, key: int, then: Sequence[str] = (), name: str = "position"
) -> Position:
    """The position that an engine's view shows. view: taken at a turn, or before deployment; crews: by seat."""
    board = bundle.board
    changed: dict[str, list[int]] = {}
    for node, number in enumerate(view["states"]):
        if board.states[node] != v.STATES[number]:
            changed.setdefault(v.STATES[number], []).append(node)
    seats = []
    for seat in (0, 1):
        data = view["data"][seat]
        members = crews[seat].members
        part = {name: view[name][seat] for name in ("points", "passed", "extra", "hand", "deck", "discard", "shuffles", "random_draws")}
        if data["carrier"] >= 0:
            part["data"] = {"carrier": members[data["carrier"]].runner, "signal": data["signal"]}
        full = [bundle.cardset.rigs[m.rig].signal for m in members]
        part["runners"] = [_runner_part(m, r, f) for m, r, f in zip(members, view["runners"][seat], full, strict=True)]
        seats.append(part)
    fields = {
        "name": name, "seed": seed, "key": key, "round": view["round"], "turn": view["turn"], "token": view["token"],
        "seat": view["seat"], "dropped": view["dropped"], "locks": view["locks"], "changed": changed, "seats": seats, "then": list(then),
        "table": table_of(bundle),
    }  # fmt: skip
    return Position.model_validate(fields)


def _runner_part(member: Any, runner: Mapping[str, Any], full: int) -> dict[str, Any]:
    part: dict[str, Any] = {"runner": member.runner, "rig": member.rig}
    if runner["status"] == "board":
        part["node"] = runner["node"]
        if runner["signal"] != full:
            part["signal"] = runner["signal"]
        if not runner["ready"]:
            part["ready"] = False
    if runner["status"] == "gone":
        part["gone"] = True
    if runner["temps"]:
        part["temps"] = dict(runner["temps"])
    bans = {duration: words for duration, words in runner["bans"].items() if words}
    return part | ({"bans": bans} if bans else {})


def to_toml(position: Position) -> str:
    """The position as its file, without what has its default below the head."""
    head = {name: getattr(position, name) for name in ("name", "seed", "key", "round", "turn", "token", "seat")}
    data = head | position.model_dump(exclude_defaults=True)
    seats = data.pop("seats")
    lines = [f"{key} = {_value(value)}" for key, value in data.items()]
    for seat in seats:
        runners = seat.pop("runners")
        lines += ["", "[[seats]]", *(f"{key} = {_value(value)}" for key, value in seat.items()), "runners = ["]
        lines += [*(f"  {_value(runner)}," for runner in runners), "]"]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """A TOML value; JSON's strings and numbers are TOML's too."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if key.replace("_", "").isalnum() else json.dumps(key)
