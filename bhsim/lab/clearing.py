"""Which folders a run may be written into, and emptying those that hold an old run.

``--force`` must never cost anybody a file of their own. So a folder counts as a run only if its manifest is one, and what is deleted are
files that bhsim writes into run folders (docs/run-folder.md), known by their names; a single other one and the whole folder is left alone.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from bhsim.errors import BadInput, Fault
from bhsim.inputs import output
from bhsim.lab.lock import LOCK, is_lock
from bhsim.lab.manifest import MANIFEST

MARKS = ("format", "kind", "engine", "contests")  # keys of every manifest, whatever version wrote it
TABLES = "contests|crews|runners|cards|effects|restricted|best|meta|cells|points|screen|alpha|usage|grow"
FILES = re.compile(rf"run\.json|run\.lock|search\.json|report\.(md|html)|check\.(json|xml|md)|({TABLES})\.parquet")
FOLDERS = {
    "crews": re.compile(r"(sampled|grown|found)_\d+(-deck)?\.toml"),
    "units": re.compile(r"c\d{5,}-u\d{5,}\.parquet"),
    "plays": re.compile(r"p\d{5,}\.parquet"),
    "variants": re.compile(r"point-\d+\.toml"),
    "plots": re.compile(
        r"(rates|(meta|optimise)-[a-z-]+|front|numbers|screen|(crews|curve|heat-map|scatter)(-\d+)?|tornado(-[a-z]+)?|(contest-\d+-)?(points|rounds|margins|tempo|runners))\.(svg|png)"
    ),
}
PART = re.compile(rf"\..+\.\w+{re.escape(output.PART)}")  # a file that a killed run was still writing
SHOWN = 3  # names in a message


def refuse(path: Path, force: bool) -> None:
    """BadInput when a new run may not be written there.

    A folder that does not exist will do, an empty one, and one in which nothing has come to lie but the beginnings of a run that was
    stopped at once; a run only with ``force``; anything else never.
    """
    if not path.exists():
        if path.is_symlink():
            raise _unfit(path, "is a link to a folder that does not exist")
        return
    if not path.is_dir():
        raise _unfit(path, "there is a file of that name")
    foreign = list(_foreign(path))
    begun = not foreign and all(child.name in (LOCK, "units") or PART.fullmatch(child.name) for child in path.iterdir())
    if begun and not _filled(path / "units"):
        return
    if not force:
        raise _unfit(path, "the folder exists; --force replaces it, --resume goes on with a stopped run")
    if not (begun or _is_manifest(path / MANIFEST)):
        raise _unfit(path, "the folder holds something else than a run, so even --force leaves it alone")
    if foreign:
        more = f" and {len(foreign) - SHOWN} more" if len(foreign) > SHOWN else ""
        raise _unfit(path, f"no run has written {', '.join(foreign[:SHOWN])}{more}, so even --force leaves the folder alone")


def clear(path: Path) -> None:
    """Empties a locked folder that ``refuse`` let pass, but for its lock.

    The manifest goes last: what is left when this is cut off is still known for a run.
    """
    for name in FOLDERS:
        if (path / name).is_dir():
            for child in (path / name).iterdir():
                child.unlink()
            (path / name).rmdir()
    for child in sorted(path.iterdir(), key=lambda child: child.name == MANIFEST):
        if child.name != LOCK:
            child.unlink()


def _unfit(path: Path, why: str) -> BadInput:
    return BadInput(Fault(why, field="out", value=str(path)))


def _foreign(path: Path) -> Iterator[str]:
    """What no run has written, as paths within the folder."""
    for child in sorted(path.iterdir()):
        if child.name in FOLDERS and _is(child, stat.S_ISDIR):
            known = FOLDERS[child.name]
            yield from (f"{child.name}/{inner.name}" for inner in sorted(child.iterdir()) if not _is_ours(inner, known))
        elif not _is_ours(child, FILES) or (child.name == LOCK and not is_lock(child)):
            yield child.name


def _is_ours(child: Path, known: re.Pattern[str]) -> bool:
    return bool(known.fullmatch(child.name) or PART.fullmatch(child.name)) and _is(child, stat.S_ISREG)


def _is(child: Path, kind: Callable[[int], bool]) -> bool:
    """Whether it is of a kind (a function of ``stat``) itself, and no link to one."""
    return kind(child.lstat().st_mode)


def _filled(folder: Path) -> bool:
    return folder.is_dir() and any(not PART.fullmatch(child.name) for child in folder.iterdir())


def _is_manifest(file: Path) -> bool:
    """Whether a file is the manifest of a run, perhaps of another version, perhaps with damaged values."""
    try:
        found = json.loads(file.read_text(encoding="utf-8")) if _is(file, stat.S_ISREG) else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and all(key in found for key in MARKS)
