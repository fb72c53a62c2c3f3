"""The decisions of a tricks game as integers: ``kind << 24 | a << 12 | b``.

Both engines, every bot, a replay and a person speak this one language; docs/tricks-rules.md says when each kind is asked. Imports no
numba, so the plain engine and the CLI can use it.
"""

PLAY = 1  # a set; a: its rank, b: what it is made of (``composition``)
DISCARD = 2  # b: card, JOKER or a rank
MOVE = 3  # a: pawn, b: space on which it lands
STAY = 4  # no move, where moving is not compulsory
EXPLOIT = 5  # a: DOWN or UP, b: space whose value changes
BACK = 6  # a: pawn, b: space to which it goes back
TAKE = 7  # b: ALL or PART
PICK = 8  # b: rank of the next card taken up; asked in ascending order

KINDS = {
    PLAY: "play", DISCARD: "discard", MOVE: "move", STAY: "stay", EXPLOIT: "exploit", BACK: "back", TAKE: "take", PICK: "pick",
}  # fmt: skip

DOWN, UP = 0, 1
PART, ALL = 0, 1

# Array capacities, checked when files are read.
MIN_PLAYERS, MAX_PLAYERS = 2, 6
PAWNS = 2  # of a player
MAX_RANKS = 15
MAX_COPIES = 8
MAX_JOKERS = 12
MAX_CARDS = MAX_RANKS * MAX_COPIES + MAX_JOKERS  # without the Black Hat
MAX_HAND = 20  # dealt
MAX_SPACES = 64
MAX_TILES = 8
MAX_TILE_SPACES = 4
MAX_VALUE = 99  # of a space, after exploits

# Cards by number: ranks are their own numbers.
JOKER = 0
HAT = MAX_RANKS + 1

DRAWS_PER_SHUFFLE = 256  # the largest deck needs MAX_CARDS - 1


def encode(kind: int, a: int = 0, b: int = 0) -> int:
    """One decision as an int64."""
    return kind << 24 | a << 12 | b


def decode(action: int) -> tuple[int, int, int]:
    """``(kind, a, b)`` of a decision."""
    action = int(action)
    return action >> 24, action >> 12 & 0xFFF, action & 0xFFF


def composition(naturals: int, jokers: int, hat: int) -> int:
    """``b`` of a ``PLAY``: cards of the set's own rank, jokers, and whether (0 or 1) the Black Hat is in it."""
    return hat << 8 | jokers << 4 | naturals


def composed(b: int) -> tuple[int, int, int]:
    """``(naturals, jokers, hat)`` of a ``PLAY``."""
    return b & 15, b >> 4 & 15, b >> 8
