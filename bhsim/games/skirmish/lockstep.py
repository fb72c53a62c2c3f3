"""Both engines side by side: the same game, and at every decision the same legal list and the same table (`bhsim verify`).

Half of the games are played at random, half by bots, so that games also end by points. The first difference stops the game.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games import luck
from bhsim.games.skirmish import actions, files, fuzz, legality
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.coverage import Coverage, WatchedGame, row_paths
from bhsim.games.skirmish.decision_words import DecisionWords
from bhsim.games.skirmish.driver import EngineStopped, KernelGame, Match
from bhsim.games.skirmish.model import Crew, Deck
from bhsim.games.skirmish.placing import PlacedKernel, PlacedReference
from bhsim.games.skirmish.positions import Position
from bhsim.games.skirmish.reference.table import Log

HEURISTIC_BOTS = ("fixer", "racer", "brawler", "weaver", "warden")
TAIL = 12  # events shown before a difference

# Which rules a decision or a part of the table belongs to, for the first look after a difference.
RULES_OF_KIND = {
    "pass": "SK-4.1 to 4.4", "card": "SK-5.1 to 5.5", "activate": "SK-7.1, 7.5", "dest": "SK-7.2 to 7.6", "action": "SK-8.1 to 8.14",
    "target": "SK-5.2, and the operation's row in docs/decisions.md", "subnet": "SK-2.3, 2.4", "state": "SK-6.5 to 6.8",
    "node": "SK-6.1 to 6.5", "done": "SK-6.5, 5.2", "deploy": "SK-3.3", "place": "SK-9.3", "token": "SK-9.6", "choose": "SK-5.2, 8.12",
    "ability": "SK-9.2",
}  # fmt: skip
RULES_OF_FIELD = {
    "round": "SK-4.3, 9, 10.3", "turn": "SK-4.1 to 4.4", "token": "SK-9.6", "seat": "SK-4.1, 9.2, 9.3", "points": "SK-8.5, 8.9, 10",
    "passed": "SK-4.2", "extra": "SK-4.1, op another_turn", "states": "SK-6.2, 6.8", "locks": "SK-6.2, 6.9, 9.1", "deck": "SK-8.12",
    "hand": "SK-5.3, 9.5", "discard": "SK-5.1, 8.2, 8.12", "flight": "SK-8.2, 8.9", "runners": "SK-7, 8.3 to 8.5, 9.3, 9.4, 5.4",
    "data": "SK-8.6 to 8.9, 8.11", "over": "SK-10", "winner": "SK-10.1, 10.2", "reason": "SK-10", "dropped": "SK-5.5",
    "shuffles": "SK-8.12", "random_draws": "design: luck",
}  # fmt: skip
RULES_OF_ACT = {
    "attack": "SK-8.1 to 8.6", "extract": "SK-8.7", "transfer": "SK-8.8", "secure": "SK-8.9", "signature": "SK-8.10", "common": "SK-8.13",
    "none": "SK-7.1",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """Where the engines part.

    game: its index. decision: how many were taken before. last: the last one taken, in words. rules: rule ids around it. fields:
    (path, kernel's value, reference's value) of what differs between the views. only_kernel, only_reference: legal there only, in
    words. fault: an engine or a bot that broke down instead. views: both whole. events: the reference's log before it.
    """

    game: int
    by: str
    decision: int
    seat: int
    last: str
    rules: list[str]
    fields: list[tuple[str, Any, Any]] = field(default_factory=list)
    only_kernel: list[str] = field(default_factory=list)
    only_reference: list[str] = field(default_factory=list)
    fault: str | None = None
    views: tuple[dict[str, Any], dict[str, Any]] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Report:
    """What a comparison did. used: rows of all card sets that were in play; difference: the one that ended it, or None."""

    games: int = 0
    decisions: int = 0
    by_bots: int = 0
    coverage: Coverage = field(default_factory=Coverage)
    used: set[str] = field(default_factory=set)
    difference: Difference | None = None

    @property
    def rows_unreached(self) -> list[str]:
        """Paths of effect rows that were in play in some game and never begun; tells something when all games share a card set."""
        return sorted(self.used - self.coverage.rows.keys())


Source = Callable[[int], Match]


def compare(
    source: Source,
    root: int,
    first: int,
    games: int,
    progress: Callable[[int], None] = lambda games: None,
    position: Position | None = None,
) -> Report:
    """Plays games ``first`` .. ``first + games - 1`` of seed ``root`` on both engines, until they differ.

    source: the match of a game's index. progress: called with the number of games just finished. position: where every game
    begins, if not at its setup; then all have the position's luck, and only the decisions differ.
    """
    report = Report()
    for index in range(first, first + games):
        match = source(index)
        by_bots = plays_by_bots(index)
        pair = _Pair(match, root, index, by_bots, position)
        report.difference = pair.play()
        report.games += 1
        report.by_bots += by_bots
        report.decisions += len(pair.taken)
        report.coverage.add_actions(pair.taken)
        if pair.reference is not None:
            paths = row_paths(match.bundle.cardset, match.bundle.rules)
            report.coverage.add_game(pair.reference, paths)
            report.used |= _rows_in_play(match, paths)
        if report.difference:
            break
        progress(1)
    return report


def plays_by_bots(index: int) -> bool:
    """Whether the bots decide in this game; both games of every other key are theirs, the others are random."""
    return index // 2 % 2 == 1


def _rows_in_play(match: Match, paths: dict[int, str]) -> set[str]:
    members = [m for crew in match.crews for m in crew.members]
    heads = {f"runners.{m.runner}" for m in members} | {f"rigs.{m.rig}" for m in members}
    heads |= {f"cards.{title}" for deck in match.decks for title in deck.cards} | {"rules.common_actions"}
    return {path for path in paths.values() if ".".join(path.split(".")[:2]) in heads}


# Where matches come from


def fuzz_source(root: int) -> Source:
    """Cards, board, rules, crews and decks drawn anew for every game; the heuristic bots take turns."""

    def match(index: int) -> Match:
        cardset, board, rules, crews, decks = fuzz.random_case(luck.key_of(root, index))
        first = index // 4
        bots = tuple(_bot(HEURISTIC_BOTS[(first + side) % len(HEURISTIC_BOTS)]) for side in (0, 1))
        return Match(Bundle(cardset, board, rules), crews, decks, bots)

    return match


def drawn_source(bundle: Bundle, root: int, bots: tuple[str, str]) -> Source:
    """Legal crews and decks drawn from a card set, new ones for every key. ``BadInput`` if it has none."""
    _draw_side(random.Random(0), bundle, "a")  # a fault shows before the first game
    models = tuple(_bot(name) for name in bots)

    def match(index: int) -> Match:
        rng = random.Random(f"{root} {index // 2}")
        (crew_a, deck_a), (crew_b, deck_b) = (_draw_side(rng, bundle, name) for name in "ab")
        return Match(bundle, (crew_a, crew_b), (deck_a, deck_b), models)

    return match


def _draw_side(rng: random.Random, bundle: Bundle, name: str) -> tuple[Crew, Deck]:
    cardset, rules, board = bundle.cardset, bundle.rules, bundle.board
    room = min(actions.MAX_CREW, *(len(row) for row in board.home))
    runners, rigs = rng.sample(list(cardset.runners), len(cardset.runners)), rng.sample(list(cardset.rigs), len(cardset.rigs))
    members, left = [], rules.crew_bandwidth
    for runner, rig in zip(runners, rigs, strict=False):
        cost = cardset.runners[runner].bandwidth + cardset.rigs[rig].bandwidth
        if cost <= left and len(members) < room:
            members.append({"runner": runner, "rig": rig})
            left -= cost
    slots = [title for title, card in cardset.cards.items() for _ in range(card.max_copies or rules.max_copies)]
    if not members or len(slots) < rules.deck_size:
        what = "crew" if not members else f"deck of {rules.deck_size} cards"
        raise BadInput(Fault(f"the card set has no legal {what}", allowed="name two crews, or add to the card set"))
    chosen = rng.sample(slots, rules.deck_size)
    crew = Crew.model_validate({"name": f"drawn {name}", "members": members})
    deck = Deck(name=f"drawn {name}", cards={title: chosen.count(title) for title in dict.fromkeys(chosen)})
    faults = legality.check_crew(crew, cardset, rules, board) + legality.check_deck(deck, cardset, rules)
    if faults:
        raise BadInput(*faults)
    return crew, deck


@cache
def _bot(name: str):
    return files.read_bot(name)


# One game on both engines


class _Pair:
    """One game on both engines."""

    def __init__(self, match: Match, root: int, index: int, by_bots: bool, position: Position | None = None) -> None:
        self.match, self.root, self.index, self.by_bots, self.position = match, root, index, by_bots, position
        self.taken: list[int] = []
        self.reference: WatchedGame | None = None
        self.kernel: KernelGame | None = None
        self.last_kind: list[str] = []
        self.rng = random.Random(f"{root} {index}")
        self.words = DecisionWords(match.bundle, match.crews, (0, 1) if position else (index % 2, 1 - index % 2))

    def play(self) -> Difference | None:
        """The first difference, or None when the game ended the same on both."""
        self.reference = self._new_reference()
        try:
            placed = self.position is not None
            self.kernel = PlacedKernel(self.position, self.match) if placed else KernelGame(self.match, self.root, self.index)
            while True:
                found = self._differs()
                if found or self.reference.over:
                    return found
                self._decide()
        except EngineStopped as stop:
            return self._difference(fault=str(stop))

    def _new_reference(self, log: Log | None = None) -> WatchedGame:
        match, index = self.match, self.index
        if self.position is not None:
            return PlacedReference(self.position, match, log)
        return WatchedGame(match.bundle, match.crews, match.decks, self.root, index // 2, index % 2, log)

    def _decide(self) -> None:
        legal = self.reference.legal()
        action = self.kernel.bot_decision() if self.by_bots else fuzz.random_choice(self.rng, legal)
        if action not in legal:
            raise EngineStopped(f"the bot chose {actions.decode(action)}, which is not legal")
        self.last_kind = [actions.KINDS[action >> 24]]
        if self.last_kind == ["action"]:
            self.last_kind = [actions.ACTS[action >> 12 & 0xFFF]]
        self.last_action = action
        self.before = self.reference_view
        self.taken.append(action)
        self.reference.apply(action)
        self.kernel.apply(action)

    def _differs(self) -> Difference | None:
        self.reference_view, kernel_view = self.reference.view(), self.kernel.view()
        one, other = self.kernel.legal(), self.reference.legal()
        if kernel_view == self.reference_view and len(one) == len(other) and set(one) == set(other):
            return None
        fields = list(differing(kernel_view, self.reference_view))
        return self._difference(
            fields=fields,
            only_kernel=self._spoken(set(one) - set(other), kernel_view),
            only_reference=self._spoken(set(other) - set(one), self.reference_view),
            kinds={actions.KINDS[a >> 24] for a in set(one) ^ set(other)},
            views=(kernel_view, self.reference_view),
            fault=None if fields or set(one) != set(other) else "the kernel lists a decision twice",
        )

    def _spoken(self, legal: set[int], view: dict[str, Any]) -> list[str]:
        return [_say(self.words, action, view) for action in sorted(legal)]

    def _difference(self, fields=(), kinds=(), **found: Any) -> Difference:
        rules = [RULES_OF_KIND.get(kind) or RULES_OF_ACT[kind] for kind in [*self.last_kind, *sorted(kinds)]]
        rules += [RULES_OF_FIELD[path.split(".")[1].split("[")[0]] for path, _, _ in fields]
        last = _say(self.words, self.last_action, self.before) if self.taken else "the setup"
        by = "bots" if self.by_bots else "random"
        seat = self.reference.seat
        events = self._events()
        return Difference(
            self.index, by, len(self.taken), seat, last, list(dict.fromkeys(rules)), fields=list(fields), events=events, **found
        )

    def _events(self) -> list[dict[str, Any]]:
        """The reference's last events, from the same decisions taken again."""
        events: list[dict[str, Any]] = []
        game = self._new_reference(events.append)
        for action in self.taken:
            if game.over or action not in game.legal():
                break
            game.apply(action)
        return [event for event in events if event["event"] != "game"][-TAIL:]


def _say(words: DecisionWords, action: int, view: dict[str, Any]) -> str:
    """A decision with its numbers, since a wrong one may name nobody."""
    kind, a, b = actions.decode(action)
    name = f"{actions.KINDS.get(kind, kind)}({a}, {b})"
    try:
        return f"{name}: {words.of(action, view)}"
    except (IndexError, ValueError):
        return name


def differing(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, value, other value) of each place where two views differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            yield from differing(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differing(a, b, f"{path}[{i}]")
    elif one != other:
        yield path, one, other
