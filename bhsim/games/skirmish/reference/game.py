"""One game from setup to the end: turns, runner actions, the end of the round, and the interface of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bhsim.games.asking import Asking, AskingGame
from bhsim.games.skirmish import actions
from bhsim.games.skirmish.actions import decode, encode
from bhsim.games.skirmish.reference.rows import Rows
from bhsim.games.skirmish.reference.table import Attack, Data, Event, GameOver, Runner, Text
from bhsim.games.skirmish.view import reference_view
from bhsim.inputs.models import identifier


class Game(Rows, AskingGame):
    """A skirmish game that waits at its next decision; made from what ``Table`` is made from.

    ``legal()`` lists at least two actions, sorted. ``winner`` is a seat, or None when the game ended by ``max_rounds``; ``reason`` is
    'points', 'max_rounds' or None.
    """

    def __init__(self, *deal: Any, **named: Any) -> None:
        super().__init__(*deal, **named)
        self.begin(self._play())

    def view(self) -> dict[str, Any]:
        """The whole state as plain values, for comparison with the compiled engine."""
        return reference_view(self)

    def _play(self) -> Asking:
        try:
            yield from self._begin()
            while True:
                yield from self._round()
        except GameOver:
            winner = None if self.winner is None else self.side_at[self.winner]
            points = [self.points[seat] for seat in self.side_at]
            self.tell("end", winner=winner, points=points, rounds=self.round, reason=self.reason)

    def _in_turn(self) -> tuple[int, int]:
        """Both seats, the token holder first."""
        return self.token, 1 - self.token

    # SK-3: setup

    def _begin(self) -> Asking:
        """All that comes before the first whole round."""
        for seat in self._in_turn():
            self.shuffle_deck(seat)
        for seat in self._in_turn():  # SK-3.2
            self.draw(seat, self.rules.opening_hand)
        yield from self._deploy()

    def _deploy(self) -> Asking:
        for seat in self._in_turn():  # SK-3.3
            for runner in self.crew[seat]:
                free = [encode(actions.DEPLOY, runner.position, n) for n in self.free_home(seat)]
                runner.stand(decode((yield from self.ask(seat, free)))[2])
                self.tell("deploy", seat, runner=runner.id, node=runner.node)

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
        if kind == actions.CARD:  # SK-5.1
            card = self.take_title(self.hand[seat], number)
            self.tell("turn", seat, kind="card", card=card)
            self.put_in_discard(seat, [card])
            yield from self.resolve(self.text_of(card, seat), "played")
        elif kind == actions.ACTIVATE:
            yield from self._activate(self.crew[seat][number])
        else:
            self.passed[seat] = True
            self.tell("turn", seat, kind="pass")

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
        seat, subnet = runner.seat, self.network.subnet(runner.node)
        carries = self.carried(runner) is not None
        near = [r for r in self.on_board() if r is not runner and r.node in subnet]
        enemies = [r for r in near if r.seat != seat]
        options = {
            "attack": [r.position for r in enemies] + [actions.DATA for r in enemies if self.carried(r) is not None],  # SK-8.1
            "extract": [0] * self.network.beside_server(runner.node, 1 - seat),  # SK-8.7
            "transfer": [r.position for r in near if r.seat == seat and carries],  # SK-8.8
            "secure": [0] * (carries and self.network.beside_server(runner.node, seat)),  # SK-8.9
            "signature": [0] * any(row.trigger == "signature" for row in runner.card.effects),  # SK-8.10
            "common": list(range(len(self.rules.common_actions))),  # SK-8.13
        }
        found = [encode(actions.ACTION, actions.ACT_NONE)]
        for kind, targets in options.items():
            if targets and not self.banned(runner, kind):
                found += [encode(actions.ACTION, actions.ACTS.index(kind), target) for target in targets]
        return found

    def _act(self, runner: Runner, kind: str, target: int) -> Asking:
        seat, rules = runner.seat, self.rules
        other, data, named, side = None, None, None, None
        if kind in ("attack", "transfer"):
            owner = 1 - seat if kind == "attack" else seat
            other, data = self.runner_or_data(owner, target)
            named, side = "data" if data else other.id, self.side_at[owner]
        elif kind == "common":
            named = identifier(rules.common_actions[target].name)
        self.tell("action", seat, runner=runner.id, kind=kind, target=named, target_side=side)
        match kind:
            case "attack":
                yield from self.attack(Attack(runner, other, data))
            case "extract":
                if self.data[seat] is not None:
                    self.destroy_data(seat)
                self.data[seat] = Data(runner, rules.data_signal)
                self.tell("data", seat, what="extract", runner=runner.id, signal=rules.data_signal)
                yield from self.unit([Event(runner, "extracting")])
            case "transfer":
                self.hand_over(self.carried(runner), other)
                yield from self.unit()
            case "secure":
                yield from self._secure(runner)
            case "signature":
                yield from self.resolve(runner.text(), "signature")
            case "common":
                yield from self.resolve(Text(seat, rules.common_actions[target].effects, named, runner, runner.node), "common")

    def _secure(self, runner: Runner) -> Asking:
        """SK-8.9: the highest damage value of the revealed cards; no flip texts."""
        seat, data = runner.seat, self.carried(runner)
        for _ in range(data.signal):
            self.take(seat, self.flight[seat], "flip", **{"for": "secure"})
        revealed, self.flight[seat] = self.flight[seat], []
        highest = max((self.cardset.cards[card].damage for card in revealed), default=0)
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

    def _alternate(self, options: Callable[[int], list[int]], carry_out: Callable[[int, int, int, int], Asking | None]) -> Asking:
        """From the token holder on the seats take turns, each with one of its options; a seat with none is skipped."""
        seat = self.token
        while options(0) or options(1):
            if found := options(seat):
                yield from carry_out(seat, *decode((yield from self.ask(seat, found)))) or ()
            seat = 1 - seat

    def _abilities(self) -> Asking:
        """SK-9.2: each resolves one of its own end-of-round texts, every one once."""
        left = [(r, part) for crew in self.crew for r in crew for part in r.parts_with("end_of_round")]

        def texts(seat: int) -> list[int]:
            return [encode(actions.ABILITY, r.position, part) for r, part in left if r.seat == seat and r.on_board]

        def carry_out(seat: int, _: int, position: int, part: int) -> Asking:
            runner = self.crew[seat][position]
            left.remove((runner, part))
            return self.resolve(runner.text(part), "end_of_round")

        yield from self._alternate(texts, carry_out)

    def _reconnect(self) -> Asking:
        """SK-9.3: each places one of the opponent's disconnected runners."""

        def places(seat: int) -> list[int]:
            waiting = [r.position for r in self.crew[1 - seat] if not r.on_board and not r.gone]
            nodes = self.free_home(1 - seat) or [actions.NOWHERE]
            return [encode(actions.PLACE, position, node) for position in waiting for node in nodes]

        yield from self._alternate(places, lambda seat, _, position, node: self._return(self.crew[1 - seat][position], node))

    def _return(self, runner: Runner, node: int) -> None:
        runner.gone = node == actions.NOWHERE
        self.tell("reconnect", runner.seat, runner=runner.id, node=None if runner.gone else node)
        if not runner.gone:
            runner.stand(node)
            runner.signal = runner.rig.signal
        elif self.carried(runner) is not None:
            self.destroy_data(runner.seat)

    def _refresh(self) -> None:
        """SK-9.4."""
        for runner in self.on_board():
            runner.ready = True
            if self.rules.heal_on_refresh and runner.below_full:
                self.heal(runner, runner.rig.signal)
        self.tell("refresh")

    def _pass_token(self) -> Asking:
        """SK-9.6."""
        holder = 1 - self.token
        if self.points[0] != self.points[1]:
            decider = 0 if self.points[0] < self.points[1] else 1
            holder = yield from self.ask_number(decider, actions.TOKEN, (0, 1))
        if holder != self.token:
            self.token = holder
            self.tell("token", holder)
