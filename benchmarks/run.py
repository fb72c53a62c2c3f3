"""Speed, start-up time, memory and scaling of skirmish runs on this machine.

Prints tables, and with ``--out FILE`` writes the same figures as JSON. Needs Linux or macOS (peak memory comes from the operating
system's account of each child process). Close other programs first: nothing here corrects for what they take.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from bhsim import __version__
from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.game import GAME
from bhsim.games.skirmish.tally import ROW_FIELDS, empty

ROOT = Path(__file__).resolve().parents[1]
BOTS = ("random", "racer", "brawler", "weaver", "warden", "fixer")
CREWS = ("purple", "green")
LIBRARIES = ("numba", "llvmlite", "numpy", "polars", "pydantic")
START_GAMES = 100
NO_ROWS = np.zeros((0, len(ROW_FIELDS)), np.int64)  # nothing is kept of single games


def machine() -> dict[str, Any]:
    """What the figures depend on besides the code."""
    return {
        "host": platform.node(),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "bhsim": f"{__version__}+{GAME.behaviour_version}",
        **{name: version(name) for name in LIBRARIES},
    }


def cpu_model() -> str:
    """The processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def pairings(games: int) -> list[dict[str, Any]]:
    """Every pair of bots on the starter crews, one thread, kernels warm, nothing but playing timed."""
    bundle = GAME.load(Options())
    tables = GAME.compile(bundle)
    keys = max(1, games // 2)
    rows = []
    for bots in combinations_with_replacement(BOTS, 2):
        sides = [GAME.side(bundle, SideNames(crew, None, bot), number) for number, (crew, bot) in enumerate(zip(CREWS, bots, strict=True))]
        packed, tally, outcomes = GAME.pack(tables, bundle, sides), empty(), np.zeros((2 * keys, 2), np.uint8)
        GAME.play_block(tables, packed, 1, 0, min(keys, 10), empty(), outcomes, NO_ROWS)
        started = time.perf_counter()
        GAME.play_block(tables, packed, 1, 0, keys, tally, outcomes, NO_ROWS)
        seconds = time.perf_counter() - started
        counted = {"games": int(tally["games"][0]), "turns": int(tally["turns"][0].sum()), "decisions": int(tally["decisions"][0].sum())}
        rates = {f"{name}_per_second": round(count / seconds) for name, count in counted.items()}
        rows.append({"bot_a": bots[0], "bot_b": bots[1], "seconds": round(seconds, 3), **counted, **rates})
    return rows


def run_bhsim(words: Sequence[str], cache: Path | None = None) -> dict[str, Any]:
    """One ``bhsim`` process: its wall time, its peak memory and what it printed on stdout."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache:
        env["BHSIM_CACHE_DIR"] = str(cache)
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "bhsim", *words], stdout=out, stderr=subprocess.DEVNULL, env=env, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"bhsim {' '.join(words)} ended with exit code {process.returncode}")
        out.seek(0)
        text = out.read().decode()
    in_bytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"seconds": round(seconds, 2), "peak_mb": round(in_bytes / 1e6, 1), "stdout": text}


def play_words(games: int, *more: str) -> list[str]:
    """The command line of a run."""
    return ["play", *CREWS, "--games", str(games), "--format", "json", *more]


def starts() -> list[dict[str, Any]]:
    """Wall time of whole processes: the help page, a first run that compiles, and a run with everything compiled."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        cases = {
            "bhsim --help": ["--help"],
            f"play --games {START_GAMES}, nothing compiled": play_words(START_GAMES),
            f"play --games {START_GAMES}, compiled before": play_words(START_GAMES),
        }
        return [{"process": name, "seconds": run_bhsim(words, cache)["seconds"]} for name, words in cases.items()]


def memory(counts: Sequence[int]) -> list[dict[str, Any]]:
    """Peak memory of a run by its number of games: it should not grow."""
    rows = []
    for games in counts:
        done = run_bhsim(play_words(games))
        rows.append({"games": games, "seconds": done["seconds"], "peak_mb": done["peak_mb"]})
    return rows


def scaling(games: int, threads: Sequence[int]) -> list[dict[str, Any]]:
    """Games a second by threads, as the run itself measures them."""
    rows: list[dict[str, Any]] = []
    for count in threads:
        told = json.loads(run_bhsim(play_words(games, "--threads", str(count)))["stdout"])
        rate = round(told["games_per_second"])
        first = rows[0]["games_per_second"] if rows else rate
        rows.append({"threads": count, "games": told["games"], "games_per_second": rate, "times_the_first": round(rate / first, 2)})
    return rows


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """A table on stdout."""
    texts = [[f"{v:,}" if isinstance(v, int) else str(v) for v in row.values()] for row in rows]
    header = [name.replace("_", " ") for name in rows[0]]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    print(f"\n{title}")
    for line in [header, ["-" * w for w in widths], *texts]:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4_000, help="games of each pairing of bots (default %(default)s)")
    parser.add_argument("--memory-games", type=int, nargs="+", default=[1_000, 100_000, 1_000_000], metavar="N", help="runs to weigh")
    parser.add_argument(
        "--scaling-games", type=int, default=100_000, help="games of each run with 1, 2 and 4 threads (default %(default)s)"
    )
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4], metavar="N", help="numbers of threads (default 1 2 4)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the figures as JSON")
    return parser.parse_args(given)


def main() -> None:
    """Measures and shows, one part after the other."""
    options = arguments()
    figures: dict[str, Any] = {"machine": machine()}
    print("\n".join(f"{name:<9} {value}" for name, value in figures["machine"].items()))
    figures["starts"] = starts()
    show("Start: wall time of whole processes", figures["starts"])
    GAME.warmup()
    figures["pairings"] = pairings(options.games)
    show("Pairings of bots, purple against green, one thread", figures["pairings"])
    figures["memory"] = memory(options.memory_games)
    show("Peak memory by number of games", figures["memory"])
    figures["scaling"] = scaling(options.scaling_games, options.threads)
    show("Games a second by threads", figures["scaling"])
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(figures, indent=2) + "\n")
        print(f"\nwritten to {options.out}")


if __name__ == "__main__":
    main()
