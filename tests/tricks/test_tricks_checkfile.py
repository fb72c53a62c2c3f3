"""``bhsim validate`` with files of tricks: their kind and game are told by their keys, and every fault of each has its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.games.game import MODULES, find
from bhsim.games.kinds import SPECS
from bhsim.games.tricks import checkfile
from bhsim.lab.checkfiles import SPEC_CHECKS

ROOT = Path(__file__).parents[2]
DATA = "bhsim/data/tricks"
SHIPPED = {"deck": "decks/tricks/*.toml", "board": f"{DATA}/boards/*.toml", "bot": f"{DATA}/bots/*.toml", "rules": f"{DATA}/rules/*.toml"}
BOARD = """name = "Mine"
[spaces.one]
name = "One"
kind = "start"
arrows = ["goal"]
[spaces.two]
name = "Two"
kind = "start"
arrows = ["goal"]
[spaces.goal]
name = "Goal"
kind = "critical_assets"
"""
DECK = 'name = "Mine"\nranks = 3\njoker_penalty = 1\nhat_penalty = 2\n[penalties]\n1 = 0\n2 = 1\n3 = 2\n'
VARIANT = 'name = "v"\n[set]\n'


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the working directory and gives its name."""
    monkeypatch.chdir(tmp_path)

    def writer(text: str, name: str = "file.toml") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return writer


def validate(*words):
    return CliRunner().invoke(app, ["validate", *map(str, words)])


def told(*words):
    """What ``validate`` takes each file for: game and kind."""
    return [(file["game"], file["kind"]) for file in json.loads(validate(*words, "--format", "json").stdout)["files"]]


@pytest.mark.parametrize("kind", SHIPPED)
def test_shipped_files_are_told_and_faultless(kind):
    files = [path for path in ROOT.glob(SHIPPED[kind]) if path.stem != "random"]  # the bot "random" could be of either game
    result = validate(*files)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [f"{path}: tricks {kind}, no fault" for path in files] and files


def test_files_of_both_games_in_one_go():
    files = [
        ROOT / name
        for name in ("crews/purple.toml", "decks/tricks/lean.toml", "decks/starter.toml", "decks/aggro.txt", "examples/jokers.toml")
    ]
    assert validate(*files).exit_code == 0
    assert told(*files) == [("skirmish", "crew"), ("tricks", "deck"), ("skirmish", "deck"), ("skirmish", "deck"), (None, "sweep")]


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ('follow = "any_rank"\nmax_rounds = 9\n', "tricks"),
        ("points_to_win = 3\nmax_rounds = 9\n", "skirmish"),
        ("max_rounds = 9\n", "skirmish"),  # either: the first game
        ('name = "b"\ndescription = "d"\n[weights]\nnoise = 1\nwin = 2\nshed = 1\n', "tricks"),
        ('name = "b"\ndescription = "d"\n[weights]\nnoise = 1\nwin = 2\nkill = 1\n', "skirmish"),
        (VARIANT + "deck.jokers = 9\n", "tricks"),
        (VARIANT + '"board.spaces.root_access.value" = 2\nrules.max_rounds = 9\n', "tricks"),
        (VARIANT + '"board.states.0" = "red"\nrules.max_rounds = 9\n', "skirmish"),
        (VARIANT + "decks.a.cards.big_hack = 2\n", "skirmish"),
    ],
)
def test_the_game_of_a_file_that_either_could_have(write, text, game):
    name = write(text)
    assert told(name)[0][0] == game and validate(name).exit_code == 0
    assert told(name, "--game", "tricks")[0][0] == "tricks"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            DECK.replace("ranks", "ranx").replace("_penalty = 1", "_penalty = 21"),
            [(3, "joker_penalty: is out of range, got 21 (allowed: 0 to 20)"), (2, "ranx: unknown key; did you mean 'ranks'?")],
        ),
        (DECK.replace("3 = 2", "03 = 2"), [(8, "penalties.03: is no rank (allowed: 1 to 15"), (5, "penalties.3: is missing")]),
        (
            BOARD.replace("goal", "gaol", 1) + 'arrows = ["one"]\n',
            [(13, "spaces.goal.arrows: the game ends on this space"), (5, "spaces.one.arrows.0: unknown space 'gaol'; did you mean")],
        ),
        ('follow = "any"\nmax_rounds = 0\n', [(1, "follow: unknown word, got 'any' (allowed: at_"), (2, "max_rounds: is out of range")]),
        (
            'name = "b"\ndescription = "d"\n[weights]\nshed = 101\nstronk = 1\nhut = 2\n',
            [
                (4, "weights.shed: is out of range, got 101 (allowed: -100 to 100)"),
                (5, "weights.stronk: unknown weight; did you mean 'strong'"), (6, "weights.hut: unknown weight; did you mean"),
            ],
        ),
        (
            VARIANT + "deck.jokers = 99\nboard.spaces.root_acess.value = 3\n",
            [(4, "board.spaces.root_acess.value: unknown path; did you mean"), (3, "deck.jokers: is out of range, got 99")],
        ),
        ('name = "s"\ngame = "tricks"\nplayers = 3\nbots = [\n"shark",\n"sharc"]\n', [(6, "unknown bot 'sharc'; did you mean 'shark'")]),
        ('name = "s"\ngame = "tricks"\nplayers = 9\n', [(3, "players: is out of range, got 9")]),
        (
            'name = "s"\ngame = "tricks"\n[[factors]]\npath = "deck.jokes"\nlow = 0\nhigh = 9\n',
            [(4, "factors.0.path: deck.jokes: unknown path; did you mean 'deck.jokers'")],
        ),
    ],
)  # fmt: skip
def test_every_fault_has_its_line(write, text, faults):
    name = write(text)
    result = validate(name)
    assert result.exit_code == 2 and result.stdout == ""
    said = result.stderr.splitlines()
    assert len(said) == len(faults)
    for line, (number, words) in zip(said, faults, strict=True):
        assert line.startswith(f"error: {name}:{number}: {words}"), line


def test_a_variant_is_checked_against_the_deck_and_board_among_the_files(write):
    variant = write(VARIANT + "deck.copies = 8\nboard.spaces.goal.value = 3\ndeck.penalties.4 = 1\n", "v.toml")
    deck, board = write(DECK + "4 = 2\n", "deck.toml"), write(BOARD, "board.toml")
    (said,) = validate(variant, deck).stderr.splitlines()
    assert said.startswith("error: v.toml:4: board.spaces.goal.value: unknown path")
    assert validate(variant, deck, board).exit_code == 0
    assert validate(variant, "--board", board).exit_code == 0  # the base deck has a rank 4, too
    other = write(DECK, "other.toml")
    assert checkfile.found_among([Path(name) for name in (deck, board, other)]) == {"board": board}
    assert "spaces.goal" in validate(variant, deck, board, "--board", "base").stderr


def test_a_board_of_one_game_is_no_matter_for_files_of_the_other(write):
    mine = write(VARIANT + "deck.jokers = 9\n", "mine.toml")
    other = write(VARIANT + "runners.gh0st.attack = 3\n", "other.toml")
    for board in ("house", "backdoor"):
        assert validate(mine, other, "--board", board).exit_code == 0
    result = validate(mine, other, "--board", "huose")
    assert result.exit_code == 2
    first, second = result.stderr.splitlines()
    assert "unknown board 'huose'" in first and "backdoor" in first and "unknown board 'huose'; did you mean 'house'" in second


def test_game_and_kind_can_be_named(write):
    name = write('name = "x"\n')
    assert "name it with --kind (allowed: deck, board, rules, bot, variant" in validate(name, "--game", "tricks").stderr
    assert told(name, "--kind", "rules") == [("skirmish", "rules")]
    assert told(name, "--kind", "rules", "--game", "tricks") == [("tricks", "rules")]
    assert "--game: no such game, got 'trick'" in validate(name, "--game", "trick").stderr
    assert "--kind names no kind of file, got 'crew'" in validate(name, "--game", "tricks", "--kind", "crew").stderr
    assert "penalties: is missing" in validate(name, "--kind", "deck", "--game", "tricks").stderr


def test_what_cannot_be_read_is_said_once(write):
    name = write("name = \n")
    assert validate(name).stderr.count("is not valid TOML") == validate("nothing.toml").stderr.count("cannot be read") == 1


def test_every_game_can_tell_specs_and_every_spec_is_checked():
    assert SPEC_CHECKS.keys() == SPECS.keys()
    for name in MODULES:
        told = find(name).data_files.kind_of_path
        assert told(ROOT / "examples" / "jokers.toml") == "sweep" and told(ROOT / "examples" / "numbers.toml") == "sensitivity"
