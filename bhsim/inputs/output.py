"""Writing files whole: a reader never sees half a file, and nothing is overwritten unasked.

A link is written through to the file that it names. Whatever else is no regular file (a device, a pipe, a folder) is refused, because
moving a file into its place would put an end to it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from bhsim.errors import BadInput, Fault

PART = ".part"  # ending of a file that is still being written
SHOWN = 40  # letters of the target's name in that of its part, so that long names stay within the limit


def write_text(path: Path, text: str, force: bool = False) -> None:
    """Writes ``text`` to ``path`` in one step; ``BadInput`` if it exists (without ``force``) or cannot be written."""
    write_files({path: text}, force)


def write_files(files: Mapping[Path, str], force: bool = False) -> None:
    """Writes several files, or none when one of them already exists and ``force`` is not given."""
    refuse_existing(files, force)
    for path, text in files.items():
        make_folder(path.parent)
        replace(path, text.encode("utf-8"))


def refuse_existing(paths: Iterable[Path], force: bool) -> None:
    """``BadInput`` naming every path that is there already (unless ``force``), is no regular file, or is given twice."""
    faults: list[Fault] = []
    seen: set[Path] = set()
    for path in paths:
        try:
            place = target_of(path)
        except BadInput as error:
            faults += error.faults
            continue
        if place in seen:
            faults.append(Fault("two outputs would go into this one file", str(path)))
        elif os.path.lexists(path) and not force:
            faults.append(Fault("exists already; --force overwrites it", str(path)))
        seen.add(place)
    if faults:
        raise BadInput(*faults)


def target_of(path: Path) -> Path:
    """The file that ``path`` stands for, links followed; ``BadInput`` when something is there that is no regular file."""
    place = Path(os.path.realpath(path))
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        return place
    except OSError as error:
        raise BadInput(Fault(f"cannot be written: {error.strerror}", str(path))) from None
    if stat.S_ISLNK(mode):
        raise BadInput(Fault("cannot be written: its links lead in a circle", str(path)))
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device, pipe or socket"
        raise BadInput(Fault(f"cannot be written: there is {what} of that name", str(path), allowed="a regular file"))
    return place


def replace(path: Path, data: bytes) -> None:
    """Puts ``data`` into the place of ``path`` in one step, whatever file is there; ``BadInput`` if that cannot be done."""
    place = target_of(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{place.name[:SHOWN]}.", suffix=PART, dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(place))  # mkstemp makes private files
        os.replace(temporary, place)
    except OSError as error:
        raise BadInput(Fault(f"cannot be written: {error.strerror}", str(path))) from None
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)  # gone already if all went well; else also after Ctrl-C


def _mode(place: Path) -> int:
    """Rights of the file that is replaced, or those of a new one."""
    if place.exists():
        return stat.S_IMODE(place.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def make_folder(folder: Path) -> None:
    """Makes a folder that files can be written into, if it is not there; ``BadInput`` when that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadInput(Fault(f"cannot be written: {error.strerror}", str(folder))) from None
