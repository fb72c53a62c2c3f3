"""Both engines in step: a short `bhsim verify`, and that it would notice."""

import json

import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.games.skirmish import actions, driver, lockstep
from bhsim.games.skirmish import vocabulary as v

FUZZ_GAMES = 160


def call(*words):
    return CliRunner().invoke(app, ["verify", *map(str, words)])


@pytest.fixture(scope="module")
def fuzzed():
    return lockstep.compare(lockstep.fuzz_source(11), 11, 0, FUZZ_GAMES)


def test_engines_agree_over_the_whole_vocabulary(fuzzed):
    assert fuzzed.difference is None
    assert (fuzzed.games, fuzzed.by_bots) == (FUZZ_GAMES, FUZZ_GAMES // 2)
    assert fuzzed.decisions > 100 * FUZZ_GAMES


def test_coverage_of_the_short_run_is_nearly_whole(fuzzed):
    table = fuzzed.coverage.table()
    assert all(table["op"][op] for op in v.OPS)
    assert all(table["target"].values()) and all(table["within"].values()) and all(table["duration"].values())
    assert all(table["switch"].values()) and all(table["decision"].values())
    assert len(fuzzed.coverage.unreached()) < 8


def test_coverage_shows_zeros():
    report = lockstep.compare(lockstep.fuzz_source(11), 11, 0, 1)
    table = report.coverage.table()
    assert set(table["op"]) == set(v.OPS) and 0 in table["op"].values()
    assert {f"op: {op}" for op, times in table["op"].items() if times == 0} <= set(report.coverage.unreached())
    assert sum(table["decision"].values()) == report.decisions
    assert table["decision"]["action"] == sum(table["action"].values())


def test_house_cards_with_named_crews():
    result = call("purple", "green", "--games", 6, "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["identical"] and found["difference"] is None
    assert found["games"] == 6 and found["games_by_bots"] == 2
    assert found["coverage"]["op"]["score"] == 0 and "op: score" in found["not_reached"]
    assert all(path.count(".") == 3 for path in found["rows_not_reached"])


def test_crews_are_drawn_from_the_card_set():
    result = call("--games", 4, "--set", "rules.deck_size=12")
    assert result.exit_code == 0, result.output
    assert "no difference" in result.stdout and "limit: " in result.stdout
    assert "bhsim verify --set rules.deck_size=12 --seed 1 --games 4" in result.stdout


def test_both_games_of_a_key_have_the_same_drawn_crews():
    from bhsim.games.skirmish.files import load_bundle

    source = lockstep.drawn_source(load_bundle(), 1, ("fixer", "racer"))
    assert source(4).crews == source(5).crews != source(6).crews
    assert source(4).decks == source(5).decks != source(6).decks


@pytest.mark.parametrize(
    "words",
    [
        ("--fuzz", "purple", "green"),
        ("--fuzz", "--set", "rules.deck_size=12"),
        ("--games", 0),
        ("--first", -1),
        ("purple",),
        ("--deck-a", "starter"),
        ("--game", "chess"),
        ("--set", "rules.deck_size=60", "--set", "rules.max_copies=1", "--set", "cards.hack_the_network.max_copies=1"),
    ],
)
def test_bad_input(words):
    result = call(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and not result.stdout


def test_a_difference_in_the_table_is_shown(monkeypatch):
    """A kernel that heals one signal too much at some point."""
    honest = driver.KernelGame.apply

    def apply(self, action):
        honest(self, action)
        if action >> 24 == actions.ACTION and not self.over:
            self._S.signal[0] += 1

    monkeypatch.setattr(driver.KernelGame, "apply", apply)
    result = call("purple", "green", "--games", 4)
    assert result.exit_code == 1
    assert "DIFFERENCE in game 0 (played by random)" in result.stdout
    assert "runners[0][0].signal: kernel" in result.stdout
    assert "last decision: action(" in result.stdout and "rules nearby:" in result.stdout
    repeat = next(line for line in result.stdout.splitlines() if line.startswith("repeat"))
    again = call(*repeat.split()[3:])
    assert again.exit_code == 1 and again.stdout.endswith(result.stdout[result.stdout.index("DIFFERENCE") :])


def test_a_difference_between_legal_lists_is_shown(monkeypatch):
    honest = driver.KernelGame.legal
    monkeypatch.setattr(driver.KernelGame, "legal", lambda self: [a for a in honest(self) if a != actions.encode(actions.PASS)])
    result = call("purple", "green", "--games", 2, "--format", "json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)["difference"]
    assert found["legal_for_reference_only"] == ["pass(0, 0): pass for the rest of the round"]
    assert found["fields"] == [] and found["views"]["kernel"] == found["views"]["reference"]
    assert "SK-4.1 to 4.4" in found["rules"]
    assert found["events"]


def test_an_illegal_bot_is_a_difference(monkeypatch):
    monkeypatch.setattr(driver.KernelGame, "bot_decision", lambda self: actions.encode(actions.TOKEN, 0, 1))
    report = lockstep.compare(lockstep.fuzz_source(1), 1, 2, 1)
    assert "not legal" in report.difference.fault
    assert report.difference.by == "bots"


@pytest.mark.parametrize("words", [("purple", "green"), ("--fuzz",), ("--deck-a", "starter")])
def test_a_position_has_its_own_crews(words):
    result = call("--position", "tests/positions/first_turn.toml", *words)
    assert result.exit_code == 2 and result.stderr.startswith("error: ")
