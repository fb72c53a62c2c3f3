"""The decorators of tricks' kernels, and where these are kept."""

from __future__ import annotations

from pathlib import Path

from bhsim.games.engine.cache import KernelCache
from bhsim.games.engine.jit import decorators

CACHE = KernelCache(Path(__file__).resolve().parent, ("actions.py", "model.py", "tally.py", "tables.py", "features.py"))
kernel, inner = decorators(CACHE)
