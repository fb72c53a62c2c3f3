"""Both engines set up in a position, and positions written from a game (``positions``)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import actions
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bots import Bot
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.coverage import WatchedGame
from bhsim.games.skirmish.driver import KernelGame, Match
from bhsim.games.skirmish.engine import block, play
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.notation import Notation
from bhsim.games.skirmish.positions import Position, position_of, read_position
from bhsim.games.skirmish.reference.table import Data, Log
from bhsim.games.skirmish.tables import node_set
from bhsim.inputs.document import read_toml


def notation_of(match: Match, seats: Sequence[int] = (0, 1)) -> Notation:
    """How decisions of a match are spelled; ``seats``: the side that sits in each seat."""
    return Notation(match.titles, [[m.runner for m in match.crews[side].members] for side in seats])


def match_in(position: Position, bundle: Bundle, bots: tuple[Bot, Bot]) -> Match:
    """The match that a position belongs to; its sides sit in the seats of their number."""
    return Match(bundle, position.crews(), position.decks(), bots)


def read_placed(path: Path, bundle: Bundle, bots: tuple[Bot, Bot]) -> tuple[Position, Match]:
    """A position file and its match; ``BadInput`` as ``positions.read_position``, and for a decision that is not legal there."""
    position = read_position(path, bundle)
    match = match_in(position, bundle, bots)
    try:
        PlacedReference(position, match)
    except BadInput as error:
        document = read_toml(path)
        raise BadInput(*(document.located(fault) for fault in error.faults)) from None
    return position, match


def _take(position: Position, game: Any) -> None:
    """Takes the decisions since the beginning of the turn; ``BadInput`` for the first that is not legal."""
    notation = notation_of(game.match)
    for number, text in enumerate(position.then):
        try:
            action = notation.read(text, [] if game.over else game.legal(), game.seat)
        except BadInput as error:
            raise BadInput(*(dataclasses.replace(fault, field=f"then.{number}") for fault in error.faults)) from None
        game.apply(action)


class PlacedReference(WatchedGame):
    """The reference engine at the decision of a position. log: as the engine's."""

    def __init__(self, position: Position, match: Match, log: Log | None = None) -> None:
        self.position, self.match = position, match
        super().__init__(match.bundle, match.crews, match.decks, position.seed, position.key, 0, log)
        _take(position, self)

    def _begin(self):
        position = self.position
        self.round, self.turn, self.token, self.dropped = position.round, position.turn - 1, position.token, position.dropped
        self.network.states = position.states(self.match.bundle.board)
        self.network.locks = set(position.locks)
        for seat, part in enumerate(position.seats):
            self._place_seat(seat, part)
        self.active = position.seat
        if position.round == 0:
            self.turn, self.active = 0, self.token
            yield from self._deploy()
        else:
            yield from self._turns(position.seat)

    def _place_seat(self, seat: int, part: Any) -> None:
        self.points[seat], self.passed[seat], self.extra[seat] = part.points, part.passed, part.extra
        self.hand[seat], self.deck[seat], self.discard[seat] = list(part.hand), list(part.deck), list(part.discard)
        self.shuffles[seat], self.random_draws[seat] = part.shuffles, part.random_draws
        for runner, place in zip(self.crew[seat], part.runners, strict=True):
            if place.node is not None:
                runner.stand(place.node)
                runner.signal, runner.ready = place.signal or runner.rig.signal, place.ready
            elif self.position.round:
                runner.signal, runner.ready, runner.gone = 0, False, place.gone
            runner.temps = {tuple(key.split("/")): amount for key, amount in place.temps.items()}
            for duration, words in place.bans.items():
                runner.bans[duration] = set(words)
            if part.data and part.data.carrier == runner.id:
                self.data[seat] = Data(runner, part.data.signal)


class PlacedKernel(KernelGame):
    """The kernel at the decision of a position."""

    def __init__(self, position: Position, match: Match) -> None:
        super().__init__(match, position.seed, 2 * position.key)
        self._write(position)
        play.resume(self._T, self._S, self._W, self._log)
        block.wake_bots(self._W)
        self._check()
        _take(position, self)

    def _write(self, position: Position) -> None:
        S = self._S
        S.ask = S.sp = S.log_n = 0
        S.phase = st.PH_TURN if position.round else st.PH_DEPLOY
        S.round_no, S.token, S.dropped = position.round, position.token, position.dropped
        S.turn = position.turn - 1 if position.round else 0
        S.who = S.mover = position.seat if position.round else position.token
        if not position.round:
            S.first = position.token  # deployment asks the first player first
        states = position.states(self.match.bundle.board)
        for node, word in enumerate(states):
            S.state[node] = v.STATES.index(word)
        for number, word in enumerate(v.ONLINE):
            S.mask[number] = node_set(n for n, state in enumerate(states) if state == word)
        S.lock[:] = node_set(position.locks)
        S.temps_on[:] = 1  # "may exist": the kernel looks, and finds those written below
        for seat, part in enumerate(position.seats):
            self._write_seat(seat, part, bool(position.round))

    def _write_seat(self, seat: int, part: Any, deployed: bool) -> None:
        S = self._S
        S.points[seat], S.passed[seat], S.extra[seat] = part.points, part.passed, part.extra
        S.shuffles[seat], S.draws[seat] = part.shuffles, part.random_draws
        for name, pile in (("hand", part.hand), ("deck", part.deck), ("disc", part.discard), ("flight", [])):
            S[f"n_{name}"][seat] = len(pile)
            S[name][seat, : len(pile)] = [self.match.titles.index(title) for title in pile]
        ids = [place.runner for place in part.runners]
        S.data_c[seat] = ids.index(part.data.carrier) if part.data else -1
        S.data_s[seat] = part.data.signal if part.data else 0
        S.occ[seat] = node_set(place.node for place in part.runners if place.node is not None)
        for position, place in enumerate(part.runners):
            g = seat * actions.MAX_CREW + position
            if place.node is not None:
                S.on[g], S.node[g], S.signal[g], S.ready[g] = st.BOARD, place.node, place.signal or S.printed[g, 1], place.ready
            elif deployed:
                S.on[g], S.signal[g], S.ready[g] = st.GONE if place.gone else st.OFF, 0, 0
            for key, amount in place.temps.items():
                stat, duration = key.split("/")
                S.temp[g, v.STATS.index(stat), v.DURATIONS.index(duration)] = amount
            for number, duration in enumerate(("turn", "round")):
                S.ban[g, number] = np.int16(sum(1 << v.FORBIDDABLE.index(word) for word in set(place.bans.get(duration, []))))


def position_at(match: Match, root: int, index: int, number: int) -> Position:
    """The position of a game after its bots' first ``number`` decisions; ``BadInput`` if it has fewer."""
    scribe = Scribe(KernelGame(match, root, index))
    for taken in range(number):
        scribe.apply(scribe.game.bot_decision())
        if scribe.game.over:
            raise BadInput(Fault("the game has no such decision", field="--at", value=number, allowed=f"0 to {taken}"))
    return scribe.position(f"seed {root} game {index} decision {number}")


class Scribe:
    """Follows a game of the kernel and writes the position at any of its decisions."""

    def __init__(self, game: KernelGame) -> None:
        self.game = game
        self.notation = notation_of(game.match, game.side_at)
        self.base, self.then = game.view(), []

    def apply(self, action: int) -> None:
        """Applies a decision to the game and notes it."""
        self.then.append(self.notation.spell(action, self.game.seat))
        self.game.apply(action)
        if not self.game.over and actions.encode(actions.PASS) in self.game.legal():  # a turn begins: nothing is under way
            self.base, self.then = self.game.view(), []

    def position(self, name: str = "position") -> Position:
        """The position that the game is in; of a game that is over, the last turn and what followed."""
        game = self.game
        crews = [game.match.crews[side] for side in game.side_at]
        return position_of(self.base, game.match.bundle, crews, game.root, game.key, self.then, name)
