"""The raw event log of a game: rows of nine int64, which ``eventlog.py`` turns into the documented JSON lines.

A log of length 0 is off. Rows beyond the end are not written, but counted, so the reader sees that it was too short.
"""

from __future__ import annotations

from bhsim.games.skirmish.engine.jit import inner

LOG_WIDTH = 9
NAMES = (
    "shuffle", "draw", "deploy", "round", "turn", "move", "place", "action", "flip", "hack", "change", "picked",
    "damage", "heal", "stat", "exhaust", "ready", "discard", "data", "disconnect", "score", "unlock", "reconnect", "refresh",
    "token", "end", "return", "another_turn",
)  # fmt: skip
(
    SHUFFLE, DRAW, DEPLOY, ROUND, TURN, MOVE, PLACE, ACTION, FLIP, HACK, CHANGE, PICKED,
    DAMAGE, HEAL, STAT, EXHAUST, READY, DISCARD, DATA, DISCONNECT, SCORE, UNLOCK, RECONNECT, REFRESH,
    TOKEN, END, RETURN, ANOTHER,
) = range(len(NAMES))  # fmt: skip

# Causes: what made it happen. A text's cause says whose text: CAUSE_CARD + title, CAUSE_RUNNER + runner in the pool, ...
CAUSE_NONE, CAUSE_ACTIVATION, CAUSE_ATTACK = range(3)
CAUSE_CARD, CAUSE_RUNNER, CAUSE_RIG, CAUSE_COMMON = 1000, 2000, 3000, 4000

DATA_EXTRACT, DATA_TRANSFER, DATA_DESTROYED, DATA_SECURED, DATA_SIGNAL = range(5)
SCORE_DISCONNECT, SCORE_SECURE, SCORE_EFFECT = range(3)
UNTIL_WHILE = 3  # of a stat event: a passive; below that the number of a duration


@inner
def emit(L, S, kind, a, b, c, d, e, f, cause):
    """Appends an event with its six numbers and its cause."""
    if L.shape[0] == 0:
        return
    n = S.log_n
    if n < L.shape[0]:
        L[n, 0] = kind
        L[n, 1] = a
        L[n, 2] = b
        L[n, 3] = c
        L[n, 4] = d
        L[n, 5] = e
        L[n, 6] = f
        L[n, 7] = cause
        L[n, 8] = 0
    S.log_n = n + 1


@inner
def emit_damage(L, S, seat, position, total, security, bypass, dealt, left, cause):
    """Damage has one number more than other events: what is ``left`` of the signal, before the unit's end."""
    emit(L, S, DAMAGE, seat, position, total, security, bypass, dealt, cause)
    if 0 < S.log_n <= L.shape[0]:
        L[S.log_n - 1, 8] = max(left, 0)
