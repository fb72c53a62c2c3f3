"""bhsim init: a project whose files are valid, complete and its own."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.games.skirmish import files
from bhsim.games.skirmish.project import project_files

ROOT = Path(__file__).parents[1]
runner = CliRunner()


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "Neon Wars"
    done = runner.invoke(app, ["init", str(folder)])
    assert done.exit_code == 0, done.stderr
    return folder


def run(folder, *args):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "bhsim", *args], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )


def test_everything_in_it_is_valid(project):
    paths = sorted(str(p.relative_to(project)) for folder in ("decks", "crews", "variants") for p in (project / folder).iterdir())
    assert len(paths) == 6
    done = run(project, "validate", *paths)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # hides nothing that ships with bhsim
    assert done.stdout.count("no fault") == 6


def test_it_starts_with_the_values_of_the_house_set(project):
    mine = files.read_cardset(project / "decks/neon_wars.toml")
    house = files.read_cardset("house")
    assert mine.name == "Neon Wars"
    assert mine.house_values
    assert mine.model_copy(update={"name": house.name}).model_dump() == house.model_dump()


def test_its_names_are_found_inside_it(project, monkeypatch):
    monkeypatch.chdir(project)
    bundle = files.load_bundle("neon_wars", variants=["example"])
    crew = files.read_crew("neon_wars_purple", bundle)
    assert crew.deck == "neon_wars_deck"
    files.read_deck(crew.deck, bundle)
    assert files.digest(bundle) != files.digest(files.load_bundle("neon_wars"))


def test_makefile_ci_and_readme_name_its_files(project):
    make = (project / "Makefile").read_text()
    assert "bhsim baseline $(CREWS) $(SET) --out reports/baseline" in make
    assert "bhsim check reports/baseline" in make
    assert "CREWS = neon_wars_purple neon_wars_green" in make
    steps = (project / ".github/workflows/balance.yml").read_text()
    assert "make validate" in steps and "make check" in steps
    readme = (project / "README.md").read_text()
    for path in ("decks/neon_wars.toml", "crews/neon_wars_pool.toml", "variants/example.toml"):
        assert path in readme
        assert tomllib.loads((project / path).read_text())


def test_an_existing_project_is_refused_and_untouched(project):
    mine = project / "crews/neon_wars_green.toml"
    mine.write_text("mine")
    (project / "README.md").unlink()
    done = runner.invoke(app, ["init", str(project)])
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert mine.read_text() == "mine"
    assert not (project / "README.md").exists()
    assert runner.invoke(app, ["init", str(project), "--force"]).exit_code == 0
    assert mine.read_text() != "mine"


@pytest.mark.parametrize(("args", "words"), [(["--name", "???"], "letter or digit"), (["--cardset", "hous"], "did you mean 'house'")])
def test_bad_arguments(tmp_path, args, words):
    done = runner.invoke(app, ["init", str(tmp_path / "p"), *args])
    assert done.exit_code == 2
    assert words in done.stderr
    assert not (tmp_path / "p").exists()


def test_makefile_names_only_verbs_that_exist():
    """A project must not be born with a command that bhsim does not know."""
    make = project_files("Some Game", "house")["Makefile"]
    verbs = {line.split()[1] for line in make.splitlines() if line.startswith("\tbhsim ")}
    known = subprocess.run([sys.executable, "-m", "bhsim", "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert verbs == {"validate", "play", "baseline", "check"} and all(f" {verb} " in known for verb in verbs)
