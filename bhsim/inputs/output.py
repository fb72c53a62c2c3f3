"""Writing files whole: a reader never sees half a file, and nothing is overwritten unasked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bhsim.errors import BadInput, Fault


def write_text(path: Path, text: str, force: bool = False) -> None:
    """Writes ``text`` to ``path`` in one step; ``BadInput`` if it exists (without ``force``) or cannot be written."""
    refuse_existing([path], force)
    _replace(path, text)


def write_files(files: Mapping[Path, str], force: bool = False) -> None:
    """Writes several files, or none when one of them already exists and ``force`` is not given."""
    refuse_existing(files, force)
    for path, text in files.items():
        _replace(path, text)


def refuse_existing(paths, force: bool) -> None:
    """``BadInput`` naming every path that is there already, unless ``force``."""
    present = [path for path in paths if os.path.lexists(path)]
    if present and not force:
        raise BadInput(*(Fault("exists already; --force overwrites it", str(path)) for path in present))


def _replace(path: Path, text: str) -> None:
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # mkstemp makes private files
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise BadInput(Fault(f"cannot be written: {error.strerror}", str(path))) from None
