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
GAMES = ROOT / "bhsim" / "games"
MODULES = sorted(path for path in GAMES.glob("**/engine/*.py") if path != GAMES / "engine" / "jit.py")
NAMES = [f"{path.parents[1].name}-{path.stem}" for path in MODULES]
MAY_USE_NUMBA = {"bits", "warm"}  # bits: machine instructions as intrinsics; warm: types of the arguments
JITS = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass", "overload"}
PLAY = {
    "skirmish": """
from bhsim.games.skirmish import new_game
game = new_game()
while not game.over:
    game.apply(game.decisions()[-1])
""",
    "tricks": """
from bhsim.games.game import Options
from bhsim.games.tricks.lockstep import source_of
from bhsim.games.tricks.driver import KernelGame
game = KernelGame(source_of(Options())(0), 1, 0)
while not game.over:
    assert game.bot_decision() in game.legal()
    game.apply(game.legal()[0])
""",
}
COMPILE = """
from bhsim.games.engine import jit
from bhsim.games.{game}.engine.jit import CACHE
from bhsim.games.{game}.game import GAME
GAME.warmup()
{play}
print(jit.CACHE.folder(), CACHE.folder(), sep="\\n")
"""


def functions(path: Path) -> list[ast.FunctionDef]:
    """Functions of a module, those under a module-level ``if`` too, but not those inside functions."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    inside = [n for node in body if isinstance(node, ast.If) for n in (*node.body, *node.orelse)]
    return [node for node in (*body, *inside) if isinstance(node, ast.FunctionDef)]


def decorators(function: ast.FunctionDef) -> list[str]:
    return [ast.unparse(d) for d in function.decorator_list]


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
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


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_no_engine_module_uses_a_random_state_or_the_clock(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    assert not any(re.match(r"(np|numpy)\.random\b", name) for name in used)
    clock = set() if path.stem == "cache" else {"time"}  # the cache looks at the age of its own folders; no kernel is in it
    assert not imported & ({"random", "secrets"} | clock)


@pytest.fixture(scope="module", params=list(PLAY))
def compiled(request):
    """Game, and its compiled functions by module and name, with how many signatures each has: the cache keeps a file for each."""
    code = COMPILE.format(game=request.param, play=PLAY[request.param])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    files = [path.name for folder in done.stdout.split()[-2:] for path in Path(folder).glob("engine_*/*.nbc")]
    found = [re.fullmatch(r"(\w+\.\w+)-\d+\.py\d+\w*\.(\d+)\.nbc", name) for name in files]
    return request.param, Counter(match.group(1) for match in found)


@pytest.mark.slow
def test_every_kernel_has_one_signature(compiled):
    _, signatures = compiled
    assert {"block.play_keys", "play.start", "play.legal", "play.apply"} <= set(signatures)
    assert {name: n for name, n in signatures.items() if n != 1} == {}


@pytest.mark.slow
def test_every_inner_kernel_is_reached(compiled):
    """What no kernel calls was never compiled, so nothing tests it."""
    game, signatures = compiled
    own = [path for path in MODULES if path.parents[1].name == game]
    inner = {f"{path.stem}.{f.name}" for path in own for f in functions(path) if decorators(f) == ["inner"]}
    assert inner - set(signatures) == set()
