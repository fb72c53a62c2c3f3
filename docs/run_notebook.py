"""Runs a notebook of this folder without Jupyter and writes its outputs into it: ``python docs/run_notebook.py docs/morning.ipynb``.

All code cells run in one namespace, in a new folder of their own. What a cell prints and the value of its last line become its outputs, in
the forms that Jupyter would ask the value for.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

FORMS = (("_repr_html_", "text/html"), ("_repr_png_", "image/png"))


def read(path: Path) -> dict[str, Any]:
    """A notebook's JSON."""
    return json.loads(path.read_text(encoding="utf-8"))


def run(notebook: dict[str, Any], folder: Path) -> list[list[dict[str, Any]]]:
    """Outputs of each code cell in order, run with ``folder`` as the working directory. Raises what a cell raises."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    os.chdir(folder)
    try:
        cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
        return [_outputs("".join(c["source"]), scope, number) for number, c in enumerate(cells, 1)]
    finally:
        os.chdir(before)


def filled(notebook: dict[str, Any], outputs: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """The notebook with these outputs."""
    left = iter(enumerate(outputs, 1))
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number, found = next(left)
            cell = cell | {"execution_count": number, "outputs": found}
        cells.append(cell)
    return notebook | {"cells": cells}


def _outputs(source: str, scope: dict[str, Any], number: int) -> list[dict[str, Any]]:
    body = ast.parse(source)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(body, f"cell {number}", "exec"), scope)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), scope)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        found.append({"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": _forms(value)})
    return found


def _forms(value: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    for method, kind in FORMS:
        made = getattr(value, method, lambda: None)()  # a method may also say None: not in this form
        if made is not None:
            data[kind] = base64.b64encode(made).decode() if isinstance(made, bytes) else made.splitlines(keepends=True)
    return data


def main(path: Path) -> None:
    """Runs the notebook and replaces its outputs."""
    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder:
        outputs = run(notebook, Path(folder))
    path.write_text(json.dumps(filled(notebook, outputs), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
