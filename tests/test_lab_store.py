"""Run folders under attack: damaged files, two runs at once, forced starts that fail, and kills in the middle."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import coinflip  # noqa: F401 (registers its game)
import polars as pl
import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.lab import store
from bhsim.lab.lock import LOCK, Lock
from bhsim.lab.manifest import part_key

SPEC = 'name = "coins"\ngame = "coinflip"\ngames = 40\ncrew = "60"\nopponents = ["40"]\n[[axes]]\npath = "edge"\nvalues = [0, 10]\n'
PLAY = ("play", "60", "40", "--game", "coinflip", "--games", 40)


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def content(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    base = tmp_path_factory.mktemp("runs")
    (base / "coins.toml").write_text(SPEC)
    assert call("sweep", base / "coins.toml", "--out", base / "run").exit_code == 0
    return base / "run"


@pytest.fixture
def run(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    shutil.copy(finished.parent / "coins.toml", tmp_path)
    return tmp_path / "run"


BAD = [
    ["--threads", 0], ["--threads", 100_000], ["--block", 0], ["--block", 999_999_999], ["--games", 0], ["--games", 10**12], ["--seed", -1],
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_bad_numbers_leave_the_old_run_and_write_no_new_one(run, bad):
    before = content(run)
    spec = run.parent / "coins.toml"
    for verb in (PLAY, ("sweep", spec)):
        done = call(*verb, "--out", run, "--force", *bad)
        assert done.exit_code == 2
        assert done.stderr.startswith(f"error: {bad[0]}: "), done.stderr
        assert call(*verb, "--out", run.parent / "new", *bad).exit_code == 2
    assert content(run) == before
    assert not (run.parent / "new").exists()


def test_every_bad_number_is_named_at_once():
    lines = call(*PLAY, "--threads", 0, "--block", 0, "--seed", -1).stderr.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["--seed", "--threads", "--block"]


def test_a_folder_in_use_is_left_alone_by_every_other_run(run):
    before, spec = content(run), run.parent / "coins.toml"
    lock = Lock(run)
    for how in ("--force", "--resume"):
        done = call("sweep", spec, "--out", run, how)
        assert done.exit_code == 2
        assert f"a run is writing into this folder (process {os.getpid()}" in done.stderr
    lock.release()
    lock.release()
    assert content(run) == before
    assert call("sweep", spec, "--out", run, "--force").exit_code == 0
    assert not (run / LOCK).exists()


def test_another_process_holds_the_lock_until_it_dies(run):
    code = (
        "import sys, pathlib\nfrom bhsim.lab.lock import Lock\nheld = Lock(pathlib.Path(sys.argv[1]))\nprint('held', flush=True)\ninput()"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(run)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "held\n"
        assert f"process {other.pid}" in call(*PLAY, "--out", run, "--force").stderr
    finally:
        other.kill()
        other.communicate()
    assert (run / LOCK).exists()
    assert call(*PLAY, "--out", run, "--force").exit_code == 0


@pytest.mark.parametrize("left", [set(), {"run.json"}, {LOCK}, {LOCK, "units"}])
def test_a_kill_while_a_folder_is_cleared_leaves_one_that_can_be_forced(run, left):
    (run / LOCK).touch()
    for child in list(run.iterdir()):
        if child.name not in left:
            shutil.rmtree(child) if child.is_dir() else child.unlink()
    assert call(*PLAY, "--out", run, "--force").exit_code == 0
    assert json.loads((run / "run.json").read_text())["kind"] == "play"


def test_the_manifest_goes_last(run, monkeypatch):
    monkeypatch.setattr(Path, "rmdir", lambda path: (_ for _ in ()).throw(OSError(5, "broken disk")))
    assert call(*PLAY, "--out", run, "--force").exit_code == 2
    assert (run / "run.json").exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", 2), ("digest", "0" * 16), ("engine", "0+0"), ("contest", 1), ("keys", 7), ("first_key", 9)],
)
def test_a_unit_of_another_run_is_refused(run, field, value):
    file = run / "units" / "c00000-u00000.parquet"
    frame = pl.read_parquet(file)
    frame.with_columns(pl.lit(value, dtype=frame.schema[field]).alias(field)).write_parquet(file)
    done = call("report", run)
    assert done.exit_code == 2
    assert f"{file}: this unit of the run belongs to another run" in done.stderr


def other_tally(frame):
    return frame.with_columns(pl.lit(b"\xff" * len(frame["tally"][0])).alias("tally"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda frame: frame.drop("tally"),
        lambda frame: frame.head(0),
        lambda frame: pl.concat([frame, frame]),
        lambda frame: pl.DataFrame({"x": [1]}),
        lambda frame: frame.with_columns(pl.lit(None, dtype=pl.Binary).alias("outcomes")),
        lambda frame: frame.with_columns(pl.lit(b"abc").alias("outcomes")),
        lambda frame: frame.with_columns(pl.lit("text").alias("tally")),
        other_tally,
    ],
)
def test_a_damaged_unit_is_named(run, damage):
    file = run / "units" / "c00001-u00000.parquet"
    damage(pl.read_parquet(file)).write_parquet(file)
    for words in (("report", run), ("sweep", run.parent / "coins.toml", "--out", run, "--resume")):
        done = call(*words)
        assert done.exit_code == 2
        assert done.stderr.count("error: ") == 1
        assert str(file) in done.stderr
        assert done.exception is None or isinstance(done.exception, SystemExit)
    file.unlink()
    assert call("sweep", run.parent / "coins.toml", "--out", run, "--resume").exit_code == 0


def put(*path, value):
    def change(manifest):
        at = manifest
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


def drop(*path):
    def change(manifest):
        at = manifest
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]

    return change


KEYS = (
    "kind", "name", "game", "engine", "seed", "command", "data_digest", "house_values", "spec", "tally", "contests", "data", "times",
    "status",
)  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        *(drop(key) for key in KEYS),
        *(drop("contests", 0, key) for key in ("number", "label", "setting", "sides", "keys", "games", "digest", "data")),
        *(put(key, value=None) for key in KEYS),
        put("contests", value=[]),
        put("data", value={}),
        put("seed", value=-1),
        put("seed", value=1 << 63),
        put("seed", value=True),
        put("contests", 0, "keys", value=0),
        put("contests", 0, "keys", value=10**12),
        put("contests", 0, "keys", value=21),
        put("contests", 1, "number", value=0),
        put("contests", 1, "setting", value={"other": "1"}),
        put("contests", 0, "sides", value=[]),
        put("contests", 0, "data", "coins", value="nowhere"),
        drop("contests", 0, "data", "coins"),
    ],
)
def test_a_damaged_manifest_is_named_once(run, change):
    file = run / "run.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_text(json.dumps(manifest))
    for words in (("report", run), ("find", run, "--where", "rounds > 1"), ("replay", run, "--contest", 0)):
        done = call(*words)
        assert done.exit_code == 2, done.output
        assert done.stderr.count("error: ") == 1
        assert str(run) in done.stderr or "no such game" in done.stderr


def test_damaged_models_in_the_manifest_are_named(run):
    file = run / "run.json"
    whole = file.read_text()
    manifest = json.loads(whole)
    for key in manifest["data"]:
        for value in ({"x": 1}, {"crew": 3, "deck": "d", "bot": "b"}):
            file.write_text(json.dumps({**manifest, "data": {**manifest["data"], key: value}}))
            with pytest.raises(BadInput, match=rf"run\.json: the manifest is damaged: data\.{key}"):
                store.open_folder(run)
            renamed = whole.replace(f'"{key}"', f'"{part_key(value)}"')  # as if this version's models knew it no more
            changed = json.loads(renamed)
            changed["data"][part_key(value)] = value
            file.write_text(json.dumps(changed))
            with pytest.raises(BadInput, match=r"run\.json: the manifest is damaged: contest [01]"):
                store.open_folder(run)


OTHER = ["", "[]", "{}", "null", '{"format": true}', '{"format": 1.0}', "[" * 100_000, '{"format": 1' + "0" * 5000 + "}", "\udcff"]


@pytest.mark.parametrize("text", OTHER, ids=range(len(OTHER)))
def test_other_json_is_no_manifest(run, text):
    (run / "run.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    for words in (("report", run), ("sweep", run.parent / "coins.toml", "--out", run, "--resume")):
        done = call(*words)
        assert done.exit_code == 2
        assert str(run / "run.json") in done.stderr


def test_only_games_that_are_stored_are_counted(run):
    opened = store.open_folder(run)
    assert opened.held_games(opened.contests[0]) == 40
    (run / "units" / "c00000-u00000.parquet").unlink()
    assert opened.held_games(opened.contests[0]) == 0


@pytest.fixture(scope="module")
def matters(tmp_path_factory):
    """A run of ``sensitivity`` and one of ``effects``."""
    base = tmp_path_factory.mktemp("matters")
    factors = 'factors = [{ path = "edge", low = 0, high = 9 }, { path = "draw", low = 0, high = 9 }]\n'
    (base / "s.toml").write_text('name = "s"\ngame = "coinflip"\ngames = 40\ncrew = "60"\nopponents = ["40"]\n' + factors)
    assert call("sensitivity", base / "s.toml", "--out", base / "sensitivity").exit_code == 0
    words = ("effects", "purple", "green", "--what", "rigs", "--decks", 30, "--games", 4, "--out", base / "effects")
    assert call(*words).exit_code == 0
    return base


NO_SPECS = [
    ("sensitivity", drop("spec", "design")), ("sensitivity", drop("spec", "metric")), ("sensitivity", put("spec", "metric", value="luck")),
    ("sensitivity", drop("spec", "design", "masks")), ("sensitivity", put("spec", "design", "masks", value=[])),
    ("sensitivity", put("spec", "design", "masks", value=[2, 2])), ("sensitivity", put("spec", "design", "masks", value=[1 << 19, 1])),
    ("sensitivity", drop("spec", "design", "factors", 0)), ("sensitivity", drop("spec", "design", "factors", 0, "low")),
    ("sensitivity", put("spec", "design", "skipped", value=[1])),
    ("effects", drop("spec", "plan")), ("effects", drop("spec", "plan", "counts")), ("effects", put("spec", "plan", "counts", value=[])),
    ("effects", put("spec", "plan", "part", value="wings")), ("effects", put("spec", "plan", "items", 0, value="none_such")),
    ("effects", drop("spec", "plan", "counts", 0, 0)), ("effects", put("spec", "plan", "counts", value=[[1]] * 500)),
    ("effects", put("spec", "plan", "restrictions", value=[{"bot": "b", "item": "i", "how": "never", "contest": 99_999, "free": 0}])),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "change"), NO_SPECS, ids=range(len(NO_SPECS)))
def test_a_run_that_does_not_say_what_it_varied_is_damaged(matters, tmp_path, kind, change):
    shutil.copytree(matters / kind, tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_text(json.dumps(manifest))
    done = call("report", tmp_path / "run")
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {file}: the manifest is damaged: spec.")


def test_a_run_that_grows_is_resumed_where_it_stopped(tmp_path):
    """Contests that the first ones led to are added to the manifest, and are there when the run goes on."""
    from bhsim.games.game import Options, SideNames, find
    from bhsim.lab import carry
    from bhsim.lab.contest import assemble

    game = find("coinflip")
    bundle = game.load(Options())
    contests = [assemble(game, bundle, [SideNames("60"), SideNames(other)], 40, n, {"against": other}) for n, other in enumerate("45")]
    start = store.manifest_of("growing", "play", contests[:1], 1, {}, "bhsim")

    def run(path, resume=False):
        opened = store.resume(path, dict(start), contests[:1]) if resume else store.create(path, dict(start), contests[:1], False)
        with opened:
            carry.run(opened, 1)
            assert [c.number for c in opened.finished()] == [0]
            yield opened
            opened.extend(contests[1:])
            yield opened
            carry.run(opened, 1)
        yield opened

    *_, whole = run(tmp_path / "whole")
    for stop_after in (1, 2):
        path = tmp_path / f"stopped-{stop_after}"
        going = run(path)
        for _ in range(stop_after):
            next(going)
        going.close()
        assert store.read_manifest(path)["status"] == ("complete" if stop_after == 1 else "stopped")
        *_, again = run(path, resume=True)
        assert [c.keys for c in again.contests] == [20, 20]
        mine, theirs = content(path), content(whole.path)
        for files in (mine, theirs):
            manifest = json.loads(files.pop(Path("run.json")))
            files["manifest"] = {k: v for k, v in manifest.items() if k != "times"}
        assert mine == theirs
    assert store.read_manifest(whole.path)["contests"][1]["setting"] == {"against": "5"}
