"""The table as plain Python: the canonical view that both engines are compared by, and that positions are written from."""

from __future__ import annotations

from typing import Any

import numpy as np

from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.actions import MAX_CREW

STATUS_WORDS = ("off", "board", "gone")
REASONS = (None, "points", "max_rounds")
FIELDS = (
    "round_no", "turn", "token", "over", "who", "points", "passed", "extra", "state", "lock", "n_deck", "deck", "n_hand", "hand",
    "n_disc", "disc", "n_flight", "flight", "n_crew", "node", "signal", "ready", "on", "temp", "ban", "data_c", "data_s", "winner",
    "reason", "dropped", "shuffles", "draws",
)  # fmt: skip


def view(state, titles: list[str], n_nodes: int) -> dict[str, Any]:
    """The whole game as nested dicts and lists. ``state``: a STATE record; ``titles``: title ids of the pool in order."""
    # Attributes of a record are slow to read one by one, and lockstep reads a view for every decision.
    S = {name: np.void.__getitem__(state, name).tolist() for name in FIELDS}
    return {
        "round": S["round_no"],
        "turn": S["turn"],
        "token": S["token"],
        "seat": -1 if S["over"] else S["who"],
        "points": S["points"],
        "passed": [bool(x) for x in S["passed"]],
        "extra": S["extra"],
        "states": S["state"][:n_nodes],
        "locks": nodes(S["lock"]),
        "deck": _piles(S["deck"], S["n_deck"], titles),
        "hand": _piles(S["hand"], S["n_hand"], titles),
        "discard": _piles(S["disc"], S["n_disc"], titles),
        "flight": _piles(S["flight"], S["n_flight"], titles),
        "runners": [[_runner(S, s * MAX_CREW + p) for p in range(S["n_crew"][s])] for s in (0, 1)],
        "data": [{"carrier": S["data_c"][s], "signal": S["data_s"][s]} for s in (0, 1)],
        "over": bool(S["over"]),
        "winner": S["winner"] if S["over"] and S["winner"] >= 0 else None,
        "reason": REASONS[S["reason"]],
        "dropped": S["dropped"],
        "shuffles": S["shuffles"],
        "random_draws": S["draws"],
    }


def nodes(words) -> list[int]:
    """Node numbers of a two-word set, ascending."""
    whole = int(words[0]) | int(words[1]) << 64
    return [n for n in range(127) if whole >> n & 1] if whole else []


def _piles(piles: list[list[int]], sizes: list[int], titles: list[str]) -> list[list[str]]:
    return [[titles[t] for t in pile[:size]] for pile, size in zip(piles, sizes, strict=True)]


def _runner(S: dict[str, Any], g: int) -> dict[str, Any]:
    amounts = S["temp"][g]
    temps = {
        f"{word}/{v.DURATIONS[d]}": amounts[stat][d]
        for stat, word in enumerate(v.STATS)
        if any(amounts[stat])
        for d in range(3)
        if amounts[stat][d]
    }
    bans = {
        word: sorted(w for i, w in enumerate(v.FORBIDDABLE) if S["ban"][g][d] >> i & 1) if S["ban"][g][d] else []
        for d, word in enumerate(("turn", "round"))
    }
    return {
        "node": S["node"][g],
        "signal": S["signal"][g],
        "ready": bool(S["ready"][g]),
        "status": STATUS_WORDS[S["on"][g]],
        "temps": temps,
        "bans": bans,
    }


def reference_view(game: Any) -> dict[str, Any]:
    """The same of a ``reference.Game``, which imports this module; only its plain fields are read."""
    data = [(-1, 0) if d is None else (d.carrier.position, d.signal) for d in game.data]
    return {
        **{name: getattr(game, name) for name in ("round", "turn", "token", "seat", "over", "winner", "reason", "dropped")},
        **{name: list(getattr(game, name)) for name in ("points", "passed", "extra", "shuffles", "random_draws")},
        **{name: [list(pile) for pile in getattr(game, name)] for name in ("deck", "hand", "discard", "flight")},
        "states": [v.STATES.index(state) for state in game.network.states],
        "locks": sorted(game.network.locks),
        "runners": [[_runner_of_reference(r) for r in crew] for crew in game.crew],
        "data": [{"carrier": carrier, "signal": signal} for carrier, signal in data],
    }


def _runner_of_reference(runner: Any) -> dict[str, Any]:
    return {
        "node": runner.node if runner.on_board else -1,
        "signal": runner.signal,
        "ready": runner.ready,
        "status": "board" if runner.on_board else "gone" if runner.gone else "off",
        "temps": {f"{stat}/{duration}": n for (stat, duration), n in sorted(runner.temps.items()) if n},
        "bans": {duration: sorted(bans) for duration, bans in runner.bans.items()},
    }
