"""The report of a run: complete, the same bytes for the same run, self-contained."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest
from matplotlib.text import Text
from test_lab_sweep import SPEC, run

from bhsim.errors import BadInput
from bhsim.games.game import Distribution
from bhsim.lab import store
from bhsim.report.figures import inline_svg
from bhsim.report.page import build, write_report
from bhsim.report.plots import shortened

ONE = {**SPEC, "axes": [SPEC["axes"][0]], "games": 200}
PLAIN = {**SPEC, "axes": [], "opponents": ["40"], "games": 200}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("runs")
    return {name: run(base / name, spec) for name, spec in {"two": {**SPEC, "games": 200}, "one": ONE, "plain": PLAIN}.items()}


def test_plots_of_each_kind_of_run(folders):
    names = {kind: [p.name for s in build(folder).sections for p in s.plots] for kind, folder in folders.items()}
    assert names["plain"] == ["rates", "points", "rounds", "margins", "tempo", "runners"]
    assert [n for n in names["two"] if n.startswith("heat")] == ["heat-map", "heat-map-1"]
    assert names["one"][:2] == ["rates", "curve"]
    assert sum(n.endswith("runners") for n in names["two"]) == 3


def plots_of(folder):
    return {p.name: p for s in build(folder).sections for p in s.plots}


def texts(plot):
    """What is written in a plot."""
    return [text.get_text() for text in plot.image.figure.findobj(lambda part: isinstance(part, Text)) if text.get_text()]


def test_heat_maps_of_a_report_share_their_scale(folders):
    maps = [p for name, p in plots_of(folders["two"]).items() if name.startswith("heat")]
    scales = {p.image.figure.axes[0].images[0].get_clim() for p in maps}
    assert len(maps) == 2
    assert len(scales) == 1
    (ends,) = scales
    assert ends[0] + ends[1] == 100


def test_all_against_all_is_drawn_both_ways(tmp_path):
    pool = {k: v for k, v in PLAIN.items() if k not in ("crew", "opponents")} | {"crews": ["60", "40", "50"]}
    drawn = plots_of(run(tmp_path / "plain", pool))
    grid = drawn["heat-map"].image.figure.axes[0].images[0].get_array()
    assert np.ma.getmaskarray(grid).diagonal().all()
    assert np.allclose((grid + grid.T).compressed(), 100)
    assert grid[0, 1] > 50 > grid[1, 0]
    along = plots_of(run(tmp_path / "axis", {**pool, "axes": ONE["axes"]}))
    assert along["crews"].alt == "Mean win rate against all others along edge"
    assert {"60", "40", "50", "crew", "edge"} <= set(texts(along["crews"]))
    assert "crew - opponent" in texts(along["curve"])


def test_limits_of_crews_stand_in_the_head_where_crews_are_judged(folders, tmp_path):
    pool = {k: v for k, v in PLAIN.items() if k not in ("crew", "opponents")} | {"crews": ["60", "40", "50"]}
    heads = [dict(build(folder).facts)["limits"] for folder in (run(tmp_path / "pool", pool), folders["one"])]
    assert re.fullmatch(r"contest \S+ to \S+ %, crew 48 to 52 %, first player 47 to 53 %, difference 2 points", heads[0])
    assert "first player" in heads[1] and "crew" not in heads[1]


def test_axes_that_move_together_are_both_named(tmp_path):
    spec = {**PLAIN, "design": "zip", "axes": [{"path": "edge", "values": [0, 10]}, {"path": "draw", "values": [5, 25]}]}
    assert {"edge\ndraw", "0\n5", "10\n25"} <= set(texts(plots_of(run(tmp_path / "zip", spec))["curve"]))


def test_points_drawn_by_lot_are_drawn_along_each_axis_and_have_no_base(tmp_path):
    axes = [{"path": "edge", "range": [0, 30]}, {"path": "draw", "range": [0, 30]}, {"crew": ["60", "70"]}]
    spec = {k: v for k, v in PLAIN.items() if k != "crew"} | {"design": "latin", "points": 8, "axes": axes}
    folder = run(tmp_path / "lot", spec)
    (panels,) = [p.image.figure.axes for name, p in plots_of(folder).items() if name.startswith("scatter")]
    assert [p.get_xlabel() for p in panels if p.get_visible()] == ["edge", "draw", "crew a"]
    places = sorted(float(c.setting["edge"]) for c in folder.contests)
    assert sorted(panels[0].containers[0].lines[0].get_xdata()) == places
    assert "difference" in pl.read_parquet(folder.path / "contests.parquet").columns
    assert pl.read_parquet(folder.path / "contests.parquet")["difference"].is_null().all()
    chosen = {**spec, "base": {"edge": int(folder.contests[2].setting["edge"])}}
    assert pl.read_parquet(run(tmp_path / "base", chosen).path / "contests.parquet")["difference"].null_count() == 1


def test_report_has_no_dates_and_repeats_itself(folders):
    folder = folders["plain"]
    first = {p: p.read_bytes() for p in write_report(folder)}
    again = {p: p.read_bytes() for p in write_report(store.open_folder(folder.path))}
    assert first == again
    assert {p.suffix for p in first} == {".svg", ".png", ".md", ".html"}
    for path, data in first.items():
        if path.suffix == ".svg":
            assert b"<dc:date>" not in data
            ET.fromstring(data)


def test_html_stands_alone_and_marks_house_values(folders):
    folder = folders["plain"]
    write_report(folder)
    html = (folder.path / "report.html").read_text()
    assert "House values" in html
    assert html.count("<svg") == 6
    assert not re.search(r'(src|href)="(?!#)', html)
    assert "currentColor" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    for used in re.findall(r"url\(#([^)]+)\)", html):
        assert used in ids
    assert "bhsim sweep coins.toml" in html
    assert "200 games in 100 pairs" in html


def test_markdown_tables_are_even(folders):
    folder = folders["two"]
    write_report(folder)
    text = (folder.path / "report.md").read_text()
    assert "\n\n\n" not in text
    for link in re.findall(r"\]\((plots/[^)]+)\)", text):
        assert (folder.path / link).exists()
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        assert len({line.count("|") for line in block.splitlines()}) == 1
        assert re.fullmatch(r"\|(-+:?\|)+", block.splitlines()[1])


def test_unfinished_run_is_refused(tmp_path):
    def stop(games):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "r", PLAIN, threads=1, block=10, progress=stop)
    with pytest.raises(BadInput, match="no contest"):
        build(store.open_folder(tmp_path / "r"))


def test_distribution_quantiles():
    d = Distribution("t", "u", np.arange(1, 5), np.array([1, 1, 1, 1]))
    assert [d.quantile(q) for q in (0.05, 0.25, 0.5, 0.51, 0.95, 1.0)] == [1, 1, 2, 3, 4, 4]
    assert d.mean() == 2.5


def test_inline_svg_gets_its_own_ids():
    svg = b'<?xml version="1.0"?><svg width="5" viewBox="0 0 1 1"><g id="a"/><use xlink:href="#a" clip-path="url(#a)"/></svg>'
    found = inline_svg(svg, "p", 'x "y"')
    assert found.startswith('<svg viewBox="0 0 1 1" role="img" aria-label="x &quot;y&quot;">')
    assert 'id="p-a"' in found
    assert 'href="#p-a"' in found
    assert "url(#p-a)" in found


def test_long_labels_are_cut_in_the_middle():
    assert shortened("short") == "short"
    assert len(shortened("x" * 100)) <= 34
