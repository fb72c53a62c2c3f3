"""Rules as positions: what stands where, what is decided, what stands where then; on both engines.

tests/positions/rules holds the tests, one file for each part of the rules page, and the board and cards that they use. A test says:
``rules`` and ``says``; ``set`` (paths); ``given`` (changes of base.toml: ``alpha.node``, ``0.hand`` for a seat, ``locks``);
``decide`` (spelled decisions; a single legal one is taken unasked); then ``legal`` and ``illegal`` decisions, or all of them as
``only``; and ``then``, what holds afterwards: ``alpha.signal``, ``0.points``, ``node.12``, ``locks``, ``seat``, ``over`` ...
"""

import copy
import tomllib
from pathlib import Path

import pytest

from bhsim.games.skirmish import files, positions
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.placing import PlacedKernel, PlacedReference, match_in, notation_of

FOLDER = Path(__file__).parent / "positions" / "rules"
RULES = str(Path(__file__).parent / "data" / "frozen" / "rules" / "standard.toml")
BASE = tomllib.loads((FOLDER / "base.toml").read_text(encoding="utf-8"))
CREWS = [[r["runner"] for r in seat["runners"]] for seat in BASE["seats"]]
KEYS = {"rules", "says", "set", "given", "decide", "legal", "illegal", "only", "then"}


def all_tests():
    for file in sorted(FOLDER.glob("sk_*.toml")):
        for test in tomllib.loads(file.read_text(encoding="utf-8"))["test"]:
            assert set(test) <= KEYS and test.keys() & {"legal", "illegal", "only", "then"}, test["says"]
            yield test


TESTS = list(all_tests())


def changed(given):
    """base.toml with the test's changes."""
    data = copy.deepcopy(BASE)
    runners = {r["runner"]: r for seat in data["seats"] for r in seat["runners"]}
    for path, value in given.items():
        head, _, rest = path.partition(".")
        part = runners[head] if head in runners else data["seats"][int(head)] if head.isdigit() else data
        key = rest or head
        if value == "none":
            del part[key]
        else:
            part[key] = value
    return positions.Position.model_validate(data)


def seen(view, path):
    """What a view says under the path of a test."""
    head, _, rest = path.partition(".")
    for seat in (0, 1):
        if head in CREWS[seat]:
            position = CREWS[seat].index(head)
            if rest == "data":
                data = view["data"][seat]
                return data["signal"] if data["carrier"] == position else 0
            return view["runners"][seat][position][rest]
    if head == "node":
        return v.STATES[view["states"][int(rest)]]
    return view[rest][int(head)] if head.isdigit() else view[head]


@pytest.mark.parametrize("engine", [PlacedKernel, PlacedReference], ids=["kernel", "reference"])
@pytest.mark.parametrize("test", [pytest.param(t, marks=[pytest.mark.rule(r) for r in t["rules"]], id=t["says"]) for t in TESTS])
def test_rule(test, engine):
    bundle = files.load_bundle(str(FOLDER / "cards.toml"), str(FOLDER / "board.toml"), RULES, sets=tuple(test.get("set", ())))
    position = changed(test.get("given", {}))
    assert positions.check_position(position, bundle) == []
    bot = files.read_bot("random")
    match = match_in(position, bundle, (bot, bot))
    game, notation = engine(position, match), notation_of(match)
    for text in test.get("decide", ()):
        game.apply(notation.read(text, game.legal(), game.seat))
    legal = {notation.spell(action, game.seat) for action in game.legal()}
    assert set(test.get("legal", ())) <= legal
    assert not set(test.get("illegal", ())) & legal
    assert set(test.get("only", legal)) == legal
    now = game.view()
    for path, value in test.get("then", {}).items():
        found = seen(now, path)
        assert ("none" if found is None else found) == value, path


def test_says_and_rules_are_told_apart():
    assert len({test["says"] for test in TESTS}) == len(TESTS)
    assert all(test["rules"] for test in TESTS)
