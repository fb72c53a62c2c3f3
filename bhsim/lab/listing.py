"""Run folders side by side: what each is, or why it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bhsim.errors import BadInput, Fault
from bhsim.lab.manifest import MANIFEST, read_manifest

BROKEN = "broken"


@dataclass(frozen=True)
class Listed:
    """A run folder. finished: contests in its tables, with ``games`` games in all. started: of the last go, empty before its end.

    why: it cannot be read; all other fields are empty then.
    """

    path: Path
    status: str = BROKEN
    name: str = ""
    kind: str = ""
    seed: int | None = None
    engine: str = ""
    contests: int = 0
    finished: int = 0
    games: int = 0
    started: str = ""
    why: str = ""


def listed(directory: Path) -> list[Listed]:
    """The run folders in a folder and up to two levels below it, by path, or the folder itself if it is one.

    BadInput if there is no such folder.
    """
    if not directory.is_dir():
        raise BadInput(Fault("no such folder", field="DIR", value=str(directory)))
    return [_read(file.parent) for depth in ("", "*/", "*/*/") for file in sorted(directory.glob(depth + MANIFEST))]


def _read(path: Path) -> Listed:
    try:
        manifest = read_manifest(path)
        finished, games = _finished(path)
    except BadInput as error:
        return Listed(path, why=str(error.faults[0]))
    times, names = manifest["times"], ("status", "name", "kind", "seed", "engine")
    return Listed(path, *(manifest[n] for n in names), len(manifest["contests"]), finished, games, str(times.get("started", "")))


def _finished(path: Path) -> tuple[int, int]:
    """Contests and games in the run's table of contests; none before it is written."""
    import polars as pl

    file = path / "contests.parquet"
    if not file.exists():
        return 0, 0
    try:
        frame = pl.read_parquet(file, columns=["games"])
        return frame.height, int(frame["games"].sum())
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise BadInput(Fault(f"cannot be read ({str(error).splitlines()[0]})", file=str(file))) from None
