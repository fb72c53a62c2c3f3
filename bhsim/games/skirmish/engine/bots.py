"""Bots: one decision at a time."""

from __future__ import annotations

from bhsim.games.skirmish.engine import play
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.rng import BOT, below


@inner
def clear_plans(W):
    """Forgets what was planned and starts both bots' streams anew."""
    W.bot_draws[0] = 0
    W.bot_draws[1] = 0


@inner
def choose_random(T, S, W, seat):
    """A uniformly random legal decision."""
    n = play.list_legal(T, S, W.legal, st.MAX_LEGAL)
    j = below(S.key, BOT + seat, W.bot_draws[seat], n)
    W.bot_draws[seat] += 1
    return W.legal[j]


@inner
def decide(T, D, S, W, seat):
    """The decision of ``seat``'s bot."""
    return choose_random(T, S, W, seat)
