"""Golden event logs and stories of tricks: ``python tests/tricks/tricks_logs.py``, from the top of the repository, writes them anew.

They are games of random bots with the frozen deck and board, so they change only when the rules as the engines play them, the log or the
words do: look at every line of the difference before it is committed.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from tricks_kit import CHANCE  # noqa: E402

from bhsim.games.replay import to_jsonl  # noqa: E402
from bhsim.games.tricks import files  # noqa: E402
from bhsim.games.tricks.driver import Match  # noqa: E402
from bhsim.games.tricks.replays import TricksReplay  # noqa: E402

FROZEN = HERE.parent / "data" / "frozen" / "tricks"
FOLDER = HERE / "logs"
# name -> players, seed, index of the game, changed rules
GAMES = {
    "two_players_every_event": (2, 1204, 0, ("rules.hand_size=3", "rules.compulsory_move=false", 'rules.tiles="random"')),
    "three_players_cut_off": (3, 1, 2, ("rules.hand_size=4", "rules.max_rounds=2")),
}


def frozen(players: int, sets: tuple[str, ...] = ()) -> Match:
    """A table of random bots with the frozen deck, board and rules."""
    bundle = files.load_bundle(**{kind: str(FROZEN / f"{kind}.toml") for kind in ("deck", "board", "rules")}, sets=sets)
    return Match(bundle, (CHANCE,) * players)


def game_of(name: str) -> TricksReplay:
    """The golden game, played again."""
    players, seed, index, sets = GAMES[name]
    return TricksReplay(frozen(players, sets), seed, index)


def main() -> None:
    """Writes the log and the story of every golden game."""
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        game = game_of(name)
        (FOLDER / f"{name}.jsonl").write_text(to_jsonl(game.events), encoding="utf-8")
        (FOLDER / f"{name}.txt").write_text("\n".join(game.story("round")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
