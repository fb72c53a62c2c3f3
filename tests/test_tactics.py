"""Bots find the move: small positions (data/tactics), each bot named for the task, in both seats, with several deals of luck.

A position says what the bot ``does`` within ``turns`` turns and what it does ``never`` (decisions as ``Notation`` spells them), and
what holds ``then``: of a runner ``A.signal``, ``.status``, ``.ready``, ``.data``, ``.mark``; ``us.points``, ``them.points``; ``won``.
bots: those that must find it; all five if left out. foe: the bot of the other side where its answer matters.
"""

import tomllib
from pathlib import Path

import pytest
from tactics_kit import Situation

FOLDER = Path(__file__).parent / "data" / "tactics"
BOTS = ("racer", "brawler", "weaver", "warden", "fixer")
KEYS = range(6)
SITUATION = {"picture", "runners", "cards", "hand", "deck", "points", "foe_passed"}
ASKED = {"says", "bots", "does", "never", "then", "turns", "foe"}


def all_positions():
    for file in sorted(FOLDER.glob("*.toml")):
        yield from tomllib.loads(file.read_text(encoding="utf-8"))["position"]


POSITIONS = list(all_positions())
CASES = [pytest.param(p, bot, id=f"{p['says']}-{bot}") for p in POSITIONS for bot in p.get("bots", BOTS)]


def seen(played, path):
    """What the table shows under a path of ``then``."""
    head, _, rest = path.partition(".")
    if head == "won":
        return played.won
    if head in ("us", "them"):
        return played.points(head == "us")
    if rest in ("data", "mark"):
        return getattr(played, rest)(head)
    return played.runner(head)[rest]


def test_positions_are_many_and_say_what_they_ask():
    assert len(POSITIONS) >= 20
    assert len({p["says"] for p in POSITIONS}) == len(POSITIONS)
    for position in POSITIONS:
        assert set(position) <= SITUATION | ASKED, position["says"]
        assert position.keys() & {"does", "never", "then"}, position["says"]


@pytest.mark.parametrize(("position", "bot"), CASES)
def test_finds_the_move(position, bot):
    situation = Situation(**{name: position[name] for name in SITUATION & set(position)})
    play = {name: position[name] for name in ("turns", "foe") if name in position}
    for seat in (0, 1):
        for key in KEYS:
            played = situation.play(bot, seat, key, **play)
            where = f"seat {seat}, key {key}: {', '.join(played.said)}"
            assert set(position.get("does", ())) <= set(played.said), where
            assert not set(position.get("never", ())) & set(played.said), where
            for path, value in position.get("then", {}).items():
                assert seen(played, path) == value, f"{path} is {seen(played, path)}; {where}"
