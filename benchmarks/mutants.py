"""Small deliberate errors in the kernels of a game, one at a time: does the suite notice each of them?

Every mutant is a replacement of text in a copy of the package; the kernels then run as Python (NUMBA_DISABLE_JIT=1), so nothing is
compiled, and the tests stop at the first failure. Prints a table of mutants with the test that caught each; exit code 1 if one
survives, if a text to replace is not there exactly once, or if the tests fail without any error.

    python benchmarks/mutants.py [--game tricks] [--only WORD] [--jobs N] [--out docs/proof.md]

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
COPIED = ("bhsim", "tests", "crews", "decks", "docs", "pyproject.toml")
SECONDS = 240  # for one mutant; one that makes a game endless is caught by the clock
MARKS = ("<!-- mutants -->", "<!-- end of mutants -->")


@dataclass(frozen=True)
class Mutant:
    """An error. edits: (old, new) texts of one module of the engine; each old text stands there exactly once."""

    name: str
    rule: str
    module: str
    edits: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Suite:
    """The errors of one game. engine: the folder of its kernels. tests, chosen: files, and what pytest's -k takes of them."""

    engine: Path
    tests: tuple[str, ...]
    chosen: str
    mutants: tuple[Mutant, ...]


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


OF_TRICKS = (
    mutant("the deck of a later round is that of the first", "TR-2.1", "cards", "first = a.DRAWS_PER_SHUFFLE * r", "first = 0"),
    mutant("the hat always comes on top", "TR-2.2", "cards", "if seat == S.holder and T.hat_in_hand != 0:", "if False:"),
    mutant("the holder leads", "TR-2.3", "cards", "S.leader = S.holder - 1 if S.holder > 0 else S.players - 1", "S.leader = S.holder"),
    mutant("jokers alone have any rank", "TR-3.3", "cards", "lone = T.joker_rank == 0 or T.joker_rank == rank  #", "lone = True  #"),
    mutant("the hat may always be alone", "TR-3.2", "cards", "return T.hat_single != 0 or (", "return True or ("),
    mutant("the last hat waits", "TR-3.5", "cards", "(T.last_hat_single != 0 and S.n_hand[seat] == 1)", "False"),
    mutant("a passed lead stays with the leader", "TR-3.5", "play", "        S.leader = st.after(S, S.leader)\n", "        pass\n"),
    mutant("the winner always leads", "TR-3.4", "play", "st.after(S, S.leader) if T.lead_clockwise != 0 else S.who", "S.who"),
    mutant(
        "equal ranks do not follow", "TR-4.1", "cards",
        "        return 1\n    return S.best", "        return 1\n    return S.best + 1",
    ),
    mutant("lower sets always follow", "TR-4.4", "cards", "if T.any_rank != 0 or", "if True or"),
    mutant("the hat changes nothing for who follows", "TR-4.5", "cards", "(S.hat_in != 0 and T.any_rank_after_hat != 0)", "False"),
    mutant("jokers always make able", "TR-4.3", "cards", "(jokers == 0 or T.able != tb.ABLE_NATURAL)", "True"),
    mutant("the hat never makes able", "TR-4.3", "cards", "if T.able == tb.ABLE_ALL and n > 0:", "if False:"),
    mutant("who can follow may discard", "TR-4.3", "cards", "if able and T.free_discard == 0:", "if False:"),
    mutant(
        "the hat can be discarded", "TR-4.2", "cards",
        "    for card in range(T.ranks + 1):\n        if S.hand", "    for card in range(a.HAT + 1):\n        if S.hand",
    ),
    mutant("the first of equal sets wins", "TR-5.1", "cards", "else mine >= rank)", "else mine > rank)"),
    mutant("the first of equal low sets wins", "TR-5.2", "cards", "mine <= rank if", "mine < rank if"),
    mutant("the highest wins beside the hat", "TR-5.2", "cards", "(mine <= rank if S.hat_in != 0 else mine >= rank)", "mine >= rank"),
    mutant("discards never count", "TR-5.2", "cards", "and not (S.hat_in != 0 and S.lead_size == 1 and mine != a.JOKER)", ""),
    mutant("a discarded joker counts", "TR-5.2", "cards", " and mine != a.JOKER", ""),
    mutant(
        "jokers count for the part", "TR-5.4", "cards",
        "S.plays[0, st.P_NATURALS] if T.take_naturals != 0 else S.lead_size", "S.lead_size",
    ),
    mutant("picks may go down in rank", "TR-5.4", "play", "        S.least_pick = y\n", ""),
    mutant("bots take cards that were taken up for lost", "TR-5.4", "cards", "    S.table[card] -= copies\n", ""),
    mutant("any rival can be moved", "TR-6.1", "board", "and S.value[space] >= 0) or is_twin", "and False) or is_twin"),
    mutant("no rival can be moved", "TR-6.1", "board", "(pawn // a.PAWNS != seat and S.value[space] >= 0)", "pawn // a.PAWNS != seat"),
    mutant("occupied spaces are not jumped", "TR-6.2", "board", "        jumped = ahead & barred\n", "        jumped = U0\n"),
    mutant("starts hold one pawn", "TR-1.4", "board", "return occupied & ~T.open", "return occupied"),
    mutant("trapped pawns move on", "TR-6.3", "board", "S.stuck[pawn] != 0 or (pawn", "(pawn"),
    mutant("trapped pawns go back", "TR-7.3", "board", "if S.stuck[pawn] != 0 or is_twin", "if is_twin"),
    mutant("nobody has to move", "TR-6.4", "board", "if n > 0 and T.must_move == 0:", "if n > 0:"),
    mutant("who cannot move draws nothing", "TR-6.4", "play", "            cards.draw(S, S.who)\n", ""),
    mutant("exploits go up", "TR-7.2", "play", "1 if x == a.UP else -1", "1"),
    mutant("an exploit has no bounds", "TR-7.2", "board", "abs(S.value[space] + 1) <= a.MAX_VALUE", "True"),
    mutant("tiles undo exploits", "TR-7.5", "board", "S.value[space] += S.shift[space]", "pass"),
    mutant("a new tile lies on the old one", "TR-7.5", "board", "S.laid & ~T.overlap[tile] |", "S.laid |"),
    mutant(
        "a tile springs no trap", "TR-6.3", "board",
        "                lay(T, S, tile)\n                spring_traps(S, W, seat)\n", "                lay(T, S, tile)\n",
    ),
    mutant("the game goes on after Critical Assets", "TR-8.3", "play", "        _finish(S, st.REASON_ASSETS)\n", ""),
    mutant("stuck pawns do not end the game", "TR-8.4", "play", "if not board.can_anything_move(T, S):", "if False:"),
    mutant("an empty hand never prevents the take-up", "TR-8.1", "play", "T.when_empty != 0 and _someone", "False and _someone"),
    mutant("cards are taken up in the last trick", "TR-8.7", "play", "S.trick_no < T.max_tricks", "S.trick_no <= T.max_tricks"),
    mutant("one round more", "TR-8.6", "play", "S.round_no == T.max_rounds", "S.round_no > T.max_rounds"),
    mutant(
        "only one pawn counts", "TR-8.2", "play",
        "range(seat * a.PAWNS, (seat + 1) * a.PAWNS)", "range(seat * a.PAWNS, seat * a.PAWNS + 1)",
    ),
    mutant(
        "the hat costs nothing", "TR-8.2", "play",
        "for card in range(a.HAT + 1):\n            in_hand", "for card in range(a.HAT):\n            in_hand",
    ),
    mutant("most points win", "TR-8.5", "play", "fewest = min(fewest,", "fewest = max(fewest,"),
    mutant("sides do not rotate", "seats", "counting", "return seat - rotation if", "return seat if"),
    mutant(
        "a cut off game is won", "outcome", "counting",
        "    if S.reason == st.REASON_ROUNDS:\n        return ty", "    if False:\n        return ty",
    ),
)  # fmt: skip


SUITES = {
    "skirmish": Suite(
        Path("bhsim", "games", "skirmish", "engine"),
        (
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
        ),
        "not reference and not mirror",  # what tests the kernels, and plays no bots against each other
        MUTANTS,
    ),
    "tricks": Suite(
        Path("bhsim", "games", "tricks", "engine"),
        (
            "tests/tricks/test_tricks_rules_deal.py",
            "tests/tricks/test_tricks_rules_cards.py",
            "tests/tricks/test_tricks_rules_board.py",
            "tests/tricks/test_tricks_rules_ends.py",
            "tests/tricks/test_tricks_block.py",
            "tests/tricks/test_tricks_bots.py",
        ),
        "kernel or event_logs or unseen",
        OF_TRICKS,
    ),
}


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


def first_failure(folder: Path, suite: Suite) -> str | None:
    """Runs the tests in a copy; the first one that fails, or None."""
    # No byte code: a mutant can have the size and the second of the file before it, and would be taken for it.
    plain = {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-k", suite.chosen, *suite.tests]
    try:
        done = subprocess.run(command, cwd=folder, env=os.environ | plain, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    if done.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (?:tests/)?(.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return failed.group(1) if failed else f"pytest ended with exit code {done.returncode}"


def try_one(folder: Path, suite: Suite, mutant: Mutant) -> Verdict:
    """Puts the error into the copy, runs the tests, and takes it out again."""
    file = folder / suite.engine / f"{mutant.module}.py"
    source = file.read_text(encoding="utf-8")
    begun = time.perf_counter()
    file.write_text(mutated(source, mutant), encoding="utf-8")
    try:
        return Verdict(mutant, first_failure(folder, suite), time.perf_counter() - begun)
    finally:
        file.write_text(source, encoding="utf-8")


def try_all(suite: Suite, mutants: Sequence[Mutant], jobs: int) -> list[Verdict]:
    """Every mutant's verdict, in order, on ``jobs`` copies of the package."""
    with tempfile.TemporaryDirectory(prefix="bhsim-mutants-") as base:
        copies: Queue[Path] = Queue()
        for number in range(jobs):
            folder = Path(base, str(number))
            folder.mkdir()
            copies.put(copy_tree(folder))
        first = copies.get()
        begun = time.perf_counter()
        if (failure := first_failure(first, suite)) is not None:
            raise SystemExit(f"the tests fail without any error: {failure}")
        print(f"{len(mutants)} mutants; the tests take {time.perf_counter() - begun:.0f} s without one", flush=True)
        copies.put(first)

        def work(mutant: Mutant) -> Verdict:
            folder = copies.get()
            try:
                verdict = try_one(folder, suite, mutant)
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
    parser.add_argument("--game", choices=SUITES, default="skirmish", help="whose kernels")
    parser.add_argument("--only", default="", help="mutants whose name has this word")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--out", type=Path, help="a page with the marks for the table")
    options = parser.parse_args(words)
    suite = SUITES[options.game]
    mutants = [m for m in suite.mutants if options.only in m.name]
    page = options.out.read_text(encoding="utf-8") if options.out else None
    try:
        verdicts = try_all(suite, mutants, options.jobs)
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
