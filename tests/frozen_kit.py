"""The frozen card set, board and rules of tests/data: house values that no tuning moves."""

from pathlib import Path

from bhsim.games.skirmish import files
from bhsim.games.skirmish.driver import Match

FROZEN = Path(__file__).parent / "data" / "frozen"
FILES = {
    "cardset": str(FROZEN / "decks" / "house.toml"),
    "board": str(FROZEN / "boards" / "house.toml"),
    "rules": str(FROZEN / "rules" / "standard.toml"),
}


def frozen_match(bots=("random", "random"), sets=()) -> Match:
    """Purple against Green with the starter deck."""
    bundle = files.load_bundle(**FILES, sets=tuple(sets))
    crews = tuple(files.read_crew(str(FROZEN / "crews" / f"{name}.toml"), bundle) for name in ("purple", "green"))
    decks = tuple(files.read_deck(str(FROZEN / "decks" / "starter.toml"), bundle) for _ in crews)
    return Match(bundle, crews, decks, tuple(files.read_bot(name) for name in bots))
