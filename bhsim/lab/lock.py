"""Only one run at a time writes into a folder.

The lock is the system's own lock on a file inside the folder: it ends with the process that holds it, however that ends, so a file left
behind by a killed run locks nothing. What the file says (process and machine) is only for the message.
"""

from __future__ import annotations

import fcntl
import os
import re
import socket
from io import TextIOWrapper
from pathlib import Path

from bhsim.errors import BadInput, Fault

LOCK = "run.lock"
LARGEST = 300  # bytes; a host's name has 64 at most


def is_lock(file: Path) -> bool:
    """Whether a regular file of that name was written as a lock and not by somebody else."""
    return file.stat().st_size <= LARGEST and re.fullmatch(rb"(process \d+ on [^\n]*\n)?", file.read_bytes()) is not None


class Lock:
    """A folder's lock, held from the moment it is made. BadInput when another run holds it; OSError when it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOCK
        self._file: TextIOWrapper | None = self._taken()

    def release(self) -> None:
        """Gives the lock up and removes its file; a second call does nothing."""
        if self._file is not None:
            self.path.unlink(missing_ok=True)  # while it is still held: nobody else can have it now
            self._file.close()
            self._file = None

    def _taken(self) -> TextIOWrapper:
        while True:
            file = self.path.open("a+", encoding="utf-8")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                holder = file.read(200).strip() or "another process"
                file.close()
                raise BadInput(Fault(f"a run is writing into this folder ({holder})", file=str(self.path.parent))) from None
            if self._is_current(file):
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
                file.flush()
                return file
            file.close()

    def _is_current(self, file: TextIOWrapper) -> bool:
        """Whether the file still has its name: its last holder removes it, perhaps after it was opened here."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), self.path.stat())
        except FileNotFoundError:
            return False


def held(folder: Path) -> bool:
    """Whether a run holds the folder's lock at this moment. Asking takes a shared lock for an instant, on a file that is there already."""
    if not (folder / LOCK).is_file():  # nor a pipe, which would be waited for
        return False
    try:
        with (folder / LOCK).open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
