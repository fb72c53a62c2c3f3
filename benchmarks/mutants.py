"""Small deliberate errors in the skirmish kernels, one at a time: does the suite notice each of them?

Every mutant is a replacement of text in a copy of the package; the kernels then run as Python (NUMBA_DISABLE_JIT=1), so nothing is
compiled, and the tests stop at the first failure. Prints a table of mutants with the test that caught each; exit code 1 if one
survives, if a text to replace is not there exactly once, or if the tests fail without any error.

    python benchmarks/mutants.py [--only WORD] [--jobs N] [--out docs/proof.md]

``--out`` writes the table between the marks ``<!-- mutants -->`` and ``<!-- end of mutants -->`` of a file.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
ENGINE = Path("bhsim", "games", "skirmish", "engine")
COPIED = ("bhsim", "tests", "crews", "decks", "docs", "pyproject.toml")
TESTS = (
    "tests/test_rule_positions.py",
    "tests/test_rules_turns.py",
    "tests/test_rules_hacking.py",
    "tests/test_rules_moving.py",
    "tests/test_rules_actions.py",
    "tests/test_rules_rounds.py",
    "tests/test_rules_building.py",
    "tests/test_effects.py",
    "tests/test_golden_logs.py",
    "tests/test_kernel_modes.py",
    "tests/test_properties.py",
)
CHOSEN = "not reference and not mirror"  # what tests the kernels, and plays no bots against each other
SECONDS = 240  # for one mutant; one that makes a game endless is caught by the clock
MARKS = ("<!-- mutants -->", "<!-- end of mutants -->")


@dataclass(frozen=True)
class Mutant:
    """An error. edits: (old, new) texts of one module of the engine; each old text stands there exactly once."""

    name: str
    rule: str
    module: str
    edits: tuple[tuple[str, str], ...]


def mutant(name: str, rule: str, module: str, *texts: str) -> Mutant:
    """A mutant from old, new, old, new ..."""
    return Mutant(name, rule, module, tuple(zip(texts[::2], texts[1::2], strict=True)))


MUTANTS = (
    mutant("a hand holds seven cards", "SK-5.3", "piles", "in range(cards):", "in range(min(cards, 7 - S.n_hand[seat])):"),
    mutant("who passed is asked again", "SK-4.2", "turns", "elif S.passed[1 - seat] == 0:", "else:"),
    mutant("one turn more before only passing is legal", "SK-4.4", "turns", "return S.turn < T.max_turns", "return S.turn <= T.max_turns"),
    mutant("numbers for the turn stay", "SK-5.4", "turns", "    end_durations(S, np.int64(0))\n", ""),
    mutant("numbers for the round stay", "SK-5.4", "rounds", "    end_durations(S, np.int64(1))\n", ""),
    mutant("the next attack uses nothing up", "SK-5.4", "attack", "if S.temps_on[NEXT_ATTACK]:", "if False:"),
    mutant("woken texts of seat 0 come first", "SK-5.5", "units", "order = 0 if seat_of(g) == active else 1", "order = seat_of(g)"),
    mutant("one text more in a turn", "SK-5.5", "units", "if S.accepted >= a.MAX_TRIGGERS:", "if S.accepted > a.MAX_TRIGGERS:"),
    mutant("nodes with runners can be hacked", "SK-6.1", "picks", "return lo & ~occ_lo & ~S.lock[0], hi", "return lo & ~S.lock[0], hi"),
    mutant("locked nodes can be hacked", "SK-6.1", "picks", "return lo & ~occ_lo & ~S.lock[0], hi", "return lo & ~occ_lo, hi"),
    mutant(
        "servers can be hacked",
        "SK-6.1",
        "targets",
        "return lo & T.board[0], hi & T.board[1]",
        "return lo & (T.board[0] | T.bit[1, 0]), hi & T.board[1]",
    ),
    mutant("old locks stay at a new hack", "SK-6.2", "picks", "S.lock[0] = S.pick[0]", "S.lock[0] |= S.pick[0]"),
    mutant("connected is ignored", "SK-6.4", "picks", "if T.fx[row, tb.CONNECTED] == 0:", "if True:"),
    mutant("one group may be several", "SK-6.4", "picks", "return GROUPED if T.single_group != 0 else TOUCHING", "return TOUCHING"),
    mutant("a group of two may be opened by one", "SK-6.4", "picks", "S.pick_open = -1 if touches else node", "S.pick_open = -1"),
    mutant("up to means exactly", "SK-6.5", "picks", "done = 1 if up_to and (n <= 1 or S.pick_open < 0) else 0", "done = 0"),
    mutant("a short hack is never nothing", "SK-6.5", "picks", "return m > 0 and (m == wanted or T.short_nothing == 0)", "return m > 0"),
    mutant("one state for all although each may have its own", "SK-6.6", "picks", "return T.each_state != 0 and", "return False and"),
    mutant(
        "a node goes offline under its runner", "SK-6.8", "picks",
        "    if state == OFFLINE:\n        return lo & ~occ_lo, hi & ~occ_hi\n", "",
    ),
    mutant("locks stay at the end of the round", "SK-6.9", "rounds", "    S.lock[0] = U0\n", ""),
    mutant(
        "an exhausted runner may be activated", "SK-7.1", "play",
        "if S.on[g] == BOARD and S.ready[g] == 1 and n", "if S.on[g] == BOARD and n",
    ),
    mutant("one step more", "SK-7.2", "turns", "nm.value(T, S, g, nm.SPEED, 0),", "nm.value(T, S, g, nm.SPEED, 0) + 1,"),
    mutant("moves pass enemies", "SK-7.2", "network", "pass_lo = on_lo & ~S.occ[1 - seat, 0]", "pass_lo = on_lo"),
    mutant("moves end on allies", "SK-7.2", "network", "all_lo &= ~(S.occ[0, 0] | S.occ[1, 0])", "all_lo &= ~S.occ[1 - seat, 0]"),
    mutant("a second border is free", "SK-7.3", "network", "c_lo |= n_lo & S.mask[s, 0]", "c_lo |= n_lo"),
    mutant(
        "passives work for the disconnected", "SK-7.5", "numbers",
        "if S.on[src] == BOARD and passive_hits(T, S, row, src, g, target_carries):", "if passive_hits(T, S, row, src, g, target_carries):",
    ),
    mutant("a swap puts both on one node", "SK-7.6", "effects", "put_on(T, S, h, seat_of(h), x)", "put_on(T, S, h, seat_of(h), y)"),
    mutant("data is attacked across subnets", "SK-8.1", "targets", "if c >= 0 and mask >> c & 1:", "if c >= 0:"),
    mutant(
        "a target that left its subnet is hit", "SK-8.2", "attack",
        "S.node[attacker])\n    return has(lo, hi, S.node[g])", "S.node[attacker])\n    return True",
    ),
    mutant("flip texts come after each flip", "SK-8.2", "attack", "each = T.flip_each != 0", "each = True"),
    mutant("minimum damage is lost", "SK-8.3", "attack", "dealt = max(dealt, T.minimum_damage)", "dealt = max(dealt, 0)"),
    mutant("minimum damage of a sum of nothing", "SK-8.3", "attack", "if total >= 1:", "if total >= 0:"),
    mutant("bypasses add up", "SK-8.4", "attack", "bypass = max(bypass, S.stack[f, st.A_BYPASS])", "bypass += S.stack[f, st.A_BYPASS]"),
    mutant("own disconnects score although switched off", "SK-8.5", "units", "if side != seat or T.own_scores != 0:", "if True:"),
    mutant("attacked data has no security", "SK-8.6", "attack", "security = S.data_s[owner]", "security = 0"),
    mutant(
        "an extraction leaves the old data", "SK-8.7", "turns",
        "        units.lose_data(S, L, seat, 0)\n    S.data_c[seat] = g - seat * GROUP\n    S.data_s[seat] = T.data_signal\n",
        "        return\n    S.data_c[seat] = g - seat * GROUP\n    S.data_s[seat] = T.data_signal\n",
    ),
    mutant(
        "data passes out of the subnet", "SK-8.8", "turns",
        "nm.region(T, S, nm.IN_SUBNET, 0, node)", "nm.region(T, S, nm.IN_ANYWHERE, 0, node)",
    ),
    mutant("securing scores the sum", "SK-8.9", "turns", "best = max(best, T.card[title, 0])", "best += T.card[title, 0]"),
    mutant(
        "securing resolves flip texts", "SK-8.9", "turns",
        "        best = max(best, T.card[title, 0])\n",
        "        best = max(best, T.card[title, 0])\n"
        "        units.push_text(S, seat, g, S.node[g], 0, T.card[title, 1], T.card[title, 2], at.FLIPPED, -1, -1)\n",
    ),
    mutant("a disconnected carrier keeps its data", "SK-8.11", "units", "if S.data_c[seat] == position and T.data_kept == 0:", "if False:"),
    mutant(
        "a refill takes the cards in flight too", "SK-8.12", "piles",
        "        S.n_deck[seat] = n\n",
        "        for i in range(S.n_flight[seat]):\n            S.deck[seat, n + i] = S.flight[seat, i]\n"
        "        S.n_deck[seat] = n + S.n_flight[seat]\n        S.n_flight[seat] = 0\n",
    ),
    mutant("a deck is always refilled late", "SK-8.12", "piles", "if T.refill_late == 0:", "if False:"),
    mutant("every shuffle is the first", "SK-8.12", "piles", "first = 64 * S.shuffles[seat]", "first = 0"),
    mutant(
        "damage by effects has a minimum", "SK-8.14", "effects",
        "dealt = max(amount - W.shield[g], 0)", "dealt = max(amount - W.shield[g], 1)",
    ),
    mutant(
        "damage to data by effects meets no security", "SK-8.14", "effects",
        "security = 0 if T.fx[row, tb.PAST] else S.data_s[1 - side]", "security = 0",
    ),
    mutant("healing goes above full", "op heal", "effects", "healed = min(amount, S.printed[g, 1] - S.signal[g])", "healed = amount"),
    mutant("one seat resolves all its abilities first", "SK-9.2", "rounds", "    S.alternate = 1 - seat\n", "    S.alternate = seat\n"),
    mutant(
        "owners place their own runners", "SK-9.3", "rounds",
        "S.ask = a.PLACE\n                S.who = seat", "S.ask = a.PLACE\n                S.who = owner",
    ),
    mutant("runners return with no signal", "SK-9.3", "rounds", "    S.signal[g] = S.printed[g, 1]\n    put_on", "    put_on"),
    mutant("all heal at the refresh", "SK-9.4", "rounds", "if T.heal_refresh != 0:", "if True:"),
    mutant(
        "the second player draws first", "SK-9.5", "rounds",
        "piles.draw(T, S, W, L, S.token ^ i,", "piles.draw(T, S, W, L, 1 - S.token ^ i,",
    ),
    mutant("the token stays on equal points", "SK-9.6", "rounds", "take_token(S, L, 1 - S.token)", "take_token(S, L, S.token)"),
    mutant(
        "who leads decides on the token", "SK-9.6", "rounds",
        "0 if S.points[0] < S.points[1] else 1", "0 if S.points[0] > S.points[1] else 1",
    ),
    mutant(
        "the win test comes before disconnects", "SK-10.1", "units",
        "        hit = W.hit\n", "        win_test(T, S, L)\n        hit = W.hit\n",
        "        win_test(T, S, L)\n        W.dirty = 0\n", "        W.dirty = 0\n",
    ),
    mutant("of two winners the other one", "SK-10.2", "units", "winner = S.token", "winner = 1 - S.token"),
    mutant("one round more", "SK-10.3", "rounds", "if S.round_no >= T.max_rounds:", "if S.round_no > T.max_rounds:"),
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant. caught_by: the test that failed first, or what else ended it; None if it survived."""

    mutant: Mutant
    caught_by: str | None
    seconds: float


class Misfit(Exception):
    """A text to replace that is not in its module exactly once."""


def mutated(source: str, mutant: Mutant) -> str:
    """The module's text with the error; ``Misfit`` if the module has changed under the mutant."""
    for old, new in mutant.edits:
        if source.count(old) != 1:
            raise Misfit(f"{mutant.name}: {old!r} is {source.count(old)} times in {mutant.module}.py")
        source = source.replace(old, new)
    return source


def copy_tree(folder: Path) -> Path:
    """A copy of what the tests need."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def first_failure(folder: Path) -> str | None:
    """Runs the tests in a copy; the first one that fails, or None."""
    # No byte code: a mutant can have the size and the second of the file before it, and would be taken for it.
    plain = {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-k", CHOSEN, *TESTS]
    try:
        done = subprocess.run(command, cwd=folder, env=os.environ | plain, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    if done.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (?:tests/)?(.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return failed.group(1) if failed else f"pytest ended with exit code {done.returncode}"


def try_one(folder: Path, mutant: Mutant) -> Verdict:
    """Puts the error into the copy, runs the tests, and takes it out again."""
    file = folder / ENGINE / f"{mutant.module}.py"
    source = file.read_text(encoding="utf-8")
    begun = time.perf_counter()
    file.write_text(mutated(source, mutant), encoding="utf-8")
    try:
        return Verdict(mutant, first_failure(folder), time.perf_counter() - begun)
    finally:
        file.write_text(source, encoding="utf-8")


def try_all(mutants: Sequence[Mutant], jobs: int) -> list[Verdict]:
    """Every mutant's verdict, in order, on ``jobs`` copies of the package."""
    with tempfile.TemporaryDirectory(prefix="bhsim-mutants-") as base:
        copies: Queue[Path] = Queue()
        for number in range(jobs):
            folder = Path(base, str(number))
            folder.mkdir()
            copies.put(copy_tree(folder))
        first = copies.get()
        begun = time.perf_counter()
        if (failure := first_failure(first)) is not None:
            raise SystemExit(f"the tests fail without any error: {failure}")
        print(f"{len(mutants)} mutants; the tests take {time.perf_counter() - begun:.0f} s without one", flush=True)
        copies.put(first)

        def work(mutant: Mutant) -> Verdict:
            folder = copies.get()
            try:
                verdict = try_one(folder, mutant)
            finally:
                copies.put(folder)
            print(f"{verdict.seconds:5.0f} s  {mutant.name}: {verdict.caught_by or 'SURVIVED'}", flush=True)
            return verdict

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(work, mutants))


def table(verdicts: Sequence[Verdict]) -> str:
    """The verdicts as a Markdown table."""
    lines = ["| error | rule | module | caught by |", "| --- | --- | --- | --- |"]
    for verdict in verdicts:
        known = verdict.mutant
        caught = f"`{verdict.caught_by}`" if verdict.caught_by else "**nothing**"
        lines.append(f"| {known.name} | {known.rule} | {known.module} | {caught} |")
    return "\n".join(lines)


def insert(text: str, found: str) -> str:
    """A page with the table between its marks."""
    before, _, rest = text.partition(MARKS[0])
    _, mark, after = rest.partition(MARKS[1])
    if not mark:
        raise SystemExit(f"the file needs the marks {MARKS[0]} and {MARKS[1]}")
    return f"{before}{MARKS[0]}\n{found}\n{MARKS[1]}{after}"


def main(words: Sequence[str] | None = None) -> int:
    """Tries the mutants that the command line names; 0 if all are caught."""
    parser = argparse.ArgumentParser(description="Tries small deliberate errors in the kernels against the test suite.")
    parser.add_argument("--only", default="", help="mutants whose name has this word")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--out", type=Path, help="a page with the marks for the table")
    options = parser.parse_args(words)
    mutants = [m for m in MUTANTS if options.only in m.name]
    page = options.out.read_text(encoding="utf-8") if options.out else None
    try:
        verdicts = try_all(mutants, options.jobs)
    except Misfit as misfit:
        raise SystemExit(str(misfit)) from None
    survivors = [v.mutant.name for v in verdicts if v.caught_by is None]
    print(table(verdicts))
    print(f"{len(verdicts) - len(survivors)} of {len(verdicts)} caught" + "".join(f"\nsurvived: {name}" for name in survivors))
    if page is not None:
        options.out.write_text(insert(page, table(verdicts)), encoding="utf-8")
    return 1 if survivors or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
