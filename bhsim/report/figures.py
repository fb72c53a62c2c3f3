"""How every plot looks and is saved: colours that a colour-blind reader can tell apart, and bytes that depend on the numbers only."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

# Blue and orange-red stay apart in every common kind of colour blindness and in grey; markers and order tell sides apart as well.
SIDE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SOURCE_COLOURS = ("#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#999999")
SOURCE_HATCHES = ("", "//", "..", "xx", "--")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")  # one more than there are sides
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
INK = "#2b2b2b"  # text and axes; follows the page's colour when a plot is set into HTML
PAPER = "#fefefe"  # becomes transparent there
FAINT = "#8a8a8a"
WIDTH = 8.0  # inches

_STYLE = {
    "svg.hashsalt": "bhsim",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "figure.facecolor": PAPER,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": FAINT,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "hatch.linewidth": 0.5,
}


class Image(dict[str, bytes]):
    """A drawn plot as {"svg": bytes, "png": bytes}, and ``figure``: the matplotlib Figure itself."""

    def __init__(self, svg: bytes, png: bytes, figure: Any) -> None:
        super().__init__(svg=svg, png=png)
        self.figure = figure


@contextmanager
def canvas(height: float, columns: int = 1, rows: int = 1, footer: str = "", **options: Any) -> Iterator[tuple[Any, Any]]:
    """A figure of the project's width and its axes; ``height`` in inches. footer: small print below, such as "house values"."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, **options)
        if footer:
            figure.supxlabel(footer, fontsize=8, color=FAINT, x=0.99, ha="right")
        yield figure, axes


def saved(figure: Any) -> Image:
    """The figure with its bytes, without dates or names of programs. Call inside ``canvas``."""
    svg = io.BytesIO()
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    figure._repr_png_ = partial(_png, figure)  # a notebook shows it so, whether or not pyplot was imported
    return Image(svg.getvalue(), _png(figure), figure)


def _png(figure: Any) -> bytes:
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=110, metadata={"Software": None})
    return png.getvalue()


def inline_svg(svg: bytes, prefix: str, title: str) -> str:
    """An SVG to be set into a page: no XML head, ids of its own, ink in the page's colour, no paper, a title for screen readers."""
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)
    text = re.sub(r'(xlink:href|href)="#([^"]+)"', rf'\1="#{prefix}-\2"', text)
    text = text.replace(INK, "currentColor").replace(PAPER, "none")
    head_end = text.index(">")
    head = re.sub(r' (width|height)="[^"]*"', "", text[:head_end])
    return f'{head} role="img" aria-label="{_escaped(title)}"{text[head_end:]}'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
