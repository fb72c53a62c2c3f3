"""What games reached of the rules and their switches: counted on the plain engine, so a zero is seen, not guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from bhsim.games.tricks import actions as act
from bhsim.games.tricks.fuzz import SWITCHES
from bhsim.games.tricks.model import SPACE_KINDS
from bhsim.games.tricks.reference import Game
from bhsim.games.tricks.view import REASONS

# What can happen in a game beside what its switches and decisions tell, with the rule that says so.
HAPPENINGS = (
    "lead passed (3.5)", "follower skipped (3.5)", "hat alone (3.2)", "jokers only (3.3)", "joker discarded (4.2)", "discard wins (5.2)",
    "trick without hat (5.1)", "trick with hat (5.2)", "all taken up (5.4)", "part taken up (5.4)", "nothing taken up (8.1, 8.7)",
    "rival moved (6.1)", "jump (6.2)", "card drawn (6.4)", "pile empty (6.4)", "trapped (7.1)", "trapped going back (7.1)",
    "trapped by a tile (6.3)", "negative value (7.2)", "no way back (7.3)", "no tile left (7.4)", "tile at first (7.5)",
    "random tile (7.4)", "tile lifts a tile (7.5)", "hand emptied (8.1)", "shared win (8.5)",
)  # fmt: skip


class WatchedGame(Game):
    """The plain engine, noting what happens in it."""

    def __init__(self, *args: Any, **keys: Any) -> None:
        self.happened: Counter[str] = Counter()
        self.landed: Counter[str] = Counter()
        super().__init__(*args, **keys)

    def tell(self, event, seat=None, **keys):
        """As the engine's; notes what the event says."""
        super().tell(event, seat, **keys)
        for what, happens in self._signs(event, keys):
            self.happened[what] += bool(happens)

    def _signs(self, event: str, keys: dict[str, Any]) -> list[tuple[str, Any]]:
        board = self.board
        match event:
            case "pass_lead":
                return [("lead passed (3.5)", True)]
            case "skip":
                return [("follower skipped (3.5)", True)]
            case "play":
                lone = not keys["naturals"]
                return [("hat alone (3.2)", lone and not keys["jokers"]), ("jokers only (3.3)", lone and keys["jokers"])]
            case "discard":
                return [("joker discarded (4.2)", keys["card"] == act.JOKER)]
            case "trick":
                won = self.trick.winner()
                with_hat = f"trick {'with' if keys['hat'] else 'without'} hat ({'5.2' if keys['hat'] else '5.1'})"
                return [(with_hat, True), ("discard wins (5.2)", won.discarded)]
            case "take":
                everything = len(keys["cards"]) == self.trick.cards().total()
                return [("all taken up (5.4)" if everything else "part taken up (5.4)", True)]
            case "move":
                self.landed[board.spaces[keys["end"]].kind] += 1
                rival = keys["owner"] != self.side_at[self.trick.winner().seat]
                return [
                    ("rival moved (6.1)", rival),
                    ("jump (6.2)", keys["end"] not in board.spaces[keys["start"]].arrows),
                    ("trapped (7.1)", board.spaces[keys["end"]].kind == "trap"),
                ]
            case "back":
                return [("trapped going back (7.1)", board.spaces[keys["end"]].kind == "trap")]
            case "draw":
                return [("card drawn (6.4)", True)]
            case "exploit":
                return [("negative value (7.2)", keys["value"] < 0)]
            case "tile":
                return [("tile at first (7.5)" if keys["cause"] == "setup" else "random tile (7.4)", True)]
            case "end":
                return [("shared win (8.5)", len(keys["winners"]) > 1)]
        return []

    def _trick(self):
        taken = self.happened["all taken up (5.4)"] + self.happened["part taken up (5.4)"]
        yield from super()._trick()
        now = self.happened["all taken up (5.4)"] + self.happened["part taken up (5.4)"]
        self.happened["nothing taken up (8.1, 8.7)"] += self.trick.has_hat and now == taken
        self.happened["hand emptied (8.1)"] += not all(hand.total() for hand in self.hands)

    def _draw(self, seat):
        self.happened["pile empty (6.4)"] += not self.pile
        super()._draw(seat)

    def _backflip(self, seat):
        self.happened["no way back (7.3)"] += not any(self.board.ways_back(pawn) for pawn in self.board.pawns)
        yield from super()._backflip(seat)

    def _randomize(self, seat):
        laid, stuck = len(self.board.laid), sum(pawn.stuck for pawn in self.board.pawns)
        self.happened["no tile left (7.4)"] += not self.board.can_lay()
        lays = bool(self.board.can_lay())
        super()._randomize(seat)
        self.happened["tile lifts a tile (7.5)"] += lays and len(self.board.laid) <= laid
        self.happened["trapped by a tile (6.3)"] += sum(pawn.stuck for pawn in self.board.pawns) > stuck


class Coverage:
    """Counters over many games: group -> word -> times."""

    def __init__(self) -> None:
        self.groups: dict[str, Counter[str]] = {}

    def add_actions(self, taken: Iterable[int]) -> None:
        """Counts the kinds of decisions taken."""
        for action in taken:
            self._count("decision", act.KINDS[action >> 24])

    def add_game(self, game: WatchedGame) -> None:
        """Counts a game."""
        for name in SWITCHES:
            self._count("switch", f"{name} = {_word(getattr(game.rules, name))}")
        self._count("switch", f"joker_only_rank = {'chosen' if game.rules.joker_only_rank == 'chosen' else 'a rank'}")
        self._count("players", str(game.players))
        self._count("end", game.reason or "none")
        for what, times in game.happened.items():
            self._count("rule", what, times)
        for kind, times in game.landed.items():
            self._count("landing", kind, times)

    def _count(self, group: str, word: str, times: int = 1) -> None:
        self.groups.setdefault(group, Counter())[word] += int(times)

    def table(self) -> dict[str, dict[str, int]]:
        """Every group with every word that exists, unreached ones as 0."""
        return {group: {word: self.groups.get(group, Counter())[word] for word in words} for group, words in _every_word().items()}

    def unreached(self) -> list[str]:
        """``group: word`` of every word with a count of 0."""
        return [f"{group}: {word}" for group, words in self.table().items() for word, times in words.items() if times == 0]


def _word(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, value)


def _every_word() -> dict[str, list[str]]:
    switches = [f"{name} = {_word(value)}" for name, values in SWITCHES.items() for value in values]
    return {
        "rule": list(HAPPENINGS),
        "switch": [*switches, "joker_only_rank = chosen", "joker_only_rank = a rank"],
        "decision": list(act.KINDS.values()),
        "landing": [kind for kind in SPACE_KINDS if kind != "start"],
        "players": [str(n) for n in range(act.MIN_PLAYERS, act.MAX_PLAYERS + 1)],
        "end": [reason for reason in REASONS if reason],
    }
