"""The game that is meant where nobody names any. A module of its own, since the CLI reads it before anything heavy is loaded."""

DEFAULT_GAME = "skirmish"


def game_words(name: str) -> tuple[str, str | None]:
    """The game as an option of a command (``inputs.command``); the usual one goes without saying."""
    return "--game", None if name == DEFAULT_GAME else name
