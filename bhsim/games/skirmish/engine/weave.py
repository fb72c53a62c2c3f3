"""What a bot does with nodes it may turn: open a way, close one, hide a runner, bring an enemy into reach.

Each idea proposes a small set of nodes for one state, which is tried on the masks and taken back; the best stays in the
scratch record (``W.deed_*``) as the plan that the STATE and NODE questions are then answered by.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, count, drop_lowest, has, lowest
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import picks
from bhsim.games.skirmish.engine import sight as si
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import flood, reach, set_state, subnet
from bhsim.games.skirmish.engine.state import BOARD, GROUP, seat_of

LEAST = 0.05


@inner
def quick_plan(T, D, S, W, f, row):
    """``plan`` for comparing cards: one plan for as many nodes as there may be serves every "up to n" that has enough.

    Kept until the next look, for connected and unconnected hacks apart; with it the plan for the n last asked for.
    """
    wanted = T.fx[row, tb.COUNT]
    if T.fx[row, tb.UP_TO] == 0 or T.fx[row, tb.WITHIN] != nm.IN_ANYWHERE:
        return plan(T, D, S, W, f, row, wanted)
    i = T.fx[row, tb.CONNECTED]
    kind = T.fx[row, tb.OP] * 16 + T.fx[row, tb.STATES]
    if W.weave_of[i, 0] != kind:
        W.weave_worth[i, 0] = plan(T, D, S, W, f, row, np.int64(a.MAX_PICK))
        W.weave_of[i, 0] = kind
        W.weave_of[i, 1] = W.deed_n
        W.weave_of[i, 2] = -1
    if W.weave_of[i, 1] <= wanted:
        return W.weave_worth[i, 0]
    if W.weave_of[i, 2] != wanted:
        W.weave_worth[i, 1] = plan(T, D, S, W, f, row, wanted)
        W.weave_of[i, 2] = wanted
    return W.weave_worth[i, 1]


@inner
def final_plan(T, D, S, W, f, row):
    """The plan that ``quick_plan`` valued, made again to be carried out: it is left in ``W.deed_*``."""
    if T.fx[row, tb.UP_TO] != 0 and T.fx[row, tb.WITHIN] == nm.IN_ANYWHERE:
        plan(T, D, S, W, f, row, np.int64(a.MAX_PICK))
        if W.deed_n <= T.fx[row, tb.COUNT]:
            return
    plan(T, D, S, W, f, row, T.fx[row, tb.COUNT])


@inner
def plan(T, D, S, W, f, row, limit):
    """Worth of the best idea for a hack or change row of up to ``limit`` nodes; it is left in ``W.deed_*`` (no nodes: none)."""
    W.limit = limit
    W.deed_n = 0
    W.deed_state = -1
    W.deed_nodes[0] = U0
    W.deed_nodes[1] = U0
    W.deed_worth = 0.0
    seat = S.stack[f, st.F_SIDE]
    _deny(T, D, S, W, f, row, seat)
    _open(T, D, S, W, f, row, seat)
    _link(T, D, S, W, f, row, seat)
    _shield(T, D, S, W, f, row, seat)
    return W.deed_worth


@inner
def _hangs_together(T, W, row, lo, hi, how):
    """Whether a set of nodes is a legal choice for the row (count, touching or one group)."""
    n = count(lo, hi)
    if n == 0 or n > W.limit:
        return False
    if T.fx[row, tb.UP_TO] == 0 and n != T.fx[row, tb.COUNT]:
        return False
    if n == 1 or how == picks.FREE:
        return True
    if how == picks.GROUPED:
        x = lowest(lo, hi)
        g_lo, g_hi = flood(T, T.bit[x, 0], T.bit[x, 1], lo, hi)
        return g_lo == lo and g_hi == hi
    r_lo = lo
    r_hi = hi
    while (r_lo | r_hi) != U0:
        x = lowest(r_lo, r_hi)
        r_lo, r_hi = drop_lowest(r_lo, r_hi)
        if (T.nb[x, 0] & lo) == U0 and (T.nb[x, 1] & hi) == U0:
            return False
    return True


@inner
def _try_on(T, S, W, lo, hi, state):
    """Turns a set of nodes to ``state``, remembering the old states in ``W.undo``."""
    i = 0
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        lo, hi = drop_lowest(lo, hi)
        W.undo[i] = np.int64(S.state[n])
        set_state(T, S, n, state)
        i += 1


@inner
def _take_back(T, S, W, lo, hi):
    i = 0
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        lo, hi = drop_lowest(lo, hi)
        set_state(T, S, n, W.undo[i])
        i += 1


@inner
def _keep(W, lo, hi, state, worth):
    if worth > W.deed_worth and worth > LEAST:
        W.deed_worth = worth
        W.deed_nodes[0] = lo
        W.deed_nodes[1] = hi
        W.deed_state = state
        W.deed_n = count(lo, hi)


@inner
def _reach_of(T, S, W, g):
    """Nodes on which runner ``g`` can stand after its next move on the board as it is now."""
    return reach(T, S, W, seat_of(g), S.node[g], W.speed[g], W.borders[g])


@inner
def _open(T, D, S, W, f, row, seat):
    """A way for the carrier to its server, or for the nearest free runner to the enemy's."""
    c = tg.carrier(S, seat)
    if c >= 0:
        if S.ready[c] == 1 and not si.can_reach_server(T, W, c, seat):
            worth = si.secure_worth(T, D, S, seat, S.data_s[seat])
            _open_way(T, D, S, W, f, row, c, seat, worth)
        return
    best = -1
    for p in range(S.n_crew[seat]):
        g = seat * GROUP + p
        if S.on[g] == BOARD and S.ready[g] == 1:
            if si.can_reach_server(T, W, g, 1 - seat):
                return
            if best < 0 or T.server_distance[1 - seat, S.node[g]] < T.server_distance[1 - seat, S.node[best]]:
                best = g
    if best >= 0:
        worth = D.weights[si.EXTRACT] * si.secure_worth(T, D, S, seat, T.data_signal) * 0.6
        _open_way(T, D, S, W, f, row, best, 1 - seat, worth)


@inner
def _open_way(T, D, S, W, f, row, g, server, worth):
    """Turns the nodes of a shortest path one after the other until the runner gets beside the server."""
    x = S.node[g]
    steps = np.int64(T.server_distance[server, x])
    if steps > W.speed[g]:
        return
    how = picks.manner(T, row)
    enemy = 1 - seat_of(g)
    for state in range(3):
        if T.fx[row, tb.STATES] >> state & 1 == 0:
            continue
        e_lo, e_hi = picks.eligible(T, S, f, row, state)
        if not _walk(T, S, W, x, server, steps, state, enemy, e_lo, e_hi):
            continue
        lo = U0
        hi = U0
        for i in range(steps):
            n = W.path[i]
            if S.state[n] == state and (lo | hi) == U0:
                continue
            if not has(e_lo, e_hi, n):
                break
            lo |= T.bit[n, 0]
            hi |= T.bit[n, 1]
            if count(lo, hi) > W.limit:
                break
            if not _hangs_together(T, W, row, lo, hi, how):
                continue
            _try_on(T, S, W, lo, hi, state)
            r_lo, r_hi = _reach_of(T, S, W, g)
            there = (r_lo & T.beside[server, 0]) != U0 or (r_hi & T.beside[server, 1]) != U0
            _take_back(T, S, W, lo, hi)
            if there:
                _keep(W, lo, hi, state, D.weights[si.OPEN] * worth)
                break


@inner
def _walk(T, S, W, x, server, steps, state, enemy, e_lo, e_hi):
    """A shortest path from ``x`` to the server into ``W.path``, over nodes that have the state or can be given it."""
    node = x
    for i in range(steps):
        left = steps - i - 1
        lo = T.nb[node, 0] & T.board[0] & ~S.occ[enemy, 0]
        hi = T.nb[node, 1] & T.board[1] & ~S.occ[enemy, 1]
        best = -1
        while (lo | hi) != U0:
            n = lowest(lo, hi)
            lo, hi = drop_lowest(lo, hi)
            if np.int64(T.server_distance[server, n]) != left:
                continue
            if S.state[n] == state:
                best = n
                break
            if best < 0 and (has(e_lo, e_hi, n) or S.state[n] < 3):
                best = n
        if best < 0:
            return False
        W.path[i] = best
        node = best
    return True


@inner
def _deny(T, D, S, W, f, row, seat):
    """Closes the enemy carrier's way to its server."""
    enemy = 1 - seat
    c = tg.carrier(S, enemy)
    if c < 0 or not si.can_reach_server(T, W, c, enemy):
        return
    worth = D.weights[si.DENY] * si.secure_worth(T, D, S, enemy, S.data_s[enemy])
    if S.ready[c] == 0:
        worth *= si.LATER
    how = picks.manner(T, row)
    for idea in range(2):
        for s in range(4):
            state = 3 - s  # offline closes best
            if T.fx[row, tb.STATES] >> state & 1 == 0:
                continue
            e_lo, e_hi = picks.eligible(T, S, f, row, state)
            if idea == 0:
                e_lo &= T.beside[enemy, 0] & W.zone[c, 0]
                e_hi &= T.beside[enemy, 1] & W.zone[c, 1]
            else:
                n = S.node[c]
                e_lo &= T.nb[n, 0] & W.zone[c, 0]
                e_hi &= T.nb[n, 1] & W.zone[c, 1]
            e_lo, e_hi = _cut(e_lo, e_hi, W.limit)
            if not _hangs_together(T, W, row, e_lo, e_hi, how):
                continue
            _try_on(T, S, W, e_lo, e_hi, state)
            r_lo, r_hi = _reach_of(T, S, W, c)
            open_still = (r_lo & T.beside[enemy, 0]) != U0 or (r_hi & T.beside[enemy, 1]) != U0
            _take_back(T, S, W, e_lo, e_hi)
            if not open_still:
                _keep(W, e_lo, e_hi, state, worth)
                return


@inner
def _cut(lo, hi, n):
    """The lowest ``n`` nodes of a set."""
    out_lo = lo
    out_hi = hi
    for _ in range(n):
        if (lo | hi) == U0:
            return out_lo, out_hi
        lo, hi = drop_lowest(lo, hi)
    return out_lo & ~lo, out_hi & ~hi


@inner
def _link(T, D, S, W, f, row, seat):
    """Grows the subnet of the best prey towards the hunter that cannot get at it yet."""
    enemy = 1 - seat
    best = 2.0 * LEAST
    hunter = -1
    prey = -1
    for q in range(S.n_crew[enemy]):
        e = enemy * GROUP + q
        if S.on[e] != BOARD or S.state[S.node[e]] > 2 or T.fx[row, tb.STATES] >> np.int64(S.state[S.node[e]]) & 1 == 0:
            continue
        s_lo, s_hi = si.net(W, S.node[e])
        for p in range(S.n_crew[seat]):
            g = seat * GROUP + p
            if S.on[g] != BOARD or S.ready[g] == 0:
                continue
            if np.int64(T.distance[S.node[g], S.node[e]]) > W.speed[g] + W.limit:
                continue
            if (W.zone[g, 0] & s_lo) != U0 or (W.zone[g, 1] & s_hi) != U0:
                continue
            worth = si.plain_strike(T, D, S, W, g, e)
            if worth > best:
                best = worth
                hunter = g
                prey = e
    if hunter < 0:
        return
    state = np.int64(S.state[S.node[prey]])
    e_lo, e_hi = picks.eligible(T, S, f, row, state)
    how = picks.manner(T, row)
    lo = U0
    hi = U0
    node = S.node[prey]
    goal = S.node[hunter]
    for _ in range(W.limit + 2):
        n_lo = T.nb[node, 0]
        n_hi = T.nb[node, 1]
        step = -1
        nearest = np.int64(T.distance[node, goal])
        while (n_lo | n_hi) != U0:
            n = lowest(n_lo, n_hi)
            n_lo, n_hi = drop_lowest(n_lo, n_hi)
            if np.int64(T.distance[n, goal]) < nearest and (S.state[n] == state or has(e_lo, e_hi, n)):
                step = n
                if S.state[n] == state:
                    break
        if step < 0:
            return
        node = step
        if S.state[node] == state and (lo | hi) == U0:
            continue
        if not has(e_lo, e_hi, node):
            return
        lo |= T.bit[node, 0]
        hi |= T.bit[node, 1]
        if count(lo, hi) > W.limit:
            return
        if not _hangs_together(T, W, row, lo, hi, how):
            continue
        _try_on(T, S, W, lo, hi, state)
        r_lo, r_hi = _reach_of(T, S, W, hunter)
        s_lo, s_hi = subnet(T, S, S.node[prey])
        linked = (r_lo & s_lo) != U0 or (r_hi & s_hi) != U0
        _take_back(T, S, W, lo, hi)
        if linked:
            _keep(W, lo, hi, state, D.weights[si.LINK] * best)
            return


@inner
def _shield(T, D, S, W, f, row, seat):
    """Cuts the own runner in most danger off from the enemies that can get at it."""
    worst = 4.0 * LEAST
    who = -1
    for p in range(S.n_crew[seat]):
        g = seat * GROUP + p
        if S.on[g] != BOARD or (S.ready[g] == 1 and not nm.carries(S, g)):
            continue
        lo, hi = si.net(W, S.node[g])
        fear = si.danger(T, D, S, W, g, lo, hi, S.node[g])
        if fear > worst:
            worst = fear
            who = g
    if who < 0:
        return
    node = S.node[who]
    here = np.int64(S.state[node])
    how = picks.manner(T, row)
    for s in range(4):
        state = 3 - s
        if state == here or T.fx[row, tb.STATES] >> state & 1 == 0:
            continue
        e_lo, e_hi = picks.eligible(T, S, f, row, state)
        r_lo = e_lo & T.nb[node, 0] & S.mask[here, 0]
        r_hi = e_hi & T.nb[node, 1] & S.mask[here, 1]
        lo, hi = _cut(r_lo, r_hi, W.limit)
        if _hangs_together(T, W, row, lo, hi, how):
            _hide(T, D, S, W, who, lo, hi, state, worst)
            continue
        while (r_lo | r_hi) != U0:  # then each side of the runner for itself
            n = lowest(r_lo, r_hi)
            lo, hi = flood(T, T.bit[n, 0], T.bit[n, 1], r_lo, r_hi)
            r_lo &= ~lo
            r_hi &= ~hi
            lo, hi = _cut(lo, hi, W.limit)
            if _hangs_together(T, W, row, lo, hi, how):
                _hide(T, D, S, W, who, lo, hi, state, worst)


@inner
def _hide(T, D, S, W, who, lo, hi, state, worst):
    """Keeps the idea to turn (lo, hi) to ``state`` for what it takes off runner ``who``'s danger, which is ``worst`` now."""
    node = S.node[who]
    _try_on(T, S, W, lo, hi, state)
    n_lo, n_hi = subnet(T, S, node)
    fear = si.danger(T, D, S, W, who, n_lo, n_hi, node)
    _take_back(T, S, W, lo, hi)
    _keep(W, lo, hi, state, D.weights[si.SHIELD] * (worst - fear))
