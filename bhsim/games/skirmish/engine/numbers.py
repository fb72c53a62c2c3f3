"""A runner's numbers as they are now: printed + temporary + passives; bans; conditions (SK-7.5, docs/decisions.md)."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import ALL, U0, count, has
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import ball, subnet
from bhsim.games.skirmish.engine.state import BOARD, GROUP, N_STATS, N_TEMPS, RUNNERS, seat_of

ATTACK, SECURITY, SPEED, BYPASS, EXPOSED, BORDERS, DAMAGE, DATA_BYPASS = range(N_STATS)
BAN_TRANSFER, BAN_EXTRACT, BAN_ATTACK, BAN_CROSSING, BAN_SECURE, BAN_SIGNATURE, BAN_COMMON, BAN_MOVE = (
    1 << i for i in range(len(v.FORBIDDABLE))
)
(
    W_SELF, W_OWN, W_ALLY, W_ENEMY, W_ANY, W_OTHER, W_OWN_CARRIER, W_ENEMY_CARRIER, W_ATTACK_TARGET, W_PREVIOUS, W_CULPRIT, W_OWN_DATA,
) = range(len(v.WHO))  # fmt: skip
IN_ANYWHERE, IN_SUBNET, IN_NEIGHBOURING, IN_DISTANCE, IN_CHOSEN = range(len(v.WITHIN))
(
    C_CARRYING, C_BELOW_FULL, C_TARGET_CARRIES, C_RED, C_BLUE, C_GRAY, C_BEHIND, C_AHEAD, C_TIED, C_ALLIES, C_ENEMIES,
) = range(len(v.CONDITIONS))  # fmt: skip
(
    FL_READY, FL_EXHAUSTED, FL_CARRYING, FL_NOT_CARRYING, FL_BELOW_FULL, FL_RED, FL_BLUE, FL_GRAY,
) = (1 << i for i in range(len(v.FILTERS)))  # fmt: skip


@inner
def carries(S, g):
    """Whether runner ``g`` carries data."""
    seat = seat_of(g)
    return S.data_c[seat] == g - seat * GROUP


@inner
def region(T, S, within, distance, centre):
    """Nodes in range of a centre node (-1 = none): the whole board for "anywhere"."""
    if within == IN_ANYWHERE or within == IN_CHOSEN:
        return ALL, ALL
    if centre < 0:
        return U0, U0
    if within == IN_SUBNET:
        return subnet(T, S, centre)
    if within == IN_NEIGHBOURING:
        return T.nb[centre, 0], T.nb[centre, 1]
    return ball(T, centre, distance)


@inner
def passes(S, g, filters):
    """Whether runner ``g`` passes a row's filters."""
    if filters == 0:
        return True
    if filters & FL_READY and S.ready[g] == 0:
        return False
    if filters & FL_EXHAUSTED and S.ready[g] == 1:
        return False
    if filters & FL_CARRYING and not carries(S, g):
        return False
    if filters & FL_NOT_CARRYING and carries(S, g):
        return False
    if filters & FL_BELOW_FULL and S.signal[g] >= S.printed[g, 1]:
        return False
    state = np.int64(S.state[S.node[g]])
    if filters & FL_RED and state != 0:
        return False
    if filters & FL_BLUE and state != 1:
        return False
    return not (filters & FL_GRAY and state != 2)


@inner
def related(who, side, src, g):
    """Whether ``g`` is a self / own / ally / enemy / any / other of the source ``src`` (-1 = none) of seat ``side``."""
    seat = seat_of(g)
    if who == W_ANY:
        return True
    if who == W_ENEMY:
        return seat != side
    if who == W_OWN:
        return seat == side
    if who == W_ALLY:
        return seat == side and g != src
    if who == W_OTHER:
        return g != src
    return g == src


@inner
def holds(T, S, row, side, src, origin, target_carries):
    """Whether every condition of a row holds; ``src`` -1 or off the board = no source, ``origin`` its last node."""
    here = src >= 0 and S.on[src] == BOARD
    for i in range(T.fx[row, tb.N_COND]):
        at = tb.COND + tb.COND_WIDTH * i
        kind = T.fx[row, at]
        true = False
        if kind == C_CARRYING:
            true = here and carries(S, src)
        elif kind == C_BELOW_FULL:
            true = here and S.signal[src] < S.printed[src, 1]
        elif kind == C_TARGET_CARRIES:
            true = target_carries != 0
        elif kind <= C_GRAY:
            true = here and np.int64(S.state[S.node[src]]) == kind - C_RED
        elif kind == C_BEHIND:
            true = S.points[side] < S.points[1 - side]
        elif kind == C_AHEAD:
            true = S.points[side] > S.points[1 - side]
        elif kind == C_TIED:
            true = S.points[side] == S.points[1 - side]
        else:
            centre = S.node[src] if here else origin
            found = 0
            if centre >= 0:
                lo, hi = subnet(T, S, centre)
                seat = side if kind == C_ALLIES else 1 - side
                found = count(lo & S.occ[seat, 0], hi & S.occ[seat, 1])
                if kind == C_ALLIES and here:
                    found -= 1
            true = found >= T.fx[row, at + 2]
        if T.fx[row, at + 1] != 0:
            true = not true
        if not true:
            return False
    return True


@inner
def passive_hits(T, S, row, src, g, target_carries):
    """Whether passive ``row`` of ``src`` applies to runner ``g`` now (both on the board)."""
    side = seat_of(src)
    who = T.fx[row, tb.WHO]
    if not related(who, side, src, g):
        return False
    within = T.fx[row, tb.WITHIN]
    if within != IN_ANYWHERE:
        lo, hi = region(T, S, within, T.fx[row, tb.DIST], S.node[src])
        if not has(lo, hi, S.node[g]):
            return False
    if not passes(S, g, T.fx[row, tb.FILTER]):
        return False
    return holds(T, S, row, side, src, S.node[src], target_carries)


@inner
def value(T, S, g, stat, target_carries):
    """One number of runner ``g``, at least 0. ``target_carries``: 1 while an attack on data or a carrier is counted."""
    largest = stat == BYPASS or stat == EXPOSED or stat == DATA_BYPASS
    total = 0
    if stat == ATTACK:
        total = S.printed[g, 0]
    elif stat == SECURITY:
        total = S.printed[g, 2]
    elif stat == SPEED:
        total = S.printed[g, 3]
    elif stat == BORDERS:
        total = T.border_crossings
    if S.temps_on[0] | S.temps_on[1] | S.temps_on[2]:
        for d in range(N_TEMPS):
            x = np.int64(S.temp[g, stat, d])
            total = max(total, x) if largest else total + x
    for i in range(S.n_pas if S.pas_kinds >> stat & 1 else 0):
        if S.pas[i, 2] == stat:
            src = np.int64(S.pas[i, 0])
            row = np.int64(S.pas[i, 1])
            if S.on[src] == BOARD and passive_hits(T, S, row, src, g, target_carries):
                x = T.fx[row, tb.AMOUNT]
                total = max(total, x) if largest else total + x
    if stat == BORDERS:
        if banned(T, S, g, BAN_CROSSING):
            return 0
        total = min(total, a.MAX_BORDERS)
    return max(total, 0)


@inner
def banned(T, S, g, what):
    """Whether runner ``g`` is forbidden ``what`` (one of the BAN_ bits), by a passive or for a time."""
    if S.temps_on[0] | S.temps_on[1]:
        if (np.int64(S.ban[g, 0]) | np.int64(S.ban[g, 1])) & what:
            return True
    for i in range(S.n_pas if S.pas_kinds >> N_STATS & 1 else 0):
        if S.pas[i, 2] == N_STATS:
            row = np.int64(S.pas[i, 1])
            if T.fx[row, tb.WHAT] & what:
                src = np.int64(S.pas[i, 0])
                if S.on[src] == BOARD and passive_hits(T, S, row, src, g, 0):
                    return True
    return False


@inner
def runners_in(S, lo, hi):
    """The runners that stand in a set of nodes, as bits g."""
    mask = 0
    for g in range(RUNNERS):
        if S.on[g] == BOARD and has(lo, hi, S.node[g]):
            mask |= 1 << g
    return mask
