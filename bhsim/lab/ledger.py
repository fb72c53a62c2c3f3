"""What a search has played, so that nothing is played twice: not for a build that comes back, and not when a stopped search goes on.

A search decides what to play next from what it has seen, so its plays cannot be listed ahead as a run's units are. But it is deterministic:
started again with the same seed it asks for the same plays, and gets those that are kept without a game. Plays are written in batches,
each file whole or not at all, into the folder's ``plays/``; without a folder they are kept in memory only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bhsim.errors import Fault, Unusable
from bhsim.inputs import output
from bhsim.inputs.document import unreadable
from bhsim.lab.store import parquet_bytes, write_bytes

PLAYS = "plays"


class Ledger:
    """Outcomes by the id of a play. folder: of a run that holds its lock, or None."""

    def __init__(self, folder: Path | None = None) -> None:
        """Reads what is kept. ``Unusable``, naming the file, for one that cannot be used."""
        self._kept: dict[str, np.ndarray] = {}
        self._folder = folder / PLAYS if folder else None
        self._files = 0
        if self._folder:
            self._folder.mkdir(exist_ok=True)
            for leftover in self._folder.glob(f"*{output.PART}"):
                leftover.unlink()
            while (path := self._path(self._files)).exists():
                self._kept |= _read(path)
                self._files += 1

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, play: str) -> np.ndarray | None:
        """Outcomes of a play, uint8, shape (games, 2), or None."""
        return self._kept.get(play)

    def add(self, batch: Iterable[tuple[str, np.ndarray]]) -> None:
        """Keeps plays, and writes them as one file. BadInput when the place cannot be written."""
        found = dict(batch)
        if self._folder and found:
            import polars as pl

            outcomes = [part.tobytes() for part in found.values()]
            frame = pl.DataFrame({"play": list(found), "outcomes": outcomes, "checksum": [_checksum(part) for part in outcomes]})
            write_bytes(self._path(self._files), parquet_bytes(frame))
            self._files += 1
        self._kept |= found

    def _path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"p{number:05d}.parquet"


def _read(path: Path) -> dict[str, np.ndarray]:
    import polars as pl

    def unusable(why: str) -> Unusable:
        return Unusable(
            Fault(f"these plays of the search {why}; once the file and later ones are deleted, --resume plays them again", file=str(path))
        )

    if reason := unreadable(path):
        raise unusable(reason)
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise unusable(f"cannot be read ({str(error).splitlines()[0]})") from None
    if dict(frame.schema) != {"play": pl.String, "outcomes": pl.Binary, "checksum": pl.String} or frame.null_count().sum_horizontal()[0]:
        raise unusable("are something else")
    found = {}
    for play, outcomes, checksum in frame.iter_rows():
        if _checksum(outcomes) != checksum or len(outcomes) % 2:
            raise unusable("are damaged")
        found[play] = np.frombuffer(outcomes, np.uint8).reshape(-1, 2)
    return found


def _checksum(outcomes: bytes) -> str:
    return hashlib.sha256(outcomes).hexdigest()[:16]
