"""What the heuristic bot weighs: the named weights of a bot file, with default and meaning. Imports nothing heavy.

Their order is their place in the compiled vector, so this file belongs to the kernels' sources.
"""

from __future__ import annotations

from typing import NamedTuple


class Feature(NamedTuple):
    """A weight of a heuristic bot: its default and what it values, in points of the game unless said otherwise."""

    default: float
    meaning: str


FEATURES: dict[str, Feature] = {
    "point": Feature(1.0, "a point scored"),
    "win": Feature(8.0, "reaching the points to win, on top of the points"),
    "kill": Feature(0.5, "a disconnect, on top of its point: the enemy loses place and time"),
    "damage": Feature(0.4, "taking an enemy's whole signal without disconnecting it (a part counts in proportion)"),
    "extract": Feature(0.5, "fresh data, as a share of what securing it is expected to score"),
    "carry": Feature(0.6, "data carried, as a share of what securing it is expected to score (also what losing it costs)"),
    "hunt": Feature(0.8, "stopping the enemy's data, as a share of what securing it would score"),
    "danger": Feature(0.5, "fear: an expected own disconnect, times what the enemy gains by it"),
    "advance": Feature(0.10, "a step of a free runner towards the enemy server"),
    "home": Feature(0.20, "a step of the carrier towards the own server"),
    "chase": Feature(0.12, "a step towards the enemy that carries own data"),
    "guard": Feature(0.02, "a step towards the own server while no own data is out"),
    "brawl": Feature(0.06, "a step towards the nearest enemy"),
    "escort": Feature(0.02, "a step of a free runner towards the own carrier"),
    "transfer": Feature(1.0, "factor on what passing the data brings nearer or safer"),
    "draw": Feature(0.25, "a card drawn"),
    "hold": Feature(0.20, "a card kept in hand: what playing it must bring at least"),
    "discard": Feature(0.20, "a card that the enemy loses"),
    "open": Feature(0.8, "factor on a hack that opens the way to a server"),
    "link": Feature(0.5, "factor on a hack that brings an enemy into a runner's reach"),
    "deny": Feature(0.8, "factor on a hack that closes the enemy carrier's way"),
    "shield": Feature(0.5, "factor on a hack that takes an own runner out of danger"),
    "exhaust": Feature(0.30, "exhausting a ready enemy of middling strength"),
    "ready": Feature(0.40, "making an own exhausted runner ready"),
    "heal": Feature(0.10, "a point of signal restored"),
    "boost": Feature(0.25, "a point of attack, security, bypass or speed given to an own runner that can use it"),
    "ban": Feature(0.25, "forbidding an action to an enemy"),
    "turn": Feature(0.30, "another turn"),
    "act": Feature(0.02, "what an activation must bring at least; else it waits or passes"),
    "noise": Feature(0.02, "width of a random number added to each option, so that equal ones vary"),
}
