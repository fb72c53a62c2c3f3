"""Compiling the kernels ahead. Imports what plays and plays no key, so that everything comes from the cache later."""

from __future__ import annotations

import numpy as np
from numba import typeof, types

from bhsim.games.tricks.engine import block, play
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.engine.jit import CACHE
from bhsim.games.tricks.tables import SIDE, TABLES
from bhsim.games.tricks.tally import empty


def compile_all() -> None:
    """Compiles what ``play_block`` and ``driver.KernelGame`` need, unless the cache has it or another process is at it.

    What plays goes last: where it is cached, the rest is.
    """
    with CACHE.alone():
        if not CACHE.is_warm():
            _compile_steps()
        tables, sides = np.zeros(1, TABLES).view(np.recarray), np.zeros(2, SIDE).view(np.recarray)
        block.play_block(tables, sides, 0, 0, 0, empty(), np.zeros((0, 2), np.uint8))


def _compile_steps() -> None:
    """What leads a game decision by decision, for replays and the comparison of the engines."""
    T, D, S, W = (_record(dtype) for dtype in (TABLES, SIDE, st.STATE, st.WORK))
    play.start.compile((T, types.int64, S, W, types.uint64, types.int64))
    play.legal.compile((T, S, W))
    play.apply.compile((T, S, W, types.int64))
    block.bot_decision.compile((T, D, S, W))


def _record(dtype: np.dtype) -> types.Type:
    return typeof(np.zeros(1, dtype).view(np.recarray)[0])
