"""One file of any kind of skirmish, checked for every fault; see ``bhsim.games.game.DataFiles``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import files
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.kinds import KEYS, KINDS, kind_of
from bhsim.games.skirmish.places import resolve
from bhsim.inputs.document import read_text, read_toml

__all__ = ["KEYS", "KINDS", "check_file", "found_among", "kind_of_path"]


def kind_of_path(path: Path) -> str | None:
    """Kind of a file from its content, None when that tells nothing; ``BadInput`` when it cannot be read."""
    if path.suffix != ".toml":
        read_text(path)
        return "deck"
    return kind_of(read_toml(path).data)


def check_file(path: Path, kind: str, bundle: Callable[[], Bundle]) -> None:
    """Raises ``BadInput`` with every fault of the file.

    bundle: gives the card set, board and rules against which crews, decks, variants and positions are checked; called only then.
    """
    if kind in ("cardset", "board", "rules"):
        getattr(files, f"read_{kind}")(path)
    elif kind == "bot":
        bot = files.read_bot(path)
        if bot.never or bot.always:
            files.read_bot(path, bundle())
    elif kind == "crew":
        crew = files.read_crew(path, bundle())
        if deck := files.deck_of(path, crew):
            _check_deck_of(path, deck)
    elif kind == "deck":
        files.read_deck(path, bundle())
    elif kind == "variant":
        files.apply_variant(bundle(), path)
    else:
        from bhsim.games.skirmish.placing import read_placed  # numpy and numba only for those who have a position

        bot = files.read_bot("random")
        read_placed(path, bundle(), (bot, bot))


def _check_deck_of(path: Path, deck: str) -> None:
    try:
        resolve("deck", deck)
    except BadInput as error:
        document = read_toml(path)
        raise BadInput(*(document.located(Fault(f.message, field="deck", allowed=f.allowed)) for f in error.faults)) from None


def found_among(paths: Sequence[Path]) -> dict[str, str]:
    """The one card set among the files that no other of them includes, as "cardset"; nothing if there is none or several."""
    sets = {}
    for path in paths:
        try:
            if path.suffix == ".toml" and kind_of(data := read_toml(path).data) == "cardset":
                sets[path.resolve()] = (path, data.get("include", []))
        except BadInput:
            continue
    included = {
        (p.parent / item).resolve() for p, items in sets.values() if isinstance(items, list) for item in items if isinstance(item, str)
    }
    roots = [path for key, (path, _) in sets.items() if key not in included]
    return {"cardset": str(roots[0])} if len(roots) == 1 else {}
