"""What games reached of the effect vocabulary and the rules: counted on the plain engine, so a zero is seen, not guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from bhsim.games.skirmish import actions, model
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.reference import Game

# Fields of an effect row whose every word is to be reached, and the words.
WORDS: dict[str, tuple[str, ...]] = {
    "op": v.OPS,
    "trigger": v.TRIGGERS,
    "target": v.WHO,
    "within": v.WITHIN,
    "filter": v.FILTERS,
    "duration": v.DURATIONS,
    "by": ("self", "own", "ally"),
    "other": ("self", "own", "ally", "enemy", "any", "other"),
    "states": v.HACKABLE,
    "player": v.PLAYERS,
    "how": v.HOW,
    "direction": v.DIRECTIONS,
    "to": v.PLACES,
    "stat": v.STATS,
    "what": v.FORBIDDABLE,
}
FLAGS = ("all", "optional", "up_to", "connected", "past_security", "data")
SWITCHES: dict[str, tuple[Any, ...]] = {
    "connected_hack": ("touching", "single_group"),
    "hack_short": ("as_many", "nothing"),
    "hack_states": ("same", "each"),
    "flip_timing": ("after_all", "each"),
    "own_disconnect_scores": (True, False),
    "data_on_disconnect": ("destroyed", "kept"),
    "refill": ("at_once", "when_needed"),
    "heal_on_refresh": (True, False),
}
LIMITS = (
    "won on points", "won by the token holder", "stopped at max_rounds", "turn limit", "triggers dropped", "out for good", "deck refilled",
)  # fmt: skip


class WatchedGame(Game):
    """The reference engine, noting each row that it begins and each condition that it reads.

    rows: id of a row -> the row and how often it was begun (its conditions held); passive rows: how often one was applied.
    conditions: (kind, outcome, before negation) -> times.
    """

    def __init__(self, *args: Any, **keys: Any) -> None:
        self.rows: dict[int, list[Any]] = {}
        self.conditions: Counter[tuple[str, bool]] = Counter()
        self.met_turn_limit = False
        super().__init__(*args, **keys)

    def holds(self, text, row):
        """As the engine's; notes the row when it is one that now begins."""
        held = super().holds(text, row)
        if held and row.trigger != "passive":
            self._note(row)
        return held

    def passive_rows(self, runner, op, attack=None):
        for row in super().passive_rows(runner, op, attack):
            self._note(row)
            yield row

    def _condition(self, text, condition):
        outcome = super()._condition(text, condition)
        self.conditions[condition.kind, outcome] += 1
        return outcome

    def _turn(self, seat):
        self.met_turn_limit |= self.turn >= self.rules.max_turns
        return super()._turn(seat)

    def _note(self, row: model.Effect) -> None:
        entry = self.rows.setdefault(id(row), [row, 0])
        entry[1] += 1


class Coverage:
    """Counters over many games: group -> word -> times; and for one card set the rows never begun."""

    def __init__(self) -> None:
        self.groups: dict[str, Counter[str]] = {}
        self.rows: Counter[str] = Counter()

    def add_actions(self, taken: Iterable[int]) -> None:
        """Counts the kinds of decisions taken."""
        for action in taken:
            kind, what, _ = actions.decode(action)
            self._count("decision", actions.KINDS[kind])
            if kind == actions.ACTION:
                self._count("action", actions.ACTS[what])

    def add_game(self, game: WatchedGame, paths: dict[int, str] | None = None) -> None:
        """Counts a finished game. paths: id of a row -> its path in the card set, where rows are to be told apart."""
        for row, times in game.rows.values():
            self._add_row(row, times)
            if paths and id(row) in paths:
                self.rows[paths[id(row)]] += times
        for (kind, outcome), times in game.conditions.items():
            self._count("condition", f"{kind} {'holds' if outcome else 'fails'}", times)
        for switch in SWITCHES:
            self._count("switch", f"{switch} = {_word(getattr(game.rules, switch))}")
        self._add_limits(game)

    def _add_row(self, row: model.Effect, times: int) -> None:
        fields = {name.rstrip("!") for name in v.OP_FIELDS[row.op]} | {"op", "trigger"}
        for name in fields & WORDS.keys():
            value = getattr(row, name)
            if name == "target" and value is None:
                value = "attack_target"  # of ops on the attack, the only one
            for word in value if isinstance(value, list) else [value]:
                self._count(name, word, times)
        for name in fields & set(FLAGS):
            self._count("flag", f"{name} = {_word(getattr(row, name))}", times)

    def _add_limits(self, game: WatchedGame) -> None:
        goal = game.rules.points_to_win
        self._count("limit", "won on points", game.reason == "points")
        self._count("limit", "won by the token holder", min(game.points) >= goal)
        self._count("limit", "stopped at max_rounds", game.reason == "max_rounds")
        self._count("limit", "turn limit", game.met_turn_limit)
        self._count("limit", "triggers dropped", game.dropped > 0)
        self._count("limit", "out for good", any(r.gone for crew in game.crew for r in crew))
        self._count("limit", "deck refilled", max(game.shuffles) > 1)

    def _count(self, group: str, word: str, times: int = 1) -> None:
        self.groups.setdefault(group, Counter())[word] += int(times)

    def table(self) -> dict[str, dict[str, int]]:
        """Every group with every word that exists, unreached ones as 0, in the vocabulary's order."""
        return {group: {word: self.groups.get(group, Counter())[word] for word in words} for group, words in _every_word().items()}

    def unreached(self) -> list[str]:
        """``group: word`` of every word with a count of 0."""
        return [f"{group}: {word}" for group, words in self.table().items() for word, times in words.items() if times == 0]


def row_paths(cardset: model.CardSet, rules: model.Rules) -> dict[int, str]:
    """id of each effect row of a card set and its rules -> its path, such as ``cards.big_hack.effects.0``."""
    found = {}
    for pool in ("runners", "rigs", "cards"):
        for key, entry in getattr(cardset, pool).items():
            found |= {id(row): f"{pool}.{key}.effects.{i}" for i, row in enumerate(entry.effects)}
    for number, common in enumerate(rules.common_actions):
        found |= {id(row): f"rules.common_actions.{number}.effects.{i}" for i, row in enumerate(common.effects)}
    return found


def _word(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, value)


def _every_word() -> dict[str, list[str]]:
    words = {group: list(known) for group, known in WORDS.items()}
    words["flag"] = [f"{name} = {value}" for name in FLAGS for value in ("true", "false")]
    words["condition"] = [f"{kind} {outcome}" for kind in v.CONDITIONS for outcome in ("holds", "fails")]
    words["switch"] = [f"{name} = {_word(value)}" for name, values in SWITCHES.items() for value in values]
    words["decision"] = list(actions.KINDS.values())
    words["action"] = list(actions.ACTS)
    words["limit"] = list(LIMITS)
    return words
