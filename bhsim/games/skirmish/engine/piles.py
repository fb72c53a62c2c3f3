"""Decks, hands, discard piles and the cards in flight (SK-5.1, SK-8.12). A deck's top is its last card."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.rng import RANDOM_EFFECT, SHUFFLE, below
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine.jit import inner

DRAWN, PLAYED, FLIPPED = range(3)


@inner
def shuffle(S, L, seat):
    """Fisher-Yates from the top; shuffle r of a seat uses the draws from 64 r on."""
    n = S.n_deck[seat]
    first = 64 * S.shuffles[seat]
    for i in range(n - 1, 0, -1):
        j = below(S.key, SHUFFLE + seat, first + n - 1 - i, i + 1)
        card = S.deck[seat, i]
        S.deck[seat, i] = S.deck[seat, j]
        S.deck[seat, j] = card
    S.shuffles[seat] += 1
    ev.emit(L, S, ev.SHUFFLE, seat, 0, 0, 0, 0, 0, 0)


@inner
def _refill(S, L, seat):
    n = S.n_disc[seat]
    if S.n_deck[seat] == 0 and n > 0:
        for i in range(n):
            S.deck[seat, i] = S.disc[seat, i]
        S.n_deck[seat] = n
        S.n_disc[seat] = 0
        shuffle(S, L, seat)


@inner
def refill_check(T, S, L, seat):
    """After any card moved: an empty deck is refilled at once, if the rules say so (SK-8.12)."""
    if T.refill_late == 0:
        _refill(S, L, seat)


@inner
def take_top(T, S, L, seat):
    """Takes the top card of a deck: its title, or -1 if deck and discard pile are empty."""
    if S.n_deck[seat] == 0:
        _refill(S, L, seat)
        if S.n_deck[seat] == 0:
            return -1
    S.n_deck[seat] -= 1
    return np.int64(S.deck[seat, S.n_deck[seat]])


@inner
def draw(T, S, W, L, seat, cards, cause):
    """Draws cards to the hand, as many as there are."""
    for _ in range(cards):
        title = take_top(T, S, L, seat)
        if title < 0:
            return
        S.hand[seat, S.n_hand[seat]] = title
        S.n_hand[seat] += 1
        W.card[seat, title, DRAWN] += 1
        ev.emit(L, S, ev.DRAW, seat, title, 0, 0, 0, 0, cause)
        refill_check(T, S, L, seat)


@inner
def flip(T, S, W, L, seat, secure):
    """Turns the top card into the flight pile: its title, or -1."""
    title = take_top(T, S, L, seat)
    if title < 0:
        return title
    S.flight[seat, S.n_flight[seat]] = title
    S.n_flight[seat] += 1
    if secure == 0:
        W.card[seat, title, FLIPPED] += 1
    ev.emit(L, S, ev.FLIP, seat, title, secure, 0, 0, 0, 0)
    refill_check(T, S, L, seat)
    return title


@inner
def land(T, S, L, seat, base):
    """The flight pile from ``base`` on goes to the discard pile together, in order."""
    for i in range(base, S.n_flight[seat]):
        S.disc[seat, S.n_disc[seat]] = S.flight[seat, i]
        S.n_disc[seat] += 1
    S.n_flight[seat] = base
    refill_check(T, S, L, seat)


@inner
def discard_at(T, S, L, seat, i):
    """Hand card ``i`` goes to the own discard pile."""
    card = S.hand[seat, i]
    S.n_hand[seat] -= 1
    for j in range(i, S.n_hand[seat]):
        S.hand[seat, j] = S.hand[seat, j + 1]
    S.disc[seat, S.n_disc[seat]] = card
    S.n_disc[seat] += 1
    refill_check(T, S, L, seat)


@inner
def return_at(T, S, L, seat, i, cause):
    """Discard pile card ``i`` goes to the hand."""
    card = S.disc[seat, i]
    S.n_disc[seat] -= 1
    for j in range(i, S.n_disc[seat]):
        S.disc[seat, j] = S.disc[seat, j + 1]
    S.hand[seat, S.n_hand[seat]] = card
    S.n_hand[seat] += 1
    ev.emit(L, S, ev.RETURN, seat, np.int64(card), 0, 0, 0, 0, cause)


@inner
def find_hand(S, seat, title):
    """Place of the oldest copy of a title in a hand, or -1."""
    for i in range(S.n_hand[seat]):
        if S.hand[seat, i] == title:
            return i
    return -1


@inner
def find_discard(S, seat, title):
    """Place of the oldest copy of a title in a discard pile, or -1."""
    for i in range(S.n_disc[seat]):
        if S.disc[seat, i] == title:
            return i
    return -1


@inner
def random_index(S, seat, n):
    """Next draw of a seat's stream of random effects, among n cards."""
    j = below(S.key, RANDOM_EFFECT + seat, S.draws[seat], n)
    S.draws[seat] += 1
    return j
