"""What the heuristic bot weighs: the named weights of a bot file, with default and meaning. Imports nothing heavy.

The defaults are those of the bot "fixer". Their order is their place in the compiled vector, so this file belongs to the kernels' sources.
"""

from __future__ import annotations

from typing import NamedTuple


class Feature(NamedTuple):
    """A weight of a heuristic bot: its default and what it values, in points of the game unless said otherwise."""

    default: float
    meaning: str


FEATURES: dict[str, Feature] = {
    "point": Feature(1.6, "a point scored"),
    "win": Feature(5.4, "reaching the points to win, on top of the points"),
    "kill": Feature(2.4, "a disconnect, on top of its point: the enemy loses place and time"),
    "damage": Feature(5.3, "taking an enemy's whole signal without disconnecting it (a part counts in proportion)"),
    "extract": Feature(1.1, "fresh data, as a share of what securing it is expected to score"),
    "carry": Feature(1.2, "data carried, as a share of what securing it is expected to score (also what losing it costs)"),
    "hunt": Feature(2.8, "stopping the enemy's data, as a share of what securing it would score"),
    "danger": Feature(0.44, "fear: an expected own disconnect, times what the enemy gains by it"),
    "advance": Feature(0.037, "a step of a free runner towards the enemy server"),
    "home": Feature(0.18, "a step of the carrier towards the own server"),
    "chase": Feature(0.2, "a step towards the enemy that carries own data"),
    "guard": Feature(0.025, "a step towards the own server while no own data is out"),
    "brawl": Feature(0.028, "a step towards the nearest enemy"),
    "escort": Feature(0.014, "a step of a free runner towards the own carrier"),
    "transfer": Feature(0.62, "factor on what passing the data brings nearer or safer"),
    "draw": Feature(0.78, "a card drawn"),
    "hold": Feature(0.14, "a card kept in hand: what playing it must bring at least"),
    "discard": Feature(0.24, "a card that the enemy loses"),
    "open": Feature(0.43, "factor on a hack that opens the way to a server"),
    "link": Feature(0.29, "factor on a hack that brings an enemy into a runner's reach"),
    "deny": Feature(0.77, "factor on a hack that closes the enemy carrier's way"),
    "shield": Feature(1.3, "factor on a hack that takes an own runner out of danger"),
    "exhaust": Feature(0.67, "exhausting a ready enemy of middling strength"),
    "ready": Feature(0.79, "making an own exhausted runner ready"),
    "heal": Feature(0.13, "a point of signal restored"),
    "boost": Feature(0.88, "a point of attack, security, bypass or speed given to an own runner that can use it"),
    "ban": Feature(0.34, "forbidding an action to an enemy"),
    "turn": Feature(0.43, "another turn"),
    "act": Feature(0.02, "what an activation must bring at least; else it waits or passes"),
    "noise": Feature(0.02, "width of a random number added to each option, so that equal ones vary"),
}
