"""Bots: one decision at a time, by the weights of a bot file (features.py).

The turn question compares every activation (where to, what then), every card and passing; the choices within a card or an
action are then made one by one, each for the best of what is on offer. A bot reads only what its player may see.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, count, drop_lowest, has, lowest
from bhsim.games.engine.rng import BOT, below
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import piles, play, turns, weave, worth
from bhsim.games.skirmish.engine import sight as si
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import put_on, take_off
from bhsim.games.skirmish.engine.state import BOARD, DATA_REF, GROUP, RUNNERS, seat_of

NEVER = worth.NEVER
OBLIGED = 1.0e12  # more than any choice is worth


@inner
def clear_plans(W):
    """Forgets what was planned and starts both bots' streams anew."""
    W.bot_draws[0] = 0
    W.bot_draws[1] = 0
    si.forget(W)
    W.dest = -1
    W.deed = 0
    W.deed_row = -1


@inner
def _draw(S, W, seat, n):
    j = below(S.key, BOT + seat, W.bot_draws[seat], n)
    W.bot_draws[seat] += 1
    return j


@inner
def _noise(D, S, W, seat):
    """A small number that makes equal options vary, from the bot's own stream."""
    if D.weights[si.NOISE] == 0.0:
        return 0.0
    return D.weights[si.NOISE] * _draw(S, W, seat, np.int64(65536)) / 65536.0


@inner
def choose_random(T, D, S, W, seat):
    """A uniformly random legal decision, among those that the bot's file leaves it."""
    n = play.list_legal(T, S, W.legal, st.MAX_LEGAL)
    if S.ask == a.PASS:
        n = _restrict(D, W.legal, n)
    return W.legal[_draw(S, W, seat, n)]


@inner
def _restrict(D, legal, n):
    """Keeps, of the first ``n`` choices of a turn, cards that must be played, if there are any, else all but those that must not; their
    number."""
    must = False
    for i in range(n):
        must = must or (legal[i] >> 24 == a.CARD and has(D.always[0], D.always[1], legal[i] & 0xFFF))
    kept = 0
    for i in range(n):
        card = legal[i] >> 24 == a.CARD
        title = legal[i] & 0xFFF
        if (must and card and has(D.always[0], D.always[1], title)) or (not must and not (card and has(D.never[0], D.never[1], title))):
            legal[kept] = legal[i]
            kept += 1
    return kept


@inner
def decide(T, D, S, W, seat):
    """The decision of ``seat``'s bot ``D`` in state ``S``; always one of the legal ones."""
    if D.style == 0:
        return choose_random(T, D, S, W, seat)
    ask = S.ask
    if ask == a.PASS:
        return _turn(T, D, S, W, seat)
    if ask == a.DEST and S.sp == 0:
        return a.DEST << 24 | W.dest if has(S.opt[0], S.opt[1], W.dest) else a.DEST << 24 | S.node[S.active]
    if ask == a.ACTION:
        return _action(T, D, S, W, seat)
    if ask == a.NODE or ask == a.STATE:
        return _hack(T, D, S, W, ask)
    if ask == a.DEPLOY or ask == a.PLACE:
        return _line_up(T, D, S, W, seat, ask)
    if ask == a.TOKEN:
        return a.TOKEN << 24 | seat
    if ask == a.CHOOSE:
        return _card_choice(T, D, S, W, seat)
    if ask == a.ABILITY:
        return a.ABILITY << 24 | (tg.lowest_bit(S.opt_mask) >> 1) << 12 | (tg.lowest_bit(S.opt_mask) & 1)
    si.look(T, D, S, W, seat)
    if ask == a.TARGET:
        return _target(T, D, S, W, seat)
    return _node(T, D, S, W, seat, ask)


@inner
def _turn(T, D, S, W, seat):
    """The best of passing, every activation and every card."""
    if not turns.may_act(T, S):
        return a.PASS << 24
    si.look(T, D, S, W, seat)
    best = D.weights[si.ACT]
    choice = a.PASS << 24
    dest = np.int64(-1)
    deed = np.int64(0)
    for p in range(S.n_crew[seat]):
        g = seat * GROUP + p
        if S.on[g] == BOARD and S.ready[g] == 1:
            value = _activation(T, D, S, W, seat, g) + _noise(D, S, W, seat)
            if value > best:
                best = value
                choice = a.ACTIVATE << 24 | p
                dest = W.dest
                deed = W.deed
    for i in range(S.n_hand[seat]):
        title = np.int64(S.hand[seat, i])
        if piles.find_hand(S, seat, title) != i or has(D.never[0], D.never[1], title):
            continue
        value = card_worth(T, D, S, W, seat, title) - D.weights[si.HOLD]
        if has(D.always[0], D.always[1], title):
            value += OBLIGED
        if value > 0.0:
            value += _noise(D, S, W, seat)
            if value > best:
                best = value
                choice = a.CARD << 24 | title
    W.dest = dest
    W.deed = deed
    W.deed_row = -1
    return choice


@inner
def card_worth(T, D, S, W, seat, title):
    """Worth of playing a title now."""
    return worth.text_worth(T, D, S, W, seat, np.int64(-1), np.int64(-1), T.card[title, 1], T.card[title, 2], turns.PLAYED)


@inner
def _activation(T, D, S, W, seat, g):
    """Worth of activating ``g`` with its best destination and action, which are left in ``W.dest`` and ``W.deed``."""
    here = S.node[g]
    lo = W.zone[g, 0]
    hi = W.zone[g, 1]
    s_lo, s_hi = si.net(W, here)
    before = si.stand_worth(T, D, S, W, g, here) - si.danger(T, D, S, W, g, s_lo, s_hi, here)
    best = NEVER
    best_dest = here
    best_deed = np.int64(0)
    while (lo | hi) != U0:
        s_lo, s_hi = si.net(W, lowest(lo, hi))
        n_lo = lo & s_lo
        n_hi = hi & s_hi
        lo &= ~s_lo
        hi &= ~s_hi
        value = _group(T, D, S, W, seat, g, n_lo, n_hi, s_lo, s_hi)
        if value > best:
            best = value
            best_dest = W.dest
            best_deed = W.deed
    W.dest = best_dest
    W.deed = best_deed
    return best - before


@inner
def _best_stand(T, D, S, W, g, lo, hi):
    """The node of a set where ``g`` stands best by its distances: left in ``W.dest``; its worth."""
    best = NEVER
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        lo, hi = drop_lowest(lo, hi)
        value = si.stand_worth(T, D, S, W, g, n)
        if value > best:
            best = value
            W.dest = n
    return best


@inner
def _group(T, D, S, W, seat, g, lo, hi, s_lo, s_hi):
    """Best worth of ending on a node of (lo, hi), all in the subnet (s_lo, s_hi), with an action there."""
    enemy = 1 - seat
    w = D.weights
    stand = _best_stand(T, D, S, W, g, lo, hi)
    dest = W.dest
    fear = si.danger(T, D, S, W, g, s_lo, s_hi, dest)
    best = stand - fear
    deed = np.int64(a.ACT_NONE << 12)
    if ((S.occ[enemy, 0] & s_lo) | (S.occ[enemy, 1] & s_hi)) != U0 and not nm.banned(T, S, g, nm.BAN_ATTACK):
        value, target = _best_strike(T, D, S, W, g, s_lo, s_hi)
        if stand - fear + value > best:
            best = stand - fear + value
            deed = np.int64(a.ACT_ATTACK << 12 | target)
    carries = nm.carries(S, g)
    b_lo = lo & T.beside[enemy, 0]
    b_hi = hi & T.beside[enemy, 1]
    if (b_lo | b_hi) != U0 and not carries and not nm.banned(T, S, g, nm.BAN_EXTRACT):
        _best_home(W, seat, b_lo, b_hi)
        node = W.dest
        data = si.secure_worth(T, D, S, seat, T.data_signal) * si.closeness(W.field[seat, node])
        fear_data = fear + w[si.DANGER] * w[si.CARRY] * data * si.exposure(T, D, S, W, g, s_lo, s_hi, node)
        value = w[si.EXTRACT] * (data - W.stakes[seat]) - fear_data + si.stand_worth(T, D, S, W, g, node)
        if value > best:
            best = value
            dest = node
            deed = np.int64(a.ACT_EXTRACT << 12)
    if carries:
        b_lo = lo & T.beside[seat, 0]
        b_hi = hi & T.beside[seat, 1]
        if (b_lo | b_hi) != U0 and not nm.banned(T, S, g, nm.BAN_SECURE):
            value = si.secure_worth(T, D, S, seat, S.data_s[seat])
            if value > 0.0:
                value += 0.5
            missing = T.points_to_win - S.points[seat]
            if si.secure_chance(D, S.data_s[seat], missing) > si.CERTAIN:
                value += si.sure_win(T, S, seat, missing)
            if value > best:
                best = value
                dest = lowest(b_lo, b_hi)
                deed = np.int64(a.ACT_SECURE << 12)
        if not nm.banned(T, S, g, nm.BAN_TRANSFER):
            value, target = _best_pass(T, D, S, W, seat, g, dest, s_lo, s_hi)
            if value > 0.0 and stand - fear + value > best:
                best = stand - fear + value
                deed = np.int64(a.ACT_TRANSFER << 12 | target)
    value = 0.0
    W.deed = np.int64(0)
    lonely = count(s_lo & (S.occ[0, 0] | S.occ[1, 0]), s_hi & (S.occ[0, 1] | S.occ[1, 1])) == 0
    if not lonely or has(s_lo, s_hi, S.node[g]):  # alone in a subnet a text does what it would do at home
        value = _deed_there(T, D, S, W, seat, g, dest)
    if W.deed != 0 and value > 0.0:
        s = si.stand_worth(T, D, S, W, g, dest) - si.danger(T, D, S, W, g, s_lo, s_hi, dest)
        if s + value > best:
            best = s + value
            deed = W.deed
    W.dest = dest
    W.deed = deed
    return best


@inner
def _best_home(W, seat, lo, hi):
    """The node of a set nearest to the own server, into ``W.dest``."""
    best = np.int64(1000)
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        lo, hi = drop_lowest(lo, hi)
        if W.field[seat, n] < best:
            best = W.field[seat, n]
            W.dest = n


@inner
def _best_strike(T, D, S, W, g, lo, hi):
    """Worth and target of the best ordinary attack from within a subnet."""
    seat = seat_of(g)
    enemy = 1 - seat
    best = 0.0
    target = np.int64(0)
    for p in range(S.n_crew[enemy]):
        e = enemy * GROUP + p
        if S.on[e] == BOARD and has(lo, hi, S.node[e]):
            value = si.plain_strike(T, D, S, W, g, e)
            if value > best:
                best = value
                target = np.int64(p)
    c = tg.carrier(S, enemy)
    if c >= 0 and has(lo, hi, S.node[c]):
        value = si.plain_strike(T, D, S, W, g, DATA_REF + enemy)
        if value > best:
            best = value
            target = np.int64(a.DATA)
    return best, target


@inner
def _best_pass(T, D, S, W, seat, g, node, lo, hi):
    """Worth and receiver of the best transfer from ``node`` to an ally in the subnet."""
    start = S.node[g]
    best = 0.0
    target = np.int64(0)
    take_off(T, S, g, seat)
    put_on(T, S, g, seat, node)
    active = S.active
    S.active = g
    for p in range(S.n_crew[seat]):
        h = seat * GROUP + p
        if h != g and S.on[h] == BOARD and has(lo, hi, S.node[h]):
            value = worth.pass_worth(T, D, S, W, seat, g, h)
            if value > best:
                best = value
                target = np.int64(p)
    S.active = active
    take_off(T, S, g, seat)
    put_on(T, S, g, seat, start)
    return best, target


@inner
def _deed_there(T, D, S, W, seat, g, node):
    """Worth of the signature or the best common action on ``node``; ``W.deed`` says which (0 = neither)."""
    W.deed = np.int64(0)
    run = S.card[g, 0]
    signature = (T.run[run, 3] >> turns.SIGNATURE) & 1 and not nm.banned(T, S, g, nm.BAN_SIGNATURE)
    if not signature and T.n_common == 0:
        return 0.0
    start = S.node[g]
    take_off(T, S, g, seat)
    put_on(T, S, g, seat, node)
    best = 0.0
    if signature:
        value = worth.text_worth(T, D, S, W, seat, g, node, T.run[run, 1], T.run[run, 2], turns.SIGNATURE)
        if value > best:
            best = value
            W.deed = np.int64(a.ACT_SIGNATURE << 12)
    if T.n_common > 0 and not nm.banned(T, S, g, nm.BAN_COMMON):
        for i in range(T.n_common):
            value = worth.text_worth(T, D, S, W, seat, g, node, T.common[i, 0], T.common[i, 1], turns.COMMON)
            if value > best:
                best = value
                W.deed = np.int64(a.ACT_COMMON << 12 | i)
    take_off(T, S, g, seat)
    put_on(T, S, g, seat, start)
    return best


@inner
def _action(T, D, S, W, seat):
    """The planned action; if that is not legal any more, securing or the best attack, else nothing."""
    planned = a.ACTION << 24 | W.deed
    n = play.list_legal(T, S, W.legal, st.MAX_LEGAL)
    secure = False
    for i in range(n):
        if W.legal[i] == planned:
            return planned
        secure = secure or W.legal[i] == a.ACTION << 24 | a.ACT_SECURE << 12
    if secure:
        return a.ACTION << 24 | a.ACT_SECURE << 12
    si.look(T, D, S, W, seat)
    g = S.active
    if not nm.banned(T, S, g, nm.BAN_ATTACK):
        value, target = _best_strike(T, D, S, W, g, *si.net(W, S.node[g]))
        if value > 0.0:
            return a.ACTION << 24 | a.ACT_ATTACK << 12 | target
    return a.ACTION << 24


@inner
def _hack(T, D, S, W, ask):
    """The state and the nodes of the plan; what is not planned is declined, or does the least."""
    f = S.sp - 1
    row = S.stack[f, st.T_ROW]
    key = (S.round_no * 1024 + S.turn) * 1024 + row
    if W.deed_row != key or S.pick_n == 0:
        si.look(T, D, S, W, S.stack[f, st.F_SIDE])
        weave.final_plan(T, D, S, W, f, row)
        W.deed_row = key
    lo = W.deed_nodes[0] & ~S.pick[0]
    hi = W.deed_nodes[1] & ~S.pick[1]
    wanted = W.deed_n > 0 and (lo | hi) != U0
    if ask == a.STATE:
        if wanted and W.deed_state >= 0 and S.opt_mask >> W.deed_state & 1:
            return a.STATE << 24 | W.deed_state
        if S.opt_done != 0:
            return a.DONE << 24
        return a.STATE << 24 | tg.lowest_bit(S.opt_mask)
    lo &= S.opt[0]
    hi &= S.opt[1]
    if (lo | hi) != U0:
        return a.NODE << 24 | lowest(lo, hi)
    if S.opt_done != 0:
        return a.DONE << 24
    return a.NODE << 24 | lowest(S.opt[0], S.opt[1])


@inner
def _line_up(T, D, S, W, seat, ask):
    """Deploys own runners where they start best; places returning enemies where they start worst."""
    si.look(T, D, S, W, seat)
    n = play.list_legal(T, S, W.legal, st.MAX_LEGAL)
    best = NEVER
    choice = W.legal[0]
    for i in range(n):
        p = W.legal[i] >> 12 & 0xFFF
        node = W.legal[i] & 0xFFF
        if node == a.NOWHERE:
            value = 1.0 * S.printed[(1 - seat) * GROUP + p, 0]
        elif ask == a.DEPLOY:
            value = si.stand_worth(T, D, S, W, seat * GROUP + p, node)
        else:
            value = 0.1 * W.field[seat, node] - 0.02 * count(T.nb[node, 0] & S.occ[1 - seat, 0], T.nb[node, 1] & S.occ[1 - seat, 1])
        value += _noise(D, S, W, seat)
        if value > best:
            best = value
            choice = W.legal[i]
    return choice


@inner
def _card_choice(T, D, S, W, seat):
    """Discards the card that is worth least now; takes back the one that is worth most."""
    si.look(T, D, S, W, seat)
    n = play.list_legal(T, S, W.legal, st.MAX_LEGAL)
    best = NEVER
    choice = W.legal[0]
    for i in range(n):
        action = W.legal[i]
        value = card_worth(T, D, S, W, seat, action & 0xFFF) + _noise(D, S, W, seat)
        if S.sub == 0:
            value = -value
        if value > best:
            best = value
            choice = action
    return choice


@inner
def _target(T, D, S, W, seat):
    """The target for which the row is worth most; none, if that may be and none is worth it."""
    f = S.sp - 1
    row = S.stack[f, st.T_ROW]
    op = T.fx[row, tb.OP]
    second = S.stack[f, st.F_STEP] == 2
    sel = S.stack[f, st.T_SEL]
    best = 0.0 if S.opt_done != 0 else NEVER
    choice = a.DONE << 24
    for g in range(RUNNERS + 2):
        if S.opt_mask >> g & 1 == 0:
            continue
        if op == tg.OP_ATTACK and second:
            value = worth.victim_worth(T, D, S, W, row, sel, g)
        elif op == tg.OP_ATTACK:
            value = worth.best_victim(T, D, S, W, f, row, g)
        elif op == tg.OP_SWAP and second:
            value = worth.swap_worth(T, D, S, W, seat, sel, g)
        else:
            value = worth.target_worth(T, D, S, W, f, row, g)
        if value > best:
            best = value
            if g >= DATA_REF:
                choice = a.TARGET << 24 | (g - DATA_REF) << 12 | a.DATA
            else:
                choice = a.TARGET << 24 | (g // GROUP) << 12 | (g % GROUP)
    return choice


@inner
def _node(T, D, S, W, seat, ask):
    """The best destination of a moved runner, or the best subnet."""
    f = S.sp - 1
    row = S.stack[f, st.T_ROW]
    lo = S.opt[0]
    hi = S.opt[1]
    if ask == a.DEST:
        W.spot = lowest(lo, hi)
        worth.best_spot(T, D, S, W, seat, S.stack[f, st.T_SEL], lo, hi)
        return a.DEST << 24 | W.spot
    best = NEVER
    choice = ask << 24 | lowest(lo, hi)
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        lo, hi = drop_lowest(lo, hi)
        s_lo, s_hi = si.net(W, n)
        value = worth.sum_worth(T, D, S, W, f, row, S.stack[f, st.T_MASK] & nm.runners_in(S, s_lo, s_hi))
        if value > best:
            best = value
            choice = ask << 24 | n
    return choice
