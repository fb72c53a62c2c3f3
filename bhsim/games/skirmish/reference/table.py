"""The table: what lies on it, who stands where, the numbers that follow from it, the card piles, and the event log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bhsim import __version__
from bhsim.games import luck
from bhsim.games.skirmish import actions, logheader, model
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.passivelog import PassiveLog
from bhsim.games.skirmish.reference.network import Network

Log = Callable[[dict[str, Any]], None]
Crews, Decks = tuple[model.Crew, model.Crew], tuple[model.Deck, model.Deck]


class GameOver(Exception):
    """Raised where the game ends, so that nothing that was under way goes on (SK-10.1)."""


@dataclass(eq=False)
class Runner:
    """A runner with its rig. ``node`` is None off the board; ``last_node`` is where it stood last."""

    seat: int
    position: int
    id: str
    rig_id: str
    card: model.Runner
    rig: model.Rig
    signal: int
    ready: bool = True
    node: int | None = None
    last_node: int | None = None
    gone: bool = False
    temps: dict[tuple[str, str], int] = field(default_factory=dict)  # (stat, duration) -> amount
    bans: dict[str, set[str]] = field(default_factory=lambda: {"turn": set(), "round": set()})

    @property
    def on_board(self) -> bool:
        return self.node is not None

    @property
    def below_full(self) -> bool:
        return self.signal < self.rig.signal

    @property
    def name(self) -> int:
        """This runner as a TARGET decision."""
        return actions.encode(actions.TARGET, self.seat, self.position)

    @cached_property
    def parts(self) -> dict[int, tuple[str, list[model.Effect]]]:
        """Its two texts: whose they are, and their rows."""
        return {actions.PART_RUNNER: (self.id, self.card.effects), actions.PART_RIG: (self.rig_id, self.rig.effects)}

    def parts_with(self, trigger: str) -> list[int]:
        """Numbers of the parts that have a row of this trigger."""
        return [part for part, (_, rows) in self.parts.items() if any(row.trigger == trigger for row in rows)]

    def text(self, part: int = actions.PART_RUNNER, **more: Any) -> Text:
        """One of the parts, as it begins now."""
        cause, rows = self.parts[part]
        return Text(self.seat, rows, cause, self, self.last_node, **more)

    def stand(self, node: int) -> None:
        self.node = self.last_node = node


@dataclass(eq=False)
class Data:
    """One die that was extracted; another extraction makes another object, so identity tells them apart."""

    carrier: Runner
    signal: int


@dataclass(eq=False)
class Attack:
    """An attack under way. ``victim`` is the attacked runner, or the carrier of the attacked ``data``."""

    attacker: Runner
    victim: Runner
    data: Data | None = None
    within: str = "subnet"
    distance: int = 1
    to_flip: int = 0  # cards still to be flipped; before it begins those beyond the attack value
    bypass: int = 0  # the largest of the attack's own and of the flipped texts
    total: int = 0  # damage values and bonuses


@dataclass(eq=False)
class Text:
    """A list of rows being resolved for a seat. ``source`` is the runner whose text it is (a flipped card: the attacker)."""

    seat: int
    rows: list[model.Effect]
    cause: str
    source: Runner | None = None
    origin: int | None = None  # where the source stood when the text began
    attack: Attack | None = None
    culprit: Runner | None = None
    previous: Runner | None = None

    @property
    def centre(self) -> int | None:
        """The node from which ranges are measured."""
        return self.source.node if self.source is not None and self.source.on_board else self.origin


@dataclass(eq=False)
class Event:
    """Something that happened to a runner and may wake its texts (SK-5.5). culprit: who did it, if a runner did."""

    runner: Runner
    trigger: str
    culprit: Runner | None = None


class Table:
    """The whole state of one game and every question about it. Indices are seats.

    pool: card set, board and rules. crews, decks: by side; in game 0 of a key side 0 sits in seat 0,
    in game 1 in seat 1. root, key: the address of the luck. log: called with each event (docs/replay.md), or None.
    """

    def __init__(self, pool: Bundle, crews: Crews, decks: Decks, root: int, key: int, game: int, log: Log | None = None) -> None:
        self.cardset, self.rules = pool.cardset, pool.rules
        self.side_at = (0, 1) if game == 0 else (1, 0)  # seat -> side
        self.network = Network(pool.board)
        self.titles = {title: number for number, title in enumerate(self.cardset.cards)}
        self.crew = [self._hire(seat, crews[self.side_at[seat]]) for seat in (0, 1)]
        self.deck = [decks[self.side_at[seat]].slots() for seat in (0, 1)]
        self.hand: list[list[str]] = [[], []]  # SK-5.3: of any size
        self.discard: list[list[str]] = [[], []]
        self.flight: list[list[str]] = [[], []]  # flipped and revealed cards
        self.data: list[Data | None] = [None, None]  # by the seat that extracted it
        self.points = [0, 0]
        self.passed = [False, False]
        self.extra = [0, 0]  # turns won by another_turn
        self.round = self.turn = 0
        self.shuffles = [0, 0]
        self.random_draws = [0, 0]
        luck_key = luck.key_of(root, key)
        self.deck_luck = [luck.Stream(luck_key, luck.DECK + seat) for seat in (0, 1)]
        self.effect_luck = [luck.Stream(luck_key, luck.EFFECT + seat) for seat in (0, 1)]
        self.token = luck.Stream(luck_key, luck.FIRST_PLAYER).below(0, 2)  # SK-3.1
        self.active = self.token  # whose turn it is; outside turns the token holder
        self.queue: list[tuple[Event, int]] = []  # SK-5.5: with the part of the runner that it woke
        self.draining = False
        self.accepted = self.dropped = 0  # triggered texts of this turn, and of the game
        self.winner: int | None = None
        self.reason: str | None = None
        self.log = log
        self.tell_passives = PassiveLog(self).tell if log is not None else lambda: None
        if log is not None:
            log(logheader.header(pool.cardset, pool.board, pool.rules, crews, decks, root, 2 * key + game, __version__))

    def _hire(self, seat: int, crew: model.Crew) -> list[Runner]:
        pairs = [(m, self.cardset.runners[m.runner], self.cardset.rigs[m.rig]) for m in crew.members]
        return [Runner(seat, i, m.runner, m.rig, card, rig, rig.signal) for i, (m, card, rig) in enumerate(pairs)]

    # Who stands where

    def on_board(self) -> list[Runner]:
        """All runners on the board: seat 0 before seat 1, then crew position."""
        return [r for crew in self.crew for r in crew if r.on_board]

    def runner_at(self, node: int) -> Runner | None:
        return next((r for r in self.on_board() if r.node == node), None)

    def free(self, node: int) -> bool:
        """SK-2.5 and 7.6: online and without any runner."""
        return self.network.online(node) and self.runner_at(node) is None

    def free_home(self, seat: int) -> list[int]:
        return [n for n in self.network.home[seat] if self.free(n)]

    def carried(self, runner: Runner) -> Data | None:
        data = self.data[runner.seat]
        return data if data is not None and data.carrier is runner else None

    # Targets, filters, conditions

    def is_who(self, who: str, text: Text, runner: Runner) -> bool:
        """Is this runner, seen from the text, one of ``who`` (vocabulary.WHO)?"""
        own, is_source, carries = runner.seat == text.seat, runner is text.source, self.carried(runner) is not None
        return {
            "self": is_source,
            "own": own,
            "ally": own and not is_source,
            "enemy": not own,
            "any": True,
            "other": not is_source,
            "own_carrier": own and carries,
            "enemy_carrier": not own and carries,
            "own_data": not own and carries,
            "attack_target": text.attack is not None and runner is text.attack.victim,
            "previous": runner is text.previous,
            "culprit": runner is text.culprit,
        }[who]

    def facts(self, runner: Runner) -> set[str]:
        """The filter words that are true of a runner on the board."""
        carries = "not_carrying" if self.carried(runner) is None else "carrying"
        facts = {carries, "ready" if runner.ready else "exhausted", f"on_{self.network.states[runner.node]}"}
        return facts | {"below_full"} if runner.below_full else facts

    def candidates(self, text: Text, row: model.Effect, centre: int | None = None) -> list[Runner]:
        """The row's possible targets: on the board, past its filters, in its range of ``centre`` (default: the text's)."""
        return [r for r in self.in_range_of(text, row, row.target, centre) if self.facts(r).issuperset(row.filter)]

    def in_range_of(self, text: Text, row: model.Effect, who: str, centre: int | None = None) -> list[Runner]:
        """The runners on the board that are ``who`` and in the row's range, whatever its filters."""
        centre = text.centre if centre is None else centre
        area = self.network.area(row.within, row.distance, centre)
        return [r for r in self.on_board() if r.node in area and self.is_who(who, text, r)]

    def holds(self, text: Text, row: model.Effect) -> bool:
        """Do all conditions of the row hold?"""
        return all(self._condition(text, c) != c.negate for c in row.conditions)

    def _condition(self, text: Text, condition: model.Condition) -> bool:
        lead = self.points[text.seat] - self.points[1 - text.seat]
        match condition.kind:
            case "behind" | "ahead" | "tied" as word:
                return {"behind": lead < 0, "ahead": lead > 0, "tied": lead == 0}[word]
            case "target_carries":
                victim = None if text.attack is None else text.attack.victim
                carries = victim is not None and victim.on_board and self.is_who("enemy_carrier", text, victim)
                return carries or (victim is not None and text.attack.data is not None)
            case "allies_in_subnet" | "enemies_in_subnet" as word:
                subnet = set() if text.centre is None else self.network.subnet(text.centre)
                there = [r for r in self.on_board() if r.node in subnet and r is not text.source]
                return sum((r.seat == text.seat) == (word == "allies_in_subnet") for r in there) >= condition.count
            case fact:
                return text.source is not None and text.source.on_board and fact in self.facts(text.source)

    # Numbers of a runner

    def passive_rows(self, runner: Runner, op: str, attack: Attack | None = None) -> Iterator[model.Effect]:
        """SK-7.5: the passive rows of this op, of anyone on the board, that apply to the runner now."""
        for text in (r.text(part, attack=attack) for r in self.on_board() for part in r.parts_with("passive")):
            for row in text.rows:
                if row.trigger == "passive" and row.op == op and self.holds(text, row) and runner in self.candidates(text, row):
                    yield row

    def number(self, runner: Runner, stat: str, attack: Attack | None = None) -> int:
        """A number of a runner now: printed, temporary and passive, at least 0. ``attack``: the one being counted, if any."""
        amounts = [amount for (name, _), amount in runner.temps.items() if name == stat]
        amounts += [row.amount for row in self.passive_rows(runner, "stat", attack) if row.stat == stat]
        if stat in v.LARGEST:
            return max([0, *amounts])
        if stat == "borders" and self.banned(runner, "crossing"):
            return 0
        rig, crossings = runner.rig, self.rules.border_crossings  # SK-7.3
        printed = {"attack": runner.card.attack, "security": rig.security, "speed": rig.speed, "borders": crossings, "damage": 0}
        value = max(0, printed[stat] + sum(amounts))
        return min(value, actions.MAX_BORDERS) if stat == "borders" else value

    def banned(self, runner: Runner, what: str) -> bool:
        """Does a text forbid this to the runner now?"""
        if any(what in bans for bans in runner.bans.values()):
            return True
        return any(what in row.what for row in self.passive_rows(runner, "forbid"))

    def end_durations(self, duration: str) -> None:
        """SK-5.4: what lasted until now ends, for everybody."""
        for runner in (r for crew in self.crew for r in crew):
            self.end_numbers(runner, duration, v.STATS)
            runner.bans.get(duration, set()).clear()

    def end_numbers(self, runner: Runner, duration: str, stats: tuple[str, ...]) -> None:
        runner.temps = {(s, d): n for (s, d), n in runner.temps.items() if d != duration or s not in stats}

    def reach(self, runner: Runner, steps: int) -> dict[int, list[int]]:
        """SK-7.2, 7.3: every node on which a move by steps can end, the own one included, with a shortest path to it."""
        crossings = self.number(runner, "borders")
        states = self.network.states
        paths = {runner.node: [runner.node]}
        seen, ways = {(runner.node, 0)}, [([runner.node], 0)]
        for path, crossed in ways:  # grows meanwhile, shorter ways before longer ones
            if len(path) > steps:
                break
            for node in self.network.neighbors[path[-1]]:
                borders = crossed + (states[node] != states[path[-1]])
                there = self.runner_at(node)
                passable = self.network.online(node) and (there is None or there.seat == runner.seat)
                if passable and borders <= crossings and (node, borders) not in seen:
                    seen.add((node, borders))
                    ways.append(([*path, node], borders))
                    if there is None:
                        paths.setdefault(node, [*path, node])
        return paths

    # Card piles

    def shuffle_deck(self, seat: int) -> None:
        self.deck_luck[seat].shuffle(self.deck[seat], self.shuffles[seat])
        self.shuffles[seat] += 1
        self.tell("shuffle", seat)

    def refill_check(self, seat: int, moment: str = "at_once") -> None:
        """SK-8.12: the discard pile becomes the deck, if the deck is empty."""
        if self.rules.refill == moment and not self.deck[seat] and self.discard[seat]:
            self.deck[seat], self.discard[seat] = self.discard[seat], []
            self.shuffle_deck(seat)

    def take(self, seat: int, pile: list[str], event: str, **keys: Any) -> str | None:
        """The top card of the deck goes to ``pile`` and is told; None if there is none."""
        self.refill_check(seat, "when_needed")
        if not self.deck[seat]:
            return None
        card = self.deck[seat].pop()
        pile.append(card)
        self.tell(event, seat, card=card, **keys)
        self.refill_check(seat)
        return card

    def draw(self, seat: int, count: int, **keys: Any) -> None:
        for _ in range(count):
            self.take(seat, self.hand[seat], "draw", **keys)

    def put_in_discard(self, seat: int, cards: list[str]) -> None:
        self.discard[seat].extend(cards)
        self.refill_check(seat)

    def tell(self, event: str, seat: int | None = None, **keys: Any) -> None:
        """One line of the event log; seats become sides."""
        if self.log is not None:
            side = {} if seat is None else {"side": self.side_at[seat]}
            self.log({"event": event, **side, **keys})
