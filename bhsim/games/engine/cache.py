"""Where compiled kernels live, so that a changed source can never be served a stale result.

numba's own cache key looks at one file only: a changed helper in another module, a changed constant or another
NUMBA_BOUNDSCHECK would all be answered from the old file. So the folder's name is a hash of everything that a kernel
is made from. Data files are not in it: no kernel reads data except through its arguments. Each game has a folder of its own, so
that a change of one leaves the kernels of the others alone. Imports no numba.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

SHARED = Path(__file__).resolve().parent
KEEP_DAYS = 7  # how long kernels of other versions stay after their last use
# Variables that change how numba runs or where it looks, but not the code it makes.
_HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER", "NUMBA_WARNINGS"}


class KernelCache:
    """The cache of one game's kernels.

    engine: the folder of its kernels. beside: names of modules in the folder above whose constants they import. Kernels that games
    share count as sources of each.
    """

    def __init__(self, engine: Path, beside: tuple[str, ...] = ()) -> None:
        self.engine, self.beside = engine, beside

    def sources(self) -> list[Path]:
        """Every file that the kernels are compiled from."""
        folders = dict.fromkeys((SHARED, self.engine))
        return [path for folder in folders for path in sorted(folder.glob("*.py"))] + [self.engine.parent / name for name in self.beside]

    def digest(self) -> str:
        """Short hash over the sources, numba's version and every NUMBA_* variable that changes code."""
        h = hashlib.sha256()
        h.update(str(self.engine.resolve()).encode() + b"\0")  # numba files its entries by the source's path
        for path in self.sources():
            h.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        for package in ("numba", "llvmlite", "numpy"):
            h.update(f"{package}={version(package)}\0".encode())
        for name in sorted(os.environ):
            if name.startswith("NUMBA_") and name not in _HARMLESS:
                h.update(f"{name}={os.environ[name]}\0".encode())
        return h.hexdigest()[:16]

    @cache  # noqa: B019 - there are as many caches as games
    def folder(self) -> Path:
        """The cache folder: under BHSIM_CACHE_DIR, else the user's cache folder, else a private temporary one."""
        home = os.environ.get("BHSIM_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
        candidates = [Path(home)] if home else []
        candidates.append(Path.home() / ".cache")
        digest = self.digest()
        for base in candidates:
            path = base / "bhsim" / "kernels" / digest
            try:
                path.mkdir(parents=True, exist_ok=True)
                if os.access(path, os.W_OK):
                    os.utime(path)
                    _forget_old(path.parent)
                    return path
            except OSError:
                continue
        return _temporary(digest)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Only one process at a time goes on; the others wait. For compiling: a dozen workers that start together need it done once."""
        with (self.folder() / "compiling.lock").open("w") as file:
            with suppress(OSError):  # a file system without locks: then several compile the same, which only costs time
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def is_warm(self) -> bool:
        """Whether ``play_block`` was compiled by these very sources before (its index file is in the folder), or never will be."""
        if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
            return True
        return any(self.folder().rglob("block.play_keys-*.nbi"))


def _temporary(digest: str) -> Path:
    """A folder that only this user can write to: what lies in a cache is run, so a shared place will not do."""
    owner = os.getuid() if hasattr(os, "getuid") else 0
    base = Path(tempfile.gettempdir()) / f"bhsim-{owner}"
    try:
        base.mkdir(mode=0o700, exist_ok=True)
        found = base.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == owner and not found.st_mode & 0o077:
            path = base / digest
            path.mkdir(exist_ok=True)
            return path
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="bhsim-kernels-"))


def _forget_old(kernels: Path) -> None:
    """Removes folders of other versions that nothing has used for ``KEEP_DAYS``."""
    oldest = time.time() - KEEP_DAYS * 86_400
    for other in kernels.iterdir():
        if other.is_dir() and other.stat().st_mtime < oldest:
            shutil.rmtree(other, ignore_errors=True)
