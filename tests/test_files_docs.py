"""docs/effects.md and docs/files.md against the vocabulary and the readers."""

import re
import tomllib
from pathlib import Path

import pytest

from bhsim.games.skirmish import checkfile, files, kinds
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.model import CardSet

DOCS = Path(__file__).parents[1] / "docs"
FROZEN = Path(__file__).parent / "data" / "frozen"


def sections(name):
    """Heading -> text below it."""
    parts = re.split(r"^## (.+)$", (DOCS / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def rows(text):
    """Table rows as lists of cells, without header and rule."""
    table = [line.strip().strip("|").split("|") for line in text.split("\n") if line.startswith("| `")]
    return [[cell.strip() for cell in row] for row in table]


def blocks(text, language="toml"):
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


EFFECTS = sections("effects.md")


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("Triggers", v.TRIGGERS), ("Operations", v.OPS), ("Targets", v.WHO), ("Ranges", v.WITHIN), ("Filters", v.FILTERS),
        ("Conditions", v.CONDITIONS), ("Stats", v.STATS), ("Durations", v.DURATIONS), ("Bans", v.FORBIDDABLE),
    ],
)  # fmt: skip
def test_every_word_stands_in_its_table_with_a_meaning(heading, words):
    table = rows(EFFECTS[heading])
    assert [row[0].strip("`") for row in table] == list(words)
    assert all(len(row[-1]) >= 7 for row in table)


def test_small_words():
    table = rows(EFFECTS["Small words"])
    expected = {"player": v.PLAYERS, "how": v.HOW, "direction": v.DIRECTIONS, "to": v.PLACES, "by": ("self", "own", "ally")}
    for field, words in expected.items():
        assert [row[1].strip("`") for row in table if row[0] == f"`{field}`"] == list(words)
    assert all(f"`{state}`" in EFFECTS["Small words"] for state in v.HACKABLE)


def test_the_fields_of_each_operation_are_those_that_it_reads():
    for row in rows(EFFECTS["Operations"]):
        assert tuple(re.findall(r"`([a-z_!]+)`", row[1])) == v.OP_FIELDS[row[0].strip("`")], row[0]


def test_where_triggers_may_stand():
    for row in rows(EFFECTS["Triggers"]):
        trigger = row[0].strip("`")
        places = {"card": v.CARD_TRIGGERS, "runner": v.RUNNER_TRIGGERS, "rig": v.RIG_TRIGGERS, "rules": ("common",)}
        assert row[1].split(", ") == [place for place, allowed in places.items() if trigger in allowed]


def test_every_example_of_the_effects_page_is_a_card_set_and_they_show_every_operation():
    shown = set()
    examples = blocks((DOCS / "effects.md").read_text(encoding="utf-8"))
    for text in examples:
        cardset = CardSet.model_validate(tomllib.loads(text))
        for entry in [*cardset.cards.values(), *cardset.runners.values(), *cardset.rigs.values()]:
            shown |= {effect.op for effect in entry.effects}
    assert len(examples) >= 2
    assert shown == set(v.OPS)


PAGE = sections("files.md")


@pytest.mark.parametrize("kind", ["Card set", "Crew", "Deck", "Board", "Rules", "Variant"])
def test_every_example_of_the_files_page_is_valid(tmp_path, kind):
    bundle = files.load_bundle(FROZEN / "decks/house.toml", FROZEN / "boards/house.toml", FROZEN / "rules/standard.toml")
    examples = blocks(PAGE[kind])
    assert examples
    for number, text in enumerate(examples):
        path = tmp_path / f"{number}.toml"
        path.write_text(text, encoding="utf-8")
        assert kinds.kind_of_file(path) == kind.lower().replace(" ", "")
        if kind == "Board" and "Ring" in text:
            continue
        checkfile.check_file(path, checkfile.kind_of_path(path), lambda: bundle)


def test_the_plain_deck_equals_the_starter(tmp_path):
    bundle = files.load_bundle(FROZEN / "decks/house.toml", FROZEN / "boards/house.toml", FROZEN / "rules/standard.toml")
    (text,) = blocks(PAGE["Deck"], "text")
    path = tmp_path / "starter.txt"
    path.write_text(text, encoding="utf-8")
    assert files.read_deck(path, bundle).slots() == files.read_deck(FROZEN / "decks/starter.toml", bundle).slots()


def test_the_rules_example_lists_every_switch_at_its_default():
    from bhsim.games.skirmish.model import Rules

    (text,) = blocks(PAGE["Rules"])
    written = tomllib.loads(text)
    assert set(written) == set(Rules.model_fields)
    assert {k: x for k, x in written.items() if k != "common_actions"} == Rules().model_dump(exclude={"common_actions"})


def test_the_shipped_rules_list_every_switch_at_its_default():
    from bhsim.games.skirmish.model import Rules

    path, _ = files.resolve("rules", "standard")
    text = path.read_text(encoding="utf-8")
    assert files.read_rules(path) == Rules()
    assert set(tomllib.loads(text)) == set(Rules.model_fields)
    lines = [line for line in text.split("\n") if re.match(r"^[a-z_]+ = ", line) and not line.startswith(("name", "common_actions"))]
    assert all("#" in line for line in lines)
