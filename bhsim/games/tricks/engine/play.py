"""The state machine as its users see it: ``start``, ``legal``, ``apply`` (design, decision 3), and the frame of a game (TR-8)."""

from __future__ import annotations

import numpy as np

from bhsim.games.tricks import actions as a
from bhsim.games.tricks import tables as tb
from bhsim.games.tricks.engine import board, cards
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.engine.jit import inner, kernel
from bhsim.games.tricks.tally import ROUND_BINS

FUSE = 100_000  # steps without a decision: an engine fault, reported as a status


@inner
def list_legal(T, S, out):
    """Writes what the seat to decide can choose, ascending; 0 where nothing is asked."""
    phase = S.phase
    if phase == st.PH_LEAD:
        return cards.list_leads(T, S, S.who, out)
    if phase == st.PH_FOLLOW:
        return cards.list_answers(T, S, S.who, out)
    if phase == st.PH_MOVE:
        return board.list_moves(T, S, S.who, out)
    if phase == st.PH_EXPLOIT:
        return board.list_exploits(T, S, out)
    if phase == st.PH_BACK:
        return board.list_backflips(T, S, out)
    if phase == st.PH_TAKE:
        return cards.list_take(T, S, out)
    if phase == st.PH_PICK:
        return cards.list_picks(T, S, out)
    return 0


@inner
def answer(T, S, W, action):
    """Carries out one decision, which must be legal; ``settle`` goes on from there."""
    kind = action >> 24
    x = action >> 12 & 0xFFF
    y = action & 0xFFF
    seat = S.who
    if kind == a.PLAY:
        cards.play(S, W, seat, x, y)
        _next_to_follow(S)
    elif kind == a.DISCARD:
        cards.discard(S, W, seat, y)
        _next_to_follow(S)
    elif kind == a.MOVE:
        _move(T, S, W, seat, x, y)
    elif kind == a.STAY:
        S.phase = st.PH_TAKE_UP
    elif kind == a.EXPLOIT:
        board.exploit(S, y, 1 if x == a.UP else -1)
        S.phase = st.PH_TAKE_UP
    elif kind == a.BACK:
        board.put(S, W, seat, x, y)
        S.phase = st.PH_TAKE_UP
    elif kind == a.TAKE:
        _take(T, S, W, seat, y)
    else:
        S.picked[y] += 1
        S.least_pick = y
        S.need -= 1


@inner
def _next_to_follow(S):
    S.who = st.after(S, S.who)
    S.phase = st.PH_TRICK_END if S.who == S.leader else st.PH_FOLLOW


@inner
def _move(T, S, W, seat, pawn, space):
    """A pawn's step and what its landing does (TR-6, TR-7)."""
    if pawn // a.PAWNS == seat:
        W.moves[seat] += 1
    else:
        W.pushes[seat] += 1
    board.put(S, W, seat, pawn, space)
    S.phase = st.PH_TAKE_UP
    kind = S.kind[space]
    if kind == tb.CRITICAL_ASSETS:  # TR-8.3
        S.ender = seat
        W.ended[seat] += 1
        _count(T, S, W)
        _finish(S, st.REASON_ASSETS)
    elif kind == tb.EXPLOIT:
        S.phase = st.PH_EXPLOIT
    elif kind == tb.BACKFLIP:
        S.phase = st.PH_BACK
    elif kind == tb.RANDOMIZER:
        board.lay_random_tile(T, S, W, seat)


@inner
def _take(T, S, W, seat, how):
    """All cards of the trick, or the Black Hat and some that are picked one by one (TR-5.4)."""
    if how == a.ALL:
        for card in range(a.HAT + 1):
            if S.table[card] > 0:
                cards.take_up(S, W, seat, card, S.table[card])
        S.phase = st.PH_NEXT
    else:
        S.need = cards.part(T, S)
        S.least_pick = 1
        S.phase = st.PH_PICK


@inner
def _go_on(T, S, W):
    """A step that nobody is asked about, or for which there is no choice."""
    phase = S.phase
    if phase == st.PH_ROUND:
        cards.deal(T, S)
        S.phase = st.PH_TRICK
    elif phase == st.PH_TRICK:
        S.trick_no += 1
        st.clear_trick(S)
        S.who = S.leader
        S.phase = st.PH_LEAD
    elif phase == st.PH_LEAD:  # TR-3.5: a leader with only the Black Hat
        S.leader = st.after(S, S.leader)
        S.who = S.leader
    elif phase == st.PH_FOLLOW:  # TR-3.5: such a follower
        _next_to_follow(S)
    elif phase == st.PH_TRICK_END:
        _decide_trick(S, W)
    elif phase == st.PH_MOVE:  # TR-6.4
        if S.n_pile > 0:
            cards.draw(S, S.who)
            W.drawn[S.who] += 1
        S.phase = st.PH_TAKE_UP
    elif phase == st.PH_EXPLOIT or phase == st.PH_BACK:
        S.phase = st.PH_TAKE_UP
    elif phase == st.PH_TAKE_UP:
        emptied = T.when_empty != 0 and _someone_is_empty(S)  # TR-8.1
        S.phase = st.PH_TAKE if S.hat_in != 0 and not emptied and S.trick_no < T.max_tricks else st.PH_NEXT  # TR-8.7
    elif phase == st.PH_PICK:
        _take_picked(S, W)
        S.phase = st.PH_NEXT
    else:
        _clear_away(T, S, W)


@inner
def _decide_trick(S, W):
    S.who = cards.winner(S)
    S.phase = st.PH_MOVE
    W.tricks += 1
    W.tricks_won[S.who] += 1
    if S.hat_in != 0:
        W.hat_tricks += 1
        W.hat_tricks_won[S.who] += 1


@inner
def _take_picked(S, W):
    seat = S.who
    cards.take_up(S, W, seat, np.int64(a.HAT), 1)
    for card in range(a.HAT):
        if S.picked[card] > 0:
            cards.take_up(S, W, seat, card, S.picked[card])
            S.picked[card] = 0


@inner
def _someone_is_empty(S):
    for seat in range(S.players):
        if S.n_hand[seat] == 0:
            return True
    return False


@inner
def _clear_away(T, S, W):
    """What is left on the table is out of the round (TR-5.3, 5.4); then the next trick, the next round, or the end."""
    for card in range(a.HAT + 1):
        S.gone[card] += S.table[card]
    S.leader = st.after(S, S.leader) if T.lead_clockwise != 0 else S.who  # TR-3.4
    if not _someone_is_empty(S):
        S.phase = st.PH_TRICK
        return
    for seat in range(S.players):
        if S.n_hand[seat] == 0:
            W.emptied[seat] += 1
    _count(T, S, W)
    S.phase = st.PH_ROUND
    if not board.can_anything_move(T, S):  # TR-8.4
        _finish(S, st.REASON_STUCK)
    elif S.round_no == T.max_rounds:  # TR-8.6
        _finish(S, st.REASON_ROUNDS)


@inner
def _count(T, S, W):
    """Penalties of the cards in hand and values under both pawns (TR-8.2)."""
    bin_ = min(S.round_no, ROUND_BINS - 1)
    for seat in range(S.players):
        in_hand = 0
        for card in range(a.HAT + 1):
            in_hand += T.penalty[card] * S.hand[seat, card]
        under = 0
        for pawn in range(seat * a.PAWNS, (seat + 1) * a.PAWNS):
            under += S.value[S.pawn[pawn]]
            W.counted[seat, S.pawn[pawn]] += 1
        S.points_from[seat, st.BY_HAND] += in_hand
        S.points_from[seat, st.BY_SPACES] += under
        W.tempo_points[seat, bin_] += in_hand + under
        if seat == S.holder:
            W.hat_rounds[seat] += 1
            W.hat_points[seat, st.BY_HAND] += in_hand
            W.hat_points[seat, st.BY_SPACES] += under
        if seat == S.opener:
            W.opened_rounds[seat] += 1
            W.opened_points[seat, st.BY_HAND] += in_hand
            W.opened_points[seat, st.BY_SPACES] += under


@inner
def points(S, seat):
    """Running score of a seat."""
    return S.points_from[seat, st.BY_HAND] + S.points_from[seat, st.BY_SPACES]


@inner
def _finish(S, reason):
    """The game is over; fewest points win (TR-8.5)."""
    S.over = 1
    S.reason = reason
    S.who = -1
    fewest = points(S, np.int64(0))
    for seat in range(1, S.players):
        fewest = min(fewest, points(S, seat))
    S.winners = 0
    for seat in range(S.players):
        if points(S, seat) == fewest:
            S.winners |= 1 << seat


@inner
def settle(T, S, W):
    """Goes on to the next real decision, one with two or more legal answers, and leaves them in ``W.legal``."""
    steps = 0
    while S.over == 0:
        W.n = list_legal(T, S, W.legal)
        if W.n > 1:
            return
        if W.n == 1:
            answer(T, S, W, W.legal[0])
        else:
            _go_on(T, S, W)
        steps += 1
        if steps > FUSE:
            S.status = st.ENDLESS
            S.over = 1
            S.who = -1
    W.n = 0


@inner
def set_out(T, players, S, W, root, k):
    """The table before the first deal."""
    st.set_up(T, players, S, root, k)
    st.clear_counts(W)
    board.lay_first_tiles(T, S)


@kernel
def start(T, players, S, W, root, k):
    """Sets up a game of key ``k`` and goes on to its first decision.

    T: TABLES record; players: 2 to 6; S: STATE record; W: WORK record; root: uint64.
    """
    set_out(T, players, S, W, root, k)
    settle(T, S, W)


@kernel
def begin(T, players, S, W, root, k):
    """The same, but only as far as the first deal: for who wants to change it before ``resume``."""
    set_out(T, players, S, W, root, k)
    cards.deal(T, S)
    S.phase = st.PH_TRICK


@kernel
def resume(T, S, W):
    """Goes on from a state with no decision pending to its next decision."""
    settle(T, S, W)


@kernel
def legal(T, S, W):
    """Writes all legal decisions into ``W.legal``, ascending, and returns their number; 0 when over."""
    if S.over != 0:
        return 0
    W.n = list_legal(T, S, W.legal)
    return W.n


@kernel
def apply(T, S, W, action):
    """Carries out a legal decision and goes on to the next; illegal ones are not noticed here."""
    answer(T, S, W, action)
    settle(T, S, W)
