"""The decorators of every kernel: options in one place, cache in a folder named by the sources.

A game's ``engine/jit.py`` makes its own pair of ``kernel`` and ``inner`` here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types

from bhsim.games.engine.cache import SHARED, KernelCache

Decorator = Callable[[Any], Any]


def decorators(kernels: KernelCache) -> tuple[Decorator, Decorator]:
    """``(kernel, inner)``, whose results are kept in this cache.

    kernel: for functions that Python calls, compiled with a wrapper for it; with NUMBA_DISABLE_JIT it stays Python, where the wrap of
    64-bit luck, which is meant, would be warned of. inner: only kernels call it, so it has no wrapper, which saves compile time.
    """

    def compiled(function: Any, **options: Any) -> Any:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(kernels.folder())  # numba reads it when a function is decorated, so it is set only for that moment
        try:
            return _without_literals(numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function))
        finally:
            numba.config.CACHE_DIR = before

    def kernel(function: Any) -> Any:
        if numba.config.DISABLE_JIT:
            return np.errstate(over="ignore")(function)
        return compiled(function)

    def inner(function: Any) -> Any:
        return compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)

    return kernel, inner


def _without_literals(dispatcher: Any) -> Any:
    """Makes calls with a constant share the int64 version: numba would compile one more for each constant argument."""
    if not numba.config.DISABLE_JIT:
        template = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: template([types.unliteral(a) for a in args], kws)
    return dispatcher


CACHE = KernelCache(SHARED)  # of the kernels in this folder
_, inner = decorators(CACHE)
