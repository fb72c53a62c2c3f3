"""Ctrl-C and SIGTERM at any moment: one line, exit code 130 or 143, no traceback, no lock left behind. And files that never end."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import coinflip  # noqa: F401 (registers its game)
import pytest
from typer.testing import CliRunner

import bhsim
from bhsim.cli.app import app

ROOT = Path(__file__).parents[1]
SPEC = 'name = "coins"\ngame = "coinflip"\ngames = 400000\ncrew = "60"\nopponents = ["40"]\n[[axes]]\npath = "edge"\nvalues = [0, 10, 20]\n'
SLOW = "import sys; sys.path.insert(0, 'tests'); import coinflip; from bhsim.__main__ import main; main()"
STOPS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


def started(*words, code=SLOW, **more):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def ended(process, sign, code):
    process.send_signal(sign)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (code, False), err
    return err


@pytest.mark.parametrize(("sign", "code"), STOPS)
def test_a_stopped_sweep_is_kept_and_goes_on(tmp_path, sign, code):
    (tmp_path / "s.toml").write_text(SPEC)
    process = started("sweep", tmp_path / "s.toml", "--out", tmp_path / "run", "--threads", 1)
    while not list((tmp_path / "run" / "units").glob("*.parquet")):
        assert process.poll() is None
        time.sleep(0.02)
    assert "of 3 contests are finished and kept. To go on:" in ended(process, sign, code)
    assert sorted(p.name for p in (tmp_path / "run").iterdir() if p.suffix != ".parquet") == ["run.json", "units"]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "stopped"
    assert list((tmp_path / "run" / "units").glob("*.parquet"))


@pytest.mark.parametrize(("sign", "code"), STOPS)
@pytest.mark.parametrize("moment", ["numpy", "typer", "bhsim.cli.sweep_cmd", "polars"])
def test_a_stop_while_modules_are_imported(tmp_path, sign, code, moment):
    """An import that waits: the signal comes in the middle of it."""
    waits = f"""
import sys, time
class Slow:
    def find_spec(self, name, *_):
        if name == {moment!r}:
            sys.meta_path.remove(self)
            print("here", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
from bhsim.__main__ import main
main()
"""
    spec = 'name = "s"\ngames = 20\ncrew = "purple"\nopponents = ["green"]\n'
    (tmp_path / "s.toml").write_text(spec)
    process = started("sweep", tmp_path / "s.toml", "--out", tmp_path / "run", code=waits)
    assert process.stdout.readline() == "here\n"
    ended(process, sign, code)
    assert not (tmp_path / "run" / "run.lock").exists()


def test_an_ignored_sigterm_stays_ignored(tmp_path):
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); from bhsim.cli.stopping import heed_sigterm; heed_sigterm(); "
    code += "import os; os.kill(os.getpid(), signal.SIGTERM); print('alive')"
    out, _ = started(code=code).communicate(timeout=60)
    assert out == "alive\n"


@pytest.mark.parametrize("verb", ["play", "sweep"])
def test_no_lock_is_left_when_the_kernels_are_never_ready(tmp_path, monkeypatch, verb):
    def stop(*_):
        raise KeyboardInterrupt

    (tmp_path / "s.toml").write_text(SPEC)
    monkeypatch.setattr("bhsim.cli.playing.ready", stop)
    words = ["play", "60", "40", "--game", "coinflip"] if verb == "play" else ["sweep", str(tmp_path / "s.toml")]
    assert CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")]).exit_code == 130
    assert sorted(p.name for p in (tmp_path / "run").iterdir() if p.suffix != ".parquet") == ["run.json", "units"]


@pytest.mark.parametrize("name", ["run.json", "units/c00000-u00000.parquet", "contests.parquet", "run.lock"])
def test_a_pipe_in_a_run_is_waited_for_by_nobody(tmp_path, name):
    bhsim.play("60", "40", game="coinflip", games=400, out=tmp_path / "run")
    shutil.copytree(tmp_path / "run", tmp_path / "whole")
    (tmp_path / "run" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "run" / name)
    (tmp_path / "s.toml").write_text(SPEC)
    tried = [
        ("report", tmp_path / "run"), ("runs", tmp_path), ("compare", tmp_path / "run", tmp_path / "whole"), ("check", tmp_path / "run"),
        ("replay", tmp_path / "run", "--index", 0), ("play", "60", "40", "--game", "coinflip", "--out", tmp_path / "run", "--force"),
        ("sweep", tmp_path / "s.toml", "--out", tmp_path / "run", "--resume"),
    ]  # fmt: skip
    code = """
import faulthandler, sys
sys.path.insert(0, "tests")
import coinflip
from typer.testing import CliRunner
from bhsim.cli.app import app
faulthandler.dump_traceback_later(60, exit=True)
for words in eval(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, SystemExit | None), words
    print(words[0], done.stderr.replace(chr(10), " "))
"""
    process = started(repr([[str(w) for w in words] for words in tried]), code=code)
    out, err = process.communicate(timeout=90)
    assert process.returncode == 0, err
    said = dict(line.split(" ", 1) for line in out.splitlines())
    assert list(said) == [words[0] for words in tried]
    if name == "run.json":
        message = f"{tmp_path / 'run' / name}: cannot read the manifest: it is no regular file"
        assert all(message in said[verb] for verb in ("report", "compare", "check", "sweep"))
    if name.startswith("units"):
        assert all("this unit of the run is no regular file" in said[verb] for verb in ("report", "compare"))
    assert f"no run has written {name}, so even --force leaves" in said["play"] or name == "run.json"
