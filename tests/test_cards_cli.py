"""bhsim cards: list, show, paths, template, and CSV both ways without loss."""

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.games.skirmish import files, pool_csv
from bhsim.games.skirmish.model import Card, CardSet, Effect
from bhsim.games.skirmish.toml_out import cardset_toml, crew_toml, deck_toml, toml_value

FROZEN = Path(__file__).parent / "data" / "frozen"
HOUSE = FROZEN / "decks/house.toml"
runner = CliRunner()


def invoke(*args):
    return runner.invoke(app, [str(a) for a in args])


def test_list_shows_every_entry_and_marks_house_values():
    done = invoke("cards", "list", "--cardset", HOUSE)
    assert done.exit_code == 0
    cardset = files.read_cardset(HOUSE)
    assert "(house values)" in done.stdout
    for entry in [*cardset.runners.values(), *cardset.rigs.values(), *cardset.cards.values()]:
        assert entry.name in done.stdout
    data = json.loads(invoke("cards", "list", "--cardset", HOUSE, "--format", "json", "--set", "cards.rm_r.damage=4").stdout)
    assert data["house_values"] is True
    assert next(c for c in data["cards"] if c["id"] == "rm_r")["damage"] == 4


@pytest.mark.parametrize("name", ["rm_r", "rm -r", "RM -R"])
def test_show_by_id_or_printed_name(name):
    done = invoke("cards", "show", name, "--cardset", HOUSE)
    assert done.stdout == "rm -r (cards.rm_r), house values\n  damage 3\n  When played: hack 1 node to offline.\n"
    data = json.loads(invoke("cards", "show", name, "--cardset", HOUSE, "--format", "json").stdout)
    assert data["effects"] == [{"trigger": "played", "op": "hack", "count": 1, "states": ["offline"]}]


def test_show_says_when_there_is_no_effect_and_suggests_near_names():
    assert "No effect." in invoke("cards", "show", "Roboware 1680", "--cardset", HOUSE).stdout
    done = invoke("cards", "show", "Arson Nik", "--cardset", HOUSE)
    assert done.exit_code == 2
    assert "did you mean 'Arson Nick'" in done.stderr


def test_paths_print_what_set_accepts():
    done = invoke("cards", "paths", "cards.", "--cardset", HOUSE)
    assert 'cards.big_hack.effects.0.states = ["red", "blue", "gray"]' in done.stdout.splitlines()
    assert "cards.big_hack.max_copies = (unset)" in done.stdout.splitlines()
    lines = [line for line in done.stdout.splitlines() if "(unset)" not in line]
    changed = files.load_bundle(HOUSE, sets=lines)
    assert files.digest(changed.cardset) == files.digest(files.read_cardset(HOUSE))
    data = json.loads(invoke("cards", "paths", "rules.", "--format", "json").stdout)
    assert data["rules.points_to_win"] == 5
    done = invoke("cards", "paths", "rule.x")
    assert done.exit_code == 2
    assert "no path starts with" in done.stderr


def test_a_template_is_a_list_of_what_is_missing(tmp_path):
    path = tmp_path / "mine.toml"
    assert invoke("cards", "template", path, "--cardset", HOUSE).exit_code == 0
    done = invoke("validate", path)
    assert done.exit_code == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 8 * 2 + 8 * 4 + 14
    assert all("is missing" in line and "allowed" in line for line in lines)
    filled = path.read_text().replace("# bandwidth = ", "bandwidth = 2")
    for name in ("attack", "signal", "security", "speed", "damage"):
        filled = filled.replace(f"# {name} = ", f"{name} = 1")
    path.write_text(filled)
    assert invoke("validate", path).exit_code == 0
    assert files.read_cardset(path).house_values is False


def tricky():
    rows = [
        {"op": "hack", "trigger": "played", "count": 2, "states": "any", "connected": False},
        {"op": "draw", "trigger": "flipped", "count": 1, "conditions": ["not carrying", {"kind": "allies_in_subnet", "count": 2}]},
    ]
    card = Card(name='A "q", b;\n\tc\\', damage=1, text=" two\nlines, \u00e9\x7f ", effects=[Effect.model_validate(row) for row in rows])
    return CardSet(name="Tr\u00efcky, set", house_values=True, cards={"a_q_b_c": card})


@pytest.mark.parametrize("cardset", [files.read_cardset(HOUSE), tricky()], ids=["house", "tricky"])
def test_csv_and_toml_round_trips_are_exact(tmp_path, cardset):
    for name, text in pool_csv.export_tables(cardset).items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    again = pool_csv.import_tables(tmp_path)
    assert again.model_dump() == cardset.model_dump()
    assert pool_csv.export_tables(again) == pool_csv.export_tables(cardset)
    path = tmp_path / "set.toml"
    path.write_text(cardset_toml(cardset, "a comment\nof two lines"), encoding="utf-8", newline="\n")
    assert files.read_cardset(path).model_dump() == cardset.model_dump()


def test_export_and_import_by_command(tmp_path):
    assert invoke("cards", "export", tmp_path / "csv", "--cardset", HOUSE).exit_code == 0
    assert sorted(p.name for p in (tmp_path / "csv").iterdir()) == ["cards.csv", "rigs.csv", "runners.csv", "set.csv"]
    done = invoke("cards", "import", tmp_path / "csv", tmp_path / "back.toml")
    assert done.exit_code == 0, done.stderr
    assert files.digest(files.read_cardset(tmp_path / "back.toml")) == files.digest(files.read_cardset(HOUSE))
    words = [row["words"] for row in csv.DictReader(io.StringIO((tmp_path / "csv/cards.csv").read_text("utf-8-sig")))]
    assert "When played: hack 1 node to offline." in words


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheets_own_separator_is_understood(tmp_path, separator):
    text = (FROZEN / "decks/house.toml").read_text()
    assert "Big Hack" in text
    rows = [["damage", "name", "id"], ["2", "Big Hack", "big_hack"], ["", "", ""], ["3", "rm -r", "rm_r"]]
    (tmp_path / "cards.csv").write_text("\r\n".join(separator.join(row) for row in rows) + "\r\n")
    cardset = pool_csv.import_tables(tmp_path)
    assert {key: card.damage for key, card in cardset.cards.items()} == {"big_hack": 2, "rm_r": 3}
    assert cardset.name == tmp_path.name


@pytest.mark.parametrize(
    ("table", "line", "words"),
    [
        ("id,name,damage\nx,X,two\n", 2, "0 to 20"),
        ("id,name,damage\nx,X,\n", 2, "is missing"),
        ("id,name,damage\nx,X,1\nx,X,1\n", 3, "each id once"),
        ("id,nam,damage\nx,X,1\n", 1, "did you mean 'name'"),
        ("id,name,damage\nx,X,1,4\n", 2, "at most 3"),
        ('id,name,damage,effects\nx,X,1,"[{"\n', 2, "is not JSON"),
        ('id,name,damage,effects\nx,X,1,"[{""op"": ""hak""}]"\n', 2, "did you mean 'hack'"),
        ('id,name,damage\nx,"a\nb",1\nx,X,y\n', 4, "stands twice"),
        ('id,name,damage\nx,"X,1\n', None, "is not a table"),
        ("id,name,damage\nx,Y,1\n", None, "must be 'y'"),
    ],
)
def test_faults_of_tables(tmp_path, table, line, words):
    (tmp_path / "cards.csv").write_text(table)
    with pytest.raises(BadInput) as caught:
        pool_csv.import_tables(tmp_path)
    fault = caught.value.faults[0]
    assert words in str(fault)
    assert line is None or fault.line == line
    done = invoke("cards", "import", tmp_path, tmp_path / "out.toml")
    assert done.exit_code == 2
    assert not (tmp_path / "out.toml").exists()


def test_an_empty_folder_is_no_card_set(tmp_path):
    with pytest.raises(BadInput, match=r"runners\.csv, rigs\.csv, cards\.csv"):
        pool_csv.import_tables(tmp_path)


@pytest.mark.parametrize("verb", ["template", "export", "import"])
def test_existing_output_is_refused_without_force(tmp_path, verb):
    tables, target = tmp_path / "csv", tmp_path / "out.toml"
    invoke("cards", "export", tables, "--cardset", HOUSE)
    target.write_text("mine")
    (tables / "rigs.csv").write_text((tables / "rigs.csv").read_text("utf-8") + "\n")
    before = (tables / "rigs.csv").read_bytes()
    args = {"template": [target], "export": [tables], "import": [tables, target]}[verb]
    done = invoke("cards", verb, *args)
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert (target.read_text(), (tables / "rigs.csv").read_bytes()) == ("mine", before)
    assert invoke("cards", verb, *args, "--force").exit_code == 0
    assert target.read_text() != "mine" or (tables / "rigs.csv").read_bytes() != before


def test_an_output_that_cannot_be_written_is_bad_input(tmp_path):
    (tmp_path / "file").write_text("x")
    done = invoke("cards", "template", tmp_path / "file" / "set.toml")
    assert done.exit_code == 2
    (said,) = done.stderr.splitlines()
    assert str(tmp_path / "file") in said
    assert "cannot be written" in said
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_crews_and_decks_written_read_back(tmp_path):
    bundle = files.load_bundle(HOUSE)
    crew = files.read_crew(FROZEN / "crews/green.toml", bundle)
    deck = files.read_deck(FROZEN / "decks/starter.toml", bundle)
    (tmp_path / "c.toml").write_text(crew_toml(crew))
    (tmp_path / "d.toml").write_text(deck_toml(deck))
    assert files.read_crew(tmp_path / "c.toml", bundle) == crew
    assert files.read_deck(tmp_path / "d.toml", bundle) == deck


def test_toml_values():
    assert toml_value({"a b": [1, True, 'x"y']}) == '{ "a b" = [1, true, "x\\"y"] }'
