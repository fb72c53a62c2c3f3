"""``bhsim optimise`` from outside: what it prints and writes, that its figures come again in ``play``, a kill, and what it refuses."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import bhsim
from bhsim.cli.app import app
from bhsim.errors import BadInput, Fault

ROOT = Path(__file__).parents[1]
RACERS = ("--bot", "racer", "--bot-against", "racer")
SMALL = ("optimise", "--against", "green", *RACERS, "--what", "both", "--keep", 2, "--games", 1_500)


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
def run(tmp_path_factory):
    """A small run, its JSON, and what it said."""
    out = tmp_path_factory.mktemp("optimise") / "run"
    done = call(*SMALL, "--out", out, "--format", "json", "--threads", 2)
    assert done.exit_code == 0, done.stderr
    return out, json.loads(done.stdout), done.stderr


@pytest.fixture
def undrawn(monkeypatch):
    """Plots take longer than these runs."""
    for module in ("bhsim.report.matters", "bhsim.api.optimising"):
        monkeypatch.setattr(f"{module}.write_plots", lambda *_: None)


def test_json(run):
    out, found, _ = run
    names = (
        "schema",
        "game",
        "engine",
        "data_digest",
        "seed",
        "house_values",
        "command",
        "games",
        "best",
        "start",
        "search",
        "goal",
        "opponents",
    )
    assert set(names) <= set(found)
    assert (found["schema"], found["game"], found["seed"], found["goal"]) == (1, "skirmish", 1, "mean")
    assert found["house_values"] is True
    assert 1_300 < found["games"] <= 1_500
    assert len(found["best"]) == 2
    for build in found["best"]:
        assert all(set(member) == {"runner", "rig"} for member in build["crew"])
        assert sum(build["deck"].values()) == 20
        assert build["bandwidth"] <= 20
        assert build["low"] < build["win_rate"] < build["high"]
        assert build["optimism"] == build["search_win_rate"] - build["win_rate"]
        assert build["against"][0]["win_rate"] == build["win_rate"]
        assert build["against"][0]["games"] == build["games"] == found["start"]["games"]
        assert build["gain"]["low"] < build["gain"]["win_rate"] < build["gain"]["high"]
        assert build["changes"]
    assert found["best"][0]["win_rate"] >= found["best"][1]["win_rate"]
    assert found["search"]["games"] + 3 * found["start"]["games"] == found["games"]
    assert found["start"]["gain"] is None
    table = pl.read_parquet(out / "best.parquet")
    assert table["build"].to_list() == [*(b["name"] for b in found["best"]), "start"]
    assert table["win_rate"].to_list() == [*(b["win_rate"] for b in found["best"]), found["start"]["win_rate"]]


def test_the_confirmed_figure_comes_again_from_the_file(run):
    """With the very command that was printed; the deck is found beside the crew."""
    out, found, said = run
    best = found["best"][0]
    printed = next(line for line in said.splitlines() if line.startswith("  bhsim play"))
    again = json.loads(call(*shlex.split(printed)[1:], "--format", "json").stdout)
    against = best["against"][0]
    assert again["games"] == against["games"]
    assert (again["sides"][0]["win_rate"], again["sides"][0]["low"], again["sides"][0]["high"]) == tuple(
        against[key] for key in ("win_rate", "low", "high")
    )
    contests = json.loads((out / "run.json").read_text())["contests"]
    assert again["data_digest"] == contests[against["contest"]]["digest"]
    file = out / "crews" / f"{best['name'].replace(' ', '_')}.toml"
    text = file.read_text()
    assert text.startswith(f"# {best['name']}: mean rate {100 * best['win_rate']:.2f} %")
    assert f"# {found['command']}" in text
    assert "house values" in text
    replay = next(line for line in said.splitlines() if line.startswith("  bhsim replay"))
    assert call(*shlex.split(replay)[1:]).exit_code == 0


def test_the_report_and_the_plots(run):
    out, found, _ = run
    assert {p.name for p in (out / "plots").glob("*.png")} == {f"optimise-{n}.png" for n in ("finalists", "opponents", "search")}
    done = call("report", out)
    assert done.exit_code == 0, done.stderr
    page = (out / "report.html").read_text()
    for words in (">The best builds<", ">Against each opponent<", ">The search<", f"Best: {found['best'][0]['name']}", "House values"):
        assert words in page
    assert page.count("<svg") == 3
    assert "optimise" in call("runs", out.parent).stdout
    assert call(*SMALL, "--out", out).exit_code == 2  # it exists


def test_a_table_and_all_ways_to_name_opponents(monkeypatch):
    """The same run however they are named."""
    monkeypatch.setattr("bhsim.lab.optimise.FEWEST_KEYS", 5)
    tail = (*RACERS, "--keep", 1, "--games", 1_200)
    ways = [("--against", "purple", "green"), ("--against", "purple", "--against", "green"), ("--against", "purple,green"), ()]
    shown = []
    for way in ways:
        done = call("optimise", *way, *tail)
        assert done.exit_code == 0, done.stderr
        shown.append(done.stdout.split("repeat")[0])
    assert len(set(shown)) == 1
    for words in ("Confirmed on fresh keys", "search said", "gain on the", "Against each opponent", "Best: found 1", "house values  yes"):
        assert words in shown[0]
    assert "repeat        bhsim optimise --against purple --against green" in call("optimise", *ways[0], *tail).stdout


def test_fixed_banned_and_few_changes_hold_to_the_end(run, undrawn, monkeypatch):
    monkeypatch.setattr("bhsim.lab.optimise.FEWEST_KEYS", 5)
    words = ("--fix", "Gh0st,ransomware", "--ban", "CATapult", "--ban", "rm_r", "--max-changes", 2)
    done = call("optimise", "--against", "green", *RACERS, "--what", "both", *words, "--games", 900, "--format", "json")
    assert done.exit_code == 0, done.stderr
    for build in json.loads(done.stdout)["best"]:
        assert "gh0st" in [m["runner"] for m in build["crew"]]
        assert "catapult" not in [m["runner"] for m in build["crew"]]
        assert build["deck"].get("ransomware", 0) >= 1
        assert "rm_r" not in build["deck"]
        assert 1 <= sum(change.startswith("+") for change in build["changes"]) <= 2


def test_a_killed_run_goes_on_to_the_same_bytes(run, tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "bhsim", *map(str, SMALL), "--threads", "1", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(list((tmp_path / "run" / "plays").glob("p*.parquet"))) < 4:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "stopped"
    assert not (tmp_path / "run" / "search.json").exists()
    done = call(*SMALL, "--out", tmp_path / "run", "--resume")
    assert done.exit_code == 0, done.stderr
    for name in ("report.md", "report.html"):
        (run[0] / name).unlink(missing_ok=True)
    assert content(tmp_path / "run", ()) == content(run[0], ())


def test_the_api_gives_the_same(run, tmp_path, undrawn):
    out, found, _ = run
    asked = {"what": "both", "keep": 2, "games": 1_500, "bot": "racer", "bot_against": "racer"}
    result = bhsim.optimise("green", **asked, out=tmp_path / "api")
    ours, theirs = (content(folder, ("plots", "crews"))[0] for folder in (tmp_path / "api", out))
    assert ours.items() <= theirs.items()
    assert {k: v for k, v in result.document.items() if k in found} == {k: found[k] for k in result.document}
    assert (result.win_rate, result.low, result.high) == tuple(found["best"][0][k] for k in ("win_rate", "low", "high"))
    assert result.best[0].file == tmp_path / "api" / "crews" / f"{result.best[0].name.replace(' ', '_')}.toml"
    assert result.best[0].file.exists()
    assert result.frame.equals(pl.read_parquet(out / "best.parquet"))
    assert result.plot("optimise-search") is not None
    assert "against green" in repr(result)
    with pytest.raises(bhsim.BadInput, match="max_changes: must be a whole number"):
        bhsim.optimise("green", max_changes=1.5)
    with pytest.raises(bhsim.BadInput, match="out: is empty"):
        bhsim.optimise("green", **asked, out="")
    with pytest.raises(bhsim.BadInput, match="start: unknown crew 'nobody'"):
        bhsim.optimise("green", start="nobody")
    with pytest.raises(bhsim.BadInput, match="what: cannot change"):
        bhsim.optimise("green", what="bot")


def test_a_stop_says_how_to_go_on(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("bhsim.lab.optimise.search", stop)
    done = call(*SMALL, "--out", tmp_path / "run")
    assert done.exit_code == 130
    assert "To go on:\n  bhsim optimise --against green --what both --bot racer" in done.stderr
    assert done.stderr.rstrip().endswith("--resume")
    assert not (tmp_path / "run" / "run.lock").exists()
    assert "nothing is kept" in call(*SMALL).stderr
    assert call("report", tmp_path / "run").exit_code == 2


@pytest.mark.parametrize("part", ["plays/p00000.parquet", "units/c00000-u00000.parquet"])
def test_a_damaged_part_is_an_error_and_no_stop(run, tmp_path, part):
    shutil.copytree(run[0], tmp_path / "run")
    (tmp_path / "run" / part).write_bytes(b"PAR1")
    done = call(*SMALL, "--out", tmp_path / "run", "--resume")
    assert done.exit_code == 2
    assert f"error: {tmp_path / 'run' / part}: " in done.stderr
    assert "--resume plays" in done.stderr
    assert "stopped" not in done.stderr


def test_a_full_disk_is_a_stop(tmp_path, monkeypatch):
    def full(path, *_):
        raise BadInput(Fault("cannot be written: no space left", file=str(path)))

    monkeypatch.setattr("bhsim.lab.ledger.write_bytes", full)
    done = call(*SMALL, "--out", tmp_path / "run")
    assert done.exit_code == 2
    assert "To go on:" in done.stderr
    assert "no space left" in done.stderr


@pytest.mark.parametrize("verb", ["play", "sweep", "meta", "balance", "check"])
def test_no_verb_takes_an_empty_name_for_this_folder(verb):
    done = call(verb, "some", "--out", "")
    assert (done.exit_code, done.stderr) == (2, "error: --out: is empty, got '' (allowed: the name of a folder)\n")


def test_minutes_become_a_number_of_games(tmp_path, undrawn, monkeypatch):
    """The number is measured once: a resumed run and the command to repeat have it."""
    monkeypatch.setattr("bhsim.lab.optimise.games_in", lambda *_: 1_400)
    words = [w for w in SMALL if w not in ("--games", 1_500)]
    done = call(*words, "--minutes", 0.01, "--out", tmp_path / "run")
    assert done.exit_code == 0, done.stderr
    assert "0.01 minutes are about 1,400 games here; --games 1400 repeats the run" in done.stderr
    assert "--games 1400 --seed 1" in done.stdout
    monkeypatch.setattr("bhsim.lab.optimise.games_in", lambda *_: pytest.fail("measured again"))
    assert call(*words, "--minutes", 0.01, "--out", tmp_path / "run", "--resume").exit_code == 0


def test_the_mixture_of_a_metagame(tmp_path, undrawn, monkeypatch):
    monkeypatch.setattr("bhsim.lab.metagame.MANY_DRAWS", 50)
    monkeypatch.setattr("bhsim.report.matters.write_plots", lambda *_: None)
    monkeypatch.setattr("bhsim.lab.optimise.FEWEST_KEYS", 5)
    meta = tmp_path / "meta"
    assert call("meta", "purple", "green", "amber", "--bot", "racer", "--games", 60, "--out", meta).exit_code == 0
    nash = pl.read_parquet(meta / "meta.parquet").filter(pl.col("nash") > 0)
    words = ("optimise", "--against", meta, "--bot", "racer", "--keep", 1, "--games", 1_600)
    done = call(*words, "--format", "json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["goal"] == "mixture"
    assert [o["name"] for o in found["opponents"]] == nash["name"].to_list()
    assert [o["weight"] for o in found["opponents"]] == pytest.approx(nash["nash"].to_list())
    best = found["best"][0]
    mixed = sum(o["weight"] * a["win_rate"] for o, a in zip(found["opponents"], best["against"], strict=True))
    assert best["win_rate"] == pytest.approx(mixed)
    for more, said in (
        (("purple",), "--against: a metagame stands alone"),
        (("--bot-against", "racer"), "--bot-against: the crews of a metagame keep their bots"),
        (("--set", "runners.gh0st.attack=9"), "was played with other numbers"),
    ):
        done = call(*words, *more)
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--games", 100), "--games: too few for a search and its confirmation, got 100 (allowed: 4000 to"),
        (("--goal", "mixture"), "--goal: needs opponents with weights"),
        (("--against", "nobody"), "--against: unknown crew 'nobody'"),
        (("--bot", "nobody"), "--bot: unknown bot 'nobody'"),
        (("--bot-against", "nobody"), "--bot-against: unknown bot 'nobody'"),
        (("--members", 6), "--members: SK-1.1: the cheapest crew of 6"),
        (("--max-changes", 0), "--max-changes: leaves nothing but the start"),
        (("--max-changes", 0, "--minutes", 1), "--max-changes: leaves nothing but the start"),
        (("--out", ""), "--out: is empty"),
        (("--out=",), "--out: is empty"),
        (("--against", "purple,purple"), "--against: is named twice"),
        (("--against", str(ROOT / "docs")), "no run folder"),
        (("--start", "nobody"), "--start: unknown crew 'nobody'"),
        (("--deck", "nothing"), "--deck: unknown deck 'nothing'"),
        (("--fix", "nobody"), "--fix: unknown runner, rig or card"),
        (("--fix", "wyld_chyld,gh0st,arson_nick,skeleton_dee,battlestation_mk2"), "--fix: SK-1.1"),
        (("--fix", "gh0st", "--ban", "gh0st"), "is fixed and banned"),
        (("--ban", "gh0st,wee_rin", "--max-changes", 1), "--max-changes: too few changes"),
        (("--max-changes", -1), "--max-changes: out of range"),
        (("--members", "5-3"), "--members: is no number of members"),
        (("--members", "40"), "--members: SK-1.6: no such size"),
        (("--keep", 0), "--keep: out of range"),
        (("--games", 5_000, "--minutes", 1), "give one of them"),
        (("--minutes", 0), "--minutes: out of range"),
        (("--minutes", "nan"), "--minutes: out of range"),
        (("--resume",), "--resume goes on with the folder of --out"),
        (("--force",), "--force: replaces what is there already"),
        (("--game", "tricks"), "--game: has no crews or decks"),
        (("--seed", -1), "--seed: out of range"),
    ],
)
def test_refusals_before_any_game(words, said, monkeypatch):
    monkeypatch.setattr("bhsim.lab.arena.play_units", lambda *_, **__: pytest.fail("played"))
    monkeypatch.setattr("bhsim.lab.optimise.carried_out", lambda *_: pytest.fail("played"))
    done = call("optimise", *words)
    assert done.exit_code == 2, done.output
    assert said in done.stderr


@pytest.mark.parametrize(
    "damage",
    [
        lambda m: m["spec"].pop("goal"),
        lambda m: m["spec"].update(goal="most"),
        lambda m: m["spec"]["weights"].append(0.5),
        lambda m: m["spec"].update(weights=[0.0]),
        lambda m: m["spec"]["opponents"].extend(["a", "b"]),
        lambda m: [c["setting"].pop("build") for c in m["contests"]],
    ],
)
def test_damaged_manifests_are_named(run, tmp_path, damage):
    manifest = json.loads((run[0] / "run.json").read_text())
    damage(manifest)
    (tmp_path / "run.json").write_text(json.dumps(manifest))
    done = call("report", tmp_path)
    assert (done.exit_code, "the manifest is damaged" in done.stderr) == (2, True), done.stderr
