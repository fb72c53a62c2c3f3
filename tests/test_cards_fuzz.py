"""Random card sets from the whole vocabulary: words, TOML, CSV and paths must carry every one of them."""

import pytest

from bhsim.games.skirmish import files, pool_csv
from bhsim.games.skirmish.bundle import POOL_MODELS
from bhsim.games.skirmish.fuzz import random_case
from bhsim.games.skirmish.toml_out import cardset_toml
from bhsim.games.skirmish.words import text_words


@pytest.mark.parametrize("seed", range(40))
def test_random_sets_survive_every_form(tmp_path, seed):
    cardset, board, rules, _crews, _decks = random_case(seed)
    named = {pool: {k: e.model_copy(update={"name": k}) for k, e in getattr(cardset, pool).items()} for pool in POOL_MODELS}
    cardset = cardset.model_copy(update=named)  # files want ids that follow from names
    entries = [entry for pool in (cardset.runners, cardset.rigs, cardset.cards) for entry in pool.values()]
    for entry in entries:
        sentences = text_words(entry.effects)
        assert len(sentences) == len({effect.trigger for effect in entry.effects})
        assert all(s.endswith(".") and "None" not in s and "  " not in s for s in sentences)
    path = tmp_path / "set.toml"
    path.write_text(cardset_toml(cardset), encoding="utf-8")
    read = files.read_cardset(path)
    for pool in POOL_MODELS:
        assert {k: e.model_dump() for k, e in getattr(read, pool).items()} == {k: e.model_dump() for k, e in getattr(cardset, pool).items()}
    for name, text in pool_csv.export_tables(read).items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    assert files.digest(pool_csv.import_tables(tmp_path)) == files.digest(read)
    bundle = files.Bundle(read, board, rules)
    values = {p: value for p, value in files.paths(bundle) if value is not None}
    assert files.digest(files.patched(bundle, values)) == files.digest(bundle)
