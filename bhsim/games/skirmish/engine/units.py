"""Closing a unit: disconnects, destroyed data, points, the win test, and what was triggered (SK-5.5, 8.5, 10.1, 10.2)."""

from __future__ import annotations

import numpy as np

from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import take_off
from bhsim.games.skirmish.engine.passives import tell_passives
from bhsim.games.skirmish.engine.state import GROUP, RUNNERS, seat_of
from bhsim.games.skirmish.tally import ROUND_BINS, RUNNER_FIELDS

ACTIVATIONS, DEALT, TAKEN, MADE, SUFFERED, EXTRACTIONS, SECURES, POINTS = range(len(RUNNER_FIELDS))
AFTER_MOVING, DAMAGED, DISCONNECTED, DISCONNECTING, SECURING, EXTRACTING, END_OF_ROUND, START_OF_ROUND = (
    v.TRIGGERS.index(t) for t in v.EVENT_TRIGGERS
)


@inner
def score(S, W, L, seat, points, source, cause):
    """Adds points; the win test comes when the unit is closed."""
    if points <= 0:
        return
    S.points[seat] += points
    S.points_from[seat, source] += points
    W.tempo_points[seat, min(S.round_no, ROUND_BINS - 1)] += points
    W.dirty = 1
    ev.emit(L, S, ev.SCORE, seat, points, source, S.points[seat], 0, 0, cause)


@inner
def lose_data(S, L, seat, cause):
    """The data extracted by ``seat`` is destroyed (SK-8.6)."""
    ev.emit(L, S, ev.DATA, seat, ev.DATA_DESTROYED, S.data_c[seat], max(S.data_s[seat], 0), 0, 0, cause)
    S.data_c[seat] = -1
    S.data_s[seat] = 0


@inner
def pend(T, S, W, g, trigger, culprit, node):
    """Notes that something happened to runner ``g`` that its own or its rig's text may react to."""
    active = S.mover
    order = 0 if seat_of(g) == active else 1
    for part in range(2):
        has_text = T.run[S.card[g, 0], 3] if part == 0 else T.rig[S.card[g, 1], 5]
        if (has_text >> trigger) & 1 == 0:
            continue
        n = W.n_pend
        if n >= st.PENDING:
            S.status = st.QUEUE_OVERFLOW
            return
        W.pend[n, 0] = ((order * 16 + g % GROUP) * 16 + trigger) * 2 + part
        W.pend[n, 1] = g
        W.pend[n, 2] = part
        W.pend[n, 3] = trigger
        W.pend[n, 4] = culprit
        W.pend[n, 5] = node
        W.n_pend = n + 1


@inner
def _queue_pending(S, W):
    """Sorts the unit's triggered texts, takes them into the queue, and starts a drain unless one goes on."""
    for i in range(1, W.n_pend):
        j = i
        while j > 0 and W.pend[j - 1, 0] > W.pend[j, 0]:
            for c in range(6):
                x = W.pend[j, c]
                W.pend[j, c] = W.pend[j - 1, c]
                W.pend[j - 1, c] = x
            j -= 1
    for i in range(W.n_pend):
        if S.accepted >= a.MAX_TRIGGERS:
            S.dropped += 1
            continue
        S.accepted += 1
        for c in range(5):
            S.queue[S.q_n, c] = W.pend[i, c + 1]
        S.q_n += 1
    W.n_pend = 0
    if S.q_n > S.q_head and S.drains == 0:
        push(S, st.DRAIN, 0, -1, -1, 0)
        S.drains = 1


@inner
def push(S, kind, side, src, origin, cause):
    """Puts a frame on the stack; its other columns are zero."""
    if S.sp >= a.MAX_STACK:
        S.status = st.STACK_OVERFLOW
        S.over = 1
        return
    f = S.sp
    for c in range(st.FRAME):
        S.stack[f, c] = 0
    S.stack[f, st.F_KIND] = kind
    S.stack[f, st.F_SIDE] = side
    S.stack[f, st.F_SRC] = src
    S.stack[f, st.F_ORIGIN] = origin
    S.stack[f, st.F_CAUSE] = cause
    S.sp = f + 1


@inner
def push_text(S, side, src, origin, cause, first, rows, trigger, culprit, target):
    """Puts a text on the stack: rows ``first``.. of one trigger; ``target`` = the attack's target (-1 = none)."""
    push(S, st.TEXT, side, src, origin, cause)
    f = S.sp - 1
    S.stack[f, st.T_ROW] = first
    S.stack[f, st.T_END] = first + rows
    S.stack[f, st.T_TRIG] = trigger
    S.stack[f, st.T_PREV] = -1
    S.stack[f, st.T_TARGET] = target
    S.stack[f, st.T_CULPRIT] = culprit


@inner
def _disconnect(T, S, W, L, g, side, culprit, cause):
    seat = seat_of(g)
    position = g - seat * GROUP
    node = S.node[g]
    take_off(T, S, g, seat)
    S.last[g] = node
    S.on[g] = st.OFF
    S.ready[g] = 0
    S.signal[g] = 0
    for stat in range(st.N_STATS):
        for d in range(st.N_TEMPS):
            S.temp[g, stat, d] = 0
    S.ban[g, 0] = 0
    S.ban[g, 1] = 0
    W.run[g, SUFFERED] += 1
    ev.emit(L, S, ev.DISCONNECT, seat, position, 0, 0, 0, 0, cause)
    if S.data_c[seat] == position and T.data_kept == 0:
        lose_data(S, L, seat, cause)
    if side != seat or T.own_scores != 0:
        score(S, W, L, 1 - seat, T.disconnect_points, st.BY_DISCONNECT, cause)
        if culprit >= 0 and seat_of(culprit) != seat:
            W.run[culprit, POINTS] += T.disconnect_points
    if culprit >= 0 and seat_of(culprit) != seat:
        W.run[culprit, MADE] += 1
    return node


@inner
def win_test(T, S, L):
    """Ends the game when a seat has the points (SK-10.1); of two, the token holder wins (SK-10.2)."""
    goal = T.points_to_win
    first = S.points[0] >= goal
    second = S.points[1] >= goal
    if not (first or second):
        return
    if first and second:
        winner = S.token
    else:
        winner = 0 if first else 1
    finish(S, L, winner, st.REASON_POINTS)


@inner
def finish(S, L, winner, reason):
    """The game is over; ``winner`` -1 = nobody."""
    S.over = 1
    S.winner = winner
    S.reason = reason
    S.ask = 0
    S.who = -1
    ev.emit(L, S, ev.END, winner, reason, S.points[0], S.points[1], S.round_no, 0, 0)


@inner
def close_unit(T, S, W, L, side, culprit, cause):
    """Ends a unit made by ``side`` (and by runner ``culprit``, -1 = none): who falls, who scores, who has won, what reacts."""
    if W.dirty != 0:
        W.dirty = 0
        hit = W.hit
        W.hit = 0
        for g in range(RUNNERS):
            if S.on[g] != st.BOARD:
                continue
            if S.signal[g] <= 0:
                node = _disconnect(T, S, W, L, g, side, culprit, cause)
                pend(T, S, W, g, DISCONNECTED, culprit, node)
                if culprit >= 0 and seat_of(culprit) != seat_of(g):
                    pend(T, S, W, culprit, DISCONNECTING, g, S.node[culprit])
            elif hit >> g & 1:
                pend(T, S, W, g, DAMAGED, culprit, S.node[g])
        for seat in range(2):
            if S.data_c[seat] >= 0 and S.data_s[seat] <= 0:
                lose_data(S, L, seat, cause)
        tell_passives(T, S, W, L)
        win_test(T, S, L)
        W.dirty = 0
    else:
        tell_passives(T, S, W, L)
    if S.over != 0:
        W.n_pend = 0
        return
    if W.n_pend > 0:
        _queue_pending(S, W)


@inner
def step_drain(T, S, W, L):
    """Takes the next triggered text from the queue, or ends the drain."""
    if S.q_head >= S.q_n:
        S.q_head = 0
        S.q_n = 0
        S.drains = 0
        S.sp -= 1
        return
    i = S.q_head
    S.q_head += 1
    g = np.int64(S.queue[i, 0])
    part = np.int64(S.queue[i, 1])
    trigger = np.int64(S.queue[i, 2])
    if S.on[g] != st.BOARD and trigger != DISCONNECTED:
        return
    node = S.node[g] if S.on[g] == st.BOARD else np.int64(S.queue[i, 4])
    part_text(T, S, g, part, trigger, np.int64(S.queue[i, 3]), node)


@inner
def part_text(T, S, g, part, trigger, culprit, node):
    """Puts a runner's (part 0) or its rig's (part 1) rows of one trigger on the stack."""
    seat = seat_of(g)
    if part == 0:
        run = S.card[g, 0]
        push_text(S, seat, g, node, ev.CAUSE_RUNNER + run, T.run[run, 1], T.run[run, 2], trigger, culprit, -1)
    else:
        rig = S.card[g, 1]
        push_text(S, seat, g, node, ev.CAUSE_RIG + rig, T.rig[rig, 3], T.rig[rig, 4], trigger, culprit, -1)
