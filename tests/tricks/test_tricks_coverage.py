"""Every rule of tricks has a test that runs on the engines, and docs/tricks-rules.md says where the rule lives."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from bhsim.games.tricks import actions
from bhsim.games.tricks.model import Rules

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TRICKS = ROOT / "bhsim" / "games" / "tricks"
IDS = (HERE / "rule_ids.txt").read_text().split()
PAGE = (ROOT / "docs" / "tricks-rules.md").read_text(encoding="utf-8")
LOG_PAGE = (ROOT / "docs" / "tricks-replay.md").read_text(encoding="utf-8")
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| TR-")]


@cache
def marked_tests() -> dict[str, set[str]]:
    """Tests by rule id, of those that ask for the ``engine`` fixture, which fails a test that sets up no game."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in HERE.glob("test_*.py"):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef) and "engine" in {a.arg for a in function.args.args}:
                for mark in function.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rule":
                        found[mark.args[0].value].add(function.name)
    return found


@cache
def functions_of(folder: str, module: str) -> set[str]:
    path = next(p for p in (TRICKS / folder / f"{module}.py", TRICKS / f"{module}.py") if p.is_file())
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)}


def test_the_list_of_ids_is_whole():
    assert len(IDS) == len(set(IDS)) == 37
    assert {int(i.split("-")[1].split(".")[0]) for i in IDS} == set(range(1, 9))


def test_every_rule_has_a_test_and_every_mark_a_rule():
    assert set(marked_tests()) == set(IDS)


def test_the_rules_page_has_every_id_once_and_in_order():
    assert [row[0].strip() for row in ROWS] == IDS


@pytest.mark.parametrize("row", ROWS, ids=[row[0].strip() for row in ROWS])
def test_the_rules_page_names_what_exists(row):
    rule, text, switch, kernel, plain, test = (cell.strip() for cell in row)
    assert len(text) > 10
    assert all(key in Rules.model_fields for key in re.findall(r"`(\w+)` =", switch))
    for folder, cell in (("engine", kernel), ("reference", plain)):
        named = re.findall(r"`(\w+)\.(\w+)`", cell)
        assert named
        for module, function in named:
            assert function in functions_of(folder, module), f"{module}.{function}"
    assert test.strip("`") in marked_tests()[rule]


def test_every_switch_stands_on_the_rules_page_with_its_default():
    written = {key: value.strip() for row in ROWS for key, value in re.findall(r"`(\w+)` = ([^,/]+)", row[2])}
    assert written == {key: json.dumps(field.default) for key, field in Rules.model_fields.items() if key != "name"}


def test_every_kind_of_decision_and_every_event_stands_on_its_page():
    decisions = PAGE.partition("## Decisions")[2].partition("## Luck")[0]
    assert re.findall(r"^\| ([A-Z]+) \|", decisions, re.M) == [word.upper() for word in actions.KINDS.values()]
    events = LOG_PAGE.partition("| event | keys |")[2].partition("\n\n")[0]
    listed = {word for row in re.findall(r"^\| ([a-z_, ]+) \|", events, re.M) for word in row.split(", ")}
    source = (TRICKS / "reference" / "game.py").read_text(encoding="utf-8")
    assert listed == set(re.findall(r'self\.tell\("(\w+)"', source))


def test_decisions_are_read_as_they_are_written():
    for action in (actions.encode(actions.PLAY, 14, actions.composition(8, 12, 1)), actions.encode(actions.MOVE, 11, 63)):
        assert actions.encode(*actions.decode(action)) == action
    assert actions.composed(actions.composition(8, 12, 1)) == (8, 12, 1)
    assert actions.MAX_CARDS <= actions.DRAWS_PER_SHUFFLE and actions.MAX_COPIES < 16 and actions.MAX_JOKERS < 16
