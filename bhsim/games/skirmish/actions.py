"""The decisions of a skirmish game as integers: ``kind << 24 | a << 12 | b``.

Both engines, every bot, a replay and a person speak this one language; docs/decisions.md says when
each kind is asked. Imports no numba, so the plain reference engine and the CLI can use it.
"""

PASS = 1  # for the rest of the round
CARD = 2  # b: title number in the pool
ACTIVATE = 3  # b: crew position
DEST = 4  # b: node; the runner's own node means "stay"
ACTION = 5  # a: one of the ACT_ numbers, b: its target
TARGET = 6  # a: seat, b: crew position or DATA
SUBNET = 7  # b: lowest node of the chosen subnet
STATE = 8  # b: state number
NODE = 9  # b: node
DONE = 10
DEPLOY = 11  # a: crew position, b: node
PLACE = 12  # a: crew position of the returning runner, b: node or NOWHERE
TOKEN = 13  # b: seat that holds the first-player token next
CHOOSE = 14  # b: title number of a card in a hand or a discard pile
ABILITY = 15  # a: crew position, b: PART_RUNNER or PART_RIG

KINDS = {
    PASS: "pass", CARD: "card", ACTIVATE: "activate", DEST: "dest", ACTION: "action",
    TARGET: "target", SUBNET: "subnet", STATE: "state", NODE: "node", DONE: "done",
    DEPLOY: "deploy", PLACE: "place", TOKEN: "token", CHOOSE: "choose", ABILITY: "ability",
}  # fmt: skip

ACT_NONE = 0
ACT_ATTACK = 1  # target: crew position of the enemy, or DATA
ACT_EXTRACT = 2
ACT_TRANSFER = 3  # target: crew position of the ally
ACT_SECURE = 4
ACT_SIGNATURE = 5
ACT_COMMON = 6  # target: number of the common action

ACTS = ("none", "attack", "extract", "transfer", "secure", "signature", "common")

DATA = 10  # stands beside crew positions 0-9
NOWHERE = 127  # no free node: out for good
PART_RUNNER = 0
PART_RIG = 1

# Array capacities, checked when files are read.
MAX_CREW = 10
MAX_DECK = 60
MAX_TITLES = 128
MAX_NODES = 127
MAX_POOL = 96  # runners, and rigs, in a card set
MAX_ROWS = 640  # effect rows of a card set and the common actions
MAX_COMMON = 8
MAX_PICK = 8  # nodes of one hack
MAX_STACK = 24
MAX_TRIGGERS = 64  # SK-5.5
MAX_CONDITIONS = 3
MAX_BORDERS = 7


def encode(kind: int, a: int = 0, b: int = 0) -> int:
    """One decision as an int64."""
    return kind << 24 | a << 12 | b


def decode(action: int) -> tuple[int, int, int]:
    """``(kind, a, b)`` of a decision."""
    action = int(action)
    return action >> 24, action >> 12 & 0xFFF, action & 0xFFF
