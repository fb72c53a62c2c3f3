"""What --force may clear, and which leavings of a stopped start count as nothing."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import coinflip  # noqa: F401 (registers its game)
import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.lab.clearing import refuse
from bhsim.lab.lock import LOCK

ROOT = Path(__file__).parents[1]
PLAY = ("play", "60", "40", "--game", "coinflip", "--games", 40)
EVERYTHING = """name = "all"
game = "coinflip"
games = 40
crews = ["60", "50", "40"]
[[axes]]
path = "edge"
values = [0, 10]
"""
FACTORS = """name = "f"
game = "coinflip"
games = 40
crew = "60"
opponents = ["40", "50"]
pairs = true
factors = [{ path = "edge", low = 0, high = 10 }, { path = "draw", low = 0, high = 10 }]
"""


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def content(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert call(*PLAY, "--out", folder).exit_code == 0
    return folder


@pytest.fixture
def run(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


NO_RUNS = {
    "a manifest of something else": {"run.json": '{"scripts": {"start": "x"}}', "photo.jpg": "x"},
    "a manifest that is a list": {"run.json": "[]"},
    "a lock of something else": {"run.lock": "yarn lockfile v1\n"},
    "a lock and a file": {"run.lock": "", "thesis.txt": "years"},
    "units without a run": {"units/notes.txt": "x"},
    "nothing of ours": {"thesis.txt": "years"},
}


@pytest.mark.parametrize("files", NO_RUNS.values(), ids=NO_RUNS)
def test_what_is_no_run_is_never_cleared(tmp_path, files):
    folder = tmp_path / "mine"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    before = content(folder)
    done = call(*PLAY, "--out", folder, "--force")
    assert (done.exit_code, content(folder)) == (2, before)
    assert "even --force leaves" in done.stderr


STRANGERS = ("notes.txt", "units/notes.txt", "plots/photo.png", "mine.parquet", ".hidden", "deep/inside.txt", "units/deep/x", "report.docx")


@pytest.mark.parametrize("name", STRANGERS)
def test_a_run_with_a_file_of_the_users_own_is_left_alone_and_the_file_named(run, name):
    (run / name).parent.mkdir(parents=True, exist_ok=True)
    (run / name).write_text("mine")
    before = content(run)
    done = call(*PLAY, "--out", run, "--force")
    assert (done.exit_code, content(run)) == (2, before)
    shown = name if name.startswith(("units/notes", "plots")) else name.rpartition("/")[0] or name
    assert f"no run has written {shown}, so" in done.stderr


def test_many_strangers_are_counted(run):
    for letter in "abcde":
        (run / letter).touch()
    with pytest.raises(BadInput, match="written a, b, c and 2 more, so"):
        refuse(run, force=True)


@pytest.mark.parametrize("name", ["units", "plots", "contests.parquet", "run.json", "report.md"])
def test_links_are_nobodys_to_delete(run, tmp_path, name):
    place = run / name
    if place.is_dir():
        shutil.move(place, tmp_path / "elsewhere")
    elif place.exists():
        place.rename(tmp_path / "elsewhere")
    else:
        (tmp_path / "elsewhere").mkdir()
    place.symlink_to(tmp_path / "elsewhere")
    assert call(*PLAY, "--out", run, "--force").exit_code == 2
    assert place.is_symlink()


def test_all_that_the_verbs_write_may_be_cleared(tmp_path):
    for name, text in (("sweep", EVERYTHING), ("sensitivity", FACTORS)):
        spec, folder = tmp_path / f"{name}.toml", tmp_path / name
        spec.write_text(text)
        assert call(name, spec, "--out", folder).exit_code == 0
        assert call("report", folder).exit_code == 0
        assert len(content(folder)) > 15
        (folder / "units" / ".c00000-u00000.parquet.abc_12.part").touch()
        (folder / ".run.json.x1.part").touch()
        assert call(*PLAY, "--out", folder, "--force").exit_code == 0
        assert sorted(content(folder)) == ["contests.parquet", "run.json", "runners.parquet", "units/c00000-u00000.parquet"]


def test_the_files_of_a_check_may_be_cleared(tmp_path):
    assert call("baseline", "60", "40", "--game", "coinflip", "--games", 400, "--out", tmp_path / "base").exit_code == 0
    assert call("check", tmp_path / "base", "--out", tmp_path / "base").exit_code == 0
    assert (tmp_path / "base" / "check.json").exists()
    assert call(*PLAY, "--out", tmp_path / "base", "--force").exit_code == 0
    assert not (tmp_path / "base" / "check.json").exists()


def test_a_run_of_another_version_may_be_replaced(run):
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(manifest | {"format": 99, "engine": "99.0+99"}))
    assert call(*PLAY, "--out", run, "--force").exit_code == 0


BEGUN = ([], ["units"], [LOCK], ["units", LOCK], ["units", ".run.json.a1b2.part"])


@pytest.mark.parametrize("left", BEGUN, ids=map(str, BEGUN))
def test_the_leavings_of_a_stopped_start_count_as_nothing(tmp_path, left):
    folder = tmp_path / "run"
    folder.mkdir()
    for name in left:
        (folder / name).mkdir() if name == "units" else (folder / name).write_text("process 1 on host\n" if name == LOCK else "")
    assert call(*PLAY, "--out", folder).exit_code == 0
    assert not list(folder.glob("*.part"))


def test_a_kill_at_any_moment_of_the_start_leaves_a_folder_for_a_plain_rerun(tmp_path):
    """The process kills itself at each write into the folder in turn, the last time with the manifest half written."""
    code = """
import os, signal, sys, pathlib
sys.path.insert(0, "tests")
import coinflip
from bhsim.lab import store
from bhsim.inputs import output
step = sys.argv.pop(1)
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
if step == "units":
    store.Path.mkdir = (lambda real: lambda self, *a, **k: die() if self.name == "units" else real(self, *a, **k))(store.Path.mkdir)
elif step == "manifest":
    store.write_json = die
else:
    output.os.replace = die
from bhsim.cli.app import main
main()
"""
    for step in ("units", "manifest", "half"):
        folder = tmp_path / f"at {step}"
        words = [step, *(str(w) for w in PLAY), "--out", str(folder)]
        done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
        assert done.returncode == -signal.SIGKILL
        assert (folder / LOCK).exists()
        assert not (folder / "run.json").exists()
        assert call(*PLAY, "--out", folder).exit_code == 0, step


def test_an_existing_run_is_still_refused_without_force(run):
    before = content(run)
    done = call(*PLAY, "--out", run)
    assert (done.exit_code, content(run)) == (2, before)
    assert "--force replaces it" in done.stderr


def test_places_that_cannot_be_are_named_by_the_option(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for place, why in ((tmp_path / ("x" * 300), "File name too long"), (tmp_path / "link", "is a link to a folder that does not exist")):
        done = call(*PLAY, "--out", place)
        assert done.exit_code == 2
        assert done.stderr.startswith("error: --out: ")
        assert why in done.stderr
