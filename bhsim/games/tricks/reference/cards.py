"""Hands, sets and one trick: what may be played, and who wins (TR-3, TR-4, TR-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bhsim.games.tricks.actions import DISCARD, HAT, JOKER, PLAY, composed, composition, decode, encode
from bhsim.games.tricks.model import Deck, Rules


@dataclass(frozen=True)
class Play:
    """What one player put down in a trick: a set of a rank, or one discarded card (``rank`` is then the card)."""

    seat: int
    rank: int
    naturals: int = 0
    jokers: int = 0
    hat: int = 0
    discarded: bool = False

    @classmethod
    def of(cls, seat: int, action: int) -> Play:
        """The play that a ``PLAY`` or ``DISCARD`` means."""
        kind, rank, b = decode(action)
        return cls(seat, b, discarded=True) if kind == DISCARD else cls(seat, rank, *composed(b))

    @property
    def action(self) -> int:
        return (
            encode(DISCARD, 0, self.rank) if self.discarded else encode(PLAY, self.rank, composition(self.naturals, self.jokers, self.hat))
        )

    @property
    def size(self) -> int:
        return 1 if self.discarded else self.naturals + self.jokers + self.hat

    def cards(self) -> Counter[int]:
        """Card -> copies; only what is there."""
        if self.discarded:
            return Counter({self.rank: 1})
        return +Counter({self.rank: self.naturals, JOKER: self.jokers, HAT: self.hat})


@dataclass
class Trick:
    """The plays of a trick in their order, and what the rules say of them."""

    rules: Rules
    deck: Deck
    plays: list[Play] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Cards of the leader's set."""
        return self.plays[0].size

    @property
    def has_hat(self) -> bool:
        return any(play.hat for play in self.plays)

    def cards(self) -> Counter[int]:
        """Everything on the table, discards too."""
        return sum((play.cards() for play in self.plays), Counter())

    # TR-3, TR-4: what may be played

    def leads(self, seat: int, hand: Counter[int]) -> list[Play]:
        """TR-3.1: every set that the hand can form."""
        return list(self._sets(seat, hand))

    def answers(self, seat: int, hand: Counter[int]) -> list[Play]:
        """TR-4.1, 4.2: the sets that follow, and the discards where they are allowed; empty for a hand of only the Black Hat (TR-3.5)."""
        sets = [play for play in self._sets(seat, hand) if play.size == self.size and play.rank >= self._least()]
        if self.rules.discard == "free" or not any(self._makes_able(play) for play in sets):  # TR-4.3
            sets += self._discards(seat, hand, {play.rank for play in sets if play.naturals})
        return sets

    def _sets(self, seat: int, hand: Counter[int]) -> Iterator[Play]:
        for rank in range(1, self.deck.ranks + 1):
            for naturals in range(hand[rank] + 1):
                for jokers in range(hand[JOKER] + 1):
                    for hat in range(hand[HAT] + 1):
                        if naturals or (jokers and self.rules.joker_only_rank in ("chosen", rank)):  # TR-3.1 to 3.3
                            yield Play(seat, rank, naturals, jokers, hat)
        only_hat = self.rules.hat_only == "as_14" and hand.total() == 1  # TR-3.5
        if hand[HAT] and (only_hat or self.rules.hat_alone == "as_14"):  # TR-3.2
            yield Play(seat, self.deck.ranks + 1, hat=1)

    def _least(self) -> int:
        """TR-4.1, 4.4, 4.5: the lowest rank that may follow."""
        after_hat = self.has_hat and self.rules.follow_after_hat == "any_rank"
        if after_hat or self.rules.follow == "any_rank":
            return 1
        return max(play.rank for play in self.plays if not play.discarded)

    def _makes_able(self, play: Play) -> bool:
        """TR-4.3: does the chance to play this set count?"""
        counted = self.rules.able_counts
        return counted == "all" or (not play.hat and (counted == "with_jokers" or not play.jokers))

    def _discards(self, seat: int, hand: Counter[int], followed: set[int]) -> list[Play]:
        """TR-4.2; where one card was led, a card that follows is a set and no discard (TR-5.2)."""
        cards = [card for card in sorted(+hand) if card != HAT and not (self.size == 1 and card in followed)]
        return [Play(seat, card, discarded=True) for card in cards]

    # TR-5: who wins

    def winner(self) -> Play:
        """TR-5.1: the highest set, with the Black Hat (TR-5.2) the lowest; among equals the last."""
        sets = [play for play in self.plays if not play.discarded or self._counts_after_all(play)]
        best = min if self.has_hat else max
        rank = best(play.rank for play in sets)
        return [play for play in sets if play.rank == rank][-1]

    def _counts_after_all(self, discard: Play) -> bool:
        """TR-5.2: a single card under a single lead is a set once the Black Hat is there; a discarded joker has no rank."""
        return self.has_hat and self.size == 1 and discard.rank != JOKER

    def to_take(self) -> int:
        """TR-5.4: how many cards of a rank the winner may take with the Black Hat."""
        lead = self.plays[0]
        wanted = lead.size if self.rules.take_count == "leader_cards" else lead.naturals
        return min(wanted, sum(copies for card, copies in self.cards().items() if card not in (JOKER, HAT)))
