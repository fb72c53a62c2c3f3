"""Small situations for the bots: a board as a picture with the runners in it, played for a few turns by a bot in either seat.

A picture has one line a row and one token a node: ``r b g x`` (red, blue, gray, offline), ``H`` (the server of our side, "home") and
``E`` (the enemy's). Odd rows are shifted right by half a node; the first row is our home row, the last one the enemy's. A capital
behind the letter is a runner: A to F ours, U to Z the enemy's. ``+`` and ``!`` mark nodes that a test speaks of.

Each situation can be turned round: then we sit in seat 1, every node has another number, and the bot must find the same move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from reference_kit import board_of

from bhsim.games.skirmish import files, model, positions
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.placing import PlacedKernel, match_in, notation_of

TOKEN = re.compile(r"^([rbgxHE])([A-FU-Z]?)([+!]?)$")
LETTERS = {"x": "-", "H": "0", "E": "1"}
USUAL = {"attack": 2, "signal": 4, "security": 1, "speed": 3}
SPARE = ["one", "two"] * 5  # the deck unless a situation says otherwise: each card does damage
PLAIN_CARDS = {word: {"name": word.title(), "damage": n} for n, word in enumerate(("zero", "one", "two", "three"))}
FOE_HAND = ["one", "two"]
DEFAULT_FOE = "brawler"


@dataclass
class Situation:
    """What stands where. runners: by letter, what differs from ``USUAL``, and ``now`` (signal), ``ready``, ``data`` (its signal),
    ``does`` (the runner's rows); hand, deck, discard: title ids, a deck's top card last; cards: by id, as in a card set.
    """

    picture: str
    runners: dict[str, dict[str, Any]] = field(default_factory=dict)
    cards: dict[str, dict[str, Any]] = field(default_factory=dict)
    hand: list[str] = field(default_factory=list)
    deck: list[str] = field(default_factory=lambda: list(SPARE))
    discard: list[str] = field(default_factory=list)
    points: tuple[int, int] = (0, 0)
    foe_passed: bool = False
    rules: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = [line.split() for line in self.picture.strip().splitlines()]
        tokens = [TOKEN.fullmatch(token) for row in rows for token in row]
        assert all(tokens), "a token that is none"
        self.board = board_of(tuple("".join(LETTERS.get(token[0], token[0]) for token in row) for row in rows))
        self.at = {match[2]: n for n, match in enumerate(tokens) if match[2]}
        self.marks = {sign: {n for n, match in enumerate(tokens) if match[3] == sign} for sign in "+!"}
        assert set(self.runners) <= set(self.at), "a runner that stands nowhere"

    def side(self, ours: bool) -> list[str]:
        """Letters of a side's runners."""
        return sorted(letter for letter in self.at if (letter < "U") == ours)

    def bundle(self, seat: int) -> Bundle:
        """Card set, board and rules with our side in ``seat``."""
        runners, rigs = {}, {}
        for letter in self.at:
            made = {**USUAL, **self.runners.get(letter, {})}
            name = letter.lower()
            runners[name] = {"name": letter, "bandwidth": 0, "attack": made["attack"], "effects": made.get("does", [])}
            rigs[name] = {"name": letter, "bandwidth": 0, **{number: made[number] for number in ("signal", "security", "speed")}}
        cards = {**PLAIN_CARDS, **{name: {"name": name, "damage": 1, **card} for name, card in self.cards.items()}}
        cardset = model.CardSet(name="situation", runners=runners, rigs=rigs, cards=dict(sorted(cards.items())))
        return Bundle(cardset, turned(self.board) if seat else self.board, model.Rules(**{"round_draw": 0, **self.rules}))

    def node(self, number: int, seat: int) -> int:
        """A node of the picture as it is numbered with our side in ``seat``, and back again."""
        return len(self.board.states) - 1 - number if seat else number

    def position(self, seat: int, key: int) -> positions.Position:
        """The position with our side in ``seat`` and to move. key: the luck, that of the bots included."""
        ours = {"hand": self.hand, "deck": self.deck, "discard": self.discard, "points": self.points[0]}
        theirs = {"hand": FOE_HAND, "deck": SPARE, "points": self.points[1], "passed": self.foe_passed}
        seats = []
        for part, mine in ((ours, True), (theirs, False)):
            part["runners"] = [self._runner(letter, seat) for letter in self.side(mine)]
            for letter in self.side(mine):
                if signal := self.runners.get(letter, {}).get("data"):
                    part["data"] = {"carrier": letter.lower(), "signal": signal}
            seats.append(part)
        return positions.Position.model_validate(
            {"round": 2, "turn": 4, "token": 1 - seat, "seat": seat, "key": key, "seats": seats[::-1] if seat else seats}
        )

    def _runner(self, letter: str, seat: int) -> dict[str, Any]:
        made, name = self.runners.get(letter, {}), letter.lower()
        part = {"runner": name, "rig": name, "node": self.node(self.at[letter], seat), "ready": made.get("ready", True)}
        return part | ({"signal": made["now"]} if "now" in made else {})

    def play(self, bot: str, seat: int = 0, key: int = 0, turns: int = 1, foe: str = DEFAULT_FOE) -> Played:
        """The next ``turns`` turns, of whichever side they are; ``bot`` leads our side, which begins."""
        bundle, position = self.bundle(seat), self.position(seat, key)
        assert positions.check_position(position, bundle) == []
        bots = tuple(files.read_bot(name) for name in ((foe, bot) if seat else (bot, foe)))
        match = match_in(position, bundle, bots)
        game, notation = PlacedKernel(position, match), notation_of(match)
        said, turn, seen = [], None, 0
        while not game.over:
            now = game.view()
            if (now["round"], now["turn"]) != turn:
                turn, seen = (now["round"], now["turn"]), seen + 1
                if seen > turns:
                    break
            action = game.bot_decision()
            assert action in game.legal()
            if game.seat == seat:
                words = notation.spell(action, seat).split()
                said.append(" ".join([words[0], words[-1]] if words[0] == "target" else words))
            game.apply(action)
        return Played(self, seat, said, game.view())


@dataclass
class Played:
    """What happened: said, the decisions of our side as ``Notation`` spells them (targets without their seat); and the table after."""

    situation: Situation
    seat: int
    said: list[str]
    table: dict[str, Any]

    def points(self, ours: bool = True) -> int:
        """Points of a side."""
        return self.table["points"][self.seat if ours else 1 - self.seat]

    @property
    def won(self) -> bool:
        """Whether our side has won."""
        return self.table["winner"] == self.seat

    def runner(self, letter: str) -> dict[str, Any]:
        """How the view shows a runner, its node numbered as in the picture."""
        ours = letter < "U"
        part = self.table["runners"][self.seat if ours else 1 - self.seat][self.situation.side(ours).index(letter)]
        return part | ({"node": self.situation.node(part["node"], self.seat)} if part["status"] == "board" else {})

    def mark(self, letter: str) -> str:
        """The mark under a runner, or an empty string."""
        node = self.runner(letter).get("node")
        return next((sign for sign, marked in self.situation.marks.items() if node in marked), "")

    def data(self, letter: str) -> int:
        """Signal of the data that a runner carries, 0 without."""
        ours = letter < "U"
        data = self.table["data"][self.seat if ours else 1 - self.seat]
        return data["signal"] if data["carrier"] == self.situation.side(ours).index(letter) else 0


def turned(board: model.Board) -> model.Board:
    """The same board after half a turn, with servers and home rows of the other seats."""
    last = len(board.states) - 1
    swap = {"server0": "server1", "server1": "server0"}
    return board.model_copy(
        update={
            "states": [swap.get(state, state) for state in reversed(board.states)],
            "neighbors": [sorted(last - n for n in around) for around in reversed(board.neighbors)],
            "home": tuple(sorted(last - n for n in row) for row in reversed(board.home)),
        }
    )
