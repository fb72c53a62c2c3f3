"""Files and options that no designer writes on purpose: too deep, too large, no files at all, and said twice."""

import os

import pytest
from frozen_kit import FILES, FROZEN
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.games.skirmish import files, places, pool_csv, project
from bhsim.games.skirmish.model import CardSet
from bhsim.inputs.document import DEEPEST, LARGEST_WHOLE, read_toml

DIGITS = "7" * 5000
READERS = {
    "cardset": files.read_cardset, "board": files.read_board, "rules": files.read_rules,
    "bot": files.read_bot, "variant": files.read_variant,
}  # fmt: skip
STARTER = (FROZEN / "decks/starter.toml").read_text()


@pytest.fixture(scope="module")
def bundle():
    return files.load_bundle(**FILES)


def faults(call, *args, **kwargs):
    with pytest.raises(BadInput) as caught:
        call(*args, **kwargs)
    return caught.value.faults


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def invoke(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


# Numbers and depth


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("number", [DIGITS, "0x" + "f" * 5000, str(LARGEST_WHOLE + 1)])
def test_numbers_beyond_64_bits_in_any_file(kind, number, tmp_path):
    (fault,) = faults(READERS[kind], write(tmp_path / "x.toml", f'name = "x"\n\nvalue = [1, {number}]\n'))
    assert (fault.message, fault.line) == ("is a number too large", 3)
    assert len(str(fault)) < 300


def test_the_largest_number_is_read(tmp_path):
    assert read_toml(write(tmp_path / "x.toml", f"a = {LARGEST_WHOLE}\n")).data == {"a": LARGEST_WHOLE}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize(
    "text",
    [
        "value = " + "[" * 3000 + "]" * 3000,
        "value = " + "[" * 60 + "]" * 60,
        ".".join("a" * 3000) + " = 1",
        "[" + ".".join("b" * 100) + "]",
    ],
)
def test_depth_in_any_file(kind, text, tmp_path):
    (fault,) = faults(READERS[kind], write(tmp_path / "x.toml", text + "\n"))
    assert fault.message == "is nested too deeply"
    assert fault.file == str(tmp_path / "x.toml")


def test_some_depth_is_read(tmp_path):
    text = "a = " + "[" * DEEPEST + "]" * DEEPEST
    assert read_toml(write(tmp_path / "x.toml", text)).lines.line(("a",)) == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("[" * 3000 + "]" * 3000, "nested too deeply"),
        ("[" * 60 + "]" * 60, "nested too deeply"),
        (DIGITS, "number too large"),
        ("0x" + "f" * 5000, "number too large"),
        (f"[{DIGITS}]", "number too large"),
    ],
)
def test_changes_too_deep_or_too_large(value, said):
    done = invoke("cards", "list", "--set", f"runners.gh0st.attack={value}")
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert said in line and "--set" in line and "runners.gh0st.attack" in line


@pytest.mark.parametrize(
    "cell", ["[" * 3000 + "]" * 3000, f'[{{"op": "draw", "count": {DIGITS}}}]', f'[{{"op": "draw", "count": {"9" * 40}}}]']
)
def test_effects_of_a_table_too_deep_or_too_large(cell, tmp_path):
    quoted = cell.replace('"', '""')
    write(tmp_path / "cards.csv", f'id,name,damage,effects\nx,X,1,"{quoted}"\n')
    (fault,) = faults(pool_csv.import_tables, tmp_path)
    assert (fault.line, fault.field) == (2, "effects")
    assert "too" in fault.message


def test_copies_of_a_plain_deck_too_large(bundle, tmp_path):
    (fault,) = faults(files.read_deck, write(tmp_path / "d.txt", f"{DIGITS}x Big Hack\n"), bundle)
    assert fault.line == 1 and "out of range" in fault.message and len(str(fault)) < 200


def test_a_plain_deck_with_a_long_file_name(bundle, tmp_path):
    text = "7 hack the network\n" + "".join(f"1 {t}\n" for t in list(bundle.cardset.cards) if t != "hack_the_network")
    assert len(files.read_deck(write(tmp_path / ("d" * 120 + ".txt"), text), bundle).name) == 80


# What is no file


@pytest.fixture
def odd(tmp_path):
    """Paths that end in .toml and are no plain files."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere.toml")
    return tmp_path


ODD = [("pipe", "is no regular file"), ("folder", "is a folder"), ("link", "is a link to a file that does not exist")]


@pytest.mark.parametrize(("name", "reason"), ODD)
def test_what_is_no_file_is_refused_with_the_reason(odd, name, reason, bundle, monkeypatch):
    path = odd / f"{name}.toml"
    done = invoke("validate", path)
    assert done.exit_code == 2 and reason in done.stderr
    assert reason in faults(files.read_crew, path, bundle)[0].message
    (odd / "crews").mkdir()
    path.rename(odd / "crews" / f"{name}.toml")
    monkeypatch.chdir(odd)
    (fault,) = faults(files.read_crew, name, bundle)
    assert reason in fault.message and fault.file == f"crews/{name}.toml"
    assert name not in places.names("crew")


def test_a_link_to_a_file_is_read(tmp_path):
    write(tmp_path / "r.toml", "points_to_win = 3\n")
    (tmp_path / "link.toml").symlink_to(tmp_path / "r.toml")
    assert files.read_rules(tmp_path / "link.toml").points_to_win == 3


@pytest.mark.parametrize(("name", "reason"), ODD)
def test_includes_that_are_no_files(odd, name, reason):
    (fault,) = faults(files.read_cardset, write(odd / "set.toml", f'name = "S"\ninclude = ["{name}.toml"]\n'))
    assert reason in fault.message and fault.line == 2


# Said twice


def test_a_file_included_twice(tmp_path):
    for number in range(40):  # read as often as it is named, this would never end
        write(tmp_path / f"{number}.toml", f'name = "S"\ninclude = ["{number + 1}.toml",\n"{number + 1}.toml"]\n')
    write(tmp_path / "40.toml", 'name = "S"\n')
    (fault,) = faults(files.read_cardset, tmp_path / "0.toml")
    assert (fault.message, fault.line) == ("is included twice", 3)


@pytest.mark.parametrize("side", [None, "a"])
def test_a_title_by_id_and_by_name(bundle, side, tmp_path):
    path = write(tmp_path / "d.toml", STARTER.replace("big_hack = 1", 'big_hack = 1\n"Big Hack" = 1'))
    line = path.read_text().splitlines().index('"Big Hack" = 1') + 1
    (fault,) = faults(files.read_deck, path, bundle, side)
    assert (fault.message, fault.line) == ("the title stands twice in the deck", line)


@pytest.mark.parametrize(
    "second", ["runners.gh0st.attack = 4", '"runners.Gh0st.attack" = 4', 'runners."Gh0st".attack = 4', "runners.gh0st = { attack = 4 }"]
)
def test_a_path_twice_in_a_variant(bundle, second, tmp_path):
    path = write(tmp_path / "v.toml", f'name = "V"\n[set]\n"runners.gh0st.attack" = 3\n{second}\n')
    for read in (files.read_variant, lambda p: files.apply_variant(bundle, p)):
        (fault,) = faults(read, path)
        assert (fault.message, fault.line) == ("the path stands twice in the variant", 4)


# Changes of one side are blamed, not the file


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ("decks.a.cards.big_hak=1", ["--set decks.a.cards.big_hak"]),
        ("decks.a.cards.big_hack=2", ["--set decks.a.cards.big_hack"]),
        ("crews.a.members.0.rig=Robowar", ["--set crews.a.members.0.rig"]),
        ("crews.a.members.0.runner=Wee Rin", ["--set crews.a.members.0.runner"]),
    ],
)
def test_changes_of_a_side_are_named(change, names):
    bundle = files.load_bundle(**FILES, sets=[change])
    read, file = (files.read_deck, "decks/starter.toml") if change.startswith("decks") else (files.read_crew, "crews/purple.toml")
    found = faults(read, FROZEN / file, bundle, "a")
    assert any(fault.field in names and fault.file is None for fault in found), found
    assert read(FROZEN / file, bundle, "b")


def test_changes_of_a_side_by_a_variant_name_its_file(tmp_path):
    variant = write(tmp_path / "v.toml", 'name = "V"\n[set]\n"decks.a.cards.big_hack" = 9\n')
    bundle = files.load_bundle(**FILES, variants=[variant])
    found = faults(files.read_deck, FROZEN / "decks/starter.toml", bundle, 0)
    assert {fault.field for fault in found} == {f"{variant}: decks.a.cards.big_hack"}


# Missing fields say what is wanted


@pytest.mark.parametrize(
    ("kind", "text", "allowed"),
    [
        ("crew", 'name = "C"\nmembers = [{ runner = "Gh0st" }]', "text in quotes"),
        ("deck", 'name = "D"', "a table"),
        ("variant", 'name = "V"', "a table"),
        ("cardset", 'name = "S"\n[runners.a]\nname = "A"\nbandwidth = 1', "0 to 20"),
    ],
)
def test_a_missing_field_says_what_is_wanted(kind, text, allowed, tmp_path):
    done = invoke("validate", write(tmp_path / "x.toml", text + "\n"), "--kind", kind)
    assert done.exit_code == 2
    assert any("is missing" in line and f"allowed: {allowed}" in line for line in done.stderr.splitlines()), done.stderr


# Projects and tables


@pytest.mark.parametrize("name", ["x" * 200, "two\nlines", "bad \udcff byte"])
def test_names_of_projects_that_will_not_do(name, tmp_path):
    assert "--name" in faults(project.project_files, name, "house")[0].message
    done = invoke("init", "--name", name, tmp_path / "p")
    assert (done.exit_code, (tmp_path / "p").exists()) == (2, False)


def test_the_longest_name_of_a_project(tmp_path, monkeypatch):
    assert invoke("init", "--name", "y" * project.LONGEST, tmp_path / "a b").exit_code == 0
    monkeypatch.chdir(tmp_path / "a b")
    done = invoke("validate", *(tmp_path / "a b").glob("*/*.toml"))
    assert done.exit_code == 0, done.stderr


def test_the_next_command_quotes_the_folder(tmp_path):
    assert f"cd '{tmp_path}/a b'" in invoke("init", "--name", "n", tmp_path / "a b").stdout


def test_tables_without_cards(tmp_path):
    write(tmp_path / "set.csv", "name,house_values\nS,true\n")
    write(tmp_path / "runners.csv", "id,name,bandwidth,attack\na,A,1,1\n")
    assert "cards.csv" in faults(pool_csv.import_tables, tmp_path)[0].message
    write(tmp_path / "cards.csv", "id,name,damage\n")
    assert isinstance(pool_csv.import_tables(tmp_path), CardSet)
    (tmp_path / "runners.csv").unlink()
    assert "no entry" in faults(pool_csv.import_tables, tmp_path)[0].message


def test_a_table_that_is_a_dangling_link_is_not_overlooked(tmp_path):
    write(tmp_path / "cards.csv", "id,name,damage\nx,X,1\n")
    (tmp_path / "rigs.csv").symlink_to(tmp_path / "gone.csv")
    (fault,) = faults(pool_csv.import_tables, tmp_path)
    assert fault.file == str(tmp_path / "rigs.csv")
