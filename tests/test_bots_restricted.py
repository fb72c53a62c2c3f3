"""Bots that never play a card, or play it whenever they may (``never`` and ``always`` of a bot file)."""

import numpy as np
import pytest
from frozen_kit import FILES, FROZEN, frozen_match

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import checkfile, files
from bhsim.games.skirmish.bots import Bot, with_ids
from bhsim.games.skirmish.driver import KernelGame, Match
from bhsim.games.skirmish.engine.block import play_block
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.eventlog import events_of
from bhsim.games.skirmish.game import GAME
from bhsim.games.skirmish.tally import CARD_FIELDS, empty

FREE = frozen_match()
TITLES = list(FREE.bundle.cardset.cards)
CARDS = ("hack_the_network", "ransomware")
STYLES = ("weights", "random")


def bot_of(style, **lists):
    return Bot(name="held", description="restricted", style=style, **lists)


def match_of(first, second):
    return Match(FREE.bundle, FREE.crews, FREE.decks, (first, second))


def totals(match, keys=40):
    """The cards of the first side's tally by title, and every outcome byte."""
    tally, outcomes = empty(), np.zeros((2 * keys, 2), np.uint8)
    play_block(match.tables, match.sides, 11, 0, keys, tally, outcomes, np.zeros((0, LOG_WIDTH), np.int64))
    cards = {title: dict(zip(CARD_FIELDS, row.tolist(), strict=True)) for title, row in zip(TITLES, tally["card"][0, 0], strict=False)}
    return cards, outcomes.tobytes()


def asked_turns(match, games=10):
    """Turns of the first side with a choice: legal decisions and the one taken."""
    for index in range(games):
        game = KernelGame(match, 5, index)
        while not game.over:
            legal, taken = game.legal(), game.bot_decision()
            if act.decode(legal[0])[0] == act.PASS and game.side_at[game.seat] == 0:
                yield legal, taken
            game.apply(taken)


@pytest.mark.parametrize("style", STYLES)
def test_never_played(style):
    free, _ = totals(match_of(bot_of(style), bot_of("weights")))
    held, _ = totals(match_of(bot_of(style, never=list(CARDS)), bot_of("weights")))
    for title in CARDS:
        assert free[title]["played"] > 0
        assert held[title]["played"] == 0
        assert held[title]["drawn"] > 0
    assert sum(card["played"] for card in held.values()) > 0
    for legal, taken in asked_turns(match_of(bot_of(style, never=list(CARDS)), bot_of("weights")), games=4):
        assert taken in legal


@pytest.mark.parametrize("style", STYLES)
def test_played_whenever_it_may_be(style):
    obliged = {act.encode(act.CARD, 0, TITLES.index(title)) for title in CARDS}
    free = [taken in obliged for legal, taken in asked_turns(match_of(bot_of(style), bot_of("weights"))) if obliged & set(legal)]
    assert 0 < sum(free) < len(free)  # a free bot would not
    seen = set()
    for legal, taken in asked_turns(match_of(bot_of(style, always=list(CARDS)), bot_of("weights"))):
        if obliged & set(legal):
            assert taken in obliged
            seen.add(taken)
    assert seen == obliged


def test_event_log_shows_no_forbidden_card():
    """Told from the log of whole games, by ids as a reader sees them."""
    for lists, expected in (({"never": ["Hack the Network"]}, False), ({}, True)):
        bot = bot_of("weights", **lists)
        played = set()
        for index in range(4):
            game = KernelGame(match_of(bot, bot), 3, index, logged=True)
            while not game.over:
                game.apply(game.bot_decision())
            played |= {event.get("card") for event in events_of(game) if event["event"] == "turn"}
        assert len(played) > 2
        assert ("hack_the_network" in played) == expected


def test_empty_lists_change_nothing():
    free = match_of(bot_of("weights"), bot_of("random"))
    listed = match_of(bot_of("weights", never=[], always=[]), bot_of("random", never=[]))
    assert totals(free) == totals(listed)
    assert free.sides.tobytes() == listed.sides.tobytes()


def test_titles_by_name_or_id():
    bot = with_ids(bot_of("weights", never=["Big Hack", "rm_r"], always=["Ransomware"]), FREE.bundle.cardset)
    assert (bot.never, bot.always) == (["big_hack", "rm_r"], ["ransomware"])


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ({"never": ["Bigg Hack"]}, "never.0: unknown card 'Bigg Hack'; did you mean 'Big Hack'"),
        ({"always": ["rm_r", "rm_r"]}, "always.1: this title stands twice"),
        ({"never": ["rm_r"], "always": ["rm_r"]}, "always.0: this title stands twice"),
    ],
)
def test_bad_titles(lists, words):
    with pytest.raises(BadInput) as caught:
        with_ids(bot_of("weights", **lists), FREE.bundle.cardset)
    assert words in str(caught.value)


def bot_file(folder, text):
    path = folder / "held.toml"
    path.write_text(f'name = "held"\ndescription = "restricted"\n{text}\n')
    return path


def sides_of(bundle, *bots):
    return tuple(
        GAME.side(bundle, SideNames(str(FROZEN / "crews" / "purple.toml"), str(FROZEN / "decks" / "starter.toml"), str(bot)), number)
        for number, bot in enumerate(bots)
    )


def test_digest_data_and_values(tmp_path):
    bundle = GAME.load(Options(**FILES))
    plain = sides_of(bundle, "fixer", "fixer")
    held = sides_of(bundle, bot_file(tmp_path, 'never = ["Big Hack"]'), "fixer")
    assert held[0].bot_model.never == ["big_hack"]
    assert GAME.digest(bundle, plain) != GAME.digest(bundle, held)
    other = sides_of(bundle, bot_file(tmp_path, 'always = ["Big Hack"]'), "fixer")
    assert len({GAME.digest(bundle, sides) for sides in (plain, held, other)}) == 3
    again_bundle, again = GAME.restored(GAME.resolved(bundle, held))
    assert again[0].bot_model.never == ["big_hack"]
    assert GAME.digest(again_bundle, again) == GAME.digest(bundle, held)
    changed = {k for k, v in GAME.values(bundle, held).items() if GAME.values(bundle, plain).get(k) != v}
    assert changed == {"bots.a.never"}


def test_a_card_outside_the_deck_leaves_the_digest_alone(tmp_path):
    bundle = GAME.load(Options(**FILES, sets=("decks.a.cards.big_hack=0", "decks.a.cards.rm_r=2")))
    held = sides_of(bundle, bot_file(tmp_path, 'never = ["Big Hack"]'), "fixer")
    assert "big_hack" not in held[0].deck_model.cards
    assert GAME.digest(bundle, held) == GAME.digest(bundle, sides_of(bundle, "fixer", "fixer"))


def test_unknown_title_names_file_and_line(tmp_path):
    bundle = GAME.load(Options(**FILES))
    path = bot_file(tmp_path, 'never = ["Big Hack",\n "Ransom Wear"]')
    for read in (lambda: sides_of(bundle, path, "fixer"), lambda: checkfile.check_file(path, checkfile.kind_of_path(path), lambda: bundle)):
        with pytest.raises(BadInput) as caught:
            read()
        assert str(caught.value).startswith(f"{path}:4: never.1: unknown card 'Ransom Wear'; did you mean 'Ransomware'"), str(caught.value)


def test_shown_by_name(tmp_path):
    path = bot_file(tmp_path, 'always = ["Big Hack"]')
    assert files.read_bot(path).always == ["Big Hack"]
    assert GAME.bot(str(path))["always"] == ["Big Hack"]
    assert GAME.bot("fixer")["never"] == []
