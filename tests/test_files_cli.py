"""bhsim validate and the top of the command line, through real processes where exit codes and imports matter."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bhsim import __version__
from bhsim.cli.app import _Group, app
from bhsim.errors import BadInput, Fault

ROOT = Path(__file__).parents[1]
FROZEN = ROOT / "tests/data/frozen"
runner = CliRunner()


def invoke(*args):
    return runner.invoke(app, [str(a) for a in args])


def process(*args, cwd, **options):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bhsim", *map(str, args)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False, **options)


def test_help_and_version_import_nothing_heavy(tmp_path):
    heavy = ["numba", "numpy", "polars", "scipy", "matplotlib", "rich", "pydantic", "jinja2"]
    code = (
        "import sys\nfrom bhsim.cli.app import main\ntry:\n    main()\nexcept SystemExit as end:\n    code = end.code\n"
        f"print([m for m in {heavy} if m in sys.modules], code)"
    )
    for option in ("--help", "--version"):
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", code, option], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout.strip().endswith("[] 0"), done.stdout


def test_version_and_help(tmp_path):
    done = process("--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"bhsim {__version__}\n")
    done = process("--help", cwd=tmp_path)
    assert done.returncode == 0
    for verb in ("play", "sweep", "report", "validate", "cards", "init", "bots"):
        assert f"\n  {verb}" in done.stdout


def test_a_wrong_option_is_bad_input(tmp_path):
    done = process("validate", "--nonsense", cwd=tmp_path)
    assert done.returncode == 2
    assert "--nonsense" in done.stderr


def test_validate_the_shipped_files(tmp_path):
    shipped = [*ROOT.glob("crews/*.toml"), *ROOT.glob("decks/*.*"), *ROOT.glob("bhsim/data/*/*.toml"), *ROOT.glob("examples/*.toml")]
    done = process("validate", *shipped, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("no fault") == len(shipped) >= 19


def test_validate_lists_every_fault_of_every_file(tmp_path):
    (tmp_path / "crew.toml").write_text('name = "C"\nmembers = [{ runner = "gost", rig = "roboware_1680" }]\n')
    (tmp_path / "deck.txt").write_text("19x Hack the Network\n")
    (tmp_path / "rules.toml").write_text('points_to_win = 0\nrefill = "x"\n')
    done = process("validate", "crew.toml", "deck.txt", "rules.toml", FROZEN / "crews/purple.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[1:] == [
        "error: deck.txt:1: cards: SK-1.4: the deck has 19 cards (allowed: exactly 20)",
        "error: rules.toml:1: points_to_win: is out of range, got 0 (allowed: 1 to 99)",
        "error: rules.toml:2: refill: unknown word, got 'x' (allowed: at_once, when_needed)",
    ]
    assert done.stderr.startswith("error: crew.toml:2: members.0.runner: unknown runner 'gost'; did you mean 'Gh0st'")
    assert done.stdout == f"{FROZEN / 'crews/purple.toml'}: crew, no fault\n"


def test_validate_as_json(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text("points_to_win = 0\n")
    done = invoke("validate", path, "--format", "json")
    assert done.exit_code == 2
    (file,) = json.loads(done.stdout)["files"]
    assert (file["kind"], file["ok"]) == ("rules", False)
    assert file["faults"] == [
        {"file": str(path), "line": 1, "field": "points_to_win", "message": "is out of range", "value": 0, "allowed": "1 to 99"}
    ]


def test_crews_are_checked_against_the_card_set_among_the_files(tmp_path):
    (tmp_path / "set.toml").write_text(
        'name = "S"\n[runners.a]\nname = "A"\nbandwidth = 1\nattack = 1\n'
        '[rigs.b]\nname = "B"\nbandwidth = 1\nsignal = 1\nsecurity = 0\nspeed = 1\n'
    )
    (tmp_path / "crew.toml").write_text('name = "C"\nmembers = [{ runner = "A", rig = "B" }]\n')
    assert invoke("validate", tmp_path / "crew.toml").exit_code == 2
    assert invoke("validate", tmp_path / "crew.toml", tmp_path / "set.toml").exit_code == 0
    assert invoke("validate", tmp_path / "crew.toml", "--cardset", tmp_path / "set.toml").exit_code == 0


def test_the_kind_can_be_named(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('name = "x"\n')
    done = invoke("validate", path)
    assert done.exit_code == 2
    assert "--kind" in done.stderr
    assert invoke("validate", path, "--kind", "rules").exit_code == 0
    assert "cardset, crew, deck" in invoke("validate", path, "--kind", "foo").stderr


GRAPH = 'name = "G"\nnodes = [\n  { state = "red", neighbors = [1], home = 0 },\n  { state = "server0", neighbors = [0, 2] },\n  %s\n]\n'
CARD = 'name = "S"\n[cards.x]\nname = "X"\ndamage = %s\neffects = [{ %s }]\n'
CREW = 'name = "C"\nmembers = [\n%s\n]\n'
BAD = {
    "unknown_name": ("crew", CREW % '{ runner = "Nobody", rig = "roboware_1680" }', 3, "arson_nick"),
    "wrong_type": ("set", CARD % ('"2"', 'op = "draw", count = 1'), 4, "0 to 20"),
    "over_bandwidth": (
        "crew",
        CREW % ",\n".join(
            f'{{ runner = "{a}", rig = "{b}" }}'
            for a, b in [
                ("gh0st", "battlestation_mk2"), ("arson_nick", "gonkboard_xtreme"),
                ("wyld_chyld", "gonkboard_defender"), ("skeleton_dee", "roboware_1680"),
            ]
        ),
        2, "at most 20",
    ),
    "duplicate_runner": (
        "crew", CREW % '{ runner = "gh0st", rig = "roboware_1680" },\n{ runner = "Gh0st", rig = "roboware_9999" }', 4, "each once",
    ),
    "nineteen_cards": ("deck", 'name = "D"\n[cards]\nhack_the_network = 19\n', 2, "exactly 20"),
    "three_copies": ("deck", 'name = "D"\n[cards]\nhack_the_network = 17\nbig_hack = 3\n', 4, "at most 2"),
    "no_server": ("board", GRAPH % '{ state = "red", neighbors = [1], home = 1 },', 2, "a node server1"),
    "unreachable_server": ("board", "name = \"B\"\npicture = '''\nr0 0 b r1 . 1 r\n'''\n", 2, "a path over nodes that are no servers"),
    "impossible_target": ("set", CARD % (1, 'op = "damage", target = "self", amount = 1'), 5, "use 'own'"),
    "out_of_range": ("set", CARD % (21, 'op = "draw", count = 1'), 4, "0 to 20"),
    "empty": ("rules", "", None, "the file is empty"),
    "binary": ("rules", "a\0b", None, "text in UTF-8"),
    "syntax": ("rules", "name = \n", 1, "is not valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_files(tmp_path, case):
    stem, text, line, allowed = BAD[case]
    path = tmp_path / f"{stem}.toml"
    path.write_text(text)
    done = invoke("validate", path)
    assert done.exit_code == 2
    assert done.stdout == ""
    said = done.stderr.splitlines()
    assert 1 <= len(said) <= 2
    for each in said:
        assert each.startswith(f"error: {path}:{line}: " if line else f"error: {path}: ")
        assert allowed in each


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("runners.gh0st.atack=3", "runners.gh0st.attack"),
        ("runners.gh0st.attack=77", "0 to 20"),
        ("nonsense", "PATH=VALUE"),
    ],
)
def test_bad_set(change, words):
    done = invoke("cards", "list", "--set", change)
    assert (done.exit_code, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert words in said


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (BadInput(Fault("is wrong", "f.toml", 3)), 2, "error: f.toml:3: is wrong"),
        (PermissionError(13, "Permission denied", "out.toml"), 2, "error: out.toml: Permission denied"),
    ],
)
def test_exit_codes(raised, code, words):
    small = typer.Typer(cls=_Group, pretty_exceptions_enable=False, rich_markup_mode=None)

    @small.command()
    def fail():
        raise raised

    @small.command()
    def other():
        raise AssertionError

    done = runner.invoke(small, ["fail"])
    assert (done.exit_code, done.stderr.strip()) == (code, words)


def test_bots_and_sweep_specs_are_told_apart_and_checked(tmp_path):
    (tmp_path / "bot.toml").write_text('name = "b"\ndescription = "d"\n[weights]\npoint = 2.5\n')
    (tmp_path / "sweep.toml").write_text('name = "s"\ncrew = "purple"\nopponents = ["green"]\n')
    done = invoke("validate", tmp_path / "bot.toml", tmp_path / "sweep.toml")
    assert done.exit_code == 0, done.stderr
    assert [line.rpartition(": ")[2] for line in done.stdout.splitlines()] == ["bot, no fault", "sweep, no fault"]
    (tmp_path / "bot.toml").write_text('name = "b"\ndescription = "d"\n[weights]\npont = 2.5\npoint = "x"\n')
    (tmp_path / "sweep.toml").write_text('name = "s"\nopponents = 3\n')
    done = invoke("validate", tmp_path / "bot.toml", tmp_path / "sweep.toml")
    assert done.exit_code == 2
    assert f"error: {tmp_path / 'bot.toml'}:5: weights.point" in done.stderr
    assert "opponents" in done.stderr


def test_a_hidden_file_is_announced(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/standard.toml").write_text("points_to_win = 3\n")
    done = process("cards", "paths", "rules.points", cwd=tmp_path)
    assert done.stdout == "rules.points_to_win = 3\n"
    assert done.stderr.startswith("note: rules/standard.toml hides ")


def test_output_that_goes_away_is_no_crash(tmp_path):
    command = f"{sys.executable} -m bhsim cards paths | head -1"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("runners.")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["games = 0"], ":4: games: is out of range"),
        (['game = "chess"'], ":4: game: no such game"),
        (['bot = "nobody"'], ":4: unknown bot 'nobody'"),
        (['sets = ["rules.points_to_win=x"]'], ":4: rules.points_to_win: must be a whole number"),
        (["[[axes]]", 'path = "runners.ghost.attack"', "values = [1, 2]"], ":5: runners.ghost.attack: unknown path; did you mean"),
        (["[[axes]]", 'path = "runners.gh0st.attack"', "values = [", "1,", "200]"], ":8: runners.gh0st.attack: is out of range (contest "),
        (["[[axes]]", 'bot = ["fixer", "nobody"]', "[[axes]]", 'rule = "points_to_win"', "values = [3, 5]"], ":5: unknown bot 'nobody'"),
    ],
)
def test_validate_refuses_what_sweep_refuses(tmp_path, lines, said):
    spec = tmp_path / "s.toml"
    spec.write_text("\n".join(['name = "s"', 'crew = "purple"', 'opponents = ["green"]', *lines]) + "\n")
    for words in (("validate", spec), ("sweep", spec, "--out", tmp_path / "run")):
        done = invoke(*words)
        assert done.exit_code == 2
        assert done.stderr.startswith(f"error: {spec}{said}")
        assert done.stderr.count("error: ") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "s"\nopponents = ["green"]\n', "crew: a side needs a crew"),
        ('name = "s"\ncrew = "purple"\nopponents = ["green", "gren"]\n', ":3: unknown crew 'gren'; did you mean 'green'?"),
        ('name = "s"\ncrew = "purple"\nopponents = ["green"]\nvariants = ["missing.toml"]\n', "no such variant file"),
        ('name = "s"\ncrew = "purple"\nopponents = [["green", "green"]]\n', "skirmish is played by two sides"),
    ],
)
def test_validate_builds_the_sides_of_a_sweep(tmp_path, text, said):
    (tmp_path / "s.toml").write_text(text)
    done = invoke("validate", tmp_path / "s.toml")
    assert done.exit_code == 2
    assert said in done.stderr
