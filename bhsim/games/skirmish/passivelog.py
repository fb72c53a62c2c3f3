"""Passives in the plain engine's event log: a line whenever what they add to a number changes (docs/replay.md, ``while``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from bhsim.games.skirmish import model
from bhsim.games.skirmish import vocabulary as v


class Table(Protocol):
    """What is read of the plain engine's table: its runners, the passives that apply to one, and its log."""

    crew: list[list[Any]]

    def passive_rows(self, runner: Any, op: str) -> Iterable[model.Effect]: ...

    def tell(self, event: str, seat: int, **keys: Any) -> None: ...


class PassiveLog:
    """Remembers the amounts told last. ``tell`` is called where the table may have changed."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.told: dict[tuple[Any, str], int] = {}  # (runner, stat) -> amount

    def tell(self) -> None:
        """Tells the amounts that changed; those that hang on the attack's target are left to the reader of the cards."""
        table = self.table
        for runner in (r for crew in table.crew for r in crew):
            if not runner.on_board:  # a disconnect ends them without a line
                self.told = {key: amount for key, amount in self.told.items() if key[0] is not runner}
                continue
            rows = [r for r in table.passive_rows(runner, "stat") if all(c.kind != "target_carries" for c in r.conditions)]
            for stat in v.STATS[:-1]:  # data_bypass counts on data only
                amounts = [row.amount for row in rows if row.stat == stat]
                amount = max(amounts, default=0) if stat in v.LARGEST else sum(amounts)
                if amount != self.told.get((runner, stat), 0):
                    self.told[runner, stat] = amount
                    table.tell("stat", runner.seat, runner=runner.id, stat=stat, amount=amount, until="while")
