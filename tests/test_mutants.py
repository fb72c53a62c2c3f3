"""The list of deliberate errors fits the engine as it is now; trying them all is ``make mutants``."""

from __future__ import annotations

import ast

import pytest

from benchmarks import mutants


def test_there_are_enough_and_each_is_named_once():
    for suite in mutants.SUITES.values():
        names = [m.name for m in suite.mutants]
        assert len(set(names)) == len(names) >= 32
        assert all(name.replace("-", "").replace(" ", "").isalnum() for name in names)


@pytest.mark.parametrize("game", mutants.SUITES)
def test_each_changes_its_module_and_leaves_it_readable(game):
    """An error that no longer fits proves nothing, and one that Python cannot read is caught by any test."""
    suite = mutants.SUITES[game]
    for mutant in suite.mutants:
        source = (mutants.ROOT / suite.engine / f"{mutant.module}.py").read_text(encoding="utf-8")
        changed = mutants.mutated(source, mutant)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), mutant.name


def test_a_text_that_is_not_there_once_is_refused():
    stray = mutants.mutant("stray", "SK-1.1", "play", "x = 1", "x = 2")
    with pytest.raises(mutants.Misfit, match="2 times"):
        mutants.mutated("x = 1\nx = 1\n", stray)
    with pytest.raises(mutants.Misfit, match="0 times"):
        mutants.mutated("", stray)


def test_the_table_names_survivors():
    one, two = mutants.MUTANTS[:2]
    found = mutants.table([mutants.Verdict(one, "test_x.py::test_y[kernel]", 1.0), mutants.Verdict(two, None, 2.0)])
    assert f"| {one.name} | {one.rule} | {one.module} | `test_x.py::test_y[kernel]` |" in found
    assert f"| {two.name} | {two.rule} | {two.module} | **nothing** |" in found
    page = mutants.insert("# Page\n<!-- mutants -->\nold\n<!-- end of mutants -->\nend\n", found)
    assert page == f"# Page\n<!-- mutants -->\n{found}\n<!-- end of mutants -->\nend\n"
    with pytest.raises(SystemExit, match="marks"):
        mutants.insert("# Page\n", found)
