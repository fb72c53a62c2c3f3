"""A run folder: manifest, units as they finish, and tables derived at the end. docs/run-folder.md describes every file.

Each file is written under another name and moved into place, so that a run that is cut off never leaves half a file.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, find
from bhsim.lab.contest import Contest
from bhsim.lab.results import engine_label
from bhsim.lab.runs import Counts, Unit, UnitResult, units_of

FORMAT = 1
MANIFEST = "run.json"
COMPLETE, STOPPED = "complete", "stopped"


class Folder:
    """An opened run folder: its manifest and the contests restored from it."""

    def __init__(self, path: Path, manifest: dict[str, Any], game: Game, contests: Sequence[Contest]) -> None:
        self.path, self.manifest, self.game, self.contests = path, manifest, game, list(contests)

    def unit_path(self, unit: Unit) -> Path:
        """Where a unit is stored."""
        return self.path / "units" / f"{unit.name}.parquet"

    def write_unit(self, result: UnitResult) -> None:
        """Stores a finished unit."""
        import polars as pl

        frame = pl.DataFrame(
            {
                "contest": [result.unit.contest.number],
                "first_key": [result.unit.first_key],
                "keys": [result.unit.keys],
                "tally": [result.tally.tobytes()],
                "outcomes": [result.outcomes.tobytes()],
            }
        )
        write_bytes(self.unit_path(result.unit), parquet_bytes(frame))

    def read_unit(self, unit: Unit) -> tuple[np.ndarray, np.ndarray]:
        """Tally (shape (1,)) and outcomes (shape (games, 2)) of a stored unit; BadInput when the file is missing or another one."""
        import polars as pl

        path = self.unit_path(unit)
        try:
            row = pl.read_parquet(path).row(0, named=True)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise BadInput(Fault(f"cannot read a unit of the run: {error}", file=str(path))) from None
        tally = np.frombuffer(row["tally"], self.game.tally)
        outcomes = np.frombuffer(row["outcomes"], np.uint8).reshape(-1, 2)
        if (row["contest"], row["first_key"], row["keys"]) != (unit.contest.number, unit.first_key, unit.keys) or tally.shape != (1,):
            raise BadInput(Fault("this unit belongs to another run", file=str(path)))
        return tally, outcomes

    def missing(self) -> list[Unit]:
        """Units that are still to be played."""
        return [u for u in units_of(self.contests) if not self.unit_path(u).exists()]

    def finished(self) -> list[Contest]:
        """Contests of which every unit is stored."""
        open_contests = {u.contest.number for u in self.missing()}
        return [c for c in self.contests if c.number not in open_contests]

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

    def close(self, times: dict[str, Any]) -> None:
        """Writes the derived tables and the manifest's last word."""
        from bhsim.lab.derive import derived_tables

        done = self.finished()
        for name, frame in derived_tables(self, done).items():
            write_bytes(self.path / f"{name}.parquet", parquet_bytes(frame))
        self.manifest["status"] = COMPLETE if len(done) == len(self.contests) else STOPPED
        self.manifest["times"] = times
        write_json(self.path / MANIFEST, self.manifest)


def manifest_of(name: str, kind: str, contests: Sequence[Contest], seed: int, spec: dict[str, Any], command: str) -> dict[str, Any]:
    """The manifest of a run that has not begun. kind: "play" or "sweep". Equal parts of the contests' data are stored once."""
    game = contests[0].game
    parts: dict[str, Any] = {}
    entries = []
    for contest in contests:
        references = {}
        for part, value in game.resolved(contest.bundle, contest.sides).items():
            key = hashlib.sha256(json.dumps(value, sort_keys=False).encode()).hexdigest()[:16]
            parts[key] = value
            references[part] = key
        entries.append(
            {
                "number": contest.number,
                "label": contest.label,
                "setting": contest.setting,
                "sides": [{"crew": s.crew, "deck": s.deck, "bot": s.bot} for s in contest.sides],
                "keys": contest.keys,
                "games": contest.games,
                "digest": contest.digest(),
                "data": references,
            }
        )
    digests = [e["digest"] for e in entries]
    return {
        "format": FORMAT,
        "kind": kind,
        "name": name,
        "game": game.name,
        "engine": engine_label(game),
        "seed": seed,
        "command": command,
        "data_digest": digests[0] if len(set(digests)) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16],
        "house_values": any(game.house_values(c.bundle, c.sides) for c in contests),
        "status": STOPPED,
        "spec": spec,
        "tally": [[field, list(game.tally[field].shape)] for field in game.tally.names],
        "counters": {name: {"unit": c.unit, "meaning": c.meaning} for name, c in game.counters.items()},
        "contests": entries,
        "data": parts,
        "times": {},
    }


def create(path: Path, manifest: dict[str, Any], contests: Sequence[Contest], force: bool) -> Folder:
    """A new run folder. An existing one is refused unless ``force``; a folder that is no run is never cleared."""
    if path.exists():
        _refuse(path, force)
    game = contests[0].game
    try:
        if path.exists():
            _clear(path)
        (path / "units").mkdir(parents=True, exist_ok=True)
        write_json(path / MANIFEST, manifest)
    except OSError as error:
        raise BadInput(Fault(f"cannot write there: {error.strerror or error}", field="out", value=str(path))) from None
    return Folder(path, manifest, game, contests)


def resume(path: Path, manifest: dict[str, Any], contests: Sequence[Contest]) -> Folder:
    """An existing folder to go on with; BadInput when its manifest says another engine, seed, spec or data."""
    stored = read_manifest(path)
    for field in ("kind", "name", "game", "engine", "seed", "spec", "data_digest", "tally"):
        if stored[field] != manifest[field]:
            hint = "start afresh with --force"
            raise BadInput(
                Fault(f"the stopped run had another {field.replace('_', ' ')}, so it cannot go on ({hint})", file=str(path / MANIFEST))
            )
    if [e["keys"] for e in stored["contests"]] != [e["keys"] for e in manifest["contests"]]:
        raise BadInput(Fault("the stopped run had another number of games (start afresh with --force)", file=str(path / MANIFEST)))
    for leftover in (path / "units").glob("*.part"):
        leftover.unlink()
    return Folder(path, manifest, contests[0].game, contests)


def open_folder(path: Path) -> Folder:
    """Opens a stored run with its contests restored from the manifest, whatever the data files say now."""
    manifest = read_manifest(path)
    game = find(manifest["game"])
    if manifest["tally"] != [[field, list(game.tally[field].shape)] for field in game.tally.names]:
        raise BadInput(Fault(f"written by another version ({manifest['engine']}) whose counters differ", file=str(path / MANIFEST)))
    contests = []
    for entry in manifest["contests"]:
        data = {part: manifest["data"][key] for part, key in entry["data"].items()}
        bundle, sides = game.restored(data)
        contests.append(Contest(entry["number"], game, bundle, sides, entry["keys"], entry["setting"]))
    return Folder(path, manifest, game, contests)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a run folder; BadInput when there is none."""
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(Fault("no run folder: it has no run.json", file=str(path))) from None
    except (OSError, ValueError) as error:
        raise BadInput(Fault(f"cannot read the manifest: {error}", file=str(file))) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadInput(Fault("not a manifest of this format", file=str(file), allowed=f"format {FORMAT}"))
    return manifest


def parquet_bytes(frame: Any) -> bytes:
    """A polars frame as parquet; the same frame always gives the same bytes."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False)
    return buffer.getvalue()


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all; BadInput when the place cannot be written."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError as error:
        raise BadInput(Fault(f"cannot write: {error.strerror or error}", file=str(path))) from None


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Writes a JSON file, keys in the order given."""
    write_bytes(path, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())


def _refuse(path: Path, force: bool) -> None:
    if not path.is_dir():
        raise BadInput(Fault("there is a file of that name", field="out", value=str(path)))
    content = any(path.iterdir())
    if content and not force:
        raise BadInput(Fault("the folder exists; --force replaces it, a sweep goes on with --resume", field="out", value=str(path)))
    if content and not (path / MANIFEST).exists():
        raise BadInput(Fault("the folder holds something else than a run, so even --force leaves it alone", field="out", value=str(path)))


def _clear(path: Path) -> None:
    for child in path.iterdir():
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        else:
            child.unlink()
