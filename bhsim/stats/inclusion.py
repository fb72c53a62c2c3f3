"""What is said of a card beside its effect by lot (``stats.crossed``): the games it takes, rates that only describe, shares of a crew.

A card's rate when drawn or played does not say what it does: winners see more cards. Inclusion drawn by lot before the game does.
Sources: the definitions of 17Lands' metrics page for the descriptive rates; Shapley (1953). Test values: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class CardRates:
    """Descriptive win rates of a card, each copy counted; nan without games. They mislead about causes, see above.

    in_deck: all copies. opening: in the first hand. drawn: drawn later. in_hand: either. unseen: in the deck and never drawn.
    improvement: in_hand - unseen.
    """

    in_deck: float
    opening: float
    drawn: float
    in_hand: float
    unseen: float
    improvement: float


def games_to_detect(effect: float, variance: float = 0.25, share: float = 0.5, alpha: float = 0.05, power: float = 0.8) -> int:
    """Games in all to see a card's effect on the score, two-sided, when ``share`` of them contain it; ``variance`` of one game's score."""
    from scipy.special import ndtri

    if not effect or not 0 < share < 1:
        raise ValueError(f"an effect of {effect} in a share {share} of games is never detected")
    z = float(ndtri(1 - alpha / 2) + ndtri(power))
    return math.ceil(z * z * variance / (share * (1 - share) * effect * effect))


def seen_chance(copies: int, deck: int, seen: int) -> float:
    """Chance to see at least one of ``copies`` among ``seen`` cards of a shuffled ``deck``.

    A deck effect is this times the effect in hand, so a card rarely drawn needs many games. ValueError unless 0 <= copies, seen <= deck.
    """
    if not (0 <= copies <= deck and 0 <= seen <= deck and deck):
        raise ValueError(f"{copies} copies and {seen} cards seen of a deck of {deck}")
    return 1 - math.comb(deck - copies, seen) / math.comb(deck, seen)


def card_rates(opening: tuple[float, int], drawn: tuple[float, int], unseen: tuple[float, int]) -> CardRates:
    """Descriptive rates from (wins, games) of a card's copies in the first hand, drawn later and never seen.

    A game counts once for each copy in that place; draws are half wins.
    """

    def rate(*counts: tuple[float, int]) -> float:
        games = sum(n for _, n in counts)
        return float(sum(wins for wins, _ in counts) / games) if games else math.nan

    in_hand, never = rate(opening, drawn), rate(unseen)
    return CardRates(rate(opening, drawn, unseen), rate(opening), rate(drawn), in_hand, never, in_hand - never)


def shapley(worth: np.ndarray) -> np.ndarray:
    """Share of each of m members: its marginal worth averaged over all orders in which the crew could be put together, shape (m,).

    worth: value of every part of the crew, shape (2^m,); the index has bit i set if member i is in. The shares sum to
    worth[all] - worth[none]. ValueError for another length.
    """
    worth = np.asarray(worth, float)
    members = worth.size.bit_length() - 1
    if worth.ndim != 1 or worth.size != 1 << members:
        raise ValueError(f"{worth.size} values are not those of all parts of a crew")
    parts = np.arange(worth.size)
    sizes = np.bitwise_count(parts)
    shares = np.empty(members)
    for member in range(members):
        without = parts[parts >> member & 1 == 0]
        weight = np.array([1 / (members * math.comb(members - 1, int(k))) for k in sizes[without]])
        shares[member] = weight @ (worth[without | 1 << member] - worth[without])
    return shares
