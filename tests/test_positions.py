"""Positions: written from any decision, read back, and the same game goes on from there on both engines."""

import random
import re
from pathlib import Path

import pytest
from frozen_kit import FILES, frozen_match
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.games.skirmish import actions, fuzz, lockstep, positions
from bhsim.games.skirmish.driver import KernelGame
from bhsim.games.skirmish.placing import PlacedKernel, PlacedReference, Scribe, match_in, read_placed

FUZZ_GAMES = 60
ON = 25  # decisions played on from a position


def written(match, root, index, number):
    """A game after ``number`` random decisions, or at its end, and its position."""
    scribe, rng = Scribe(KernelGame(match, root, index)), random.Random(index)
    for _ in range(number):
        if scribe.game.over:
            break
        scribe.apply(fuzz.random_choice(rng, sorted(scribe.game.legal())))
    return scribe.game, scribe.position()


def reread(position, bundle, tmp_path):
    file = tmp_path / "position.toml"
    file.write_text(positions.to_toml(position))
    return positions.read_position(file, bundle)


def test_the_game_goes_on_the_same_from_any_decision(tmp_path):
    source, kinds = lockstep.fuzz_source(3), set()
    for index in range(FUZZ_GAMES):
        match, rng = source(index), random.Random(f"on {index}")
        game, position = written(match, 3, index, rng.randint(0, 120))
        if game.over:
            continue
        again = reread(position, match.bundle, tmp_path)
        assert again == position
        placed = match_in(again, match.bundle, match.bots)
        others = [PlacedKernel(again, placed), PlacedReference(again, placed)]
        for _ in range(ON):
            now = game.view()
            assert [other.view() for other in others] == [now, now], index
            if game.over:
                break
            assert all(sorted(other.legal()) == sorted(game.legal()) for other in others)
            action = fuzz.random_choice(rng, sorted(game.legal()))
            kinds.add(action >> 24)
            for one in (game, *others):
                one.apply(action)
    assert len(kinds) > 10


def test_deployment_is_a_position_too(tmp_path):
    match = frozen_match()
    game, position = written(match, 1, 1, 3)
    again = reread(position, match.bundle, tmp_path)
    assert again.round == 0 and len(again.then) == 3
    placed = PlacedKernel(again, match_in(again, match.bundle, match.bots))
    assert placed.view() == game.view() and sorted(placed.legal()) == sorted(game.legal())


def test_bots_go_on_from_a_position():
    match = frozen_match(("fixer", "racer"))
    _, position = written(match, 1, 0, 40)
    placed = PlacedKernel(position, match_in(position, match.bundle, match.bots))
    while not placed.over:
        action = placed.bot_decision()
        assert action in placed.legal()
        placed.apply(action)
    assert placed.view()["reason"] == "points"


def test_the_file_is_short_and_readable():
    match = frozen_match()
    _, position = written(match, 1, 0, 40)
    text = positions.to_toml(position)
    assert len(text.splitlines()) < 50
    assert 'runner = "gh0st", rig = "khonsu_blinkbeacon"' in text
    assert "false" not in text.replace("ready = false", "")


@pytest.fixture(scope="module")
def good():
    match = frozen_match()
    return match.bundle, positions.to_toml(written(match, 1, 0, 40)[1])


def test_luck_of_any_seed_and_key(tmp_path):
    match = frozen_match()
    for root, index in ((5_000_000, 0), (1, 5_000_001), ((1 << 63) - 1, 1_999_999_999)):
        game, position = written(match, root, index, 30)
        again = reread(position, match.bundle, tmp_path)
        assert (again.seed, again.key) == (root, index // 2)
        placed = match_in(again, match.bundle, match.bots)
        assert PlacedKernel(again, placed).view() == PlacedReference(again, placed).view() == game.view()


def test_a_position_of_another_board_is_refused(good, tmp_path):
    _, text = good
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        positions.read_position(file, frozen_match(sets=["board.states.12=offline"]).bundle)
    (fault,) = caught.value.faults
    assert (fault.field, "another board" in fault.message) == ("table.board", True)
    assert fault.line == 1 + [line.split(" ")[0] for line in text.splitlines()].index("table")


@pytest.mark.parametrize(("change", "said"), [("cards.big_hack.damage=5", "card set"), ("rules.points_to_win=9", "rules")])
def test_a_position_of_other_cards_or_rules_is_read_with_a_note(good, tmp_path, caplog, change, said):
    bundle, text = good
    file = tmp_path / "p.toml"
    file.write_text(text)
    positions.read_position(file, bundle)
    assert not caplog.messages
    positions.read_position(file, frozen_match(sets=[change]).bundle)
    (note,) = caplog.messages
    assert said in note and str(file) in note


def test_a_wrong_decision_is_found_at_its_line(good, tmp_path):
    bundle, text = good
    lines = [line for line in text.splitlines() if not line.startswith("then")]
    file = tmp_path / "p.toml"
    file.write_text("\n".join(["then = [", '  "activate nobody",', "]", *lines]) + "\n")
    bots = frozen_match().bots
    with pytest.raises(BadInput) as caught:
        read_placed(file, bundle, bots)
    (fault,) = caught.value.faults
    assert (fault.file, fault.line, fault.field) == (str(file), 2, "then.0")


def test_validate_knows_positions(good, tmp_path):
    frozen = [word for name in ("cardset", "board", "rules") for word in (f"--{name}", FILES[name])]
    file = tmp_path / "p.toml"
    file.write_text(good[1])
    done = CliRunner().invoke(app, ["validate", str(file), *frozen])
    assert (done.exit_code, done.stdout) == (0, f"{file}: position, no fault\n")
    file.write_text(good[1].replace('hand = ["', 'hand = ["big_hak", "', 1))
    done = CliRunner().invoke(app, ["validate", str(file), *frozen])
    assert done.exit_code == 2 and "did you mean 'big_hack'" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("round = ", "rund = 1\nround = ", "rund"),
        ("round = ", "locks = [999]\nround = ", "locks"),
        ("round = ", "locks = [3]\nround = ", "no server"),
        ("round = ", "changed = { red = [12], blue = [12] }\nround = ", "stands twice"),
        ("round = ", "changed = { purple = [1] }\nround = ", "changed"),
        ('runner = "gh0st"', 'runner = "ghost"', "no such runner; did you mean 'gh0st'"),
        ('rig = "khonsu_blinkbeacon"', 'rig = "khonsu"', "no such rig"),
        ("[[seats]]", "[[seats]]\npoints = 5", "would be over"),
        ("[[seats]]", '[[seats]]\ndata = { carrier = "nobody", signal = 3 }', "impossible data"),
        ('hand = ["', 'hand = ["big_hak", "', "no such card"),
    ],
)
def test_faults_name_the_place(good, tmp_path, old, new, said):
    bundle, text = good
    lines = [line for line in text.splitlines() if not line.startswith(("locks", "changed", "points", "data"))]
    file = tmp_path / "bad.toml"
    file.write_text("\n".join(lines).replace(old, new, 1))
    with pytest.raises(BadInput) as caught:
        positions.read_position(file, bundle)
    faults = [str(f) for f in caught.value.faults]
    assert any(said in fault for fault in faults), faults
    assert all(fault.startswith(str(file)) for fault in faults)


def test_two_runners_on_one_node_are_refused(good):
    bundle, _ = good
    match = frozen_match()
    _, position = written(match, 1, 0, 40)
    data = position.model_dump()
    nodes = [r["node"] for seat in data["seats"] for r in seat["runners"] if r["node"] is not None]
    standing = [r for seat in data["seats"] for r in seat["runners"] if r["node"] is not None]
    standing[0]["node"] = nodes[1]
    faults = positions.check_position(positions.Position.model_validate(data), bundle)
    assert [f.message for f in faults] == ["cannot stand there"]


def test_decisions_since_must_be_legal():
    match = frozen_match()
    _, position = written(match, 1, 0, 40)
    wrong = position.model_copy(update={"then": ["activate nobody"]})
    for engine in (PlacedKernel, PlacedReference):
        with pytest.raises(BadInput, match="no legal decision"):
            engine(wrong, match_in(wrong, match.bundle, match.bots))


def test_every_decision_is_spelled_apart():
    source, spelled = lockstep.fuzz_source(4), set()
    for index in range(40):
        scribe, rng = Scribe(KernelGame(source(index), 4, index)), random.Random(index)
        for _ in range(300):
            if scribe.game.over:
                break
            legal, seat = scribe.game.legal(), scribe.game.seat
            texts = {scribe.notation.spell(action, seat): action for action in legal}
            assert len(texts) == len(legal)
            assert all(scribe.notation.read(text, legal, seat) == action for text, action in texts.items())
            spelled |= {text.split()[0] for text in texts}
            scribe.apply(fuzz.random_choice(rng, sorted(legal)))
    assert spelled == set(actions.KINDS.values())


def test_the_example_of_the_docs_is_a_position(tmp_path):
    docs = (Path(__file__).parents[1] / "docs" / "replay.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", docs, re.DOTALL)
    file = tmp_path / "example.toml"
    file.write_text(example)
    match = frozen_match()
    position = positions.read_position(file, match.bundle)
    placed = match_in(position, match.bundle, match.bots)
    assert PlacedKernel(position, placed).view() == PlacedReference(position, placed).view()
