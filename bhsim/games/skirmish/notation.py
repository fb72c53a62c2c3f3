"""Decisions spelled with ids, as positions and perft write them: ``activate gh0st``, ``action attack data``. Imports no numba.

Runners are named within the seat that is meant, so a spelling needs the seat that decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import vocabulary as v
from bhsim.inputs.names import listing, suggestion

PARTS = ("runner", "rig")


class Notation:
    """titles: ids in the order of their numbers. crews: by seat, the runner ids by crew position."""

    def __init__(self, titles: Sequence[str], crews: Sequence[Sequence[str]]) -> None:
        self.titles, self.crews = titles, crews

    def spell(self, action: int, seat: int) -> str:
        """A decision of ``seat`` in words that ``read`` understands."""
        kind, a, b = act.decode(action)
        word = act.KINDS[kind]
        match kind:
            case act.CARD | act.CHOOSE:
                return f"{word} {self.titles[b]}"
            case act.ACTIVATE:
                return f"{word} {self.crews[seat][b]}"
            case act.DEST | act.SUBNET | act.NODE | act.TOKEN:
                return f"{word} {b}"
            case act.ACTION:
                return " ".join([word, act.ACTS[a], *self._action_target(a, b, seat)])
            case act.TARGET:
                return f"{word} {a} {self._runner_or_data(a, b)}"
            case act.STATE:
                return f"{word} {v.STATES[b]}"
            case act.DEPLOY:
                return f"{word} {self.crews[seat][a]} {b}"
            case act.PLACE:
                return f"{word} {self.crews[1 - seat][a]} {'out' if b == act.NOWHERE else b}"
            case act.ABILITY:
                return f"{word} {self.crews[seat][a]} {PARTS[b]}"
        return word

    def read(self, text: str, legal: Iterable[int], seat: int) -> int:
        """The legal decision of ``seat`` that is spelled so; ``BadInput`` with the legal ones if there is none."""
        spelled = {self.spell(action, seat): action for action in legal}
        if text not in spelled:
            known = sorted(spelled)
            raise BadInput(Fault(f"no legal decision{suggestion(text, known)}", value=text, allowed=listing(known)))
        return spelled[text]

    def _action_target(self, kind: int, target: int, seat: int) -> list[str]:
        if kind == act.ACT_ATTACK:
            return [self._runner_or_data(1 - seat, target)]
        if kind == act.ACT_TRANSFER:
            return [self.crews[seat][target]]
        return [str(target)] if kind == act.ACT_COMMON else []

    def _runner_or_data(self, seat: int, target: int) -> str:
        return "data" if target == act.DATA else self.crews[seat][target]
