"""A run folder: manifest, units as they finish, and tables derived at the end. docs/run-folder.md describes every file.

Each file is written under another name and moved into place, so that a run that is cut off never leaves half a file.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault, Unusable
from bhsim.games.game import Game
from bhsim.inputs import output
from bhsim.inputs.document import unreadable
from bhsim.lab import clearing
from bhsim.lab.contest import Contest
from bhsim.lab.lock import Lock
from bhsim.lab.manifest import COMPLETE, MANIFEST, STOPPED, contests_in, manifest_of, read_manifest
from bhsim.lab.precision import StopRule
from bhsim.lab.runs import Counts, Unit, UnitResult, units_of

__all__ = [
    "MANIFEST", "Folder", "create", "manifest_of", "open_folder", "parquet_bytes", "read_manifest", "resume", "write_bytes", "write_json",
]  # fmt: skip


class Folder:
    """An opened run folder: its manifest and the contests restored from it. lock: held by a run that writes, until ``close``.

    Contests that may end early stand in ``contests`` with the most keys that they may have, and in ``finished`` with those they had.
    """

    def __init__(self, path: Path, manifest: dict[str, Any], game: Game, contests: Sequence[Contest], lock: Lock | None = None) -> None:
        self.path, self.manifest, self.game, self.contests, self.lock = path, manifest, game, list(contests), lock
        self.rule = StopRule.of(manifest)
        self._looked: dict[int, tuple[int, Counts]] = {}  # contest number -> looks that did not end it, and its counters so far
        self._ended: dict[int, Contest] = {}

    def unit_path(self, unit: Unit) -> Path:
        """Where a unit is stored."""
        return self.path / "units" / f"{unit.name}.parquet"

    def holds(self, unit: Unit) -> bool:
        """Whether a unit is stored."""
        return self.unit_path(unit).exists()

    def write_unit(self, result: UnitResult) -> None:
        """Stores a finished unit."""
        import polars as pl

        tally, outcomes = result.tally.tobytes(), result.outcomes.tobytes()
        row = {**self._identity(result.unit), "tally": tally, "outcomes": outcomes, "checksum": checksum(tally, outcomes)}
        write_bytes(self.unit_path(result.unit), parquet_bytes(pl.DataFrame({name: [value] for name, value in row.items()})))

    def read_unit(self, unit: Unit) -> tuple[np.ndarray, np.ndarray]:
        """Tally (shape (1,)) and outcomes (shape (games, 2)) of a stored unit; BadInput when it is missing, damaged or another run's."""
        row = self._row(unit)
        if {name: row[name] for name in self._identity(unit)} != self._identity(unit):
            raise self._unusable(unit, "belongs to another run")
        if checksum(row["tally"], row["outcomes"]) != row["checksum"]:
            raise self._unusable(unit, "is damaged")
        games = unit.keys * unit.contest.seatings
        if len(row["tally"]) != self.game.tally.itemsize or len(row["outcomes"]) != 2 * games:
            raise self._unusable(unit, "has another size than its contest says")
        return np.frombuffer(row["tally"], self.game.tally), np.frombuffer(row["outcomes"], np.uint8).reshape(games, 2)

    def held_games(self, contest: Contest) -> int:
        """How many games of a contest, counted from its first, are stored without a gap; each of their units is read."""
        games = 0
        for unit in units_of([contest]):
            if not self.holds(unit):
                break
            games += len(self.read_unit(unit)[1])
        return games

    def _identity(self, unit: Unit) -> dict[str, Any]:
        """What tells a unit from that of any other run."""
        contest = unit.contest.number
        whose = {"engine": self.manifest["engine"], "seed": self.manifest["seed"], "digest": self.manifest["contests"][contest]["digest"]}
        return {**whose, "contest": contest, "first_key": unit.first_key, "keys": unit.keys}

    def _row(self, unit: Unit) -> dict[str, Any]:
        import polars as pl

        if reason := unreadable(self.unit_path(unit)):
            raise self._unusable(unit, reason)
        try:
            frame = pl.read_parquet(self.unit_path(unit))
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise self._unusable(unit, f"cannot be read ({str(error).split(chr(10))[0]})") from None
        kinds = {**dict.fromkeys(("seed", "contest", "first_key", "keys"), pl.Int64), "engine": pl.String, "digest": pl.String}
        kinds |= {"tally": pl.Binary, "outcomes": pl.Binary, "checksum": pl.String}
        if dict(frame.schema) != kinds or frame.height != 1 or frame.null_count().sum_horizontal()[0]:
            raise self._unusable(unit, "holds something else than a unit")
        return frame.row(0, named=True)

    def _unusable(self, unit: Unit, why: str) -> Unusable:
        return Unusable(Fault(f"this unit of the run {why}; once it is deleted, --resume plays it again", file=str(self.unit_path(unit))))

    def missing(self) -> list[Unit]:
        """Units that are to be played next; once they are, there may be more of contests that are played to a precision."""
        return [u for c in self.contests for u in self._next_units(c)]

    def finished(self) -> list[Contest]:
        """Contests of which every unit is stored, with the keys at which they ended."""
        return [self._ended.get(c.number, c) for c in self.contests if not self._next_units(c)]

    def games_left(self) -> int:
        """Games that are still to be played, at most."""
        open_contests = {u.contest.number for u in self.missing()}
        left = [u for u in units_of(c for c in self.contests if c.number in open_contests) if not self.holds(u)]
        return sum(u.keys * u.contest.seatings for u in left)

    def _next_units(self, contest: Contest) -> list[Unit]:
        """Missing units of a contest, of one that may end early those up to its next look; none once it has ended."""
        if self.rule is None or not contest.looks:
            return [u for u in units_of([contest]) if not self.holds(u)]
        if contest.number in self._ended:
            return []
        passed, counts = self._looked.get(contest.number, (0, Counts.empty(contest)))
        for number, look in enumerate(contest.looks[passed:], passed + 1):
            units = [u for u in units_of([contest]) if (0, *contest.looks)[number - 1] <= u.first_key < look]
            if absent := [u for u in units if not self.holds(u)]:
                return absent
            for part in [self.read_unit(unit) for unit in units]:  # all or none, should one be damaged
                counts.add(*part)
            self._looked[contest.number] = number, counts
            if number == len(contest.looks) or self.rule.met_by(counts.keys[0], contest):
                self._ended[contest.number] = replace(contest, keys=look, looks=contest.looks[:number])
                break
        return []

    def counts(self, contest: Contest) -> Counts:
        """A finished contest's counters, from its units."""
        counts = Counts.empty(contest)
        for unit in units_of([contest]):
            counts.add(*self.read_unit(unit))
        return counts

    def outcomes(self, contest: Contest) -> Iterator[np.ndarray]:
        """Outcome bytes of a finished contest, unit by unit in key order, shape (games, 2) each."""
        for unit in units_of([contest]):
            yield self.read_unit(unit)[1]

    def extend(self, contests: Sequence[Contest], keys: int | None = None) -> None:
        """Further contests, numbered on from those there are, in a run whose games so far decide what is played next.

        keys: of those there are, if only now it is known how many; none of them may have been played. The manifest keeps its digest,
        which is that of the contests at the start.
        """
        self.contests = [*(c if keys is None else replace(c, keys=keys) for c in self.contests), *contests]
        whole = manifest_of(
            *(self.manifest[f] for f in ("name", "kind")), self.contests, *(self.manifest[f] for f in ("seed", "spec", "command"))
        )
        self.manifest |= {field: whole[field] for field in ("contests", "data", "house_values", "status")}
        self._write_manifest()

    def close(self, times: dict[str, Any], tables: Callable[[Folder], dict[str, Any]], stopped: bool = False) -> None:
        """Writes what ``tables`` makes of the run (file name -> polars frame) and the manifest's last word, and gives up the lock.

        stopped: there may be more to come than the contests so far.
        """
        with self:
            done = self.finished()
            for name, frame in tables(self).items():
                write_bytes(self.path / f"{name}.parquet", parquet_bytes(frame))
            self.manifest["status"] = STOPPED if stopped or len(done) < len(self.contests) else COMPLETE
            self.manifest["times"] = times
            self._write_manifest()

    def _write_manifest(self) -> None:
        write_json(self.path / MANIFEST, self.manifest)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        """Gives up the lock, whatever has happened; what is stored stays."""
        if self.lock:
            self.lock.release()


def checksum(tally: bytes, outcomes: bytes) -> str:
    """Tells a damaged unit from a whole one."""
    return hashlib.sha256(tally + outcomes).hexdigest()[:16]


def create(path: Path, manifest: dict[str, Any], contests: Sequence[Contest], force: bool) -> Folder:
    """A new run folder, locked until it is closed. What may stand there already: ``clearing.refuse``.

    Everything else that the user gave must have been checked before: with ``force``, the old run is gone afterwards.
    """
    try:
        clearing.refuse(path, force)
        path.mkdir(parents=True, exist_ok=True)
        with _locked(path) as lock:
            clearing.refuse(path, force)  # again, now that nobody else can change it
            clearing.clear(path)
            (path / "units").mkdir()
            write_json(path / MANIFEST, manifest)
    except OSError as error:
        raise BadInput(Fault(f"cannot write there: {error.strerror or error}", field="out", value=str(path))) from None
    return Folder(path, manifest, contests[0].game, contests, lock)


def resume(path: Path, manifest: dict[str, Any], contests: Sequence[Contest]) -> Folder:
    """An existing folder to go on with, locked; BadInput when its manifest says another engine, seed, spec or data."""
    _check_same(path, manifest)
    try:
        with _locked(path) as lock:
            _check_same(path, manifest)  # again, now that nobody else can change it
            (path / "units").mkdir(exist_ok=True)
            for leftover in [*path.glob(f"*{output.PART}"), *path.glob(f"*/*{output.PART}")]:
                leftover.unlink()
    except OSError as error:
        raise BadInput(Fault(f"cannot write there: {error.strerror or error}", field="out", value=str(path))) from None
    return Folder(path, manifest, contests[0].game, contests, lock)


@contextmanager
def _locked(path: Path) -> Iterator[Lock]:
    """The folder's lock, which stays held unless something goes wrong inside."""
    lock = Lock(path)
    try:
        yield lock
    except BaseException:
        lock.release()
        raise


def _check_same(path: Path, manifest: dict[str, Any]) -> None:
    stored = read_manifest(path)
    for field in ("kind", "name", "game", "engine", "seed", "spec", "data_digest", "tally"):
        if stored[field] != manifest[field]:
            hint = "start afresh with --force"
            raise BadInput(
                Fault(f"the stopped run had another {field.replace('_', ' ')}, so it cannot go on ({hint})", file=str(path / MANIFEST))
            )
    extended = len(stored["contests"]) > len(manifest["contests"])  # see ``Folder.extend``: then the spec says how many games there are
    if not extended and [e["keys"] for e in stored["contests"]] != [e["keys"] for e in manifest["contests"]]:
        raise BadInput(Fault("the stopped run had another number of games (start afresh with --force)", file=str(path / MANIFEST)))


def open_folder(path: Path) -> Folder:
    """Opens a stored run with its contests restored from the manifest, whatever the data files say now."""
    manifest = read_manifest(path)
    contests = contests_in(path, manifest)
    return Folder(path, manifest, contests[0].game, contests)


def parquet_bytes(frame: Any) -> bytes:
    """A polars frame as parquet; the same frame always gives the same bytes."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all; BadInput when the place cannot be written."""
    output.replace(path, data)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Writes a JSON file, keys in the order given."""
    write_bytes(path, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())
