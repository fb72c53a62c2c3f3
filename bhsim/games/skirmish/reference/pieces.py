"""What lies on the table: runners, data, attacks under way and texts being read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bhsim.games.skirmish import actions, model


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
    def name(self) -> int:
        """This runner as a TARGET decision."""
        return actions.encode(actions.TARGET, self.seat, self.position)

    def text(self, part: int = actions.PART_RUNNER, **more: Any) -> Text:
        """One of its two texts, PART_RUNNER or PART_RIG, as it begins now."""
        rows, cause = (self.card.effects, self.id) if part == actions.PART_RUNNER else (self.rig.effects, self.rig_id)
        return Text(self.seat, rows, cause, self, self.last_node, **more)

    def parts_with(self, trigger: str) -> list[int]:
        """Numbers of the parts that have a row of this trigger."""
        texts = {actions.PART_RUNNER: self.card.effects, actions.PART_RIG: self.rig.effects}
        return [part for part, rows in texts.items() if any(row.trigger == trigger for row in rows)]

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
    """Something that happened to a runner and may wake its texts (SK-5.5). culprit: who did it, if a runner did."""

    runner: Runner
    trigger: str
    culprit: Runner | None = None
