"""Standard streams that are closed, broken or full, and usage errors in one line."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app

COMMAND = [sys.executable, "-c", "from bhsim.cli.app import main; main()"]


@pytest.mark.parametrize("words", [["bots"], ["bots", "--format", "json"], ["--help"], ["--version"], ["bots", "show", "fixer"]])
def test_a_reader_that_has_gone_is_no_answer_no(words):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, *words], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_closed_streams_drop_what_goes_there(closed):
    redirects = " ".join(f"{number}>&-" for number in closed)
    done = subprocess.run(["sh", "-c", f'exec "$@" {redirects}', "sh", *COMMAND, "bots"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("fixer" in done.stdout) == (1 not in closed)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "bots"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [(["find"], "RUN"), (["play", "a", "b", "--nonsense"], "--nonsense"), (["nonsense"], "nonsense"), (["bots", "show"], "NAME")],
)
def test_usage_errors_take_one_line(words, text):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert text in done.stderr


def test_no_verb_shows_the_help():
    assert "Usage" in CliRunner().invoke(app, []).output
