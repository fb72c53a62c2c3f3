"""Compiling the kernels ahead. Imports what plays and plays no key, so that everything comes from the cache later."""

from __future__ import annotations

import numpy as np

from bhsim.games.tricks.engine import block
from bhsim.games.tricks.engine.jit import CACHE
from bhsim.games.tricks.tables import SIDE, TABLES
from bhsim.games.tricks.tally import empty


def compile_all() -> None:
    """Compiles what ``play_block`` needs, unless the cache has it or another process is at it."""
    with CACHE.alone():
        tables, sides = np.zeros(1, TABLES).view(np.recarray), np.zeros(2, SIDE).view(np.recarray)
        block.play_block(tables, sides, 0, 0, 0, empty(), np.zeros((0, 2), np.uint8))
