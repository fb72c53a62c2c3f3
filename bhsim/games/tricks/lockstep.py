"""Both engines of tricks side by side (`bhsim verify --game tricks`).

Half of the games are played at random, half by bots. The first difference stops the comparison.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from bhsim.games import luck
from bhsim.games.game import Options, SideNames
from bhsim.games.lockstep import Pair, Report
from bhsim.games.tricks import actions as act
from bhsim.games.tricks import files, fuzz
from bhsim.games.tricks.bots import Bot
from bhsim.games.tricks.coverage import Coverage, WatchedGame
from bhsim.games.tricks.driver import KernelGame, Match
from bhsim.games.tricks.game import GAME
from bhsim.games.tricks.places import names

# Which rules a decision or a part of the table belongs to, for the first look after a difference.
RULES_OF_KIND = {
    act.PLAY: "TR-3.1 to 3.3, 4.1, 4.4, 4.5", act.DISCARD: "TR-4.2, 4.3", act.MOVE: "TR-6, 7", act.STAY: "TR-6.4", act.EXPLOIT: "TR-7.2",
    act.BACK: "TR-7.3", act.TAKE: "TR-5.4", act.PICK: "TR-5.4",
}  # fmt: skip
RULES_OF_FIELD = {
    "seat": "TR-2.3, 3.4, 3.5", "round": "TR-8.1", "holder": "TR-2.2", "leader": "TR-2.3, 3.4, 3.5", "over": "TR-8",
    "reason": "TR-8.3 to 8.6",
    "trick_number": "TR-8.7", "trick": "TR-4", "hands": "TR-2.2, 5.4, 6.4", "picked": "TR-5.4", "pile": "TR-2.1, 6.4", "pawns": "TR-6, 7.3",
    "stuck": "TR-6.3, 7.1", "laid": "TR-7.4, 7.5", "values": "TR-7.2, 7.5", "kinds": "TR-7.5", "arrows": "TR-7.5", "from_hand": "TR-8.2",
    "from_spaces": "TR-8.2", "random_draws": "luck", "winners": "TR-8.5",
}  # fmt: skip

Source = Callable[[int], Match]


def compare(
    source: Source, root: int, first: int, games: int, progress: Callable[[int], None] = lambda games: None, position: None = None
) -> Report:
    """Plays games ``first`` .. ``first + games - 1`` of seed ``root`` on both engines, until they differ.

    source: the match of a game's index. progress: called with the number of games just finished. position: there are none in tricks.
    """
    report = Report(Coverage())
    for index in range(first, first + games):
        pair = TricksPair(source(index), root, index, plays_by_bots(index))
        report.difference = pair.play()
        report.games += 1
        report.by_bots += pair.by_bots
        report.decisions += len(pair.taken)
        report.coverage.add_actions(pair.taken)
        report.coverage.add_game(pair.reference)
        if report.difference:
            break
        progress(1)
    return report


def plays_by_bots(index: int) -> bool:
    """Whether the bots decide in this game; the others are random."""
    return index % 2 == 1


def fuzz_source(root: int) -> Source:
    """Deck, board, rules and number of players drawn anew for every game; the bots that ship take turns."""

    known = names("bot")

    def match(index: int) -> Match:
        bundle, players = fuzz.random_case(luck.key_of(root, index))
        return Match(bundle, tuple(_bot(known[(index // 2 + side) % len(known)]) for side in range(players)))

    return match


def source_of(options: Options, names: Sequence[SideNames] = GAME.usual) -> Source:
    """One table for all games: what the options load, with these sides."""
    bundle = GAME.load(options)
    sides = [GAME.side(bundle, side, number) for number, side in enumerate(names)]
    GAME.check(bundle, sides)
    table = Match(bundle, tuple(side.bot_model for side in sides))
    return lambda index: table


@cache
def _bot(name: str) -> Bot:
    return files.read_bot(name)


class TricksPair(Pair):
    """One game on both engines."""

    def __init__(self, match: Match, root: int, index: int, by_bots: bool) -> None:
        super().__init__(index, by_bots)
        self.match, self.root = match, root
        self.rng = random.Random(f"{root} {index}")

    def new_kernel(self) -> KernelGame:
        """The compiled engine's game."""
        return KernelGame(self.match, self.root, self.index)

    def new_reference(self, log: Callable[[dict[str, Any]], None] | None = None) -> WatchedGame:
        """The plain engine's game, which notes what it reaches."""
        key, rotation = divmod(self.index, self.match.players)
        return WatchedGame(self.match.bundle, self.match.players, self.root, key, rotation, log)

    def choose(self, legal: list[int]) -> int:
        """Any of them."""
        return self.rng.choice(legal)

    def say(self, action: int, view: dict[str, Any]) -> str:
        """The kind of a decision and its numbers."""
        kind, a, b = act.decode(action)
        return f"{act.KINDS.get(kind, kind)}({a}, {b})"

    def rules_of(self, action: int) -> str:
        """Rules by the decision's kind."""
        return RULES_OF_KIND[action >> 24]

    def rules_of_kind(self, kind: int) -> str:
        """Rules by the kind."""
        return RULES_OF_KIND[kind]

    def rules_of_field(self, name: str) -> str:
        """Rules by the view's field."""
        return RULES_OF_FIELD[name]
