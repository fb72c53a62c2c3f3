"""Sets of nodes as two uint64 words (nodes 0-63, 64-126): counting, lowest member, walking.

``x &= x - 1`` drops the lowest member; all constants are uint64, because numba turns uint64 mixed with a
signed number into int64 or float64.
"""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from bhsim.games.engine.jit import inner

U0 = np.uint64(0)
U1 = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

if numba.config.DISABLE_JIT:

    def cttz(x):
        """Number of the lowest set bit (x is not 0)."""
        x = int(x)
        return (x & -x).bit_length() - 1

    def popcount(x):
        """Number of set bits."""
        return int(x).bit_count()

else:

    @intrinsic
    def cttz(typing_context, x):
        """Number of the lowest set bit of a uint64 that is not 0, as int64."""

        def codegen(context, builder, signature, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), codegen

    @intrinsic
    def popcount(typing_context, x):
        """Number of set bits of a uint64, as int64."""

        def codegen(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen


@inner
def has(lo, hi, node):
    """Whether ``node`` is in the set (lo, hi)."""
    if node < 64:
        return (lo >> np.uint64(node)) & U1 != U0
    return (hi >> np.uint64(node - 64)) & U1 != U0


@inner
def lowest(lo, hi):
    """Lowest node of a set that is not empty, as int64."""
    if lo != U0:
        return cttz(lo)
    return cttz(hi) + 64


@inner
def count(lo, hi):
    """Number of nodes in the set."""
    return popcount(lo) + popcount(hi)


@inner
def drop_lowest(lo, hi):
    """The set without its lowest node."""
    if lo != U0:
        return lo & (lo - U1), hi
    return lo, hi & (hi - U1)
