"""Both engines side by side: the same game, and at every decision the same legal list and the same table (`bhsim verify`).

Half of the games are played at random, half by bots, so that games also end by points. The first difference stops the game.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games import luck
from bhsim.games.lockstep import Pair, Report
from bhsim.games.skirmish import actions, files, fuzz, legality
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.coverage import Coverage, WatchedGame, row_paths
from bhsim.games.skirmish.decision_words import DecisionWords
from bhsim.games.skirmish.driver import KernelGame, Match
from bhsim.games.skirmish.model import Crew, Deck
from bhsim.games.skirmish.placing import PlacedKernel, PlacedReference
from bhsim.games.skirmish.positions import Position
from bhsim.games.skirmish.reference.table import Log

HEURISTIC_BOTS = ("fixer", "racer", "brawler", "weaver", "warden")

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
    report = Report(Coverage())
    for index in range(first, first + games):
        match = source(index)
        by_bots = plays_by_bots(index)
        pair = SkirmishPair(match, root, index, by_bots, position)
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


class SkirmishPair(Pair):
    """One game on both engines."""

    def __init__(self, match: Match, root: int, index: int, by_bots: bool, position: Position | None = None) -> None:
        super().__init__(index, by_bots)
        self.match, self.root, self.position = match, root, position
        self.rng = random.Random(f"{root} {index}")
        self.words = DecisionWords(match.bundle, match.crews, (0, 1) if position else (index % 2, 1 - index % 2))

    def new_kernel(self) -> KernelGame:
        """The compiled engine's game, at its setup or in the position."""
        if self.position is not None:
            return PlacedKernel(self.position, self.match)
        return KernelGame(self.match, self.root, self.index)

    def new_reference(self, log: Log | None = None) -> WatchedGame:
        """The plain engine's game, which notes what it reaches."""
        match, index = self.match, self.index
        if self.position is not None:
            return PlacedReference(self.position, match, log)
        return WatchedGame(match.bundle, match.crews, match.decks, self.root, index // 2, index % 2, log)

    def choose(self, legal: list[int]) -> int:
        """A random decision that gets somewhere."""
        return fuzz.random_choice(self.rng, legal)

    def say(self, action: int, view: dict[str, Any]) -> str:
        """A decision with its numbers, since a wrong one may name nobody."""
        kind, a, b = actions.decode(action)
        name = f"{actions.KINDS.get(kind, kind)}({a}, {b})"
        try:
            return f"{name}: {self.words.of(action, view)}"
        except (IndexError, ValueError):
            return name

    def rules_of(self, action: int) -> str:
        """Of the kind, or of the action of an activation."""
        kind, what, _ = actions.decode(action)
        return RULES_OF_ACT[actions.ACTS[what]] if kind == actions.ACTION else self.rules_of_kind(kind)

    def rules_of_kind(self, kind: int) -> str:
        """Rules by the kind's word."""
        return RULES_OF_KIND[actions.KINDS[kind]]

    def rules_of_field(self, name: str) -> str:
        """Rules by the view's field."""
        return RULES_OF_FIELD[name]
