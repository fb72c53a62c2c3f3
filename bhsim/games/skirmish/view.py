"""A kernel state as plain Python: the canonical view that both engines are compared by, and that positions are written from."""

from __future__ import annotations

from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.actions import MAX_CREW

STATUS_WORDS = ("off", "board", "gone")
REASONS = (None, "points", "max_rounds")


def view(state, titles: list[str], n_nodes: int) -> dict:
    """The whole game as nested dicts and lists. ``state``: a STATE record; ``titles``: title ids of the pool in order."""
    S = state
    return {
        "round": int(S.round_no),
        "turn": int(S.turn),
        "token": int(S.token),
        "seat": -1 if S.over else int(S.who),
        "points": [int(x) for x in S.points],
        "passed": [bool(x) for x in S.passed],
        "extra": [int(x) for x in S.extra],
        "states": [int(x) for x in S.state[:n_nodes]],
        "locks": nodes(S.lock),
        "deck": [[titles[t] for t in S.deck[s][: S.n_deck[s]]] for s in (0, 1)],
        "hand": [[titles[t] for t in S.hand[s][: S.n_hand[s]]] for s in (0, 1)],
        "discard": [[titles[t] for t in S.disc[s][: S.n_disc[s]]] for s in (0, 1)],
        "flight": [[titles[t] for t in S.flight[s][: S.n_flight[s]]] for s in (0, 1)],
        "runners": [[_runner(S, s * MAX_CREW + p) for p in range(S.n_crew[s])] for s in (0, 1)],
        "data": [{"carrier": int(S.data_c[s]), "signal": int(S.data_s[s])} for s in (0, 1)],
        "over": bool(S.over),
        "winner": int(S.winner) if S.over and S.winner >= 0 else None,
        "reason": REASONS[S.reason],
        "dropped": int(S.dropped),
        "shuffles": [int(x) for x in S.shuffles],
        "random_draws": [int(x) for x in S.draws],
    }


def nodes(words) -> list[int]:
    """Node numbers of a two-word set, ascending."""
    whole = int(words[0]) | int(words[1]) << 64
    return [n for n in range(127) if whole >> n & 1]


def _runner(S, g: int) -> dict:
    temps = {}
    for stat, word in enumerate(v.STATS):
        for d in range(3):
            if S.temp[g, stat, d]:
                temps[f"{word}/{v.DURATIONS[d]}"] = int(S.temp[g, stat, d])
    bans = {}
    for d, word in enumerate(("turn", "round")):
        bans[word] = sorted(w for i, w in enumerate(v.FORBIDDABLE) if S.ban[g, d] >> i & 1)
    return {
        "node": int(S.node[g]),
        "signal": int(S.signal[g]),
        "ready": bool(S.ready[g]),
        "status": STATUS_WORDS[S.on[g]],
        "temps": temps,
        "bans": bans,
    }
