"""Hands, sets and tricks: the deal, what may be played, who wins, what the winner takes up (TR-2 to TR-5)."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.rng import FIRST_PLAYER, SHUFFLE, below
from bhsim.games.tricks import actions as a
from bhsim.games.tricks import tables as tb
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.engine.jit import inner


@inner
def deal(T, S):
    """A new round: the whole deck shuffled, hands, the Black Hat, and who leads (TR-2)."""
    r = S.round_no
    S.round_no += 1
    S.trick_no = 0
    st.clear_trick(S)
    S.gone[:] = 0
    n = T.n_cards
    for i in range(n):
        S.pile[i] = T.pile[i]
    first = a.DRAWS_PER_SHUFFLE * r
    for i in range(n - 1, 0, -1):
        j = below(S.key, SHUFFLE, first + n - 1 - i, i + 1)
        swap = S.pile[i]
        S.pile[i] = S.pile[j]
        S.pile[j] = swap
    S.n_pile = n
    S.holder = below(S.key, FIRST_PLAYER, r, S.players)
    S.leader = S.holder - 1 if S.holder > 0 else S.players - 1
    S.opener = S.leader
    if r == 0:
        S.first = S.leader
        S.first_holder = S.holder
    for seat in range(S.players):
        S.hand[seat, :] = 0
        S.n_hand[seat] = 0
        count = T.hand_size
        if seat == S.holder and T.hat_in_hand != 0:
            count -= 1
        for _ in range(count):
            draw(S, seat)
        if seat == S.holder:
            S.hand[seat, a.HAT] = 1
            S.n_hand[seat] += 1


@inner
def draw(S, seat):
    """The pile's top card goes to a hand; there is one."""
    S.n_pile -= 1
    S.hand[seat, S.pile[S.n_pile]] += 1
    S.n_hand[seat] += 1


@inner
def least(T, S):
    """The lowest rank that may follow (TR-4.1, 4.4, 4.5)."""
    if T.any_rank != 0 or (S.hat_in != 0 and T.any_rank_after_hat != 0):
        return 1
    return S.best


@inner
def _single_hat(T, S, seat):
    """Whether the Black Hat may be played alone (TR-3.2, 3.5)."""
    if S.hand[seat, a.HAT] == 0:
        return False
    return T.hat_single != 0 or (T.last_hat_single != 0 and S.n_hand[seat] == 1)


@inner
def list_leads(T, S, seat, out):
    """Writes every set that a leader can form (TR-3.1 to 3.3); returns their number, 0 for a hand of only the Black Hat."""
    n = 0
    for rank in range(1, T.ranks + 1):
        naturals = S.hand[seat, rank]
        lone = T.joker_rank == 0 or T.joker_rank == rank  # a set of this rank may do without a card of it
        if naturals == 0 and not (lone and S.hand[seat, a.JOKER] > 0):
            continue
        for hat in range(S.hand[seat, a.HAT] + 1):
            for jokers in range(S.hand[seat, a.JOKER] + 1):
                fewest = 0 if lone and jokers > 0 else 1
                for count in range(fewest, naturals + 1):
                    out[n] = a.PLAY << 24 | rank << 12 | hat << 8 | jokers << 4 | count
                    n += 1
    if _single_hat(T, S, seat):
        out[n] = a.PLAY << 24 | (T.ranks + 1) << 12 | 1 << 8
        n += 1
    return n


@inner
def list_answers(T, S, seat, out):
    """Writes the sets that follow, and the discards where they are allowed (TR-4.1 to 4.5)."""
    n = 0
    able = False
    lowest = least(T, S)
    size = S.lead_size
    for rank in range(lowest, T.ranks + 1):
        naturals = S.hand[seat, rank]
        lone = T.joker_rank == 0 or T.joker_rank == rank
        for hat in range(S.hand[seat, a.HAT] + 1):
            for jokers in range(min(S.hand[seat, a.JOKER], size - hat) + 1):
                count = size - hat - jokers
                if count <= naturals and (count > 0 or (lone and jokers > 0)):
                    out[n] = a.PLAY << 24 | rank << 12 | hat << 8 | jokers << 4 | count
                    n += 1
                    if hat == 0 and (jokers == 0 or T.able != tb.ABLE_NATURAL):
                        able = True
    if size == 1 and _single_hat(T, S, seat):
        out[n] = a.PLAY << 24 | (T.ranks + 1) << 12 | 1 << 8
        n += 1
    if T.able == tb.ABLE_ALL and n > 0:
        able = True
    if able and T.free_discard == 0:
        return n
    for card in range(T.ranks + 1):
        if S.hand[seat, card] > 0 and not (size == 1 and card != a.JOKER and card >= lowest):
            out[n] = a.DISCARD << 24 | card
            n += 1
    return n


@inner
def lay_down(S, seat, card, copies):
    """Cards go from a hand to the table."""
    S.hand[seat, card] -= copies
    S.n_hand[seat] -= copies
    S.table[card] += copies


@inner
def play(S, W, seat, rank, b):
    """A set is put down; the first one is the lead."""
    naturals = b & 15
    jokers = b >> 4 & 15
    hat = b >> 8
    if naturals > 0:
        lay_down(S, seat, rank, naturals)
    lay_down(S, seat, np.int64(a.JOKER), jokers)
    lay_down(S, seat, np.int64(a.HAT), hat)
    if S.n_plays == 0:
        S.lead_size = naturals + jokers + hat
        W.tricks_led[seat] += 1
    S.best = max(S.best, rank)
    S.hat_in |= hat
    W.hats_played[seat] += hat
    _note_play(S, seat, rank, naturals, jokers, hat, 0)


@inner
def discard(S, W, seat, card):
    """One card that does not follow is put down (TR-4.2)."""
    lay_down(S, seat, card, 1)
    W.discards[seat] += 1
    _note_play(S, seat, card, 0, 0, 0, 1)


@inner
def _note_play(S, seat, rank, naturals, jokers, hat, discarded):
    n = S.n_plays
    S.plays[n, st.P_SEAT] = seat
    S.plays[n, st.P_RANK] = rank
    S.plays[n, st.P_NATURALS] = naturals
    S.plays[n, st.P_JOKERS] = jokers
    S.plays[n, st.P_HAT] = hat
    S.plays[n, st.P_DISCARDED] = discarded
    S.n_plays = n + 1


@inner
def winner(S):
    """Seat whose set is the highest, or the lowest beside the Black Hat; of equals the last (TR-5.1, 5.2)."""
    best = np.int64(-1)
    rank = 0
    for i in range(S.n_plays):
        mine = S.plays[i, st.P_RANK]
        if S.plays[i, st.P_DISCARDED] != 0 and not (S.hat_in != 0 and S.lead_size == 1 and mine != a.JOKER):
            continue
        if best < 0 or (mine <= rank if S.hat_in != 0 else mine >= rank):
            best = S.plays[i, st.P_SEAT]
            rank = mine
    return best


@inner
def part(T, S):
    """How many cards of a rank come with the Black Hat, if not all are taken up (TR-5.4)."""
    wanted = S.plays[0, st.P_NATURALS] if T.take_naturals != 0 else S.lead_size
    there = 0
    for rank in range(1, T.ranks + 1):
        there += S.table[rank]
    return min(wanted, there)


@inner
def list_take(T, S, out):
    """Writes PART, if it is a choice, and ALL."""
    cards = 0
    for card in range(a.HAT + 1):
        cards += S.table[card]
    n = 0
    if cards > part(T, S) + 1:
        out[n] = a.TAKE << 24 | a.PART
        n += 1
    out[n] = a.TAKE << 24 | a.ALL
    return n + 1


@inner
def list_picks(T, S, out):
    """Writes the ranks of which the next card may be: from the last one on, if enough are left from there (TR-5.4)."""
    if S.need == 0:
        return 0
    left = 0
    for rank in range(S.least_pick, T.ranks + 1):
        left += S.table[rank] - S.picked[rank]
    n = 0
    for rank in range(S.least_pick, T.ranks + 1):
        there = S.table[rank] - S.picked[rank]
        if there > 0 and left >= S.need:
            out[n] = a.PICK << 24 | rank
            n += 1
        left -= there
    return n


@inner
def take_up(S, W, seat, card, copies):
    """Cards of the table go to a hand."""
    S.hand[seat, card] += copies
    S.n_hand[seat] += copies
    S.table[card] -= copies
    W.taken[seat] += copies
