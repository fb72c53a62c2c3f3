"""Paths: listing, changing, refusing; variants and changes of one side."""

from pathlib import Path

import pytest

from bhsim.errors import BadInput
from bhsim.games.skirmish import files

FROZEN = Path(__file__).parent / "data" / "frozen"
PARTS = (FROZEN / "decks/house.toml", FROZEN / "boards/house.toml", FROZEN / "rules/standard.toml")


@pytest.fixture
def bundle():
    return files.load_bundle(*PARTS)


def faults(call, *args, **kwargs):
    with pytest.raises(BadInput) as caught:
        call(*args, **kwargs)
    return caught.value.faults


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=3", 3),
        ("a = true", True),
        ("a=each", "each"),
        ('a="each"', "each"),
        ("a=[1, 2]", [1, 2]),
        ("a=rm -r", "rm -r"),
        ("a=1=2", "1=2"),
        ("a=1\nb=2", "1\nb=2"),
    ],
)
def test_parse_set(text, value):
    assert files.parse_set(text) == ("a", value)


@pytest.mark.parametrize("text", ["a", "=1", "a=", ""])
def test_parse_set_refuses(text):
    assert "PATH=VALUE" in faults(files.parse_set, text)[0].allowed


def test_every_listed_path_can_be_set_to_its_own_value(bundle):
    before = files.digest(bundle)
    count = 0
    for path, value in files.paths(bundle):
        if value is None:
            continue
        same = files.patched(bundle, {path: value})
        assert files.digest(same) == before, path
        assert files.value_at(same, path) == value
        count += 1
    assert count > 400


def test_every_number_can_be_changed_and_changes_the_digest(bundle):
    before = files.digest(bundle)
    for path, value in files.paths(bundle):
        if isinstance(value, int) and not isinstance(value, bool) and not path.endswith((".bypass", "data_signal_max")):
            changed = files.patched(bundle, {path: value + 1})
            assert files.value_at(changed, path) == value + 1
            assert files.digest(changed) != before, path
    assert files.digest(bundle) == before


def test_patched_leaves_the_original_alone(bundle):
    changed = files.patched(bundle, {"runners.gh0st.attack": 3, "rules.points_to_win": 4, "board.states.10": "gray"})
    assert bundle.cardset.runners["gh0st"].attack == 2
    assert changed.cardset.runners["gh0st"].attack == 3
    assert changed.rules.points_to_win == 4
    assert changed.board.states[10] == "gray"
    assert changed.cardset.runners["wee_rin"] is bundle.cardset.runners["wee_rin"]


def test_unset_values_rows_and_printed_names_can_be_set(bundle):
    changed = files.patched(
        bundle,
        {
            "cards.Big Hack.max_copies": 3,
            "cards.big_hack.effects.0.connected": False,
            "cards.hot_swap.effects": [{"op": "draw", "count": 1}],
            "runners.wee_rin.effects.0.conditions": ["not carrying"],
            "runners.wee_rin.effects.2": {"op": "another_turn"},
        },
    )
    assert changed.cardset.cards["big_hack"].max_copies == 3
    assert not changed.cardset.cards["big_hack"].effects[0].connected
    assert [e.op for e in changed.cardset.cards["hot_swap"].effects] == ["draw"]
    rin = changed.cardset.runners["wee_rin"]
    assert rin.effects[0].conditions[0].negate
    assert (rin.effects[2].op, rin.effects[2].trigger) == ("another_turn", "signature")


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("runners.gh0st.atack", "runners.gh0st.attack"),
        ("runners.gh0t.attack", "runners.gh0st.attack"),
        ("rules.point_to_win", "rules.points_to_win"),
        ("cards.big_hack.effects.1.count", "cards.big_hack.effects.0.count"),
        ("cards.big_hack.effects.0.amount", "cards.big_hack.effects.0.count"),
        ("board.states.59", "board.states.5"),
    ],
)
def test_an_unknown_path_is_refused_with_near_ones(bundle, path, near):
    (fault,) = faults(files.patched, bundle, {path: 1})
    assert "unknown path" in fault.message
    assert near in str(fault)
    assert "bhsim cards paths" in fault.allowed


@pytest.mark.parametrize(
    "path", ["runners.gh0st", "runners", "rules", "foo.bar", "runners.gh0st.attack.x", "", "board.home", "runners.gh0st.effects.-1.amount"]
)
def test_no_path_at_all(bundle, path):
    (fault,) = faults(files.patched, bundle, {path: 1})
    assert "unknown path" in fault.message


def test_names_cannot_be_changed(bundle):
    assert "names" in faults(files.patched, bundle, {"runners.gh0st.name": "X"})[0].message


@pytest.mark.parametrize(
    ("path", "value", "allowed"),
    [
        ("runners.gh0st.attack", 21, "0 to 20"),
        ("runners.gh0st.attack", "three", "0 to 20"),
        ("runners.gh0st.attack", True, "0 to 20"),
        ("rules.refill", "never", "at_once, when_needed"),
        ("rules.data_signal", 7, None),
        ("cards.big_hack.effects.0.count", 9, None),
        ("board.states.10", "pink", "red, blue, gray, offline, server0, server1"),
        ("cards.big_hack.effects.0.op", "draw", None),
        ("board.states.3", "red", "a node server0"),
    ],
)
def test_a_bad_value_is_refused(bundle, path, value, allowed):
    found = faults(files.patched, bundle, {path: value})
    assert all(f.field and f.field.split(".")[0] == path.split(".")[0] for f in found)
    if allowed:
        assert found[0].allowed == allowed
        assert found[0].field in (path, "board.states")


def test_every_bad_change_is_listed(bundle):
    found = faults(files.patched, bundle, {"runners.gh0st.attack": 99, "rules.foo": 1, "cards.rm_r.damage": -1})
    assert sorted(f.field for f in found) == ["cards.rm_r.damage", "rules.foo", "runners.gh0st.attack"]


VARIANT = """name = "V"

[set]
"runners.gh0st.attack" = 3
cards.big_hack.effects.0.count = 4
[set.rules]
points_to_win = 6
"""


def test_a_variant_file_changes_many_and_sets_come_after(tmp_path):
    path = tmp_path / "v.toml"
    path.write_text(VARIANT)
    bundle = files.load_bundle(*PARTS, variants=[path], sets=["rules.points_to_win=7"])
    assert bundle.cardset.runners["gh0st"].attack == 3
    assert bundle.cardset.cards["big_hack"].effects[0].count == 4
    assert bundle.rules.points_to_win == 7
    assert files.read_variant(path).set == {"runners.gh0st.attack": 3, "cards.big_hack.effects.0.count": 4, "rules.points_to_win": 6}


def test_faults_of_a_variant_have_its_lines(tmp_path):
    path = tmp_path / "v.toml"
    path.write_text(VARIANT.replace("= 3", "= 33").replace("big_hack", "bigger_hack").replace("= 6", "= 0"))
    found = faults(files.load_bundle, *PARTS, variants=[path])
    assert sorted((f.file, f.line) for f in found) == [(str(path), 4), (str(path), 5), (str(path), 7)]


def test_changes_of_one_side(bundle):
    changed = files.patched(bundle, {"decks.a.cards.Big Hack": 2, "decks.a.cards.rm_r": 0, "crews.b.members.1.rig": "Roboware 1680"})
    assert files.digest(changed) != files.digest(bundle)
    deck = FROZEN / "decks/starter.toml"
    assert files.read_deck(deck, changed, side="a").cards["big_hack"] == 2
    assert "rm_r" not in files.read_deck(deck, changed, side="a").cards
    assert files.read_deck(deck, changed, side="b") == files.read_deck(deck, bundle)
    green = FROZEN / "crews/green.toml"
    assert files.read_crew(green, changed, side=1).members[1].rig == "roboware_1680"
    assert files.read_crew(green, changed, side=0).members[1].rig == "roboware_leapfrogger"


@pytest.mark.parametrize("path", ["decks.c.cards.x", "decks.a.x", "crews.a.members.x.rig", "crews.a.members.0.name", "decks"])
def test_bad_paths_of_a_side(bundle, path):
    assert "decks.a.cards.ID" in faults(files.patched, bundle, {path: 1})[0].allowed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"decks.a.cards.big_hack": 2}, "SK-1.4"),
        ({"decks.a.cards.big_hack": -1}, "0 to 60"),
        ({"decks.a.cards.bg_hack": 1}, "did you mean"),
    ],
)
def test_a_changed_deck_must_be_legal(bundle, change, words):
    found = faults(files.read_deck, FROZEN / "decks/starter.toml", files.patched(bundle, change), side="a")
    assert any(words in str(f) for f in found)


@pytest.mark.parametrize(
    "change", [{"crews.a.members.9.rig": "roboware_1680"}, {"crews.a.members.0.rig": 3}, {"crews.a.members.0.rig": "gonkboard_xtreme"}]
)
def test_a_changed_crew_must_be_legal(bundle, change):
    found = faults(files.read_crew, FROZEN / "crews/purple.toml", files.patched(bundle, change), side="a")
    assert found
