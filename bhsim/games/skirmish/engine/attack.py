"""An attack (SK-8.2 to 8.4) as a frame: flips, flip texts, damage, and then it is over."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import has
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import piles, units
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.state import BOARD, DATA_REF, GROUP, seat_of

FLIPPED = v.TRIGGERS.index("flipped")
NEXT_ATTACK = 2
FLIPPING, TEXTS, DAMAGE = range(3)


@inner
def target_carries(S, ref):
    """1 if what is attacked is data or carries data."""
    if ref >= DATA_REF:
        return 1
    return 1 if nm.carries(S, ref) else 0


@inner
def push_attack(T, S, attacker, target, extra, bypass, within, distance):
    """Starts an attack of runner ``attacker`` on ``target`` (g, or DATA_REF + extracting seat)."""
    seat = seat_of(attacker)
    units.push(S, st.ATTACK, seat, attacker, S.node[attacker], ev.CAUSE_ATTACK)
    f = S.sp - 1
    S.stack[f, st.A_TARGET] = target
    S.stack[f, st.A_LEFT] = max(nm.value(T, S, attacker, nm.ATTACK, target_carries(S, target)) + extra, 0)
    S.stack[f, st.A_BASE] = S.n_flight[seat]
    S.stack[f, st.A_DONE] = S.n_flight[seat]
    S.stack[f, st.A_OWNBYPASS] = bypass
    S.stack[f, st.A_WITHIN] = within
    S.stack[f, st.A_DIST] = distance
    S.stack[f, st.A_VICTIM] = tg.runner_of(S, target)


@inner
def step_attack(T, S, W, L, f):
    """Goes on with the attack in frame ``f`` until a flip text waits or it is over."""
    seat = S.stack[f, st.F_SIDE]
    attacker = S.stack[f, st.F_SRC]
    each = T.flip_each != 0
    while True:
        step = S.stack[f, st.F_STEP]
        if step == FLIPPING:
            if S.stack[f, st.A_LEFT] > 0:
                S.stack[f, st.A_LEFT] -= 1
                title = piles.flip(T, S, W, L, seat, 0)
                if title < 0:
                    S.stack[f, st.A_LEFT] = 0
                elif each and _flip_text(T, S, f, seat, attacker, title):
                    return
            else:
                S.stack[f, st.F_STEP] = DAMAGE if each else TEXTS
        elif step == TEXTS:
            i = S.stack[f, st.A_DONE]
            if i < S.n_flight[seat]:
                S.stack[f, st.A_DONE] = i + 1
                if _flip_text(T, S, f, seat, attacker, np.int64(S.flight[seat, i])):
                    return
            else:
                S.stack[f, st.F_STEP] = FLIPPING if S.stack[f, st.A_LEFT] > 0 else DAMAGE
        else:
            _strike(T, S, W, L, f, seat, attacker)
            return


@inner
def _flip_text(T, S, f, seat, attacker, title):
    """Puts a flipped card's text on the stack; False if it has none."""
    if (T.card[title, 3] >> FLIPPED) & 1 == 0:
        return False
    centre = S.node[attacker] if S.on[attacker] == BOARD else S.last[attacker]
    target = S.stack[f, st.A_TARGET]
    victim = S.stack[f, st.A_VICTIM]
    units.push_text(S, seat, attacker, centre, ev.CAUSE_CARD + title, T.card[title, 1], T.card[title, 2], FLIPPED, victim, target)
    return True


@inner
def in_reach(T, S, f, attacker):
    """Whether the target is still there to be hit when damage is summed (SK-8.2)."""
    target = S.stack[f, st.A_TARGET]
    if S.on[attacker] != BOARD:
        return False
    g = target
    if target >= DATA_REF:
        g = tg.carrier(S, target - DATA_REF)
        if g != S.stack[f, st.A_VICTIM]:
            return False
    if S.on[g] != BOARD:
        return False
    lo, hi = nm.region(T, S, S.stack[f, st.A_WITHIN], S.stack[f, st.A_DIST], S.node[attacker])
    return has(lo, hi, S.node[g])


@inner
def dealt_damage(T, total, security, bypass):
    """Damage of an attack (SK-8.3): what the security left after bypass lets through, with the minimum."""
    dealt = max(total - max(security - bypass, 0), 0)
    if total >= 1:
        dealt = max(dealt, T.minimum_damage)
    return dealt


@inner
def _strike(T, S, W, L, f, seat, attacker):
    target = S.stack[f, st.A_TARGET]
    base = S.stack[f, st.A_BASE]
    data = target >= DATA_REF
    if in_reach(T, S, f, attacker):
        carries = target_carries(S, target)
        total = S.stack[f, st.A_BONUS] + nm.value(T, S, attacker, nm.DAMAGE, carries)
        for i in range(base, S.n_flight[seat]):
            total += T.card[S.flight[seat, i], 0]
        total = max(total, 0)
        bypass = max(nm.value(T, S, attacker, nm.BYPASS, carries), S.stack[f, st.A_OWNBYPASS])
        bypass = max(bypass, S.stack[f, st.A_BYPASS])
        if data:
            owner = target - DATA_REF
            bypass = max(bypass, nm.value(T, S, attacker, nm.DATA_BYPASS, carries))
            security = S.data_s[owner]
            dealt = dealt_damage(T, total, security, bypass)
            S.data_s[owner] -= dealt
            ev.emit_damage(L, S, owner, -1, total, security, bypass, dealt, S.data_s[owner], ev.CAUSE_ATTACK)
        else:
            bypass = max(bypass, nm.value(T, S, target, nm.EXPOSED, 0))
            security = nm.value(T, S, target, nm.SECURITY, 0)
            dealt = dealt_damage(T, total, security, bypass)
            hurt(S, W, target, attacker, dealt)
            ev.emit_damage(L, S, seat_of(target), target % GROUP, total, security, bypass, dealt, S.signal[target], ev.CAUSE_ATTACK)
        W.dirty = 1
    S.sp -= 1
    piles.land(T, S, L, seat, base)
    if S.temps_on[NEXT_ATTACK]:
        for stat in (nm.ATTACK, nm.BYPASS, nm.DAMAGE, nm.DATA_BYPASS):
            S.temp[attacker, stat, NEXT_ATTACK] = 0
        if not data:
            S.temp[target, nm.SECURITY, NEXT_ATTACK] = 0
            S.temp[target, nm.EXPOSED, NEXT_ATTACK] = 0
    units.close_unit(T, S, W, L, seat, attacker, ev.CAUSE_ATTACK)


@inner
def hurt(S, W, g, culprit, dealt):
    """Lowers a runner's signal; the unit's end does the rest."""
    if dealt <= 0:
        return
    S.signal[g] -= dealt
    W.hit |= 1 << g
    W.dirty = 1
    W.run[g, units.TAKEN] += dealt
    if culprit >= 0 and seat_of(culprit) != seat_of(g):
        W.run[culprit, units.DEALT] += dealt


@inner
def add_to_attack(T, S, row, op):
    """A flip row that works on the attack below it: +n damage, bypass, or more cards (docs/decisions.md)."""
    for f in range(S.sp - 1, -1, -1):
        if S.stack[f, st.F_KIND] == st.ATTACK:
            amount = T.fx[row, tb.AMOUNT]
            if op == tg.OP_BONUS:
                S.stack[f, st.A_BONUS] += amount
            elif op == tg.OP_BYPASS:
                S.stack[f, st.A_BYPASS] = max(S.stack[f, st.A_BYPASS], amount)
            else:
                S.stack[f, st.A_LEFT] += amount
            return
