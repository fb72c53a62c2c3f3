"""Other crews and decks that a side could have been played with: drawn at random, legal by construction.

Decks: ``deck_size`` of all the copies that the limits allow lie in one heap, and that many are drawn from it without return. So each set of
physical copies is equally likely; a title with a high limit is in more decks, in more copies. Crews: the runners (or the rigs) of the crew
are exchanged for as many others, in order, and the draw is repeated until the bandwidth suffices. So each legal crew with these rigs (these
runners) is equally likely.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.model import Crew
from bhsim.games.skirmish.space import PARTS, SkirmishSpace
from bhsim.games.spaces import Freedom

MAX_DRAWS = 20_000  # crews tried before there seems to be no legal one
WORDS = {"runners": "runner", "rigs": "rig"}


class SkirmishBuilds:
    """See ``bhsim.games.game.Builds``."""

    parts = ("cards", "runners", "rigs")
    played = "cards"
    changeable = PARTS

    def items(self, bundle: Bundle, side: Side, part: str) -> dict[str, int]:
        """Copies of every title of the card set in the deck, or 1 and 0 for every runner or rig, in the card set's order."""
        pool = getattr(bundle.cardset, part)
        if part == "cards":
            return {title: side.deck_model.cards.get(title, 0) for title in pool}
        used = {getattr(member, WORDS[part]) for member in side.crew_model.members}
        return {key: int(key in used) for key in pool}

    def sample(self, bundle: Bundle, side: Side, part: str, rng: np.random.Generator) -> Side:
        """The side with its deck, its runners or its rigs drawn anew. BadInput when the card set leaves no choice."""
        return self._deck(bundle, side, rng) if part == "cards" else self._crew(bundle, side, part, rng)

    def restricted(self, bundle: Bundle, side: Side, item: str, how: str) -> Side:
        """The side with a bot that "never" or "always" plays the title."""
        bot = side.bot_model
        lists = {"never": [t for t in bot.never if t != item], "always": [t for t in bot.always if t != item]}
        lists[how].append(item)
        return _changed(side, bot=f"{side.bot} {how} {item}", bot_model=bot.model_copy(update=lists))

    def space(self, bundle: Bundle, start: Side, freedom: Freedom) -> SkirmishSpace:
        """Crews, decks or both around ``start``. BadInput, with the reason, when nothing legal is left."""
        return SkirmishSpace(bundle, start, freedom)

    def _deck(self, bundle: Bundle, side: Side, rng: np.random.Generator) -> Side:
        limits = {title: card.max_copies or bundle.rules.max_copies for title, card in bundle.cardset.cards.items()}
        heap = [title for title, limit in limits.items() for _ in range(min(limit, bundle.rules.deck_size))]
        if len(heap) <= bundle.rules.deck_size:
            raise BadInput(
                Fault("the card set leaves no choice of cards", value=len(heap), allowed=f"over {bundle.rules.deck_size} copies")
            )
        drawn = [heap[i] for i in np.sort(rng.choice(len(heap), bundle.rules.deck_size, replace=False))]
        cards = {title: drawn.count(title) for title in dict.fromkeys(drawn)}
        return _changed(side, deck="drawn", deck_model=side.deck_model.model_copy(update={"name": "drawn", "cards": cards}))

    def _crew(self, bundle: Bundle, side: Side, part: str, rng: np.random.Generator) -> Side:
        word, members = WORDS[part], side.crew_model.members
        other = "rigs" if part == "runners" else "runners"
        pool = getattr(bundle.cardset, part)
        names, costs = list(pool), np.array([entry.bandwidth for entry in pool.values()])
        left = bundle.rules.crew_bandwidth - sum(getattr(bundle.cardset, other)[getattr(m, WORDS[other])].bandwidth for m in members)
        if len(names) > len(members):
            for _ in range(MAX_DRAWS):
                drawn = rng.choice(len(names), len(members), replace=False)
                if costs[drawn].sum() <= left:
                    chosen = [{**dict(member), word: names[i]} for member, i in zip(members, drawn, strict=True)]
                    model: Any = Crew.model_validate({**side.crew_model.model_dump(exclude_unset=True), "name": "drawn", "members": chosen})
                    return _changed(side, crew="drawn", crew_model=model)
        raise BadInput(Fault(f"the card set leaves no choice of {part} within the bandwidth", value=left, allowed="a larger pool"))


def _changed(side: Side, **fields: Any) -> Side:
    return Side(**{**vars(side), **fields})
