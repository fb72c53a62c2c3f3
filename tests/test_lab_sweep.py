"""Sweep specs, run folders, resuming."""

import json

import polars as pl
import pytest
from coinflip import GAME

from bhsim.errors import BadInput
from bhsim.lab import carry, store
from bhsim.lab.findings import differences
from bhsim.lab.sweep import check_spec, contests_of, parse_spec, read_spec

SPEC = {
    "name": "coins", "game": "coinflip", "games": 600, "seed": 3, "crew": "60", "opponents": ["40", "50"],
    "axes": [{"path": "edge", "values": [0, 10, 20]}, {"crew": ["60", "70"]}],
}  # fmt: skip


def run(folder, spec=SPEC, **options):
    parsed = parse_spec(spec)
    contests = contests_of(parsed, GAME)
    manifest = store.manifest_of(parsed.name, "sweep", contests, parsed.seed, parsed.model_dump(mode="json"), "bhsim sweep coins.toml")
    resume = options.pop("resume", False)
    opened = store.resume(folder, manifest, contests) if resume else store.create(folder, manifest, contests, options.pop("force", False))
    carry.run(opened, parsed.seed, **options)
    return opened


def content(folder):
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    manifest = json.loads(found.pop("run.json"))
    manifest.pop("times")
    return found, manifest


def test_grid_order_and_settings():
    contests = contests_of(parse_spec(SPEC), GAME)
    assert len(contests) == 12
    assert contests[0].setting == {"opponent": "40", "edge": "0", "crew a": "60"}
    assert contests[1].setting["crew a"] == "70"
    assert contests[6].setting["opponent"] == "50"
    assert contests[0].bundle is contests[1].bundle
    assert contests[2].bundle.edge == 10


def test_folder_is_the_same_whatever_threads_and_blocks(tmp_path):
    run(tmp_path / "a", threads=1, block=300)
    run(tmp_path / "b", threads=2, block=17)
    assert content(tmp_path / "a") == content(tmp_path / "b")
    frame = pl.read_parquet(tmp_path / "a" / "contests.parquet")
    assert frame.height == 12
    assert (frame["win_rate_a"] + frame["win_rate_b"] == 1).all()
    assert ((frame["low_a"] <= frame["win_rate_a"]) & (frame["win_rate_a"] <= frame["high_a"])).all()
    assert frame["axis: edge"].to_list()[:4] == ["0", "0", "10", "10"]
    assert pl.read_parquet(tmp_path / "a" / "runners.parquet").height == 24
    manifest = json.loads((tmp_path / "a" / "run.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["house_values"] is True


def test_stopped_sweep_resumes_to_the_same_bytes(tmp_path):
    run(tmp_path / "whole")
    seen = []

    def stop(games):
        seen.append(games)
        if sum(seen) >= 2000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", threads=1, block=100, progress=stop)
    manifest = json.loads((tmp_path / "cut" / "run.json").read_text())
    assert manifest["status"] == "stopped"
    kept = pl.read_parquet(tmp_path / "cut" / "contests.parquet").height
    assert 0 < kept < 12
    played = []
    run(tmp_path / "cut", resume=True, progress=played.append)
    assert sum(played) == 600 * (12 - kept)
    assert content(tmp_path / "cut") == content(tmp_path / "whole")


def test_resume_refuses_another_run(tmp_path):
    run(tmp_path / "r")
    for change, word in (({"seed": 4}, "seed"), ({"games": 800}, "spec"), ({"name": "other"}, "name")):
        with pytest.raises(BadInput, match=word):
            run(tmp_path / "r", {**SPEC, **change}, resume=True)
    with pytest.raises(BadInput, match="no run folder"):
        run(tmp_path / "nothing", resume=True)


def test_existing_folder_needs_force_and_strangers_are_left_alone(tmp_path):
    run(tmp_path / "r")
    with pytest.raises(BadInput, match="--force"):
        run(tmp_path / "r")
    run(tmp_path / "r", {**SPEC, "axes": []}, force=True)
    assert len(list((tmp_path / "r" / "units").iterdir())) == 2
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    with pytest.raises(BadInput, match="something else"):
        run(tmp_path / "home", force=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="there is a file"):
        run(tmp_path / "file", force=True)


def test_folder_restores_contests_and_differences(tmp_path):
    run(tmp_path / "r")
    opened = store.open_folder(tmp_path / "r")
    assert [c.label for c in opened.contests] == [c.label for c in contests_of(parse_spec(SPEC), GAME)]
    gaps = differences(opened, opened.finished())
    assert set(gaps) == set(range(12)) - {0, 6}
    better = gaps[1]
    assert better.mean > 0
    assert better.saving < 1
    (tmp_path / "r" / "units" / "c00003-u00000.parquet").write_bytes(b"broken")
    with pytest.raises(BadInput, match="c00003"):
        opened.counts(opened.contests[3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axes": [{"path": "edge"}]}, "values"),
        ({"axes": [{"path": "edge", "values": []}]}, "0 entries"),
        ({"axes": [{"path": "edge", "values": [1, 1]}]}, "twice"),
        ({"axes": [{"crew": ["1"], "bot": ["x"]}]}, "exactly one"),
        ({"axes": [{"path": "edge", "values": [1], "side": "a"}]}, "side"),
        ({"axes": [{"path": "edge", "values": [1]}, {"path": "edge", "values": [2]}]}, "same label"),
        ({"opponents": []}, "opponents"),
        ({"opponents": ["40", "40"]}, "stands twice"),
        ({"colour": "red"}, "colour"),
        ({"name": "../up"}, "name"),
        ({"seed": -1}, "seed"),
        ({"axes": [{"path": "edge", "values": list(range(6000))}]}, "12000 contests"),
    ],
)
def test_spec_faults(change, message):
    with pytest.raises(BadInput, match=message):
        parse_spec({**SPEC, **change})


def test_faults_of_all_contests_are_listed():
    with pytest.raises(BadInput) as caught:
        contests_of(parse_spec({**SPEC, "axes": [{"crew": ["60", "600", "x"]}]}), GAME)
    assert len(caught.value.faults) == 2  # one for each bad crew, whatever the number of opponents
    assert "crew a = 600" in str(caught.value)
    with pytest.raises(BadInput, match="games"):
        contests_of(parse_spec({**SPEC, "games": 0}), GAME)


def test_spec_file_faults_name_the_place(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text('name = "x"\nopponents = [\n')
    with pytest.raises(BadInput, match=r"s\.toml:2: is not valid TOML"):
        read_spec(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_spec(tmp_path / "none.toml")


def test_spec_files_are_read_as_strictly_as_all_others(tmp_path):
    path = tmp_path / "s.toml"
    base = b'name = "x"\ngame = "coinflip"\ncrew = "60"\nopponents = ["40"]\n'
    path.write_bytes(b"\xef\xbb\xbf" + base)
    assert read_spec(path).crew == "60"
    for raw, word in (
        (b"", "empty"), (b"x = " + b"[" * 5000 + b"]" * 5000, "too deeply"), (base + b"# " + b"x" * 8_000_000, "too large"),
        (b"\xff\xfen", "UTF-16"), (base + b"# \xff", "UTF-8"),
    ):  # fmt: skip
        path.write_bytes(raw)
        with pytest.raises(BadInput, match=word):
            read_spec(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("games = true", r"s\.toml:5: games: must be a whole number, got True \(allowed: 1 to 1000000000\)"),
        ("games = 0", r"s\.toml:5: games: is out of range, got 0 \(allowed: 1 to 1000000000\)"),
        ('seed = "7"', r"s\.toml:5: seed: must be a whole number, got '7'"),
        ("seed = 1.0", r"s\.toml:5: seed: must be a whole number, got 1\.0"),
        ("sead = 1", r"s\.toml:5: sead: unknown key; did you mean 'seed'\? \(allowed: name, game"),
        ("sets = [1]", r"s\.toml:5: sets\.0: must be text"),
        ('[[axes]]\nbot = ["x", 3]', r"s\.toml:6: axes\.0\.bot\.1: must be text"),
        ('[[axes]]\nvariant = ["x", ["y", 3]]', r"s\.toml:6: axes\.0\.variant\.1\.1: must be text"),
        ('[[axes]]\nvariant = ["x", 3]', r"s\.toml:6: axes\.0\.variant\.1: must be text"),
        ('[[axes]]\nbot = ["x"]\nside = "c"', r"s\.toml:7: axes\.0\.side: unknown word.*allowed: a, b, both"),
        ('[[axes]]\nbot = ["fixer", "FIXER"]', r"s\.toml:6: axes\.0\.bot: FIXER stands twice"),
        ('[[axes]]\npath = "edge"\nvalues = [1, 2, 1.0]', r"s\.toml:7: axes\.0\.values: 1\.0 stands twice"),
        ('[[axes]]\nboard = ["a.toml", "./a.toml"]', r"axes\.0\.board: \./a\.toml stands twice"),
    ],
)
def test_faults_of_a_spec_have_line_value_and_what_is_allowed(tmp_path, line, message):
    path = tmp_path / "s.toml"
    path.write_text(f'name = "x"\ngame = "coinflip"\ncrew = "60"\nopponents = ["40"]\n{line}\n')
    with pytest.raises(BadInput, match=message) as caught:
        read_spec(path)
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        ("[{ crew = 3 }]", r"opponents\.0\.crew: must be text"),
        ('["a", [{ crew = "b" }, { crow = "x" }]]', r"opponents\.1\.1\.crow: unknown key; did you mean 'crew'"),
        ("[3]", r"opponents\.0: must be a table"),
        ('["40", { crew = "40" }]', "opponents: 40 stands twice"),
    ],
)
def test_faults_of_opponents(tmp_path, opponents, message):
    path = tmp_path / "s.toml"
    path.write_text(f'name = "x"\nopponents = {opponents}\n')
    with pytest.raises(BadInput, match=rf"s\.toml:2: {message}"):
        read_spec(path)


def test_faults_of_the_grid_have_the_line_of_their_value(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        'name = "x"\ngame = "coinflip"\ngames = 2\ncrew = "60"\nopponents = ["40", "50"]\n'
        '[[axes]]\ncrew = [\n "60",\n "600",\n]\n[[axes]]\npath = "edge"\nvalues = [1, 2]\n'
    )
    with pytest.raises(BadInput) as caught:
        check_spec(path)
    assert [str(f) for f in caught.value.faults] == [f"{path}:9: no bias (contest crew a = 600), got '600'"]
    path.write_text('name = "x"\ngame = "coinflip"\nopponents = ["40", "50"]\ncrew = "x"\n')
    with pytest.raises(BadInput) as caught:
        check_spec(path)
    assert [str(f) for f in caught.value.faults] == [f"{path}: no bias, got 'x'"]
    path.write_text('name = "x"\ngame = "chess"\nopponents = ["40"]\n')
    with pytest.raises(BadInput, match=r"s\.toml:2: game: no such game, got 'chess'"):
        check_spec(path)
