"""A compiled and a plain engine side by side: the same game, and at every decision the same legal list and the same table.

What is particular to a game, it says in a ``Pair`` of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from bhsim.errors import BadInput, Fault
from bhsim.games.game import MODULES

TAIL = 12  # events shown before a difference


class EngineStopped(RuntimeError):
    """A kernel ended a game by a fault of its own: a defect, never a result."""


def of_game(name: str) -> Any:
    """A game's module of this name: ``compare``, ``fuzz_source`` and more. ``BadInput`` for a game without a second engine."""
    if name not in MODULES:
        raise BadInput(Fault("no second engine to compare with", field="game", value=name, allowed=", ".join(MODULES)))
    return import_module(MODULES[name].rpartition(".")[0] + ".lockstep")


class Coverage(Protocol):
    """What games reached of the rules."""

    def table(self) -> dict[str, dict[str, int]]:
        """Group -> word -> times, with every word that exists."""

    def unreached(self) -> list[str]:
        """``group: word`` of every word never reached."""


@dataclass(frozen=True)
class Difference:
    """Where the engines part.

    game: its index. decision: how many were taken before. last: the last one taken, in words. rules: rule ids around it. fields:
    (path, kernel's value, reference's value) of what differs between the views. only_kernel, only_reference: legal there only, in
    words. fault: an engine or a bot that broke down instead. views: both whole. events: the reference's log before it.
    """

    game: int
    by: str
    decision: int
    seat: int
    last: str
    rules: list[str]
    fields: list[tuple[str, Any, Any]] = field(default_factory=list)
    only_kernel: list[str] = field(default_factory=list)
    only_reference: list[str] = field(default_factory=list)
    fault: str | None = None
    views: tuple[dict[str, Any], dict[str, Any]] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Report:
    """What a comparison did. used: rows of all card sets that were in play; difference: the one that ended it, or None."""

    coverage: Any
    games: int = 0
    decisions: int = 0
    by_bots: int = 0
    used: set[str] = field(default_factory=set)
    difference: Difference | None = None

    @property
    def rows_unreached(self) -> list[str]:
        """Paths of effect rows that were in play in some game and never begun; tells something when all games share a card set."""
        return sorted(self.used - self.coverage.rows.keys()) if self.used else []


class Pair:
    """One game on both engines. Games are told what to do by bots, or else by ``choose``.

    kernel, reference: the engines' games; None before ``play``. taken: the decisions so far.
    """

    def __init__(self, index: int, by_bots: bool) -> None:
        self.index, self.by_bots = index, by_bots
        self.taken: list[int] = []
        self.reference: Any = None
        self.kernel: Any = None

    # What a game says of itself

    def new_kernel(self) -> Any:
        """The game on the compiled engine."""
        raise NotImplementedError

    def new_reference(self, log: Callable[[dict[str, Any]], None] | None = None) -> Any:
        """The game on the plain engine, as often as wanted."""
        raise NotImplementedError

    def choose(self, legal: list[int]) -> int:
        """A random decision."""
        raise NotImplementedError

    def say(self, action: int, view: dict[str, Any]) -> str:
        """A decision in words, which may name nobody."""
        raise NotImplementedError

    def rules_of(self, action: int) -> str:
        """Rules that a decision taken belongs to."""
        raise NotImplementedError

    def rules_of_kind(self, kind: int) -> str:
        """Rules that a kind of decision belongs to."""
        raise NotImplementedError

    def rules_of_field(self, name: str) -> str:
        """Rules that a field of the view belongs to."""
        raise NotImplementedError

    # What is the same for all

    def play(self) -> Difference | None:
        """The first difference, or None when the game ended the same on both."""
        self.reference = self.new_reference()
        try:
            self.kernel = self.new_kernel()
            while True:
                found = self._differs()
                if found or self.reference.over:
                    return found
                self._decide()
        except EngineStopped as stop:
            return self._difference(fault=str(stop))

    def _decide(self) -> None:
        legal = self.reference.legal()
        action = self.kernel.bot_decision() if self.by_bots else self.choose(legal)
        if action not in legal:
            raise EngineStopped(f"the bot chose {action}, which is not legal")
        self.before = self.reference_view
        self.taken.append(action)
        self.reference.apply(action)
        self.kernel.apply(action)

    def _differs(self) -> Difference | None:
        self.reference_view, kernel_view = self.reference.view(), self.kernel.view()
        one, other = self.kernel.legal(), self.reference.legal()
        if kernel_view == self.reference_view and len(one) == len(other) and set(one) == set(other):
            return None
        fields = list(differing(kernel_view, self.reference_view))
        return self._difference(
            fields=fields,
            only_kernel=[self.say(action, kernel_view) for action in sorted(set(one) - set(other))],
            only_reference=[self.say(action, self.reference_view) for action in sorted(set(other) - set(one))],
            kinds={action >> 24 for action in set(one) ^ set(other)},
            views=(kernel_view, self.reference_view),
            fault=None if fields or set(one) != set(other) else "the kernel lists a decision twice",
        )

    def _difference(self, fields=(), kinds=(), **found: Any) -> Difference:
        rules = [self.rules_of(self.taken[-1])] if self.taken else []
        rules += [self.rules_of_kind(kind) for kind in sorted(kinds)]
        rules += [self.rules_of_field(path.split(".")[1].split("[")[0]) for path, _, _ in fields]
        last = self.say(self.taken[-1], self.before) if self.taken else "the setup"
        by, seat = "bots" if self.by_bots else "random", self.reference.seat
        rules = list(dict.fromkeys(rules))
        return Difference(self.index, by, len(self.taken), seat, last, rules, fields=list(fields), events=self._events(), **found)

    def _events(self) -> list[dict[str, Any]]:
        """The reference's last events, from the same decisions taken again."""
        events: list[dict[str, Any]] = []
        game = self.new_reference(events.append)
        for action in self.taken:
            if game.over or action not in game.legal():
                break
            game.apply(action)
        return [event for event in events if event["event"] != "game"][-TAIL:]


def differing(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, value, other value) of each place where two views differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            yield from differing(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differing(a, b, f"{path}[{i}]")
    elif one != other:
        yield path, one, other
