"""Small tricks games set up by hand, and decisions in words, so that a test reads like the rule.

Cards in words: "9 9 J H" are two nines, a joker and the Black Hat. Decisions in words: "play 9 J", "play J J as 5", "discard 4",
"move 0.1 x" (seat 0's second pawn to space x), "stay", "exploit x -1", "back 0.1 x", "take all", "take part", "pick 3".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from bhsim.games.tricks import actions as act
from bhsim.games.tricks import legality
from bhsim.games.tricks.bots import Bot
from bhsim.games.tricks.bundle import Bundle, checked
from bhsim.games.tricks.driver import KernelGame, Match
from bhsim.games.tricks.engine import play
from bhsim.games.tricks.model import Board, Deck, Rules, Space, Tile
from bhsim.games.tricks.reference import Game
from bhsim.games.tricks.tables import TRAP

CHANCE = Bot(name="chance", description="none", style="random")

PENALTIES = {str(rank): rank for rank in range(1, 14)}  # a rank costs itself, so that sums tell which cards were counted
LANES = (
    "one: start 0 > a1", "two: start 0 > b1",
    "a1: 0 > a2", "a2: 0 > a3", "a3: 0 > a4", "a4: 0 > end",
    "b1: 0 > b2", "b2: 0 > b3", "b3: 0 > b4", "b4: 0 > end",
    "end: critical_assets 0",
)  # fmt: skip


def cards(words: str) -> Counter[int]:
    """Card -> copies."""
    return Counter({"J": act.JOKER, "H": act.HAT}[word] if word in "JH" else int(word) for word in words.split())


def card_words(counts: Mapping[int, int]) -> str:
    """Ranks ascending, then jokers, then the Black Hat."""
    order = [*range(1, act.MAX_RANKS + 1), act.JOKER, act.HAT]
    return " ".join({act.JOKER: "J", act.HAT: "H"}.get(card, str(card)) for card in order for _ in range(counts.get(card, 0)))


def board(*lines: str, tiles: Mapping[str, Mapping[str, Any]] | None = None, laid: tuple[str, ...] = ()) -> Board:
    """Spaces as "id: [kind] value [> id id ...]"; tiles: id -> space -> what it changes."""
    spaces = {}
    for line in lines:
        key, rest = line.split(":")
        facts, _, arrows = rest.partition(">")
        *kind, value = facts.split()
        spaces[key] = Space(name=key, value=int(value), kind=kind[0] if kind else "plain", arrows=arrows.split())
    made = {key: Tile(name=key, spaces=dict(changes)) for key, changes in (tiles or {}).items()}
    return Board(name="made up", spaces=spaces, tiles=made, laid=list(laid))


def bundle(*lines: str, deck: Mapping[str, Any] | None = None, rules: Mapping[str, Any] | None = None, **tiled: Any) -> Bundle:
    """A checked bundle with a board of these lines (default: two straight lanes)."""
    fields = {"name": "made up", "penalties": PENALTIES, "joker_penalty": 20, "hat_penalty": 19, **(deck or {})}
    return checked(Bundle(Deck(**fields), board(*(lines or LANES), **tiled), Rules(**(rules or {}))))


class ReferenceTable(Game):
    """The plain engine with hands, pile and pawns laid out for the first round."""

    def __init__(self, *deal: Any, setting: Mapping[str, Any] | None = None, **named: Any) -> None:
        self._setting = setting
        super().__init__(*deal, **named)

    def _deal(self) -> None:
        super()._deal()
        if self._setting and self.round == 1:
            self.hands = [cards(words) for words in self._setting["hands"]]
            self.pile = [int(card) for card in reversed(self._setting["pile"].split())]
            self.leader, self.holder = self._setting["leader"], (self._setting["leader"] + 1) % self.players
            for pawn, space in self._setting["pawns"].items():
                self.board.put(self.board.pawns[number_of(pawn)], space)


class KernelTable(KernelGame):
    """The compiled engine with the same laid out. It has no event log, so a plain game beside it takes the same decisions and tells.

    What a test reads of hands, pawns, points and options is the kernel's own; and the two must be equal after each decision.
    """

    def __init__(
        self, played_with: Bundle, players: int, root: int, key: int, rotation: int, log: Any, setting: Mapping[str, Any] | None = None
    ) -> None:
        self._setting = setting
        self._teller = ReferenceTable(played_with, players, root, key, rotation, log, setting=setting)
        super().__init__(Match(played_with, (CHANCE,) * players), root, key * players + rotation)
        self._compare()

    def _begin(self) -> None:
        if self._setting is None:
            super()._begin()
            return
        S, W, T = self._S, self._W, self._T
        play.begin(T, self.players, S, W, np.uint64(self.root), self.key)
        for seat, words in enumerate(self._setting["hands"]):
            S.hand[seat] = [cards(words)[card] for card in range(act.HAT + 1)]
            S.n_hand[seat] = S.hand[seat].sum()
        pile = [int(card) for card in reversed(self._setting["pile"].split())]
        S.pile[: len(pile)] = pile
        S.n_pile = len(pile)
        S.leader, S.holder = self._setting["leader"], (self._setting["leader"] + 1) % self.players
        ids = list(self.match.bundle.board.spaces)
        for pawn, space in self._setting["pawns"].items():
            S.pawn[number_of(pawn)] = ids.index(space)
        S.stuck[: self.players * act.PAWNS] = S.kind[S.pawn[: self.players * act.PAWNS]] == TRAP
        play.resume(T, S, W)

    def apply(self, action: int) -> None:
        super().apply(action)
        self._teller.apply(action)
        self._compare()

    def _compare(self) -> None:
        assert self.view() == self._teller.view()
        assert self.legal() == self._teller.legal()

    @property
    def hands(self) -> list[Counter[int]]:
        """As the plain engine has them."""
        return [Counter({card: int(self._S.hand[seat, card]) for card in range(act.HAT + 1)}) for seat in range(self.players)]


class Table:
    """A game of either engine, spoken to in words."""

    def __init__(self, game: Any, played_with: Bundle, log: list[dict[str, Any]]) -> None:
        self.game, self.bundle, self.log = game, played_with, log
        self.ids = list(played_with.board.spaces)

    def options(self, kind: str = "") -> set[str]:
        """The legal decisions in words; kind: only those that start so."""
        return {words for words in (self._words(action) for action in self.game.legal()) if words.startswith(kind)}

    def say(self, *decisions: str) -> Table:
        """Takes decisions, one after the other; each must be legal."""
        for decision in decisions:
            known = {self._words(action): action for action in self.game.legal()}
            assert decision in known, f"{decision!r} is not among {sorted(known)} (seat {self.game.seat})"
            self.game.apply(known[decision])
        return self

    @property
    def seat(self) -> int:
        return self.game.seat

    @property
    def view(self) -> dict[str, Any]:
        return self.game.view()

    def hand(self, seat: int) -> str:
        joker, *ranks, hat = self.view["hands"][seat]
        return card_words({act.JOKER: joker, act.HAT: hat, **dict(enumerate(ranks, 1))})

    def where(self, pawn: str) -> str:
        return self.ids[self.view["pawns"][number_of(pawn)]]

    def value(self, space: str) -> int:
        return self.view["values"][self.ids.index(space)]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [{key: value for key, value in line.items() if key != "event"} for line in self.log if line["event"] == name]

    def winner_of_trick(self) -> int:
        """Seat that won the latest trick."""
        return self.events("trick")[-1]["side"]

    def _words(self, action: int) -> str:
        kind, a, b = act.decode(action)
        pawn = f"{a // act.PAWNS}.{a % act.PAWNS}"
        if kind == act.PLAY:
            naturals, jokers, hat = act.composed(b)
            made_of = card_words({a: naturals, act.JOKER: jokers, act.HAT: hat} if naturals else {act.JOKER: jokers, act.HAT: hat})
            return f"play {made_of}" + ("" if naturals or not jokers else f" as {a}")
        return {
            act.DISCARD: lambda: f"discard {card_words({b: 1})}",
            act.MOVE: lambda: f"move {pawn} {self.ids[b]}",
            act.STAY: lambda: "stay",
            act.EXPLOIT: lambda: f"exploit {self.ids[b]} {'+1' if a == act.UP else '-1'}",
            act.BACK: lambda: f"back {pawn} {self.ids[b]}",
            act.TAKE: lambda: f"take {'all' if b == act.ALL else 'part'}",
            act.PICK: lambda: f"pick {b}",
        }[kind]()


class Engine:
    """An engine under test. ``games`` counts what was set up."""

    def __init__(self, make: Any) -> None:
        self._make, self.games = make, 0

    def deal(self, played_with: Bundle, players: int = 4, root: int = 1, key: int = 0, rotation: int = 0, setting: Any = None) -> Table:
        """A game as luck deals it, at its first decision."""
        assert not legality.check_table(played_with.deck, played_with.rules, players)
        self.games += 1
        log: list[dict[str, Any]] = []
        game = self._make(played_with, players, root, key, rotation, log.append, setting=setting)
        return Table(game, played_with, log)

    def start(
        self,
        hands: tuple[str, ...],
        *lines: str,
        leader: int = 0,
        pile: str = "",
        pawns: Mapping[str, str] | None = None,
        deck: Mapping[str, Any] | None = None,
        **rules: Any,
    ) -> Table:
        """A first round with these hands by seat; pile: its next card first; pawns: "seat.number" -> space."""
        made = bundle(*lines, deck=deck, rules={"hand_size": 1, **rules})
        return self.on(made, hands, leader, pile, pawns)

    def on(self, made: Bundle, hands: tuple[str, ...], leader: int = 0, pile: str = "", pawns: Mapping[str, str] | None = None) -> Table:
        """The same on a bundle of the test's own."""
        setting = {"hands": hands, "leader": leader, "pile": pile, "pawns": dict(pawns or {})}
        return self.deal(made, len(hands), setting=setting)


def number_of(pawn: str) -> int:
    """Number of the pawn "seat.number"."""
    seat, number = pawn.split(".")
    return int(seat) * act.PAWNS + int(number)
