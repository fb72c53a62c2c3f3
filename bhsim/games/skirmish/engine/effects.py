"""The interpreter of effect rows: one text frame, one row after the other, pausing wherever a choice is to be made.

``step_text`` does what needs no choice; where one is needed it fills the question (``S.ask`` and its options) and
returns. The answer (``answer_*``) is stored in the frame, and the next step goes on from there.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, drop_lowest, has, lowest
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine import attack as at
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import picks, piles, units
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import put_on, reach, subnet, take_off
from bhsim.games.skirmish.engine.state import DATA_REF, GROUP, RUNNERS, seat_of

# Where a row stands (F_STEP). CHOSEN: T_SEL or T_MASK is known; SECOND: the second choice is known.
BEGIN, CHOSEN, AWAIT_SECOND, SECOND, PICKING, CARDS, FINISHED = range(7)
BOTH, OPPONENT = v.PLAYERS.index("both"), v.PLAYERS.index("opponent")
CHOSEN_CARDS = v.HOW.index("chosen")
AWAY, TOWARD = v.DIRECTIONS.index("away"), v.DIRECTIONS.index("toward")
TURN = v.DURATIONS.index("turn")


@inner
def step_text(T, S, W, L, f):
    """One step of the text in frame ``f``: ends it, begins its next row, or goes on with the row after a choice."""
    row = S.stack[f, st.T_ROW]
    if row >= S.stack[f, st.T_END]:
        S.sp -= 1
        return
    step = S.stack[f, st.F_STEP]
    if step == BEGIN:
        if T.fx[row, tb.TRIG] != S.stack[f, st.T_TRIG] or not _applies(T, S, f, row):
            S.stack[f, st.T_ROW] = row + 1
            return
        S.stack[f, st.F_STEP] = FINISHED
        _begin(T, S, W, L, f, row)
    elif step == CHOSEN:
        S.stack[f, st.F_STEP] = FINISHED
        _chosen(T, S, W, L, f, row)
    elif step == SECOND:
        S.stack[f, st.F_STEP] = FINISHED
        _second(T, S, W, L, f, row)
    elif step == PICKING:
        if not picks.ask_next(T, S, f, row):
            picks.do_picks(T, S, L, f, row)
            S.stack[f, st.F_STEP] = FINISHED
    elif step == CARDS:
        _cards(T, S, W, L, f, row)
    if S.ask == 0 and S.over == 0 and S.sp == f + 1 and S.stack[f, st.F_STEP] == FINISHED:
        S.stack[f, st.F_STEP] = BEGIN
        S.stack[f, st.T_ROW] = row + 1
        units.close_unit(T, S, W, L, S.stack[f, st.F_SIDE], S.stack[f, st.F_SRC], S.stack[f, st.F_CAUSE])


@inner
def _applies(T, S, f, row):
    side = S.stack[f, st.F_SIDE]
    target = S.stack[f, st.T_TARGET]
    carries = 0
    if target >= DATA_REF or (target >= 0 and S.on[target] == st.BOARD and nm.carries(S, target)):
        carries = 1
    return nm.holds(T, S, row, side, S.stack[f, st.F_SRC], S.stack[f, st.F_ORIGIN], carries)


@inner
def _ask_target(S, f, mask, done):
    S.ask = a.TARGET
    S.who = S.stack[f, st.F_SIDE]
    S.opt_mask = mask
    S.opt_done = done


@inner
def _ask_dest(S, f, lo, hi, done):
    S.ask = a.DEST
    S.who = S.stack[f, st.F_SIDE]
    S.opt[0] = lo
    S.opt[1] = hi
    S.opt_done = done


@inner
def _begin(T, S, W, L, f, row):
    """First step of a row: what it asks, or the whole of it."""
    op = T.fx[row, tb.OP]
    if op == tg.OP_HACK or op == tg.OP_CHANGE:
        if picks.begin_picks(T, S, f, row):
            S.stack[f, st.F_STEP] = PICKING
    elif op == tg.OP_BONUS or op == tg.OP_BYPASS or op == tg.OP_FLIP:
        if _target_passes(T, S, f, row):
            at.add_to_attack(T, S, row, op)
    elif op == tg.OP_DRAW or op == tg.OP_DISCARD or op == tg.OP_RETURN:
        S.stack[f, st.F_STEP] = CARDS
        S.stack[f, st.T_AUX] = 0
        S.stack[f, st.T_LEFT] = T.fx[row, tb.COUNT]
    elif op == tg.OP_SCORE:
        _score(T, S, W, L, f, row)
    elif op == tg.OP_ANOTHER:
        S.extra[S.stack[f, st.F_SIDE]] += 1
        ev.emit(L, S, ev.ANOTHER, S.stack[f, st.F_SIDE], 0, 0, 0, 0, 0, S.stack[f, st.F_CAUSE])
    elif op == tg.OP_SIGNAL:
        _signal(T, S, W, L, f, row)
    elif op == tg.OP_ATTACK:
        _begin_attack(T, S, f, row)
    elif op == tg.OP_DAMAGE and T.fx[row, tb.WHO] == nm.W_OWN_DATA:
        _damage_data(T, S, W, L, f, row)
    else:
        mask = tg.receivers(T, S, f, row) if op == tg.OP_TRANSFER else tg.candidates(T, S, f, row)
        _begin_targets(T, S, f, row, mask)


@inner
def _begin_targets(T, S, f, row, mask):
    """Asks for the target, or for the subnet, or takes all."""
    S.stack[f, st.T_SEL] = -1
    if T.fx[row, tb.ALL] == 0:
        if mask == 0:
            S.stack[f, st.T_PREV] = -1
        else:
            _ask_target(S, f, mask, T.fx[row, tb.OPTIONAL])
        return
    S.stack[f, st.T_PREV] = -1
    S.stack[f, st.T_MASK] = mask
    if mask == 0:
        return
    if T.fx[row, tb.WITHIN] == nm.IN_CHOSEN:
        lo = U0
        hi = U0
        for g in range(RUNNERS):
            if mask >> g & 1:
                s_lo, s_hi = subnet(T, S, S.node[g])
                n = lowest(s_lo, s_hi)
                lo |= T.bit[n, 0]
                hi |= T.bit[n, 1]
        S.ask = a.SUBNET
        S.who = S.stack[f, st.F_SIDE]
        S.opt[0] = lo
        S.opt[1] = hi
        S.opt_done = 0
    else:
        S.stack[f, st.F_STEP] = CHOSEN


@inner
def _target_passes(T, S, f, row):
    """Whether the attacked runner (of data: its carrier) is on the board and passes a flip row's filters."""
    g = S.stack[f, st.T_CULPRIT]
    return g >= 0 and S.on[g] == st.BOARD and nm.passes(S, g, T.fx[row, tb.FILTER])


@inner
def _score(T, S, W, L, f, row):
    side = S.stack[f, st.F_SIDE]
    player = T.fx[row, tb.PLAYER]
    src = S.stack[f, st.F_SRC]
    if player != OPPONENT:
        units.score(S, W, L, side, T.fx[row, tb.AMOUNT], st.BY_EFFECT, S.stack[f, st.F_CAUSE])
        if src >= 0:
            W.run[src, units.POINTS] += T.fx[row, tb.AMOUNT]
    if player != 0:
        units.score(S, W, L, 1 - side, T.fx[row, tb.AMOUNT], st.BY_EFFECT, S.stack[f, st.F_CAUSE])


@inner
def _signal(T, S, W, L, f, row):
    side = S.stack[f, st.F_SIDE]
    seat = side if T.fx[row, tb.WHO] == nm.W_OWN_CARRIER else 1 - side
    c = tg.carrier(S, seat)
    S.stack[f, st.T_PREV] = c
    if c < 0:
        return
    S.data_s[seat] = min(S.data_s[seat] + T.fx[row, tb.AMOUNT], T.data_signal_max)
    W.dirty = 1
    ev.emit(L, S, ev.DATA, seat, ev.DATA_SIGNAL, S.data_c[seat], max(S.data_s[seat], 0), 0, 0, S.stack[f, st.F_CAUSE])


@inner
def _damage_data(T, S, W, L, f, row):
    side = S.stack[f, st.F_SIDE]
    c = tg.carrier(S, 1 - side)
    S.stack[f, st.T_PREV] = -1
    if c < 0:
        return
    centre = tg.centre_of(S, S.stack[f, st.F_SRC], S.stack[f, st.F_ORIGIN])
    lo, hi = nm.region(T, S, T.fx[row, tb.WITHIN], T.fx[row, tb.DIST], centre)
    if not has(lo, hi, S.node[c]) or not nm.passes(S, c, T.fx[row, tb.FILTER]):
        return
    if T.fx[row, tb.ALL] == 0:
        S.stack[f, st.T_PREV] = c
    amount = T.fx[row, tb.AMOUNT]
    security = 0 if T.fx[row, tb.PAST] else S.data_s[1 - side]
    dealt = max(amount - security, 0)
    S.data_s[1 - side] -= dealt
    W.dirty = 1
    ev.emit_damage(L, S, 1 - side, -1, amount, security, 0, dealt, S.data_s[1 - side], S.stack[f, st.F_CAUSE])


@inner
def _begin_attack(T, S, f, row):
    """Chooses the attacker (unless it is the text's own runner), then the victim."""
    mask = tg.attackers(T, S, f, row)
    if mask == 0:
        S.stack[f, st.T_PREV] = -1
    elif T.fx[row, tb.BY] == nm.W_SELF:
        S.stack[f, st.T_SEL] = S.stack[f, st.F_SRC]
        _ask_victim(T, S, f, row, T.fx[row, tb.OPTIONAL])
    else:
        S.stack[f, st.T_SEL] = -1
        _ask_target(S, f, mask, T.fx[row, tb.OPTIONAL])


@inner
def _ask_victim(T, S, f, row, done):
    S.stack[f, st.F_STEP] = AWAIT_SECOND
    _ask_target(S, f, tg.victims(T, S, f, row, S.stack[f, st.T_SEL]), done)


@inner
def _chosen(T, S, W, L, f, row):
    """The row's target (T_SEL) or targets (T_MASK) are known: do it, or ask for the second half."""
    op = T.fx[row, tb.OP]
    sel = S.stack[f, st.T_SEL]
    if op == tg.OP_ATTACK:
        _ask_victim(T, S, f, row, 0)
        return
    if op == tg.OP_SWAP:
        S.stack[f, st.F_STEP] = AWAIT_SECOND
        _ask_target(S, f, tg.partners(T, S, f, row, sel), 0)
        return
    if op == tg.OP_TRANSFER:
        side = S.stack[f, st.F_SIDE]
        S.data_c[side] = sel - side * GROUP
        ev.emit(L, S, ev.DATA, side, ev.DATA_TRANSFER, S.data_c[side], S.data_s[side], 0, 0, S.stack[f, st.F_CAUSE])
        return
    if op == tg.OP_MOVE or op == tg.OP_PLACE:
        if sel >= 0:
            S.stack[f, st.T_MASK] = 1 << sel
        _next_mover(T, S, W, f, row, op)
        return
    mask = 1 << sel if sel >= 0 else S.stack[f, st.T_MASK]
    if op == tg.OP_DAMAGE:
        _damage(T, S, W, L, f, row, mask)
        return
    for g in range(RUNNERS):
        if mask >> g & 1 and S.on[g] == st.BOARD:
            _do(T, S, W, L, f, row, op, g)


@inner
def _damage(T, S, W, L, f, row, mask):
    """Damage to all runners of a mask; every amount is read before any signal goes down."""
    amount = T.fx[row, tb.AMOUNT]
    for g in range(RUNNERS):
        if mask >> g & 1:
            W.shield[g] = 0 if T.fx[row, tb.PAST] else nm.value(T, S, g, nm.SECURITY, 0)
    for g in range(RUNNERS):
        if mask >> g & 1:
            dealt = max(amount - W.shield[g], 0)
            at.hurt(S, W, g, S.stack[f, st.F_SRC], dealt)
            ev.emit_damage(L, S, seat_of(g), g % GROUP, amount, W.shield[g], 0, dealt, S.signal[g], S.stack[f, st.F_CAUSE])


@inner
def _do(T, S, W, L, f, row, op, g):
    """What the row does to one runner."""
    seat = seat_of(g)
    position = g - seat * GROUP
    cause = S.stack[f, st.F_CAUSE]
    amount = T.fx[row, tb.AMOUNT]
    if op == tg.OP_HEAL:
        healed = min(amount, S.printed[g, 1] - S.signal[g])
        S.signal[g] += healed
        ev.emit(L, S, ev.HEAL, seat, position, healed, S.signal[g], 0, 0, cause)
    elif op == tg.OP_EXHAUST:
        S.ready[g] = 0
        ev.emit(L, S, ev.EXHAUST, seat, position, 0, 0, 0, 0, cause)
    elif op == tg.OP_READY:
        S.ready[g] = 1
        ev.emit(L, S, ev.READY, seat, position, 0, 0, 0, 0, cause)
    elif op == tg.OP_STAT:
        stat = T.fx[row, tb.STAT]
        d = T.fx[row, tb.DURATION]
        old = np.int64(S.temp[g, stat, d])
        largest = stat == nm.BYPASS or stat == nm.EXPOSED or stat == nm.DATA_BYPASS
        S.temp[g, stat, d] = max(old, amount) if largest else min(max(old + amount, -9999), 9999)
        S.temps_on[d] = 1
        ev.emit(L, S, ev.STAT, seat, position, stat, amount, d, 0, cause)
    elif op == tg.OP_FORBID:
        d = T.fx[row, tb.DURATION]
        S.ban[g, 0 if d == TURN else 1] |= T.fx[row, tb.WHAT]
        S.temps_on[d] = 1


@inner
def _next_mover(T, S, W, f, row, op):
    """Asks for the destination of the next runner that the row moves or places."""
    centre = tg.centre_of(S, S.stack[f, st.F_SRC], S.stack[f, st.F_ORIGIN])
    for g in range(RUNNERS):
        if S.stack[f, st.T_MASK] >> g & 1 == 0:
            continue
        S.stack[f, st.T_MASK] &= ~(1 << g)
        if S.on[g] != st.BOARD:
            continue
        if op == tg.OP_PLACE:
            lo, hi = tg.places(T, S, g, T.fx[row, tb.TO], centre)
        else:
            lo, hi = move_ends(T, S, W, f, row, g, centre)
        if (lo | hi) == U0:
            continue
        S.stack[f, st.T_SEL] = g
        S.stack[f, st.F_STEP] = AWAIT_SECOND
        _ask_dest(S, f, lo, hi, 0)
        return


@inner
def move_ends(T, S, W, f, row, g, centre):
    """Nodes on which a move by an effect may end (SK-7.6), in the row's direction seen from the source."""
    node = S.node[g]
    seat = seat_of(g)
    lo, hi = reach(T, S, W, seat, node, T.fx[row, tb.AMOUNT], nm.value(T, S, g, nm.BORDERS, 0))
    direction = T.fx[row, tb.DIRECTION]
    if direction == 0 or centre < 0:
        return lo, hi
    start = np.int64(T.distance[centre, node])
    keep_lo = T.bit[node, 0]
    keep_hi = T.bit[node, 1]
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        lo, hi = drop_lowest(lo, hi)
        d = np.int64(T.distance[centre, n])
        if (direction == AWAY and d > start) or (direction == TOWARD and d < start):
            keep_lo |= T.bit[n, 0]
            keep_hi |= T.bit[n, 1]
    return keep_lo, keep_hi


@inner
def _second(T, S, W, L, f, row):
    """The second choice (T_AUX) is known: victim, partner or destination."""
    op = T.fx[row, tb.OP]
    sel = S.stack[f, st.T_SEL]
    second = S.stack[f, st.T_AUX]
    cause = S.stack[f, st.F_CAUSE]
    if op == tg.OP_ATTACK:
        S.stack[f, st.T_PREV] = tg.runner_of(S, second)
        within = T.fx[row, tb.WITHIN]
        at.push_attack(T, S, sel, second, T.fx[row, tb.AMOUNT], T.fx[row, tb.BYPASS], within, T.fx[row, tb.DIST])
    elif op == tg.OP_SWAP:
        _swap(T, S, L, sel, second, cause)
    else:
        relocate(T, S, W, L, sel, second, op == tg.OP_MOVE, cause)
        _next_mover(T, S, W, f, row, op)


@inner
def _swap(T, S, L, g, h, cause):
    x = S.node[g]
    y = S.node[h]
    take_off(T, S, g, seat_of(g))
    take_off(T, S, h, seat_of(h))
    put_on(T, S, g, seat_of(g), y)
    put_on(T, S, h, seat_of(h), x)
    ev.emit(L, S, ev.PLACE, seat_of(g), g % GROUP, y, 0, 0, 0, cause)
    ev.emit(L, S, ev.PLACE, seat_of(h), h % GROUP, x, 0, 0, 0, cause)


@inner
def relocate(T, S, W, L, g, node, by_steps, cause):
    """Moves (by steps) or places a runner; a move to another node triggers "after_moving"."""
    start = S.node[g]
    seat = seat_of(g)
    if start == node:
        return
    borders = 0
    if by_steps and L.shape[0] > 0:  # for the log's reader, who works out the way
        borders = nm.value(T, S, g, nm.BORDERS, 0)
    take_off(T, S, g, seat)
    put_on(T, S, g, seat, node)
    if by_steps:
        ev.emit(L, S, ev.MOVE, seat, g % GROUP, start, node, borders, 0, cause)
        units.pend(T, S, W, g, units.AFTER_MOVING, -1, node)
    else:
        ev.emit(L, S, ev.PLACE, seat, g % GROUP, node, 0, 0, 0, cause)


@inner
def _cards(T, S, W, L, f, row):
    """Draws, discards and returns, for one player after the other, one card at a time."""
    op = T.fx[row, tb.OP]
    side = S.stack[f, st.F_SIDE]
    cause = S.stack[f, st.F_CAUSE]
    player = T.fx[row, tb.PLAYER]
    chosen = T.fx[row, tb.HOW] == CHOSEN_CARDS
    while S.stack[f, st.T_AUX] < 2:
        turn = S.stack[f, st.T_AUX]
        seat = side if turn == 0 else 1 - side
        wanted = player == BOTH or (player == OPPONENT) == (turn == 1)
        if not wanted or S.stack[f, st.T_LEFT] == 0:
            S.stack[f, st.T_AUX] = turn + 1
            S.stack[f, st.T_LEFT] = T.fx[row, tb.COUNT]
            continue
        if op == tg.OP_DRAW:
            piles.draw(T, S, W, L, seat, S.stack[f, st.T_LEFT], cause)
            S.stack[f, st.T_LEFT] = 0
            continue
        n = S.n_hand[seat] if op == tg.OP_DISCARD else S.n_disc[seat]
        if n == 0:
            S.stack[f, st.T_LEFT] = 0
        elif chosen:
            S.ask = a.CHOOSE
            S.who = seat
            S.sub = 0 if op == tg.OP_DISCARD else 1
            S.opt_done = 0
            return
        else:
            take_card(T, S, L, f, op, seat, piles.random_index(S, seat, n))
    S.stack[f, st.F_STEP] = FINISHED


@inner
def take_card(T, S, L, f, op, seat, i):
    """Discards hand card ``i``, or returns discard pile card ``i`` to the hand."""
    cause = S.stack[f, st.F_CAUSE]
    S.stack[f, st.T_LEFT] -= 1
    if op == tg.OP_DISCARD:
        ev.emit(L, S, ev.DISCARD, seat, np.int64(S.hand[seat, i]), 0, 0, 0, 0, cause)
        piles.discard_at(T, S, L, seat, i)
    else:
        piles.return_at(T, S, L, seat, i, cause)
