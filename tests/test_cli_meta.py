"""``bhsim meta`` from outside: figures, files, refusals, and the same bytes after a kill and on any number of threads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import coinfield
import polars as pl
import pytest
from typer.testing import CliRunner

import bhsim
from bhsim.cli.app import app
from bhsim.lab.pool import field_of
from bhsim.lab.store import open_folder

ROOT = Path(__file__).parents[1]
COINS = ("meta", "40", "45", "50", "--game", "coinfield", "--sample", "3", "--start", "40")
GROWN = (*COINS, "--games", "400", "--grow", "--grow-games", "2000", "--confirm-games", "2000", "--max-crews", "9")
CREWS = ("purple", "green", "amber", "cobalt")


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bhsim.lab.metagame.MANY_DRAWS", 100)
        yield


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def content(folder, leave=("plots",)):
    """All files but those in some folders, and the manifest without the times."""
    paths = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.parent.name not in leave]
    files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}
    manifest = json.loads(files.pop("run.json"))
    manifest.pop("times")
    return files, manifest


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A field of coins that has grown, on one thread."""
    out = tmp_path_factory.mktemp("coins") / "run"
    done = call(*GROWN, "--out", out, "--threads", 1)
    assert done.exit_code == 0, done.stderr
    return out


@pytest.fixture
def undrawn(monkeypatch):
    """Plots take longer than these runs."""
    for module in ("bhsim.report.matters", "bhsim.api.metagames"):
        monkeypatch.setattr(f"{module}.write_plots", lambda *_: None)


@pytest.fixture(scope="module")
def skirmish(tmp_path_factory):
    """A small field of real crews that has grown by what a small search finds."""
    out = tmp_path_factory.mktemp("meta") / "run"
    more = ("--sample", 1, "--grow", "--grow-games", 700, "--confirm-games", 40, "--max-crews", 5, "--margin", 2)
    done = call("meta", *CREWS, "--bot", "racer", "--games", 40, *more, "--out", out, "--format", "json")
    assert done.exit_code == 0, done.stderr
    return out, json.loads(done.stdout)


def test_figures_of_real_crews(skirmish):
    out, found = skirmish
    assert [c["name"] for c in found["crews"][:5]] == [*CREWS, "sampled 1"]
    assert {(c["i"], c["j"]) for c in found["cells"]} == {(i, j) for j in range(len(found["crews"])) for i in range(j)}
    assert sum(c["nash"] for c in found["crews"]) == pytest.approx(1)
    assert found["house_values"] is True
    assert {len(found[key]) > 0 for key in ("usage", "alpha_rank", "clusters", "grow")} == {True}
    assert found["nash"]["ranking"] is False
    step = found["grow"][0]
    assert step["low"] < step["gain"] < step["high"]
    tables = {name: pl.read_parquet(out / f"{name}.parquet") for name in ("meta", "cells", "alpha", "usage", "grow", "contests")}
    assert tables["meta"]["nash"].to_list() == [c["nash"] for c in found["crews"]]
    assert tables["cells"].height == len(found["cells"])
    assert tables["contests"].height == len(json.loads((out / "run.json").read_text())["contests"])
    assert {u["part"] for u in found["usage"]} == {"cards", "runners", "rigs"}


def test_a_match_up_is_the_contest_that_play_plays(skirmish):
    _, found = skirmish
    cell = found["cells"][0]
    alone = json.loads(call("play", "purple", "green", "--bots", "racer,racer", "--games", 40, "--format", "json").stdout)
    assert (cell["rate"], cell["low"]) == (alone["sides"][0]["win_rate"], alone["sides"][0]["low"])
    assert cell["first_player"] == alone["first_player"]["win_rate"]


def test_written_crews_play_the_same_games(skirmish):
    """The confirmed figure of an answer comes again from its file."""
    out, found = skirmish
    step = found["grow"][0]
    contest = next(c for c in json.loads((out / "run.json").read_text())["contests"] if c["setting"]["for"] == "answer 1")
    file = out / "crews" / f"{step['answer'].replace(' ', '_')}.toml"
    assert file.read_text().startswith("# grown 1 of a metagame: engine ")
    words = (file, contest["setting"]["opponent"], "--bots", "racer,racer", "--games", contest["games"], "--format", "json")
    again = json.loads(call("play", *words).stdout)
    stored = pl.read_parquet(out / "contests.parquet").filter(pl.col("contest") == contest["number"]).row(0, named=True)
    assert again["sides"][0]["win_rate"] == stored["win_rate_a"]
    assert again["data_digest"] == stored["digest"]


def test_the_report(skirmish):
    out, _ = skirmish
    done = call("report", out)
    assert done.exit_code == 0, done.stderr
    page = (out / "report.html").read_text()
    for title in ("What beats what", "The field of the best", "Counters and circles", "What is used", "Growing", "How to read this"):
        assert f">{title}<" in page
    assert page.count("<svg") == 6
    again = json.loads(call("meta", "purple", "green", "--found", out, "--bot", "racer", "--games", 20, "--format", "json").stdout)
    assert [c["name"] for c in again["crews"] if c["origin"] == "found"][-1] == "sampled_1"
    sides, weights = field_of(open_folder(out))
    assert len(sides) == len(weights) >= 1
    assert call("replay", out, "--contest", 2, "--index", 1).exit_code == 0
    assert call("meta", *CREWS, "--bot", "racer", "--games", 40, "--out", out, "--force").exit_code == 0  # nothing foreign lies there


def test_printed_tables():
    done = call(*COINS, "--games", 100)
    assert done.exit_code == 0, done.stderr
    for words in ("15 of 6 crews, 100 games each", "Ratings", "Counters", "share of circles", "shares are no ranking", "house values  yes"):
        assert words in done.stdout
    assert "repeat        bhsim meta 40 45 50 --sample 3 --start 40 --game coinfield --games 100 --seed 1" in done.stdout


def test_threads_and_blocks_change_no_byte(whole, tmp_path):
    assert call(*GROWN, "--out", tmp_path / "run", "--threads", 2, "--block", 3).exit_code == 0
    assert content(tmp_path / "run", leave=()) == content(whole, leave=())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"what": "deck"}, "what: would do nothing, got 'deck' (allowed: with sample or grow)"),
        ({"start": "green", "ban": ["gh0st", "rm_r"]}, "ban: would do nothing, got 'gh0st,rm_r'"),
        ({"members": 4}, "members: would do nothing"),
        ({"sample": 2, "margin": 2.0}, "margin: would do nothing, got 2.0 (allowed: with grow=True)"),
        ({"sample": 2, "grow_games": 5000, "max_crews": 9}, "max_crews: would do nothing"),
    ],
)
def test_the_api_refuses_what_would_do_nothing(given, said):
    with pytest.raises(bhsim.BadInput) as caught:
        bhsim.meta("purple", "green", games=40, **given)
    assert said in str(caught.value)


def test_the_api_gives_the_same_bytes(whole, tmp_path, undrawn):
    asked = {"sample": 3, "start": "40", "games": 400, "grow": True, "grow_games": 2000, "confirm_games": 2000, "max_crews": 9}
    found = bhsim.meta("40", "45", "50", game="coinfield", **asked, out=tmp_path / "api")
    (ours, manifest), (theirs, other) = content(tmp_path / "api", ("plots", "crews")), content(whole, ("plots", "crews"))
    command = "bhsim meta 40 45 50 --sample 3 --start 40 --grow --grow-games 2000"
    assert manifest.pop("command").startswith(command)
    other.pop("command")
    assert manifest == other
    assert ours == theirs
    assert found.frame["nash"].to_list() == pl.read_parquet(whole / "meta.parquet")["nash"].to_list()
    assert set(found.tables) == {"meta", "cells", "alpha", "usage"}
    assert found.steps[-1].end
    assert "leads with" in repr(found)
    assert found.plot("meta-growth") is not None
    with pytest.raises(bhsim.BadInput, match="no such plot"):
        found.plot("nothing")


@pytest.mark.parametrize("stop", ["units", "plays", "grow.parquet"])
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path, stop, whole, undrawn):
    """Killed in the match-ups, in a search, and between two steps."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
    words = [sys.executable, str(ROOT / "tests" / "coinfield.py"), *GROWN, "--threads", "1"]
    process = subprocess.Popen([*words, "--out", tmp_path / "run"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    place = tmp_path / "run" / stop
    while not (any(place.glob("*.parquet")) if stop != "grow.parquet" else place.exists()):
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "stopped"
    done = call(*GROWN, "--out", tmp_path / "run", "--resume")
    assert done.exit_code == 0, done.stderr
    assert content(tmp_path / "run") == content(whole)


def test_a_stop_says_how_to_go_on(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("bhsim.lab.grow.search", stop)
    done = call(*GROWN, "--out", tmp_path / "run")
    assert done.exit_code == 130
    said = (
        "15 of 15 contests so far are finished and kept; the field has not grown to its end. To go on:\n  bhsim meta 40 45 50 --sample 3 --"
    )
    assert said in done.stderr
    assert done.stderr.rstrip().endswith("--resume")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "stopped"
    assert not (tmp_path / "run" / "run.lock").exists()
    assert call("report", tmp_path / "run").exit_code == 0  # of the field so far
    assert "none is kept" in call(*GROWN).stderr


def test_a_resumed_run_must_be_the_same(tmp_path, undrawn):
    assert call(*COINS, "--games", 100, "--out", tmp_path / "run").exit_code == 0
    done = call(*COINS, "--games", 100, "--bot", "palm", "--out", tmp_path / "run", "--resume", "--seed", 2)
    assert (done.exit_code, "had another" in done.stderr) == (2, True)
    assert call(*COINS, "--games", 100, "--out", tmp_path / "run").exit_code == 2


def test_crews_of_a_folder(tmp_path):
    """Found crews join, but for one that plays with the numbers of a named one."""
    for name in CREWS[:2]:
        (tmp_path / f"{name}_copy.toml").write_text((ROOT / "crews" / f"{name}.toml").read_text())
    (tmp_path / "notes.toml").write_text("hello = 1\n")
    words = ("meta", "purple", "amber", "--found", tmp_path, "--bot", "racer", "--games", 20, "--format", "json")
    found = json.loads(call(*words).stdout)
    assert [(c["name"], c["origin"]) for c in found["crews"]] == [("purple", "named"), ("amber", "named"), ("green_copy", "found")]


def test_crews_that_are_drawn_play_alone_as_the_help_says(tmp_path):
    done = call("meta", "--game", "coinfield", "--sample", 3, "--start", 40, "--games", 40, "--format", "json")
    assert [c["origin"] for c in json.loads(done.stdout)["crews"]] == ["sampled"] * 3
    shown = " ".join(call("meta", "--help").stdout.replace("│", " ").split())
    assert "without these, --found and --sample all" in shown
    assert "Also" not in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("purple",), "crews: a metagame of so many different crews, got 1 (allowed: 3 to 200)"),
        (("purple", "green", "purple"), "plays with the same numbers as purple"),
        (("purple", "green", "nobody"), "unknown crew 'nobody'"),
        ((*CREWS, "--fix", "gh0st"), "--fix: would do nothing, got 'gh0st' (allowed: with --sample or --grow)"),
        ((*CREWS, "--ban", "gh0st,rm_r", "--ban", "roy"), "--ban: would do nothing, got 'gh0st,rm_r,roy'"),
        ((*CREWS, "--what", "deck"), "--what: would do nothing, got 'deck'"),
        ((*CREWS, "--margin", 2), "--margin: would do nothing"),
        ((*CREWS, "--sample", 2, "--members", "5-3"), "--members: is no number of members"),
        ((*CREWS, "--sample", 2, "--fix", "wyld_chyld,gh0st,arson_nick,skeleton_dee,battlestation_mk2"), "--fix: SK-1.1"),
        ((*CREWS, "--sample", 2, "--ban", "nobody"), "--ban: unknown runner, rig or card"),
        ((*CREWS, "--games", 4), "--games: too few to tell how keys differ"),
        ((*CREWS, "--grow", "--grow-games", 10), "--grow-games: too few for a search"),
        ((*CREWS, "--found", "no-such-folder"), "--found: no such folder"),
        ((*CREWS, "--resume"), "--resume goes on with the folder of --out"),
        ((*CREWS, "--deck", "nothing"), "unknown deck 'nothing'"),
        (("--game", "tricks"), "--game: its sides have no crews of their own"),
    ],
)
def test_refusals_before_any_game(words, said, monkeypatch):
    monkeypatch.setattr("bhsim.lab.metarun.carried_out", lambda *_: pytest.fail("played"))
    done = call("meta", *words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_damaged_manifests_are_named(tmp_path, undrawn):
    assert call(*COINS, "--games", 100, "--out", tmp_path / "run").exit_code == 0
    file = tmp_path / "run" / "run.json"
    whole = json.loads(file.read_text())
    for damage in (
        lambda m: m["spec"].pop("crews"),
        lambda m: m["spec"]["crews"].append({"label": "x", "origin": "named"}),
        lambda m: m["spec"].update(grow={"margin": 0.0, "games": 1, "confirm": 1, "most": 3}),
        lambda m: [c["setting"].pop("for") for c in m["contests"]],
        lambda m: m["contests"][1]["setting"].update(crew="45"),
        lambda m: m.update(joined=4),
        lambda m: m.update(joined=["grown 1"]),
        lambda m: m.update(joined=["45"]),
    ):
        manifest = json.loads(json.dumps(whole))
        damage(manifest)
        file.write_text(json.dumps(manifest))
        done = call("report", tmp_path / "run")
        assert (done.exit_code, "the manifest is damaged" in done.stderr) == (2, True), done.stderr


def test_coins_are_known():
    assert coinfield.GAME.names("crew") == ["40", "45", "50"]
