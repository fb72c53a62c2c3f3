"""Tricks behind the protocol that the lab knows. Kernels are imported only when something is played."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Facts, Options, Side, SideNames
from bhsim.games.replay import Finder, Replay
from bhsim.games.spaces import Freedom, Space
from bhsim.games.tricks import bots, checkfile, files, legality
from bhsim.games.tricks.actions import MAX_PLAYERS, MIN_PLAYERS
from bhsim.games.tricks.bundle import Bundle, patched, paths
from bhsim.games.tricks.engine.version import BEHAVIOUR_VERSION
from bhsim.games.tricks.facts import CONTRIBUTION, read_facts
from bhsim.games.tricks.model import Board, Deck, Rules
from bhsim.games.tricks.places import PLACES, names
from bhsim.games.tricks.tables import SIDE, compile_side, compile_tables
from bhsim.games.tricks.tally import COUNTERS, ROW_FIELDS, TALLY

DEFAULT_BOTS = ("shark", "shedder", "lurker", "trapper")  # by side, and so on in a circle
LETTERS = "abcdef"


class TricksBuilds:
    """See ``bhsim.games.game.Builds``. A side is its bot, so it has no part that could be drawn anew or restricted."""

    parts = ()
    played = ""
    changeable = ()

    def items(self, bundle: Bundle, side: Side, part: str) -> dict[str, int]:
        """None."""
        return {}

    def sample(self, bundle: Bundle, side: Side, part: str, rng: np.random.Generator) -> Side:
        """``BadInput``: there is no choice."""
        raise BadInput(Fault("a side of tricks is only its bot", field="what", value=part))

    def space(self, bundle: Bundle, start: Side, freedom: Freedom) -> Space:
        """``BadInput``: there is nothing to change."""
        raise BadInput(
            Fault("a side of tricks is only its bot: it has no crew or deck of its own to look for", field="game", value="tricks")
        )

    def restricted(self, bundle: Bundle, side: Side, item: str, how: str) -> Side:
        """``BadInput``: there is nothing to restrict."""
        raise BadInput(Fault("a side of tricks is only its bot", field="item", value=item))


class Tricks:
    """The game object; see ``bhsim.games.game.Game`` for what each method promises. A side is its bot: all share one deck."""

    name = "tricks"
    score_unit = "win share"
    behaviour_version = BEHAVIOUR_VERSION
    tally = TALLY
    counters = COUNTERS
    row_fields = ROW_FIELDS
    contribution = CONTRIBUTION
    builds = TricksBuilds()
    data_files = checkfile
    sizes = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    usual = tuple(SideNames(bot=name) for name in DEFAULT_BOTS)
    shared_deck = True

    def has(self, kind: str, name: str) -> bool:
        """Whether a deck, board, rules or bot file is found under this name."""
        return PLACES.has(kind, name)

    def names(self, kind: str) -> list[str]:
        """Names of all files of this kind in the folders where they are looked up."""
        return PLACES.names(kind) if kind in PLACES.where else []

    def seatings(self, players: int) -> int:
        """One for each rotation of the seats."""
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise BadInput(
                Fault("tricks has no table of this size", field="sides", value=players, allowed=f"{MIN_PLAYERS} to {MAX_PLAYERS}")
            )
        return players

    def load(self, options: Options) -> Bundle:
        """Deck, board and rules, with variants and ``--set`` changes in that order."""
        if options.cardset is not None:
            raise BadInput(Fault("tricks has decks, not card sets", field="--cardset", value=options.cardset, allowed="--deck"))
        named = {"deck": options.deck, "board": options.board, "rules": options.rules}
        given = {kind: name for kind, name in named.items() if name is not None}
        return files.load_bundle(**given, variants=options.variants, sets=options.sets)

    def patched(self, bundle: Bundle, changes: Mapping[str, Any]) -> Bundle:
        """The bundle with paths replaced."""
        return patched(bundle, dict(changes))

    def side(self, bundle: Bundle, chosen: SideNames, number: int) -> Side:
        """A side's bot; crews and decks of its own it has none."""
        useless = [(field, value) for field, value in (("crew", chosen.crew), ("deck", chosen.deck)) if value is not None]
        if useless:
            raise BadInput(*(Fault("a side of tricks has only a bot", field=field, value=value) for field, value in useless))
        bot = chosen.bot or DEFAULT_BOTS[number % len(DEFAULT_BOTS)]
        return Side(bot, bundle.deck.name, bot, bot_model=files.read_bot(bot))

    def check(self, bundle: Bundle, sides: Sequence[Side]) -> None:
        """Enough cards for the players, and a table of a size that the game has."""
        if faults := legality.check_table(bundle.deck, bundle.rules, len(sides)):
            raise BadInput(*faults)

    def compile(self, bundle: Bundle) -> np.recarray:
        """The ``TABLES`` record, shape (1,)."""
        return compile_tables(bundle.deck, bundle.board, bundle.rules)

    def pack(self, tables: np.recarray, bundle: Bundle, sides: Sequence[Side]) -> np.recarray:
        """The ``SIDE`` records, shape (players,)."""
        packed = np.zeros(len(sides), SIDE).view(np.recarray)
        for number, side in enumerate(sides):
            packed[number] = compile_side(side.bot_model.style_number, side.bot_model.vector())[0]
        return packed

    def play_block(
        self,
        tables: np.recarray,
        sides: np.recarray,
        root: int,
        first_key: int,
        keys: int,
        tally: np.ndarray,
        outcomes: np.ndarray,
        rows: np.ndarray,
    ) -> None:
        """Plays keys in all rotations of the seats."""
        from bhsim.games.tricks.engine.block import play_block

        play_block(tables, sides, root, first_key, keys, tally, outcomes, rows)

    def faults_of(self, tally: np.ndarray) -> int:
        """Games with a status other than the first."""
        return int(tally["status"][0, 1:].sum())

    def facts(self, tally: np.ndarray, bundle: Bundle, sides: Sequence[Side]) -> Facts:
        """Reads the tally."""
        return read_facts(tally, bundle, sides)

    def resolved(self, bundle: Bundle, sides: Sequence[Side]) -> dict[str, Any]:
        """Deck, board, rules and every bot as JSON values; ``restored`` reads them back."""
        data: dict[str, Any] = {
            part: getattr(bundle, part).model_dump(mode="json", exclude_none=True) for part in ("deck", "board", "rules")
        }
        for number, side in enumerate(sides):
            data[f"side_{number}"] = {"deck": side.deck, "bot": side.bot, "bot_model": side.bot_model.model_dump(mode="json")}
        return data

    def restored(self, data: Mapping[str, Any]) -> tuple[Bundle, tuple[Side, ...]]:
        """The models of a stored run."""
        models = {"deck": Deck, "board": Board, "rules": Rules}
        bundle = Bundle(**{part: model.model_validate(data[part]) for part, model in models.items()})
        stored = [data[f"side_{number}"] for number in range(MAX_PLAYERS) if f"side_{number}" in data]
        sides = [Side(s["bot"], s["deck"], s["bot"], bot_model=bots.Bot.model_validate(s["bot_model"])) for s in stored]
        return bundle, tuple(sides)

    def digest(self, bundle: Bundle, sides: Sequence[Side]) -> str:
        """Hash of the compiled tables."""
        tables = self.compile(bundle)
        return hashlib.sha256(tables.tobytes() + self.pack(tables, bundle, sides).tobytes()).hexdigest()[:16]

    def paths(self, bundle: Bundle) -> dict[str, Any]:
        """Every value of the deck, the board and the rules."""
        return dict(paths(bundle))

    def values(self, bundle: Bundle, sides: Sequence[Side]) -> dict[str, Any]:
        """Every path of deck, board and rules, and each bot's style and weights."""
        found = dict(paths(bundle))
        for letter, side in zip(LETTERS, sides, strict=False):
            found[f"bots.{letter}.style"] = side.bot_model.style
            found |= {f"bots.{letter}.{name}": value for name, value in side.bot_model.named().items()}
        return found

    def house_values(self, bundle: Bundle, sides: Sequence[Side]) -> bool:
        """Whether deck or board is marked so."""
        return bundle.house_values

    def data_names(self, bundle: Bundle) -> str:
        """Names of the deck, the board and the rules."""
        return f"deck {bundle.deck.name}, {bundle.board.name}, rules {bundle.rules.name}"

    def bots(self) -> list[tuple[str, str]]:
        """Name and description of the bots that ship."""
        return [(name, files.read_bot(name).description) for name in names("bot")]

    def bot(self, name: str) -> dict[str, Any]:
        """A bot with every weight, the defaults too, and what it values."""
        bot = files.read_bot(name)
        named = bot.named() if bot.style == "weights" else {}
        weights = [{"weight": weight, "value": value, "meaning": bots.FEATURES[weight].meaning} for weight, value in named.items()]
        return {"name": bot.name, "description": bot.description, "style": bot.style, "weights": weights}

    def replay(self, bundle: Bundle, sides: Sequence[Side], root: int, index: int) -> Replay:
        """The game that the kernel's bots play, told by the plain engine."""
        from bhsim.games.tricks.replays import TricksReplay, match_of

        return TricksReplay(match_of(bundle, sides), root, index)

    def finder(self, bundle: Bundle, sides: Sequence[Side], where: str) -> Finder:
        """The conditions, read against the number of sides."""
        from bhsim.games.tricks.replays import match_of
        from bhsim.games.tricks.search import TricksFinder, conditions

        return TricksFinder(match_of(bundle, sides), conditions(where, len(sides)))

    def is_warm(self) -> bool:
        """Whether these very sources were compiled before."""
        from bhsim.games.tricks.engine.jit import CACHE

        return CACHE.is_warm()

    def warmup(self) -> None:
        """Compiles every kernel, or loads it from the cache."""
        from bhsim.games.tricks.engine.warm import compile_all

        compile_all()


GAME = Tricks()
