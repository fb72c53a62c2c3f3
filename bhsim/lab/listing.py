"""Run folders side by side: what each is, or why it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bhsim.errors import BadInput, Fault
from bhsim.lab.lock import held
from bhsim.lab.manifest import COMPLETE, MANIFEST, read_manifest
from bhsim.lab.runs import units_of
from bhsim.lab.store import open_folder

BROKEN, RUNNING = "broken", "running"
TABLE = "contests.parquet"


@dataclass(frozen=True)
class Listed:
    """A run folder. status: of its manifest, or "running" while a run writes into it, or "broken".

    finished: contests of which all is stored. games: stored, those of other contests too. started: of the last go, empty before its end.
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
        whole = manifest["status"] == COMPLETE and (path / TABLE).is_file()
        finished, games = _in_tables(path) if whole else _in_units(path)
    except BadInput as error:
        return Listed(path, why=str(error.faults[0]))
    status = RUNNING if held(path) else manifest["status"]
    names = (manifest[n] for n in ("name", "kind", "seed", "engine"))
    return Listed(path, status, *names, len(manifest["contests"]), finished, games, str(manifest["times"].get("started", "")))


def _in_units(path: Path) -> tuple[int, int]:
    """Contests and games by the stored units: the tables of a run that was cut off are missing or old."""
    folder = open_folder(path)
    finished = {c.number: c for c in folder.finished()}
    ongoing = [u for c in folder.contests if c.number not in finished for u in units_of([c]) if folder.holds(u)]
    return len(finished), sum(c.games for c in finished.values()) + sum(u.keys * u.contest.seatings for u in ongoing)


def _in_tables(path: Path) -> tuple[int, int]:
    """Contests and games in a complete run's table of contests."""
    import polars as pl

    file = path / TABLE
    try:
        frame = pl.read_parquet(file, columns=["games"])
        return frame.height, int(frame["games"].sum())
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise BadInput(Fault(f"cannot be read ({str(error).splitlines()[0]})", file=str(file))) from None
