"""The verbs on tables of bots: play, plan, verify, baseline, check, sweep, report, and the same from Python."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import bhsim
from bhsim.cli.app import app
from bhsim.games.game import Options, find
from bhsim.games.tricks.bundle import paths
from bhsim.lab.findings import findings_of
from bhsim.lab.store import open_folder
from bhsim.report import page

ROOT = Path(__file__).parents[2]
TABLE = ("--game", "tricks", "--players", 4, "--bots", "shark,shedder,lurker,trapper", "--deck", "base")

SPEC = """
name = "tables"
game = "tricks"
games = 240
bots = ["shark", "random"]
base = { jokers = 5 }

[[axes]]
players = [2, 3, 6]

[[axes]]
name = "jokers"
path = "deck.jokers"
values = [0, 5, 10]
"""


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def answer(*words):
    result = call(*words, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def played(*words):
    """What ``play`` answers, but for the time that it took."""
    return {key: value for key, value in answer("play", *words).items() if key not in ("seconds", "games_per_second")}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    (place / "spec.toml").write_text(SPEC)
    result = call("sweep", place / "spec.toml", "--out", place / "run")
    assert result.exit_code == 0, result.output
    return place / "run", result.stdout


def test_a_table_of_four_is_the_usual_one():
    said = played(*TABLE, "--games", 80)
    assert said["game"] == "tricks" and (said["games"], said["pairs"]) == (80, 20)
    assert [side["bot"] for side in said["sides"]] == ["shark", "shedder", "lurker", "trapper"]
    assert sum(side["win_rate"] for side in said["sides"]) == pytest.approx(1)
    assert played("--game", "tricks", "--games", 80) == said
    assert played("--players", 4, "--games", 80) == said  # skirmish has no such table


def test_the_printed_table_names_bots_and_what_replays_and_repeats_it():
    shown = call("play", *TABLE, "--games", 80)
    assert shown.exit_code == 0, shown.output
    head = next(line for line in shown.stdout.splitlines() if "win share" in line)
    assert head.split()[:2] == ["bot", "wins"]
    assert "80 in 20 keys of 4 seatings" in shown.stdout
    again = "--game tricks --players 4 --deck base --bots shark,shedder,lurker,trapper"
    assert f"bhsim replay {again} --seed 1 --index" in shown.stdout
    assert f"repeat        bhsim play {again} --games 80 --seed 1" in shown.stdout


def test_other_numbers_of_players_and_decks():
    found = answer("play", "--game", "tricks", "--players", 6, "--bots", "shark,random", "--games", 60)
    assert [side["bot"] for side in found["sides"]] == ["shark", "random"] * 3
    other = answer("play", "--game", "tricks", "--players", 6, "--bots", "shark,random", "--deck", "steep", "--games", 60)
    assert other["data_digest"] != found["data_digest"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "--game", "tricks", "--players", 7], "--players: tricks has no table of this size, got 7 (allowed: 2 to 6)"),
        (["play", "--game", "tricks", "purple", "green"], "a side of tricks has only a bot, got 'purple'"),
        (["play", "--game", "tricks", "--deck-a", "base"], "all sides of tricks share one deck"),
        (["play", "--game", "tricks", "--bots", "shark,,random"], "--bots: holds an empty name"),
        (["play", "--game", "tricks", "--bots", "sharkk"], "did you mean 'shark'?"),
        (["play", "--game", "tricks", "--cardset", "house"], "tricks has decks, not card sets"),
        (["verify", "--game", "tricks", "--fuzz", "--players", 3], "--players: --fuzz draws everything itself"),
        (["effects", "--game", "tricks"], "--what: cannot be drawn anew"),
    ],
)
def test_what_is_wrong_is_said(words, said):
    result = call(*words)
    assert result.exit_code == 2 and said in result.stderr, result.output


def test_verify_plays_the_table_that_is_named():
    found = answer("verify", "--game", "tricks", "--players", 3, "--bots", "random,shark", "--games", 4)
    assert found["identical"] and found["coverage"]["players"] == {"2": 0, "3": 4, "4": 0, "5": 0, "6": 0}


def test_plan_counts_every_side_in_the_gate():
    found = answer("plan", "--game", "tricks", "--pilot", 200)
    assert found["pilot"]["games_per_key"] == 4
    assert "keys     time here" in call("plan", "--game", "tricks", "--pilot", 200).stdout


def test_baseline_and_check(here):
    assert call("baseline", *TABLE, "--games", 2400, "--out", "base").exit_code == 0
    same = call("check", "base")
    assert same.exit_code == 0 and "identical" in same.stdout
    moved = call("check", "base", "--bots", "random,shedder,lurker,trapper", "--format", "json")
    assert moved.exit_code == 1, moved.output
    (cell,) = json.loads(moved.stdout)["cells"]
    assert [side["side"] for side in cell["sides"]] == [0, 1, 2, 3]
    assert cell["sides"][0]["down"]["accepted"] == "large" and cell["paths"][0]["path"] == "bots.a.style"
    assert cell["replay"][0]["now"].startswith(
        "bhsim replay --game tricks --deck base --bots random,shedder,lurker,trapper --seed 1 --index "
    )
    shared = call("check", "base", "--deck", "lean", "--games", 2400, "--format", "json")
    assert {"path": "deck.copies", "then": 6, "now": 4} in json.loads(shared.stdout)["cells"][0]["paths"]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--players", 3], "another number of players, got 3 (allowed: 4)"), (["--deck-a", "lean"], "all sides share one deck")],
)
def test_what_check_refuses(here, words, said):
    assert call("baseline", "--game", "tricks", "--games", 80, "--out", "base").exit_code == 0
    result = call("check", "base", *words)
    assert result.exit_code == 2 and said in result.stderr, result.output


def test_a_moved_side_that_is_not_the_first_is_seen(here):
    assert call("baseline", *TABLE, "--games", 2400, "--out", "base").exit_code == 0
    result = call("check", "base", "--bots", "shark,shedder,lurker,random")
    assert result.exit_code == 1 and "(D: random)" in result.stdout, result.output


def test_differences_only_within_a_number_of_players(swept):
    rows = pl.read_parquet(swept[0] / "contests.parquet")
    bases = rows.filter(pl.col("difference").is_null())
    assert bases["axis: jokers"].to_list() == ["5", "5", "5"] and bases["axis: players"].to_list() == ["2", "3", "6"]
    for base in bases.iter_rows(named=True):
        others = rows.filter((pl.col("axis: players") == base["axis: players"]) & (pl.col("axis: jokers") != "5"))
        assert others["difference"].to_list() == pytest.approx([rate - base["win_rate_a"] for rate in others["win_rate_a"]])
    assert rows.filter(pl.col("axis: players") == "2")["bot_c"].null_count() == 3


def test_limits_go_by_the_number_of_players(swept):
    found = findings_of(open_folder(swept[0]))
    limits = [found.cell[r.contest.number].limits for r in found.results]
    assert limits[0] == pytest.approx((0.45, 0.55)) and limits[3] == pytest.approx((1 / 3 - 0.05, 1 / 3 + 0.05))
    assert limits[6] == pytest.approx((1 / 6 - 0.05, 1 / 6 + 0.05))
    assert "Ok is 45 to 55 % or 28.33 to 38.33 % or 11.67 to 21.67 %, by the number of players" in swept[1]


def test_the_report_draws_each_number_of_players_apart(swept):
    built = page.build(open_folder(swept[0]))
    plots = {plot.name: plot for section in built.sections for plot in section.plots}
    for size in (2, 3, 6):
        axes = plots[f"curve-{size}-players"].image.figure.axes[0]
        assert axes.get_title(loc="left") == f"Win share along jokers, {size} players"
        assert axes.lines[0].get_ydata()[0] == pytest.approx(100 / size)
    facts = dict(built.facts)
    assert facts["sides, 3 players"] == "shark, random, shark"
    assert any(section.title.startswith("In detail: contest 1, players = 2, jokers = 5") for section in built.sections)  # the first base
    assert facts["limits, 6 players"] == "contest 11.67 to 21.67 %, first player 13.67 to 19.67 %, difference 2 points"
    fair = [line.get_xdata()[0] for line in plots["rates"].image.figure.axes[0].lines if line.get_linestyle() == "--"]
    assert fair == pytest.approx([100 / size for size in (2, 2, 2, 3, 3, 3, 6, 6, 6)])


def test_the_report_of_a_table_of_six(here):
    assert call("play", "--game", "tricks", "--players", 6, "--games", 120, "--out", "six").exit_code == 0
    built = page.build(open_folder(here / "six"))
    plots = {plot.name: plot.image for section in built.sections for plot in section.plots}
    assert len({bar[0].get_color() for bar in plots["rates"].figure.axes[0].containers}) == 7
    bots = plots["runners"].figure
    assert [text.get_text() for text in bots.axes[0].get_yticklabels()][::4] == ["shark (A)", "shark (E)"] and not bots.legends
    assert plots["points"].figure.axes[0].get_xlabel() == "points per game (fewest win)"
    svg = plots["margins"]["svg"].decode()
    assert "shark (A) ahead" in svg and "another side ahead" in svg
    assert "(an equal share of the win for each side)" in built.sections[0].grids[0].note
    assert built.sections[0].grids[0].head[:3] == ["side", "bot", "wins"]


def test_points_below_nothing_are_drawn_to_the_left(here):
    known = paths(find("tricks").load(Options()))
    sets = [f"--set={path}=-9" for path, _ in known if path.startswith("board.spaces.") and path.endswith(".value")]
    assert call("play", "--game", "tricks", "--games", 40, "--out", "low", *sets).exit_code == 0
    built = page.build(open_folder(here / "low"))
    drawn = {plot.name: plot.image.figure.axes[0] for section in built.sections for plot in section.plots}
    bars = [patch for patch in drawn["points"].patches if patch.get_width() < 0]
    assert len(bars) == 4 and all(patch.get_x() <= 0 for patch in bars)
    assert drawn["points"].get_xlim()[0] < 0 and drawn["tempo"].get_ylim()[0] < 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("players = [2, 3, 7]", "axes.0.players.2: is out of range, got 7"),
        ("players = [2, 1]", "tricks has no table of this size (contest players = 1), got 1 (allowed: 2 to 6)"),
        ("deck = ['base']\nside = 'b'", "all sides of tricks share one deck"),
    ],
)
def test_what_is_wrong_with_a_spec_is_said_with_its_line(here, change, said):
    (here / "spec.toml").write_text(SPEC.replace("players = [2, 3, 6]", change))
    result = call("sweep", "spec.toml")
    assert result.exit_code == 2 and said in result.stderr and "spec.toml:" in result.stderr, result.output


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("opponents = [[{}]]\n", "bots: not with opponents, which say who plays"),
        ("crews = [{bot = 'shark'}, {bot = 'random'}]\n", "bots: not with crews, which say who plays"),
        ("panel = ['shark']\n", "panel: chooses the bots of all sides"),
        ("players = 4\n", "players: axes.0.players chooses it in every contest"),
    ],
)
def test_who_plays_is_said_once(here, more, said):
    (here / "spec.toml").write_text(SPEC.replace("games = 240\n", "games = 240\n" + more))
    result = call("sweep", "spec.toml")
    assert result.exit_code == 2 and said in result.stderr, result.output


def test_axes_of_decks_spaces_rules_and_a_panel(here):
    text = """
    name = "more"
    game = "tricks"
    games = 24
    players = 3
    panel = ["shark", "random"]
    [[axes]]
    deck = ["base", "lean"]
    [[axes]]
    path = "board.spaces.root_access.value"
    values = [-3, 0]
    [[axes]]
    rule = "follow"
    values = ["at_least_best", "any_rank"]
    [[axes]]
    path = "deck.penalties.13"
    values = [5, 7]
    """
    (here / "spec.toml").write_text(text)
    found = answer("sweep", "spec.toml")
    contests = found["contests"]
    assert len(contests) == 32 and len({c["digest"] for c in contests}) == 32
    assert {(c["deck_a"], c["axis: deck"]) for c in contests} == {("Base", "base"), ("Lean", "lean")}
    assert {(c["bot_a"], c["bot_c"]) for c in contests} == {("shark", "shark"), ("random", "random")}


def test_paths_and_their_present_values(here):
    shown = call("cards", "paths", "--game", "tricks").stdout.splitlines()
    known = find("tricks").load(Options())
    assert [line.partition(" = ")[0] for line in shown] == [path for path, _ in paths(known)]
    assert {"deck.jokers = 5", 'rules.follow = "at_least_best"', "rules.compulsory_move = true"} <= {*shown}
    assert any(line.startswith("board.spaces.root_access.arrows = [") for line in shown)
    assert json.loads(call("cards", "paths", "deck.copies", "--deck", "lean", "--format", "json").stdout) == {"deck.copies": 4}
    changed = call("cards", "paths", "--game", "tricks", "--set", "deck.jokers=9", "deck.jokers")
    assert changed.stdout == "deck.jokers = 9\n"
    for words, said in (
        (("deck.jokes", "--game", "tricks"), "did you mean 'deck.jokers' or 'deck.copies'? (allowed: deck., board., rules.)"),
        (("--game", "tricks", "--cardset", "house"), "--cardset: tricks has decks, not card sets"),
        (("--game", "skirmish", "--deck", "lean"), "--deck: skirmish has no deck for the whole table, got 'lean'"),
        (("--game", "tricky"), "--game: no such game"),
    ):
        result = call("cards", "paths", *words)
        assert result.exit_code == 2 and said in result.stderr and not result.stdout, result.output


def test_rates_at_tables_of_unlike_size_are_not_compared(swept):
    result = call("compare", swept[0], "--rows", "1,4")
    assert result.exit_code == 2 and "tables of 2 and 3 players" in result.stderr
    assert call("compare", swept[0], "--rows", "0,1").exit_code == 0


def test_the_same_from_python(here):
    match = bhsim.play(game="tricks", players=4, games=80)
    assert match.win_rate == answer("play", *TABLE, "--games", 80)["sides"][0]["win_rate"]
    assert "against shedder, lurker, trapper" in repr(match)
    assert bhsim.play(bots=["shark", "random"], deck="lean", games=20).sides[1].bot == "random"
    stored = bhsim.baseline(game="tricks", players=3, bots="shark", games=1536, out="base")
    assert bhsim.check(stored).verdict == "identical"
    assert bhsim.check(stored, bots=["shark", "random"], games=1536).moved
    with pytest.raises(bhsim.BadInput, match="players: tricks has no table of this size"):
        bhsim.play(game="tricks", players=9)
    curve = bhsim.sweep({"game": "tricks", "axes": [{"players": [2, 3]}, {"path": "deck.jokers", "values": [0, 5]}]}, games=24)
    assert curve.plots[1:3] == ["curve-2-players", "curve-3-players"] and curve.plot().axes


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs" / "tricks.md").read_text(), re.M | re.S)


def test_the_page_shows_the_example_and_a_table_that_is_played_so():
    assert blocks("toml")[0] == (ROOT / "examples" / "jokers.toml").read_text()
    shown = call("play", *TABLE).stdout
    command, table, *_ = blocks("")
    assert command == f"bhsim play {' '.join(str(word) for word in TABLE)}\n"
    for line in table.splitlines():
        assert line == "..." or line in [printed.rstrip() for printed in shown.splitlines()]
    assert "\n".join(table.splitlines()[:6]) in (ROOT / "README.md").read_text()


def test_the_deck_of_the_page_is_one(here):
    (here / "duel.toml").write_text(blocks("toml")[1])
    found = answer("play", "--deck", "duel.toml", "--players", 2, "--set", "rules.hand_size=6", "--games", 20)
    assert found["game"] == "tricks" and len(found["sides"]) == 2


def test_sensitivity_of_a_table(here):
    text = 'name = "s"\ngame = "tricks"\ngames = 24\nplayers = 3\n[[factors]]\npath = "deck.jokers"\nlow = 0\nhigh = 9\n'
    (here / "s.toml").write_text(text)
    assert [row["path"] for row in answer("sensitivity", "s.toml")["effects"]] == ["deck.jokers"]
    assert len(open_folder(here / "reports" / "s").contests[0].sides) == 3
    (here / "s.toml").write_text('metric = "distance from one half"\n' + text)
    result = call("sensitivity", "s.toml", "--out", "other")
    assert result.exit_code == 2 and "s.toml:1: metric: one half is fair for two sides only" in result.stderr, result.output
