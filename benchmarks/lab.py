"""What the lab costs over the bare kernel, what a sweep weighs, and whether its bytes survive being killed, stopped and spread.

Prints tables, or with ``--json`` the same figures as JSON. Needs Linux or macOS and the extra ``bhsim[cluster]``. Close other programs
first: nothing here corrects for what they take. Ends with exit code 1 when two runs that must be equal are not.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from benchmarks.run import ROOT, machine, run_bhsim, show
from bhsim.games.skirmish.game import GAME
from bhsim.lab import carry, store
from bhsim.lab.contest import Contest
from bhsim.lab.executors import BLOCK_KEYS, play_block
from bhsim.lab.sweep import contests_of, parse_spec

SPEC = """name = "lab"
games = {games}
crew = "purple"
opponents = ["green"]

[[axes]]
path = "runners.gh0st.attack"
values = {first}

[[axes]]
path = "runners.wee_rin.attack"
values = {second}
"""
ATTACKS = 10  # values of the first axis
PARTS = ("overhead", "memory", "killed", "executors")


def axes(contests: int) -> tuple[list[int], list[int]]:
    """Two axes whose grid has so many contests, rounded down to whole tens from ten on."""
    return (list(range(1, min(contests, ATTACKS) + 1)), list(range(1, max(1, contests // ATTACKS) + 1)))


def spec_text(contests: int, games: int) -> str:
    """A sweep of so many contests and games a contest."""
    first, second = axes(contests)
    return SPEC.format(games=games, first=first, second=second)


def spec_data(contests: int, games: int) -> dict[str, Any]:
    """The same as data."""
    first, second = axes(contests)
    both = [{"path": "runners.gh0st.attack", "values": first}, {"path": "runners.wee_rin.attack", "values": second}]
    return {"name": "lab", "games": games, "crew": "purple", "opponents": ["green"], "axes": both}


def bare_seconds(contests: Sequence[Contest], threads: int) -> float:
    """Nothing but the kernel on so many threads: tables ready, results dropped."""
    jobs = []
    for contest in contests:
        tables = GAME.compile(contest.bundle)
        sides = GAME.pack(tables, contest.bundle, contest.sides)
        jobs += [(tables, sides, first, min(BLOCK_KEYS, contest.keys - first)) for first in range(0, contest.keys, BLOCK_KEYS)]
    with ThreadPoolExecutor(threads) as pool:
        started = time.perf_counter()
        for done in [pool.submit(play_block, GAME, tables, sides, 2, 1, first, keys, False) for tables, sides, first, keys in jobs]:
            done.result()
        return time.perf_counter() - started


def lab_seconds(data: dict[str, Any], threads: int, out: Path) -> float:
    """The whole way from a spec to a closed run folder: contests, digests, tables, play, units, derived tables."""
    started = time.perf_counter()
    spec = parse_spec(data)
    contests = contests_of(spec, GAME)
    manifest = store.manifest_of(spec.name, "sweep", contests, spec.seed, spec.model_dump(mode="json"), "")
    carry.run(store.create(out, manifest, contests, False), spec.seed, threads)
    return time.perf_counter() - started


def overhead(contests: int, games: int, threads: Sequence[int], repeats: int, folder: Path) -> list[dict[str, Any]]:
    """Games a second of bare kernel and lab by threads, each the best of ``repeats`` that take turns, and the lab's share of its time."""
    GAME.warmup()
    data = spec_data(contests, games)
    built = contests_of(parse_spec(data), GAME)
    total = sum(c.games for c in built)
    bare_seconds(built[:1], 1)
    lab_seconds(spec_data(1, 100), 1, folder / "first")  # imports that a process does once
    rows = []
    for count in threads:
        pairs = [(bare_seconds(built, count), lab_seconds(data, count, folder / f"t{count}-{n}")) for n in range(repeats)]
        bare, lab = (min(column) for column in zip(*pairs, strict=True))
        rows.append(
            {
                "threads": count, "contests": len(built), "games": total, "bare_games_per_second": round(total / bare),
                "lab_games_per_second": round(total / lab), "overhead_percent": round(100 * (lab - bare) / lab, 2),
            }
        )  # fmt: skip
    return rows


def memory(contests: int, games: int, folder: Path) -> list[dict[str, Any]]:
    """Peak memory of a sweep, and of one with ten times the games."""
    rows = []
    for times in (1, 10):
        spec = folder / f"memory-{times}.toml"
        spec.write_text(spec_text(contests, times * games))
        done = run_bhsim(["sweep", str(spec), "--out", str(folder / f"memory-{times}")])
        rows.append({"contests": contests, "games_per_contest": times * games, "seconds": done["seconds"], "peak_mb": done["peak_mb"]})
    return rows


def sweep_command(spec: Path, out: Path, *options: str) -> list[str]:
    """A sweep as a process of its own."""
    return [sys.executable, "-m", "bhsim", "sweep", str(spec), "--out", str(out), *options]


def finish(command: Sequence[str]) -> None:
    """Runs a command to its end; the benchmark stops if that is not a good one."""
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {done.returncode}:\n{done.stderr}")


def environment() -> dict[str, str]:
    """So that child processes find this very package."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def interrupted(command: Sequence[str], out: Path, units: int, strike: Callable[[subprocess.Popen], None]) -> tuple[int, int]:
    """Starts a sweep and strikes it once so many units are stored; units stored when it was struck, and its exit code."""
    process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while stored(out) < units:
        if process.poll() is not None:
            raise SystemExit(f"{' '.join(command)} ended before it could be struck")
        time.sleep(0.02)
    strike(process)
    return stored(out), process.wait()


def stored(out: Path) -> int:
    """Units in a run folder."""
    return len(list((out / "units").glob("*.parquet")))


def contents(out: Path) -> dict[str, Any]:
    """Every file of a run folder by its bytes; of the manifest, all but its times."""
    found: dict[str, Any] = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    manifest = json.loads(found["run.json"])
    del manifest["times"]
    return {**found, "run.json": json.dumps(manifest)}


def kill_worker(process: subprocess.Popen) -> None:
    """Kills one of the worker processes that a sweep has started."""
    children = [child for child in psutil.Process(process.pid).children(recursive=True) if "spawn_main" in " ".join(child.cmdline())]
    children[0].send_signal(signal.SIGKILL)


def killed(contests: int, games: int, folder: Path) -> list[dict[str, Any]]:
    """A sweep killed half-way by SIGKILL and resumed, against an unbroken one."""
    spec = folder / "killed.toml"
    spec.write_text(spec_text(contests, games))
    whole, broken = folder / "whole", folder / "broken"
    finish(sweep_command(spec, whole))
    units, code = interrupted(sweep_command(spec, broken), broken, stored(whole) // 2, subprocess.Popen.kill)
    if code != -signal.SIGKILL:
        raise SystemExit("the sweep was over before it was killed")
    finish(sweep_command(spec, broken, "--resume"))
    files = contents(whole)
    return [
        {
            "contests": contests,
            "games": games,
            "units": stored(whole),
            "at_kill": units,
            "files": len(files),
            "equal": files == contents(broken),
        }
    ]


def executors(contests: int, games: int, folder: Path) -> list[dict[str, Any]]:
    """One thread, two threads, and two Dask workers of which one is killed in mid-run."""
    spec = folder / "executors.toml"
    spec.write_text(spec_text(contests, games))
    one, two, spread = (folder / name for name in ("local-1", "local-2", "dask-2"))
    finish(sweep_command(spec, one, "--threads", "1"))
    finish(sweep_command(spec, two, "--threads", "2"))
    total = stored(one)
    dask = sweep_command(spec, spread, "--executor", "dask", "--threads", "2")
    units, code = interrupted(dask, spread, max(1, total // 4), kill_worker)
    files = contents(one)
    rows = [{"executor": "local, 1 thread", "units": total, "files": len(files), "worker_killed_at": "-", "equal": True}]
    rows.append(
        {
            "executor": "local, 2 threads",
            "units": stored(two),
            "files": len(files),
            "worker_killed_at": "-",
            "equal": files == contents(two),
        }
    )
    equal = code == 0 and units < total and files == contents(spread)
    rows.append({"executor": "dask, 2 processes", "units": stored(spread), "files": len(files), "worker_killed_at": units, "equal": equal})
    return rows


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure (default all)")
    parser.add_argument("--contests", type=int, default=200, help="contests of the sweeps that are killed and spread (default %(default)s)")
    parser.add_argument("--overhead-contests", type=int, default=20, help="contests of each timed sweep (default %(default)s)")
    parser.add_argument("--memory-contests", type=int, default=4, help="contests of each weighed sweep (default %(default)s)")
    parser.add_argument("--games", type=int, default=5_000, help="games a contest (default %(default)s)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N", help="numbers of threads to time (default 1 2)")
    parser.add_argument("--repeats", type=int, default=3, help="timings of each, the best counts (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(given)


def measured(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The figures of the parts asked for, with the machine's name and versions."""
    parts = {
        "overhead": lambda: overhead(options.overhead_contests, options.games, options.threads, options.repeats, folder),
        "memory": lambda: memory(options.memory_contests, options.games, folder),
        "killed": lambda: killed(options.contests, options.games, folder),
        "executors": lambda: executors(options.contests, options.games, folder),
    }
    told = machine() | {name: version(name) for name in ("dask", "distributed")}
    return {"machine": told, **{name: parts[name]() for name in PARTS if name in options.parts}}


TITLES = {
    "overhead": "Games a second: bare kernel and lab",
    "memory": "Peak memory of a sweep",
    "killed": "Killed half-way and resumed, against an unbroken run",
    "executors": "The same sweep by three executors",
}


def main() -> None:
    """Measures and shows."""
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(options, Path(folder))
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        print("\n".join(f"{name:<11} {value}" for name, value in figures["machine"].items()))
        for name in PARTS:
            if name in figures:
                show(TITLES[name], figures[name])
    if not all(row["equal"] for name in ("killed", "executors") for row in figures.get(name, [])):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
