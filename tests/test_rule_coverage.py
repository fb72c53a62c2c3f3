"""Every rule of the game has a test that runs on the compiled engine, and docs/rules.md says where the rule lives."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from bhsim.games.skirmish.model import Rules

ROOT = Path(__file__).resolve().parents[1]
SKIRMISH = ROOT / "bhsim" / "games" / "skirmish"
IDS = (ROOT / "tests" / "data" / "rule_ids.txt").read_text().split()
ROWS = [line.strip("| ").split(" | ") for line in (ROOT / "docs" / "rules.md").read_text().splitlines() if line.startswith("| SK-")]


def rule_marks(function: ast.FunctionDef) -> list[str]:
    """Ids of the function's ``@pytest.mark.rule`` decorators."""
    calls = [d for d in function.decorator_list if isinstance(d, ast.Call) and ast.unparse(d.func) == "pytest.mark.rule"]
    return [call.args[0].value for call in calls]


@cache
def marked_tests() -> dict[str, set[str]]:
    """Tests on both engines: those that ask for the ``engine`` fixture, which fails a test that sets up no game."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "tests").glob("test_*.py"):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef) and "engine" in {a.arg for a in function.args.args}:
                for rule in rule_marks(function):
                    found[rule].add(function.name)
    return found


def test_the_list_of_ids_is_whole():
    assert len(IDS) == len(set(IDS)) == 63
    assert {int(i.split("-")[1].split(".")[0]) for i in IDS} == set(range(1, 11))


@pytest.mark.parametrize("rule", IDS)
def test_every_rule_has_a_test_on_the_compiled_engine(rule):
    assert marked_tests()[rule]


def test_no_mark_names_an_unknown_rule():
    marked = set()
    for path in (ROOT / "tests").glob("test_*.py"):
        functions = [f for f in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(f, ast.FunctionDef)]
        marked |= {rule for f in functions for rule in rule_marks(f) if rule.startswith("SK-")}
    assert marked and marked <= set(IDS)


def test_the_rules_page_has_every_id_once_and_in_order():
    assert [row[0] for row in ROWS] == IDS


@cache
def functions_of(module: str, package: str) -> set[str]:
    """Names of all functions and methods of a module of the engine, or beside it."""
    path = next(p for p in (SKIRMISH / package / f"{module}.py", SKIRMISH / f"{module}.py") if p.is_file())
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_rules_page_names_what_exists(row):
    rule, text, switch, kernel, plain, test = row
    assert len(text) > 10
    for key in re.findall(r"`(\w+)` =", switch):
        assert key in Rules.model_fields
    for cell, package in ((kernel, "engine"), (plain, "reference")):
        named = re.findall(r"`(\w+)\.(\w+)`", cell)
        assert named or cell == "the same"
        for module, function in named:
            assert function in functions_of(module, package), f"{module}.{function}"
    assert test.strip("`") in marked_tests()[rule]


def test_every_switch_stands_on_the_rules_page_with_its_default():
    written = {key: value.strip() for row in ROWS for key, value in re.findall(r"`(\w+)` = ([^,/]+)", row[2])}
    assert written == {key: json.dumps(field.default) for key, field in Rules.model_fields.items() if key != "name"}
