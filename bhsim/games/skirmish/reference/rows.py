"""What an effect row does: choices, then the effect as one unit, then the texts that it woke (SK-5, 6, 8, 10).

Everything here that can ask a player is a generator: it yields ``(seat, legal actions)`` and is sent the chosen action.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

from bhsim.games.asking import Asking
from bhsim.games.skirmish import actions, model
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.actions import decode, encode
from bhsim.games.skirmish.reference.network import NodePick
from bhsim.games.skirmish.reference.table import Attack, Data, Event, GameOver, Runner, Table, Text

Hit = tuple[Runner | Data, int]  # who or what loses how much signal
DONE = encode(actions.DONE)


class Rows(Table):
    """Resolves texts row by row on a table."""

    def ask(self, seat: int, options: list[int]) -> Asking:
        """The seat's choice; a single legal action is taken without asking."""
        options = sorted(set(options))
        if len(options) == 1:
            return options[0]
        self.tell_passives()
        return (yield seat, options)

    def ask_number(self, seat: int, kind: int, numbers: Iterable[int], may_end: bool = False) -> Asking:
        """One of these nodes, states, titles ... by a decision of this kind; None for DONE, if the choice may end."""
        action = yield from self.ask(seat, [encode(kind, 0, n) for n in numbers] + [DONE] * may_end)
        return None if action == DONE else decode(action)[2]

    def ask_runner(self, seat: int, runners: list[Runner], may_decline: bool = False) -> Asking:
        """One of these runners; None if there is none, or that is declined."""
        options = [r.name for r in runners] + [DONE] * (may_decline or not runners)
        kind, side, position = decode((yield from self.ask(seat, options)))
        return self.crew[side][position] if kind == actions.TARGET else None

    def choose_one(self, text: Text, row: model.Effect, found: list[Runner]) -> Asking:
        """One of the runners found, or none, which an optional row allows. It becomes ``previous``."""
        text.previous = yield from self.ask_runner(text.seat, found, row.optional)
        return text.previous

    def choose(self, text: Text, row: model.Effect, able: Callable[[Runner], bool] = lambda runner: True) -> Asking:
        """The runners that the row works on: one chosen, or all that fit (of a chosen subnet)."""
        found = [r for r in self.candidates(text, row) if able(r)]
        if not row.all:
            chosen = yield from self.choose_one(text, row, found)
            return [] if chosen is None else [chosen]
        text.previous = None
        if found and row.within == "chosen_subnet":
            lowest = {r: min(self.network.subnet(r.node)) for r in found}
            subnet = yield from self.ask_number(text.seat, actions.SUBNET, lowest.values())
            found = [r for r in found if lowest[r] == subnet]
        return found

    # Units and the queue

    def unit(self, events: Sequence[Event] = (), hits: Sequence[Hit] = (), text: Text | None = None) -> Asking:
        """The end of a unit: damage, disconnects, the win test, then what it woke (SK-10.1). ``text``: what dealt the damage."""
        for target, dealt in hits:
            target.signal -= dealt
        events, culprit = list(events), text and text.source
        for runner in self.on_board():
            if runner.signal <= 0:
                self._disconnect(runner, text)
                events.append(Event(runner, "disconnected", culprit))
                if culprit is not None and culprit.seat != runner.seat:
                    events.append(Event(culprit, "disconnecting"))
            elif any(target is runner and dealt > 0 for target, dealt in hits):
                events.append(Event(runner, "damaged", culprit))
        for seat, data in enumerate(self.data):
            if data is not None and data.signal <= 0:  # SK-8.6
                self.destroy_data(seat)
        self.tell_passives()
        self._win_test()
        self.enqueue(events)
        yield from self.drain()

    def _disconnect(self, runner: Runner, text: Text) -> None:
        """SK-8.5: off the board; what it carried goes (SK-8.11); the opponent scores."""
        runner.node, runner.ready, runner.signal = None, False, 0
        runner.temps.clear()
        for bans in runner.bans.values():
            bans.clear()
        cause = {} if text.cause == "attack" else {"cause": text.cause}
        self.tell("disconnect", runner.seat, runner=runner.id, **cause)
        if self.carried(runner) is not None and self.rules.data_on_disconnect == "destroyed":
            self.destroy_data(runner.seat)
        if text.seat != runner.seat or self.rules.own_disconnect_scores:
            self.score(1 - runner.seat, self.rules.disconnect_points, "disconnect", **cause)

    def destroy_data(self, seat: int) -> None:
        data = self.data[seat]
        self.data[seat] = None
        self.tell("data", seat, what="destroyed", runner=data.carrier.id, signal=max(0, data.signal))

    def score(self, seat: int, points: int, why: str, **keys: Any) -> None:
        if points > 0:
            self.points[seat] += points
            self.tell("score", seat, points=points, why=why, total=self.points[seat], **keys)

    def _win_test(self) -> None:
        """SK-10.1, 10.2."""
        there = [seat for seat in (0, 1) if self.points[seat] >= self.rules.points_to_win]
        if there:
            self.winner = self.token if len(there) == 2 else there[0]
            self.reason = "points"
            raise GameOver

    def enqueue(self, events: list[Event]) -> None:
        """SK-5.5: the texts that these events wake join the queue, the active side's first."""
        woken = [(event, part) for event in events for part in event.runner.parts_with(event.trigger)]
        woken.sort(key=lambda w: (w[0].runner.seat != self.active, w[0].runner.position, v.TRIGGERS.index(w[0].trigger), w[1]))
        room = actions.MAX_TRIGGERS - self.accepted
        self.queue += woken[:room]
        self.accepted += len(woken[:room])
        self.dropped += len(woken[room:])

    def drain(self) -> Asking:
        """Resolve the queue until it is empty, unless that is going on further down already."""
        if self.draining:
            return
        self.draining = True
        while self.queue:
            event, part = self.queue.pop(0)
            if event.runner.on_board or event.trigger == "disconnected":
                yield from self.resolve(event.runner.text(part, culprit=event.culprit), event.trigger)
        self.draining = False

    def resolve(self, text: Text, trigger: str) -> Asking:
        """SK-5.1, 5.2: the rows of one trigger in printed order; a row whose conditions fail or that finds no target does nothing.

        A row's method asks what is to be asked and does the row; the events and the damage that it returns go into the unit.
        """
        for row in text.rows:
            if row.trigger == trigger and self.holds(text, row):
                done = getattr(self, f"_row_{row.op}")(text, row)
                if isinstance(done, Generator):  # a row that asks nobody is done already
                    done = yield from done
                events, hits = done or ((), ())
                yield from self.unit(events, hits, text)

    # Rows: the network

    def _row_hack(self, text: Text, row: model.Effect) -> Asking:
        """SK-6.1, 6.3: never a node with a runner or a lock, never a server; its own state is no obstacle."""
        taken = self.network.locks | {r.node for r in self.on_board()}
        chosen = yield from self._pick_nodes(text, row, dict.fromkeys(row.states, self._nodes_in_range(text, row) - taken))
        if chosen:  # SK-6.2
            self._set_states(text, chosen, "hack", count=row.count, up_to=row.up_to, connected=row.connected)
            self.network.locks = set(chosen)

    def _row_change_state(self, text: Text, row: model.Effect) -> Asking:
        """SK-6.8: ignores locks and runners, but no runner's node goes offline."""
        nodes = self._nodes_in_range(text, row)
        empty = nodes - {r.node for r in self.on_board()}
        chosen = yield from self._pick_nodes(text, row, {state: empty if state == "offline" else nodes for state in row.states})
        if chosen:
            self._set_states(text, chosen, "change")

    def _nodes_in_range(self, text: Text, row: model.Effect) -> set[int]:
        return {n for n in self.network.area(row.within, row.distance, text.centre) if not self.network.is_server(n)}

    def _set_states(self, text: Text, chosen: dict[int, str], event: str, **keys: Any) -> None:
        for node, state in chosen.items():
            self.network.states[node] = state
        self.tell(event, text.seat, nodes=list(chosen), states=list(chosen.values()), cause=text.cause, **keys)

    def _pick_nodes(self, text: Text, row: model.Effect, eligible: dict[str, set[int]]) -> Asking:
        """The chosen nodes with their new states, in the order chosen. ``eligible``: nodes for each listed state (SK-6.7)."""
        link = self.rules.connected_hack if row.connected else None  # SK-6.4
        each = self.rules.hack_states == "each" and len(row.states) > 1  # SK-6.6
        sets = {"each": set().union(*eligible.values())} if each else eligible
        picks = {state: NodePick(nodes, self.network.neighbors, link, row.count) for state, nodes in sets.items()}
        most = max(p.most() for p in picks.values())
        if most == 0 or (not row.up_to and most < row.count and self.rules.hack_short == "nothing"):  # SK-6.5
            return {}
        able = [s for s, p in picks.items() if (p.eligible if row.up_to else p.most() == most)]
        state = "each" if each else (yield from self._ask_state(text, able))
        pick = picks[state]
        exactly = None if row.up_to else most
        chosen: dict[int, str] = {}
        while len(chosen) < most:
            may_end = row.up_to and pick.complete()
            if each:
                state = yield from self._ask_state(text, [s for s in row.states if pick.nexts(eligible[s], exactly)], may_end)
                may_end = False  # that was the moment
                if state is None:
                    break
            node = yield from self.ask_number(text.seat, actions.NODE, pick.nexts(eligible[state], exactly), may_end)
            if node is None:
                break
            pick.chosen.append(node)
            chosen[node] = state
        return chosen

    def _ask_state(self, text: Text, states: list[str], may_end: bool = False) -> Asking:
        number = yield from self.ask_number(text.seat, actions.STATE, map(v.STATES.index, states), may_end)
        return None if number is None else v.STATES[number]

    # Rows: signal and attacks

    def _row_damage(self, text: Text, row: model.Effect) -> Asking:
        """SK-8.14: all of it is counted before any signal goes down."""
        targets, hits = (yield from self.choose(text, row)), []
        if row.target == "own_data":
            targets = [self.carried(r) for r in targets]
        for target in targets:
            security = target.signal if isinstance(target, Data) else self.number(target, "security")
            hits.append(self._hit(target, row.amount, 0 if row.past_security else security, cause=text.cause))
        return (), hits

    def _hit(self, target: Runner | Data, total: int, security: int, bypass: int = 0, least: int = 0, cause: str = "attack") -> Hit:
        """SK-8.3: what gets past the security that bypass leaves, at least ``least`` of a sum of 1 or more."""
        dealt = max(0, total - max(0, security - bypass), least if total >= 1 else 0)
        victim, what = (target.carrier, {"data": True}) if isinstance(target, Data) else (target, {"runner": target.id})
        counts = {"sum": total, "security": security, "bypass": bypass, "dealt": dealt, "left": max(0, target.signal - dealt)}
        self.tell("damage", victim.seat, **what, **counts, cause=cause)
        return target, dealt

    def _row_heal(self, text: Text, row: model.Effect) -> Asking:
        for runner in (yield from self.choose(text, row, lambda r: r.below_full)):
            self.heal(runner, row.amount, cause=text.cause)

    def heal(self, runner: Runner, amount: int, **keys: Any) -> None:
        healed = min(amount, runner.rig.signal - runner.signal)
        runner.signal += healed
        self.tell("heal", runner.seat, runner=runner.id, amount=healed, left=runner.signal, **keys)

    def _row_signal(self, text: Text, row: model.Effect) -> Asking:
        """The data's signal moves; at 0 the unit's end destroys it."""
        for runner in (yield from self.choose(text, row)):
            data = self.carried(runner)
            data.signal = min(data.signal + row.amount, self.rules.data_signal_max)
            self.tell("data", runner.seat, what="signal", runner=runner.id, signal=max(0, data.signal), cause=text.cause)

    def _row_attack(self, text: Text, row: model.Effect) -> Asking:
        """Who attacks (``by``), whom, then the attack itself."""
        able = [r for r in self.on_board() if self.is_who(row.by, text, r) and not self.banned(r, "attack")]
        attackers = [r for r in able if self._victims(text, row, r)]
        by_itself = row.by == "self"  # then whom it attacks is the row's first choice, which may be declined
        attacker = yield from self.ask_runner(text.seat, attackers, row.optional and not by_itself)
        victims = [DONE] if attacker is None else self._victims(text, row, attacker) + [DONE] * (row.optional and by_itself)
        action = yield from self.ask(text.seat, victims)
        text.previous = None
        if action != DONE:
            _, seat, position = decode(action)
            text.previous, data = self.runner_or_data(seat, position)
            yield from self.attack(Attack(attacker, text.previous, data, row.within, row.distance, row.amount, row.bypass))

    def _victims(self, text: Text, row: model.Effect, attacker: Runner) -> list[int]:
        """What this attacker may attack by the row, as TARGET decisions; the range is the attacker's."""
        enemies = [r for r in self.candidates(text, row, attacker.node) if r.seat != attacker.seat]
        victims = [] if row.target == "own_data" else [r.name for r in enemies]
        if row.target == "own_data" or (row.data and row.target in ("enemy", "enemy_carrier")):
            victims += [encode(actions.TARGET, r.seat, actions.DATA) for r in enemies if self.carried(r) is not None]
        return victims

    def runner_or_data(self, seat: int, position: int) -> tuple[Runner, Data | None]:
        """Whom a decision names: a runner, or a carrier with the data that ``DATA`` stands for."""
        data = self.data[seat] if position == actions.DATA else None
        return (self.crew[seat][position] if data is None else data.carrier), data

    def attack(self, attack: Attack) -> Asking:
        """SK-8.2: flips with their texts, damage, the flipped cards' way to the discard pile, and what all that woke."""
        attacker = attack.attacker
        flight = self.flight[attacker.seat]
        below = read = len(flight)  # an attack inside a flipped card's text lays its cards on top of those that wait
        attack.to_flip += self.number(attacker, "attack", attack)
        while attack.to_flip > 0:
            card = self.take(attacker.seat, flight, "flip", **{"for": "attack"})
            attack.to_flip = 0 if card is None else attack.to_flip - 1
            if attack.to_flip == 0 or self.rules.flip_timing == "each":
                unread, read = flight[read:], len(flight)
                for flipped in unread:  # whose texts may add to the flips
                    yield from self.resolve(self.text_of(flipped, attacker.seat, attack), "flipped")
        flipped, flight[below:] = flight[below:], []
        attack.total += sum(self.cardset.cards[card].damage for card in flipped)
        hits = self._attack_damage(attack)
        self.put_in_discard(attacker.seat, flipped)
        self.end_numbers(attacker, "next_attack", ("attack", "bypass", "data_bypass", "damage"))
        if attack.data is None:
            self.end_numbers(attack.victim, "next_attack", ("security", "exposed"))
        yield from self.unit([], hits, Text(attacker.seat, [], "attack", attacker))

    def text_of(self, card: str, seat: int, attack: Attack | None = None) -> Text:
        """A card's text; that of a flipped card is the attacker's."""
        runner = attack and attack.attacker
        return Text(seat, self.cardset.cards[card].effects, card, runner, runner and runner.last_node, attack)

    def _attack_damage(self, attack: Attack) -> list[Hit]:
        """SK-8.2 to 8.4, 8.6: none on what has left; the largest bypass counts; data has its signal for security."""
        attacker, victim, data = attack.attacker, attack.victim, attack.data
        there = attacker.on_board and victim.on_board and (data is None or self.carried(victim) is data)
        if not there or victim.node not in self.network.area(attack.within, attack.distance, attacker.node):
            return []
        bypass = max(attack.bypass, self.number(attacker, "bypass", attack))
        if data is None:
            security, bypass = self.number(victim, "security"), max(bypass, self.number(victim, "exposed"))
        else:
            security, bypass = data.signal, max(bypass, self.number(attacker, "data_bypass", attack))
        total = max(0, attack.total + self.number(attacker, "damage", attack))  # SK-8.3
        return [self._hit(victim if data is None else data, total, security, bypass, self.rules.minimum_damage)]

    def _row_on_the_attack(self, text: Text, row: model.Effect) -> None:
        """More damage, bypass or flips, if the attacked runner is on the board and passes the filter."""
        attack = text.attack
        if attack.victim.on_board and self.facts(attack.victim).issuperset(row.filter):
            match row.op:
                case "damage_bonus":
                    attack.total += row.amount
                case "bypass":
                    attack.bypass = max(attack.bypass, row.amount)
                case "flip":
                    attack.to_flip += row.amount

    _row_damage_bonus = _row_bypass = _row_flip = _row_on_the_attack

    # Rows: cards

    def _players(self, text: Text, row: model.Effect) -> list[int]:
        """The seats that a row of cards or points is about."""
        return {"own": [text.seat], "opponent": [1 - text.seat], "both": [text.seat, 1 - text.seat]}[row.player]

    def _row_draw(self, text: Text, row: model.Effect) -> None:
        for seat in self._players(text, row):
            self.draw(seat, row.count, cause=text.cause)

    def _row_discard(self, text: Text, row: model.Effect) -> Asking:
        for seat in self._players(text, row):
            for _ in range(min(row.count, len(self.hand[seat]))):
                card = yield from self._lose_card(seat, self.hand[seat], row.how)
                self.tell("discard", seat, card=card, cause=text.cause)
                self.put_in_discard(seat, [card])

    def _row_return_card(self, text: Text, row: model.Effect) -> Asking:
        seat = text.seat
        for _ in range(min(row.count, len(self.discard[seat]))):
            card = yield from self._lose_card(seat, self.discard[seat], row.how)
            self.hand[seat].append(card)
            self.tell("return", seat, card=card, cause=text.cause)

    def _lose_card(self, seat: int, pile: list[str], how: str) -> Asking:
        """A card leaves a hand or a discard pile, at random or by its owner's choice (of a title, its oldest copy)."""
        if how == "random":
            self.random_draws[seat] += 1
            return pile.pop(self.effect_luck[seat].below(self.random_draws[seat] - 1, len(pile)))
        title = yield from self.ask_number(seat, actions.CHOOSE, [self.titles[card] for card in pile])
        return self.take_title(pile, title)

    def take_title(self, pile: list[str], number: int) -> str:
        return pile.pop(next(i for i, card in enumerate(pile) if self.titles[card] == number))

    # Rows: tokens on the board

    def _row_ready(self, text: Text, row: model.Effect) -> Asking:
        ready = row.op == "ready"
        for runner in (yield from self.choose(text, row, lambda r: r.ready != ready)):
            runner.ready = ready
            self.tell(row.op, runner.seat, runner=runner.id, cause=text.cause)

    _row_exhaust = _row_ready

    def _row_move(self, text: Text, row: model.Effect) -> Asking:
        """SK-7.6: by steps, with the runner's own border allowance; may be shorter or declined."""
        events = []
        for runner in (yield from self.choose(text, row)):
            paths = {node: path for node, path in self.reach(runner, row.amount).items() if self._leads(text, row, runner.node, node)}
            if (yield from self.move(text.seat, runner, paths, text.cause)):
                events.append(Event(runner, "after_moving"))
        return events, ()

    def _leads(self, text: Text, row: model.Effect, start: int, end: int) -> bool:
        """Does a move from start to end go the row's way, seen from the text's node?"""
        if start == end or row.direction == "any" or text.centre is None:
            return True
        before, after = (self.network.distance(text.centre, n) for n in (start, end))
        return after > before if row.direction == "away" else after < before

    def move(self, seat: int, runner: Runner, paths: dict[int, list[int]], cause: str) -> Asking:
        """The seat chooses where the runner's steps end; True if on another node than it stood."""
        node = yield from self.ask_number(seat, actions.DEST, paths)
        if node == runner.node:
            return False
        self.tell("move", runner.seat, runner=runner.id, path=paths[node], cause=cause)
        runner.stand(node)  # SK-7.4: data lies on its carrier, so it comes along
        return True

    def _row_place(self, text: Text, row: model.Effect) -> Asking:
        for runner in (yield from self.choose(text, row, lambda r: self._places(text, row, r))):
            places = self._places(text, row, runner)  # those placed before it may have taken the last one
            if places:
                self._put(runner, (yield from self.ask_number(text.seat, actions.DEST, places)), text.cause)

    def _places(self, text: Text, row: model.Effect, runner: Runner) -> list[int]:
        if row.to == "home":
            return self.free_home(runner.seat)
        within, centre = ("neighbouring", text.centre) if row.to == "beside" else (row.to, runner.node)
        return [n for n in self.network.area(within, 1, centre) if self.free(n)]

    def _put(self, runner: Runner, node: int, cause: str) -> None:
        runner.stand(node)
        self.tell("place", runner.seat, runner=runner.id, node=node, cause=cause)

    def _row_swap(self, text: Text, row: model.Effect) -> Asking:
        """SK-7.6: two runners take each other's nodes; filters look at the first only."""
        partners = self.in_range_of(text, row, row.other)
        first = yield from self.choose_one(text, row, [r for r in self.candidates(text, row) if any(p is not r for p in partners)])
        if first is not None:
            second = yield from self.ask_runner(text.seat, [r for r in partners if r is not first])
            here, there = first.node, second.node
            self._put(first, there, text.cause)
            self._put(second, here, text.cause)

    def _row_transfer(self, text: Text, row: model.Effect) -> Asking:
        """From the own carrier to another own runner, in range of the carrier."""
        data = self.data[text.seat]
        near = self.candidates(text, row, data.carrier.node) if data is not None and data.carrier.on_board else []
        receiver = yield from self.choose_one(text, row, [r for r in near if r.seat == text.seat and r is not data.carrier])
        if receiver is not None:
            self.hand_over(data, receiver)

    def hand_over(self, data: Data, receiver: Runner) -> None:
        data.carrier = receiver
        self.tell("data", receiver.seat, what="transfer", runner=receiver.id, signal=data.signal)

    # Rows: points, turns, numbers, bans

    def _row_score(self, text: Text, row: model.Effect) -> None:
        for seat in self._players(text, row):
            self.score(seat, row.amount, "effect", cause=text.cause)

    def _row_another_turn(self, text: Text, row: model.Effect) -> None:
        self.extra[text.seat] += 1
        self.tell("another_turn", text.seat, cause=text.cause)

    def _row_stat(self, text: Text, row: model.Effect) -> Asking:
        for runner in (yield from self.choose(text, row)):
            key, old = (row.stat, row.duration), runner.temps.get((row.stat, row.duration), 0)
            runner.temps[key] = max(old, row.amount) if row.stat in v.LARGEST else old + row.amount
            if row.stat != "data_bypass":  # a conditional number: the log leaves those to the cards' texts
                self.tell("stat", runner.seat, runner=runner.id, stat=row.stat, amount=row.amount, until=row.duration, cause=text.cause)

    def _row_forbid(self, text: Text, row: model.Effect) -> Asking:
        for runner in (yield from self.choose(text, row)):
            runner.bans[row.duration].update(row.what)
