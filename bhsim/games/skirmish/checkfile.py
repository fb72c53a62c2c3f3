"""One file of any kind, checked for every fault: what ``bhsim validate`` does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import files
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.kinds import KINDS, kind_of
from bhsim.games.skirmish.places import resolve
from bhsim.inputs.document import read_text, read_toml


def kind_of_path(path: Path) -> str:
    """Kind of a file from its content; ``BadInput`` when it cannot be read or tells nothing."""
    if path.suffix != ".toml":
        read_text(path)
        return "deck"
    kind = kind_of(read_toml(path).data)
    if kind is None:
        raise BadInput(Fault("cannot tell what kind of file this is; name it with --kind", str(path), allowed=", ".join(KINDS)))
    return kind


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
    elif kind == "position":
        from bhsim.games.skirmish.placing import read_placed  # numpy and numba only for those who have a position

        bot = files.read_bot("random")
        read_placed(path, bundle(), (bot, bot))
    elif kind == "sensitivity":
        from bhsim.lab.factors import check_sensitivity

        check_sensitivity(path)
    else:
        from bhsim.lab.sweep import check_spec

        check_spec(path)


def _check_deck_of(path: Path, deck: str) -> None:
    try:
        resolve("deck", deck)
    except BadInput as error:
        document = read_toml(path)
        raise BadInput(*(document.located(Fault(f.message, field="deck", allowed=f.allowed)) for f in error.faults)) from None


def main_cardset(paths: list[Path]) -> Path | None:
    """The one card set among the files that no other of them includes; None if there is none or several."""
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
    return roots[0] if len(roots) == 1 else None
