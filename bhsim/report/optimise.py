"""What a search for the best build found, as sections of a report and as what ``bhsim optimise`` prints."""

from __future__ import annotations

from functools import partial

from bhsim.lab.optimum import Optimum, goal_text, optimum_of, rate_text
from bhsim.lab.store import Folder
from bhsim.report.figures import FAINT, INK, SIDE_COLOURS, Image, canvas, saved
from bhsim.report.grid import Grid, Plot, Section, gap_texts, interval_text, percent
from bhsim.report.plots import shortened
from bhsim.stats.intervals import ScoreInterval

FAR = 3  # spans of the finalists beyond which the start is left out of their plot
MAX_OPPONENTS = 40  # rows of the plot against each of them


def optimise_sections(folder: Folder, footer: str) -> list[Section]:
    """The report of a complete run."""
    return sections(optimum_of(folder), footer)


def sections(found: Optimum, footer: str) -> list[Section]:
    """All that is to be shown."""
    best = Section("The best builds", texts(found), grids=grids(found)[:1])
    best.plots.append(Plot("optimise-finalists", "Finalists on fresh keys, with intervals", partial(finalists, found, footer)))
    against = Section("Against each opponent", [], grids=grids(found)[1:])
    against.plots.append(Plot("optimise-opponents", "Rates of the best build and of the start", partial(opponents, found, footer)))
    search = Section("The search", [search_text(found)])
    search.plots.append(Plot("optimise-search", "The search's estimates over its games", partial(course, found, footer)))
    return [best, against, search, Section("How to read this", method(found))]


def grids(found: Optimum) -> list[Grid]:
    """The builds with their values, then their rates against each opponent."""
    head = ["build", "bandwidth", goal_text(found), "interval", "games", "search said", "optimism", "gain on the start", "interval"]
    rows = []
    for build in found.builds:
        said = ["-", "-"] if build.seen.value is None else [percent(build.seen.value), f"{100 * (build.optimism or 0):+.2f}"]
        gain = ["-", "-"] if build.gain is None else gap_texts(build.gain)
        figures = [percent(build.value.mean), interval_text(build.value), f"{build.games:,}"]
        rows.append([build.name, f"{build.seen.cost} of {found.record.limit}", *figures, *said, *gain])
    together = f"The intervals hold for all {len(found.best)} finalists at once" if len(found.best) > 1 else "Intervals"
    note = f"On keys that the search never saw. {together} (95 %). Optimism: what the search said less what fresh keys show, in points."
    names = [build.name for build in found.builds]
    rates = [
        [opponent, *(f"{percent(b.rates[place].mean)} ({interval_text(b.rates[place])})" for b in found.builds)]
        for place, opponent in enumerate(found.opponents)
    ]
    each = f"{found.start.games // len(found.opponents):,} games each, 95 % interval of each alone."
    return [
        Grid("Confirmed on fresh keys", head, rows, [False] + [True] * 8, note),
        Grid("Against each opponent", ["opponent", *names], rates, [False] + [True] * len(names), each),
    ]


def texts(found: Optimum) -> list[str]:
    """What the best build is, what it changes, and what the search looked at."""
    best = found.best[0]
    lines = [f"Best: {best.name}"]
    lines += [f"{part}: {', '.join(pieces)}" for part, pieces in best.seen.words.items()]
    lines.append(f"against the start: {'; '.join(best.seen.changes) or 'nothing changes'}")
    if best.gain is not None and best.gain.low <= 0:
        lines.append("No build that was found is surely better than the start.")
    return [*lines, search_text(found)]


def search_text(found: Optimum) -> str:
    """How much was looked at."""
    record = found.record
    reach = "all there are" if record.exhaustive else "what they leave out is not ruled out"
    return f"The search played {record.games:,} games with {record.looked_at:,} builds, {reach}."


def method(found: Optimum) -> list[str]:
    """How the figures came about."""
    return [
        "The search compares builds on keys of its own. Its figure for the builds that it ends with is too good, because they were "
        "chosen for it; so they are played again on keys that it never saw, and only those figures are results.",
        f"Each interval of a value or gain has level {100 * found.level:.2f} %, so that those of all finalists hold at once in 95 "
        "of 100 runs, and that of the best one is not spoilt by its having been chosen. Gains are taken key by key on the same luck.",
        "The intervals measure chance only. How well the bots play, and numbers that were made up, are errors of another kind.",
    ]


# Plots


def course(found: Optimum, footer: str) -> Image:
    """The search's estimate of its leader, and where the middle half of what it just played lay, over its games."""
    history = found.record.history
    games = [moment.games / 1000 for moment in history]
    with canvas(3.6, footer=footer) as (figure, axes):
        low, high = ([100 * getattr(moment, end) for moment in history] for end in ("low", "high"))
        axes.fill_between(games, low, high, color=SIDE_COLOURS[0], alpha=0.18, linewidth=0, label="middle half of those just played")
        axes.plot(games, [100 * m.leader for m in history], "-o", color=SIDE_COLOURS[0], markersize=4, label="leader, as estimated")
        value = found.best[0].value
        axes.axhline(100 * value.mean, color=SIDE_COLOURS[1], linestyle="--", linewidth=1.3, label="best on fresh keys")
        axes.axhline(100 * found.start.value.mean, color=FAINT, linestyle=":", linewidth=1.6, label="start on fresh keys")
        axes.set(xlabel="thousand games of the search", ylabel=f"{goal_text(found)}, percent", title="The search")
        axes.margins(x=0.02)
        axes.grid(axis="y")
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
        return saved(figure)


def finalists(found: Optimum, footer: str) -> Image:
    """Each build on fresh keys with its interval, and what the search had said of it; a start that lies far off is only named."""
    far = _is_far(found)
    shown = list(found.best) if far else found.builds
    with canvas(1.8 + 0.36 * len(shown), footer=footer) as (figure, axes):
        if not far:
            axes.axvline(100 * found.start.value.mean, color=FAINT, linestyle=":", linewidth=1.6)
        for row, build in enumerate(shown):
            colour = INK if build is found.start else SIDE_COLOURS[0]
            _mark(axes, row, build.value, colour, "s" if build is found.start else "o")
            if build.seen.value is not None:
                axes.plot(100 * build.seen.value, row, "D", markerfacecolor="none", markeredgecolor=SIDE_COLOURS[1], markersize=7)
            text = f"{100 * build.value.mean:.2f} %  [{100 * build.value.low:.2f}, {100 * build.value.high:.2f}]"
            axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=9)
        axes.plot([], [], "o", color=SIDE_COLOURS[0], label="fresh keys, interval for all at once")
        axes.plot([], [], "D", markerfacecolor="none", markeredgecolor=SIDE_COLOURS[1], label="what the search said")
        axes.set(ylim=(len(shown) - 0.5, -0.5), xlabel=f"{goal_text(found)}, percent", title="Finalists")
        if far:
            axes.set_title(f"start: {rate_text(found.start.value)}", loc="right", fontsize=9, fontweight="normal")
        axes.set_yticks(range(len(shown)), [shortened(build.name) for build in shown])
        axes.margins(x=0.08)
        axes.grid(axis="x")
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
        return saved(figure)


def _is_far(found: Optimum) -> bool:
    """Whether the start would leave the finalists too little room to be told apart."""
    low, high = min(b.value.low for b in found.best), max(b.value.high for b in found.best)
    return found.start not in found.best and not low - FAR * (high - low) < found.start.value.mean < high + FAR * (high - low)


def opponents(found: Optimum, footer: str) -> Image:
    """The best build and the start against each opponent."""
    names = found.opponents[:MAX_OPPONENTS]
    rest = f" (the first {MAX_OPPONENTS} of {len(found.opponents)})" if len(found.opponents) > MAX_OPPONENTS else ""
    best = found.best[0]
    with canvas(1.8 + 0.42 * len(names), footer=footer) as (figure, axes):
        axes.axvline(50, color=FAINT, linestyle="--", linewidth=1.2)
        for row in range(len(names)):
            axes.plot([100 * b.rates[row].mean for b in (found.start, best)], [row, row], color=FAINT, linewidth=1)
            _mark(axes, row + 0.12, found.start.rates[row], INK, "s")
            _mark(axes, row - 0.12, best.rates[row], SIDE_COLOURS[0], "o")
            text = f"{100 * best.rates[row].mean:.1f} %, start {100 * found.start.rates[row].mean:.1f} %"
            axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=9)
        axes.plot([], [], "o", color=SIDE_COLOURS[0], label=best.name)
        axes.plot([], [], "s", color=INK, label="start")
        axes.set(ylim=(len(names) - 0.5, -0.5), xlabel="percent, with 95 % interval", title=f"Against each opponent{rest}")
        axes.set_yticks(range(len(names)), [shortened(name) for name in names])
        axes.margins(x=0.08)
        axes.grid(axis="x")
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
        return saved(figure)


def _mark(axes: object, row: float, score: ScoreInterval, colour: str, marker: str) -> None:
    mean, errors = 100 * score.mean, [[100 * (score.mean - score.low)], [100 * (score.high - score.mean)]]
    axes.errorbar(mean, row, xerr=errors, fmt=marker, color=colour, markersize=6, capsize=4, linewidth=2)  # type: ignore[attr-defined]
