"""The protocol between a game and the lab: everything that lab, report and CLI may know about a game.

Two to six sides sit at a table; a key (one deal of luck) is played in ``seatings(players)`` games. Results are counted in 60ths of a
win, so that a win shared by 1 to 6 sides is exact. What is particular to a game reaches reports as named tables and distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bhsim import __version__
from bhsim.errors import BadInput, Fault
from bhsim.games.replay import Finder, Replay

if TYPE_CHECKING:
    from bhsim.games.spaces import Freedom, Space

WHOLE = 60  # one win in the unit of shares
MODULES = {"skirmish": "bhsim.games.skirmish.game", "tricks": "bhsim.games.tricks.game"}


@dataclass(frozen=True)
class Options:
    """What a bundle is loaded from: names or paths; None stands for the game's default. sets: ``PATH=VALUE`` texts.

    deck: the one that all sides share; None in a game where each side has its own.
    """

    cardset: str | None = None
    board: str | None = None
    rules: str | None = None
    variants: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    deck: str | None = None


@dataclass(frozen=True)
class SideNames:
    """A side as the user names it; None stands for the crew file's deck, the game's deck and the game's bot."""

    crew: str | None = None
    deck: str | None = None
    bot: str | None = None


@dataclass(frozen=True)
class Side:
    """A side with its models read: crew and bot are the game's own objects, opaque to the lab."""

    crew: str
    deck: str
    bot: str
    crew_model: Any = field(repr=False, default=None)
    deck_model: Any = field(repr=False, default=None)
    bot_model: Any = field(repr=False, default=None)

    @property
    def label(self) -> str:
        """Crew, deck and bot in one line."""
        return f"{self.crew} / {self.deck} / {self.bot}"

    @property
    def who(self) -> str:
        """The crew, whatever plays it; empty where a side is only its bot."""
        return "" if self.crew_model is None else self.crew


@dataclass(frozen=True)
class Column:
    """A column of a table: name, unit (empty for text), what it means, and whether it is a total over all games of the contest."""

    name: str
    unit: str = ""
    meaning: str = ""
    total: bool = False


@dataclass(frozen=True)
class Table:
    """A named table of one contest; a column "side" holds the side's index, values are text, int, float or None."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Distribution:
    """Games by a whole number. values, counts: shape (k,), ascending; open_end: the last value stands for all larger ones too."""

    title: str
    unit: str
    values: np.ndarray
    counts: np.ndarray
    open_end: bool = False

    def mean(self) -> float:
        """Mean over games; 0 without games."""
        total = int(self.counts.sum())
        return float(self.values @ self.counts / total) if total else 0.0

    def quantile(self, share: float) -> int:
        """Smallest value that at least ``share`` of the games do not exceed."""
        reached = np.cumsum(self.counts)
        return int(self.values[min(int(np.searchsorted(reached, share * reached[-1])), len(self.values) - 1)])


@dataclass(frozen=True)
class Series:
    """A quantity by round: x (shape (k,)), one row of ``sides`` (shape (players, k)) a side, and on how many games each x rests."""

    title: str
    x_label: str
    unit: str
    x: np.ndarray
    sides: np.ndarray
    games: np.ndarray


@dataclass(frozen=True)
class Facts:
    """What a game reads out of its tally.

    points: mean per game by source, one float a side. first_keys: keys by the first player's score summed over the seatings, in 60ths,
    shape (60 * seatings + 1,). tables: "runners" and "cards" are stored as files of their own; the others are shown in reports.
    points_unit: what points are counted in, and whether few are good.
    """

    games: int
    draws: int
    round_limit: int
    points: dict[str, tuple[float, ...]]
    first_keys: np.ndarray
    rounds: Distribution
    margins: Distribution | None
    tempo: tuple[Series, ...]
    tables: dict[str, Table]
    points_unit: str = "points per game"


class Builds(Protocol):
    """What else a side could have been played with: legal crews and decks near or far, as the lab and the optimiser need them."""

    parts: tuple[str, ...]  # what of a side can be drawn anew: cards, runners ...
    changeable: tuple[str, ...]  # what of a side a search may change: crew, deck; empty where a side has nothing of the kind
    played: str  # the part whose items a bot can be forbidden or obliged to play; also the name of a table of the facts, if there is one

    def items(self, bundle: Any, side: Side, part: str) -> dict[str, int]:
        """How often a side has each item of the pool (0: not at all), in the pool's order."""

    def sample(self, bundle: Any, side: Side, part: str, rng: np.random.Generator) -> Side:
        """The side with one part drawn anew at random, legal by construction; the game says how evenly. BadInput without a choice."""

    def space(self, bundle: Any, start: Side, freedom: Freedom) -> Space:
        """All builds that a search may look at. BadInput, with the reason, when there are none."""

    def restricted(self, bundle: Any, side: Side, item: str, how: str) -> Side:
        """The side with a bot that plays an item of ``played`` "never", or "always" when it may."""


class DataFiles(Protocol):
    """The files that a game reads, to be told apart and checked. A module can be one, and each game has one called ``checkfile``.

    KINDS: what its files can be, but for specs (``bhsim.games.kinds.SPECS``). KEYS: what keys and parts of paths stand in them; a file that
    two games could read belongs to the one that knows more of its keys.
    """

    KINDS: tuple[str, ...]
    KEYS: frozenset[str]

    def kind_of_path(self, path: Path) -> str | None:
        """Kind of a file from its content, None when that tells nothing; BadInput when it cannot be read."""

    def check_file(self, path: Path, kind: str, bundle: Callable[[], Any]) -> None:
        """Raises BadInput with every fault of a file. bundle: gives what it is checked against; called only for files that need it."""

    def found_among(self, paths: Sequence[Path]) -> dict[str, str]:
        """Fields of ``Options`` with the files among these that the others are to be checked against, if nothing else is asked for."""


class Game(Protocol):
    """One game, as the lab sees it. ``bundle`` and ``tables`` are opaque; errors in input are ``BadInput``."""

    name: str
    score_unit: str  # what the mean score is called in reports
    behaviour_version: int  # moves only when outcomes move
    tally: np.dtype  # int64 counters only; merging is addition
    counters: Mapping[str, Any]  # field of the tally -> an object with shape, unit and meaning
    row_fields: tuple[str, ...]  # what a row of one game holds beside its outcome
    contribution: tuple[str, ...]  # columns of the "runners" table that the contribution plot shows
    builds: Builds
    data_files: DataFiles
    sizes: range  # numbers of sides that a table can have
    usual: tuple[SideNames, ...]  # who plays if nobody is named; empty where each side needs a crew
    shared_deck: bool  # whether there is one deck for the table (``Options.deck``) instead of one for each side

    def has(self, kind: str, name: str) -> bool:
        """Whether there is a file of this kind (board, rules, bot, deck, crew ...) under the name or path; False for kinds it has not."""

    def names(self, kind: str) -> list[str]:
        """Every name under which ``has`` finds a file of this kind, sorted; none for kinds it has not."""

    def seatings(self, players: int) -> int:
        """Games per key."""

    def load(self, options: Options) -> Any:
        """Reads names or paths into a bundle of models."""

    def patched(self, bundle: Any, changes: Mapping[str, Any]) -> Any:
        """The bundle with ``path: value`` replaced and checked again."""

    def side(self, bundle: Any, chosen: SideNames, number: int) -> Side:
        """Reads the crew, deck and bot of side ``number``."""

    def check(self, bundle: Any, sides: Sequence[Side]) -> None:
        """Raises BadInput that lists every broken rule."""

    def compile(self, bundle: Any) -> Any:
        """Flat tables of constants for the kernels."""

    def pack(self, tables: Any, bundle: Any, sides: Sequence[Side]) -> np.ndarray:
        """One record a side for ``play_block``."""

    def play_block(
        self,
        tables: Any,
        sides: np.ndarray,
        root: int,
        first_key: int,
        keys: int,
        tally: np.ndarray,
        outcomes: np.ndarray,
        rows: np.ndarray,
    ) -> None:
        """Plays keys first_key.. in all seatings: adds to ``tally`` (shape (1,)) and fills ``outcomes``.

        outcomes: uint8, shape (seatings * keys, 2): bit mask of the winning sides (0 = cut off), point margin as int8.
        rows: int64, shape (seatings * keys, len(row_fields)), filled for every game; length 0 = not wanted. Thread-safe.
        """

    def faults_of(self, tally: np.ndarray) -> int:
        """Games that ended by a fault of the engine: any makes a run invalid."""

    def facts(self, tally: np.ndarray, bundle: Any, sides: Sequence[Side]) -> Facts:
        """Reads the tally."""

    def resolved(self, bundle: Any, sides: Sequence[Side]) -> dict[str, Any]:
        """All data of a contest, ready for JSON."""

    def restored(self, data: Mapping[str, Any]) -> tuple[Any, tuple[Side, ...]]:
        """Bundle and sides from what ``resolved`` gave, long after the files have changed."""

    def digest(self, bundle: Any, sides: Sequence[Side]) -> str:
        """Digest of the numbers that this contest uses; comments, names and unrelated cards leave it alone."""

    def paths(self, bundle: Any) -> dict[str, Any]:
        """Every path that ``patched`` can change, with its present value."""

    def values(self, bundle: Any, sides: Sequence[Side]) -> dict[str, Any]:
        """Every number that this contest uses by its path, as JSON values: two contests differ where these differ."""

    def house_values(self, bundle: Any, sides: Sequence[Side]) -> bool:
        """Whether any number used was made up here."""

    def data_names(self, bundle: Any) -> str:
        """What is played with, by name, for people: card set, board, rules or the like."""

    def bots(self) -> list[tuple[str, str]]:
        """Name and description of the bots that ship."""

    def bot(self, name: str) -> dict[str, Any]:
        """A bot ready for JSON: name, description, style, and weights as a list of {weight, value, meaning}; more as the game likes."""

    def replay(self, bundle: Any, sides: Sequence[Side], root: int, index: int) -> Replay:
        """Game ``index`` of seed ``root``, played again by its bots."""

    def finder(self, bundle: Any, sides: Sequence[Side], where: str) -> Finder:
        """Conditions on games of this contest; BadInput for one that means nothing."""

    def is_warm(self) -> bool:
        """Whether the kernels are compiled or cached."""

    def warmup(self) -> None:
        """Compiles the kernels."""


_registered: dict[str, Game] = {}


def register(game: Game) -> None:
    """Makes a game known under its name, beside those in ``MODULES``."""
    _registered[game.name] = game


def find(name: str) -> Game:
    """The game of that name; BadInput when there is none."""
    if name not in _registered:
        if name not in MODULES:
            raise BadInput(Fault("no such game", field="game", value=name, allowed=", ".join(sorted({*MODULES, *_registered}))))
        _registered[name] = import_module(MODULES[name]).GAME
    return _registered[name]


def engine_label(game: Game) -> str:
    """Package version and the number that moves only when outcomes move."""
    return f"{__version__}+{game.behaviour_version}"


def shares(masks: np.ndarray, players: int) -> np.ndarray:
    """Score of every side in every game, in 60ths: shape (games, players), int64.

    masks: uint8, shape (games,), bit s set when side s won. Winners share the win; a game that was cut off is shared by all.
    """
    table = np.zeros((1 << players, players), np.int64)
    for mask in range(1 << players):
        winners = [s for s in range(players) if mask >> s & 1] or list(range(players))
        table[mask, winners] = WHOLE // len(winners)
    return table[np.asarray(masks, np.uint8)]
