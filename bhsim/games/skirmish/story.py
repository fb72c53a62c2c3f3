"""A game told for people: round by round and turn by turn, with pictures of the network, from its event log. Imports no numba."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.picture import LEGEND, LETTERS, board_picture, label
from bhsim.games.skirmish.shadow import SIDES, Shadow
from bhsim.inputs.models import identifier

UNTIL = {"turn": "this turn", "round": "this round", "next_attack": "for the next attack"}
Event = Mapping[str, Any]


class Story:
    """Tells a log in lines. boards: one of ``bhsim.games.replay.BOARDS``. The log's ids get the printed names of ``bundle``."""

    def __init__(self, bundle: Bundle, header: Event, boards: str = "round") -> None:
        self.bundle, self.boards, self.header = bundle, boards, header
        self.shadow = Shadow(header)
        cardset = bundle.cardset
        self.printed = {key: entry.name for pool in (cardset.runners, cardset.rigs, cardset.cards) for key, entry in pool.items()}
        self.printed |= {identifier(common.name): common.name for common in bundle.rules.common_actions}
        self.in_turn = self.explained = False

    def tell(self, events: Iterable[Event]) -> Iterator[str]:
        """The story of the events that follow the header."""
        yield from self._opening()
        for group in _grouped(events):
            first = group[0]
            if first["event"] == "round":
                yield from self._round(first)
            elif first["event"] == "turn" and self.boards == "turn" and self.in_turn:
                yield from self._picture()
            line = self._line(group)
            for event in group:
                self.shadow.follow(event)
            if line:
                yield f"{self._margin(first)}{line}"
            if first["event"] == "turn":
                self.in_turn = True
            if first["event"] in ("unlock", "end"):
                self.in_turn = False
            if first["event"] == "end":
                yield from self._picture()

    def _opening(self) -> Iterator[str]:
        head = self.header
        yield f"Game {head['index']} of seed {head['seed']} on {head['board']}, cards {head['cardset']}, engine {head['engine']}"
        for side in SIDES:
            entry = head["sides"][side]
            yield f"{LETTERS[side]}: {entry['crew_name']} with deck {entry['deck_name']}, played by {entry['bot']}"
            for position, member in enumerate(entry["crew"]):
                numbers = ", ".join(f"{name} {member[name]}" for name in ("attack", "signal", "security", "speed"))
                yield f"  {label(side, position)} {self.printed[member['runner']]} on {self.printed[member['rig']]} ({numbers})"
        yield f"{LETTERS[head['first']]} has the first-player token."

    def _round(self, event: Event) -> Iterator[str]:
        self.in_turn = False
        points = " : ".join(str(p) for p in self.shadow.view["points"])
        yield ""
        yield f"== Round {event['number']} == {LETTERS[event['first']]} goes first, points {points}"
        if self.boards != "none":
            yield from self._picture()
            yield from self._sides()

    def _picture(self) -> Iterator[str]:
        if self.boards == "none":
            return
        for line in board_picture(self.bundle.board, self.shadow.view, SIDES).splitlines():
            yield f"    {line}".rstrip()
        if not self.explained:
            self.explained = True
            yield f"    ({LEGEND})"

    def _sides(self) -> Iterator[str]:
        view = self.shadow.view
        for side in SIDES:
            signals = []
            for position, runner in enumerate(view["runners"][side]):
                state = f"{runner['signal']}/{self.shadow.full[side][position]}" if runner["status"] == "board" else runner["status"]
                signals.append(f"{label(side, position)} {state}")
            data = view["data"][side]
            carried = f"; data {data['signal']} on {label(side, data['carrier'])}" if data["carrier"] >= 0 else ""
            yield f"    {LETTERS[side]}: signal {', '.join(signals)}; {len(view['hand'][side])} cards in hand{carried}"

    def _margin(self, event: Event) -> str:
        return "  " if event["event"] in ("turn", "end") or not self.in_turn else "      "

    # Words

    def _line(self, group: list[Event]) -> str | None:
        event = group[0]
        teller = getattr(self, f"_tell_{event['event']}", None)
        return teller(event, group) if teller else None

    def _name(self, event: Event) -> str:
        return self._runner(event["side"], event["runner"])

    def _runner(self, side: int, runner: str) -> str:
        return f"{self.printed[runner]} ({label(side, self.shadow.crew[side].index(runner))})"

    def _why(self, event: Event) -> str:
        cause = event.get("cause")
        return "" if cause in (None, "attack", "activation") else f" [{self.printed[cause]}]"

    def _cards(self, group: list[Event]) -> str:
        return ", ".join(self.printed[event["card"]] for event in group)

    def _tell_shuffle(self, event, group):
        again = self.shadow.view["round"] > 0
        return f"{LETTERS[event['side']]} shuffles {'the discard pile into a new deck' if again else 'the deck'}"

    def _tell_draw(self, event, group):
        return f"{LETTERS[event['side']]} draws {self._cards(group)}{self._why(event)}"

    def _tell_return(self, event, group):
        return f"{LETTERS[event['side']]} takes back {self._cards(group)}{self._why(event)}"

    def _tell_discard(self, event, group):
        return f"{LETTERS[event['side']]} discards {self._cards(group)}{self._why(event)}"

    def _tell_deploy(self, event, group):
        return f"{self._name(event)} is deployed on node {event['node']}"

    def _tell_turn(self, event, group):
        side = LETTERS[event["side"]]
        number = self.shadow.view["turn"] + 1
        match event["kind"]:
            case "card":
                return f"{number}. {side} plays {self.printed[event['card']]}"
            case "activate":
                return f"{number}. {side} activates {self._name(event)}"
        return f"{number}. {side} passes"

    def _tell_move(self, event, group):
        path = event["path"]
        return f"{self._name(event)} moves {' > '.join(map(str, path))}{self._why(event)}"

    def _tell_place(self, event, group):
        return f"{self._name(event)} is placed on node {event['node']}{self._why(event)}"

    def _tell_action(self, event, group):
        name, target = self._name(event), event["target"]
        match event["kind"]:
            case "attack":
                victim = "the data" if target == "data" else self._runner(event["target_side"], target)
                return f"{name} attacks {victim}"
            case "transfer":
                return f"{name} hands the data to {self._runner(event['target_side'], target)}"
            case "signature":
                return f"{name} takes the signature action"
            case "common":
                return f"{name} takes the action {self.printed[target]}"
            case "none":
                return None
        return f"{name} {event['kind']}s data"

    def _tell_flip(self, event, group):
        values = ", ".join(f"{self.printed[e['card']]} {self.header['cards'][e['card']]['damage']}" for e in group)
        return f"{'reveals' if event['for'] == 'secure' else 'flips'} {values}"

    def _tell_hack(self, event, group):
        kind = "hacks" if event["event"] == "hack" else "changes"
        parts: dict[str, list[str]] = {}
        for node, state in zip(event["nodes"], event["states"], strict=True):
            parts.setdefault(state, []).append(str(node))
        what = ", ".join(f"{' '.join(nodes)} to {state}" for state, nodes in parts.items())
        return f"{LETTERS[event['side']]} {kind} {what}{self._why(event)}"

    _tell_change = _tell_hack

    def _tell_damage(self, event, group):
        who = "the data" if "data" in event else self._name(event)
        bypass = f", bypass {event['bypass']}" if event["bypass"] else ""
        sums = f" ({event['sum']} against security {event['security']}{bypass})"
        if event["cause"] != "attack" and event["security"] == 0:  # past security, or there is none: nothing was reckoned
            sums = ""
        return f"{who} takes {event['dealt']} damage{sums}, {event['left']} signal left{self._why(event)}"

    def _tell_heal(self, event, group):
        return f"{self._name(event)} regains {event['amount']} signal, now {event['left']}{self._why(event)}"

    def _tell_stat(self, event, group):
        if event["until"] == "while":  # passives come and go with every move; the events file has them
            return None
        return f"{self._name(event)} has {event['amount']:+d} {event['stat']} {UNTIL[event['until']]}{self._why(event)}"

    def _tell_exhaust(self, event, group):
        return None if event["cause"] == "activation" else f"{self._name(event)} is exhausted{self._why(event)}"

    def _tell_ready(self, event, group):
        return f"{self._name(event)} is ready again{self._why(event)}"

    def _tell_data(self, event, group):
        name, signal = self._name(event), event["signal"]
        return {
            "extract": f"{name} now carries data of signal {signal}",
            "transfer": f"the data (signal {signal}) goes to {name}",
            "destroyed": f"the data on {name} is destroyed",
            "secured": f"the data (signal {signal}) is secured",
            "signal": f"the data on {name} now has signal {signal}{self._why(event)}",
        }[event["what"]]

    def _tell_disconnect(self, event, group):
        return f"{self._name(event)} is disconnected{self._why(event)}"

    def _tell_score(self, event, group):
        points = f"{event['points']} point{'s' * (event['points'] != 1)}"
        why = {"disconnect": "for the disconnect", "secure": "for the data", "effect": "by a text"}[event["why"]]
        return f"{LETTERS[event['side']]} scores {points} {why}, {event['total']} now{self._why(event)}"

    def _tell_another_turn(self, event, group):
        return f"{LETTERS[event['side']]} gets another turn{self._why(event)}"

    def _tell_unlock(self, event, group):
        return "The round ends."

    def _tell_reconnect(self, event, group):
        name = self._name(event)
        return f"{name} finds no free node and is out for good" if event["node"] is None else f"{name} reconnects on node {event['node']}"

    def _tell_token(self, event, group):
        return f"{LETTERS[event['side']]} takes the first-player token"

    def _tell_end(self, event, group):
        points = " : ".join(map(str, event["points"]))
        if event["winner"] is None:
            return f"Stopped at the round limit, round {event['rounds']}, points {points}: nobody wins."
        crew = self.header["sides"][event["winner"]]["crew_name"]
        return f"{crew} ({LETTERS[event['winner']]}) wins in round {event['rounds']}, points {points}."


def _grouped(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Runs of draws, discards, returns and flips of one side and cause as one group; all others alone."""
    group: list[Event] = []
    for event in events:
        if group and event["event"] in ("draw", "discard", "return", "flip") and _same(group[0], event):
            group.append(event)
            continue
        if group:
            yield group
        group = [event]
    if group:
        yield group


def _same(one: Event, other: Event) -> bool:
    return all(one.get(key) == other.get(key) for key in ("event", "side", "cause", "for"))
