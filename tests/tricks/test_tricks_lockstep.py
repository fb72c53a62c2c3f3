"""Both engines of tricks in step: a short `bhsim verify --game tricks`, and that it would notice."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.games.game import Options
from bhsim.games.tricks import actions as act
from bhsim.games.tricks import driver, lockstep

FUZZ_GAMES = 300


def call(*words):
    return CliRunner().invoke(app, ["verify", "--game", "tricks", *map(str, words)])


@pytest.fixture(scope="module")
def fuzzed():
    return lockstep.compare(lockstep.fuzz_source(11), 11, 0, FUZZ_GAMES)


def test_engines_agree_over_decks_boards_rules_and_tables(fuzzed):
    assert fuzzed.difference is None
    assert (fuzzed.games, fuzzed.by_bots) == (FUZZ_GAMES, FUZZ_GAMES // 2)
    assert fuzzed.decisions > 20 * FUZZ_GAMES


def test_coverage_of_the_short_run_is_nearly_whole(fuzzed):
    table = fuzzed.coverage.table()
    assert all(table["switch"].values()) and all(table["decision"].values()) and all(table["landing"].values())
    assert all(table["players"].values()) and all(table["end"].values())
    assert len(fuzzed.coverage.unreached()) < 3


def test_coverage_shows_zeros():
    report = lockstep.compare(lockstep.fuzz_source(11), 11, 0, 1)
    table = report.coverage.table()
    assert sum(table["decision"].values()) == report.decisions
    unreached = {f"{group}: {word}" for group, words in table.items() for word, times in words.items() if times == 0}
    assert set(report.coverage.unreached()) == unreached and unreached


def test_every_rule_named_after_a_happening_exists():
    ids = {word.rpartition("(")[2].rstrip(")") for word in lockstep.Coverage().table()["rule"]}
    known = (Path(__file__).parent / "rule_ids.txt").read_text().split()
    assert {f"TR-{part}" for entry in ids for part in entry.split(", ")} <= set(known)


def test_fuzz_from_the_command_line():
    result = call("--fuzz", "--games", 8, "--seed", 3)
    assert result.exit_code == 0, result.output
    assert "no difference" in result.stdout and "switch: " in result.stdout and "not reached: " in result.stdout
    assert "bhsim verify --fuzz --game tricks --seed 3 --games 8" in result.stdout


def test_the_default_table_with_options_from_the_command_line():
    result = call("--games", 4, "--board", "backdoor", "--set", "rules.discard=free", "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["identical"] and found["games_by_bots"] == 2
    assert found["coverage"]["switch"]["discard = free"] == 4 and found["coverage"]["players"]["4"] == 4


@pytest.mark.parametrize(
    "words",
    [("purple",), ("--fuzz", "--board", "base"), ("--deck-a", "base"), ("--cardset", "house"), ("--position", "x.toml"), ("--games", 0)],
)
def test_bad_input(words):
    result = call(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and not result.stdout


def test_a_difference_in_the_table_is_shown(monkeypatch):
    """A kernel that adds a point now and then."""
    honest = driver.KernelGame.apply

    def apply(self, action):
        honest(self, action)
        if action >> 24 == act.MOVE:
            self._S.points_from[0, 1] += 1

    monkeypatch.setattr(driver.KernelGame, "apply", apply)
    result = call("--games", 4)
    assert result.exit_code == 1
    assert "DIFFERENCE in game 0 (played by random)" in result.stdout
    assert "from_spaces[0]: kernel" in result.stdout
    assert "last decision: move(" in result.stdout and "TR-8.2" in result.stdout
    repeat = next(line for line in result.stdout.splitlines() if line.startswith("repeat"))
    again = call(*repeat.split()[3:])
    assert again.exit_code == 1 and again.stdout.endswith(result.stdout[result.stdout.index("DIFFERENCE") :])


def test_a_difference_between_legal_lists_is_shown(monkeypatch):
    honest = driver.KernelGame.legal
    monkeypatch.setattr(driver.KernelGame, "legal", lambda self: honest(self)[1:])
    found = lockstep.compare(lockstep.source_of(Options()), 1, 0, 1).difference
    assert len(found.only_reference) == 1 and found.only_reference[0].startswith("play(") and not found.only_kernel
    assert found.fields == [] and found.views[0] == found.views[1]
    assert found.rules == ["TR-3.1 to 3.3, 4.1, 4.4, 4.5"]
    assert found.events[-1]["event"] == "deal"


def test_an_illegal_bot_is_a_difference(monkeypatch):
    monkeypatch.setattr(driver.KernelGame, "bot_decision", lambda self: act.encode(act.PICK, 0, 15))
    report = lockstep.compare(lockstep.fuzz_source(1), 1, 1, 1)
    assert "not legal" in report.difference.fault
    assert report.difference.by == "bots"
