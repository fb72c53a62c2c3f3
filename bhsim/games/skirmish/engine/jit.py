"""The one decorator pair of every kernel: options in one place, cache in a folder named by the sources."""

from __future__ import annotations

import numba
import numpy as np
from numba.core import types

from bhsim.games.skirmish.engine import cache


def _compiled(function, **options):
    """numba reads CACHE_DIR when a function is decorated, so it is set only for that moment."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache.folder())
    try:
        return _without_literals(numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function))
    finally:
        numba.config.CACHE_DIR = before


def _without_literals(dispatcher):
    """Makes calls with a constant share the int64 version: numba would compile one more for each constant argument."""
    if not numba.config.DISABLE_JIT:
        template = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: template([types.unliteral(a) for a in args], kws)
    return dispatcher


def kernel(function):
    """A kernel that Python calls: compiled with a wrapper for it.

    With NUMBA_DISABLE_JIT it stays Python, where the wrap of 64-bit luck, which is meant, would be warned of.
    """
    if numba.config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)
    return _compiled(function)


def inner(function):
    """A kernel that only kernels call: no wrapper, which saves compile time."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)
