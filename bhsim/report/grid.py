"""What reports are made of: sections, plots and tables of text; and the words for numbers, here and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bhsim.games.game import Side
from bhsim.lab.contest import Contest
from bhsim.report.figures import Image
from bhsim.stats.intervals import ScoreInterval
from bhsim.stats.paired import Difference


@dataclass(frozen=True)
class Grid:
    """A table of text. numeric: which columns are set flush right."""

    caption: str
    head: list[str]
    rows: list[list[str]]
    numeric: list[bool]
    note: str = ""


@dataclass(frozen=True)
class Plot:
    """A plot under its file name, with the words for who cannot see it; drawn when it is first looked at."""

    name: str
    alt: str
    draw: Callable[[], Image]

    @cached_property
    def image(self) -> Image:
        """The plot, drawn."""
        return self.draw()


@dataclass
class Section:
    """A heading and what stands under it."""

    title: str
    text: list[str] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


def plots_in(sections: Sequence[Section]) -> list[Plot]:
    """Every plot of some sections, in their order."""
    return [plot for section in sections for plot in section.plots]


def deals_text(contest: Contest) -> str:
    """How many deals of luck were played, in all seatings."""
    return f"{contest.keys:,} pairs" if contest.seatings == 2 else f"{contest.keys:,} keys of {contest.seatings} seatings"


def side_columns(sides: Sequence[Side]) -> tuple[str, ...]:
    """What tells sides apart: crew, deck and bot, or the bot alone in a game without crews."""
    return ("crew", "deck", "bot") if any(side.who for side in sides) else ("bot",)


def percent(share: float, digits: int = 2) -> str:
    """A share as percent."""
    return f"{100 * share:.{digits}f} %"


def ends_text(low: float, high: float) -> str:
    """Ends of an interval in percent."""
    return f"{100 * low:.2f} to {100 * high:.2f}"


def signed_ends(low: float, high: float) -> str:
    """Ends of the interval of a difference in percent points."""
    return f"{100 * low:+.2f} to {100 * high:+.2f}"


def interval_text(score: ScoreInterval) -> str:
    """Ends of an interval in percent, or why there is none."""
    return "exact by construction" if score.exact else ends_text(score.low, score.high)


def gap_texts(gap: Difference | None) -> list[str]:
    """A difference from the base and its interval, in percent points."""
    if gap is None:
        return ["base", ""]
    return [f"{100 * gap.mean:+.2f}", "exact: the same games" if gap.identical else signed_ends(gap.low, gap.high)]
