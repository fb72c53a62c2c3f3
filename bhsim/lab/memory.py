"""A run that is kept in memory: the same units, results and tables as a run folder has, and nothing is written.

Two bytes a game and one tally a unit stay until the run is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.lab.contest import Contest
from bhsim.lab.manifest import COMPLETE, STOPPED
from bhsim.lab.runs import Unit, UnitResult
from bhsim.lab.store import Folder

NOWHERE = Path("(in memory)")  # stands for the folder in messages


class Kept(Folder):
    """A run folder without a folder."""

    def __init__(self, manifest: dict[str, Any], contests: Sequence[Contest]) -> None:
        super().__init__(NOWHERE, manifest, contests[0].game, contests)
        self._units: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def holds(self, unit: Unit) -> bool:
        """Whether a unit has been played."""
        return unit.name in self._units

    def write_unit(self, result: UnitResult) -> None:
        """Keeps a finished unit."""
        self._units[result.unit.name] = result.tally, result.outcomes

    def read_unit(self, unit: Unit) -> tuple[np.ndarray, np.ndarray]:
        """Tally and outcomes of a unit, as ``Folder.read_unit``; KeyError when it has not been played."""
        return self._units[unit.name]

    def _write_manifest(self) -> None:
        """There is no file to write."""

    def close(self, times: dict[str, Any], tables: Callable[[Folder], dict[str, Any]], stopped: bool = False) -> None:
        """The manifest's last word; tables are made when somebody asks for them."""
        self.manifest["status"] = STOPPED if stopped or self.missing() else COMPLETE
        self.manifest["times"] = times
