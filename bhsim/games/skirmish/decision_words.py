"""Decisions in English, for people at a table: "activate Gh0st (A0)", "go to node 12 (red)". Imports no numba."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.model import Crew
from bhsim.games.skirmish.picture import LETTERS, label

MAKE = {"offline": "take it offline"}


class DecisionWords:
    """Names decisions of one game. crews: by side; sides: the side that sits in seat 0 and in seat 1."""

    def __init__(self, bundle: Bundle, crews: Sequence[Crew], sides: Sequence[int]) -> None:
        self.bundle, self.crews, self.sides = bundle, crews, sides
        self.titles = [card.name for card in bundle.cardset.cards.values()]

    def of(self, action: int, view: Mapping[str, Any]) -> str:
        """The decision in words; ``view``: the game as it is before the decision."""
        kind, a, b = act.decode(action)
        seat = view["seat"]
        match kind:
            case act.PASS:
                return "pass for the rest of the round"
            case act.CARD:
                return f"play {self.titles[b]}"
            case act.ACTIVATE:
                return f"activate {self.runner(seat, b)}"
            case act.DEST:
                return self._destination(b, view)
            case act.ACTION:
                return self._action(a, b, seat, view)
            case act.TARGET:
                return f"choose {self._carried_by(a, view)}" if b == act.DATA else f"choose {self.runner(a, b)}"
            case act.SUBNET:
                return f"choose the subnet of {self._node(b, view)}"
            case act.STATE:
                return MAKE.get(v.STATES[b], f"make it {v.STATES[b]}")
            case act.NODE:
                return f"choose {self._node(b, view)}"
            case act.DONE:
                return "no more"
            case act.DEPLOY:
                return f"deploy {self.runner(seat, a)} on {self._node(b, view)}"
            case act.PLACE:
                name = self.runner(1 - seat, a)
                return f"{name} stays out for good" if b == act.NOWHERE else f"bring {name} back on {self._node(b, view)}"
            case act.TOKEN:
                side = self.sides[b]
                return f"{self.crews[side].name} ({LETTERS[side]}) goes first"
            case act.CHOOSE:
                return f"choose {self.titles[b]}"
            case act.ABILITY:
                part = "rig" if b == act.PART_RIG else "runner"
                return f"resolve the end-of-round text of {self.runner(seat, a)} ({part})"
        raise ValueError(f"{action} is no decision")

    def runner(self, seat: int, position: int) -> str:
        """Printed name and label of the runner at a crew position of a seat."""
        side = self.sides[seat]
        member = self.crews[side].members[position]
        return f"{self.bundle.cardset.runners[member.runner].name} ({label(side, position)})"

    def _node(self, node: int, view: Mapping[str, Any]) -> str:
        return f"node {node} ({v.STATES[view['states'][node]]})"

    def _destination(self, node: int, view: Mapping[str, Any]) -> str:
        """A runner may end on its own node, and on no other that is taken."""
        taken = any(r["status"] == "board" and r["node"] == node for crew in view["runners"] for r in crew)
        return f"stay on {self._node(node, view)}" if taken else f"go to {self._node(node, view)}"

    def _action(self, number: int, target: int, seat: int, view: Mapping[str, Any]) -> str:
        match number:
            case act.ACT_ATTACK:
                return f"attack {self._carried_by(1 - seat, view)}" if target == act.DATA else f"attack {self.runner(1 - seat, target)}"
            case act.ACT_EXTRACT:
                return "extract data from the enemy server"
            case act.ACT_TRANSFER:
                return f"hand the data to {self.runner(seat, target)}"
            case act.ACT_SECURE:
                return "secure the data"
            case act.ACT_SIGNATURE:
                return "take the signature action"
            case act.ACT_COMMON:
                return self.bundle.rules.common_actions[target].name
        return "take no action"

    def _carried_by(self, seat: int, view: Mapping[str, Any]) -> str:
        return f"the data that {self.runner(seat, view['data'][seat]['carrier'])} carries"
