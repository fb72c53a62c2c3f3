"""Where the name of a card set, crew, deck, board, rules, bot or variant file of skirmish is looked up."""

from __future__ import annotations

from bhsim.games.skirmish.kinds import kind_of_file
from bhsim.inputs.places import Places

FOLDERS = {
    "cardset": "decks", "deck": "decks", "crew": "crews",
    "board": "boards", "rules": "rules", "bot": "bots", "variant": "variants",
}  # fmt: skip
WORDS = {"cardset": "card set", "rules": "rules file", "variant": "variant file"}
PLACES = Places(FOLDERS, kind_of_file, WORDS, {"deck": (".txt",)})
resolve, folders, names = PLACES.resolve, PLACES.folders, PLACES.names
