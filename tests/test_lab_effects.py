"""Effects by lot and restricted play: with the coins' made-up builds, then the verb on skirmish in a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from coinflip import CoinFlip, Coins

from bhsim.errors import BadInput
from bhsim.games.game import Column, Options, Side, SideNames, Table, find
from bhsim.lab.contest import assemble
from bhsim.lab.effects import PRESENT, effect_rows, measure, planned, play_scores
from bhsim.lab.executors import Threads
from bhsim.stats.many import shrink

ROOT = Path(__file__).parent.parent
PARTS = ("a", "b", "c", "d")
TRUTH = {"a": 9, "b": 3, "c": -3, "d": -9}  # percent points of bias for one copy


class CoinBuilds:
    """A build is four coins of four kinds; the bias is 50 and what the coins add. The crew's name keeps the bias, as the game wants."""

    parts = ("coins",)
    played = "coins"

    def items(self, bundle, side, part):
        return {item: side.deck_model.count(item) for item in PARTS}

    def sample(self, bundle, side, part, rng):
        deck = "".join(sorted(rng.choice(list(PARTS * 2), 4, replace=False)))
        return self.built(side, deck)

    def restricted(self, bundle, side, item, how):
        copies = side.deck_model.count(item)
        bias = int(side.crew) - copies * TRUTH[item] if how == "never" else int(side.crew)
        return replace(side, crew=str(bias), crew_model=str(bias), bot=f"{side.bot} {how} {item}", bot_model=f"{side.bot} {how} {item}")

    @staticmethod
    def built(side, deck):
        bias = str(50 + sum(TRUTH[item] for item in deck))
        return replace(side, crew=bias, deck=deck, crew_model=bias, deck_model=deck)


class CoinsByLot(CoinFlip):
    name = "coins by lot"
    builds = CoinBuilds()


GAME = CoinsByLot()


def plan_of(builds=30, keys=400, seed=5, panel=()):
    bundle = Coins()
    first = CoinBuilds.built(Side("50", "", "thumb", "50", "", "thumb"), "abcd")
    sides = (first, Side("50", "x", "thumb", "50", "x", "thumb"))
    return planned(GAME, bundle, sides, "coins", builds, keys, seed, [replace(first, bot=b, bot_model=b) for b in panel])


def scores_of(plan, seed=5):
    workers = Threads(1)
    try:
        return play_scores(plan, seed, workers, None, lambda games: None)
    finally:
        workers.close()


def test_builds_come_from_the_seed_alone():
    one, two, other = plan_of(15), plan_of(15), plan_of(15, seed=6)
    assert one.counts == two.counts
    assert one.counts != other.counts
    assert len(set(one.counts)) == len(one.counts) == 15
    assert [c.setting["case"] for c in one.contests[:2]] == [PRESENT, "build 1"]
    assert {c.keys for c in one.contests} == {400}


def test_effects_are_found():
    plan = plan_of(16, keys=3000)
    found = measure(plan, *scores_of(plan))
    assert found.contrasts
    assert [row.item for row in found.items] == list(PARTS)
    for row in found.items:
        assert abs(row.effect - TRUTH[row.item] / 200) < 0.02
        assert row.low < row.effect < row.high
        assert row.copies == 1
    assert found.items[0].q < 0.001
    effects, se = (np.array([getattr(row, name) for row in found.items]) for name in ("effect", "se"))
    assert [row.shrunk for row in found.items] == pytest.approx(shrink(effects, se**2).values)
    assert abs(found.items[0].shrunk) < abs(found.items[0].effect)
    assert found.present == pytest.approx(0.5, abs=0.03)


def test_restrictions_against_the_free_bot():
    plan = plan_of(15, keys=3000, panel=("thumb", "palm"))
    assert len(plan.restrictions) == 2 * 2 * 4
    scores, tally = scores_of(plan)
    found = measure(plan, scores, tally)
    for cost in found.costs:
        r = cost.restriction
        assert plan.contests[r.free].sides[0].bot == r.bot
        assert plan.contests[r.contest].sides[0].bot == f"{r.bot} {r.how} {r.item}"
        if r.how == "always":
            assert (cost.difference.mean, cost.difference.divergent, cost.q) == (0, 0, 1)
            assert cost.difference.low < 0 < cost.difference.high
            assert cost.q == 1
        else:
            assert cost.difference.mean == pytest.approx((scores[r.contest] - scores[r.free]).mean())
            assert abs(cost.difference.mean + TRUTH[r.item] / 200) < 0.03


def test_described_columns_stand_beside(monkeypatch):
    plan = plan_of(15)
    columns = (Column("side"), Column("coin"), Column("win_rate_drawn", "share"), Column("heads", "flips", "", True))
    table = Table("Coins", columns, ((0, "a", 0.61, 3), (1, "a", 0.2, 3), (0, "b", None, 0)))
    facts = CoinFlip.facts
    monkeypatch.setattr(CoinsByLot, "facts", lambda *given: replace(facts(*given), tables={"coins": table}), raising=False)
    rows = {row["item"]: row for row in effect_rows(measure(plan, *scores_of(plan)))}
    assert rows["a"]["win_rate_drawn"] == 0.61
    assert rows["b"]["win_rate_drawn"] is None
    assert "win_rate_drawn" not in rows["c"]
    assert "heads" not in rows["a"]


@pytest.mark.parametrize(
    ("part", "builds", "words"),
    [
        ("cards", 30, "what: cannot be drawn anew in this game, got 'cards' (allowed: coins)"),
        ("coins", 13, "decks: out of range, got 13 (allowed: 14 to 2000 for 4 coins)"),
        ("coins", 2001, "decks: out of range"),
        ("coins", 100, "decks: the card set has too few different builds of coins"),
    ],
)
def test_bad_numbers(part, builds, words):
    first = CoinBuilds.built(Side("50", "", "thumb", "50", "", "thumb"), "abcd")
    with pytest.raises(BadInput) as caught:
        planned(GAME, Coins(), (first, first), part, builds, 10, 1)
    assert words in str(caught.value)


def bhsim(*words, folder):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bhsim", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


def content(folder):
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    manifest = json.loads(found.pop("run.json"))
    manifest.pop("times")
    return found, manifest


def test_verb_on_skirmish(tmp_path):
    crews = [ROOT / "crews" / f"{name}.toml" for name in ("purple", "green")]
    asked = ["effects", *crews, "--decks", 26, "--games", 12, "--restricted", "--panel", "fixer,random"]
    stored = bhsim(*asked, "--out", "run", "--format", "json", "--threads", 2, folder=tmp_path)
    assert stored.returncode == 0, stored.stderr
    found = json.loads(stored.stdout)
    titles = {row["item"] for row in found["effects"]}
    assert titles == {row["item"] for row in found["restricted"]}
    assert {"win_rate_drawn", "win_rate_played"} <= set(found["effects"][0])
    assert "only describe" in found["note"]
    assert {(row["bot"], row["how"]) for row in found["restricted"]} == {(b, h) for b in ("fixer", "random") for h in ("never", "always")}
    assert sum(row["effect"] for row in found["effects"]) == pytest.approx(0, abs=1e-9)
    files, manifest = content(tmp_path / "run")
    assert {"effects.parquet", "restricted.parquet", "plots/tornado.svg", "plots/tornado-restricted.png"} <= set(files)
    assert manifest["kind"] == "effects"
    assert pl.read_parquet(tmp_path / "run" / "effects.parquet").height == len(titles)

    printed = bhsim(*asked, "--threads", 1, "--block", 2, folder=tmp_path)
    assert printed.returncode == 0, printed.stderr
    assert "Restricted play" in printed.stdout
    top = found["effects"][0]
    assert f"{top['item']}" in printed.stdout
    assert f"{100 * top['effect']:+.2f}" in printed.stdout

    for unit in sorted((tmp_path / "run" / "units").iterdir())[10:]:
        unit.unlink()
    again = bhsim(*asked, "--out", "run", "--resume", folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert content(tmp_path / "run") == (files, manifest)


@pytest.mark.parametrize("what", ["runners", "rigs"])
def test_runners_and_rigs(what, tmp_path):
    done = bhsim("effects", "purple", "green", "--what", what, "--decks", 20, "--games", 4, "--format", "json", folder=ROOT)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["effects"]
    assert len(rows) == 8
    assert {row["copies"] for row in rows} == {0, 1}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--panel", "fixer"], "--panel: is for restricted play"),
        (["--restricted", "--panel", "fixer,fixer"], "--panel: names no bots, or one twice"),
        (["--decks", "5"], "--decks: out of range"),
        (["--resume"], "--resume goes on with the folder of --out"),
        (["--restricted", "--panel", "nobody"], "nobody"),
    ],
)
def test_bad_options(words, message):
    done = bhsim("effects", "purple", "green", *words, folder=ROOT)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_assembled_match_is_what_play_plays():
    """Contest 0 of a plan is the match itself."""
    game = find("skirmish")
    bundle = game.load(Options())
    match = assemble(game, bundle, [SideNames("purple"), SideNames("green")], 10)
    plan = planned(game, bundle, match.sides, "cards", 30, match.keys, 1)
    assert plan.contests[0].digest() == match.digest()
    assert len({c.digest() for c in plan.contests}) == 31
    assert np.array(plan.counts).sum(axis=1).tolist() == [20] * 30
