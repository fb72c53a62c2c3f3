"""Playing one game of a run again, with its log: the very game that the run played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bhsim.games.game import Side
from bhsim.games.replay import Event
from bhsim.games.skirmish import eventlog
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.driver import KernelGame, Match
from bhsim.games.skirmish.story import Story


def match_of(bundle: Bundle, sides: Sequence[Side]) -> Match:
    """The match of a contest's bundle and sides."""
    crews, decks, bots = (tuple(getattr(side, name) for side in sides) for name in ("crew_model", "deck_model", "bot_model"))
    return Match(bundle, crews, decks, bots)


def replayed(match: Match, root: int, index: int) -> KernelGame:
    """Game ``index`` of seed ``root``, played by its bots to the end, its log kept."""
    game = KernelGame(match, root, index, logged=True)
    while not game.over:
        game.apply(game.bot_decision())
    return game


def outcome(game: KernelGame) -> tuple[int, int]:
    """The two numbers that a run keeps of a finished game: winning sides as bits (0: cut off), and the margin of side 0."""
    points = [game.points[seat] for seat in game.side_at]
    winner = game.winner
    mask = 1 << game.side_at[winner] if winner is not None else 0 if game.view()["reason"] == "max_rounds" else 3
    return mask, min(max(points[0] - points[1], -128), 127)


class SkirmishReplay:
    """See ``bhsim.games.replay.Replay``."""

    def __init__(self, game: KernelGame) -> None:
        self.bundle = game.match.bundle
        self.events: list[Event] = eventlog.events_of(game)
        self.outcome = outcome(game)

    def story(self, boards: str) -> Iterator[str]:
        """The game in lines for people."""
        return Story(self.bundle, self.events[0], boards).tell(self.events[1:])
