"""The table as an event log leaves it: who stands where, with what left, event by event. Imports no numba.

It knows nothing but the log, so it shows what a reader of the log can know, and a test holds it against the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bhsim.games.skirmish import vocabulary as v

SIDES = (0, 1)  # a log speaks of sides, so whoever draws this table is told that side s sits in seat s
Event = Mapping[str, Any]


class Shadow:
    """Follows a log. ``view`` has the shape of an engine's view as far as pictures need it, by side."""

    def __init__(self, header: Event) -> None:
        self.crew = [[entry["runner"] for entry in side["crew"]] for side in header["sides"]]
        self.view: dict[str, Any] = {
            "round": 0,
            "turn": 0,
            "token": header["first"],
            "points": [0, 0],
            "passed": [False, False],
            "states": [v.STATES.index(node["state"]) for node in header["nodes"]],
            "locks": [],
            "hand": [[], []],
            "runners": [
                [{"node": -1, "signal": entry["signal"], "ready": True, "status": "off"} for entry in side["crew"]]
                for side in header["sides"]
            ],
            "data": [{"carrier": -1, "signal": 0}, {"carrier": -1, "signal": 0}],
        }
        self.full = [[entry["signal"] for entry in side["crew"]] for side in header["sides"]]

    def position(self, event: Event) -> int:
        """Crew position of the event's runner."""
        return self.crew[event["side"]].index(event["runner"])

    def runner(self, event: Event) -> dict[str, Any]:
        """Entry of the event's runner in the view."""
        return self.view["runners"][event["side"]][self.position(event)]

    def follow(self, event: Event) -> None:
        """Brings the table to what it is after the event."""
        handler = getattr(self, f"_{event['event']}", None)
        if handler:
            handler(event)

    def _round(self, event: Event) -> None:
        self.view |= {"round": event["number"], "turn": 0, "passed": [False, False]}

    def _turn(self, event: Event) -> None:
        self.view["turn"] += 1
        if event["kind"] == "card":
            self.view["hand"][event["side"]].remove(event["card"])
        if event["kind"] == "pass":
            self.view["passed"][event["side"]] = True

    def _draw(self, event: Event) -> None:
        self.view["hand"][event["side"]].append(event["card"])

    _return = _draw

    def _discard(self, event: Event) -> None:
        self.view["hand"][event["side"]].remove(event["card"])

    def _deploy(self, event: Event) -> None:
        self.runner(event).update(node=event["node"], status="board")

    def _reconnect(self, event: Event) -> None:
        if event["node"] is None:
            self.runner(event)["status"] = "gone"
        else:
            signal = self.full[event["side"]][self.position(event)]
            self.runner(event).update(node=event["node"], status="board", signal=signal)

    def _place(self, event: Event) -> None:
        self.runner(event)["node"] = event["node"]

    def _move(self, event: Event) -> None:
        self.runner(event)["node"] = event["path"][-1]

    def _disconnect(self, event: Event) -> None:
        self.runner(event).update(node=-1, status="off", signal=0, ready=False)

    def _hack(self, event: Event) -> None:
        self._change(event)
        self.view["locks"] = list(event["nodes"])

    def _change(self, event: Event) -> None:
        for node, state in zip(event["nodes"], event["states"], strict=True):
            self.view["states"][node] = v.STATES.index(state)

    def _unlock(self, event: Event) -> None:
        self.view["locks"] = []

    def _damage(self, event: Event) -> None:
        entry = self.view["data"][event["side"]] if "data" in event else self.runner(event)
        entry["signal"] = event["left"]

    def _heal(self, event: Event) -> None:
        self.runner(event)["signal"] = event["left"]

    def _exhaust(self, event: Event) -> None:
        self.runner(event)["ready"] = False

    def _ready(self, event: Event) -> None:
        self.runner(event)["ready"] = True

    def _refresh(self, event: Event) -> None:
        for runner in (r for side in self.view["runners"] for r in side if r["status"] == "board"):
            runner["ready"] = True

    def _data(self, event: Event) -> None:
        gone = event["what"] in ("destroyed", "secured")
        now = {"carrier": -1, "signal": 0} if gone else {"carrier": self.position(event), "signal": event["signal"]}
        self.view["data"][event["side"]] = now

    def _score(self, event: Event) -> None:
        self.view["points"][event["side"]] = event["total"]

    def _token(self, event: Event) -> None:
        self.view["token"] = event["side"]
