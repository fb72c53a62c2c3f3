"""Compiling the kernels ahead, on two cores: a helper process compiles the bots while this one compiles the rules.

Both write to the same cache folder, function by function; the kernel that plays is then put together from it.
``python -m bhsim.games.skirmish.engine.warm`` is the helper.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from numba import typeof, types

from bhsim.games.skirmish.engine import block, events, play
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import CACHE
from bhsim.games.skirmish.tables import SIDE, TABLES
from bhsim.games.skirmish.tally import TALLY


def _record(dtype: np.dtype) -> types.Type:
    return typeof(np.zeros(1, dtype).view(np.recarray)[0])


def _log() -> types.Type:
    return typeof(np.zeros((0, events.LOG_WIDTH), np.int64))


def _compile_rules() -> None:
    sides = typeof(np.zeros(2, SIDE).view(np.recarray))
    i8 = types.int64
    play.start.compile((_record(TABLES), sides, _record(st.STATE), _record(st.WORK), _log(), types.uint64, i8, i8))


def _compile_bots() -> None:
    block.bot_decision.compile((_record(TABLES), _record(SIDE), _record(st.STATE), _record(st.WORK), types.int64))


def _compile_block() -> None:
    sides = typeof(np.zeros(2, SIDE).view(np.recarray))
    outcomes = typeof(np.zeros((0, 2), np.uint8))
    numbers = (types.uint64, *[types.int64] * 4)
    records = (_record(TABLES), sides, _record(st.STATE), _record(st.WORK), _log())
    block.play_keys.compile((*records, *numbers, _record(TALLY), outcomes, typeof(block.NO_ROWS)))


def compile_all() -> None:
    """Compiles what ``play_block`` needs, unless the cache has it or another process is at it. A helper that fails only costs time."""
    with CACHE.alone():
        if not CACHE.is_warm():
            _compile()


def _compile() -> None:
    command = [sys.executable, "-m", "bhsim.games.skirmish.engine.warm"]
    helper = None
    if (os.cpu_count() or 1) > 1:
        helper = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _compile_rules()
        if helper is not None:
            helper.wait()
    finally:
        if helper is not None and helper.poll() is None:
            helper.kill()
    _compile_block()


if __name__ == "__main__":
    _compile_bots()
