"""Perft counts of the positions in tests/positions, by both engines, and the verb."""

import json
import tomllib
from pathlib import Path

import pytest
from frozen_kit import FILES, frozen_match
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.games.skirmish import positions
from bhsim.games.skirmish.driver import KernelGame
from bhsim.games.skirmish.perft import divided, kernel_perft, reference_perft
from bhsim.games.skirmish.placing import PlacedKernel, PlacedReference, match_in

FOLDER = Path(__file__).parent / "positions"
COUNTS = tomllib.loads((FOLDER / "perft_counts.toml").read_text(encoding="utf-8"))
FROZEN = [word for kind, name in FILES.items() for word in (f"--{kind}", name)]


def placed(name):
    match = frozen_match()
    position = positions.read_position(FOLDER / f"{name}.toml", match.bundle)
    return position, match_in(position, match.bundle, match.bots)


def call(*words):
    return CliRunner().invoke(app, ["perft", *map(str, words)])


def test_a_dozen_positions():
    assert len(COUNTS) >= 12
    assert {f"{name}.toml" for name in COUNTS} == {file.name for file in FOLDER.glob("*.toml")} - {"perft_counts.toml"}


@pytest.mark.parametrize("name", COUNTS)
def test_both_engines_count_the_same(name):
    position, match = placed(name)
    game = PlacedKernel(position, match)
    assert [kernel_perft(game, depth) for depth in range(1, len(COUNTS[name]) + 1)] == COUNTS[name]
    depth = max(d for d, number in enumerate(COUNTS[name], 1) if number <= 1000)
    assert reference_perft(lambda: PlacedReference(position, match), depth) == COUNTS[name][depth - 1]


def test_deployment_counts_by_hand():
    """Three of a crew of four stand; then the other side's four on six nodes: 3, 3 * 6, 3 * 6 * 5 ..."""
    position, _ = placed("deployment")
    assert len(position.then) == 3
    assert COUNTS["deployment"] == [3, 18, 90, 360, 1080]


def test_counting_leaves_the_game_alone():
    game = KernelGame(frozen_match(), 1, 0)
    before = game.view()
    assert kernel_perft(game, 0) == 1
    assert sum(divided(game, 3).values()) == kernel_perft(game, 3) == 120
    assert game.view() == before


def test_a_finished_game_has_no_sequence():
    game = KernelGame(frozen_match(), 1, 0)
    while not game.over:
        game.apply(game.bot_decision())
    assert kernel_perft(game, 1) == kernel_perft(game, 2) == 0


def test_verb_on_both_engines():
    result = call("--position", FOLDER / "secure_or_not.toml", "--depth", 3, "--engine", "both", "--divide", "--format", "json", *FROZEN)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["counts"] == {"kernel": COUNTS["secure_or_not"][2], "reference": COUNTS["secure_or_not"][2]}
    assert found["identical"] and sum(found["divide"].values()) == found["counts"]["kernel"]
    assert "action secure" in found["divide"]


def test_verb_without_a_position():
    result = call("green", "purple", "--depth", 4, "--index", 3)
    assert result.exit_code == 0 and result.stdout.split()[0] == "360"


def test_disagreement_is_exit_code_1(monkeypatch):
    monkeypatch.setattr("bhsim.games.skirmish.perft.reference_perft", lambda start, depth: 5)
    result = call("--depth", 2, "--engine", "both")
    assert result.exit_code == 1 and "disagree" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--depth", 0), "--depth"),
        (("--index", -1), "--index"),
        (("--position", "nowhere.toml"), "nowhere.toml"),
        (("--engine", "reference", "--divide"), "--divide"),
        (("purple", "nobody"), "nobody"),
        (("--position", FOLDER / "deployment.toml", "--index", 3), "--index"),
        (("--position", FOLDER / "deployment.toml", "--seed", 1), "--seed"),
        (("green", "--position", FOLDER / "deployment.toml"), "CREW_A"),
    ],
)
def test_bad_input(words, said):
    result = call(*words)
    assert result.exit_code == 2 and said in result.stderr and not result.stdout
