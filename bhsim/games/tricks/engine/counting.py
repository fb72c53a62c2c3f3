"""Adds a finished game to the tally: seats become sides, numbers become counts (tally.COUNTERS)."""

from __future__ import annotations

from bhsim.games.tricks import tally as ty
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.engine.jit import inner
from bhsim.games.tricks.engine.play import points

HALF_MARGINS = ty.MARGIN_BINS // 2


@inner
def side_at(S, seat, rotation):
    """The side that sits there: side s sits in seat (s + rotation) modulo the players."""
    return seat - rotation if seat >= rotation else seat - rotation + S.players


@inner
def share(S, seat):
    """What of the win a seat has, in 60ths; a game that was cut off is shared by all."""
    if S.reason == st.REASON_ROUNDS:
        return ty.WHOLE // S.players
    if S.winners >> seat & 1 == 0:
        return 0
    return ty.WHOLE // _winners(S)


@inner
def _winners(S):
    count = 0
    for seat in range(S.players):
        count += S.winners >> seat & 1
    return count


@inner
def margin(S, rotation):
    """Points of the best other side minus those of side 0: positive when side 0 did better."""
    best = 0
    found = False
    for seat in range(S.players):
        if seat != rotation and (not found or points(S, seat) < best):
            best = points(S, seat)
            found = True
    return best - points(S, rotation)


@inner
def count_game(T, S, W, Y, rotation):
    """Adds the game in ``S`` and its counters in ``W`` to the tally record ``Y``."""
    Y.games += 1
    Y.status[S.status] += 1
    if S.status != st.OK:
        return
    Y.reasons[S.reason - 1] += 1
    if S.reason == st.REASON_ROUNDS:
        Y.round_limit += 1
    elif _winners(S) > 1:
        Y.draws += 1
    last = min(S.round_no, ty.ROUND_BINS - 1)
    Y.rounds[last] += 1
    Y.rounds_sum += S.round_no
    Y.tricks += W.tricks
    Y.hat_tricks += W.hat_tricks
    Y.margins[min(max(margin(S, rotation) + HALF_MARGINS, 0), ty.MARGIN_BINS - 1)] += 1
    Y.first_shares += share(S, S.first)
    Y.holder_shares += share(S, S.first_holder)
    if S.ender >= 0:
        Y.ender_shares += share(S, S.ender)
    for r in range(1, last + 1):
        Y.tempo_games[r] += 1
    for seat in range(S.players):
        side = side_at(S, seat, rotation)
        mine = share(S, seat)
        Y.shares[side] += mine
        Y.seat_shares[seat] += mine
        if mine == ty.WHOLE:
            Y.wins[side] += 1
        for i in range(2):
            Y.points[side, i] += S.points_from[seat, i]
            Y.seat_points[seat, i] += S.points_from[seat, i]
        _count_seat(T, W, Y, seat, side, last)


@inner
def _count_seat(T, W, Y, seat, side, last):
    """The counters of ``tally.BY_SIDE``."""
    Y.decisions[side] += W.decisions[seat]
    Y.tricks_led[side] += W.tricks_led[seat]
    Y.tricks_won[side] += W.tricks_won[seat]
    Y.hat_tricks_won[side] += W.hat_tricks_won[seat]
    Y.hats_played[side] += W.hats_played[seat]
    Y.discards[side] += W.discards[seat]
    Y.taken[side] += W.taken[seat]
    Y.drawn[side] += W.drawn[seat]
    Y.moves[side] += W.moves[seat]
    Y.pushes[side] += W.pushes[seat]
    Y.trapped[side] += W.trapped[seat]
    Y.trapped_others[side] += W.trapped_others[seat]
    Y.emptied[side] += W.emptied[seat]
    Y.ended[side] += W.ended[seat]
    Y.hat_rounds[side] += W.hat_rounds[seat]
    Y.opened_rounds[side] += W.opened_rounds[seat]
    for i in range(2):
        Y.hat_points[side, i] += W.hat_points[seat, i]
        Y.opened_points[side, i] += W.opened_points[seat, i]
    for kind in range(ty.KINDS):
        Y.kinds[side, kind] += W.kinds[seat, kind]
    for space in range(T.n_spaces):
        Y.landed[side, space] += W.landed[seat, space]
        Y.counted[side, space] += W.counted[seat, space]
    for r in range(1, last + 1):
        Y.tempo_points[side, r] += W.tempo_points[seat, r]


@inner
def note_outcome(S, outcomes, i, rotation):
    """The two bytes of a game: winning sides as bits (0 = cut off), and side 0's margin as int8."""
    mask = 0
    if S.reason != st.REASON_ROUNDS:
        for seat in range(S.players):
            if S.winners >> seat & 1 != 0:
                mask |= 1 << side_at(S, seat, rotation)
    outcomes[i, 0] = mask
    outcomes[i, 1] = min(max(margin(S, rotation), -128), 127) & 255


@inner
def note_row(S, W, rows, i, rotation):
    """The numbers of a game for whoever asked for a row each (tally.ROW_FIELDS); length 0 = nobody did."""
    if rows.shape[0] == 0:
        return
    rows[i, 0] = side_at(S, S.first, rotation)
    rows[i, 1] = side_at(S, S.first_holder, rotation)
    rows[i, 2] = S.round_no
    rows[i, 3] = W.tricks
    rows[i, 4] = S.reason
    for seat in range(S.players):
        rows[i, 5 + side_at(S, seat, rotation)] = points(S, seat)
