"""Whom a search is to beat: named crews, all that there are, or the mixture of a metagame that was played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side, SideNames
from bhsim.lab.entrants import labelled
from bhsim.lab.manifest import COMPLETE, MANIFEST
from bhsim.lab.pool import field_of
from bhsim.lab.search import Goal
from bhsim.lab.store import open_folder

ALL = "all"
KINDS = ("mean", "worst", "mixture")


@dataclass(frozen=True)
class Opponents:
    """sides, labels: one each, labels all different. weights: of a mixture, None where they were only named."""

    sides: tuple[Side, ...]
    labels: tuple[str, ...]
    weights: tuple[float, ...] | None = None

    def goal(self, kind: str | None) -> Goal:
        """The goal against them; None: the mixture where there is one, else the mean. BadInput for a mixture without weights."""
        chosen = kind or ("mixture" if self.weights else "mean")
        if chosen not in KINDS:
            raise BadInput(Fault("no such goal", field="goal", value=chosen, allowed=", ".join(KINDS)))
        if chosen == "mixture" and self.weights is None:
            allowed = "with the folder of a run of `bhsim meta` as --against"
            raise BadInput(Fault("needs opponents with weights", field="goal", value=chosen, allowed=allowed))
        return Goal(chosen, self.weights) if chosen == "mixture" and self.weights else Goal.even(chosen, len(self.sides))


def opponents_of(game: Game, bundle: Any, names: Sequence[str], bot: str | None) -> Opponents:
    """names: crews by name or path, "all" for every crew that is found by name, or one folder of a run of ``meta``. bot: of all of them.

    BadInput for unknown and illegal crews, one that is named twice, and a folder that is no such run.
    """
    folders = [name for name in names if Path(name).is_dir()]
    if folders:
        if len(names) > 1:
            raise BadInput(Fault("a metagame stands alone: its mixture says how often each crew is met", field="against", value=folders[0]))
        return _mixture(game, bundle, Path(folders[0]), bot)
    wanted = [crew for name in names for crew in (game.names("crew") if name == ALL else [name])]
    if twice := [name for place, name in enumerate(wanted) if name in wanted[:place]]:
        raise BadInput(Fault("is named twice", field="against", value=twice[0]))
    sides, faults = [], []
    for name in wanted:
        try:
            side = game.side(bundle, SideNames(name, bot=bot), 1)
            game.check(bundle, (side, side))
            sides.append(side)
        except BadInput as error:
            blame = blamed(error, crew="against", deck="against", bot="bot-against")
            faults += [fault for fault in blame.faults if fault not in faults]
    if faults:
        raise BadInput(*faults)
    return Opponents(tuple(sides), tuple(labelled(sides)))


def blamed(error: BadInput, **fields: str) -> BadInput:
    """The same, with a field for each name that was not found. fields: by kind of file, as crew="against"."""
    faults = []
    for fault in error.faults:
        kind = next((kind for kind in fields if fault.message.startswith(f"unknown {kind} ")), None)
        faults.append(replace(fault, field=fields[kind]) if kind and not fault.file else fault)
    return BadInput(*faults)


def _mixture(game: Game, bundle: Any, path: Path, bot: str | None) -> Opponents:
    """The crews of a metagame's equilibrium, with the bots that they had."""
    folder = open_folder(path)
    if folder.manifest["kind"] != "meta" or folder.manifest["game"] != game.name or folder.manifest["status"] != COMPLETE:
        raise BadInput(Fault(f"is no complete run of `bhsim meta` in {game.name}", field="against", value=str(path)))
    if bot is not None:
        raise BadInput(Fault("the crews of a metagame keep their bots", field="bot-against", value=bot))
    sides, weights = field_of(folder)
    if any(contest.digest() != game.digest(bundle, contest.sides) for contest in folder.contests):
        raise BadInput(
            Fault("was played with other numbers than these, so its mixture says nothing", file=str(path / MANIFEST),
                  allowed="the same card set, board, rules, --variant and --set")
        )  # fmt: skip
    return Opponents(tuple(sides), tuple(labelled(sides)), tuple(weights))
