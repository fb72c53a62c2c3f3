"""What the heuristic bots weigh: the named weights of a bot file, with default and meaning. Imports nothing heavy.

The defaults are those of the bot "shark". Their order is their place in the compiled vector, so this file belongs to the kernels' sources.
"""

from __future__ import annotations

from typing import NamedTuple


class Feature(NamedTuple):
    """A weight of a heuristic bot: its default and what it values. Worth has no unit; weights are compared with one another."""

    default: float
    meaning: str


FEATURES: dict[str, Feature] = {
    "shed": Feature(0.68, "a penalty point that leaves the hand"),
    "card": Feature(0.4, "a card that leaves the hand, whatever its penalty"),
    "hurry": Feature(0.27, "factor on both as hands get small: none with full hands, whole when some hand is nearly empty"),
    "out": Feature(1.04, "emptying the hand"),
    "strong": Feature(0.71, "keeping the highest rank; lower ones in proportion"),
    "joker": Feature(4.93, "keeping a joker"),
    "split": Feature(0.64, "keeping cards of one rank together: each one that is left behind costs this"),
    "win": Feature(1.93, "factor on the chance to win the trick, times the worth of the move that comes with it"),
    "lead": Feature(2.41, "winning the trick, beside the move"),
    "hat": Feature(2.69, "putting the Black Hat into a trick that somebody else wins"),
    "wait": Feature(0.7, "holding the Black Hat back while hands are full"),
    "take": Feature(1.12, "fear of what winning a trick with the Black Hat brings into the hand, by penalty points"),
    "underbid": Feature(0.54, "chance that a rival plays below the highest rank once the Black Hat is there; lower ranks in proportion"),
    "value": Feature(1.0, "a point less under an own pawn"),
    "ahead": Feature(3.47, "a point less to be expected on an own pawn's way"),
    "foresight": Feature(0.6, "how far that looks: share of the best next space against the space itself, 0 to 1"),
    "step": Feature(0.68, "a step of an own pawn"),
    "trap": Feature(2.44, "fear of an own pawn stuck in a trap"),
    "harm": Feature(0.3, "a point more under a rival's pawn, or to be expected on its way"),
    "snare": Feature(1.67, "a rival's pawn stuck in a trap"),
    "rival": Feature(0.8, "how much more all that counts against who has the fewest points"),
    "finish": Feature(10.72, "ending the game when far ahead in points; as much against it when far behind"),
    "special": Feature(0.82, "landing on an exploit, a backflip or a randomizer"),
    "draw": Feature(0.68, "fear of having to draw a card for want of a move"),
    "noise": Feature(0.02, "width of a random number added to each option, so that equal ones vary"),
}
