"""docs/sweeps.md and docs/run-folder.md say what is there."""

import re
import tomllib
from pathlib import Path

import polars as pl
import pytest
from test_lab_sweep import SPEC, run

from bhsim.lab.sweep import contests_of, parse_spec

DOCS = Path(__file__).parent.parent / "docs"
PRECISE = {k: v for k, v in SPEC.items() if k != "games"} | {"precision": 40.0, "max_games": 2000, "opponents": ["40"]}


def blocks(name, language):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / name).read_text(), re.S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run(tmp_path_factory.mktemp("docs") / "gh0st_attack", PRECISE).path


def test_the_spec_of_the_page_is_one():
    from bhsim.games.game import find

    spec, precise = (tomllib.loads(text) for text in blocks("sweeps.md", "toml"))
    assert len(contests_of(parse_spec(spec), find("skirmish"))) == 8
    without = {k: v for k, v in spec.items() if k != "games"}
    assert parse_spec(without | precise).max_games == 200_000


def test_every_key_of_a_spec_and_an_axis_is_on_the_page():
    from bhsim.lab.axis import Axis
    from bhsim.lab.spec import Limits, SweepSpec

    text = (DOCS / "sweeps.md").read_text()
    for model in (SweepSpec, Axis, Limits):
        for field in model.model_fields:
            assert re.search(rf"\b{field}\b", text), field


def test_columns_of_contests_are_those_of_the_page(folder):
    text = (DOCS / "run-folder.md").read_text()
    table = text[text.index("## contests.parquet") : text.index("## crews.parquet")]
    told = [name.strip(" `") for row in re.findall(r"^\| ([a-z].*?) \|", table, re.M) if row != "columns" for name in row.split(",")]
    columns = pl.read_parquet(folder / "contests.parquet").columns
    sides = [c for c in columns if re.search(r"_b$", c)]
    found = [c for c in columns if c not in sides]
    assert [c for c in found if not c.startswith(("axis: ", "points_flip", "points_tax"))] == [
        t for t in told if t not in ("axis: NAME", "points_SOURCE_a")
    ]
    assert {c[:-1] + "a" for c in sides} == {c for c in columns if re.fullmatch(r"(crew|deck|bot|wins|win_rate|low|high|points.*)_a", c)}


def test_the_queries_of_the_page_run_on_a_run(folder, monkeypatch):
    (folder.parent / "reports").mkdir(exist_ok=True)
    if not (folder.parent / "reports" / "gh0st_attack").exists():
        (folder.parent / "reports" / "gh0st_attack").symlink_to(folder)
    monkeypatch.chdir(folder.parent)
    rows, outcomes = blocks("run-folder.md", "python")
    exec(rows.replace("axis: runners.gh0st.attack", "axis: edge"), {})
    names = {}
    exec(outcomes, names)
    first = pl.read_parquet(folder / "contests.parquet").row(0, named=True)
    assert len(names["winners"]) >= first["games"] > 0
    assert (names["winners"][: first["games"]] == 1).sum() == first["wins_a"]
    (query,) = blocks("run-folder.md", "sql")
    columns = set(re.findall(r"\b[a-z_0-9]+\b", query.split("FROM")[0].split("SELECT")[1])) - {
        "as",
        "filename",
        "cut_off_percent",
        "100",
        "0",
    }
    assert columns <= {*first, "100", "0"}
