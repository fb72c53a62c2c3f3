"""Decks, boards, rules, bots and variants of tricks: what is read, what is refused and where the fault is said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from bhsim.errors import BadInput, Fault
from bhsim.games.tricks import bundle, files, legality, places
from bhsim.games.tricks.model import Rules

ROOT = Path(__file__).resolve().parents[2]

DECK = """name = "Mine"
ranks = 3
joker_penalty = 1
hat_penalty = 2
[penalties]
1 = 0
2 = 1
3 = 2
"""
BOARD = """name = "Mine"
[spaces.one]
name = "One"
kind = "start"
arrows = ["mid"]
[spaces.two]
name = "Two"
kind = "start"
arrows = ["mid", "goal"]
[spaces.mid]
name = "Mid"
value = 2
arrows = ["goal"]
[spaces.goal]
name = "Goal"
kind = "critical_assets"
[tiles.turn]
name = "Turn"
spaces.mid = { value = -2 }
"""


@pytest.fixture
def write(tmp_path):
    """Writes a file and gives its path."""

    def writer(text: str, name: str = "file.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def faults(call, *args, **named) -> list[Fault]:
    with pytest.raises(BadInput) as caught:
        call(*args, **named)
    return caught.value.faults


def fields(call, *args, **named) -> set[str | None]:
    return {fault.field for fault in faults(call, *args, **named)}


# House data


@pytest.mark.parametrize("deck", ["base", "lean", "steep"])
@pytest.mark.parametrize("board", ["base", "backdoor"])
def test_house_data_are_legal_and_marked(deck, board):
    loaded = files.load_bundle(deck, board)
    assert loaded.house_values and loaded.deck.house_values and loaded.board.house_values and not loaded.notes


def test_every_shipped_file_is_found_by_name():
    assert places.names("deck") == ["base", "lean", "steep"]
    assert places.names("board") == ["backdoor", "base"]
    assert places.names("rules") == ["standard"]
    assert places.names("bot") == ["lurker", "random", "shark", "shedder", "sprinter", "trapper"]
    assert files.read_bot("random").style == "random"


def test_the_standard_rules_are_the_defaults_and_say_every_switch():
    rules = files.read_rules("standard")
    assert rules == Rules() and rules.model_fields_set == set(Rules.model_fields)


def test_the_base_board_is_as_the_house_set_describes_it():
    board = files.read_board("base")
    assert len(board.spaces) == 21 and board.starts() == ["internet_cafe", "public_server"]
    values = [space.value for space in board.spaces.values()]
    assert min(values) == -1 and max(values) == 5 and values.count(-1) == 4
    assert sum(space.kind == "trap" for space in board.spaces.values()) == 2
    assert sum(len(space.arrows) == 2 for space in board.spaces.values()) == 6
    assert {space.kind for space in files.read_board("backdoor").spaces.values()} >= {"exploit", "backflip", "randomizer"}


@pytest.mark.parametrize("board", ["base", "backdoor"])
def test_traps_can_be_avoided_on_every_layout(board):
    read = files.read_board(board)
    for laid in legality.layouts(read):
        spaces = read.layout(laid)
        for start in read.starts():
            edge, seen = [start], set()
            while edge:
                fresh = [key for key in spaces[edge.pop()].arrows if key not in seen and spaces[key].kind != "trap"]
                seen.update(fresh)
                edge += fresh
            assert "critical_assets" in seen


# Reading


def test_files_are_read_with_their_defaults(write):
    deck, board = files.read_deck(write(DECK, "deck.toml")), files.read_board(write(BOARD, "board.toml"))
    assert (deck.copies, deck.jokers, deck.size(), deck.house_values) == (6, 5, 23, False)
    assert board.spaces["one"].value == 0 and board.spaces["mid"].kind == "plain" and not board.laid


def test_a_note_says_that_penalties_fall(write):
    path = write(DECK.replace("2 = 1", "2 = 7"), "deck.toml")
    (note,) = files.load_bundle(str(path)).notes
    assert note == "note: Mine: rank 3 costs 2, rank 2 costs 7"


@pytest.mark.parametrize(
    ("change", "field", "line"),
    [
        (("ranks = 3", "ranks = 4"), "penalties.4", 5),
        (("ranks = 3", "ranks = 0"), "ranks", 2),
        (("ranks = 3", "ranks = 16"), "ranks", 2),
        (("ranks = 3", "copies = 9"), "copies", 2),
        (("ranks = 3", "jokers = 13"), "jokers", 2),
        (("ranks = 3", 'ranks = "3"'), "ranks", 2),
        (("ranks = 3", "rank = 3"), "rank", 2),
        (("3 = 2", "3 = -1"), "penalties.3", 8),
        (("3 = 2", "3 = 2\n16 = 1"), "penalties.16", 9),
        (("3 = 2", "03 = 2"), "penalties.03", 8),
        (("hat_penalty = 2\n", ""), "hat_penalty", None),
    ],
)
def test_faults_of_a_deck_name_field_and_line(write, change, field, line):
    found = [f for f in faults(files.read_deck, write(DECK.replace(*change))) if f.field == field]
    assert len(found) == 1 and found[0].line == line and found[0].file.endswith("file.toml")


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        (('arrows = ["goal"]', 'arrows = ["goall"]'), "spaces.mid.arrows.0", "did you mean"),
        (('arrows = ["goal"]', 'arrows = ["mid"]'), "spaces.mid.arrows.0", "own space"),
        (('arrows = ["goal"]', 'arrows = ["goal", "goal"]'), "spaces.mid.arrows.1", "stands twice"),
        (('arrows = ["goal"]', 'arrows = ["one"]'), "spaces", "circle: one -> mid -> one"),
        (('arrows = ["goal"]', "arrows = []"), "spaces", "no way leads from one"),
        (('name = "Two"\nkind = "start"', 'name = "Two"'), "spaces", "start spaces"),
        (('kind = "critical_assets"', 'kind = "plain"'), "spaces", "critical_assets"),
        (('kind = "critical_assets"', 'kind = "critical_assets"\narrows = ["mid"]'), "spaces.goal.arrows", "ends"),
        (('kind = "critical_assets"', 'kind = "goal"'), "spaces.goal.kind", "unknown word"),
        (("value = 2", "value = 21"), "spaces.mid.value", "out of range"),
        (("[spaces.mid]", "[spaces.Mid]"), "spaces.Mid", "no id"),
        (("[tiles.turn]", "[tiles.Turn]"), "tiles.Turn", "no id"),
        (("spaces.mid = {", "spaces.middle = {"), "tiles.turn.spaces.middle", "unknown space"),
        (("spaces.mid = {", "spaces.goal = {"), "tiles.turn.spaces.goal", "cannot cover"),
        (("spaces.mid = {", "spaces.one = {"), "tiles.turn.spaces.one", "cannot cover"),
        (("{ value = -2 }", "{ }"), "tiles.turn.spaces.mid", "changes nothing"),
        (("{ value = -2 }", '{ kind = "start" }'), "tiles.turn.spaces.mid.kind", "unknown word"),
        (("{ value = -2 }", '{ arrows = ["one"] }'), "tiles", "circle with the tiles turn"),
        (("{ value = -2 }", "{ arrows = [] }"), "tiles", "no way leads from one to Critical Assets with the tiles turn"),
        (('name = "Mine"', 'name = "Mine"\nlaid = ["tern"]'), "laid.0", "unknown tile"),
        (('name = "Mine"', 'name = "Mine"\nlaid = ["turn", "turn"]'), "laid.1", "in common"),
    ],
)
def test_faults_of_a_board(write, change, field, words):
    text = BOARD.replace(*change)
    assert text != BOARD
    found = [fault for fault in faults(files.read_board, write(text)) if fault.field == field]
    assert any(words in str(fault) for fault in found) and all(fault.line for fault in found)


def test_all_faults_are_listed_at_once(write):
    text = BOARD.replace('["goal"]', '["gaol"]').replace("[tiles.turn]", "[tiles.Turn]").replace('kind = "critical_assets"', "")
    assert fields(files.read_board, write(text)) == {"spaces.mid.arrows.0", "tiles.Turn", "spaces"}
    assert len(faults(files.load_bundle, "nodeck", "noboard", "norules")) == 3


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('follow = "low"', "follow"),
        ("max_rounds = 0", "max_rounds"),
        ("hand_size = 21", "hand_size"),
        ("joker_only_rank = 0", "joker_only_rank"),
        ("joker_only_rank = true", "joker_only_rank"),
        ('joker_only_rank = "7"', "joker_only_rank"),
        ("compulsory_move = 1", "compulsory_move"),
    ],
)
def test_faults_of_rules(write, line, field):
    (fault,) = faults(files.read_rules, write(f'name = "Mine"\n{line}\n'))
    assert (fault.field, fault.line) == (field, 2)


def test_a_file_of_another_kind_is_refused(write):
    (fault,) = faults(files.read_deck, write(BOARD))
    assert "is a board, where a deck is wanted" in fault.message
    assert [places.kind_of_file(write(text)) for text in (DECK, BOARD, 'style = "random"', "max_rounds = 3", "[set]\n", "x = 1", "=")] == [
        "deck", "board", "bot", "rules", "variant", None, None,
    ]  # fmt: skip


# Paths


def test_paths_read_and_change_every_part():
    loaded = files.load_bundle(board="backdoor")
    for path, value in (
        ("deck.jokers", 9),
        ("deck.penalties.13", 2),
        ("board.spaces.root_access.value", -4),
        ("board.spaces.root_access.kind", "trap"),
        ("board.tiles.audit.spaces.source_code.value", 1),
        ("board.laid", ["audit"]),
        ("rules.follow", "any_rank"),
        ("rules.joker_only_rank", 13),
    ):
        changed = bundle.patched(loaded, {path: value})
        assert bundle.value_at(loaded, path) != value == bundle.value_at(changed, path)
        assert {p for p, _ in bundle.paths(changed)} == {p for p, _ in bundle.paths(loaded)}
        assert [p for (p, before), (_, after) in zip(bundle.paths(loaded), bundle.paths(changed), strict=True) if before != after] == [path]


def test_a_printed_name_is_as_good_as_an_id():
    loaded = files.load_bundle(sets=["board.spaces.Root Access.value=-4"])
    assert bundle.value_at(loaded, "board.spaces.root_access.value") == -4


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ("deck.joker=1", "deck.joker", "did you mean 'deck.jokers'"),
        ("board.spaces.root.value=1", "board.spaces.root.value", "unknown path"),
        ("rules=1", "rules", "unknown path"),
        ("deck.name=x", "deck.name", "names cannot be changed"),
        ("deck.ranks=14", "deck.penalties.14", "is missing"),
        ("deck.jokers=many", "deck.jokers", "whole number"),
        ('board.spaces.root_access.arrows=["router"]', "board.spaces", "circle"),
        ("rules.joker_only_rank=14", "rules.joker_only_rank", "above the deck's ranks"),
    ],
)
def test_changes_that_cannot_be(change, field, words):
    (fault,) = faults(files.load_bundle, sets=[change])
    assert fault.field == field and words in fault.message


def test_bad_changes_are_listed_at_once():
    assert fields(files.load_bundle, sets=["deck.jokers=-1", "rules.follow=x", "rules.fellow=x"]) == {
        "deck.jokers",
        "rules.follow",
        "rules.fellow",
    }


def test_fewer_ranks_need_no_other_change():
    assert files.load_bundle(sets=["deck.ranks=9"]).deck.size() == 59


def test_a_variant_changes_paths_and_its_faults_have_lines(write):
    good = write('name = "V"\n[set]\n"deck.jokers" = 0\nrules.follow = "any_rank"\n', "good.toml")
    loaded = files.load_bundle(variants=[good], sets=["deck.jokers=3"])
    assert (loaded.deck.jokers, loaded.rules.follow) == (3, "any_rank")
    bad = write('name = "V"\n[set]\n"deck.jokers" = 0\nrules.follow = "none"\ndeck.penalties.13 = 99\n', "bad.toml")
    assert {(fault.field, fault.line) for fault in faults(files.load_bundle, variants=[bad])} == {
        ("rules.follow", 4),
        ("deck.penalties.13", 5),
    }


def test_games_know_nothing_of_each_other():
    for path in (ROOT / "bhsim" / "games" / "tricks").rglob("*.py"):
        assert "skirmish" not in path.read_text(encoding="utf-8")
    for path in (ROOT / "bhsim" / "games" / "skirmish").rglob("*.py"):
        assert "games.tricks" not in path.read_text(encoding="utf-8")
