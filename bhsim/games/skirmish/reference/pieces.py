"""What lies on the table: runners, data, attacks under way, texts being read and texts that wait."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from bhsim.games.skirmish import actions, model


class Pool(NamedTuple):
    """What both sides share: the card set, the board and the rules. Any object with these attributes will do."""

    cardset: model.CardSet
    board: model.Board
    rules: model.Rules


class GameOver(Exception):
    """Raised where the game ends, so that nothing that was under way goes on (SK-10.1)."""


@dataclass(eq=False)
class Runner:
    """A runner with its rig. ``node`` is None off the board; ``last_node`` is where it stood last."""

    seat: int
    position: int
    id: str
    rig_id: str
    card: model.Runner
    rig: model.Rig
    signal: int
    ready: bool = True
    node: int | None = None
    last_node: int | None = None
    gone: bool = False
    temps: dict[tuple[str, str], int] = field(default_factory=dict)  # (stat, duration) -> amount
    bans: dict[str, set[str]] = field(default_factory=lambda: {"turn": set(), "round": set()})

    @property
    def on_board(self) -> bool:
        return self.node is not None

    @property
    def below_full(self) -> bool:
        return self.signal < self.rig.signal

    @property
    def bandwidth(self) -> int:
        return self.card.bandwidth + self.rig.bandwidth

    def printed(self) -> dict[str, int]:
        rig = self.rig
        return {"attack": self.card.attack, "signal": rig.signal, "security": rig.security, "speed": rig.speed}

    @property
    def name(self) -> int:
        """This runner as a TARGET decision."""
        return actions.encode(actions.TARGET, self.seat, self.position)

    def part(self, number: int) -> list[model.Effect]:
        """The rows of one of its two texts: PART_RUNNER or PART_RIG."""
        return self.card.effects if number == actions.PART_RUNNER else self.rig.effects

    def part_id(self, number: int) -> str:
        return self.id if number == actions.PART_RUNNER else self.rig_id

    def parts_with(self, trigger: str) -> list[int]:
        """Numbers of the parts that have a row of this trigger."""
        return [p for p in (actions.PART_RUNNER, actions.PART_RIG) if any(r.trigger == trigger for r in self.part(p))]

    def stand(self, node: int) -> None:
        self.node = self.last_node = node


@dataclass(eq=False)
class Data:
    """One die that was extracted; another extraction makes another object, so identity tells them apart."""

    carrier: Runner
    signal: int


@dataclass(eq=False)
class Attack:
    """An attack under way. ``victim`` is the attacked runner, or the carrier of the attacked ``data``."""

    attacker: Runner
    victim: Runner
    data: Data | None = None
    within: str = "subnet"
    distance: int = 1
    extra_flips: int = 0
    bypass: int = 0  # the largest of the attack's own and of the flipped texts
    to_flip: int = 0
    total: int = 0  # damage values and bonuses


@dataclass(eq=False)
class Text:
    """A list of rows being resolved for a seat. ``source`` is the runner whose text it is (a flipped card: the attacker)."""

    seat: int
    rows: list[model.Effect]
    cause: str
    source: Runner | None = None
    origin: int | None = None  # where the source stood when the text began
    attack: Attack | None = None
    culprit: Runner | None = None
    previous: Runner | None = None

    @property
    def centre(self) -> int | None:
        """The node from which ranges are measured."""
        if self.source is not None and self.source.on_board:
            return self.source.node
        return self.origin


@dataclass(eq=False)
class Event:
    """Something that happened to a runner and may wake its texts (SK-5.5)."""

    runner: Runner
    trigger: str
    culprit: Runner | None = None


class Waiting(NamedTuple):
    """A text in the queue."""

    runner: Runner
    part: int
    trigger: str
    culprit: Runner | None
    node: int | None
