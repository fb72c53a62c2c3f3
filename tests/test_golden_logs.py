"""Golden event logs: stored decisions on the frozen card set give the very log that is stored, on both engines."""

import json
from pathlib import Path

import pytest
from frozen_kit import frozen_match
from golden import regenerate

from bhsim.games.skirmish.reference import Game

FOLDER = Path(regenerate.__file__).parent
NAMES = list(regenerate.GAMES)


def decisions(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def stored(name):
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def plain(events):
    """As JSON reads it, without the engine's version, which moves with every release."""
    events = json.loads(json.dumps(events))
    events[0].pop("engine")
    return events


@pytest.mark.parametrize("name", NAMES)
def test_kernel_writes_the_golden_log(name):
    written, golden = plain(regenerate.log_of(name, decisions(name))), plain(stored(name))
    for number, (one, other) in enumerate(zip(written, golden, strict=False)):
        assert one == other, f"{name}.jsonl line {number + 1}"
    assert len(written) == len(golden)
    assert golden[-1]["event"] == "end"


@pytest.mark.parametrize("name", NAMES)
def test_reference_engine_tells_the_same_game(name):
    index, bots, sets = regenerate.GAMES[name]
    match, told = frozen_match(bots, sets), []
    game = Game(match.bundle, match.crews, match.decks, regenerate.SEED, index // 2, index % 2, told.append)
    for action in decisions(name):
        game.apply(action)
    assert game.over
    golden = stored(name)
    assert [e["event"] for e in told] == [e["event"] for e in golden]
    for one, other in zip(told[1:], golden[1:], strict=True):
        if one["event"] == "move":  # of several shortest ways each engine may name another
            assert (one["path"][0], one["path"][-1], len(one["path"])) == (other["path"][0], other["path"][-1], len(other["path"]))
        else:
            assert one == other


def test_every_card_runner_and_event_of_the_frozen_set_appears():
    match = frozen_match()
    logs = [event for name in NAMES for event in stored(name)]
    played = {e["card"] for e in logs if e["event"] == "turn" and e["kind"] == "card"}
    flipped = {e["card"] for e in logs if e["event"] == "flip"}
    assert played == flipped == set(match.bundle.cardset.cards)
    runners = {m.runner for crew in match.crews for m in crew.members}
    assert runners == set(match.bundle.cardset.runners)
    assert {e["runner"] for e in logs if e["event"] == "action" and e["kind"] == "signature"} == runners
    assert {e["runner"] for e in logs if e["event"] == "turn" and e["kind"] == "activate"} == runners
    assert {e["kind"] for e in logs if e["event"] == "action"} == {"none", "attack", "extract", "transfer", "secure", "signature"}
    assert {e["what"] for e in logs if e["event"] == "data"} == {"extract", "transfer", "destroyed", "secured"}
    assert {e["reason"] for e in logs if e["event"] == "end"} == {"points", "max_rounds"}
    effects = {"move", "place", "hack", "damage", "heal", "stat", "exhaust", "discard", "draw"}
    texts = set(match.bundle.cardset.cards) | runners
    assert effects <= {e["event"] for e in logs if e.get("cause") in texts}


def test_decisions_that_are_no_longer_legal_are_noticed():
    changed = decisions("standard_first")
    changed[3] = changed[3] ^ 1 << 30
    with pytest.raises(ValueError, match="decision 3 is no longer legal"):
        regenerate.log_of("standard_first", changed)
