"""Whom a row can be done to: candidates by who, range and filter, then by what the operation needs."""

from __future__ import annotations

from bhsim.games.engine.bits import U0, has
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import free, subnet
from bhsim.games.skirmish.engine.state import BOARD, DATA_REF, GROUP, RUNNERS, seat_of

(
    OP_HACK, OP_CHANGE, OP_DAMAGE, OP_HEAL, OP_ATTACK, OP_BONUS, OP_BYPASS, OP_FLIP, OP_DRAW, OP_DISCARD, OP_RETURN, OP_EXHAUST, OP_READY,
    OP_MOVE, OP_PLACE, OP_SWAP, OP_TRANSFER, OP_SIGNAL, OP_SCORE, OP_ANOTHER, OP_STAT, OP_FORBID,
) = range(len(v.OPS))  # fmt: skip
TO_SUBNET, TO_NEIGHBOURING, TO_HOME, TO_BESIDE = range(len(v.PLACES))


@inner
def centre_of(S, src, origin):
    """The node that ranges of a text are measured from: its source's, else where it stood, -1 = nowhere."""
    if src >= 0 and S.on[src] == BOARD:
        return S.node[src]
    return origin


@inner
def carrier(S, seat):
    """The runner of ``seat`` that carries data on the board, or -1."""
    c = S.data_c[seat]
    if c < 0:
        return -1
    g = seat * GROUP + c
    if S.on[g] != BOARD:
        return -1
    return g


@inner
def runner_of(S, ref):
    """The runner behind a target: itself, or the carrier of data; -1 if it is not on the board."""
    if ref < 0:
        return -1
    if ref >= DATA_REF:
        return carrier(S, ref - DATA_REF)
    return ref if S.on[ref] == BOARD else -1


@inner
def _named(S, f, who, side, src):
    """The one runner meant by a word that names one, or -1."""
    if who == nm.W_SELF:
        return src
    if who == nm.W_OWN_CARRIER:
        return carrier(S, side)
    if who == nm.W_ENEMY_CARRIER or who == nm.W_OWN_DATA:
        return carrier(S, 1 - side)
    if who == nm.W_PREVIOUS:
        return S.stack[f, st.T_PREV]
    return S.stack[f, st.T_CULPRIT]  # also the attack's target


@inner
def matching(T, S, f, row, who, src, lo, hi, filters):
    """Runners (bits g) on the board that a word means, within a set of nodes, and that pass the filters."""
    side = S.stack[f, st.F_SIDE]
    mask = 0
    if who == nm.W_OWN or who == nm.W_ALLY or who == nm.W_ENEMY or who == nm.W_ANY or who == nm.W_OTHER:
        source = src if src >= 0 and S.on[src] == BOARD else -1
        for g in range(RUNNERS):
            if S.on[g] == BOARD and nm.related(who, side, source, g) and has(lo, hi, S.node[g]) and nm.passes(S, g, filters):
                mask |= 1 << g
        return mask
    g = _named(S, f, who, side, src)
    if g >= 0 and S.on[g] == BOARD and has(lo, hi, S.node[g]) and nm.passes(S, g, filters):
        mask = 1 << g
    return mask


@inner
def candidates(T, S, f, row):
    """Runners that a targeted row of the text in frame ``f`` may be done to, as bits g."""
    src = S.stack[f, st.F_SRC]
    centre = centre_of(S, src, S.stack[f, st.F_ORIGIN])
    lo, hi = nm.region(T, S, T.fx[row, tb.WITHIN], T.fx[row, tb.DIST], centre)
    mask = matching(T, S, f, row, T.fx[row, tb.WHO], src, lo, hi, T.fx[row, tb.FILTER])
    op = T.fx[row, tb.OP]
    if op == OP_HEAL or op == OP_EXHAUST or op == OP_READY or op == OP_PLACE or op == OP_SWAP:
        able = 0
        for g in range(RUNNERS):
            if mask >> g & 1 and _able(T, S, f, row, op, g, centre):
                able |= 1 << g
        return able
    return mask


@inner
def _able(T, S, f, row, op, g, centre):
    if op == OP_HEAL:
        return S.signal[g] < S.printed[g, 1]
    if op == OP_EXHAUST:
        return S.ready[g] == 1
    if op == OP_READY:
        return S.ready[g] == 0
    if op == OP_PLACE:
        lo, hi = places(T, S, g, T.fx[row, tb.TO], centre)
        return (lo | hi) != U0
    return partners(T, S, f, row, g) != 0


@inner
def places(T, S, g, to, centre):
    """Free online nodes on which runner ``g`` can be placed; ``centre`` is the source's node for "beside"."""
    lo, hi = free(S)
    if to == TO_SUBNET:
        m_lo, m_hi = subnet(T, S, S.node[g])
        return lo & m_lo, hi & m_hi
    if to == TO_NEIGHBOURING:
        n = S.node[g]
        return lo & T.nb[n, 0], hi & T.nb[n, 1]
    if to == TO_HOME:
        seat = seat_of(g)
        return lo & T.home[seat, 0], hi & T.home[seat, 1]
    if centre < 0:
        return U0, U0
    return lo & T.nb[centre, 0], hi & T.nb[centre, 1]


@inner
def partners(T, S, f, row, g):
    """Runners with which ``g`` can swap places, as bits."""
    src = S.stack[f, st.F_SRC]
    centre = centre_of(S, src, S.stack[f, st.F_ORIGIN])
    lo, hi = nm.region(T, S, T.fx[row, tb.WITHIN], T.fx[row, tb.DIST], centre)
    return matching(T, S, f, row, T.fx[row, tb.OTHER], src, lo, hi, 0) & ~(1 << g)


@inner
def receivers(T, S, f, row):
    """Runners to which a row may pass the own carrier's data, as bits; range is measured from the carrier."""
    side = S.stack[f, st.F_SIDE]
    c = carrier(S, side)
    if c < 0:
        return 0
    lo, hi = nm.region(T, S, T.fx[row, tb.WITHIN], T.fx[row, tb.DIST], S.node[c])
    mask = matching(T, S, f, row, T.fx[row, tb.WHO], S.stack[f, st.F_SRC], lo, hi, T.fx[row, tb.FILTER])
    own = ((1 << GROUP) - 1) << (side * GROUP)
    return mask & own & ~(1 << c)


@inner
def victims(T, S, f, row, attacker):
    """What ``attacker`` may attack by a row: bits g, and bit DATA_REF + extracting seat for data."""
    side = seat_of(attacker)
    who = T.fx[row, tb.WHO]
    lo, hi = nm.region(T, S, T.fx[row, tb.WITHIN], T.fx[row, tb.DIST], S.node[attacker])
    enemies = ((1 << GROUP) - 1) << ((1 - side) * GROUP)
    mask = 0
    if who != nm.W_OWN_DATA:
        mask = matching(T, S, f, row, who, attacker, lo, hi, T.fx[row, tb.FILTER]) & enemies
    if who == nm.W_OWN_DATA or (T.fx[row, tb.DATA] != 0 and who != nm.W_PREVIOUS):
        c = carrier(S, 1 - side)
        if c >= 0 and has(lo, hi, S.node[c]) and nm.passes(S, c, T.fx[row, tb.FILTER]):
            mask |= 1 << (DATA_REF + 1 - side)
    return mask


@inner
def attackers(T, S, f, row):
    """Runners that may make the attack of a row: bits g, each with at least one victim."""
    side = S.stack[f, st.F_SIDE]
    src = S.stack[f, st.F_SRC]
    by = T.fx[row, tb.BY]
    source = src if src >= 0 and S.on[src] == BOARD else -1
    mask = 0
    for p in range(GROUP):
        g = side * GROUP + p
        if S.on[g] != BOARD or not nm.related(by, side, source, g):
            continue
        if not nm.banned(T, S, g, nm.BAN_ATTACK) and victims(T, S, f, row, g) != 0:
            mask |= 1 << g
    return mask


@inner
def lowest_bit(mask):
    """Number of the lowest set bit of an int64 mask, -1 for 0."""
    for g in range(RUNNERS + 2):
        if mask >> g & 1:
            return g
    return -1


@inner
def plain_victims(T, S, g):
    """What runner ``g`` may attack by the ordinary action (SK-8.1): bits g and data."""
    side = seat_of(g)
    lo, hi = subnet(T, S, S.node[g])
    mask = 0
    for p in range(GROUP):
        e = (1 - side) * GROUP + p
        if S.on[e] == BOARD and has(lo, hi, S.node[e]):
            mask |= 1 << e
    c = carrier(S, 1 - side)
    if c >= 0 and mask >> c & 1:
        mask |= 1 << (DATA_REF + 1 - side)
    return mask


@inner
def spots(T, S, row, centre):
    """Nodes in range of a hack or change row, servers excluded."""
    lo, hi = nm.region(T, S, T.fx[row, tb.WITHIN], T.fx[row, tb.DIST], centre)
    return lo & T.board[0], hi & T.board[1]
