"""The table as an event log tells it: hands, board and points by side. Imports no numba."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from bhsim.games.tricks.actions import HAT, JOKER, PAWNS
from bhsim.games.tricks.bundle import Bundle
from bhsim.games.tricks.reference.board import Board, Pawn


class Shadow:
    """Follows the events after the header. Sides take the place of seats, on ``board`` too; hands: card -> copies."""

    def __init__(self, bundle: Bundle, players: int) -> None:
        self.players = players
        self.board = Board(bundle.board, players)
        self.hands: list[Counter[int]] = [Counter() for _ in range(players)]
        self.points = [0] * players
        self.round = self.trick = self.size = 0  # size: cards that were led; 0 before the lead
        self.holder = -1

    def pawn(self, side: int, number: int) -> Pawn:
        """The first or second pawn of a side."""
        return self.board.pawns[side * PAWNS + number]

    def follow(self, event: Mapping[str, Any]) -> None:
        """Does what the event says."""
        match event["event"]:
            case "round":
                self.round, self.holder, self.trick, self.size = event["number"], event["hat"], 1, 0
            case "deal":
                self.hands[event["side"]] = Counter(event["cards"])
                self.hands[event["side"]][HAT] += event["side"] == self.holder
            case "play":
                self.hands[event["side"]] -= played(event)
                self.size = self.size or played(event).total()
            case "discard":
                self.hands[event["side"]] -= Counter([event["card"]])
            case "trick":
                self.trick, self.size = self.trick + 1, 0
            case "take":
                self.hands[event["side"]] += Counter(event["cards"])
            case "draw":
                self.hands[event["side"]][event["card"]] += 1
            case "move" | "back":
                self.board.put(self.pawn(event["owner"], event["pawn"]), event["end"])
            case "exploit":
                self.board.shift[event["space"]] += event["amount"]
            case "tile":
                self.board.lay(event["tile"])
            case "count":
                self.points[event["side"]] = event["total"]


def played(event: Mapping[str, Any]) -> Counter[int]:
    """Card -> copies of a ``play``; only what is there."""
    return +Counter({event["rank"]: event["naturals"], JOKER: event["jokers"], HAT: event["hat"]})
