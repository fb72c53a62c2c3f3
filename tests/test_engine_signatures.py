"""How kernels are made: by the project's decorators only, each for one signature, without numpy's random state."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "bhsim" / "games" / "skirmish" / "engine"
MODULES = sorted(path for path in ENGINE.glob("*.py") if path.name != "jit.py")
MAY_USE_NUMBA = {"bits", "warm"}  # bits: machine instructions as intrinsics; warm: types of the arguments
JITS = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass", "overload"}
COMPILE = """
from bhsim.games.skirmish import new_game
from bhsim.games.skirmish.engine import cache
from bhsim.games.skirmish.game import GAME
GAME.warmup()
game = new_game()
while not game.over:
    game.apply(game.decisions()[-1])
print(cache.folder())
"""


def functions(path: Path) -> list[ast.FunctionDef]:
    """Functions of a module, those under a module-level ``if`` too, but not those inside functions."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    inside = [n for node in body if isinstance(node, ast.If) for n in (*node.body, *node.orelse)]
    return [node for node in (*body, *inside) if isinstance(node, ast.FunctionDef)]


def decorators(function: ast.FunctionDef) -> list[str]:
    return [ast.unparse(d) for d in function.decorator_list]


@pytest.mark.parametrize("path", MODULES, ids=[p.stem for p in MODULES])
def test_kernels_come_from_the_project_decorators(path):
    """Only jit.py may compile: options and cache folder of every kernel are its business."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    names |= {alias.name for n in nodes if isinstance(n, ast.ImportFrom) for alias in n.names}
    modules = {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
    modules |= {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    assert not names & JITS
    assert path.stem in MAY_USE_NUMBA or not any(m.split(".")[0] == "numba" for m in modules if m)


def test_the_list_of_kernels_is_not_empty():
    made = [d for path in MODULES for f in functions(path) for d in decorators(f)]
    assert made.count("inner") > 100 and made.count("kernel") >= 4


@pytest.mark.parametrize("path", MODULES, ids=[p.stem for p in MODULES])
def test_no_engine_module_uses_a_random_state_or_the_clock(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    assert not any(re.match(r"(np|numpy)\.random\b", name) for name in used)
    clock = set() if path.stem == "cache" else {"time"}  # the cache looks at the age of its own folders; no kernel is in it
    assert not imported & ({"random", "secrets"} | clock)


@pytest.fixture(scope="module")
def compiled():
    """Compiled functions by module and name, with how many signatures each has: the cache keeps a file for each."""
    done = subprocess.run([sys.executable, "-c", COMPILE], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.split()[-1])
    files = [re.fullmatch(r"(\w+\.\w+)-\d+\.py\d+\w*\.(\d+)\.nbc", path.name) for path in folder.glob("engine_*/*.nbc")]
    return Counter(found.group(1) for found in files)


@pytest.mark.slow
def test_every_kernel_has_one_signature(compiled):
    assert {"block.play_keys", "play.start", "play.legal", "play.apply"} <= set(compiled)
    assert {name: n for name, n in compiled.items() if n != 1} == {}


@pytest.mark.slow
def test_every_inner_kernel_is_reached(compiled):
    """What no kernel calls was never compiled, so nothing tests it."""
    inner = {f"{path.stem}.{f.name}" for path in MODULES for f in functions(path) if decorators(f) == ["inner"]}
    assert inner - set(compiled) == set()
