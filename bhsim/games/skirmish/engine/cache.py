"""Where compiled kernels live, so that a changed source can never be served a stale result.

numba's own cache key looks at one file only: a changed helper in another module, a changed constant or another
NUMBA_BOUNDSCHECK would all be answered from the old file. So the folder's name is a hash of everything that a kernel
is made from. Data files are not in it: no kernel reads data except through its arguments. Imports no numba.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

# Variables that change how numba runs or where it looks, but not the code it makes.
_HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER", "NUMBA_WARNINGS"}


def sources() -> list[Path]:
    """Every file that kernels are compiled from: the engine and the modules whose constants it imports."""
    engine = Path(__file__).parent
    shared = [engine.parent / name for name in ("actions.py", "vocabulary.py", "tally.py", "tables.py", "features.py")]
    return sorted(engine.glob("*.py")) + shared


@cache
def digest() -> str:
    """Short hash over the sources, numba's version and every NUMBA_* variable that changes code."""
    h = hashlib.sha256()
    for path in sources():
        h.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for package in ("numba", "llvmlite", "numpy"):
        h.update(f"{package}={version(package)}\0".encode())
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in _HARMLESS:
            h.update(f"{name}={os.environ[name]}\0".encode())
    return h.hexdigest()[:16]


@cache
def folder() -> Path:
    """The cache folder: under BHSIM_CACHE_DIR, else the user's cache folder, else a temporary one."""
    home = os.environ.get("BHSIM_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    candidates = [Path(home)] if home else []
    candidates += [Path.home() / ".cache", Path(tempfile.gettempdir())]
    for base in candidates:
        path = base / "bhsim" / "kernels" / digest()
        try:
            path.mkdir(parents=True, exist_ok=True)
            if os.access(path, os.W_OK):
                return path
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="bhsim-kernels-"))


def is_warm() -> bool:
    """Whether ``play_block`` was compiled by these very sources before (its index file is in the folder), or never will be."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return True
    return any(folder().rglob("block.play_keys-*.nbi"))
