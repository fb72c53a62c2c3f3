"""One game from setup to the end: turns, runner actions, the end of the round, and the interface of the engine."""

from __future__ import annotations

from typing import Any

from bhsim.games.skirmish import actions, model
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.actions import decode, encode
from bhsim.games.skirmish.model import identifier
from bhsim.games.skirmish.reference.pieces import Attack, Data, Event, GameOver, Pool, Runner, Text
from bhsim.games.skirmish.reference.rows import Asking, Rows
from bhsim.games.skirmish.reference.table import Log


class Game(Rows):
    """A skirmish game that waits at its next decision.

    pool: anything with ``cardset``, ``board`` and ``rules``. crews, decks: by side; in game 0 of a key side 0 sits in seat 0,
    in game 1 in seat 1. root, key: the address of the luck. log: called with each event (docs: replay format), or None.

    ``seat`` is asked (-1 when over), ``legal()`` lists its actions, ``apply`` goes on to the next decision. ``winner`` is a
    seat, or None when the game ended by ``max_rounds``; ``reason`` is 'points', 'max_rounds' or None.
    """

    def __init__(
        self,
        pool: Pool,
        crews: tuple[model.Crew, model.Crew],
        decks: tuple[model.Deck, model.Deck],
        root: int,
        key: int,
        game: int,
        log: Log | None = None,
    ) -> None:
        super().__init__(pool, crews, decks, root, key, game, log)
        self.over = False
        self.seat = -1
        self._legal: list[int] = []
        self._running = self._play()
        self._go_on(None)

    def legal(self) -> list[int]:
        """The legal actions, sorted: at least two, or none when the game is over."""
        return list(self._legal)

    def apply(self, action: int) -> None:
        """Take one of the legal actions; ValueError for any other."""
        if action not in self._legal:
            raise ValueError(f"{decode(action)} is not legal here")
        self._go_on(int(action))

    def _go_on(self, action: int | None) -> None:
        try:
            self.seat, self._legal = self._running.send(action)
        except StopIteration:
            self.over, self.seat, self._legal = True, -1, []

    def _play(self) -> Asking:
        try:
            yield from self._begin()
            while True:
                yield from self._round()
        except GameOver:
            winner = None if self.winner is None else self.side_at[self.winner]
            points = [self.points[seat] for seat in self.side_at]
            self.tell("end", winner=winner, points=points, rounds=self.round, reason=self.reason)

    def _begin(self) -> Asking:
        """All that comes before the first whole round."""
        yield from self._setup()

    def _in_turn(self) -> tuple[int, int]:
        """Both seats, the token holder first."""
        return self.token, 1 - self.token

    # SK-3: setup

    def _setup(self) -> Asking:
        for seat in self._in_turn():
            self.shuffle_deck(seat)
        for seat in self._in_turn():  # SK-3.2
            self.draw(seat, self.rules.opening_hand)
        yield from self._deploy()

    def _deploy(self) -> Asking:
        for seat in self._in_turn():  # SK-3.3
            for runner in self.crew[seat]:
                free = [encode(actions.DEPLOY, runner.position, n) for n in self._free_home(seat)]
                node = decode((yield from self.ask(seat, free)))[2]
                runner.stand(node)
                self.tell("deploy", seat, runner=runner.id, node=node)

    def _free_home(self, seat: int) -> list[int]:
        return [n for n in self.network.home[seat] if self.free(n)]

    # SK-4: rounds and turns

    def _round(self) -> Asking:
        self.round += 1
        self.turn = self.accepted = 0
        self.passed = [False, False]
        self.active = self.token
        self.tell("round", number=self.round, first=self.side_at[self.token])
        self.tell_passives()
        self.enqueue([Event(r, "start_of_round") for r in self.on_board()])
        yield from self.drain()
        yield from self._turns(self.token)

    def _turns(self, seat: int) -> Asking:
        """The turns of a round from this seat's on, then its end."""
        while not all(self.passed):  # SK-4.3
            self.turn += 1
            self.accepted = 0
            self.active = seat
            yield from self._turn(seat)
            self.end_durations("turn")
            if self.extra[seat] and not self.passed[seat]:
                self.extra[seat] -= 1
            elif not self.passed[1 - seat]:  # SK-4.1, 4.2
                seat = 1 - seat
        self.extra = [0, 0]
        self.active = self.token
        yield from self._end_of_round()

    def _turn(self, seat: int) -> Asking:
        options = [encode(actions.PASS)]
        if self.turn < self.rules.max_turns:  # SK-4.4
            options += [encode(actions.CARD, 0, self.titles[card]) for card in self.hand[seat]]
            options += [encode(actions.ACTIVATE, 0, r.position) for r in self.crew[seat] if r.on_board and r.ready]
        kind, _, number = decode((yield from self.ask(seat, options)))
        if kind == actions.CARD:
            yield from self._play_card(seat, number)
        elif kind == actions.ACTIVATE:
            yield from self._activate(self.crew[seat][number])
        else:
            self.passed[seat] = True
            self.tell("turn", seat, kind="pass")

    def _play_card(self, seat: int, number: int) -> Asking:
        """SK-5.1."""
        card = self.take_title(self.hand[seat], number)
        self.tell("turn", seat, kind="card", card=card)
        self.put_in_discard(seat, [card])
        yield from self.resolve(Text(seat, self.cardset.cards[card].effects, card), "played")

    # SK-7, 8: activations

    def _activate(self, runner: Runner) -> Asking:
        """SK-7.1: move, act, exhaust; it just ends if the runner leaves the board."""
        self.tell("turn", runner.seat, kind="activate", runner=runner.id)
        steps = 0 if self.banned(runner, "move") else self.number(runner, "speed")
        if (yield from self.move(runner.seat, runner, self.reach(runner, steps), "activation")):
            yield from self.unit([Event(runner, "after_moving")])
        if runner.on_board:
            _, kind, target = decode((yield from self.ask(runner.seat, self._runner_actions(runner))))
            yield from self._act(runner, actions.ACTS[kind], target)
        if runner.on_board:
            runner.ready = False
            self.tell("exhaust", runner.seat, runner=runner.id, cause="activation")

    def _runner_actions(self, runner: Runner) -> list[int]:
        seat = runner.seat
        carries = self.carried(runner) is not None
        own_data = self.data_in_play(1 - seat)
        near = [r for r in self.on_board() if r is not runner and self.same_subnet(runner, r)]
        options = {
            "attack": [r.position for r in near if r.seat != seat],  # SK-8.1
            "extract": [0] * self.network.beside_server(runner.node, 1 - seat),  # SK-8.7
            "transfer": [r.position for r in near if r.seat == seat and carries],  # SK-8.8
            "secure": [0] * (carries and self.network.beside_server(runner.node, seat)),  # SK-8.9
            "signature": [0] * any(row.trigger == "signature" for row in runner.card.effects),  # SK-8.10
            "common": list(range(len(self.rules.common_actions))),  # SK-8.13
        }
        if own_data is not None and self.same_subnet(runner, own_data.carrier):
            options["attack"].append(actions.DATA)
        found = [encode(actions.ACTION, actions.ACT_NONE)]
        for kind, targets in options.items():
            if targets and not self.banned(runner, kind):
                found += [encode(actions.ACTION, actions.ACTS.index(kind), target) for target in targets]
        return found

    def _act(self, runner: Runner, kind: str, target: int) -> Asking:
        seat = runner.seat
        match kind:
            case "attack":
                data = self.data[1 - seat] if target == actions.DATA else None
                victim = data.carrier if data is not None else self.crew[1 - seat][target]
                self._tell_action(runner, kind, "data" if data is not None else victim.id, victim.seat)
                yield from self.attack(Attack(runner, victim, data))
            case "extract":
                self._tell_action(runner, kind)
                if self.data[seat] is not None:
                    self.destroy_data(seat)
                self.data[seat] = Data(runner, self.rules.data_signal)
                self.tell("data", seat, what="extract", runner=runner.id, signal=self.rules.data_signal)
                yield from self.unit([Event(runner, "extracting")])
            case "transfer":
                receiver = self.crew[seat][target]
                self._tell_action(runner, kind, receiver.id, seat)
                self.hand_over(self.carried(runner), receiver)
                yield from self.unit()
            case "secure":
                self._tell_action(runner, kind)
                yield from self._secure(runner)
            case "signature":
                self._tell_action(runner, kind)
                yield from self.resolve(Text(seat, runner.card.effects, runner.id, runner, runner.node), "signature")
            case "common":
                common = self.rules.common_actions[target]
                cause = identifier(common.name)
                self._tell_action(runner, kind, cause)
                yield from self.resolve(Text(seat, common.effects, cause, runner, runner.node), "common")
            case _:
                self._tell_action(runner, kind)

    def _tell_action(self, runner: Runner, kind: str, target: str | None = None, seat: int | None = None) -> None:
        side = None if seat is None else self.side_at[seat]
        self.tell("action", runner.seat, runner=runner.id, kind=kind, target=target, target_side=side)

    def _secure(self, runner: Runner) -> Asking:
        """SK-8.9: the highest damage value of the revealed cards; no flip texts."""
        seat, data = runner.seat, self.carried(runner)
        flight = self.flight[seat]
        for _ in range(data.signal):
            if self.take(seat, flight, "flip", **{"for": "secure"}) is None:
                break
        highest = max((self.cardset.cards[card].damage for card in flight), default=0)
        revealed, flight[:] = list(flight), []
        self.put_in_discard(seat, revealed)
        self.data[seat] = None
        self.tell("data", seat, what="secured", runner=runner.id, signal=data.signal)
        self.score(seat, highest, "secure")
        yield from self.unit([Event(runner, "securing")])

    # SK-9: the end of the round

    def _end_of_round(self) -> Asking:
        if self.round == self.rules.max_rounds:  # SK-10.3
            self.reason = "max_rounds"
            raise GameOver
        self.network.locks = set()  # SK-6.9, 9.1
        self.tell("unlock")
        self.accepted = 0
        yield from self._abilities()
        self.end_durations("round")
        self.end_durations("next_attack")
        yield from self._reconnect()
        self._refresh()
        for seat in self._in_turn():  # SK-9.5
            self.draw(seat, self.rules.round_draw)
        yield from self._pass_token()

    def _abilities(self) -> Asking:
        """SK-9.2: the seats take turns, each resolving one of its own; a seat with none left is skipped."""
        resolved: set[int] = set()
        seat, skipped = self.token, 0
        while skipped < 2:
            left = [
                encode(actions.ABILITY, r.position, part)
                for r in self.crew[seat]
                if r.on_board
                for part in r.parts_with("end_of_round")
                if encode(seat, r.position, part) not in resolved
            ]
            if left:
                _, position, part = decode((yield from self.ask(seat, left)))
                resolved.add(encode(seat, position, part))
                runner = self.crew[seat][position]
                text = Text(seat, runner.part(part), runner.part_id(part), runner, runner.node)
                yield from self.resolve(text, "end_of_round")
            skipped = 0 if left else skipped + 1
            seat = 1 - seat

    def _reconnect(self) -> Asking:
        """SK-9.3: each seat places the opponent's returning runners, one by one in alternation."""
        seat, skipped = self.token, 0
        while skipped < 2:
            waiting = [r for r in self.crew[1 - seat] if not r.on_board and not r.gone]
            if waiting:
                nodes = self._free_home(1 - seat) or [actions.NOWHERE]
                options = [encode(actions.PLACE, r.position, n) for r in waiting for n in nodes]
                _, position, node = decode((yield from self.ask(seat, options)))
                self._return(self.crew[1 - seat][position], node)
            skipped = 0 if waiting else skipped + 1
            seat = 1 - seat

    def _return(self, runner: Runner, node: int) -> None:
        if node == actions.NOWHERE:
            runner.gone = True
            self.tell("reconnect", runner.seat, runner=runner.id, node=None)
            if self.carried(runner) is not None:
                self.destroy_data(runner.seat)
            return
        runner.stand(node)
        runner.signal = runner.rig.signal
        self.tell("reconnect", runner.seat, runner=runner.id, node=node)

    def _refresh(self) -> None:
        """SK-9.4."""
        for runner in self.on_board():
            runner.ready = True
            if self.rules.heal_on_refresh and runner.below_full:
                amount = runner.rig.signal - runner.signal
                runner.signal = runner.rig.signal
                self.tell("heal", runner.seat, runner=runner.id, amount=amount, left=runner.signal)
        self.tell("refresh")

    def _pass_token(self) -> Asking:
        """SK-9.6."""
        holder = 1 - self.token
        if self.points[0] != self.points[1]:
            decider = 0 if self.points[0] < self.points[1] else 1
            holder = decode((yield from self.ask(decider, [encode(actions.TOKEN, 0, s) for s in (0, 1)])))[2]
        if holder != self.token:
            self.token = holder
            self.tell("token", holder)

    # The whole state

    def view(self) -> dict[str, Any]:
        """The whole state as plain nested values, for comparison with the compiled engine."""
        return {
            "round": self.round,
            "turn": self.turn,
            "token": self.token,
            "seat": self.seat,
            "points": list(self.points),
            "passed": list(self.passed),
            "extra": list(self.extra),
            "states": [v.STATES.index(state) for state in self.network.states],
            "locks": sorted(self.network.locks),
            "deck": [list(pile) for pile in self.deck],
            "hand": [list(pile) for pile in self.hand],
            "discard": [list(pile) for pile in self.discard],
            "flight": [list(pile) for pile in self.flight],
            "runners": [[_runner_view(r) for r in crew] for crew in self.crew],
            "data": [{"carrier": -1, "signal": 0} if d is None else {"carrier": d.carrier.position, "signal": d.signal} for d in self.data],
            "over": self.over,
            "winner": self.winner,
            "reason": self.reason,
            "dropped": self.dropped,
            "shuffles": list(self.shuffles),
            "random_draws": list(self.random_draws),
        }


def _runner_view(runner: Runner) -> dict[str, Any]:
    status = "board" if runner.on_board else "gone" if runner.gone else "off"
    return {
        "node": runner.node if runner.on_board else -1,
        "signal": runner.signal,
        "ready": runner.ready,
        "status": status,
        "temps": {f"{stat}/{duration}": n for (stat, duration), n in sorted(runner.temps.items()) if n},
        "bans": {duration: sorted(bans) for duration, bans in runner.bans.items()},
    }
