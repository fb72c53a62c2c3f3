"""Skirmish behind the protocol that the lab knows. Kernels are imported only when something is played."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Facts, Options, Side, SideNames
from bhsim.games.replay import Finder, Replay
from bhsim.games.skirmish import bots, checkfile, files, legality
from bhsim.games.skirmish.builds import SkirmishBuilds
from bhsim.games.skirmish.bundle import Bundle, patched, paths
from bhsim.games.skirmish.engine.version import BEHAVIOUR_VERSION
from bhsim.games.skirmish.facts import read_facts
from bhsim.games.skirmish.model import Board, CardSet, Crew, Deck, Rules
from bhsim.games.skirmish.places import PLACES, names
from bhsim.games.skirmish.tables import SIDE, compile_side, compile_tables
from bhsim.games.skirmish.tally import COUNTERS, ROW_FIELDS, TALLY, empty

DEFAULT_DECK = "starter"
DEFAULT_BOT = "fixer"
SIDES = 2
LETTERS = "ab"


class Skirmish:
    """The game object; see ``bhsim.games.game.Game`` for what each method promises."""

    name = "skirmish"
    score_unit = "win rate"
    behaviour_version = BEHAVIOUR_VERSION
    tally = TALLY
    counters = COUNTERS
    row_fields = ROW_FIELDS
    contribution = ("points", "damage_dealt", "disconnects_made", "secures")
    builds = SkirmishBuilds()
    data_files = checkfile
    sizes = range(SIDES, SIDES + 1)
    usual = ()
    shared_deck = False

    def has(self, kind: str, name: str) -> bool:
        """Whether a card set, crew, deck, board, rules or bot file is found under this name."""
        return PLACES.has(kind, name)

    def names(self, kind: str) -> list[str]:
        """Names of all files of this kind in the folders where they are looked up."""
        return PLACES.names(kind) if kind in PLACES.where else []

    def seatings(self, players: int) -> int:
        """Two: each side once in each seat."""
        if players != SIDES:
            raise BadInput(Fault("skirmish is played by two sides", field="sides", value=players, allowed="2"))
        return SIDES

    def load(self, options: Options) -> Bundle:
        """Card set, board and rules, with variants and ``--set`` changes in that order."""
        named = {"cardset": options.cardset, "board": options.board, "rules": options.rules}
        given = {kind: name for kind, name in named.items() if name is not None}
        return files.load_bundle(**given, variants=options.variants, sets=options.sets)

    def patched(self, bundle: Bundle, changes: Mapping[str, Any]) -> Bundle:
        """The bundle with paths replaced."""
        return patched(bundle, dict(changes))

    def side(self, bundle: Bundle, chosen: SideNames, number: int) -> Side:
        """A side's models; the deck is the one asked for, else the crew file's, else the starter deck."""
        if chosen.crew is None:
            raise BadInput(Fault("a side needs a crew", field="crew", allowed="two crews, each a name or a file"))
        faults: list[Fault] = []

        def read(reader: Callable[..., Any], *given: Any) -> Any:
            try:
                return reader(*given)
            except BadInput as error:
                faults.extend(error.faults)
                return None

        crew = read(files.read_crew, chosen.crew, bundle, number)
        deck_name, bot_name = chosen.deck or (crew and files.deck_of(chosen.crew, crew)) or DEFAULT_DECK, chosen.bot or DEFAULT_BOT
        deck = read(files.read_deck, deck_name, bundle, number) if crew or chosen.deck else None
        bot = read(files.read_bot, bot_name, bundle)
        if faults:
            raise BadInput(*faults)
        return Side(chosen.crew, deck_name, bot_name, crew, deck, bot)

    def check(self, bundle: Bundle, sides: Sequence[Side]) -> None:
        """Every broken rule of both crews and decks at once (SK-1.7)."""
        self.seatings(len(sides))
        faults: list[Fault] = []
        for side in sides:
            found = legality.check_crew(side.crew_model, bundle.cardset, bundle.rules, bundle.board)
            found += legality.check_deck(side.deck_model, bundle.cardset, bundle.rules)
            faults += [f for f in found if f not in faults]
        if faults:
            raise BadInput(*faults)

    def compile(self, bundle: Bundle) -> np.recarray:
        """The ``TABLES`` record, shape (1,)."""
        return compile_tables(bundle.cardset, bundle.board, bundle.rules)

    def pack(self, tables: np.recarray, bundle: Bundle, sides: Sequence[Side]) -> np.recarray:
        """The ``SIDE`` records, shape (2,)."""
        return _packed(bundle.cardset, sides)

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
        """Plays keys in both seatings, without an event log."""
        from bhsim.games.skirmish.engine.block import play_block
        from bhsim.games.skirmish.engine.events import LOG_WIDTH

        play_block(tables, sides, root, first_key, keys, tally, outcomes, np.zeros((0, LOG_WIDTH), np.int64), rows)

    def faults_of(self, tally: np.ndarray) -> int:
        """Games with a status other than the first."""
        return int(tally["status"][0, 1:].sum())

    def facts(self, tally: np.ndarray, bundle: Bundle, sides: Sequence[Side]) -> Facts:
        """Reads the tally."""
        return read_facts(tally, bundle.cardset, sides)

    def resolved(self, bundle: Bundle, sides: Sequence[Side]) -> dict[str, Any]:
        """Card set, board, rules and both sides as JSON values; ``restored`` reads them back."""
        data = {"cardset": _dump(bundle.cardset), "board": _dump(bundle.board), "rules": _rules(bundle.rules)}
        for number, side in enumerate(sides):
            models = {"crew_model": _dump(side.crew_model), "deck_model": _dump(side.deck_model), "bot_model": _dump(side.bot_model)}
            data[f"side_{number}"] = {"crew": side.crew, "deck": side.deck, "bot": side.bot, **models}
        return data

    def restored(self, data: Mapping[str, Any]) -> tuple[Bundle, tuple[Side, ...]]:
        """The models of a stored run."""
        bundle = Bundle(CardSet.model_validate(data["cardset"]), Board.model_validate(data["board"]), Rules.model_validate(data["rules"]))
        sides = []
        for number in range(SIDES):
            stored = data[f"side_{number}"]
            crew, deck = Crew.model_validate(stored["crew_model"]), Deck.model_validate(stored["deck_model"])
            bot = bots.Bot.model_validate(stored["bot_model"])
            sides.append(Side(stored["crew"], stored["deck"], stored["bot"], crew, deck, bot))
        return bundle, tuple(sides)

    def digest(self, bundle: Bundle, sides: Sequence[Side]) -> str:
        """Hash of the tables compiled from the used part of the pool, so that an unrelated card leaves it alone."""
        used = _used(bundle.cardset, sides)
        tables, packed = compile_tables(used, bundle.board, bundle.rules), _packed(used, sides)
        return hashlib.sha256(tables.tobytes() + packed.tobytes()).hexdigest()[:16]

    def paths(self, bundle: Bundle) -> dict[str, Any]:
        """Every value of the card set, the board and the rules."""
        return dict(paths(bundle))

    def values(self, bundle: Bundle, sides: Sequence[Side]) -> dict[str, Any]:
        """Paths of the used part of the pool, of rules and board, and of each side's crew, deck and bot."""
        found = dict(paths(dataclasses.replace(bundle, cardset=_used(bundle.cardset, sides))))
        for letter, side in zip(LETTERS, sides, strict=True):
            for place, member in enumerate(side.crew_model.members):
                found[f"crews.{letter}.members.{place}.runner"] = member.runner
                found[f"crews.{letter}.members.{place}.rig"] = member.rig
            found |= {f"decks.{letter}.cards.{card}": copies for card, copies in side.deck_model.cards.items()}
            found[f"decks.{letter}.order"] = list(side.deck_model.cards)  # it decides what a shuffle gives
            found |= {f"bots.{letter}.{name}": getattr(side.bot_model, name) for name in ("style", "never", "always")}
            found |= {f"bots.{letter}.{name}": value for name, value in zip(bots.FEATURES, side.bot_model.vector().tolist(), strict=False)}
        return found

    def house_values(self, bundle: Bundle, sides: Sequence[Side]) -> bool:
        """Whether card set, board, a crew or a deck is marked so."""
        marked = [bundle.cardset, bundle.board, *(m for s in sides for m in (s.crew_model, s.deck_model))]
        return any(m.house_values for m in marked)

    def data_names(self, bundle: Bundle) -> str:
        """Names of the card set, the board and the rules."""
        return f"{bundle.cardset.name}, {bundle.board.name}, rules {bundle.rules.name}"

    def bots(self) -> list[tuple[str, str]]:
        """Name and description of the bots that ship."""
        return [(name, files.read_bot(name).description) for name in names("bot")]

    def bot(self, name: str) -> dict[str, Any]:
        """A bot with every weight, the defaults too, and what it values."""
        bot = files.read_bot(name)
        values = zip(bots.FEATURES.items(), bot.vector().tolist(), strict=False)
        weights = [{"weight": weight, "value": value, "meaning": feature.meaning} for (weight, feature), value in values]
        described = {"name": bot.name, "description": bot.description, "style": bot.style, "never": bot.never, "always": bot.always}
        return {**described, "weights": weights if bot.style == "weights" else []}

    def replay(self, bundle: Bundle, sides: Sequence[Side], root: int, index: int) -> Replay:
        """The game and its log, as the kernel wrote it."""
        from bhsim.games.skirmish.replays import SkirmishReplay, match_of, replayed

        return SkirmishReplay(replayed(match_of(bundle, sides), root, index))

    def finder(self, bundle: Bundle, sides: Sequence[Side], where: str) -> Finder:
        """The conditions, read against crews and decks."""
        from bhsim.games.skirmish.replays import match_of
        from bhsim.games.skirmish.search import SkirmishFinder, conditions

        match = match_of(bundle, sides)
        return SkirmishFinder(match, conditions(where, match))

    def is_warm(self) -> bool:
        """Whether these very sources were compiled before."""
        from bhsim.games.skirmish.engine.jit import CACHE

        return CACHE.is_warm()

    def warmup(self) -> None:
        """Compiles every kernel, or loads it from the cache by playing no key at all."""
        from bhsim.games.skirmish.engine import warm

        warm.compile_all()
        bundle = self.load(Options())
        sides = [self.side(bundle, SideNames("purple"), number) for number in range(SIDES)]
        tables = self.compile(bundle)
        nothing = np.zeros((0, 2), np.uint8), np.zeros((0, len(ROW_FIELDS)), np.int64)
        self.play_block(tables, self.pack(tables, bundle, sides), 0, 0, 0, empty(), *nothing)


def _packed(cardset: CardSet, sides: Sequence[Side]) -> np.recarray:
    packed = np.zeros(len(sides), SIDE).view(np.recarray)
    for number, side in enumerate(sides):
        bot = side.bot_model
        packed[number] = compile_side(cardset, side.crew_model, side.deck_model, *bot.compiled())[0]
    return packed


def _used(cardset: CardSet, sides: Sequence[Side]) -> CardSet:
    """The pool without what no side uses, in its order."""
    runners = {m.runner for s in sides for m in s.crew_model.members}
    rigs = {m.rig for s in sides for m in s.crew_model.members}
    cards = {c for s in sides for c in s.deck_model.cards}
    kept = {
        "runners": {k: x for k, x in cardset.runners.items() if k in runners},
        "rigs": {k: x for k, x in cardset.rigs.items() if k in rigs},
        "cards": {k: x for k, x in cardset.cards.items() if k in cards},
    }
    return cardset.model_copy(update=kept)


def _dump(model: Any) -> dict[str, Any]:
    """A model as JSON values; only what was set, because an effect row refuses fields that its operation does not read."""
    return model.model_dump(mode="json", exclude_unset=True)


def _rules(rules: Rules) -> dict[str, Any]:
    """All switches and numbers, the defaults too, so that a stored run does not move with them."""
    return {**rules.model_dump(mode="json", exclude={"common_actions"}), "common_actions": _dump(rules).get("common_actions", [])}


GAME = Skirmish()
