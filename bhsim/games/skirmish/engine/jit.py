"""The one decorator pair of every kernel: options in one place, cache in a folder named by the sources."""

from __future__ import annotations

import numba

from bhsim.games.skirmish.engine import cache


def _compiled(function, **options):
    """numba reads CACHE_DIR when a function is decorated, so it is set only for that moment."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache.folder())
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        numba.config.CACHE_DIR = before


def kernel(function):
    """A kernel that Python calls: compiled with a wrapper for it."""
    return _compiled(function)


def inner(function):
    """A kernel that only kernels call: no wrapper, which saves compile time."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)
