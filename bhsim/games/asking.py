"""A game written as one generator, as a state machine: for plain engines that tell the rules as a story."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

# Yields (seat, legal actions) and is sent the chosen action; what it returns is its own business.
Asking = Generator[tuple[int, list[int]], int, Any]


class AskingGame:
    """Waits at the generator's next question. ``seat`` is asked, -1 when ``over``."""

    over = False
    seat = -1

    def begin(self, story: Asking) -> None:
        """Goes on to the first question."""
        self._story = story
        self._go_on(None)

    def legal(self) -> list[int]:
        """The legal actions; none when the game is over."""
        return list(self._legal)

    def apply(self, action: int) -> None:
        """Takes one of the legal actions and goes on to the next question; ValueError for any other."""
        if action not in self._legal:
            raise ValueError(f"action {action} is not legal here")
        self._go_on(int(action))

    def _go_on(self, action: int | None) -> None:
        try:
            self.seat, self._legal = self._story.send(action)
        except StopIteration:
            self.over, self.seat, self._legal = True, -1, []
