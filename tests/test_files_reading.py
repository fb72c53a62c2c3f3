"""Reading files: values, names, lines of faults, look-up and digests."""

import logging
import tomllib
from pathlib import Path

import pytest

from bhsim.errors import BadInput
from bhsim.games.skirmish import files, places
from bhsim.inputs.scan import scan, split_path

FROZEN = Path(__file__).parent / "data" / "frozen"
SHIPPED = Path(__file__).parents[1]


@pytest.fixture
def bundle():
    return files.load_bundle(FROZEN / "decks/house.toml", FROZEN / "boards/house.toml", FROZEN / "rules/standard.toml")


def faults(call, *args, **kwargs):
    with pytest.raises(BadInput) as caught:
        call(*args, **kwargs)
    return caught.value.faults


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_the_house_set_holds_every_name_of_the_rulebook(bundle):
    cardset = bundle.cardset
    assert len(cardset.runners) == len(cardset.rigs) == 8
    assert len(cardset.cards) == 14
    jester = cardset.runners["james_jimmy_jester_mahoney"]
    assert jester.name == "James 'Jimmy' \"Jester\" Mahoney"
    assert (jester.bandwidth, jester.attack) == (2, 2)
    rig = cardset.rigs["battlestation_mk2"]
    assert (rig.bandwidth, rig.signal, rig.security, rig.speed) == (4, 7, 3, 2)
    assert [cardset.cards[c].damage for c in ("speak_softly", "rm_r", "big_hack")] == [0, 3, 2]
    assert bundle.house_values


@pytest.mark.parametrize("folder", [SHIPPED, FROZEN])
@pytest.mark.parametrize("crew", ["purple", "green"])
def test_starter_crews_and_deck_are_legal(bundle, folder, crew):
    read = files.read_crew(folder / f"crews/{crew}.toml", bundle)
    assert len(read.members) == 4
    assert read.deck == "starter"
    deck = files.read_deck(folder / "decks/starter.toml", bundle)
    assert len(deck.slots()) == 20
    assert deck.cards["hack_the_network"] == 7


def test_starter_crews_cost_exactly_twenty(bundle):
    from bhsim.games.skirmish.legality import bandwidth

    assert [bandwidth(files.read_crew(FROZEN / f"crews/{c}.toml", bundle), bundle.cardset) for c in ("purple", "green")] == [20, 20]


def test_shipped_files_read_without_fault_by_name():
    bundle = files.load_bundle()
    assert bundle.board.name == "House network"
    assert {"purple", "green"} <= set(places.names("crew"))
    assert {"starter", "aggro"} <= set(places.names("deck"))
    assert places.names("cardset").count("house") == 1
    for crew in ("purple", "green"):
        files.read_crew(crew, bundle)
    files.read_deck("aggro", bundle)


TEXT = """# comment with [brackets] = and "quotes"
name = "x # no comment"

[cards.big_hack]
damage = 2 # comment
effects = [
  { op = "hack", states = ["red",
      "blue"] },
  { op = "draw",
    count = 1 },
]
note = '''
[cards.fake]
it = 1
'''
"quoted.key" = 1
a.b = 2
[[members]]
runner = "a"
[[members]]
runner = "b"
[members.deep]
z = 1
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("cards", "big_hack"), 4),
        (("cards", "big_hack", "damage"), 5),
        (("cards", "big_hack", "effects"), 6),
        (("cards", "big_hack", "effects", 0, "op"), 7),
        (("cards", "big_hack", "effects", 0, "states", 1), 8),
        (("cards", "big_hack", "effects", 1), 9),
        (("cards", "big_hack", "effects", 1, "count"), 10),
        (("cards", "big_hack", "effects", 1, "missing"), 9),
        (("cards", "big_hack", "quoted.key"), 16),
        (("cards", "big_hack", "a", "b"), 17),
        (("members", 0, "runner"), 19),
        (("members", 1), 20),
        (("members", 1, "deep", "z"), 23),
        (("cards", "fake"), 4),
        (("nowhere",), None),
    ],
)
def test_scanner_lines(path, line):
    assert scan(TEXT).line(path) == line


def leaves(data, path=()):
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from leaves(value, (*path, number))
    else:
        yield path, data


@pytest.mark.parametrize("file", sorted(p for p in FROZEN.rglob("*.toml")), ids=lambda p: p.parent.name + "/" + p.name)
def test_scanner_finds_every_leaf_of_real_files_at_a_line_that_shows_it(file):
    text = file.read_text(encoding="utf-8")
    lines = scan(text)
    source = text.split("\n")
    for path, _value in leaves(tomllib.loads(text)):
        assert lines.has(path)
        shown = source[lines.line(path) - 1]
        key = path[-1] if isinstance(path[-1], str) else None
        assert key is None or key in shown


def test_split_path():
    assert split_path("cards.big_hack.effects.0.count") == ("cards", "big_hack", "effects", 0, "count")


def test_every_fault_of_a_card_set_is_listed_with_its_line(tmp_path):
    path = write(
        tmp_path / "set.toml",
        """name = "Bad"
colour = 1
[cards.big_hack]
name = "Big Hack"
damage = "two"
effects = [
  { op = "hak", count = 2 },
  { op = "hack", count = 9, states = "any", amout = 1 },
]
[cards.other]
name = "Another"
damage = 21
[runners.gh0st]
name = "Gh0st"
bandwidth = true
attack = 2
effects = [{ trigger = "played", op = "draw", count = 1 }]
""",
    )
    found = {f.field: f for f in faults(files.read_cardset, path)}
    assert {field: f.line for field, f in found.items()} == {
        "colour": 2,
        "cards.big_hack.damage": 5,
        "cards.big_hack.effects.0.op": 7,
        "cards.big_hack.effects.1.amout": 8,
        "cards.other.damage": 12,
        "runners.gh0st.bandwidth": 15,
        "runners.gh0st.effects.0.trigger": 17,
    }
    assert found["cards.big_hack.damage"].allowed == "0 to 20"
    assert found["cards.big_hack.damage"].value == "two"
    assert "did you mean 'hack'" in found["cards.big_hack.effects.0.op"].message
    assert found["cards.big_hack.effects.1.amout"].allowed.startswith("op, trigger, count, up_to")
    assert "signature" in str(found["runners.gh0st.effects.0.trigger"])
    for fault in found.values():
        assert str(path) in str(fault)
        assert "pydantic" not in str(fault)
        assert "\n" not in str(fault)


def test_an_id_must_follow_from_the_printed_name(tmp_path):
    path = write(tmp_path / "set.toml", 'name = "S"\n[cards.rm]\nname = "rm -r"\ndamage = 1\n')
    (fault,) = faults(files.read_cardset, path)
    assert (fault.line, fault.allowed) == (2, "rm_r")


def test_several_faults_of_one_row_are_all_named(tmp_path):
    path = write(
        tmp_path / "s.toml",
        'name = "S"\n[cards.x]\nname = "X"\ndamage = 1\neffects = [{ op = "damage", target = "culprit", within = "subnet" }]\n',
    )
    found = faults(files.read_cardset, path)
    assert {f.field.rpartition(".")[2] for f in found} == {"amount", "target", "within"}
    assert {f.line for f in found} == {5}


def test_truth_values_are_strict(tmp_path):
    path = write(tmp_path / "r.toml", 'heal_on_refresh = "yes"\n')
    (fault,) = faults(files.read_rules, path)
    assert (fault.line, fault.allowed) == (1, "true, false")


def test_includes(tmp_path):
    write(tmp_path / "a.toml", 'name = "A"\ninclude = ["b.toml"]\n[cards.x]\nname = "X"\ndamage = 1\n')
    write(tmp_path / "b.toml", 'name = "B"\nhouse_values = true\n[cards.a]\nname = "A"\ndamage = 2\n')
    cardset = files.read_cardset(tmp_path / "a.toml")
    assert list(cardset.cards) == ["a", "x"]
    assert (cardset.name, cardset.house_values) == ("A", True)
    write(tmp_path / "b.toml", 'name = "B"\n\n[cards.x]\nname = "X"\ndamage = 99\n')
    found = faults(files.read_cardset, tmp_path / "a.toml")
    assert {(Path(f.file).name, f.line, f.field) for f in found} == {("b.toml", 5, "cards.x.damage"), ("b.toml", 3, "cards.x")}
    write(tmp_path / "b.toml", 'name = "B"\ninclude = ["a.toml"]\n')
    assert "includes itself" in str(faults(files.read_cardset, tmp_path / "a.toml")[0])
    write(tmp_path / "a.toml", 'name = "A"\ninclude = ["c.toml"]\n')
    assert "no such file" in str(faults(files.read_cardset, tmp_path / "a.toml")[0])


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"name\0= 1", "binary"),
        (b"name = '\xff'", "not UTF-8"),
        ("name = 'x'".encode("utf-16"), "UTF-16"),
        (b"name = 'x'\nfoo\n", "not valid TOML"),
        (b"name = 'x'\nname = 'y'\n", "not valid TOML"),
        (b"x = " + b"[" * 5000, "nested too deeply"),
    ],
)
@pytest.mark.parametrize("read", [files.read_cardset, files.read_board, files.read_rules, files.read_variant])
def test_unreadable_files(tmp_path, raw, words, read):
    path = tmp_path / "f.toml"
    path.write_bytes(raw)
    (fault,) = faults(read, path)
    assert words in fault.message
    assert fault.file == str(path)


def test_syntax_errors_have_a_line(tmp_path):
    path = write(tmp_path / "f.toml", 'name = "x"\n\nfoo\n')
    (fault,) = faults(files.read_rules, path)
    assert fault.line == 3


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    path = tmp_path / "r.toml"
    path.write_bytes(b"\xef\xbb\xbfname = 'x'\r\npoints_to_win = 3\r\n")
    assert files.read_rules(path).points_to_win == 3


def test_names_by_printed_name_and_suggestions(bundle):
    inline = {"name": "Me", "members": [{"runner": "Gh0st", "rig": "Roboware 9999"}]}
    assert files.read_crew(inline, bundle).members[0].rig == "roboware_9999"
    inline["members"][0]["runner"] = "Gost"
    (fault,) = faults(files.read_crew, inline, bundle)
    assert "did you mean 'Gh0st'" in fault.message
    assert fault.field == "members.0.runner"
    assert "arson_nick" in fault.allowed


def test_a_wrong_kind_of_file_is_named(bundle):
    (fault,) = faults(files.read_crew, FROZEN / "crews/house.toml", bundle)
    assert "is a card set, where a crew is wanted" in fault.message


CREW = """name = "C"
members = [
  { runner = "gh0st", rig = "battlestation_mk2" },
  { runner = "Gh0st", rig = "gonkboard_xtreme" },
  { runner = "wyld_chyld", rig = "gonkboard_xtreme" },
  { runner = "arson_nick", rig = "gonkboard_defender" },
]
"""


@pytest.mark.rule("SK-1.1")
@pytest.mark.rule("SK-1.3")
@pytest.mark.rule("SK-1.7")
def test_an_illegal_crew_is_refused_with_every_broken_rule(bundle, tmp_path):
    path = write(tmp_path / "c.toml", CREW)
    found = faults(files.read_crew, path, bundle)
    assert [(f.message[:6], f.line) for f in found] == [("SK-1.3", 4), ("SK-1.3", 5), ("SK-1.1", 2)]
    assert "costs 25 bandwidth" in found[-1].message
    assert files.read_crew(path, bundle, check=False).members[1].runner == "gh0st"


@pytest.mark.rule("SK-1.2")
@pytest.mark.parametrize("member", ['{ runner = "gh0st" }', '{ runner = "gh0st", rig = ["a", "b"] }', '{ rig = "gonkboard_xtreme" }'])
def test_each_runner_has_exactly_one_rig(bundle, tmp_path, member):
    path = write(tmp_path / "c.toml", f'name = "C"\nmembers = [\n{member}]\n')
    (fault,) = faults(files.read_crew, path, bundle)
    assert fault.line == 3


@pytest.mark.rule("SK-1.6")
def test_a_crew_must_fit_the_smaller_home_row(bundle):
    runners = ["gh0st", "wee_rin", "sally_shortstop"]
    rigs = ["roboware_1680", "khonsu_blinkbeacon", "roboware_9999"]
    inline = {"name": "C", "members": [{"runner": a, "rig": b} for a, b in zip(runners, rigs, strict=True)]}
    files.read_crew(inline, bundle)
    home = [str(node) for node in bundle.board.home[1]]
    narrow = files.patched(bundle, {f"board.states.{node}": "offline" for node in home[:4]})
    (fault,) = faults(files.read_crew, inline, narrow)
    assert fault.message.startswith("SK-1.6")
    assert "1 to 2" in fault.allowed
    (fault,) = faults(files.read_crew, {"name": "C", "members": []}, bundle)
    assert fault.field == "members"


@pytest.mark.rule("SK-1.4")
@pytest.mark.rule("SK-1.5")
def test_an_illegal_deck_is_refused_with_every_broken_rule(bundle, tmp_path):
    path = write(tmp_path / "d.toml", 'name = "D"\n[cards]\nhack_the_network = 14\n"Big Hack" = 3\nhuge_hak = 2\n')
    found = faults(files.read_deck, path, bundle)
    assert [(f.line, f.message.split(":")[0]) for f in found] == [
        (4, "SK-1.5"), (5, "unknown card 'huge_hak'; did you mean 'huge_hack' or 'Huge Hack'?"), (2, "SK-1.4"),
    ]  # fmt: skip
    assert found[0].allowed == "at most 2"
    assert "19 cards" in found[2].message


@pytest.mark.rule("SK-1.5")
def test_a_card_sets_its_own_limit(bundle):
    assert files.read_deck({"name": "D", "cards": {"Hack the Network": 20}}, bundle).cards == {"hack_the_network": 20}


def test_plain_text_decks(bundle, tmp_path):
    text = "# my deck\n\n7x Hack the Network\n7 hack_the_network # again, by id\n6X  rm -r\n"
    path = write(tmp_path / "mine.txt", text)
    found = faults(files.read_deck, path, bundle)
    assert [(f.line, f.message[:9]) for f in found] == [(4, "the title"), (5, "SK-1.5: t"), (3, "SK-1.4: t")]
    path = write(tmp_path / "mine.txt", "18x Hack the Network\n1 Huge Hack\n1x rm -r\n")
    deck = files.read_deck(path, bundle)
    assert deck.cards == {"hack_the_network": 18, "huge_hack": 1, "rm_r": 1}
    assert deck.name == "mine"
    path = write(tmp_path / "mine.txt", "Hack the Network\n0x rm -r\n1x A\n1x A\n")
    assert [f.line for f in faults(files.read_deck, path, bundle)] == [1, 2, 4]
    path.write_bytes(b"\x00\x01")
    assert "binary" in faults(files.read_deck, path, bundle)[0].message
    path = write(path, "# nothing\n")
    assert "lists no card" in faults(files.read_deck, path, bundle)[0].message


def test_deck_text_and_toml_give_the_same_deck(bundle):
    text = FROZEN / "decks/aggro.txt"
    deck = files.read_deck(text, bundle)
    again = files.read_deck({"name": "aggro", "cards": deck.cards}, bundle)
    assert files.digest(deck) == files.digest(again)


def test_lookup_order_and_shadowing(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    path, notes = files.resolve("crew", "Purple")
    assert path.name == "purple.toml" and notes == []
    (tmp_path / "crews").mkdir()
    mine = tmp_path / "crews/purple.toml"
    mine.write_bytes(path.read_bytes())
    assert files.resolve("crew", "purple") == (Path("crews/purple.toml"), [])  # the same content hides nothing
    mine.write_text(mine.read_text() + "# mine\n")
    with caplog.at_level(logging.WARNING, "bhsim.files"):
        found, notes = files.resolve("crew", "purple")
        files.resolve("crew", "purple")
    assert found == Path("crews/purple.toml")
    assert notes == [f"note: crews/purple.toml hides {path}"]
    assert [r.message for r in caplog.records] == notes
    assert files.resolve("crew", str(path))[0] == path


def test_an_unknown_name_is_answered_with_the_nearest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (fault,) = faults(files.resolve, "crew", "purpel")
    assert "did you mean 'purple'" in fault.message
    assert "green" in fault.allowed and "house" not in fault.allowed
    assert "no such board" in faults(files.resolve, "board", "./nowhere.toml")[0].message


def test_digest_ignores_comments_and_order_but_no_value(tmp_path):
    one = write(tmp_path / "1.toml", 'name = "S"\n[cards.a]\nname = "A"\ndamage = 1\n[cards.b]\nname = "B"\ndamage = 2\n')
    two = write(
        tmp_path / "2.toml", '# c\nname = "S"\nhouse_values = false\n[cards.b]\ndamage = 2\nname = "B"\n[cards.a]\ndamage = 1\nname = "A"\n'
    )
    three = write(tmp_path / "3.toml", 'name = "S"\n[cards.a]\nname = "A"\ndamage = 1\n[cards.b]\nname = "B"\ndamage = 3\n')
    digests = [files.digest(files.read_cardset(p)) for p in (one, two, three)]
    assert digests[0] == digests[1] != digests[2]
    assert len(digests[0]) == 12


def test_digest_counts_the_order_of_deck_slots(bundle):
    a = files.read_deck({"name": "D", "cards": {"hack_the_network": 18, "rm_r": 2}}, bundle)
    b = files.read_deck({"name": "D", "cards": {"rm_r": 2, "hack_the_network": 18}}, bundle)
    assert files.digest(a) != files.digest(b)
