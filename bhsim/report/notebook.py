"""Tables of text as HTML, for results that a notebook shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bhsim.report.grid import Grid

RIGHT = ' style="text-align: right"'


def grids_html(grids: Sequence[Grid], facts: Sequence[str] = ()) -> str:
    """Tables, each with its note, and small print below them all."""
    parts = [_table(grid) + (f"<p>{escape(grid.note)}</p>" if grid.note else "") for grid in grids]
    return "\n".join([*parts, f"<p><small>{escape(' · '.join(facts))}</small></p>"] if facts else parts)


def _table(grid: Grid) -> str:
    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    body = "".join(_row(row, grid, "td") for row in grid.rows)
    return f"<table>{caption}<thead>{_row(grid.head, grid, 'th')}</thead><tbody>{body}</tbody></table>"


def _row(cells: Sequence[str], grid: Grid, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}{RIGHT if n else ''}>{escape(c)}</{tag}>" for c, n in zip(cells, grid.numeric, strict=True)) + "</tr>"
