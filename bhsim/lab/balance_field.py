"""What a balance spec's target of use comes to before anything is played: parts that the game has, shares that are possible, keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side
from bhsim.inputs.names import unknown
from bhsim.lab.balance_spec import USAGE_GAMES, BalanceSpec
from bhsim.lab.entrants import FEWEST
from bhsim.lab.metagame import copies_of
from bhsim.lab.metarun import FEWEST_KEYS

SLACK = 1e-9  # of a share that a programme has computed


def refuse_out_of_reach(usage: Mapping[str, float], game: Game, bundle: Any, sides: Sequence[Side]) -> None:
    """BadInput for parts that the game does not know, for a field too small, and for shares that no mixture of the sides has.

    usage: part -> least share of each item, in percent.
    """
    parts = {part: part for part in game.builds.parts}
    if faults := [unknown("part", part, parts, f"target.usage.{part}") for part in usage if part not in parts]:
        raise BadInput(*faults)
    if len(sides) < FEWEST:
        message = "use is counted in a metagame, and this one has too few crews"
        raise BadInput(Fault(message, field="target.usage", value=len(sides), allowed=f"{FEWEST} crews or more"))
    for part, least in usage.items():
        copies = copies_of(game, bundle, sides, part)
        if lacking := [item for item, found in copies.items() if not found.any()]:
            message = f"no crew of the field has {', '.join(lacking)}, which no numbers can change (crews with them can join by found)"
            faults.append(Fault(message, field=f"target.usage.{part}", value=least))
        elif least > (most := 100 * most_for_the_least(np.array([*copies.values()]) > 0)) + SLACK:
            allowed = f"at most {math.floor(100 * (most + SLACK)) / 100:g}"
            message = "no mixture of these crews gives each item so much, whatever the numbers are"
            faults.append(Fault(message, field=f"target.usage.{part}", value=least, allowed=allowed))
    if faults:
        raise BadInput(*faults)


def most_for_the_least(has: np.ndarray) -> float:
    """The largest share that the least used item can have in any mixture. has: which crew has which item, shape (items, K)."""
    from scipy.optimize import linprog

    items, crews = has.shape
    goal = np.append(np.zeros(crews), -1.0)
    limits = np.hstack([-has.astype(float), np.ones((items, 1))])  # t <= share of each item
    found = linprog(goal, A_ub=limits, b_ub=np.zeros(items), A_eq=[[*np.ones(crews), 0.0]], b_eq=[1.0], bounds=(0, 1), method="highs")
    return float(found.x[-1])


def field_keys(spec: BalanceSpec, game: Game) -> int:
    """Keys of each match-up of the field, at least. BadInput for too few to tell how they differ."""
    seatings, games = game.seatings(2), USAGE_GAMES if spec.usage_games is None else spec.usage_games
    keys = -(-games // seatings)
    if keys < FEWEST_KEYS:
        least = f"{FEWEST_KEYS * seatings} or more"
        raise BadInput(Fault("too few to tell how keys differ", field="usage_games", value=spec.usage_games, allowed=least))
    return keys
