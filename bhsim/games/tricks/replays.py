"""Playing one game of a run again, with its log: the kernel's bots decide; the plain engine takes the same decisions and tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bhsim import __version__
from bhsim.games.game import Side
from bhsim.games.lockstep import EngineStopped
from bhsim.games.replay import Event
from bhsim.games.tricks.bundle import Bundle
from bhsim.games.tricks.driver import KernelGame, Match
from bhsim.games.tricks.engine.version import BEHAVIOUR_VERSION
from bhsim.games.tricks.logheader import header
from bhsim.games.tricks.reference import Game
from bhsim.games.tricks.story import Story


def match_of(bundle: Bundle, sides: Sequence[Side]) -> Match:
    """The match of a contest's bundle and sides."""
    return Match(bundle, tuple(side.bot_model for side in sides))


class TricksReplay:
    """Game ``index`` of seed ``root``; see ``bhsim.games.replay.Replay``. ``EngineStopped`` if the engines do not agree on it."""

    def __init__(self, match: Match, root: int, index: int) -> None:
        self.bundle = match.bundle
        told: list[Event] = []
        self.game = both(match, root, index, told)
        bots = [bot.name for bot in match.bots]
        self.events = [header(match.bundle, bots, root, index, f"{__version__}+{BEHAVIOUR_VERSION}", told), *told]
        self.outcome = outcome(self.game)

    def story(self, boards: str) -> Iterator[str]:
        """The game in lines for people."""
        return Story(self.bundle, self.events[0], boards).tell(self.events[1:])


def both(match: Match, root: int, index: int, told: list[Event]) -> Game:
    """The plain engine's game to its end, decided by the kernel's bots. told: gets the events."""
    kernel = KernelGame(match, root, index)
    plain = Game(match.bundle, match.players, root, kernel.key, kernel.rotation, told.append)
    while not kernel.over:
        action = kernel.bot_decision()
        if action not in plain.legal():
            raise _apart(root, index)
        plain.apply(action)
        kernel.apply(action)
    if plain.view() != kernel.view():
        raise _apart(root, index)
    return plain


def _apart(root: int, index: int) -> EngineStopped:
    return EngineStopped(f"the engines play game {index} of seed {root} differently; `bhsim verify --game tricks` looks for the cause")


def outcome(game: Game) -> tuple[int, int]:
    """The two numbers that a run keeps of a finished game: winning sides as bits (0: cut off), and the margin of side 0."""
    winners = [] if game.reason == "max_rounds" else game.winners
    points = {game.side_at[seat]: points for seat, points in enumerate(game.points)}
    mine = points.pop(0)
    return sum(1 << game.side_at[seat] for seat in winners), min(max(min(points.values()) - mine, -128), 127)
