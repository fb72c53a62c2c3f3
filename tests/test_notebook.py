"""The notebook and the page on the Python interface run as they stand, and the notebook shows what came out."""

import base64
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import bhsim
import bhsim.api

DOCS = Path(__file__).parents[1] / "docs"
MORNING = DOCS / "morning.ipynb"
PAGE = (DOCS / "api.md").read_text(encoding="utf-8")

spec = importlib.util.spec_from_file_location("run_notebook", DOCS / "run_notebook.py")
notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebooks)


def texts(outputs):
    """What a cell printed or answered as text."""
    return ["".join(o["text"] if o["output_type"] == "stream" else o["data"]["text/plain"]) for o in outputs]


@pytest.mark.slow
def test_the_notebook_runs_and_shows_what_came_out(tmp_path):
    notebook = notebooks.read(MORNING)
    cells = {c["id"]: c for c in notebook["cells"] if c["cell_type"] == "code"}
    found = dict(zip(cells, notebooks.run(notebook, tmp_path), strict=True))
    shown = {name: texts(cell["outputs"]) for name, cell in cells.items()}
    assert {name: texts(outputs) for name, outputs in found.items()} == shown, "`python docs/run_notebook.py docs/morning.ipynb` renews it"
    assert "CheckResult: moved" in shown["baseline"][0]
    assert "CheckResult: unchanged" in shown["gate"][0]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["baseline", "quick_gh0st.toml"]
    assert found["matters"][0]["data"].keys() == cells["matters"]["outputs"][0]["data"].keys()


def test_the_notebook_holds_pictures_and_nothing_of_the_machine():
    text = MORNING.read_text(encoding="utf-8")
    images = [
        o["data"]["image/png"] for c in notebooks.read(MORNING)["cells"] for o in c.get("outputs", []) if "image/png" in o.get("data", {})
    ]
    assert len(images) == 2
    assert all(base64.b64decode(image).startswith(b"\x89PNG") for image in images)
    assert len(text) < 250_000
    assert not re.search(r"/(home|root|tmp|work|Users)/|games/s|seconds", text)


def test_outputs_of_a_cell():
    cells = [{"cell_type": "code", "source": ["x = 3\n", "print(x)\n", "x + 1"]}, {"cell_type": "markdown", "source": ["text"]}]
    notebook = {"cells": cells, "nbformat": 4}
    outputs = notebooks.run(notebook, DOCS)
    assert texts(outputs[0]) == ["3\n", "4"]
    assert notebooks.filled(notebook, outputs)["cells"][0]["outputs"] == outputs[0]


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scope = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL):
        exec(block, scope)
    assert list(scope["rates"]) == [1, 2, 3]
    assert scope["figure"].axes
    assert "did you mean 'purple'" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [n for n in bhsim.__all__ if n not in ("BadInput", "__version__")])
def test_the_page_names_every_function_argument_and_attribute(name):
    function = getattr(bhsim, name)
    said = set(re.findall(r"`(\w+)`", PAGE))
    named = {p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY} - {"rows"}
    assert named <= said
    result = getattr(bhsim.api, function.__annotations__["return"])
    assert f"`{name}({'spec' if name in ('sweep', 'sensitivity') else ''}" in PAGE
    own = {a for a in [*result.__dataclass_fields__, *vars(result)] if not a.startswith("_")}
    assert own - {"run", "found", "comparison", "gate", "results", "pilot", "power", "game", "plot", "frame"} <= said | {"frame"}
