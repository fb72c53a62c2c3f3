"""One file of any kind of tricks, checked for every fault; see ``bhsim.games.game.DataFiles``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bhsim.games.tricks import files
from bhsim.games.tricks.bundle import Bundle
from bhsim.games.tricks.features import FEATURES
from bhsim.games.tricks.model import Board, Deck, Rules, Space
from bhsim.games.tricks.places import FOLDERS, kind_of, kind_of_file
from bhsim.inputs.document import read_toml

KINDS = tuple(FOLDERS)
KEYS = frozenset(key for model in (Deck, Board, Space, Rules) for key in model.model_fields) | {*FEATURES, "deck"}


def kind_of_path(path: Path) -> str | None:
    """Kind of a file from its content, None when that tells nothing; ``BadInput`` when it cannot be read."""
    return kind_of(read_toml(path).data) if path.suffix == ".toml" else None


def check_file(path: Path, kind: str, bundle: Callable[[], Bundle]) -> None:
    """Raises ``BadInput`` with every fault of the file. bundle: gives what a variant is checked against; called only then."""
    if kind == "variant":
        files.apply_variant(bundle(), path)
    else:
        getattr(files, f"read_{kind}")(path)


def found_among(paths: Sequence[Path]) -> dict[str, str]:
    """The one deck and the one board among the files, as "deck" and "board"; of a kind that is not there, or twice, nothing."""
    found = {kind: [path for path in paths if kind_of_file(path) == kind] for kind in ("deck", "board")}
    return {kind: str(same[0]) for kind, same in found.items() if len(same) == 1}
