"""The table drawn as text: the network with who stands where, and a line for each side and runner. Imports no numba."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.boards import hex_neighbors
from bhsim.games.skirmish.model import Board, CardSet, Crew

LETTERS = "AB"  # of the sides, as in --deck-a
STATE_LETTERS = dict(zip(v.STATES, ("r", "b", "g", "x", "", ""), strict=True))
LEGEND = "number and state of each node; * locked; capitals: ready, + carries data"
_CELL = 8  # characters of a node


def label(side: int, position: int) -> str:
    """What marks a runner in pictures and in words: A0 is the first runner of the first side."""
    return f"{LETTERS[side]}{position}"


def board_picture(board: Board, view: Mapping[str, Any], sides: Sequence[int]) -> str:
    """The network row by row. view: an engine's view of the game; sides: the side that sits in seat 0 and in seat 1."""
    standing = {}
    for seat, runners in enumerate(view["runners"]):
        for position, runner in enumerate(runners):
            if runner["status"] == "board":
                mark = label(sides[seat], position)
                carries = view["data"][seat]["carrier"] == position
                standing[runner["node"]] = (mark if runner["ready"] else mark.lower()) + ("+" if carries else "")
    shifted = _shifted(board)
    rows: dict[int, dict[int, str]] = {}
    for node, (row, column) in enumerate(board.place):
        rows.setdefault(row, {})[column] = _cell(node, view, sides, standing)
    left = min(column for _, column in board.place)
    lines = []
    for row in range(min(rows), max(rows) + 1):
        cells = rows.get(row, {})
        indent = " " * (_CELL // 2 if row % 2 == shifted else 0)
        lines.append((indent + "".join(cells.get(c, "").ljust(_CELL) for c in range(left, max(cells, default=left) + 1))).rstrip())
    return "\n".join(lines)


def _cell(node: int, view: Mapping[str, Any], sides: Sequence[int], standing: Mapping[int, str]) -> str:
    word = v.STATES[view["states"][node]]
    if word.startswith("server"):
        return f"[SRV {LETTERS[sides[int(word[-1])]]}]"
    lock = "*" if node in view["locks"] else ""
    return f"{node}{STATE_LETTERS[word]}{lock} {standing.get(node, '')}".rstrip()


def _shifted(board: Board) -> int | None:
    """Parity of the rows that stand half a node to the right; None for a graph that was not drawn in hex rows."""
    return next((parity for parity in (1, 0) if hex_neighbors(board.place, parity) == board.neighbors), None)


def side_lines(cardset: CardSet, crews: Sequence[Crew], view: Mapping[str, Any], sides: Sequence[int]) -> list[str]:
    """A line for each side (points, cards, data) and for each of its runners. crews: by side."""
    lines = []
    for seat in sorted((0, 1), key=lambda seat: sides[seat]):
        side = sides[seat]
        token = ", token" if view["token"] == seat else ""
        passed = ", passed" if view["passed"][seat] else ""
        cards = ", ".join(f"{pile} {len(view[pile][seat])}" for pile in ("hand", "deck", "discard"))
        lines.append(f"{LETTERS[side]} {crews[side].name}: points {view['points'][seat]}, {cards}{token}{passed}")
        for position, (member, runner) in enumerate(zip(crews[side].members, view["runners"][seat], strict=True)):
            names = f"{cardset.runners[member.runner].name} on {cardset.rigs[member.rig].name}"
            full = cardset.rigs[member.rig].signal
            data = view["data"][seat]
            carried = f", carries data {data['signal']}" if data["carrier"] == position else ""
            lines.append(f"  {label(side, position)} {names}: {_whereabouts(runner)}, signal {runner['signal']}/{full}{carried}")
    return lines


def _whereabouts(runner: Mapping[str, Any]) -> str:
    if runner["status"] == "board":
        return f"node {runner['node']}, {'ready' if runner['ready'] else 'exhausted'}"
    return "out for good" if runner["status"] == "gone" else "off the board"
