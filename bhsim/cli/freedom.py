"""What a search may change, from options: shared by verbs that search."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bhsim.errors import BadInput, Fault

if TYPE_CHECKING:
    from bhsim.games.spaces import Freedom


class What(enum.StrEnum):
    """What a search may change: the keys of ``games.spaces.CHOICES``."""

    crew = "crew"
    deck = "deck"
    both = "both"


def freedom_of(what: What, fix: Sequence[str], ban: Sequence[str], max_changes: int | None, members: str | None) -> Freedom:
    """The freedom that options ask for. BadInput for numbers that cannot be."""
    from bhsim.games.spaces import CHOICES, Freedom

    if max_changes is not None and max_changes < 0:
        raise BadInput(Fault("out of range", field="--max-changes", value=max_changes, allowed="0 or more"))
    return Freedom(CHOICES[what.value], tuple(fix), tuple(ban), max_changes, members_of(members))


def members_of(text: str | None) -> range | None:
    """Sizes of crews from ``N`` or ``N-N``."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if not 1 <= first <= last:
        raise BadInput(Fault("is no number of members", field="--members", value=text, allowed="such as 4, or 3-5"))
    return range(first, last + 1)


def names_of(texts: Sequence[str] | None, option: str) -> list[str]:
    """The names of an option that may be repeated and hold several with commas between."""
    from bhsim.cli.playing import names_in

    return [name for text in texts or () for name in names_in(text, option)]
