"""The event log of a game as the documented JSON Lines (docs/replay.md), from the raw rows that the kernel wrote.

The raw log names seats, crew positions and numbers; here they become sides, ids and words. Nothing is played again: only the way
of a move, of which the kernel knows the end, is worked out from the table as the events before it left it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bhsim import __version__
from bhsim.games.replay import Event
from bhsim.games.skirmish import actions, logheader
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.driver import KernelGame, Match
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine.version import BEHAVIOUR_VERSION
from bhsim.inputs.models import identifier

TURN_KINDS = ("pass", "card", "activate")
DATA_WORDS = ("extract", "transfer", "destroyed", "secured", "signal")
SCORE_WORDS = ("disconnect", "secure", "effect")
REASONS = (None, "points", "max_rounds")


def events_of(game: KernelGame) -> list[Event]:
    """Header and events of a logged game so far; of a finished one the last is ``end``."""
    return [header(game.match, game.root, game.index), *told(game.raw_log(), game.match, game.index)]


def header(match: Match, root: int, index: int) -> Event:
    """Line 1: all that an auditor needs of the data files."""
    bundle, bots = match.bundle, tuple(bot.name for bot in match.bots)
    pool = (bundle.cardset, bundle.board, bundle.rules)
    return logheader.header(*pool, match.crews, match.decks, root, index, f"{__version__}+{BEHAVIOUR_VERSION}", bots)


def told(raw: np.ndarray, match: Match, index: int) -> Iterator[Event]:
    """The events of a raw log, int64 (events, LOG_WIDTH), in order; without the header."""
    teller = _Teller(match, index % 2)
    rows = iter(raw.tolist())
    for row in rows:
        name = ev.NAMES[row[0]]
        if name in ("hack", "change"):
            picked = [next(rows) for _ in range(row[2])]
            yield teller.network(name, row, [p[1] for p in picked], [p[2] for p in picked])
        else:
            event = getattr(teller, f"_{name}")(*row[1:7], row[7], row[8])
            if event is not None:
                yield {"event": name, **event}


class _Teller:
    """Turns rows into events. Each method ``_EVENT`` takes the six numbers of a row, its cause and what was left."""

    def __init__(self, match: Match, game: int) -> None:
        self.match = match
        self.side_at = (game, 1 - game)  # seat -> side
        cardset, rules = match.bundle.cardset, match.bundle.rules
        self.titles = match.titles
        self.runner_ids = [[m.runner for m in match.crews[side].members] for side in self.side_at]  # by seat
        self.commons = [identifier(action.name) for action in rules.common_actions]
        self.sources = {
            ev.CAUSE_CARD: self.titles,
            ev.CAUSE_RUNNER: list(cardset.runners),
            ev.CAUSE_RIG: list(cardset.rigs),
            ev.CAUSE_COMMON: self.commons,
        }
        self.states = list(match.bundle.board.states)
        self.node: dict[tuple[int, int], int] = {}  # (seat, crew position) -> node, on the board only

    # Words

    def _cause(self, cause: int) -> Event:
        """``cause`` as a key, if there is one."""
        if cause >= ev.CAUSE_CARD:
            base = cause // 1000 * 1000
            return {"cause": self.sources[base][cause - base]}
        return {ev.CAUSE_NONE: {}, ev.CAUSE_ACTIVATION: {"cause": "activation"}, ev.CAUSE_ATTACK: {"cause": "attack"}}[cause]

    def _text_cause(self, cause: int) -> Event:
        """As ``_cause``, but an attack is not worth a key: disconnects and scores carry a cause when a text's effect is it."""
        return {} if cause == ev.CAUSE_ATTACK else self._cause(cause)

    def _who(self, seat: int, position: int) -> Event:
        return {"side": self.side_at[seat], "runner": self.runner_ids[seat][position]}

    # Events

    def _shuffle(self, seat, *_):
        return {"side": self.side_at[seat]}

    def _draw(self, seat, title, c, d, e, f, cause, left):
        return {"side": self.side_at[seat], "card": self.titles[title], **self._cause(cause)}

    _discard = _return = _draw

    def _deploy(self, seat, position, node, *_):
        self.node[seat, position] = node
        return {**self._who(seat, position), "node": node}

    def _round(self, number, token, *_):
        return {"number": number, "first": self.side_at[token]}

    def _turn(self, seat, kind, what, *_):
        word = TURN_KINDS[kind]
        more = {"card": self.titles[what]} if word == "card" else {"runner": self.runner_ids[seat][what]} if word == "activate" else {}
        return {"side": self.side_at[seat], "kind": word, **more}

    def _move(self, seat, position, start, node, borders, f, cause, left):
        path = self._path(seat, start, node, borders)
        self.node[seat, position] = node
        return {**self._who(seat, position), "path": path, **self._cause(cause)}

    def _place(self, seat, position, node, d, e, f, cause, left):
        self.node[seat, position] = node
        return {**self._who(seat, position), "node": node, **self._cause(cause)}

    def _action(self, seat, position, kind, target, *_):
        word, name, side = actions.ACTS[kind], None, None
        if word == "attack":
            name = "data" if target == actions.DATA else self.runner_ids[1 - seat][target]
            side = self.side_at[1 - seat]
        elif word == "transfer":
            name, side = self.runner_ids[seat][target], self.side_at[seat]
        elif word == "common":
            name = self.commons[target]
        return {**self._who(seat, position), "kind": word, "target": name, "target_side": side}

    def _flip(self, seat, title, secure, *_):
        return {"side": self.side_at[seat], "card": self.titles[title], "for": "secure" if secure else "attack"}

    def network(self, name: str, row: list[int], nodes: list[int], states: list[int]) -> Event:
        """A hack or a change of states: the row, then the chosen nodes with their states in order."""
        words = [v.STATES[s] for s in states]
        for node, word in zip(nodes, words, strict=True):
            self.states[node] = word
        event = {"event": name, "side": self.side_at[row[1]], "nodes": nodes, "states": words, **self._cause(row[7])}
        if name == "hack":
            event |= {"count": row[3], "up_to": bool(row[4]), "connected": bool(row[5])}
        return event

    def _damage(self, seat, position, total, security, bypass, dealt, cause, left):
        what = {"data": True} if position < 0 else {"runner": self.runner_ids[seat][position]}
        numbers = {"sum": total, "security": security, "bypass": bypass, "dealt": dealt, "left": left}
        return {"side": self.side_at[seat], **what, **numbers, **self._cause(cause)}

    def _heal(self, seat, position, amount, signal, e, f, cause, left):
        return {**self._who(seat, position), "amount": amount, "left": signal, **self._cause(cause)}

    def _stat(self, seat, position, stat, amount, until, f, cause, left):
        if v.STATS[stat] == "data_bypass":  # counts on data only: the log leaves such numbers to the cards' texts
            return None
        word = "while" if until == ev.UNTIL_WHILE else v.DURATIONS[until]
        return {**self._who(seat, position), "stat": v.STATS[stat], "amount": amount, "until": word, **self._cause(cause)}

    def _exhaust(self, seat, position, c, d, e, f, cause, left):
        return {**self._who(seat, position), **self._cause(cause)}

    _ready = _exhaust

    def _data(self, seat, what, carrier, signal, e, f, cause, left):
        word = DATA_WORDS[what]
        why = self._cause(cause) if word == "signal" else {}
        return {"side": self.side_at[seat], "what": word, "runner": self.runner_ids[seat][carrier], "signal": signal, **why}

    def _disconnect(self, seat, position, c, d, e, f, cause, left):
        del self.node[seat, position]
        return {**self._who(seat, position), **self._text_cause(cause)}

    def _score(self, seat, points, source, total, e, f, cause, left):
        return {"side": self.side_at[seat], "points": points, "why": SCORE_WORDS[source], "total": total, **self._text_cause(cause)}

    def _unlock(self, *_):
        return {}

    _refresh = _unlock

    def _reconnect(self, seat, position, node, *_):
        if node >= 0:
            self.node[seat, position] = node
        return {**self._who(seat, position), "node": node if node >= 0 else None}

    def _token(self, seat, *_):
        return {"side": self.side_at[seat]}

    def _another_turn(self, seat, b, c, d, e, f, cause, left):
        return {"side": self.side_at[seat], **self._cause(cause)}

    def _end(self, winner, reason, points_0, points_1, rounds, f, cause, left):
        by_seat = (points_0, points_1)
        return {
            "winner": self.side_at[winner] if winner >= 0 else None,
            "points": [by_seat[seat] for seat in self.side_at],  # the swap of sides and seats is its own inverse
            "rounds": rounds,
            "reason": REASONS[reason],
        }

    def _path(self, seat: int, start: int, end: int, borders: int) -> list[int]:
        """A shortest way with at most ``borders`` crossings, past no enemy (SK-7.2, 7.3), from the table before the move."""
        neighbors, states = self.match.bundle.board.neighbors, self.states
        enemies = {node for (owner, _), node in self.node.items() if owner != seat}
        came: dict[tuple[int, int], tuple[int, int] | None] = {(start, 0): None}
        front = [(start, 0)]
        for here in front:  # grows while it is read: breadth first
            node, crossed = here
            if node == end:
                way = []
                step: tuple[int, int] | None = here
                while step is not None:
                    way.append(step[0])
                    step = came[step]
                return way[::-1]
            for m in neighbors[node]:
                there = (m, crossed + (states[m] != states[node]))
                if states[m] in v.ONLINE and m not in enemies and there[1] <= borders and there not in came:
                    came[there] = here
                    front.append(there)
        raise ValueError(f"no way from node {start} to node {end} with {borders} crossings")
