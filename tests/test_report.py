"""The report of a run: complete, the same bytes for the same run, self-contained."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
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
